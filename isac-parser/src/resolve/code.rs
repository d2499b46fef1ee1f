//! The codes of everything that resolving and checking can say.
//!
//! A code is stable: its text may be improved, its meaning never changes.

use crate::diagnostic::Code;

codes! {
    pub(crate) ALL;

    /// A name that nothing defines.
    UNDEFINED = "E0201",
        "define it, or name something that is defined";
    /// A name defined twice.
    DOUBLE = "E0202",
        "let each name stand for one thing";
    /// A name of another kind than its place asks for.
    WRONG_KIND = "E0203",
        "name something of the kind that this place asks for";
    /// No operation `main`.
    NO_MAIN = "E0204",
        "write `OPERATION main { ACTIVATION { decode; }; };`: every cycle begins with it";
    /// A group that contains itself.
    CYCLIC_GROUP = "E0205",
        "take the member that leads back out of its group";
    /// A CONSTANT that needs itself.
    CYCLIC_CONSTANT = "E0206",
        "give one of them a value that does not need the others";
    /// A section or field that may stand once only.
    REPEATED_SECTION = "E0207",
        "keep one of the two, with what both say";
    /// A member that stands twice in one group.
    DOUBLE_MEMBER = "E0208",
        "keep one of the two";
    /// `-D` of a CONSTANT that does not exist.
    UNKNOWN_OVERRIDE = "E0209",
        "name a CONSTANT of the description";
    /// A REFERENCE to a name that a possible parent lacks.
    LACKING_PARENT = "E0210",
        "give every operation that decodes or activates this one a field, alias or LOCAL of this name";

    /// Something that cannot be assigned to.
    NOT_A_PLACE = "E0301",
        "assign to a register, a cell, a variable, or to bits of one";
    /// A value is needed, and there is none.
    VOID_VALUE = "E0302",
        "give the FUNCTION a result, or call it as a statement of its own";
    /// Wrong number of arguments.
    ARGUMENT_COUNT = "E0303",
        "pass as many arguments as it takes";
    /// A bit or slice outside its value.
    OUT_OF_BOUNDS = "E0304",
        "bits are counted from 0, the least significant, to one less than the width";
    /// A constant is needed.
    NOT_CONSTANT = "E0305",
        "write numbers and CONSTANTs";
    /// A type that does not exist or a width outside its limits.
    BAD_TYPE = "E0306",
        "a type has 1 to 128 bits";
    /// `break` or `continue` outside of what they leave.
    MISPLACED_JUMP = "E0307",
        "put it into a loop, or `break` into a `switch`, or leave it out";
    /// A `case` label that stands twice.
    DOUBLE_CASE = "E0308",
        "leave it out, or let it stand for something else";
    /// A `return` that does not fit its function.
    BAD_RETURN = "E0309",
        "write `return` with a value where the FUNCTION has a result, and without one where it is `void`";
    /// A part of a concatenation whose width is not written down.
    UNKNOWN_WIDTH = "E0310",
        "cast it, as `(bit[8])(...)`, or write a number in base two, eight or sixteen";
    /// A `printf` format that does not fit its arguments.
    BAD_FORMAT_STRING = "E0311",
        "pass one argument for each `%` of the format; `%%` prints one `%`";
    /// An alias that has no value.
    NO_VALUE = "E0312",
        "name it in CODING, or give what it may be an EXPRESSION";
    /// FUNCTIONs that call each other in a circle.
    RECURSION = "E0313",
        "a FUNCTION stands for its text, so it cannot recur; use a loop";
    /// Division by zero in a constant.
    CONSTANT_DIVISION = "E0314",
        "let the value follow from numbers and CONSTANTs alone, and the divisor be another one";
    /// A string where a value is expected, or the other way round.
    MISPLACED_TEXT = "E0315",
        "write the text first, as in `printf(\"%d\\n\", v)` and `event(\"miss\")`";
    /// A `memory_fault` of another signature.
    FAULT_HANDLER = "E0316",
        "write `FUNCTION void memory_fault(bit[64] address, bit[2] access)`";
    /// A REFERENCE to what has several types in several parents.
    REFERENCE_TYPES = "E0317",
        "give it one type in all of them";
    /// An EXPRESSION that needs its own value through a REFERENCE.
    CYCLIC_VALUE = "E0318",
        "let the EXPRESSION refer to something else";
    /// A value of more than 128 bits where one is computed with.
    WIDE_VALUE = "E0319",
        "take slices of at most 128 bits, as `v[127..0]`, or assign it to a place of its width";
    /// A value that the bits which it shall be put into do not hold.
    VALUE_TOO_LARGE = "E0320",
        "write a value that fits, or make the place wider";
    /// A text that is too large with everything that it mentions in its place.
    TEXTS_TOO_LARGE = "E0321",
        "keep what is mentioned twice in a variable or a register";
    /// A text that nests too deep with everything that it mentions in its place.
    TEXTS_TOO_DEEP = "E0322",
        "keep a part of it in a variable or a register";
    /// A FUNCTION that cannot write what an EXPRESSION is worth.
    WRITER = "E0323",
        "let it take what is written behind its other arguments, and be `void`";

    /// Members of different widths where one is needed.
    MEMBER_WIDTHS = "E0401",
        "all members of a group that is part of a CODING have one width";
    /// A bit coded twice.
    CODED_TWICE = "E0402",
        "let each bit stand in one place";
    /// A bit of an alias that is never coded.
    NEVER_CODED = "E0403",
        "every bit of an alias stands in the CODING exactly once";
    /// An instance without CODING where coded bits are needed.
    NO_CODING = "E0404",
        "give it a CODING, or take it out here";
    /// An operation that is part of itself.
    CYCLIC_INSTANCE = "E0405",
        "take one of these instances out: an operation ends in others that do not contain it";
    /// A CODING of no bits, or of more than 256.
    CODING_WIDTH = "E0406",
        "a CODING has 1 to 256 bits; what follows the word stands in TAIL";
    /// Operations nested too deep.
    TOO_DEEP = "E0407",
        "let operations contain each other less deep";
    /// A word that is no multiple of the map's cell.
    WORD_WIDTH = "E0408",
        "give it whole cells of bits";
    /// A field in ASSEMBLER that the CODING does not have.
    FIELD_NOT_CODED = "E0409",
        "name a field of the CODING, or an alias that stands in it";
    /// Two operations that match the same word.
    AMBIGUOUS = "E0410",
        "let the two differ in a fixed bit, or one match a part of what the other matches";
    /// Codings too many to compare, or whose comparison takes too long.
    TOO_MANY_CODINGS = "E0411",
        "let them differ in fixed bits, or compare less in WHEN";
    /// A format that does not exist, or with wrong arguments.
    BAD_FORMAT = "E0412",
        "the formats are #U, #S, #X, #NAME(file), #LIST(file), #ABS and #REL";
    /// Instructions too many to list.
    TOO_MANY_INSTRUCTIONS = "E0413",
        "make operands of what is chosen: give its members an EXPRESSION";
    /// Two operations of one group that are written alike.
    SAME_TEXT = "E0414",
        "let a literal or a format differ, or keep values apart by WHEN";
    /// A PSEUDO with a result that can never be assembled.
    PSEUDO_RESULT = "E0415",
        "write each result as an instruction or another PSEUDO is written";
    /// A `~` with nothing before it, or nothing behind it.
    JOIN_ALONE = "E0416",
        "put it between the two items that shall be joined";
    /// Something that a PSEUDO joins and that is no word.
    JOINED_WORD = "E0417",
        "join strings, choices of words as `op:\"add|sub\"`, and groups of operations whose texts are words";
    /// A choice of words in which one stands twice, or a PSEUDO that begins with no letter.
    WORDS = "E0418",
        "let every word of a choice be another one, and the first item have letters";
    /// A CASE of something that its selector never chooses.
    NO_SUCH_CASE = "E0420",
        "name what the selector may choose, or leave the CASE out";
    /// An element that is used or activated where it is not decoded.
    NOT_DECODED = "E0421",
        "use it where it is decoded on every way that leads there";
    /// A source that is not as wide as what is decoded from it, or an AT that says nothing.
    BAD_SOURCE = "E0422",
        "let the source be as wide as the widest of what is decoded from it, and AT follow no fetch";
    /// A field that not everything which an alias may choose has, or in one type.
    MEMBER_FIELD = "E0423",
        "give every member that field, with one width and one sign";
    /// A second CODINGROOT in one instruction.
    SECOND_DECODING = "E0424",
        "let them exclude each other: in the arms of one IF, in CASEs of one SWITCH, or as members of one group";
    /// A WHEN that is no comparison of coded bits.
    WHEN_FORM = "E0430",
        "compare a field, a slice of one or an alias with a constant or with bits of the same width";
    /// Coded bits that are compared with what they can never be.
    WHEN_WIDTH = "E0431",
        "compare with what bits of this width can be";
    /// A TAIL that follows no word, or names an alias otherwise than as a whole.
    TAIL_FORM = "E0432",
        "name whole aliases of the CODING, or fields with whole cells of bits";
    /// An instruction of more than 256 bits, its TAIL included.
    INSTRUCTION_WIDTH = "E0433",
        "an instruction has at most 256 bits; shorten the CODING or the TAIL";
    /// A `coded_size` of words whose first bits do not tell it.
    SIZE_NOT_TOLD = "E0434",
        "name what a CODINGROOT fetches, and let its widths differ in the bits that are fetched first";

    /// No PC.
    NO_PC = "E0501",
        "declare one, as `RESOURCE { PC REGISTER bit[32] pc; };`";
    /// More than one PC.
    SECOND_PC = "E0502",
        "take PC away from all of them but one";
    /// A register that cannot be the PC.
    BAD_PC = "E0503",
        "the PC is a single register of at most 64 bits, or an ALIAS of such places";
    /// A width outside the limits of its resource.
    RESOURCE_WIDTH = "E0504",
        "choose a number within these limits";
    /// An element or name beyond a register file's size.
    NO_SUCH_ELEMENT = "E0505",
        "elements are counted from 0 to one less than the file's size";
    /// Ranges of one map that overlap.
    RANGE_OVERLAP = "E0506",
        "let each address belong to one RANGE";
    /// A range beyond its memory or its map's addresses.
    RANGE_BOUNDS = "E0507",
        "a range ends where its memory and its map end, at the latest, and not before it begins";
    /// Ranges of one map whose cells differ in width.
    CELL_WIDTH = "E0508",
        "let all RANGEs of a map have cells of one width";
    /// An option that is missing, unknown, or has wrong arguments.
    BAD_OPTION = "E0509",
        "the chapters RESOURCE and TARGET of docs/language.md list the options with their arguments";
    /// An access whose width is no multiple of the cell.
    VIEW_WIDTH = "E0510",
        "access whole cells: by `map[a]`, or by a view whose width is a multiple of the cell's";
    /// An ALIAS that stands for itself.
    CYCLIC_ALIAS = "E0511",
        "let it stand for registers in the end";
    /// An ALIAS of another width than what it stands for.
    ALIAS_WIDTH = "E0512",
        "give it the width of what it stands for, or take a slice";
    /// Something that is no place in registers.
    NOT_REGISTERS = "E0513",
        "name registers, elements with a constant index, and slices with constant bounds of them";
    /// A FUNCTION that cannot stand behind a RANGE.
    RANGE_FUNCTION = "E0514",
        "the first takes the address and returns the cell, the second takes address and cell and returns nothing";
    /// LOADs that take the same bytes of a program.
    LOAD_OVERLAP = "E0515",
        "let each byte of a program belong to one LOAD";

    /// Operations that activate each other without delay.
    ACTIVATION_CYCLE = "E0601",
        "give one of them a DELAY, or take one of the activations out";
    /// An activated group of which nothing chooses a member.
    NOTHING_CHOSEN = "E0602",
        "decode the group above, or activate an operation";
    /// A PIPELINE without stages.
    NO_STAGES = "E0603",
        "give it at least one stage, as `PIPELINE pipe { FE { }; };`";
    /// A register that is named by two stages, or by one twice.
    STAGE_REGISTER = "E0604",
        "name it in one stage; a register that several stages write is listed by none";
    /// A DELAY, a stall or extra cycles whose number of cycles is out of range.
    CYCLE_COUNT = "E0605",
        "a number of cycles is a constant from 0 to 1000000";
    /// An activation or a decoding that leads back to an earlier stage.
    NEGATIVE_DISTANCE = "E0606",
        "an instruction walks the stages forwards; take the IN away from what runs in several stages";
    /// A register of one stage that is written in another.
    WRITTEN_ELSEWHERE = "E0607",
        "write it in an operation of that stage; a register that several stages write is listed by none";
    /// A `retry` where no stage of the pipeline can run again.
    RETRY_OUTSIDE = "E0608",
        "call it in an operation that is bound to a stage of this pipeline";
    /// An IN of an operation that runs in no stage, or in that of another.
    MISPLACED_IN = "E0609",
        "take the IN away";
    /// Operations that are brought about in too many ways: an operation is there once for each path from
    /// `main` that leads to it, and 20,000 paths are the most.
    TOO_MANY_RUNS = "E0610",
        "let operations be activated in one place, and decide by `if` in their BEHAVIOR";

    /// A form of a supported section that is not supported yet.
    LATER_FORM = "E0904",
        "leave it out; the chapter on what is not supported yet tells what this version has";

    /// An operation, group, resource or FUNCTION that nothing uses.
    UNUSED = "W0201",
        "use it, or leave it out";
    /// An alias that is neither coded nor activated.
    UNUSED_ALIAS = "W0202",
        "name it in CODING, TAIL, CODINGROOT or ACTIVATION, or leave it out";
    /// A constant that loses bits in its place.
    CONSTANT_TRUNCATED = "W0301",
        "write a value that fits, or slice it where bits shall be lost";
    /// A function that may end without a value.
    MISSING_RETURN = "W0302",
        "end every path with `return`";
    /// A `case` or CASE that the value of its switch can never be equal to.
    DEAD_CASE = "W0303",
        "ask for a value that it can have, or leave this case out";
    /// A statement whose value nobody takes.
    DROPPED_VALUE = "W0304",
        "assign it to something, or leave the statement out";
    /// A condition that assigns.
    ASSIGNED_CONDITION = "W0305",
        "write `==` to compare, or put a second pair of parentheses around an assignment";
    /// An alias that no assembler text mentions.
    NOT_IN_ASSEMBLER = "W0401",
        "mention it in the ASSEMBLER section";
    /// A member that no word can reach.
    UNREACHABLE_MEMBER = "W0402",
        "leave the member out, or change what wins its words or keeps them away";
    /// Words that nothing matches.
    UNCOVERED = "W0403",
        "an operation with the coding `0bx[n]` takes what nothing else does";
    /// A member without a text, where a text is made of its members' texts.
    NO_TEXT = "W0404",
        "give it an ASSEMBLER section, `ASSEMBLER { \"\" };` where nothing is written";
    /// A literal that no program can write.
    UNWRITABLE_TEXT = "W0405",
        "write it otherwise; a program's line ends where a comment begins";
    /// Something scheduled past a stage, where instructions are held or flushed.
    LONG_ACTIVATION = "W0601",
        "let it pass through the stages between, each activating the next";
    /// A number of cycles that may be below 0: more is taken away from a latency than an access may cost.
    LATENCY_BELOW = "W0602",
        "let an access cost more, or ask for the latency first";
    /// A word that a register holds, decoded without AT where the PC has moved on.
    WORD_ADDRESS = "W0603",
        "keep the address beside the word, and say it by AT";
    /// A register that is read so many stages on that a later instruction has written it.
    LATE_READ = "W0604",
        "pass it on from stage to stage, or let it travel with the instruction by REFERENCE";
}

/// Errors that may follow from something that is missing. After an error of syntax they say
/// nothing: what is missing may be what did not parse.
pub(crate) const OF_WHAT_IS_MISSING: [Code; 21] = [
    UNDEFINED,
    NO_MAIN,
    UNKNOWN_OVERRIDE,
    NOT_A_PLACE,
    OUT_OF_BOUNDS,
    NO_VALUE,
    MEMBER_WIDTHS,
    NEVER_CODED,
    NO_CODING,
    CODING_WIDTH,
    WORD_WIDTH,
    SIZE_NOT_TOLD,
    FIELD_NOT_CODED,
    NO_PC,
    PSEUDO_RESULT,
    TAIL_FORM,
    BAD_OPTION,
    NOTHING_CHOSEN,
    NO_STAGES,
    RETRY_OUTSIDE,
    MISPLACED_IN,
];

/// Errors that leave a name without its meaning.
pub(crate) const OF_NAMES: [Code; 4] = [UNDEFINED, DOUBLE, WRONG_KIND, NO_STAGES];

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_code_stands_once() {
        let all = ALL.iter().map(|entry| entry.code.0);
        let mut sorted: Vec<&str> = all.clone().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), ALL.len(), "a code has two meanings: {:?}", all.collect::<Vec<_>>());
    }
}
