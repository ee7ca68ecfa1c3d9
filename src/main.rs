//! The program `cubicle`.

mod cli;
mod lsp;

fn main() -> std::process::ExitCode {
    cli::run(std::env::args_os())
}
