//! A list of claims of one kind, and all lists as text.

/// Claims of one kind.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// What exactly is counted.
    pub(super) note: String,
    /// Heads of the columns; numbers stand to the right.
    pub(super) columns: Vec<(&'static str, Align)>,
    /// What they say, the most important first.
    pub(super) rows: Vec<Vec<String>>,
}

/// Where a column's texts stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// The first rows of every list.
pub(super) fn render_text(title: &str, sections: &[Section], top: usize) -> String {
    let mut text = format!("{title}\n");
    for section in sections {
        text += &format!("\n{}\n{}\n", section.title, section.note);
        if !section.rows.is_empty() {
            text += &render_table(section, top);
        }
    }
    text
}

fn render_table(section: &Section, top: usize) -> String {
    let shown = &section.rows[..section.rows.len().min(top)];
    let width = |column: usize| {
        let cells = shown.iter().map(|row| row[column].chars().count());
        cells.chain([section.columns[column].0.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..section.columns.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&section.columns).zip(&widths).map(|((cell, (_, align)), width)| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        format!("  {}\n", cells.collect::<Vec<String>>().join("  ").trim_end())
    };
    let mut text = "\n".to_owned() + &line(&mut section.columns.iter().map(|(name, _)| *name));
    for row in shown {
        text += &line(&mut row.iter().map(String::as_str));
    }
    if section.rows.len() > shown.len() {
        text += &format!("  and {} more\n", section.rows.len() - shown.len());
    }
    text
}
