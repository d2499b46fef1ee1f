//! Instructions that do the same wherever they stand.
//!
//! A walk through an instruction's behaviour tells addresses from numbers. Where each address that it comes to is
//! so far from the instruction's own, and none decides anything but by being the same as another, the same
//! instruction at another address does the same there: [`super::Walk::is_bound`] says where it is not so. A program has
//! each of its words at two or three addresses.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Control, Delayed, MOST_SLOTS};
use crate::Model;
use crate::bits::mask;
use crate::decode::Decoded;

/// Instructions of which it is remembered at most: a program that writes others at its own pleasure takes no more.
const MOST_KNOWN: usize = 1 << 16;

/// Where an instruction stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub address: u64,
    pub size_cells: u32,
}

/// An instruction. Since a way back may have its lowest bit set, even and odd addresses are told apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    decoded: Decoded,
    size_cells: u32,
    is_odd: bool,
}

impl Key {
    fn of(decoded: &Decoded, Site { address, size_cells }: Site) -> Key {
        Key { decoded: decoded.clone(), size_cells, is_odd: address % 2 == 1 }
    }
}

/// What is known of instructions, with an address at which that is so.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownControls(RefCell<HashMap<Key, (u64, Control)>>);

impl KnownControls {
    /// What is known of an instruction, moved to its address.
    pub(super) fn find(&self, model: &Model, decoded: &Decoded, site: Site) -> Option<Control> {
        let known = self.0.borrow();
        let (address, control) = known.get(&Key::of(decoded, site)).filter(|_| !is_at_end(model, site))?;
        let mask = mask(model.pc.width_bits) as u64;
        let distance = site.address.wrapping_sub(*address);
        Some(control.moved(|address| address.wrapping_add(distance) & mask))
    }

    /// Remembers what is not bound to its address.
    pub(super) fn add(&self, model: &Model, decoded: &Decoded, site: Site, control: &Control) {
        if is_at_end(model, site) {
            return;
        }
        let mut known = self.0.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(Key::of(decoded, site), (site.address, control.clone()));
    }
}

/// Whether what stands behind an instruction may be at address 0.
fn is_at_end(model: &Model, Site { address, size_cells }: Site) -> bool {
    let last = mask(model.pc.width_bits) as u64;
    let behind = (MOST_SLOTS + 2) * u64::from(size_cells);
    address.checked_add(behind).is_none_or(|behind| behind > last)
}

impl Control {
    /// The same with its addresses moved.
    fn moved(&self, to: impl Fn(u64) -> u64) -> Control {
        let all = |addresses: &[u64]| {
            let mut moved: Vec<u64> = addresses.iter().map(|address| to(*address)).collect();
            moved.sort_unstable();
            moved
        };
        let delayed = self.delayed.as_ref();
        Control {
            targets: all(&self.targets),
            keeps: self.keeps.map(&to),
            delayed: delayed.map(|delayed| Delayed { targets: all(&delayed.targets), ..delayed.clone() }),
            ..self.clone()
        }
    }
}
