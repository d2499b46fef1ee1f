//! Sums of stored profiles: what a file may not be, whether its lines are known already or not.

mod support;

use sim_profile::{Profile, ProfileSum, ProgramImage, Provenance, read_profile, write_profile};

fn file() -> String {
    let profile = Profile { measurement: support::measurement(), ..Profile::default() };
    let mut file = Vec::new();
    write_profile(&mut file, &profile).unwrap();
    String::from_utf8(file).unwrap()
}

/// What is said of a second file.
fn said(second: &str) -> String {
    let mut sum = ProfileSum::default();
    sum.add(file().as_bytes()).unwrap();
    sum.add(second.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_known_line_that_breaks_a_rule_is_refused_as_an_unknown_one_is() {
    let good = file();
    let zero = good.replacen("[[0,2],[0,0,2]]", "[[0,2],[0,0,0]]", 1);
    assert_ne!(zero, good);
    let line = |word: &str| good.lines().find(|line| line.starts_with(word)).unwrap().to_owned();
    let instruction = line("{\"instruction\"");
    let executed = instruction.find(",\"executed\":").unwrap() + ",\"executed\":".len();
    let digits = instruction[executed..].find(',').unwrap();
    let with = |count: &str| {
        let other = format!("{}{count}{}", &instruction[..executed], &instruction[executed + digits..]);
        good.replacen(&instruction, &other, 1)
    };
    for wrong in [zero, with("0"), with("007"), with("18446744073709551616"), with("-1"), with("")] {
        assert_eq!(said(&wrong), read_profile(wrong.as_bytes()).unwrap_err().to_string());
    }
}

#[test]
fn a_line_that_comes_twice_is_refused() {
    let good = file();
    for word in ["{\"instruction\"", "{\"transfer\""] {
        let line = good.lines().find(|line| line.starts_with(word)).unwrap();
        let twice = good.replacen(line, &format!("{line}\n{line}"), 1);
        assert_eq!(said(&twice), read_profile(twice.as_bytes()).unwrap_err().to_string(), "{word}");
        // Once as it is known, once as it is not.
        let spaced = line.replacen(':', ": ", 1);
        let twice = good.replacen(line, &format!("{line}\n{spaced}"), 1).replace(":22}", ":23}");
        let message = said(&twice);
        assert!(message.contains("an entry that came before"), "{message}");
    }
}

#[test]
fn an_incomplete_file_is_refused() {
    let good = file();
    for wrong in [&good[..good.len() - 1], good.split_inclusive('\n').next().unwrap(), "", "{}\n"] {
        assert_eq!(said(wrong), read_profile(wrong.as_bytes()).unwrap_err().to_string());
    }
    let other_name = good.replacen(support::INC_AX, support::INC_BX, 1);
    let message = said(&other_name);
    assert!(message.contains("expected the same name and size"), "{message}");
    assert_eq!(ProfileSum::default().finish(), Ok(None));
}

/// More programs than are kept at a time, each coming again.
#[test]
fn many_programs_add_up_in_any_order() {
    let profile_of = |program: u64| {
        let image = ProgramImage { digest: format!("{:02}", program % 40), ..ProgramImage::default() };
        let provenance = Provenance { runs: program, images: vec![image], ..Provenance::default() };
        Profile { measurement: support::measurement(), provenance, ..Profile::default() }
    };
    let sum_of = |programs: &[u64]| {
        let mut sum = ProfileSum::default();
        for program in programs {
            let mut file = Vec::new();
            write_profile(&mut file, &profile_of(*program)).unwrap();
            sum.add(file.as_slice()).unwrap();
        }
        sum.finish().unwrap().unwrap()
    };
    let ascending: Vec<u64> = (1..=100).collect();
    let mixed: Vec<u64> = (0..100).map(|at| 1 + at * 37 % 100).collect();
    let sum = sum_of(&ascending);
    assert_eq!(sum, sum_of(&mixed));
    assert_eq!((sum.provenance.programs.len(), sum.provenance.runs), (40, 5050));
    let mut merged = profile_of(1);
    (2..=100).for_each(|program| merged.merge(&profile_of(program)).unwrap());
    assert_eq!(sum, merged);
}

#[test]
fn programs_on_two_models_are_not_added() {
    let mut sum = ProfileSum::default();
    sum.add(file().as_bytes()).unwrap();
    let other = file().replacen("\"model\":\"", "\"model\":\"other", 1).replacen(
        "\"images\":[]",
        "\"images\":[{\"name\":\"a\",\"digest\":\"b\",\"entry\":null,\"parts\":[]}]",
        1,
    );
    let message = sum.add(other.as_bytes()).unwrap_err().to_string();
    assert!(message.contains("two models"), "{message}");
}

/// Lines whose keys stand in another order say the same, and are added as such.
#[test]
fn keys_may_stand_in_any_order() {
    let sorted: String = file()
        .lines()
        .map(|line| format!("{}\n", serde_json::from_str::<serde_json::Value>(line).unwrap()))
        .collect();
    assert_ne!(sorted, file());
    let sum_of = |file: &str| {
        let mut sum = ProfileSum::default();
        (0..3).for_each(|_| sum.add(file.as_bytes()).unwrap());
        sum.finish().unwrap().unwrap()
    };
    assert_eq!(sum_of(&sorted), sum_of(&file()));
    let huge = sorted.replacen("\"size_cells\":1", "\"size_cells\":3000000000", 1);
    assert_ne!(huge, sorted);
    sum_of(&huge);
}
