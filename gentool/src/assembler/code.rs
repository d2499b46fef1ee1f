//! The codes of everything that assembling can say; a code's meaning never changes.

use isac_parser::diagnostic::Code;

/// Declares the codes and the list of all.
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])* pub(super) const $name: Code = Code($code);)*
        /// All codes with what they are about.
        pub const ALL: &[(Code, &str)] = &[$(($name, concat!($($doc),*))),*];
        /// What explains each; a code without a file does not compile.
        pub(super) const EXPLANATIONS: &[(Code, &str)] =
            &[$(($name, include_str!(concat!("explanation/", $code, ".md")))),*];
    };
}

codes! {
    /// A file that cannot be read.
    UNREADABLE = "A0101";
    /// A file of more than 16 MiB, or one that is no UTF-8.
    BAD_FILE = "A0102";
    /// A file that includes itself, directly or through others.
    CYCLIC_INCLUDE = "A0103";
    /// A comment or string without an end.
    UNENDED = "A0104";
    /// An expression that cannot be read.
    BAD_EXPRESSION = "A0106";
    /// A number that is written wrong.
    BAD_NUMBER = "A0107";

    /// A symbol without a definition.
    UNDEFINED = "A0201";
    /// A symbol that is defined twice.
    DOUBLE = "A0202";
    /// A label that is the name of a register.
    REGISTER_AS_LABEL = "A0203";
    /// `1b` or `1f` without such a label.
    NO_LOCAL_LABEL = "A0204";
    /// An `.equ` that needs itself.
    CYCLIC_SYMBOL = "A0205";
    /// A local label whose number is too large.
    LOCAL_NUMBER = "A0206";

    /// An instruction that the model does not have.
    UNKNOWN_INSTRUCTION = "A0301";
    /// Operands that no form of the instruction has.
    BAD_OPERANDS = "A0302";
    /// A line that can be read in too many ways.
    TOO_MANY_READINGS = "A0303";
    /// A value outside of its field, or of what it is computed in.
    OUT_OF_RANGE = "A0304";
    /// A value that needs bits which are not coded.
    NOT_CODED = "A0305";
    /// Operands for which there is no word.
    NO_WORD = "A0306";
    /// An expression without a value: division by zero.
    NO_VALUE = "A0307";
    /// A PSEUDO whose results cannot be assembled.
    BAD_PSEUDO = "A0308";

    /// A directive that does not exist.
    UNKNOWN_DIRECTIVE = "A0401";
    /// A directive with wrong arguments.
    BAD_ARGUMENTS = "A0402";
    /// A number that does not fit its directive.
    DATA_RANGE = "A0403";
    /// Data of a width that is not made of cells.
    NOT_CELLS = "A0404";
    /// Contents in a section that has none.
    CONTENTS_IN_BSS = "A0405";

    /// Pieces that lie on each other.
    OVERLAP = "A0501";
    /// A piece beyond the address space.
    BEYOND = "A0502";
    /// A layout that does not settle.
    UNSETTLED = "A0503";
    /// More than can be assembled.
    TOO_LARGE = "A0504";
}
