//! What gdb's `monitor` shows and does.

use std::convert::Infallible;

use gdbstub::target::TargetError;

use super::target::GdbTarget;
use crate::course::How;
use crate::show::{show_pending, show_pipeline, show_profile};
use crate::show_within::{show_bodies, show_locals, show_operands, show_source};

impl GdbTarget<'_> {
    /// Has the next `continue` go by statements, if they can be followed; what is said to that.
    fn aim_within(&mut self, how: How, said: &str) -> Result<String, TargetError<Infallible>> {
        Ok(match self.debugger()?.check_follows() {
            Ok(()) => {
                self.goal = Some(how);
                said.to_owned()
            }
            Err(wrong) => format!("error: {wrong}\n"),
        })
    }

    /// What `monitor` is to do; what is said to it.
    pub(super) fn command(&mut self, line: &str) -> Result<String, TargetError<Infallible>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words[..] {
            ["pipeline"] => show_pipeline(self.debugger()?),
            ["pending"] => show_pending(self.debugger()?),
            ["profile"] => show_profile(self.debugger()?),
            ["position"] => {
                let debugger = self.debugger()?;
                format!("{} instructions, {} cycles\n", debugger.instructions(), debugger.engine.cycles())
            }
            ["goto", number] => match number.replace('_', "").parse() {
                Ok(instructions) => {
                    let debugger = self.debugger()?;
                    if instructions < debugger.instructions() && !debugger.can_go_back() {
                        return Ok(format!(
                            "error: {} instructions have ended, and this run cannot be taken back; that takes \
                             --engine reference, without --root\n",
                            debugger.instructions()
                        ));
                    }
                    self.goal = Some(How::GoTo(instructions));
                    format!("the next `continue` stops where {instructions} instructions have ended\n")
                }
                Err(_) => format!("`{number}` is no number of instructions; write digits, as in goto 1000\n"),
            },
            ["step", "cycle"] => {
                self.steps = How::StepCycle;
                "`stepi` runs one cycle from now on\n".to_owned()
            }
            ["step", "instruction"] => {
                self.steps = How::Step;
                "`stepi` runs one instruction from now on\n".to_owned()
            }
            ["statement"] => self.aim_within(
                How::Statement,
                "the next `continue` or `reverse-continue` goes by one statement of the description\n",
            )?,
            ["cycle"] => {
                self.goal = Some(How::StepCycle);
                "the next `continue` or `reverse-continue` goes by one cycle\n".to_owned()
            }
            ["over"] => self.aim_within(
                How::Over,
                "the next `continue` stops before the next statement that is no deeper\n",
            )?,
            ["out"] => self.aim_within(
                How::Out,
                "the next `continue` stops where the FUNCTION or section at hand is over\n",
            )?,
            ["goto"] => "goto takes a number of instructions, as in `monitor goto 1000`\n".to_owned(),
            ["step", ..] => "write `monitor step cycle` or `monitor step instruction`\n".to_owned(),
            ["where"] => show_bodies(self.debugger()?),
            ["locals"] => show_locals(self.debugger()?),
            ["operands"] => show_operands(self.debugger()?),
            ["source"] => show_source(self.debugger()?, 4),
            ["break", ref place @ ..] => {
                let debugger = self.debugger.as_deref_mut().ok_or(TargetError::NonFatal)?;
                said(match self.points.find(debugger, place) {
                    Ok(Some((named, text))) => self.points.add(debugger, named, text),
                    Ok(None) => Err(OF_THE_DESCRIPTION.to_owned()),
                    Err(wrong) => Err(wrong),
                })
            }
            ["points"] => self.points.show(),
            ["delete", ref numbers @ ..] => {
                let debugger = self.debugger.as_deref_mut().ok_or(TargetError::NonFatal)?;
                said(self.points.delete(debugger, numbers).map(|gone| format!("{gone} removed\n")))
            }
            [] | ["help"] => HELP.to_owned(),
            _ => format!("there is no command `{line}`\n{HELP}"),
        })
    }
}

fn said(outcome: Result<String, String>) -> String {
    outcome.unwrap_or_else(|wrong| format!("error: {wrong}\n"))
}

const OF_THE_DESCRIPTION: &str = "write monitor break FILE:LINE, monitor break operation NAME or monitor break stall \
                                  [STAGE]; addresses and symbols are for gdb's own break";

const HELP: &str = "\
monitor pipeline          instructions in flight, and stages that stand
monitor pending           what is scheduled, and when it is due
monitor profile           the sums of the run so far
monitor position          instructions that have ended, and cycles
monitor goto N            the next `continue` stops where N instructions have ended, before or behind
monitor step cycle        `stepi` runs one cycle
monitor step instruction  `stepi` runs one instruction
monitor cycle             the next `continue` or `reverse-continue` goes by one cycle
monitor statement         the next `continue` or `reverse-continue` goes by one statement of the description
monitor over, out         the next `continue` stops at a statement no deeper; where FUNCTION or section end
monitor where, source     statements that are being run; lines of the description around the innermost
monitor locals, operands  what the statement at hand sees
monitor break FILE:LINE   stops before the statements of a line of the description
monitor break operation NAME, break stall [STAGE]
                          stops before instructions with an operation; where a stage begins to stand
monitor points            what `monitor break` has set
monitor delete [N...]     no longer stops for some of it, or for all
";
