//! What a run can be told to stop for.

use isac_ir::bits::Bits;
use isac_ir::resource::RegisterPlace;
use sim_runtime::Machine;
use sim_runtime::inspection::TouchedCells;

/// What stops a run at a watched place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchKind {
    /// It holds another value.
    Write,
    /// The program has read it.
    Read,
    /// The program has read or written it, be it with what it held.
    Access,
}

/// A place that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// Bytes of a map.
    Memory {
        /// The map.
        map: usize,
        /// The first byte.
        address: u64,
        /// How many.
        size_bytes: usize,
    },
    /// Bits of registers.
    Register(RegisterPlace),
}

/// A watched place with what it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watchpoint {
    /// What it is known by to who has set it: of memory its address there.
    pub id: u64,
    /// The place.
    pub watched: Watched,
    /// What stops the run.
    pub kind: WatchKind,
    held: Held,
}

/// What a place held.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    Bytes(Vec<u8>),
    Bits(Bits),
}

impl Watchpoint {
    /// A place that is watched from now on.
    #[must_use]
    pub fn new(id: u64, watched: Watched, kind: WatchKind, machine: &dyn Machine) -> Watchpoint {
        let held = read(&watched, machine);
        Watchpoint { id, watched, kind, held }
    }

    /// Looks anew; true if another value is there.
    pub(crate) fn look(&mut self, machine: &dyn Machine) -> bool {
        let held = read(&self.watched, machine);
        let changed = held != self.held;
        self.held = held;
        changed
    }

    /// True if an access has touched it and stops the run whatever it left; a map has `cell_bytes` bytes
    /// in a cell.
    pub(crate) fn is_touched(&self, touched: &TouchedCells, cell_bytes: u64) -> bool {
        let Watched::Memory { map, address, size_bytes } = self.watched else { return false };
        let counts = match self.kind {
            WatchKind::Write => false,
            WatchKind::Read => !touched.is_write,
            WatchKind::Access => true,
        };
        let first = touched.address.saturating_mul(cell_bytes);
        let behind = first.saturating_add(u64::from(touched.cells).saturating_mul(cell_bytes));
        counts
            && touched.map as usize == map
            && first < address.saturating_add(size_bytes as u64)
            && address < behind
    }
}

fn read(watched: &Watched, machine: &dyn Machine) -> Held {
    match watched {
        Watched::Memory { map, address, size_bytes } => {
            let mut bytes = vec![0; *size_bytes];
            let found = machine.read_bytes(*map, *address, &mut bytes);
            Held::Bytes(found.map_or_else(|_| Vec::new(), |()| bytes))
        }
        Watched::Register(place) => Held::Bits(machine.read_place_bits(place)),
    }
}
