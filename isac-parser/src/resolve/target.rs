//! TARGET: how programs reach the processor, and how it looks to the world.

use super::code;
use super::collect::Definitions;
use super::names::{Global, Table};
use super::option::{Once, OptionReader};
use super::report::error;
use super::typing;
use crate::ast::TargetField;
use crate::diagnostic::Diagnostics;
use crate::model::{ElfAddress, Endian, MapId, RegisterPlace, Syscalls, Target};
use crate::source::Span;

pub(crate) const FIELDS: [&str; 11] = [
    "ENDIAN",
    "ELF_MACHINE",
    "ELF_CLASS",
    "ELF_ADDRESS",
    "STACK",
    "HOST",
    "SYSCALLS",
    "LOAD",
    "COMMENT",
    "HEX",
    "BINARY",
];

pub(crate) const SYSCALLS: [&str; 3] = ["LINUX_GENERIC", "LINUX_O32", "LINUX_EABI"];

/// Resolves all TARGET sections into one.
pub(crate) fn resolve_target(
    definitions: &Definitions<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Target {
    let mut target = Target {
        endian: Endian::Little,
        elf_machine: None,
        elf_class: None,
        elf_address: ElfAddress::Virtual,
        stack: None,
        host: default_map(table),
        syscalls: Syscalls::LinuxGeneric,
        loads: Vec::new(),
        comment: None,
        hex: None,
        binary: None,
    };
    let mut once = Once::default();
    let mut loads = Vec::new();
    let fields = definitions.targets.iter().flat_map(|target| &target.fields);
    for field in fields {
        if field.name.text != "LOAD" {
            once.note(&field.name, diagnostics);
        }
        resolve_field(field, table, &mut target, diagnostics);
        loads.resize(target.loads.len(), field.span);
    }
    check_loads(&target.loads, &loads, diagnostics);
    check_host(definitions, table, &target, diagnostics);
    check_prefixes(definitions, &target, diagnostics);
    target
}

/// Of several maps one is that of programs, and the description says which.
fn check_host(definitions: &Definitions<'_>, table: &Table, target: &Target, diagnostics: &mut Diagnostics) {
    let mut fields = definitions.targets.iter().flat_map(|target| &target.fields);
    if target.host.is_some() || fields.any(|field| field.name.text == "HOST") {
        return;
    }
    let [Some(first), .., Some(last)] = &table.maps[..] else { return };
    let message = format!("nothing says which of {} maps programs are loaded into", table.maps.len());
    let diagnostic = error(code::BAD_OPTION, last.span, message, "one of them")
        .secondary(first.span, "another one")
        .help(format!("name it in TARGET, as `HOST ({});`, or call it `defaultmap`", first.name));
    diagnostics.push(diagnostic);
}

/// HEX and BINARY differ: of one prefix nobody knows the base.
fn check_prefixes(definitions: &Definitions<'_>, target: &Target, diagnostics: &mut Diagnostics) {
    let (Some(hex), Some(binary)) = (&target.hex, &target.binary) else { return };
    if hex != binary {
        return;
    }
    let fields = definitions.targets.iter().flat_map(|target| &target.fields);
    let place = |name: &str| fields.clone().find(|field| field.name.text == name).map(|field| field.span);
    if let (Some(first), Some(second)) = (place("HEX"), place("BINARY")) {
        let message = format!("numbers of base 16 and of base 2 both begin with `{hex}`");
        let diagnostic = error(code::BAD_OPTION, second, message, "the same prefix")
            .secondary(first, "as here")
            .help("give one of them another prefix, or none: `0x` and `0b` are always read");
        diagnostics.push(diagnostic);
    }
}

/// What begins a comment or a number: letters that can be seen.
fn beginning(reader: &OptionReader<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = reader.text(diagnostics)?;
    if text.is_empty() || text.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        reader.wrong("takes a text of letters without blanks, and at least one", diagnostics);
        return None;
    }
    Some(text)
}

/// Every byte of an image goes to one place: `spans` are the places of the LOADs in the text.
fn check_loads(loads: &[(u64, u64, MapId)], spans: &[Span], diagnostics: &mut Diagnostics) {
    let mut ranges: Vec<_> =
        loads.iter().zip(spans).map(|((low, high, _), span)| (*low, *high, *span)).collect();
    ranges.sort_by_key(|(low, _, span)| (*low, *span));
    // Of those that begin before, the one that reaches furthest: it overlaps the next if any does.
    let mut furthest: Option<(u64, Span)> = None;
    for (low, high, span) in ranges {
        if let Some((reached, earlier)) = furthest
            && low <= reached
        {
            let (later, first) = if span > earlier { (span, earlier) } else { (earlier, span) };
            let message = format!("two LOADs take the byte {low:#x} of the program");
            let diagnostic = error(code::LOAD_OVERLAP, later, message, "overlaps")
                .secondary(first, "with this LOAD")
                .help("end one of them before the other begins; both bounds belong to the range");
            diagnostics.push(diagnostic);
        }
        if furthest.is_none_or(|(reached, _)| high > reached) {
            furthest = Some((high, span));
        }
    }
}

/// The map of the name `defaultmap`, else the only one.
fn default_map(table: &Table) -> Option<MapId> {
    match table.names.globals.get("defaultmap").map(|definition| definition.what) {
        Some(Global::Map(map)) => Some(map),
        _ if table.maps.len() == 1 => Some(MapId(0)),
        _ => None,
    }
}

fn resolve_field(field: &TargetField, table: &Table, target: &mut Target, diagnostics: &mut Diagnostics) {
    let (name, arguments, span) = (&field.name, field.arguments.as_slice(), field.span);
    let reader = OptionReader { name, arguments, span, table };
    if let Some(map) = &field.map
        && name.text != "LOAD"
    {
        let message = format!("{} takes no map", name.text);
        diagnostics.push(error(code::BAD_OPTION, map.span, message, "only LOAD does"));
    }
    match name.text.as_str() {
        "ENDIAN" => {
            let word = reader
                .single(diagnostics)
                .and_then(|word| reader.word(word, &["LITTLE", "BIG"], diagnostics));
            if let Some(word) = word {
                target.endian = if word == "BIG" { Endian::Big } else { Endian::Little };
            }
        }
        "ELF_MACHINE" => {
            let machine = reader.number(0..=0xffff, diagnostics);
            target.elf_machine = machine.and_then(|machine| u16::try_from(machine).ok());
        }
        "ELF_CLASS" => target.elf_class = elf_class(&reader, diagnostics),
        "ELF_ADDRESS" => {
            let word = reader
                .single(diagnostics)
                .and_then(|word| reader.word(word, &["VIRTUAL", "PHYSICAL"], diagnostics));
            if let Some(word) = word {
                target.elf_address =
                    if word == "PHYSICAL" { ElfAddress::Physical } else { ElfAddress::Virtual };
            }
        }
        "STACK" => target.stack = stack(&reader, diagnostics),
        "HOST" => {
            let map = reader.single(diagnostics).and_then(|map| reader.name_of(map, diagnostics));
            target.host = map.and_then(|map| table.names.map(map, diagnostics));
        }
        "SYSCALLS" => {
            let word = reader.single(diagnostics).and_then(|word| reader.word(word, &SYSCALLS, diagnostics));
            target.syscalls = match word {
                Some("LINUX_O32") => Syscalls::LinuxO32,
                Some("LINUX_EABI") => Syscalls::LinuxEabi,
                _ => Syscalls::LinuxGeneric,
            };
        }
        "LOAD" => target.loads.extend(load(field, &reader, diagnostics)),
        "COMMENT" => target.comment = beginning(&reader, diagnostics),
        "HEX" => target.hex = beginning(&reader, diagnostics),
        "BINARY" => target.binary = beginning(&reader, diagnostics),
        _ => reader.unknown("TARGET", &FIELDS, diagnostics),
    }
}

fn elf_class(reader: &OptionReader<'_>, diagnostics: &mut Diagnostics) -> Option<u32> {
    match reader.number(0..=u128::MAX, diagnostics)? {
        32 => Some(32),
        64 => Some(64),
        _ => {
            reader.wrong("takes 32 or 64", diagnostics);
            None
        }
    }
}

/// `STACK (x[2], 0x1000)` or `STACK (sp, 0x1000)`
fn stack(reader: &OptionReader<'_>, diagnostics: &mut Diagnostics) -> Option<(RegisterPlace, u128)> {
    let (place, value) = reader.pair(diagnostics)?;
    let (found, parts) = typing::register_place(reader.table, place, "the stack pointer", diagnostics)?;
    let width_bits = found.ty.width_bits;
    let (what, bits) = ("the first value of the stack pointer", (width_bits, place.span));
    let value = typing::pattern(reader.table, value, what, bits, diagnostics)?;
    let (name, span) = ("STACK".to_owned(), place.span);
    Some((RegisterPlace { name, span, width_bits, parts }, value))
}

/// `LOAD (low, high) -> map`
fn load(
    field: &TargetField,
    reader: &OptionReader<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(u64, u64, MapId)> {
    let (low, high) = reader.pair(diagnostics)?;
    let limits = 0..=u128::from(u64::MAX);
    let table = reader.table;
    let first = typing::number_within(table, low, "an address", limits.clone(), diagnostics);
    let last = typing::number_within(table, high, "an address", limits, diagnostics);
    let map = match &field.map {
        Some(map) => table.names.map(map, diagnostics),
        None => default_map(table),
    };
    let (first, last) = (u64::try_from(first?).ok()?, u64::try_from(last?).ok()?);
    if first > last {
        let message = format!("LOAD ends at {last:#x}, before it begins at {first:#x}");
        diagnostics.push(error(code::RANGE_BOUNDS, field.span, message, "no bytes"));
        return None;
    }
    if map.is_none() && field.map.is_none() {
        let message = "LOAD has to say which of the maps it means";
        let diagnostic = error(code::BAD_OPTION, field.span, message, "no map")
            .help("name one, as `LOAD (0, 0xff) -> map;`");
        diagnostics.push(diagnostic);
    }
    Some((first, last, map?))
}
