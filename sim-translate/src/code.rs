//! Compiled regions: where they are, how they are connected, and what they count.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

use isac_ir::Model;
use sim_profile::Spending;
use sim_profile::flow::{OUTSIDE, Passage, block_counts, complete};

use crate::calls::CallTrail;
use crate::checks::Checks;
use crate::codegen::{Room, SiteKind, Surroundings, Translated};
use crate::compilable::Compilable;
use crate::core::Core;
use crate::counting::Counting;
use crate::layout::{self, COUNTER_BYTES, JUMP_BYTES, JUMP_ENTRIES};
use crate::mode::Mode;
use crate::native::{Entry, Native, Unsupported, helpers};
use crate::region::Region;
use crate::specialise::Place;
use crate::steps::Steps;

/// Room that a region may need for counters and links.
const REGION_BYTES: u32 = 2 << 20;
/// Transfers that are told of which is remembered what follows.
const FOLLOWERS: usize = 1 << 12;
/// Bytes of code of a generation.
const CODE_BYTES: u64 = 96 << 20;

/// What was translated in a run, code that was made again included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Translation {
    /// Functions of machine code.
    pub regions: u64,
    /// Instructions in them; one that stands in several counts for each.
    pub instructions: u64,
    /// Bytes of machine code.
    pub bytes: u64,
    /// Time that it took.
    pub time: Duration,
    /// Edges of the regions' flow graphs.
    pub edges: u64,
    /// Edges that have a counter; none without profile.
    pub counters: u64,
}

impl std::fmt::Display for Translation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Translation { regions, instructions, bytes, time, edges, counters } = self;
        write!(
            f,
            "translated: {regions} regions with {instructions} instructions and {edges} edges, {bytes} bytes, \
             {:.3} seconds, {counters} counters",
            time.as_secs_f64()
        )
    }
}

/// A link with the region that has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connected {
    /// The step that goes out by it.
    pub(crate) step: u32,
    pub(crate) target: Place,
    slot: u32,
}

/// A transfer of control that whoever follows calls is told of each time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    /// How compiled code tells it: the number of the link, or of the site with the address.
    by: Teller,
    /// As whoever follows calls knows it.
    way: u32,
    /// The mode behind it.
    pub(crate) mode: Mode,
    /// Timers whose time had come for the code that tells it.
    pub(crate) pending: u64,
}

/// Where compiled code has come back for a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teller {
    /// At a link.
    Link(u64),
    /// At a site, for an address.
    Jump(u64, u64),
}

impl Teller {
    /// Where what follows it is remembered.
    fn place(self) -> usize {
        let place = match self {
            Teller::Link(number) => number.wrapping_mul(2),
            Teller::Jump(site, to) => site.wrapping_mul(0x9e37).wrapping_add(to).wrapping_mul(2) + 1,
        };
        (place ^ place >> 13) as usize % FOLLOWERS
    }
}

impl Told {
    /// A transfer; where compiled code has told it by itself, it is told the same way the next time.
    pub(crate) fn new(by: Teller, way: u32, (mode, pending): (Mode, u64)) -> Told {
        Told { by, way, mode, pending }
    }
}

/// The same where it is known what it leads to.
#[derive(Debug, Clone, Copy)]
struct Follower {
    told: Told,
    entry: Entry,
    /// How often it was taken since somebody has counted.
    times: u64,
}

/// What is to be done when compiled code has come back.
pub(crate) enum Next {
    /// Whatever it has come back for.
    Settle,
    /// It was told, and goes on.
    GoOn(Entry),
    /// It was told, and something else may be to be done first.
    Look(Told),
}

/// What compiled code does beside what the program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeKind {
    /// It counts.
    pub(crate) profiles: bool,
    /// It counts these checks down.
    pub(crate) checks: Option<Checks>,
    /// Somebody follows calls.
    pub(crate) follows_calls: bool,
}

/// Compiled regions.
pub(crate) struct Code {
    native: Native,
    regions: Vec<Translated>,
    index: HashMap<Place, Entry>,
    links: Vec<Connected>,
    /// Timers whose time had come for each region.
    pendings: Vec<u64>,
    /// The mode behind each site that leads to a computed address.
    jump_modes: HashMap<u64, Mode>,
    /// What follows transfers that are told, each in its place; the last one of those that share it.
    followers: Vec<Option<Follower>>,
    /// How often jumps were taken, by site and address, that others have taken the place of.
    displaced: BTreeMap<(u64, u64), u64>,
    /// Jumps to computed addresses are told apart by their sites.
    by_site: bool,
    kind: CodeKind,
    /// Which edges count.
    counting: Counting,
    room: Room,
    /// Timers whose time had come when the table of jumps was filled.
    jumps_pending: u64,
}

impl Code {
    /// No region yet; the shared memory's tables are emptied.
    pub(crate) fn new(core: &mut Core<'_>, kind: CodeKind, counting: Counting) -> Result<Code, Unsupported> {
        let first = core.state.layout.counters;
        core.sites.clear();
        core.state.claims_less = false;
        empty_jumps(core);
        Ok(Code {
            native: Native::new()?,
            regions: Vec::new(),
            index: HashMap::new(),
            links: Vec::new(),
            pendings: Vec::new(),
            jump_modes: HashMap::new(),
            followers: Vec::new(),
            displaced: BTreeMap::new(),
            counting,
            by_site: kind.profiles || kind.follows_calls || !core.state.items.is_empty(),
            kind,
            room: Room { next: first, end: first + COUNTER_BYTES },
            jumps_pending: 0,
        })
    }

    /// The region that begins at a place.
    pub(crate) fn find(&self, place: Place) -> Option<Entry> {
        self.index.get(&place).copied()
    }

    /// True if there is no room for another region.
    pub(crate) fn is_full(&self) -> bool {
        self.room.next + REGION_BYTES > self.room.end || self.native.bytes > CODE_BYTES
    }

    /// Compiles the region that begins at a place; `None` if that fails.
    pub(crate) fn compile(
        &mut self,
        core: &mut Core<'_>,
        place: Place,
        region: &Region,
        translation: &mut Translation,
    ) -> Option<Entry> {
        let model: &Model = core.model();
        let (first_site, first_link) = (core.sites.len() as u32, self.links.len() as u32);
        let config = self.native.config();
        let (layout, items) = (&core.state.layout, &core.state.items);
        let (helpers, compilable) = (helpers(), Compilable::of(model));
        let around = Surroundings {
            model,
            layout,
            profiles: self.kind.profiles,
            checks: self.kind.checks,
            counting: &self.counting,
            items,
            by_site: self.by_site,
            compilable,
            helpers,
            config,
            clean: core.state.clean(),
            first_site,
            first_link,
        };
        let begun = self.room.next;
        let (begun_at, bytes) = (Instant::now(), self.native.bytes);
        let (mut made, entry) = self.native.compile(&around, region, &mut self.room).ok()?;
        translation.regions += 1;
        translation.instructions += region.blocks.iter().map(|block| block.steps.len() as u64).sum::<u64>();
        translation.bytes += self.native.bytes - bytes;
        translation.time += begun_at.elapsed();
        translation.edges += made.flow.graph.edges().len() as u64;
        translation.counters += made.counters.len() as u64;
        core.state.arena.clear(begun.into(), u64::from(self.room.next - begun));
        for (offset, table) in made.tables.drain(..) {
            (0u64..)
                .zip(table)
                .for_each(|(index, entry)| core.state.arena.put(u64::from(offset) + index, [entry]));
        }
        let number = self.regions.len() as u32;
        for mut site in made.sites.drain(..) {
            site.region = number;
            core.sites.push(site);
        }
        for link in made.links.drain(..) {
            core.state.arena.set_word(link.slot.into(), self.native.miss().address());
            let (address, mode) = link.target;
            let target = Place { address, mode, pending: place.pending };
            self.links.push(Connected { step: link.step, target, slot: link.slot });
        }
        self.jump_modes.extend(made.jump_modes.drain(..));
        made.site_count = core.sites.len() as u32 - first_site;
        self.regions.push(made);
        self.pendings.push(place.pending);
        self.index.insert(place, entry);
        Some(entry)
    }

    /// A link by its number.
    pub(crate) fn link(&self, number: u64) -> Connected {
        self.links[number as usize]
    }

    /// The mode behind a site that leads to a computed address.
    pub(crate) fn jump_mode(&self, site: u64) -> Mode {
        self.jump_modes.get(&site).copied().unwrap_or_default()
    }

    /// The timers whose time had come for a region.
    pub(crate) fn pending(&self, region: u32) -> u64 {
        self.pendings.get(region as usize).copied().unwrap_or_default()
    }

    /// Lets a link lead to a region.
    pub(crate) fn connect(&self, core: &Core<'_>, link: Connected, entry: Entry) {
        core.state.arena.set_word(link.slot.into(), entry.address());
    }

    /// Lets jumps from a site to an address lead to a region.
    pub(crate) fn connect_jump(
        &self,
        core: &Core<'_>,
        steps: &mut Steps,
        site: u64,
        target: u64,
        entry: Entry,
    ) {
        if target == u64::MAX {
            return;
        }
        let salt = if self.by_site { site.wrapping_mul(0x9e37) & 0x7fff_ffff } else { 0 };
        let index = (target >> 1).wrapping_add(salt) & u64::from(JUMP_ENTRIES - 1);
        let offset = layout::JUMPS as u64 + index * u64::from(JUMP_BYTES);
        self.count_jump(core, steps, offset);
        let arena = &core.state.arena;
        arena.set_word(offset, target);
        arena.set_word(offset + 8, site + 1);
        arena.set_word(offset + 16, entry.address());
    }

    /// Takes the count out of an entry of the table of jumps.
    fn count_jump(&self, core: &Core<'_>, steps: &mut Steps, offset: u64) {
        let arena = &core.state.arena;
        let (target, site, count) = (arena.word(offset), arena.word(offset + 8), arena.word(offset + 24));
        if count > 0 && site > 0 {
            count_transfers(core, steps, (site - 1, target), count);
            arena.set_word(offset + 24, 0);
        }
    }

    /// Entries of the table of jumps lead to code for certain timers.
    pub(crate) fn set_pending(&mut self, core: &Core<'_>, steps: &mut Steps, pending: u64) {
        if pending != self.jumps_pending {
            self.count_jumps(core, steps);
            empty_jumps(core);
            self.jumps_pending = pending;
        }
    }

    fn count_jumps(&self, core: &Core<'_>, steps: &mut Steps) {
        for index in 0..u64::from(JUMP_ENTRIES) {
            self.count_jump(core, steps, layout::JUMPS as u64 + index * u64::from(JUMP_BYTES));
        }
    }

    /// Remembers what follows a transfer that is told, for the same timers.
    pub(crate) fn follow(&mut self, told: Told, entry: Entry) {
        self.followers.resize(FOLLOWERS, None);
        let before = self.followers[told.by.place()].replace(Follower { told, entry, times: 0 });
        if let Some((Teller::Jump(site, to), times)) = before.map(|before| (before.told.by, before.times)) {
            *self.displaced.entry((site, to)).or_default() += times;
        }
    }

    /// Compiled code has come back: tells what it has told before.
    pub(crate) fn tell(&mut self, calls: &mut CallTrail, by: Teller, now: Spending) -> Next {
        let follower = self.followers.get_mut(by.place()).and_then(Option::as_mut);
        let Some(follower) = follower.filter(|follower| follower.told.by == by) else { return Next::Settle };
        follower.times += 1;
        calls.follow_again(follower.told.way, now);
        match calls.is_newly_awaited() {
            true => Next::Look(follower.told),
            false => Next::GoOn(follower.entry),
        }
    }

    /// Runs a region, and what it leads to, until the code comes back.
    pub(crate) fn run(&self, core: &mut Core<'_>, entry: Entry) {
        self.native.run(core, entry);
    }

    /// Moves everything that was counted to the steps.
    pub(crate) fn collect(&mut self, core: &mut Core<'_>, steps: &mut Steps) {
        for Follower { told, times, .. } in self.followers.iter_mut().flatten() {
            // Links are edges, which are counted as such.
            if let Teller::Jump(site, to) = told.by {
                count_transfers(core, steps, (site, to), std::mem::take(times));
            }
        }
        for (transfer, times) in std::mem::take(&mut self.displaced) {
            count_transfers(core, steps, transfer, times);
        }
        let charges = std::mem::take(&mut core.charges);
        // What runs between samples is not counted.
        if self.kind.checks.is_some() {
            return;
        }
        for (step, cycles) in charges {
            let counted = steps.counted(step);
            counted.extra_cycles = counted.extra_cycles.saturating_add(cycles);
        }
        if self.kind.profiles {
            self.count_jumps(core, steps);
            for region in &self.regions {
                collect_region(core, steps, region);
            }
        }
    }
}

/// Counts that jumps from a site have led to an address.
fn count_transfers(core: &Core<'_>, steps: &mut Steps, (site, to): (u64, u64), times: u64) {
    let step = Rc::clone(steps.step(core.sites[site as usize].step));
    if to != core.model().successor(step.address, step.size_cells) {
        steps.count_transfers(step.address, to, times);
    }
}

/// Empties the table of jumps: no entry is of an address that anything jumps to.
fn empty_jumps(core: &Core<'_>) {
    core.state.arena.clear(layout::JUMPS as u64, u64::from(JUMP_ENTRIES * JUMP_BYTES));
    for index in 0..u64::from(JUMP_ENTRIES) {
        core.state.arena.set_word(layout::JUMPS as u64 + index * u64::from(JUMP_BYTES), u64::MAX);
    }
}

fn collect_region(core: &mut Core<'_>, steps: &mut Steps, region: &Translated) {
    let take = |offset: &u32| {
        let offset = u64::from(*offset);
        let count = core.state.arena.word(offset);
        core.state.arena.set_word(offset, 0);
        count
    };
    let mut counts: Vec<u64> = region.counters.iter().map(take).collect();
    for (counter, turns) in &region.turns {
        counts[*counter] = turns.of(counts[*counter], &counts);
    }
    let own_counts: Vec<u64> = region.own_counts.iter().map(|(slot, ..)| take(slot)).collect();
    let first = region.first_site as usize;
    let mut passages = Vec::new();
    let mut abandoned: BTreeMap<u32, u64> = BTreeMap::new();
    for site in core.sites[first..first + region.site_count as usize].iter_mut() {
        let count = std::mem::take(&mut site.times);
        if count > 0 {
            passages.push(Passage { from: site.node, to: OUTSIDE, count });
            let is_complete = matches!(site.kind, SiteKind::Written | SiteKind::Budget | SiteKind::Jump);
            *abandoned.entry(site.step).or_default() += if is_complete { 0 } else { count };
        }
    }
    let graph = &region.flow.graph;
    let counts = match complete(graph, &region.placement, &counts, &passages) {
        Ok(counts) => counts,
        Err(error) => panic!("the counters of a region do not fit together: {error}"),
    };
    let entered = block_counts(graph, &counts, &[]);
    for (node, step) in &region.begins {
        steps.counted(*step).executed += entered[*node as usize];
    }
    for (step, times) in abandoned {
        steps.counted(step).executed -= times;
    }
    for (node, step, counter) in &region.counts {
        steps.add_counter(*step, *counter, entered[*node as usize]);
    }
    for ((_, step, counter), count) in region.own_counts.iter().zip(own_counts) {
        steps.add_counter(*step, *counter, count);
    }
    for (edge, from, to) in &region.transfers {
        steps.count_transfers(*from, *to, counts[*edge as usize]);
    }
}
