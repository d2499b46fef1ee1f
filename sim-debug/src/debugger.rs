//! Runs an engine from one stop to the next.
//!
//! The engine is run one unit at a time where something may stop it: an instruction, or a cycle where
//! instructions overlap. There the address of a run is that of the oldest instruction in flight: all
//! before it have ended, whatever is fetched meanwhile. Where nothing can stop it, it runs as it does
//! without a debugger.

use std::collections::BTreeSet;
use std::rc::Rc;

use isac_ir::Model;
use isac_ir::resource::RegisterPlace;
use sim_runtime::host::Host;
use sim_runtime::inspection::Follow;
use sim_runtime::launcher::LaunchInfo;
use sim_runtime::{Engine, Stop};

use crate::address::AddressSpace;
use crate::breakpoint::Asker;
use crate::course::{Direction, How, Stopped};
use crate::history::{History, Moment};
use crate::point::Watchpoint;
use crate::statement::Statements;
use crate::touching::Touching;
use crate::within::Position;

/// So many units pass before somebody is asked whether the run is to stop.
const UNITS_UNASKED: u64 = 1 << 10;

/// Somebody who is asked now and then whether the run is to stop.
pub(crate) type IsAsked<'a> = &'a mut dyn FnMut() -> bool;

/// An engine with what it is to stop for.
pub struct Debugger<'e> {
    pub(crate) engine: Box<dyn Engine + 'e>,
    pub(crate) info: LaunchInfo,
    pub(crate) space: AddressSpace,
    pc: RegisterPlace,
    pub(crate) overlaps: bool,
    pub(crate) breakpoints: BTreeSet<u64>,
    pub(crate) watchpoints: Vec<Watchpoint>,
    /// What is asked before each instruction.
    pub(crate) askers: Vec<Asker<'e>>,
    pub(crate) statements: Rc<Statements>,
    /// Numbers of the statements that are stopped at.
    pub(crate) stops: BTreeSet<u32>,
    /// Numbers of the stages whose stalls are stopped at.
    pub(crate) stalls: BTreeSet<u32>,
    /// A stage of these that has begun to stand.
    pub(crate) new_stall: Option<u32>,
    /// Where the run stands within an instruction.
    pub(crate) inside: Option<Position>,
    pub(crate) history: Option<History>,
    /// A state a little before the one at hand, kept while the run goes on.
    pub(crate) recent: Option<Moment>,
    /// Whether the run stops before what touches a watched place, and on which way and where it last did.
    pub(crate) stops_before_touching: Option<Touching>,
    pub(crate) touches_at: Option<(Direction, u64)>,
    /// When the unit before began, if the run went on since.
    pub(crate) unit_before: Option<u64>,
    /// Instructions that have ended or were cancelled.
    pub(crate) taken: u64,
    /// How the program has ended.
    pub(crate) ended: Option<Stop>,
    /// An instruction begins here.
    pub(crate) is_boundary: bool,
    /// Somebody has changed the state since it ran.
    pub(crate) is_changed: bool,
}

impl<'e> Debugger<'e> {
    /// Debugs an engine; `None` if it tells no model.
    #[must_use]
    pub fn new(engine: Box<dyn Engine + 'e>, info: &LaunchInfo) -> Option<Debugger<'e>> {
        let model = engine.model()?;
        let (pc, overlaps) = (model.pc.clone(), model.overlaps());
        let space = AddressSpace::new(model, info);
        Some(Debugger {
            engine,
            info: info.clone(),
            space,
            pc,
            overlaps,
            breakpoints: BTreeSet::new(),
            watchpoints: Vec::new(),
            askers: Vec::new(),
            statements: Rc::default(),
            stops: BTreeSet::new(),
            stalls: BTreeSet::new(),
            new_stall: None,
            inside: None,
            history: None,
            recent: None,
            stops_before_touching: None,
            touches_at: None,
            unit_before: None,
            taken: 0,
            ended: None,
            is_boundary: true,
            is_changed: false,
        })
    }

    /// The same with the statements that the engine follows.
    #[must_use]
    pub fn with_statements(mut self, statements: Rc<Statements>) -> Debugger<'e> {
        if self.engine.follow(Follow::Nothing) {
            self.statements = statements;
        }
        self
    }

    /// The statements of the description; none if the engine does not tell them.
    #[must_use]
    pub fn statements(&self) -> Rc<Statements> {
        Rc::clone(&self.statements)
    }

    /// Stops before these statements, and before no others any more.
    ///
    /// # Errors
    /// Statements cannot be followed.
    pub fn stop_at_statements(&mut self, stops: BTreeSet<u32>) -> Result<(), &'static str> {
        if !stops.is_empty() {
            self.check_follows()?;
        }
        self.stops = stops;
        Ok(())
    }

    /// The engine.
    pub fn engine(&mut self) -> &mut (dyn Engine + 'e) {
        self.engine.as_mut()
    }

    /// The model.
    ///
    /// # Panics
    /// If the engine no longer tells the model that it told before.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.engine.model().expect("an engine does not lose its model")
    }

    /// What the launcher knows of the model.
    #[must_use]
    pub fn info(&self) -> &LaunchInfo {
        &self.info
    }

    /// How addresses are counted.
    #[must_use]
    pub fn space(&self) -> &AddressSpace {
        &self.space
    }

    /// True if instructions overlap.
    #[must_use]
    pub fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// True if the run can be taken back.
    #[must_use]
    pub fn can_go_back(&self) -> bool {
        self.history.is_some()
    }

    /// Instructions that have ended.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.engine.instructions()
    }

    /// How the program has ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<Stop> {
        self.ended
    }

    /// What the program counter holds for the instruction that is next to end.
    #[must_use]
    pub fn address(&mut self) -> u64 {
        if let Some(position) = &self.inside {
            return position.address;
        }
        match self.engine.oldest().filter(|_| self.overlaps) {
            Some((_, address)) => address,
            None => self.engine.machine().read_place(&self.pc) as u64,
        }
    }

    /// The state is changed from outside of the run, or has been: it goes another way from here on.
    pub fn change(&mut self) {
        self.is_changed = true;
    }

    /// Runs on for at most `budget` instructions, or cycles where they overlap; `None` if nothing has
    /// stopped it by then. `is_asked` is asked now and then.
    pub(crate) fn go_on(
        &mut self,
        host: &mut Host,
        how: How,
        budget: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        if let Some(ended) = self.ended {
            return Some(Stopped::Ended(ended));
        }
        if Debugger::is_within_move(how, Direction::Forward) {
            return self.go_on_within(host, how, budget, is_asked);
        }
        let begin = self.taken;
        (self.recent, self.unit_before) = (None, None);
        if self.inside.is_some()
            && let Some(stopped) = self.finish_within(host).or_else(|| self.found_by(how))
        {
            return Some(stopped);
        }
        let budget = budget.saturating_sub(self.taken - begin);
        let watches = self.has_breakpoints()
            || !self.stops.is_empty()
            || !self.stalls.is_empty()
            || !self.watchpoints.is_empty();
        // What stops the run takes it back by a unit.
        let returns =
            !self.stops.is_empty() || (self.stops_before_touching.is_some() && !self.watchpoints.is_empty());
        if how == How::Continue && !watches {
            return self.go_unwatched(host, budget, is_asked);
        }
        let begin = self.taken;
        for unit in 0..budget {
            if unit % UNITS_UNASKED == 0 && returns {
                self.recent = self.moment(host, false);
            }
            if let Some(stopped) = self.watched_unit(host).or_else(|| self.found_by(how)) {
                return Some(stopped);
            }
            // A flush ends several instructions in one cycle.
            if self.taken - begin >= budget {
                break;
            }
            if unit % UNITS_UNASKED == UNITS_UNASKED - 1 && is_asked() {
                return Some(Stopped::Asked);
            }
        }
        None
    }

    /// Runs on where nothing can stop it.
    fn go_unwatched(&mut self, host: &mut Host, budget: u64, is_asked: IsAsked<'_>) -> Option<Stopped> {
        let (mut left, begin) = (budget, self.taken);
        while left > 0 && self.taken - begin < budget {
            let left_to_end = budget - (self.taken - begin);
            let most = left.min(left_to_end);
            let piece = match &self.history {
                Some(history) => history.next_due().saturating_sub(self.engine.cycles()).clamp(1, most),
                None => most,
            };
            let before = self.taken;
            let stop = self.engine.run(host, piece);
            let stopped = self.count(stop, piece);
            // An engine may come back before it has done all of it.
            left -= if self.overlaps() { piece } else { self.taken - before };
            self.is_boundary = true;
            if stopped.is_some() {
                return stopped;
            }
            self.keep(host);
            if is_asked() {
                return Some(Stopped::Asked);
            }
        }
        None
    }

    /// Runs one instruction, or one cycle where they overlap, and keeps the state if it is time to.
    pub(crate) fn unit(&mut self, host: &mut Host) -> Option<Stopped> {
        let stopped = self.bare_unit(host);
        self.keep(host);
        stopped.or_else(|| self.touched()).or_else(|| self.stalled_now())
    }

    /// The same, stopped before a statement in it that is stopped at, or before all of it.
    fn watched_unit(&mut self, host: &mut Host) -> Option<Stopped> {
        let cycles = self.engine.cycles();
        let watches = !self.watchpoints.is_empty() && self.stops_before_touching.is_some();
        let address = if watches { self.address() } else { 0 };
        if !self.stops.is_empty() {
            self.engine.follow(Follow::List);
        }
        let mut stopped = self.unit(host);
        if !self.stops.is_empty() {
            let within = self.stop_at_passed(host, cycles);
            self.engine.follow(Follow::Nothing);
            if within.is_some() {
                return within;
            }
            if self.was_cut(host, cycles) {
                stopped = self.unit(host);
            }
        }
        if matches!(stopped, Some(Stopped::Watch(..))) {
            self.stop_before(host, cycles, address);
        }
        if watches {
            self.unit_before = Some(cycles);
            self.touches_at = self.touches_at.filter(|(_, at)| *at >= self.engine.cycles());
        }
        stopped
    }

    /// Runs one instruction or cycle and nothing else.
    pub(crate) fn bare_unit(&mut self, host: &mut Host) -> Option<Stopped> {
        let before = self.engine.oldest().map(|(id, _)| id);
        let stood = self.standing_before();
        let stop = self.engine.run(host, 1);
        let now = self.engine.oldest().map(|(id, _)| id);
        self.is_boundary = !self.overlaps() || (now.is_some() && now != before);
        self.look_at_stages(&stood);
        self.count(stop, 1)
    }

    /// What an engine has come back with from a run of so many instructions.
    pub(crate) fn count(&mut self, stop: Stop, budget: u64) -> Option<Stopped> {
        match stop {
            Stop::Budget => self.taken += budget,
            Stop::Paused { taken, .. } => self.taken += taken,
            Stop::Halted(_) | Stop::Fault(_) | Stop::Interrupted => {
                self.ended = Some(stop);
                return Some(Stopped::Ended(stop));
            }
        }
        None
    }

    /// Whether the run stops where it is.
    fn found_by(&mut self, how: How) -> Option<Stopped> {
        if matches!(how, How::GoTo(instructions) if self.engine.instructions() >= instructions) {
            return Some(Stopped::Stepped);
        }
        if let Some(here) = self.breakpoint_here() {
            return Some(here);
        }
        match how {
            How::StepCycle => return Some(Stopped::Stepped),
            _ if !self.is_boundary => return None,
            How::Step => return Some(Stopped::Stepped),
            _ => {}
        }
        match how {
            How::StepRange(first, behind) if !(first..behind).contains(&self.address()) => {
                Some(Stopped::Stepped)
            }
            _ => None,
        }
    }
}
