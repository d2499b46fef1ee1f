//! Random programs that end.
//!
//! A program is a row of *units*: one instruction, an indirect jump with the instructions that
//! load its address, or a loop around further units. Control never enters a unit but at its
//! beginning, jumps lead forward to a unit of the same row, and a loop counts down a register
//! that nothing else writes. One more register always points into the data, for loads and stores.
//! Which two registers these are is random too, so that every register is used as any other.
//!
//! In front of the units all registers are loaded from the data; behind them they are stored
//! there, the data is written to standard output, and the program exits. How a processor does all
//! of that is for its [`Writer`].

use std::ops::Range;

use super::encoder::Word;
use super::random::Random;

/// Where a program and its data are, and what of it is registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The address of the code, where it begins.
    pub(crate) code: u32,
    /// The address of the data.
    pub(crate) data: u32,
    /// Bytes of a register.
    pub(crate) register_bytes: u32,
    /// The registers by name, in the order in which they are stored at the data's end.
    pub(crate) registers: &'static [&'static str],
    pub(crate) big_endian: bool,
}

impl Layout {
    /// The data: as far as a signed 12-bit offset reaches from its middle.
    pub(crate) const DATA_BYTES: u32 = 4096;

    /// The address in the middle of the data.
    pub(crate) fn middle(&self) -> u32 {
        self.data + Self::DATA_BYTES / 2
    }

    /// The part of the data, at its end, where the registers are stored when all is done.
    pub(crate) fn saved(&self) -> u32 {
        Self::DATA_BYTES - self.registers.len() as u32 * self.register_bytes
    }
}

/// A program in memory.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// The code from its address on, where it begins.
    pub(crate) words: Vec<Word>,
    /// Which of the words are units.
    pub(crate) body: Range<usize>,
    /// What the data is in the beginning.
    pub(crate) data: Vec<u8>,
}

/// A row of units, laid out one behind the other.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) units: Vec<Vec<Word>>,
    pub(crate) jumps: Vec<Forward>,
}

/// A jump of a row whose target is not known yet.
pub(crate) struct Forward {
    pub(crate) unit: usize,
    /// The word in the unit that says where it leads.
    pub(crate) word: usize,
    /// The unit that it leads to; the row's end if there are fewer.
    pub(crate) target: usize,
    /// The instruction that the word is.
    pub(crate) name: String,
    /// What is added to the distance between the two units.
    pub(crate) bias: i32,
}

/// Where a unit may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    /// From the beginning of the jump's unit to that of its target.
    pub(crate) distance: u32,
    /// The target's address; `None` in a loop, which does not know its own yet.
    pub(crate) address: Option<u32>,
}

/// How a processor's programs are written: it knows its registers and instructions.
pub(crate) trait Writer {
    /// Points the base into the data and loads all other registers from there.
    fn prologue(&self) -> Vec<Word>;

    /// Stores all registers, writes the data out and exits.
    fn epilogue(&self) -> Vec<Word>;

    /// A unit of one random instruction; jumps are noted in the row.
    fn unit(&self, row: &mut Row, is_looped: bool, random: &mut Random) -> Vec<Word>;

    /// So many rounds of a body.
    fn repeat(&self, rounds: u32, body: Vec<Word>) -> Vec<Word>;

    /// The word of a jump that goes this way; `None` if it does not reach so far.
    fn aim(&self, jump: &Forward, word: Word, way: Way) -> Option<Word>;
}

impl Program {
    /// The program of a seed with its first `units` units.
    pub(crate) fn random(writer: &dyn Writer, layout: &Layout, seed: u64, units: usize) -> Program {
        let mut words = writer.prologue();
        let address = layout.code + size(&words);
        let row = make_row(writer, units, Some(address), |index| Random::of_part(seed, index));
        let body = words.len()..words.len() + row.len();
        words.extend(row);
        words.extend(writer.epilogue());
        let mut random = Random::new(!seed);
        let data = (0..Layout::DATA_BYTES / 4).flat_map(|_| random.value(32).to_le_bytes()).collect();
        Program { words, body, data }
    }
}

fn size(words: &[Word]) -> u32 {
    words.iter().map(|word| word.bytes).sum()
}

/// Makes a row, which lies at an address or in a loop; unit `index` depends on its own random
/// numbers alone.
fn make_row(
    writer: &dyn Writer,
    units: usize,
    address: Option<u32>,
    random_of: impl Fn(usize) -> Random,
) -> Vec<Word> {
    let mut row = Row::default();
    for index in 0..units {
        let mut random = random_of(index);
        let unit = match address.is_some() && random.once_in(12) {
            true => make_loop(writer, &mut random),
            false => writer.unit(&mut row, address.is_none(), &mut random),
        };
        row.units.push(unit);
    }
    lay_out(writer, row, address)
}

/// A loop of a few rounds around a row.
fn make_loop(writer: &dyn Writer, random: &mut Random) -> Vec<Word> {
    let rounds = 1 + random.below(24) as u32;
    let seed = random.next();
    let units = 1 + random.below(12);
    writer.repeat(rounds, make_row(writer, units, None, |index| Random::of_part(seed, index)))
}

/// Puts the units one behind the other and tells jumps where they lead.
fn lay_out(writer: &dyn Writer, mut row: Row, address: Option<u32>) -> Vec<Word> {
    let mut starts = vec![0];
    for unit in &row.units {
        starts.push(starts[starts.len() - 1] + size(unit));
    }
    for jump in &row.jumps {
        let mut target = jump.target.min(row.units.len());
        let word = loop {
            let distance = starts[target] - starts[jump.unit];
            let way = Way { distance, address: address.map(|address| address + starts[target]) };
            if let Some(word) = writer.aim(jump, row.units[jump.unit][jump.word], way) {
                break word;
            }
            target -= 1;
            assert!(target > jump.unit, "{} reaches nothing", jump.name);
        };
        row.units[jump.unit][jump.word] = word;
    }
    row.units.concat()
}
