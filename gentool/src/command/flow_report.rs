//! The flow of control of a profile, for the reports that show it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sim_profile::flow::{Parts, ProgramFlow, RoutineFlow, routine_flows};
use sim_profile::program::Program;
use sim_profile::program::render::FunctionNames;
use sim_profile::{Places, Profile, control_table, render_estimates, render_flow_dot};

use super::Failure;
use super::program_report::{ImageOptions, tell_notes};
use super::reachable_code::{ModelOptions, ReachableCode};

/// What ran, and its functions.
pub(super) struct Flow<'a> {
    profile: &'a Profile,
    pub(super) program: ProgramFlow,
    pub(super) routines: Vec<RoutineFlow>,
    functions: Functions,
}

/// Who says where functions are.
enum Functions {
    /// The files that were run.
    Symbols(Program),
    /// The calls.
    Parts(Parts),
}

impl<'a> Flow<'a> {
    /// The flow of a profile, with the functions of the files that are named, if any are; with the
    /// description also of what never ran.
    pub(super) fn of(
        profile: &'a Profile,
        files: &ImageOptions,
        model: &ModelOptions,
    ) -> Result<Flow<'a>, Failure> {
        let measurement = &profile.measurement;
        let symbols = files.read_program(profile)?;
        symbols.iter().for_each(tell_notes);
        let ReachableCode { sizes, mut statics } = model.read_code(profile, files, symbols.as_ref())?;
        statics.extend(profile.statics.iter().map(|(key, facts)| (*key, facts.clone())));
        let control = control_table(&statics);
        let boundaries = symbols.as_ref().map_or_else(Vec::new, Program::boundaries);
        let program = ProgramFlow::with_code(measurement, &control, &sizes, &boundaries);
        let functions = match symbols {
            Some(symbols) => Functions::Symbols(symbols),
            None => Functions::Parts(Parts::of(&program)),
        };
        let part_of = |address| functions.number_at(address);
        let routines = routine_flows(&program, measurement, &control, &sizes, part_of);
        Ok(Flow { profile, program, routines, functions })
    }

    /// Whether an address may be of a function that begins at another one, as far as the files tell: of what
    /// they do not know, every address behind the beginning may be.
    pub(super) fn may_be_of(&self, address: u64, function: u64) -> bool {
        let Functions::Symbols(program) = &self.functions else { return address >= function };
        let number = program.function_at(function);
        match program.function(number).has_symbol {
            true => program.function_at(address) == number,
            // In code without symbols any address may be a function.
            false => address >= function && program.function_at(address) == number,
        }
    }

    /// What functions and lines are called.
    pub(super) fn places(&self) -> Places<'_> {
        let names = self.names();
        Places {
            function_of: Box::new(move |address| {
                self.name_of(self.functions.number_at(address), names.as_ref())
            }),
            line_of: Box::new(|address| self.line_of(address)),
        }
    }

    /// The same, where functions of one name that two runs have are called alike in both: by their source, or by
    /// their address where that tells too little.
    pub(super) fn places_with<'b>(&'b self, other: &'b Flow<'_>) -> Places<'b> {
        let both = [self.by_name(), other.by_name()];
        let all: BTreeSet<&str> = both.iter().flat_map(BTreeMap::keys).copied().collect();
        let of_name = |name: &str| both.each_ref().map(|flow| flow.get(name).map_or(&[][..], Vec::as_slice));
        let is_shared = |name: &&str| of_name(name).iter().any(|functions| functions.len() > 1);
        // By name, whether the sources tell all functions of it apart.
        let shared: BTreeMap<&str, bool> = all
            .into_iter()
            .filter(is_shared)
            .map(|name| (name, of_name(name).iter().all(|functions| are_told_apart(functions))))
            .collect();
        let name_of = move |address: u64| {
            let number = self.functions.number_at(address);
            let Functions::Symbols(program) = &self.functions else { return self.name_of(number, None) };
            let function = program.function(number);
            match (shared.get(&*function.name), source_of(program, number)) {
                (None, _) => function.name.clone(),
                (Some(true), Some(source)) => format!("{} ({source})", function.name),
                _ => format!("{} {:#x}", function.name, function.start),
            }
        };
        Places { function_of: Box::new(name_of), line_of: Box::new(|address| self.line_of(address)) }
    }

    /// The functions of each name, each by the source that it begins in.
    fn by_name(&self) -> BTreeMap<&str, Vec<Option<&str>>> {
        let mut all: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
        if let Functions::Symbols(program) = &self.functions {
            for number in program.functions_with_cells() {
                all.entry(&program.function(number).name).or_default().push(source_of(program, number));
            }
        }
        all
    }

    fn names(&self) -> Option<FunctionNames<'_>> {
        match &self.functions {
            Functions::Symbols(program) => Some(FunctionNames::of(program)),
            Functions::Parts(_) => None,
        }
    }

    /// The name of a function, or the address at which it begins.
    fn name_of(&self, part: u32, names: Option<&FunctionNames<'_>>) -> String {
        match &self.functions {
            Functions::Symbols(program) => {
                names.map_or_else(|| program.function(part).name.clone(), |names| names.number(part))
            }
            Functions::Parts(parts) => {
                let beginning = parts.beginning(part).unwrap_or_default();
                self.profile.measurement.tables.format_address(beginning)
            }
        }
    }

    /// The line that an address is of, if a file tells.
    fn line_of(&self, address: u64) -> Option<String> {
        let Functions::Symbols(program) = &self.functions else { return None };
        let row = program.row_at(address)?;
        Some(format!("{}:{}", program.source(row.source), row.line))
    }

    /// What can be guessed against what was measured.
    pub(super) fn estimates(&self) -> String {
        let tables = &self.profile.measurement.tables;
        let names = self.names();
        render_estimates(&self.program, &self.routines, tables, |part| self.name_of(part, names.as_ref()))
    }

    /// The graph of the function that an address is in; of the one that ran most if none is given.
    pub(super) fn dot(&self, address: Option<u64>) -> Result<String, Failure> {
        let cost =
            |routine: &&RoutineFlow| routine.counts.iter().fold(0_u64, |sum, &by| sum.saturating_add(by));
        let found = match address {
            None => self.routines.iter().max_by_key(cost),
            Some(address) => {
                let block = self.program.block_at(address);
                self.routines
                    .iter()
                    .find(|routine| block.is_some_and(|block| routine.blocks.contains(&block)))
            }
        };
        let Some(routine) = found else {
            return Err(Failure::other(match address {
                None => "nothing ran, so there is no graph; measure a run of a program".to_owned(),
                Some(address) => {
                    format!("no instruction ran at {address:#x}; give the address of one that did")
                }
            }));
        };
        let tables = &self.profile.measurement.tables;
        Ok(render_flow_dot(
            &self.program,
            routine,
            &self.name_of(routine.part, self.names().as_ref()),
            tables,
        ))
    }
}

impl Functions {
    fn number_at(&self, address: u64) -> u32 {
        match self {
            Functions::Symbols(program) => program.function_at(address),
            Functions::Parts(parts) => parts.part_of(address),
        }
    }
}

/// Whether all of these functions have sources, and each another one.
fn are_told_apart(sources: &[Option<&str>]) -> bool {
    let mut seen = BTreeSet::new();
    sources.iter().all(|source| source.is_some_and(|source| seen.insert(source)))
}

/// The source that a function begins in, without its folder.
fn source_of(program: &Program, number: u32) -> Option<&str> {
    let row = program.row_at(program.function(number).start)?;
    Path::new(program.source(row.source)).file_name()?.to_str()
}
