//! From what is written to words: one way of reading a line with the values of its operands.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use isac_ir::Model;
use isac_ir::bits::{Bits, mask, sign_extend};
use isac_ir::decode::{Decoded, Element, decode_word};
use isac_ir::operation::TailItem;
use isac_ir::syntax::encode::{coded_bits, encode, encode_word};
use isac_ir::syntax::evaluate::Surroundings;
use isac_ir::syntax::number::{equals, fit, range};
use isac_ir::syntax::solve::{fields_of, solve};
use isac_ir::syntax::{Computation, Entry, Format, TextItem, Tree};

use super::expression::{Environment, Expr, NoValue};
use super::matching::{Operand, OperandValue, Written};
use super::reach::{Reach, reach_of};

/// Fields of so many coded bits are searched for the one that names an element.
const MOST_SEARCHED_BITS: u32 = 16;

/// Most statements that are run to find the fields of one computed value.
const MOST_SOLVED_STATEMENTS: u32 = 4_000_000;

/// One way of reading a line.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// How its words are decoded.
    pub(super) entry: Entry,
    pub(super) written: Rc<Written>,
    /// How many cells it takes.
    pub(super) size_cells: u32,
    /// Its words, once they are found and neither an address nor a symbol without a value had a part in them.
    fixed: OnceCell<Words>,
}

/// The words of an instruction, each with its width.
pub(super) type Words = Rc<[(Bits, u32)]>;

/// Why a way of reading has no code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misfit {
    /// An expression has no value.
    NoValue { range: (u32, u32), why: NoValue },
    /// A value is outside of its field.
    Range { range: (u32, u32), field: String, value: i128, low: i128, high: i128, step: u128, distance: bool },
    /// A value needs bits that are not coded.
    Uncoded { range: (u32, u32), field: String, value: i128, multiple: Option<u128> },
    /// No fields make the computed value.
    Computed { range: (u32, u32), field: String, value: i128, reach: Option<Reach>, distance: bool },
    /// No field value names the element.
    Element { range: (u32, u32), field: String },
    /// What the text names twice is written as two things; the second stands there, if it is no name alone.
    Differs { range: Option<(u32, u32)>, name: String },
    /// The word is another instruction's, or none; `None` if no way was tried.
    Otherwise(Option<Box<Reread>>),
}

/// A word that is not decoded as what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reread {
    /// All words as one.
    pub(super) word: Bits,
    pub(super) width_bits: u32,
    /// What it is decoded as, if anything.
    pub(super) found: Option<Tree>,
    /// How many cells it has.
    pub(super) size_cells: u32,
    /// Where it stands, if that is known.
    pub(super) address: Option<u64>,
}

/// Where a line is assembled.
pub(super) struct Spot<'a> {
    /// Its address; `None` before there is one.
    pub(super) address: Option<u64>,
    pub(super) around: &'a dyn Environment,
    /// The finding will be told: it is found out how far computed values reach.
    pub(super) is_told: bool,
}

/// What a text computes from its fields at some place.
pub(super) struct Values<'a> {
    computation: &'a Computation,
    around: Surroundings<'a>,
}

impl Values<'_> {
    /// The value with some of these bits, as field and bit, set.
    pub(super) fn value(&self, bits: &[(u32, u32)], set: &[bool]) -> Option<i128> {
        let mut fields = self.around.fields.to_vec();
        for ((field, bit), set) in bits.iter().zip(set) {
            fields[*field as usize] |= u128::from(*set) << bit;
        }
        self.computation.value(&[], Surroundings { fields: &fields, ..self.around })
    }
}

impl Candidate {
    pub(super) fn new(model: &Model, entry: Entry, written: Rc<Written>) -> Candidate {
        let bits = width_of(model, &written);
        let size_cells = bits.div_ceil(entry.cell_bits.max(1));
        Candidate { entry, written, size_cells, fixed: OnceCell::new() }
    }

    /// The words of the instruction, each with its width.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn words(&self, model: &Model, spot: &Spot<'_>) -> Result<Words, Misfit> {
        if let Some(words) = self.fixed.get() {
            return Ok(Rc::clone(words));
        }
        let words = self.find_words(model, spot)?;
        if spot.address.is_none() {
            // Without an address nothing else has a value.
            return Ok(Rc::clone(self.fixed.get_or_init(|| words)));
        }
        Ok(words)
    }

    fn find_words(&self, model: &Model, spot: &Spot<'_>) -> Result<Words, Misfit> {
        let tree = self.tree(model, &self.written, spot)?;
        let words = encode(model, &tree);
        let width_bits = words.iter().map(|(_, width)| width).sum();
        let big = model.target.big_endian;
        let joined = join(&words, big);
        let element =
            Element { instance: 0, element: 0, decoder: self.entry.decoder, word: joined, width_bits };
        let decoded = decode_word(model, &element).map(|element| Decoded { nodes: element.nodes });
        let found = decoded.as_ref().and_then(|decoded| Tree::of(decoded, 0));
        match found {
            Some(found) if width_bits <= 256 && says(&self.written, &tree, &found) => Ok(words.into()),
            found => {
                let (word, size_cells, address) = (joined, self.size_cells, spot.address);
                Err(Misfit::Otherwise(Some(Box::new(Reread {
                    word,
                    width_bits,
                    found,
                    size_cells,
                    address,
                }))))
            }
        }
    }

    /// The expressions that stand at some bytes of the text.
    pub(super) fn expressions(&self, range: (u32, u32)) -> Vec<Expr> {
        let mut found = Vec::new();
        let mut waiting = vec![&self.written];
        while let Some(written) = waiting.pop() {
            for (_, operand) in &written.fields {
                if let OperandValue::Expr(expr) = &operand.value
                    && operand.range == range
                {
                    found.push((**expr).clone());
                }
            }
            waiting.extend(written.children.iter().map(|(_, child)| child));
        }
        found
    }

    fn tree(&self, model: &Model, written: &Written, spot: &Spot<'_>) -> Result<Tree, Misfit> {
        let id = written.variant.operation;
        let operation = model.operation(id);
        let mut fields = vec![0; operation.fields.len()];
        let text = &operation.texts[written.variant.text as usize];
        // Elements that are computed may ask for the other fields.
        let mentions = || mentions(text, &written.fields);
        // Fields that stand there as they are, and those that are computed.
        let (mut told, mut solved): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let differs = |field: u32, operand: &Operand| {
            let name = operation.fields[field as usize].name.clone();
            Misfit::Differs { range: Some(operand.range), name }
        };
        for computed in [false, true] {
            for (field, format, operand) in mentions() {
                let is_computed = matches!(format, Format::Name { element: Some(_), .. });
                if is_computed == computed && !matches!(format, Format::Computed { .. }) {
                    let value = self.field(model, id, (field, format), operand, &fields, spot)?;
                    if told.contains(&field) && fields[field as usize] != value {
                        return Err(differs(field, operand));
                    }
                    told.push(field);
                    fields[field as usize] = value;
                }
            }
        }
        // What is computed is solved for the fields that nothing else has told.
        for (field, format, operand) in mentions() {
            if let Format::Computed { format, value } = format {
                let OperandValue::Expr(expr) = &operand.value else { continue };
                let wanted = self.wanted(model, (expr, format), operand, &fields, spot)?;
                let unknown = Misfit::NoValue { range: operand.range, why: NoValue::Unknown };
                let around = Surroundings {
                    fields: &[],
                    instruction_address: spot.address.ok_or(unknown)?,
                    instruction_size: self.size_cells,
                };
                let budget = Cell::new(MOST_SOLVED_STATEMENTS);
                let of =
                    |fields: &[u128]| value.value_within(&[], Surroundings { fields, ..around }, &budget);
                let equal = equals(wanted, model.address_bits());
                if solved.contains(&field) {
                    match of(&fields).is_some_and(|value| equal.contains(&value)) {
                        true => continue,
                        false => return Err(differs(field, operand)),
                    }
                }
                solved.push(field);
                let bits = unknown_bits(model, id, text, field);
                let before = fields[field as usize];
                let found = equal.into_iter().find_map(|wanted| solve(&fields, &bits, wanted, of));
                fields = found.ok_or_else(|| {
                    let values =
                        Values { computation: value, around: Surroundings { fields: &fields, ..around } };
                    Misfit::Computed {
                        range: operand.range,
                        field: operation.fields[field as usize].name.clone(),
                        value: wanted,
                        reach: if spot.is_told { reach_of(&values, &bits) } else { None },
                        distance: matches!(**format, Format::Relative { .. }),
                    }
                })?;
                if told.contains(&field) && fields[field as usize] != before {
                    return Err(differs(field, operand));
                }
            }
        }
        let mut children: Vec<(u32, Tree)> = Vec::with_capacity(written.children.len());
        for (instance, child) in &written.children {
            let tree = self.tree(model, child, spot)?;
            match children.iter().find(|(found, _)| found == instance) {
                None => children.push((*instance, tree)),
                Some((_, first)) if *first == tree => {}
                Some(_) => {
                    let name = operation.instances[*instance as usize].alias.clone();
                    let range = child.fields.first().map(|(_, operand)| operand.range);
                    return Err(Misfit::Differs { range, name });
                }
            }
        }
        for (index, field) in operation.fields.iter().enumerate() {
            let child = |instance| children.iter().find(|(found, _)| *found == instance);
            if let Some((_, child)) = field.copy_of.and_then(child) {
                fields[index] = encode_word(model, child).0.to_u128();
            }
        }
        Ok(Tree { operation: id, fields, children })
    }

    fn field(
        &self,
        model: &Model,
        operation: u32,
        (field, format): (u32, &Format),
        operand: &Operand,
        fields: &[u128],
        spot: &Spot<'_>,
    ) -> Result<u128, Misfit> {
        let around = Surroundings {
            fields,
            instruction_address: spot.address.unwrap_or(0),
            instruction_size: self.size_cells,
        };
        let value: i128 = match (&operand.value, format) {
            (OperandValue::Element(element), Format::Name { element: Some(computation), .. }) => {
                let coded = coded_bits(model, operation, field);
                let budget = Cell::new(MOST_SOLVED_STATEMENTS);
                let found = search(coded, |value| {
                    let mut tried = fields.to_vec();
                    tried[field as usize] = value;
                    computation.value_within(&[], Surroundings { fields: &tried, ..around }, &budget)
                        == i128::try_from(*element).ok()
                });
                let name = || model.operation(operation).fields[field as usize].name.clone();
                return found.ok_or_else(|| Misfit::Element { range: operand.range, field: name() });
            }
            (OperandValue::Element(element), _) => *element as i128,
            (OperandValue::Expr(expr), format) => {
                self.wanted(model, (expr, format), operand, fields, spot)?
            }
        };
        check(model, operation, (field, format), operand.range, value)
    }

    /// The number that an expression stands for: itself, or the distance to it.
    fn wanted(
        &self,
        model: &Model,
        (expr, format): (&Expr, &Format),
        operand: &Operand,
        fields: &[u128],
        spot: &Spot<'_>,
    ) -> Result<i128, Misfit> {
        let number = self.number(expr, operand, spot)?;
        let Format::Relative { offset } = format else { return Ok(number) };
        let around = Surroundings {
            fields,
            instruction_address: spot.address.unwrap_or(0),
            instruction_size: self.size_cells,
        };
        let offset = offset.as_ref().and_then(|offset| offset.value(&[], around)).unwrap_or(0);
        let unknown = Misfit::NoValue { range: operand.range, why: NoValue::Unknown };
        let begin = i128::from(spot.address.ok_or(unknown)?).wrapping_add(offset);
        let bits = model.address_bits();
        let distance = number.wrapping_sub(begin) as u128 & mask(bits);
        Ok(sign_extend(distance, bits, 128) as i128)
    }

    fn number(&self, expr: &Expr, operand: &Operand, spot: &Spot<'_>) -> Result<i128, Misfit> {
        expr.value(spot.around).map_err(|why| Misfit::NoValue { range: operand.range, why })
    }
}

/// Why what was read for a PSEUDO's operand has no coded bits, whatever the labels will be.
///
/// It has neither an address nor a size before it stands in an instruction: what asks for them is
/// judged there, and so are WHENs.
pub(super) fn misfit_of_operand(
    model: &Model,
    written: &Rc<Written>,
    around: &dyn Environment,
) -> Option<Misfit> {
    let entry = Entry { decoder: 0, cell_bits: 1 };
    let candidate = Candidate { entry, written: Rc::clone(written), size_cells: 0, fixed: OnceCell::new() };
    let tree = candidate.tree(model, written, &Spot { address: None, around, is_told: false });
    let is_open = |misfit: &Misfit| {
        is_unknown(misfit) || matches!(misfit, Misfit::Element { .. }) && asks_for_size(model, written)
    };
    tree.err().filter(|misfit| !is_open(misfit))
}

/// The bits that a computed value is solved for, as field and bit, the least significant first: those
/// of its own field and of the fields in it that no other item of the text is about.
fn unknown_bits(model: &Model, operation: u32, text: &[TextItem], own: u32) -> Vec<(u32, u32)> {
    let others = |id: u32| {
        text.iter().any(|item| matches!(item, TextItem::Field { field, .. } if *field == id && id != own))
    };
    let mut unknown = fields_of(format_of(text, own));
    unknown.insert(own);
    unknown.retain(|field| !others(*field));
    let coded = |field: u32| {
        let bits = coded_bits(model, operation, field);
        (0..128).filter(move |bit| bits.bit(*bit)).map(move |bit| (field, bit))
    };
    unknown.into_iter().flat_map(coded).collect()
}

/// The bits of a field for a value.
fn check(
    model: &Model,
    operation: u32,
    (field, format): (u32, &Format),
    place: (u32, u32),
    value: i128,
) -> Result<u128, Misfit> {
    let declared = &model.operation(operation).fields[field as usize];
    let (low, high) = range(format, declared.width_bits);
    let name = || declared.name.clone();
    let distance = matches!(format, Format::Relative { .. });
    let coded = coded_bits(model, operation, field).to_u128();
    let lowest = coded.trailing_zeros().min(126);
    let is_rest_coded = coded == mask(declared.width_bits) & !mask(lowest);
    let step = if is_rest_coded { 1u128 << lowest } else { 1 };
    let Some(fitting) = fit(value, (low, high), model.address_bits()) else {
        return Err(match format {
            Format::Name { .. } | Format::List { .. } => Misfit::Element { range: place, field: name() },
            _ => {
                let high = high - high.rem_euclid(step as i128);
                Misfit::Range { range: place, field: name(), value, low, high, step, distance }
            }
        });
    };
    let pattern = fitting as u128 & mask(declared.width_bits);
    if pattern & !coded != 0 {
        if let Format::Name { .. } | Format::List { .. } = format {
            return Err(Misfit::Element { range: place, field: name() });
        }
        let multiple = (step > 1).then_some(step);
        return Err(Misfit::Uncoded { range: place, field: name(), value, multiple });
    }
    Ok(pattern)
}

/// The lowest value made of these bits that fits.
fn search(coded: Bits, fits: impl Fn(u128) -> bool) -> Option<u128> {
    let bits: Vec<u32> = (0..128).filter(|bit| coded.bit(*bit)).collect();
    if bits.len() as u32 > MOST_SEARCHED_BITS {
        return None;
    }
    let spread = |number: u32| {
        (0..).zip(&bits).fold(0u128, |value, (index, bit)| value | u128::from(number >> index & 1) << bit)
    };
    (0..1u32 << bits.len()).map(spread).find(|value| fits(*value))
}

/// True if it depends on the instruction's size which element is named somewhere.
fn asks_for_size(model: &Model, written: &Written) -> bool {
    let text = &model.operation(written.variant.operation).texts[written.variant.text as usize];
    let asks = |format: &Format| match format {
        Format::Name { element: Some(computation), .. } => computation.asks_for_size(),
        _ => false,
    };
    mentions(text, &written.fields).any(|(_, format, _)| asks(format))
        || written.children.iter().any(|(_, child)| asks_for_size(model, child))
}

/// True if a word's tree is the one that was written, in all that the texts mention.
fn says(written: &Written, tree: &Tree, found: &Tree) -> bool {
    tree.operation == found.operation
        && written
            .fields
            .iter()
            .all(|(field, _)| tree.fields.get(*field as usize) == found.fields.get(*field as usize))
        && written.children.iter().all(|(instance, child)| {
            match (tree.child(*instance), found.child(*instance)) {
                (Some(tree), Some(found)) => says(child, tree, found),
                _ => false,
            }
        })
}

/// The fields that stand in a text, each with the format and the operand of that place.
fn mentions<'a>(
    text: &'a [TextItem],
    written: &'a [(u32, Operand)],
) -> impl Iterator<Item = (u32, &'a Format, &'a Operand)> {
    let items = text.iter().filter_map(|item| match item {
        TextItem::Field { field, format } => Some((*field, format)),
        _ => None,
    });
    // They were read in the order of the text.
    items.zip(written).map(|((field, format), (_, operand))| (field, format, operand))
}

fn format_of(text: &[TextItem], id: u32) -> &Format {
    let found = text.iter().find_map(|item| match item {
        TextItem::Field { field, format } if *field == id => Some(format),
        _ => None,
    });
    found.unwrap_or(&Format::Plain)
}

/// All words as one, joined in the target's byte order.
fn join(words: &[(Bits, u32)], big_endian: bool) -> Bits {
    let mut joined = Bits::ZERO;
    let mut done = 0;
    for (word, width) in words {
        joined = if big_endian { joined.shifted(*width) | *word } else { joined | word.shifted(done) };
        done += width;
    }
    joined
}

/// How many bits an instruction and its tails have.
fn width_of(model: &Model, written: &Written) -> u32 {
    let coding = model.operation(written.variant.operation).coding.as_ref();
    coding.map_or(0, |coding| coding.width_bits) + tail_width(model, written)
}

fn tail_width(model: &Model, written: &Written) -> u32 {
    let child = |id: &u32| written.children.iter().find(|(instance, _)| instance == id);
    let items = &model.operation(written.variant.operation).tail;
    let width = |item: &TailItem| match item {
        TailItem::Word { width_bits, .. } => *width_bits,
        TailItem::Instance(instance) => child(instance).map_or(0, |(_, child)| tail_width(model, child)),
        TailItem::Decode { instance, .. } => child(instance).map_or(0, |(_, child)| width_of(model, child)),
    };
    items.iter().map(width).sum()
}

/// True if a way of reading may still have code when all values are known.
pub(super) fn is_unknown(misfit: &Misfit) -> bool {
    matches!(misfit, Misfit::NoValue { why: NoValue::Unknown, .. })
}
