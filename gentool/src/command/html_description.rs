//! What the page shows of a description: where things are declared, operands, encodings.

use std::collections::HashMap;

use isac_ir::Model;
use isac_ir::decode::Decoded;
use isac_ir::operation::{Instance, Role, Target};
use isac_ir::syntax::Tree;
use isac_ir::syntax::print::{Site, print};
use isac_parser::CoverageMap;
use sim_profile::html::{Description, EncodingMap, EncodingRow, FreePattern, OperandPlace, OperandValue};
use sim_profile::{InstructionKey, Profile};
use sim_runtime::record::StaticReader;

/// Operands that have no more values are listed value by value.
const MOST_LISTED: usize = 64;

/// Fields that are wider are told by classes of their values.
const WIDEST_LISTED_BITS: u32 = 6;

/// The classes of immediate values.
const CLASSES: [&str; 6] = ["0", "1", "-1", "least", "greatest", "other"];

/// All that the page shows of a description, and of a profile's instructions by it.
pub(super) fn describe(model: &Model, maps: &[CoverageMap], profile: &Profile) -> Description {
    let operations = model.operations.iter().map(|operation| (&operation.name, &operation.location));
    let groups = model.groups.iter().map(|group| (&group.name, &group.location));
    let locations = operations.chain(groups).map(|(name, place)| (name.clone(), place.clone()));
    let mut description = Description {
        locations: locations.collect(),
        encodings: maps.iter().map(encoding_of).collect(),
        ..Description::default()
    };
    for name in &profile.measurement.tables.instructions {
        if let Some(places) = places_of(model, name) {
            description.operands.insert(name.clone(), places);
        }
    }
    if let Some(reader) = StaticReader::of(model) {
        let mut listed = Listed::default();
        for key in profile.measurement.instructions.keys() {
            let chosen = chosen_of(model, &reader, key, &mut listed);
            description.chosen.extend(chosen.map(|chosen| (*key, vec![chosen])));
        }
    }
    description
}

/// The operation that an instruction of the set ends with: its operands are those of that one.
fn operation_of(model: &Model, name: &str) -> Option<u32> {
    let names: Vec<&str> = name.split(['(', ')']).filter(|name| !name.is_empty()).collect();
    let mut target =
        Target::Operation(model.operations.iter().position(|o| Some(&&*o.name) == names.first())? as u32);
    for name in &names[1..] {
        let below: Vec<Target> = match target {
            Target::Operation(operation) => model.operations[operation as usize]
                .instances
                .iter()
                .map(|instance| instance.target)
                .collect(),
            Target::Group(group) => model.groups[group as usize].members.clone(),
            Target::Label(_) => return None,
        };
        target = below.into_iter().find(|target| model.target_name(*target) == *name)?;
    }
    match target {
        Target::Operation(operation) => Some(operation),
        Target::Group(_) | Target::Label(_) => None,
    }
}

/// Where its operands stand: fields and instances of its CODING, in the order of its text.
fn places_of(model: &Model, name: &str) -> Option<Vec<OperandPlace>> {
    let number = operation_of(model, name)?;
    let places = places(model, number).into_iter().map(|place| OperandPlace {
        name: place.name(model, number).to_owned(),
        values: place.values(model, number),
    });
    Some(places.collect())
}

/// The places of operations with their values, which every instruction of an operation shares.
#[derive(Default)]
struct Listed {
    operations: HashMap<u32, Vec<(Place, Values)>>,
}

/// Values of a place, by their texts.
type Values = HashMap<String, usize>;

impl Listed {
    fn places(&mut self, model: &Model, operation: u32) -> &[(Place, Values)] {
        self.operations.entry(operation).or_insert_with(|| {
            let values = |place: Place| place.values(model, operation).into_iter().zip(0..).collect();
            places(model, operation).into_iter().map(|place| (place, values(place))).collect()
        })
    }
}

/// A place of an operation.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Field(u32),
    Instance(u32),
}

pub(super) fn places(model: &Model, operation: u32) -> Vec<Place> {
    let operation = &model.operations[operation as usize];
    let instances = (0..).zip(&operation.instances).filter(|(_, instance)| is_place(model, instance));
    let fields = (0..).zip(&operation.fields).filter(|(_, field)| field.copy_of.is_none());
    let instances = instances.map(|(number, _)| Place::Instance(number));
    instances.chain(fields.map(|(number, _)| Place::Field(number))).collect()
}

/// True for what is coded and an operand, whatever it turns out to be.
fn is_place(model: &Model, instance: &Instance) -> bool {
    let is_operand = |operation: &u32| instance.is_operand(&model.operations[*operation as usize]);
    let leaves = model.leaf_operations(instance.target);
    instance.role == Role::Coded
        && !instance.mnemonic
        && (instance.operand || !leaves.is_empty() && leaves.iter().all(is_operand))
}

impl Place {
    pub(super) fn name(self, model: &Model, operation: u32) -> &str {
        let operation = &model.operations[operation as usize];
        match self {
            Place::Field(field) => &operation.fields[field as usize].name,
            Place::Instance(instance) => &operation.instances[instance as usize].alias,
        }
    }

    /// Everything that can stand there.
    fn values(self, model: &Model, operation: u32) -> Vec<String> {
        let operation = &model.operations[operation as usize];
        match self {
            Place::Field(field) => field_values(operation.fields[field as usize].width_bits),
            Place::Instance(instance) => {
                let leaves = model.leaf_operations(operation.instances[instance as usize].target);
                let values: Vec<Vec<String>> = leaves.iter().map(|leaf| leaf_values(model, *leaf)).collect();
                match values.iter().any(Vec::is_empty) || values.iter().flatten().count() > MOST_LISTED {
                    true => Vec::new(),
                    false => values.concat(),
                }
            }
        }
    }

    /// What stands there.
    fn value(self, model: &Model, decoded: &Tree, values: &Values) -> OperandValue {
        let operation = &model.operations[decoded.operation as usize];
        match self {
            Place::Field(number) => {
                let field = &operation.fields[number as usize];
                let value = decoded.fields.get(number as usize).copied().unwrap_or_default();
                OperandValue::Listed(field_value(value, field.width_bits, field.signed))
            }
            Place::Instance(instance) => match decoded.child(instance) {
                None => OperandValue::Other("?".to_owned()),
                Some(child) => listed(model, child, values),
            },
        }
    }
}

/// An operand as one of the values of its place.
fn listed(model: &Model, operand: &Tree, values: &Values) -> OperandValue {
    let text = match &model.operations[operand.operation as usize].fields[..] {
        [field] if field.width_bits > WIDEST_LISTED_BITS && operand.children.is_empty() => {
            let value = operand.fields.first().copied().unwrap_or_default();
            let class = CLASSES[field_value(value, field.width_bits, field.signed)];
            class_of(model, operand.operation, class)
        }
        _ => text_of(model, operand),
    };
    values.get(&text).map_or(OperandValue::Other(text), |index| OperandValue::Listed(*index))
}

fn field_values(width_bits: u32) -> Vec<String> {
    match width_bits {
        ..=WIDEST_LISTED_BITS => (0..1_u32 << width_bits).map(|value| value.to_string()).collect(),
        _ => CLASSES.map(str::to_owned).to_vec(),
    }
}

/// Number of a field's value, or of its class.
fn field_value(value: u128, width_bits: u32, signed: bool) -> usize {
    let ones = u128::MAX.checked_shr(128 - width_bits.min(128)).unwrap_or(0);
    if width_bits <= WIDEST_LISTED_BITS {
        return usize::try_from(value & ones).unwrap_or(0);
    }
    let sign = 1_u128 << (width_bits.min(128) - 1);
    let (least, greatest) = if signed { (sign, sign - 1) } else { (0, ones) };
    match value {
        0 => 0,
        1 => 1,
        _ if value == ones && signed => 2,
        _ if value == least => 3,
        _ if value == greatest => 4,
        _ => 5,
    }
}

/// All texts of an operand's operation; none if they are too many.
fn leaf_values(model: &Model, leaf: u32) -> Vec<String> {
    let operation = &model.operations[leaf as usize];
    if operation.instances.iter().any(|instance| instance.role == Role::Coded) {
        return Vec::new();
    }
    let tree = |fields| Tree { operation: leaf, fields, children: Vec::new() };
    match &operation.fields[..] {
        [] => vec![text_of(model, &tree(Vec::new()))],
        [field] if field.width_bits <= WIDEST_LISTED_BITS => {
            (0..1_u128 << field.width_bits).map(|value| text_of(model, &tree(vec![value]))).collect()
        }
        [_] => CLASSES.iter().map(|class| class_of(model, leaf, class)).collect(),
        _ => Vec::new(),
    }
}

/// A class of values of an operand, with its name: there may be several operations at a place.
fn class_of(model: &Model, leaf: u32, class: &str) -> String {
    format!("{} {class}", model.operations[leaf as usize].name)
}

/// An operand as it is written; where the description has no text for it, name and fields.
pub(super) fn text_of(model: &Model, tree: &Tree) -> String {
    let printed = print(model, tree, Site { address: 0, size_cells: 0 });
    printed.map(|printed| printed.text).filter(|text| !text.is_empty()).unwrap_or_else(|| {
        let operation = &model.operations[tree.operation as usize];
        let fields = operation.fields.iter().zip(&tree.fields);
        let fields: String = fields.map(|(field, value)| format!(" {}={value}", field.name)).collect();
        let below: String =
            tree.children.iter().map(|(_, child)| format!(" ({})", text_of(model, child))).collect();
        operation.name.clone() + &fields + &below
    })
}

/// An instruction of the set, with what it has at its places.
type Chosen = (String, Vec<OperandValue>);

/// What an instruction of a profile has at its places.
fn chosen_of(
    model: &Model,
    reader: &StaticReader<'_>,
    key: &InstructionKey,
    listed: &mut Listed,
) -> Option<Chosen> {
    let root = reader.decode_key(key)?;
    let (name, node) = instruction_node(model, &root.decoded)?;
    let tree = Tree::of(&root.decoded, node)?;
    let places = listed.places(model, tree.operation).iter();
    Some((name, places.map(|(place, values)| place.value(model, &tree, values)).collect()))
}

/// The innermost node that is no operand, and the name that ends with it.
pub(super) fn instruction_node(model: &Model, decoded: &Decoded) -> Option<(String, u32)> {
    let mut names = vec![model.target_name(decoded.nodes.first()?.target)];
    let mut node = 0;
    let mut last_operation = None;
    loop {
        if let Target::Operation(_) = decoded.nodes[node as usize].target {
            last_operation = Some(node);
        }
        let around = last_operation.and_then(|at| match decoded.nodes[at as usize].target {
            Target::Operation(operation) => Some(&model.operations[operation as usize]),
            _ => None,
        });
        let is_operand = |child: &u32| {
            let instance = decoded.nodes[*child as usize].instance;
            let instance = around.zip(instance).and_then(|(around, at)| around.instances.get(at as usize));
            let from_operation = matches!(decoded.nodes[node as usize].target, Target::Operation(_));
            from_operation && instance.is_some_and(|instance| is_place(model, instance))
        };
        match decoded.children(node).find(|child| !is_operand(child)) {
            None => break,
            Some(child) => {
                names.push(model.target_name(decoded.nodes[child as usize].target));
                node = child;
            }
        }
    }
    let close = ")".repeat(names.len());
    Some((names.join("(") + "(" + &close, node))
}

fn encoding_of(map: &CoverageMap) -> EncodingMap {
    let row_of = |row: &isac_parser::CoverageRow| EncodingRow {
        path: row.path.clone(),
        encoding: row.encoding.clone(),
        words: row.words.clone(),
        opcodes: row.opcodes.clone(),
    };
    let free_of = |free: &isac_parser::FreeWords| FreePattern {
        pattern: free.pattern.clone(),
        words: free.words.clone(),
        example: free.example.clone(),
    };
    EncodingMap {
        name: map.name.clone(),
        decoder: map.decoder.clone(),
        width_bits: map.width_bits,
        used: map.used.clone(),
        opcode: map.opcode.clone(),
        opcodes: map.opcodes.clone(),
        rows: map.rows.iter().map(row_of).collect(),
        free: map.free.iter().map(free_of).collect(),
    }
}
