//! Profiles on file.

mod support;

use sim_profile::{
    CallContext, CallCount, CallKey, CallKind, Calls, Control, DelayedControl, FunctionCount, ImagePart,
    Measurement, Mode, PipelineEnd, PipelineRow, PipelineStay, PipelineView, Profile, ProgramImage,
    Provenance, Samples, Sampling, Spending, StaticFacts, StaticTable, read_profile, write_profile,
};

fn image(name: &str, digest: &str) -> ProgramImage {
    let part = ImagePart { address: 16, size_bytes: 8, digest: digest.to_owned() };
    ProgramImage { name: name.to_owned(), digest: digest.to_owned(), entry: Some(16), parts: vec![part] }
}

fn profile() -> Profile {
    let provenance = Provenance {
        engines: ["reference".to_owned()].into(),
        mode: Mode::Sampled(Sampling { burst: 2, seed: Some(7), ..Sampling::every(100) }),
        parts: Some(3),
        runs: 1,
        host_nanoseconds: 300_000_000,
        model_digest: "12ab".to_owned(),
        images: vec![image("little.elf", "34cd")],
        programs: Vec::new(),
    };
    let samples = Samples { checks: 1000, samples: 9, instructions: 8000, cycles: 9000 };
    Profile {
        measurement: support::measurement(),
        provenance,
        statics: statics(),
        calls: Some(calls()),
        samples: Some(samples),
        visits: Some(vec![7, 0, 18_446_744_073_709_551_615]),
        pipeline: Some(pipeline()),
    }
}

/// A stage in which an instruction waits, and an instruction that is at fault at once.
fn pipeline() -> PipelineView {
    let stay = PipelineStay { stage: Some(1), from: 5, cycles: 2, waits: true };
    let first = PipelineRow { id: 3, address: 16, text: "inc ax".to_owned(), stays: vec![stay], end: None };
    let end = Some(PipelineEnd { cycle: 6, faulted: true });
    PipelineView {
        first: 5,
        cycles: 2,
        rows: vec![first, PipelineRow { id: 4, end, ..PipelineRow::default() }],
    }
}

/// An instruction with a text, and one that jumps.
fn statics() -> StaticTable {
    let keys: Vec<_> = support::measurement().instructions.into_keys().collect();
    let text = StaticFacts { text: Some("inc ax".to_owned()), control: None, delayed: None };
    let control = Control { falls_through: true, targets: vec![4, 9], computed: false, keeps: Some(3) };
    let delayed = DelayedControl { slot: 3, falls_through: true, targets: vec![7], computed: false };
    let jumping = StaticFacts { text: None, control: Some(control), delayed: Some(delayed) };
    [(keys[0], text), (keys[1], jumping)].into()
}

/// A function that calls another.
fn calls() -> Calls {
    let spending = |instructions, cycles| Spending { instructions, cycles };
    let key = CallKey { caller: 0, site: 2, callee: 8, kind: CallKind::Call };
    let arc = CallCount { calls: 3, inclusive: spending(30, 40) };
    let function = |own, inclusive| FunctionCount { own, inclusive };
    Calls {
        arcs: [(key, arc)].into(),
        functions: [
            (0, function(spending(10, 12), spending(40, 52))),
            (8, function(spending(30, 40), spending(30, 40))),
        ]
        .into(),
        contexts: vec![
            CallContext { parent: None, function: 0, own: spending(10, 12) },
            CallContext { parent: Some(0), function: 8, own: spending(30, 40) },
        ],
        forgotten: 1,
        in_vain: [((None, 8), 3), ((Some(4), 8), 1)].into(),
        known_functions: Some(["56ef".to_owned()].into()),
    }
}

fn file() -> String {
    let mut file = Vec::new();
    write_profile(&mut file, &profile()).unwrap();
    String::from_utf8(file).unwrap()
}

#[test]
fn a_profile_is_read_as_it_was_written() {
    assert_eq!(read_profile(file().as_bytes()).unwrap(), profile());
    let json = serde_json::to_string(&profile()).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&json).unwrap(), profile());
}

#[test]
fn a_file_has_one_entry_a_line() {
    insta::assert_snapshot!(file());
}

/// Several runs, which differ in how they were made, added up in any order.
#[test]
fn profiles_merge_in_any_order_and_grouping() {
    let run = |engine: &str, name: &str, nanoseconds| {
        let mut run = profile();
        run.provenance.engines = [engine.to_owned()].into();
        run.provenance.images[0].name = name.to_owned();
        run.provenance.host_nanoseconds = nanoseconds;
        run
    };
    let merged = |one: &Profile, other: &Profile| {
        let mut sum = one.clone();
        sum.merge(other).unwrap();
        sum
    };
    let [a, b, c] = [run("emitted", "b.elf", 1), run("reference", "a.elf", 2), run("emitted", "c.elf", 4)];
    let sum = merged(&merged(&a, &b), &c);
    assert_eq!(sum, merged(&a, &merged(&c, &b)));
    assert_eq!(sum, merged(&merged(&c, &a), &b));
    assert_eq!((sum.provenance.runs, sum.provenance.host_nanoseconds), (3, 7));
    assert_eq!(sum.provenance.images[0].name, "a.elf");
    assert_eq!(Vec::from_iter(&sum.provenance.engines), ["emitted", "reference"]);
    assert_eq!(sum.measurement.cycles, 3 * a.measurement.cycles);
}

/// What was known in all runs is known in the sum; a profile that does not tell takes nothing away.
#[test]
fn a_sum_knows_the_functions_that_all_of_its_runs_knew() {
    let run = |known: Option<&[&str]>| {
        let mut run = profile();
        let known = known.map(|known| known.iter().map(|digest| (*digest).to_owned()).collect());
        run.calls.as_mut().expect("calls were followed").known_functions = known;
        run
    };
    let merged = |runs: [&Profile; 3]| {
        let mut sum = runs[0].clone();
        runs[1..].iter().for_each(|other| sum.merge(other).unwrap());
        sum.calls.expect("calls were followed").known_functions.map(Vec::from_iter)
    };
    let [older, two, one, none] = [run(None), run(Some(&["a", "b"])), run(Some(&["b", "c"])), run(Some(&[]))];
    for runs in [[&older, &two, &one], [&two, &one, &older], [&one, &older, &two]] {
        assert_eq!(merged(runs), Some(vec!["b".to_owned()]));
    }
    assert_eq!(merged([&two, &none, &older]), Some(Vec::new()));
    assert_eq!(merged([&older, &older, &older]), None);
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let refusal = |change: &dyn Fn(&mut Profile)| {
        let (mut ours, mut theirs) = (profile(), profile());
        change(&mut theirs);
        let message = ours.merge(&theirs).unwrap_err().to_string();
        assert_eq!(ours, profile(), "nothing is added");
        message
    };
    assert_eq!(
        refusal(&|profile| profile.provenance.model_digest = "56ef".to_owned()),
        "the profiles are of two versions of model `little`, with the digests 12ab and 56ef; measure both anew"
    );
    assert_eq!(
        refusal(&|profile| profile.provenance.images[0] = image("other.elf", "78ab")),
        "the profiles are of two programs: `little.elf` has the digest 34cd, `other.elf` 78ab; the bytes that \
         they load at 0x10 differ; expected runs of one"
    );
    assert_eq!(
        refusal(&|profile| profile.provenance.mode = Mode::Exact),
        "one profile is sampled: 2 of 100 stretches between checks, at random from seed 7, the other exact; \
         measure both in the same way"
    );
    assert_eq!(
        refusal(&|profile| profile.measurement.tables.model = "big".to_owned()),
        "the profiles are of two models, `little` and `big`; expected one"
    );
}

#[test]
fn every_truncation_is_noticed() {
    let file = file();
    for length in 0..file.len() {
        let message = read_profile(&file.as_bytes()[..length]).unwrap_err().to_string();
        let expected = if length <= file.find('\n').unwrap() {
            "no profile; expected a file that `--profile` wrote"
        } else {
            "the file ends here; expected more entries or the line `{\"end\":COUNT}`; it was not written to its \
             end: copy it again or measure the run anew"
        };
        assert!(message.ends_with(expected), "{length}: {message}");
    }
}

fn message(change: impl FnOnce(&str) -> String) -> String {
    read_profile(change(&file()).as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    assert_eq!(
        message(|file| file.replacen("\"version\":5", "\"version\":7", 1)),
        "line 1: profile of version 7; expected 5: measure the run anew"
    );
    assert_eq!(
        message(|file| file.replacen("isac-profile", "other", 1)),
        "line 1: no profile; expected a file that `--profile` wrote"
    );
    assert_eq!(
        message(|file| file.replacen("[[0,2],", "[[9,2],", 1)),
        "line 3: instruction 16 at 0x10: its name has no node 9"
    );
    assert_eq!(
        message(|file| file.replacen("[[0,2],[0,0,2]]", "[[0,2],[0,0,0]]", 1)),
        "line 3: instruction 16 at 0x10: an access entry is zero; leave it out"
    );
    let of_reset = "{\"lines\":[null,1,[0,2,0]]}";
    let number = file().lines().position(|line| line == of_reset).unwrap() + 1;
    assert_eq!(
        message(|file| file.replacen(of_reset, "{\"lines\":[null,2,[0,2,0]]}", 1)),
        format!("line {number}: the model has no cache 2")
    );
    assert_eq!(
        message(|file| file.replacen(of_reset, "{\"lines\":[null,1,[0,0,0]]}", 1)),
        format!("line {number}: an entry of a cache is zero; leave it out")
    );
    assert_eq!(
        message(|file| file.replacen("[[2,2],[2,0]]", "[[2,2],[2,3]]", 1)),
        "line 2: stage 1 stood in more cycles than instructions were in it"
    );
    assert_eq!(
        message(|file| file.replacen("[[2,2],[2,0]]", "[[2,2]]", 1)),
        "line 2: cycles of 1 stages; the model has 2"
    );
    let of_reset = "{\"overhead\":[null,{\"extra_cycles\":4,\"lost\":[[{\"reason\":{\"cache_miss\":1},\"operation\":0,\"stage\":0},1]]}]}";
    let number = file().lines().position(|line| line == of_reset).unwrap() + 1;
    for (from, to, expected) in [
        ("\"operation\":0", "\"operation\":2", "the model has no operation 2"),
        ("\"stage\":0", "\"stage\":2", "the model has no stage 2"),
        ("\"cache_miss\":1", "\"cache_miss\":2", "the model has no cache 2"),
        (",1]]", ",0]]", "an entry of lost or extra cycles is zero; leave it out"),
    ] {
        let wrong = of_reset.replacen(from, to, 1);
        assert_eq!(message(|file| file.replacen(of_reset, &wrong, 1)), format!("line {number}: {expected}"));
    }
    assert_eq!(
        message(|file| file.replacen(of_reset, "{\"overhead\":[null,{\"extra_cycles\":0,\"lost\":[]}]}", 1)),
        format!("line {number}: an entry of lost or extra cycles is zero; leave it out")
    );
    assert_eq!(
        message(|file| file.replacen(
            "{\"reason\":\"stall\",\"operation\":1",
            "{\"reason\":\"stall\",\"operation\":7",
            1
        )),
        "line 10: instruction 16 at 0x17: the model has no operation 7"
    );
    assert_eq!(
        message(|file| file.replacen("[[0,2],", "[[0,3],", 1)),
        "line 3: instruction 16 at 0x10: the model has no resource 3"
    );
    assert_eq!(
        message(|file| file.replacen("decode(inc(reg(ax())))", "decode(", 1)),
        "line 3: instruction 16 at 0x10: decode path: a `)` is missing at its end"
    );
    assert_eq!(
        message(|file| file.replacen("\"executed\":2", "\"executed\":0", 1)),
        "line 3: instruction 16 at 0x10: it has accesses but was never executed; only executed \
         runs count"
    );
    assert!(
        message(|file| format!("{file}\n"))
            .contains("something follows the line `{\"end\":COUNT}`; the file is damaged")
    );
    assert!(message(|file| file.replacen("{\"end\":", "{\"end\":1", 1)).contains("its last line says 1"));
    let repeated = message(|file| {
        let line = file.lines().nth(2).unwrap();
        file.replacen(line, &format!("{line}\n{line}"), 1)
    });
    assert_eq!(
        repeated,
        "line 4: an entry that came before; the file is damaged: copy it again or measure the run anew"
    );
    let unknown = message(|file| file.replacen("{\"transfer\"", "{\"jump\"", 1));
    assert!(unknown.contains("unknown variant `jump`"), "{unknown}");
    assert!(
        unknown.ends_with(
            "; a later gentool may have written it: read it with that one, or measure the run anew"
        ),
        "{unknown}"
    );
    let followed = "{\"calls\":1}";
    let number = file().lines().position(|line| line == followed).unwrap() + 1;
    for second in ["{\"calls\":1}", "{\"calls\":0}"] {
        assert_eq!(
            message(|file| file.replacen(followed, &format!("{followed}\n{second}"), 1)),
            format!(
                "line {}: an entry that came before; the file is damaged: copy it again or measure the run anew",
                number + 1
            )
        );
        assert_eq!(
            message(|file| file.replacen(followed, &format!("{second}\n{followed}"), 1)),
            format!(
                "line {}: an entry that came before; the file is damaged: copy it again or measure the run anew",
                number + 1
            )
        );
    }
    let entries = file().lines().count() - 3;
    let unfollowed = message(|file| {
        let end = |entries: usize| format!("{{\"end\":{entries}}}");
        file.replacen(&format!("{followed}\n"), "", 1).replacen(&end(entries), &end(entries - 1), 1)
    });
    assert_eq!(
        unfollowed,
        format!(
            "line {}: the file has entries of calls and no line `{{\"calls\":FORGOTTEN}}`, which says that they \
             were followed; the file is damaged: copy it again or measure the run anew",
            entries + 2
        )
    );
    let mut whole = profile();
    let Measurement { instructions, cycles, extra_cycles, .. } = &whole.measurement;
    let instructions = instructions.values().map(|record| record.executed).sum();
    whole.samples = Some(Samples { instructions, cycles: cycles + extra_cycles, checks: 0, samples: 1 });
    let mut file = Vec::new();
    write_profile(&mut file, &whole).unwrap();
    assert_eq!(read_profile(&file[..]).unwrap(), whole, "all of the run is in the samples");
    for (from, to) in [
        ("\"executed\":2", "\"executed\":8001"),
        ("\"cycles\":9000", "\"cycles\":1"),
        ("\"checks\":1000", "\"checks\":1"),
        ("\"samples\":9", "\"samples\":0"),
        ("\"interval\":100", "\"interval\":2"),
    ] {
        // A whole run: in parts of one, a sample may have begun before.
        let more = message(|file| file.replacen("\"parts\":3,", "", 1).replacen(from, to, 1));
        assert!(more.contains("the samples cannot be of a run of so many"), "{more}");
    }
    // One number of a line, which is that of the file.
    let damaged = message(|file| file.replacen("\"executed\":2", "\"executed\"2", 1));
    assert!(damaged.starts_with("line 3: not as expected in column "), "{damaged}");
    assert!(
        damaged.ends_with("expected `:`; the file is damaged: copy it again or measure the run anew"),
        "{damaged}"
    );
}
