//! What a CODINGROOT decodes has a CODING, as wide as a whole number of cells.

use std::collections::{BTreeMap, BTreeSet};

use super::member::operations_of;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    Expr, InstanceRole, Model, Operation, OperationId, OperationOrGroup, RootDecode, RootElement, RootSource,
    TailItem, root_decodes,
};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::source::Span;

/// Most bytes that the words of one instruction may have together.
const MAX_BYTES: usize = 32;

/// Checks the words of all CODINGROOTs; the targets whose words cannot be laid over each other,
/// since the width of one is wrong.
pub(super) fn check_word_widths(model: &Model, diagnostics: &mut Diagnostics) -> BTreeSet<OperationOrGroup> {
    let mut misfits = BTreeSet::new();
    let mut longest = Longest { model, bytes: BTreeMap::new() };
    // What is decoded from one map in several places is right or wrong in all of them.
    let mut checked = BTreeSet::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            let is_new = match &decode.source {
                RootSource::Map { map, .. } => checked.insert((target, *map)),
                RootSource::Value { .. } => true,
            };
            if !is_new {
                continue;
            }
            check_tails(model, decode, target, diagnostics);
            if !check_codings(model, decode, target, diagnostics) && widths(model, target).len() > 1 {
                misfits.insert(target);
            }
            if let RootSource::Value { value, .. } = &decode.source {
                check_value(model, decode, target, value, diagnostics);
            }
        }
        longest.check(operation, diagnostics);
    }
    misfits
}

/// The widths of what may be decoded.
fn widths(model: &Model, target: OperationOrGroup) -> BTreeSet<usize> {
    let members = operations_of(model, target).into_iter();
    members.filter_map(|id| Some(model.operations[id.index()].coding.as_ref()?.len())).collect()
}

/// Everything that may be decoded has a CODING, from a map one of whole cells; true if so.
fn check_codings(
    model: &Model,
    decode: &RootDecode,
    target: OperationOrGroup,
    diagnostics: &mut Diagnostics,
) -> bool {
    let map = match &decode.source {
        RootSource::Map { map, .. } => Some(&model.maps[map.index()]),
        RootSource::Value { .. } => None,
    };
    let mut reported = BTreeSet::new();
    for id in operations_of(model, target) {
        let member = &model.operations[id.index()];
        let cells = match (&member.coding, member.coding_span) {
            (Some(bits), _) => {
                let width = u32::try_from(bits.len()).unwrap_or(u32::MAX);
                match map {
                    Some(map) if map.cell_bits > 0 && !width.is_multiple_of(map.cell_bits) => {
                        Some((map, width))
                    }
                    _ => continue,
                }
            }
            // Its CODING was reported.
            (None, Some(_)) => continue,
            (None, None) => None,
        };
        if !reported.insert(id) {
            continue;
        }
        diagnostics.push(match cells {
            Some((map, width)) => {
                let message = format!("a word of `{}` is no whole number of cells", member.name);
                let span = member.coding_span.unwrap_or(member.span);
                let finding = error(code::WORD_WIDTH, span, message, format!("has {}", count(width, "bit")))
                    .secondary(map.span, format!("cells have {}", count(map.cell_bits, "bit")))
                    .secondary(decode.span, "decoded here");
                with_parts(model, member, finding)
                    .help(whole_cells(width, map.cell_bits))
                    .cause(format!("{width} bits for {}", map.name))
            }
            None => {
                let message = format!("`{}` has no CODING to decode", member.name);
                error(code::NO_CODING, member.span, message, "without CODING")
                    .secondary(decode.span, "decoded here")
            }
        });
    }
    reported.is_empty()
}

/// The same with what the aliases of a word add to its width: one of them may be what is wrong.
fn with_parts(model: &Model, member: &Operation, mut finding: Diagnostic) -> Diagnostic {
    let coded = member.instances.iter().filter(|instance| instance.role == InstanceRole::Coded);
    let targets: BTreeSet<OperationOrGroup> = coded.map(|instance| instance.target).collect();
    for target in targets {
        let Some(id) = operations_of(model, target).into_iter().next() else { continue };
        let part = &model.operations[id.index()];
        if let Some(bits) = &part.coding {
            let label = format!("`{}` has {}", part.name, count(bits.len() as u128, "bit"));
            finding = finding.secondary(part.span, label);
        }
    }
    finding
}

/// The widths beside one that is no whole number of cells.
fn whole_cells(width: u32, cell_bits: u32) -> String {
    let below = width - width % cell_bits;
    let above = count(u128::from(below) + u128::from(cell_bits), "bit");
    if below == 0 { format!("give it {above}") } else { format!("give it {below} or {above}") }
}

/// A value is as wide as the widest word that is decoded from it, what follows the word included.
fn check_value(
    model: &Model,
    decode: &RootDecode,
    target: OperationOrGroup,
    value: &Expr,
    diagnostics: &mut Diagnostics,
) {
    let mut tails = Tails { model, decode, lengths: BTreeMap::new() };
    let members = operations_of(model, target).into_iter();
    let widest = members.filter_map(|id| {
        let member = &model.operations[id.index()];
        let word = member.coding.as_ref()?.len() as u64;
        // Nothing is reported a second time: a value has no cells that a TAIL has to fill.
        Some((word.saturating_add(tails.longest_tail(id, diagnostics)), word, member))
    });
    let Some((width, word, member)) = widest.reduce(|a, b| if b.0 > a.0 { b } else { a }) else { return };
    let found = value.ty.map_or(0, |ty| u64::from(ty.width_bits));
    if found != width {
        let message = format!("a word of {} from a source of {found}", count(width, "bit"));
        let label = format!("has {}", count(found, "bit"));
        let place = member.coding_span.unwrap_or(member.span);
        let has = match width == word {
            true => format!("has {}", count(width, "bit")),
            false => format!("has {} with the TAIL behind its {}", count(width, "bit"), count(word, "bit")),
        };
        let diagnostic = error(code::BAD_SOURCE, value.span, message, label)
            .secondary(place, has)
            .help("the source is as wide as the word; take a slice of it, or join it with `::`");
        diagnostics.push(diagnostic);
    }
}

/// The words of one instruction are kept together, and must not be too long for that.
struct Longest<'a> {
    model: &'a Model,
    /// Of the longest word of each target, as far as it was asked.
    bytes: BTreeMap<OperationOrGroup, usize>,
}

impl Longest<'_> {
    fn check(&mut self, operation: &Operation, diagnostics: &mut Diagnostics) {
        let bytes = self.of_elements(operation, &operation.coding_root);
        let decodes = root_decodes(&operation.coding_root);
        if bytes > MAX_BYTES
            && decodes.len() > 1
            && let Some(last) = decodes.last()
        {
            let message =
                format!("the words of one instruction have up to {} together", count(bytes as u128, "byte"));
            let label = format!("has to end within {MAX_BYTES} bytes");
            diagnostics.push(error(code::CODING_WIDTH, last.span, message, label));
        }
    }

    /// Most bytes that the elements have on one way, the number of an element that a register
    /// chose included.
    fn of_elements(&mut self, operation: &Operation, elements: &[RootElement]) -> usize {
        let lengths = elements.iter().map(|element| match element {
            RootElement::Decode(decode) => self.of_decode(operation, decode),
            RootElement::Switch { selector, cases } => {
                let cases = cases.iter().map(|case| self.of_elements(operation, &case.elements));
                cases.max().unwrap_or(0) + self.of_decode(operation, selector)
            }
            RootElement::If { then, otherwise, .. } => {
                1 + self.of_elements(operation, then).max(self.of_elements(operation, otherwise))
            }
        });
        lengths.sum()
    }

    fn of_decode(&mut self, operation: &Operation, decode: &RootDecode) -> usize {
        let (model, target) = (self.model, operation.instances[decode.instance.index()].target);
        *self.bytes.entry(target).or_insert_with(|| {
            let members = operations_of(model, target).into_iter();
            let widths = members.filter_map(|id| Some(model.operations[id.index()].coding.as_ref()?.len()));
            widths.max().unwrap_or(0).div_ceil(8)
        })
    }
}

/// Most bits of an instruction, its TAIL included.
const MAX_INSTRUCTION_BITS: u64 = 256;

/// What follows a word consists of whole cells, and is not too long.
struct Tails<'a> {
    model: &'a Model,
    decode: &'a RootDecode,
    /// Most bits that an operation's TAIL has, by operation.
    lengths: BTreeMap<OperationId, u64>,
}

impl Tails<'_> {
    /// Checks everything below a target; most bits of it and its TAIL.
    fn longest(&mut self, target: OperationOrGroup, diagnostics: &mut Diagnostics) -> u64 {
        let members = operations_of(self.model, target).into_iter();
        let lengths = members.map(|id| {
            let word = self.model.operations[id.index()].coding.as_ref().map_or(0, |bits| bits.len() as u64);
            word + self.longest_tail(id, diagnostics)
        });
        lengths.max().unwrap_or(0)
    }

    /// Most bits that follow the word because of an operation.
    fn longest_tail(&mut self, id: OperationId, diagnostics: &mut Diagnostics) -> u64 {
        if let Some(known) = self.lengths.get(&id) {
            return *known;
        }
        let operation = &self.model.operations[id.index()];
        if operation.coding.is_none() {
            // It was refused, perhaps for what is below it.
            return 0;
        }
        let mut length = 0;
        let mut own = BTreeSet::new();
        for item in &operation.tail {
            match item {
                TailItem::Word { bits, span } => {
                    self.check_cells(bits.len(), *span, diagnostics);
                    length += bits.len() as u64;
                }
                TailItem::Instance { .. } => {}
                TailItem::Decode { instance, .. } => {
                    own.insert(instance.index());
                    let target = operation.instances[instance.index()].target;
                    for member in operations_of(self.model, target) {
                        let member = &self.model.operations[member.index()];
                        if let (Some(bits), Some(span)) = (&member.coding, member.coding_span) {
                            self.check_cells(bits.len(), span, diagnostics);
                        }
                    }
                    length += self.longest(target, diagnostics);
                }
            }
        }
        for (index, instance) in operation.instances.iter().enumerate() {
            if instance.role == InstanceRole::Coded && !own.contains(&index) {
                let members = operations_of(self.model, instance.target).into_iter();
                length += members.map(|member| self.longest_tail(member, diagnostics)).max().unwrap_or(0);
            }
        }
        self.lengths.insert(id, length);
        length
    }

    fn check_cells(&self, width: usize, span: Span, diagnostics: &mut Diagnostics) {
        let RootSource::Map { map, .. } = &self.decode.source else { return };
        let map = &self.model.maps[map.index()];
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        if map.cell_bits != 0 && !width.is_multiple_of(map.cell_bits) {
            let message = "a word of a TAIL is no whole number of cells";
            let diagnostic = error(code::WORD_WIDTH, span, message, format!("has {}", count(width, "bit")))
                .secondary(map.span, format!("cells have {}", count(map.cell_bits, "bit")))
                .secondary(self.decode.span, "decoded here")
                .help(whole_cells(width, map.cell_bits));
            diagnostics.push(diagnostic);
        }
    }
}

/// Checks the words of TAILs.
fn check_tails(model: &Model, decode: &RootDecode, target: OperationOrGroup, diagnostics: &mut Diagnostics) {
    let mut tails = Tails { model, decode, lengths: BTreeMap::new() };
    for id in operations_of(model, target) {
        let operation = &model.operations[id.index()];
        let word = operation.coding.as_ref().map_or(0, |bits| bits.len() as u64);
        let length = word.saturating_add(tails.longest_tail(id, diagnostics));
        if length > MAX_INSTRUCTION_BITS && word <= MAX_INSTRUCTION_BITS {
            let message = format!("`{}` may have {length} bits with what follows its word", operation.name);
            let label = format!("an instruction has at most {MAX_INSTRUCTION_BITS} bits");
            let span = operation.coding_span.unwrap_or(operation.span);
            let diagnostic = error(code::INSTRUCTION_WIDTH, span, message, label);
            let help = "fewer or shorter fields in the TAILs of it and its operands end it sooner";
            diagnostics.push(diagnostic.secondary(decode.span, "decoded here").help(help));
        }
    }
}
