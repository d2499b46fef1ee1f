//! The engine: interprets what is cold, enters compiled regions where it is hot.

mod compiled;
mod ending;
mod found;
mod interpreted;
mod patched;
mod samples;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use isac_ir::Model;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use sim_profile::{Calls, Measurement, Samples, Sampling, Spending, ValueTable};
use sim_runtime::host::Host;
use sim_runtime::pause::Pauses;
use sim_runtime::record::{FunctionMap, Recording, ValueChoice, ValueRecorder};
use sim_runtime::{Engine, Fault, Machine, Stop};

use self::compiled::Way;
use self::found::{Found, step_at};
use self::interpreted::Interpreted;
use self::patched::Patched;
use self::samples::Sampled;
use crate::beside::Helper;
use crate::calls::CallTrail;
use crate::code::{Code, CodeKind, Translation, Version};
use crate::core::{Core, Ending};
use crate::counting::Counting;
use crate::interpret::{TURNS_UNASKED, interpret};
use crate::native::Entry;
use crate::obstacle::examine;
use crate::region::{Region, find_region};
use crate::specialise::{Place, Step, specialise_body};
use crate::state::State;
use crate::steps::Steps;
use crate::unroll::{Due, LongLoops, unroll};

/// After so many arrivals a place is compiled, unless it is said otherwise: to compile an instruction takes as
/// long as to interpret it some hundred times.
const HOT: u32 = 200;
/// After so many in the beginning, where much runs that will not run often.
const HOT_AT_FIRST: u32 = 500;
/// So many instructions are the beginning.
const BEGINNING: u64 = 1_000_000;
/// That many arrivals of a place say that it is compiled, or cannot be.
const TRIED: u32 = u32::MAX;
/// Fewer instructions at once are interpreted.
const FEW: u64 = 16;
/// So many instructions behind a budget that is merely renewed, arrivals make no place hot: the next
/// region is near.
const PATIENCE: u64 = 1000;

/// The engine that translates isac-ir to machine code while the program runs.
pub struct TranslatedEngine<'m> {
    core: Core<'m>,
    steps: Steps,
    /// Compiled regions; `None` before the first, and on a host that nothing can be compiled for.
    code: Option<Code>,
    /// After so many arrivals a place is compiled: in the beginning, and later.
    hot: [u32; 2],
    /// How often places were arrived at that are not compiled for what they are asked for.
    heat: HashMap<(Version, Place), u32>,
    /// The way by which compiled code came to the place at hand, to be connected with code of the same version.
    came_by: Option<Way>,
    /// The version that ran last.
    version: Version,
    /// The place at hand was not come to in sequence.
    arrived: bool,
    /// Addresses of instructions that compiled code often leaves to the interpreter, with how often it
    /// has; from some time on they are compiled so that it need not.
    redone: HashMap<u64, u32>,
    /// The RAM that an instruction has accessed when it was interpreted last, by address.
    reached: HashMap<u64, u32>,
    /// The one that it is compiled for.
    expected: HashMap<u64, u32>,
    /// Instructions that were compiled for one after they had been for another.
    turned: HashSet<u64>,
    precise: HashSet<u64>,
    /// Which edges count.
    counting: Counting,
    /// Who makes machine code beside the run, if somebody is to.
    helper: Option<Helper>,
    translation: Translation,
    interpreted: Interpreted,
    /// Compiled code has come to the instruction at hand, and left it to the interpreter.
    is_left: bool,
    /// How often code was made anew for further places that a jump leads to.
    widened: u32,
    /// Instructions that are often left to the interpreter: they write close to code, or what stands for
    /// several turns of a loop is out of reach for them.
    near: HashSet<u64>,
    /// Loops that were gone around often.
    long: LongLoops,
    /// Compiled code is to be made anew.
    is_stale: bool,
    /// So many instructions are interpreted before compiled code is entered again.
    slow: u64,
    /// In so many instructions arrivals make no place hot.
    patience: u64,
    /// The map that instructions are fetched from.
    code_map: u32,
    profiles: bool,
    /// Instructions that were written over, by address.
    patched: Patched,
    /// Cycles without an instruction that were not at fault.
    undecoded: u64,
    undecoded_faults: BTreeMap<u64, u64>,
    /// The steps of `memory_fault` by address of the instruction and program counter, of those that depend on
    /// nothing else.
    handlers: HashMap<(u64, u64), Arc<Step>>,
    /// As [`sim_runtime::record::Recording::undecoded_extra_cycles`].
    undecoded_extra_cycles: BTreeMap<Option<u64>, u64>,
    is_reset: bool,
    stopped: Option<Stop>,
    /// What is counted of the run, if it is not all of it.
    sampled: Option<Sampled>,
    /// The steps that tell values, by number.
    noted: HashMap<u32, Arc<Step>>,
    /// What stands there is never compiled.
    pauses: Pauses,
    /// Who follows calls, if anybody does.
    calls: Option<CallTrail>,
}

impl<'m> TranslatedEngine<'m> {
    /// A processor after reset, without profile; `None` for a model that cannot be translated, see
    /// [`crate::find_obstacles`].
    pub fn new(model: &'m Model) -> Option<TranslatedEngine<'m>> {
        let items = examine(model).ok()?;
        Some(TranslatedEngine {
            core: Core::new(State::new(model, items)?),
            code: None,
            hot: [HOT_AT_FIRST, HOT],
            heat: HashMap::default(),
            came_by: None,
            version: Version::Long,
            arrived: true,
            slow: 0,
            patience: 0,
            redone: HashMap::default(),
            reached: HashMap::default(),
            expected: HashMap::default(),
            turned: HashSet::default(),
            precise: HashSet::default(),
            near: HashSet::default(),
            counting: Counting::default(),
            helper: None,
            translation: Translation::default(),
            interpreted: Interpreted::default(),
            is_left: false,
            widened: 0,
            long: LongLoops::default(),
            is_stale: false,
            steps: Steps::default(),
            code_map: crate::obstacle::code_map(model)?,
            profiles: false,
            patched: Patched::default(),
            undecoded: 0,
            undecoded_faults: BTreeMap::new(),
            handlers: HashMap::default(),
            undecoded_extra_cycles: BTreeMap::new(),
            is_reset: false,
            stopped: None,
            sampled: None,
            noted: HashMap::default(),
            pauses: Pauses::default(),
            calls: None,
        })
    }

    /// The same with the exact profile.
    #[must_use]
    pub fn with_profile(mut self) -> Self {
        self.profiles = true;
        self
    }

    /// The same that compiles a place when it is arrived at for so many times, at least once. Neither
    /// state nor profile depends on it.
    #[must_use]
    pub fn with_threshold(mut self, arrivals: u32) -> Self {
        self.hot = [arrivals.max(1); 2];
        self
    }

    /// The same with counters on other edges of the flow graphs, to compare: the profile is the same.
    #[must_use]
    pub fn with_counting(mut self, counting: Counting) -> Self {
        self.counting = counting;
        self
    }

    /// The same that goes on interpreting while a thread beside it makes machine code, where one can be had. Neither
    /// state nor profile depends on it; what was compiled, and how much interpreted, differs from run to run.
    #[must_use]
    pub fn with_compiler_beside(mut self) -> Self {
        self.helper = Some(Helper { model: Arc::new(self.core.model().clone()), askings: None });
        self
    }

    /// The same, and code comes along when it was asked for so often, however long it takes: a run is the same each
    /// time.
    #[must_use]
    pub fn with_compiler_beside_after(self, askings: u32) -> Self {
        let mut engine = self.with_compiler_beside();
        engine.helper.iter_mut().for_each(|helper| helper.askings = Some(askings));
        engine
    }

    /// After how many arrivals a place is compiled.
    fn hot(&self) -> u32 {
        let [at_first, later] = self.hot;
        // Beside the run, what will hardly run again takes nobody's time.
        if self.core.instructions < BEGINNING && self.helper.is_none() { at_first } else { later }
    }

    /// What was translated so far.
    pub fn translation(&self) -> Translation {
        self.translation
    }

    /// Runs operation `reset` once; it belongs to no instruction.
    fn reset(&mut self) -> Option<Stop> {
        if std::mem::replace(&mut self.is_reset, true) {
            return None;
        }
        let model = self.core.model();
        let reset = model.reset?;
        let pc = self.core.state.pc();
        let body = model.operation(reset).behavior.as_ref()?;
        let step = specialise_body(model, &self.core.state, (pc, pc), reset, body);
        let outcome = interpret(&mut self.core, &step, None);
        self.charge_undecoded(None);
        let exit = self.core.devices.exit_status().map(Stop::Halted);
        match outcome.ending {
            None | Some(Ending::Cancelled) => exit,
            Some(Ending::Halted(status)) => exit.or(Some(Stop::Halted(status))),
            Some(Ending::Fault(kind)) => {
                Some(Stop::Fault(Fault { kind, instruction_address: pc, cycle: self.cycles() }))
            }
            Some(Ending::Interrupted) => Some(Stop::Interrupted),
        }
    }

    /// Carries out one instruction; gives how much of the budget it takes.
    fn interpret_one(&mut self) -> (u64, Option<Stop>) {
        let place = self.core.place();
        let (own, number, step) = step_at(&mut self.core, &mut self.steps, self.code_map, place);
        let noted = self.noted_step(own, number);
        let is_apart = noted.is_some() && self.sampled.is_none();
        let is_left = std::mem::take(&mut self.is_left);
        // What follows what compiled code leaves, or never has, is compiled by itself.
        let ends_region = is_apart || is_left || step.undone.is_none() || self.is_patched(step.address);
        let places = (self.core.model(), &self.core.state.layout);
        let linear = number.filter(|_| noted.is_none()).and_then(|number| self.steps.linear(number, places));
        let step = noted.unwrap_or(step);
        self.core.reached = None;
        let outcome = interpret(&mut self.core, &step, linear);
        if std::mem::take(&mut self.core.state.written_near) {
            self.near.insert(step.address);
        }
        if let Some(ram) = self.core.reached {
            self.reached.insert(step.address, ram);
        }
        self.slow = self.slow.saturating_sub(1);
        self.patience = self.patience.saturating_sub(1);
        let successor = self.core.model().successor(step.address, step.size_cells);
        self.arrived = ends_region || outcome.pc != successor;
        match number {
            Some(number) if outcome.is_decoded => {
                let is_awaiting = !ends_region && self.code.as_ref().is_some_and(Code::is_waiting);
                self.interpreted.count(number, is_left, is_awaiting);
                let (is_over, pc) = (outcome.ending.is_none(), outcome.pc);
                let counted = self.count(number, &step, outcome);
                if is_over {
                    self.follow(&step, pc);
                }
                counted
            }
            _ => {
                let (is_over, pc) = (outcome.ending.is_none(), outcome.pc);
                let counted = self.count_undecoded(place.address, outcome.ending);
                if is_over {
                    self.follow_nothing(pc);
                }
                counted
            }
        }
    }

    /// Drops everything that was made of code that is no longer there, or when there is no room.
    fn forget_code(&mut self) {
        let is_full = self.code.as_ref().is_some_and(Code::is_full);
        let is_told_late = self.calls.as_mut().is_some_and(CallTrail::is_stale);
        let is_written = std::mem::take(&mut self.core.state.code_written);
        let is_gone = is_full || is_written && !self.patch();
        let is_stale = std::mem::take(&mut self.is_stale)
            | std::mem::take(&mut self.core.state.claims_more)
            | is_told_late;
        if is_gone || is_stale {
            self.collect();
            match is_gone {
                // It may be another program by now.
                true => {
                    self.retire_interpreted();
                    self.steps.retire();
                    self.noted.clear();
                    self.long.clear();
                    self.core.state.unmark_code();
                    self.core.state.written.clear();
                    self.patched.clear();
                    self.heat.clear();
                }
                // The same instructions are compiled in another way; what was hot will be again.
                false => {
                    let hot = self.hot();
                    self.heat
                        .iter_mut()
                        .for_each(|((version, _), heat)| *heat = (*heat).min(version.threshold(hot) - 1));
                }
            }
            if let Some(calls) = &mut self.calls {
                calls.forget_code(is_gone);
            }
            self.came_by = None;
            if self.code.take().is_some() {
                self.translation.renewals += 1;
            }
        }
    }

    fn collect(&mut self) {
        if let Some(code) = &mut self.code {
            code.collect(&mut self.core, &mut self.steps);
            if let Some((calls, frames)) = self.calls.as_mut().zip(code.frames()) {
                frames.drain(&self.core.state.arena, calls.recorder());
            }
        }
    }

    /// Goes on from the place at hand with at most `left` instructions; gives how much of the budget
    /// it takes.
    fn go_on(&mut self, left: u64) -> (u64, Option<Stop>) {
        if self.arrived && self.slow == 0 {
            let place = self.place_at_hand();
            for version in self.versions() {
                let Some(entry) = self.entry_at(*version, place) else {
                    if self.core.state.claims_more && self.code.is_some() {
                        // No code may run that was compiled for less.
                        break;
                    }
                    continue;
                };
                let instructions = left.min(self.instructions_to_next_time());
                if let Some(allowed) = self.allowed(*version, instructions) {
                    if let (Version::Long, Some(sampled)) = (version, &mut self.sampled) {
                        sampled.go_away();
                    }
                    return self.run_compiled((*version, place), entry, allowed);
                }
                break;
            }
        }
        self.came_by = None;
        self.interpret_one()
    }

    /// How many instructions there are until a device asks for something.
    fn instructions_to_next_time(&mut self) -> u64 {
        let deadline = self.core.devices.cycles_to_next_time(self.core.cycles(0));
        self.core.divide_cycles(deadline)
    }

    /// The place at hand as compiled code has left it: it need not know all that registers hold.
    fn place_at_hand(&mut self) -> Place {
        let mut place = self.core.place();
        match (&self.came_by, &self.code) {
            (Some(Way::Link(link)), _) => place.mode = link.target.mode,
            (Some(Way::Jump(site) | Way::Return(site)), Some(code)) => place.mode = code.jump_mode(*site),
            (Some(Way::Told(told)), _) => place.mode = told.mode,
            _ => {}
        }
        match self.core.state.items.has_addresses() {
            true => step_at(&mut self.core, &mut self.steps, self.code_map, place).0,
            false => place,
        }
    }

    /// The compiled region at a place, compiled now if the place is hot.
    fn entry_at(&mut self, version: Version, place: Place) -> Option<Entry> {
        if let Some(code) = &mut self.code {
            if code.is_waiting() {
                code.take_made(&mut self.core, &mut self.translation);
            }
            let found = code.find(version, place);
            if found.is_some() || code.awaits(version, place) {
                return found;
            }
        }
        let is_cold = |sampled: &mut Sampled| !sampled.arrive();
        if version == Version::Long && (self.patience > 0 || self.sampled.as_mut().is_some_and(is_cold)) {
            return None;
        }
        let hot = version.threshold(self.hot());
        let heat = self.heat.entry((version, place)).or_default();
        // What could not be compiled is not tried again.
        if *heat == TRIED {
            return None;
        }
        *heat += 1;
        // While one is made the others wait, and the hottest one most likely comes first.
        if *heat < hot || self.code.as_ref().is_some_and(Code::is_waiting) {
            return None;
        }
        *heat = TRIED;
        let mut region = self.region_at(version, place)?;
        if self.core.state.claims_more && self.code.is_some() {
            // What is compiled is for a memory without the instructions that were decoded just now.
            return None;
        }
        while std::mem::take(&mut self.core.state.claims_more) {
            // What was decoded on the way may tell of an instruction before it that it calls.
            region = self.region_at(version, place)?;
        }
        if version == Version::Long {
            let due = Due {
                instructions: self.instructions_to_next_time(),
                checks: self.sampled.as_ref().map_or(u64::MAX, Sampled::interval),
            };
            unroll(&mut region, &mut self.long, due);
        }
        for address in region.blocks.iter().flat_map(|block| &block.steps).map(|found| found.step.address) {
            if let Some(ram) = self.reached.get(&address) {
                let expected = *self.expected.entry(address).or_insert(*ram);
                region.reached.insert(address, expected);
            }
        }
        region.near.clone_from(&self.near);
        region.precise.clone_from(&self.precise);
        if self.code.is_none() {
            let checks = self.sampled.as_ref().map(Sampled::checks);
            let profiles = self.profiles && checks.is_none();
            let kind = CodeKind { profiles, checks, follows_calls: self.calls.is_some() };
            let helper = self.helper.clone();
            self.code = Code::new(&mut self.core, kind, self.counting.clone(), helper).ok();
        }
        self.code.as_mut()?.compile(&mut self.core, (version, place), region, &mut self.translation)
    }

    /// The region of a version that begins at a place.
    fn region_at(&mut self, version: Version, place: Place) -> Option<Region> {
        let model = self.core.model();
        let items = self.core.state.items.clone();
        let found = Found {
            core: &mut self.core,
            steps: &mut self.steps,
            code_map: self.code_map,
            pauses: &self.pauses,
            patched: &self.patched,
            checks: self.sampled.as_ref().map(Sampled::checks),
            version,
            calls: self.calls.as_mut(),
            code: self.code.as_ref(),
        };
        find_region(model, &items, place, found)
    }
}

impl Engine for TranslatedEngine<'_> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.core.state
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.stopped {
            return stop;
        }
        std::mem::swap(&mut self.core.host, host);
        let mut left = instructions;
        let mut stop = self.reset();
        // One instruction at a time, as debuggers run them, is nothing to compile for.
        let slow = if instructions < FEW { instructions } else { 0 };
        (self.arrived, self.slow, self.came_by) = (true, slow, None);
        let mut turns: u64 = 0;
        while stop.is_none() && left > 0 {
            if self.pauses.is_at(|| self.core.state.pc()) {
                std::mem::swap(&mut self.core.host, host);
                return Stop::Paused { taken: instructions - left, is_at_address: true };
            }
            self.forget_code();
            let (taken, ended) = self.go_on(left);
            self.look();
            debug_assert!(taken <= left, "{taken} instructions have run, and {left} were asked for");
            left -= taken.min(left);
            stop = ended;
            turns += 1;
            let is_recalled = turns.is_multiple_of(TURNS_UNASKED) && self.core.host.is_recalled();
            if stop.is_none() && left > 0 && (is_recalled || self.is_rest_slow(instructions, left)) {
                stop = Some(Stop::Paused { taken: instructions - left, is_at_address: false });
            }
        }
        std::mem::swap(&mut self.core.host, host);
        self.stopped = stop.filter(|stop| !matches!(stop, Stop::Paused { .. }));
        stop.unwrap_or(Stop::Budget)
    }

    fn pause_at(&mut self, addresses: &BTreeSet<u64>) -> bool {
        self.pauses = Pauses::new(addresses);
        self.is_stale = true;
        true
    }

    fn model(&self) -> Option<&Model> {
        Some(self.core.model())
    }

    fn instructions(&self) -> u64 {
        self.core.instructions
    }

    fn cycles(&self) -> u64 {
        self.core.cycles(0)
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        self.calls = Some(CallTrail::new(map, self.core.state.pc()));
        // What was compiled without says nothing of calls.
        self.is_stale = true;
        true
    }

    fn calls(&self) -> Option<Calls> {
        let now = Spending { instructions: self.core.instructions, cycles: self.core.cycles(0) };
        let frames = self.code.as_ref().and_then(Code::frames);
        self.calls.as_ref().map(|calls| calls.calls(&self.core.state.arena, frames, now))
    }

    fn statistics(&self) -> Vec<String> {
        let mut lines = vec![self.translation.to_string()];
        lines.extend(self.describe_interpreted());
        lines
    }

    fn sample(&mut self, sampling: Sampling) -> bool {
        if self.profiles {
            self.sampled = Some(Sampled::new(sampling, self.passed_cycles()));
            self.is_stale = true;
        }
        self.profiles
    }

    fn record_values(&mut self, choice: ValueChoice) -> bool {
        if self.profiles {
            self.core.values = Some(ValueRecorder::new(self.core.model(), choice));
            self.is_stale = true;
        }
        self.profiles
    }

    fn values(&self) -> Option<&ValueTable> {
        self.core.values.as_ref().map(ValueRecorder::table)
    }

    fn samples(&self) -> Option<Samples> {
        let (checks, samples) = self.sampled.as_ref()?.passed();
        Some(Samples { checks, samples, instructions: self.instructions(), cycles: self.cycles() })
    }

    fn recording(&mut self) -> Option<Recording> {
        if !self.profiles {
            return None;
        }
        self.collect();
        let mut recording = self.steps.recording();
        recording.undecoded = self.undecoded;
        recording.undecoded_faults = self.undecoded_faults.clone();
        recording.undecoded_extra_cycles = self.undecoded_extra_cycles.clone();
        self.count_totals(&mut recording);
        Some(recording)
    }

    fn measurement(&mut self) -> Option<Measurement> {
        let recording = self.recording()?;
        Some(recording.measure(self.core.model()))
    }
}
