//! Generates the parser from `grammar/cubicle.lalrpop`, and adds to the program what looks at standard output
//! before `main`.

fn main() {
    println!("cargo:rerun-if-changed=grammar");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(true)
        .process()
        .expect("the grammar is conflict-free");
    println!("cargo:rerun-if-changed=src/cli/stdout.c");
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        for object in cc::Build::new().file("src/cli/stdout.c").compile_intermediates() {
            println!("cargo:rustc-link-arg-bins={}", object.display());
        }
    }
}
