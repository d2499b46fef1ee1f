//! Programs as records of hexadecimal digits, one a line: Intel HEX and Motorola S-records.
//!
//! The two differ in what a record means and share everything else: lines, digits, data that come
//! in any order and must not overlap, a start address, an end without which the file is cut off.
//! No record says where a segment begins, so contiguous data are one segment. Pieces are joined
//! while they are read, and whoever needs a byte's line afterwards reads the file once more: only
//! messages do.

use crate::image::intel_hex::IntelHex;
use crate::image::record_error::RecordProblem;
use crate::image::s_record::SRecords;
use crate::image::{Digest, Image, ImageError, Segment};

/// Most pieces that are not contiguous in the order of the file; what has more is no program.
const MOST_PIECES: usize = 1 << 22;

/// The length field, what it counts at most, and room for a type.
const MOST_RECORD_BYTES: usize = 260;

/// What the lines of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// Intel HEX: 16, 20 and 32 bits of address.
    IntelHex,
    /// Motorola S-records, S0 to S9.
    SRecord,
}

impl RecordFormat {
    /// The first character of a record.
    pub(super) fn mark(self) -> u8 {
        match self {
            Self::IntelHex => b':',
            Self::SRecord => b'S',
        }
    }

    /// The format that a file's first record belongs to.
    ///
    /// Two digits behind the mark are asked for, not a whole record, so that a file that is cut
    /// off or mistyped is told to be that, and does not run as raw bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let is_text = |line: &&[u8]| std::str::from_utf8(line).is_ok();
        let skipped = text_lines(bytes).take_while(is_text).map(record_of).take_while(|line| line.is_empty());
        let first = text_lines(bytes).nth(skipped.count()).map(record_of)?;
        let is_hex = |digits: Option<&[u8]>| digits.is_some_and(|all| all.iter().all(u8::is_ascii_hexdigit));
        match first {
            [b':', ..] if is_hex(first.get(1..3)) => Some(Self::IntelHex),
            [b'S', b'0'..=b'9', ..] if is_hex(first.get(2..4)) => Some(Self::SRecord),
            _ => None,
        }
    }
}

/// What a record says, in either format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The record's data stand at this byte address.
    Data { address: u64 },
    /// The first instruction's byte address.
    Start { address: u64 },
    /// The file has so many records of data up to here.
    Count { records: u64 },
    /// The file ends, maybe with the first instruction's byte address.
    End { start: Option<u64> },
    /// Nothing that is loaded.
    Nothing,
}

/// A record in the file.
struct Record<'a> {
    /// Counted from 1.
    line: u64,
    meaning: Meaning,
    data: &'a [u8],
}

/// Reads a program of records.
pub(super) fn read_records(bytes: &[u8], format: RecordFormat) -> Result<Image, ImageError> {
    let mut contents = Contents::default();
    let mut last = 1;
    walk(bytes, format, |record| {
        last = record.line;
        contents.add(&record)
    })?;
    if contents.end.is_none() {
        return Err(at(last, RecordProblem::NoEnd { format }));
    }
    contents.check_start(last)?;
    let entry = contents.entry();
    let segments = match contents.join() {
        Ok(segments) => segments,
        Err(address) => return Err(overlap(bytes, format, address)),
    };
    Ok(Image {
        segments,
        found_at: Vec::new(),
        entry,
        divisible: true,
        digest: Digest::of(bytes).to_string(),
    })
}

/// The line whose record holds a byte of an image that [`read_records`] has read.
pub(super) fn line_of(bytes: &[u8], format: RecordFormat, address: u64) -> Option<u64> {
    lines_with(bytes, format, address).first().copied()
}

/// The lines whose records hold a byte, up to the second.
fn lines_with(bytes: &[u8], format: RecordFormat, address: u64) -> Vec<u64> {
    let mut found = Vec::new();
    // What is wrong with the file has been found before.
    let _ = walk(bytes, format, |Record { line, meaning, data }| {
        if let Meaning::Data { address: first } = meaning
            && found.len() < 2
            && address.checked_sub(first).is_some_and(|offset| offset < data.len() as u64)
        {
            found.push(line);
        }
        Ok(())
    });
    found
}

fn overlap(bytes: &[u8], format: RecordFormat, address: u64) -> ImageError {
    match lines_with(bytes, format, address)[..] {
        [first, second, ..] => at(second, RecordProblem::Overlap { first, address }),
        _ => at(1, RecordProblem::Overlap { first: 1, address }),
    }
}

fn at(line: u64, problem: RecordProblem) -> ImageError {
    ImageError::Record { line, problem }
}

/// Calls `take` with each record in turn.
fn walk(
    bytes: &[u8],
    format: RecordFormat,
    mut take: impl FnMut(Record<'_>) -> Result<(), ImageError>,
) -> Result<(), ImageError> {
    let mut intel_hex = IntelHex::default();
    let mut buffer = [0; MOST_RECORD_BYTES];
    for (line, text) in lines(bytes) {
        let problem = |problem| at(line, problem);
        let count = read_digits(text, format, &mut buffer).map_err(problem)?;
        let record = &buffer[..count];
        let (meaning, data) = match format {
            RecordFormat::IntelHex => intel_hex.read(record).map_err(problem)?,
            RecordFormat::SRecord => SRecords::read(record).map_err(problem)?,
        };
        take(Record { line, meaning, data: &record[data] })?;
    }
    Ok(())
}

/// The lines that hold a record, with their numbers from 1.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    (1..).zip(text_lines(bytes).map(record_of)).filter(|(_, record)| !record.is_empty())
}

fn text_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.split(|byte| *byte == b'\n')
}

/// A line without its comment and the blanks around.
fn record_of(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| matches!(byte, b';' | b'#'));
    line[..end.unwrap_or(line.len())].trim_ascii()
}

/// Reads the digits behind the mark as bytes; the type of an S-record, one digit, is byte 0.
fn read_digits(
    text: &[u8],
    format: RecordFormat,
    buffer: &mut [u8; MOST_RECORD_BYTES],
) -> Result<usize, RecordProblem> {
    let Some(mut digits) = text.strip_prefix(&[format.mark()]) else {
        return Err(RecordProblem::NoMark { format });
    };
    if let Some(place) = digits.iter().position(|byte| !byte.is_ascii_hexdigit()) {
        return Err(RecordProblem::NotHexadecimal { column: place as u64 + 2, found: digits[place] });
    }
    let value = |digit: u8| match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    };
    let mut count = 0;
    if format == RecordFormat::SRecord
        && let Some((kind, rest)) = digits.split_first()
    {
        (buffer[0], count, digits) = (value(*kind), 1, rest);
    }
    let (pairs, odd) = digits.as_chunks::<2>();
    if !odd.is_empty() {
        return Err(RecordProblem::OddDigits);
    }
    if count + pairs.len() > MOST_RECORD_BYTES {
        return Err(RecordProblem::TooLong { digits: text.len() as u64 - 1 });
    }
    for [high, low] in pairs {
        buffer[count] = value(*high) << 4 | value(*low);
        count += 1;
    }
    Ok(count)
}

/// A number of several bytes, the most significant first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// What the records said so far.
#[derive(Default)]
struct Contents {
    pieces: Vec<Segment>,
    data_records: u64,
    /// Line and address.
    start: Option<(u64, u64)>,
    /// Line.
    end: Option<u64>,
}

impl Contents {
    fn add(&mut self, record: &Record<'_>) -> Result<(), ImageError> {
        let line = record.line;
        if let Some(end) = self.end {
            return Err(at(line, RecordProblem::AfterEnd { end }));
        }
        match record.meaning {
            Meaning::Data { address } => return self.add_data(line, address, record.data),
            Meaning::Start { address } => {
                if let Some((first, _)) = self.start {
                    return Err(at(line, RecordProblem::SecondStart { first }));
                }
                self.start = Some((line, address));
            }
            Meaning::Count { records } if records != self.data_records => {
                let found = self.data_records;
                return Err(at(line, RecordProblem::WrongCount { found, expected: records }));
            }
            Meaning::End { start } => {
                self.end = Some(line);
                self.start = self.start.or(start.map(|address| (line, address)));
            }
            Meaning::Count { .. } | Meaning::Nothing => {}
        }
        Ok(())
    }

    fn add_data(&mut self, line: u64, address: u64, data: &[u8]) -> Result<(), ImageError> {
        self.data_records += 1;
        if data.is_empty() {
            return Ok(());
        }
        let is_full = self.pieces.len() == MOST_PIECES;
        match self.pieces.last_mut() {
            Some(piece) if piece.address + piece.size == address => {
                piece.bytes.extend(data);
                piece.size += data.len() as u64;
            }
            _ if is_full => return Err(at(line, RecordProblem::TooManyPieces { most: MOST_PIECES as u64 })),
            _ => {
                self.pieces.push(Segment { address, bytes: data.to_vec(), size: data.len() as u64, lead: 0 })
            }
        }
        Ok(())
    }

    /// Where a format always names a start, 0 without data there stands for none.
    fn entry(&self) -> Option<u64> {
        let (_, address) = self.start?;
        (address != 0 || self.holds(0)).then_some(address)
    }

    fn check_start(&self, last: u64) -> Result<(), ImageError> {
        if self.pieces.is_empty() {
            return Err(at(last, RecordProblem::NoData));
        }
        match self.start {
            Some((line, address)) if address != 0 && !self.holds(address) => {
                Err(at(line, RecordProblem::StartOutside { address }))
            }
            _ => Ok(()),
        }
    }

    fn holds(&self, address: u64) -> bool {
        self.pieces.iter().any(|piece| (piece.address..=piece.last()).contains(&address))
    }

    /// The pieces by address, contiguous ones as one; or an address that two of them want.
    fn join(mut self) -> Result<Vec<Segment>, u64> {
        self.pieces.sort_by_key(|piece| piece.address);
        let mut segments: Vec<Segment> = Vec::new();
        for piece in self.pieces {
            match segments.last_mut() {
                Some(before) if piece.address <= before.last() => return Err(piece.address),
                Some(before) if piece.address == before.last() + 1 => {
                    before.bytes.extend(&piece.bytes);
                    before.size += piece.size;
                }
                _ => segments.push(piece),
            }
        }
        Ok(segments)
    }
}
