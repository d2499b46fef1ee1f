//! The checks of a description, as work that can be done elsewhere.

use std::sync::Arc;

use isac_parser::diagnostic::Diagnostics;

use crate::analysis::Analysis;
use crate::service::{Services, Study};

/// A description that was read and is to be checked.
pub struct CheckJob {
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) services: Arc<dyn Services>,
}

/// What checking a description found.
pub struct CheckResult {
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) findings: Diagnostics,
    /// Of a sound description.
    pub(crate) study: Option<Arc<dyn Study>>,
}

impl CheckJob {
    /// Checks the description.
    pub fn run(self) -> CheckResult {
        let (checked, findings) = self.analysis.check();
        let study = checked.map(|checked| {
            let name = self.analysis.root.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let study = self.services.study(&checked, &self.analysis.sources, &name.unwrap_or_default());
            Arc::from(study)
        });
        CheckResult { analysis: self.analysis, findings, study }
    }

    /// By which a newer job for the same description is known.
    pub(crate) fn key(&self) -> &std::path::Path {
        &self.analysis.root
    }
}
