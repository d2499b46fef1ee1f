//! The XML report as a whole.

#![cfg(feature = "reports")]

mod support;

use std::io::{self, Write};

use sim_profile::{
    Measurement, Profile, StaticFacts, render_profile_xml, render_text, render_xml, write_profile_xml,
};

#[test]
fn a_report_holds_every_figure() {
    insta::assert_snapshot!(render_xml(&support::measurement()));
}

#[test]
fn a_text_report_holds_the_sums() {
    insta::assert_snapshot!(render_text(&support::measurement()));
}

#[test]
fn an_empty_report_has_all_lists() {
    insta::assert_snapshot!(render_xml(&Measurement::new(support::tables())));
}

#[test]
fn equal_measurements_give_equal_bytes_in_any_order_of_merging() {
    let (run, mut first) = (support::measurement(), Measurement::new(support::tables()));
    first.merge(&run).unwrap();
    let mut second = run.clone();
    second.merge(&Measurement::new(support::tables())).unwrap();
    assert_eq!(render_xml(&first), render_xml(&second));
    assert!(render_xml(&first).ends_with("</profiler>\n"));
}

#[test]
fn a_report_of_a_profile_differs_by_the_texts_of_instructions_alone() {
    let measurement = support::measurement();
    let (&first, _) = measurement.instructions.first_key_value().unwrap();
    let text = Some("inc <ax>\u{1}".to_owned());
    let statics = [(first, StaticFacts { text, ..StaticFacts::default() })].into();
    let profile = Profile { measurement, statics, ..Profile::default() };
    let (with, without) = (render_profile_xml(&profile), render_xml(&profile.measurement));
    let texts = with.lines().filter(|line| line.trim_start().starts_with("<text>"));
    assert_eq!(texts.collect::<Vec<&str>>(), ["      <text>inc &lt;ax&gt;\u{fffd}</text>"]);
    let rest = with.lines().filter(|line| !line.trim_start().starts_with("<text>"));
    assert!(rest.eq(without.lines()));
}

/// Takes some bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("no room"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_report_that_cannot_be_written_says_why() {
    let profile = Profile { measurement: support::measurement(), ..Profile::default() };
    let length = render_profile_xml(&profile).len();
    let message = |room: usize| write_profile_xml(&profile, Full(room)).map_err(|error| error.to_string());
    assert_eq!(message(length), Ok(()));
    assert_eq!(message(length - 1), Err("no room".to_owned()));
    assert_eq!(message(0), Err("no room".to_owned()));
}
