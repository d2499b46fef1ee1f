//! `gentool verify`

use std::path::PathBuf;

use isac_ir::Model;
use sim_profile::flow::{Finding, verify, verify_calls};
use sim_profile::{Profile, StaticFacts, render_verification};
use sim_runtime::launcher::exit_status;
use sim_runtime::record::{KeyDecoder, static_table};

use super::flow_report::Flow;
use super::program_report::ImageOptions;
use super::reachable_code::ModelOptions;
use super::{Failure, print, profile_file};

/// Check whether a stored profile can be what a run did.
///
/// Control has to come to every block as often as it leaves it, and only to where instructions lead; cycles
/// have to add up to those of the run, the instruction tree to the instructions, and calls to what functions
/// cost and to how often control went there. With --model, instructions have to be those of the description.
/// Every function gets a word; where something is wrong, the exit status is 125.
///
/// Example: gentool verify run.profile
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` or `gentool merge` has written.
    #[arg(value_name = "PROFILE")]
    profile: PathBuf,

    #[command(flatten)]
    files: ImageOptions,

    #[command(flatten)]
    model: ModelOptions,

    /// Take it for an error, too, if control goes on where no instruction has led: for models whose
    /// processors know no interrupts.
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let profile = profile_file::read(&options.profile)?;
    let model = options.model.load(&profile)?;
    let flow = Flow::of(&profile, &options.files, &options.model)?;
    // Each part of a run begins somewhere, too.
    let runs = profile.provenance.runs.saturating_add(profile.provenance.parts.unwrap_or(0));
    let mut findings =
        verify(&profile.measurement, (runs, beginning_of(&profile)), &flow.program, &flow.routines);
    if let Some((_, model)) = model {
        findings.extend(verify_instructions(&model, &profile));
    }
    findings.extend(verify_calls(&profile, &|address, function| flow.may_be_of(address, function)));
    findings.sort_by_key(Finding::address);
    let is_error = |finding: &Finding| options.strict || finding.is_error();
    let text = render_verification(&flow.program, &flow.routines, &findings, is_error, &flow.places());
    let status = print(&text)?;
    match findings.iter().any(is_error) {
        true => Ok(exit_status::FAILURE),
        false => Ok(status),
    }
}

/// The address of the first instruction, if the file that was run tells it.
fn beginning_of(profile: &Profile) -> Option<u64> {
    let cells = profile.measurement.tables.code;
    let entry = profile.provenance.images.first()?.entry?;
    Some(entry.checked_sub(cells.low)? / cells.cell_bytes.max(1))
}

/// Whether instructions are what the description decodes of their words.
fn verify_instructions(model: &Model, profile: &Profile) -> Vec<Finding> {
    let decoder = KeyDecoder::new(model);
    let mut findings = Vec::new();
    for (key, record) in &profile.measurement.instructions {
        if decoder.decode(key, &record.name).is_none() {
            findings.push(Finding::Instruction {
                address: key.address,
                word: key.word,
                what: "name",
                told: record.name.clone(),
                expected: decoder.name_of(key).unwrap_or_else(|| "no instruction".to_owned()),
            });
        }
    }
    let expected = static_table(model, &profile.measurement);
    let text = |facts: Option<&StaticFacts>| facts.and_then(|facts| facts.text.clone()).unwrap_or_default();
    // Instructions of another name have been told already.
    for (key, facts) in expected.iter().filter(|_| !profile.statics.is_empty()) {
        let (told, expected) = (text(profile.statics.get(key)), text(Some(facts)));
        if told != expected {
            let (address, word) = (key.address, key.word);
            findings.push(Finding::Instruction { address, word, what: "text", told, expected });
        }
    }
    findings
}
