//! Serves one debugger: packets in while the run stands, stops out.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use gdbstub::common::Signal;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubBuilder, GdbStubError, SingleThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind as GdbWatchKind;
use isac_ir::Model;
use sim_runtime::{FaultKind, Stop};

use super::connection::{Incoming, Wire, listen};
use super::framer::{MOST_BYTES, Received, packet_of};
use super::inbox::Inbox;
use super::target::GdbTarget;
use crate::course::Stopped;
use crate::debugger::Debugger;
use crate::engine::{Front, Order};
use crate::named_points::{Guide, NamedPoints};
use crate::point::WatchKind;

/// How often a run that stands looks whether it is to end.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

type Machine<'e> = GdbStubStateMachine<'static, GdbTarget<'e>, Wire>;

/// Serves gdb.
pub struct GdbServer<'e> {
    incoming: Receiver<Incoming>,
    target: GdbTarget<'e>,
    /// `None` before somebody connects and when nobody does any more.
    machine: Option<Machine<'e>>,
    inbox: Inbox,
    /// Packets that a session begins with, to begin another one on the same connection.
    preamble: Vec<Vec<u8>>,
    is_gone: bool,
    /// The fault was told; the next order ends the run.
    fault: Option<Signal>,
}

impl<'e> GdbServer<'e> {
    /// Serves the first who connects.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn new(listener: TcpListener, model: &'e Model) -> io::Result<GdbServer<'e>> {
        Ok(GdbServer {
            incoming: listen(listener)?,
            target: GdbTarget::new(model),
            machine: None,
            inbox: Inbox::default(),
            preamble: Vec::new(),
            is_gone: false,
            fault: None,
        })
    }

    /// The same server, which asks somebody about names of the description.
    #[must_use]
    pub fn with_guide(mut self, guide: Box<dyn Guide<'e> + 'e>) -> GdbServer<'e> {
        self.target.points = NamedPoints::new(self.target.model).with_guide(guide);
        self
    }

    /// Takes what the connection tells, and its bytes as they are to be taken.
    fn take(&mut self, incoming: Incoming, take_bytes: fn(&mut Inbox, &[u8])) {
        match incoming {
            Incoming::Gone => self.is_gone = true,
            Incoming::Connected(stream) => self.begin(Wire::new(stream)),
            Incoming::Bytes(bytes) => take_bytes(&mut self.inbox, &bytes),
        }
    }

    /// Begins a session on a connection.
    fn begin(&mut self, wire: Wire) {
        let stub: Result<GdbStub<'static, GdbTarget<'e>, Wire>, _> =
            GdbStubBuilder::new(wire).packet_buffer_size(MOST_BYTES).build();
        self.machine = stub.ok().and_then(|stub| stub.run_state_machine(&mut self.target).ok());
    }

    fn wire(&mut self) -> Option<&mut Wire> {
        match self.machine.as_mut()? {
            GdbStubStateMachine::Idle(machine) => Some(machine.borrow_conn()),
            GdbStubStateMachine::Running(machine) => Some(machine.borrow_conn()),
            GdbStubStateMachine::CtrlCInterrupt(machine) => Some(machine.borrow_conn()),
            GdbStubStateMachine::Disconnected(machine) => Some(machine.borrow_conn()),
        }
    }

    /// Answers one thing that has come in while the run stands.
    fn answer(&mut self, received: Received) {
        match received {
            Received::Packet(packet) => self.answer_packet(&packet),
            Received::Malformed => {
                if let Some(wire) = self.wire() {
                    wire.send(b"-");
                }
            }
            Received::Again => {
                if let Some(wire) = self.wire() {
                    wire.repeat();
                }
            }
            // It stands already.
            Received::Interrupt => {}
        }
    }

    fn answer_packet(&mut self, packet: &[u8]) {
        let begins = |name: &[u8]| packet.get(1..).is_some_and(|body| body.starts_with(name));
        // Whoever says it again means it so from then on.
        for name in [&b"qSupported"[..], b"QStartNoAckMode"] {
            if begins(name) {
                self.preamble.retain(|kept| !kept.get(1..).is_some_and(|body| body.starts_with(name)));
                self.preamble.push(packet.to_vec());
            }
        }
        if self.feed(packet).is_ok() {
            return;
        }
        // The session is lost with what it did not understand; the next one begins as it did.
        self.preamble.retain(|kept| kept != packet);
        for kept in self.preamble.clone() {
            if let Some(wire) = self.wire() {
                wire.is_mute = true;
            }
            let _ = self.feed(&kept);
        }
        if let Some(wire) = self.wire() {
            wire.is_mute = false;
            let mut answer = b"+".to_vec();
            answer.extend(packet_of(b"E01"));
            wire.send(&answer);
        }
    }

    /// Gives a packet to the session; if it fails there is a new one, which knows nothing.
    fn feed(&mut self, packet: &[u8]) -> Result<(), ()> {
        let Some(spare) = self.wire().map(|wire| wire.share()) else { return Ok(()) };
        for byte in packet {
            let Some(machine) = self.machine.take() else { return Ok(()) };
            let next = match machine {
                GdbStubStateMachine::Idle(machine) => machine.incoming_data(&mut self.target, *byte),
                GdbStubStateMachine::Running(machine) => machine.incoming_data(&mut self.target, *byte),
                other => Ok(other),
            };
            match next {
                Ok(machine) => self.machine = Some(machine),
                Err(_) => {
                    self.begin(spare);
                    return Err(());
                }
            }
        }
        Ok(())
    }

    /// Tells gdb that the run has stopped.
    fn report(&mut self, reason: SingleThreadStopReason<u64>) {
        let told: Result<Machine<'e>, GdbStubError<Infallible, io::Error>> = match self.machine.take() {
            Some(GdbStubStateMachine::Running(machine)) => machine.report_stop(&mut self.target, reason),
            Some(other) => Ok(other),
            None => return,
        };
        self.machine = told.ok();
    }

    /// What the session has come to: gdb has left, or has ended the program.
    fn farewell(&self) -> Option<Order> {
        match &self.machine {
            Some(GdbStubStateMachine::Disconnected(machine)) => Some(match machine.get_reason() {
                DisconnectReason::Kill => Order::End,
                _ => Order::Leave,
            }),
            _ => None,
        }
    }

    /// Serves until gdb lets the run do something.
    fn serve(&mut self, is_over: &dyn Fn() -> bool) -> Order {
        loop {
            while let Some(received) = self.inbox.next() {
                self.answer(received);
                if let Some(order) = self.farewell() {
                    return order;
                }
                if let Some(order) = self.target.order.take() {
                    match self.fault {
                        Some(signal) if matches!(order, Order::Go(crate::Direction::Forward, ..)) => {
                            self.report(SingleThreadStopReason::Terminated(signal));
                            return Order::Leave;
                        }
                        _ => self.fault = None,
                    }
                    return order;
                }
            }
            if is_over() {
                return Order::End;
            }
            // A debugger that goes away without a word leaves the program to itself.
            if self.is_gone {
                return Order::Leave;
            }
            match self.incoming.recv_timeout(LOOK_INTERVAL) {
                Ok(incoming) => self.take(incoming, Inbox::take),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.is_gone = true,
            }
        }
    }
}

impl<'e> Front<'e> for GdbServer<'e> {
    fn stand(
        &mut self,
        debugger: Box<Debugger<'e>>,
        why: Stopped,
        is_over: &dyn Fn() -> bool,
    ) -> (Box<Debugger<'e>>, Order) {
        self.target.take(debugger);
        if let Some(reason) = reason_of(why) {
            self.fault = match (why, reason) {
                (Stopped::Ended(Stop::Fault(_)), SingleThreadStopReason::Signal(signal)) => Some(signal),
                _ => None,
            };
            self.report(reason);
        }
        let order = self.farewell().unwrap_or_else(|| self.serve(is_over));
        let debugger = self.target.debugger.take().expect("it was given at the beginning");
        (debugger, order)
    }

    fn is_asked(&mut self) -> bool {
        loop {
            match self.incoming.try_recv() {
                Ok(incoming) => self.take(incoming, Inbox::take_running),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.is_gone = true;
                    break;
                }
            }
        }
        self.inbox.take_interrupt() || self.is_gone
    }
}

/// A limit of the run has been reached, and nobody asks gdb any more.
impl Drop for GdbServer<'_> {
    fn drop(&mut self) {
        if matches!(self.machine, Some(GdbStubStateMachine::Running(_)))
            && let Some(wire) = self.wire()
        {
            wire.send(&packet_of(format!("X{:02x}", Signal::SIGXCPU.0).as_bytes()));
        }
    }
}

/// What gdb is told; nothing at the beginning, when it asks itself.
fn reason_of(why: Stopped) -> Option<SingleThreadStopReason<u64>> {
    Some(match why {
        Stopped::AtStart => return None,
        Stopped::Stepped | Stopped::Statement => SingleThreadStopReason::DoneStep,
        Stopped::Breakpoint => SingleThreadStopReason::SwBreak(()),
        Stopped::Instruction | Stopped::Line | Stopped::Stall(_) => {
            SingleThreadStopReason::Signal(Signal::SIGTRAP)
        }
        Stopped::Watch(addr, kind) => {
            let kind = match kind {
                WatchKind::Write => GdbWatchKind::Write,
                WatchKind::Read => GdbWatchKind::Read,
                WatchKind::Access => GdbWatchKind::ReadWrite,
            };
            SingleThreadStopReason::Watch { tid: (), kind, addr }
        }
        Stopped::Asked => SingleThreadStopReason::Signal(Signal::SIGINT),
        Stopped::AtBeginning => {
            SingleThreadStopReason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin }
        }
        Stopped::Ended(Stop::Halted(status)) => SingleThreadStopReason::Exited((status & 0xff) as u8),
        Stopped::Ended(Stop::Fault(fault)) => SingleThreadStopReason::Signal(match fault.kind {
            FaultKind::IllegalInstruction => Signal::SIGILL,
            FaultKind::DivisionByZero => Signal::SIGFPE,
            FaultKind::Memory { .. } | FaultKind::RegisterIndex { .. } => Signal::SIGSEGV,
        }),
        Stopped::Ended(_) => SingleThreadStopReason::Terminated(Signal::SIGINT),
    })
}
