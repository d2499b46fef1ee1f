//! In what two profiles differ, as text.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::text::sanitize;
use crate::difference::{Difference, Pair};
use crate::{ModelTables, Profile};

/// A table of the whole runs, and one each of the instructions, functions, lines and addresses that differ,
/// those first whose cycles differ most.
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
    if difference.is_empty() {
        line(&mut out, format_args!("all counts are equal"));
        return out;
    }
    write_table(&mut out, "run", vec![("all".to_owned(), difference.all)]);
    let named = |pairs: &std::collections::BTreeMap<String, Pair>| {
        pairs.iter().map(|(name, &pair)| (sanitize(name), pair)).collect::<Vec<_>>()
    };
    write_table(&mut out, "instruction", named(&difference.instructions));
    write_table(&mut out, "function", named(&difference.functions));
    write_table(&mut out, "line", named(&difference.lines));
    let widest = if one.address_bits > other.address_bits { one } else { other };
    let addresses = difference.addresses.iter().map(|(address, &pair)| (name_of(*address, widest), pair));
    write_table(&mut out, "address", addresses.collect());
    out
}

fn name_of(address: Option<u64>, tables: &ModelTables) -> String {
    address.map_or("other".to_owned(), |address| tables.format_address(address))
}

fn write_table(out: &mut String, what: &str, mut pairs: Vec<(String, Pair)>) {
    if pairs.is_empty() {
        return;
    }
    // The sort keeps the order of names where cycles differ alike.
    pairs.sort_by_key(|(_, pair)| {
        Reverse((pair.cycles[0].abs_diff(pair.cycles[1]), pair.executed[0].abs_diff(pair.executed[1])))
    });
    line(
        out,
        format_args!(
            "\n{:>16} {:>16} {:>17} {:>16} {:>16} {:>17}  {what}",
            "executed", "then", "more", "cycles", "then", "more"
        ),
    );
    for (name, Pair { executed, cycles }) in pairs {
        line(
            out,
            format_args!(
                "{:>16} {:>16} {:>17} {:>16} {:>16} {:>17}  {name}",
                executed[0],
                executed[1],
                signed(executed),
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

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A `String` takes every write.
    let _ = writeln!(out, "{text}");
}
