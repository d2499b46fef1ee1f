//! The profile of a simulated run: what is measured, how it is stored, what is derived from it.
//!
//! ```text
//! engine --events--> EventProfiler --> Measurement --+--> Profile (stored, merged)
//! engine ------------counted directly--------------^  +--> tree, coverage, executions, summary
//!                                                     +--> XML and text reports (feature `reports`)
//! ```
//!
//! A [`Measurement`] is keyed by static instruction (address and decoded word), so its size
//! follows the program's size and never the run's length. Every analysis is derived from it and
//! from the names in [`ModelTables`]; none of them asks an engine again. All maps are ordered:
//! equal measurements give equal output, to the byte.
//!
//! This crate knows no engine, reads no clock and prints nothing.

pub mod calls;
pub mod control;
#[cfg(feature = "program")]
pub mod counters;
pub mod coverage;
pub mod description;
pub mod difference;
pub mod event;
pub mod executions;
pub mod flow;
#[cfg(all(feature = "program", feature = "reports"))]
pub mod html;
pub mod path;
#[cfg(feature = "program")]
pub mod program;
#[cfg(feature = "reports")]
pub mod report;
pub mod spent;
pub mod summary;
#[cfg(feature = "symbols")]
pub mod symbols;
pub mod tree;

mod ascending;
mod cache_lines;
mod context_tree;
mod digest;
mod digits;
mod event_profiler;
mod event_reader;
mod event_writer;
mod image;
mod lines;
mod measurement;
mod overhead;
mod pairs;
mod part;
mod pipeline_view;
mod profile;
mod running;
mod sampling;
mod several_programs;
mod storage;
mod tables;
#[cfg(any(feature = "reports", feature = "symbols"))]
mod text;
mod values;
mod word;

pub use cache_lines::CacheLines;
pub use calls::{
    CallContext, CallCount, CallKey, CallKind, Calls, FunctionCount, MOST_FRAMES, Spending, spending_of,
};
pub use context_tree::ContextTree;
pub use control::{
    CodeSizes, Control, ControlTable, DelayedControl, StaticFacts, StaticTable, Transfer, Transfers,
    control_table, delay_slots,
};
pub use difference::{CallDifference, CallPair, Difference, NamedArc, Pair, Places};
pub use event::{AccessEvent, Event, EventSink};
pub use event_profiler::EventProfiler;
pub use event_reader::{EventError, EventErrorCause, read_events, replay_events};
pub use event_writer::EventWriter;
pub use image::{ImageDifference, ImagePart, ImagePartDifference, ProgramImage};
pub use measurement::{
    Accesses, InstructionKey, InstructionRecord, InvalidMeasurement, InvalidRecord, Measurement, MergeError,
};
pub use overhead::{InvalidOverhead, LostCause, LostReason, Overhead, StageCycles};
pub use path::{PathError, PathNode, PathTree, instruction_of};
pub use pipeline_view::{InvalidView, PipelineEnd, PipelineRow, PipelineStay, PipelineView, WIDEST_VIEW};
pub use profile::{Mode, Profile, Provenance};
#[cfg(all(feature = "program", feature = "reports"))]
pub use report::{ReportParts, render_cobertura, render_operands_text, write_full_xml};
#[cfg(feature = "reports")]
pub use report::{
    render_difference, render_estimates, render_flow_dot, render_junit, render_profile_text,
    render_profile_xml, render_text, render_verification, render_xml, write_profile_xml,
};
pub use running::Misplaced;
pub use sampling::{CheckPlaces, Counted, Duplication, Estimate, Instrumented, Samples, Sampling};
pub use several_programs::ProgramRuns;
pub use storage::{ProfileError, ProfileErrorCause, ProfileSum, SumError, read_profile, write_profile};
pub use tables::{CodeCells, ModelTables};
pub use values::{COUNTED_VALUES, CountedValue, ValueKind, ValuePlace, ValueTable, Values};
pub use word::{Word, WordError};
