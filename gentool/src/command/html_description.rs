//! What the page shows of a description: where things are declared, operands, encodings.

use gentool::operands::OperandSpaces;
use isac_ir::Model;
use isac_ir::root::{RootDecoding, root_elements};
use isac_parser::CoverageMap;
use sim_profile::Profile;
use sim_profile::html::{
    Description, EncodingMap, EncodingRow, FreePattern, OperandPlace, OperandSpace, OperandValue,
};
use sim_runtime::record::KeyDecoder;

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
    let spaces = OperandSpaces::of(model);
    for name in &profile.measurement.tables.instructions {
        let space = spaces.instruction(name).map(operand_space).unwrap_or_default();
        description.operands.insert(name.clone(), space);
    }
    let decoder = KeyDecoder::new(model);
    for (key, record) in &profile.measurement.instructions {
        if let Some(root) = decoder.decode(key, &record.name) {
            let value = |value: Result<usize, String>| match value {
                Ok(number) => OperandValue::Listed(number),
                Err(text) => OperandValue::Other(text),
            };
            let chosen = spaces.values(&root.decoded).into_iter();
            let chosen = chosen.map(|(name, values)| (name, values.into_iter().map(value).collect()));
            description.chosen.insert(*key, chosen.collect());
            description.opcodes.insert(*key, opcodes_of(model, maps, &root));
        }
    }
    description
}

/// Of each word of an instruction the map that shows it, and the value of its opcode's bits there.
fn opcodes_of(model: &Model, maps: &[CoverageMap], root: &RootDecoding) -> Vec<(usize, usize)> {
    let known = root_elements(model, root.operation());
    let opcodes = root.elements().iter().filter_map(|(number, element)| {
        let instance = known.get(*number as usize)?.instance;
        let target = model.operation(root.operation()).instances[instance as usize].target;
        let name = model.target_name(target);
        let map = maps.iter().position(|map| map.name == name && !map.opcode_bits.is_empty())?;
        let (word, width_bits) = *element.words.first()?;
        let word = match model.target.big_endian {
            true => word.shifted(maps[map].width_bits.saturating_sub(width_bits)),
            false => word,
        };
        let bits = maps[map].opcode_bits.iter();
        Some((map, bits.fold(0, |value, bit| value << 1 | usize::from(word.bit(*bit)))))
    });
    opcodes.collect()
}

fn operand_space(space: &gentool::operands::InstructionSpace) -> OperandSpace {
    let places = space.places.iter();
    let places = places.map(|place| OperandPlace { name: place.name.clone(), values: place.values.clone() });
    OperandSpace { places: places.collect(), impossible: space.impossible.clone() }
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
