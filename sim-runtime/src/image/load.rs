//! From an image to a machine's memory.

use crate::engine::Machine;
use crate::image::{Image, ImageError, Segment};

/// Most bytes written at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Image addresses that go to a map of their own: the LOAD of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// First byte address in the image; it goes to byte 0 of the map.
    pub low: u64,
    /// Last byte address in the image.
    pub high: u64,
    /// Index of the map.
    pub map: usize,
}

/// Which map each part of an image goes to.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// Index of the map for all that no LOAD names.
    pub default_map: usize,
    /// The LOADs; where two name an address, the first is taken.
    pub loads: &'a [Load],
}

impl Placement<'_> {
    /// The map and the byte address in it that an image address stands for.
    #[must_use]
    pub fn locate(&self, address: u64) -> (usize, u64) {
        match self.load_of(address) {
            Some(load) => (load.map, address - load.low),
            None => (self.default_map, address),
        }
    }

    fn load_of(&self, address: u64) -> Option<&Load> {
        self.loads.iter().find(|load| (load.low..=load.high).contains(&address))
    }
}

/// Writes an image to one map of a machine; the zeros that a segment ends with too.
///
/// # Errors
/// A segment reaches beyond the map's memory. What was written before stays.
pub fn load_image(image: &Image, machine: &mut dyn Machine, map: usize) -> Result<(), ImageError> {
    place_image(image, machine, &Placement { default_map: map, loads: &[] })
}

/// Writes an image to the maps that its addresses belong to.
///
/// # Errors
/// A segment reaches beyond a map's memory, or lies in a LOAD with only a part of it although the
/// image is not divisible. What was written before stays.
pub fn place_image(
    image: &Image,
    machine: &mut dyn Machine,
    placement: &Placement<'_>,
) -> Result<(), ImageError> {
    for segment in image.segments.iter().filter(|segment| segment.size > 0) {
        if image.divisible {
            for part in divide(segment, placement) {
                place_segment(&part, machine, placement)?;
            }
        } else {
            let part = without_lead(segment, machine, placement);
            check_undivided(&part, placement)?;
            place_segment(&part, machine, placement)?;
        }
    }
    Ok(())
}

/// A piece of a segment; the fields are those of [`Segment`].
struct Part<'a> {
    address: u64,
    bytes: &'a [u8],
    size: u64,
}

impl Part<'_> {
    fn last(&self) -> u64 {
        self.address + (self.size - 1)
    }
}

/// A segment from where memory begins, if nothing but its lead lies before that.
fn without_lead<'a>(segment: &'a Segment, machine: &dyn Machine, placement: &Placement<'_>) -> Part<'a> {
    let is_mapped = |offset: u64| {
        let (map, address) = placement.locate(segment.address.saturating_add(offset));
        machine.read_bytes(map, address, &mut [0]).is_ok()
    };
    let mut cut = 0;
    if segment.lead > 0 && segment.lead < segment.size && !is_mapped(0) && is_mapped(segment.lead) {
        cut = segment.lead;
        let mut unmapped = 0;
        while cut - unmapped > 1 {
            let middle = unmapped + (cut - unmapped) / 2;
            if is_mapped(middle) { cut = middle } else { unmapped = middle }
        }
    }
    // The lead lies in the file.
    let bytes = &segment.bytes[cut as usize..];
    Part { address: segment.address + cut, bytes, size: segment.size - cut }
}

/// The pieces of a segment between the ends of the LOADs.
fn divide<'a>(segment: &'a Segment, placement: &Placement<'_>) -> Vec<Part<'a>> {
    let ends = placement.loads.iter().flat_map(|load| [Some(load.low), load.high.checked_add(1)]);
    let mut cuts: Vec<u64> = ends
        .flatten()
        .filter(|cut| (segment.address..=segment.last()).contains(cut))
        .filter_map(|cut| cut.checked_sub(segment.address))
        .chain([0, segment.size])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let held =
        |offset: u64| usize::try_from(offset).map_or(segment.bytes.len(), |at| at.min(segment.bytes.len()));
    let part = |pair: &[u64]| Part {
        address: segment.address + pair[0],
        bytes: &segment.bytes[held(pair[0])..held(pair[1])],
        size: pair[1] - pair[0],
    };
    cuts.windows(2).map(part).collect()
}

/// A LOAD takes a segment of ELF as a whole or not at all.
fn check_undivided(segment: &Part<'_>, placement: &Placement<'_>) -> Result<(), ImageError> {
    let (first, last) = (segment.address, segment.last());
    let touched = placement.loads.iter().find(|load| load.low <= last && first <= load.high);
    match touched {
        Some(&Load { low, high, .. }) if first < low || high < last => {
            Err(ImageError::AcrossLoad { first, last, low, high })
        }
        _ => Ok(()),
    }
}

fn place_segment(
    segment: &Part<'_>,
    machine: &mut dyn Machine,
    placement: &Placement<'_>,
) -> Result<(), ImageError> {
    let (map, address) = placement.locate(segment.address);
    let outside = |bad: u64| {
        let offset = bad.saturating_sub(address);
        ImageError::OutsideMap {
            first: segment.address,
            last: segment.last(),
            address: segment.address.saturating_add(offset),
            zeros: offset >= segment.bytes.len() as u64,
        }
    };
    // A size that no memory holds is found out before gigabytes of zeros are written.
    check_ends(machine, map, address, segment.size).map_err(outside)?;

    let mut place = address;
    for chunk in segment.bytes.chunks(CHUNK_BYTES) {
        machine.write_bytes(map, place, chunk).map_err(outside)?;
        place = place.saturating_add(chunk.len() as u64);
    }
    let zeros = [0; CHUNK_BYTES];
    let mut rest = segment.size - segment.bytes.len() as u64;
    while rest > 0 {
        let count = usize::try_from(rest).map_or(CHUNK_BYTES, |rest| rest.min(CHUNK_BYTES));
        machine.write_bytes(map, place, &zeros[..count]).map_err(outside)?;
        place = place.saturating_add(count as u64);
        rest -= count as u64;
    }
    Ok(())
}

/// Checks the first and the last byte of a segment; `size` is not 0.
fn check_ends(machine: &dyn Machine, map: usize, address: u64, size: u64) -> Result<(), u64> {
    let mut byte = [0];
    machine.read_bytes(map, address, &mut byte)?;
    let last = address.checked_add(size - 1).ok_or(u64::MAX)?;
    match machine.read_bytes(map, last, &mut byte) {
        Ok(()) => Ok(()),
        Err(_) => Err(first_unmapped(machine, map, address, last)),
    }
}

/// An unmapped address with mapped memory below it, or `last`, which is known to be unmapped.
///
/// With one gap it is the first one; finding that among several would take a walk as long as
/// the file claims its segment to be.
fn first_unmapped(machine: &dyn Machine, map: usize, first: u64, last: u64) -> u64 {
    let (mut mapped, mut unmapped) = (first, last);
    let mut byte = [0];
    while unmapped - mapped > 1 {
        let middle = mapped + (unmapped - mapped) / 2;
        match machine.read_bytes(map, middle, &mut byte) {
            Ok(()) => mapped = middle,
            Err(_) => unmapped = middle,
        }
    }
    unmapped
}
