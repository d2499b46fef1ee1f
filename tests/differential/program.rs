//! Random programs that end.
//!
//! A program is a row of *units*: one instruction, an indirect jump with the instructions that
//! load its address, or a loop around further units. Control never enters a unit but at its
//! beginning, jumps lead forward to a unit of the same row, and a loop counts down a register
//! that nothing else writes. Some jumps get there by a detour within their unit, back to a leap that
//! leads on, or over a space that nothing else reaches: so their offsets have both signs and all bits.
//! One more register always points into the data, for loads and stores.
//! Which two registers these are is random too, so that every register is used as any other.
//!
//! In front of the units all registers are loaded from the data; behind them they are stored
//! there, the data is written to standard output, and the program exits. How a processor does all
//! of that is for its [`Writer`].

use std::ops::Range;

use super::encoder::Word;
use crate::support::random::Random;

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
    /// How many bytes spaces in units may still take.
    room: u32,
}

/// Instructions one of which jumps.
pub(crate) struct Jump {
    pub(crate) words: Vec<Word>,
    /// The word among them that says where it leads.
    pub(crate) word: usize,
    /// The instruction that this word is.
    pub(crate) name: String,
    /// What is added to the distance from the first of the words to the target.
    pub(crate) bias: i32,
}

/// A jump of a row whose target is not known yet.
pub(crate) struct Forward {
    unit: usize,
    /// The word in the unit that says where it leads.
    word: usize,
    goal: Goal,
    /// The instruction that the word is.
    pub(crate) name: String,
    /// What is added to the distance from the unit's beginning to the target.
    pub(crate) bias: i32,
}

/// Where a jump leads.
enum Goal {
    /// To this unit; to the row's end if there are fewer, and to one before if it does not reach so far.
    Unit(usize),
    /// So many bytes behind the beginning of its own unit.
    Inside(u32),
}

/// Where a unit may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    /// From the beginning of the jump's unit to its target.
    pub(crate) distance: i32,
    /// The target's address; `None` in a loop, which does not know its own yet.
    pub(crate) address: Option<u32>,
}

/// How far a jump over a space leads further than the space at most: instructions before and behind it.
const AROUND: u32 = 64;

impl Row {
    /// A unit that jumps to one of the next: directly, back to a leap that goes there, or over a space.
    pub(crate) fn jump(&mut self, writer: &dyn Writer, jump: Jump, random: &mut Random) -> Vec<Word> {
        let target = self.units.len() + 1 + random.below(6);
        match random.below(8) {
            0 | 1 => self.jump_back(writer, jump, target, random),
            2 => self.jump_far(writer, jump, target, random),
            _ => {
                self.note(&jump, 0, 0, Goal::Unit(target));
                jump.words
            }
        }
    }

    /// A leap over what the jump leads back to: a leap to the target, and a space behind it.
    fn jump_back(
        &mut self,
        writer: &dyn Writer,
        jump: Jump,
        target: usize,
        random: &mut Random,
    ) -> Vec<Word> {
        let Some(space) = self.space(writer, &jump, -1, random) else {
            self.note(&jump, 0, 0, Goal::Unit(target));
            return jump.words;
        };
        let (over, on) = (writer.leap(space), writer.leap(space));
        let (to_leap, to_jump) = (size(&over.words), size(&over.words) + size(&on.words) + space);
        self.note(&over, 0, 0, Goal::Inside(to_jump));
        self.note(&on, over.words.len(), to_leap, Goal::Unit(target));
        let gap = gap(space);
        self.note(&jump, over.words.len() + on.words.len() + gap.len(), to_jump, Goal::Inside(to_leap));
        [over.words, on.words, gap, jump.words].concat()
    }

    /// The jump over a space to the unit's end, and, where it goes on, a leap to the target.
    fn jump_far(&mut self, writer: &dyn Writer, jump: Jump, target: usize, random: &mut Random) -> Vec<Word> {
        let Some(space) = self.space(writer, &jump, 1, random) else {
            self.note(&jump, 0, 0, Goal::Unit(target));
            return jump.words;
        };
        let on = writer.leap(space);
        let (to_leap, to_end) = (size(&jump.words), size(&jump.words) + size(&on.words) + space);
        self.note(&jump, 0, 0, Goal::Inside(to_end));
        self.note(&on, jump.words.len(), to_leap, Goal::Unit(target));
        [jump.words, on.words, gap(space)].concat()
    }

    /// A space that the jump gets over in this direction, as often of few bits as of many; `None` for one that
    /// gets over no instruction.
    fn space(&mut self, writer: &dyn Writer, jump: &Jump, sign: i32, random: &mut Random) -> Option<u32> {
        let reaches = |bytes: u32| {
            let way = Way { distance: sign * bytes as i32, address: Some(1 << 24) };
            writer.aim(&forward(jump, 0, 0, Goal::Inside(0)), jump.words[jump.word], way).is_some()
        };
        if !reaches(AROUND / 2) {
            return None;
        }
        let mut most = 0;
        for bit in (0..24).rev().map(|number| 1 << number) {
            let is_free = most + bit <= self.room;
            most += if is_free && reaches(most + bit + AROUND) { bit } else { 0 };
        }
        let width = random.below(most.checked_ilog2().map_or(0, |bits| bits as usize + 1) + 1);
        let space = (random.next() as u32 & ((1 << width) - 1)).min(most) & writer.grain().wrapping_neg();
        self.room -= space;
        Some(space)
    }

    /// Notes a jump of the unit at hand: how many words and bytes of it are before it.
    fn note(&mut self, jump: &Jump, words: usize, bytes: u32, goal: Goal) {
        let unit = self.units.len();
        self.jumps.push(Forward { unit, ..forward(jump, words, bytes, goal) });
    }
}

/// A jump with so many words and bytes of its unit before it.
fn forward(jump: &Jump, words: usize, bytes: u32, goal: Goal) -> Forward {
    let bias = jump.bias - bytes as i32;
    Forward { unit: 0, word: words + jump.word, goal, name: jump.name.clone(), bias }
}

/// What nothing reaches, as one word of zeros.
fn gap(bytes: u32) -> Vec<Word> {
    (bytes > 0).then_some(Word { bits: 0, bytes }).into_iter().collect()
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

    /// A jump without a condition that gets over a space of so many bytes.
    fn leap(&self, space: u32) -> Jump;

    /// What the size of every instruction is a multiple of, in bytes.
    fn grain(&self) -> u32;
}

impl Program {
    /// The program of a seed with its first `units` units.
    pub(crate) fn random(writer: &dyn Writer, layout: &Layout, seed: u64, units: usize) -> Program {
        let mut words = writer.prologue();
        let address = layout.code + size(&words);
        let room = layout.data - address - CODE_BYTES;
        let row = make_row(writer, units, Some((address, room)), |index| Random::of_part(seed, index));
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

/// More than all instructions of a program have.
const CODE_BYTES: u32 = 0x20000;

/// Makes a row, which lies at an address and has room for spaces, or in a loop; unit `index` depends on its
/// own random numbers alone, and on the room that those before have left.
fn make_row(
    writer: &dyn Writer,
    units: usize,
    place: Option<(u32, u32)>,
    random_of: impl Fn(usize) -> Random,
) -> Vec<Word> {
    let address = place.map(|(address, _)| address);
    let mut row = Row { room: place.map_or(0, |(_, room)| room), ..Row::default() };
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
        let from = starts[jump.unit];
        let aimed = |to: u32| {
            let way = Way { distance: (to - from) as i32, address: address.map(|address| address + to) };
            writer.aim(jump, row.units[jump.unit][jump.word], way)
        };
        let word = match jump.goal {
            Goal::Inside(bytes) => aimed(from + bytes),
            Goal::Unit(target) => {
                let targets = jump.unit + 1..=target.min(row.units.len());
                targets.rev().find_map(|target| aimed(starts[target]))
            }
        };
        let word = word.unwrap_or_else(|| panic!("{} reaches nothing", jump.name));
        row.units[jump.unit][jump.word] = word;
    }
    row.units.concat()
}
