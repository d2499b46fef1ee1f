//! Instructions that need not be covered, each with the reason.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use sim_profile::Measurement;
use sim_profile::coverage::{Coverage, Exclusions};

use super::Failure;

/// Reads a file of lines `INSTRUCTION: REASON`.
pub(super) fn read_exclusions(path: &Path, measurement: &Measurement) -> Result<Exclusions, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::InvalidData => "it is no text; write lines INSTRUCTION: REASON in UTF-8",
            ErrorKind::IsADirectory => "name a file of lines INSTRUCTION: REASON",
            _ => "name a file that exists and that you may read",
        };
        Failure::other(format!("cannot read the exclusions {shown}: {error}; {remedy}"))
    })?;
    let unused = Coverage::of(measurement).unused;
    let mut exclusions = Exclusions::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |message: String| Failure::other(format!("{shown}:{number}: {message}"));
        let (name, reason) =
            line.split_once(':').map_or((line, ""), |(name, reason)| (name.trim(), reason.trim()));
        if reason.is_empty() {
            return Err(wrong(format!("`{name}` is excluded without a reason; write INSTRUCTION: REASON")));
        }
        let name = find(name, &measurement.tables.instructions).map_err(wrong)?;
        if !unused.contains(&name) {
            return Err(wrong(format!("{name} was executed; take it out of the exclusions")));
        }
        if exclusions.insert(name.clone(), reason.to_owned()).is_some() {
            return Err(wrong(format!("{name} is excluded twice; keep one of the lines")));
        }
    }
    Ok(exclusions)
}

/// The instruction of a name: as reports write it, or its last operation alone.
fn find(name: &str, instructions: &[String]) -> Result<String, String> {
    let last = |path: &str| path.trim_end_matches(')').trim_end_matches('(').rsplit('(').next() == Some(name);
    let found: Vec<&String> = instructions.iter().filter(|path| *path == name || last(path)).collect();
    match found[..] {
        [one] => Ok(one.clone()),
        [] => Err(format!("the instruction set has no `{name}`; write it as the report does")),
        [first, second, ..] => Err(format!("`{name}` may be {first} or {second}; write all of it")),
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn an_instruction_is_found_by_its_last_name_if_that_is_the_only_one() {
        let set = ["decode(a(add()))", "decode(b(add()))", "decode(a(sub()))"].map(str::to_owned);
        assert_eq!(find("sub", &set).as_deref(), Ok("decode(a(sub()))"));
        assert_eq!(find("decode(b(add()))", &set).as_deref(), Ok("decode(b(add()))"));
        assert!(find("add", &set).is_err() && find("b", &set).is_err());
    }
}
