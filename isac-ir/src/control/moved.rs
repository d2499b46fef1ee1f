//! Instructions that do the same wherever they stand.
//!
//! A walk through an instruction's behaviour tells addresses from numbers. Where each address that it comes to is
//! so far from the instruction's own, modulo the program counter's width, and none decides anything but by being
//! the same as another, the same instruction at another address does the same there:
//! [`super::Walk::depends_on_address`] says where it is not so.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Control, Delayed, MOST_SLOTS};
use crate::Model;
use crate::bits::mask;
use crate::decode::Decoded;
use crate::syntax::print::Site;

/// Instructions of which it is remembered at most: a program that writes others at its own pleasure takes no more.
const MOST_KNOWN: usize = 1 << 14;

/// What is known of instructions. Since a way back may have its lowest bit set, even and odd addresses are told
/// apart.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownControls(RefCell<HashMap<Decoded, Vec<KnownControl>>>);

/// What an instruction does at an address, and at others.
#[derive(Debug, Clone)]
struct KnownControl {
    site: Site,
    control: Control,
}

impl KnownControl {
    /// Whether that is told of one that stands there.
    fn tells(&self, site: Site) -> bool {
        self.site.size_cells == site.size_cells && self.site.address % 2 == site.address % 2
    }
}

impl KnownControls {
    /// How many instructions are known.
    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// What is known of an instruction, moved to its address.
    pub(super) fn find(&self, model: &Model, decoded: &Decoded, site: Site) -> Option<Control> {
        let known = self.0.borrow();
        let found = known.get(decoded)?.iter().find(|known| known.tells(site))?;
        let mask = mask(model.pc.width_bits) as u64;
        let distance = site.address.wrapping_sub(found.site.address);
        let moved = || found.control.moved(|address| address.wrapping_add(distance) & mask);
        (!is_at_end(model, site)).then(moved)
    }

    /// Remembers what does not depend on the address.
    pub(super) fn add(&self, model: &Model, decoded: &Decoded, site: Site, control: &Control) {
        if is_at_end(model, site) {
            return;
        }
        let mut known = self.0.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.entry(decoded.clone()).or_default().push(KnownControl { site, control: control.clone() });
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
