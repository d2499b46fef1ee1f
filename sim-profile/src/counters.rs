//! Counters: how often named events happened in regions of a program.
//!
//! A [`CountedEvent`] is counted in a [`Region`], by a counter as processors have them, though without
//! any effect on the run: a region's counts are derived from the exact profile, and agree with it to
//! the last one. What cannot be derived exactly is told, and never estimated. [`Descent`] shows how the
//! functions that cost most are found with few counters in several passes; a [`MetricGraph`] says which
//! figures follow from what was counted; a [`CounterSet`] is what is kept of all that.

mod by_address;
mod counted_run;
mod descent;
mod event;
mod exact;
mod forgotten;
mod formula;
mod metric;
mod metric_error;
mod possible;
mod region;
mod render;
mod set;
mod set_error;
mod uncounted;

pub use counted_run::CountedRun;
pub use descent::Descent;
pub use event::{CountedEvent, LineEvent, UnknownEvent};
pub use exact::ExactCounters;
pub use metric::MetricGraph;
pub use metric_error::MetricError;
pub use region::{Region, UnknownRegion};
pub use render::{render_counters, render_counters_dot, render_descent, render_raw_counters};
pub use set::{CounterSet, Reading};
pub use set_error::SetError;
pub use uncounted::Uncounted;
