//! Tables that read as text and as Markdown.

/// A table; columns but the first are numbers.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Table {
        Table { rows: vec![header.iter().map(|title| (*title).to_owned()).collect()] }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(crate) fn print(&self) {
        let columns = 0..self.rows[0].len();
        let widths: Vec<usize> = columns.map(|column| self.width(column)).collect();
        for (line, row) in self.rows.iter().enumerate() {
            println!("| {} |", self.cells(row, &widths).join(" | "));
            if line == 0 {
                let rule = |(column, width): (usize, &usize)| match column {
                    0 => "-".repeat(*width),
                    _ => format!("{}:", "-".repeat(width - 1)),
                };
                println!("| {} |", widths.iter().enumerate().map(rule).collect::<Vec<_>>().join(" | "));
            }
        }
        println!();
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(3)
    }

    fn cells(&self, row: &[String], widths: &[usize]) -> Vec<String> {
        let pad = |(column, (cell, width)): (usize, (&String, &usize))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        };
        row.iter().zip(widths).enumerate().map(pad).collect()
    }
}
