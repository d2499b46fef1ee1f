//! Where counters of edges would stand, and what they would count.

use std::path::Path;
use std::time::Instant;

use sim_profile::flow::{
    Choice, OUTSIDE, ProgramFlow, RoutineCost, RoutineFlow, estimate_naive, place_counters, routine_flows,
    weights_of,
};
use sim_profile::program::{ImageFile, Program};
use sim_profile::{Profile, control_table, read_profile};

use super::estimate::{Agreement, compare};
use crate::{gentool, repository, text};

pub(crate) const MODELS: [&str; 4] = ["rv32im", "rv64imac", "armv6m", "mips32"];
pub(crate) const PROGRAMS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];

/// A program and all that is known of it.
struct Row {
    name: String,
    executed: u64,
    /// Edges that do not leave their function: those that get a counter if nobody thinks about it.
    naive: u64,
    cost: RoutineCost,
    naive_agreement: Agreement,
    wu_larus_agreement: Agreement,
    /// Seconds for the graphs, and for the counters on every edge and off a tree of the estimate.
    seconds: [f64; 3],
}

/// Runs all programs and prints the tables.
pub(crate) fn measure(scratch: &Path) {
    let programs = MODELS.iter().flat_map(|model| PROGRAMS.map(|program| (*model, program)));
    let rows: Vec<Row> = programs.map(|(model, program)| row(scratch, model, program)).collect();
    print_edges("Edges with a counter, in percent", rows.iter().collect());
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| optimal(a).total_cmp(&optimal(b)));
    print_edges("The same by the optimal share", sorted);
    print_spread(&rows);
    print_placing(&rows);
    print_counts(&rows);
    print_agreement(&rows);
}

fn row(scratch: &Path, model: &str, program: &str) -> Row {
    let description = repository(&format!("models/{model}/{model}.isac"));
    let image = repository(&format!("models/{model}/programs/{program}.elf"));
    let stored = scratch.join("program.profile");
    let arguments = ["run", text(&description), text(&image), "--profile", text(&stored)];
    let status = gentool(&arguments).status().expect("gentool runs");
    assert!(status.success(), "{program} on {model}: {status}");
    let file = std::fs::File::open(&stored).expect("the profile was written");
    let profile = read_profile(std::io::BufReader::new(file)).expect("a profile");
    let bytes = std::fs::read(&image).expect("the program is there");
    let code = profile.measurement.tables.code;
    let program = Program::read(&[ImageFile { name: program, bytes: &bytes, base: None }], code);
    of_profile(format!("{} {model}", program.images()[0]), &profile, &program)
}

fn of_profile(name: String, profile: &Profile, program: &Program) -> Row {
    let begun = Instant::now();
    let control = control_table(&profile.statics);
    let measurement = &profile.measurement;
    let flow = ProgramFlow::with_code(measurement, &control, &Default::default(), &program.boundaries());
    let routines = routine_flows(&flow, measurement, &control, &Default::default(), |address| {
        program.function_at(address)
    });
    let graphs = begun.elapsed().as_secs_f64();
    let inner =
        |routine: &RoutineFlow| routine.graph.edges().iter().filter(|edge| edge.to != OUTSIDE).count() as u64;
    let begun = Instant::now();
    let naive = routines.iter().map(inner).sum();
    let every = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    for routine in &routines {
        let weights = weights_of(&estimate_naive(&routine.graph, &vec![false; routine.counts.len()]));
        std::hint::black_box(place_counters(&routine.graph, &weights));
    }
    let seconds = [graphs, every, begun.elapsed().as_secs_f64()];
    let (mut cost, mut naive_agreement, mut wu_larus_agreement) =
        (RoutineCost::default(), Agreement::default(), Agreement::default());
    for routine in compare(&flow, &routines) {
        cost.add(&routine.cost);
        for branch in &routine.branches {
            naive_agreement.add(branch, branch.naive);
            wu_larus_agreement.add(branch, branch.wu_larus);
        }
    }
    let executed = sim_profile::spending_of(measurement).instructions;
    Row { name, executed, naive, cost, naive_agreement, wu_larus_agreement, seconds }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn naive(row: &Row) -> f64 {
    share(row.naive, row.cost.edges)
}

fn optimal(row: &Row) -> f64 {
    share(row.cost.counters, row.cost.edges)
}

fn mean(rows: &[Row], of: impl Fn(&Row) -> f64) -> f64 {
    rows.iter().map(of).sum::<f64>() / rows.len() as f64
}

fn print_edges(title: &str, rows: Vec<&Row>) {
    println!("{title}:\n\n| program | blocks | edges | naive | optimal |\n|---|---:|---:|---:|---:|");
    for row in &rows {
        let RoutineCost { blocks, edges, .. } = row.cost;
        println!("| {} | {blocks} | {edges} | {:.1} | {:.1} |", row.name, naive(row), optimal(row));
    }
    println!();
}

fn print_spread(rows: &[Row]) {
    let extreme =
        |of: fn(&Row) -> f64, pick: fn(f64, f64) -> f64| rows.iter().map(of).reduce(pick).unwrap_or(0.0);
    println!("| | naive | optimal |\n|---|---:|---:|");
    println!("| average | {:.1} | {:.1} |", mean(rows, naive), mean(rows, optimal));
    println!("| least | {:.1} | {:.1} |", extreme(naive, f64::min), extreme(optimal, f64::min));
    println!("| most | {:.1} | {:.1} |\n", extreme(naive, f64::max), extreme(optimal, f64::max));
}

fn print_placing(rows: &[Row]) {
    println!("Milliseconds to place the counters of all functions that ran:\n");
    println!("| | graphs | every edge | estimate and tree |\n|---|---:|---:|---:|");
    let of = |column: usize| mean(rows, |row| row.seconds[column] * 1000.0);
    println!("| average | {:.2} | {:.3} | {:.2} |\n", of(0), of(1), of(2));
}

/// Counts of counters for 100 instructions of the program.
fn rate(row: &Row, choice: Choice) -> f64 {
    let index = Choice::ALL.iter().position(|known| *known == choice).unwrap_or(0);
    share(row.cost.counted[index], row.executed)
}

fn print_counts(rows: &[Row]) {
    println!("What the counters count while 100 instructions run:\n");
    println!(
        "| program | every edge | random tree | naive estimate | Wu and Larus | the same run's profile |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for row in rows {
        let rates = Choice::ALL.map(|choice| format!("{:.2}", rate(row, choice)));
        println!("| {} | {} |", row.name, rates.join(" | "));
    }
    let means = Choice::ALL.map(|choice| format!("{:.2}", mean(rows, |row| rate(row, choice))));
    println!("| average | {} |\n", means.join(" | "));
}

fn print_agreement(rows: &[Row]) {
    println!("Of 100 executions of branches with two sides, how many go as guessed; and how far the guess");
    println!("is off, in percent of the executions:\n");
    println!("| program | naive | off | Wu and Larus | off |\n|---|---:|---:|---:|---:|");
    let figures = |row: &Row| [row.naive_agreement, row.wu_larus_agreement].map(Agreement::figures);
    for row in rows {
        let [[hits, off], [wu_hits, wu_off]] = figures(row);
        println!("| {} | {hits:.1} | {off:.1} | {wu_hits:.1} | {wu_off:.1} |", row.name);
    }
    let of = |which: usize, figure: usize| mean(rows, |row| figures(row)[which][figure]);
    println!("| average | {:.1} | {:.1} | {:.1} | {:.1} |\n", of(0, 0), of(0, 1), of(1, 0), of(1, 1));
}
