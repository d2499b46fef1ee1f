//! What the documents show is what happens: descriptions compile, programs print what is shown,
//! reports hold what is excerpted, codes are those of the tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gentool::lower::lower_model;
use isac::simulators::{rv32im, tiny8};
use isac_ir::Model;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Severity, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::Engine;
use sim_runtime::launcher::{LaunchInfo, ProgramFormat, RunOptions, SampleChecks, SampleCode, Stdio, launch};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::trace::CycleWindow;

/// The documents whose blocks are looked at.
const DOCUMENTS: [&str; 7] = [
    "README.md",
    "docs/language.md",
    "docs/pipelines.md",
    "docs/report.md",
    "docs/flow.md",
    "docs/profile.md",
    "docs/command-line.md",
];

/// A fenced block of a document.
struct Block {
    /// Document and line, to find it.
    place: String,
    /// What stands behind the fence.
    kind: String,
    text: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the document can be read")
}

fn blocks(path: &str) -> Vec<Block> {
    let text = read(path);
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (line, content) in (1..).zip(text.lines()) {
        match (&mut open, content.strip_prefix("```")) {
            (None, Some(kind)) => {
                open = Some(Block {
                    place: format!("{path}:{line}"),
                    kind: kind.to_owned(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text += &format!("{content}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{path}: a block does not end");
    found
}

/// The blocks of a kind in one document.
fn blocks_of(path: &str, kind: &str) -> Vec<Block> {
    blocks(path).into_iter().filter(|block| block.kind == kind).collect()
}

/// The lowered model, if there is one, with all findings.
fn load(text: &str) -> (Option<Model>, Diagnostics, String) {
    let loader = InMemory::new([("example.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked =
        load_model(Path::new("example.isac"), &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let model = checked.map(|checked| lower_model(&checked, &sources, "example"));
    assert_eq!(model.as_ref().map(verify_model), model.as_ref().map(|_| Ok(())), "{text}");
    let rendered = findings.render(&sources, Style::Plain);
    (model, findings, rendered)
}

/// A part of a description with the manual's frame around it.
fn framed(part: &str) -> String {
    let frame = blocks_of("docs/language.md", "isac,frame").remove(0).text;
    let group = match part.contains("GROUP instr") {
        true => "",
        false => "GROUP instr = nop;\nOPERATION nop { CODING { 0b00000000 }; };\n",
    };
    format!("{frame}{group}{part}")
}

/// The codes of the findings of one kind that a description is answered with.
fn codes_of(text: &str, severity: Severity) -> BTreeSet<String> {
    let (_, findings, _) = load(text);
    let found = findings.iter().filter(|finding| finding.severity == severity);
    found.map(|finding| finding.code.to_string()).collect()
}

/// Warnings that only say that a part does not use all of the frame.
const UNUSED: [&str; 3] = ["W0201", "W0202", "W0401"];

#[test]
fn every_description_in_the_documents_is_what_it_is_said_to_be() {
    let mut seen = 0;
    for block in DOCUMENTS.into_iter().flat_map(blocks) {
        let Some(claim) = block.kind.strip_prefix("isac") else { continue };
        let place = &block.place;
        seen += 1;
        match claim.strip_prefix(',') {
            None => {
                let (_, findings, rendered) = load(&block.text);
                assert!(findings.is_empty(), "{place} has findings\n{rendered}");
            }
            Some("frame") => {}
            Some("part") => {
                let (_, findings, rendered) = load(&framed(&block.text));
                let other = findings.iter().find(|finding| !UNUSED.contains(&finding.code.0));
                assert!(other.is_none(), "{place} is not sound in its frame\n{rendered}");
            }
            Some(code) => {
                let severity = if code.starts_with('W') { Severity::Warning } else { Severity::Error };
                let mut codes = codes_of(&framed(&block.text), severity);
                codes.retain(|found| found == code || !UNUSED.contains(&found.as_str()));
                assert_eq!(codes, BTreeSet::from([code.to_owned()]), "{place}");
            }
        }
    }
    assert!(seen > 15, "the documents have examples");
}

/// A description with a snippet at a place of the manual's table.
fn probe(place: &str, snippet: &str) -> String {
    let operation = |sections: &str| {
        format!("GROUP instr = probe;\nOPERATION probe {{ INSTANCE reg ALIAS {{ r }}; {sections} }};\n")
    };
    let later = "OPERATION later { BEHAVIOR { pc = 0; }; };";
    framed(&match place {
        "file" => snippet.to_owned(),
        "resource" => format!("RESOURCE {{ {snippet} }};"),
        "operation" => operation(&format!("CODING {{ 0b000 r }}; {snippet}")),
        "coding" => operation(&format!("CODING {{ r 0b000 {snippet} }};")),
        "behavior" => operation(&format!("CODING {{ 0b000 r }}; BEHAVIOR {{ {snippet} }};")),
        "activation" => operation(&format!("CODING {{ 0b000 r }}; ACTIVATION {{ {snippet} }};")) + later,
        "root" => operation(&format!("CODING {{ 0b000 r }}; CODINGROOT {{ {snippet} }};")),
        other => panic!("the table has no place `{other}`"),
    })
}

#[test]
fn what_is_not_supported_yet_is_answered_by_its_code() {
    let manual = read("docs/language.md");
    let rows: Vec<Vec<&str>> = manual
        .lines()
        .filter(|line| line.contains("| E09"))
        .map(|line| line.trim_matches('|').splitn(4, '|').map(str::trim).collect())
        .filter(|row: &Vec<&str>| row.len() == 4)
        .collect();
    assert!(!rows.is_empty(), "the table is found");
    for row in rows {
        let snippet = row[3].trim_matches('`');
        let codes = codes_of(&probe(row[2], snippet), Severity::Error);
        assert!(codes.contains(row[1]), "{}: {codes:?}", row[0]);
    }
}

/// Codes with what they say, as a source defines them: doc lines, then the code in quotes.
fn defined_codes(path: &str) -> Vec<(String, String)> {
    let (mut found, mut doc) = (Vec::new(), Vec::new());
    for line in read(path).lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            doc.push(text.to_owned());
        } else if let Some(code) = line.split('"').nth(1).filter(|_| line.contains(" = ")) {
            let says = doc.join(" ");
            found.push((code.to_owned(), says.trim_end_matches('.').to_lowercase()));
            doc.clear();
        } else {
            doc.clear();
        }
    }
    found
}

#[test]
fn the_manual_says_of_every_code_what_its_definition_says() {
    let sources = ["isac-parser/src/parse/code.rs", "isac-parser/src/resolve/code.rs"];
    let defined: Vec<_> = sources.into_iter().flat_map(defined_codes).collect();
    assert!(defined.len() > 80, "the definitions are found");
    let manual = read("docs/language.md");
    let table = manual.split("## Codes").nth(1).expect("the manual has a chapter of codes");
    let rows =
        table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let rows = rows.filter(|(code, _)| *code != "code");
    let rows: Vec<_> = rows.map(|(code, says)| (code.to_owned(), says.to_lowercase())).collect();
    assert_eq!(rows, defined);
}

#[test]
fn a_code_means_one_thing() {
    let sources = ["isac-parser/src/parse/code.rs", "isac-parser/src/resolve/code.rs"];
    let mut codes: Vec<String> = sources.into_iter().flat_map(defined_codes).map(|(code, _)| code).collect();
    codes.sort();
    let twice: Vec<&[String]> = codes.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert_eq!(twice, Vec::<&[String]>::new());
}

/// The strings between two marks of a source.
fn strings_of(path: &str, from: &str, to: &str) -> Vec<String> {
    let text = read(path);
    let rest = text.split_once(from).unwrap_or_else(|| panic!("{path} has no `{from}`")).1;
    let list = rest.split_once(to).unwrap_or_else(|| panic!("{path} has no `{to}` behind `{from}`")).0;
    let found: Vec<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(!found.is_empty(), "{path}: `{from}` lists something");
    found
}

/// A chapter of the manual.
fn chapter(title: &str) -> String {
    let manual = read("docs/language.md");
    let rest =
        manual.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no chapter {title}")).1;
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

#[test]
fn the_manual_lists_the_reserved_words() {
    let reserved = strings_of("isac-parser/src/grammar.pest", "reserved = _{", "}");
    let text = chapter("Text");
    let listed = text.split_once("Reserved words: `").expect("the list is there").1;
    let listed: Vec<&str> = listed.split('`').next().unwrap_or_default().split(' ').collect();
    assert_eq!(listed, reserved);
}

#[test]
fn the_manual_has_every_option_format_and_built_in() {
    let (resolve, typing) = ("isac-parser/src/resolve", "isac-parser/src/resolve/typing");
    let lists = [
        (format!("{resolve}/target.rs"), "const FIELDS", "TARGET", "`", " ("),
        (format!("{resolve}/memory.rs"), "const RAM_OPTIONS", "RESOURCE", "`", " ("),
        (format!("{resolve}/cache.rs"), "const CACHE_OPTIONS", "RESOURCE", " ", " ("),
        (format!("{resolve}/cache.rs"), "const KINDS", "RESOURCE", "| ", " |"),
        (format!("{resolve}/format.rs"), "const FORMATS", "Assembler texts", "`#", ""),
        (format!("{typing}/call.rs"), "const BUILTINS", "Built-ins", "`", "("),
        (format!("{typing}/service.rs"), "const SERVICES", "Pipelines", "| `pipe.", "("),
    ];
    for (path, list, title, before, after) in lists {
        let text = chapter(title);
        for word in strings_of(&path, list, ";\n") {
            assert!(
                text.contains(&format!("{before}{word}{after}")),
                "{title}: `{word}` of {path} is missing"
            );
        }
    }
}

/// The options of a run that leaves a report.
fn options(program: PathBuf, report: PathBuf) -> RunOptions {
    RunOptions {
        program,
        arguments: Vec::new(),
        report: Some(report),
        profile: None,
        snapshot_every: None,
        snapshot_at: Vec::new(),
        snapshot_apart: false,
        count_from: Vec::new(),
        count_until: Vec::new(),
        events: None,
        pipeline_trace: None,
        pipeline_window: CycleWindow { first: 1, count: 1 },
        pipeline_diagram: None,
        dump_state: None,
        values: None,
        values_at: Vec::new(),
        values_of: Vec::new(),
        stats: false,
        caches: false,
        images: Vec::new(),
        calls: false,
        sample: None,
        sample_random: None,
        sample_burst: None,
        sample_checks: SampleChecks::Both,
        sample_only: None,
        sample_code: SampleCode::Partial,
        sample_timer: None,
        limit_instructions: Some(100_000_000),
        limit_cycles: None,
        timeout: None,
        root: None,
        seed: 0,
        clock_hz: 1_000_000_000,
        format: ProgramFormat::Auto,
        raw: None,
        pc: None,
        set: Vec::new(),
    }
}

/// Output, report and status of a program.
fn run(engine: &mut dyn Engine, model: &Model, program: &Path) -> (String, String, i32) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let report = folder.path().join("report.xml");
    let (stdio, output, errors) = Stdio::captured(b"");
    let info = LaunchInfo::of_model(model, "test", "");
    let status = launch(engine, &info, &options(program.to_owned(), report.clone()), stdio);
    assert_eq!(String::from_utf8_lossy(&errors.bytes()), "", "the run has no messages");
    let report = fs::read_to_string(report).expect("the run leaves a report");
    (String::from_utf8_lossy(&output.bytes()).into_owned(), report, status)
}

/// Asserts that a report holds an excerpt; a line `...` stands for any lines.
fn assert_excerpt(report: &str, block: &Block) {
    let mut rest = report;
    for part in block.text.split("...\n") {
        let Some(at) = rest.find(part) else {
            panic!("{}: the report does not hold\n{part}", block.place);
        };
        rest = &rest[at + part.len()..];
    }
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_first_command_of_the_readme_prints_and_reports_what_is_shown() {
    let program = repository("models/rv32im/programs/crc32.elf");
    let (output, report, status) = run(&mut *rv32im::engine(true), rv32im::model(), &program);
    let shown = blocks_of("README.md", "text");
    assert_eq!((output.as_str(), status), (shown[0].text.as_str(), 0));
    let excerpts = blocks_of("README.md", "xml");
    assert_eq!(excerpts.len(), 2);
    excerpts.iter().for_each(|excerpt| assert_excerpt(&report, excerpt));
}

#[test]
fn the_first_description_of_the_readme_runs_its_program() {
    let description = blocks_of("README.md", "isac").remove(0).text;
    let (model, ..) = load(&description);
    let model = model.expect("the description is sound");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("first.bin");
    fs::write(&program, first_program()).expect("the program can be written");
    let (output, _, status) = run(&mut ReferenceEngine::new(&model).with_profile(), &model, &program);
    let shown = blocks_of("README.md", "text");
    assert_eq!((output.as_str(), status), (shown[1].text.as_str(), 0));
}

/// The bytes that the README's `printf` writes: octal escapes.
fn first_program() -> Vec<u8> {
    let commands = blocks_of("README.md", "sh").remove(1).text;
    let escapes = commands.split('\'').nth(1).expect("the bytes stand in quotes");
    let digits = escapes.split('\\').skip(1);
    digits.map(|octal| u8::from_str_radix(octal, 8).expect("octal digits")).collect()
}

#[test]
fn the_report_that_is_explained_is_the_one_that_is_made() {
    let program = repository("models/tiny8/programs/sum.bin");
    let (_, report, status) = run(&mut *tiny8::engine(true), tiny8::model(), &program);
    assert_eq!(status, 55);
    let excerpts = blocks_of("docs/report.md", "xml");
    assert!(excerpts.len() >= 8);
    excerpts.iter().for_each(|excerpt| assert_excerpt(&report, excerpt));
}

/// Status of a small program on the reference engine.
fn status_of(description: &str, program: &[u8]) -> i32 {
    let (model, _, rendered) = load(description);
    let model = model.unwrap_or_else(|| panic!("{rendered}"));
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("program.bin");
    fs::write(&path, program).expect("the program can be written");
    run(&mut ReferenceEngine::new(&model).with_profile(), &model, &path).2
}

#[test]
fn reset_runs_before_the_first_cycle() {
    let description = framed(
        "GROUP instr = stop; OPERATION stop { CODING { 0b00000000 }; BEHAVIOR { halt(x[1]); }; };
         OPERATION reset { BEHAVIOR { x[1] = 7; }; };",
    );
    assert_eq!(status_of(&description, &[0]), 7);
}

#[test]
fn every_link_leads_to_a_file() {
    let mut documents: Vec<String> =
        DOCUMENTS.into_iter().chain(["ARCHITECTURE.md"]).map(str::to_owned).collect();
    let decisions = fs::read_dir(repository("docs/decisions")).expect("the decisions can be read");
    for entry in decisions {
        let name = entry.expect("an entry").file_name();
        documents.push(format!("docs/decisions/{}", name.to_string_lossy()));
    }
    documents.sort();
    for document in documents {
        let text = read(&document);
        let folder = repository(&document).parent().map(Path::to_owned).unwrap_or_default();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if path.is_empty() || link.starts_with("http") {
                continue;
            }
            assert!(folder.join(path).exists(), "{document}: {link} leads nowhere");
        }
    }
}
