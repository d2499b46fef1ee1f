//! What a step needs beside registers and memory: counts, devices, the host.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_runtime::device::{DeviceCells, Devices};
use sim_runtime::host::{Host, LinuxResult};
use sim_runtime::memory::{Landing, Reached, check_access, check_range, join_cells};
use sim_runtime::record::ValueRecorder;
use sim_runtime::{AccessKind, FaultKind};

use crate::codegen::memory::unpack;
use crate::codegen::{ASK_CYCLES, ASK_INSTRUCTIONS, ASK_PENDING, NOBODY, Site};
use crate::layout;
use crate::linear::SLOTS;
use crate::specialise::{Place, Step};
use crate::state::State;

/// How an instruction ends that does not go on as instructions do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is complete, and the run ends.
    Halted(i32),
    /// It is cancelled.
    Cancelled,
    /// It is abandoned.
    Fault(FaultKind),
    /// The run is to end in the middle of it.
    Interrupted,
}

/// A processor with everything around it.
pub(crate) struct Core<'m> {
    pub(crate) state: State<'m>,
    pub(crate) devices: Devices,
    pub(crate) host: Host,
    /// Instructions ended and not cancelled, up to where they were counted last.
    pub(crate) instructions: u64,
    /// Instructions cancelled.
    pub(crate) cancelled: u64,
    /// Instructions abandoned by a fault.
    pub(crate) faulted: u64,
    /// 1 if the run was interrupted within an instruction.
    pub(crate) unfinished: u64,
    /// Extra cycles so far.
    pub(crate) extra_cycles: u64,
    /// Of these, those that no instruction has been charged with.
    pub(crate) loose_extra_cycles: u64,
    /// Extra cycles that compiled code may add before the time of a timer may have come.
    pub(crate) spare_cycles: u64,
    /// The model's own events.
    pub(crate) events: BTreeMap<String, u64>,
    /// Who counts values, if anybody does.
    pub(crate) values: Option<ValueRecorder>,
    /// The address and the access of the memory fault that `memory_fault` runs for.
    pub(crate) fault: (u64, AccessKind),
    /// What the run at hand was allowed, as [`layout::FUEL`] began.
    pub(crate) allowed: u64,
    /// Which bits of that are instructions.
    pub(crate) instruction_bits: u64,
    /// Of all compiled code.
    pub(crate) sites: Vec<Site>,
    /// How an instruction has ended within a helper.
    pub(crate) told: Option<Ending>,
    /// Extra cycles that compiled steps have added, by step.
    pub(crate) charges: BTreeMap<u32, u64>,
    /// A device was written that decides how long the run goes on.
    pub(crate) device_written: bool,
    /// The RAM that was accessed last.
    pub(crate) reached: Option<u32>,
    /// Room for what an interpreted step computes.
    pub(crate) locals: Vec<u128>,
    /// The same where it is a list; `None` while it is used.
    pub(crate) slots: Option<Box<[u64; SLOTS]>>,
    /// What the step that was interpreted last has counted, by counter; those behind the end are 0.
    pub(crate) counters: Vec<u64>,
}

impl<'m> Core<'m> {
    pub(crate) fn new(state: State<'m>) -> Core<'m> {
        let devices = Devices::new(state.model);
        Core {
            state,
            devices,
            host: Host::default(),
            instructions: 0,
            cancelled: 0,
            faulted: 0,
            unfinished: 0,
            extra_cycles: 0,
            loose_extra_cycles: 0,
            spare_cycles: u64::MAX,
            events: BTreeMap::new(),
            values: None,
            fault: (0, AccessKind::Read),
            allowed: 0,
            instruction_bits: u64::MAX,
            sites: Vec::new(),
            told: None,
            charges: BTreeMap::new(),
            device_written: false,
            reached: None,
            locals: Vec::new(),
            slots: None,
            counters: Vec::new(),
        }
    }

    pub(crate) fn model(&self) -> &'m Model {
        self.state.model
    }

    /// Whether the values of a step are counted.
    pub(crate) fn tells_values(&self, step: &Step) -> bool {
        self.values.as_ref().map(ValueRecorder::choice).is_some_and(|choice| {
            choice.has_address(step.address) && choice.has_operations(step.operations.iter().copied())
        })
    }

    /// Cycles begun, extra cycles left out, `ended` instructions having ended since they were
    /// counted.
    pub(crate) fn plain_cycles(&self, ended: u64) -> u64 {
        let others = self.cancelled.saturating_add(self.faulted).saturating_add(self.unfinished);
        self.instructions.saturating_add(ended).saturating_add(others)
    }

    /// Cycles begun.
    pub(crate) fn cycles(&self, ended: u64) -> u64 {
        self.plain_cycles(ended).saturating_add(self.extra_cycles)
    }

    /// The model's `extra_cycles(n)`.
    pub(crate) fn add_extra_cycles(&mut self, cycles: u64) {
        self.extra_cycles = self.extra_cycles.saturating_add(cycles);
        self.loose_extra_cycles = self.loose_extra_cycles.saturating_add(cycles);
    }

    /// Reads cells of a map.
    pub(crate) fn load(
        &mut self,
        ended: u64,
        (map, cells): (u32, u32),
        address: u64,
        access: AccessKind,
    ) -> Result<u128, Ending> {
        let model = self.model();
        match check_access(model, map, address, cells, access).map_err(Ending::Fault)? {
            Reached::Memory(landing) => {
                self.reached = Some(landing.ram as u32);
                Ok(join_cells(model, map, &self.state, landing, cells))
            }
            Reached::Device(cells) => {
                let cycles = self.cycles(ended);
                Ok(match access {
                    AccessKind::Write => self.devices.keep(model, cycles, cells),
                    AccessKind::Read | AccessKind::Fetch => {
                        self.devices.read(model, &mut self.host, cycles, cells)
                    }
                })
            }
        }
    }

    /// Writes cells of a map; true if the engine has to look at what was written behind the
    /// instruction.
    pub(crate) fn store(
        &mut self,
        (map, cells): (u32, u32),
        address: u64,
        value: u128,
    ) -> Result<bool, Ending> {
        let model = self.model();
        match check_access(model, map, address, cells, AccessKind::Write).map_err(Ending::Fault)? {
            Reached::Memory(landing) => {
                self.reached = Some(landing.ram as u32);
                self.store_cells(map, landing, cells, value);
                Ok(self.state.code_written)
            }
            Reached::Device(cells) => {
                self.write_device(cells, value);
                Ok(true)
            }
        }
    }

    fn store_cells(&mut self, map: u32, landing: Landing, cells: u32, value: u128) {
        let bits = self.model().maps[map as usize].cell_bits;
        for index in 0..cells {
            let rank = if self.model().target.big_endian { cells - 1 - index } else { index };
            let new = value.checked_shr(rank * bits).unwrap_or(0);
            let cell = landing.cell + u64::from(index);
            self.state.store_part(landing.ram, cell, landing.low_bit, bits.min(128), new);
        }
    }

    fn write_device(&mut self, cells: DeviceCells, value: u128) {
        let model = self.model();
        self.devices.write(model, &mut self.host, cells, value);
        self.device_written = true;
    }

    /// Bits of a cell of more than 128 bits.
    pub(crate) fn load_part(
        &self,
        map: u32,
        address: u64,
        (low, width): (u32, u32),
        access: AccessKind,
    ) -> Result<u128, Ending> {
        let landing = check_range(self.model(), map, address, 1, access).map_err(Ending::Fault)?;
        let cell = sim_runtime::memory::CellStore::get_wide_cell(&self.state, landing.ram, landing.cell);
        Ok(cell.extract(landing.low_bit + low, width))
    }

    /// The opposite.
    pub(crate) fn store_part(
        &mut self,
        map: u32,
        address: u64,
        (low, width): (u32, u32),
        value: u128,
    ) -> Result<bool, Ending> {
        let landing = check_range(self.model(), map, address, 1, AccessKind::Write).map_err(Ending::Fault)?;
        self.state.store_part(landing.ram, landing.cell, landing.low_bit + low, width, value);
        Ok(self.state.code_written)
    }

    /// A Linux system call.
    pub(crate) fn linux_call(&mut self, ended: u64, values: [u64; 7]) -> Result<u64, Ending> {
        let [number, arguments @ ..] = values;
        let (abi, map, cycles) = self.call_surroundings(ended);
        let result = self.host.linux_call(&mut self.state, map, abi, cycles, number, arguments);
        returned(result)
    }

    /// A semihosting call.
    pub(crate) fn semihost(&mut self, ended: u64, values: [u64; 2]) -> Result<u64, Ending> {
        let (abi, map, cycles) = self.call_surroundings(ended);
        let result = self.host.semihost(&mut self.state, map, abi, cycles, values[0], values[1]);
        returned(result)
    }

    fn call_surroundings(&self, ended: u64) -> (sim_runtime::host::Abi, usize, u64) {
        let model = self.model();
        let map = model.target.host_map.unwrap_or(0) as usize;
        (sim_runtime::record::abi(model), map, self.cycles(ended))
    }

    /// What runs beside the instruction changes the program counter, which holds this.
    pub(crate) fn strike(&mut self, next: u64) {
        let arena = &mut self.state.arena;
        if arena.word(layout::STRUCK as u64) == 0 {
            arena.set_word(layout::STRUCK as u64, 1);
            arena.set_word(layout::STRUCK_NEXT as u64, next);
        }
    }

    /// Where the instruction that has just run would have gone on, if it was struck.
    pub(crate) fn take_struck(&mut self) -> Option<u64> {
        let arena = &mut self.state.arena;
        let is_struck = arena.word(layout::STRUCK as u64) != 0;
        is_struck.then(|| {
            arena.set_word(layout::STRUCK as u64, 0);
            arena.word(layout::STRUCK_NEXT as u64)
        })
    }

    /// Instructions that have ended since the run was allowed, before the one at a site.
    fn ended_at(&self, site: u64) -> u64 {
        let begun = self.sites.get(site as usize).map_or(0, |site| site.begun);
        let fuel = self.state.arena.word(layout::FUEL as u64) as i64;
        let begun = self.allowed.wrapping_sub((fuel - begun) as u64) & self.instruction_bits;
        begun.saturating_sub(1)
    }

    /// What compiled code does for an access that it does not make itself: 0, and the value is told,
    /// or 1 if the instruction has ended.
    pub(crate) fn help_load(&mut self, address: u64, packed: u64, site: u64) -> u64 {
        self.take_extra_cycles();
        let (map, cells, access) = unpack(packed);
        let ended = self.ended_at(site);
        match self.load(ended, (map, cells), address, access) {
            Ok(value) => {
                self.state.arena.set_number(layout::VALUE as u64, 16, value);
                0
            }
            Err(ending) => {
                self.told = Some(ending);
                1
            }
        }
    }

    /// The same for a write: 0, 1 if the instruction has ended, or 2 if it has to be looked at what
    /// was written.
    pub(crate) fn help_store(&mut self, address: u64, packed: u64) -> u64 {
        self.take_extra_cycles();
        let (map, cells, _) = unpack(packed);
        let value = self.state.arena.number(layout::VALUE as u64, 16);
        match self.store((map, cells), address, value) {
            Ok(looked_at) => u64::from(looked_at) * 2,
            Err(ending) => {
                self.told = Some(ending);
                1
            }
        }
    }

    /// Compiled code adds to the extra cycles from now on.
    pub(crate) fn lend_extra_cycles(&mut self) {
        self.state.arena.set_word(layout::EXTRA as u64, self.extra_cycles);
        self.state
            .arena
            .set_word(layout::EXTRA_END as u64, self.extra_cycles.saturating_add(self.spare_cycles));
    }

    /// Compiled code has added to the extra cycles.
    pub(crate) fn take_extra_cycles(&mut self) {
        self.extra_cycles = self.state.arena.word(layout::EXTRA as u64);
    }

    /// How many of the cycles that remain until a time comes are for instructions, where as many of them as so
    /// far are extra cycles; what is left is for these.
    pub(crate) fn divide_cycles(&mut self, remaining: u64) -> u64 {
        let (plain, extra) = (u128::from(self.plain_cycles(0)) + 1, u128::from(self.extra_cycles));
        if remaining == u64::MAX {
            // No time comes.
            self.spare_cycles = u64::MAX;
            return u64::MAX;
        }
        let instructions = (u128::from(remaining) * plain / (plain + extra)) as u64;
        let instructions = instructions.clamp(1, remaining);
        self.spare_cycles = remaining - instructions;
        instructions
    }

    /// The model's `extra_cycles(n)` in a compiled step, or of [`NOBODY`].
    pub(crate) fn help_extra_cycles(&mut self, cycles: u64, step: u64) {
        self.take_extra_cycles();
        self.extra_cycles = self.extra_cycles.saturating_add(cycles);
        self.state.arena.set_word(layout::EXTRA as u64, self.extra_cycles);
        if step != u64::from(NOBODY) {
            let sum = self.charges.entry(step as u32).or_default();
            *sum = sum.saturating_add(cycles);
        }
    }

    /// The model's `cycles()` in a compiled step, its `instructions()`, or a timer's `pending`.
    pub(crate) fn help_passed(&mut self, asked: u64, site: u64) -> u64 {
        self.take_extra_cycles();
        let ended = self.ended_at(site);
        match asked {
            ASK_CYCLES => self.cycles(ended),
            ASK_INSTRUCTIONS => self.instructions.saturating_add(ended),
            _ => self.devices.is_pending((asked - ASK_PENDING) as usize, self.cycles(ended)).into(),
        }
    }

    /// Counts one of the model's own events.
    pub(crate) fn event(&mut self, name: &str) {
        match self.events.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.events.insert(name.to_string(), 1);
            }
        }
    }

    /// The place at hand.
    pub(crate) fn place(&self) -> Place {
        let address = self.state.pc();
        Place { address, pending: self.pending(), mode: self.state.mode(address) }
    }

    /// Timers whose time has come, a bit for each device.
    pub(crate) fn pending(&self) -> u64 {
        let cycles = self.cycles(0);
        let devices = 0..self.model().devices.len().min(64);
        devices.fold(0, |mask, device| mask | u64::from(self.devices.is_pending(device, cycles)) << device)
    }
}

fn returned(result: LinuxResult) -> Result<u64, Ending> {
    match result {
        LinuxResult::Return(value) => Ok(value as u64),
        LinuxResult::Exit(status) => Err(Ending::Halted(status)),
    }
}
