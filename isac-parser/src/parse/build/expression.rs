//! Expressions: a flat row of operands and operators to a tree, by precedence.

use pest::iterators::Pair;

use super::{Builder, Children, MAX_HEIGHT};
use crate::ast::{BinaryOperator, Expr, ExprKind, Number, UnaryOperator};
use crate::diagnostic::Diagnostic;
use crate::parse::code;
use crate::parse::grammar::Rule;
use crate::source::Span;

/// An expression with its height, so that no tree grows too high to walk.
struct Tall {
    expr: Expr,
    height: usize,
}

/// What an infix operator makes of its operands.
#[derive(Clone, Copy)]
enum Infix {
    Assign(Option<BinaryOperator>),
    Conditional,
    Binary(BinaryOperator),
    Concat,
}

impl Infix {
    /// The strength of its binding, and whether it groups from the right.
    fn precedence(self) -> (u8, bool) {
        match self {
            Infix::Assign(_) => (1, true),
            Infix::Conditional => (2, true),
            Infix::Binary(operator) => (operator.precedence(), false),
            Infix::Concat => (13, false),
        }
    }
}

impl Builder<'_> {
    /// An expression without a comma operator.
    pub(super) fn expression(&mut self, pair: Pair<'_, Rule>) -> Expr {
        self.tall_expression(pair).expr
    }

    /// Expressions joined by comma operators.
    pub(super) fn sequence(&mut self, pair: Pair<'_, Rule>) -> Expr {
        self.tall_sequence(pair).expr
    }

    fn tall_sequence(&mut self, pair: Pair<'_, Rule>) -> Tall {
        let mut children = Children::of(pair);
        let first = children.expect();
        let mut left = self.tall_expression(first);
        for next in children {
            let right = self.tall_expression(next);
            let span = left.expr.span.to(right.expr.span);
            self.only_in_behavior(right.expr.span, "a comma operator");
            let height = left.height.max(right.height);
            let kind = ExprKind::Comma { left: Box::new(left.expr), right: Box::new(right.expr) };
            left = self.tall(kind, span, height);
        }
        left
    }

    fn tall_expression(&mut self, pair: Pair<'_, Rule>) -> Tall {
        self.climb(&mut Children::of(pair), 0, 0)
    }

    /// Reads operands as long as the operators between them bind at least as strongly as `least`.
    fn climb(&mut self, row: &mut Children<'_>, least: u8, depth: usize) -> Tall {
        let first = row.expect();
        let mut left = self.operand(first);
        while let Some(operator) = row.pairs.peek() {
            let infix = if operator.as_rule() == Rule::question {
                Infix::Conditional
            } else {
                infix(operator.as_str())
            };
            let (precedence, from_right) = infix.precedence();
            if precedence < least {
                break;
            }
            let operator = row.expect();
            if depth > MAX_HEIGHT {
                let span = self.span(&operator);
                self.too_deep(span, "operators");
                while row.next().is_some() {}
                break;
            }
            let operator_span = self.span(&operator);
            let middle = operator.into_inner().next().map(|then| self.tall_sequence(then));
            let right = self.climb(row, precedence + u8::from(!from_right), depth + 1);
            left = self.join(infix, operator_span, left, middle, right);
        }
        left
    }

    fn join(&mut self, infix: Infix, at: Span, left: Tall, middle: Option<Tall>, right: Tall) -> Tall {
        let span = left.expr.span.to(right.expr.span);
        let height = left.height.max(right.height).max(middle.as_ref().map_or(0, |middle| middle.height));
        let right_height = right.height;
        let (left, right) = (left.expr, right.expr);
        let kind = match (infix, middle) {
            (Infix::Conditional, Some(then)) => ExprKind::Conditional {
                condition: Box::new(left),
                then: Box::new(then.expr),
                otherwise: Box::new(right),
            },
            (Infix::Concat, _) => {
                // The row's own concatenation goes on, no higher; a parenthesised one is a `Paren`.
                let (mut parts, below) = match left.kind {
                    ExprKind::Concat(parts) => (parts, right_height.max(height.saturating_sub(1))),
                    kind => (vec![Expr { kind, span: left.span }], height),
                };
                parts.push(right);
                return self.tall(ExprKind::Concat(parts), span, below);
            }
            (Infix::Assign(operator), _) => {
                self.only_in_behavior(at, "an assignment");
                ExprKind::Assign { operator, place: Box::new(left), value: Box::new(right) }
            }
            (Infix::Binary(operator), _) => {
                ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) }
            }
            // The grammar gives `?` its middle; without one the condition alone remains.
            (Infix::Conditional, None) => left.kind,
        };
        self.tall(kind, span, height)
    }

    fn operand(&mut self, pair: Pair<'_, Rule>) -> Tall {
        let mut prefixes = Vec::new();
        let mut children = Children::of(pair);
        while let Some(Rule::prefix | Rule::cast) = children.peek() {
            prefixes.push(children.expect());
        }
        let primary = children.expect();
        let mut tall = self.primary(primary);
        for postfix in children {
            tall = self.postfix(tall, postfix);
        }
        for prefix in prefixes.into_iter().rev() {
            tall = self.prefix(prefix, tall);
        }
        tall
    }

    fn prefix(&mut self, pair: Pair<'_, Rule>, operand: Tall) -> Tall {
        let span = self.span(&pair);
        let whole = span.to(operand.expr.span);
        let height = operand.height;
        let operand = Box::new(operand.expr);
        let kind = match (pair.as_rule(), pair.as_str()) {
            (Rule::cast, _) => {
                let ty = Children::of(pair).expect();
                ExprKind::Cast { ty: self.type_name(ty), operand }
            }
            (_, step @ ("++" | "--")) => {
                self.only_in_behavior(span, "a step");
                ExprKind::Step { increment: step == "++", prefix: true, place: operand }
            }
            (_, "-") => ExprKind::Unary { operator: UnaryOperator::Negate, operand },
            (_, "+") => ExprKind::Unary { operator: UnaryOperator::Plus, operand },
            (_, "~") => ExprKind::Unary { operator: UnaryOperator::BitNot, operand },
            _ => ExprKind::Unary { operator: UnaryOperator::Not, operand },
        };
        self.tall(kind, whole, height)
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Tall {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::number => ExprKind::Number(self.number(&pair)),
            Rule::character => ExprKind::Number(self.character(&pair)),
            Rule::text => ExprKind::Text(self.text(&pair)),
            Rule::parenthesis => {
                let inner = self.tall_sequence(Children::of(pair).expect());
                return self.tall(ExprKind::Paren(Box::new(inner.expr)), span, inner.height);
            }
            _ => {
                let name = self.name(&pair);
                self.check_name(&name);
                ExprKind::Name(name)
            }
        };
        Tall { expr: Expr { kind, span }, height: 1 }
    }

    fn postfix(&mut self, base: Tall, pair: Pair<'_, Rule>) -> Tall {
        let span = self.span(&pair);
        let whole = base.expr.span.to(span);
        let mut height = base.height;
        let base = Box::new(base.expr);
        let kind = match pair.as_rule() {
            Rule::step => {
                self.only_in_behavior(span, "a step");
                ExprKind::Step { increment: pair.as_str() == "++", prefix: false, place: base }
            }
            Rule::member => {
                let member = Children::of(pair).expect();
                ExprKind::Member { base, member: self.name(&member) }
            }
            Rule::index => {
                let mut children = Children::of(pair);
                let index = self.tall_sequence(children.expect());
                height = height.max(index.height);
                match children.next() {
                    None => ExprKind::Index { base, index: Box::new(index.expr) },
                    Some(low) => {
                        let low = self.tall_expression(low);
                        height = height.max(low.height);
                        ExprKind::Slice { base, high: Box::new(index.expr), low: Box::new(low.expr) }
                    }
                }
            }
            _ => {
                let list = Children::of(pair).expect();
                let arguments =
                    Children::of(list).map(|argument| self.tall_expression(argument)).collect::<Vec<_>>();
                height = arguments.iter().map(|argument| argument.height).fold(height, usize::max);
                ExprKind::Call {
                    callee: base,
                    arguments: arguments.into_iter().map(|argument| argument.expr).collect(),
                }
            }
        };
        self.tall(kind, whole, height)
    }

    /// A node above nodes of at most this height; a placeholder if that is too high.
    fn tall(&mut self, kind: ExprKind, span: Span, below: usize) -> Tall {
        Tall { expr: Expr { kind, span }, height: below + 1 }.capped(self)
    }

    fn only_in_behavior(&mut self, span: Span, what: &str) {
        if self.in_behavior {
            return;
        }
        let mut diagnostic = Diagnostic::error(code::ASSIGNMENT, span, format!("{what} outside BEHAVIOR"))
            .label("only BEHAVIOR and FUNCTION change anything");
        if what == "an assignment" {
            diagnostic = diagnostic.help("equality is written `==`");
        }
        self.problem(diagnostic);
    }
}

impl Tall {
    fn capped(self, builder: &mut Builder<'_>) -> Tall {
        if self.height <= MAX_HEIGHT {
            return self;
        }
        let span = self.expr.span;
        builder.too_deep(span, "operators");
        let kind = ExprKind::Number(Number { value: 0, spelling: "0".to_owned() });
        Tall { expr: Expr { kind, span }, height: 1 }
    }
}

fn infix(spelling: &str) -> Infix {
    match spelling {
        "=" => Infix::Assign(None),
        "::" => Infix::Concat,
        _ => match BinaryOperator::from_spelling(spelling) {
            Some(operator) => Infix::Binary(operator),
            None => Infix::Assign(BinaryOperator::from_spelling(spelling.trim_end_matches('='))),
        },
    }
}
