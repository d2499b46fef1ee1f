//! The format of callgrind's profiles ("Callgrind Format Specification", version 1), which
//! `callgrind_annotate` and KCachegrind read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::function_names::FunctionNames;
use crate::calls::{CallCount, CallKey};
use crate::program::{Cost, ProgramProfile};
use crate::text::one_line;
use crate::{Spending, spending_of};

/// Costs of all addresses, and the calls if they were followed: instructions and cycles.
pub fn render_callgrind(profile: &ProgramProfile<'_>) -> String {
    let mut writer = Writer { profile, out: String::new(), names: FunctionNames::of(profile.program) };
    writer.write_header();
    let mut calls: BTreeMap<u32, Vec<(&CallKey, &CallCount)>> = BTreeMap::new();
    // Code without symbols is one function, as it is by address: calls within it are none.
    let is_within = |key: &CallKey| {
        let number = profile.program.function_at(key.callee);
        !profile.program.function(number).has_symbol && number == profile.program.function_at(key.caller)
    };
    let arcs = profile.calls.iter().flat_map(|calls| &calls.arcs);
    for (key, arc) in arcs.filter(|(key, _)| !is_within(key)) {
        calls.entry(profile.program.function_at(key.site)).or_default().push((key, arc));
    }
    let mut functions: BTreeMap<u32, BTreeMap<Option<u64>, Cost>> = BTreeMap::new();
    for (address, cost) in profile.paid_by_address() {
        let number = profile.function_of(address);
        functions.entry(number).or_default().entry(address).or_default().add(&cost);
    }
    for (number, costs) in &functions {
        let arcs = calls.get(number).map_or(&[][..], Vec::as_slice);
        writer.write_function(*number, costs, arcs);
    }
    writer.out
}

struct Writer<'a, 'p> {
    profile: &'a ProgramProfile<'p>,
    out: String,
    names: FunctionNames<'a>,
}

impl Writer<'_, '_> {
    fn write_header(&mut self) {
        let total = spending_of(self.profile.measurement);
        self.out.push_str("# callgrind format\nversion: 1\ncreator: gentool\n");
        let images: Vec<String> = self.profile.program.images().iter().map(|image| one_line(image)).collect();
        if !images.is_empty() {
            let _ = writeln!(self.out, "cmd: {}", images.join(" "));
        }
        for note in self.profile.program.notes() {
            let _ = writeln!(self.out, "desc: Note: {}", one_line(&note.to_string()));
        }
        let _ = write!(
            self.out,
            "positions: instr line\n\
             event: Instructions : instructions executed\nevent: Cycles : cycles taken\n\
             events: Instructions Cycles\nsummary: {} {}\n",
            total.instructions, total.cycles
        );
    }

    fn write_function(
        &mut self,
        number: u32,
        costs: &BTreeMap<Option<u64>, Cost>,
        arcs: &[(&CallKey, &CallCount)],
    ) {
        let function = self.profile.program.function(number);
        // What stands for code that is in no file has no beginning.
        let (image, file) = (self.image(number), self.file(function.image.map(|_| function.start)));
        let _ = writeln!(self.out, "\nob={image}\nfl={file}\nfn={}", self.names.number(number));
        let mut at = file;
        let mut arcs = arcs.iter().peekable();
        for (&address, cost) in costs {
            self.go_to(&mut at, address);
            let line = self.line(address);
            let position = address.unwrap_or(0);
            let _ = writeln!(self.out, "{position:#x} {line} {} {}", cost.executed, cost.cycles);
            while let Some((key, arc)) = arcs.next_if(|(key, _)| Some(key.site) <= address) {
                self.go_to(&mut at, Some(key.site));
                self.write_call(key, arc);
            }
        }
        for (key, arc) in arcs {
            self.go_to(&mut at, Some(key.site));
            self.write_call(key, arc);
        }
    }

    /// What follows belongs to the source of an address, or to none.
    fn go_to(&mut self, at: &mut String, address: Option<u64>) {
        let file = self.file(address);
        if *at != file {
            let _ = writeln!(self.out, "fi={file}");
            *at = file;
        }
    }

    fn write_call(&mut self, key: &CallKey, arc: &CallCount) {
        let callee = key.callee;
        let number = self.profile.program.function_at(callee);
        let _ = writeln!(self.out, "cob={}", self.image(number));
        let _ = writeln!(self.out, "cfi={}", self.file(Some(callee)));
        let _ = writeln!(self.out, "cfn={}", self.names.number(number));
        let _ = writeln!(self.out, "calls={} {callee:#x} {}", arc.calls, self.line(Some(callee)));
        let (site, line) = (key.site, self.line(Some(key.site)));
        // What a function spends in calls of itself it spends in the first of them; to say it again
        // would make readers count it twice.
        let is_again = self.profile.program.function_at(key.caller) == number;
        let spent = if is_again { Spending::default() } else { arc.inclusive };
        let _ = writeln!(self.out, "{site:#x} {line} {} {}", spent.instructions, spent.cycles);
    }

    fn image(&self, number: u32) -> String {
        let image = self.profile.program.function(number).image;
        let image = image.and_then(|image| self.profile.program.images().get(image as usize));
        image.map_or_else(|| "???".to_owned(), |image| one_line(image))
    }

    fn file(&self, address: Option<u64>) -> String {
        let row = address.and_then(|address| self.profile.program.row_at(address));
        row.map_or_else(|| "???".to_owned(), |row| one_line(self.profile.program.source(row.source)))
    }

    fn line(&self, address: Option<u64>) -> u32 {
        address.and_then(|address| self.profile.program.row_at(address)).map_or(0, |row| row.line)
    }
}
