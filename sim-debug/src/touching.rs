//! Stops for watched places: behind what touches one, or before it.
//!
//! A place is looked at after each instruction. Some debuggers take it that a processor stops before an
//! instruction that touches a watched place, step over it by themselves, and then look: there the run is
//! taken back by that instruction.

use sim_runtime::host::Host;

use crate::course::{Direction, Stopped};
use crate::debugger::Debugger;
use crate::point::{WatchKind, Watchpoint};

/// Bytes of the largest instruction that may stand in a delay slot.
const MOST_BEHIND_JUMP: u64 = 4;

/// Where a run stands that stops before an instruction that touches a watched place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touching {
    /// There.
    Before,
    /// There, or at the jump before it if it runs in that jump's delay slot: the two are stepped as one.
    OrJumpBefore,
}

impl Debugger<'_> {
    /// Watches a place; false if the engine cannot tell what is accessed.
    pub fn add_watchpoint(&mut self, watchpoint: Watchpoint) -> bool {
        let tells = watchpoint.kind == WatchKind::Write || self.engine.watch_accesses(true);
        if tells {
            self.watchpoints.push(watchpoint);
        }
        tells
    }

    /// Whether to stop before the instruction, or the cycle, that touches a watched place is run, on the
    /// way back before it is undone, where the run can be taken back. If it goes on from there with the
    /// place still watched, it stops once that is done.
    pub fn stop_before_touching(&mut self, touching: Option<Touching>) {
        self.stops_before_touching = touching;
    }

    /// Watches a place no longer; false if nobody did.
    pub fn remove_watchpoint(&mut self, is_meant: impl Fn(&Watchpoint) -> bool) -> bool {
        let Some(place) = self.watchpoints.iter().position(is_meant) else { return false };
        self.watchpoints.remove(place);
        if self.watchpoints.iter().all(|other| other.kind == WatchKind::Write) {
            self.engine.watch_accesses(false);
        }
        true
    }

    /// Goes back to before the unit that has begun at a time, at an address, and touched a watched place,
    /// if that is to be stopped at and was not already.
    pub(crate) fn stop_before(&mut self, host: &mut Host, cycles: u64, address: u64) {
        let here = Some((Direction::Forward, cycles));
        let Some(touching) = self.stops_before_touching else { return };
        if !self.can_go_back() || self.touches_at == here {
            return;
        }
        let passed_cells = self.address().wrapping_sub(address);
        let passed = self.space.of_code(passed_cells);
        let is_behind_jump =
            !self.overlaps && touching == Touching::OrJumpBefore && passed > MOST_BEHIND_JUMP;
        if let Some(begin) = if is_behind_jump { self.unit_before } else { Some(cycles) } {
            self.go_to_cycle(host, begin);
            self.touches_at = here;
        }
    }

    /// The first watched place that was touched since this was asked last.
    pub(crate) fn touched(&mut self) -> Option<Stopped> {
        let changed = self.look_at_places();
        let accesses = self.engine.take_accesses();
        let is_touched = |point: &&Watchpoint| {
            accesses.iter().any(|touched| point.is_touched(touched, self.cell_bytes(touched.map)))
        };
        let touched = || self.watchpoints.iter().find(is_touched).map(|point| (point.id, point.kind));
        changed.or_else(touched).map(|(id, kind)| Stopped::Watch(id, kind))
    }

    /// Looks at all watched places; the first that has changed and stops the run by that.
    pub(crate) fn look_at_places(&mut self) -> Option<(u64, WatchKind)> {
        let machine = self.engine.machine();
        let mut found = None;
        for point in &mut self.watchpoints {
            let changed = point.look(machine);
            if changed && point.kind != WatchKind::Read {
                found.get_or_insert((point.id, point.kind));
            }
        }
        found
    }

    fn cell_bytes(&self, map: u32) -> u64 {
        let bits = self.info.maps.get(map as usize).map_or(8, |map| map.cell_bits);
        u64::from(bits.div_ceil(8).max(1))
    }

    /// Goes to behind what has touched a watched place, unless the run has just stopped there for it.
    pub(crate) fn redo(&mut self, host: &mut Host, told: Option<(Direction, u64)>) {
        let before = self.moment(host, false);
        let _ = self.bare_unit(host);
        let here = Some((Direction::Backward, self.engine.cycles()));
        match (before, told == here) {
            (Some(before), true) => self.restore(host, &before),
            _ => self.touches_at = here,
        }
        self.look_at_places();
        self.engine.take_accesses();
    }
}
