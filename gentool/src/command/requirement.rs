//! What has to be covered for `gentool report` to succeed.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use sim_profile::Profile;
use sim_profile::coverage::{Coverage, Exclusions, format_percent};
use sim_profile::html::{Description, OperandCoverage};

/// The exit status if less is covered than is required.
pub(super) const UNCOVERED: i32 = 1;

/// A level of coverage, and how much of it is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Requirement {
    level: Level,
    /// Hundredths of a percent.
    least: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Instructions,
    Operands,
    Pairs,
}

/// The levels by their names.
const LEVELS: [(&str, Level); 3] =
    [("instructions", Level::Instructions), ("operands", Level::Operands), ("pairs", Level::Pairs)];

/// What a shell offers.
const OFFERED: [&str; 3] = ["instructions=100", "operands=100", "pairs=100"];

/// Reads `instructions=100` or `operands=87.5`.
pub(super) fn parse_requirement(text: &str) -> Result<Requirement, String> {
    let (name, percent) = text.split_once('=').ok_or("expected LEVEL=PERCENT, as in instructions=100")?;
    let level = LEVELS.iter().find(|(known, _)| *known == name).map(|(_, level)| *level);
    let level = level.ok_or("expected instructions, operands or pairs before the =")?;
    let wrong = || format!("`{percent}` is no percentage; write 0 to 100 with at most two decimals");
    let (whole, decimals) = percent.split_once('.').unwrap_or((percent, "0"));
    let is_number = |digits: &str, most: usize| {
        (1..=most).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_digit())
    };
    if !is_number(whole, 3) || !is_number(decimals, 2) {
        return Err(wrong());
    }
    let hundredths = format!("{whole}{decimals:0<2}").parse().map_err(|_| wrong())?;
    match hundredths {
        0..=10_000 => Ok(Requirement { level, least: hundredths }),
        _ => Err(wrong()),
    }
}

/// Reads requirements, and offers each level to a shell that completes.
#[derive(Clone)]
pub(super) struct RequirementParser;

impl TypedValueParser for RequirementParser {
    type Value = Requirement;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Requirement, clap::Error> {
        parse_requirement.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(OFFERED.into_iter().map(PossibleValue::new)))
    }
}

impl Requirement {
    /// Whether it asks for what only the description tells.
    pub(super) fn needs_description(self) -> bool {
        self.level != Level::Instructions
    }

    /// Says what is missing, if anything is. Of nothing, everything is covered.
    pub(super) fn missing(
        self,
        profile: &Profile,
        description: Option<&Description>,
        excluded: &Exclusions,
    ) -> Option<String> {
        let measurement = &profile.measurement;
        let operands =
            || description.map(|facts| OperandCoverage::of(facts, measurement)).unwrap_or_default();
        let (what, (used, total)) = match self.level {
            Level::Instructions => {
                let Coverage { used, total, .. } = Coverage::without(measurement, excluded);
                ("instructions", (used, total))
            }
            Level::Operands => ("values of operands", operands().values),
            Level::Pairs => ("pairs of values of operands", operands().pairs),
        };
        let is_covered = u128::from(used) * 10_000 >= u128::from(total) * u128::from(self.least);
        (!is_covered).then(|| {
            let (share, least) = (format_percent(used, total), format_percent(self.least, 10_000));
            format!("{used} of {total} {what} were executed, {share} %, and {least} % are required")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Requirement, parse_requirement};

    #[test]
    fn percentages_have_two_decimals() {
        let read = |text| parse_requirement(text).map(|Requirement { least, .. }| least);
        for (text, least) in [("pairs=0", 0), ("pairs=100", 10_000), ("pairs=87.5", 8_750), ("pairs=0.01", 1)]
        {
            assert_eq!(read(text), Ok(least), "{text}");
        }
        for text in [
            "pairs",
            "pairs=",
            "pairs=.5",
            "pairs=5.",
            "pairs=101",
            "pairs=100.01",
            "pairs=1.234",
            "pairs=-1",
            "all=1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(parse_requirement("operands=1").map(|found| found.level), Ok(Level::Operands));
    }
}
