//! Compiled regions: where they are, how they are connected, and what they count.

mod collect;
mod jumps;
mod told;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::operation::Operation;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::beside::Helper;
use crate::calls::CallTrail;
use crate::checks::Checks;
use crate::codegen::returns::ReturnKind;
use crate::codegen::{Room, Surroundings, Translated};
use crate::compilable::Compilable;
use crate::core::Core;
use crate::counting::Counting;
use crate::frames::Frames;
use crate::layout::{self, COUNTER_BYTES};
use crate::mode::Mode;
use crate::native::{Entry, Native, Unsupported, helpers};
use crate::region::Region;
use crate::specialise::Place;
use told::Follower;
pub(crate) use told::{Next, Teller, Told};

/// After so many arrivals a place is compiled for what ends at each check.
const HOT_STRETCH: u32 = 32;
/// Room that a region may need for counters and links.
const REGION_BYTES: u32 = 2 << 20;
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
    /// How often all code was dropped, to be made anew as the run has shown that it should be.
    pub renewals: u64,
}

impl Translation {
    fn add(&mut self, other: Translation) {
        self.regions += other.regions;
        self.instructions += other.instructions;
        self.bytes += other.bytes;
        self.time += other.time;
        self.edges += other.edges;
        self.counters += other.counters;
        self.renewals += other.renewals;
    }
}

impl std::fmt::Display for Translation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Translation { regions, instructions, bytes, time, edges, counters, renewals } = self;
        write!(
            f,
            "translated: {regions} regions with {instructions} instructions and {edges} edges, {bytes} bytes, \
             {:.3} seconds, {counters} counters, {renewals} times made anew",
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
    /// Where it stands from which stacks it calls, if it is a call that somebody is told of.
    call: Option<u32>,
}

/// What a region is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    /// For the run, or for what of it lies between samples: it goes as far as it can.
    Long,
    /// Up to a sample: it ends at each check.
    Stretch,
    /// For what is in a sample: the same, and it counts.
    Counted,
}

impl Version {
    /// After how many arrivals a place is compiled, where it is so many for what goes as far as it can.
    pub(crate) fn threshold(self, hot: u32) -> u32 {
        match self {
            Version::Long => hot,
            Version::Stretch | Version::Counted => hot.min(HOT_STRETCH),
        }
    }

    /// Where the table of its jumps stands.
    fn jumps(self) -> i32 {
        match self {
            Version::Long => layout::JUMPS,
            Version::Stretch | Version::Counted => layout::STRETCH_JUMPS,
        }
    }
}

/// What compiled code does beside what the program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeKind {
    /// All of it counts.
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
    index: HashMap<(Version, Place), Entry>,
    links: Vec<Connected>,
    /// Numbers of the steps in them.
    steps: HashSet<u32>,
    /// Timers whose time had come for each region.
    pendings: Vec<u64>,
    /// The mode behind each site that leads to a computed address.
    jump_modes: HashMap<u64, Mode>,
    /// What follows transfers that are told, each in its place; the last one of those that share it.
    followers: Vec<Option<Follower>>,
    /// How often jumps were taken, by site and address, that others have taken the place of.
    displaced: BTreeMap<(u64, u64), u64>,
    /// Jumps to computed addresses are told apart by their sites, those of long regions, too.
    by_site: bool,
    kind: CodeKind,
    /// Which edges count.
    counting: Counting,
    room: Room,
    /// Calls that compiled code makes by itself, if somebody follows them.
    frames: Option<Frames>,
    /// Timers whose time had come when the table of jumps was filled.
    jumps_pending: u64,
    /// Who makes code beside the run, if somebody does.
    helper: Option<Helper>,
    /// The region that is being made there.
    awaited: Option<Awaited>,
}

/// A region that is being made beside the run.
struct Awaited {
    version: Version,
    place: Place,
    /// Where its blocks begin.
    begins: HashSet<Place>,
    instructions: u64,
    /// Where the room begins that it may take.
    begun: u32,
}

impl Code {
    /// No region yet; the shared memory's tables are emptied.
    pub(crate) fn new(
        core: &mut Core<'_>,
        kind: CodeKind,
        counting: Counting,
        helper: Option<Helper>,
    ) -> Result<Code, Unsupported> {
        let first = core.state.layout.counters;
        core.sites.clear();
        core.state.claims_less = false;
        let mut room = Room::new(first, COUNTER_BYTES);
        let mut native = Native::new(helper.as_ref())?;
        let mut frames = None;
        if kind.follows_calls {
            let (is_wide, adds_cycles) = (core.model().pc.width_bits >= 64, adds_cycles(core.model()));
            let returning = ReturnKind { profiles: kind.profiles, adds_cycles, is_wide };
            let return_code = native.define_return(returning)?.address();
            frames = Some(Frames::new(&core.state.arena, &mut room, return_code, adds_cycles));
        }
        let code = Code {
            native,
            regions: Vec::new(),
            steps: HashSet::default(),
            index: HashMap::default(),
            links: Vec::new(),
            pendings: Vec::new(),
            jump_modes: HashMap::default(),
            followers: Vec::new(),
            displaced: BTreeMap::new(),
            counting,
            by_site: kind.profiles || kind.follows_calls || !core.state.items.is_empty(),
            kind,
            room,
            frames,
            jumps_pending: 0,
            helper,
            awaited: None,
        };
        code.empty_jumps(core);
        Ok(code)
    }

    /// Whether jumps of a version to computed addresses are told apart by their sites.
    fn by_site(&self, version: Version) -> bool {
        self.by_site || version != Version::Long
    }

    /// The region of a version that begins at a place.
    pub(crate) fn find(&self, version: Version, place: Place) -> Option<Entry> {
        self.index.get(&(version, place)).copied()
    }

    /// True if there is no room for another region; one that is being made has its own.
    pub(crate) fn is_full(&self) -> bool {
        self.awaited.is_none()
            && (self.room.next + REGION_BYTES > self.room.end || self.native.bytes > CODE_BYTES)
    }

    /// Whether a region is being made beside the run.
    pub(crate) fn is_waiting(&self) -> bool {
        self.awaited.is_some()
    }

    /// Whether the region that is being made begins a block at a place, for a version.
    pub(crate) fn awaits(&self, version: Version, place: Place) -> bool {
        let is_of = |awaited: &Awaited| awaited.version == version && awaited.begins.contains(&place);
        self.awaited.as_ref().is_some_and(is_of)
    }

    /// Takes over the region that was being made, if it is ready.
    pub(crate) fn take_made(&mut self, core: &mut Core<'_>, translation: &mut Translation) {
        let bytes = self.native.bytes;
        let made = match self.native.take_made() {
            Ok(None) => return,
            Ok(made) => made,
            // One that cannot be made is interpreted.
            Err(_) => None,
        };
        let Some(awaited) = self.awaited.take() else { return };
        let Awaited { version, place, instructions, begun, .. } = awaited;
        self.room.next = made.as_ref().map_or(begun, |(made, _)| made.room.next);
        if let Some((made, entry)) = made {
            let bytes = self.native.bytes - bytes;
            let own = Translation { instructions, bytes, time: made.time, ..Translation::default() };
            translation.add(own);
            self.add(core, (version, place), (made.translated, entry, begun..self.room.next), translation);
        }
    }

    /// Compiles the region that begins at a place; `None` if that fails, or is done beside the run.
    pub(crate) fn compile(
        &mut self,
        core: &mut Core<'_>,
        (version, place): (Version, Place),
        region: Region,
        translation: &mut Translation,
    ) -> Option<Entry> {
        let model: &Model = core.model();
        let config = self.native.config();
        let (layout, items) = (&core.state.layout, &core.state.items);
        let (helpers, compilable, clean) = (helpers(), Compilable::of(model), core.state.clean());
        let around = Surroundings {
            model,
            layout,
            profiles: self.kind.profiles || version == Version::Counted,
            checks: self.kind.checks,
            counting: &self.counting,
            items,
            by_site: self.by_site(version),
            jumps: version.jumps(),
            frames: self.frames.as_ref().map(Frames::around),
            compilable,
            helpers,
            config,
            clean: &clean,
            first_site: core.sites.len() as u32,
            first_link: self.links.len() as u32,
        };
        let (begun, begun_at, bytes) = (self.room.next, Instant::now(), self.native.bytes);
        let steps = region.blocks.iter().flat_map(|block| &block.steps).map(|step| step.number);
        let steps: Vec<u32> = steps.collect();
        let instructions = steps.len() as u64;
        let mut room = Room::new(begun, REGION_BYTES.min(self.room.end - begun));
        if let Some(helper) = self.helper.as_ref().filter(|_| self.native.has_thread()) {
            let around = around.keep(Arc::clone(&helper.model));
            let begins = region.blocks.iter().map(|block| block.place).collect();
            let end = room.end;
            if self.native.begin(around, region, room) {
                self.room.next = end;
                self.steps.extend(steps);
                self.awaited = Some(Awaited { version, place, begins, instructions, begun });
            }
            return None;
        }
        let (made, entry) = self.native.compile(&around, &region, &mut room).ok()?;
        self.room.next = room.next;
        self.steps.extend(steps);
        let (bytes, time) = (self.native.bytes - bytes, begun_at.elapsed());
        translation.add(Translation { instructions, bytes, time, ..Translation::default() });
        let room = begun..self.room.next;
        self.add(core, (version, place), (made, entry, room), translation);
        Some(entry)
    }

    /// Adds a region with its entry and the room that it has taken.
    fn add(
        &mut self,
        core: &mut Core<'_>,
        (version, place): (Version, Place),
        (mut made, entry, room): (Translated, Entry, Range<u32>),
        translation: &mut Translation,
    ) {
        translation.regions += 1;
        translation.edges += made.flow.graph.edges().len() as u64;
        translation.counters += made.counters.len() as u64;
        core.state.arena.clear(room.start.into(), room.len() as u64);
        for (offset, table) in made.tables.drain(..) {
            (0u64..)
                .zip(table)
                .for_each(|(index, entry)| core.state.arena.put(u64::from(offset) + index, [entry]));
        }
        let number = self.regions.len() as u32;
        made.site_count = made.sites.len() as u32;
        for mut site in made.sites.drain(..) {
            site.region = number;
            core.sites.push(site);
        }
        for link in made.links.drain(..) {
            core.state.arena.set_word(link.slot.into(), self.native.miss().address());
            let (address, mode) = link.target;
            let target = Place { address, mode, pending: place.pending };
            self.links.push(Connected { step: link.step, target, slot: link.slot, call: link.call });
        }
        self.jump_modes.extend(made.jump_modes.drain(..));
        self.regions.push(made);
        self.pendings.push(place.pending);
        self.index.insert((version, place), entry);
    }

    /// Whether a step is in some region.
    pub(crate) fn holds(&self, number: u32) -> bool {
        self.steps.contains(&number)
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

    /// Runs a region, and what it leads to, until the code comes back.
    pub(crate) fn run(&self, core: &mut Core<'_>, calls: Option<&mut CallTrail>, entry: Entry) {
        core.lend_extra_cycles();
        match self.frames.as_ref().zip(calls) {
            Some((frames, calls)) => {
                frames.enter(core, calls.recorder());
                self.native.run(core, entry);
                core.take_extra_cycles();
                frames.settle(core, calls.recorder());
            }
            None => {
                self.native.run(core, entry);
                core.take_extra_cycles();
            }
        }
    }

    /// Calls that compiled code makes by itself.
    pub(crate) fn frames(&self) -> Option<&Frames> {
        self.frames.as_ref()
    }
}

/// Whether anything of a model has extra cycles.
fn adds_cycles(model: &Model) -> bool {
    let mut adds = false;
    for body in model.operations.iter().flat_map(Operation::counted_bodies) {
        walk_statements(&body.statements, &mut |statement| adds |= matches!(statement, Stmt::ExtraCycles(_)));
    }
    adds
}
