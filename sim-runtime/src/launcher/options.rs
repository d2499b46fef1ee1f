//! The options of a run, the same for `gentool run` and for a generated simulator.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use sim_profile::{Duplication, Instrumented, Mode, Sampling};

use crate::host::DEFAULT_CLOCK_HZ;
use crate::launcher::number::{parse_count, parse_number, parse_seconds};
use crate::launcher::sample_choice::{SampleChecks, SampleCode, SampleOnly};
use crate::launcher::snapshot::SnapshotInterval;
use crate::launcher::value_choice::parse_values_at;
use crate::trace::{CycleWindow, WIDEST_DIAGRAM, parse_window};

/// The options that keep what samples tell, by the name of their group: one is enough.
const SAMPLES_KEPT: &str = "samples_kept";

/// How to run which program.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new(SAMPLES_KEPT).multiple(true))]
pub struct RunOptions {
    /// The program: a static ELF executable, Intel HEX, S-records, or the raw bytes of memory.
    ///
    /// The format is known by how the file begins; what begins like none of the others is read as
    /// raw bytes. See --format.
    pub program: PathBuf,

    /// What the program finds in argv, after its own name.
    ///
    /// Write -- before them: run ... program.elf -- -v input.txt
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,

    /// Write the profile as XML to FILE.
    ///
    /// It holds the executed instructions with their counts, coverage, and every resource with
    /// its accesses. FILE is replaced as a whole when the run has ended, by whatever end.
    /// Example: --report run.xml
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub report: Option<PathBuf>,

    /// Store the profile itself in FILE, to make reports from it later and to merge it.
    ///
    /// Example: --profile run.profile
    #[arg(long, value_name = "FILE", group = SAMPLES_KEPT, help_heading = "Results")]
    pub profile: Option<PathBuf>,

    /// Store the profile so far in FILE.1, FILE.2 and so on of --profile FILE while the run goes on.
    ///
    /// After each N instructions (K, M, G), or with an s behind the number after so many seconds of
    /// your time. The signal SIGUSR1 stores one at any time, with this option or without.
    /// Example: --profile run.profile --snapshot-every 100M
    #[arg(
        long,
        value_name = "N|SECONDS",
        requires = "profile",
        value_parser = SnapshotInterval::parse,
        help_heading = "Results"
    )]
    pub snapshot_every: Option<SnapshotInterval>,

    /// Store a snapshot whenever the run comes to this address of its code, too.
    ///
    /// WHERE is an address, a function or label of the program, or NAME+N. A snapshot is written before
    /// the instruction there. May be repeated.
    /// Example: --profile run.profile --snapshot-at next_frame
    #[arg(long, value_name = "WHERE", requires = "profile", help_heading = "Results")]
    pub snapshot_at: Vec<String>,

    /// Let each snapshot hold what was counted since the one before, and not since the run began.
    ///
    /// --profile FILE itself holds all of the run as ever. Where instructions overlap it cannot be done.
    #[arg(long, requires = "profile", help_heading = "Results")]
    pub snapshot_apart: bool,

    /// Begin to count when the run comes to this address of its code.
    ///
    /// The profile and all reports hold what runs from there up to --count-until, each time that the run
    /// comes there. WHERE is an address, a function or label of the program, or NAME+N; counting begins
    /// before the instruction there. May be repeated.
    /// Example: --report run.xml --count-from main --count-until guest_exit
    #[arg(long, value_name = "WHERE", help_heading = "Results")]
    pub count_from: Vec<String>,

    /// Cease to count when the run comes to this address of its code, until --count-from begins again.
    ///
    /// May be repeated. Without --count-from the run is counted from its beginning.
    #[arg(long, value_name = "WHERE", help_heading = "Results")]
    pub count_until: Vec<String>,

    /// Write every single event of the run to FILE (reference engine alone).
    ///
    /// The file grows with every cycle: a million instructions take tens of megabytes. Limit
    /// the run. Example: --events run.events --limit-instructions 10K
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub events: Option<PathBuf>,

    /// Write what is in which stage in each cycle to FILE, for the pipeline viewer Konata.
    ///
    /// The file is of the Kanata format, version 4. Reference engine alone.
    /// Example: --pipeline-trace run.kanata
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub pipeline_trace: Option<PathBuf>,

    /// The cycles of --pipeline-trace: the first, from 1 on, and how many.
    ///
    /// Numbers may have a unit (K, M, G). A cycle takes 100 to 300 bytes of the file.
    /// Example: --pipeline-window 5M:2K
    #[arg(
        long,
        value_name = "FROM:COUNT",
        default_value = "1:10K",
        requires = "pipeline_trace",
        value_parser = parse_window,
        help_heading = "Results"
    )]
    pub pipeline_window: CycleWindow,

    /// Draw what is in which stage in these cycles, on standard error when the run has ended.
    ///
    /// Instructions stand below each other, cycles beside each other, at most 200 of them. A stage
    /// in lower case: the instruction stands there; x: it is cancelled; !: its fault strikes.
    /// Reference engine alone. Example: --pipeline-diagram 1:30
    #[arg(long, value_name = "FROM:COUNT", value_parser = parse_diagram, help_heading = "Results")]
    pub pipeline_diagram: Option<CycleWindow>,

    /// Write the final registers, counts and a digest of each memory as text to FILE.
    ///
    /// Two runs with equal files ended in the same state. Example: --dump-state end.txt
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub dump_state: Option<PathBuf>,

    /// Count the values that instructions read and write, and write the most frequent ones to FILE.
    ///
    /// For each register file, register and memory that an operation of an instruction touches: how many
    /// values, from where to where, and how often the most frequent one. With --sample those of the
    /// samples. A generated simulator takes it if it was generated with --values. Example: --values
    /// run.values --values-of mul
    #[arg(
        long,
        value_name = "FILE",
        group = SAMPLES_KEPT,
        conflicts_with = "events",
        help_heading = "Results"
    )]
    pub values: Option<PathBuf>,

    /// Where the instructions for --values are; anywhere if left out.
    ///
    /// WHERE is an address, the first and the last one, a function, which is all of it, a label, or NAME+N.
    /// May be given several times. Example: --values-at main --values-at 0x10100-0x1013c
    #[arg(
        long,
        value_name = "WHERE",
        requires = "values",
        value_parser = parse_values_at,
        help_heading = "Results"
    )]
    pub values_at: Vec<String>,

    /// An operation of the description that has part in the instructions for --values; any if left out.
    ///
    /// An instruction is decoded to several of them: its own, those of its operands, and those that
    /// they are chosen by. May be given several times. Example: --values-of mul --values-of div
    #[arg(long, value_name = "OPERATION", requires = "values", help_heading = "Results")]
    pub values_of: Vec<String>,

    /// Print instructions, cycles, seconds and million instructions a second at the end.
    ///
    /// Hits and misses of simulated caches follow, a line for each cache, and what the translated engine
    /// has compiled and interpreted, with the instructions that keep it from being fast, and why. All of
    /// this goes to standard error, so that the program's own output stays as it is.
    #[arg(long, help_heading = "Results")]
    pub stats: bool,

    /// Simulate caches and latencies in a model whose instructions do not overlap.
    ///
    /// `.latency` is then what an access cost, and not 1, and hits and misses are counted. Models
    /// with a pipeline or a delay always do so.
    #[arg(long, help_heading = "Results")]
    pub caches: bool,

    /// Follow calls and returns, for the call graph of the profile.
    ///
    /// What calls and what returns is found in the description. With functions of the program's
    /// symbols, jumps between them count as tail calls.
    #[arg(long, help_heading = "Results")]
    pub calls: bool,

    /// A file that names code of this run beside the program: boot ROM, library, or the ELF file that a raw
    /// program was made from; may be given several times.
    ///
    /// Nothing of it is loaded. Its functions count for --calls and where an option takes a name. Where the
    /// code lies elsewhere than the file says, ADDRESS is added to the addresses of an ELF file.
    /// Example: --calls --image rom.elf --image app.elf@0x1000
    #[arg(long = "image", value_name = "FILE[@ADDRESS]", help_heading = "Results")]
    pub images: Vec<String>,

    /// Count what runs at samples alone, one at every N-th check on average.
    ///
    /// A check is a jump to an address that is not above its own, or a call; a sample lasts from one to
    /// the next. `gentool report --format sampled` shows what follows for the whole run. N may have a unit
    /// (K, M, G). Example: --profile run.profile --sample 1K
    #[arg(
        long,
        value_name = "N",
        requires = SAMPLES_KEPT,
        conflicts_with_all = ["report", "calls"],
        value_parser = parse_positive,
        group = "sampling",
        help_heading = "Results"
    )]
    pub sample: Option<u64>,

    /// Begin the samples of --sample at random, from SEED on.
    ///
    /// The distance between two is N on average then. A program that does the same every N checks is
    /// told as it is by such samples alone. Example: --sample 1K --sample-random 7
    #[arg(long, value_name = "SEED", requires = "sample", value_parser = parse_number, help_heading = "Results")]
    pub sample_random: Option<u64>,

    /// Let each sample of --sample last for N checks, 1 if left out.
    ///
    /// The distance counts from the beginning of one to that of the next. Example: --sample 1K
    /// --sample-burst 10
    #[arg(long, value_name = "N", requires = "sampling", value_parser = parse_positive, help_heading = "Results")]
    pub sample_burst: Option<u64>,

    /// Let samples begin and end at these places alone.
    ///
    /// With calls alone a sample may run in loops for as long as they turn, so that intervals are known of
    /// calls alone. Example: --sample 1K --sample-checks back-edges
    #[arg(
        long,
        value_name = "WHERE",
        value_enum,
        requires = "sampling",
        default_value = "both",
        help_heading = "Results"
    )]
    pub sample_checks: SampleChecks,

    /// Count these instructions alone in the samples of --sample, calls or accesses to memory.
    ///
    /// --sample-code says what that changes. Translated engine alone.
    /// Example: --sample 1K --sample-only calls --sample-code none
    #[arg(long, value_name = "WHAT", value_enum, requires = "sampling", help_heading = "Results")]
    pub sample_only: Option<SampleOnly>,

    /// What there is a second time, with counters in it, for --sample-only.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        requires = "sample_only",
        default_value = "partial",
        help_heading = "Results"
    )]
    pub sample_code: SampleCode,

    /// Begin samples by this computer's clock, one every N microseconds, in place of --sample.
    ///
    /// To compare: such samples are others in each run, and the profile says so. The clock is looked at
    /// every 64 checks. Translated engine alone. Example: --profile run.profile --sample-timer 1000
    #[arg(
        long,
        value_name = "N",
        requires = SAMPLES_KEPT,
        conflicts_with_all = ["sample", "sample_random", "report", "calls", "caches"],
        value_parser = parse_positive,
        group = "sampling",
        help_heading = "Results"
    )]
    pub sample_timer: Option<u64>,

    /// End the run after N instructions, with exit status 124.
    ///
    /// Those that were cancelled count, too. N may have a unit (K, M, G) and underscores. Default: no limit.
    /// Example: --limit-instructions 10M
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = "Limits")]
    pub limit_instructions: Option<u64>,

    /// End the run with the first instruction that ends in cycle N or later, with exit status 124.
    ///
    /// Where instructions overlap, end it with cycle N itself; those in flight stay unfinished. N may have a
    /// unit (K, M, G) and underscores. Default: no limit. Example: --limit-cycles 1_000_000
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = "Limits")]
    pub limit_cycles: Option<u64>,

    /// End the run after so many seconds of your time, with exit status 124.
    ///
    /// Where exactly it ends depends on this computer; to repeat a run, limit instructions or
    /// cycles. Default: no limit. Example: --timeout 60
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, help_heading = "Limits")]
    pub timeout: Option<f64>,

    /// Let the program open files in DIR and below, and nowhere else.
    ///
    /// DIR is the program's working directory. Paths that lead out of it, by .., as absolute
    /// paths or through links, are refused. Default: the program can open no file.
    /// Example: --root ./inputs
    #[arg(long, value_name = "DIR", help_heading = "Guest")]
    pub root: Option<PathBuf>,

    /// Seed of the random numbers that the program gets, and of REPLACEMENT (RANDOM).
    ///
    /// The same seed gives the same run. Example: --seed 7
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_number, help_heading = "Guest")]
    pub seed: u64,

    /// Frequency of the simulated clock, in cycles a second.
    ///
    /// The program's time is its cycle count at this frequency; it never sees the time of this
    /// computer. Example: --clock-hz 16M
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CLOCK_HZ, value_parser = parse_frequency, help_heading = "Guest")]
    pub clock_hz: u64,

    /// How FILE holds the program.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_enum, help_heading = "Start")]
    pub format: ProgramFormat,

    /// Load raw bytes, at ADDRESS; the same as --format raw.
    ///
    /// ADDRESS counts bytes of the map that TARGET's HOST names. Default: where the program
    /// counter is after RESET. Example: --raw=0x1000
    #[arg(
        long,
        value_name = "ADDRESS",
        value_parser = parse_number,
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Start"
    )]
    pub raw: Option<Option<u64>>,

    /// Begin at ADDRESS instead of the program's entry or the model's RESET.
    ///
    /// ADDRESS counts cells, as the program counter does. Example: --pc 0x80000000
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number, help_heading = "Start")]
    pub pc: Option<u64>,

    /// Set a register before the first instruction; may be given several times.
    ///
    /// REGISTER is a register, a name of an element or an element by index; VALUE is decimal,
    /// 0x, 0b or 0o, and may be negative. Example: --set a0=5 --set sp=-16
    #[arg(long = "set", value_name = "REGISTER=VALUE", allow_hyphen_values = true, help_heading = "Start")]
    pub set: Vec<String>,
}

/// How a file holds a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgramFormat {
    /// What the file begins like, else raw.
    #[default]
    Auto,
    /// A static ELF executable.
    Elf,
    /// Intel HEX.
    Ihex,
    /// Motorola S-records.
    Srec,
    /// The bytes of memory themselves; see --raw for their address.
    Raw,
}

impl RunOptions {
    /// Whether something is asked for that needs a measurement; without, an engine may be made
    /// without profiling and runs faster.
    #[must_use]
    pub fn wants_measurement(&self) -> bool {
        self.report.is_some() || self.profile.is_some() || self.values.is_some()
    }

    /// How samples are to be taken, if they are.
    ///
    /// # Errors
    /// They would be longer than what is between them, or there are no such checks.
    pub fn sampling(&self) -> Result<Option<Sampling>, String> {
        let burst = self.sample_burst.unwrap_or(1);
        let Some(interval) = self.sample.or(self.sample_timer.map(|_| burst)) else { return Ok(None) };
        let instrumented = self.sample_only.map(|only| match only {
            SampleOnly::Calls => Instrumented::Calls,
            SampleOnly::Accesses => Instrumented::Accesses,
        });
        let duplication = match (instrumented, self.sample_code) {
            (None, _) => Duplication::Full,
            (Some(instrumented), SampleCode::Partial) => Duplication::Partial(instrumented),
            (Some(instrumented), SampleCode::None) => Duplication::None(instrumented),
        };
        if burst > interval {
            return Err(format!(
                "samples of {burst} checks do not fit into intervals of {interval}; make \
                 --sample-burst smaller, or --sample larger"
            ));
        }
        let (seed, timer_microseconds) = (self.sample_random, self.sample_timer);
        let places = self.sample_checks.places();
        if let Duplication::None(instrumented) = duplication
            && !places.is_both()
        {
            return Err(format!(
                "with --sample-code none {instrumented} are the only checks; leave out --sample-checks, or say \
                 --sample-code partial"
            ));
        }
        Ok(Some(Sampling { interval, burst, seed, duplication, places, timer_microseconds }))
    }

    /// Whether values are those of some instructions, and not of all.
    pub(super) fn has_chosen_values(&self) -> bool {
        !self.values_at.is_empty() || !self.values_of.is_empty()
    }

    /// Whether parts of the run are counted, and not all of it.
    #[must_use]
    pub fn is_counted_in_parts(&self) -> bool {
        !self.count_from.is_empty() || !self.count_until.is_empty()
    }

    /// The options given that have a run pause at addresses.
    #[must_use]
    pub fn pauses(&self) -> Vec<&'static str> {
        let all = [
            ("--count-from", &self.count_from),
            ("--count-until", &self.count_until),
            ("--snapshot-at", &self.snapshot_at),
        ];
        all.into_iter().filter(|(_, places)| !places.is_empty()).map(|(option, _)| option).collect()
    }

    /// How what is measured comes about.
    pub(super) fn mode(&self) -> Mode {
        self.sampling().ok().flatten().map_or(Mode::Exact, Mode::Sampled)
    }

    /// The option that no engine but the translated one serves, if one is given.
    #[must_use]
    pub fn wants_translated(&self) -> Option<&'static str> {
        [("--sample-only", self.sample_only.is_some()), ("--sample-timer", self.sample_timer.is_some())]
            .into_iter()
            .find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// The option that no engine but the reference engine serves, if one is given.
    #[must_use]
    pub fn wants_reference(&self) -> Option<&'static str> {
        [
            ("--events", self.events.is_some()),
            ("--pipeline-trace", self.pipeline_trace.is_some()),
            ("--pipeline-diagram", self.pipeline_diagram.is_some()),
        ]
        .into_iter()
        .find_map(|(option, is_given)| is_given.then_some(option))
    }
}

fn parse_diagram(text: &str) -> Result<CycleWindow, String> {
    let window = parse_window(text)?;
    match window.count {
        ..=WIDEST_DIAGRAM => Ok(window),
        _ => Err(format!("a diagram has at most {WIDEST_DIAGRAM} cycles; --pipeline-trace takes more")),
    }
}

fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("expected at least 1".to_owned()),
        count => Ok(count),
    }
}

fn parse_frequency(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("expected at least one cycle a second".to_owned()),
        frequency => Ok(frequency),
    }
}
