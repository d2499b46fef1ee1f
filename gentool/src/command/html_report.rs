//! The report as a page, of a run or of a stored profile.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use isac_ir::Model;
use isac_parser::model::CheckedModel;
use isac_parser::{CoverageMap, coverage_maps};
use sim_profile::coverage::Exclusions;
use sim_profile::description::{DescriptionCoverage, DescriptionPoints};
use sim_profile::html::{Description, HtmlReport, render_html};
use sim_profile::program::ProgramProfile;
use sim_profile::{Profile, read_profile};
use sim_runtime::launcher::{
    AtomicFile, EndRequests, OutputFile, RunOptions, exit_status, is_same_file, write_remedy,
};

use super::html_description::describe;
use super::program_report::{ImageOptions, ProgramOptions, check_sources_before, with_any_program};
use super::progress::Progress;
use super::run::child::run_to_end;
use super::{Failure, profile_file};

/// A description, for what it alone tells.
pub(super) struct Described {
    model: Model,
    maps: Vec<CoverageMap>,
    /// What its points are, and the texts of its files by path; if they are to be shown.
    points: Option<(DescriptionPoints, BTreeMap<String, String>)>,
}

impl Described {
    pub(super) fn of(checked: &CheckedModel, model: &Model) -> Described {
        Described { model: model.clone(), maps: coverage_maps(checked), points: None }
    }

    /// The same with what is counted of the description's own lines.
    pub(super) fn with_points(
        mut self,
        points: DescriptionPoints,
        texts: BTreeMap<String, String>,
    ) -> Described {
        self.points = Some((points, texts));
        self
    }

    /// What it says of a profile. Instructions that are excluded have no operands to be covered.
    pub(super) fn describe(&self, profile: &Profile, exclusions: &Exclusions) -> Description {
        let mut description = describe(&self.model, &self.maps, profile);
        description.operands.retain(|name, _| !exclusions.contains_key(name));
        if let Some(((points, texts), counts)) = self.points.as_ref().zip(profile.visits.as_ref()) {
            description.coverage = DescriptionCoverage::of(points, counts);
            description.texts.clone_from(texts);
        }
        description
    }
}

/// The page of a profile, which is to be written to a file if one is named.
pub(super) fn render_page(
    profile: &Profile,
    (options, out): (&ProgramOptions, Option<&Path>),
    described: Option<&Described>,
    exclusions: &Exclusions,
) -> Result<String, Failure> {
    let description = described.map(|it| it.describe(profile, exclusions));
    let render = |program: &ProgramProfile<'_>| {
        let _progress = Progress::new("making the page");
        Ok(render_html(&HtmlReport { profile, program, description: description.as_ref(), exclusions }))
    };
    with_any_program(options, profile, (described.map(|it| &it.model), out), &render)
}

/// The page may take the place of nothing else, and has to be writable; found before a run.
pub(super) fn check_page<'a>(
    page: &Path,
    results: impl Iterator<Item = (&'static str, &'a Path)>,
    program: &Path,
) -> Result<(), Failure> {
    let shown = page.display();
    if let Some((other, _)) =
        results.filter(|(_, path)| is_same_file(path, page)).find(|(what, _)| *what != "page")
    {
        return Err(Failure::other(format!(
            "{other} and page are both to be written to {shown}; name two files"
        )));
    }
    if is_same_file(program, page) {
        return Err(Failure::other(format!(
            "the page would be written over the program {shown}; name another file"
        )));
    }
    AtomicFile::create(page).map(drop).map_err(|error| {
        let remedy = write_remedy(&error);
        Failure::other(format!("cannot write the page {shown}: {error}; {remedy}"))
    })
}

/// The page that a run leaves.
pub(super) struct RunPage {
    path: PathBuf,
    described: Described,
    options: ProgramOptions,
}

impl RunPage {
    /// The page of a run of a program; its sources are named from the current folder.
    pub(super) fn of(path: &Path, run: &RunOptions, described: Described) -> RunPage {
        // The program is named first: where files overlap it counts.
        let program = run.program.to_string_lossy().into_owned();
        let files = ImageOptions::new(std::iter::once(program).chain(run.images.iter().cloned()).collect());
        RunPage { path: path.to_owned(), described, options: ProgramOptions::of(files) }
    }

    /// The page may take the place of no source; found before a run.
    pub(super) fn check_sources(&self) -> Result<(), Failure> {
        check_sources_before(&self.path, &self.options.files)
    }

    /// What the launcher writes when the run has ended.
    pub(super) fn output(&self) -> OutputFile<'_> {
        OutputFile {
            path: self.path.clone(),
            what: "page",
            render: Box::new(|results| {
                let options = (&self.options, Some(self.path.as_path()));
                let page = render_page(results.profile, options, Some(&self.described), &Exclusions::new());
                Ok(page.map_err(|failure| io::Error::other(failure.message))?.into_bytes())
            }),
        }
    }

    /// Runs a simulator that is a program of its own, which stores the profile that the page is made of.
    pub(super) fn run_simulator(&self, program: &Path, run: &RunOptions) -> Result<i32, Failure> {
        let unusable = |error: io::Error| {
            Failure::other(format!("no folder for temporary files can be made: {error}; see TMPDIR"))
        };
        let folder = tempfile::tempdir().map_err(unusable)?;
        let profile = run.profile.clone().unwrap_or_else(|| folder.path().join("run.profile"));
        let before = std::fs::metadata(&profile).ok().and_then(|found| found.modified().ok());
        let mut arguments: Vec<OsString> = Vec::new();
        if run.profile.is_none() {
            arguments.extend([OsString::from("--profile"), profile.clone().into()]);
        }
        arguments.extend(run.to_arguments());
        let requests = EndRequests::of_process();
        let status = run_to_end(Command::new(program).args(arguments), &requests)
            .map_err(|error| Failure::other(format!("cannot start {}: {error}", program.display())))?;
        requests.end_process();
        let status = status.code().unwrap_or(exit_status::FAILURE);
        let after = std::fs::metadata(&profile).ok().and_then(|found| found.modified().ok());
        // A run that could not begin has said why, and left no profile; nor does one that was ended at once.
        let may_leave_none = status == exit_status::FAILURE || requests.count() > 1;
        if after.is_none() || may_leave_none && after == before {
            return Ok(status);
        }
        let page = self.render_stored(&profile)?;
        profile_file::write(Some(&self.path), page.as_bytes())?;
        Ok(status)
    }

    fn render_stored(&self, path: &Path) -> Result<String, Failure> {
        let unreadable = |error: &dyn std::fmt::Display| {
            Failure::other(format!("the profile {} cannot be read again: {error}", path.display()))
        };
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let profile = read_profile(BufReader::new(file)).map_err(|error| unreadable(&error))?;
        let options = (&self.options, Some(self.path.as_path()));
        render_page(&profile, options, Some(&self.described), &Exclusions::new())
    }
}
