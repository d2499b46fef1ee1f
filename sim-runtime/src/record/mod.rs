//! From what an engine counted to a measurement.
//!
//! An engine that can prove what an instruction does need not tell its events: it counts how often
//! each static instruction ran and how often its conditional regions did, and the rest is
//! multiplied out here.

mod call_follower;
mod call_recorder;
mod calls_in_flight;
mod check_counter;
mod controls;
mod recording;
mod recording_part;
mod sample_cycles;
mod sampler;
mod statics;
mod transfer;
mod value_recorder;

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::operation::Role;
use isac_ir::root::{WordSource, root_elements};
use sim_profile::symbols::{FunctionCells, ImageFile, known_functions, named_places};
use sim_profile::{CodeCells, ModelTables};

pub(crate) use call_follower::{CallFollower, Executed, Followed, Struck};
pub use call_recorder::{CallRecorder, MOST_FRAMES, PreparedCall, StackTop};
pub(crate) use calls_in_flight::{CallsInFlight, CostPlace, Strike};
pub(crate) use check_counter::CheckCounter;
pub(crate) use recording::add_accesses;
pub use recording::{RecordedWord, Recording, StaticInstruction, StaticKey, control_at};
pub use sample_cycles::{PassedCycles, SampleCycles};
pub use sampler::Sampler;
pub use statics::{KeyDecoder, StaticCode, StaticReader, static_table};
pub use transfer::{FunctionMap, Step, calls, is_check, only_returns, own_step, step_of};
pub use value_recorder::{ValueChoice, ValueRecorder, decoded_operations, told_operation};

use crate::host::Abi;

/// The names that a profile of this model speaks of.
pub fn model_tables(model: &Model) -> ModelTables {
    ModelTables {
        model: model.name.clone(),
        resources: model.resource_names(),
        maps: model.maps.len() as u32,
        register_maps: register_maps(model),
        code: code_cells(model),
        instances: instance_names(model),
        caches: model.caches.iter().map(|cache| cache.name.clone()).collect(),
        operations: operation_names(model),
        stages: stage_names(model),
        instructions: model.instructions.clone(),
        operands: operand_positions(model),
        address_bits: model.pc.width_bits,
    }
}

/// The maps that reach no memory and no device, by their numbers as resources.
fn register_maps(model: &Model) -> BTreeSet<u32> {
    let numbered = (model.registers.len() as u32..).zip(&model.maps);
    let found = numbered.filter(|(_, map)| map.ranges.is_empty() && map.devices.is_empty());
    found.map(|(number, _)| number).collect()
}

/// The instances that have queues: those that are scheduled, and for each pipeline what walks
/// through it to its last stage without anything to run.
fn instance_names(model: &Model) -> Vec<String> {
    let scheduled = model.time.scheduled().map(|node| node.name.clone());
    let walking = model.pipelines.iter().map(|pipeline| format!("({} fault)", pipeline.name));
    scheduled.chain(walking).collect()
}

/// What may stall, retry or be due: the operations, and `memory_fault` behind them.
fn operation_names(model: &Model) -> Vec<String> {
    if !model.overlaps() {
        return Vec::new();
    }
    let operations = model.operations.iter().map(|operation| operation.name.clone());
    operations.chain(model.memory_fault.iter().map(|_| "memory_fault".to_string())).collect()
}

/// The stages of all pipelines, by [`Model::stage_number`].
fn stage_names(model: &Model) -> Vec<String> {
    let pipelines = model.pipelines.iter();
    let stages = pipelines.flat_map(|pipeline| {
        pipeline.stages.iter().map(move |stage| format!("{}.{}", pipeline.name, stage.name))
    });
    stages.collect()
}

/// The functions of files; where they overlap the first one counts.
pub fn function_map(model: &Model, files: &[ImageFile<'_>]) -> FunctionMap {
    FunctionMap::of(known_functions(files, code_cells(model)))
}

/// The cells of the functions of files, ascending.
pub fn functions(model: &Model, files: &[ImageFile<'_>]) -> Vec<FunctionCells> {
    known_functions(files, code_cells(model)).cells
}

/// The name of the function of files that an address lies in.
pub fn function_at(model: &Model, files: &[ImageFile<'_>], address: u64) -> Option<String> {
    let around =
        functions(model, files).into_iter().find(|cells| (cells.start..cells.end).contains(&address))?;
    code_names(model, files).into_iter().find_map(|(name, start)| (start == around.function).then_some(name))
}

/// The places of code that files have names for, with their addresses.
pub fn code_names(model: &Model, files: &[ImageFile<'_>]) -> Vec<(String, u64)> {
    let cells = code_cells(model);
    files.iter().flat_map(|file| named_places(*file, cells)).collect()
}

/// Where files have the cells of the map that instructions are fetched from.
fn code_cells(model: &Model) -> CodeCells {
    let mut cells = CodeCells::default();
    let roots = (0u32..).zip(&model.operations).filter(|(_, operation)| operation.root.is_some());
    let elements = roots.flat_map(|(number, _)| root_elements(model, number));
    let fetched = elements.filter_map(|element| match element.source {
        WordSource::Map { map, .. } => Some(*map),
        WordSource::Value { .. } => None,
    });
    // What a pipeline decodes from a register was fetched from the map that programs are loaded to.
    let Some(map) = fetched.min().or(model.target.host_map).or((!model.maps.is_empty()).then_some(0)) else {
        return cells;
    };
    cells.cell_bytes = u64::from(model.maps[map as usize].cell_bits.div_ceil(8)).max(1);
    let load = model.target.loads.iter().find(|(_, _, to)| *to == map);
    cells.low = load.map_or(0, |(low, _, _)| *low);
    cells
}

/// Which children of each operation are operands, by position.
fn operand_positions(model: &Model) -> BTreeMap<String, Vec<bool>> {
    let operations = model.operations.iter().map(|operation| {
        let decoded =
            operation.instances.iter().filter(|instance| matches!(instance.role, Role::Coded | Role::Root));
        let flags = decoded.map(|instance| instance.operand && instance.role == Role::Coded);
        (operation.name.clone(), flags.collect::<Vec<bool>>())
    });
    operations.filter(|(_, flags)| flags.iter().any(|flag| *flag)).collect()
}

/// The calling convention of host services.
pub fn abi(model: &Model) -> Abi {
    let bits = model.target.elf_class.unwrap_or(model.pc.width_bits);
    let word_bits = if bits > 32 { 64 } else { 32 };
    Abi { word_bits, big_endian: model.target.big_endian, syscalls: model.target.syscalls }
}

/// Reads the model that an emitted simulator carries.
///
/// # Panics
/// If the text is not what the generator of this version wrote: it is part of the same program.
pub fn read_model(text: &str) -> Model {
    let model: Model = match serde_json::from_str(text) {
        Ok(model) => model,
        Err(error) => panic!("the simulator's own model cannot be read: {error}"),
    };
    assert_eq!(model.format_version, isac_ir::FORMAT_VERSION, "the model's format is another version's");
    model
}
