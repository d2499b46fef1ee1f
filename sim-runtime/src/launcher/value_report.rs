//! The values that instructions read and write, as `--values` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isac_ir::Model;
use isac_ir::decode::DecodedNode;
use isac_ir::operation::Target;
use isac_ir::root::RootDecoding;
use sim_profile::coverage::format_percent;
use sim_profile::{
    Counted, CountedValue, InstructionKey, Measurement, Mode, Profile, Samples, Sampling, ValueKind,
    ValuePlace, ValueTable, Values,
};

use crate::record::{KeyDecoder, static_table};

/// How many of the most frequent values are shown.
const SHOWN: usize = 5;

/// The values of a run, or of its samples, as a text.
pub(super) fn render_values(model: &Model, profile: &Profile, values: &ValueTable) -> String {
    let measurement = &profile.measurement;
    let sampled = match profile.provenance.mode {
        Mode::Sampled(sampling) => profile.samples.map(|samples| (sampling.observed(samples), samples)),
        _ => None,
    };
    let places = PlaceNames::of(model, measurement);
    let (texts, begun) = (texts(model, measurement), begun(measurement));
    Report { model, places, texts, begun, sampled, out: String::new() }.write(values)
}

/// The texts of the instructions that ran.
fn texts(model: &Model, measurement: &Measurement) -> BTreeMap<InstructionKey, String> {
    let facts = static_table(model, measurement).into_iter();
    facts.filter_map(|(key, facts)| Some((key, facts.text?))).collect()
}

/// The instruction that a place is of.
fn key_of(place: &ValuePlace) -> InstructionKey {
    InstructionKey { address: place.address, word: place.word }
}

/// How often instructions were begun that may have read or written something.
fn begun(measurement: &Measurement) -> BTreeMap<InstructionKey, u64> {
    let records = measurement.instructions.iter().map(|(key, record)| {
        let begun = [record.executed, record.cancelled, record.faulted, record.unfinished];
        (*key, begun.into_iter().fold(0, u64::saturating_add))
    });
    records.collect()
}

/// What operands are called in the instructions that ran.
struct PlaceNames<'m> {
    model: &'m Model,
    /// Their decoding trees.
    trees: BTreeMap<InstructionKey, RootDecoding>,
}

impl<'m> PlaceNames<'m> {
    fn of(model: &'m Model, measurement: &Measurement) -> PlaceNames<'m> {
        let decoder = KeyDecoder::new(model);
        let records = measurement.instructions.iter();
        let trees = records.filter_map(|(key, record)| Some((*key, decoder.decode(key, &record.name)?)));
        PlaceNames { model, trees: trees.collect() }
    }

    /// The names by which the operations above know what accesses at a place: the nearest one's first.
    fn aliases(&self, place: &ValuePlace) -> Vec<&'m str> {
        let mut aliases = Vec::new();
        let Some(tree) = self.trees.get(&key_of(place)) else { return aliases };
        let nodes = &tree.decoded.nodes;
        let own = nodes.get(place.node as usize).map(|node| node.target);
        if own != Some(Target::Operation(place.operation)) {
            return aliases;
        }
        let mut next = Some(place.node);
        while let Some(node) = next.and_then(|node| nodes.get(node as usize)) {
            // Parts of SWITCHes stand between a CODINGROOT and its elements.
            let parent = |node: &DecodedNode| node.parent.and_then(|parent| nodes.get(parent as usize));
            let above = std::iter::successors(parent(node), |above| parent(above));
            let operation = above.map(|above| above.target).find_map(|target| match target {
                Target::Operation(operation) => Some(operation),
                Target::Group(_) | Target::Label(_) => None,
            });
            if let (Some(instance), Some(operation)) = (node.instance, operation) {
                let instance = self.model.operation(operation).instances.get(instance as usize);
                aliases.extend(instance.map(|instance| instance.alias.as_str()));
            }
            next = node.parent;
        }
        aliases
    }

    /// What stands for the operation of a place among others of its instruction: its name, with that of the
    /// operand where another place has the same one, as `rs1 (reg)`.
    fn name(&self, place: &ValuePlace, others: &[&ValuePlace]) -> String {
        let operation = &self.model.operation(place.operation).name;
        let kind = |place: &ValuePlace| (place.operation, place.resource, place.kind);
        let alike: Vec<_> = others
            .iter()
            .filter(|other| other.node != place.node && kind(other) == kind(place))
            .map(|other| self.aliases(other))
            .collect();
        let own = self.aliases(place);
        if alike.is_empty() || own.is_empty() {
            return operation.clone();
        }
        // As many names as tell it from the others.
        let enough = (1..own.len()).find(|length| {
            alike.iter().all(|other| own.get(..*length) != other.get(..(*length).min(other.len())))
        });
        let shown = &own[..enough.unwrap_or(own.len())];
        format!("{} ({operation})", shown.iter().rev().copied().collect::<Vec<_>>().join("."))
    }
}

/// What is known of how far figures may be off.
enum Intervals {
    /// They are those of the whole run.
    Exact,
    /// Time has chosen the samples.
    OfTimer,
    /// An address may run twice between two checks.
    OfLoops,
    /// As far as these samples tell.
    Known(Sampling, Samples),
}

struct Report<'m> {
    model: &'m Model,
    places: PlaceNames<'m>,
    texts: BTreeMap<InstructionKey, String>,
    begun: BTreeMap<InstructionKey, u64>,
    sampled: Option<(Sampling, Samples)>,
    out: String,
}

impl Report<'_> {
    fn write(mut self, table: &ValueTable) -> String {
        match self.sampled {
            None => self.out.push_str("values of the whole run\n"),
            Some((sampling, samples)) => {
                let counted = sampling.duplication.instrumented();
                let alone = counted.map_or(String::new(), |counted| format!(", of {counted} alone"));
                let _ = writeln!(self.out, "values in {}{alone};", sampling.describe(samples));
                let behind = match self.intervals() {
                    Intervals::Exact => None,
                    Intervals::OfTimer => Some(
                        ";\nsamples that time chooses come more often where checks are rare: no interval is known",
                    ),
                    Intervals::OfLoops => {
                        Some(";\nbetween two calls a loop runs as often as it likes: no interval is known")
                    }
                    Intervals::Known(sampling, _) if sampling.seed.is_some() => {
                        Some(",\nranges behind them the 95 % intervals of the times in the whole run")
                    }
                    Intervals::Known(..) => Some(
                        ",\nranges behind them the 95 % intervals of the times in the whole run, if nothing in the \
                         program\nkeeps the time of samples at equal distances",
                    ),
                };
                let _ = match behind {
                    None => writeln!(self.out, "all of the run is in them"),
                    Some(behind) => writeln!(
                        self.out,
                        "values and times are those of the samples, shares what follows for the whole run{behind}"
                    ),
                };
            }
        }
        let places: Vec<&ValuePlace> = table.keys().collect();
        for places in places.chunk_by(|one, next| key_of(one) == key_of(next)) {
            let key = key_of(places[0]);
            let text = self.texts.get(&key).cloned().unwrap_or_else(|| key.word.to_string());
            let _ = writeln!(self.out, "\n{:#x}  {text}", key.address);
            for place in places {
                let name = self.places.name(place, places);
                self.write_values(place, &name, &table[place]);
            }
        }
        if table.is_empty() {
            self.out.push_str("\nnone\n");
        }
        self.out
    }

    fn write_values(&mut self, place: &ValuePlace, name: &str, values: &Values) {
        let names = self.model.resource_names();
        let resource = names.get(place.resource as usize).map_or("", String::as_str);
        let (kind, is_address) = match place.kind {
            ValueKind::Read => ("reads", false),
            ValueKind::ReadAddress => ("reads", true),
            ValueKind::Written => ("writes", false),
            ValueKind::WrittenAddress => ("writes", true),
        };
        let (detail, [one, several]) = match is_address {
            true => (" at", ["address", "addresses"]),
            false if self.is_wide(place.resource) => (" (at most 128 bits)", ["value", "values"]),
            false => ("", ["value", "values"]),
        };
        let distinct = match values.distinct() {
            Some(1) => format!("1 {one}"),
            Some(distinct) => format!("{distinct} {several}"),
            None => format!("many {several}"),
        };
        let Values { times, lowest, highest, .. } = values;
        let _ = writeln!(
            self.out,
            "  {name} {kind} {resource}{detail}: {}, {distinct} from {lowest:#x} to {highest:#x}, \
             invariance {}{}%",
            many_times(*times),
            self.mark(),
            percent(values.invariant_times(), *times)
        );
        for CountedValue { value, times: most, uncertain } in values.frequent().into_iter().take(SHOWN) {
            // Where values were too many to count, the rare ones have borrowed what they show.
            let least = most - uncertain;
            if least * 2 <= most {
                continue;
            }
            let about = if uncertain > 0 { format!("{least} to {most} times") } else { many_times(most) };
            let (mark, share) = (self.mark(), percent(least, *times));
            let interval = self.interval(place, *times, [least, most]).unwrap_or_default();
            let _ = writeln!(self.out, "    {value:#x}: {about}, {mark}{share}%{interval}");
        }
    }

    /// What is known of how far figures may be off.
    fn intervals(&self) -> Intervals {
        match self.sampled {
            None => Intervals::Exact,
            Some((sampling, _)) if sampling.timer_microseconds.is_some() => Intervals::OfTimer,
            Some((sampling, _)) if sampling.share() >= 1.0 => Intervals::Exact,
            Some((sampling, _)) if !sampling.bounds_stretches() => Intervals::OfLoops,
            Some((sampling, samples)) => Intervals::Known(sampling, samples),
        }
    }

    /// How often a value was there in the whole run, of which the samples have so many at least and at most.
    fn interval(&self, place: &ValuePlace, times: u64, [least, most]: [u64; 2]) -> Option<String> {
        let Intervals::Known(sampling, samples) = self.intervals() else { return None };
        let begun = self.begun.get(&key_of(place)).copied().unwrap_or(0).max(1);
        // Of an instruction that reads or writes several values there, all may have been the same.
        let each = times.div_ceil(begun);
        let estimate = |counted: u64| {
            let mut sum = Counted::default();
            if counted >= each {
                sum.add(counted / each, each);
            }
            if !counted.is_multiple_of(each) {
                sum.add(1, counted % each);
            }
            sampling.estimate(&sum)
        };
        // No instruction ended more often than all of them.
        let all = samples.instructions.saturating_mul(each).max(most) as f64;
        let (low, high) = (estimate(least).low.floor(), estimate(most).high.ceil().min(all));
        Some(format!(" ({low} - {high})"))
    }

    /// Whether a resource has values of which the low bits alone are counted.
    fn is_wide(&self, resource: u32) -> bool {
        let (resource, registers) = (resource as usize, &self.model.registers);
        let map = resource.checked_sub(registers.len()).and_then(|map| self.model.maps.get(map));
        let width = map.map(|map| map.cell_bits).or(registers.get(resource).map(|known| known.width_bits));
        width.is_some_and(|width| width > u128::BITS)
    }

    /// What stands before shares that follow from samples.
    fn mark(&self) -> &'static str {
        match self.intervals() {
            Intervals::Exact => "",
            Intervals::OfTimer | Intervals::OfLoops | Intervals::Known(..) => "~",
        }
    }
}

fn many_times(times: u64) -> String {
    format!("{times} {}", if times == 1 { "time" } else { "times" })
}

fn percent(part: u64, whole: u64) -> String {
    format!("{} ", format_percent(part, whole))
}
