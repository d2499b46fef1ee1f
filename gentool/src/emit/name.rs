//! Rust names for what the description names.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::operation::Target;
use proc_macro2::{Ident, Span};

/// Names of types and functions, none twice.
pub(super) struct Names {
    types: BTreeMap<Target, String>,
}

impl Names {
    pub(super) fn of(model: &Model) -> Names {
        let operations = (0..model.operations.len() as u32).map(Target::Operation);
        let groups = (0..model.groups.len() as u32).map(Target::Group);
        let mut taken: BTreeSet<String> = TYPES_IN_USE.iter().map(|name| name.to_string()).collect();
        let mut types = BTreeMap::new();
        for target in operations.chain(groups) {
            let camel = camel_case(model.target_name(target));
            let name = unique(&camel, &mut taken);
            types.insert(target, name);
        }
        Names { types }
    }

    /// The type of an operation or group.
    pub(super) fn type_of(&self, target: Target) -> Ident {
        identifier(self.types.get(&target).map_or("Unknown", String::as_str))
    }
}

/// Types that the emitted files use.
const TYPES_IN_USE: [&str; 34] = [
    "None",
    "Some",
    "Ok",
    "Err",
    "Self",
    "Args",
    "Processor",
    "Step",
    "Trap",
    "Result",
    "Option",
    "Code",
    "Record",
    "Bits",
    "Decoded",
    "Default",
    "Core",
    "Kernel",
    "Profiling",
    "CellRam",
    "FaultKind",
    "Conversion",
    "PrintFormat",
    "Clone",
    "Copy",
    "Debug",
    "PartialEq",
    "Eq",
    "Vec",
    "Box",
    "PhantomData",
    "Registers",
    "Memories",
    "Machine",
];

/// The name itself, or with a number where it is taken: in most cases the lowest that is free,
/// which is looked for in steps that double.
pub(super) fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = |number: u64| format!("{name}{number}");
    let mut free = name.to_string();
    if taken.contains(name) {
        let (mut low, mut high) = (1, 2);
        while taken.contains(&numbered(high)) {
            (low, high) = (high, high * 2);
        }
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            match taken.contains(&numbered(middle)) {
                true => low = middle,
                false => high = middle,
            }
        }
        free = numbered(high);
    }
    taken.insert(free.clone());
    free
}

/// What the emitted code names itself, and a keyword that syn does not know: the description's
/// names of these get an underscore.
const RESERVED: [&str; 38] = [
    "p",
    "at",
    "operands",
    "bound",
    "context",
    "owner",
    "step",
    "base",
    "value",
    "element",
    "address",
    "text",
    "code",
    "records",
    "record",
    "rest",
    "pc_value",
    "fuel",
    "word",
    "kind",
    "index",
    "cycles",
    "status",
    "arguments",
    "trap",
    "next",
    "finish",
    "linux_call",
    "semihost",
    "print_value",
    "register_element",
    "keep_branch",
    "arithmetic",
    "leave_empty",
    "leave_trap",
    "leave_mismatch",
    "leave_code_written",
    "gen",
];

/// `op_alu` to `OpAlu`.
pub(super) fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let camel: String = words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect();
    match camel.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => camel,
        _ => format!("N{camel}"),
    }
}

/// An identifier; Rust's keywords become raw ones.
pub(super) fn identifier(name: &str) -> Ident {
    if RESERVED.contains(&name) || name.ends_with("_activation_") {
        return Ident::new(&format!("{name}_"), Span::call_site());
    }
    match syn::parse_str::<Ident>(name) {
        Ok(identifier) => identifier,
        Err(_) if matches!(name, "self" | "Self" | "super" | "crate" | "_") => {
            Ident::new(&format!("{name}_"), Span::call_site())
        }
        Err(_) => Ident::new_raw(name, Span::call_site()),
    }
}

/// An identifier of a prefix and a name.
pub(super) fn joined(prefix: &str, name: &str) -> Ident {
    identifier(&format!("{prefix}_{name}"))
}

/// One of the emitted code's own names.
pub(super) fn identifier_of(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// An identifier's letters without `r#`.
pub(super) fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_string)
}
