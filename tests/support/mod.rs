//! The simulators of this repository, on every engine, and what the tests need to run them.

#![allow(dead_code, reason = "every test takes what it needs")]

pub(crate) mod assembled;
pub(crate) mod description;
pub(crate) mod installed;
pub(crate) mod launch;
pub(crate) mod law;
pub(crate) mod paid;
pub(crate) mod program;
pub(crate) mod random;
pub(crate) mod random_word;
pub(crate) mod samples;
pub(crate) mod setting;
pub(crate) mod split;
pub(crate) mod stretches;
pub(crate) mod thorough;
pub(crate) mod values;

use std::path::PathBuf;

use isac_ir::Model;
use sim_profile::EventSink;
use sim_runtime::Engine;
use sim_runtime::reference::ReferenceEngine;
use sim_translate::TranslatedEngine;

/// A model of this repository with its engines.
#[derive(Clone, Copy)]
pub(crate) struct Simulator {
    pub(crate) name: &'static str,
    pub(crate) model: fn() -> &'static Model,
    emitted: fn(bool) -> Box<dyn Engine>,
    stepwise: fn(bool) -> Box<dyn Engine>,
}

/// The simulator of a generated module, and of its general form.
macro_rules! simulator {
    ($module:ident, $stepwise:ident) => {
        $crate::support::Simulator::new(
            stringify!($module),
            isac::simulators::$module::model,
            isac::simulators::$module::engine,
            isac::simulators::$stepwise::engine,
        )
    };
}
#[allow(unused_imports, reason = "every test takes what it needs")]
pub(crate) use simulator;

pub(crate) const RV32IM: Simulator = simulator!(rv32im, rv32im_stepwise);
pub(crate) const RV32IM5: Simulator = simulator!(rv32im5, rv32im5_stepwise);
/// In one form alone: what stands for its general form is the same.
pub(crate) const RV32IMC: Simulator = simulator!(rv32imc, rv32imc);
/// In one form alone, too.
pub(crate) const RV64IMAC: Simulator = simulator!(rv64imac, rv64imac);
/// In one form alone, too.
pub(crate) const MIPS32: Simulator = simulator!(mips32, mips32);
pub(crate) const AVR: Simulator = simulator!(avr, avr);
/// In one form alone, too.
pub(crate) const ARMV6M: Simulator = simulator!(armv6m, armv6m);
pub(crate) const VLIW4: Simulator = simulator!(vliw4, vliw4);
pub(crate) const PDP11: Simulator = simulator!(pdp11, pdp11_stepwise);
pub(crate) const TINY8: Simulator = simulator!(tiny8, tiny8_stepwise);
/// What `gentool new` writes.
pub(crate) const FIRST: Simulator = simulator!(first, first_stepwise);
pub(crate) const TREE: Simulator = simulator!(tree, tree_stepwise);

/// What can execute a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineKind {
    Reference,
    Emitted,
    /// The emitted engine made without profiling, which is other code.
    Unprofiled,
    /// The emitted engine in its general form.
    Stepwise,
    /// The same without profiling.
    StepwiseUnprofiled,
    /// The translated engine, which compiles whatever it comes to twice.
    Translated,
    /// The same without profiling.
    TranslatedUnprofiled,
    /// The translated engine where it knows which loops are gone around often when it compiles them.
    TranslatedLate,
}

/// The reference first: the others are held against it.
pub(crate) const ENGINES: [EngineKind; 8] = [
    EngineKind::Reference,
    EngineKind::Emitted,
    EngineKind::Unprofiled,
    EngineKind::Stepwise,
    EngineKind::StepwiseUnprofiled,
    EngineKind::Translated,
    EngineKind::TranslatedUnprofiled,
    EngineKind::TranslatedLate,
];

/// Those of a model that is generated in one form alone.
pub(crate) const ENGINES_OF_ONE_FORM: [EngineKind; 6] = [
    EngineKind::Reference,
    EngineKind::Emitted,
    EngineKind::Unprofiled,
    EngineKind::Translated,
    EngineKind::TranslatedUnprofiled,
    EngineKind::TranslatedLate,
];

impl Simulator {
    pub(crate) const fn new(
        name: &'static str,
        model: fn() -> &'static Model,
        emitted: fn(bool) -> Box<dyn Engine>,
        stepwise: fn(bool) -> Box<dyn Engine>,
    ) -> Simulator {
        Simulator { name, model, emitted, stepwise }
    }

    pub(crate) fn engine(&self, kind: EngineKind) -> Box<dyn Engine> {
        let translated = |profiles, arrivals| {
            self.translated(profiles, arrivals).unwrap_or_else(|| (self.emitted)(profiles))
        };
        match kind {
            EngineKind::Reference => Box::new(ReferenceEngine::new((self.model)()).with_profile()),
            EngineKind::Emitted => (self.emitted)(true),
            EngineKind::Unprofiled => (self.emitted)(false),
            EngineKind::Stepwise => (self.stepwise)(true),
            EngineKind::StepwiseUnprofiled => (self.stepwise)(false),
            EngineKind::Translated => translated(true, 2),
            EngineKind::TranslatedUnprofiled => translated(false, 1),
            EngineKind::TranslatedLate => translated(true, 8),
        }
    }

    /// The translated engine, compiling after so many arrivals; `None` for a model that it refuses,
    /// where the emitted one takes its place.
    pub(crate) fn translated(&self, profiles: bool, arrivals: u32) -> Option<Box<dyn Engine>> {
        let engine = TranslatedEngine::new((self.model)())?.with_threshold(arrivals);
        Some(Box::new(if profiles { engine.with_profile() } else { engine }))
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
