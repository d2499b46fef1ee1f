//! Decoded instructions, kept by their place, with what became of them.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use isac_ir::Model;
use isac_ir::control::{Control, ControlCache};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use sim_profile::Instrumented;
use sim_runtime::record::{
    RecordedWord, Recording, StaticInstruction, StaticKey, calls as is_call, control_at,
};

use crate::checks::accesses_memory;
use crate::layout::Layout;
use crate::linear::Linear;
use crate::mode::{Mode, ModeItems};
use crate::region::addresses_behind;
use crate::specialise::{Place, Step};

/// The steps of the instructions that were met, by number.
#[derive(Default)]
pub(crate) struct Steps {
    index: HashMap<Place, u32>,
    /// The place of each.
    places: Vec<Place>,
    /// Those at each address that are found.
    at: HashMap<u64, Vec<u32>>,
    /// How many are not found any more, since what they were made of was written over.
    dropped: usize,
    /// Those that were made of more of memory than of their own cells.
    fetching: Vec<u32>,
    /// Most cells that decided about one.
    most_cells: u32,
    /// The number of the step that was found last at an address with these low bits; empty at first. Most are
    /// found there, without a hash of the whole place.
    recent: Vec<u32>,
    /// What the step of a place asks for of the addresses in its mode, by the place without them.
    wanted: HashMap<Place, u8>,
    steps: Vec<Arc<Step>>,
    /// The list of each that was interpreted more than once.
    lists: Vec<List>,
    counted: Vec<StaticInstruction>,
    transfers: BTreeMap<(u64, u64), u64>,
    /// Those that are known and were not counted.
    silent_transfers: BTreeSet<(u64, u64)>,
    /// How often each ran while nothing was counted, as far as that is known.
    silent_runs: Vec<u64>,
    /// What each may do to the flow of control, once somebody has asked.
    controls: Vec<OnceCell<Option<Box<Control>>>>,
    control_cache: ControlCache,
    /// The step that was added last at each address.
    by_address: HashMap<u64, u32>,
    /// Somebody has asked which steps call.
    is_asked_for_calls: Cell<bool>,
    /// Addresses behind calls.
    behind_calls: HashSet<u64>,
    /// What steps that are gone had counted.
    retired: Recording,
    /// The model's own events that compiled code has told.
    events: BTreeMap<String, u64>,
    longest: Longest,
}

/// A step as a list.
#[derive(Default)]
enum List {
    /// It was not interpreted yet.
    #[default]
    New,
    /// It was once.
    Met,
    Made(Box<Linear>),
    /// It has none.
    Never,
}

/// The longest stretch, as far as it is known.
#[derive(Default)]
struct Longest {
    /// How much was known when it was asked for last.
    known: [usize; 4],
    /// How often it was asked for since more is known.
    asked: u32,
    found: Option<u64>,
}

/// It is looked for when it was asked for so often and nothing has become known in between.
const SETTLED: u32 = 16;

/// Numbers that [`Steps::find`] looks at first, a power of two.
const RECENT: usize = 1 << 12;

impl Steps {
    /// The number of the step at a place, if it is kept.
    pub(crate) fn find(&mut self, place: Place) -> Option<u32> {
        let at = place.address as usize % RECENT;
        let recent = self.recent.get(at).copied();
        if let Some(number) = recent
            && self.places.get(number as usize) == Some(&place)
        {
            return recent;
        }
        let found = self.index.get(&place).copied()?;
        self.recent.resize(RECENT, u32::MAX);
        self.recent[at] = found;
        Some(found)
    }

    /// What the step of a place without addresses asks for of them, if that is known.
    pub(crate) fn wanted(&self, bare: Place) -> Option<u8> {
        self.wanted.get(&bare).copied()
    }

    /// Remembers that.
    pub(crate) fn set_wanted(&mut self, bare: Place, wanted: u8) {
        self.wanted.insert(bare, wanted);
    }

    /// Keeps a step.
    pub(crate) fn add(&mut self, place: Place, step: Step) -> u32 {
        let number = self.steps.len() as u32;
        if !step.fetched.is_empty() {
            self.fetching.push(number);
        }
        self.most_cells = self.most_cells.max(step.seen_cells);
        self.index.insert(place, number);
        self.at.entry(place.address).or_default().push(number);
        self.places.push(place);
        self.steps.push(Arc::new(step));
        self.counted.push(StaticInstruction::default());
        self.silent_runs.push(0);
        self.controls.push(OnceCell::new());
        self.by_address.insert(place.address, number);
        number
    }

    pub(crate) fn step(&self, number: u32) -> &Arc<Step> {
        &self.steps[number as usize]
    }

    /// The list of a step that is about to be interpreted, made now if that is the second time.
    pub(crate) fn linear(&mut self, number: u32, places: (&Model, &Layout)) -> Option<&Linear> {
        let number = number as usize;
        if self.lists.len() <= number {
            self.lists.resize_with(self.steps.len(), List::default);
        }
        let list = &mut self.lists[number];
        match list {
            List::New => *list = List::Met,
            List::Met => {
                let made = Linear::of(&self.steps[number], places);
                *list = made.map_or(List::Never, |made| List::Made(Box::new(made)));
            }
            List::Made(_) | List::Never => {}
        }
        match list {
            List::Made(made) => Some(made),
            List::New | List::Met | List::Never => None,
        }
    }

    /// What became of a step.
    pub(crate) fn counted(&mut self, number: u32) -> &mut StaticInstruction {
        &mut self.counted[number as usize]
    }

    /// Counts an event of the model that compiled code has told so often.
    pub(crate) fn count_event(&mut self, name: &str, times: u64) {
        match self.events.get_mut(name) {
            Some(sum) => *sum = sum.saturating_add(times),
            None if times > 0 => _ = self.events.insert(name.to_owned(), times),
            None => {}
        }
    }

    /// Events of the model that compiled code has told.
    pub(crate) fn events(&self) -> &BTreeMap<String, u64> {
        &self.events
    }

    /// Charges a step with extra cycles.
    pub(crate) fn charge(&mut self, number: u32, cycles: u64) {
        let counted = self.counted(number);
        counted.extra_cycles = counted.extra_cycles.saturating_add(cycles);
    }

    /// Most instructions that run one behind the other, each at a higher address, and without a call where calls
    /// are checks, as far as code can go that is compiled of what is known by now; at least 1.
    pub(crate) fn longest_stretch(&mut self, model: &Model, items: &ModeItems, ends_at_calls: bool) -> u64 {
        let known =
            [self.steps.len(), self.transfers.len(), self.silent_transfers.len(), self.behind_calls.len()];
        if self.longest.known != known {
            self.longest = Longest { known, asked: 0, found: None };
        }
        self.longest.asked = self.longest.asked.saturating_add(1);
        if self.longest.found.is_none() && self.longest.asked >= SETTLED {
            self.longest.found = Some(self.find_longest_stretch(model, items, ends_at_calls));
        }
        // No address runs twice in one.
        self.longest.found.unwrap_or(self.steps.len() as u64).max(1)
    }

    fn find_longest_stretch(&self, model: &Model, items: &ModeItems, ends_at_calls: bool) -> u64 {
        let mut steps: Vec<(u64, u32, Mode)> =
            self.index.iter().map(|(place, number)| (place.address, *number, place.mode)).collect();
        steps.sort_unstable_by_key(|(address, number, _)| (std::cmp::Reverse(*address), *number));
        // What computes its address may go to whatever a jump has led to, and behind every call.
        let met = self.transfers.keys().chain(&self.silent_transfers).map(|(_, to)| *to);
        let mut computed: Vec<u64> = met.chain(self.behind_calls.iter().copied()).collect();
        computed.sort_unstable();
        computed.dedup();
        // From each address on, and the most from those that are computed.
        let (mut from, mut of_computed, mut longest) = (HashMap::<u64, u64>::default(), 0, 1);
        for (address, number, mode) in steps {
            while let Some(higher) = computed.pop_if(|higher| *higher > address) {
                of_computed = of_computed.max(from.get(&higher).copied().unwrap_or(0));
            }
            let step = Arc::clone(&self.steps[number as usize]);
            let (targets, computes) = addresses_behind(items, &step, mode);
            let successor = model.successor(address, step.size_cells);
            let ends = ends_at_calls && self.calls(model, number);
            let follows = |to: &u64| *to > address && (!ends || *to == successor);
            let behind = targets.into_iter().filter(follows).filter_map(|to| from.get(&to).copied());
            let behind = behind.chain((computes && !ends).then_some(of_computed)).max().unwrap_or(0);
            let length = from.entry(address).or_default();
            *length = (*length).max(1 + behind);
            longest = longest.max(*length);
        }
        longest
    }

    /// How often a step has run, as far as that is known.
    pub(crate) fn runs(&self, number: u32) -> u64 {
        let index = number as usize;
        self.counted[index].executed.saturating_add(self.silent_runs[index])
    }

    /// A step has run, and is not counted.
    pub(crate) fn note_run(&mut self, number: u32) {
        self.silent_runs[number as usize] += 1;
    }

    /// A control transfer has happened, and is not counted.
    pub(crate) fn note_transfer(&mut self, from: u64, to: u64) {
        self.silent_transfers.insert((from, to));
    }

    /// Whether a step is a call wherever it jumps.
    pub(crate) fn calls(&self, model: &Model, number: u32) -> bool {
        self.is_asked_for_calls.set(true);
        let step = &self.steps[number as usize];
        let before = || {
            let before = self.by_address.get(&step.address.wrapping_sub(step.size_cells.into()))?;
            self.control(model, *before)
        };
        let places = (step.address, model.successor(step.address, step.size_cells));
        self.control(model, number).is_some_and(|control| is_call(control, before, places))
    }

    /// Whether a step that is new says of one that was known before that it calls.
    pub(crate) fn makes_a_call(&self, model: &Model, number: u32) -> bool {
        let step = &self.steps[number as usize];
        let successor = model.successor(step.address, step.size_cells);
        self.is_asked_for_calls.get()
            && self.by_address.contains_key(&successor)
            && self.control(model, number).is_some_and(|control| control.has_slot(successor))
    }

    fn control(&self, model: &Model, number: u32) -> Option<&Control> {
        let step = &self.steps[number as usize];
        let read = || {
            let (word, width_bits) = step.word?;
            let words = vec![RecordedWord { element: 0, word, width_bits }];
            let key = StaticKey { address: step.address, words };
            control_at((model, &self.control_cache), &key, step.size_cells).map(Box::new)
        };
        self.controls[number as usize].get_or_init(read).as_deref()
    }

    /// Whether a step keeps an address, and what stands in its delay slot jumps: the one cannot be told to call
    /// without the other.
    fn calls_by_slot(&self, model: &Model, number: u32) -> bool {
        let step = &self.steps[number as usize];
        let slot = model.successor(step.address, step.size_cells);
        self.control(model, number).is_some_and(|control| control.keeps.is_some() && control.has_slot(slot))
    }

    /// Whether a step is of those that carry instrumentation.
    pub(crate) fn carries(&self, model: &Model, number: u32, instrumented: Instrumented) -> bool {
        match instrumented {
            Instrumented::Calls => self.calls(model, number) || self.calls_by_slot(model, number),
            Instrumented::Accesses => accesses_memory(self.step(number)),
        }
    }

    /// Counts control transfers.
    pub(crate) fn count_transfers(&mut self, from: u64, to: u64, times: u64) {
        if times > 0 {
            *self.transfers.entry((from, to)).or_default() += times;
        }
    }

    /// Where a jump by a table, as that of a `switch`, has led. What has led behind a call returns, and
    /// has no table.
    pub(crate) fn table_of(&self, from: u64) -> Vec<u64> {
        let led_to = self.transfers.range((from, 0)..=(from, u64::MAX)).map(|((_, to), _)| *to);
        let silent = self.silent_transfers.range((from, 0)..=(from, u64::MAX)).map(|(_, to)| *to);
        let places: BTreeSet<u64> = led_to.chain(silent).collect();
        match places.iter().any(|place| self.behind_calls.contains(place)) {
            true => Vec::new(),
            false => places.into_iter().collect(),
        }
    }

    /// Remembers that an address is behind a call.
    pub(crate) fn add_call(&mut self, returns: u64) {
        self.behind_calls.insert(returns);
    }

    /// True if an address is known to be behind a call.
    pub(crate) fn is_behind_call(&self, address: u64) -> bool {
        self.behind_calls.contains(&address)
    }

    /// Adds to the counters of a step.
    pub(crate) fn add_counter(&mut self, number: u32, counter: u32, times: u64) {
        if times == 0 {
            return;
        }
        let counters = &mut self.counted[number as usize].counters;
        if counters.len() <= counter as usize {
            counters.resize(counter as usize + 1, 0);
        }
        counters[counter as usize] += times;
    }

    /// Drops the steps that were made of cells which have been written, by memory and cell; what they counted is
    /// kept. Gives their numbers.
    pub(crate) fn drop_written(
        &mut self,
        (model, code_map): (&Model, u32),
        written: &[(usize, u64)],
    ) -> Vec<u32> {
        let map = &model.maps[code_map as usize];
        let last = isac_ir::bits::mask(map.address_bits) as u64;
        let at = |(ram, cell): &(usize, u64)| {
            let ranges = map.ranges.iter().filter(|range| range.ram as usize == *ram);
            let reached = ranges.filter(|range| *cell <= range.high - range.low);
            reached.map(|range| range.low + cell).collect::<Vec<u64>>()
        };
        let addresses: Vec<u64> = written.iter().flat_map(at).collect();
        let is_within = |first: u64, cells: u32| {
            addresses.iter().any(|address| address.wrapping_sub(first) & last < u64::from(cells))
        };
        let fetched = |(ram, cell, cells): &(usize, u64, u32)| {
            written.iter().any(|(other, at)| other == ram && (*cell..*cell + u64::from(*cells)).contains(at))
        };
        let behind = |address: u64, before: u32| address.wrapping_sub(before.into()) & last;
        let befores = 0..self.most_cells;
        let near =
            addresses.iter().flat_map(|address| befores.clone().map(|before| behind(*address, before)));
        let near: Vec<u32> = match model.pc.width_bits > map.address_bits {
            // Several program counters are one address of the map.
            true => self.index.values().copied().collect(),
            false => near.filter_map(|address| self.at.get(&address)).flatten().copied().collect(),
        };
        let made = near.into_iter().filter(|number| {
            let step = &self.steps[*number as usize];
            is_within(step.address, step.seen_cells)
        });
        let others = self.fetching.iter().copied();
        let others = others.filter(|number| self.steps[*number as usize].fetched.iter().any(fetched));
        let mut found: Vec<u32> = made.chain(others).collect();
        found.sort_unstable();
        found.dedup();
        for number in &found {
            let place = self.places[*number as usize];
            self.index.remove(&place);
            if let Some(here) = self.at.get_mut(&place.address) {
                here.retain(|other| other != number);
            }
            self.wanted.retain(|bare, _| bare.address != place.address);
            if let Some(recent) = self.recent.get_mut(place.address as usize % RECENT) {
                *recent = u32::MAX;
            }
        }
        self.fetching.retain(|number| found.binary_search(number).is_err());
        self.dropped += found.len();
        found
    }

    /// True if somebody has asked which steps call.
    pub(crate) fn is_asked_for_calls(&self) -> bool {
        self.is_asked_for_calls.get()
    }

    /// How many were dropped so far that still count.
    pub(crate) fn count_dropped(&self) -> usize {
        self.dropped
    }

    /// Drops all steps; what they counted is kept.
    pub(crate) fn retire(&mut self) {
        let mut retired = std::mem::take(&mut self.retired);
        self.collect(&mut retired);
        let events = std::mem::take(&mut self.events);
        *self = Steps { retired, events, ..Steps::default() };
    }

    /// Everything counted so far.
    pub(crate) fn recording(&self) -> Recording {
        let mut recording = self.retired.clone();
        self.collect(&mut recording);
        recording
    }

    fn collect(&self, recording: &mut Recording) {
        for (step, counted) in self.steps.iter().zip(&self.counted) {
            let Some((word, width_bits)) = step.word else { continue };
            if *counted == StaticInstruction::default() {
                continue;
            }
            let sum = recording.instruction(step.address, &[RecordedWord { element: 0, word, width_bits }]);
            sum.unreached.extend(&counted.unreached);
            sum.executed += counted.executed;
            sum.cancelled += counted.cancelled;
            sum.faulted += counted.faulted;
            sum.unfinished += counted.unfinished;
            sum.extra_cycles = sum.extra_cycles.saturating_add(counted.extra_cycles);
            if sum.counters.len() < counted.counters.len() {
                sum.counters.resize(counted.counters.len(), 0);
            }
            for (sum, times) in sum.counters.iter_mut().zip(&counted.counters) {
                *sum += times;
            }
        }
        for (transfer, times) in &self.transfers {
            *recording.transfers.entry(*transfer).or_default() += times;
        }
    }
}
