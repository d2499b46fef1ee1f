//! The operands of instructions: where they stand, what they can be, and what a decoded instruction has
//! there.
//!
//! An instruction of the set is a decode path cut at operands; its operands are those of all operations
//! on that path. Which values an operand can have follows from the decoders: an automaton's ways to an
//! instruction (`pattern`) say which bits of its word are fixed there, by the CODING or by a WHEN, and
//! so which values, and which pairs of values, no word has (`form`, `space`).

mod form;
mod part;
mod pattern;
mod place;
mod space;
mod value;

pub use part::{Part, parts_of};
pub use place::{Place, number_text, places, text_of};
pub use space::{ImpossiblePairs, InstructionSpace, OperandSpaces, PlaceSpace};
