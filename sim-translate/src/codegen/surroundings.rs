//! What every function is made with: the model, where everything lies, what is counted, and what it calls.

use std::sync::Arc;

use cranelift_codegen::isa::TargetFrontendConfig;
use isac_ir::Model;

use crate::checks::Checks;
use crate::compilable::Compilable;
use crate::counting::Counting;
use crate::frames::FramesAround;
use crate::layout::Layout;
use crate::mode::ModeItems;
use crate::state::Clean;

/// What every function is made with.
pub(crate) struct Surroundings<'a> {
    pub(crate) model: &'a Model,
    pub(crate) layout: &'a Layout,
    pub(crate) profiles: bool,
    /// The budget holds these checks, too; where they bound the instructions between them, it is asked for
    /// them alone.
    pub(crate) checks: Option<Checks>,
    /// Which edges count.
    pub(crate) counting: &'a Counting,
    pub(crate) items: &'a ModeItems,
    /// Jumps to computed addresses are told apart by their sites: each has its own counts, and its own
    /// mode.
    pub(crate) by_site: bool,
    /// Where the table of jumps stands: [`layout::JUMPS`], or [`layout::STRETCH_JUMPS`].
    pub(crate) jumps: i32,
    /// Frames of calls, if somebody follows them.
    pub(crate) frames: Option<FramesAround>,
    pub(crate) compilable: Compilable<'a>,
    pub(crate) helpers: Helpers,
    pub(crate) config: TargetFrontendConfig,
    /// Which part of each range holds no code, by map and range.
    pub(crate) clean: &'a [Vec<Clean>],
    /// Number of the first site.
    pub(crate) first_site: u32,
    /// Number of the first link.
    pub(crate) first_link: u32,
}

impl Surroundings<'_> {
    /// The same for another thread, with the model at hand.
    pub(crate) fn keep(&self, model: Arc<Model>) -> KeptSurroundings {
        KeptSurroundings {
            model,
            layout: self.layout.clone(),
            profiles: self.profiles,
            checks: self.checks,
            counting: self.counting.clone(),
            items: self.items.clone(),
            by_site: self.by_site,
            jumps: self.jumps,
            frames: self.frames,
            helpers: self.helpers,
            config: self.config,
            clean: self.clean.to_vec(),
            first_site: self.first_site,
            first_link: self.first_link,
        }
    }
}

/// [`Surroundings`] that borrow nothing.
pub(crate) struct KeptSurroundings {
    model: Arc<Model>,
    layout: Layout,
    profiles: bool,
    checks: Option<Checks>,
    counting: Counting,
    items: ModeItems,
    by_site: bool,
    jumps: i32,
    frames: Option<FramesAround>,
    helpers: Helpers,
    config: TargetFrontendConfig,
    clean: Vec<Vec<Clean>>,
    first_site: u32,
    first_link: u32,
}

impl KeptSurroundings {
    /// They themselves.
    pub(crate) fn lend(&self) -> Surroundings<'_> {
        Surroundings {
            model: &self.model,
            layout: &self.layout,
            profiles: self.profiles,
            checks: self.checks,
            counting: &self.counting,
            items: &self.items,
            by_site: self.by_site,
            jumps: self.jumps,
            frames: self.frames,
            compilable: Compilable::of(&self.model),
            helpers: self.helpers,
            config: self.config,
            clean: &self.clean,
            first_site: self.first_site,
            first_link: self.first_link,
        }
    }
}

/// Addresses of what compiled code calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Helpers {
    pub(crate) load: u64,
    pub(crate) store: u64,
    pub(crate) extra_cycles: u64,
    /// How far the run has come: [`ASK_CYCLES`] and those behind it.
    pub(crate) passed: u64,
}

/// In place of a step: extra cycles are charged to none, since the code does not count.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What compiled code asks of the run: its cycles,
pub(crate) const ASK_CYCLES: u64 = 0;

/// its instructions,
pub(crate) const ASK_INSTRUCTIONS: u64 = 1;

/// whether the time of the first device has come, if it is a timer; numbers behind it ask for others.
pub(crate) const ASK_PENDING: u64 = 2;
