//! The table of a story: one column per thread, shared memory at the right.

use crate::text::style::{Style, cut, pad, wrap};
use trueline_base::trace::{Row, Trace, What};

/// Rows that can be left out are, where so many follow one another.
const FOLD: usize = 3;
/// Between two columns.
const GAP: &str = "  ";
/// A thread's column is not made narrower than this.
const NARROWEST: usize = 24;

/// A row as it is drawn.
struct Line {
    label: String,
    column: usize,
    left: String,
    /// The same in fewer words.
    short: Option<String>,
    right: String,
    memory: String,
    fault: bool,
}

/// The table.
pub fn render(trace: &Trace, style: &Style) -> String {
    let lines = lines(trace, style);
    let label = lines.iter().map(|l| l.label.chars().count()).max().unwrap_or(0).max(4);
    let columns = trace.threads.len();
    let natural = |column: usize| {
        let cells = lines.iter().filter(|l| l.column == column);
        let widest = cells.map(cell_width).max().unwrap_or(0);
        widest.max(trace.threads[column].chars().count())
    };
    let mut widths: Vec<usize> = (0..columns).map(natural).collect();
    let memory_title = "shared memory";
    // Memory at the beginning is the widest and can be broken between its variables.
    let part = |l: &Line| l.memory.split(", ").map(|p| p.chars().count()).max().unwrap_or(0);
    let wide = |(n, l): (usize, &Line)| if n == 0 { part(l) } else { l.memory.chars().count() };
    let widest = lines.iter().enumerate().map(wide).max().unwrap_or(0).max(memory_title.len());
    let fixed = 3 + label + GAP.len() * (columns + 1);
    let total = |widths: &[usize]| widths.iter().sum::<usize>();
    let room = style.width.saturating_sub(fixed);
    // Memory gives way first, down to a third of the room, then the widest column.
    let mut memory = widest.min(room.saturating_sub(total(&widths)).max(room / 3)).max(memory_title.len());
    while total(&widths) + memory > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    memory = widest.min(room.saturating_sub(total(&widths)).max(memory));

    let mut text = String::new();
    let mut put = |label_text: &str, cells: &[String], memory_text: &str| {
        let mut line = format!("   {}{label_text}", " ".repeat(label - label_text.chars().count()));
        for cell in cells {
            line += &format!("{GAP}{cell}");
        }
        line += &format!("{GAP}{memory_text}");
        text += &format!("{}\n", line.trim_end());
    };
    let titles: Vec<String> = trace.threads.iter().zip(&widths).map(|(t, w)| pad(&cut(t, *w), *w)).collect();
    put("step", &titles, memory_title);
    let rule = |width: usize| style.dim(&"─".repeat(width));
    let rules: Vec<String> = widths.iter().map(|w| rule(*w)).collect();
    put(&"─".repeat(label), &rules, &rule(memory));
    for line in &lines {
        let width = widths[line.column];
        let drawn = cell(line, width);
        let beside = wrap_parts(&line.memory, memory);
        for n in 0..drawn.len().max(beside.len()) {
            let cells: Vec<String> = (0..columns)
                .map(|column| match drawn.get(n).filter(|_| column == line.column) {
                    Some(text) if line.fault => style.bad(&pad(text, width)),
                    Some(text) => pad(text, width),
                    None => " ".repeat(widths[column]),
                })
                .collect();
            let label = if n == 0 { line.label.as_str() } else { "" };
            put(label, &cells, beside.get(n).map_or("", |s| s.as_str()));
        }
    }
    text
}

/// Memory is broken between variables rather than inside them.
fn wrap_parts(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split(", ").filter(|p| !p.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + part.chars().count() <= width => {
                line.push_str(", ");
                line.push_str(part);
            }
            _ => {
                if let Some(line) = lines.last_mut() {
                    line.push(',');
                }
                lines.push(part.into());
            }
        }
    }
    lines.into_iter().flat_map(|line| wrap(&line, width)).collect()
}

fn cell_width(line: &Line) -> usize {
    let right = line.right.chars().count();
    line.left.chars().count() + if right == 0 { 0 } else { right + 2 }
}

/// A thread's cell: the statement at the left, what came of it at the right, below where there
/// is no room.
fn cell(line: &Line, width: usize) -> Vec<String> {
    if line.right.is_empty() {
        let short = line.short.as_ref().filter(|_| line.left.chars().count() > width);
        return vec![cut(short.unwrap_or(&line.left), width)];
    }
    let gap = width.saturating_sub(line.left.chars().count() + line.right.chars().count());
    if gap >= 2 {
        return vec![format!("{}{}{}", line.left, " ".repeat(gap), line.right)];
    }
    let bar: String = line.left.chars().take(1).map(|c| if c == '┌' { '│' } else { c }).collect();
    let right = cut(&line.right, width.saturating_sub(2));
    let gap = width.saturating_sub(1 + right.chars().count());
    vec![cut(&line.left, width), format!("{bar}{}{right}", " ".repeat(gap))]
}

fn lines(trace: &Trace, style: &Style) -> Vec<Line> {
    let digits = |row: &Row| match row.what {
        What::Statement { line, .. } => line.to_string().len(),
        _ => 0,
    };
    let number = trace.rows.iter().map(digits).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut shown = 0;
    let mut index = 0;
    while index < trace.rows.len() {
        let row = &trace.rows[index];
        let alike = |r: &&Row| r.quiet && r.column == row.column && r.operation == row.operation;
        let run = trace.rows[index..].iter().take_while(alike).count();
        let steps = match run {
            0 => 0,
            run => trace.rows[index + run - 1].step - row.step + 1,
        };
        if style.fold && run >= FOLD && steps as usize >= FOLD {
            lines.push(Line {
                label: String::new(),
                column: row.column as usize,
                left: format!("│ … {steps} steps of {} that change nothing", row.operation),
                short: Some(format!("│ … {steps} steps that change nothing")),
                right: String::new(),
                memory: String::new(),
                fault: false,
            });
            shown = row.step + steps - 1;
            index += run;
            continue;
        }
        let left = match &row.what {
            What::Call(text) => format!("┌ {text}"),
            What::Statement { line, text } => format!("│ {line:<number$}  {text}"),
            What::Return(text) => format!("└ {text}"),
            What::Fault(text) => format!("✗ {text}"),
        };
        lines.push(Line {
            label: if row.step == shown { String::new() } else { row.step.to_string() },
            column: row.column as usize,
            left,
            short: None,
            right: row.notes.join(", "),
            memory: row.memory.join(", "),
            fault: matches!(row.what, What::Fault(_)),
        });
        shown = row.step;
        index += 1;
    }
    lines
}
