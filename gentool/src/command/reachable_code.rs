//! Code that could have run and did not, as far as functions of the program lead there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gentool::disassembler::{Disassembler, Piece};
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_parser::model::CheckedModel;
use sim_profile::description::{DescriptionCoverage, DescriptionPoints};
use sim_profile::program::Program;
use sim_profile::{CodeSizes, Profile, StaticFacts, StaticTable};
use sim_runtime::image::{Expected, ImageFormat, is_elf, read_image};
use sim_runtime::launcher::ProgramFormat;
use sim_runtime::record::{StaticCode, StaticReader};

use super::Failure;
use super::description::{Description, DescriptionOptions, check_described, parse_definition};
use super::html_report::Described;
use super::program::{ProgramFile, cell_bytes};
use super::program_report::ImageOptions;

/// The description that was run.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ModelOptions {
    /// The description that was run: for operands, encodings, the description's own lines.
    ///
    /// With --image, estimates and flow graphs also show what never ran: blocks and edges of all code to
    /// which functions of the files lead, other than by computed jumps.
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,

    /// Replace the value of a CONSTANT of --model, as it was for the run.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_definition, requires = "model")]
    define: Vec<(String, u128)>,
}

/// What could have run.
#[derive(Default)]
pub(super) struct ReachableCode {
    /// Without what ran.
    pub(super) sizes: CodeSizes,
    /// What the description says of it.
    pub(super) statics: StaticTable,
}

impl ModelOptions {
    /// The description's path, if it is named.
    pub(super) fn path(&self) -> &[PathBuf] {
        self.model.as_slice()
    }

    /// Where only code is looked for, a description alone tells nothing.
    pub(super) fn check(&self, files: &ImageOptions) -> Result<(), Failure> {
        match self.model.is_some() && files.is_empty() {
            true => Err(Failure::other("--model needs the program, too; add --image FILE")),
            false => Ok(()),
        }
    }

    /// The description, if it is named, before and after lowering.
    pub(super) fn load(&self, profile: &Profile) -> Result<Option<(CheckedModel, Model)>, Failure> {
        let found = self.load_description(profile)?;
        Ok(found.map(|(checked, description)| (checked, description.model)))
    }

    /// What the description's points were used, if it is named and they were counted.
    pub(super) fn load_coverage(&self, profile: &Profile) -> Result<Option<DescriptionCoverage>, Failure> {
        let Some(counts) = &profile.visits else { return Ok(None) };
        let Some((checked, description)) = self.load_description(profile)? else { return Ok(None) };
        let (_, points) = description.count_points(&checked);
        let coverage = DescriptionCoverage::of(&points, counts);
        coverage.map(Some).ok_or_else(|| other_points(counts, &points))
    }

    /// What a page shows of the description, if it is named: with its points, if they were counted.
    pub(super) fn load_described(&self, profile: &Profile) -> Result<Option<Described>, Failure> {
        let Some((checked, description)) = self.load_description(profile)? else { return Ok(None) };
        let described = Described::of(&checked, &description.model);
        let Some(counts) = &profile.visits else { return Ok(Some(described)) };
        let (_, points) = description.count_points(&checked);
        match points.points.len() == counts.len() {
            true => Ok(Some(described.with_points(points, description.texts()))),
            false => Err(other_points(counts, &points)),
        }
    }

    fn load_description(&self, profile: &Profile) -> Result<Option<(CheckedModel, Description)>, Failure> {
        let Some(path) = &self.model else { return Ok(None) };
        let options = DescriptionOptions { model: path.clone(), define: self.define.clone() };
        let (checked, description) = options.load_checked()?;
        check_described(profile, &description.model, path)?;
        Ok(Some((checked, description)))
    }

    /// Finds the code; none without a description.
    pub(super) fn read_code(
        &self,
        profile: &Profile,
        files: &ImageOptions,
        program: Option<&Program>,
    ) -> Result<ReachableCode, Failure> {
        let Some(program) = program else { return Ok(ReachableCode::default()) };
        let Some((_, model)) = self.load(profile)? else { return Ok(ReachableCode::default()) };
        ReachableCode::find(&model, profile, files, program)
    }
}

impl ReachableCode {
    /// Finds the code of the program's files.
    pub(super) fn find(
        model: &Model,
        profile: &Profile,
        files: &ImageOptions,
        program: &Program,
    ) -> Result<ReachableCode, Failure> {
        let pieces = Pieces::of(read_pieces(model, profile, files)?);
        Ok(Search::of(model, pieces, profile, program).map_or_else(ReachableCode::default, Search::finish))
    }
}

fn other_points(counts: &[u64], points: &DescriptionPoints) -> Failure {
    Failure::other(format!(
        "the profile has counts of {} points of the description, and it has {}; run anew, with this gentool",
        counts.len(),
        points.points.len()
    ))
}

/// Where the run had the bytes of a file that does not say that itself.
fn raw_address(profile: &Profile, bytes: &[u8]) -> Option<u64> {
    let own = read_image(bytes, ImageFormat::Raw { address: 0 }, &Expected::default()).ok()?;
    let run = profile.provenance.images.iter().find(|run| run.digest == own.digest)?;
    match &run.parts[..] {
        [part] if part.size_bytes == bytes.len() as u64 => Some(part.address),
        _ => None,
    }
}

/// The code of all files; where it overlaps the first counts.
fn read_pieces(model: &Model, profile: &Profile, files: &ImageOptions) -> Result<Vec<Piece>, Failure> {
    let mut pieces = Vec::new();
    for image in files.read(profile)? {
        let base = image.base.or_else(|| raw_address(profile, &image.bytes));
        let file = ProgramFile { path: &image.path, format: ProgramFormat::Auto, base };
        let read = match file.read_bytes(model, &image.bytes) {
            Ok(read) => read,
            Err(failure) => {
                say!("note: {}; what never ran of it is left out", failure.message);
                continue;
            }
        };
        // An ELF file says itself where it stands; this is how far from there it was loaded.
        let bias = image.base.filter(|_| is_elf(&image.bytes)).unwrap_or(0) / cell_bytes(model);
        let moved = |piece: Piece| Piece { address: piece.address.wrapping_add(bias), ..piece };
        pieces.extend(read.pieces.into_iter().map(moved));
    }
    Ok(pieces)
}

/// Code of files, to be found by address.
struct Pieces {
    /// By ascending address, each with its number in the order in which they count.
    pieces: Vec<(usize, Piece)>,
    /// The highest address that each of them, or one before it, ends behind.
    ends: Vec<u64>,
}

impl Pieces {
    fn of(pieces: Vec<Piece>) -> Pieces {
        let mut pieces: Vec<(usize, Piece)> = pieces.into_iter().enumerate().collect();
        pieces.sort_by_key(|(number, piece)| (piece.address, *number));
        let mut highest = 0;
        let ends = pieces.iter().map(|(_, piece)| {
            highest = piece.address.saturating_add(piece.cells.len() as u64).max(highest);
            highest
        });
        let ends = ends.collect();
        Pieces { pieces, ends }
    }

    /// The cells from an address on, of the first piece that has any.
    fn cells(&self, address: u64) -> Option<&[Bits]> {
        let behind = self.pieces.partition_point(|(_, piece)| piece.address <= address);
        let before = (0..behind).rev().take_while(|place| self.ends[*place] > address);
        let found = before.filter_map(|place| {
            let (number, piece) = &self.pieces[place];
            let offset = usize::try_from(address - piece.address).ok()?;
            Some((*number, piece.cells.get(offset..).filter(|cells| !cells.is_empty())?))
        });
        found.min_by_key(|(number, _)| *number).map(|(_, cells)| cells)
    }
}

/// Follows code from where functions begin, and from what ran.
struct Search<'a> {
    disassembler: Disassembler<'a>,
    reader: StaticReader<'a>,
    pieces: Pieces,
    program: &'a Program,
    /// Addresses that have run, or were looked at.
    seen: BTreeSet<u64>,
    pending: Vec<u64>,
    found: ReachableCode,
}

impl<'a> Search<'a> {
    /// `None` where instructions are several elements of a CODINGROOT, which memory does not show.
    fn of(model: &'a Model, pieces: Pieces, profile: &Profile, program: &'a Program) -> Option<Search<'a>> {
        let (disassembler, reader) = (Disassembler::new(model)?, StaticReader::of(model)?);
        let functions = program.functions().iter().filter(|function| function.has_symbol);
        let mut pending: Vec<u64> = functions.map(|function| function.start).collect();
        let instructions = &profile.measurement.instructions;
        for (key, record) in instructions {
            let behind = model.successor(key.address, record.size_cells);
            let plain = StaticFacts::default();
            let facts = profile.statics.get(key).unwrap_or(&plain);
            follow(model, facts, (behind, record.size_cells), &mut pending);
        }
        let seen = instructions.keys().map(|key| key.address).collect();
        let found = ReachableCode::default();
        Some(Search { disassembler, reader, pieces, program, seen, pending, found })
    }

    fn finish(mut self) -> ReachableCode {
        while let Some(address) = self.pending.pop() {
            let is_code = self.program.function(self.program.function_at(address)).has_symbol;
            if !is_code || !self.seen.insert(address) {
                continue;
            }
            let Some(StaticCode { key, size_cells, facts }) = self.read(address) else { continue };
            let behind = self.disassembler.model().successor(address, size_cells);
            let model = self.disassembler.model();
            follow(model, &facts, (behind, size_cells), &mut self.pending);
            self.found.sizes.insert(address, size_cells);
            self.found.statics.insert(key, facts);
        }
        self.found
    }

    fn read(&self, address: u64) -> Option<StaticCode> {
        let words = self.disassembler.words(self.pieces.cells(address)?)?;
        let word = words.joined(self.disassembler.model().target.big_endian);
        self.reader.read(address, word, words.width_bits())
    }
}

/// Adds where an instruction may go on: also behind what it calls, and behind its delay slot.
fn follow(model: &Model, facts: &StaticFacts, (behind, size_cells): (u64, u32), pending: &mut Vec<u64>) {
    match &facts.control {
        None => pending.push(behind),
        Some(control) => {
            pending.extend(Some(behind).filter(|_| control.falls_through));
            pending.extend(&control.targets);
            pending.extend(control.keeps);
        }
    }
    if let Some(delayed) = &facts.delayed {
        pending.push(delayed.slot);
        pending.extend(&delayed.targets);
        let behind_slot = model.successor(delayed.slot, size_cells);
        pending.extend(Some(behind_slot).filter(|_| delayed.falls_through));
    }
}

#[cfg(test)]
mod tests {
    use gentool::disassembler::Piece;
    use isac_ir::bits::Bits;

    use super::Pieces;

    /// One from 0 to 15, one within it, and one that goes on behind it.
    #[test]
    fn of_pieces_that_overlap_the_first_one_counts_and_none_hides_another() {
        let piece = |address, length, value| Piece {
            section: None,
            address,
            cells: vec![Bits::from_u128(value); length],
        };
        let value =
            |pieces: &Pieces, address| pieces.cells(address).map(|cells| (cells[0].to_u128(), cells.len()));
        let first = Pieces::of(vec![piece(0, 16, 1), piece(4, 4, 2), piece(12, 8, 3)]);
        let found = [0, 5, 10, 13, 17, 20].map(|address| value(&first, address));
        assert_eq!(found, [Some((1, 16)), Some((1, 11)), Some((1, 6)), Some((1, 3)), Some((3, 3)), None]);
        let last = Pieces::of(vec![piece(4, 4, 2), piece(12, 8, 3), piece(0, 16, 1)]);
        let found = [0, 5, 10, 13].map(|address| value(&last, address));
        assert_eq!(found, [Some((1, 16)), Some((2, 3)), Some((1, 6)), Some((3, 7))]);
    }
}
