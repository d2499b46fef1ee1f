//! One cycle: what the sections of an instruction share, and running them.

mod context;
mod decoding;
mod parked;
mod scheduling;
mod value;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use isac_ir::control::{fetching_operations, striking_operations};
use isac_ir::root::RootDecoding;
use isac_ir::time::StageId;
use sim_profile::{CacheLines, Spending};

use self::decoding::decodes_one_word;
pub(super) use self::parked::Parked;
use super::core::StepCore;
use super::instruction::{Context, Described, Instruction};
use super::lines::TouchedLines;
use super::wheel::Wheel;
use crate::fault::FaultKind;
use crate::kernel::{Kernel, Profiling, Trap};
use crate::record::{Strike, Struck, ValueRecorder};

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

/// An instruction that its address tells, as long as nobody writes to its cells.
struct Near<C: StepCore, P: Profiling> {
    instruction: Rc<Instruction<C, P>>,
    /// Number of cells that were looked at to decode it.
    seen_cells: u32,
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
    /// Where it was struck by what runs beside the instructions.
    pub(super) struck: Struck,
    /// Operations that may strike.
    striking: BTreeSet<u32>,
    /// Operations that fetch, where that has to be known.
    fetching: BTreeSet<u32>,
    due: VecDeque<usize>,
    /// The stage of the last retry, and the number of the operation that asked for it.
    pub(super) retried: Option<(StageId, u32)>,
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
    /// Lines of caches that it has touched.
    lines: TouchedLines,
    /// Who counts values, if anybody does.
    values: Option<ValueRecorder>,
    /// True while values are counted.
    notes_values: bool,
    /// True while a CODINGROOT decodes.
    is_decoding: bool,
    /// What the instruction was decoded as before.
    former: Option<Rc<Instruction<C, P>>>,
    /// The CODINGROOT on its way.
    root: RootDecoding,
    /// The parts of SWITCHes that it has come to.
    opened: Vec<u32>,
    /// Number of cells that the element at hand was told by.
    seen_cells: u32,
    /// Found again by its address.
    found: Option<Rc<Instruction<C, P>>>,
    /// True if each CODINGROOT decodes one word from a map: its address tells the instruction.
    is_single: bool,
    near: Vec<Option<Near<C, P>>>,
    /// Every instruction that was decoded.
    known: BTreeMap<Key, Rc<Instruction<C, P>>>,
}

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// Nothing is decoded yet.
    pub fn new(core: &C) -> Self {
        let model = core.model();
        let striking = striking_operations(model);
        let fetching = fetching_operations(model);
        let described = Described { model, striking: &striking, fetching: &fetching };
        let before = Rc::new(Instruction::undecoded(described, model.main));
        Step {
            address: 0,
            size_cells: 0,
            left: 0,
            is_decoded: false,
            is_undecoded: false,
            instruction: Rc::clone(&before),
            before,
            struck: Struck::default(),
            striking,
            fetching,
            due: VecDeque::new(),
            retried: None,
            wheel: model.overlaps().then(|| Box::new(Wheel::new(model))),
            variables: Vec::new(),
            begun: Vec::new(),
            counted: Vec::new(),
            folded: BTreeMap::new(),
            lines: TouchedLines::default(),
            values: None,
            notes_values: false,
            is_decoding: false,
            former: None,
            root: RootDecoding::new(model.main),
            opened: Vec::new(),
            seen_cells: 0,
            found: None,
            is_single: decodes_one_word(model),
            near: std::iter::repeat_with(|| None).take(NEAR).collect(),
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
        let described = Described { model: core.model(), striking: &self.striking, fetching: &self.fetching };
        let alone = Instruction::undecoded(described, operation);
        self.begin(core, Rc::new(alone));
        self.execute(core, 0)
    }

    /// The instruction of this turn begins with `main`.
    pub(super) fn begin_main(&mut self, core: &C) {
        self.begin(core, Rc::clone(&self.before));
    }

    fn begin(&mut self, core: &C, instruction: Rc<Instruction<C, P>>) {
        self.instruction = instruction;
        self.address = core.pc();
        self.size_cells = 0;
        self.is_decoded = false;
        self.is_undecoded = false;
        self.struck = Struck::default();
        self.due.clear();
        self.counted.clear();
        self.folded.clear();
        self.lines.clear();
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
            let outcome = root(core, self, context);
            self.is_decoding = false;
            outcome?;
        }
        for index in self.instruction.actions(context) {
            let action = self.instruction.action(index);
            if action.is_section {
                self.enter(action.context);
            }
            let &Context { strikes, fetches, .. } = self.instruction.context(action.context);
            if let Some((wheel, turn)) = self.fetching_turn(fetches && action.is_behavior) {
                wheel.fetched.push((turn, core.pc()));
            }
            let next = (strikes && action.is_behavior).then(|| core.pc());
            let outcome = (action.function)(core, self, action.context);
            if let Some(next) = next.filter(|next| core.pc() != *next) {
                if let Some(wheel) = &mut self.wheel {
                    let turn = wheel.turn().filter(|_| !self.is_decoded);
                    wheel.strikes.push(Strike { next, to: core.pc(), by: turn.map(|turn| turn.id) });
                }
                let kernel = core.kernel_ref();
                let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
                self.struck.note(self.is_decoded, next, now);
            }
            outcome?;
        }
        Ok(())
    }

    /// The wheel, and the ID of the instruction that has its turn, if what runs fetches it.
    fn fetching_turn(&mut self, fetches: bool) -> Option<(&mut Wheel, u64)> {
        let wheel = self.wheel.as_mut().filter(|_| fetches)?;
        let id = wheel.turn()?.id;
        Some((wheel, id))
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

    /// Adds the lines of caches that were touched since the last call to the instruction at hand.
    pub(super) fn note_lines(&mut self, core: &C) {
        if P::ON {
            self.lines.take(core);
        }
    }

    /// The lines that the instruction at hand has touched, by cache; it has none then.
    pub(super) fn take_lines(&mut self, core: &C) -> &mut Vec<CacheLines> {
        self.note_lines(core);
        &mut self.lines.at_hand
    }

    /// Where the instruction at hand stands, as far as its lines are concerned: what was not decoded
    /// has an address only if that was tried, or if it is at fault.
    pub(super) fn place_of_lines(&self, is_at_fault: bool) -> Option<u64> {
        (self.is_decoded || self.is_undecoded || is_at_fault).then_some(self.address)
    }

    /// The instruction at hand.
    pub fn instruction(&self) -> &Instruction<C, P> {
        &self.instruction
    }

    /// The same, to keep.
    pub(super) fn shared_instruction(&self) -> Rc<Instruction<C, P>> {
        Rc::clone(&self.instruction)
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

    /// A turn of a loop begins: what loops for long shall not grow.
    ///
    /// # Errors
    /// The trap of a run that is to end.
    #[inline]
    pub fn turn(&mut self, kernel: &mut Kernel) -> Result<(), Trap> {
        self.fold();
        kernel.turn()
    }

    /// The fault of a trap; `None` for what is no fault.
    pub fn fault(&self, core: &C, trap: Trap) -> Option<FaultKind> {
        trap.fault(core.kernel_ref())
    }
}
