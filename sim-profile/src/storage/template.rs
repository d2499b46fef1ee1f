//! A line of a stored profile, taken apart into what stays and what is counted.

use super::Entry;

/// Counts of an instruction that stand before its accesses.
const FATES: usize = 4;

/// What has come before the first count of an instruction.
const INSTRUCTION: &[u8] = b"{\"instruction\":[";
const FIRST_COUNT: &[u8] = b",\"executed\":";
const ACCESSES: &[u8] = b"\"accesses\":[";
const TRANSFER: &[u8] = b"{\"transfer\":[";
const STATIC: &[u8] = b"{\"static\":[";

/// A line with a place for each count in it, and the sums of the counts of lines that were like it.
pub(super) struct Template {
    /// What stands before, between and behind the counts; the first piece tells the line from others.
    pieces: Vec<Vec<u8>>,
    /// The sums, of the lines behind the first.
    sums: Vec<u64>,
    /// Lines that were added.
    met: bool,
    /// Number of the file that the line came from, and of the last one that had one like it.
    made_of: u32,
    last_in: u32,
    /// The counts of the line at hand.
    found: Vec<u64>,
}

/// What a line was to a template.
pub(super) enum Matched {
    /// Its counts are added.
    Added,
    /// The file has had one already.
    Twice,
    /// It is another, or one that has to be looked at closely.
    Differs,
}

impl Template {
    /// Takes a line apart that was read from a file of this number; `None` if it has something that no
    /// template has, or is not written as profiles are: where its counts stand would be unknown.
    pub(super) fn of(line: &[u8], entry: &Entry, file: u32) -> Option<Template> {
        let prefix = Template::prefix_of(line)?.len();
        if serde_json::to_vec(entry).ok()? != line {
            return None;
        }
        let counts = match entry {
            Entry::Instruction(_, record) if record.overhead.is_zero() => count_places(line, prefix),
            Entry::Transfer(..) => vec![(prefix, line.len() - b"]}".len())],
            Entry::Static(..) => Vec::new(),
            _ => return None,
        };
        let begins = std::iter::once(0).chain(counts.iter().map(|(_, end)| *end));
        let ends = counts.iter().map(|(begin, _)| *begin).chain([line.len()]);
        let pieces: Vec<Vec<u8>> = begins.zip(ends).map(|(begin, end)| line[begin..end].to_vec()).collect();
        let sums = vec![0; counts.len()];
        Some(Template { pieces, sums, met: false, made_of: file, last_in: file, found: Vec::new() })
    }

    /// What tells a line from others: all before its first count.
    pub(super) fn prefix_of(line: &[u8]) -> Option<&[u8]> {
        let length = if line.starts_with(INSTRUCTION) {
            find(line, FIRST_COUNT)? + FIRST_COUNT.len()
        } else if line.starts_with(TRANSFER) {
            line.iter().rposition(|byte| *byte == b',')? + 1
        } else if line.starts_with(STATIC) {
            line.len()
        } else {
            return None;
        };
        Some(&line[..length])
    }

    /// The same of a transfer from and to these addresses.
    pub(super) fn prefix_of_transfer(from: u64, to: u64) -> Vec<u8> {
        [TRANSFER, format!("{from},{to},").as_bytes()].concat()
    }

    /// As [`Template::prefix_of`] the line that this was made of.
    pub(super) fn prefix(&self) -> &[u8] {
        &self.pieces[0]
    }

    /// Adds the counts of a line of a file of this number, if it differs in nothing else.
    pub(super) fn add(&mut self, line: &[u8], file: u32) -> Matched {
        if !self.read(line) {
            return Matched::Differs;
        }
        if self.last_in == file {
            return Matched::Twice;
        }
        (self.last_in, self.met) = (file, true);
        for (sum, count) in self.sums.iter_mut().zip(&self.found) {
            *sum = sum.saturating_add(*count);
        }
        Matched::Added
    }

    /// Finds the counts of a line; false if it differs in anything else, or breaks a rule of records.
    fn read(&mut self, line: &[u8]) -> bool {
        self.found.clear();
        let Some(mut rest) = line.strip_prefix(&self.pieces[0][..]) else { return false };
        for piece in &self.pieces[1..] {
            let Some((count, length)) = number(rest) else { return false };
            let Some(behind) = rest[length..].strip_prefix(&piece[..]) else { return false };
            self.found.push(count);
            rest = behind;
        }
        rest.is_empty() && self.is_sound()
    }

    /// An access that counts nothing, or one of what was never executed, is for the reader to refuse.
    fn is_sound(&self) -> bool {
        let Some(accesses) = self.found.get(FATES..) else { return true };
        let (accesses, _) = accesses.as_chunks::<3>();
        accesses.iter().all(|counts| *counts != [0; 3]) && (accesses.is_empty() || self.found[0] > 0)
    }

    /// True if a line was added.
    pub(super) fn was_met(&self) -> bool {
        self.met
    }

    /// True if the file of this number has had a line like this one, which was made of another file's.
    pub(super) fn was_in(&self, file: u32) -> bool {
        self.last_in == file && self.made_of != file
    }

    /// The line with the sums as its counts.
    pub(super) fn line(&self) -> String {
        let mut line = String::from_utf8_lossy(&self.pieces[0]).into_owned();
        for (sum, piece) in self.sums.iter().zip(&self.pieces[1..]) {
            line += &sum.to_string();
            line += &String::from_utf8_lossy(piece);
        }
        line
    }
}

/// Where the counts of an instruction without overhead stand, the first at `first`: four, then three for
/// each access, behind the two numbers that say what was accessed.
fn count_places(line: &[u8], first: usize) -> Vec<(usize, usize)> {
    let accesses = find(line, ACCESSES).map_or(line.len(), |at| at + ACCESSES.len());
    let mut places = Vec::new();
    let (mut at, mut numbers) = (first, 0);
    while at < line.len() {
        let length = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length > 0 {
            let is_count = at < accesses || numbers % 5 >= 2;
            numbers += u32::from(at >= accesses);
            places.extend(is_count.then_some((at, at + length)));
        }
        at += length.max(1);
    }
    places
}

/// A number as JSON writes it, with its length; `None` if there is none, or it is beyond 64 bits.
fn number(text: &[u8]) -> Option<(u64, usize)> {
    let mut value: u64 = 0;
    let mut length = 0;
    for digit in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        length += 1;
    }
    let is_plain = length > 0 && (length == 1 || text[0] != b'0');
    is_plain.then_some((value, length))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
