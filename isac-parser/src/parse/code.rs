//! The codes of syntax findings.

use crate::diagnostic::Code;

/// Something else was expected here.
pub(super) const UNEXPECTED: Code = Code("E0101");
/// A string or character constant does not end on its line.
pub(super) const OPEN_TEXT: Code = Code("E0102");
/// A comment does not end.
pub(super) const OPEN_COMMENT: Code = Code("E0103");
/// Brackets, operators or statements nest deeper than is allowed.
pub(super) const TOO_DEEP: Code = Code("E0104");
/// A brace without its partner.
pub(super) const UNBALANCED: Code = Code("E0105");
/// A file, or a run of errors, larger than is allowed.
pub(super) const TOO_LARGE: Code = Code("E0106");
/// A number, string or bit pattern that is no such thing, or too large.
pub(super) const BAD_CONSTANT: Code = Code("E0107");
/// An assignment, step or comma outside BEHAVIOR.
pub(super) const ASSIGNMENT: Code = Code("E0108");
/// Words that are no type together.
pub(super) const BAD_TYPE: Code = Code("E0109");
/// A word of C where a name is expected, or a reserved word.
pub(super) const RESERVED: Code = Code("E0110");
/// A file that cannot be read.
pub(super) const UNREADABLE: Code = Code("E0111");
/// A file that is not UTF-8.
pub(super) const NOT_UTF8: Code = Code("E0112");
/// A file that includes itself.
pub(super) const INCLUDE_CYCLE: Code = Code("E0113");
