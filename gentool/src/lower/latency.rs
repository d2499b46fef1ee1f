//! Stalls that wait for memory: those whose number of cycles comes from a `.latency`.
//!
//! Profiles tell a cache's misses from other stalls by that. The number may have come through
//! variables of the body, parameters of FUNCTIONs among them; through a register or LOCAL it is not
//! followed, and neither are conditions.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::behavior::{Expr, ExprKind, Stmt, walk_statements};

/// The maps whose latency a local may hold.
type Sources = BTreeMap<u32, BTreeSet<u32>>;

/// Writes down at each stall whose latency it waits for.
pub(super) fn mark_latencies(statements: &mut [Stmt]) {
    let sources = find_sources(statements);
    mark(statements, &sources);
}

/// A local may be assigned in a loop before what it is assigned from: until nothing is new.
fn find_sources(statements: &[Stmt]) -> Sources {
    let mut sources = Sources::new();
    loop {
        let mut found = sources.clone();
        walk_statements(statements, &mut |statement| {
            if let Stmt::Set { local, value } = statement {
                let maps = maps_of(value, &sources);
                if !maps.is_empty() {
                    found.entry(*local).or_default().extend(maps);
                }
            }
        });
        if found == sources {
            return sources;
        }
        sources = found;
    }
}

fn maps_of(value: &Expr, sources: &Sources) -> BTreeSet<u32> {
    let mut maps = BTreeSet::new();
    value.walk(&mut |expr| match expr.kind {
        ExprKind::Latency(map) => maps.extend([map]),
        ExprKind::Local(local) => maps.extend(sources.get(&local).into_iter().flatten()),
        _ => {}
    });
    maps
}

fn mark(statements: &mut [Stmt], sources: &Sources) {
    for statement in statements {
        match statement {
            Stmt::Stall { cycles, maps, .. } => *maps = maps_of(cycles, sources).into_iter().collect(),
            Stmt::If { then, otherwise, .. } => {
                mark(then, sources);
                mark(otherwise, sources);
            }
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } => mark(body, sources),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use isac_ir::behavior::{Expr, ExprKind, Stmt};
    use isac_ir::time::StageId;

    use super::mark_latencies;

    fn local(local: u32) -> Expr {
        Expr::local(32, local)
    }

    fn latency(map: u32) -> Expr {
        Expr { width: 32, kind: ExprKind::Latency(map) }
    }

    fn stall(cycles: Expr) -> Stmt {
        Stmt::Stall { stage: StageId { pipeline: 0, stage: 0 }, cycles, maps: Vec::new() }
    }

    fn marked(statements: Vec<Stmt>) -> Vec<u32> {
        let mut statements = [Stmt::Block { label: 0, body: statements }];
        mark_latencies(&mut statements);
        let [Stmt::Block { body, .. }] = &statements else { panic!("a block stays one") };
        let Some(Stmt::Stall { maps, .. }) = body.last() else { panic!("a stall stays one") };
        maps.clone()
    }

    #[test]
    fn latencies_are_followed_through_locals() {
        let set = |to, value| Stmt::Set { local: to, value };
        assert!(marked(vec![stall(local(0))]).is_empty());
        assert_eq!(marked(vec![stall(latency(2))]), [2]);
        assert_eq!(marked(vec![set(0, latency(1)), set(1, latency(3)), stall(local(0))]), [1]);
        let in_a_loop = vec![set(1, local(0)), set(0, latency(1)), set(0, latency(3)), stall(local(1))];
        assert_eq!(marked(in_a_loop), [1, 3]);
    }
}
