//! Statements: what is known decides, the rest stays.

use isac_ir::account::region_counter;
use isac_ir::behavior::{Body, Stmt};
use sim_profile::ValueKind;
use sim_runtime::memory::CellStore;

use super::operand::Found;
use super::{Environment, Specialiser, Turn};
use crate::compilable::{Compilable, Undone};
use crate::residual::{Op, PC, Trap, Value, any_op, count_parts};

/// Most statements and values that a loop is unrolled to, of those that become machine code: where a map has
/// registers or FUNCTIONs, each access has arms for them that are left to the interpreter.
const UNROLLED: usize = 256;
/// Most of all, and so most turns.
const UNROLLED_WITH_ARMS: usize = 1 << 13;

/// Where a list of statements ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// At its end, on some way at least.
    On,
    /// Elsewhere, on every way.
    Gone,
}

/// A body being run.
#[derive(Debug, Clone)]
pub(super) struct Frame<'m> {
    pub body: &'m Body,
    /// Its operation's node in the decoding tree.
    pub node: Option<u32>,
    /// The execution that it belongs to.
    pub execution: u32,
    /// The turn of the operation; an operand's EXPRESSION has none.
    pub turn: Option<Turn>,
    /// The step's local for each of its own.
    pub locals: Vec<u32>,
    /// Its first counter, and whether it runs on a condition; `None` if it counts nothing.
    pub counted: Option<(u32, bool)>,
    /// The places that it has found.
    pub found: Vec<Option<Found<'m>>>,
}

/// A way to the end of a block: the mark of its [`Op::Leave`] and what is known there.
pub(super) struct Way {
    label: u32,
    mark: u32,
    environment: Environment,
}

/// The labels of a body that are open, with their numbers in the step, and the ways there.
#[derive(Default)]
pub(super) struct Labels {
    open: Vec<(u32, u32)>,
    ways: Vec<Way>,
}

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// Runs a body to its end.
    pub(super) fn run_body(&mut self, frame: &Frame<'m>, ops: &mut Vec<Op>) -> Flow {
        self.run_statements(&mut frame.clone(), &mut Labels::default(), ops)
    }

    /// The same; the frame keeps what the statements have found.
    pub(super) fn run_statements(
        &mut self,
        frame: &mut Frame<'m>,
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let statements = &frame.body.statements;
        self.run_list(frame, statements, labels, ops)
    }

    fn run_list(
        &mut self,
        frame: &mut Frame<'m>,
        statements: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        for (index, statement) in statements.iter().enumerate() {
            let flow = match statement {
                // Where one arm has gone, what follows belongs to the other.
                Stmt::If { condition, then, otherwise } => {
                    let condition = self.evaluate(frame, condition, ops);
                    match condition.known() {
                        Some(0) => self.run_list(frame, otherwise, labels, ops),
                        Some(_) => self.run_list(frame, then, labels, ops),
                        None => {
                            let rest = &statements[index + 1..];
                            return self.run_if(frame, condition, (then, otherwise), rest, labels, ops);
                        }
                    }
                }
                _ => self.run_statement(frame, statement, labels, ops),
            };
            if flow == Flow::Gone {
                return flow;
            }
        }
        Flow::On
    }

    /// An IF whose condition is not known, and what follows it in its list.
    fn run_if(
        &mut self,
        frame: &mut Frame<'m>,
        condition: Value,
        (then, otherwise): (&'m [Stmt], &'m [Stmt]),
        rest: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let before = self.environment.clone();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let mut first_flow = self.run_list(frame, then, labels, &mut first);
        let after_first = std::mem::replace(&mut self.environment, before);
        let mut second_flow = self.run_list(frame, otherwise, labels, &mut second);
        match (first_flow, second_flow) {
            (Flow::On, Flow::On) => {
                self.merge(after_first, &mut first, &mut second);
                push_if(ops, condition, first, second);
                return self.run_list(frame, rest, labels, ops);
            }
            (Flow::Gone, Flow::On) => second_flow = self.run_list(frame, rest, labels, &mut second),
            (Flow::On, Flow::Gone) => {
                self.environment = after_first;
                first_flow = self.run_list(frame, rest, labels, &mut first);
            }
            (Flow::Gone, Flow::Gone) => {}
        }
        push_if(ops, condition, first, second);
        if first_flow == Flow::On || second_flow == Flow::On { Flow::On } else { Flow::Gone }
    }

    /// Runs a list if a value that is not known says so.
    pub(super) fn branch(
        &mut self,
        condition: Value,
        ops: &mut Vec<Op>,
        then: impl FnOnce(&mut Self, &mut Vec<Op>) -> Flow,
    ) -> Flow {
        let before = self.environment.clone();
        // An execution that the list begins has LOCALs of 0 if it is not come to.
        let begun = self.begun.clone();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        self.unsure += 1;
        let flow = then(self, &mut first);
        self.unsure -= 1;
        let after_first = std::mem::replace(&mut self.environment, before);
        match flow {
            Flow::On => self.merge(after_first, &mut first, &mut second),
            Flow::Gone => self.begun = begun,
        }
        push_if(ops, condition, first, second);
        Flow::On
    }

    /// Goes on behind two lists that both come to their end: what they do not know alike is
    /// written down, the environment at hand being that behind the second.
    fn merge(&mut self, after_first: Environment, first: &mut Vec<Op>, second: &mut Vec<Op>) {
        for local in self.environment.differing(&after_first) {
            self.write_down(local, after_first.get(local), first);
            self.write_down(local, self.environment.get(local), second);
            self.environment.set(local, None);
        }
    }

    /// Assigns a local what is known of it, unless it has been written anyway.
    fn write_down(&self, local: u32, value: Option<u128>, ops: &mut Vec<Op>) {
        if let Some(value) = value.filter(|_| !self.is_written_through(local)) {
            ops.push(Op::Set(local, Value::constant(self.locals[local as usize], value)));
        }
    }

    /// Assigns a local; what is known is remembered, not written, but for the program counter: an
    /// instruction may end anywhere.
    pub(super) fn assign(&mut self, local: u32, value: Value, ops: &mut Vec<Op>) {
        let known = value.known();
        self.environment.set(local, known);
        if known.is_none() || local == PC {
            ops.push(Op::Set(local, value));
        }
    }

    fn run_statement(
        &mut self,
        frame: &mut Frame<'m>,
        statement: &'m Stmt,
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        match statement {
            Stmt::Set { local, value } => {
                let value = self.evaluate(frame, value, ops);
                self.assign(frame.locals[*local as usize], value, ops);
            }
            Stmt::SetRegister { register, index, low, value, access } => {
                let (value, index) = match index {
                    Some(index) => {
                        let (value, index) = self.evaluate_both(frame, (value, index), ops);
                        (value, Some(index))
                    }
                    None => (self.evaluate(frame, value, ops), None),
                };
                let what = (*register, ValueKind::Written);
                let (value, note) = self.note_later(frame, *access, what, value, ops);
                let flow = self.set_register(*register, index, *low, value, ops);
                ops.extend(note);
                return flow;
            }
            Stmt::SetMemory { map, cells, address, value, access } => {
                let (value, address) = self.evaluate_both(frame, (value, address), ops);
                let resource = self.map_resource(*map);
                let (value, note) =
                    self.note_later(frame, *access, (resource, ValueKind::Written), value, ops);
                let (address, at) =
                    self.note_later(frame, *access, (resource, ValueKind::WrittenAddress), address, ops);
                self.has_stored = true;
                ops.push(Op::SetMemory { map: *map, cells: *cells, address, value });
                ops.extend(note);
                ops.extend(at);
            }
            Stmt::SetCellPart { map, address, low, value, access } => {
                let (value, address) = self.evaluate_both(frame, (value, address), ops);
                let resource = self.map_resource(*map);
                let (value, note) =
                    self.note_later(frame, *access, (resource, ValueKind::Written), value, ops);
                let (address, at) =
                    self.note_later(frame, *access, (resource, ValueKind::WrittenAddress), address, ops);
                self.has_stored = true;
                ops.push(Op::SetCellPart { map: *map, address, low: *low, value });
                ops.extend(note);
                ops.extend(at);
            }
            Stmt::SetOperand { instance, value, .. } => {
                let value = self.evaluate(frame, value, ops);
                return self.write_operand(frame.execution, *instance, value, false, ops);
            }
            Stmt::Bind { binding, .. } => self.bind(frame, *binding, ops),
            Stmt::SetBound { binding, value, .. } => {
                let value = self.evaluate(frame, value, ops);
                return self.write_found(frame, *binding, value, ops);
            }
            Stmt::Touch(_) => self.touches = true,
            Stmt::Visit(_) | Stmt::Decode { .. } | Stmt::OpenNode { .. } | Stmt::CloseNode => {}
            Stmt::Count(region) => {
                let counter =
                    frame.counted.and_then(|(base, conditional)| region_counter(base, *region, conditional));
                ops.extend(counter.map(Op::Count));
            }
            Stmt::If { .. } => return self.run_list(frame, std::slice::from_ref(statement), labels, ops),
            Stmt::Loop { label, body } => return self.run_loop(frame, *label, body, labels, ops),
            Stmt::Block { label, body } => return self.run_block(frame, *label, body, labels, ops),
            Stmt::Call { body, .. } => return self.run_list(frame, body, labels, ops),
            Stmt::Leave(label) => {
                let open = labels.open.iter().rev().find(|(name, _)| name == label);
                if let Some((_, number)) = open.copied() {
                    let mark = self.new_label();
                    labels.ways.push(Way { label: number, mark, environment: self.environment.clone() });
                    ops.push(Op::Leave(number, mark));
                }
                return Flow::Gone;
            }
            Stmt::Halt(status) => {
                let status = self.evaluate(frame, status, ops);
                let unreached = self.number_unreached();
                ops.push(Op::Halt(status, unreached));
                return Flow::Gone;
            }
            Stmt::Illegal => return trap(Trap::Illegal, ops),
            Stmt::Unhandled => return trap(Trap::Unhandled, ops),
            Stmt::DivisionByZero => return trap(Trap::DivisionByZero, ops),
            Stmt::Cancel => return trap(Trap::Cancel, ops),
            Stmt::ExtraCycles(cycles) => {
                let cycles = self.evaluate(frame, cycles, ops);
                self.has_stored = true;
                ops.push(Op::ExtraCycles(cycles));
            }
            Stmt::LinuxCall { result, arguments } | Stmt::Semihost { result, arguments } => {
                let values = self.evaluate_all(frame, arguments, ops);
                let result = frame.locals[*result as usize];
                self.has_stored = true;
                ops.push(match statement {
                    Stmt::LinuxCall { .. } => Op::LinuxCall(result, values),
                    _ => Op::Semihost(result, values),
                });
                self.environment.set(result, None);
            }
            Stmt::Print(parts) => {
                let values = self.evaluate_all(frame, statement.expressions(), ops);
                ops.push(Op::Print(parts.clone(), values));
            }
            Stmt::Explain { parts, .. } => {
                let values = self.evaluate_all(frame, statement.expressions(), ops);
                ops.push(Op::Explain(parts.clone(), values));
            }
            Stmt::Event(name) => ops.push(Op::Event(name.clone())),
            Stmt::Activate { instance, .. } => {
                if let Some(turn) = frame.turn {
                    self.schedule(turn, *instance, ops);
                }
            }
            Stmt::SetVariable { variable, value } => {
                let value = self.evaluate(frame, value, ops);
                self.write_variable(frame.execution, *variable, value, ops);
            }
            Stmt::SetReference { reference, value } => {
                let value = self.evaluate(frame, value, ops);
                return self.write_reference(frame, *reference, value, ops);
            }
            Stmt::Stall { .. } | Stmt::Retry { .. } | Stmt::Flush(_) => {
                panic!("{} holds what is not translated", frame.body.location)
            }
        }
        Flow::On
    }

    /// Runs a list that can be left by a label, which has a number in the step.
    fn run_labelled(
        &mut self,
        frame: &mut Frame<'m>,
        label: (u32, u32),
        body: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        labels.open.push(label);
        let flow = self.run_list(frame, body, labels, ops);
        labels.open.pop();
        flow
    }

    fn run_block(
        &mut self,
        frame: &mut Frame<'m>,
        label: u32,
        body: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let number = self.new_label();
        let mut inner = Vec::new();
        let flow = self.run_labelled(frame, (label, number), body, labels, &mut inner);
        let flow = self.join(number, flow, labels, &mut inner);
        drop_last_leaves(&mut inner, number);
        match leaves(&inner, number) {
            true => ops.push(Op::Block(number, inner)),
            false => ops.append(&mut inner),
        }
        flow
    }

    /// Goes on behind a block: on the ways that leave it, and at its end.
    fn join(&mut self, number: u32, flow: Flow, labels: &mut Labels, ops: &mut Vec<Op>) -> Flow {
        let (mut ways, others): (Vec<Way>, Vec<Way>) =
            std::mem::take(&mut labels.ways).into_iter().partition(|way| way.label == number);
        labels.ways = others;
        if flow == Flow::Gone {
            let Some(last) = ways.pop() else { return Flow::Gone };
            let mut differing = Vec::new();
            for way in &ways {
                differing.extend(way.environment.differing(&last.environment));
            }
            self.environment = last.environment.clone();
            ways.push(last);
            self.write_at_leaves(&ways, differing, ops);
            return Flow::On;
        }
        let mut differing = Vec::new();
        for way in &ways {
            differing.extend(way.environment.differing(&self.environment));
        }
        differing.sort_unstable();
        differing.dedup();
        for local in &differing {
            self.write_down(*local, self.environment.get(*local), ops);
        }
        self.write_at_leaves(&ways, differing, ops);
        Flow::On
    }

    /// Writes locals down where a block is left; behind it they are not known.
    fn write_at_leaves(&mut self, ways: &[Way], mut locals: Vec<u32>, ops: &mut Vec<Op>) {
        locals.sort_unstable();
        locals.dedup();
        for way in ways {
            let mut known = Vec::new();
            for local in &locals {
                self.write_down(*local, way.environment.get(*local), &mut known);
            }
            insert_before_leave(ops, way.mark, &known);
        }
        for local in locals {
            self.environment.set(local, None);
        }
    }

    fn run_loop(
        &mut self,
        frame: &mut Frame<'m>,
        label: u32,
        body: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Flow {
        if let Some(flow) = self.unroll(frame, label, body, labels, ops) {
            return flow;
        }
        let number = self.new_label();
        loop {
            let (at_head, first_new) = (self.environment.clone(), self.locals.len() as u32);
            let (frame_before, ways) = (frame.clone(), labels.ways.len());
            let mut inner = Vec::new();
            // What a turn writes is written before the next.
            self.has_stored = true;
            let flow = self.run_labelled(frame, (label, number), body, labels, &mut inner);
            let changed = match flow {
                Flow::On => self.environment.differing(&at_head),
                Flow::Gone => Vec::new(),
            };
            // What one turn changes is not known in the next. Its own locals begin anew in each.
            let kept = changed.into_iter().filter(|local| *local < first_new);
            let (known, written): (Vec<u32>, Vec<u32>) =
                kept.partition(|local| at_head.get(*local).is_some());
            if known.is_empty() {
                // What is known at the end of a turn and not at its beginning is read from where it is written.
                for local in written {
                    self.write_down(local, self.environment.get(local), &mut inner);
                }
                let flow = self.join(number, Flow::Gone, labels, &mut inner);
                ops.push(Op::Loop(number, inner));
                return flow;
            }
            self.environment = at_head;
            *frame = frame_before;
            labels.ways.truncate(ways);
            for local in known {
                self.write_down(local, self.environment.get(local), ops);
                self.environment.set(local, None);
            }
        }
    }

    /// Takes a loop turn by turn, if what is known tells where it ends; else nothing has happened.
    fn unroll(
        &mut self,
        frame: &mut Frame<'m>,
        label: u32,
        body: &'m [Stmt],
        labels: &mut Labels,
        ops: &mut Vec<Op>,
    ) -> Option<Flow> {
        let (environment, frame_before) = (self.environment.clone(), frame.clone());
        let (begun, ways) = (ops.len(), labels.ways.len());
        let number = self.new_label();
        let compilable = Compilable::of(self.model);
        let (mut compiled, mut all) = (0, 0);
        while compiled <= UNROLLED && all <= UNROLLED_WITH_ARMS {
            let mut turn = Vec::new();
            let flow = self.run_labelled(frame, (label, number), body, labels, &mut turn);
            let here = labels.ways.iter().filter(|way| way.label == number).count();
            let outer = labels.ways.len() - ways - here;
            let ends = matches!(turn.last(), Some(Op::Leave(left, _)) if *left == number);
            if outer == 0 && here == 1 && flow == Flow::Gone && ends {
                turn.pop();
                if let Some(way) = labels.ways.pop() {
                    self.environment = way.environment;
                }
                ops.append(&mut turn);
                return Some(Flow::On);
            }
            let goes_on = here == 0 && outer == 0 && flow == Flow::On;
            compiled += 1 + compilable.count_parts(&turn, Undone::All);
            all += count_parts(&turn);
            ops.append(&mut turn);
            if !goes_on {
                break;
            }
        }
        ops.truncate(begun);
        labels.ways.truncate(ways);
        self.environment = environment;
        *frame = frame_before;
        None
    }
}

fn trap(trap: Trap, ops: &mut Vec<Op>) -> Flow {
    ops.push(Op::Trap(trap));
    Flow::Gone
}

fn push_if(ops: &mut Vec<Op>, condition: Value, then: Vec<Op>, otherwise: Vec<Op>) {
    if !then.is_empty() || !otherwise.is_empty() || condition.may_trap() {
        ops.push(Op::If(condition, then, otherwise));
    }
}

/// True if a label is left somewhere in a list.
fn leaves(ops: &[Op], label: u32) -> bool {
    any_op(ops, &mut |op| matches!(op, Op::Leave(left, _) if *left == label))
}

/// Drops the leaves of a label that stand at the end anyway.
fn drop_last_leaves(ops: &mut Vec<Op>, label: u32) {
    match ops.last_mut() {
        Some(Op::Leave(left, _)) if *left == label => {
            ops.pop();
        }
        Some(Op::If(_, then, otherwise)) => {
            drop_last_leaves(then, label);
            drop_last_leaves(otherwise, label);
        }
        _ => {}
    }
}

/// Inserts statements before the leave with a mark.
fn insert_before_leave(ops: &mut Vec<Op>, mark: u32, known: &[Op]) -> bool {
    if let Some(at) = ops.iter().position(|op| matches!(op, Op::Leave(_, found) if *found == mark)) {
        ops.splice(at..at, known.iter().cloned());
        return true;
    }
    ops.iter_mut().any(|op| match op {
        Op::If(_, then, otherwise) => {
            insert_before_leave(then, mark, known) || insert_before_leave(otherwise, mark, known)
        }
        Op::Loop(_, body) | Op::Block(_, body) => insert_before_leave(body, mark, known),
        _ => false,
    })
}
