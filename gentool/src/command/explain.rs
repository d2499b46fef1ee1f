//! `gentool explain`

use std::io::IsTerminal;

use isac_parser::diagnostic::Style;
use isac_parser::explanation::{UnknownCode, explain_code, list_codes};

use super::{Failure, print};

/// Explain codes of errors and warnings: rule, reason, a wrong and a right example.
///
/// Without a code all of them are listed. Example: gentool explain E0410
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What stands in brackets at the beginning of a message, as E0410.
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    if options.codes.is_empty() {
        let lines = list_codes().into_iter().map(|(code, says)| format!("{code}  {says}\n"));
        return print(&lines.collect::<String>());
    }
    let coloured =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let style = if coloured { Style::Styled } else { Style::Plain };
    let mut texts = Vec::new();
    for code in &options.codes {
        let explanation = explain_code(code).map_err(|unknown| no_such_code(code, &unknown))?;
        texts.push(explanation.render(style));
    }
    print(&texts.join("\n"))
}

fn no_such_code(code: &str, unknown: &UnknownCode) -> Failure {
    let near: Vec<String> = unknown.near.iter().map(|code| format!("`{code}`")).collect();
    Failure::other(match near.as_slice() {
        [] => format!("there is no code `{code}`; `gentool explain` lists all of them"),
        near => format!("there is no code `{code}`; did you mean {}?", near.join(" or ")),
    })
}
