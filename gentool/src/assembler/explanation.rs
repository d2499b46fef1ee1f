//! The rule behind a code of the assembler, and a wrong and a right example.
//!
//! Each code has a file in `explanation`: a paragraph, then blocks. A block `asm,wrong` is answered by
//! this code alone, a block `asm,right` by nothing, both as programs of the small processor of
//! `frame.isac`; tests assemble both. A block `asm,file=NAME` is a file that they may include, a block
//! `isac` more of the description.

use std::path::PathBuf;

use isac_parser::diagnostic::{Code, Diagnostics, Style};
use isac_parser::explanation::{indented, wrapped};
use isac_parser::source::{InMemory, SourceMap};

use super::{Assembler, Bases, code};
use crate::lower::lower_text;

/// The description of the processor that the examples are for.
const FRAME: &str = include_str!("explanation/frame.isac");

/// A code with its rule and examples.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// What it is about, as a row of the manual's table.
    pub says: &'static str,
    /// The rule and its reason.
    pub rule: &'static str,
    /// What is answered by the code.
    pub wrong: &'static str,
    /// What is answered by nothing.
    pub right: &'static str,
    /// What the examples include, by name, and whether it is written in Latin-1.
    included: Vec<(&'static str, &'static str, bool)>,
    /// What the description has beside the frame.
    description: &'static str,
}

/// The explanation of a code, which may be written in lower case; `None` if it is none of the assembler's.
pub fn explain_assembler_code(code: &str) -> Option<Explanation> {
    let wanted = code.to_ascii_uppercase();
    let (code, text) = code::EXPLANATIONS.iter().find(|(known, _)| known.0 == wanted)?;
    let (_, says) = code::ALL.iter().find(|(known, _)| known == code)?;
    let (rule, blocks) = text.split_once("```").unwrap_or((text, ""));
    let mut found = Explanation {
        code: *code,
        says: says.trim().trim_end_matches('.'),
        rule: rule.trim(),
        wrong: "",
        right: "",
        included: Vec::new(),
        description: "",
    };
    for block in blocks.split("```") {
        let Some((head, text)) = block.split_once('\n') else { continue };
        match head {
            "asm,wrong" => found.wrong = text,
            "asm,right" => found.right = text,
            "isac" => found.description = text,
            _ => {
                if let Some(name) = head.strip_prefix("asm,file=") {
                    let plain = name.strip_suffix(",latin1");
                    found.included.push((plain.unwrap_or(name), text, plain.is_some()));
                }
            }
        }
    }
    Some(found)
}

impl Explanation {
    /// What is said of one of the examples.
    pub fn check(&self, example: &str) -> (Diagnostics, SourceMap) {
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let description = format!("{FRAME}{}", self.description);
        let Some(model) = lower_text(&description, "example", &mut sources, &mut findings) else {
            return (findings, sources);
        };
        let program = PathBuf::from("example.s");
        let latin1 = |text: &str| text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect();
        let included = self.included.iter().map(|(name, text, is_latin1)| {
            (PathBuf::from(name), if *is_latin1 { latin1(text) } else { text.as_bytes().to_vec() })
        });
        let own = [(program.clone(), example.as_bytes().to_vec())];
        let loader = InMemory::new(own.into_iter().chain(included));
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        if let Some(assembler) = Assembler::new(&model) {
            let files = [program];
            // What cannot be read is none of the examples.
            let _ = assembler.assemble(&files, Bases::default(), &loader, &mut sources, &mut findings);
        }
        (findings, sources)
    }

    /// The explanation as text, with the message that the wrong example is answered by.
    pub fn render(&self, style: Style) -> String {
        let mut text = format!("{}: {}\n\n{}", self.code, self.says, wrapped(self.rule));
        let (findings, sources) = self.check(self.wrong);
        let is_shown = |name: &str, example: &str| example.contains(&format!("\"{name}\""));
        let shown = |example: &str| {
            let included = self.included.iter().filter(|(name, ..)| is_shown(name, example));
            let included = included.map(|(name, text, _)| format!("\n{name}:\n\n{}", indented(text)));
            indented(example) + &included.collect::<String>()
        };
        text += &format!("\nWrong:\n\n{}\n{}", shown(self.wrong), findings.render(&sources, style));
        text += &format!("Right:\n\n{}", shown(self.right));
        text + "\nSaid of a program by `gentool asm`; docs/assembler.md tells how programs are written.\n"
    }
}
