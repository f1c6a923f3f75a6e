use tally_compiler::{parser, render};
fn main() {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path).unwrap();
        let start = std::time::Instant::now();
        let (file, diagnostics) = parser::parse(&source);
        let took = start.elapsed();
        println!("{}", render::render(&diagnostics, &path, &source, false));
        if source.len() < 3000 && std::env::var("TREE").is_ok() { println!("{file:#?}"); }
        println!("{path}: {} items {} diagnostics {took:?}", file.items.len(), diagnostics.len());
    }
}
