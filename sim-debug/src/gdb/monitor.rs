//! Points that gdb knows nothing of: lines and operations of the description, stages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::debugger::Debugger;
use crate::stall::find_stages;

/// What `monitor break` has set.
#[derive(Default)]
pub(super) struct MonitorPoints {
    points: Vec<Point>,
    /// How many there have been.
    numbered: u64,
    /// What is said of a name that nothing has.
    pub(super) suggest: Option<Suggest>,
}

/// Which of the names that there are was probably meant by one that is none of them, as "did you mean
/// `add`?".
pub type Suggest = fn(&str, &[&str]) -> Option<String>;

struct Point {
    number: u64,
    text: String,
    statements: Vec<u32>,
    stages: BTreeSet<u32>,
}

impl MonitorPoints {
    /// Adds what `monitor break` names; what is said of it.
    pub(super) fn add(&mut self, debugger: &mut Debugger<'_>, place: &[&str]) -> Result<String, String> {
        let (mut statements, mut stages) = (Vec::new(), BTreeSet::new());
        let text = match place {
            ["operation", name] => {
                debugger.check_follows()?;
                statements = first_of_operation(debugger, name, self.suggest)?;
                format!("operation {name}")
            }
            ["operation", ..] => {
                return Err("break operation takes one name, as in `monitor break operation add`".to_owned());
            }
            ["stall"] => {
                stages = find_stages(debugger.model(), None)?;
                "stall of any stage".to_owned()
            }
            ["stall", stage] => {
                stages = find_stages(debugger.model(), Some(stage))?;
                format!("stall {stage}")
            }
            [line] => {
                debugger.check_follows()?;
                let found = debugger.statements().find_line(line)?;
                statements = found.numbers;
                found.shown
            }
            _ => return Err("write break FILE:LINE, break operation NAME or break stall [STAGE]".to_owned()),
        };
        self.numbered += 1;
        let said = format!("point {}: {text}\n", self.numbered);
        self.points.push(Point { number: self.numbered, text, statements, stages });
        self.tell(debugger)?;
        Ok(said)
    }

    /// Removes one, or all.
    pub(super) fn delete(
        &mut self,
        debugger: &mut Debugger<'_>,
        number: Option<&str>,
    ) -> Result<String, String> {
        let before = self.points.len();
        match number {
            None => self.points.clear(),
            Some(text) => self.points.retain(|point| point.number.to_string() != text),
        }
        let gone = before - self.points.len();
        if let Some(text) = number.filter(|_| gone == 0) {
            return Err(format!("there is no point {text}; `monitor points` lists them"));
        }
        self.tell(debugger)?;
        Ok(format!("{gone} removed\n"))
    }

    pub(super) fn show(&self) -> String {
        if self.points.is_empty() {
            return "there are none\n".to_owned();
        }
        self.points.iter().fold(String::new(), |mut text, point| {
            // A `String` takes every write.
            let _ = writeln!(text, "point {}: {}", point.number, point.text);
            text
        })
    }

    fn tell(&self, debugger: &mut Debugger<'_>) -> Result<(), String> {
        debugger.stop_at_stalls(self.points.iter().flat_map(|point| &point.stages).copied().collect());
        let statements = self.points.iter().flat_map(|point| &point.statements).copied().collect();
        Ok(debugger.stop_at_statements(statements)?)
    }
}

/// Where an operation begins to run.
fn first_of_operation(
    debugger: &Debugger<'_>,
    name: &str,
    suggest: Option<Suggest>,
) -> Result<Vec<u32>, String> {
    let operations = debugger.model().operations.iter();
    let known: Vec<&str> = operations.map(|operation| operation.name.as_str()).collect();
    if !known.contains(&name) {
        let near = suggest.and_then(|suggest| suggest(name, &known));
        let near = near.map(|near| format!("; {near}")).unwrap_or_default();
        return Err(format!("the model has no operation `{name}`{near}"));
    }
    let first = debugger.statements().first_of_operation(name);
    match first.is_empty() {
        true => Err(format!("operation `{name}` has nothing to run but what it leads to")),
        false => Ok(first),
    }
}
