//! What every engine offers, so that launcher, loader and tests know none of them by name.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::resource::RegisterPlace;
use sim_profile::{CacheLines, Calls, Measurement, PipelineView, Samples, Sampling, ValueTable};

use crate::fault::Stop;
use crate::host::Host;
use crate::inspection::{Flying, Follow, PassedStatement, SavedEngine, TouchedCells, Within};
use crate::record::{FunctionMap, Recording, ValueChoice};

/// Registers and memory of a simulated processor, as loader, host calls and tests see them.
///
/// Registers and maps go by their index in the model's tables.
pub trait Machine {
    /// Value of a register, or of an element of a file (`element` is 0 for a single register).
    fn read_register(&self, register: usize, element: usize) -> u128;

    /// Sets a register; HARDWIRED elements keep their value, wider values are truncated.
    fn write_register(&mut self, register: usize, element: usize, value: u128);

    /// All of a register that may have more than 128 bits.
    fn read_register_bits(&self, register: usize, element: usize) -> Bits {
        Bits::from_u128(self.read_register(register, element))
    }

    /// Sets all of a register that may have more than 128 bits.
    fn write_register_bits(&mut self, register: usize, element: usize, value: Bits) {
        self.write_register(register, element, value.to_u128());
    }

    /// Value of a program counter, stack pointer or ALIAS; at most its low 128 bits.
    fn read_place(&self, place: &RegisterPlace) -> u128 {
        self.read_place_bits(place).to_u128()
    }

    /// All of a program counter, stack pointer or ALIAS.
    fn read_place_bits(&self, place: &RegisterPlace) -> Bits {
        place.read(|register, element| self.read_register_bits(register as usize, element as usize))
    }

    /// Sets a program counter, stack pointer or ALIAS; other bits of its registers stay.
    fn write_place(&mut self, place: &RegisterPlace, value: u128) {
        self.write_place_bits(place, Bits::from_u128(value));
    }

    /// The same with a value of any width.
    fn write_place_bits(&mut self, place: &RegisterPlace, value: Bits) {
        place.write(value, |part, bits| {
            let (register, element) = (part.register as usize, part.element as usize);
            let old = self.read_register_bits(register, element);
            self.write_register_bits(register, element, old.with(part.low, part.width_bits, bits));
        });
    }

    /// Reads bytes of a map from byte address `address` on, FLAGS disregarded.
    ///
    /// # Errors
    /// The address of the first byte that no RANGE holds; `bytes` is then unspecified.
    fn read_bytes(&self, map: usize, address: u64, bytes: &mut [u8]) -> Result<(), u64>;

    /// Writes bytes of a map from byte address `address` on, FLAGS disregarded. Code that has
    /// been decoded from there is decoded anew.
    ///
    /// # Errors
    /// The address of the first byte that no RANGE holds; nothing is written then.
    fn write_bytes(&mut self, map: usize, address: u64, bytes: &[u8]) -> Result<(), u64>;
}

/// What happened to a cache so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Its name.
    pub name: String,
    /// The lines that were touched.
    pub lines: CacheLines,
}

/// An engine with a processor's state in it.
pub trait Engine {
    /// The processor's state.
    fn machine(&mut self) -> &mut dyn Machine;

    /// Runs until `instructions` more have ended or were cancelled, or the guest stops by itself.
    ///
    /// After [`Stop::Budget`] it was exactly that many; the run goes on with the next call.
    ///
    /// Where instructions overlap, the stop is [`Stop::Paused`] instead: at the end of the cycle in
    /// which the last of them ended, or after as many cycles. It tells how many instructions it
    /// was, which may be more than `instructions`, since a flush cancels several in one cycle; the
    /// run goes on with the next call, too. An engine may do the same with some of the instructions left: one
    /// that takes samples, and one that finds [`Host::is_recalled`] true.
    ///
    /// [`Stop::Interrupted`] comes where [`Host::is_interrupted`] says so within a loop of the
    /// description; between instructions it is the caller who has to ask.
    ///
    /// The first call, whatever it allows, runs operation `reset` before anything else.
    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop;

    /// Has each run from now on pause before every instruction that begins at one of these addresses:
    /// [`Engine::run`] gives [`Stop::Paused`] then, and the next call goes on with that instruction. With
    /// no address they run through again. False if the engine cannot, which is so where instructions
    /// overlap.
    fn pause_at(&mut self, _addresses: &BTreeSet<u64>) -> bool {
        false
    }

    /// The model that it runs; `None` if there is none.
    fn model(&self) -> Option<&Model> {
        None
    }

    /// Instructions ended so far, cancelled ones not counted.
    fn instructions(&self) -> u64;

    /// Cycles begun so far, extra cycles included.
    fn cycles(&self) -> u64;

    /// What else the engine says of a run, a text a line.
    fn statistics(&self) -> Vec<String> {
        Vec::new()
    }

    /// What happened to the model's caches, in their order; empty if they are not simulated.
    fn caches(&self) -> Vec<CacheStatistics> {
        Vec::new()
    }

    /// Follows calls from the next instruction on; false if the engine cannot. Where instructions overlap,
    /// engines that make no profile cannot.
    fn record_calls(&mut self, _map: FunctionMap) -> bool {
        false
    }

    /// The calls so far; `None` if they are not followed.
    fn calls(&self) -> Option<Calls> {
        None
    }

    /// What is in flight between two cycles; `None` if the engine cannot tell.
    fn flying(&self) -> Option<Flying> {
        None
    }

    /// ID and address of the oldest instruction in flight; `None` if there is none, or if the engine
    /// cannot tell.
    fn oldest(&self) -> Option<(u64, u64)> {
        None
    }

    /// Notes from here on which data in memory the program reads and writes, or no longer; false if the
    /// engine cannot.
    fn watch_accesses(&mut self, _watches: bool) -> bool {
        false
    }

    /// What the program has read and written since this was asked last, where it is noted.
    fn take_accesses(&mut self) -> Vec<TouchedCells> {
        Vec::new()
    }

    /// Follows the statements of the description in what runs from now on, or no longer, which is how a
    /// run begins; false if the engine cannot, which is so of most.
    fn follow(&mut self, _follow: Follow) -> bool {
        false
    }

    /// The statements that were passed since this was asked last, where they are listed.
    fn take_passed(&mut self) -> Vec<PassedStatement> {
        Vec::new()
    }

    /// Where the run stands within a cycle, if it does. It cannot go on from there: an earlier state is
    /// taken up for that.
    fn within(&self) -> Option<&Within> {
        None
    }

    /// Numbers of the stages, among those of all pipelines, that stand in the next cycle for a stall.
    fn stalled(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The whole state, its profile included, to be taken up again later; it shares memory with the one
    /// that was saved or taken up last. `None` if the engine cannot, or has told somebody who cannot
    /// forget.
    fn save(&mut self) -> Option<SavedEngine> {
        None
    }

    /// Takes up a state that this engine has saved; false if it is none of its own.
    fn take_up(&mut self, _saved: &SavedEngine) -> bool {
        false
    }

    /// Counts at samples alone what runs from now on, before the first instruction; false if the engine
    /// cannot, which is so where instructions overlap or caches are simulated, without profiling, and
    /// where calls are followed.
    fn sample(&mut self, _sampling: Sampling) -> bool {
        false
    }

    /// What is known of the whole run, if samples are taken; of the moment of the last
    /// [`Engine::measurement`] or [`Engine::recording`], if the run did not go on since.
    fn samples(&self) -> Option<Samples> {
        None
    }

    /// Counts from the next instruction on the values that chosen instructions read from resources and write to
    /// them; where samples are taken, those in the samples. False if the engine cannot; it may need profiling for that.
    fn record_values(&mut self, _choice: ValueChoice) -> bool {
        false
    }

    /// The values so far; `None` if they are not counted.
    fn values(&self) -> Option<&ValueTable> {
        None
    }

    /// How often each point of the description was passed, by its number; `None` if that is not counted.
    fn visits(&self) -> Option<Vec<u64>> {
        None
    }

    /// Which instruction was in which stage in the cycles that were asked for; `None` if there were none.
    fn pipeline(&self) -> Option<PipelineView> {
        None
    }

    /// What [`Engine::measurement`] is made of by [`Recording::measure`], complete whenever that is; `None` if the
    /// engine counts in another way, or was made without profiling. Where it is given, [`Engine::model`] is, too.
    fn recording(&mut self) -> Option<Recording> {
        None
    }

    /// Everything measured so far; complete at any time between two calls of [`Engine::run`].
    /// `None` if the engine was made without profiling.
    fn measurement(&mut self) -> Option<Measurement>;
}
