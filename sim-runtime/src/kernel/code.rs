//! The cache of blocks, with the counts that the profile is made of.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::marker::PhantomData;

use isac_ir::control::ControlCache;
use sim_profile::CheckPlaces;

use super::block::{Arrival, Block, Link, Record, Site, SiteOwner, Static};
use super::calls::CallTrail;
use super::machine::{BlockCore, Profiling};
use super::step::block_end;
use crate::fault::FaultKind;
use crate::record::{RecordedWord, Recording};

/// Most instructions in a block.
const MAX_BLOCK: usize = 64;

/// Most links of a site; beyond, rare targets share.
const MAX_LINKS: u32 = 4096;

/// Blocks, sites and links.
pub struct Code<C: BlockCore, P> {
    /// The records of each block.
    pub(super) records: Vec<Box<[Record<C, P>]>>,
    pub(super) blocks: Vec<Block>,
    pub(super) sites: Vec<Site>,
    /// The record of each site.
    owners: Vec<SiteOwner>,
    links: Vec<Link>,
    pub(super) counters: Vec<Cell<u64>>,
    /// Block by entry address.
    index: HashMap<u64, u32, Spread>,
    /// Links that had to make room: site and target, how often.
    overflow: BTreeMap<(u32, u64), u64>,
    /// What blocks that are gone had counted.
    pub(super) retired: Recording,
    /// What follows calls, if anybody wants it: no block goes over the end of a function.
    pub(super) calls: Option<RefCell<CallTrail>>,
    /// Where runs pause: no block goes over such an address, and no link leads there.
    pub(super) pauses: BTreeSet<u64>,
    /// Where checks are, if samples are taken.
    pub(super) checks: Option<CheckPlaces>,
    /// Checks up to the next turn of the sampler.
    pub(super) checks_left: Cell<u64>,
    /// The gates of blocks that a check leads to.
    pub(super) gates: HashMap<u32, u32>,
    pub(super) control_cache: ControlCache,
}

impl<C: BlockCore, P: Profiling> Default for Code<C, P> {
    fn default() -> Self {
        Code {
            records: Vec::new(),
            blocks: Vec::new(),
            sites: Vec::new(),
            owners: Vec::new(),
            links: Vec::new(),
            counters: Vec::new(),
            index: HashMap::default(),
            overflow: BTreeMap::new(),
            retired: Recording::default(),
            calls: None,
            pauses: BTreeSet::new(),
            checks: None,
            checks_left: Cell::new(0),
            gates: HashMap::new(),
            control_cache: ControlCache::default(),
        }
    }
}

impl<C: BlockCore, P: Profiling> Code<C, P> {
    /// The block that begins at an address, decoded now if it is new.
    ///
    /// # Errors
    /// The fault of the instruction there, if it cannot be decoded.
    pub(super) fn block_at(&mut self, core: &mut C, address: u64) -> Result<u32, FaultKind> {
        if let Some(block) = self.index.get(&address) {
            return Ok(*block);
        }
        let block = self.build(core, address)?;
        self.index.insert(address, block);
        Ok(block)
    }

    fn build(&mut self, core: &mut C, entry: u64) -> Result<u32, FaultKind> {
        let number = self.blocks.len() as u32;
        let mut records: Vec<Record<C, P>> = Vec::new();
        let mut statics = Vec::new();
        let mut address = entry;
        let first = core.decode::<P>(entry)?;
        let mut next = Some(first);
        while let Some(decoded) = next.take() {
            let site = decoded.needs_site.then(|| self.new_site(number, records.len(), decoded.counters));
            let (run, args) = (decoded.run, decoded.args);
            records.push(Record { run, site: site.unwrap_or(0), args, profiling: PhantomData });
            statics.push(Static { site, ..decoded.to_static(address) });
            core.mark_code(address, u64::from(decoded.seen_cells));
            let last = isac_ir::bits::mask(core.model().pc.width_bits) as u64;
            let wraps = address.checked_add(u64::from(decoded.size_cells)).filter(|after| *after <= last);
            if let (Some(after), false) = (wraps, decoded.ends_block) {
                address = after;
                let is_over = self.ends_before(after, statics.len());
                next = if is_over { None } else { core.decode::<P>(address).ok() };
            }
        }
        let site = self.new_site(number, records.len(), 0);
        let args = C::Args::default();
        records.push(Record { run: block_end::<C, P>, site, args, profiling: PhantomData });
        self.records.push(records.into());
        self.blocks.push(Block { statics: statics.into(), starts: Cell::new(0), stops: Default::default() });
        Ok(number)
    }

    /// Whether a block of so many instructions ends before an address: where it is full, a run pauses, or a
    /// function ends if calls are followed.
    fn ends_before(&mut self, after: u64, instructions: usize) -> bool {
        let is_boundary = |calls: &mut RefCell<CallTrail>| calls.get_mut().map().is_boundary(after);
        instructions >= MAX_BLOCK
            || self.pauses.contains(&after)
            || self.calls.as_mut().is_some_and(is_boundary)
    }

    fn new_site(&mut self, block: u32, index: usize, counters: u32) -> u32 {
        let first = self.counters.len() as u32;
        self.counters.extend((0..counters).map(|_| Cell::new(0)));
        self.sites.push(Site { first: Link::empty(), links: 0, mask: 0, counters: first });
        self.owners.push(SiteOwner { block, index: index as u32 });
        self.sites.len() as u32 - 1
    }

    /// The link of a site for a target that is not its first.
    #[inline(always)]
    pub(super) fn further_link(&self, site: u32, target: u64) -> Option<&Link> {
        let site = self.sites.get(site as usize)?;
        if site.mask == 0 {
            return None;
        }
        let link = self.links.get((site.links + (hash(target) & site.mask)) as usize)?;
        (link.target == target).then_some(link)
    }

    /// The link of a site for a target.
    #[inline(always)]
    pub(super) fn link(&self, site: u32, target: u64) -> Option<&Link> {
        let first = &self.sites.get(site as usize)?.first;
        if first.target == target { Some(first) } else { self.further_link(site, target) }
    }

    /// What whoever goes from a site to a target has to tell, unless the dispatcher has to be asked.
    pub(super) fn arrival(&self, site: u32, target: u64) -> Option<Arrival> {
        let link = self.link(site, target).filter(|link| !link.is_empty())?;
        match link.way {
            Link::NO_WAY => (link.block != Link::NO_BLOCK).then_some(Arrival::Untold),
            way => Some(Arrival::Way(way)),
        }
    }

    /// Undoes all links to an address: the dispatcher has to be asked the next time.
    pub(super) fn disconnect(&mut self, target: u64) {
        let links = self.sites.iter_mut().map(|site| &mut site.first).chain(&mut self.links);
        for link in links.filter(|link| link.target == target) {
            link.block = Link::NO_BLOCK;
        }
    }

    /// Remembers that a site led to a block, and counts it; whether it was a check.
    pub(super) fn connect(
        &mut self,
        core: &C,
        (site, target): (u32, u64),
        block: u32,
        arrival: Arrival,
    ) -> bool {
        let is_check = match self.link(site, target).filter(|link| !link.is_empty()) {
            // Whenever a turn is over somebody comes by here, by a way that is known.
            Some(link) if self.checks.is_some() => link.block != link.leads_to,
            _ => self.is_check(core, site, target),
        };
        let entry = if is_check { self.gate_of(block) } else { block };
        let link = self.link_for(site, target);
        link.target = target;
        link.block = if arrival == Arrival::Untold { entry } else { Link::NO_BLOCK };
        link.leads_to = block;
        link.way = if let Arrival::Way(way) = arrival { way } else { Link::NO_WAY };
        if P::ON {
            link.count.set(link.count.get() + 1);
        }
        is_check
    }

    /// The link for a target, emptied if it was another's.
    fn link_for(&mut self, site: u32, target: u64) -> &mut Link {
        let entry = &self.sites[site as usize];
        if entry.first.is_empty() || entry.first.target == target {
            return &mut self.sites[site as usize].first;
        }
        let slot = self.slot_for(site, target);
        let link = &mut self.links[slot];
        if !link.is_empty() && link.target != target {
            *self.overflow.entry((site, link.target)).or_default() += link.count.get();
            *link = Link::empty();
        }
        link
    }

    /// The slot for a further target; the site's table grows until targets do not share slots.
    fn slot_for(&mut self, site: u32, target: u64) -> usize {
        loop {
            let Site { links, mask, .. } = self.sites[site as usize];
            let slot = (links + (hash(target) & mask)) as usize;
            let free = |link: &Link| link.is_empty() || link.target == target;
            if mask != 0 && (free(&self.links[slot]) || mask + 1 >= MAX_LINKS) {
                return slot;
            }
            self.grow(site);
        }
    }

    /// Doubles a site's table of links and moves its links there.
    fn grow(&mut self, site: u32) {
        let old = self.further_links(&self.sites[site as usize]).to_vec();
        let size = (old.len() as u32 * 2).max(2);
        let first = self.links.len() as u32;
        self.links.extend((0..size).map(|_| Link::empty()));
        let entry = &mut self.sites[site as usize];
        (entry.links, entry.mask) = (first, size - 1);
        for link in old.into_iter().filter(|link| !link.is_empty()) {
            let slot = (first + (hash(link.target) & (size - 1))) as usize;
            if self.links[slot].is_empty() {
                self.links[slot] = link;
            } else {
                *self.overflow.entry((site, link.target)).or_default() += link.count.get();
            }
        }
    }

    /// The links of a site behind its first.
    fn further_links(&self, site: &Site) -> &[Link] {
        match site.mask {
            0 => &[],
            mask => &self.links[site.links as usize..=(site.links + mask) as usize],
        }
    }

    /// All links of a site that lead anywhere.
    fn links_of<'a>(&'a self, site: &'a Site) -> impl Iterator<Item = &'a Link> {
        let links = std::iter::once(&site.first).chain(self.further_links(site));
        links.filter(|link| !link.is_empty())
    }

    /// Counts that a site's block was left there, after `executed` of its records.
    pub(super) fn stop(&self, site: u32, after: bool) {
        if P::ON {
            let SiteOwner { block, index } = self.owners[site as usize];
            self.stop_block(block, index + u32::from(after));
        }
    }

    /// Counts that a block was left after `executed` of its records.
    pub(super) fn stop_block(&self, block: u32, executed: u32) {
        if P::ON {
            let mut stops = self.blocks[block as usize].stops.borrow_mut();
            match stops.iter_mut().find(|(at, _)| *at == executed) {
                Some((_, count)) => *count += 1,
                None => stops.push((executed, 1)),
            }
        }
    }

    /// What a site's record is.
    pub(super) fn static_of(&self, site: u32) -> Option<&Static> {
        let SiteOwner { block, index } = self.owners[site as usize];
        self.blocks[block as usize].statics.get(index as usize)
    }

    /// The record that a site leaves, or the last one of its block if it is the block's end.
    pub(super) fn source_of(&self, site: u32) -> Option<&Static> {
        let SiteOwner { block, index } = self.owners[site as usize];
        self.source_at(block, index)
    }

    /// A record of a block, or its last one.
    pub(super) fn source_at(&self, block: u32, index: u32) -> Option<&Static> {
        let statics = &self.blocks[block as usize].statics;
        statics.get((index as usize).min(statics.len().checked_sub(1)?))
    }

    /// Charges the record of a site with extra cycles.
    pub(super) fn charge_extra_cycles(&self, site: u32, cycles: u64) {
        if let Some(entry) = self.static_of(site).filter(|_| cycles > 0) {
            entry.extra_cycles.set(entry.extra_cycles.get().saturating_add(cycles));
        }
    }

    /// Drops all blocks; what they counted is kept.
    pub(super) fn retire(&mut self) {
        let mut retired = std::mem::take(&mut self.retired);
        self.collect(&mut retired);
        let (calls, pauses) = (self.calls.take(), std::mem::take(&mut self.pauses));
        let (checks, checks_left) = (self.checks, Cell::new(self.checks_left.take()));
        if let Some(calls) = &calls {
            calls.borrow_mut().forget_code();
        }
        *self = Code { retired, calls, pauses, checks, checks_left, ..Code::default() };
    }

    /// Everything counted so far.
    pub(super) fn recording(&self) -> Recording {
        let mut recording = self.retired.clone();
        self.collect(&mut recording);
        recording
    }

    /// Adds what the blocks counted.
    fn collect(&self, recording: &mut Recording) {
        if !P::ON {
            return;
        }
        let (entries, left) = self.flows();
        for (block, entries) in self.blocks.iter().zip(entries) {
            self.collect_block(block, entries, &left, recording);
        }
        self.collect_transfers(recording);
    }

    /// How often each block was entered and each site was left through.
    fn flows(&self) -> (Vec<u64>, Vec<u64>) {
        let mut entries: Vec<u64> = self.blocks.iter().map(|block| block.starts.get()).collect();
        let mut left = vec![0; self.sites.len()];
        for (site, entry) in self.sites.iter().enumerate() {
            for link in self.links_of(entry) {
                entries[link.leads_to as usize] += link.count.get();
                left[site] += link.count.get();
            }
        }
        for ((site, target), count) in &self.overflow {
            left[*site as usize] += count;
            if let Some(block) = self.index.get(target) {
                entries[*block as usize] += count;
            }
        }
        (entries, left)
    }

    /// A record ran as often as its block was entered, less what was left before it.
    fn collect_block(&self, block: &Block, entries: u64, left: &[u64], recording: &mut Recording) {
        let stops = block.stops.borrow();
        let stopped = |at: u32| stops.iter().filter(|(stop, _)| *stop == at).map(|(_, n)| n).sum::<u64>();
        let mut reached = entries;
        for (index, entry) in (0u32..).zip(&block.statics) {
            reached -= stopped(index);
            if reached == 0
                && entry.faulted.get() == 0
                && entry.cancelled.get() == 0
                && entry.unfinished.get() == 0
            {
                continue;
            }
            let counted = recording.instruction(entry.address, &entry.words.map(recorded_word));
            counted.executed += reached;
            counted.faulted += entry.faulted.get();
            counted.cancelled += entry.cancelled.get();
            counted.extra_cycles = counted.extra_cycles.saturating_add(entry.extra_cycles.get());
            counted.unfinished += entry.unfinished.get();
            let site = entry.site.map(|site| &self.sites[site as usize]);
            if let Some(site) = site.filter(|_| entry.counters > 0) {
                counted.counters.resize(entry.counters as usize, 0);
                let first = site.counters as usize;
                let counters = &self.counters[first..first + entry.counters as usize];
                for (sum, counter) in counted.counters.iter_mut().zip(counters) {
                    *sum += counter.get();
                }
            }
            reached -= entry.site.map_or(0, |site| left[site as usize]);
        }
    }

    /// A record's site is left only by control transfers.
    fn collect_transfers(&self, recording: &mut Recording) {
        for (site, entry) in (0u32..).zip(&self.sites) {
            for link in self.links_of(entry) {
                self.collect_transfer(site, link.target, link.count.get(), recording);
            }
        }
        for ((site, target), count) in &self.overflow {
            self.collect_transfer(*site, *target, *count, recording);
        }
    }

    fn collect_transfer(&self, site: u32, target: u64, count: u64, recording: &mut Recording) {
        // A block's end belongs to no instruction.
        if let Some(from) = self.static_of(site)
            && count > 0
        {
            *recording.transfers.entry((from.address, target)).or_default() += count;
        }
    }
}

/// Spreads addresses over a table: samples look one up whenever they begin and end.
#[derive(Default)]
struct AddressHasher(u64);

type Spread = BuildHasherDefault<AddressHasher>;

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// Spreads targets over a site's links.
#[inline(always)]
fn hash(target: u64) -> u32 {
    ((target >> 1) ^ (target >> 6)) as u32
}

/// The only word of an instruction that the kernel runs.
fn recorded_word((word, width_bits): (isac_ir::bits::Bits, u32)) -> RecordedWord {
    RecordedWord { element: 0, word, width_bits }
}
