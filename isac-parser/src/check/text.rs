//! The assembler texts of a path, and what a word is written as.
//!
//! A path's text is that of its outermost operation, with the text of whatever an alias chose in
//! the alias's place. An alias beside the path is left as it is: its own choice tells its texts
//! apart.

mod computed;

use std::collections::BTreeMap;

use self::computed::{fields_of, write_computed};
use crate::cube::Cube;
use crate::model::{
    AssemblerItem, CodingBit, Expr, ExprKind, FieldId, Format, GroupId, InstanceId, Model, Operation,
    OperationId, OperationOrGroup, PathStep, TailItem,
};
use crate::resolve::typing::{extend, fold, fold_with};

/// Most texts of one path: operations with several ASSEMBLER sections multiply.
const MAX_TEXTS: usize = 64;
/// Aliases in aliases deeper than this are not written out.
const MAX_DEPTH: usize = 32;
/// Elements that a `#NAME` with an index is compared by.
const MAX_ELEMENTS: u128 = 256;

/// One item of a path's text.
#[derive(Debug, Clone)]
pub(super) enum Token<'a> {
    /// A literal.
    Text(&'a str),
    /// No space between the neighbours.
    Join,
    /// A field.
    Field {
        /// How it is written.
        format: &'a Format,
        /// Its operation and its own id.
        field: (OperationId, FieldId),
        /// Where each of its bits stands, the least significant first.
        bits: Vec<Place>,
        /// The same of each field that what is written is computed from.
        sources: Vec<(FieldId, Vec<Place>)>,
    },
    /// What an alias beside the path chose.
    Alias {
        /// What it chooses from.
        target: OperationOrGroup,
        /// Where the bits of its word stand, the least significant first.
        positions: Vec<u32>,
    },
}

/// A text of a path.
#[derive(Debug, Clone, Default)]
pub(super) struct PathText<'a> {
    /// Its items in order.
    pub(super) tokens: Vec<Token<'a>>,
    /// Which ASSEMBLER section of each operation on the path it is made of.
    pub(super) sections: Vec<(OperationId, usize)>,
}

/// Where a bit of a field stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the word.
    Word(u32),
    /// In a TAIL.
    Tail,
    /// Nowhere: it is 0.
    Nowhere,
}

/// What two tokens have to share to be written alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenKind {
    /// A literal in lower case.
    Text(String),
    /// No space.
    Join,
    /// A number in a format, or a distance from so many cells behind the instruction's address.
    Number(&'static str, Option<u128>),
    /// An element of a register file, by the value of the field where it is not the field itself.
    Element(u32, Vec<Option<u128>>),
    /// A list of elements of a register file.
    List(u32),
    /// What is computed from a field alone, in a format: how.
    Computed(Box<TokenKind>, String),
    /// What is computed from more than this field of an operation.
    OwnComputed((OperationId, FieldId)),
    /// What an alias chose.
    Alias(OperationOrGroup),
}

/// The texts of a path; bit i of the path's word stands at `here[i]`.
pub(super) fn path_texts<'a>(model: &'a Model, steps: &[PathStep], here: &[u32]) -> Vec<PathText<'a>> {
    let mut rest = steps;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let OperationOrGroup::Operation(id) = first.target else { continue };
        let followed = behind.iter().find_map(|step| step.instance);
        let inner = followed.map(|instance| {
            let positions = instance_positions(&model.operations[id.index()], instance, here);
            (instance, path_texts(model, behind, &positions))
        });
        return operation_texts(model, id, here, inner.as_ref());
    }
    Vec::new()
}

fn operation_texts<'a>(
    model: &'a Model,
    id: OperationId,
    here: &[u32],
    inner: Option<&(InstanceId, Vec<PathText<'a>>)>,
) -> Vec<PathText<'a>> {
    let operation = &model.operations[id.index()];
    let mut found = Vec::new();
    for (section, items) in operation.assembler.iter().enumerate() {
        let mut texts = vec![PathText { tokens: Vec::new(), sections: vec![(id, section)] }];
        for item in items {
            let token = match item {
                AssemblerItem::Text(text) => Token::Text(text),
                AssemblerItem::Join => Token::Join,
                AssemblerItem::Field { field, format } => {
                    let bits = field_places(operation, *field, here);
                    Token::Field {
                        format,
                        field: (id, *field),
                        bits,
                        sources: sources(operation, format, here),
                    }
                }
                AssemblerItem::Instance(instance) => match inner {
                    Some((followed, inner)) if followed == instance => {
                        texts = each_with_each(&texts, inner);
                        continue;
                    }
                    _ => Token::Alias {
                        target: operation.instances[instance.index()].target,
                        positions: instance_positions(operation, *instance, here),
                    },
                },
            };
            texts.iter_mut().for_each(|text| text.tokens.push(token.clone()));
        }
        found.append(&mut texts);
    }
    found.truncate(MAX_TEXTS);
    found
}

fn each_with_each<'a>(before: &[PathText<'a>], behind: &[PathText<'a>]) -> Vec<PathText<'a>> {
    let longer = before.iter().flat_map(|before| {
        behind.iter().map(move |behind| PathText {
            tokens: [before.tokens.as_slice(), &behind.tokens].concat(),
            sections: [before.sections.as_slice(), &behind.sections].concat(),
        })
    });
    longer.take(MAX_TEXTS).collect()
}

/// Where the fields stand that what a format writes is computed from.
fn sources(operation: &Operation, format: &Format, here: &[u32]) -> Vec<(FieldId, Vec<Place>)> {
    let Format::Computed { value, .. } = format else { return Vec::new() };
    let fields = fields_of(value).into_iter();
    fields.map(|field| (field, field_places(operation, field, here))).collect()
}

fn field_places(operation: &Operation, field: FieldId, here: &[u32]) -> Vec<Place> {
    let mut places = vec![Place::Nowhere; operation.fields[field.index()].width_bits as usize];
    let mut put = |bit: u32, place: Place| {
        if let Some(found) = places.get_mut(bit as usize) {
            *found = place;
        }
    };
    for (coded, at) in operation.coding.iter().flat_map(|bits| bits.iter().rev()).zip(here) {
        if let CodingBit::Field { field: found, bit, .. } = coded
            && *found == field
        {
            put(*bit, Place::Word(*at));
        }
    }
    for item in &operation.tail {
        let TailItem::Word { bits, .. } = item else { continue };
        for coded in bits {
            if let CodingBit::Field { field: found, bit, .. } = coded
                && *found == field
            {
                put(*bit, Place::Tail);
            }
        }
    }
    places
}

fn instance_positions(operation: &Operation, instance: InstanceId, here: &[u32]) -> Vec<u32> {
    let coding = operation.coding.iter().flat_map(|bits| bits.iter().rev()).zip(here);
    let own = coding.filter_map(|(coded, at)| match coded {
        CodingBit::Instance { instance: found, bit } if *found == instance => Some((*bit, *at)),
        _ => None,
    });
    let mut own: Vec<(u32, u32)> = own.collect();
    own.sort_unstable();
    own.into_iter().map(|(_, at)| at).collect()
}

impl Token<'_> {
    /// What the token shares with those that are written alike.
    pub(super) fn kind(&self, model: &Model) -> TokenKind {
        match self {
            Token::Text(text) => TokenKind::Text(text.to_ascii_lowercase()),
            Token::Join => TokenKind::Join,
            Token::Alias { target, .. } => TokenKind::Alias(*target),
            Token::Field { format, field, .. } => format_kind(model, format, *field),
        }
    }
}

/// What fields in a format share that are written alike.
fn format_kind(model: &Model, format: &Format, field: (OperationId, FieldId)) -> TokenKind {
    match format {
        Format::Plain => TokenKind::Number("", None),
        Format::Unsigned => TokenKind::Number("#U", None),
        Format::Signed => TokenKind::Number("#S", None),
        Format::Hexadecimal => TokenKind::Number("#X", None),
        Format::UnsignedHexadecimal => TokenKind::Number("#UX", None),
        Format::Absolute => TokenKind::Number("#ABS", None),
        Format::Relative { offset } => TokenKind::Number("#REL", offset.as_ref().map_or(Some(0), fold)),
        Format::List { register } => TokenKind::List(register.0),
        Format::Computed { format, value } => match computation(value, field.1) {
            Some(how) => TokenKind::Computed(Box::new(format_kind(model, format, field)), how),
            None => TokenKind::OwnComputed(field),
        },
        Format::Name { register, index: None } => TokenKind::Element(register.0, Vec::new()),
        Format::Name { register, index: Some(index) } => {
            let fields = &model.operations[field.0.index()].fields;
            let values = 1u128 << fields[field.1.index()].width_bits.min(64);
            let element = |value| element(index, field.1, value);
            let elements = (0..values.min(MAX_ELEMENTS)).map(element).collect();
            TokenKind::Element(register.0, elements)
        }
    }
}

/// How a value follows from a field and from where the instruction stands, with all types: the same for
/// expressions that are the same but for the field's name. `None` if it depends on anything else.
fn computation(value: &Expr, field: FieldId) -> Option<String> {
    let of = |inner: &Expr| computation(inner, field);
    let how = match &value.kind {
        ExprKind::Const(known) => known.to_string(),
        // A wider field without sign has the same values, and more.
        ExprKind::Field(id) if *id == field && !value.ty?.signed => return Some("field".to_owned()),
        ExprKind::Field(id) if *id == field => "field".to_owned(),
        ExprKind::InstructionAddress => "address".to_owned(),
        ExprKind::InstructionSize => "size".to_owned(),
        ExprKind::Convert(inner) => of(inner)?,
        ExprKind::Negate(inner) => format!("-{}", of(inner)?),
        ExprKind::BitNot(inner) => format!("~{}", of(inner)?),
        ExprKind::Not(inner) => format!("!{}", of(inner)?),
        ExprKind::Binary { operator, left, right } => format!("{} {operator:?} {}", of(left)?, of(right)?),
        ExprKind::LogicalAnd(left, right) => format!("{} and {}", of(left)?, of(right)?),
        ExprKind::LogicalOr(left, right) => format!("{} or {}", of(left)?, of(right)?),
        ExprKind::Conditional(condition, then, otherwise) => {
            format!("{} ? {} : {}", of(condition)?, of(then)?, of(otherwise)?)
        }
        ExprKind::Slice { base, high, low } => format!("{}[{high}..{low}]", of(base)?),
        ExprKind::Bit { base, index } => format!("{}[{}]", of(base)?, of(index)?),
        ExprKind::Concat(parts) => parts.iter().map(of).collect::<Option<Vec<_>>>()?.join(" :: "),
        _ => return None,
    };
    let ty = value.ty?;
    Some(format!("({how}){}{}", if ty.signed { 'i' } else { 'u' }, ty.width_bits))
}

/// The element that `#NAME(x, index)` names where the field has a value.
fn element(index: &Expr, field: FieldId, value: u128) -> Option<u128> {
    let found = fold_with(index, &|id| (id == field).then_some(value))?;
    Some(extend(found, index.ty?))
}

impl PathText<'_> {
    /// The text with the values of a word.
    ///
    /// Bits of a TAIL are 0. The spaces are those of the manual: one behind the mnemonic and behind
    /// commas, else where two words would become one.
    pub(super) fn write_word(&self, model: &Model, word: Cube) -> String {
        let mut pieces = Vec::new();
        write_tokens(model, &self.tokens, word, 0, &mut pieces);
        spaced(&pieces)
    }
}

/// A piece of text, or no space.
enum Piece {
    Text(String),
    Join,
}

fn write_tokens(model: &Model, tokens: &[Token<'_>], word: Cube, depth: usize, pieces: &mut Vec<Piece>) {
    for token in tokens {
        match token {
            Token::Text(text) => pieces.push(Piece::Text((*text).to_owned())),
            Token::Join => pieces.push(Piece::Join),
            Token::Field { format: Format::Computed { format, value }, field, sources, .. } => {
                let known = |id: FieldId| {
                    let source = sources.iter().find(|(source, _)| *source == id);
                    source.map(|(_, bits)| value_of(bits, word))
                };
                let text = write_computed(model, *field, (format, value), &known);
                pieces.push(Piece::Text(text));
            }
            Token::Field { format, field, bits, .. } => {
                pieces.push(Piece::Text(written(model, format, *field, bits, word)));
            }
            Token::Alias { target, positions } => {
                let chosen = chosen(model, *target, positions, word);
                let texts = chosen.map(|id| operation_texts(model, id, positions, None));
                match texts.and_then(|texts| texts.into_iter().next()) {
                    Some(text) if depth < MAX_DEPTH => {
                        write_tokens(model, &text.tokens, word, depth + 1, pieces);
                    }
                    // No member says how it is written: what it is one of.
                    _ => pieces.push(Piece::Text(name_of(model, *target).to_owned())),
                }
            }
        }
    }
}

fn name_of(model: &Model, target: OperationOrGroup) -> &str {
    match target {
        OperationOrGroup::Operation(id) => &model.operations[id.index()].name,
        OperationOrGroup::Group(id) => &model.groups[id.index()].name,
    }
}

/// The first operation of a target whose fixed bits the word has, most fixed bits first.
fn chosen(model: &Model, target: OperationOrGroup, here: &[u32], word: Cube) -> Option<OperationId> {
    Choosing { model, here, word, known: BTreeMap::new() }.chosen(target, 0)
}

/// What members of groups a word chooses; groups may be members of many.
struct Choosing<'a> {
    model: &'a Model,
    here: &'a [u32],
    word: Cube,
    known: BTreeMap<GroupId, Option<OperationId>>,
}

impl Choosing<'_> {
    fn chosen(&mut self, target: OperationOrGroup, depth: usize) -> Option<OperationId> {
        let (model, here, word) = (self.model, self.here, self.word);
        if depth > MAX_DEPTH {
            return None;
        }
        match target {
            OperationOrGroup::Operation(id) => {
                let fixed = fixed_bits(&model.operations[id.index()]).placed(here);
                word.is_within(fixed).then_some(id)
            }
            OperationOrGroup::Group(id) => {
                if let Some(known) = self.known.get(&id) {
                    return *known;
                }
                let members = model.groups[id.index()].members.iter();
                let found = members.filter_map(|member| self.chosen(*member, depth + 1));
                let count = |id: &OperationId| fixed_bits(&model.operations[id.index()]).fixed_bits();
                let found = found.reduce(|best, next| if count(&next) > count(&best) { next } else { best });
                self.known.insert(id, found);
                found
            }
        }
    }
}

fn fixed_bits(operation: &Operation) -> Cube {
    let coding = operation.coding.iter().flat_map(|bits| bits.iter().rev());
    (0u32..).zip(coding).fold(Cube::default(), |cube, (position, bit)| match bit {
        CodingBit::Fixed(set) | CodingBit::Field { fixed: Some(set), .. } => cube.with_bit(position, *set),
        _ => cube,
    })
}

/// The value of a field in a word, its bits in a TAIL 0.
fn value_of(bits: &[Place], word: Cube) -> u128 {
    let is_set = |place: &Place| matches!(place, Place::Word(at) if word.bit(*at) == Some(true));
    let shown = bits.iter().take(128).enumerate().filter(|(_, place)| is_set(place));
    shown.fold(0u128, |value, (bit, _)| value | 1 << bit)
}

/// A field's value as its format writes it.
fn written(
    model: &Model,
    format: &Format,
    field: (OperationId, FieldId),
    bits: &[Place],
    word: Cube,
) -> String {
    let value = value_of(bits, word);
    let width = bits.len().min(128) as u32;
    let signed = match width {
        0 => 0,
        width => ((value << (128 - width)) as i128) >> (128 - width),
    };
    match format {
        // What is computed is written by `write_computed`.
        Format::Plain | Format::Unsigned | Format::Computed { .. } => value.to_string(),
        Format::Signed | Format::Relative { .. } => signed.to_string(),
        Format::Hexadecimal | Format::UnsignedHexadecimal | Format::Absolute => format!("{value:#x}"),
        Format::List { register } => {
            let file = &model.registers[register.index()];
            let named = (0..128).zip(&file.element_names).filter(|(element, _)| value >> element & 1 == 1);
            let names: Vec<&str> = named.filter_map(|(_, names)| Some(names.first()?.as_str())).collect();
            names.join(", ")
        }
        Format::Name { register, index } => {
            let element = match index {
                None => Some(value),
                Some(index) => element(index, field.1, value),
            };
            let file = &model.registers[register.index()];
            let names = element.and_then(|element| file.element_names.get(usize::try_from(element).ok()?));
            names.and_then(|names| names.first()).unwrap_or(&file.name).clone()
        }
    }
}

/// True for a letter of a word: two words need a blank between them.
pub(super) fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn spaced(pieces: &[Piece]) -> String {
    let mut text = String::new();
    let (mut is_joined, mut is_mnemonic, mut count) = (true, true, 0);
    for piece in pieces {
        let Piece::Text(piece) = piece else {
            is_joined = true;
            continue;
        };
        let after_mnemonic = is_mnemonic && count > 0 && !is_joined;
        let between_words = text.ends_with(is_word) && piece.starts_with(is_word);
        if !is_joined && !text.is_empty() && (after_mnemonic || text.ends_with(',') || between_words) {
            text.push(' ');
        }
        is_mnemonic &= is_joined;
        text += piece;
        (is_joined, count) = (false, count + 1);
    }
    text
}
