//! Follows calls where instructions overlap.
//!
//! No moment lies between two instructions in flight, so what was spent cannot be read off a counter where
//! control passes from one to the next. Each instruction has a cost of its own instead: the cycle in which it
//! began, those that were lost for it, and its extra cycles. Once nothing more can be charged to them,
//! instructions are taken in the order in which they began, which is that of the program, and what was spent
//! is the sum of those before.
//!
//! What did not run to its end is paid for by the last instruction before it that did: behind a jump, what the
//! jump has flushed. Where the profile counts it at no address, or in another function, that is told as a
//! cost *in vain*, so that costs by address and by call still agree.

use std::collections::{BTreeMap, VecDeque};

use isac_ir::Model;
use isac_ir::control::MOST_SLOTS;
use sim_profile::{Calls, Spending};

use super::call_follower::{CallFollower, Executed, Followed};
use super::transfer::{FunctionMap, Step, late_step, own_step, step_of_the_processor};

/// Instructions that are waited for at most: one that never ends shall not keep all others.
const MOST_WAITING: usize = 1 << 12;

/// Handlers at most, one behind the other, of which the first instruction was struck.
const MOST_STRUCK: usize = 16;

/// Follows calls of instructions that overlap, told by their IDs: from 1 on, in the order of beginning.
#[derive(Clone)]
pub(crate) struct CallsInFlight {
    follower: CallFollower,
    /// What was spent by the instructions that are not waited for any more.
    spent: Spending,
    /// ID of the first that is.
    first: u64,
    waiting: VecDeque<InFlight>,
    /// The last instruction before those that ran to its end, and its ID.
    last: Option<(u64, Followed)>,
    /// Its address, which pays for what does not; of none before, where the run began.
    payer: u64,
    /// Those before it that may go elsewhere and have not, with how many instructions have begun behind each: in
    /// a pipeline that has fetched others by then, a branch takes effect behind those.
    branches: VecDeque<(u64, Followed)>,
    /// How many instructions are in the slots of a branch at most, as far as those tell that lead to one place; 0 if
    /// none has.
    slots: u64,
    /// Whether something behind it did not.
    has_abandoned: bool,
    /// The addresses of those that had an end of their own, as they cancelled themselves or were at fault: the first of
    /// each function that the run has come through.
    struck: Vec<u64>,
    /// Of those that were in flight when the run was sent elsewhere and did not run to their end, the address of the
    /// first of each strike, by its number: there the last instruction, or the strike before, has led.
    led: Vec<(u64, u64)>,
    /// How the run was sent elsewhere, until the first instruction behind that is taken.
    strikes: VecDeque<NumberedStrike>,
    struck_times: u64,
    /// The run is over, and something before what is taken now has not ended.
    is_cut: bool,
    /// Cycles, as [`Calls::in_vain`] has them.
    in_vain: BTreeMap<(Option<u64>, u64), u64>,
    /// Instructions that are waited for no more and have not ended, by ID.
    unplaced: BTreeMap<u64, Unplaced>,
}

/// Whether an instruction may have led to one that has ended itself, and not to where the run goes on: it does not
/// lead there for certain, and where it jumps in any case, not to its successor, which was fetched in vain. Perhaps
/// a branch before it has led there, in whose slot it stands.
fn may_be_struck(last: &Followed, (struck, is_late): (u64, bool), to: u64) -> bool {
    let Followed { successor, ref control, .. } = *last;
    let leads =
        |to: u64| control.targets.binary_search(&to).is_ok() || (to == successor && control.falls_through);
    let is_computed = own_step(control, successor, to).is_some();
    !leads(to)
        && (is_late
            || leads(struck)
            || (is_computed && struck != successor)
            || (!is_computed && struck == successor))
}

/// What an instruction has cost that is not waited for any more.
#[derive(Clone, Default)]
struct Unplaced {
    /// Where the profile counts it, as far as that is known.
    place: CostPlace,
    /// By the address that pays.
    costs: BTreeMap<u64, UnplacedCost>,
}

/// Cycles of which it is not known yet where the profile counts them.
#[derive(Clone, Copy, Default)]
struct UnplacedCost {
    /// In which the instruction began.
    begun: u64,
    charged: u64,
}

/// An instruction to which something may still be charged.
#[derive(Clone, Default)]
struct InFlight {
    /// Cycles beside the one in which it began.
    charged: u64,
    /// Where it was fetched, as far as that is known: the program counter's value at its beginning.
    address: u64,
    was_fetched: bool,
    place: CostPlace,
    /// The first strike, by its number, that came when it was in flight.
    struck: Option<u64>,
    state: State,
}

/// A strike that waits for the first instruction behind it.
#[derive(Clone, Copy)]
struct NumberedStrike {
    number: u64,
    /// How many instructions had begun.
    begun: u64,
    strike: Strike,
}

/// What an operation beside the instructions, as one that takes interrupts, did to the program counter where
/// instructions overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strike {
    /// What it held.
    pub next: u64,
    /// What it holds.
    pub to: u64,
    /// ID of the instruction in whose turn that was, if it was not decoded by then: where it leads may have been
    /// predicted.
    pub by: Option<u64>,
}

/// The addresses at which the profile counts what an instruction costs that does not run to its end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CostPlace {
    /// Of the cycle in which it began.
    pub begun: Option<u64>,
    /// Of all others.
    pub charged: Option<u64>,
}

#[derive(Clone, Default)]
enum State {
    #[default]
    Running,
    /// It ran to its end; nothing is to be followed if it was never decoded.
    Executed(Option<Followed>),
    Abandoned {
        /// It has ended itself.
        is_itself: bool,
    },
}

impl CallsInFlight {
    /// Follows a run that begins at an address.
    pub(crate) fn new(map: FunctionMap, address: u64) -> CallsInFlight {
        CallsInFlight {
            follower: CallFollower::new(map, address),
            spent: Spending::default(),
            first: 1,
            waiting: VecDeque::new(),
            last: None,
            branches: VecDeque::new(),
            slots: 0,
            payer: address,
            has_abandoned: false,
            struck: Vec::new(),
            led: Vec::new(),
            strikes: VecDeque::new(),
            struck_times: 0,
            is_cut: false,
            in_vain: BTreeMap::new(),
            unplaced: BTreeMap::new(),
        }
    }

    /// An instruction begins, the next one, with this value of the program counter.
    pub(crate) fn begin(&mut self, address: u64) {
        // Cycles are lost for what is over until another one begins, and no longer.
        while self.waiting.front().is_some_and(|front| !matches!(front.state, State::Running)) {
            self.take_first();
        }
        if self.waiting.len() == MOST_WAITING {
            self.leave_first();
        }
        self.waiting.push_back(InFlight { address, ..InFlight::default() });
    }

    /// An instruction is fetched from an address. Who looks at the program counter later does not.
    pub(crate) fn fetch(&mut self, id: u64, address: u64) {
        let latest = self.first + self.waiting.len() as u64 - 1;
        if let Some(instruction) = self.waiting_for(id).filter(|it| id == latest || !it.was_fetched) {
            (instruction.address, instruction.was_fetched) = (address, true);
        }
    }

    /// Something beside the instructions has sent the run elsewhere, when these instructions, told by their IDs, were
    /// over by then of which that is not yet told.
    pub(crate) fn strike(&mut self, strike: Strike, over: &[u64]) {
        self.struck_times += 1;
        for (id, instruction) in (self.first..).zip(&mut self.waiting) {
            if matches!(instruction.state, State::Running) && !over.contains(&id) {
                instruction.struck.get_or_insert(self.struck_times);
            }
        }
        if self.strikes.len() == MOST_WAITING {
            self.strikes.pop_front();
        }
        let begun = self.first + self.waiting.len() as u64 - 1;
        self.strikes.push_back(NumberedStrike { number: self.struck_times, begun, strike });
    }

    /// Cycles are lost for an instruction, or are extra ones of it; `None`: for operation `reset`.
    pub(crate) fn charge(&mut self, id: Option<u64>, cycles: u64) {
        match id.and_then(|id| self.waiting_for(id)) {
            Some(instruction) => instruction.charged = instruction.charged.saturating_add(cycles),
            None => {
                self.spent.cycles = self.spent.cycles.saturating_add(cycles);
                self.pay(None, cycles);
                if let Some(unplaced) = id.and_then(|id| self.unplaced.get_mut(&id)) {
                    let cost = unplaced.costs.entry(self.payer).or_default();
                    cost.charged = cost.charged.saturating_add(cycles);
                }
            }
        }
    }

    /// It is known where the profile counts an instruction, should it not run to its end.
    pub(crate) fn place(&mut self, id: u64, place: CostPlace) {
        match self.waiting_for(id) {
            Some(instruction) => instruction.place = place,
            None => {
                if let Some(unplaced) = self.unplaced.get_mut(&id) {
                    unplaced.place = place;
                }
            }
        }
    }

    /// What an instruction may do to the flow of control, for [`CallsInFlight::execute`].
    pub(crate) fn learn(&mut self, model: &Model, executed: &Executed<'_>) -> Followed {
        self.follower.learn(model, executed)
    }

    /// An instruction has run to its end; it was perhaps never decoded.
    pub(crate) fn execute(&mut self, id: u64, followed: Option<Followed>) {
        match self.waiting_for(id) {
            Some(instruction) => instruction.state = State::Executed(followed),
            None => {
                self.spent.instructions += 1;
                let address = followed.map(|followed| followed.address);
                self.place_late(id, CostPlace { begun: address, charged: address });
            }
        }
    }

    /// An instruction is over that did not run to its end, by itself.
    pub(crate) fn abandon(&mut self, id: u64) {
        match self.waiting_for(id) {
            Some(instruction) => instruction.state = State::Abandoned { is_itself: true },
            None => self.leave_late(id),
        }
    }

    /// An instruction is over that did not run to its end: another one has flushed it.
    pub(crate) fn flush(&mut self, id: u64) {
        match self.waiting_for(id) {
            Some(instruction) => instruction.state = State::Abandoned { is_itself: false },
            None => self.leave_late(id),
        }
    }

    /// The calls so far. What is in flight has not ended, and neither has what is behind it: both are paid
    /// for like what was abandoned.
    pub(crate) fn calls(&self) -> Calls {
        let mut done = self.clone();
        self.unplaced.keys().for_each(|id| done.leave_late(*id));
        while !done.waiting.is_empty() {
            done.take_first();
        }
        Calls { in_vain: done.in_vain, ..done.follower.calls(done.spent) }
    }

    fn waiting_for(&mut self, id: u64) -> Option<&mut InFlight> {
        let index = usize::try_from(id.checked_sub(self.first)?).ok()?;
        self.waiting.get_mut(index)
    }

    /// The first instruction, which has not ended, is not waited for any more: it is paid for as if it were
    /// abandoned at an address that is not known, and once it is over, or the run is, that is told.
    fn leave_first(&mut self) {
        let id = self.first;
        let Some(first) = self.waiting.front_mut() else { return };
        let (charged, place) = (first.charged, std::mem::take(&mut first.place));
        first.struck = None;
        self.flush(id);
        self.take_first();
        let cost = UnplacedCost { begun: 1, charged };
        self.unplaced.insert(id, Unplaced { place, costs: [(self.payer, cost)].into() });
    }

    /// It is known where the profile counts an instruction that is not waited for any more.
    fn place_late(&mut self, id: u64, place: CostPlace) {
        let costs = self.unplaced.remove(&id).map(|unplaced| unplaced.costs);
        for (payer, UnplacedCost { begun, charged }) in costs.into_iter().flatten() {
            if let Some(sum) = self.in_vain.get_mut(&(None, payer)) {
                *sum = sum.saturating_sub(begun.saturating_add(charged));
            }
            self.pay_by(payer, place.begun, begun);
            self.pay_by(payer, place.charged, charged);
        }
        self.in_vain.retain(|_, cycles| *cycles > 0);
    }

    /// An instruction that is perhaps not waited for any more is over and has not run to its end.
    fn leave_late(&mut self, id: u64) {
        if let Some(place) = self.unplaced.get(&id).map(|unplaced| unplaced.place) {
            self.place_late(id, place);
        }
    }

    /// The first instruction is not waited for any more.
    fn take_first(&mut self) {
        let Some(InFlight { charged, address, place, struck, state, .. }) = self.waiting.pop_front() else {
            return;
        };
        let id = self.first;
        self.first += 1;
        let is_executed = matches!(state, State::Executed(_));
        match state {
            State::Executed(Some(followed)) if self.is_cut => {
                let place = Some(followed.address);
                self.pay_for(CostPlace { begun: place, charged: place }, charged);
            }
            State::Executed(Some(followed)) => self.go_on(id, followed),
            State::Executed(None) => self.pay_for(place, charged),
            State::Abandoned { is_itself } => {
                self.has_abandoned = true;
                if let Some(struck) = place.begun.filter(|_| is_itself) {
                    self.strike_itself(struck);
                }
                if let Some(number) = struck.filter(|number| self.leads_anew(*number)) {
                    self.led.push((number, place.begun.unwrap_or(address)));
                }
                self.pay_for(place, charged);
            }
            State::Running => {
                // The way over it is not known.
                self.is_cut = true;
                self.pay_for(place, charged);
            }
        }
        self.spent.cycles = self.spent.cycles.saturating_add(charged).saturating_add(1);
        self.spent.instructions += u64::from(is_executed);
    }

    fn go_on(&mut self, id: u64, followed: Followed) {
        let has_abandoned = std::mem::take(&mut self.has_abandoned);
        let struck = std::mem::take(&mut self.struck);
        let to = followed.address;
        let strikes = self.take_strikes(id, to);
        self.led.clear();
        self.payer = to;
        if let Some((_, last)) = self.last.take() {
            self.age_branches();
            match strikes.first() {
                Some((next, _)) => self.lead(last, *next),
                None => self.follow(last, to, (has_abandoned, &struck)),
            }
        }
        for (next, to) in strikes {
            self.follower.strike(next, to, self.spent);
        }
        self.last = Some((id, followed));
    }

    /// How the run was sent to an instruction, if it was: what was next, and where it was sent, one behind the other.
    fn take_strikes(&mut self, id: u64, to: u64) -> Vec<(u64, u64)> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        while let Some(&NumberedStrike { number, begun, strike }) = self.strikes.front() {
            // The last to begin before may have been sent there itself, or be what was next.
            if id < begun || (id == begun && strike.to != to) {
                break;
            }
            self.strikes.pop_front();
            if self.is_its_own(strike) {
                continue;
            }
            let led = self.led.iter().find(|(led, _)| *led == number).map(|(_, address)| *address);
            let sent = found.last().map(|(_, sent)| *sent);
            match (sent, found.last_mut()) {
                // The handler's first instruction was struck.
                (Some(sent), _) if led == Some(sent) => found.push((sent, strike.to)),
                // Nothing of that handler had begun.
                (_, Some((_, sent))) => *sent = strike.to,
                (_, None) => found.push((led.unwrap_or(strike.next), strike.to)),
            }
        }
        match found.last() {
            Some((_, sent)) if *sent == to => found,
            _ => Vec::new(),
        }
    }

    /// Whether the last instruction leads by itself to where the run was sent, as those who predict have found before
    /// it did: it names the address, or was not decoded by then.
    fn is_its_own(&self, strike: Strike) -> bool {
        self.last.as_ref().is_some_and(|(id, last)| {
            let Followed { successor, ref control, .. } = *last;
            let names = control.targets.binary_search(&strike.to).is_ok();
            let falls = control.falls_through && strike.to == successor;
            names || falls || (strike.by == Some(*id) && control.jumps)
        })
    }

    /// Whether nothing before was in flight when a strike came.
    fn leads_anew(&self, number: u64) -> bool {
        self.led.len() < MOST_WAITING && self.led.last().is_none_or(|(last, _)| *last < number)
    }

    /// An instruction has ended itself.
    fn strike_itself(&mut self, address: u64) {
        let map = self.follower.map();
        let is_there = |last: &u64| map.function_at(*last) == map.function_at(address);
        if self.struck.len() < MOST_STRUCK && !self.struck.last().is_some_and(is_there) {
            self.struck.push(address);
        }
    }

    /// An instruction goes on at an address; perhaps behind others that were abandoned, the addresses of those that
    /// have ended themselves among them, so that what it does not explain is no interrupt within its function.
    fn follow(&mut self, last: Followed, to: u64, (has_abandoned, struck): (bool, &[u64])) {
        let Followed { address, successor, .. } = last;
        if let Some((first, others)) = struck.split_first()
            && *first != to
            && may_be_struck(&last, (*first, self.is_led_late(*first)), to)
        {
            // Each handler's first instruction but the last one's was struck, too.
            self.lead(last, *first);
            let ends = others.iter().chain([&to]);
            for (struck, to) in struck.iter().zip(ends) {
                self.follower.follow_cancelled(*struck, *to, *struck, self.spent);
            }
            return;
        }
        let own = own_step(&last.control, successor, to);
        if to == successor {
            self.reach(&last, to);
            // It leads there alone, or takes effect later.
            return self.expect(last);
        }
        let step = own.or_else(|| self.late_step(successor, to)).unwrap_or_else(|| {
            step_of_the_processor(self.follower.map(), &last.control, (address, successor, to))
        });
        match (step, has_abandoned) {
            (Step::Unforeseen { .. }, true) => match last.control.targets[..] {
                // Where it leads nothing is known of what was abandoned.
                [target] if !last.control.falls_through && !last.control.jumps => {
                    return self.interrupt(last, (target, to));
                }
                _ => self.follower.follow_cancelled(address, to, successor, self.spent),
            },
            // It has led to another function, of which nothing has begun.
            (Step::Unforeseen { next }, false)
                if last.control.falls_through && self.follower.map().is_boundary(next) =>
            {
                self.reach(&last, next);
                self.follower.strike(next, to, self.spent);
            }
            _ => self.follower.take(&last, (to, step), self.spent),
        }
        if own.is_none() {
            self.expect(last);
        }
    }

    /// An instruction has led to another one, which was abandoned; the run goes on elsewhere: that is interrupted, if
    /// it is in another function.
    fn interrupt(&mut self, last: Followed, (struck, to): (u64, u64)) {
        self.lead(last, struck);
        self.follower.follow_cancelled(struck, to, struck, self.spent);
    }

    /// An instruction has led to an address at which nothing has ended.
    fn lead(&mut self, last: Followed, to: u64) {
        let own = own_step(&last.control, last.successor, to);
        match own.or_else(|| self.late_step(last.successor, to)) {
            None | Some(Step::Direct) if to == last.successor => self.reach(&last, to),
            Some(step) => self.follower.take(&last, (to, step), self.spent),
            None => {}
        }
        if own.is_none() || to == last.successor {
            self.expect(last);
        }
    }

    /// Another instruction has run behind the branches that may take effect later.
    fn age_branches(&mut self) {
        while self.branches.front().is_some_and(|(behind, _)| *behind == MOST_SLOTS) {
            self.branches.pop_front();
        }
        self.branches.iter_mut().for_each(|(behind, _)| *behind += 1);
    }

    /// An instruction goes on at the next one, which may be another function's.
    fn reach(&mut self, last: &Followed, to: u64) {
        if self.follower.map().is_boundary(to) {
            self.follower.take(last, (to, Step::Direct), self.spent);
        }
    }

    /// A branch may take effect later.
    fn expect(&mut self, branch: Followed) {
        if !branch.control.targets.is_empty() || branch.control.jumps {
            self.branches.push_back((0, branch));
        }
    }

    /// Whether a branch that may take effect now leads to an address.
    fn is_led_late(&self, to: u64) -> bool {
        let leads = |(behind, branch): &(u64, Followed)| {
            let control = &branch.control;
            let names = control.targets.binary_search(&to).is_ok();
            (names || (control.jumps && !control.falls_through)) && (self.slots == 0 || *behind <= self.slots)
        };
        self.branches.iter().any(leads)
    }

    /// The step of a branch that takes effect now: of one that names the address first; then of one that leads
    /// anywhere, but always leads somewhere; then of one that may have gone on behind itself, if it is no
    /// further away than branches with a known target are.
    fn late_step(&mut self, successor: u64, to: u64) -> Option<Step> {
        let names = |branch: &Followed| branch.control.targets.binary_search(&to).is_ok();
        let leaves = |branch: &Followed| branch.control.jumps && !branch.control.falls_through;
        let is_near = |behind: u64| self.slots == 0 || behind <= self.slots;
        let find = |is_it: &dyn Fn(u64, &Followed) -> bool| {
            self.branches.iter().position(|(behind, branch)| is_it(*behind, branch))
        };
        let named = find(&|_, branch| names(branch));
        let index = named
            .or_else(|| find(&|_, branch| leaves(branch)))
            .or_else(|| find(&|behind, branch| branch.control.jumps && is_near(behind)))?;
        let (behind, branch) = self.branches.remove(index)?;
        if named.is_some() {
            self.slots = self.slots.max(behind);
        }
        late_step((branch.address, &branch.control), successor, to)
    }

    fn pay_for(&mut self, place: CostPlace, charged: u64) {
        self.pay(place.begun, 1);
        self.pay(place.charged, charged);
    }

    fn pay(&mut self, place: Option<u64>, cycles: u64) {
        self.pay_by(self.payer, place, cycles);
    }

    fn pay_by(&mut self, payer: u64, place: Option<u64>, cycles: u64) {
        let map = self.follower.map();
        let is_elsewhere = place.is_none_or(|place| map.function_at(place) != map.function_at(payer));
        if cycles > 0 && is_elsewhere {
            let sum = self.in_vain.entry((place, payer)).or_default();
            *sum = sum.saturating_add(cycles);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use isac_ir::control::Control;
    use sim_profile::CallKind;
    use sim_profile::symbols::FunctionCells;

    use super::{CallsInFlight, CostPlace, Followed, FunctionMap, MOST_WAITING, Strike};

    /// Two functions of ten cells.
    fn calls() -> CallsInFlight {
        let cells = |start: u64| FunctionCells { start, end: start + 10, function: start };
        CallsInFlight::new(FunctionMap::new(vec![cells(0), cells(10)]), 0)
    }

    /// Of an instruction that goes nowhere.
    fn nothing() -> Control {
        Control {
            falls_through: false,
            targets: Vec::new(),
            computed: false,
            jumps: false,
            is_led: false,
            may_be_struck: false,
            keeps: None,
            delayed: None,
        }
    }

    fn at(address: u64, control: Control) -> Option<Followed> {
        Some(Followed { address, successor: address + 1, control: Rc::new(control) })
    }

    fn plain(address: u64) -> Option<Followed> {
        at(address, Control { falls_through: true, ..nothing() })
    }

    fn call(address: u64, to: u64) -> Option<Followed> {
        at(address, Control { targets: vec![to], keeps: Some(address + 1), ..nothing() })
    }

    fn jump(address: u64) -> Option<Followed> {
        at(address, Control { computed: true, jumps: true, ..nothing() })
    }

    /// Function, own instructions and cycles, inclusive cycles.
    fn functions(calls: &CallsInFlight) -> Vec<(u64, u64, u64, u64)> {
        let calls = calls.calls();
        let functions = calls.functions.iter();
        functions.map(|(f, it)| (*f, it.own.instructions, it.own.cycles, it.inclusive.cycles)).collect()
    }

    /// A call at 0 whose flushed successor has begun; what is called returns, and flushes one, too.
    fn call_and_return(calls: &mut CallsInFlight) {
        (1..=6).for_each(|_| calls.begin(0));
        calls.place(2, CostPlace { begun: Some(1), charged: Some(1) });
        calls.flush(2);
        calls.flush(5);
        // Whatever ends first.
        calls.execute(4, jump(11));
        calls.execute(6, plain(1));
        calls.execute(3, plain(10));
        calls.execute(1, call(0, 10));
    }

    #[test]
    fn what_a_jump_flushes_is_paid_for_by_its_function() {
        let mut calls = calls();
        call_and_return(&mut calls);
        assert_eq!(functions(&calls), [(0, 2, 3, 6), (10, 2, 3, 3)]);
        // What was flushed in the caller's own code is where it is; the other is at no address.
        assert_eq!(calls.calls().in_vain, [((None, 11), 1)].into());
        let arcs: Vec<_> =
            calls.calls().arcs.into_values().map(|arc| (arc.calls, arc.inclusive.cycles)).collect();
        assert_eq!(arcs, [(1, 3)]);
    }

    #[test]
    fn cycles_that_are_lost_for_what_is_over_are_its_own_until_another_one_begins() {
        let mut calls = calls();
        call_and_return(&mut calls);
        calls.charge(Some(4), 5);
        calls.charge(Some(1), 7);
        assert_eq!(functions(&calls), [(0, 2, 10, 18), (10, 2, 8, 8)]);
        calls.begin(0);
        calls.charge(None, 2);
        assert_eq!(functions(&calls), [(0, 2, 13, 21), (10, 2, 8, 8)]);
        assert_eq!(calls.calls().in_vain, [((None, 1), 3), ((None, 11), 1)].into());
    }

    /// A conditional return that was not taken, in whose slots nothing has happened, is no reason for a call
    /// two instructions behind.
    #[test]
    fn a_branch_that_was_not_taken_makes_nobody_s_way() {
        let mut calls = calls();
        let conditional = Control { falls_through: true, computed: true, jumps: true, ..nothing() };
        let call = Control { targets: vec![10], keeps: Some(4), ..nothing() };
        let run =
            [at(0, conditional), plain(1), at(2, call), plain(3), plain(10), jump(11), plain(12), plain(4)];
        for (id, executed) in (1..).zip(run) {
            calls.begin(0);
            calls.execute(id, executed);
        }
        let arcs: Vec<_> = calls
            .calls()
            .arcs
            .into_iter()
            .map(|(key, arc)| (key.site, key.callee, key.kind, arc.calls))
            .collect();
        assert_eq!(arcs, [(3, 10, CallKind::Call, 1)]);
        assert_eq!(functions(&calls), [(0, 5, 5, 8), (10, 3, 3, 3)]);
    }

    #[test]
    fn what_never_ends_keeps_the_others_for_some_time_alone() {
        let mut calls = calls();
        calls.begin(0);
        for id in 2..3 * MOST_WAITING as u64 {
            calls.begin(0);
            calls.execute(id, at(5, Control { targets: vec![5], ..nothing() }));
        }
        assert!(calls.waiting.len() <= MOST_WAITING);
        let all = 3 * MOST_WAITING as u64 - 1;
        assert_eq!(functions(&calls), [(0, all - 1, all, all)]);
        assert_eq!(calls.calls().in_vain, [((None, 0), 1)].into());
        calls.charge(Some(1), 3);
        assert_eq!(functions(&calls), [(0, all - 1, all + 3, all + 3)]);
        assert_eq!(calls.calls().in_vain, [((None, 0), 1), ((None, 5), 3)].into());
        // The profile counts it where it is after all.
        let mut elsewhere = calls.clone();
        elsewhere.execute(1, plain(15));
        assert_eq!(elsewhere.calls().in_vain, [((Some(15), 0), 1), ((Some(15), 5), 3)].into());
        calls.execute(1, plain(0));
        assert_eq!(functions(&calls), [(0, all, all + 3, all + 3)]);
        assert_eq!(calls.calls().in_vain, [].into());
    }

    /// Site, function, kind, how often.
    fn arcs(calls: &CallsInFlight) -> Vec<(u64, u64, CallKind, u64)> {
        let arcs = calls.calls().arcs.into_iter();
        arcs.map(|(key, arc)| (key.site, key.callee, key.kind, arc.calls)).collect()
    }

    fn strike(next: u64, to: u64) -> Strike {
        Strike { next, to, by: None }
    }

    #[test]
    fn what_was_in_flight_and_flushed_was_struck() {
        // The same strike, with what was fetched behind the jump in flight or with nothing.
        for begun in [[0, 5, 6], [0, 5, 5]] {
            let mut calls = calls();
            begun.iter().for_each(|address| calls.begin(*address));
            calls.execute(1, jump(0));
            // Fetched in vain before, in the same cycle.
            calls.strike(strike(6, 10), if begun[2] == 6 { &[2] } else { &[2, 3] });
            calls.flush(2);
            calls.flush(3);
            calls.begin(10);
            calls.execute(4, jump(10));
            calls.begin(6);
            calls.execute(5, plain(6));
            assert_eq!(arcs(&calls), [(6, 10, CallKind::Interrupt, 1)]);
        }
    }

    #[test]
    fn a_handler_whose_first_instruction_is_struck_has_been_called() {
        let cells = |start: u64| FunctionCells { start, end: start + 10, function: start };
        let map = FunctionMap::new(vec![cells(0), cells(10), cells(20)]);
        let mut calls = CallsInFlight::new(map, 0);
        calls.begin(0);
        calls.execute(1, plain(0));
        calls.strike(strike(1, 10), &[]);
        calls.begin(10);
        calls.strike(strike(11, 20), &[]);
        calls.flush(2);
        calls.begin(20);
        calls.execute(3, jump(20));
        let expected = [(1, 10, CallKind::Interrupt, 1), (10, 20, CallKind::Interrupt, 1)];
        assert_eq!(arcs(&calls), expected);
        // Both come back.
        calls.begin(10);
        calls.execute(4, jump(10));
        calls.begin(1);
        calls.execute(5, plain(1));
        assert_eq!(arcs(&calls), expected);
        // A strike of which nothing came to run has not called.
        calls.strike(strike(2, 10), &[]);
        calls.strike(strike(10, 20), &[]);
        calls.begin(20);
        calls.execute(6, plain(20));
        assert_eq!(arcs(&calls)[1], (2, 20, CallKind::Interrupt, 1));
    }

    #[test]
    fn where_an_instruction_leads_by_itself_it_is_not_struck() {
        // By name, and by a jump that was predicted before it was decoded.
        for (first, by) in [(call(0, 10), None), (jump(0), Some(1))] {
            let mut calls = calls();
            calls.begin(0);
            calls.strike(Strike { by, ..strike(1, 10) }, &[]);
            calls.begin(10);
            calls.execute(1, first);
            calls.execute(2, plain(10));
            assert!(arcs(&calls).iter().all(|(.., kind, _)| *kind != CallKind::Interrupt));
            assert_eq!(arcs(&calls).len(), 1);
        }
    }

    #[test]
    fn what_was_about_to_run_when_the_run_was_sent_elsewhere_stays() {
        let mut calls = calls();
        (0..2).for_each(|address| calls.begin(address));
        // The last one that had begun goes on; the handler is behind it.
        calls.strike(strike(2, 10), &[]);
        calls.execute(1, plain(0));
        calls.execute(2, plain(1));
        calls.begin(10);
        calls.execute(3, plain(10));
        assert_eq!(arcs(&calls), [(2, 10, CallKind::Interrupt, 1)]);
    }

    #[test]
    fn what_is_waited_for_no_more_is_paid_for_once() {
        let mut calls = calls();
        let place = CostPlace { begun: Some(15), charged: Some(15) };
        calls.begin(0);
        // In some engines it is known as soon as it is decoded, in others once it is over.
        calls.place(1, place);
        for id in 2..2 * MOST_WAITING as u64 {
            calls.begin(0);
            calls.execute(id, at(5, Control { targets: vec![5], ..nothing() }));
        }
        calls.place(1, place);
        let in_flight = calls.calls().in_vain;
        assert_eq!(in_flight, [((Some(15), 0), 1)].into());
        calls.flush(1);
        assert_eq!(calls.calls().in_vain, in_flight);
    }
}
