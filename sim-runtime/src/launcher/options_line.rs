//! The options of a run as a command line, to hand them on.

use std::ffi::OsString;
use std::path::PathBuf;

use super::options::{ProgramFormat, RunOptions};
use super::sample_choice::SampleChecks;
use crate::trace::CycleWindow;

impl RunOptions {
    /// The same options as a command line: parsed again, they give the same.
    #[must_use]
    pub fn to_arguments(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = Vec::new();
        let files = [
            ("--report", &self.report),
            ("--profile", &self.profile),
            ("--events", &self.events),
            ("--pipeline-trace", &self.pipeline_trace),
            ("--dump-state", &self.dump_state),
            ("--values", &self.values),
            ("--root", &self.root),
        ];
        for (name, file) in files {
            if let Some(file) = file {
                line.extend([OsString::from(name), file.into()]);
            }
        }
        let limits = [
            ("--limit-instructions", self.limit_instructions),
            ("--limit-cycles", self.limit_cycles),
            ("--pc", self.pc),
            ("--sample", self.sample),
            ("--sample-random", self.sample_random),
            ("--sample-burst", self.sample_burst),
            ("--sample-timer", self.sample_timer),
        ];
        for (name, number) in limits {
            if let Some(number) = number {
                line.extend([OsString::from(name), number.to_string().into()]);
            }
        }
        let windows = [
            ("--pipeline-window", self.pipeline_trace.as_ref().map(|_| self.pipeline_window)),
            ("--pipeline-diagram", self.pipeline_diagram),
        ];
        for (name, window) in windows {
            if let Some(CycleWindow { first, count }) = window {
                line.extend([OsString::from(name), format!("{first}:{count}").into()]);
            }
        }
        if let Some(interval) = self.snapshot_every {
            line.extend([OsString::from("--snapshot-every"), interval.to_string().into()]);
        }
        let places = [
            ("--snapshot-at", &self.snapshot_at),
            ("--count-from", &self.count_from),
            ("--count-until", &self.count_until),
            ("--values-at", &self.values_at),
            ("--values-of", &self.values_of),
        ];
        for (name, places) in places {
            line.extend(places.iter().map(|place| format!("{name}={place}").into()));
        }
        if let Some(only) = self.sample_only {
            line.push(format!("--sample-only={only}").into());
            line.push(format!("--sample-code={}", self.sample_code).into());
        }
        if self.sample_checks != SampleChecks::Both {
            line.push(format!("--sample-checks={}", self.sample_checks).into());
        }
        if self.snapshot_apart {
            line.push("--snapshot-apart".into());
        }
        if let Some(seconds) = self.timeout {
            line.extend([OsString::from("--timeout"), seconds.to_string().into()]);
        }
        if self.stats {
            line.push("--stats".into());
        }
        if self.caches {
            line.push("--caches".into());
        }
        if self.calls {
            line.push("--calls".into());
        }
        line.extend(self.images.iter().map(|image| format!("--image={image}").into()));
        line.push(format!("--seed={}", self.seed).into());
        line.push(format!("--clock-hz={}", self.clock_hz).into());
        let format = match self.format {
            ProgramFormat::Auto => "auto",
            ProgramFormat::Elf => "elf",
            ProgramFormat::Ihex => "ihex",
            ProgramFormat::Srec => "srec",
            ProgramFormat::Raw => "raw",
        };
        line.push(format!("--format={format}").into());
        match self.raw {
            Some(Some(address)) => line.push(format!("--raw={address}").into()),
            Some(None) => line.push("--raw".into()),
            None => {}
        }
        line.extend(self.set.iter().map(|assignment| format!("--set={assignment}").into()));
        // The program comes by itself at the end, so that its name may begin with a hyphen.
        let program = self.program.as_os_str();
        let hyphen = program.to_string_lossy().starts_with('-');
        line.push(if hyphen { PathBuf::from(".").join(program).into() } else { program.into() });
        if !self.arguments.is_empty() {
            line.push("--".into());
            line.extend(self.arguments.iter().map(OsString::from));
        }
        line
    }
}
