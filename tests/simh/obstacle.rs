//! What cannot be compared with simh, because it does otherwise or has more.

use sim_runtime::Machine;

const RTI: u16 = 2;

/// CLR and CLRB.
const CLEARS: [u16; 2] = [0o005000, 0o105000];

/// The vectors of the processor's own traps.
const VECTORS: [u16; 6] = [0o4, 0o10, 0o14, 0o20, 0o30, 0o34];

/// The lowest address of a device that simh has.
const FIRST_DEVICE: u16 = 0o177546;

/// True for the line clock and the switch register, which the model does not have.
pub(crate) fn simh_has_device(address: u64) -> bool {
    [0o177546, 0o177570].contains(&(address & !1))
}

/// What stands in the machine before a cycle.
pub(crate) struct Before {
    pc: u16,
    instruction: u16,
    /// Where the destination's address is read, in deferred modes.
    pointer: Option<u16>,
    /// What RTI takes for the processor status.
    restored: u16,
    /// PC and status.
    vectors: [(u16, u16); 6],
}

impl Before {
    pub(crate) fn of_machine(registers: &[u16; 8], machine: &dyn Machine) -> Before {
        let instruction = word(machine, registers[7]);
        Before {
            pc: registers[7],
            instruction,
            pointer: pointer(instruction, registers, machine),
            restored: word(machine, registers[6].wrapping_add(2)),
            vectors: VECTORS.map(|vector| (word(machine, vector), word(machine, vector + 2))),
        }
    }

    /// True if the cycle went through a vector, or to where it could have led.
    pub(crate) fn has_trapped(&self, pc: u16) -> bool {
        self.vectors.iter().any(|(handler, _)| *handler == pc)
    }

    /// True if simh does otherwise in this cycle.
    ///
    /// It takes a status of more than the eight bits that this processor has; it sets the codes
    /// of a CLR before it has the address, which may come from the status or may not be there; it
    /// executes what devices hold.
    pub(crate) fn is_obstacle(&self, is_abandoned: bool, has_trapped: bool) -> bool {
        let takes_modes = has_trapped && self.vectors.iter().any(|(_, status)| *status > 0xff)
            || self.instruction == RTI && self.restored > 0xff;
        let clears = CLEARS.contains(&(self.instruction & 0o177700))
            && (is_abandoned || self.pointer.is_some_and(|pointer| pointer >= FIRST_DEVICE));
        takes_modes || clears || self.pc >= FIRST_DEVICE
    }
}

/// Where an instruction without a source reads the address of its destination.
fn pointer(instruction: u16, registers: &[u16; 8], machine: &dyn Machine) -> Option<u16> {
    let register = registers[usize::from(instruction & 7)];
    match instruction >> 3 & 7 {
        3 => Some(register),
        5 => Some(register.wrapping_sub(2)),
        7 => Some(register.wrapping_add(word(machine, registers[7].wrapping_add(2)))),
        _ => None,
    }
}

/// A word of memory, 0 where there is none.
fn word(machine: &dyn Machine, address: u16) -> u16 {
    let mut bytes = [0; 2];
    match machine.read_bytes(0, address.into(), &mut bytes) {
        Ok(()) => u16::from_le_bytes(bytes),
        Err(_) => 0,
    }
}
