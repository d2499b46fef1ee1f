//! `gentool explain`

use gentool::assembler::code::ALL as CODES;
use gentool::assembler::explanation::explain_assembler_code;
use isac_parser::diagnostic::Style;
use isac_parser::explanation::{UnknownCode, explain_code, list_codes};

use super::description::is_styled;
use super::{Failure, print};

/// Explain codes of errors and warnings: rule, reason, a wrong and a right example.
///
/// Those of assembler programs begin with A. Without a code all of them are listed.
/// Example: gentool explain E0410
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What stands in brackets at the beginning of a message, as E0410.
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    if options.codes.is_empty() {
        let of_descriptions = list_codes().into_iter().map(|(code, says)| format!("{code}  {says}\n"));
        let of_programs = CODES.iter().map(|(code, says)| format!("{}  {}\n", code.0, sentence(says)));
        return print(&of_descriptions.chain(of_programs).collect::<String>());
    }
    let coloured = is_styled(&std::io::stdout());
    let style = if coloured { Style::Styled } else { Style::Plain };
    let mut texts = Vec::new();
    for code in &options.codes {
        if let Some(explanation) = explain_assembler_code(code) {
            texts.push(explanation.render(style));
            continue;
        }
        let explanation = explain_code(code).map_err(|unknown| no_such_code(code, &unknown))?;
        texts.push(explanation.render(style));
    }
    print(&texts.join("\n"))
}

/// What a code is about, without blanks and full stop at the ends.
fn sentence(says: &str) -> &str {
    says.trim().trim_end_matches('.')
}

fn no_such_code(code: &str, unknown: &UnknownCode) -> Failure {
    let near: Vec<String> = unknown.near.iter().map(|code| format!("`{code}`")).collect();
    Failure::other(match near.as_slice() {
        [] => format!("there is no code `{code}`; `gentool explain` lists all of them"),
        near => format!("there is no code `{code}`; did you mean {}?", near.join(" or ")),
    })
}
