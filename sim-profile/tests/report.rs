//! The XML report as a whole.

#![cfg(feature = "reports")]

mod support;

use sim_profile::{Measurement, render_text, render_xml};

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
