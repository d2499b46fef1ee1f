//! The instructions of a profile, decoded again: their operands, and which registers these touch.

use std::collections::BTreeMap;

use gentool::operands::{Place, number_text, parts_of, places, text_of};
use isac_ir::Model;
use isac_ir::decode::Decoded;
use isac_ir::operation::Target;
use isac_ir::syntax::Tree;
use sim_profile::spent::Spent;
use sim_profile::{InstructionKey, InstructionRecord, Measurement};
use sim_runtime::record::KeyDecoder;

/// A static instruction that was executed, the only one that was decoded at its address.
pub(super) struct Step {
    pub(super) address: u64,
    /// Address of the next one in memory.
    pub(super) successor: u64,
    pub(super) width_bits: u32,
    /// Its operation's name.
    pub(super) name: String,
    pub(super) executed: u64,
    pub(super) cycles: u64,
    /// What stands at its places, in the order of its text.
    pub(super) operands: Vec<Operand>,
    /// The elements of registers that its operands, or itself, touch.
    pub(super) touches: Vec<Touch>,
}

/// What stands at a place.
pub(super) struct Operand {
    /// The place's name.
    pub(super) name: String,
    pub(super) value: Value,
    /// So many bits of the word are its own.
    pub(super) width_bits: u32,
}

/// An operand's value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// An element of a register: its index, the element.
    Element(u32, u32),
    /// One that always reads the same, by name.
    Hardwired(String),
    /// A number of the word, or what is written for it.
    Immediate(String),
    /// Something with registers in it.
    Other(String),
}

/// Accesses of the executed runs to an element.
pub(super) struct Touch {
    /// Register's index and element.
    pub(super) element: (u32, u32),
    pub(super) reads: u64,
    pub(super) writes: u64,
}

/// The instructions that claims are about.
#[derive(Default)]
pub(super) struct Steps {
    /// By address.
    pub(super) by_address: BTreeMap<u64, Step>,
    /// Executions that are left out: where several words were decoded at one address, and where an
    /// instruction has several parts that are no operands, as bundles have.
    pub(super) left_out: u64,
}

impl Steps {
    /// A remark for lists that are made of these; nothing if they are all.
    pub(super) fn remark(&self) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!(
                " Left out: {count} executions of instructions of several parts, or at addresses where \
                 the code changed."
            ),
        }
    }
}

/// Decodes the executed instructions of a measurement again.
pub(super) fn steps_of(model: &Model, measurement: &Measurement) -> Steps {
    let decoder = KeyDecoder::new(model);
    let mut decoded_at: BTreeMap<u64, u32> = BTreeMap::new();
    for key in measurement.instructions.keys() {
        *decoded_at.entry(key.address).or_default() += 1;
    }
    let names = element_names(model);
    let mut steps = Steps::default();
    for (key, record) in measurement.instructions.iter().filter(|(_, record)| record.executed > 0) {
        let elements = Elements { model, names: &names, record };
        let root = Some(key).filter(|key| decoded_at[&key.address] == 1);
        let root = root.and_then(|key| decoder.decode(key, &record.name));
        match root.and_then(|root| elements.step(key, &root.decoded)) {
            Some(step) => drop(steps.by_address.insert(key.address, step)),
            None => steps.left_out = steps.left_out.saturating_add(record.executed),
        }
    }
    steps
}

/// Elements of register files by how they are written.
type Names = BTreeMap<String, (u32, u32)>;

fn element_names(model: &Model) -> Names {
    let mut names = Names::new();
    for (register, file) in (0..).zip(&model.registers) {
        let Some(count) = file.count else { continue };
        for element in 0..count {
            for name in model.element_names(register, element.into()) {
                names.entry(name).or_insert((register, element));
            }
        }
    }
    names
}

/// Whether the PC is this element of a register.
pub(super) fn is_pc(model: &Model, element: (u32, u32)) -> bool {
    model.pc.parts.iter().any(|part| (part.register, part.element) == element)
}

struct Elements<'a> {
    model: &'a Model,
    names: &'a Names,
    record: &'a InstructionRecord,
}

impl Elements<'_> {
    fn step(&self, key: &InstructionKey, decoded: &Decoded) -> Option<Step> {
        let (model, record) = (self.model, self.record);
        let chain = chain_of(model, decoded)?;
        // Texts by node of the decoding tree, which is how accesses are counted.
        let texts: Texts = (0..decoded.nodes.len() as u32)
            .filter(|at| matches!(decoded.nodes[*at as usize].target, Target::Operation(_)))
            .filter_map(|at| Some((at, text_of(model, &Tree::of(decoded, at)?))))
            .collect();
        let trees = chain.iter().map(|node| Tree::of(decoded, *node)).collect::<Option<Vec<Tree>>>()?;
        let operands = trees.iter().flat_map(|tree| {
            places(model, tree.operation).into_iter().map(|place| Operand {
                name: place.name(model, tree.operation).to_owned(),
                value: self.value(place, tree, &texts),
                width_bits: place_bits(model, place, tree),
            })
        });
        let names: Vec<&str> =
            trees.iter().map(|tree| model.operation(tree.operation).name.as_str()).collect();
        Some(Step {
            address: key.address,
            successor: model.successor(key.address, record.size_cells),
            width_bits: key.word.bytes().len() as u32 * 8,
            name: names.join("."),
            executed: record.executed,
            cycles: Spent::of(record).cycles(),
            operands: operands.collect(),
            touches: self.touches(&texts),
        })
    }

    fn touches(&self, texts: &Texts) -> Vec<Touch> {
        let accesses = &self.record.accesses;
        // What the CODINGROOT's operation does, it does for every instruction: it hands nothing to the next.
        let own = accesses.iter().filter(|((node, _), _)| *node != 0);
        let touches = own.filter_map(|((node, resource), accesses)| {
            let named = || texts.get(node).and_then(|text| self.names.get(text)).copied();
            let element = match self.model.registers.get(*resource as usize) {
                // What carries an instruction from stage to stage hands nothing to the next one.
                Some(register) if register.count.is_none() && self.model.overlaps() => return None,
                Some(register) if register.count.is_none() => (*resource, 0),
                Some(_) => named().filter(|(file, _)| file == resource)?,
                // Registers that operands reach through a map, as those of a pipeline that forwards.
                None => named().filter(|(file, _)| !self.record.accesses.contains_key(&(*node, *file)))?,
            };
            let register = &self.model.registers[element.0 as usize];
            let is_fixed = register.hardwired_value(element.1).is_some();
            (!is_fixed && !is_pc(self.model, element)).then_some(Touch {
                element,
                reads: accesses.reads,
                writes: accesses.writes,
            })
        });
        touches.collect()
    }

    fn value(&self, place: Place, tree: &Tree, texts: &Texts) -> Value {
        let operation = self.model.operation(tree.operation);
        match place {
            Place::Field(number) => {
                let field = &operation.fields[number as usize];
                let value = tree.fields.get(number as usize).copied().unwrap_or_default();
                Value::Immediate(number_text(value, field))
            }
            Place::Instance(instance) => {
                let Some(child) = tree.child(instance) else { return Value::Other(String::new()) };
                let text = text_of(self.model, child);
                match self.names.get(&text) {
                    Some((register, element)) => {
                        match self.model.registers[*register as usize].hardwired_value(*element) {
                            Some(_) => Value::Hardwired(text),
                            None => Value::Element(*register, *element),
                        }
                    }
                    None if is_number(child) && !self.is_touching(&text, texts) => Value::Immediate(text),
                    None => Value::Other(text),
                }
            }
        }
    }

    /// Whether what is written so accesses anything.
    fn is_touching(&self, text: &str, texts: &Texts) -> bool {
        let nodes = self.record.accesses.keys().map(|(node, _)| node);
        nodes.filter_map(|node| texts.get(node)).any(|written| written == text)
    }
}

/// Texts of operations by node of a decoding tree.
type Texts = BTreeMap<u32, String>;

/// The operations that an instruction is made of, outermost first, without that of the CODINGROOT and
/// without operands; `None` if it is several instructions.
fn chain_of(model: &Model, decoded: &Decoded) -> Option<Vec<u32>> {
    let [part] = &parts_of(model, decoded)[..] else { return None };
    let chain: Vec<u32> = part.operations.iter().copied().filter(|node| *node != 0).collect();
    (!chain.is_empty()).then_some(chain)
}

/// Whether a number of the word is in an operand.
fn is_number(tree: &Tree) -> bool {
    !tree.fields.is_empty() || tree.children.iter().any(|(_, child)| is_number(child))
}

/// How many bits of the word are an operand's own.
fn place_bits(model: &Model, place: Place, tree: &Tree) -> u32 {
    let operation = model.operation(tree.operation);
    match place {
        Place::Field(number) => {
            let field = operation.fields[number as usize].width_bits;
            let coded = operation.coding.iter().flat_map(|coding| &coding.fields);
            let coded: u32 = coded.filter(|(of, _)| *of == number).map(|(_, run)| run.width).sum();
            // A field of a word that follows has no bits in this one.
            if coded == 0 { field } else { coded }
        }
        Place::Instance(instance) => tree.child(instance).map_or(0, |child| {
            model.operation(child.operation).coding.as_ref().map_or(0, |coding| coding.width_bits)
        }),
    }
}
