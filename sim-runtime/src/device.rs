//! Devices behind the ranges of maps: console, timer, exit.
//!
//! Every engine reaches them through here, beside its memory. A device has no cells that could be
//! read without an effect, so loader and host services do not see it.

use isac_ir::Model;
use isac_ir::bits::mask;
use isac_ir::resource::DeviceKind;

use crate::host::Host;

/// Bits of each of a timer's two values.
const TIME_BITS: u32 = 64;

/// The state of a model's devices.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    /// What each timer's time is compared with, by device.
    compares: Vec<u64>,
    /// The status that an exit device was given.
    exit: Option<i32>,
}

/// Cells of a device that one access touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceCells {
    /// Index of the device.
    pub device: usize,
    /// Index of the map through which it is reached.
    pub map: usize,
    /// The first cell, counted from the first address of the range.
    pub first: u64,
    /// How many.
    pub count: u32,
}

impl DeviceCells {
    /// The cells in address order, each with where it stands in the value of all.
    fn places(self, model: &Model) -> impl Iterator<Item = (u64, u32)> {
        let bits = model.maps[self.map].cell_bits;
        let big_endian = model.target.big_endian;
        (0..self.count).map(move |index| {
            let rank = if big_endian { self.count - 1 - index } else { index };
            (self.first + u64::from(index), rank * bits)
        })
    }
}

impl Devices {
    /// Devices after reset: no timer will ever be pending, nothing has ended the run.
    pub fn new(model: &Model) -> Devices {
        Devices { compares: vec![u64::MAX; model.devices.len()], exit: None }
    }

    /// Reads cells, `cycles` being the time: each in address order, joined in the target's order.
    pub fn read(&mut self, model: &Model, host: &mut Host, cycles: u64, cells: DeviceCells) -> u128 {
        let bits = model.maps[cells.map].cell_bits;
        cells.places(model).fold(0, |value, (cell, shift)| {
            let read = match model.devices[cells.device].kind {
                DeviceKind::Console if cell == 0 => host.console_read().map_or(mask(bits), u128::from),
                _ => self.peek(model, cycles, cells, cell),
            };
            value | (read & mask(bits)) << shift
        })
    }

    /// The same without effect: a console has no byte. This is what a write to other bits keeps.
    pub fn keep(&self, model: &Model, cycles: u64, cells: DeviceCells) -> u128 {
        let places = cells.places(model);
        places.fold(0, |value, (cell, shift)| value | self.peek(model, cycles, cells, cell) << shift)
    }

    /// What a cell holds that can be read without an effect.
    fn peek(&self, model: &Model, cycles: u64, cells: DeviceCells, cell: u64) -> u128 {
        match model.devices[cells.device].kind {
            DeviceKind::Console | DeviceKind::Exit => 0,
            DeviceKind::Timer => {
                let piece = TimePiece::of(model, cells.map, cell);
                let value = match piece.value {
                    TimeValue::Time => cycles,
                    TimeValue::Compare => self.compares[cells.device],
                    TimeValue::None => 0,
                };
                u128::from(value) >> piece.shift & mask(model.maps[cells.map].cell_bits)
            }
        }
    }

    /// Writes cells, each in address order.
    pub fn write(&mut self, model: &Model, host: &mut Host, cells: DeviceCells, value: u128) {
        let bits = model.maps[cells.map].cell_bits;
        match model.devices[cells.device].kind {
            // What ends the run is the value of the access as a whole; the first one counts.
            DeviceKind::Exit => {
                self.exit.get_or_insert(value as u32 as i32);
            }
            DeviceKind::Console => {
                for (_, shift) in cells.places(model).filter(|(cell, _)| *cell == 0) {
                    host.console_write((value >> shift & mask(bits)) as u8);
                }
            }
            DeviceKind::Timer => {
                for (cell, shift) in cells.places(model) {
                    let piece = TimePiece::of(model, cells.map, cell);
                    if piece.value == TimeValue::Compare {
                        let hole = mask(bits) << piece.shift;
                        let new = (value >> shift & mask(bits)) << piece.shift;
                        let old = u128::from(self.compares[cells.device]);
                        self.compares[cells.device] = (old & !hole | new) as u64;
                    }
                }
            }
        }
    }

    /// True if a timer's time has come.
    pub fn is_pending(&self, device: usize, cycles: u64) -> bool {
        cycles >= self.compares[device]
    }

    /// How many cycles from `cycles` on until the next timer's time comes; timers whose time has come
    /// are left out.
    pub fn cycles_to_next_time(&self, cycles: u64) -> u64 {
        let coming = self.compares.iter().filter(|compare| **compare > cycles);
        coming.min().map_or(u64::MAX, |compare| compare - cycles)
    }

    /// The status with which the run ends after the instruction at hand, if a device was told to
    /// end it.
    pub fn exit_status(&self) -> Option<i32> {
        self.exit
    }
}

/// What a cell of a timer is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeValue {
    Time,
    Compare,
    None,
}

/// A cell of a timer.
struct TimePiece {
    value: TimeValue,
    /// Where it stands in the value, in the target's order.
    shift: u32,
}

impl TimePiece {
    /// The time fills the first cells that hold 64 bits, the compare value the next.
    fn of(model: &Model, map: usize, cell: u64) -> TimePiece {
        let bits = model.maps[map].cell_bits;
        let cells = u64::from(TIME_BITS.div_ceil(bits));
        let value = match cell / cells {
            0 => TimeValue::Time,
            1 => TimeValue::Compare,
            _ => TimeValue::None,
        };
        let index = cell % cells;
        let rank = if model.target.big_endian { cells - 1 - index } else { index };
        TimePiece { value, shift: rank as u32 * bits }
    }
}
