//! The builder of one body: statements in order, locals, frames.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::behavior::{Body, Expr, Local, Stmt};
use isac_parser::model::{Body as SourceBody, LocalId, Operation};
use isac_parser::source::Span;

use super::Lowering;
use super::access::{Frames, number_regions};
use super::followed::Whereabouts;
use super::latency::mark_latencies;

/// Builds one body.
pub(super) struct BodyBuilder<'a> {
    pub(super) lowering: &'a Lowering<'a>,
    /// The operation whose fields and aliases can be used.
    pub(super) operation: Option<&'a Operation>,
    pub(super) body: Body,
    /// The list that statements are added to.
    pub(super) statements: Vec<Stmt>,
    pub(super) frames: Frames,
    /// The body's local of each local of the source scope at hand.
    pub(super) scope: BTreeMap<LocalId, u32>,
    /// Labels of the loops and switches around, innermost last.
    pub(super) targets: Vec<JumpTarget>,
    /// Where `return` goes, and where it puts the value.
    pub(super) returns: Option<Return>,
    /// What statements since the last look may have left early.
    pub(super) exits: Exits,
    /// Mentions of references so far.
    pub(super) references: usize,
    /// Where it is in the description.
    pub(super) whereabouts: Whereabouts,
    next_label: u32,
}

/// Where `break` and `continue` lead.
#[derive(Debug, Clone, Copy)]
pub(super) struct JumpTarget {
    pub leave: u32,
    /// `None` for a switch.
    pub next: Option<u32>,
}

/// Where `return` leads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Return {
    /// `None` where every `return` stands at the end.
    pub label: Option<u32>,
    pub value: Option<u32>,
}

/// Ways to leave a list of statements before its end, faults excepted.
#[derive(Debug, Clone, Default)]
pub(super) struct Exits {
    /// The instruction may end.
    pub ends: bool,
    /// Labels that may be left.
    pub labels: BTreeSet<u32>,
}

/// Statements of one arm, with what they may leave.
pub(super) struct Arm {
    pub statements: Vec<Stmt>,
    pub exits: Exits,
    /// Its first frame.
    frame: usize,
}

impl Arm {
    /// True if control leaves at its end, whatever happens before.
    fn is_left(&self) -> bool {
        let last = self.statements.iter().rfind(|statement| !matches!(statement, Stmt::Count(_)));
        matches!(last, Some(Stmt::Leave(_) | Stmt::Halt(_) | Stmt::Cancel | Stmt::Retry { .. }))
    }
}

/// The list around an arm.
pub(super) struct OuterList {
    frame: usize,
    own: usize,
    statements: Vec<Stmt>,
    exits: Exits,
}

impl Exits {
    /// The instruction may end.
    pub(super) fn end() -> Exits {
        Exits { ends: true, ..Exits::default() }
    }

    pub(super) fn any(&self) -> bool {
        self.ends || !self.labels.is_empty()
    }

    pub(super) fn add(&mut self, other: Exits) {
        self.ends |= other.ends;
        self.labels.extend(other.labels);
    }
}

impl<'a> BodyBuilder<'a> {
    pub(super) fn new(lowering: &'a Lowering<'a>, operation: Option<&'a Operation>, span: Span) -> Self {
        let body = Body { location: lowering.location(span), regions: 1, ..Body::default() };
        BodyBuilder {
            lowering,
            operation,
            body,
            statements: Vec::new(),
            frames: Frames::new(),
            scope: BTreeMap::new(),
            targets: Vec::new(),
            returns: None,
            exits: Exits::default(),
            references: 0,
            whereabouts: Whereabouts::default(),
            next_label: 0,
        }
    }

    /// The finished body.
    pub(super) fn finish(mut self) -> Body {
        number_regions(&mut self.statements, &self.frames);
        mark_latencies(&mut self.statements);
        self.body.rests = self.frames.rests();
        self.body.statements = self.statements;
        self.body
    }

    pub(super) fn push(&mut self, statement: Stmt) {
        self.statements.push(statement);
    }

    pub(super) fn new_label(&mut self) -> u32 {
        self.next_label += 1;
        self.next_label - 1
    }

    pub(super) fn new_local(&mut self, name: &str, width: u32) -> u32 {
        self.body.locals.push(Local { name: name.to_string(), width });
        self.body.locals.len() as u32 - 1
    }

    /// Puts a value into a new temporary, unless it cannot change anyway.
    pub(super) fn spill(&mut self, value: Expr) -> Expr {
        if is_stable(&value) {
            return value;
        }
        let width = value.width;
        let local = self.new_local("t", width);
        self.push(Stmt::Set { local, value });
        Expr::local(width, local)
    }

    /// Lowers into a list that runs on a condition: a frame of its own.
    pub(super) fn arm(&mut self, lower: impl FnOnce(&mut Self)) -> Arm {
        let outer = self.begin_arm();
        lower(self);
        self.end_arm(outer)
    }

    /// From here on statements go to an arm; gives what [`BodyBuilder::end_arm`] needs.
    pub(super) fn begin_arm(&mut self) -> OuterList {
        let (frame, exits) = (self.frames.current, std::mem::take(&mut self.exits));
        let statements = std::mem::take(&mut self.statements);
        self.begin_frame();
        OuterList { frame, own: self.frames.current, statements, exits }
    }

    /// The arm ends.
    pub(super) fn end_arm(&mut self, outer: OuterList) -> Arm {
        self.frames.current = outer.frame;
        Arm {
            statements: std::mem::replace(&mut self.statements, outer.statements),
            exits: std::mem::replace(&mut self.exits, outer.exits),
            frame: outer.own,
        }
    }

    /// Adds an `If`; if an arm may leave, what follows is a frame of its own.
    pub(super) fn push_if(&mut self, condition: Expr, then: Arm, otherwise: Arm) {
        let branch = self.frames.current;
        let leaving = match (then.exits.any(), otherwise.exits.any()) {
            (true, false) if then.is_left() => Some(then.frame),
            (false, true) if otherwise.is_left() => Some(otherwise.frame),
            _ => None,
        };
        self.push(Stmt::If { condition, then: then.statements, otherwise: otherwise.statements });
        self.leave_maybe(then.exits);
        self.leave_maybe(otherwise.exits);
        if let Some(leaving) = leaving {
            self.frames.follow_branch(branch, leaving);
        }
    }

    /// Remembers what may have been left; the rest of the list then runs less often.
    pub(super) fn leave_maybe(&mut self, exits: Exits) {
        if exits.any() {
            self.exits.add(exits);
            self.begin_frame();
        }
    }

    /// Adds a labelled block; after it everything runs as often as before it, unless the
    /// instruction may have ended inside.
    pub(super) fn push_block(&mut self, label: u32, lower: impl FnOnce(&mut Self)) {
        let before = self.frames.current;
        let mut arm = self.arm(|builder| {
            builder.frames.run_as_often_as(before);
            lower(builder);
        });
        arm.exits.labels.remove(&label);
        self.push(Stmt::Block { label, body: arm.statements });
        self.leave_maybe(arm.exits);
    }

    /// Lowers a BEHAVIOR: `return` leaves a block around it.
    pub(super) fn lower_source_body(&mut self, body: &SourceBody) {
        self.declare_locals(body);
        if super::statement::returns_early(&body.statements) {
            let label = self.new_label();
            self.returns = Some(Return { label: Some(label), value: None });
            self.push_block(label, |builder| builder.lower_statements(&body.statements));
        } else {
            self.lower_statements(&body.statements);
        }
    }

    /// Makes a local for each variable of a source body.
    pub(super) fn declare_locals(&mut self, body: &SourceBody) {
        for (index, local) in body.locals.iter().enumerate() {
            let lowered = self.new_local(&local.name, local.ty.width_bits);
            self.scope.insert(LocalId(index as u32), lowered);
        }
        self.follow_locals(body);
    }
}

/// True if evaluating it later gives the same.
fn is_stable(value: &Expr) -> bool {
    use isac_ir::behavior::ExprKind;
    matches!(
        value.kind,
        ExprKind::Const(_) | ExprKind::Field(_) | ExprKind::Coded(_) | ExprKind::InstructionAddress
    )
}
