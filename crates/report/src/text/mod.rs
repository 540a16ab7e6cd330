//! Answers as text: verdict, one sentence, the table, the reason, how sure.

mod scope;
mod style;
mod table;

pub use style::Style;

use crate::text::scope::{cost, scope_lines};
use crate::text::style::{pad, wrap};
use trueline_base::Verdict;
use trueline_base::answer::{Answer, Covered, Doubt, Expectation, Failure, Warning};
use trueline_base::trace::{Reasons, Trace};
use trueline_base::verdict::Decision;
use trueline_base::words::{number, plural};

/// Which failures are told in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Stories {
    /// Those that nobody expected; everything else is one line.
    Brief,
    /// Those that nobody expected.
    #[default]
    Unexpected,
    /// All.
    All,
}

/// One answer in full.
pub fn render_answer(answer: &Answer, style: &Style) -> String {
    render_answers(std::slice::from_ref(answer), style, Stories::All)
}

/// Several answers, with aligned headings. Answers that hold under the same scope share its lines.
pub fn render_answers(answers: &[Answer], style: &Style, stories: Stories) -> String {
    let widths = Widths::of(answers);
    let mut told = Vec::new();
    let mut text = String::new();
    for (index, answer) in answers.iter().enumerate() {
        text += &heading(answer, &widths, style);
        let body = match (stories, &answer.verdict) {
            (Stories::Brief, _) if answer.as_expected => String::new(),
            (Stories::Unexpected, Verdict::Fails(failure)) if answer.as_expected => expected(failure, style),
            (_, Verdict::Fails(failure)) => fails(answer, failure, style),
            (_, Verdict::Holds(covered)) => match answers.get(index + 1) {
                Some(next) if next.verdict == answer.verdict && next.scope == answer.scope => String::new(),
                _ => holds(answer, covered, style),
            },
            (_, Verdict::Unknown(doubt)) => unknown(answer, doubt, style),
        };
        // A check has its warnings with each of its properties: they are told once.
        let news = answer.warnings.iter().filter(|warning| !told.contains(warning)).collect::<Vec<_>>();
        let body = match stories {
            Stories::All => body + &warnings(&news, told.is_empty(), style),
            Stories::Brief | Stories::Unexpected => body + &warnings(&news, false, style),
        };
        told.extend(news);
        text += &body;
        let last = index + 1 == answers.len();
        if !body.is_empty() && !last {
            text.push('\n');
        }
    }
    text
}

/// What is worth knowing beside the answer; the first with its story.
fn warnings(news: &[&Warning], with_story: bool, style: &Style) -> String {
    let mut text = String::new();
    for (index, warning) in news.iter().enumerate() {
        for (line, said) in wrap(&warning.text, style.width.saturating_sub(11)).iter().enumerate() {
            let word = if line == 0 { style.warn("warning:") } else { "        ".into() };
            text += &format!("  {word} {said}\n");
        }
        if let (Some(trace), true) = (&warning.trace, with_story && index == 0) {
            text += &format!("\n{}", table::render(trace, style));
        }
    }
    text
}

/// `12 properties: 10 hold, 2 fail as expected`
pub fn render_tally(answers: &[Answer]) -> String {
    let count = |decision, expected| {
        answers.iter().filter(|a| a.verdict.decision() == decision && a.as_expected == expected).count()
            as u64
    };
    let mut parts = Vec::new();
    let mut add = |n: u64, one: &str, many: &str, rest: &str| {
        if n > 0 {
            parts.push(format!("{} {}{rest}", number(n), if n == 1 { one } else { many }));
        }
    };
    add(count(Decision::Holds, true), "holds", "hold", "");
    add(count(Decision::Fails, true), "fails", "fail", " as expected");
    add(count(Decision::Fails, false), "FAILS", "FAIL", "");
    add(count(Decision::Holds, false), "HOLDS", "HOLD", " where a failure was expected");
    let unknown = count(Decision::Unknown, true) + count(Decision::Unknown, false);
    add(unknown, "is unknown", "are unknown", "");
    let all = answers.len() as u64;
    format!("{}: {}\n", plural(all, "property", "properties"), parts.join(", "))
}

/// The story of a failure, without the heading.
pub fn render_trace(trace: &Trace, style: &Style) -> String {
    let mut text = String::new();
    for line in wrap(&trace.summary, style.width.saturating_sub(2)) {
        text += &format!("  {}\n", style.bold(&line));
    }
    if !trace.rows.is_empty() {
        text += &format!("\n{}", table::render(trace, style));
    }
    if let Some(reasons) = &trace.reasons {
        text += &format!("\n{}", render_reasons(reasons, style));
    }
    text += &format!("\n{}", size(trace, style));
    match table::folded(trace, style) {
        0 => {}
        n => {
            let steps = plural(n.into(), "step that changes nothing", "steps that change nothing");
            text += &format!("  {} {steps}; -v shows all\n", style.dim("left out:"));
        }
    }
    text
}

fn size(trace: &Trace, style: &Style) -> String {
    let counts = &trace.counts;
    let parts = [
        plural(counts.threads.into(), "thread", "threads"),
        plural(counts.operations.into(), "operation", "operations"),
        plural(counts.switches.into(), "context switch", "context switches"),
        plural(counts.steps.into(), "step", "steps"),
    ];
    let word = if trace.minimal { "minimal:" } else { "size:" };
    let mut told = format!("{}; replayed and confirmed", parts.join(", "));
    if let Some(smaller) = &trace.smaller {
        told += &format!("; {smaller}");
    }
    let lines = wrap(&told, style.width.saturating_sub(3 + word.len()));
    let indent = " ".repeat(word.len());
    let first = |n: usize| if n == 0 { style.dim(word) } else { indent.clone() };
    lines.iter().enumerate().map(|(n, line)| format!("  {} {line}\n", first(n))).collect()
}

fn render_reasons(reasons: &Reasons, style: &Style) -> String {
    let mut text = format!("  {}\n", style.bold(&reasons.title));
    if !reasons.context.is_empty() {
        for line in wrap(&reasons.context, style.width.saturating_sub(5)) {
            text += &format!("     {line}\n");
        }
    }
    let case = |case: &str| if case.is_empty() { String::new() } else { format!("{case}:") };
    let width = reasons.lines.iter().map(|r| case(&r.case).chars().count()).max().unwrap_or(0);
    let longest = reasons.lines.iter().map(|r| r.refuted.chars().count()).max().unwrap_or(0);
    let beside = 5 + width + 3 + longest <= style.width;
    for reason in &reasons.lines {
        let case = case(&reason.case);
        match beside {
            true => text += &format!("     {}   {}\n", pad(&case, width), reason.refuted),
            false => {
                for line in wrap(&case, style.width.saturating_sub(5)) {
                    text += &format!("     {line}\n");
                }
                for line in wrap(&reason.refuted, style.width.saturating_sub(8)) {
                    text += &format!("        {line}\n");
                }
            }
        }
    }
    text
}

struct Widths {
    verdict: usize,
    property: usize,
    object: usize,
    place: usize,
}

impl Widths {
    fn of(answers: &[Answer]) -> Widths {
        let widest = |f: &dyn Fn(&Answer) -> usize| answers.iter().map(f).max().unwrap_or(0);
        Widths {
            verdict: widest(&|a| a.verdict.word().len()),
            property: widest(&|a| a.property.chars().count()),
            object: widest(&|a| a.object.chars().count()),
            place: widest(&|a| place(a).chars().count()),
        }
    }
}

fn place(answer: &Answer) -> String {
    format!("{}:{}", answer.file, answer.line)
}

fn heading(answer: &Answer, widths: &Widths, style: &Style) -> String {
    let end = match (&answer.verdict, answer.as_expected) {
        (Verdict::Fails(_), true) => "as expected".into(),
        (Verdict::Fails(_), false) if answer.expected == Expectation::Holds => String::new(),
        (Verdict::Fails(_), false) => format!("expected: {}", answer.expected),
        (Verdict::Holds(_), true) => cost(answer),
        (Verdict::Holds(_), false) => format!("{}, but the file expects it to fail", cost(answer)),
        (Verdict::Unknown(doubt), _) => doubt.stopped.clone(),
    };
    let word = pad(&answer.verdict.word().to_uppercase(), widths.verdict);
    let verdict = style.verdict(answer.verdict.decision(), answer.as_expected, &word);
    let line = format!(
        "{verdict}  {}   {}   {}   {end}",
        pad(&answer.property, widths.property),
        pad(&answer.object, widths.object),
        pad(&place(answer), widths.place),
    );
    format!("{}\n", line.trim_end())
}

fn sentence(text: &str, style: &Style) -> String {
    wrap(text, style.width.saturating_sub(2)).iter().map(|line| format!("  {line}\n")).collect()
}

fn expected(failure: &Failure, style: &Style) -> String {
    sentence(&failure.trace.summary, style)
}

fn fails(answer: &Answer, failure: &Failure, style: &Style) -> String {
    let mut text = format!("\n{}", render_trace(&failure.trace, style));
    if let Some(blame) = &failure.blame {
        text += &sentence(blame, style);
    }
    if let Some(path) = &failure.trace_path {
        text += &format!("  {}  {path}     (trueline replay {path})\n", style.dim("trace"));
    }
    text + &scope_lines(answer, style)
}

fn holds(answer: &Answer, covered: &Covered, style: &Style) -> String {
    let mut text = scope_lines(answer, style);
    match covered.never_exercised.as_slice() {
        [] => text += &format!("  {} nothing\n", style.dim("not exercised:")),
        parts => {
            for part in parts {
                text += &format!("  {} {part}\n", style.warn("not exercised:"));
            }
        }
    }
    text
}

fn unknown(answer: &Answer, doubt: &Doubt, style: &Style) -> String {
    let mut text = sentence(&doubt.why, style);
    if let [others @ .., last] = doubt.advice.as_slice() {
        let all = if others.is_empty() { last.clone() } else { format!("{}, or {last}", others.join(", ")) };
        text += &format!("  {}  {all}\n", style.dim("try"));
    }
    text + &scope_lines(answer, style)
}
