//! Names as in the source.

use cpp_demangle::Symbol;

use crate::symbols::LONGEST_NAME;

/// The name that a symbol has in its source: of Rust and C++; every other stays as it is. Of one that a few
/// letters make very long there is the beginning.
pub fn demangle(symbol: &str) -> String {
    let mut name = source_name(symbol);
    name.truncate(name.floor_char_boundary(LONGEST_NAME));
    name
}

fn source_name(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return format!("{name:#}");
    }
    if symbol.starts_with("_Z") || symbol.starts_with("__Z") {
        let name = Symbol::new(symbol).ok().and_then(|name| name.demangle().ok());
        return name.unwrap_or_else(|| symbol.to_owned());
    }
    symbol.to_owned()
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_are_those_of_the_source() {
        let cases = [
            ("main", "main"),
            ("_ZN3foo3barEv", "foo::bar()"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_Zbroken", "_Zbroken"),
            ("", ""),
        ];
        for (symbol, name) in cases {
            assert_eq!(demangle(symbol), name, "{symbol}");
        }
    }
}
