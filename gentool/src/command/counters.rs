//! `gentool counters`

mod meaning;
mod note;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::PathBuf;

use clap::ValueEnum;
use sim_profile::counters::{
    CountedEvent, CounterSet, Descent, ExactCounters, MetricGraph, Region, SetError, Uncounted,
    render_counters, render_counters_dot, render_descent, render_raw_counters,
};
use sim_profile::program::render::FunctionNames;
use sim_profile::program::{Program, ProgramProfile};
use sim_profile::{Profile, control_table, spending_of};
use sim_runtime::launcher::parse_number;

use self::meaning::check_options;
use self::note::Notes;
use super::mistaken_file::instead_of_counters;
use super::program_report::{ImageOptions, tell_notes};
use super::{Failure, profile_file};

/// Count events in regions of a program, from stored profiles.
///
/// The counts are exact, and counting them changes nothing in the run. Without --region they are those
/// of the whole run and, with --image, of every function that ran.
///
/// Example: gentool counters run.profile --image main.elf --event cycles,loads --region self:main
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` has written; several profiles of one program are added up.
    #[arg(value_name = "PROFILE", required_unless_present = "load")]
    profiles: Vec<PathBuf>,

    #[command(flatten)]
    files: ImageOptions,

    /// What to count; may be given several times.
    ///
    /// instructions, cycles, loads, stores, fetches (each with .MAP for one memory map), taken (jumps),
    /// cancelled, faulted, stalls, stalls.stage, stalls.miss, stalls.retry, stalls.occupied, extra_cycles,
    /// hits, misses, write_backs (each with .CACHE for one cache), or event.NAME for the model's own.
    /// Default: instructions,cycles.
    #[arg(long = "event", value_name = "EVENT", value_delimiter = ',')]
    events: Vec<String>,

    /// Where to count: run, FIRST-LAST, self:FUNCTION or inclusive:FUNCTION; may be given several times.
    ///
    /// FIRST and LAST are addresses, both included. self: is a function by itself, inclusive: with all
    /// that it calls, for which the run has to have been followed by --calls.
    #[arg(long = "region", value_name = "REGION")]
    regions: Vec<String>,

    /// A figure that follows from counters; may be given several times.
    ///
    /// NAME alone is one that is always there: cpi, ideal_cpi, share, stall_share, miss_share,
    /// taken_share, load_share, store_share. A FORMULA has numbers, + - * / ( ), events and metrics;
    /// run.X is X of the whole run. Default: all that can be computed from what is counted.
    /// Example: --metric "per_load=cycles / loads"
    #[arg(long = "metric", value_name = "NAME[=FORMULA]")]
    metrics: Vec<String>,

    /// How many counters there are at a time, as on a processor: what more is to be counted takes
    /// further passes.
    #[arg(long, value_name = "N", value_parser = parse_counters)]
    counters: Option<u32>,

    /// Find the functions that take most instructions or cycles, with what they call: breadth-first down
    /// the call graph, leaving out what those that call it cannot have taken.
    #[arg(long, value_name = "EVENT", num_args = 0..=1, default_missing_value = "cycles", conflicts_with = "load")]
    descend: Option<String>,

    /// The least that --descend looks for, in percent of the whole run.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, requires = "descend", value_parser = parse_threshold)]
    threshold: f64,

    /// Read counters of the same run that --save has stored, and show them together with the others.
    #[arg(long, value_name = "FILE")]
    load: Vec<PathBuf>,

    /// Store the counters, to show them later and to join them with others of the same run.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// What the result looks like.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Where to write the result; standard output if left out.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn parse_counters(text: &str) -> Result<u32, String> {
    let counters = text.parse().ok().filter(|counters| *counters > 0);
    counters.ok_or_else(|| "expected how many there are, from 1 to 2^32 - 1, like 4".to_owned())
}

fn parse_threshold(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a percentage from 0 to 100, like 5 or 0.5".to_owned())
}

/// The forms of counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table: regions below each other, events and metrics beside each other.
    Text,
    /// A count a line: region, event, number, with tabulators between.
    Raw,
    /// The call graph with counts and metrics at the functions, for dot.
    Dot,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    check_options(options)?;
    for (what, out) in [("result", &options.out), ("set of counters", &options.save)] {
        let out = out.as_deref();
        for sources in [&options.profiles, &options.files.paths(), &options.load] {
            profile_file::check_out(what, out, sources)?;
        }
    }
    let request = Request::of(options)?;
    let mut set: Option<CounterSet> = None;
    let mut found = String::new();
    if !options.profiles.is_empty() {
        let profile = profile_file::read_merged(&options.profiles)?;
        let (counted, text) = request.count(options, &profile)?;
        (set, found) = (Some(counted), text);
    }
    for path in &options.load {
        if let Some(found) = instead_of_counters(path) {
            return Err(Failure::other(format!("{} is no set of counters: {found}", path.display())));
        }
        let wrong = |error| Failure::other(format!("{} {error}", path.display()));
        let file = File::open(path).map_err(|error| wrong(SetError::Read(error)))?;
        let loaded = CounterSet::read(file).map_err(wrong)?;
        match &mut set {
            None => set = Some(loaded),
            Some(set) => set.join(loaded).map_err(wrong)?,
        }
    }
    request.write(options, set.unwrap_or_default(), &found)
}

/// What the options ask for, as far as it can be understood without a profile.
struct Request {
    events: BTreeSet<CountedEvent>,
    regions: Vec<Region>,
    /// Names of the metrics that were asked for.
    metrics: Vec<String>,
    formulas: BTreeMap<String, String>,
    /// What to descend by.
    descend: Option<CountedEvent>,
}

impl Request {
    fn of(options: &Options) -> Result<Request, Failure> {
        let other = |error: &dyn std::fmt::Display| Failure::other(error.to_string());
        let event = |text: &String| text.parse::<CountedEvent>().map_err(|error| other(&error));
        let mut events = options.events.iter().map(event).collect::<Result<BTreeSet<_>, _>>()?;
        let regions = options.regions.iter();
        let regions = regions.map(|text| Region::parse(text, parse_number).map_err(|error| other(&error)));
        let regions = regions.collect::<Result<Vec<Region>, _>>()?;
        let descend = options.descend.as_ref().map(event).transpose()?;
        if let Some(event) = descend.as_ref().filter(|event| !event.is_monotone()) {
            return Err(Failure::other(format!(
                "--descend cannot go by `{event}`, of which a function may have more than those that call it \
                 are known to have; go by instructions or cycles"
            )));
        }
        let (mut metrics, mut formulas) = (Vec::new(), BTreeMap::<String, String>::new());
        for text in &options.metrics {
            let (name, formula) = match text.split_once('=') {
                Some((name, formula)) => (name.trim(), Some(formula.trim())),
                None => (text.trim(), None),
            };
            if !metrics.iter().any(|metric| metric == name) {
                metrics.push(name.to_owned());
            }
            let Some(formula) = formula else { continue };
            let known = formulas.insert(name.to_owned(), formula.to_owned());
            if known.is_some_and(|known| known != formula) {
                return Err(Failure::other(format!(
                    "the metric `{name}` has two formulas; rename one of them"
                )));
            }
        }
        if events.is_empty() && metrics.is_empty() {
            events.extend([CountedEvent::Instructions, CountedEvent::Cycles]);
        }
        Ok(Request { events, regions, metrics, formulas, descend })
    }

    /// Counts what is asked for; what a descent has found comes as text.
    fn count(&self, options: &Options, profile: &Profile) -> Result<(CounterSet, String), Failure> {
        profile_file::check_one_program(profile, "counters are of regions of")?;
        let cells = profile.measurement.tables.code;
        let program = options.files.read_program(profile)?.unwrap_or_else(|| Program::read(&[], cells));
        tell_notes(&program);
        if let Some(note) = profile_file::note_of_parts(profile) {
            say!("note: {note}");
        }
        let control = control_table(&profile.statics);
        let of_program = ProgramProfile {
            statics: &profile.statics,
            calls: profile.calls.as_ref(),
            ..ProgramProfile::of(&profile.measurement, &program, &control)
        };
        let names = FunctionNames::of(&program);
        let mut set = CounterSet::of(profile);
        set.metrics.clone_from(&self.formulas);
        let mut found = String::new();
        if let Some(event) = &self.descend {
            found = descend(options, profile, event, &names, &mut set)?;
        }
        if self.descend.is_none() || !self.regions.is_empty() {
            self.count_regions(options, &of_program, &names, &mut set)?;
        }
        if let Some(calls) = of_program.calls {
            let regions: BTreeSet<String> =
                set.counts.keys().filter_map(|(region, _)| Some(region.function()?.to_owned())).collect();
            let arcs = calls.arcs.iter().map(|(key, arc)| (key, arc.calls));
            set.add_calls(arcs, |start| Some(names.at(start)).filter(|name| regions.contains(name)))
                .map_err(|error| Failure::other(format!("the set of counters {error}")))?;
        }
        Ok((set, found))
    }

    fn count_regions(
        &self,
        options: &Options,
        profile: &ProgramProfile<'_>,
        names: &FunctionNames<'_>,
        set: &mut CounterSet,
    ) -> Result<(), Failure> {
        let graph = MetricGraph::new(&self.formulas).map_err(|error| Failure::other(error.to_string()))?;
        let (mut events, mut of_run) = (self.events.clone(), BTreeSet::new());
        for metric in &self.metrics {
            let (own, whole) = graph.events(metric);
            if own.is_empty() && whole.is_empty() && self.formulas.contains_key(metric) {
                return Err(Failure::other(format!(
                    "the metric `{metric}` is the same wherever it is counted; name an event in its formula, as in \
                     {metric}=cycles / instructions"
                )));
            }
            events.extend(own);
            of_run.extend(whole);
        }
        if self.metrics.is_empty() && events.contains(&CountedEvent::Cycles) {
            of_run.insert(CountedEvent::Cycles);
        }
        let regions = match self.regions.is_empty() {
            true => default_regions(profile, names),
            false => self.regions.clone(),
        };
        let mut asked: BTreeSet<(Region, CountedEvent)> =
            of_run.into_iter().map(|event| (Region::Run, event)).collect();
        for region in &regions {
            asked.extend(events.iter().map(|event| (region.clone(), event.clone())));
        }
        let counters = options.counters.map_or(asked.len(), |counters| counters as usize);
        set.passes += asked.len().div_ceil(counters.max(1)) as u64;
        let exact = ExactCounters::new(profile);
        let mut notes = Notes::default();
        notes.look_at(&exact, profile, (&regions, &events));
        for (region, event) in asked {
            match exact.count(&region, &event) {
                Ok(count) => add(set, region, event, count)?,
                Err(
                    error @ (Uncounted::Function(_)
                    | Uncounted::Ambiguous(..)
                    | Uncounted::Cache(..)
                    | Uncounted::Map(..)),
                ) => {
                    return Err(Failure::other(error.to_string()));
                }
                // Who named no region asked for nothing in particular.
                Err(Uncounted::WithoutAddress(_)) if self.regions.is_empty() => {}
                Err(error) => notes.add_uncounted(region, &error),
            }
        }
        notes.tell();
        Ok(())
    }

    fn write(&self, options: &Options, mut set: CounterSet, found: &str) -> Result<i32, Failure> {
        for (name, formula) in &self.formulas {
            set.metrics.insert(name.clone(), formula.clone());
        }
        let graph = MetricGraph::new(&set.metrics).map_err(|error| Failure::other(error.to_string()))?;
        let metrics = self.shown_metrics(&graph, &set)?;
        if let Some(path) = &options.save {
            profile_file::write_by(Some(path), |file| set.write(file))?;
        }
        let text = match options.format {
            Format::Text if self.descend.is_some() && self.regions.is_empty() => found.to_owned(),
            Format::Text if self.descend.is_some() => {
                format!("{found}\n{}", render_counters(&set, &graph, &metrics))
            }
            Format::Text => render_counters(&set, &graph, &metrics),
            Format::Raw => render_raw_counters(&set, &graph, &metrics),
            Format::Dot => render_counters_dot(&set, &graph, &metrics),
        };
        profile_file::write(options.out.as_deref(), text.as_bytes())
    }

    /// Those that were asked for; otherwise all that follow from what was counted in any region.
    fn shown_metrics(&self, graph: &MetricGraph, set: &CounterSet) -> Result<Vec<String>, Failure> {
        if let Some(unknown) = self.metrics.iter().find(|metric| !graph.names().any(|name| name == *metric)) {
            let names: Vec<&str> = graph.names().collect();
            return Err(Failure::other(format!(
                "no metric is called `{unknown}`; there are {}, or give --metric {unknown}=FORMULA",
                names.join(", ")
            )));
        }
        if !self.metrics.is_empty() {
            return Ok(self.metrics.clone());
        }
        let regions: BTreeSet<&Region> = set.counts.keys().map(|(region, _)| region).collect();
        let values = regions.into_iter().map(|region| set.metric_values(graph, region));
        let have_value: BTreeSet<&str> = values.flat_map(BTreeMap::into_keys).collect();
        Ok(have_value.into_iter().map(str::to_owned).collect())
    }
}

/// The whole run, and all functions that ran.
fn default_regions(profile: &ProgramProfile<'_>, names: &FunctionNames<'_>) -> Vec<Region> {
    let program = profile.program;
    let ran = profile.cost_by_function().into_keys();
    let has_cells = |number: &u32| program.function_at(program.function(*number).start) == *number;
    let ran = ran.filter(|number| *number > sim_profile::program::NO_INSTRUCTION).filter(has_cells);
    let functions = ran.map(|number| Region::Own(names.number(number)));
    std::iter::once(Region::Run).chain(functions).collect()
}

/// Measures functions down the call graph; what was measured goes into the set, too.
fn descend(
    options: &Options,
    profile: &Profile,
    event: &CountedEvent,
    names: &FunctionNames<'_>,
    set: &mut CounterSet,
) -> Result<String, Failure> {
    let Some(calls) = &profile.calls else {
        return Err(Failure::other(
            "--descend goes down the call graph, and calls were not followed; measure the run with --calls",
        ));
    };
    let of = |spending: sim_profile::Spending| match event {
        CountedEvent::Instructions => spending.instructions,
        _ => spending.cycles,
    };
    let total = of(spending_of(&profile.measurement));
    if *event == CountedEvent::Instructions && calls.count_idle_cycles(&profile.measurement) {
        return Err(Failure::other(
            "some cycles of the run had no instruction, and calls do not tell them from instructions; measure \
             functions by --descend cycles",
        ));
    }
    let threshold = (total as f64 * options.threshold / 100.0).ceil() as u64;
    let counters = options.counters.unwrap_or(1) as usize;
    let measure = |function: u64| calls.functions.get(&function).map_or(0, |count| of(count.inclusive));
    let descent = Descent::of(calls, counters, threshold, measure);
    set.passes += descent.passes.len() as u64;
    for (function, spent) in descent.passes.iter().flatten() {
        add(set, Region::Inclusive(names.at(*function)), event.clone(), *spent)?;
    }
    add(set, Region::Run, event.clone(), total)?;
    if !descent.unknown.is_empty() {
        let (forgotten, unknown) = (calls.forgotten, descent.unknown.len());
        say!(
            "note: {forgotten} calls were forgotten before they returned, since the stack was full: what functions \
             spent with what they call is not known of {unknown} that lead to those that call each other in a \
             circle; what these spent by themselves is told by --region self:NAME"
        );
    }
    Ok(render_descent(&descent, event, counters, total, |function| names.at(function)))
}

fn add(set: &mut CounterSet, region: Region, event: CountedEvent, count: u64) -> Result<(), Failure> {
    set.add(region, event, count).map_err(|error| Failure::other(format!("the set of counters {error}")))
}
