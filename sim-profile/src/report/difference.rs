//! In what two profiles differ, as text.

use std::cmp::Reverse;

use super::line::line;
use crate::difference::{CallDifference, Difference, NamedArc, Pair};
use crate::text::sanitize;
use crate::{CallKind, ModelTables, Profile};

/// A table of the whole runs, and one each of the instructions, functions, calls, lines and addresses that
/// differ, those first whose cycles differ most.
pub fn render_difference(difference: &Difference, profiles: [&Profile; 2]) -> String {
    let mut out = String::new();
    let [one, other] = profiles.map(|profile| &profile.measurement.tables);
    if one.model != other.model {
        let names = [&one.model, &other.model].map(|name| sanitize(name));
        line(&mut out, format_args!("the models differ: `{}` and `{}`", names[0], names[1]));
    } else if let Some([first, second]) = &difference.models {
        line(&mut out, format_args!("the descriptions differ: their digests are {first} and {second}"));
    }
    if let Some(programs) = &difference.programs {
        line(&mut out, format_args!("the programs differ: {programs}"));
    }
    if let Some([one, other]) = difference.several {
        line(&mut out, format_args!("runs of {one} and of {other} programs: addresses are not compared"));
    }
    let others = write_followed(&mut out, &difference.calls);
    if difference.is_empty() {
        let [before, after] = profiles.map(|profile| &profile.measurement);
        let what = match before.tables == after.tables && before != after {
            true => {
                "executed instructions and cycles are equal; what else was counted, as accesses and ways of \
                     control, is not: compare the reports"
            }
            false => "counts are equal",
        };
        line(&mut out, format_args!("all {others}{what}"));
        return out;
    }
    write_table(&mut out, "run", vec![("all".to_owned(), difference.all)]);
    let named = |pairs: &std::collections::BTreeMap<String, Pair>| {
        pairs.iter().map(|(name, &pair)| (sanitize(name), pair)).collect::<Vec<_>>()
    };
    write_table(&mut out, "instruction", named(&difference.instructions));
    write_table(&mut out, "function", named(&difference.functions));
    write_table(&mut out, "function with its calls", named(&difference.calls.functions));
    write_calls(&mut out, &difference.calls);
    write_table(&mut out, "line", named(&difference.lines));
    let widest = if one.address_bits > other.address_bits { one } else { other };
    let addresses = difference.addresses.iter().map(|(address, &pair)| (name_of(*address, widest), pair));
    write_table(&mut out, "address", addresses.collect());
    out
}

fn name_of(address: Option<u64>, tables: &ModelTables) -> String {
    address.map_or("other".to_owned(), |address| tables.format_address(address))
}

/// Says where calls are not compared; what the other counts are called then.
fn write_followed(out: &mut String, calls: &CallDifference) -> &'static str {
    let follows = match calls.are_followed {
        [true, false] => "the first",
        [false, true] => "the second",
        _ => return "",
    };
    line(
        out,
        format_args!(
            "calls were followed in {follows} alone and are not compared; measure both with --calls"
        ),
    );
    "other "
}

fn write_calls(out: &mut String, calls: &CallDifference) {
    let name = |arc: &NamedArc| {
        let kind = match arc.kind {
            CallKind::Call => "",
            CallKind::Tail => " (tail call)",
            CallKind::Interrupt => " (interrupt)",
        };
        format!("{} -> {}{kind}", sanitize(&arc.caller), sanitize(&arc.callee))
    };
    let rows = calls.arcs.iter().map(|(arc, pair)| (name(arc), [pair.calls, pair.cycles]));
    write_rows(out, ["calls", "caller -> called"], rows.collect());
    let [before, after] = calls.forgotten;
    if before != after {
        line(
            out,
            format_args!("\ncalls that were forgotten, since the stack was full: {before}, then {after}"),
        );
    }
}

fn write_table(out: &mut String, what: &str, pairs: Vec<(String, Pair)>) {
    let rows = pairs.into_iter().map(|(name, Pair { executed, cycles })| (name, [executed, cycles]));
    write_rows(out, ["executed", what], rows.collect());
}

/// Rows of what is counted, the times and the cycles of both runs each.
fn write_rows(out: &mut String, [counted, what]: [&str; 2], mut rows: Vec<(String, [[u64; 2]; 2])>) {
    if rows.is_empty() {
        return;
    }
    // The sort keeps the order of names where cycles differ alike.
    rows.sort_by_key(|(_, [times, cycles])| {
        Reverse((cycles[0].abs_diff(cycles[1]), times[0].abs_diff(times[1])))
    });
    line(
        out,
        format_args!(
            "\n{counted:>16} {:>16} {:>17} {:>16} {:>16} {:>17}  {what}",
            "then", "more", "cycles", "then", "more"
        ),
    );
    for (name, [times, cycles]) in rows {
        line(
            out,
            format_args!(
                "{:>16} {:>16} {:>17} {:>16} {:>16} {:>17}  {name}",
                times[0],
                times[1],
                signed(times),
                cycles[0],
                cycles[1],
                signed(cycles)
            ),
        );
    }
}

/// The second less the first, with its sign.
fn signed([before, after]: [u64; 2]) -> String {
    match i128::from(after) - i128::from(before) {
        0 => "0".to_owned(),
        more => format!("{more:+}"),
    }
}
