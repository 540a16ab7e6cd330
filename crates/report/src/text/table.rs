//! The table of a story: one column per thread, shared memory at the right.

use crate::text::style::{Style, cut, pad, wrap};
use trueline_base::trace::{Row, Trace, What};

/// Rows that can be left out are, where so many follow one another.
const FOLD: usize = 3;
/// Between two columns.
const GAP: &str = "  ";
/// A thread's column is not made narrower than this.
const NARROWEST: usize = 24;

/// Lines of notes in one cell.
const NOTES: usize = 3;

/// A row as it is drawn.
struct Line {
    label: String,
    column: usize,
    /// The bracket at the left of the thread's cell.
    bar: &'static str,
    /// What stands before the text, such as a line number.
    head: String,
    text: String,
    /// The same in fewer and fewer words.
    shorter: Vec<String>,
    notes: Vec<String>,
    memory: Vec<String>,
    fault: bool,
    /// How many steps it stands for.
    folded: u32,
}

/// The widths of the columns.
struct Layout {
    label: usize,
    threads: Vec<usize>,
    memory: usize,
}

impl Layout {
    /// Characters in a line.
    fn total(&self) -> usize {
        let threads: usize = self.threads.iter().map(|width| width + GAP.len()).sum();
        3 + self.label + threads + GAP.len() + self.memory
    }
}

/// How many steps are folded.
pub fn folded(trace: &Trace, style: &Style) -> u32 {
    lines(trace, style).iter().map(|line| line.folded).sum()
}

/// The table. Where the columns of all threads do not fit, there is one for all, with the thread in front.
pub fn render(trace: &Trace, style: &Style) -> String {
    let mut lines = lines(trace, style);
    let side_by_side = layout(&trace.threads, &lines, style);
    if trace.threads.len() > 1 && side_by_side.total() > style.width {
        let names: Vec<&str> = trace.threads.iter().map(|t| t.strip_prefix("thread ").unwrap_or(t)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("thread".len());
        for line in &mut lines {
            line.label = format!("{:>4}  {}", line.label, pad(names[line.column], width));
            line.column = 0;
        }
        let label = format!("step  {}", pad("thread", width));
        let threads = ["operations".to_string()];
        return draw(&label, &threads, &lines, &layout(&threads, &lines, style), style);
    }
    draw("step", &trace.threads, &lines, &side_by_side, style)
}

fn draw(label: &str, threads: &[String], lines: &[Line], layout: &Layout, style: &Style) -> String {
    let mut text = String::new();
    let mut put = |label: &str, cells: &[String], memory: &str| {
        let mut line = format!("   {}{label}", " ".repeat(layout.label - label.chars().count()));
        for cell in cells {
            line += &format!("{GAP}{cell}");
        }
        line += &format!("{GAP}{memory}");
        text += &format!("{}\n", line.trim_end());
    };
    let titles = threads.iter().zip(&layout.threads).map(|(t, w)| pad(&cut(t, *w), *w));
    put(label, &titles.collect::<Vec<_>>(), TITLE);
    let rule = |width: &usize| style.dim(&"─".repeat(*width));
    let rules: Vec<String> = layout.threads.iter().map(rule).collect();
    put(&"─".repeat(layout.label), &rules, &rule(&layout.memory));
    for line in lines {
        let width = layout.threads[line.column];
        let drawn = cell(line, width);
        let beside = join(&line.memory, layout.memory);
        for n in 0..drawn.len().max(beside.len()) {
            let draw = |(column, other): (usize, &usize)| match drawn.get(n).filter(|_| column == line.column)
            {
                Some(text) if line.fault => style.bad(&pad(text, width)),
                Some(text) => pad(text, width),
                None => " ".repeat(*other),
            };
            let cells: Vec<String> = layout.threads.iter().enumerate().map(draw).collect();
            let label = if n == 0 { line.label.as_str() } else { "" };
            put(label, &cells, beside.get(n).map_or("", |s| s.as_str()));
        }
    }
    text
}

const TITLE: &str = "shared memory";

/// Memory gives way first, down to a third of the room, then the widest thread.
fn layout(titles: &[String], lines: &[Line], style: &Style) -> Layout {
    let label = lines.iter().map(|l| l.label.chars().count()).max().unwrap_or(0).max(4);
    let natural = |column: usize| {
        let cells = lines.iter().filter(|l| l.column == column).map(natural_width);
        cells.max().unwrap_or(0).max(titles[column].chars().count())
    };
    let mut threads: Vec<usize> = (0..titles.len()).map(natural).collect();
    // The first row shows all of the memory and may be broken between its variables.
    let longest = |parts: &[String]| parts.iter().map(|p| p.chars().count()).max().unwrap_or(0);
    let whole = |parts: &[String]| parts.join(", ").chars().count();
    let wide = |(n, l): (usize, &Line)| if n == 0 { longest(&l.memory) } else { whole(&l.memory) };
    let wanted = lines.iter().enumerate().map(wide).max().unwrap_or(0).max(TITLE.len());
    let room = style.width.saturating_sub(3 + label + GAP.len() * (threads.len() + 1));
    let total = |widths: &[usize]| widths.iter().sum::<usize>();
    let least = wanted.min(room / 3).max(TITLE.len());
    while total(&threads) + least > room {
        match threads.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    let memory = wanted.min(room.saturating_sub(total(&threads))).max(least);
    Layout { label, threads, memory }
}

fn natural_width(line: &Line) -> usize {
    let notes = line.notes.join(", ").chars().count();
    let text = 2 + line.head.chars().count() + line.text.chars().count();
    // What goes wrong is a sentence and may be broken.
    let text = if line.fault { text.min(36) } else { text };
    text + if notes == 0 { 0 } else { notes + 2 }
}

/// Parts separated by commas, in lines of at most this width that are broken between parts where that is possible.
fn join(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let comma = usize::from(n + 1 < parts.len());
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + part.chars().count() + comma <= width => {
                line.push_str(", ");
                line.push_str(part);
            }
            last => {
                if let Some(line) = last {
                    line.push(',');
                }
                lines.push(part.clone());
            }
        }
    }
    lines.into_iter().flat_map(|line| wrap(&line, width)).collect()
}

/// A thread's cell: the statement at the left, what came of it at the right, below where there
/// is no room.
fn cell(line: &Line, width: usize) -> Vec<String> {
    let indent = line.head.chars().count();
    let room = width.saturating_sub(2 + indent);
    let bar = if line.bar == "│" { "│" } else { " " };
    let below = if line.bar == "┌" { "│" } else { bar };
    let mut drawn: Vec<String> = Vec::new();
    let fits = |text: &&String| text.chars().count() <= room;
    let text = [&line.text].into_iter().chain(&line.shorter).find(fits).unwrap_or(&line.text);
    for (n, text) in wrap(text, room).into_iter().enumerate() {
        drawn.push(match n {
            0 => format!("{} {}{text}", line.bar, line.head),
            _ => format!("{below} {}{text}", " ".repeat(indent)),
        });
    }
    let mut notes = join(&line.notes, width.saturating_sub(4));
    if notes.len() > NOTES {
        notes.truncate(NOTES);
        notes[NOTES - 1] += " …";
    }
    for (n, notes) in notes.into_iter().enumerate() {
        let used = drawn.last().map_or(0, |last| last.chars().count());
        let gap = width.saturating_sub(used + notes.chars().count());
        match drawn.last_mut() {
            Some(last) if n == 0 && gap >= 2 => *last += &format!("{}{notes}", " ".repeat(gap)),
            _ => {
                let gap = width.saturating_sub(1 + notes.chars().count());
                drawn.push(format!("{below}{}{notes}", " ".repeat(gap)));
            }
        }
    }
    drawn
}

/// A line as it is shown: what stands nowhere in the source has no number.
fn line_number(line: u32) -> String {
    if line == 0 { String::new() } else { line.to_string() }
}

fn lines(trace: &Trace, style: &Style) -> Vec<Line> {
    let digits = |row: &Row| match row.what {
        What::Statement { line, .. } => line_number(line).len(),
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
            let alters = trace.rows[index..index + run].iter().any(|r| !r.memory.is_empty());
            let shared = if alters { " shared" } else { "" };
            lines.push(Line {
                label: String::new(),
                column: row.column as usize,
                bar: "│",
                head: String::new(),
                text: format!("… {steps} steps of {} that change nothing{shared}", row.operation),
                shorter: vec![
                    format!("… {steps} steps that change nothing{shared}"),
                    format!("… {steps} steps, no change"),
                ],
                notes: Vec::new(),
                memory: Vec::new(),
                fault: false,
                folded: steps,
            });
            shown = row.step + steps - 1;
            index += run;
            continue;
        }
        let (bar, head, text) = match &row.what {
            What::Call(text) => ("┌", String::new(), text),
            What::Statement { line, text } => ("│", format!("{:<number$}  ", line_number(*line)), text),
            What::Return(text) => ("└", String::new(), text),
            What::Fault(text) => ("✗", String::new(), text),
        };
        lines.push(Line {
            label: match trace.cycle {
                _ if row.step == shown => String::new(),
                Some(from) if row.step >= from => format!("↻ {}", row.step),
                _ => row.step.to_string(),
            },
            column: row.column as usize,
            bar,
            head,
            text: text.clone(),
            shorter: Vec::new(),
            notes: row.notes.clone(),
            memory: row.memory.clone(),
            fault: matches!(row.what, What::Fault(_)),
            folded: 0,
        });
        shown = row.step;
        index += 1;
    }
    lines
}
