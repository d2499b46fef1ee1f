//! Reports of a program: each a text, or bytes, made of a [`super::ProgramProfile`].

mod annotated_source;
mod call_graph;
mod callgrind;
mod disassembly;
mod function_names;
mod lcov;
mod most_expensive;
mod oprofile;
mod pprof;

pub use annotated_source::render_annotated_source;
pub use call_graph::{render_dot, render_folded, render_gprof};
pub use callgrind::render_callgrind;
pub use disassembly::render_disassembly;
pub use lcov::render_lcov;
pub use most_expensive::render_most_expensive;
pub use oprofile::render_oprofile;
pub use pprof::render_pprof;

/// A part of a whole in percent with two decimals, computed in integers and rounded half up.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0.00".to_owned();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let hundredths = (part * 20_000 + whole) / (2 * whole);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_are_rounded_exactly() {
        let cases = [(0, 0, "0.00"), (1, 3, "33.33"), (2, 3, "66.67"), (1, 1, "100.00")];
        for (part, whole, expected) in cases {
            assert_eq!(percent(part, whole), expected);
        }
        assert_eq!(percent(u64::MAX, u64::MAX), "100.00");
    }
}
