//! What is on the stack.

use sim_profile::Spending;

use super::stack::StackNumber;

/// A call that has not returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// The stack that it is the top of.
    pub stack: StackNumber,
    /// Number of the arc that led here; none of all for what the run began with.
    pub arc: u32,
    /// What takes it off.
    pub returns: Returns,
    /// What was spent when it was put on.
    pub since: Spending,
}

impl Frame {
    /// The number of no arc.
    pub(super) const NO_ARC: u32 = u32::MAX;
}

/// What a return has to be to take off a frame and nothing else: the point that the frame waits for, and
/// the function below it. In one number, since they are compared at each return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Returns(u64);

impl Returns {
    /// Of a frame that waits for what the frame below does: no return takes it off alone.
    pub(super) const BELOW: Returns = Returns(u64::MAX);

    /// Of a transfer that is no return.
    pub(super) const NOT: Returns = Returns(u64::MAX - 1);

    /// By number of the point, and of the function; none if that has no symbol.
    pub(super) fn to(point: u32, function: Option<u32>) -> Returns {
        Returns(u64::from(point) << 32 | u64::from(function.unwrap_or(u32::MAX)))
    }

    /// The point that a frame waits for.
    pub(super) fn point(self) -> Option<u32> {
        (self != Returns::BELOW).then_some((self.0 >> 32) as u32)
    }
}
