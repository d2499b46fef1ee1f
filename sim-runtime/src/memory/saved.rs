//! Memory as it was at some time of a run.
//!
//! A run that is taken back step by step is saved and restored very often, and few pages change in
//! between: what was written is marked, so that no other page is compared or copied.

use std::rc::Rc;

use super::Memory;

/// Bytes of a memory that are kept together.
pub(super) const PAGE_BYTES: usize = 4096;

/// The memories of a model as they were at some time.
#[derive(Debug, Clone)]
pub struct SavedMemory {
    /// By memory.
    pages: Vec<Vec<Rc<[u8]>>>,
}

impl Memory {
    /// Keeps all cells; pages that are the same as when this was last done, or undone, are shared with
    /// that time.
    pub fn save(&mut self) -> SavedMemory {
        let known = self.saved.take();
        let pages = self.rams.iter_mut().enumerate().map(|(ram, cells)| {
            let known = known.as_ref().map(|known| &known.pages[ram]);
            let pages = cells.bytes.chunks(PAGE_BYTES).zip(&mut cells.written).enumerate();
            pages
                .map(|(index, (bytes, written))| {
                    let written = std::mem::take(written);
                    let same =
                        known.map(|known| &known[index]).filter(|known| !written || known[..] == *bytes);
                    same.map_or_else(|| bytes.into(), Rc::clone)
                })
                .collect()
        });
        let saved = SavedMemory { pages: pages.collect() };
        self.saved = Some(saved.clone());
        saved
    }

    /// Sets all cells to what they were: only pages that may have another content are copied.
    pub fn restore(&mut self, saved: &SavedMemory) {
        let known = self.saved.take();
        for (ram, (cells, pages)) in self.rams.iter_mut().zip(&saved.pages).enumerate() {
            let known = known.as_ref().map(|known| &known.pages[ram]);
            let places = cells.bytes.chunks_mut(PAGE_BYTES).zip(&mut cells.written);
            for (index, ((bytes, written), page)) in places.zip(pages).enumerate() {
                let is_there = known.is_some_and(|known| Rc::ptr_eq(&known[index], page));
                if std::mem::take(written) || !is_there {
                    bytes.copy_from_slice(page);
                }
            }
        }
        self.saved = Some(saved.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use isac_ir::resource::Ram;

    use super::super::{Cells, Memory};
    use super::{PAGE_BYTES, SavedMemory};

    const PAGES: u64 = 5;

    fn memory() -> Memory {
        let ram = |cell_bits: u32| Ram {
            name: String::new(),
            location: String::new(),
            cell_bits,
            size_cells: PAGES * PAGE_BYTES as u64 * 8 / u64::from(cell_bits),
            readable: true,
            writable: true,
            executable: true,
            latency: 0,
            fill: 0,
        };
        Memory { rams: vec![Cells::new(&ram(8)), Cells::new(&ram(32))], saved: None }
    }

    fn cells_of(memory: &Memory) -> Vec<u64> {
        memory.rams.iter().flat_map(|ram| (0..ram.len()).map(|cell| ram.get(cell))).collect()
    }

    #[test]
    fn whatever_is_saved_and_restored_in_any_order_is_what_was_there() {
        let mut memory = memory();
        let mut kept: Vec<(SavedMemory, Vec<u64>)> = Vec::new();
        let mut random = 7u64;
        let mut next = |limit: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % limit
        };
        for _ in 0..300 {
            for _ in 0..next(4) {
                let (ram, value) = (next(2) as usize, next(3));
                let cell = next(memory.rams[ram].len());
                match next(2) {
                    0 => memory.rams[ram].set(cell, value),
                    _ => memory.rams[ram].set_part(cell, 0, 4, value.into()),
                }
            }
            match next(2) {
                0 => kept.push((memory.save(), cells_of(&memory))),
                _ if kept.is_empty() => {}
                _ => {
                    let (saved, cells) = &kept[next(kept.len() as u64) as usize];
                    memory.restore(saved);
                    assert!(cells_of(&memory) == *cells, "another memory was restored");
                }
            }
        }
        assert!(kept.len() > 100);
    }

    #[test]
    fn pages_that_are_the_same_are_there_once() {
        let mut memory = memory();
        let first = memory.save();
        memory.rams[0].set(0, 1);
        let second = memory.save();
        memory.restore(&first);
        memory.rams[0].set(PAGE_BYTES as u64, 0);
        let third = memory.save();
        let shared = |saved: &SavedMemory| {
            let pages = saved.pages[0].iter().zip(&first.pages[0]);
            pages.map(|(page, other)| Rc::ptr_eq(page, other)).collect::<Vec<_>>()
        };
        assert_eq!(shared(&second), [false, true, true, true, true]);
        // What was written is the same as before.
        assert_eq!(shared(&third), [true; 5]);
    }
}
