//! Random words as programs: the translated engine ends as the reference engine does.

use std::path::{Path, PathBuf};

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::operation::Role;
use sim_profile::render_xml;
use sim_runtime::Engine;
use sim_runtime::host::{Host, Streams};
use sim_runtime::reference::ReferenceEngine;
use sim_translate::{TranslatedEngine, find_obstacles};

use super::random::Random;
use super::random_word::{random_word, root_decoder};

/// Most words of a program.
const MOST_WORDS: u64 = 120;
/// After so many instructions a run ends.
const BUDGET: u64 = 2000;
/// Bytes around a program that are compared in the end.
const LOOKED_AT: usize = 8192;

/// A model that can be translated, with where its programs stand.
pub(crate) struct Machine {
    path: PathBuf,
    model: Model,
    decoder: u32,
    map: usize,
    /// First and last address of the memory that holds programs.
    memory: (u64, u64),
}

impl Machine {
    /// `None` for a model that is not translated, or that has no memory for programs made of bytes.
    pub(crate) fn new(path: &Path, model: Model) -> Option<Machine> {
        let has_root = model.operations.iter().any(|operation| {
            operation.root.is_some() && operation.instances.iter().any(|instance| instance.role == Role::Root)
        });
        if !has_root || !find_obstacles(&model).is_empty() {
            return None;
        }
        let holds_programs = |range: &isac_ir::resource::Range| {
            let ram = &model.rams[range.ram as usize];
            ram.executable && range.low_bit == 0 && range.high - range.low >= 255
        };
        let (map, range) = model.maps.iter().enumerate().find_map(|(map, table)| {
            let range = table.ranges.iter().find(|range| holds_programs(range))?;
            (table.cell_bits == 8).then_some((map, range))
        })?;
        let (decoder, memory) = (root_decoder(&model), (range.low, range.high));
        Some(Machine { path: path.to_owned(), model, decoder, map, memory })
    }

    /// A program, as it is kept: the path of the description in a line, and its bytes.
    pub(crate) fn program(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = format!("{}\n", self.path.display()).into_bytes();
        for _ in 0..=random.below_u64(MOST_WORDS) {
            let width = self.model.decoders[self.decoder as usize].width_bits;
            let word = match random.below_u64(16) {
                0 => Bits::from_u128(random.next().into()),
                _ => random_word(&self.model, self.decoder, random),
            };
            let mut cells: Vec<u8> =
                (0..width.div_ceil(8)).map(|cell| word.extract(cell * 8, 8) as u8).collect();
            if self.model.target.big_endian {
                cells.reverse();
            }
            bytes.extend(cells);
        }
        bytes
    }

    /// Runs a program on both engines, in several ways.
    ///
    /// # Panics
    /// If they do not end alike.
    pub(crate) fn check(&self, program: &[u8]) {
        let mut reference = ReferenceEngine::new(&self.model).with_profile();
        let (state, report) = self.run(&mut reference, program, &[BUDGET]);
        // When code comes along that is made beside the run.
        let askings = [1, 2, 7, 50][program.iter().map(|byte| usize::from(*byte)).sum::<usize>() % 4];
        for (arrivals, profiles, askings, pieces) in [
            (1, true, None, &[BUDGET][..]),
            (2, true, None, &[7, 311]),
            (1, false, None, &[1, 0, 97, 13]),
            // So late it is known which loops are gone around often: they are repeated.
            (8, true, None, &[BUDGET]),
            (1, true, Some(askings), &[BUDGET]),
        ] {
            let engine = TranslatedEngine::new(&self.model).expect("nothing is in the way");
            let mut engine = engine.with_threshold(arrivals);
            if let Some(askings) = askings {
                engine = engine.with_compiler_beside_after(askings);
            }
            if profiles {
                engine = engine.with_profile();
            }
            let (found_state, found) = self.run(&mut engine, program, pieces);
            assert_eq!(found_state, state, "{}: state after {arrivals} arrivals", self.path.display());
            if profiles {
                assert_eq!(found, report, "{}: report after {arrivals} arrivals", self.path.display());
            }
        }
    }

    /// How a run ends, and its report.
    fn run(&self, engine: &mut dyn Engine, program: &[u8], pieces: &[u64]) -> (String, Option<String>) {
        let mut random =
            Random::new(program.iter().fold(1, |sum, byte| sum * 31 % 0xffff_ffff + u64::from(*byte)));
        let (low, high) = self.memory;
        // At the memory's ends, too.
        let last = (high - low + 1).saturating_sub(program.len() as u64);
        let place = low + random.pick(&[0, 64, 4096, last]).min(last);
        let length = program.len().min((high - place + 1) as usize);
        let machine = engine.machine();
        machine.write_bytes(self.map, place, &program[..length]).expect("the program lies in memory");
        for (register, table) in self.model.registers.iter().enumerate() {
            for element in 0..table.elements().min(64) as usize {
                let value = match random.below_u64(3) {
                    0 => random.next(),
                    1 => place + random.below_u64(512),
                    _ => random.below_u64(16),
                };
                machine.write_register(register, element, value.into());
            }
        }
        machine.write_place(&self.model.pc, place.into());
        let (streams, output, errors) = Streams::captured(b"some input");
        let mut host = Host::new(streams);
        let (mut left, mut pieces) = (BUDGET, pieces.iter().cycle());
        let stop = loop {
            let piece = left.min(*pieces.next().unwrap_or(&BUDGET));
            let stop = engine.run(&mut host, piece);
            left -= piece;
            if stop != sim_runtime::Stop::Budget || left == 0 {
                break stop;
            }
        };
        host.flush().expect("buffers take everything");
        let mut state = format!(
            "{stop:?}, {} instructions, {} cycles, {:?}, {:?}\n",
            engine.instructions(),
            engine.cycles(),
            output.bytes(),
            errors.bytes()
        );
        for (register, table) in self.model.registers.iter().enumerate() {
            for element in 0..table.elements() as usize {
                let value = engine.machine().read_register_bits(register, element);
                state += &format!("{}[{element}] = {value:?}\n", table.name);
            }
        }
        let from = place.saturating_sub(LOOKED_AT as u64 / 2).max(low);
        let mut bytes = vec![0; LOOKED_AT.min((high - from + 1) as usize)];
        engine.machine().read_bytes(self.map, from, &mut bytes).expect("it lies in memory");
        state += &format!("{bytes:02x?}");
        (state, engine.measurement().map(|measurement| render_xml(&measurement)))
    }
}

/// A program as it is kept: its description, and its bytes.
pub(crate) fn read_case(case: &[u8]) -> (PathBuf, &[u8]) {
    let line = case.iter().position(|byte| *byte == b'\n').unwrap_or(case.len());
    let path = String::from_utf8_lossy(&case[..line]).into_owned();
    (PathBuf::from(path), &case[(line + 1).min(case.len())..])
}
