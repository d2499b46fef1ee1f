//! What a generated core is to the stepwise engine.

use isac_ir::account::Part;

use super::step::Step;
use crate::kernel::{Core, Profiling, Trap};

/// A section of an operation: core, what the instruction shares, the context that it runs in.
pub type BodyFn<C, P> = fn(&mut C, &mut Step<C, P>, usize) -> Result<(), Trap>;

/// A generated processor whose sections are functions.
pub trait StepCore: Core {
    /// True if its sections tell the values that they read and write.
    const TELLS_VALUES: bool = false;

    /// The function of an operation's section, if it has that section.
    fn section<P: Profiling>(operation: u32, part: Part) -> Option<BodyFn<Self, P>>;

    /// What runs for a memory fault, if the model has it; the context does not matter.
    fn memory_fault<P: Profiling>() -> Option<BodyFn<Self, P>>;
}
