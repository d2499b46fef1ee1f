//! The server without its connection: documents in, answers and findings out.

mod request;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use isac_parser::ParsedFiles;
use isac_parser::diagnostic::Diagnostics;
use lsp_types::{Diagnostic, PublishDiagnosticsParams};

use crate::analysis::Analysis;
use crate::check::{CheckJob, CheckResult};
use crate::document::Documents;
use crate::lens::Counts;
use crate::publish::diagnostic_of;
use crate::service::{Services, Study};
use crate::settings::Settings;
use crate::uri::uri_of;
use crate::workspace::Workspace;

/// So many descriptions that share the open files are kept up to date.
const MOST_ROOTS: usize = 8;

/// How far a client and the server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing but `initialize` is answered.
    New,
    /// Everything is.
    Running,
    /// Nothing but `exit` is expected.
    ShutDown,
}

/// Documents, the descriptions that they are part of, and what is known about these.
///
/// Nothing here waits: [`Server::update`] reads what has changed, [`Server::checks`] gives away what may
/// take long, and [`Server::checked`] takes the results.
pub struct Server {
    services: Arc<dyn Services>,
    documents: Documents,
    folders: Vec<PathBuf>,
    settings: Settings,
    workspace: Workspace,
    stage: Stage,
    /// Descriptions of open documents by root file.
    known: BTreeMap<PathBuf, Known>,
    /// Files that were not parsed again when their description was read last, by root file.
    parsed: BTreeMap<PathBuf, ParsedFiles>,
    last_stamp: u64,
    /// By file: what the editor shows.
    published: BTreeMap<PathBuf, Vec<Diagnostic>>,
    coverage: Option<Coverage>,
    /// What the user has been told of the profile.
    complaint: Option<String>,
    /// What makes no sense in the settings and was not told yet.
    wrong_settings: Vec<String>,
}

/// A description.
struct Known {
    analysis: Arc<Analysis>,
    /// Its texts have changed since it was read.
    is_stale: bool,
    /// It was handed out to be checked.
    is_handed_out: bool,
    /// What its checks have found; `None` while that is not known.
    checked: Option<Diagnostics>,
    /// What is shown, with the texts that it was found in.
    shown: Option<(Arc<Analysis>, Diagnostics)>,
    /// Of the last time that it was sound.
    study: Option<Arc<dyn Study>>,
    /// As it was when all of it could be parsed.
    whole: Option<Arc<Analysis>>,
}

/// A profile that was read.
struct Coverage {
    profile: PathBuf,
    changed: Option<SystemTime>,
    root: PathBuf,
    study: Arc<dyn Study>,
    counts: Counts,
}

impl Server {
    /// A server that nobody has talked to, over the files of the disk.
    pub fn new(services: Arc<dyn Services>) -> Server {
        Server {
            services,
            documents: Documents::of_disk(),
            folders: Vec::new(),
            settings: Settings::default(),
            workspace: Workspace::default(),
            stage: Stage::New,
            known: BTreeMap::new(),
            parsed: BTreeMap::new(),
            last_stamp: 0,
            published: BTreeMap::new(),
            coverage: None,
            complaint: None,
            wrong_settings: Vec::new(),
        }
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.documents
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads again what has changed: parses and resolves the descriptions of all open documents.
    pub fn update(&mut self) {
        let wanted: BTreeSet<PathBuf> = self
            .documents
            .open()
            .flat_map(|(path, _)| self.workspace.roots_of(path).into_iter().take(MOST_ROOTS))
            .collect();
        self.known.retain(|root, _| wanted.contains(root));
        self.parsed.retain(|root, _| wanted.contains(root));
        for root in wanted {
            self.read(&root);
        }
    }

    fn read(&mut self, root: &Path) {
        if self.known.get(root).is_some_and(|known| !known.is_stale) {
            return;
        }
        let analysis = self.analyze(root);
        let before = self.known.remove(root);
        let (shown, study, whole) =
            before.map_or((None, None, None), |before| (before.shown, before.study, before.whole));
        let whole = if analysis.reading.is_whole() { Some(analysis.clone()) } else { whole };
        let known =
            Known { analysis, is_stale: false, is_handed_out: false, checked: None, shown, study, whole };
        self.known.insert(root.to_owned(), known);
    }

    fn analyze(&mut self, root: &Path) -> Arc<Analysis> {
        self.last_stamp += 1;
        let parsed = self.parsed.entry(root.to_owned()).or_default();
        Arc::new(Analysis::of(root, self.last_stamp, &self.documents, &self.settings.define, parsed))
    }

    /// The checks that are to be made, none twice: what may take longer than somebody wants to wait.
    pub fn checks(&mut self) -> Vec<CheckJob> {
        let services = &self.services;
        let open = self.known.values_mut().filter(|known| !known.is_stale && !known.is_handed_out);
        let jobs = open.map(|known| {
            known.is_handed_out = true;
            CheckJob { analysis: known.analysis.clone(), services: services.clone() }
        });
        jobs.collect()
    }

    /// Takes what a check has found; what it says of texts that have changed is dropped.
    pub fn checked(&mut self, result: CheckResult) {
        let Some(known) = self.known.get_mut(&result.analysis.root) else { return };
        if known.analysis.stamp == result.analysis.stamp {
            known.checked = Some(result.findings);
            known.study = result.study.or(known.study.take());
        }
    }

    /// True if something is known that waits for its check before it is shown.
    pub fn is_checking(&self) -> bool {
        self.known.values().any(|known| known.is_stale || known.checked.is_none())
    }

    /// The findings that the editor does not show yet, by document; none of the others have changed.
    ///
    /// Of a description that is not checked yet, nothing changes, unless `in_hurry`: then it has what was
    /// found by reading it, if that is anything or what is shown are errors.
    pub fn publications(&mut self, in_hurry: bool) -> Vec<PublishDiagnosticsParams> {
        let mut found: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        for known in self.known.values_mut() {
            let newer = known.shown.as_ref().is_none_or(|(shown, _)| shown.stamp != known.analysis.stamp);
            match &known.checked {
                Some(findings) => known.shown = Some((known.analysis.clone(), findings.clone())),
                None if in_hurry && newer && !known.is_stale => {
                    let findings = known.analysis.findings();
                    let had_errors = known.shown.as_ref().is_some_and(|(_, shown)| shown.has_errors());
                    if !findings.is_empty() || had_errors {
                        known.shown = Some((known.analysis.clone(), findings));
                    }
                }
                None => {}
            }
            if let Some((analysis, findings)) = &known.shown {
                for finding in findings {
                    let path = analysis.path(finding.primary.0.file).to_owned();
                    let diagnostic = diagnostic_of(finding, analysis);
                    let of_file = found.entry(path).or_default();
                    if !of_file.contains(&diagnostic) {
                        of_file.push(diagnostic);
                    }
                }
            }
        }
        self.publish(found)
    }

    fn publish(&mut self, found: BTreeMap<PathBuf, Vec<Diagnostic>>) -> Vec<PublishDiagnosticsParams> {
        let paths: BTreeSet<&PathBuf> = self.published.keys().chain(found.keys()).collect();
        let mut publications = Vec::new();
        for path in paths {
            let (before, now) = (self.published.get(path), found.get(path));
            let is_new = now.is_some() && before.is_none();
            if (is_new
                || before.map(Vec::as_slice).unwrap_or_default()
                    != now.map(Vec::as_slice).unwrap_or_default())
                && let Some(uri) = uri_of(path)
            {
                let version = self.documents.get(path).map(|document| document.version);
                publications.push(PublishDiagnosticsParams::new(
                    uri,
                    now.cloned().unwrap_or_default(),
                    version,
                ));
            }
        }
        self.published = found;
        publications
    }

    /// The description that a file is part of, as it is now; of several the first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn analysis_of(&mut self, path: &Path) -> Result<Arc<Analysis>, String> {
        let root = self.roots_of(path)?.into_iter().next().unwrap_or_else(|| path.to_owned());
        Ok(self.analysis_of_root(&root))
    }

    /// The root files of all descriptions that a file is part of.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn roots_of(&self, path: &Path) -> Result<Vec<PathBuf>, String> {
        match self.documents.get(path).is_some() || self.documents.text(path).is_some() {
            true => Ok(self.workspace.roots_of(path)),
            false => Err(format!("{} is neither open nor can it be read", path.display())),
        }
    }

    /// The description of a root file, as it is now.
    pub(crate) fn analysis_of_root(&mut self, root: &Path) -> Arc<Analysis> {
        match self.known.contains_key(root) {
            true => {
                self.read(root);
                self.known[root].analysis.clone()
            }
            false => self.analyze(root),
        }
    }

    /// What is known about the description of a root file, of the last time that it was sound.
    fn study_of(&self, root: &Path) -> Option<Arc<dyn Study>> {
        self.known.get(root)?.study.clone()
    }

    /// The description of a root file as it was when all of it could be parsed.
    fn whole_of(&self, root: &Path) -> Option<Arc<Analysis>> {
        self.known.get(root)?.whole.clone()
    }

    /// How often the operations of a description were executed in the run whose profile is set.
    fn counts_of(&mut self, root: &Path) -> Option<&Counts> {
        let profile = self.settings.profile.clone()?;
        let study = self.study_of(root)?;
        let changed = std::fs::metadata(&profile).and_then(|found| found.modified()).ok();
        let is_known = self.coverage.as_ref().is_some_and(|known| {
            known.profile == profile
                && known.changed == changed
                && known.root == root
                && Arc::ptr_eq(&known.study, &study)
        });
        if !is_known {
            self.coverage = None;
            match study.coverage(&profile) {
                Ok(counts) => {
                    self.complaint = None;
                    let root = root.to_owned();
                    self.coverage = Some(Coverage { profile, changed, root, study, counts });
                }
                Err(reason) => self.complaint = Some(reason),
            }
        }
        self.coverage.as_ref().map(|coverage| &coverage.counts)
    }

    /// A document that is open, without an editor.
    #[cfg(test)]
    pub(crate) fn open_for_test(&mut self, path: &Path, text: String) {
        self.documents.set(path.to_owned(), 0, text);
        self.workspace.read(path, &self.documents);
    }

    /// What makes no sense in the settings, each in a sentence; nothing is told twice.
    pub fn take_wrong_settings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.wrong_settings)
    }

    /// A bug has ended some work: whatever is known is read again, and checked again.
    pub fn forget(&mut self) {
        self.parsed.clear();
        self.known.values_mut().for_each(|known| known.is_stale = true);
    }

    /// Why the profile of the last run shows nothing, if something asked for it.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }
}
