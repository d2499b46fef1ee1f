//! The profiler as it is defined: every event taken one by one.
//!
//! This is the plain profiler that all quicker ways of counting are held against. Instructions
//! in flight live in the table of running instructions; one that ends is added to the record of
//! its key and forgotten, so that memory grows with the program and the pipeline's depth only.

use std::collections::{BTreeMap, VecDeque};

use crate::measurement::{count, is_index};
use crate::running::{Decoding, Fate, Misplaced, Running, RunningTable};
use crate::{
    AccessEvent, CacheLines, Event, EventSink, InstructionKey, InstructionRecord, InvalidOverhead, LostCause,
    Measurement, ModelTables, Overhead, PathTree,
};

/// Makes a [`Measurement`] from events.
///
/// An instruction is counted when it ends: as executed, with its accesses, unless it was
/// cancelled or at fault. Of those that were never decoded there is but a number, unless they are at
/// fault. The lines of caches that an instruction has touched are counted in any case.
#[derive(Clone, Debug)]
pub struct EventProfiler {
    measurement: Measurement,
    table: RunningTable,
    misplaced: Option<Misplaced>,
    /// What those were decoded as that have ended since the last one began, by ID: cycles that are
    /// lost now may be their doing.
    ended: BTreeMap<u64, Option<Decoding>>,
    /// Number of nodes by name.
    nodes: BTreeMap<String, usize>,
}

impl EventProfiler {
    /// A profiler of one run of a model.
    pub fn new(tables: ModelTables) -> EventProfiler {
        EventProfiler {
            table: RunningTable::new(tables.instances.len()),
            measurement: Measurement::new(tables),
            misplaced: None,
            ended: BTreeMap::new(),
            nodes: BTreeMap::new(),
        }
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// The event cannot happen here, and has no effect. Where it is an instruction that ended by
    /// the event which makes no sense, that one is not counted and the event holds.
    pub fn try_event(&mut self, event: Event<'_>) -> Result<(), Misplaced> {
        match event {
            Event::CycleBegins => count(&mut self.measurement.cycles, 1),
            Event::Lost { id, cause } => self.count_lost(id, cause)?,
            Event::Occupied { stage, stands } => self.count_occupied(stage, stands)?,
            Event::ExtraCycles { cycles } => self.count_extra(cycles)?,
            Event::ModelEvent { name } => self.count_model_event(name),
            Event::InstructionBegins => {
                let ended = self.table.begin();
                let imported = self.import(ended);
                self.ended.clear();
                return imported;
            }
            Event::Scheduled { instance } => return self.table.schedule(instance),
            Event::Starts { instance } => {
                let ended = self.table.start(instance)?;
                return self.import(ended);
            }
            Event::Ends => {
                let ended = self.table.end()?;
                return self.import(ended);
            }
            Event::NamePart { text } => self.append_name(text)?,
            Event::Decoded { address, word, size_cells } => {
                let running = self.table.current_mut()?;
                let key = InstructionKey { address, word: *word };
                if let Some(Decoding::Known { key: former, .. }) = running.decoding
                    && former != key
                {
                    // The nodes of another name say nothing of this one.
                    running.accesses.retain(|(node, _), _| *node == 0);
                }
                running.decoding = Some(Decoding::Known { key, size_cells });
                running.name_complete = true;
            }
            Event::Undecoded { address } => {
                self.table.current_mut()?.decoding = Some(Decoding::Impossible { address });
            }
            Event::Access { node, resource, kind } => self.count_access(node, resource, kind)?,
            Event::Lines { cache, lines } => self.count_lines(cache, lines)?,
            Event::Cancel => self.seal(Fate::Cancelled)?,
            Event::Fault => self.seal(Fate::Faulted)?,
            Event::Interrupt => self.seal(Fate::Unfinished)?,
            Event::Halt => self.table.withdraw_current()?,
            Event::Transfer { to } => self.table.current_mut()?.transfer = Some(to),
            Event::Jump { from, to } => {
                count(self.measurement.transfers.entry((from, to)).or_default(), 1);
            }
            Event::Flushed { id } => {
                let ended = self.table.flush(id, Fate::Cancelled)?;
                return self.import(ended);
            }
            Event::Withdrawn { instance, id } => {
                let ended = self.table.withdraw(instance, id)?;
                return self.import(ended);
            }
            Event::Reordered { instance, ids } => return self.table.reorder(instance, ids),
        }
        Ok(())
    }

    /// The first event that could not happen where it came, if any: the engine's fault.
    pub fn misplaced(&self) -> Option<&Misplaced> {
        self.misplaced.as_ref()
    }

    /// Everything so far. What is in flight counts as unfinished.
    pub fn measurement(&self) -> Measurement {
        self.clone().finish()
    }

    /// The measurement of the run, which is over: of what is in flight only the current
    /// instruction is complete, if it is in no queue; the others count as unfinished.
    pub fn finish(mut self) -> Measurement {
        self.end_all();
        self.measurement
    }

    /// As [`EventProfiler::finish`], for events that may be wrong.
    ///
    /// # Errors
    /// The first event that could not happen where it came.
    pub fn try_finish(mut self) -> Result<Measurement, Misplaced> {
        self.end_all();
        self.misplaced.map_or(Ok(self.measurement), Err)
    }

    /// The IDs in each instance's queue, first to start first, by instance number.
    pub fn queues(&self) -> &[VecDeque<u64>] {
        self.table.queues()
    }

    /// ID of the current instruction. IDs count from 1, in the order of beginning.
    pub fn current(&self) -> Option<u64> {
        self.table.current()
    }

    /// References to an instruction: its entries in queues, and one for being current. 0 once
    /// it has ended.
    pub fn references(&self, id: u64) -> u64 {
        self.table.references(id)
    }

    fn end_all(&mut self) {
        let table = std::mem::replace(&mut self.table, RunningTable::new(0));
        let current = table.current();
        for (id, mut running) in table.into_running() {
            if Some(id) != current || running.references() > 1 {
                running.fate.get_or_insert(Fate::Unfinished);
            }
            let imported = self.import(Some(running));
            self.remember(imported);
        }
    }

    fn remember(&mut self, result: Result<(), Misplaced>) {
        if let Err(misplaced) = result {
            self.misplaced.get_or_insert(misplaced);
        }
    }

    fn count_model_event(&mut self, name: &str) {
        match self.measurement.events.get_mut(name) {
            Some(counter) => count(counter, 1),
            None => {
                self.measurement.events.insert(name.to_owned(), 1);
            }
        }
    }

    fn append_name(&mut self, text: &str) -> Result<(), Misplaced> {
        let running = self.table.current_mut()?;
        if std::mem::take(&mut running.name_complete) {
            running.name.clear();
        }
        running.name.push_str(text);
        Ok(())
    }

    fn count_access(&mut self, node: u32, resource: u32, kind: AccessEvent) -> Result<(), Misplaced> {
        if !is_index(resource, self.measurement.tables.resources.len()) {
            return Err(Misplaced::UnknownResource { resource });
        }
        if self.table.current().is_some() {
            let running = self.table.current_mut()?;
            running.accesses.entry((node, resource)).or_default().add_one(kind);
        }
        Ok(())
    }

    fn count_extra(&mut self, cycles: u64) -> Result<(), Misplaced> {
        let overhead = Overhead { extra_cycles: cycles, ..Overhead::default() };
        match self.table.current() {
            Some(_) => self.table.current_mut()?.overhead.add(&overhead),
            None => self.measurement.add_overhead(None, &overhead),
        }
        count(&mut self.measurement.extra_cycles, cycles);
        Ok(())
    }

    /// A lost cycle is counted where its cause is, which is known at that one's end.
    fn count_lost(&mut self, id: Option<u64>, cause: LostCause) -> Result<(), Misplaced> {
        cause.validate(&self.measurement.tables).map_err(Misplaced::Overhead)?;
        let mut overhead = Overhead::default();
        overhead.add_lost(cause, 1);
        let Some(id) = id else {
            self.measurement.add_overhead(None, &overhead);
            return Ok(());
        };
        match (self.table.get_mut(id), self.ended.get(&id)) {
            (Some(running), _) => running.overhead.add(&overhead),
            (None, Some(decoding)) => self.charge(*decoding, &overhead),
            (None, None) => return Err(Misplaced::UnknownInstruction { id }),
        }
        Ok(())
    }

    /// Adds cycles to whatever an instruction was decoded as.
    fn charge(&mut self, decoding: Option<Decoding>, overhead: &Overhead) {
        match decoding {
            Some(Decoding::Known { key, .. }) => {
                let record = self.measurement.instructions.get_mut(&key);
                record.into_iter().for_each(|record| record.overhead.add(overhead));
            }
            _ => self.measurement.add_overhead(decoding.map(Decoding::address), overhead),
        }
    }

    fn count_occupied(&mut self, stage: u32, stands: bool) -> Result<(), Misplaced> {
        if !is_index(stage, self.measurement.tables.stages.len()) {
            return Err(Misplaced::Overhead(InvalidOverhead::Stage(stage)));
        }
        self.measurement.add_occupied(stage, stands);
        Ok(())
    }

    /// Lines are counted at the address of whoever touched them, which is known at its end.
    fn count_lines(&mut self, cache: u32, lines: CacheLines) -> Result<(), Misplaced> {
        if !is_index(cache, self.measurement.tables.caches.len()) {
            return Err(Misplaced::UnknownCache { cache });
        }
        match self.table.current() {
            Some(_) => self.table.current_mut()?.lines.entry(cache).or_default().add(lines),
            None => self.measurement.add_lines(None, cache, lines),
        }
        Ok(())
    }

    /// What comes first decides an instruction's fate.
    fn seal(&mut self, fate: Fate) -> Result<(), Misplaced> {
        self.table.current_mut()?.fate.get_or_insert(fate);
        self.table.withdraw_current()
    }

    /// Counts an instruction that has ended.
    fn import(&mut self, ended: Option<Running>) -> Result<(), Misplaced> {
        let Some(mut running) = ended else { return Ok(()) };
        let (id, decoding) = (running.id, running.decoding);
        let overhead = std::mem::take(&mut running.overhead);
        self.import_fate(running)?;
        self.charge(decoding, &overhead);
        if !self.measurement.tables.stages.is_empty() {
            self.ended.insert(id, decoding);
        }
        Ok(())
    }

    /// Counts what has become of it, and what it did.
    fn import_fate(&mut self, running: Running) -> Result<(), Misplaced> {
        for (&cache, &lines) in &running.lines {
            self.measurement.add_lines(running.address(), cache, lines);
        }
        match running.decoding {
            Some(Decoding::Known { key, size_cells }) => self.import_known(key, size_cells, running),
            Some(Decoding::Impossible { address }) if running.fate == Some(Fate::Faulted) => {
                count(self.measurement.undecoded_faults.entry(address).or_default(), 1);
                Ok(())
            }
            None if running.fate == Some(Fate::Faulted) => Err(Misplaced::FaultWithoutAddress),
            Some(Decoding::Impossible { .. }) | None => {
                count(&mut self.measurement.undecoded, 1);
                Ok(())
            }
        }
    }

    fn import_known(
        &mut self,
        key: InstructionKey,
        size_cells: u32,
        running: Running,
    ) -> Result<(), Misplaced> {
        let nodes = self.count_nodes(&running.name)?;
        if let Some((&(node, _), _)) = running.accesses.last_key_value()
            && !is_index(node, nodes)
        {
            return Err(Misplaced::UnknownNode { node });
        }
        let record = self.measurement.instructions.entry(key).or_insert_with(|| InstructionRecord {
            name: running.name.clone(),
            size_cells,
            ..InstructionRecord::default()
        });
        if record.name != running.name || record.size_cells != size_cells {
            return Err(Misplaced::Renamed(key));
        }
        match running.fate {
            Some(Fate::Cancelled) => count(&mut record.cancelled, 1),
            Some(Fate::Faulted) => count(&mut record.faulted, 1),
            Some(Fate::Unfinished) => count(&mut record.unfinished, 1),
            None => {
                count(&mut record.executed, 1);
                for (place, accesses) in running.accesses {
                    record.accesses.entry(place).or_default().add(accesses);
                }
            }
        }
        let successor = self.measurement.tables.successor(key.address, size_cells);
        if let Some(to) = running.transfer.filter(|&to| to != successor) {
            count(self.measurement.transfers.entry((key.address, to)).or_default(), 1);
        }
        Ok(())
    }

    /// Number of nodes in a name; each name is taken apart once only.
    fn count_nodes(&mut self, name: &str) -> Result<usize, Misplaced> {
        if let Some(&nodes) = self.nodes.get(name) {
            return Ok(nodes);
        }
        let nodes = PathTree::parse(name).map_err(Misplaced::Name)?.nodes().len();
        self.nodes.insert(name.to_owned(), nodes);
        Ok(nodes)
    }
}

impl EventSink for EventProfiler {
    /// As [`EventProfiler::try_event`]; the first error is kept for
    /// [`EventProfiler::misplaced`].
    fn event(&mut self, event: Event<'_>) {
        let result = self.try_event(event);
        self.remember(result);
    }
}
