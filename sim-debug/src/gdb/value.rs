//! Registers as gdb knows them: of bits of the model's, in bytes of the target's order.

use isac_ir::bits::Bits;
use isac_ir::resource::RegisterPlace;
use sim_runtime::Machine;

/// What a register of gdb's is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Source {
    /// Places of the model, each with the lowest bit that it takes.
    pub(super) fields: Vec<(u32, RegisterPlace)>,
    /// Bits that are set whatever the model does.
    pub(super) constant: u128,
    /// The address of the instruction at hand, in bytes.
    pub(super) is_pc: bool,
}

impl Source {
    pub(super) fn of(place: RegisterPlace) -> Source {
        Source { fields: vec![(0, place)], ..Source::default() }
    }

    /// The value, the program counter's apart.
    pub(super) fn read(&self, machine: &dyn Machine) -> Bits {
        self.fields.iter().fold(Bits::from_u128(self.constant), |value, (low, place)| {
            let bits = machine.read_place_bits(place);
            copy_bits(value, *low, bits, 0, place.width_bits)
        })
    }

    pub(super) fn write(&self, machine: &mut dyn Machine, value: Bits) {
        for (low, place) in &self.fields {
            machine.write_place_bits(place, copy_bits(Bits::ZERO, 0, value, *low, place.width_bits));
        }
    }
}

/// `to` with `width` bits of `from`; both are of up to 256 bits, of which 128 are taken at a time.
fn copy_bits(mut to: Bits, to_low: u32, from: Bits, from_low: u32, width: u32) -> Bits {
    for part in (0..width).step_by(128) {
        let count = (width - part).min(128);
        to = to.with(to_low + part, count, from.extract(from_low + part, count));
    }
    to
}

/// The bytes of a value in the target's order.
pub(super) fn to_bytes(value: Bits, width_bits: u32, big_endian: bool) -> Vec<u8> {
    let mut bytes = value.to_be_bytes(width_bits);
    if !big_endian {
        bytes.reverse();
    }
    bytes
}

/// The value of bytes in the target's order.
pub(super) fn from_bytes(bytes: &[u8], big_endian: bool) -> Bits {
    let mut bytes = bytes.to_vec();
    if !big_endian {
        bytes.reverse();
    }
    Bits::from_be_bytes(&bytes)
}
