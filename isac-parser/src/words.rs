//! The words that have a meaning at a place: what an editor offers there.

/// What begins a definition.
pub const ITEMS: &[&str] = &crate::parse::split::ITEM_WORDS;
/// What begins a section of an OPERATION.
pub const SECTIONS: &[&str] = &crate::parse::split::SECTION_WORDS;
/// What begins a declaration of a RESOURCE.
pub const DECLARATIONS: &[&str] = &crate::parse::split::DECLARATION_WORDS;
/// Fields of TARGET.
pub const TARGET_FIELDS: &[&str] = &crate::resolve::target::FIELDS;
/// Arguments of SYSCALLS.
pub const SYSCALLS: &[&str] = &crate::resolve::target::SYSCALLS;
/// Options of a register.
pub const REGISTER_OPTIONS: &[&str] = &["RESET", "HARDWIRED", "NAMES"];
/// Options of a RAM.
pub const RAM_OPTIONS: &[&str] = &crate::resolve::memory::RAM_OPTIONS;
/// Options of a CACHE.
pub const CACHE_OPTIONS: &[&str] = &crate::resolve::cache::CACHE_OPTIONS;
/// Arguments of a DEVICE's KIND.
pub const DEVICE_KINDS: &[&str] = &crate::resolve::cache::KINDS;
/// What a MEMORY_MAP is made of.
pub const MAP_OPTIONS: &[&str] = &["ADDRESS", "RANGE"];
/// Formats of a field, as they stand behind `#`.
pub const FORMATS: &[&str] = &crate::resolve::format::FORMATS;
/// Built-in functions.
pub const BUILTINS: &[&str] = &crate::resolve::typing::BUILTINS;
/// Values that every operation has.
pub const VALUES: &[&str] = &crate::resolve::typing::RESERVED_VALUES;
/// What stands behind a memory map and a point.
pub const MAP_MEMBERS: &[&str] = &crate::resolve::typing::MEMBERS_OF_MAPS;
/// What stands behind a pipeline and a point.
pub const PIPELINE_MEMBERS: &[&str] = &crate::resolve::typing::SERVICES;
/// Further words of the grammar: reserved everywhere, but for DELAY.
pub const OTHERS: &[&str] = &["ALIAS", "IF", "ELSE", "SWITCH", "CASE", "DEFAULT", "AT", "IN", "DELAY"];
/// C's words within BEHAVIOR.
pub const STATEMENTS: &[&str] =
    &["if", "else", "switch", "case", "default", "while", "do", "for", "break", "continue", "return"];
/// Directives of assembler text: a line that begins with one is never an instruction.
pub const DIRECTIVES: &[&str] = &[
    ".text", ".data", ".bss", ".section", ".global", ".globl", ".align", ".balign", ".p2align", ".byte",
    ".half", ".word", ".quad", ".cell", ".ascii", ".asciz", ".string", ".space", ".zero", ".equ", ".set",
    ".org", ".include",
];
/// The words of types.
pub const TYPES: &[&str] = &[
    "bit", "signed", "unsigned", "char", "short", "int", "long", "int8_t", "int16_t", "int32_t", "int64_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "void",
];

/// True if a word is reserved everywhere, so that nothing can be called by it.
pub fn is_reserved(word: &str) -> bool {
    let reserved = OTHERS.iter().filter(|other| **other != "DELAY");
    ITEMS.iter().chain(SECTIONS).chain(reserved).any(|known| *known == word)
}

/// True if something can be called by the word: a name of the grammar that no place takes for C's.
pub fn is_name(word: &str) -> bool {
    let begins = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    word.starts_with(begins)
        && word.chars().all(goes_on)
        && !is_reserved(word)
        && !STATEMENTS.iter().chain(TYPES).chain(BUILTINS).chain(VALUES).any(|known| *known == word)
}
