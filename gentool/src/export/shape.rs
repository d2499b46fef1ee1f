//! What an exported model is made of: each kind of thing with its members.

/// The number that changes when a member goes or means something else. New members do not change
/// it.
pub const VERSION: u32 = 1;

/// A kind of thing.
#[derive(Debug)]
pub struct Shape {
    /// Its name in the schemas.
    pub name: &'static str,
    /// What it is.
    pub says: &'static str,
    /// Its members, in the order in which they are written as XML.
    pub members: &'static [Member],
}

/// A member of a thing.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// True if it may be missing.
    pub optional: bool,
    /// What it is.
    pub says: &'static str,
}

/// What a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A whole number from 0 to 2^64 - 1.
    Number,
    /// A number of up to 128 bits, as `0x1f`.
    Hexadecimal,
    /// Yes or no.
    Flag,
    /// A thing.
    One(&'static str),
    /// A list of things, in XML elements of the second name.
    Many(&'static str, &'static str),
}

use Kind::{Flag, Hexadecimal, Many, Number, One, Text, Word};

const fn member(name: &'static str, kind: Kind, says: &'static str) -> Member {
    Member { name, kind, optional: false, says }
}

const fn optional(name: &'static str, kind: Kind, says: &'static str) -> Member {
    Member { name, kind, optional: true, says }
}

const CHOSEN: Kind = Word(&["operation", "group"]);

/// The shape of the whole.
pub const MODEL: &str = "model";

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: MODEL,
        says: "A resolved processor description: every name is defined, every width known.",
        members: &[
            member("format", Word(&["isac-model"]), "What this is."),
            member(
                "version",
                Number,
                "The version of the format; readers ignore members that they do not know.",
            ),
            member("name", Text, "The description's file without folder and ending."),
            member("accuracy", Word(&["instruction", "cycle"]), "Whether all delays are 0."),
            member("main", Text, "The operation that begins each cycle."),
            optional("reset", Text, "The operation that runs before the first cycle."),
            member("target", One("target"), "What the processor runs on."),
            member("pc", One("place"), "The program counter."),
            member(
                "registers",
                Many("register", "register"),
                "Registers and register files, in the order of the text.",
            ),
            member("aliases", Many("place", "alias"), "Other names for bits of registers."),
            member("memories", Many("memory", "memory"), "Memories."),
            member("caches", Many("cache", "cache"), "Caches."),
            member("devices", Many("device", "device"), "Devices."),
            member("maps", Many("map", "map"), "Memory maps."),
            member("pipelines", Many("pipeline", "pipeline"), "Pipelines."),
            member("functions", Many("function", "function"), "FUNCTIONs, without their bodies."),
            member("groups", Many("group", "group"), "Groups."),
            member("operations", Many("operation", "operation"), "Operations."),
            member(
                "decodings",
                Many("decoding", "decoding"),
                "How words are told apart, one for each choice.",
            ),
            member(
                "time",
                Many("node", "node"),
                "The time graph: who brings about whom, and when. Node 0 is main.",
            ),
        ],
    },
    Shape {
        name: "target",
        says: "The TARGET section, with its defaults.",
        members: &[
            member("endian", Word(&["little", "big"]), "Which cell of a word comes first."),
            optional("elf_machine", Number, "The e_machine of programs."),
            optional("elf_class", Number, "32 or 64."),
            member(
                "elf_address",
                Word(&["virtual", "physical"]),
                "Which address of a segment it is loaded at.",
            ),
            optional("host", Text, "The map that loader and host calls use."),
            optional("stack_value", Hexadecimal, "The first value of the stack pointer."),
            optional("comment", Text, "What begins a comment in assembler text."),
            optional("hex", Text, "The prefix of hexadecimal numbers in assembler text."),
            optional("binary", Text, "The prefix of binary numbers in assembler text."),
            optional("stack", One("place"), "The stack pointer."),
            member("loads", Many("load", "load"), "Which bytes of a program go to which map."),
        ],
    },
    Shape {
        name: "load",
        says: "Bytes of a program that go to a map, from its byte 0 on.",
        members: &[
            member("first", Number, "The first byte's address."),
            member("last", Number, "The last byte's."),
            member("map", Text, "The map."),
        ],
    },
    Shape {
        name: "place",
        says: "Bits of registers under one name.",
        members: &[
            member("name", Text, "The name."),
            member("width", Number, "Bits."),
            member("parts", Many("part", "part"), "Its parts, the most significant first."),
        ],
    },
    Shape {
        name: "part",
        says: "Bits of an element of a register.",
        members: &[
            member("register", Text, "The register."),
            member("element", Number, "The element; 0 of a single register."),
            member("low", Number, "The least significant bit."),
            member("width", Number, "Bits."),
        ],
    },
    Shape {
        name: "register",
        says: "A register or a file of registers.",
        members: &[
            member("name", Text, "The name."),
            member("width", Number, "Bits of an element."),
            optional("count", Number, "Elements of a file; missing of a single register."),
            member("reset", Hexadecimal, "The value of each element after reset."),
            member("resets", Many("element_value", "reset"), "Elements with another value after reset."),
            member("hardwired", Many("element_value", "element"), "Elements that always read one value."),
            member(
                "names",
                Many("element_name", "element"),
                "Names of a file's elements; of synonyms the first is printed.",
            ),
        ],
    },
    Shape {
        name: "element_value",
        says: "A value of an element.",
        members: &[member("element", Number, "The element."), member("value", Hexadecimal, "The value.")],
    },
    Shape {
        name: "element_name",
        says: "A name of an element.",
        members: &[member("element", Number, "The element."), member("name", Text, "The name.")],
    },
    Shape {
        name: "memory",
        says: "A RAM.",
        members: &[
            member("name", Text, "The name."),
            member("cell_width", Number, "Bits of a cell."),
            member("cells", Number, "Number of cells."),
            member("readable", Flag, "Flag R."),
            member("writable", Flag, "Flag W."),
            member("executable", Flag, "Flag X."),
            member("latency", Number, "Cycles of an access."),
            optional("fill", Hexadecimal, "What every cell is at the start, if not 0."),
        ],
    },
    Shape {
        name: "cache",
        says: "A cache.",
        members: &[
            member("name", Text, "The name."),
            member("cells", Number, "Cells in all."),
            member("line", Number, "Cells of a line."),
            member("ways", Number, "Lines of a set."),
            member("replacement", Word(&["lru", "fifo", "random"]), "Which line of a set goes."),
            member("write", Word(&["back", "through"]), "What becomes of a line that is written."),
            member("hit", Number, "Cycles of each line touched."),
            member("miss", Number, "Further cycles of a line that was absent."),
            member("over", Text, "The memory behind it."),
        ],
    },
    Shape {
        name: "device",
        says: "A device.",
        members: &[
            member("name", Text, "The name."),
            member("kind", Word(&["console", "timer", "exit"]), "What it does."),
        ],
    },
    Shape {
        name: "map",
        says: "A memory map.",
        members: &[
            member("name", Text, "The name."),
            member("address_width", Number, "Bits of an address, which counts cells."),
            member("cell_width", Number, "Bits of a cell."),
            member("ranges", Many("range", "range"), "Its ranges by ascending address."),
        ],
    },
    Shape {
        name: "range",
        says: "A range of a map.",
        members: &[
            member("first", Number, "The first address."),
            member("last", Number, "The last address."),
            member(
                "kind",
                Word(&["memory", "cache", "device", "register", "functions"]),
                "What is behind it.",
            ),
            optional("target", Text, "Its name."),
            optional("read", Text, "The FUNCTION that reads a cell."),
            optional("write", Text, "The FUNCTION that writes a cell."),
            member("low_bit", Number, "Where the map's cell begins in a cell of the target."),
        ],
    },
    Shape {
        name: "pipeline",
        says: "A pipeline.",
        members: &[
            member("name", Text, "The name."),
            member("stages", Many("stage", "stage"), "Its stages, first to last."),
        ],
    },
    Shape {
        name: "stage",
        says: "A stage of a pipeline.",
        members: &[
            member("name", Text, "The name."),
            member("registers", Many("name", "register"), "The registers that are set in it."),
        ],
    },
    Shape { name: "name", says: "A name.", members: &[member("name", Text, "The name.")] },
    Shape {
        name: "function",
        says: "A FUNCTION.",
        members: &[
            member("name", Text, "The name."),
            optional("result", Text, "The type of its result."),
            member("parameters", Many("local", "parameter"), "Its parameters."),
        ],
    },
    Shape {
        name: "local",
        says: "A variable.",
        members: &[
            member("name", Text, "The name."),
            member("type", Text, "Its type, as `bit[8]` or `signed bit[8]`."),
        ],
    },
    Shape {
        name: "group",
        says: "A group.",
        members: &[
            member("name", Text, "The name."),
            optional("width", Number, "Bits of its members' CODING, if they have one width."),
            member("members", Many("member", "member"), "Its members in order."),
        ],
    },
    Shape {
        name: "member",
        says: "A member of a group.",
        members: &[member("name", Text, "The name."), member("kind", CHOSEN, "What it is.")],
    },
    Shape {
        name: "operation",
        says: "An operation.",
        members: &[
            member("name", Text, "The name."),
            member("file", Text, "The name of the file of its definition."),
            member("line", Number, "The line, from 1."),
            optional("stage", Text, "The stage of its own IN, as `pipe.EX`."),
            optional("width", Number, "Bits of its CODING."),
            member("expression", Flag, "True of an operand."),
            member("behavior", Flag, "True if it has a BEHAVIOR."),
            member("fields", Many("field", "field"), "Fields of CODING and TAIL."),
            member("instances", Many("instance", "instance"), "Its aliases."),
            member("references", Many("name", "reference"), "Names that it takes from what is above it."),
            member("locals", Many("local", "local"), "Its LOCALs."),
            member("coding", Many("bits", "bits"), "Its CODING, the most significant bits first."),
            optional("when", One("condition"), "The further condition on its coded bits."),
            member("tail", Many("tail", "item"), "What follows its word."),
            member(
                "texts",
                Many("text", "text"),
                "Its assembler texts; the first that assembles back is printed.",
            ),
            member("activation", Many("activation", "step"), "What it activates, in order."),
            member("root", Many("element", "element"), "What its CODINGROOT decodes, in order."),
        ],
    },
    Shape {
        name: "field",
        says: "A field of a CODING.",
        members: &[
            member("name", Text, "The name."),
            member("width", Number, "Bits, from its highest named one down to 0."),
            member("signed", Flag, "True of the formats #S and #REL."),
        ],
    },
    Shape {
        name: "instance",
        says: "An instance of an operation or group.",
        members: &[
            member("alias", Text, "The alias."),
            member("target", Text, "What it is an instance of."),
            member("kind", CHOSEN, "What that is."),
            member("role", Word(&["coded", "root", "below", "activated", "unused"]), "How it comes about."),
            optional("width", Number, "Bits of its word."),
        ],
    },
    Shape {
        name: "bits",
        says: "Bits of a word, or of a comparison.",
        members: &[
            member("kind", Word(&["fixed", "any", "field", "alias"]), "What they are."),
            member("width", Number, "How many."),
            optional("digits", Text, "The values of fixed bits, also where they belong to a field."),
            optional("name", Text, "The field or alias."),
            optional("low", Number, "The least significant bit of the field or alias."),
        ],
    },
    Shape {
        name: "condition",
        says: "A condition on coded bits.",
        members: &[
            member("kind", Word(&["and", "or", "not", "compare", "constant"]), "What it is."),
            optional("relation", Word(&["==", "!=", "<", "<=", ">", ">="]), "Of a comparison."),
            optional("signed", Flag, "Of a comparison: true if both sides are two's complement."),
            optional("value", Flag, "Of a constant."),
            optional("left", Many("bits", "bits"), "The left side of a comparison."),
            optional("right", Many("bits", "bits"), "The right side of a comparison."),
            optional("parts", Many("condition", "condition"), "What and, or and not are made of."),
        ],
    },
    Shape {
        name: "tail",
        says: "A word that follows an instruction's own.",
        members: &[
            member(
                "kind",
                Word(&["word", "tail", "decoded"]),
                "Bits, the tail of an alias of the CODING, or an alias that is decoded here.",
            ),
            optional("alias", Text, "The alias."),
            optional("bits", Many("bits", "bits"), "The word."),
        ],
    },
    Shape {
        name: "text",
        says: "An assembler text.",
        members: &[member("items", Many("item", "item"), "Its items in order.")],
    },
    Shape {
        name: "item",
        says: "An item of an assembler text.",
        members: &[
            member("kind", Word(&["literal", "join", "alias", "field"]), "What it is; join allows no space."),
            optional("text", Text, "Of a literal."),
            optional("name", Text, "The alias or field."),
            optional(
                "format",
                Word(&["", "#U", "#S", "#X", "#UX", "#NAME", "#LIST", "#ABS", "#REL"]),
                "Of a field.",
            ),
            optional("register", Text, "The register file that #NAME names elements of."),
            optional(
                "computed",
                Flag,
                "True if the element or the distance is computed from the field by an argument of the format.",
            ),
        ],
    },
    Shape {
        name: "activation",
        says: "A step of an ACTIVATION.",
        members: &[
            member("kind", Word(&["activate", "if", "switch"]), "What it is; conditions are C and left out."),
            optional("alias", Text, "What is activated."),
            optional("delay", Number, "DELAY in cycles, without the distance in stages."),
            optional("then", Many("activation", "step"), "If the condition is true."),
            optional("otherwise", Many("activation", "step"), "If it is not, or no case fits."),
            optional("cases", Many("case", "case"), "By the value of a switch."),
        ],
    },
    Shape {
        name: "case",
        says: "A case of a value.",
        members: &[
            member("value", Hexadecimal, "The value's bits."),
            member("steps", Many("activation", "step"), "What is activated then."),
        ],
    },
    Shape {
        name: "element",
        says: "An element of a CODINGROOT.",
        members: &[
            member("kind", Word(&["decode", "switch", "if"]), "What it is."),
            optional("alias", Text, "What is decoded; of a switch its selector."),
            optional("map", Text, "The map that the word is fetched from; missing if a value holds it."),
            optional("cases", Many("root_case", "case"), "By what the selector chose."),
            optional("then", Many("element", "element"), "If the condition is true."),
            optional("otherwise", Many("element", "element"), "If it is not."),
        ],
    },
    Shape {
        name: "root_case",
        says: "A case of a member.",
        members: &[
            member("member", Text, "The operation or group."),
            member("elements", Many("element", "element"), "What is decoded then."),
        ],
    },
    Shape {
        name: "decoding",
        says: "How the words of one choice are told apart.",
        members: &[
            member("target", Text, "What is chosen from."),
            member("kind", CHOSEN, "What that is."),
            member("width", Number, "Bits of the widest word."),
            member("exact", Flag, "False if patterns have words, too, that an alias or a WHEN turns down."),
            member("paths", Many("path", "path"), "The ways to choose, in the order of the text."),
            member(
                "entries",
                Many("entry", "entry"),
                "Of the entries that have a word, the first one's path wins it.",
            ),
        ],
    },
    Shape {
        name: "path",
        says: "A way to choose, down to operands.",
        members: &[
            member("width", Number, "Bits of its word."),
            member(
                "operations",
                Many("name", "operation"),
                "The operations on the way, the outermost first.",
            ),
        ],
    },
    Shape {
        name: "entry",
        says: "Words of a path.",
        members: &[
            member("path", Number, "The path, counted from 0."),
            member("patterns", Many("pattern", "pattern"), "The words: all that match one of these."),
        ],
    },
    Shape {
        name: "pattern",
        says: "A pattern of a word.",
        members: &[member("bits", Text, "0, 1 and x, the most significant bit first.")],
    },
    Shape {
        name: "node",
        says: "An instance of an operation or group in the time graph.",
        members: &[
            member("number", Number, "Its number."),
            member("name", Text, "Its alias."),
            member("target", Text, "The operation or group."),
            member(
                "kind",
                Word(&["operation", "group", "part"]),
                "What that is; a part of a CODINGROOT's SWITCH has a name of its own.",
            ),
            member("cause", Word(&["start", "decoded", "bound", "activated"]), "How it comes to run."),
            optional("parent", Number, "The node that first brings it about."),
            optional("delay", Number, "The total delay in cycles."),
            optional("written_delay", Number, "DELAY alone."),
            optional("conditional", Flag, "True if it depends on a condition."),
            optional("stage", Text, "The stage that it is bound to."),
            member("children", Many("child", "child"), "What it brings about."),
        ],
    },
    Shape {
        name: "child",
        says: "A node that another brings about.",
        members: &[member("node", Number, "Its number.")],
    },
];

/// The shape of a name.
///
/// # Panics
/// If there is none.
pub fn shape(name: &str) -> &'static Shape {
    SHAPES.iter().find(|shape| shape.name == name).unwrap_or_else(|| panic!("there is no shape `{name}`"))
}
