//! Generates the parser from the grammar.

fn main() {
    lalrpop::Configuration::new()
        .set_in_dir("../../grammar")
        .emit_rerun_directives(true)
        .process()
        .expect("the grammar is conflict-free");
}
