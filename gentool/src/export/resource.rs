//! Resources and TARGET.

use isac_parser::model::{
    Cache, CheckedModel, Device, DeviceKind, ElfAddress, Endian, Function, Local, Map, Pipeline, Ram, Range,
    RangeTarget, Register, RegisterPlace, Replacement, Type, WritePolicy,
};
use serde_json::{Value, json};

use super::{hexadecimal, list, object};

pub(super) fn target(model: &CheckedModel) -> Value {
    let target = &model.target;
    let map = |id: isac_parser::model::MapId| json!(model.maps[id.index()].name);
    let stack = target.stack.as_ref();
    object([
        ("endian", json!(if target.endian == Endian::Little { "little" } else { "big" })),
        ("elf_machine", json!(target.elf_machine)),
        ("elf_class", json!(target.elf_class)),
        (
            "elf_address",
            json!(if target.elf_address == ElfAddress::Virtual { "virtual" } else { "physical" }),
        ),
        ("host", target.host.map_or(Value::Null, map)),
        ("stack_value", stack.map_or(Value::Null, |(_, value)| hexadecimal(*value))),
        ("comment", json!(target.comment)),
        ("hex", json!(target.hex)),
        ("binary", json!(target.binary)),
        ("stack", stack.map_or(Value::Null, |(register, _)| place(model, register))),
        (
            "loads",
            list(&target.loads, |(first, last, to)| {
                object([("first", json!(first)), ("last", json!(last)), ("map", map(*to))])
            }),
        ),
    ])
}

pub(super) fn place(model: &CheckedModel, place: &RegisterPlace) -> Value {
    let parts = list(&place.parts, |part| {
        object([
            ("register", json!(model.registers[part.register.index()].name)),
            ("element", json!(part.element)),
            ("low", json!(part.low)),
            ("width", json!(part.width_bits)),
        ])
    });
    object([("name", json!(place.name)), ("width", json!(place.width_bits)), ("parts", parts)])
}

pub(super) fn register(register: &Register) -> Value {
    let values = |values: &[(u32, u128)]| {
        list(values, |(element, value)| object([("element", json!(element)), ("value", hexadecimal(*value))]))
    };
    let names = register.element_names.iter().enumerate().flat_map(|(element, names)| {
        names.iter().map(move |name| object([("element", json!(element)), ("name", json!(name))]))
    });
    object([
        ("name", json!(register.name)),
        ("width", json!(register.width_bits)),
        ("count", json!(register.count)),
        ("reset", hexadecimal(register.reset)),
        ("resets", values(&register.element_resets)),
        ("hardwired", values(&register.hardwired)),
        ("names", Value::Array(names.collect())),
    ])
}

pub(super) fn memory(ram: &Ram) -> Value {
    object([
        ("name", json!(ram.name)),
        ("cell_width", json!(ram.cell_bits)),
        ("cells", json!(ram.size_cells)),
        ("readable", json!(ram.readable)),
        ("writable", json!(ram.writable)),
        ("executable", json!(ram.executable)),
        ("latency", json!(ram.latency)),
        ("fill", if ram.fill == 0 { Value::Null } else { hexadecimal(ram.fill) }),
    ])
}

pub(super) fn cache(model: &CheckedModel, cache: &Cache) -> Value {
    let replacement = match cache.replacement {
        Replacement::LeastRecentlyUsed => "lru",
        Replacement::FirstInFirstOut => "fifo",
        Replacement::Random => "random",
    };
    object([
        ("name", json!(cache.name)),
        ("cells", json!(cache.size_cells)),
        ("line", json!(cache.line_cells)),
        ("ways", json!(cache.ways)),
        ("replacement", json!(replacement)),
        ("write", json!(if cache.write == WritePolicy::Back { "back" } else { "through" })),
        ("hit", json!(cache.hit_cycles)),
        ("miss", json!(cache.miss_cycles)),
        ("over", json!(model.rams[cache.over.index()].name)),
    ])
}

pub(super) fn device(device: &Device) -> Value {
    let kind = match device.kind {
        DeviceKind::Console => "console",
        DeviceKind::Timer => "timer",
        DeviceKind::Exit => "exit",
    };
    object([("name", json!(device.name)), ("kind", json!(kind))])
}

pub(super) fn map(model: &CheckedModel, map: &Map) -> Value {
    object([
        ("name", json!(map.name)),
        ("address_width", json!(map.address_bits)),
        ("cell_width", json!(map.cell_bits)),
        ("ranges", list(&map.ranges, |one| range(model, one))),
    ])
}

fn range(model: &CheckedModel, range: &Range) -> Value {
    let function = |id: isac_parser::model::FunctionId| json!(model.functions[id.index()].name);
    let (kind, target, read, write) = match range.target {
        RangeTarget::Ram(id) => ("memory", json!(model.rams[id.index()].name), Value::Null, Value::Null),
        RangeTarget::Cache(id) => ("cache", json!(model.caches[id.index()].name), Value::Null, Value::Null),
        RangeTarget::Device(id) => {
            ("device", json!(model.devices[id.index()].name), Value::Null, Value::Null)
        }
        RangeTarget::Register(id) => {
            ("register", json!(model.registers[id.index()].name), Value::Null, Value::Null)
        }
        RangeTarget::Functions { read, write } => ("functions", Value::Null, function(read), function(write)),
    };
    object([
        ("first", json!(range.low)),
        ("last", json!(range.high)),
        ("kind", json!(kind)),
        ("target", target),
        ("read", read),
        ("write", write),
        ("low_bit", json!(range.low_bit)),
    ])
}

pub(super) fn pipeline(model: &CheckedModel, pipeline: &Pipeline) -> Value {
    let stages = list(&pipeline.stages, |stage| {
        let registers =
            list(&stage.registers, |(id, _)| object([("name", json!(model.registers[id.index()].name))]));
        object([("name", json!(stage.name)), ("registers", registers)])
    });
    object([("name", json!(pipeline.name)), ("stages", stages)])
}

pub(super) fn function(function: &Function) -> Value {
    object([
        ("name", json!(function.name)),
        ("result", json!(function.result.map(type_text))),
        ("parameters", list(function.body.locals.iter().take(function.parameters), local)),
    ])
}

pub(super) fn local(local: &Local) -> Value {
    object([("name", json!(local.name)), ("type", json!(type_text(local.ty)))])
}

fn type_text(ty: Type) -> String {
    format!("{}bit[{}]", if ty.signed { "signed " } else { "" }, ty.width_bits)
}
