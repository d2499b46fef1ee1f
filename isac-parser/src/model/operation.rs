//! Operations and groups, resolved.

use super::{Body, Expr, Local, MapId, RegisterId, StageId, TailItem, Type, When, id};
use crate::source::Span;

id!(
    /// Index into [`super::Model::operations`].
    OperationId
);
id!(
    /// Index into [`super::Model::groups`].
    GroupId
);
id!(
    /// Index into [`Operation::fields`].
    FieldId
);
id!(
    /// Index into [`Operation::instances`].
    InstanceId
);
id!(
    /// Index into [`Operation::variables`].
    VariableId
);
id!(
    /// Index into [`Operation::references`].
    ReferenceId
);

/// An operation or a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationOrGroup {
    /// One operation.
    Operation(OperationId),
    /// One of a group's members.
    Group(GroupId),
}

/// A group of operations and groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its members in order, none twice.
    pub members: Vec<OperationOrGroup>,
    /// Width of the members' CODING in bits; `None` if they have none or differ (the group of a
    /// CODINGROOT may).
    pub width_bits: Option<u32>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The stage that its own IN names, and where; without IN a decoded operation has that of the
    /// operation whose CODING or CODINGROOT contains it, every other has none.
    pub stage: Option<(StageId, Span)>,
    /// The fields of its CODING and TAIL, in the order of their first mention.
    pub fields: Vec<Field>,
    /// Its instances in the order of the INSTANCE sections; a target that CODINGROOT or ACTIVATION
    /// names directly is its own alias and stands at the end.
    pub instances: Vec<Instance>,
    /// The variables of its LOCAL sections, in order.
    pub variables: Vec<Local>,
    /// The names of its REFERENCE sections in order, then those that operations below it search
    /// for above it.
    pub references: Vec<Reference>,
    /// The bits of its CODING, most significant first; `None` without one.
    pub coding: Option<Vec<CodingBit>>,
    /// Where the CODING stands.
    pub coding_span: Option<Span>,
    /// The further condition on its coded bits.
    pub when: Option<When>,
    /// What follows the instruction's word because of this operation, in order.
    pub tail: Vec<TailItem>,
    /// Its assembler texts.
    pub assembler: Vec<Vec<AssemblerItem>>,
    /// Where each of them stands.
    pub assembler_spans: Vec<Span>,
    /// True if it has an EXPRESSION, be it one that was refused.
    pub is_operand: bool,
    /// What the operand means; such an operation is an operand.
    pub expression: Option<Expr>,
    /// Its BEHAVIOR.
    pub behavior: Option<Body>,
    /// What it activates, in order.
    pub activation: Vec<Activation>,
    /// What it decodes.
    pub coding_root: Vec<RootElement>,
}

/// A field of a CODING.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it is first mentioned.
    pub span: Span,
    /// Width in bits, counted from the highest bit that is coded down to bit 0.
    pub width_bits: u32,
    /// True for formats `#S` and `#REL`.
    pub signed: bool,
    /// The instance whose bits stand here once more, where the CODING names it as a whole again; WHEN
    /// says that they are the same.
    pub copy_of: Option<InstanceId>,
}

/// An instance of an operation or group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The alias.
    pub alias: String,
    /// Where the alias stands.
    pub span: Span,
    /// What it is an instance of.
    pub target: OperationOrGroup,
    /// How the operation uses it.
    pub role: InstanceRole,
    /// Width of its coded bits, if its target has a CODING.
    pub width_bits: Option<u32>,
    /// Type of its value: that of the EXPRESSION its members share (or C's conversion of theirs),
    /// else its coded bits; `None` without CODING.
    pub value_type: Option<Type>,
    /// True if every member has an EXPRESSION that is a place.
    pub is_place: bool,
}

/// A name that an operation takes from the one that decoded or activated it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// Where the REFERENCE names it; `None` if only operations below search for it.
    pub span: Option<Span>,
    /// Type of its value, one for all parents; `None` if nothing decodes or activates the operation.
    pub ty: Option<Type>,
    /// True if it can be assigned to in every parent.
    pub is_place: bool,
    /// What it is in each operation that may decode or activate this one.
    pub bindings: Vec<Binding>,
}

/// What a referenced name is in one parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// The operation that decodes or activates.
    pub parent: OperationId,
    /// What it has under the name.
    pub what: Referred,
}

/// Something of an operation that another refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referred {
    /// A field.
    Field(FieldId),
    /// An alias.
    Instance(InstanceId),
    /// A LOCAL.
    Variable(VariableId),
    /// What the parent takes from its own parents in turn.
    Reference(ReferenceId),
}

/// How an operation uses an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceRole {
    /// Part of its CODING, or decoded in its TAIL.
    Coded,
    /// Decoded by its CODINGROOT.
    Root,
    /// Decoded somewhere below, and taken from there by its ACTIVATION.
    Below,
    /// Activated only.
    Activated,
    /// Declared and not used.
    Unused,
}

/// One bit of a CODING.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodingBit {
    /// A fixed bit.
    Fixed(bool),
    /// A bit that may be either.
    Any,
    /// Bit `bit` of a field.
    Field {
        /// The field.
        field: FieldId,
        /// Bit of the field, 0 the least significant.
        bit: u32,
        /// Its value, where the field declares it.
        fixed: Option<bool>,
    },
    /// Bit `bit` of an instance's coded word.
    Instance {
        /// The instance.
        instance: InstanceId,
        /// Bit of its word, 0 the least significant.
        bit: u32,
    },
}

/// One item of an assembler text.
#[derive(Debug, Clone, PartialEq)]
pub enum AssemblerItem {
    /// Literal text.
    Text(String),
    /// No space between the neighbours.
    Join,
    /// An instance's own text.
    Instance(InstanceId),
    /// A field in a format.
    Field {
        /// The field.
        field: FieldId,
        /// Its format.
        format: Format,
    },
}

/// How a field is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Format {
    /// No format: as `#U`, either sign accepted.
    Plain,
    /// `#U`
    Unsigned,
    /// `#S`
    Signed,
    /// `#X`
    Hexadecimal,
    /// `#UX`
    UnsignedHexadecimal,
    /// `#NAME(file, index)`: the index in terms of the operation's fields; `None` is the field.
    Name {
        /// The register file.
        register: RegisterId,
        /// The element, a constant expression over fields.
        index: Option<Expr>,
    },
    /// `#ABS`
    Absolute,
    /// `#REL(n)`: distance from `instruction_address + n`.
    Relative {
        /// The n, a constant expression that may use `instruction_size`.
        offset: Option<Expr>,
    },
    /// `#LIST(file)`: the elements whose bits of the field are set, the lowest first.
    List {
        /// The register file.
        register: RegisterId,
    },
    /// `#U(value)`, `#S(value)`, `#X(value)`, `#ABS(value)`, `#REL(n, value)`: what is written is
    /// computed from fields.
    Computed {
        /// How the value is written.
        format: Box<Format>,
        /// The value, in terms of the operation's fields and of where the instruction stands.
        value: Box<Expr>,
    },
}

/// One entry of an ACTIVATION.
#[derive(Debug, Clone, PartialEq)]
pub enum Activation {
    /// Schedules an instance.
    Activate {
        /// The instance.
        instance: InstanceId,
        /// DELAY as written, in cycles; the distance in stages comes on top of it.
        delay_cycles: u32,
        /// Where it stands.
        span: Span,
    },
    /// On a run-time value.
    If {
        /// The condition, type as evaluated; not zero is true.
        condition: Expr,
        /// Scheduled if true.
        then: Vec<Activation>,
        /// Scheduled if false.
        otherwise: Vec<Activation>,
    },
    /// By a run-time value.
    Switch {
        /// The value, promoted.
        value: Expr,
        /// Patterns of its type, with what is scheduled.
        cases: Vec<(u128, Vec<Activation>)>,
        /// Scheduled if none is equal.
        default: Vec<Activation>,
    },
}

/// One element of a CODINGROOT.
#[derive(Debug, Clone, PartialEq)]
pub enum RootElement {
    /// Decodes one instance.
    Decode(RootDecode),
    /// Decodes by what its selector chose; the first case that fits, or none.
    Switch {
        /// What is decoded first.
        selector: RootDecode,
        /// The cases in order.
        cases: Vec<RootCase>,
    },
    /// On a condition over registers and what was decoded before.
    If {
        /// The condition, type as evaluated; not zero is true.
        condition: Expr,
        /// Decoded if true.
        then: Vec<RootElement>,
        /// Decoded if false.
        otherwise: Vec<RootElement>,
    },
}

/// `CASE member: { elements }`
#[derive(Debug, Clone, PartialEq)]
pub struct RootCase {
    /// An operation or group that the selector may choose.
    pub member: OperationOrGroup,
    /// Its name.
    pub name: String,
    /// What is decoded then.
    pub elements: Vec<RootElement>,
}

/// `alias (source)`
#[derive(Debug, Clone, PartialEq)]
pub struct RootDecode {
    /// What is decoded.
    pub instance: InstanceId,
    /// Where its word comes from.
    pub source: RootSource,
    /// Where it stands.
    pub span: Span,
}

/// Where the word of an element comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum RootSource {
    /// `map[address]`: it is fetched.
    Map {
        /// The map.
        map: MapId,
        /// The address, in cells.
        address: Expr,
    },
    /// A value holds it.
    Value {
        /// The word.
        value: Expr,
        /// After AT: the address of the instruction, in cells.
        address: Option<Expr>,
    },
}

impl RootSource {
    /// Its expressions.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            RootSource::Map { address, .. } => vec![address],
            RootSource::Value { value, address } => std::iter::once(value).chain(address).collect(),
        }
    }
}

/// The decoded words of a CODINGROOT, those of all cases and arms, in the order of the text.
pub fn root_decodes(elements: &[RootElement]) -> Vec<&RootDecode> {
    let mut found = Vec::new();
    collect_decodes(elements, &mut found);
    found
}

fn collect_decodes<'a>(elements: &'a [RootElement], found: &mut Vec<&'a RootDecode>) {
    for element in elements {
        match element {
            RootElement::Decode(decode) => found.push(decode),
            RootElement::Switch { selector, cases } => {
                found.push(selector);
                cases.iter().for_each(|case| collect_decodes(&case.elements, found));
            }
            RootElement::If { then, otherwise, .. } => {
                collect_decodes(then, found);
                collect_decodes(otherwise, found);
            }
        }
    }
}
