//! An engine that somebody debugs: to the launcher an engine like any other.

use isac_ir::Model;
use sim_profile::{Calls, Measurement};
use sim_runtime::host::Host;
use sim_runtime::record::FunctionMap;
use sim_runtime::{CacheStatistics, Engine, Machine, Stop};

use crate::course::{Direction, How, Stopped};
use crate::debugger::Debugger;

/// What is to become of a run that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It goes on, or back, by so many steps where it is stepped.
    Go(Direction, How, u64),
    /// It goes on and nobody looks any more.
    Leave,
    /// It ends here, from outside.
    End,
    /// It ends here because whoever debugs has seen enough, which is no failure.
    Quit,
}

/// Who debugs.
pub trait Front<'e> {
    /// The run stands, for this reason; gives the debugger back, and what is to become of the run.
    /// `is_over` tells now and then whether it is to end from outside, which [`Order::End`] answers.
    fn stand(
        &mut self,
        debugger: Box<Debugger<'e>>,
        why: Stopped,
        is_over: &dyn Fn() -> bool,
    ) -> (Box<Debugger<'e>>, Order);

    /// True if the run, which goes on, is to stop.
    fn is_asked(&mut self) -> bool;
}

/// An engine with a debugger around it, and who uses that.
pub struct DebuggedEngine<'e> {
    /// Away only while the front has it.
    debugger: Option<Box<Debugger<'e>>>,
    front: Box<dyn Front<'e> + 'e>,
    state: State,
    /// Instructions that the launcher was told of.
    told: u64,
    end_run: Box<dyn Fn() + 'e>,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its first instruction.
    Fresh,
    Stands(Stopped),
    /// So many steps are left of it.
    Goes(How, u64),
    /// Nobody looks any more.
    Left,
}

impl<'e> DebuggedEngine<'e> {
    /// Lets `front` debug; `end_run` has the launcher end the run.
    #[must_use]
    pub fn new(
        debugger: Debugger<'e>,
        front: Box<dyn Front<'e> + 'e>,
        end_run: impl Fn() + 'e,
    ) -> DebuggedEngine<'e> {
        DebuggedEngine {
            debugger: Some(Box::new(debugger)),
            front,
            state: State::Fresh,
            told: 0,
            end_run: Box::new(end_run),
        }
    }

    fn debugger(&self) -> &Debugger<'e> {
        self.debugger.as_ref().expect("the front has given the debugger back")
    }

    fn debugger_mut(&mut self) -> &mut Debugger<'e> {
        self.debugger.as_mut().expect("the front has given the debugger back")
    }

    /// How the launcher sees that the run goes on later: instructions that it has not seen yet.
    fn pause(&mut self) -> Stop {
        let taken = self.debugger().taken;
        let more = taken.saturating_sub(self.told);
        self.told = self.told.max(taken);
        Stop::Paused { taken: more, is_at_address: false }
    }

    /// Asks what is to become of a run that stands; `None` if it goes on.
    fn ask(&mut self, host: &mut Host, why: Stopped) -> Option<Stop> {
        // What the program has written so far is of interest to who looks at it.
        let _ = host.flush();
        let debugger = self.debugger.take()?;
        let (debugger, order) = self.front.stand(debugger, why, &|| host.is_interrupted());
        self.debugger = Some(debugger);
        match order {
            Order::Go(Direction::Forward, how @ How::GoTo(instructions), _) => {
                let front = &mut self.front;
                let debugger = self.debugger.as_mut()?;
                self.state = match debugger.go_back_to(host, instructions, &mut || front.is_asked()) {
                    Some(stopped) => State::Stands(stopped),
                    None => self.forward(host, how, 1),
                };
            }
            Order::Go(Direction::Forward, how, times) => self.state = self.forward(host, how, times),
            Order::Go(Direction::Backward, how, times) => {
                let front = &mut self.front;
                let debugger = self.debugger.as_mut()?;
                let stopped = debugger.go_back(host, how, times, &mut || front.is_asked());
                self.state = State::Stands(stopped.unwrap_or(Stopped::AtBeginning));
            }
            Order::Leave | Order::Quit => {
                self.debugger_mut().leave_within(host);
                self.state = State::Left;
            }
            Order::End => {
                self.debugger_mut().leave_within(host);
                (self.end_run)();
                self.state = State::Left;
                return Some(self.pause());
            }
        }
        if order == Order::Quit {
            return Some(Stop::Halted(0));
        }
        match (self.state, self.debugger().ended) {
            // It has ended, and whoever debugs has seen that.
            (State::Goes(..) | State::Left, Some(ended)) => Some(ended),
            _ => None,
        }
    }

    fn forward(&mut self, host: &mut Host, how: How, times: u64) -> State {
        self.debugger_mut().begin_forward(host);
        State::Goes(how, times)
    }
}

impl Engine for DebuggedEngine<'_> {
    fn machine(&mut self) -> &mut dyn Machine {
        self.debugger_mut().engine.machine()
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if instructions == 0 {
            return self.debugger_mut().engine.run(host, 0);
        }
        // The launcher asks for no more than its limits leave, whatever is run before this returns.
        let limit = self.told.saturating_add(instructions);
        loop {
            match self.state {
                State::Left => {
                    let left = limit.saturating_sub(self.debugger().taken);
                    if left == 0 {
                        return self.pause();
                    }
                    let stop = self.debugger_mut().engine.run(host, left);
                    self.debugger_mut().count(stop, left);
                    return match stop {
                        Stop::Budget | Stop::Paused { .. } => self.pause(),
                        ended => ended,
                    };
                }
                State::Fresh => {
                    self.debugger_mut().begin(host);
                    self.state = State::Stands(Stopped::AtStart);
                }
                State::Stands(why) => {
                    if let Some(stop) = self.ask(host, why) {
                        return stop;
                    }
                }
                State::Goes(how, times) => {
                    let left = limit.saturating_sub(self.debugger().taken);
                    if left == 0 {
                        return self.pause();
                    }
                    let front = &mut self.front;
                    let Some(debugger) = &mut self.debugger else { continue };
                    match debugger.go_on(host, how, left, &mut || front.is_asked()) {
                        Some(Stopped::Stepped | Stopped::Statement) if times > 1 => {
                            self.state = match front.is_asked() {
                                true => State::Stands(Stopped::Asked),
                                false => State::Goes(how, times - 1),
                            };
                        }
                        Some(why) => self.state = State::Stands(why),
                        None => return self.pause(),
                    }
                    if let Some(interrupted @ Stop::Interrupted) = self.debugger().ended {
                        return interrupted;
                    }
                }
            }
        }
    }

    fn model(&self) -> Option<&Model> {
        self.debugger().engine.model()
    }

    fn instructions(&self) -> u64 {
        self.debugger().engine.instructions()
    }

    fn cycles(&self) -> u64 {
        self.debugger().engine.cycles()
    }

    fn statistics(&self) -> Vec<String> {
        self.debugger().engine.statistics()
    }

    fn caches(&self) -> Vec<CacheStatistics> {
        self.debugger().engine.caches()
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        self.debugger_mut().engine.record_calls(map)
    }

    fn calls(&self) -> Option<Calls> {
        self.debugger().engine.calls()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        self.debugger_mut().engine.measurement()
    }
}
