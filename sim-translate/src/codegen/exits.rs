//! Ways out through sites.
//!
//! Most of a region's code is ways out that are hardly ever gone: each stores what registers hold that
//! are variables. Those of sites that follow each other store mostly the same, so they are made
//! together: a site stores what is its own, and goes on with what it has in common with others.

use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};

use super::{Codegen, Exit, Pc, Site, SiteKind};
use crate::compilable::Undone;
use crate::layout;

/// A register's element and what it holds.
pub(super) type Held = ((u32, u32), ir::Value);

/// The ways out of a region.
#[derive(Debug, Default)]
pub(super) struct Exits {
    /// Those that are still to be made.
    groups: Vec<Group>,
    /// Where all ways out end.
    back: Option<ir::Block>,
}

/// Ways out that are made together.
#[derive(Debug)]
struct Group {
    waiting: Vec<Waiting>,
    /// What all of them store.
    common: Vec<Held>,
}

/// A way out that is still to be made.
#[derive(Debug)]
struct Waiting {
    block: ir::Block,
    /// Number of the site.
    number: u32,
    /// The budget, if it is held.
    fuel: Option<ir::Value>,
    stores: Vec<Held>,
}

impl Group {
    /// True if a way out that stores this has enough in common with the others.
    fn takes(&self, stores: &[Held]) -> bool {
        let shared = self.common.iter().filter(|held| stores.contains(held)).count();
        2 * shared >= self.common.len()
    }
}

impl Codegen<'_, '_> {
    /// Leaves through a site if a condition holds, else goes on in a new node.
    pub(super) fn leave_if(&mut self, condition: ir::Value, kind: SiteKind) {
        let (cold, on) = (self.b.create_block(), self.b.create_block());
        let is_later = self.leave_later(cold, kind);
        self.b.ins().brif(condition, cold, &[], on, &[]);
        self.branch_off(cold, on, (!is_later).then_some(kind));
    }

    /// Leaves through a site unless a condition holds, else goes on in a new node.
    pub(super) fn leave_unless(&mut self, condition: ir::Value, kind: SiteKind) {
        let (cold, on) = (self.b.create_block(), self.b.create_block());
        let is_later = self.leave_later(cold, kind);
        self.b.ins().brif(condition, on, &[], cold, &[]);
        self.branch_off(cold, on, (!is_later).then_some(kind));
    }

    /// Goes on beside a way out, which is made at once if a kind is given.
    fn branch_off(&mut self, cold: ir::Block, on: ir::Block, kind: Option<SiteKind>) {
        self.b.set_cold_block(cold);
        self.b.seal_block(cold);
        self.b.seal_block(on);
        if let Some(kind) = kind {
            self.b.switch_to_block(cold);
            self.leave(kind);
        }
        self.b.switch_to_block(on);
        self.split();
    }

    /// Leaves through a site; the block at hand is at its end.
    pub(super) fn leave(&mut self, kind: SiteKind) {
        match self.undoes(kind) {
            true => {
                self.begun.clone().into_iter().for_each(|held| self.store_held(held));
                self.store_fuel();
            }
            false => self.store_dirty(),
        }
        let pc = self.pc_at(kind);
        if pc.is_none() {
            self.tell_pc();
        }
        let number = self.add_site(kind, pc);
        self.go_back(number);
    }

    /// What registers that may have changed hold.
    pub(super) fn held_dirty(&mut self) -> Vec<Held> {
        let dirty = self.dirty.iter();
        dirty.map(|key| (*key, self.b.use_var(self.registers[key]))).collect()
    }

    /// True if registers are to hold what they held before the step.
    fn undoes(&self, kind: SiteKind) -> bool {
        self.undone != Undone::Nothing && matches!(kind, SiteKind::Redo | SiteKind::Interpreted)
    }

    /// Puts off a way out in a block, if it can be made later, when other code has been made.
    fn leave_later(&mut self, block: ir::Block, kind: SiteKind) -> bool {
        let Some(pc) = self.pc_at(kind) else { return false };
        let number = self.add_site(kind, Some(pc));
        let stores = match self.undoes(kind) {
            true => self.begun.clone(),
            false => self.held_dirty(),
        };
        let waiting = Waiting { block, number, fuel: self.held_fuel(), stores };
        match self.exits.groups.last_mut() {
            Some(group) if group.takes(&waiting.stores) => {
                group.common.retain(|held| waiting.stores.contains(held));
                group.waiting.push(waiting);
            }
            _ => {
                let common = waiting.stores.clone();
                self.exits.groups.push(Group { waiting: vec![waiting], common });
            }
        }
        true
    }

    /// Makes the ways out that were put off; the block at hand is at its end.
    pub(super) fn make_exits(&mut self) {
        for group in std::mem::take(&mut self.exits.groups) {
            match &group.waiting[..] {
                [one] => {
                    self.b.switch_to_block(one.block);
                    one.stores.iter().for_each(|held| self.store_held(*held));
                    self.put_down(one.fuel);
                    self.go_back(one.number);
                }
                _ => self.make_group(group),
            }
        }
    }

    fn make_group(&mut self, group: Group) {
        let together = self.b.create_block();
        for Waiting { block, number, fuel, stores } in group.waiting {
            self.b.switch_to_block(block);
            self.put_down(fuel);
            for held in stores.into_iter().filter(|held| !group.common.contains(held)) {
                self.store_held(held);
            }
            let number = self.b.ins().iconst(types::I64, i64::from(number));
            self.b.ins().jump(together, &[number.into()]);
        }
        let number = self.b.append_block_param(together, types::I64);
        self.b.seal_block(together);
        self.b.set_cold_block(together);
        self.b.switch_to_block(together);
        group.common.into_iter().for_each(|held| self.store_held(held));
        let back = self.back();
        self.b.ins().jump(back, &[number.into()]);
    }

    fn put_down(&mut self, fuel: Option<ir::Value>) {
        if let Some(fuel) = fuel {
            self.b.ins().store(MemFlagsData::trusted(), fuel, self.ctx, layout::FUEL);
        }
    }

    pub(super) fn store_held(&mut self, ((register, element), value): Held) {
        let (_, offset) = self.register_place(register, element);
        self.b.ins().store(MemFlagsData::trusted(), value, self.ctx, offset);
    }

    /// The program counter at a site, if it is known.
    fn pc_at(&self, kind: SiteKind) -> Option<u64> {
        match self.pc {
            _ if matches!(kind, SiteKind::Redo | SiteKind::Interpreted) => Some(self.address),
            Pc::Known(pc) => Some(pc),
            Pc::Held(_) => None,
        }
    }

    fn add_site(&mut self, kind: SiteKind, pc: Option<u64>) -> u32 {
        let number = self.around.first_site + self.out.sites.len() as u32;
        let begun = self.flow.begins(self.node);
        self.site_loops.push(self.shape.holding[self.current]);
        let (step, node) = (self.step, self.node);
        self.out.sites.push(Site { kind, step, node, begun, pc, times: 0, region: 0, taken: None });
        number
    }

    fn go_back(&mut self, number: u32) {
        let number = self.b.ins().iconst(types::I64, i64::from(number));
        let back = self.back();
        self.b.ins().jump(back, &[number.into()]);
    }

    /// Where all ways out through sites end.
    fn back(&mut self) -> ir::Block {
        *self.exits.back.get_or_insert_with(|| {
            let block = self.b.create_block();
            self.b.append_block_param(block, types::I64);
            self.b.set_cold_block(block);
            block
        })
    }

    /// Makes the end of all ways out.
    pub(super) fn make_back(&mut self) {
        if let Some(back) = self.exits.back {
            self.b.switch_to_block(back);
            self.b.seal_block(back);
            let number = self.b.block_params(back)[0];
            self.come_back(Exit::Site, number);
        }
    }

    /// Tells the engine the program counter.
    pub(super) fn tell_pc(&mut self) {
        let pc = self.pc_value();
        self.b.ins().store(MemFlagsData::trusted(), pc, self.ctx, layout::VALUE + 8);
    }

    /// Comes back with the number of a site.
    pub(super) fn come_back(&mut self, exit: Exit, number: ir::Value) {
        let reason = self.b.ins().iconst(types::I64, exit as i64);
        self.b.ins().store(MemFlagsData::trusted(), reason, self.ctx, layout::EXIT);
        self.b.ins().store(MemFlagsData::trusted(), number, self.ctx, layout::SITE);
        self.b.ins().return_(&[]);
    }
}
