//! The codes of syntax findings.

codes! {
    pub(super) ALL;

    /// Something else was expected here.
    UNEXPECTED = "E0101",
        "write what is expected there; docs/language.md shows the form of each section";
    /// A string or character constant does not end on its line.
    OPEN_TEXT = "E0102",
        "end it on its line with the mark that it begins with";
    /// A comment does not end.
    OPEN_COMMENT = "E0103",
        "end the comment with `*/`";
    /// Brackets, operators or statements nest deeper than is allowed.
    TOO_DEEP = "E0104",
        "name parts of it by variables, FUNCTIONs or operations of their own";
    /// A brace without its partner.
    UNBALANCED = "E0105",
        "each `{` has its `}`; where lines are indented by depth, they tell which one is missing";
    /// A file, or a run of errors, larger than is allowed.
    TOO_LARGE = "E0106",
        "cut it into several files or definitions; INCLUDE reads files";
    /// A number, string or bit pattern that is no such thing, or too large.
    BAD_CONSTANT = "E0107",
        "numbers are written 12, 0x1f, 0b0101, 0o17; bit patterns 0b01x0, 0bx[12]";
    /// An assignment, step or comma outside BEHAVIOR.
    ASSIGNMENT = "E0108",
        "a value is computed here and nothing is changed; assign in BEHAVIOR";
    /// Words that are no type together.
    BAD_TYPE = "E0109",
        "use one of C's integer types, as `unsigned long`, one of <stdint.h>, or `bit[N]`";
    /// A word of C where a name is expected, or a reserved word.
    RESERVED = "E0110",
        "choose another name";
    /// A file that cannot be read.
    UNREADABLE = "E0111",
        "name a file that exists and that you may read, relative to the file that names it";
    /// A file that is not UTF-8.
    NOT_UTF8 = "E0112",
        "save the file as UTF-8";
    /// A file that includes itself.
    INCLUDE_CYCLE = "E0113",
        "move what both need into a third file";
}
