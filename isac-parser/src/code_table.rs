//! How codes are defined: each with what it says and the file that explains it.

use crate::diagnostic::{Code, Diagnostics};
use crate::{parse, resolve};

/// A code, what it says, and what explains it.
pub(crate) struct CodeEntry {
    /// The code.
    pub(crate) code: Code,
    /// Its documentation, which is a row of the manual's table, too.
    pub(crate) documentation: &'static str,
    /// Its file in `src/explanation`.
    pub(crate) explanation: &'static str,
    /// What to do where the finding does not say it by itself.
    pub(crate) remedy: &'static str,
}

/// Adds the general remedy to findings that have none of their own.
pub(crate) fn add_remedies(diagnostics: &mut Diagnostics) {
    for finding in diagnostics.iter_mut().filter(|finding| finding.help.is_empty() && !finding.is_one_line) {
        let entry = all_entries().find(|entry| entry.code == finding.code);
        finding.help.extend(entry.map(|entry| entry.remedy.to_owned()));
    }
}

/// All codes of descriptions.
pub(crate) fn all_entries() -> impl Iterator<Item = &'static CodeEntry> {
    parse::code::ALL.iter().chain(resolve::code::ALL)
}

/// Defines one constant per code, and `ALL`, the table of them.
///
/// A code without a file in `src/explanation`, or without a general remedy behind it, does not compile.
macro_rules! codes {
    ($visibility:vis $table:ident;
        $($(#[doc = $doc:literal])* $name:ident = $code:literal, $remedy:literal;)*) => {
        $($(#[doc = $doc])* $visibility const $name: $crate::diagnostic::Code = $crate::diagnostic::Code($code);)*

        /// All codes that are defined here, in their order.
        pub(crate) const $table: &[$crate::code_table::CodeEntry] = &[$($crate::code_table::CodeEntry {
            code: $name,
            documentation: concat!($($doc),*),
            explanation: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/explanation/", $code, ".md")),
            remedy: $remedy,
        }),*];
    };
}
