//! Generates the parser from the grammar.

fn main() {
    if let Err(error) = lalrpop::process_src() {
        println!("cargo::error=the grammar does not build: {error}");
        std::process::exit(1);
    }
}
