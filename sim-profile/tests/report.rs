//! The XML report as a whole.

#![cfg(feature = "reports")]

mod support;

use sim_profile::{Measurement, Profile, StaticFacts, render_profile_xml, render_text, render_xml};

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
