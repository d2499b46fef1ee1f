//! Follows a run from statement to statement of the description.
//!
//! A run that is to stand before a statement is left there, however deep in the interpreter that is:
//! what the bodies on the way out see is noted, registers and memory stay as they are. It never goes
//! on from there; who wants that takes up the state before the cycle and runs it anew.

use isac_ir::behavior::{PointId, Stmt};

use super::step::{Frame, Leaving, Step};
use crate::inspection::{Follow, Operand, PassedStatement, RunningBody, Within};

/// Most statements of a cycle that are listed, whose run is left then: a body need not end.
const MOST_PASSED: usize = 1 << 20;

/// Who follows a run.
pub(super) struct Follower {
    until: Option<usize>,
    with_operands: bool,
    passed: Vec<PassedStatement>,
    within: Option<Within>,
}

impl Follower {
    /// One who does that; none for nothing.
    pub(super) fn of(follow: Follow) -> Option<Follower> {
        let (until, with_operands) = match follow {
            Follow::Nothing => return None,
            Follow::List => (None, false),
            Follow::Until { index, with_operands } => (Some(index), with_operands),
        };
        Some(Follower { until, with_operands, passed: Vec::new(), within: None })
    }

    pub(super) fn take_passed(&mut self) -> Vec<PassedStatement> {
        std::mem::take(&mut self.passed)
    }

    pub(super) fn within(&self) -> Option<&Within> {
        self.within.as_ref()
    }
}

impl<'m> Step<'m, '_> {
    /// A point of the description is passed: it is counted, or the run is left before it. Plain runs have
    /// none.
    #[cold]
    #[inline(never)]
    pub(super) fn visit(&mut self, frame: &mut Frame<'m>, point: PointId) -> Result<(), Leaving> {
        if let Some(visits) = &mut self.visits {
            visits.count(point);
        }
        let Some(follower) = &mut self.follower else { return Ok(()) };
        // Operands are evaluated for who looks.
        if follower.within.is_some() {
            return Ok(());
        }
        frame.statement = point;
        if follower.until == Some(follower.passed.len()) {
            let (id, address) = (self.instruction.id, self.instruction.address);
            follower.within = Some(Within { id, address, bodies: Vec::new() });
            return Err(Leaving::Interrupt);
        }
        if follower.passed.len() >= MOST_PASSED {
            return Err(Leaving::Interrupt);
        }
        let passed = PassedStatement { statement: point, turn: self.turn, nesting: self.nesting };
        follower.passed.push(passed);
        Ok(())
    }

    /// True if the run was left before a statement.
    #[inline]
    pub(super) fn is_within(&self) -> bool {
        self.follower.as_ref().is_some_and(|follower| follower.within.is_some())
    }

    /// Runs a body of an operation; where the run is left in it, what it sees is noted.
    #[inline]
    pub(super) fn run_body(
        &mut self,
        frame: &mut Frame<'m>,
        statements: &'m [Stmt],
        time_node: u32,
    ) -> Result<(), Leaving> {
        let outcome = self.run_statements(frame, statements, time_node);
        if matches!(outcome, Err(Leaving::Interrupt)) {
            self.note_body(frame);
        }
        outcome
    }

    #[cold]
    #[inline(never)]
    fn note_body(&mut self, frame: &Frame<'m>) {
        if self.is_within() {
            let body = self.running_body(frame);
            if let Some(within) = self.follower.as_mut().and_then(|follower| follower.within.as_mut()) {
                within.bodies.push(body);
            }
        }
    }

    /// The same of an EXPRESSION, which another body mentions.
    #[inline]
    pub(super) fn run_mentioned(
        &mut self,
        frame: &mut Frame<'m>,
        statements: &'m [Stmt],
    ) -> Result<(), Leaving> {
        self.nesting += 1;
        let outcome = self.run_body(frame, statements, 0);
        self.nesting -= 1;
        outcome
    }

    fn running_body(&mut self, frame: &Frame<'m>) -> RunningBody {
        let (statement, locals) = (frame.statement, frame.locals.clone());
        let Some(execution) = self.instruction.executions.get(frame.execution as usize) else {
            return RunningBody { statement, locals, ..RunningBody::default() };
        };
        let (index, variables) = (execution.operation, execution.variables.clone());
        let operation = self.state.model.operation(index);
        let is_decoded = self.tree().is_some() && execution.node.is_some();
        let field = |field| is_decoded.then(|| self.field(frame.execution, field));
        let fields = (0..operation.fields.len() as u32).map(field).collect();
        let (mut operands, mut references) = (Vec::new(), Vec::new());
        if self.follower.as_ref().is_some_and(|follower| follower.with_operands) {
            let instances = 0..operation.instances.len() as u32;
            operands = instances.map(|instance| self.seen_operand(frame.execution, instance)).collect();
            // What an operation that nothing has brought about refers to is not there.
            let has_parent = self.instruction.executions[frame.execution as usize].parent.is_some();
            let all = 0..operation.references.len() as u32;
            references = all
                .map(|reference| self.read_reference(frame.execution, reference).ok().filter(|_| has_parent))
                .collect();
        }
        RunningBody { statement, operation: Some(index), locals, variables, fields, operands, references }
    }

    fn seen_operand(&mut self, execution: u32, instance: u32) -> Option<Operand> {
        let (_, operation) = self.chosen(execution, instance)?;
        self.state.model.operation(operation).expression.as_ref()?;
        let value = self.read_operand(execution, instance).ok();
        Some(Operand { operation, value })
    }
}
