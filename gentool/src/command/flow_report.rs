//! The flow of control of a profile, for the reports that show it.

use sim_profile::flow::{Parts, ProgramFlow, RoutineFlow, routine_flows};
use sim_profile::{ControlTable, Profile, render_estimates, render_flow_dot};

use super::Failure;

/// What ran, and its functions.
pub(super) struct Flow<'a> {
    profile: &'a Profile,
    pub(super) program: ProgramFlow,
    pub(super) routines: Vec<RoutineFlow>,
    parts: Parts,
}

impl<'a> Flow<'a> {
    pub(super) fn of(profile: &'a Profile) -> Flow<'a> {
        let measurement = &profile.measurement;
        let control = ControlTable::new();
        let program = ProgramFlow::of(measurement, &control);
        let parts = Parts::of(&program);
        let routines = routine_flows(&program, measurement, &control, |address| parts.part_of(address));
        Flow { profile, program, routines, parts }
    }

    /// The number of the function that an address is in.
    pub(super) fn part_of(&self, address: u64) -> u32 {
        self.parts.part_of(address)
    }

    /// The address at which a function begins.
    pub(super) fn name_of(&self, part: u32) -> String {
        let beginning = self.parts.beginning(part).unwrap_or_default();
        self.profile.measurement.tables.format_address(beginning)
    }

    /// What can be guessed against what was measured.
    pub(super) fn estimates(&self) -> String {
        let tables = &self.profile.measurement.tables;
        render_estimates(&self.program, &self.routines, tables, |part| self.name_of(part))
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
        Ok(render_flow_dot(&self.program, routine, &self.name_of(routine.part), tables))
    }
}
