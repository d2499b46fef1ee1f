//! How codes are defined: each with what it says and the file that explains it.

use crate::diagnostic::Code;

/// A code, what it says, and what explains it.
pub(crate) struct CodeEntry {
    /// The code.
    pub(crate) code: Code,
    /// Its documentation, which is a row of the manual's table, too.
    pub(crate) documentation: &'static str,
    /// Its file in `src/explanation`.
    pub(crate) explanation: &'static str,
}

/// Defines one constant per code, and `ALL`, the table of them.
///
/// A code without a file in `src/explanation` does not compile.
macro_rules! codes {
    ($visibility:vis $table:ident; $($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])* $visibility const $name: $crate::diagnostic::Code = $crate::diagnostic::Code($code);)*

        /// All codes that are defined here, in their order.
        pub(crate) const $table: &[$crate::code_table::CodeEntry] = &[$($crate::code_table::CodeEntry {
            code: $name,
            documentation: concat!($($doc),*),
            explanation: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/explanation/", $code, ".md")),
        }),*];
    };
}
