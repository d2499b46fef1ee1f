//! What the server asks others for: what needs more of a description than the front end knows.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::model::CheckedModel;
use isac_parser::source::SourceMap;

/// Who knows more about sound descriptions.
pub trait Services: Send + Sync {
    /// Looks at a description, once for each time that it was changed and is sound.
    ///
    /// `name` is that of the root file, without folder and ending.
    fn study(&self, model: &CheckedModel, sources: &SourceMap, name: &str) -> Box<dyn Study>;
}

/// What is known about a sound description.
pub trait Study: Send + Sync {
    /// What a word means as an instruction, in Markdown; `None` if it is none.
    fn decode(&self, word: u128) -> Option<String>;

    /// When an operation runs, in one sentence without a full stop; `None` if it never does.
    fn timing(&self, operation: &str) -> Option<String>;

    /// How often each operation was executed in the run of a profile, by name.
    ///
    /// # Errors
    /// Why the profile tells nothing about this description.
    fn coverage(&self, profile: &Path) -> Result<BTreeMap<String, u64>, String>;
}

/// Nobody knows more.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl Services for NoServices {
    fn study(&self, _: &CheckedModel, _: &SourceMap, _: &str) -> Box<dyn Study> {
        Box::new(NoServices)
    }
}

impl Study for NoServices {
    fn decode(&self, _: u128) -> Option<String> {
        None
    }

    fn timing(&self, _: &str) -> Option<String> {
        None
    }

    fn coverage(&self, _: &Path) -> Result<BTreeMap<String, u64>, String> {
        Err("profiles are not read here".to_owned())
    }
}
