//! Lines of small programs: one instruction at each address, from 0.

use super::{StatementRows, Steps, line_counts};
use crate::program::{Program, ProgramProfile, Row};
use crate::{CodeCells, Control, InstructionKey, InstructionRecord, Measurement, ModelTables, Word};

/// A program and what it did.
#[derive(Default)]
struct Guest<'a> {
    /// The line of each instruction; a row begins where it changes.
    lines: &'a [u32],
    /// Branches, jumps and returns.
    control: &'a [(u64, Control)],
    /// Addresses in the order in which they were executed.
    walk: &'a [u64],
    /// The description says something of code that never ran.
    is_described: bool,
    /// The first of two cells of one instruction each.
    pairs: &'a [u64],
}

fn branch(to: u64) -> Control {
    Control { falls_through: true, targets: vec![to], computed: false, keeps: None }
}

fn jump(to: u64) -> Control {
    Control { falls_through: false, ..branch(to) }
}

fn back() -> Control {
    Control { falls_through: false, targets: Vec::new(), computed: true, keeps: None }
}

impl Guest<'_> {
    fn measurement(&self) -> Measurement {
        let tables = ModelTables { address_bits: 16, ..ModelTables::default() };
        let mut measurement = Measurement::new(tables);
        for (step, &address) in self.walk.iter().enumerate() {
            let key = InstructionKey { address, word: Word::new(&[1]).unwrap() };
            let size_cells = 1 + u32::from(self.pairs.contains(&address));
            let new = || InstructionRecord { size_cells, ..InstructionRecord::default() };
            measurement.instructions.entry(key).or_insert_with(new).executed += 1;
            measurement.cycles += 1;
            if let Some(&to) = self.walk.get(step + 1).filter(|to| **to != address + u64::from(size_cells)) {
                *measurement.transfers.entry((address, to)).or_default() += 1;
            }
        }
        measurement
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (start, &line) in (0..).zip(self.lines) {
            match rows.last_mut().filter(|row| row.line == line) {
                Some(row) => row.end = start + 1,
                None => {
                    let end = start + 1;
                    rows.push(Row { start, end, source: 0, line, column: 0, is_statement: true });
                }
            }
        }
        rows
    }

    /// The line that counts for each instruction, and how often each line was executed.
    fn counted(&self) -> (Vec<u32>, Vec<(u32, u64)>) {
        let measurement = self.measurement();
        let mut program = Program::read(&[], CodeCells::default());
        program.rows = self.rows();
        let known = |address: &u64| self.is_described || self.walk.contains(address);
        let control = self.control.iter().filter(|(address, _)| known(address)).cloned().collect();
        let all = 0..self.lines.len() as u64;
        let code = all.clone().filter(|address| self.is_described && !self.walk.contains(address));
        let profile = ProgramProfile {
            code: &code.map(|address| (address, 1)).collect(),
            ..ProgramProfile::of(&measurement, &program, &control)
        };
        let steps = Steps::of(&profile);
        let rows = StatementRows::of(&profile, &steps);
        let lines = all.map(|address| rows.line_at(address).unwrap().1);
        let counts = line_counts(&profile, &steps, &rows).into_iter();
        (lines.collect(), counts.map(|((_, line), counted)| (line, counted.count)).collect())
    }
}

/// A condition over two lines, whose first part's branch the compiler put on line 2, where its second part is.
const CONDITION: [u32; 7] = [1, 2, 3, 2, 2, 4, 5];

#[test]
fn a_row_of_a_branch_alone_belongs_to_the_row_before_it() {
    let control = [(1, branch(6))];
    let guest =
        Guest { lines: &CONDITION, control: &control, walk: &[0, 1, 2, 3, 4, 5, 6], ..Guest::default() };
    let counts = [1, 2, 3, 4, 5].map(|line| (line, 1)).to_vec();
    assert_eq!(guest.counted(), (vec![1, 1, 3, 2, 2, 4, 5], counts));
}

#[test]
fn a_row_of_a_branch_alone_stays_where_its_line_has_nothing_else() {
    let control = [(1, branch(4))];
    let lines = [1, 2, 3, 4, 5];
    let guest = Guest { lines: &lines, control: &control, walk: &[0, 1, 4], ..Guest::default() };
    assert_eq!(guest.counted(), (lines.to_vec(), vec![(1, 1), (2, 1), (3, 0), (4, 0), (5, 1)]));
}

#[test]
fn a_row_that_is_jumped_to_stays() {
    let control = [(1, branch(6)), (4, branch(1))];
    let guest = Guest {
        lines: &CONDITION,
        control: &control,
        walk: &[0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6],
        ..Guest::default()
    };
    assert_eq!(guest.counted().0, CONDITION);
}

#[test]
fn a_row_of_more_than_a_branch_stays() {
    let control = [(2, branch(6))];
    let lines = [1, 2, 2, 3, 2, 2, 5];
    let guest = Guest { lines: &lines, control: &control, walk: &[0, 1, 2, 3, 4, 5, 6], ..Guest::default() };
    assert_eq!(guest.counted().0, lines);
}

#[test]
fn lines_of_what_ran_are_the_same_whether_the_rest_is_described() {
    let control = [(1, branch(6)), (2, jump(5)), (4, branch(1))];
    let run = |is_described| Guest {
        lines: &CONDITION,
        control: &control,
        walk: &[0, 1, 2, 5, 6],
        is_described,
        ..Guest::default()
    };
    let counted = run(false).counted();
    assert_eq!(counted.0, [1, 1, 3, 2, 2, 4, 5]);
    assert_eq!(run(true).counted(), counted);
}

#[test]
fn branches_that_never_ran_belong_to_lines_as_if_they_had() {
    let control = [(0, back()), (2, branch(7))];
    let lines = [9, 1, 2, 3, 2, 2, 4, 5];
    let of = |is_described| {
        Guest { lines: &lines, control: &control, walk: &[0], is_described, ..Guest::default() }.counted().0
    };
    assert_eq!(of(true), [9, 1, 1, 3, 2, 2, 4, 5]);
    assert_eq!(of(false), lines);

    // Come to from a place that never ran either.
    let control = [(0, back()), (2, branch(7)), (5, branch(2))];
    let guest =
        Guest { lines: &lines, control: &control, walk: &[0], is_described: true, ..Guest::default() };
    assert_eq!(guest.counted().0, lines);
}

#[test]
fn a_loop_on_one_line_counts_its_turns_and_how_often_it_was_come_to() {
    let control = [(1, jump(4)), (4, branch(2))];
    let guest = Guest {
        lines: &[1, 1, 2, 1, 1, 3],
        control: &control,
        walk: &[0, 1, 4, 2, 3, 4, 2, 3, 4, 5],
        ..Guest::default()
    };
    assert_eq!(guest.counted().1, [(1, 3), (2, 2), (3, 1)]);
}

#[test]
fn a_call_does_not_divide_its_line() {
    let call = Control { keeps: Some(2), ..jump(4) };
    let control = [(1, call), (5, back())];
    let guest = Guest {
        lines: &[1, 1, 1, 2, 5, 5],
        control: &control,
        walk: &[0, 1, 4, 5, 2, 3],
        ..Guest::default()
    };
    assert_eq!(guest.counted().1, [(1, 1), (2, 1), (5, 1)]);
}

#[test]
fn a_jump_that_is_a_block_has_no_part_in_a_line_with_other_code() {
    let control = [(0, branch(2)), (2, jump(4))];
    let counts = |lines: &[u32]| {
        Guest { lines, control: &control, walk: &[0, 1, 2, 4], ..Guest::default() }.counted().1
    };
    assert_eq!(counts(&[1, 2, 1, 3, 4]), [(1, 1), (2, 1), (3, 0), (4, 1)]);
    assert_eq!(counts(&[1, 2, 6, 3, 4]), [(1, 1), (2, 1), (3, 0), (4, 1), (6, 1)]);
}

/// No instruction says that it is the last one of a loop in hardware; that it has gone back does.
#[test]
fn what_is_behind_a_loop_in_hardware_counts_no_turns() {
    let walk = [0, 1, 2, 1, 2, 1, 2, 3];
    let guest = Guest { lines: &[1, 2, 3, 4], walk: &walk, ..Guest::default() };
    assert_eq!(guest.counted().1, [(1, 1), (2, 3), (3, 3), (4, 1)]);
}

#[test]
fn words_that_are_issued_together_have_a_line_each() {
    let control = [(3, branch(1))];
    let walk = [0, 1, 3, 1, 3, 5];
    let guest = Guest {
        lines: &[1, 2, 3, 4, 4, 5, 6],
        control: &control,
        walk: &walk,
        pairs: &[1, 3, 5],
        ..Guest::default()
    };
    assert_eq!(guest.counted().1, [(1, 1), (2, 2), (3, 2), (4, 2), (5, 1), (6, 1)]);
}

/// What has begun where instructions overlap and was not executed when the run was over was not come to.
#[test]
fn what_is_in_flight_at_the_end_was_not_come_to() {
    let guest = Guest { lines: &[1, 2, 3], walk: &[0, 1], ..Guest::default() };
    let entries = |is_pipeline: bool| {
        let mut measurement = guest.measurement();
        if is_pipeline {
            measurement.tables.stages = vec!["EX".to_owned()];
        }
        let key = InstructionKey { address: 2, word: Word::new(&[1]).unwrap() };
        let record = InstructionRecord { size_cells: 1, unfinished: 1, ..InstructionRecord::default() };
        measurement.instructions.insert(key, record);
        let mut program = Program::read(&[], CodeCells::default());
        program.rows = guest.rows();
        let control = crate::ControlTable::new();
        let steps = Steps::of(&ProgramProfile::of(&measurement, &program, &control));
        steps.steps.keys().filter(|(_, to)| *to == 2).count()
    };
    assert_eq!([entries(false), entries(true)], [1, 0]);
}
