//! Counts of regions, derived from the exact profile.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::by_address::by_address;
use super::uncounted::Uncounted;
use super::{CountedEvent, Region, forgotten};
use crate::measurement::count;
use crate::program::render::FunctionNames;
use crate::program::{OUTSIDE, ProgramProfile};
use crate::{CallKey, Calls, FunctionCount, InstructionKey, Spending, Word};

/// An event's counts, as regions need them.
struct Table {
    by_address: BTreeMap<Option<u64>, u64>,
    /// By the number of the function.
    by_function: BTreeMap<u32, u64>,
}

/// What is known of the calls of a run, found once for all regions.
struct CallIndex {
    callees: BTreeMap<u64, BTreeSet<u64>>,
    /// Functions of which frames may have been forgotten.
    forgotten: BTreeSet<u64>,
    /// Calls count cycles without an instruction as instructions.
    has_idle_cycles: bool,
}

/// Counters of any events in any regions of one profile.
pub struct ExactCounters<'a> {
    profile: &'a ProgramProfile<'a>,
    names: FunctionNames<'a>,
    /// What was asked for before.
    known: RefCell<BTreeMap<CountedEvent, Rc<Table>>>,
    /// Functions by whatever they are called.
    functions: OnceCell<BTreeMap<String, BTreeSet<u32>>>,
    calls: OnceCell<CallIndex>,
}

impl<'a> ExactCounters<'a> {
    /// Counters of a profile.
    pub fn new(profile: &'a ProgramProfile<'a>) -> ExactCounters<'a> {
        let names = FunctionNames::of(profile.program);
        let known = RefCell::new(BTreeMap::new());
        ExactCounters { profile, names, known, functions: OnceCell::new(), calls: OnceCell::new() }
    }

    /// How often an event happened in a region.
    ///
    /// # Errors
    /// That is not known, and why.
    pub fn count(&self, region: &Region, event: &CountedEvent) -> Result<u64, Uncounted> {
        match (region, event) {
            (Region::Run, CountedEvent::Model(name)) => {
                Ok(self.profile.measurement.events.get(name).copied().unwrap_or(0))
            }
            (_, CountedEvent::Model(_)) => Err(Uncounted::WithoutAddress(event.clone())),
            (Region::Run, _) => Ok(sum(self.table(event)?.by_address.values())),
            (Region::Addresses { first, last }, _) => {
                let table = self.table(event)?;
                let inside = table.by_address.range(Some(*first)..=Some(*last));
                Ok(sum(inside.map(|(_, times)| times)))
            }
            (Region::Own(name), _) => {
                let number = self.function(name)?;
                Ok(self.table(event)?.by_function.get(&number).copied().unwrap_or(0))
            }
            (Region::Inclusive(name), _) => self.count_inclusive(name, event),
        }
    }

    /// Whether an instruction ran from one address to another, both included, or a file of the program has
    /// code there.
    pub fn has_code(&self, first: u64, last: u64) -> bool {
        let (measurement, program) = (self.profile.measurement, self.profile.program);
        let at = |address| InstructionKey { address, word: Word::default() };
        let mut ran = measurement.instructions.range(at(first)..).map(|(key, _)| key.address);
        let is_inside = |address: u64| (first..=last).contains(&address);
        let is_code = |address: u64| program.function_at(address) != OUTSIDE;
        ran.next().is_some_and(is_inside)
            || measurement.undecoded_faults.range(first..=last).next().is_some()
            || is_code(first)
            || program.boundaries().into_iter().any(|start| is_inside(start) && is_code(start))
    }

    /// The only function of a name, which may be followed by its address.
    fn function(&self, name: &str) -> Result<u32, Uncounted> {
        let program = self.profile.program;
        let functions = self.functions.get_or_init(|| {
            let has_cells = |number: &u32| program.function_at(program.function(*number).start) == *number;
            let mut functions: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
            for number in (0..program.functions().len() as u32).filter(has_cells) {
                let function = program.function(number);
                let names = [function.name.clone(), function.symbol.clone(), self.names.number(number)];
                names.into_iter().for_each(|name| {
                    functions.entry(name).or_default().insert(number);
                });
            }
            functions
        });
        let found: Vec<u32> = functions.get(name).into_iter().flatten().copied().collect();
        match found[..] {
            [number] => Ok(number),
            [] => Err(Uncounted::Function(name.to_owned())),
            _ => {
                let starts = found.into_iter().map(|number| program.function(number).start).collect();
                Err(Uncounted::Ambiguous(name.to_owned(), starts))
            }
        }
    }

    fn count_inclusive(&self, name: &str, event: &CountedEvent) -> Result<u64, Uncounted> {
        let function = self.function(name)?;
        let calls = self.profile.calls.ok_or(Uncounted::NoCalls)?;
        let start = self.profile.program.function(function).start;
        if self.call_index(calls).forgotten.contains(&start) {
            return Err(Uncounted::Forgotten { function: self.names.at(start), calls: calls.forgotten });
        }
        let FunctionCount { inclusive, .. } = calls.functions.get(&start).copied().unwrap_or_default();
        if *event != CountedEvent::Cycles && self.call_index(calls).has_idle_cycles {
            return Err(Uncounted::IdleCycles(self.names.at(start)));
        }
        match event {
            CountedEvent::Instructions => Ok(inclusive.instructions),
            CountedEvent::Cycles => Ok(inclusive.cycles),
            _ => {
                let below = self.only_below(calls, start)?;
                let table = self.table(event)?;
                Ok(sum(below.iter().filter_map(|number| table.by_function.get(number))))
            }
        }
    }

    /// The functions that a function reaches by calls, if none of them ever ran without it: then all of
    /// their events are its own.
    ///
    /// While it was on the stack, one of them was on top. So what was spent while it was there is at
    /// most what all of them spent by themselves, and as much only if they never ran otherwise.
    fn only_below(&self, calls: &Calls, start: u64) -> Result<BTreeSet<u32>, Uncounted> {
        let reached = reached_from(&self.call_index(calls).callees, start);
        let of = |function: &u64| calls.functions.get(function).copied().unwrap_or_default();
        let instructions = self.table(&CountedEvent::Instructions)?;
        let (mut spent, mut numbers) = (Spending::default(), BTreeSet::new());
        for function in &reached {
            let number = self.profile.program.function_at(*function);
            let by_address = instructions.by_function.get(&number).copied().unwrap_or(0);
            // In code without symbols, functions are wherever calls lead.
            if by_address != of(function).own.instructions {
                return Err(Uncounted::WithoutSymbols(*function));
            }
            spent.add(of(function).own);
            numbers.insert(number);
        }
        if spent == of(&start).inclusive {
            return Ok(numbers);
        }
        let is_outside = |key: &CallKey| !reached.contains(&key.caller) && reached.contains(&key.callee);
        let from_outside = calls.arcs.keys().find(|key| is_outside(key) && key.callee != start);
        // What nobody outside calls has run without it if the run began there.
        let began = calls.contexts.iter().filter(|context| context.parent.is_none());
        let mut began = began.map(|context| context.function);
        let callee = from_outside
            .map(|key| key.callee)
            .or_else(|| began.find(|root| *root != start && reached.contains(root)));
        let callee = callee.map(|callee| self.names.at(callee));
        Err(Uncounted::Shared { function: self.names.at(start), callee })
    }

    fn call_index(&self, calls: &Calls) -> &CallIndex {
        self.calls.get_or_init(|| {
            let mut callees: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for key in calls.arcs.keys() {
                callees.entry(key.caller).or_default().insert(key.callee);
            }
            let has_idle_cycles = calls.count_idle_cycles(self.profile.measurement);
            CallIndex { callees, forgotten: forgotten::functions(calls), has_idle_cycles }
        })
    }

    fn table(&self, event: &CountedEvent) -> Result<Rc<Table>, Uncounted> {
        if let Some(table) = self.known.borrow().get(event) {
            return Ok(Rc::clone(table));
        }
        let by_address = by_address(self.profile.measurement, self.profile.calls, event)?;
        let mut by_function = BTreeMap::new();
        for (address, times) in &by_address {
            count(by_function.entry(self.profile.function_of(*address)).or_default(), *times);
        }
        let table = Rc::new(Table { by_address, by_function });
        self.known.borrow_mut().insert(event.clone(), Rc::clone(&table));
        Ok(table)
    }
}

fn sum<'a>(counts: impl Iterator<Item = &'a u64>) -> u64 {
    counts.fold(0, |sum, times| sum.saturating_add(*times))
}

/// A function and all that calls lead to from it.
fn reached_from(callees: &BTreeMap<u64, BTreeSet<u64>>, start: u64) -> BTreeSet<u64> {
    let mut reached = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(function) = open.pop() {
        for callee in callees.get(&function).into_iter().flatten() {
            if reached.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    reached
}
