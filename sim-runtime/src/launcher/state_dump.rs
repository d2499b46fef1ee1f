//! The final state of a machine as text, to be compared.

use std::fmt::Write;

use isac_ir::bits::Bits;

use crate::engine::{Engine, Machine};
use crate::image::Digest;
use crate::launcher::launch_info::{LaunchInfo, LaunchMap, LaunchRegister};

/// Most bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// One line a register element, one an ALIAS, then the counts, then one line a piece of memory:
///
/// ```text
/// pc = 0x00010048
/// x[10] a0 = 0x00000000
/// instructions = 52
/// cycles = 52
/// defaultmap 0x00010000..0x0100ffff digest 6c62272e07bb014262b821756295c58d
/// ```
pub(super) fn dump_state(engine: &mut dyn Engine, info: &LaunchInfo) -> String {
    let (instructions, cycles) = (engine.instructions(), engine.cycles());
    let machine = engine.machine();
    let mut text = String::new();
    for (index, register) in info.registers.iter().enumerate() {
        for element in 0..register.count.unwrap_or(1) {
            let value = hexadecimal(machine.read_register_bits(index, element), register.width_bits);
            let name = element_name(register, element);
            line(&mut text, format_args!("{name} = 0x{value}"));
        }
    }
    for alias in &info.aliases {
        let value = hexadecimal(machine.read_place_bits(alias), alias.width_bits);
        line(&mut text, format_args!("{} = 0x{value}", alias.name));
    }
    line(&mut text, format_args!("instructions = {instructions}"));
    line(&mut text, format_args!("cycles = {cycles}"));
    for (index, map) in info.maps.iter().enumerate() {
        let cell_bytes = info.cell_bytes(index);
        for &(low, high) in &map.ranges {
            let digest = digest_range(machine, index, cell_bytes, (low, high));
            dump_range(&mut text, map, (low, high), &digest);
        }
    }
    text
}

/// A value in as many digits as its width has.
fn hexadecimal(value: Bits, width_bits: u32) -> String {
    let digits = (0..width_bits.div_ceil(4)).rev();
    digits.map(|digit| format!("{:x}", value.extract(digit * 4, 4))).collect()
}

fn element_name(register: &LaunchRegister, element: usize) -> String {
    let name = &register.name;
    let synonym = register.element_names.get(element).and_then(|synonyms| synonyms.first());
    match (register.count, synonym) {
        (None, _) => name.clone(),
        (Some(_), None) => format!("{name}[{element}]"),
        (Some(_), Some(synonym)) => format!("{name}[{element}] {synonym}"),
    }
}

fn dump_range(text: &mut String, map: &LaunchMap, range: (u64, u64), digest: &str) {
    let (low, high) = range;
    let digits = map.address_bits.min(64).div_ceil(4) as usize;
    let name = &map.name;
    line(text, format_args!("{name} 0x{low:0digits$x}..0x{high:0digits$x} digest {digest}"));
}

/// The digest of the bytes of a range of cells, both ends included; `none` if they cannot be
/// read.
fn digest_range(machine: &dyn Machine, map: usize, cell_bytes: u64, range: (u64, u64)) -> String {
    let mut digest = Digest::new();
    let mut bytes = vec![0; CHUNK_BYTES];
    let mut address = range.0.saturating_mul(cell_bytes);
    let end = range.1.saturating_add(1).saturating_mul(cell_bytes);
    while address < end {
        let size = usize::try_from(end - address).map_or(CHUNK_BYTES, |rest| rest.min(CHUNK_BYTES));
        if machine.read_bytes(map, address, &mut bytes[..size]).is_err() {
            return "none".to_owned();
        }
        digest.add(&bytes[..size]);
        address += size as u64;
    }
    digest.to_string()
}

fn line(text: &mut String, contents: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{contents}");
}
