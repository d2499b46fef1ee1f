//! One line of a case file, read.

use isac_ir::Model;
use isac_ir::bits::mask;

use super::place::{Place, cell_bytes, parse_number};

/// One instruction with the state around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
    /// As the disassembler prints it; empty where nothing is claimed.
    pub(crate) text: String,
    pub(crate) before: Vec<(Place, u128)>,
    pub(crate) after: Vec<(Place, u128)>,
    pub(crate) end: End,
    /// Clock cycles that it takes.
    pub(crate) cycles: u64,
}

impl Case {
    /// The address behind the bytes.
    pub(crate) fn behind(&self, model: &Model) -> u128 {
        let size = cell_bytes(model, model.target.host_map.unwrap_or(0) as usize);
        u128::from(self.address.wrapping_add(self.bytes.len() as u64 / size)) & mask(model.pc.width_bits)
    }
}

/// What becomes of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It goes on.
    Ran,
    Halted(i32),
    /// It goes on, without this instruction.
    Abandoned,
    Illegal,
    Read,
    Write,
    Fetch,
    /// What no case can ask for.
    OtherFault,
}

/// Reads a line; `None` for a blank line or a comment.
pub(crate) fn read_case(line: &str, model: &Model) -> Result<Option<Case>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let [code, text, before, after] = fields[..] else {
        return Err(format!("expected four fields between `|`, found {}", fields.len()));
    };
    let (address, bytes) = code.split_once(':').ok_or("expected `address:` before the bytes")?;
    let address = number(address.trim())?;
    let mut case = Case {
        address: u64::try_from(address).map_err(|_| format!("`{address}` is no address"))?,
        bytes: bytes.split_whitespace().map(read_byte).collect::<Result<_, _>>()?,
        text: text.to_owned(),
        before: Vec::new(),
        after: Vec::new(),
        end: End::Ran,
        cycles: 1,
    };
    for item in before.split_whitespace() {
        let (place, value) = split_item(item)?;
        case.before.push(read_item(place, value, model)?);
    }
    for item in after.split_whitespace() {
        match split_item(item)? {
            ("fault", kind) => case.end = read_fault(kind)?,
            ("cycles", count) => case.cycles = number(count)? as u64,
            ("halt", status) => case.end = End::Halted(number(status)? as i32),
            (place, value) => case.after.push(read_item(place, value, model)?),
        }
    }
    Ok(Some(case))
}

fn read_byte(text: &str) -> Result<u8, String> {
    let byte = u8::from_str_radix(text, 16).ok().filter(|_| text.len() == 2);
    byte.ok_or_else(|| format!("`{text}` is no byte of two hexadecimal digits"))
}

fn split_item(item: &str) -> Result<(&str, &str), String> {
    item.split_once('=').ok_or_else(|| format!("`{item}` is no `place=number`"))
}

fn read_item(place: &str, value: &str, model: &Model) -> Result<(Place, u128), String> {
    let found = Place::parse(place, model).ok_or_else(|| format!("`{place}` is no place of the model"))?;
    Ok((found, found.truncate(number(value)?, model)))
}

fn number(text: &str) -> Result<i128, String> {
    parse_number(text).ok_or_else(|| format!("`{text}` is no number"))
}

fn read_fault(text: &str) -> Result<End, String> {
    match text {
        "illegal" => Ok(End::Illegal),
        "read" => Ok(End::Read),
        "write" => Ok(End::Write),
        "fetch" => Ok(End::Fetch),
        "abandoned" => Ok(End::Abandoned),
        _ => Err(format!("`{text}` is no fault")),
    }
}
