//! The simulators of this repository, on every engine, and what the tests need to run them.

#![allow(dead_code, reason = "every test takes what it needs")]

pub(crate) mod launch;
pub(crate) mod law;
pub(crate) mod program;
pub(crate) mod random_word;
pub(crate) mod split;

use std::path::PathBuf;

use isac::simulators::{rv32im, tiny8, tree};
use isac_ir::Model;
use sim_profile::EventSink;
use sim_runtime::Engine;
use sim_runtime::reference::ReferenceEngine;

/// A model of this repository with its engines.
#[derive(Clone, Copy)]
pub(crate) struct Simulator {
    pub(crate) name: &'static str,
    pub(crate) model: fn() -> &'static Model,
    emitted: fn(bool) -> Box<dyn Engine>,
}

pub(crate) const RV32IM: Simulator =
    Simulator { name: "rv32im", model: rv32im::model, emitted: rv32im::engine };
pub(crate) const TINY8: Simulator = Simulator { name: "tiny8", model: tiny8::model, emitted: tiny8::engine };
pub(crate) const TREE: Simulator = Simulator { name: "tree", model: tree::model, emitted: tree::engine };

/// What can execute a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineKind {
    Reference,
    Emitted,
    /// The emitted engine made without profiling, which is other code.
    Unprofiled,
}

/// The reference first: the others are held against it.
pub(crate) const ENGINES: [EngineKind; 3] =
    [EngineKind::Reference, EngineKind::Emitted, EngineKind::Unprofiled];

impl Simulator {
    pub(crate) const fn new(
        name: &'static str,
        model: fn() -> &'static Model,
        emitted: fn(bool) -> Box<dyn Engine>,
    ) -> Simulator {
        Simulator { name, model, emitted }
    }

    pub(crate) fn engine(&self, kind: EngineKind) -> Box<dyn Engine> {
        match kind {
            EngineKind::Reference => Box::new(ReferenceEngine::new((self.model)()).with_profile()),
            EngineKind::Emitted => (self.emitted)(true),
            EngineKind::Unprofiled => (self.emitted)(false),
        }
    }

    /// The reference engine without a profile of its own, telling every event.
    pub(crate) fn telling_engine(&self, sink: Box<dyn EventSink>) -> Box<dyn Engine> {
        Box::new(ReferenceEngine::new((self.model)()).with_events(sink))
    }
}

/// A file of this repository.
pub(crate) fn path(below_root: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(below_root)
}

/// Where two texts part, as a message; nothing if they are the same.
pub(crate) fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (mut left, mut right) = (expected.lines(), found.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (Some(left), Some(right)) if left == right => {}
            (None, None) => return Some("they differ in line breaks alone".to_owned()),
            (left, right) => {
                let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
                return Some(format!("line {number}: expected {}, found {}", shown(left), shown(right)));
            }
        }
    }
}
