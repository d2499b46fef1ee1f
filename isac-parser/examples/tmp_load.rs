//! scratch
fn main() {
    let mut sources = isac_parser::source::SourceMap::new();
    let mut d = isac_parser::diagnostic::Diagnostics::new();
    for path in std::env::args().skip(1) {
        let m = isac_parser::load_model(path.as_ref(), &isac_parser::source::FileSystem, &Default::default(), &mut sources, &mut d);
        println!("{path}: {}", m.is_some());
        if std::env::var("DUMP").is_ok() { println!("{m:#?}"); }
    }
    print!("{}", d.render(&sources, isac_parser::diagnostic::Style::Plain));
}
