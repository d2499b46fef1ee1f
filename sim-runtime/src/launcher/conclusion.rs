//! What follows a run: how it ended, and its files.

use std::time::Duration;

use sim_profile::{CacheLines, Provenance, ValueTable};

use super::exit_status;
use super::image_check::AwaitedCode;
use super::launch_info::LaunchInfo;
use super::message::{Messages, describe_end, describe_halt};
use super::options::RunOptions;
use super::output_file::{OutputFile, Results, write_or_rescue};
use super::parts::Parts;
use super::progress::mips;
use super::run::End;
use super::snapshot::Snapshots;
use super::start::{Started, read_program};
use super::state_dump::dump_state;
use super::symbol_files::{images_of, read_image_files};
use crate::engine::{CacheStatistics, Engine};
use crate::host::Host;
use crate::record::function_at;

/// What follows a run.
pub(super) struct Conclusion<'a> {
    pub(super) engine: &'a mut dyn Engine,
    pub(super) info: &'a LaunchInfo,
    pub(super) options: &'a RunOptions,
    pub(super) messages: Messages,
    pub(super) snapshots: Snapshots,
    pub(super) parts: Parts,
    pub(super) awaited: Vec<AwaitedCode>,
}

impl Conclusion<'_> {
    pub(super) fn warn(&mut self, warning: &str) {
        self.messages.line(&format!("warning: {warning}"));
    }

    /// Says how the run ended, writes all files and gives the exit status.
    pub(super) fn finish(
        &mut self,
        started: Started,
        (end, elapsed): (End, Duration),
        outputs: &[OutputFile<'_>],
    ) -> i32 {
        let Started { mut host, image, .. } = started;
        self.tell(&mut host, end, elapsed);
        for awaited in std::mem::take(&mut self.awaited) {
            let warning = awaited.check(self.engine.machine(), self.info);
            warning.iter().for_each(|warning| self.warn(warning));
        }
        let provenance = Provenance {
            engines: [self.info.engine.clone()].into(),
            mode: self.options.mode(),
            runs: 1,
            parts: None,
            host_nanoseconds: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            model_digest: self.info.model_digest.clone(),
            images: vec![image],
            programs: Vec::new(),
        };
        let failures = &self.snapshots.failures;
        failures.summary().iter().for_each(|summary| self.messages.error(summary));
        let failed = !failures.is_empty();
        let written = self.write_outputs(outputs, provenance) && !failed;
        match end {
            _ if !written || host.flush().is_err() => exit_status::FAILURE,
            End::Exited(status) => status & 0xff,
            End::Fault(_) => exit_status::FAULT,
            End::InstructionLimit(_)
            | End::CycleLimit(_)
            | End::Interrupted(_)
            | End::InterruptedWithin(_) => exit_status::LIMIT,
        }
    }

    /// Sends out the rest of the guest's output, then says how the run ended.
    fn tell(&mut self, host: &mut Host, end: End, elapsed: Duration) {
        if let Err(error) = host.flush() {
            self.messages.error(&error);
        }
        let function = match end {
            End::Fault(fault) => self.function_at(fault.instruction_address),
            _ => None,
        };
        let whose = (end, function.as_deref());
        for line in describe_end(self.engine, self.info, whose, self.options.timeout) {
            self.messages.line(&line);
        }
        if let (End::Exited(status), Some(explanation)) = (end, host.explanation()) {
            let function = self.function_at(explanation.address);
            for line in describe_halt(self.info, status, explanation, function.as_deref()) {
                self.messages.line(&line);
            }
        }
        for address in self.snapshots.awaited() {
            let given = self.options.pauses().join(", ");
            let digits = self.info.pc.width_bits.div_ceil(4) as usize + 2;
            self.messages.line(&format!("note: the run has not come to {address:#0digits$x} ({given})"));
        }
        if let Some(path) = self.snapshots.find_left_over() {
            let path = path.display();
            self.messages.line(&format!(
                "note: {path} is a snapshot of an earlier run, behind the last one of this; remove it and those behind it"
            ));
        }
        if self.options.has_chosen_values() && self.engine.values().is_some_and(ValueTable::is_empty) {
            self.messages
                .line("note: no instruction of --values-at and --values-of was counted: there are no values");
        }
        if self.options.stats {
            let instructions = self.engine.instructions();
            self.messages.line(&format!(
                "{instructions} instructions, {} cycles, {:.3} seconds, {:.1} MIPS",
                self.engine.cycles(),
                elapsed.as_secs_f64(),
                mips(instructions, elapsed)
            ));
            let summaries = [self.snapshots.summary(), self.parts.summary()];
            summaries.iter().flatten().for_each(|summary| self.messages.line(summary));
            self.engine.statistics().iter().for_each(|line| self.messages.line(line));
            for CacheStatistics { name, lines } in self.engine.caches() {
                let CacheLines { hits, misses, write_backs } = lines;
                let line = format!("{name}: {hits} hits, {misses} misses, {write_backs} lines written back");
                self.messages.line(&line);
            }
        }
    }

    /// The function of the program that an address belongs to, if its file tells.
    fn function_at(&self, address: u64) -> Option<String> {
        let program = read_program(&self.options.program).ok()?;
        let files = read_image_files(self.options).ok()?;
        function_at(self.engine.model()?, &images_of(&program, &files), address)
    }

    /// Writes all files, each independently of the others; false if one failed.
    fn write_outputs(&mut self, outputs: &[OutputFile<'_>], provenance: Provenance) -> bool {
        let mut results = Vec::new();
        if let Some(path) = &self.options.dump_state {
            let text = dump_state(self.engine, self.info);
            results.push(write_or_rescue("final state", path, text.as_bytes()));
        }
        if !outputs.is_empty() {
            match self.parts.profile(self.engine, provenance) {
                Ok(profile) => {
                    let made = Results {
                        profile: &profile,
                        values: self.engine.values(),
                        model: self.engine.model(),
                    };
                    results.extend(outputs.iter().map(|output| write_output(output, &made)));
                }
                Err(error) => results.push(Err(error)),
            }
        }
        let mut written = true;
        for error in results.into_iter().filter_map(Result::err) {
            self.messages.error(&error);
            written = false;
        }
        written
    }
}

fn write_output(output: &OutputFile<'_>, results: &Results<'_>) -> Result<(), String> {
    let bytes = (output.render)(results)
        .map_err(|error| format!("the {} could not be made: {error}", output.what))?;
    write_or_rescue(output.what, &output.path, &bytes)
}
