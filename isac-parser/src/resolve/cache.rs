//! CACHEs and DEVICEs: resources that stand before a memory, or beside it.

use super::code;
use super::collect::Definitions;
use super::names::{Global, Table, wrong_kind};
use super::option::{Once, OptionReader};
use super::report::error;
use crate::ast::{CacheDeclaration, DeviceDeclaration};
use crate::diagnostic::Diagnostics;
use crate::model::{Cache, Device, DeviceKind, RamId, Replacement, WritePolicy};
use crate::source::Span;

pub(crate) const CACHE_OPTIONS: [&str; 8] =
    ["SIZE", "LINE", "WAYS", "REPLACEMENT", "WRITE", "HIT", "MISS", "OVER"];
pub(crate) const KINDS: [&str; 3] = ["CONSOLE", "TIMER", "EXIT"];

/// Most cells of a cache.
const MOST_CELLS: u128 = 1 << 30;

/// Resolves the caches into [`Table::caches`] and the devices into [`Table::devices`].
pub(crate) fn resolve_caches_and_devices(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    for cache in &definitions.caches {
        let cache = resolve_cache(cache, table, diagnostics);
        table.caches.push(cache);
    }
    for device in &definitions.devices {
        let device = resolve_device(device, table, diagnostics);
        table.devices.push(device);
    }
}

/// Options of a cache that have to be there.
#[derive(Default)]
struct Needed {
    size: Option<Option<(u64, Span)>>,
    line: Option<Option<(u64, Span)>>,
    over: Option<Option<RamId>>,
}

fn resolve_cache(
    declaration: &CacheDeclaration,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Cache> {
    let mut cache = Cache {
        name: declaration.name.text.clone(),
        span: declaration.name.span,
        size_cells: 1,
        line_cells: 1,
        ways: 1,
        replacement: Replacement::LeastRecentlyUsed,
        write: WritePolicy::Back,
        hit_cycles: 1,
        hit_span: None,
        miss_cycles: 1,
        over: RamId(0),
    };
    let (mut once, mut needed, mut sound) = (Once::default(), Needed::default(), true);
    let mut ways_span = None;
    for option in &declaration.options {
        let (name, arguments, span) = (&option.name, option.arguments.as_slice(), option.span);
        let reader = OptionReader { name, arguments, span, table };
        once.note(name, diagnostics);
        sound &= match name.text.as_str() {
            "SIZE" => {
                needed.size = Some(power_of_two(&reader, diagnostics));
                true
            }
            "LINE" => {
                needed.line = Some(power_of_two(&reader, diagnostics));
                true
            }
            "OVER" => {
                needed.over = Some(over(&reader, table, diagnostics));
                true
            }
            "WAYS" => {
                let ways = power_of_two(&reader, diagnostics);
                ways.map(|(ways, span)| (cache.ways, ways_span) = (ways, Some(span))).is_some()
            }
            "HIT" => {
                cache.hit_span = Some(span);
                reader.cycles(diagnostics).map(|cycles| cache.hit_cycles = cycles).is_some()
            }
            "MISS" => reader.cycles(diagnostics).map(|cycles| cache.miss_cycles = cycles).is_some(),
            "REPLACEMENT" => {
                let word = word(&reader, &["LRU", "FIFO", "RANDOM"], diagnostics);
                word.map(|word| cache.replacement = replacement(word)).is_some()
            }
            "WRITE" => {
                let word = word(&reader, &["BACK", "THROUGH"], diagnostics);
                let policy = |word| if word == "BACK" { WritePolicy::Back } else { WritePolicy::Through };
                word.map(|word| cache.write = policy(word)).is_some()
            }
            _ => {
                reader.unknown("a CACHE", &CACHE_OPTIONS, diagnostics);
                true
            }
        };
    }
    // An option that does not exist may be one of these.
    if declaration.options.iter().all(|option| CACHE_OPTIONS.contains(&&*option.name.text)) {
        report_missing(declaration, &needed, diagnostics);
    }
    let ((size, span), (line, line_span)) = (needed.size??, needed.line??);
    (cache.size_cells, cache.line_cells, cache.over) = (size, line, needed.over??);
    if sound && line.saturating_mul(cache.ways) > size {
        let ways = match cache.ways {
            1 => "a way".to_owned(),
            ways => format!("{ways} ways"),
        };
        let message = format!("a CACHE of {size} cells cannot hold {ways} of {line}");
        let diagnostic = error(code::BAD_OPTION, span, message, "too small")
            .secondary(line_span, "cells of a line")
            .help("SIZE is at least LINE times WAYS");
        diagnostics.push(match ways_span {
            Some(span) => diagnostic.secondary(span, "lines of a set"),
            None => diagnostic,
        });
        return None;
    }
    sound.then_some(cache)
}

fn report_missing(declaration: &CacheDeclaration, needed: &Needed, diagnostics: &mut Diagnostics) {
    let missing = [
        (needed.size.is_none(), "SIZE", "SIZE (4096)"),
        (needed.line.is_none(), "LINE", "LINE (32)"),
        (needed.over.is_none(), "OVER", "OVER (ram)"),
    ];
    for (_, option, example) in missing.into_iter().filter(|(missing, _, _)| *missing) {
        let message = format!("the CACHE `{}` has no {option}", declaration.name.text);
        let diagnostic =
            error(code::BAD_OPTION, declaration.name.span, message, format!("{option} is needed"))
                .help(format!("say it, as `{example};`"));
        diagnostics.push(diagnostic);
    }
}

/// The single argument, which has to be a power of two.
fn power_of_two(reader: &OptionReader<'_>, diagnostics: &mut Diagnostics) -> Option<(u64, Span)> {
    let value = reader.number(1..=MOST_CELLS, diagnostics)?;
    if value.is_power_of_two() {
        return Some((u64::try_from(value).ok()?, reader.span));
    }
    let below = 1 << value.ilog2();
    let nearest = match below < MOST_CELLS {
        true => format!("write {below} or {}", 2 * below),
        false => format!("write {below}"),
    };
    let message = format!("{} is {value}, but has to be a power of two", reader.name.text);
    diagnostics.push(error(code::BAD_OPTION, reader.span, message, "not as expected").help(nearest));
    None
}

fn word<'a>(reader: &OptionReader<'a>, known: &[&str], diagnostics: &mut Diagnostics) -> Option<&'a str> {
    let argument = reader.single(diagnostics)?;
    reader.word(argument, known, diagnostics)
}

fn replacement(word: &str) -> Replacement {
    match word {
        "FIFO" => Replacement::FirstInFirstOut,
        "RANDOM" => Replacement::Random,
        _ => Replacement::LeastRecentlyUsed,
    }
}

fn over(reader: &OptionReader<'_>, table: &Table, diagnostics: &mut Diagnostics) -> Option<RamId> {
    let argument = reader.single(diagnostics)?;
    let name = reader.name_of(argument, diagnostics)?;
    let found = table.names.global(name, "memory", diagnostics)?;
    match found.what {
        Global::Ram(id) => table.ram(id).map(|_| id),
        _ => {
            diagnostics.push(wrong_kind(name, &found, "a RAM"));
            None
        }
    }
}

fn resolve_device(
    declaration: &DeviceDeclaration,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Device> {
    let (mut once, mut kind) = (Once::default(), None);
    for option in &declaration.options {
        let (name, arguments, span) = (&option.name, option.arguments.as_slice(), option.span);
        let reader = OptionReader { name, arguments, span, table };
        once.note(name, diagnostics);
        match name.text.as_str() {
            "KIND" => kind = Some(word(&reader, &KINDS, diagnostics)),
            _ => reader.unknown("a DEVICE", &["KIND"], diagnostics),
        }
    }
    if kind.is_none() {
        let message = format!("the DEVICE `{}` has no KIND", declaration.name.text);
        let diagnostic = error(code::BAD_OPTION, declaration.name.span, message, "what is it?")
            .help(format!("say what it is, as `KIND (CONSOLE);`: one of {}", KINDS.join(", ")));
        diagnostics.push(diagnostic);
    }
    let kind = match kind?? {
        "CONSOLE" => DeviceKind::Console,
        "TIMER" => DeviceKind::Timer,
        _ => DeviceKind::Exit,
    };
    Some(Device { name: declaration.name.text.clone(), span: declaration.name.span, kind })
}
