//! Jumps to addresses that are computed: on within the region where the address is one that is
//! expected, else out by a table of those that were there lately.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Inst, InstBuilder, JumpTableData, MemFlagsData, types};
use cranelift_frontend::FunctionBuilder;

use super::{Codegen, Exit, Pc, Position, Site, SiteKind};
use crate::checks::Checks;
use crate::layout;
use sim_profile::flow::OUTSIDE;
use sim_profile::{CheckPlaces, Instrumented};

/// Most entries of a table of places.
const MOST_ENTRIES: u64 = 4096;

/// How places are found in a table: the address less the lowest, turned right, is the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spread {
    lowest: u64,
    shift: u32,
    entries: u64,
}

impl Spread {
    fn of(places: &[u64]) -> Option<Spread> {
        let (lowest, highest) = (*places.iter().min()?, *places.iter().max()?);
        let all = places.iter().fold(0, |all, place| all | (place - lowest));
        let shift = if all == 0 { 0 } else { all.trailing_zeros() };
        let entries = ((highest - lowest) >> shift).saturating_add(1);
        (entries <= MOST_ENTRIES).then_some(Spread { lowest, shift, entries })
    }
}

/// Which entries of the table of jumps a site leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// All alike.
    All(u32),
    /// Its own.
    Jumps(u32),
    /// Its own for returns whose frame has been taken off.
    Returns(u32),
}

impl Entries {
    /// In the tag of entries for returns.
    const IS_RETURN: u64 = 1 << 30;
    /// Between the salts of two sites, one behind the other.
    const SALT: u64 = 0x9e37;
    /// Between the salts of a site's two kinds of entries.
    const RETURN_SALT: u64 = 0x1c35;

    fn site(self) -> u32 {
        let (Entries::All(site) | Entries::Jumps(site) | Entries::Returns(site)) = self;
        site
    }

    fn salt(self) -> u64 {
        let salt = match self {
            Entries::All(_) => 0,
            Entries::Jumps(site) => u64::from(site).wrapping_mul(Self::SALT),
            Entries::Returns(site) => {
                u64::from(site).wrapping_mul(Self::SALT).wrapping_add(Self::RETURN_SALT)
            }
        };
        salt & 0x7fff_ffff
    }

    /// Where the entry for an address stands, of a site's that a value tells: as [`Entries::index`] of its number.
    pub(super) fn entry_of_site(
        b: &mut FunctionBuilder<'_>,
        (ctx, pc): (ir::Value, ir::Value),
        (site, exit): (ir::Value, Exit),
    ) -> ir::Value {
        let salt = b.ins().imul_imm_u(site, Self::SALT as i64);
        let salt = match exit {
            Exit::Return => b.ins().iadd_imm_u(salt, Self::RETURN_SALT as i64),
            _ => salt,
        };
        entry_at(b, (ctx, pc), salt)
    }

    /// The tag of entries of a site that a value tells: as [`Entries::tag`] of its number.
    pub(super) fn tag_of_site(b: &mut FunctionBuilder<'_>, (site, exit): (ir::Value, Exit)) -> ir::Value {
        let first = match exit {
            Exit::Return => Entries::Returns(0),
            _ => Entries::Jumps(0),
        };
        b.ins().iadd_imm_u(site, first.tag() as i64)
    }

    fn exit(self) -> Exit {
        match self {
            Entries::All(_) | Entries::Jumps(_) => Exit::Jump,
            Entries::Returns(_) => Exit::Return,
        }
    }

    /// What is not 0 and tells the entry's site.
    pub(crate) fn tag(self) -> u64 {
        let is_return = if self.exit() == Exit::Return { Entries::IS_RETURN } else { 0 };
        (u64::from(self.site()) + 1) | is_return
    }

    /// The site of a tag; `None` of an empty entry.
    pub(crate) fn site_of(tag: u64) -> Option<u64> {
        (tag & !Entries::IS_RETURN).checked_sub(1)
    }

    /// The number of the entry for an address.
    pub(crate) fn index(self, address: u64) -> u64 {
        (address >> 1).wrapping_add(self.salt()) & u64::from(layout::JUMP_ENTRIES - 1)
    }
}

impl Codegen<'_, '_> {
    /// Goes on within the region where the computed address is one that is expected: behind a call
    /// that was followed, or where a jump by a table has led.
    pub(super) fn go_on_within(&mut self) {
        let expected = &self.region.blocks[self.current].expected;
        let known = expected.iter().copied().filter(|place| self.leads_within(*place));
        let mut places: Vec<u64> = known.collect();
        places.truncate(u8::MAX.into());
        match (&places[..], Spread::of(&places)) {
            ([], _) | (_, None) => {}
            ([place], _) => self.go_on_if_expected(*place),
            (_, Some(spread)) => self.go_on_by_table(&places, spread),
        }
    }

    fn leads_within(&self, place: u64) -> bool {
        self.region.blocks[self.current].successor_at((place, self.mode)).is_some()
    }

    fn go_on_if_expected(&mut self, expected: u64) {
        let pc = self.pc_value();
        let known = self.b.ins().iconst(types::I64, expected as i64);
        let is_it = self.b.ins().icmp(IntCC::Equal, pc, known);
        let (within, elsewhere) = self.branch(is_it);
        let (node, held) = (self.node, self.pc);
        self.go_on_in_arm(within, expected);
        (self.node, self.pc) = (node, held);
        self.enter_arm(elsewhere);
    }

    fn go_on_by_table(&mut self, places: &[u64], spread: Spread) {
        let arms: Vec<ir::Block> = places.iter().map(|_| self.b.create_block()).collect();
        let (look, elsewhere) = (self.b.create_block(), self.b.create_block());
        let pc = self.pc_value();
        let from_lowest = self.b.ins().iadd_imm_s(pc, (spread.lowest as i64).wrapping_neg());
        let entry = self.b.ins().rotr_imm_u(from_lowest, i64::from(spread.shift));
        let is_within = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, entry, spread.entries as i64);
        self.b.ins().brif(is_within, look, &[], elsewhere, &[]);
        self.b.seal_block(look);
        self.b.switch_to_block(look);
        let mut table = vec![0; spread.entries as usize];
        for (place, arm) in places.iter().zip(1..) {
            table[((place - spread.lowest) >> spread.shift) as usize] = arm;
        }
        let offset = self.room.take_bytes(spread.entries as u32);
        self.out.tables.push((offset, table));
        let address = self.b.ins().iadd(self.ctx, entry);
        let arm = self.b.ins().uload8(types::I32, MemFlagsData::trusted(), address, offset as i32);
        let beyond = self.b.func.dfg.block_call(elsewhere, &[]);
        let mut calls = vec![beyond];
        for block in &arms {
            calls.push(self.b.func.dfg.block_call(*block, &[]));
        }
        let jumps = self.b.create_jump_table(JumpTableData::new(beyond, &calls));
        self.b.ins().br_table(arm, jumps);
        let (node, held) = (self.node, self.pc);
        for (block, place) in arms.into_iter().zip(places) {
            self.b.seal_block(block);
            self.go_on_in_arm(block, *place);
            (self.node, self.pc) = (node, held);
        }
        self.b.seal_block(elsewhere);
        self.enter_arm(elsewhere);
    }

    fn go_on_in_arm(&mut self, arm: ir::Block, place: u64) {
        self.enter_arm(arm);
        self.pc = Pc::Known(place);
        self.go_to(place);
    }

    /// Whether the jump at hand to a computed address is a check, where it may be. Steps that nothing higher
    /// follows are not compiled where samples are taken.
    fn is_check(&mut self, pc: ir::Value) -> Option<ir::Value> {
        let calls = self.region.blocks[self.current].steps[self.at].calls;
        let (condition, than) = match self.around.checks? {
            Checks::Transfers(CheckPlaces::Calls | CheckPlaces::Both) | Checks::Each(Instrumented::Calls)
                if calls =>
            {
                (IntCC::NotEqual, self.successor)
            }
            Checks::Transfers(CheckPlaces::BackEdges | CheckPlaces::Both) => {
                (IntCC::UnsignedLessThanOrEqual, self.address)
            }
            Checks::Transfers(CheckPlaces::Calls) | Checks::Each(_) => return None,
        };
        Some(self.b.ins().icmp_imm_u(condition, pc, than as i64))
    }

    /// Out to an address that is computed, by the table of those that were there lately.
    pub(super) fn jump_to_computed(&mut self) {
        let pc = self.pc_value();
        let mut check = self.is_check(pc);
        let passing = self.go_down().leaving();
        if passing.down.is_some()
            && let Some(check) = check.take()
        {
            let check = self.b.ins().uextend(types::I64, check);
            let check = self.b.ins().ishl_imm_u(check, i64::from(layout::CHECK_SHIFT));
            self.go_down_by(check);
        }
        self.store_dirty();
        let number = self.around.first_site + self.out.sites.len() as u32;
        self.out.jump_modes.push((number.into(), self.mode));
        self.flow.mark_return(self.node);
        let returns = self.region.blocks[self.current].returns;
        let branch = match self.around.frames.filter(|_| returns) {
            Some(frames) => self.return_by_frame(pc, frames.return_code, number),
            None if self.around.by_site => self.jump_by_table(pc, Entries::Jumps(number)),
            None => self.jump_by_table(pc, Entries::All(number)),
        };
        self.add_edge(self.node, OUTSIDE, Position { check, ..Position::at(branch, passing) });
        let (step, node) = (self.step, self.node);
        self.site_loops.push(None);
        self.out.sites.push(Site {
            kind: SiteKind::Jump,
            step,
            node,
            begun: 0,
            pc: None,
            times: 0,
            region: 0,
            taken: None,
        });
    }

    /// Out by what all returns have in common ([`super::returns`]); gives the jump there.
    fn return_by_frame(&mut self, pc: ir::Value, code: u64, number: u32) -> Inst {
        let flags = MemFlagsData::trusted();
        let number = self.b.ins().iconst(types::I64, i64::from(number));
        self.b.ins().store(flags, number, self.ctx, layout::SITE);
        let successor = self.b.ins().iconst(types::I64, self.successor as i64);
        self.b.ins().store(flags, successor, self.ctx, layout::VALUE);
        let code = self.b.ins().iconst(types::I64, code as i64);
        self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, pc])
    }

    /// Out by the table of jumps, or back to the engine; gives the branch between the two.
    fn jump_by_table(&mut self, pc: ir::Value, entries: Entries) -> Inst {
        let (salt, jumps) = (entries.salt(), self.around.jumps);
        let salt = self.b.ins().iconst(types::I64, salt as i64);
        let entry = entry_at(&mut self.b, (self.ctx, pc), salt);
        let flags = MemFlagsData::trusted();
        let address = self.b.ins().load(types::I64, flags, entry, jumps);
        let mut is_known = self.b.ins().icmp(IntCC::Equal, address, pc);
        let tagged = match entries {
            Entries::All(_) if self.around.model.pc.width_bits < 64 => None,
            // An entry without tag is empty, whatever address it has.
            Entries::All(_) => Some((IntCC::NotEqual, 0)),
            Entries::Jumps(_) | Entries::Returns(_) => Some((IntCC::Equal, entries.tag())),
        };
        if let Some((condition, than)) = tagged {
            let tag = self.b.ins().load(types::I64, flags, entry, jumps + 8);
            let is_so = self.b.ins().icmp_imm_s(condition, tag, than as i64);
            is_known = self.b.ins().band(is_known, is_so);
        }
        let (hit, miss) = (self.b.create_block(), self.b.create_block());
        let branch = self.b.ins().brif(is_known, hit, &[], miss, &[]);
        self.b.set_cold_block(miss);
        self.b.seal_block(hit);
        self.b.seal_block(miss);
        self.b.switch_to_block(hit);
        if self.around.profiles {
            let count = self.b.ins().load(types::I64, flags, entry, jumps + 24);
            let count = self.b.ins().iadd_imm_s(count, 1);
            self.b.ins().store(flags, count, entry, jumps + 24);
        }
        let code = self.b.ins().load(types::I64, flags, entry, jumps + 16);
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, zero]);
        self.b.switch_to_block(miss);
        self.b.ins().store(flags, pc, self.ctx, layout::VALUE + 8);
        let told = self.b.ins().iconst(types::I64, i64::from(entries.site()));
        self.come_back(entries.exit(), told);
        branch
    }
}

/// Where the entry for an address stands that is moved by a salt, less where its table does.
fn entry_at(b: &mut FunctionBuilder<'_>, (ctx, pc): (ir::Value, ir::Value), salt: ir::Value) -> ir::Value {
    let shifted = b.ins().ushr_imm_u(pc, 1);
    let mixed = b.ins().iadd(shifted, salt);
    let index = b.ins().band_imm_u(mixed, i64::from(layout::JUMP_ENTRIES - 1));
    let offset = b.ins().ishl_imm_u(index, i64::from(layout::JUMP_BYTES.trailing_zeros()));
    b.ins().iadd(ctx, offset)
}

#[cfg(test)]
mod tests {
    use super::{MOST_ENTRIES, Spread};

    #[test]
    fn places_are_spread_by_what_their_distances_have_in_common() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[0x8000]), Some(Spread { lowest: 0x8000, shift: 0, entries: 1 }));
        let spread = Spread::of(&[0x1030, 0x1000, 0x1008]);
        assert_eq!(spread, Some(Spread { lowest: 0x1000, shift: 3, entries: 7 }));
        assert_eq!(Spread::of(&[0, MOST_ENTRIES]), Some(Spread { lowest: 0, shift: 12, entries: 2 }));
        assert_eq!(Spread::of(&[0, 1, MOST_ENTRIES]), None);
        assert_eq!(Spread::of(&[0, u64::MAX]), None);
    }
}
