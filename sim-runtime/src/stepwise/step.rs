//! One cycle: what the sections of an instruction share, and running them.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{CellSource, DecodeError, DecodedElement, WholeWord, decode_element};
use isac_ir::operation::Referred;
use isac_ir::root::RootDecoding;
use isac_ir::time::StageId;
use sim_profile::Word;

use super::core::StepCore;
use super::instruction::Instruction;
use super::wheel::Wheel;
use crate::fault::FaultKind;
use crate::kernel::{Profiling, Trap, trap};
use crate::memory::{fetch_cells, find_range};

/// Number of addresses whose instruction is found at once; a power of two.
const NEAR: usize = 1 << 14;

/// From so many regions on they are added up.
const MANY_REGIONS: usize = 1024;

/// What tells instructions apart: address, context of the CODINGROOT, words, parts of SWITCHes.
type Key = (u64, usize, Vec<u8>, Vec<u32>);

/// What has become of a context that runs by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    Not,
    /// What was decoded below it has run first: its LOCALs are in use.
    Awaited,
    Run,
}

/// What the sections of an instruction share.
pub struct Step<C: StepCore, P: Profiling> {
    /// Address of the instruction, in cells: the PC's value until it is decoded.
    pub address: u64,
    /// Its size in cells, 0 until it is decoded.
    pub size_cells: u32,
    /// The budget, where the kernel counts down: not here.
    pub left: u64,
    /// True if the instruction was decoded.
    pub is_decoded: bool,
    /// True if decoding it has failed.
    pub is_undecoded: bool,
    instruction: Rc<Instruction<C, P>>,
    /// What every instruction begins with.
    before: Rc<Instruction<C, P>>,
    due: VecDeque<usize>,
    /// The stage of the last retry.
    pub(super) retried: Option<StageId>,
    /// What is scheduled, where instructions overlap.
    pub(super) wheel: Option<Box<Wheel>>,
    /// LOCALs of all contexts.
    variables: Vec<u128>,
    /// By context, where something may run before what it was decoded below; else empty.
    begun: Vec<Begun>,
    /// Regions that have begun.
    counted: Vec<u32>,
    /// Those of an instruction that has been in flight for long, with how often.
    folded: BTreeMap<u32, u64>,
    /// What the instruction was decoded as before.
    former: Option<Rc<Instruction<C, P>>>,
    /// The CODINGROOT on its way.
    root: RootDecoding,
    /// The parts of SWITCHes that it has come to.
    opened: Vec<u32>,
    /// Found again by its address.
    found: Option<Rc<Instruction<C, P>>>,
    /// True if each CODINGROOT decodes one word from a map: its address tells the instruction.
    is_single: bool,
    near: Vec<Option<Rc<Instruction<C, P>>>>,
    /// Every instruction that was decoded.
    known: BTreeMap<Key, Rc<Instruction<C, P>>>,
}

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// Nothing is decoded yet.
    pub fn new(core: &C) -> Self {
        let model = core.model();
        let before = Rc::new(Instruction::undecoded(model, model.main));
        Step {
            address: 0,
            size_cells: 0,
            left: 0,
            is_decoded: false,
            is_undecoded: false,
            instruction: Rc::clone(&before),
            before,
            due: VecDeque::new(),
            retried: None,
            wheel: model.overlaps().then(|| Box::new(Wheel::new(model))),
            variables: Vec::new(),
            begun: Vec::new(),
            counted: Vec::new(),
            folded: BTreeMap::new(),
            former: None,
            root: RootDecoding::new(model.main),
            opened: Vec::new(),
            found: None,
            is_single: decodes_one_word(model),
            near: vec![None; NEAR],
            known: BTreeMap::new(),
        }
    }

    /// Runs one cycle: `main` and all that becomes due.
    ///
    /// # Errors
    /// The trap that ended it.
    pub fn run(&mut self, core: &mut C) -> Result<(), Trap> {
        self.begin(core, Rc::clone(&self.before));
        self.execute(core, 0)?;
        while let Some(context) = self.due.pop_front() {
            self.execute(core, context)?;
        }
        Ok(())
    }

    /// Runs one operation that belongs to no instruction.
    ///
    /// # Errors
    /// The trap that ended it.
    pub fn run_alone(&mut self, core: &mut C, operation: u32) -> Result<(), Trap> {
        let alone = Instruction::undecoded(core.model(), operation);
        self.begin(core, Rc::new(alone));
        self.execute(core, 0)
    }

    /// The instruction of this turn begins with `main`.
    pub(super) fn begin_main(&mut self, core: &C) {
        self.begin(core, Rc::clone(&self.before));
    }

    /// Changes the instruction at hand for another.
    pub(super) fn swap(&mut self, parked: &mut Parked<C, P>) {
        std::mem::swap(&mut self.address, &mut parked.address);
        std::mem::swap(&mut self.size_cells, &mut parked.size_cells);
        std::mem::swap(&mut self.is_decoded, &mut parked.is_decoded);
        std::mem::swap(&mut self.is_undecoded, &mut parked.is_undecoded);
        std::mem::swap(&mut self.instruction, &mut parked.instruction);
        std::mem::swap(&mut self.variables, &mut parked.variables);
        std::mem::swap(&mut self.counted, &mut parked.counted);
        std::mem::swap(&mut self.folded, &mut parked.folded);
        std::mem::swap(&mut self.begun, &mut parked.begun);
    }

    /// A place for an instruction that has not its turn.
    pub(super) fn parking_place(&self) -> Parked<C, P> {
        Parked {
            address: 0,
            size_cells: 0,
            is_decoded: false,
            is_undecoded: false,
            instruction: Rc::clone(&self.before),
            variables: Vec::new(),
            counted: Vec::new(),
            folded: BTreeMap::new(),
            begun: Vec::new(),
            doom: None,
        }
    }

    fn begin(&mut self, core: &C, instruction: Rc<Instruction<C, P>>) {
        self.instruction = instruction;
        self.address = core.pc();
        self.size_cells = 0;
        self.is_decoded = false;
        self.is_undecoded = false;
        self.due.clear();
        self.counted.clear();
        self.folded.clear();
        self.variables.clear();
        self.variables.resize(self.instruction.variables, 0);
        self.begun.clear();
    }

    /// Goes on with what was decoded; LOCALs that are there keep their values.
    fn set_instruction(&mut self, instruction: Rc<Instruction<C, P>>) {
        self.variables.resize(instruction.variables, 0);
        if instruction.has_awaited() {
            self.begun.resize(instruction.contexts().len(), Begun::Not);
        }
        self.instruction = instruction;
    }

    pub(super) fn execute(&mut self, core: &mut C, context: usize) -> Result<(), Trap> {
        if self.begins_anew(context) {
            // What is executed again has LOCALs of its own.
            for range in self.instruction.fresh_variables(context) {
                self.variables[range].fill(0);
            }
        }
        if let Some(root) = self.instruction.root(context) {
            self.enter(context);
            root(core, self, context)?;
        }
        for index in self.instruction.actions(context) {
            let action = self.instruction.action(index);
            if action.is_section {
                self.enter(action.context);
            }
            (action.function)(core, self, action.context)?;
        }
        Ok(())
    }

    /// A section of a context runs.
    fn enter(&mut self, context: usize) {
        if let Some(wheel) = &mut self.wheel {
            wheel.enter(self.instruction.context(context).stage);
        }
    }

    /// Adds up what ran, once it is much: what waits or repeats itself for long shall not grow.
    pub(super) fn fold(&mut self) {
        if self.counted.len() >= MANY_REGIONS {
            for region in self.counted.drain(..) {
                *self.folded.entry(region).or_default() += 1;
            }
        }
    }

    /// False if something decoded below a context has run first, whose LOCALs it goes on with.
    fn begins_anew(&mut self, context: usize) -> bool {
        if self.begun.is_empty() {
            return true;
        }
        for above in self.instruction.awaited(context) {
            if self.begun[above] == Begun::Not {
                self.begun[above] = Begun::Awaited;
            }
        }
        std::mem::replace(&mut self.begun[context], Begun::Run) != Begun::Awaited
    }

    /// Adds what ran to the instruction's counts.
    pub fn commit(&mut self) {
        for (region, times) in std::mem::take(&mut self.folded) {
            if let Some(count) = self.instruction.counts.get(region as usize) {
                count.set(count.get() + times);
            }
        }
        for region in self.counted.drain(..) {
            if let Some(count) = self.instruction.counts.get(region as usize) {
                count.set(count.get() + 1);
            }
        }
    }

    /// The instruction at hand.
    pub fn instruction(&self) -> &Instruction<C, P> {
        &self.instruction
    }

    /// Every instruction that was decoded.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<C, P>> {
        self.known.values().map(Rc::as_ref)
    }

    /// A region begins: number `region` of a context's, of all its bodies.
    #[inline]
    pub fn count(&mut self, region: u32) {
        if P::ON {
            self.counted.push(region);
        }
    }

    /// The first counter of a context.
    #[inline]
    pub fn counter(&self, context: usize) -> u32 {
        if P::ON { self.instruction.counter(context) } else { 0 }
    }

    /// Number of regions that have begun, for [`Step::forget`].
    #[inline]
    pub fn counted(&self) -> usize {
        self.counted.len()
    }

    /// Takes back what has been counted since.
    #[inline]
    pub fn forget(&mut self, counted: usize) {
        self.counted.truncate(counted);
    }

    /// A value of a context: its coded bits, its fields, then its instances' coded bits.
    #[inline]
    pub fn value(&self, context: usize, index: usize) -> u128 {
        self.instruction.value(context, index)
    }

    /// The context of what an instance has chosen.
    #[inline]
    pub fn link(&self, context: usize, instance: usize) -> usize {
        self.instruction.link(context, instance)
    }

    /// A LOCAL of a context.
    #[inline]
    pub fn variable(&self, context: usize, variable: usize) -> u128 {
        self.variables[self.instruction.variable(context, variable)]
    }

    /// Assigns a LOCAL of a context.
    #[inline]
    pub fn set_variable(&mut self, context: usize, variable: usize, value: u128) {
        let place = self.instruction.variable(context, variable);
        self.variables[place] = value;
    }

    /// What a reference of a context stands for: the context that has it, its operation, and what
    /// it is there.
    #[inline]
    pub fn referred(&self, context: usize, reference: usize) -> (usize, u32, Referred) {
        let (owner, what) = self.instruction.referred(context, reference);
        (owner, self.operation(owner), what)
    }

    /// True if an instance was decoded.
    #[inline]
    pub fn is_there(&self, context: usize, instance: usize) -> bool {
        self.instruction.link(context, instance) < self.instruction.contexts().len()
    }

    /// The operation that an instance has chosen; none has this number if it was not decoded.
    #[inline]
    pub fn chosen(&self, context: usize, instance: usize) -> u32 {
        if self.is_there(context, instance) { self.operation(self.link(context, instance)) } else { u32::MAX }
    }

    /// The operation of a context.
    #[inline]
    pub fn operation(&self, context: usize) -> u32 {
        self.instruction.context(context).operation
    }

    /// Schedules an instance, with the DELAY that its activation names.
    #[inline]
    pub fn activate(&mut self, context: usize, instance: usize, delay: u32) {
        let target = self.instruction.link(context, instance);
        if let Some(wheel) = &mut self.wheel {
            let from = self.instruction.context(context).stage;
            let link = (target < self.instruction.contexts().len()).then_some(target);
            let below = self.instruction.taken_from_below(context, instance).filter(|_| link.is_none());
            for target in link.into_iter().chain(below) {
                wheel.activate(target as u32, delay, from, self.instruction.context(target).stage);
            }
        } else if target < self.instruction.contexts().len() {
            self.due.push_back(target);
        } else {
            self.due.extend(self.instruction.taken_from_below(context, instance));
        }
    }

    /// Schedules what was decoded for a later stage.
    ///
    /// # Errors
    /// None.
    pub fn schedule_bound(&mut self, context: usize) -> Result<(), Trap> {
        let to = self.instruction.context(context).stage;
        let from = self.instruction.stage_around(context);
        if let Some(wheel) = &mut self.wheel {
            wheel.activate(context as u32, 0, from, to);
        }
        Ok(())
    }

    /// Has what the instruction ran in a context's stage run again in the next cycle.
    ///
    /// # Errors
    /// The trap that ends the section.
    pub fn retry<T>(&mut self, context: usize) -> Result<T, Trap> {
        self.retried = self.instruction.context(context).stage;
        Err(Trap::Retry)
    }

    /// From the next cycle on, a stage and those before it stand still.
    pub fn stall(&mut self, pipeline: u32, stage: u32, cycles: u64) {
        if let Some(wheel) = &mut self.wheel {
            wheel.stall(StageId { pipeline, stage }, cycles);
        }
    }

    /// Cancels every other instruction in a stage or before it.
    pub fn flush(&mut self, pipeline: u32, stage: u32) {
        if let Some(wheel) = &mut self.wheel {
            wheel.flush(StageId { pipeline, stage });
        }
    }

    /// True if an instruction is in a stage in this cycle.
    pub fn is_busy(&self, pipeline: u32, stage: u32) -> bool {
        self.wheel.as_ref().is_some_and(|wheel| wheel.is_busy(StageId { pipeline, stage }))
    }

    /// A CODINGROOT begins.
    pub fn begin_decoding(&mut self, core: &C, context: usize) {
        self.address = core.pc();
        self.root = RootDecoding::new(self.instruction.context(context).operation);
        self.opened.clear();
        self.found = None;
        self.former = self.is_decoded.then(|| Rc::clone(&self.instruction));
    }

    /// An element of a CODINGROOT from a map.
    ///
    /// # Errors
    /// The trap of a fetch that is not allowed, or of a word that nothing matches.
    pub fn decode_map(
        &mut self,
        core: &mut C,
        context: usize,
        (instance, number): (u32, u32),
        (map, address): (u32, u64),
    ) -> Result<(), Trap> {
        if self.root.is_empty() {
            self.address = address;
        }
        self.forget_written(core);
        if self.is_single
            && let Some(near) = &self.near[address as usize % NEAR]
            && near.address == address
            && near.root_context() == context
        {
            self.size_cells += near.size_cells;
            self.found = Some(Rc::clone(near));
            return Ok(());
        }
        let model = core.model();
        let Some(decoder) = self.decoder_of(model, context, instance) else { return Ok(()) };
        let mut cells = MapCells { model, store: &*core, map, address };
        match decode_element(model, decoder, &mut cells) {
            Ok(element) => {
                let cells = element.seen_bits / model.maps[map as usize].cell_bits;
                mark_code(core, map, address, cells);
                self.add_element(core, context, (instance, number), element);
                Ok(())
            }
            Err(error) => {
                self.is_undecoded = true;
                match error {
                    DecodeError::Illegal => Err(Trap::Illegal),
                    DecodeError::Fetch(fault) => trap(core.kernel(), Trap::Fetch, fault),
                }
            }
        }
    }

    /// An element of a CODINGROOT from a value that holds it, `width_bits` wide.
    ///
    /// # Errors
    /// The trap of a word that nothing matches.
    pub fn decode_value(
        &mut self,
        core: &mut C,
        context: usize,
        (instance, number): (u32, u32),
        (word, width_bits): (Bits, u32),
        address: Option<u64>,
    ) -> Result<(), Trap> {
        if let Some(address) = address.filter(|_| self.root.is_empty()) {
            self.address = address;
        }
        let model = core.model();
        let Some(decoder) = self.decoder_of(model, context, instance) else { return Ok(()) };
        let big_endian = model.target.big_endian;
        let mut cells = WholeWord { word, width_bits, big_endian };
        match decode_element(model, decoder, &mut cells) {
            Ok(element) => {
                self.add_element(core, context, (instance, number), element);
                Ok(())
            }
            Err(_) => {
                self.is_undecoded = true;
                Err(Trap::Illegal)
            }
        }
    }

    /// What decodes an instance of a context.
    fn decoder_of(&self, model: &Model, context: usize, instance: u32) -> Option<u32> {
        let table = model.operation(self.operation(context));
        model.decoder_of(table.instances[instance as usize].target)
    }

    /// A part of a SWITCH begins.
    pub fn open_node(&mut self, label: u32) {
        self.root.open(label);
        self.opened.push(label);
    }

    /// The innermost part of a SWITCH ends.
    pub fn close_node(&mut self) {
        self.root.close();
    }

    /// What is decoded is known to the rest of the CODINGROOT.
    fn add_element(
        &mut self,
        core: &C,
        context: usize,
        (instance, number): (u32, u32),
        element: DecodedElement,
    ) {
        self.root.add(instance, number, element);
        self.size_cells = self.root.size_cells(core.model());
        if !self.is_single {
            let instruction = self.find_instruction(core, context);
            self.set_instruction(instruction);
        }
    }

    /// A CODINGROOT ends: the instruction is known, or it is illegal.
    ///
    /// # Errors
    /// None: what could not be decoded has been found before.
    pub fn finish_decoding(&mut self, core: &mut C, context: usize) -> Result<(), Trap> {
        if let Some(found) = self.found.take() {
            self.finish_with(found);
            return Ok(());
        }
        let instruction = self.find_instruction(core, context);
        if self.is_single {
            self.near[self.address as usize % NEAR] = Some(Rc::clone(&instruction));
        }
        self.finish_with(instruction);
        Ok(())
    }

    /// The instruction is decoded. What it did as another one before, below its CODINGROOT, does
    /// not count.
    fn finish_with(&mut self, instruction: Rc<Instruction<C, P>>) {
        if self.former.take().is_some_and(|former| !Rc::ptr_eq(&former, &instruction)) {
            let common = self.before.counts.len() as u32;
            self.counted.retain(|region| *region < common);
            self.folded.retain(|region, _| *region < common);
        }
        self.set_instruction(instruction);
        self.is_decoded = true;
    }

    /// The instruction that the elements are.
    fn find_instruction(&mut self, core: &C, context: usize) -> Rc<Instruction<C, P>> {
        let bytes = self.root.bytes(core.model());
        let key = (self.address, context, bytes.clone(), self.opened.clone());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let place = (self.address, self.size_cells, Word::new(&bytes).unwrap_or_default());
        let decoded = self.root.decoded.clone();
        let new = Rc::new(Instruction::decoded(core.model(), &self.before, context, decoded, place));
        self.known.insert(key, Rc::clone(&new));
        new
    }

    /// Forgets which instruction stands where, if a write may have changed that.
    fn forget_written(&mut self, core: &mut C) {
        if std::mem::take(&mut core.kernel().code_written) && core.take_code_written() {
            self.near.fill(None);
            core.unmark_code();
        }
    }

    /// The fault of a trap; `None` for what is no fault.
    pub fn fault(&self, core: &C, trap: Trap) -> Option<FaultKind> {
        trap.fault(core.kernel_ref())
    }
}

/// An instruction in flight that has not its turn.
pub(super) struct Parked<C: StepCore, P: Profiling> {
    pub address: u64,
    size_cells: u32,
    pub is_decoded: bool,
    is_undecoded: bool,
    pub instruction: Rc<Instruction<C, P>>,
    variables: Vec<u128>,
    pub counted: Vec<u32>,
    pub folded: BTreeMap<u32, u64>,
    begun: Vec<Begun>,
    /// The fault that is on its way to the last stage.
    pub doom: Option<FaultKind>,
}

/// The cells of a map from an address on.
struct MapCells<'a, C> {
    model: &'a Model,
    store: &'a C,
    map: u32,
    address: u64,
}

impl<C: StepCore> CellSource for MapCells<'_, C> {
    /// The address of a cell that cannot be fetched.
    type Fault = u64;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, u64> {
        let cells = fetch_cells(self.model, self.store, self.map, self.address, first_bit, width_bits);
        cells.map_err(|fault| match fault {
            FaultKind::Memory { address, .. } => address,
            _ => self.address,
        })
    }
}

/// Remembers that cells hold code.
fn mark_code<C: StepCore>(core: &mut C, map: u32, address: u64, cells: u32) {
    let table = &core.model().maps[map as usize];
    let last = mask(table.address_bits) as u64;
    for cell in 0..u64::from(cells) {
        if let Some(landing) = find_range(table, address.wrapping_add(cell) & last, 1) {
            core.mark_cells(landing.ram, landing.cell, 1);
        }
    }
}

/// True if each CODINGROOT is one element from a map.
fn decodes_one_word(model: &Model) -> bool {
    let roots: Vec<_> = model.operations.iter().filter_map(|operation| operation.root.as_ref()).collect();
    let [root] = roots[..] else { return false };
    let mut elements = 0;
    walk_statements(&root.statements, &mut |statement| {
        elements += u32::from(matches!(statement, Stmt::Decode { .. }));
    });
    let first = root.statements.iter().any(|statement| matches!(statement, Stmt::Decode { .. }));
    elements == 1 && first
}
