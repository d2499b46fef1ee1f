//! Sound models, broken by what is added to them: one addition for each rule that can be broken in
//! any model; each is reported with its code, in what was added.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isac_parser::diagnostic::{Diagnostic, Diagnostics, Style};
use isac_parser::source::{FileSystem, SourceLoader, SourceMap, Span};
use isac_parser::{check_coverage, load_model};

/// The files of a model, with an addition to the first.
struct Added<'a> {
    path: &'a Path,
    bytes: Vec<u8>,
}

impl SourceLoader for Added<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, std::io::Error> {
        if path == self.path { Ok(self.bytes.clone()) } else { FileSystem.load(path) }
    }
}

/// What is decoded from the first word of the model's first map.
const ROOT: &str = "OPERATION zz_root { INSTANCE zz_instr ALIAS { zz_i }; CODINGROOT { zz_i ($MAP[0]); }; };";

/// Codes with what is added; `$MAP` is the name of a map of the model, `$FILE` that of its first file.
fn additions() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> =
        SHORT.iter().map(|(code, text)| (*code, text.to_string())).collect();
    let rooted = ROOTED.iter().map(|(code, text)| (*code, format!("{ROOT}\n{text}")));
    all.extend(rooted);
    all.push(("E0104", format!("CONSTANT zz_deep = {}1{};", "(".repeat(300), ")".repeat(300))));
    all.push(("E0106", format!("FUNCTION void zz_long() {{ {} }}", " ".repeat(1 << 20))));
    let doubled = (0..20).map(|n| {
        format!("FUNCTION bit[16] zz_f{}(bit[16] a) {{ return zz_f{n}(a) + zz_f{n}(a); }}\n", n + 1)
    });
    let first = "FUNCTION bit[16] zz_f0(bit[16] a) { return a; }\n";
    all.push(("E0321", format!("{first}{}", doubled.collect::<String>())));
    let chain = (0..1200)
        .map(|n| format!("FUNCTION bit[16] zz_f{}(bit[16] a) {{ return zz_f{n}(a) + 1; }}\n", n + 1));
    all.push(("E0322", format!("{first}{}", chain.collect::<String>())));
    let nested = (0..220)
        .map(|n| format!("OPERATION zz_o{n} {{ INSTANCE zz_o{} ALIAS {{ x }}; CODING {{ x }}; }};\n", n + 1));
    let innermost = "OPERATION zz_o220 { CODING { 0bx[8] }; };";
    all.push(("E0407", format!("{}{innermost}", nested.collect::<String>())));
    let ways: String = (0..16)
        .map(|n| {
            let member = |name: &str, bit: u32| {
                format!(
                    "OPERATION zz_{name}{n} {{ INSTANCE zz_g{} ALIAS {{ x }}; CODING {{ 0b{bit} x }}; }};\n",
                    n + 1
                )
            };
            format!("GROUP zz_g{n} = zz_a{n}, zz_b{n};\n{}{}", member("a", 0), member("b", 1))
        })
        .collect();
    all.push((
        "E0413",
        format!(
            "{ROOT}\nGROUP zz_instr = zz_g0;\n{ways}GROUP zz_g16 = zz_last;
            OPERATION zz_last {{ CODING {{ 0bx[16] }}; BEHAVIOR {{ }}; }};"
        ),
    ));
    all
}

/// What is wrong by itself.
const SHORT: [(&str, &str); 49] = [
    ("E0102", "CONSTANT zz_text = \"never ends;\n"),
    ("E0103", "/* never ends"),
    ("E0107", "CONSTANT zz_number = 0b12;"),
    ("E0108", "CONSTANT zz_one = 1; CONSTANT zz_assigned = (zz_one = 2);"),
    ("E0109", "FUNCTION void zz_type() { long short v; v = v; }"),
    ("E0110", "FUNCTION void zz_word() { static = 1; }"),
    ("E0113", "INCLUDE \"$FILE\";"),
    ("E0302", "FUNCTION void zz_void() { } FUNCTION void zz_value() { int v = zz_void(); v = v; }"),
    ("E0305", "FUNCTION void zz_const(bit[8] v) { v[v..0] = 0; }"),
    ("E0306", "FUNCTION void zz_wide() { bit[129] v = 1; v = v; }"),
    ("E0308", "FUNCTION void zz_cases(bit[8] v) { switch (v) { case 1: case 1: ; } }"),
    (
        "E0312",
        "OPERATION zz_none { INSTANCE zz_log ALIAS { l }; BEHAVIOR { int v = l; v = v; }; ACTIVATION { l; }; }; OPERATION zz_log { };",
    ),
    ("E0314", "CONSTANT zz_zero = 64 / 0;"),
    ("E0315", "FUNCTION void zz_string() { int v = \"a\"; v = v; }"),
    (
        "E0318",
        "OPERATION zz_move { INSTANCE zz_source ALIAS { s }; CODING { 0b0000 s }; BEHAVIOR { int v = s; v = v; }; }; OPERATION zz_source { REFERENCE { s }; CODING { n=0bx[4] }; EXPRESSION { s + n }; };",
    ),
    ("E0319", "RESOURCE { REGISTER bit[256] zz_v, zz_w; }; FUNCTION void zz_add() { zz_v = zz_w + 1; }"),
    (
        "E0323",
        "OPERATION zz_c { CODING { n=0bx[4] }; EXPRESSION { (bit[16])n, zz_write }; }; FUNCTION void zz_write(bit[8] v) { }",
    ),
    ("E0320", "RESOURCE { REGISTER bit[8] zz_r { RESET (0x100); }; };"),
    (
        "E0404",
        "OPERATION zz_user { INSTANCE zz_jump ALIAS { a }; CODING { 0b0 a }; }; OPERATION zz_jump { BEHAVIOR { }; };",
    ),
    (
        "E0405",
        "OPERATION zz_a { INSTANCE zz_b ALIAS { x }; CODING { 0b0 x }; }; OPERATION zz_b { INSTANCE zz_a ALIAS { y }; CODING { 0b1 y }; };",
    ),
    ("E0406", "OPERATION zz_wide { CODING { 0bx[200] 0bx[64] }; };"),
    ("E0416", "OPERATION zz_join { CODING { 0b00000001 }; ASSEMBLER { \"zz_join\" ~ }; };"),
    (
        "E0420",
        "GROUP zz_way = zz_up, zz_down; OPERATION zz_up { CODING { 0b0 }; }; OPERATION zz_down { CODING { 0b1 }; }; OPERATION zz_log { }; OPERATION zz_count { INSTANCE zz_way ALIAS { w }; CODING { 0b0 w }; ACTIVATION { SWITCH (w) { CASE zz_log: { zz_log; } DEFAULT: { } } }; };",
    ),
    (
        "E0423",
        "GROUP zz_g = zz_v, zz_z; OPERATION zz_v { CODING { 0b1 v=0bx[3] }; }; OPERATION zz_z { CODING { 0b0000 }; }; OPERATION zz_a { INSTANCE zz_g ALIAS { o }; CODING { 0b0000 o }; BEHAVIOR { int v = o.v; v = v; }; };",
    ),
    ("E0430", "OPERATION zz_when { CODING { 0b0000 n=0bx[4] }; WHEN { n + 1 == 2 }; };"),
    (
        "E0432",
        "OPERATION zz_t { INSTANCE zz_v ALIAS { v }; CODING { 0b00000001 }; TAIL { v[7..0] }; }; OPERATION zz_v { CODING { n=0bx[8] }; EXPRESSION { n }; };",
    ),
    ("E0505", "RESOURCE { REGISTER bit[8] zz_r[4]; }; FUNCTION void zz_e() { zz_r[4] = 0; }"),
    (
        "E0508",
        "RESOURCE { RAM bit[16] zz_w { SIZE (16); }; RAM bit[8] zz_b { SIZE (16); }; MEMORY_MAP zz_map { RANGE (0, 15) -> zz_w; RANGE (16, 31) -> zz_b; }; };",
    ),
    (
        "E0510",
        "RESOURCE { RAM bit[8] zz_b { SIZE (16); }; MEMORY_MAP zz_map { RANGE (0, 15) -> zz_b; }; }; FUNCTION void zz_e() { zz_map.u12[0] = 0; }",
    ),
    ("E0512", "RESOURCE { REGISTER bit[8] zz_r[4]; ALIAS bit[32] zz_pair = zz_r[1]; };"),
    ("E0513", "RESOURCE { ALIAS bit[8] zz_top = $MAP[0]; };"),
    (
        "E0514",
        "RESOURCE { MEMORY_MAP zz_io { RANGE (0, 7) -> (zz_read, zz_write); }; }; FUNCTION bit[8] zz_read(bit[16] address) { return 0; } FUNCTION void zz_write(bit[8] cell) { }",
    ),
    ("E0515", "TARGET { LOAD (0x4000, 0x407f) -> $MAP; LOAD (0x4040, 0x40ff) -> $MAP; };"),
    ("E0603", "RESOURCE { PIPELINE zz_pipe { }; };"),
    ("E0604", "RESOURCE { REGISTER bit[16] zz_r; PIPELINE zz_pipe { DC { zz_r }; EX { zz_r }; }; };"),
    (
        "E0609",
        "RESOURCE { PIPELINE zz_pipe { FE { }; EX { }; }; }; OPERATION zz_m IN zz_pipe.FE { INSTANCE zz_n ALIAS { d }; CODING { 0b00000 d }; BEHAVIOR { int v = d; v = v; }; }; OPERATION zz_n IN zz_pipe.EX { CODING { n=0bx[3] }; EXPRESSION { n }; };",
    ),
    (
        "W0202",
        "OPERATION zz_m { INSTANCE zz_n ALIAS { d, s }; CODING { 0b00000 d }; BEHAVIOR { int v = d; v = v; }; }; OPERATION zz_n { CODING { n=0bx[3] }; EXPRESSION { n }; };",
    ),
    ("W0302", "FUNCTION bit[16] zz_positive(bit[16] v) { if (v[15] == 0) return v; }"),
    ("W0304", "FUNCTION void zz_dropped(bit[2] v) { v == 1; }"),
    ("W0305", "FUNCTION void zz_assigned(bit[2] v) { if (v = 1) v = 2; }"),
    ("E0415", "PSEUDO { \"zz_text\" } -> { \"zz_nothing\" };"),
    ("W0303", "FUNCTION void zz_dead(bit[2] v) { switch (v) { case 4: v = 1; } }"),
    // What single definitions cannot be.
    ("E0202", "CONSTANT zz_c = 1; CONSTANT zz_c = 2;"),
    ("E0304", "FUNCTION void zz_slice(bit[8] v) { v[3..9] = 1; }"),
    ("E0311", "FUNCTION void zz_print() { printf(\"%d\"); }"),
    ("E0412", "OPERATION zz_f { ASSEMBLER { \"f\" n=#Q }; CODING { 0b0000 n=0bx[4] }; };"),
    ("E0507", "RESOURCE { RAM bit[8] zz_b { SIZE (16); }; MEMORY_MAP zz_map { RANGE (9, 3) -> zz_b; }; };"),
    ("E0509", "RESOURCE { RAM bit[8] zz_b { LATENCY (1); }; };"),
    ("E0511", "RESOURCE { ALIAS bit[8] zz_a = zz_b; ALIAS bit[8] zz_b = zz_a; };"),
];

/// What is wrong where it is decoded.
const ROOTED: [(&str, &str); 13] = [
    (
        "E0317",
        "GROUP zz_instr = zz_n, zz_w; OPERATION zz_n { CODING { 0b00000000 0b00000 n=0bx[3] }; ACTIVATION { zz_s; }; }; OPERATION zz_w { CODING { 0b00000001 0b0001 n=0bx[4] }; ACTIVATION { zz_s; }; }; OPERATION zz_s { REFERENCE { n }; BEHAVIOR { int v = n; v = v; }; };",
    ),
    (
        "E0401",
        "OPERATION zz_instr { INSTANCE zz_g ALIAS { g }; CODING { 0bx[8] g }; }; GROUP zz_g = zz_a, zz_b; OPERATION zz_a { CODING { 0b00000000 }; }; OPERATION zz_b { CODING { 0b1 }; };",
    ),
    (
        "E0410",
        "GROUP zz_instr = zz_a, zz_b; OPERATION zz_a { CODING { 0b1 0bx[15] }; }; OPERATION zz_b { CODING { 0bx[15] 0b1 }; };",
    ),
    (
        "E0414",
        "GROUP zz_instr = zz_a, zz_b; OPERATION zz_a { ASSEMBLER { \"a\" n=#U }; CODING { 0b00000000 n=0bx[8] }; }; OPERATION zz_b { ASSEMBLER { \"a\" n=#U }; CODING { 0b00000001 n=0bx[8] }; };",
    ),
    (
        "E0421",
        "OPERATION zz_instr { CODING { n=0bx[16] }; }; OPERATION zz_d { INSTANCE zz_instr ALIAS { where, what }; CODINGROOT { what ($MAP[where]); where ($MAP[0]); }; };",
    ),
    (
        "E0424",
        "OPERATION zz_instr { CODING { 0bx[16] }; ACTIVATION { zz_more; }; }; OPERATION zz_more { CODINGROOT { zz_other ($MAP[0]); }; }; OPERATION zz_other { CODING { 0bx[16] }; };",
    ),
    ("E0433", "OPERATION zz_instr { CODING { 0bx[16] }; TAIL { low=0bx[128] high=0bx[128] }; };"),
    (
        "E0411",
        "OPERATION zz_instr { INSTANCE zz_g ALIAS { a }; CODING { a }; }; GROUP zz_g = zz_v, zz_w; OPERATION zz_v { CODING { a=0bx[60] b=0bx[60] c=0bx[60] d=0bx[60] }; WHEN { a == b && c != d }; }; OPERATION zz_w { CODING { a=0bx[240] }; WHEN { a[239..120] == a[119..0] || a[200..101] == a[100..1] }; };",
    ),
    (
        "E0608",
        "RESOURCE { PIPELINE zz_pipe { FE { }; EX { }; }; }; OPERATION zz_instr { CODING { 0bx[16] }; BEHAVIOR { zz_pipe.retry(); }; };",
    ),
    ("W0403", "GROUP zz_instr = zz_a; OPERATION zz_a { CODING { 0b1 0bx[15] }; };"),
    (
        "W0601",
        "RESOURCE { PIPELINE zz_pipe { FE { }; DC { }; EX { }; }; }; OPERATION zz_instr IN zz_pipe.FE { CODING { 0bx[16] }; ACTIVATION { zz_far; }; }; OPERATION zz_far IN zz_pipe.EX { BEHAVIOR { zz_pipe.flush(DC); }; };",
    ),
    (
        "E0606",
        "RESOURCE { PIPELINE zz_pipe { FE { }; EX { }; }; }; OPERATION zz_instr IN zz_pipe.EX { CODING { 0bx[16] }; ACTIVATION { zz_back; }; }; OPERATION zz_back IN zz_pipe.FE { };",
    ),
    (
        "W0402",
        "GROUP zz_instr = zz_a, zz_b; OPERATION zz_a { CODING { 0bx[16] }; }; OPERATION zz_b { CODING { n=0bx[16] }; WHEN { n < 0 }; };",
    ),
];

/// Says what is wrong with a model and an addition.
fn said(path: &Path, bytes: Vec<u8>, defined: &[(&str, u128)]) -> (Diagnostics, SourceMap) {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let defined: BTreeMap<String, u128> =
        defined.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let model = load_model(path, &Added { path, bytes }, &defined, &mut sources, &mut findings);
    if let Some(model) = model {
        check_coverage(&model, &mut findings);
    }
    (findings, sources)
}

/// True if a code is said of what stands behind a byte of the root file.
fn tells(findings: &Diagnostics, sources: &SourceMap, path: &Path, code: &str, behind: usize) -> bool {
    let is_there = |span: &Span| sources.path(span.file) == path && span.end as usize >= behind;
    findings.iter().any(|finding: &Diagnostic| {
        let mut spans = finding.secondary.iter().map(|(span, _)| span).chain([&finding.primary.0]);
        finding.code.0 == code && spans.any(is_there)
    })
}

fn check(model: &str, map: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(model);
    let text = std::fs::read_to_string(&path).expect("the model can be read");
    let file = path.file_name().expect("it is a file").to_string_lossy();
    let (mut missed, mut codes) = (Vec::new(), BTreeSet::new());
    for (code, addition) in additions() {
        let addition = addition.replace("$MAP", map).replace("$FILE", &file);
        let (findings, sources) = said(&path, format!("{text}\n{addition}\n").into_bytes(), &[]);
        codes.insert(code);
        if !tells(&findings, &sources, &path, code, text.len()) {
            let found = findings.render(&sources, Style::Plain);
            let shown: String = addition.chars().take(300).collect();
            missed.push(format!("{code}: {shown}\n{}", &found[..found.floor_char_boundary(1200)]));
        }
    }
    assert!(missed.is_empty(), "{model}: {} are missed\n{}", missed.len(), missed.join("\n"));
    assert!(codes.len() > 50, "{}", codes.len());
    let (findings, sources) = said(&path, text.clone().into_bytes(), &[("zz_missing", 1)]);
    assert!(tells(&findings, &sources, &path, "E0209", 0), "{model}");
    let (findings, sources) = said(&path, [text.as_bytes(), b"\n\xff"].concat(), &[]);
    assert!(tells(&findings, &sources, &path, "E0112", text.len()), "{model}");
}

#[test]
fn what_is_added_to_tiny8_is_reported() {
    check("models/tiny8/tiny8.isac", "defaultmap");
}

#[test]
fn what_is_added_to_rv32im_is_reported() {
    check("models/rv32im/rv32im.isac", "defaultmap");
}

#[test]
fn what_is_added_to_pdp11_is_reported() {
    check("models/pdp11/pdp11.isac", "defaultmap");
}

#[test]
fn what_is_added_to_the_pipeline_is_reported() {
    check("models/rv32im5/rv32im5.isac", "defaultmap");
}

#[test]
fn what_is_added_to_timing_demo_is_reported() {
    check("models/timing-demo/timing-demo.isac", "defaultmap");
}
