//! Host services: what a guest can reach of the world outside its processor.
//!
//! That is standard input and output, files below one directory that the user names, a clock
//! that counts cycles, random numbers from a seed, and nothing else. Whatever a guest passes is
//! hostile until shown otherwise: bad pointers and lengths give the guest an error number, and
//! never the host a panic or an allocation of the guest's choosing.

mod abi;
mod clock;
mod convention;
mod descriptor;
mod errno;
mod file;
mod guest;
mod heap;
mod input;
mod linux;
mod output;
mod random;
mod root;
mod saved;
mod semihost;
mod stack;
mod stat;
mod streams;
mod transfer;

use std::io::Read;

pub use abi::Abi;
pub(crate) use random::Random;
pub use root::RootDirectory;
pub use saved::SavedHost;
pub use stack::{InitialStack, StackError, setup_stack};
pub use streams::{Capture, Streams};

use crate::engine::Machine;
use descriptor::DescriptorTable;
use errno::Errno;
use guest::Guest;
use heap::Heap;
use input::Input;
use output::Output;

/// Cycles a second of the guest's clock if nothing else is said.
pub const DEFAULT_CLOCK_HZ: u64 = 1_000_000_000;

/// How a system call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinuxResult {
    /// The guest goes on with this result; `-errno` where the call failed.
    Return(i64),
    /// The guest has ended itself with this status.
    Exit(i32),
}

/// Standard streams, files, heap, clock and arguments of one guest.
pub struct Host {
    input: Input,
    output: Output,
    errors: Output,
    descriptors: DescriptorTable,
    root: Option<RootDirectory>,
    heap: Heap,
    clock_hz: u64,
    random: Random,
    seed: u64,
    arguments: Vec<String>,
    /// The error of the last semihosting call that failed; 0 before.
    semihost_errno: i64,
    /// Asked whether the run is to end; `None` is never.
    interrupt: Option<Box<dyn Fn() -> bool + Send>>,
    /// Asked whether the engine is to come back; `None` is never.
    recall: Option<Box<dyn Fn() -> bool + Send>>,
    sample_timer: Option<Box<dyn FnMut() -> bool + Send>>,
    explanation: Option<Explanation>,
}

/// What a description says of the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The address of the instruction that ended it.
    pub address: u64,
    /// Why it did.
    pub text: String,
}

impl Default for Host {
    /// No input, no files, no heap, output that is dropped.
    fn default() -> Self {
        Self::new(Streams::default())
    }
}

impl Host {
    /// A host with these streams; no files, no heap, a clock of 1 GHz, seed 0, no arguments.
    #[must_use]
    pub fn new(streams: Streams) -> Self {
        Self {
            input: Input::new(streams.input),
            output: Output::new(streams.output),
            errors: Output::new(streams.errors),
            descriptors: DescriptorTable::default(),
            root: None,
            heap: Heap::default(),
            clock_hz: DEFAULT_CLOCK_HZ,
            random: Random::default(),
            seed: 0,
            arguments: Vec::new(),
            semihost_errno: 0,
            interrupt: None,
            recall: None,
            sample_timer: None,
            explanation: None,
        }
    }

    /// Lets the guest open files below a directory.
    #[must_use]
    pub fn with_root(mut self, root: RootDirectory) -> Self {
        self.root = Some(root);
        self
    }

    /// Sets the frequency of the guest's clock in cycles a second; 0 counts as 1.
    #[must_use]
    pub fn with_clock_hz(mut self, clock_hz: u64) -> Self {
        self.clock_hz = clock_hz.max(1);
        self
    }

    /// Sets the seed of the run: of the guest's random numbers, and of caches that replace lines at
    /// random.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.random = Random::new(seed);
        self.seed = seed;
        self
    }

    /// Sets the program's name and arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Vec<String>) -> Self {
        self.arguments = arguments;
        self
    }

    /// Sets what is asked now and then, within an instruction too, whether the run is to end.
    #[must_use]
    pub fn with_interrupt(mut self, is_interrupted: impl Fn() -> bool + Send + 'static) -> Self {
        self.interrupt = Some(Box::new(is_interrupted));
        self
    }

    /// True if the run is to end although the guest goes on.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|is_interrupted| is_interrupted())
    }

    /// Sets what is asked now and then, between two instructions, whether [`crate::Engine::run`] is to come back
    /// although the run goes on: somebody wants to look at it, and it has become slower than they thought.
    #[must_use]
    pub fn with_recall(mut self, is_recalled: impl Fn() -> bool + Send + 'static) -> Self {
        self.recall = Some(Box::new(is_recalled));
        self
    }

    /// True if the engine is to come back.
    #[must_use]
    pub fn is_recalled(&self) -> bool {
        self.recall.as_ref().is_some_and(|is_recalled| is_recalled())
    }

    /// Sets what says when the next sample is to begin, where time chooses.
    #[must_use]
    pub fn with_sample_timer(mut self, is_due: impl FnMut() -> bool + Send + 'static) -> Self {
        self.sample_timer = Some(Box::new(is_due));
        self
    }

    /// True if it is time for a sample; once for each.
    #[must_use]
    pub fn is_sample_due(&mut self) -> bool {
        self.sample_timer.as_mut().is_some_and(|is_due| is_due())
    }

    /// Lets the guest's break move between two byte addresses, both included. It stands at
    /// `start`.
    pub fn set_heap(&mut self, start: u64, limit: u64) {
        self.heap = Heap::new(start, limit);
    }

    /// The program's name and arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The seed of the run.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The next 16 bytes of the guest's random numbers.
    pub fn random_bytes(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Carries out a Linux system call with the numbers of asm-generic, or those that `abi` names.
    ///
    /// Pointers are byte addresses of `map`. `cycles` is the cycle count of the machine: the
    /// guest's clock counts nothing else. Arguments are taken modulo the word width.
    pub fn linux_call(
        &mut self,
        machine: &mut dyn Machine,
        map: usize,
        abi: Abi,
        cycles: u64,
        number: u64,
        arguments: [u64; 6],
    ) -> LinuxResult {
        let mut guest = Guest { machine, map, abi };
        self.dispatch(&mut guest, cycles, abi.word(number), arguments)
    }

    /// Writes a byte to standard output, in order with what the guest writes by system calls.
    pub fn console_write(&mut self, byte: u8) {
        // A device has no way to tell the guest; the launcher looks at the failure itself.
        let _ = self.output.write(&[byte]);
    }

    /// Reads a byte of standard input; `None` at its end or if it cannot be read.
    pub fn console_read(&mut self) -> Option<u8> {
        let _ = self.output.flush();
        let mut byte = [0];
        match self.input.read(&mut byte) {
            Ok(1) => Some(byte[0]),
            _ => None,
        }
    }

    /// Writes text to standard output, in order with what the guest writes by system calls.
    pub fn print(&mut self, text: &[u8]) {
        let _ = self.output.write(text);
    }

    /// Keeps why the run is about to end; of several reasons the first.
    pub fn explain(&mut self, address: u64, text: &[u8]) {
        let text = || String::from_utf8_lossy(text).into_owned();
        self.explanation.get_or_insert_with(|| Explanation { address, text: text() });
    }

    /// Why the run has ended, if the description says so.
    pub fn explanation(&self) -> Option<&Explanation> {
        self.explanation.as_ref()
    }

    /// Sends out what the guest has written so far.
    ///
    /// # Errors
    /// A sentence that says why output was lost, now or earlier. A reader that went away is not
    /// an error here: the guest has been told.
    pub fn flush(&mut self) -> Result<(), String> {
        let _ = self.output.flush();
        let _ = self.errors.flush();
        match self.output.failure().or(self.errors.failure()) {
            None | Some(Errno::PIPE) => Ok(()),
            Some(failure) => Err(format!(
                "the program's output could not be written (error {}); make room, or send it elsewhere",
                failure.result().abs()
            )),
        }
    }

    fn write_errors(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        // Both streams often end in one place; what was written first shall stand first.
        let _ = self.output.flush();
        self.errors.write(bytes)?;
        self.errors.flush()
    }
}
