//! The cache of blocks, with the counts that the profile is made of.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use super::block::{Block, Link, Record, Site, Static};
use super::machine::{Core, Profiling};
use super::step::block_end;
use crate::fault::FaultKind;
use crate::record::Recording;

/// Most instructions in a block.
const MAX_BLOCK: usize = 64;

/// Most links of a site; beyond, rare targets share.
const MAX_LINKS: u32 = 4096;

/// Blocks, sites and links.
pub struct Code<C: Core, P> {
    pub(super) blocks: Vec<Block<C, P>>,
    pub(super) sites: Vec<Site>,
    pub(super) links: Vec<Link>,
    pub(super) counters: Vec<Cell<u64>>,
    /// Block by entry address.
    index: HashMap<u64, u32>,
    /// Links that had to make room: site and target, how often.
    overflow: BTreeMap<(u32, u64), u64>,
    /// What blocks that are gone had counted.
    pub(super) retired: Recording,
}

impl<C: Core, P: Profiling> Default for Code<C, P> {
    fn default() -> Self {
        Code {
            blocks: Vec::new(),
            sites: Vec::new(),
            links: vec![Link::empty()],
            counters: Vec::new(),
            index: HashMap::new(),
            overflow: BTreeMap::new(),
            retired: Recording::default(),
        }
    }
}

impl<C: Core, P: Profiling> Code<C, P> {
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
            statics.push(Static {
                address,
                words: decoded.words,
                size_cells: decoded.size_cells,
                site,
                counters: decoded.counters,
                cancelled: Cell::new(0),
                faulted: Cell::new(0),
            });
            core.mark_code(address, u64::from(decoded.size_cells));
            let wraps = address.checked_add(u64::from(decoded.size_cells));
            if let (Some(after), false) = (wraps, decoded.ends_block || records.len() == MAX_BLOCK) {
                address = after;
                next = core.decode::<P>(address).ok();
            }
        }
        let site = self.new_site(number, records.len(), 0);
        let args = C::Args::default();
        records.push(Record { run: block_end::<C, P>, site, args, profiling: PhantomData });
        self.blocks.push(Block {
            records: records.into(),
            statics: statics.into(),
            starts: Cell::new(0),
            stops: Default::default(),
        });
        Ok(number)
    }

    fn new_site(&mut self, block: u32, index: usize, counters: u32) -> u32 {
        let first = self.counters.len() as u32;
        self.counters.extend((0..counters).map(|_| Cell::new(0)));
        // Link 0 is nobody's: a site gets its own at its first miss.
        self.sites.push(Site { links: 0, mask: 0, counters: first, block, index: index as u32 });
        self.sites.len() as u32 - 1
    }

    /// The link of a site for a target, which may be another's or empty.
    #[inline(always)]
    pub(super) fn link(&self, site: u32, target: u64) -> Option<&Link> {
        let site = self.sites.get(site as usize)?;
        let slot = site.links + (hash(target) & site.mask);
        self.links.get(slot as usize)
    }

    /// Remembers that a site led to a block, and counts it.
    pub(super) fn connect(&mut self, site: u32, target: u64, block: u32) {
        let found = self.slot_for(site, target);
        let link = &self.links[found as usize];
        if !link.is_empty() && link.target.get() != target {
            *self.overflow.entry((site, link.target.get())).or_default() += link.count.get();
            link.count.set(0);
        }
        link.target.set(target);
        link.block.set(block);
        if P::ON {
            link.count.set(link.count.get() + 1);
        }
    }

    /// The slot for a target; the site's table grows until targets do not share slots.
    fn slot_for(&mut self, site: u32, target: u64) -> u32 {
        loop {
            let entry = self.sites[site as usize];
            let slot = entry.links + (hash(target) & entry.mask);
            let link = &self.links[slot as usize];
            let own = entry.links != 0;
            if own && (link.is_empty() || link.target.get() == target || entry.mask + 1 >= MAX_LINKS) {
                return slot;
            }
            let size = if own { (entry.mask + 1) * 2 } else { 1 };
            self.grow(site, size);
        }
    }

    /// Gives a site a table of `size` links and moves its links there.
    fn grow(&mut self, site: u32, size: u32) {
        let entry = self.sites[site as usize];
        let old: Vec<Link> = match entry.links {
            0 => Vec::new(),
            first => self.links[first as usize..=(first + entry.mask) as usize].to_vec(),
        };
        if entry.links != 0 {
            let range = entry.links as usize..=(entry.links + entry.mask) as usize;
            self.links[range].iter_mut().for_each(|link| *link = Link::empty());
        }
        let first = self.links.len() as u32;
        self.links.extend((0..size).map(|_| Link::empty()));
        self.sites[site as usize] = Site { links: first, mask: size - 1, ..entry };
        for link in old.into_iter().filter(|link| !link.is_empty()) {
            let slot = (first + (hash(link.target.get()) & (size - 1))) as usize;
            if self.links[slot].is_empty() {
                self.links[slot] = link;
            } else {
                *self.overflow.entry((site, link.target.get())).or_default() += link.count.get();
            }
        }
    }

    /// Counts that a site's block was left there, after `executed` of its records.
    pub(super) fn stop(&self, site: u32, after: bool) {
        if P::ON {
            let Site { block, index, .. } = self.sites[site as usize];
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
        let Site { block, index, .. } = self.sites[site as usize];
        self.blocks[block as usize].statics.get(index as usize)
    }

    /// Drops all blocks; what they counted is kept.
    pub(super) fn retire(&mut self) {
        let mut retired = std::mem::take(&mut self.retired);
        self.collect(&mut retired);
        *self = Code { retired, ..Code::default() };
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
        for (site, entry) in self.sites.iter().enumerate().filter(|(_, entry)| entry.links != 0) {
            for link in &self.links[entry.links as usize..=(entry.links + entry.mask) as usize] {
                if let Some(block) = entries.get_mut(link.block.get() as usize) {
                    *block += link.count.get();
                    left[site] += link.count.get();
                }
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
    fn collect_block(&self, block: &Block<C, P>, entries: u64, left: &[u64], recording: &mut Recording) {
        let stops = block.stops.borrow();
        let stopped = |at: u32| stops.iter().filter(|(stop, _)| *stop == at).map(|(_, n)| n).sum::<u64>();
        let mut reached = entries;
        for (index, entry) in (0u32..).zip(&block.statics) {
            reached -= stopped(index);
            if reached == 0 && entry.faulted.get() == 0 && entry.cancelled.get() == 0 {
                continue;
            }
            let counted = recording.instruction(entry.address, &entry.words);
            counted.executed += reached;
            counted.faulted += entry.faulted.get();
            counted.cancelled += entry.cancelled.get();
            let site = entry.site.map(|site| self.sites[site as usize]);
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

    /// A link that does not lead to the successor is a control transfer.
    fn collect_transfers(&self, recording: &mut Recording) {
        for entry in self.sites.iter().filter(|entry| entry.links != 0) {
            for link in &self.links[entry.links as usize..=(entry.links + entry.mask) as usize] {
                self.collect_transfer(entry, link.target.get(), link.count.get(), recording);
            }
        }
        for ((site, target), count) in &self.overflow {
            self.collect_transfer(&self.sites[*site as usize], *target, *count, recording);
        }
    }

    fn collect_transfer(&self, site: &Site, target: u64, count: u64, recording: &mut Recording) {
        let statics = &self.blocks[site.block as usize].statics;
        if let Some(from) = statics.get(site.index as usize)
            && count > 0
        {
            *recording.transfers.entry((from.address, target)).or_default() += count;
        }
    }
}

/// Spreads targets over a site's links.
#[inline(always)]
fn hash(target: u64) -> u32 {
    ((target >> 1) ^ (target >> 6)) as u32
}
