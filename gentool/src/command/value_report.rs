//! The values that instructions read and write, as `gentool run --values` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use isac_ir::Model;
use sim_profile::coverage::format_percent;
use sim_profile::{CountedValue, Sampling, ValuePlace, ValueTable, Values};
use sim_runtime::Engine as _;
use sim_runtime::launcher::{AtomicFile, parse_number};
use sim_runtime::record::static_table;
use sim_runtime::reference::ReferenceEngine;

use super::Failure;

/// How many of the most frequent values are shown.
const SHOWN: usize = 5;

/// Reads `FIRST-LAST`, or one address.
pub(super) fn parse_addresses(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (parse_number(first)?, parse_number(last)?);
    match first <= last {
        true => Ok((first, last)),
        false => Err(format!("{last:#x} is below {first:#x}; write the lower address first")),
    }
}

/// Writes the values of a run.
pub(super) fn write_values(
    model: &Model,
    engine: &mut ReferenceEngine<'_>,
    sampling: Option<Sampling>,
    path: &Path,
) -> Result<(), Failure> {
    let texts = texts(model, engine);
    let no_values = ValueTable::new();
    let report = Report { model, texts, sampling, out: String::new() };
    let report = report.write(engine.values().unwrap_or(&no_values));
    let unwritable = |error: std::io::Error| {
        let path = path.display();
        Failure::other(format!("cannot write the values {path}: {error}; name a file that you may write to"))
    };
    let mut file = AtomicFile::create(path).map_err(unwritable)?;
    file.write_all(report.as_bytes()).map_err(unwritable)?;
    file.finish().map_err(unwritable)
}

/// The texts of the instructions that ran, by address; of several at one, the last by its word.
fn texts(model: &Model, engine: &mut ReferenceEngine<'_>) -> BTreeMap<u64, String> {
    let Some(measurement) = engine.measurement() else { return BTreeMap::new() };
    let facts = static_table(model, &measurement).into_iter();
    facts.filter_map(|(key, facts)| Some((key.address, facts.text?))).collect()
}

struct Report<'m> {
    model: &'m Model,
    texts: BTreeMap<u64, String>,
    sampling: Option<Sampling>,
    out: String,
}

impl Report<'_> {
    fn write(mut self, table: &ValueTable) -> String {
        match self.sampling {
            None => self.out.push_str("values of the whole run\n"),
            Some(Sampling { interval, burst, seed, places, .. }) => {
                let how = if seed.is_some() { " on average, at random" } else { "" };
                let _ = writeln!(self.out, "values in samples of {burst}, one in {interval} {places}{how};");
                self.out.push_str("times are those of the samples, shares what follows for the whole run\n");
            }
        }
        let mut address = None;
        for (place, values) in table {
            if address.replace(place.address) != Some(place.address) {
                let text = self.texts.get(&place.address).map_or("", String::as_str);
                let _ = writeln!(self.out, "\n{:#x}  {text}", place.address);
            }
            self.write_values(place, values);
        }
        if table.is_empty() {
            self.out.push_str("\nnone\n");
        }
        self.out
    }

    fn write_values(&mut self, place: &ValuePlace, values: &Values) {
        let operation = &self.model.operation(place.operation).name;
        let names = self.model.resource_names();
        let resource = names.get(place.resource as usize).map_or("", String::as_str);
        let kind = if place.is_written { "writes" } else { "reads" };
        let distinct = match values.distinct() {
            Some(1) => "1 value".to_owned(),
            Some(distinct) => format!("{distinct} values"),
            None => "many values".to_owned(),
        };
        let Values { times, lowest, highest, .. } = values;
        let _ = writeln!(
            self.out,
            "  {operation} {kind} {resource}: {times} times, {distinct} from {lowest:#x} to {highest:#x}, \
             invariance {}{}%",
            self.mark(),
            percent(values.invariant_times(), *times)
        );
        for CountedValue { value, times: most, uncertain } in values.frequent().into_iter().take(SHOWN) {
            // Where values were too many to count, the rare ones have borrowed what they show.
            let least = most - uncertain;
            if least * 2 < most {
                continue;
            }
            let about = if uncertain > 0 { format!(" to {most}") } else { String::new() };
            let (mark, share) = (self.mark(), percent(least, *times));
            let _ = writeln!(self.out, "    {value:#x}: {least}{about} times, {mark}{share}%");
        }
    }

    /// What stands before shares that follow from samples.
    fn mark(&self) -> &'static str {
        if self.sampling.is_some() { "~" } else { "" }
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{} ", format_percent(part, whole))
}
