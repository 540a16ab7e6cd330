//! Answers about histories as text.

use std::fmt::Write;

use trueline_history::{Failure, History, Impasse, OpId, Verdict};

use super::check::Answered;

/// Operations shown of a long list.
const MOST: usize = 40;
/// Operations shown of the end of a long order.
const LAST: usize = 12;

/// The answer for one log.
pub(super) fn answer(a: &Answered, witness: bool, verbose: bool, many: bool) -> String {
    let (report, history) = (&a.report, &a.reading.history);
    let word = report.verdict.word().to_uppercase();
    let mut out = format!(
        "{word}  {}   {}   {}     {:.1} s\n",
        report.condition,
        report.spec,
        a.path,
        a.elapsed.as_secs_f64()
    );
    match &report.verdict {
        Verdict::Holds { witness: order } => {
            if witness {
                match order {
                    Some(order) => list(&mut out, "order", history, order, usize::MAX),
                    None => out.push_str("  no single order: each read is judged on its own\n"),
                }
            }
        }
        Verdict::Fails(failure) => fails(&mut out, history, failure),
        Verdict::Unknown { why, progress, .. } => {
            let _ = writeln!(out, "  {why}");
            if let Some((at, of)) = progress {
                let _ = writeln!(
                    out,
                    "  an order for {at} of {of} calls and returns was found; no violation so far"
                );
            }
        }
        Verdict::Unconfirmed { why } => {
            let _ = writeln!(out, "  {why}");
        }
    }
    if !many || verbose || report.verdict.fails() {
        let engines: Vec<String> = report
            .engines
            .iter()
            .map(|(e, n)| if report.parts > 1 { format!("{} ({n})", e.name()) } else { e.name().to_string() })
            .collect();
        let parts = if report.parts > 1 { format!(", {} parts", report.parts) } else { String::new() };
        let _ = writeln!(
            out,
            "  scope  {} ({} pending, {} failed and left out){parts}; {} log; decided by {}; {} configurations",
            operations(report.operations),
            report.pending,
            history.failed,
            a.reading.format,
            engines.join(", "),
            report.configurations
        );
    }
    out
}

fn operations(n: usize) -> String {
    if n == 1 { "1 operation".into() } else { format!("{n} operations") }
}

fn list(out: &mut String, title: &str, history: &History, order: &[OpId], most: usize) {
    let _ = writeln!(out, "  {title}");
    for id in order.iter().take(most) {
        let _ = writeln!(out, "    process {:<4} {}", history.op(*id).process, history.show(*id));
    }
    if order.len() > most {
        let _ = writeln!(out, "    … and {} more", order.len() - most);
    }
}

fn fails(out: &mut String, history: &History, failure: &Failure) {
    let part = failure.part.as_ref().map_or(String::new(), |p| format!("   (part {p})"));
    let _ = writeln!(out, "\n  {}{part}\n", failure.sentence);
    match &failure.impasse {
        Some(impasse) => stuck(out, history, impasse),
        None => part_of(out, history, failure),
    }
    also(out, failure);
    let minimal = match failure.cut {
        _ if failure.minimal => "minimal".to_string(),
        None => "not shown to be minimal".to_string(),
        Some(stop) => format!("not minimal, {stop} while it was made smaller"),
    };
    let confirmed = if failure.confirmed {
        "confirmed by a second search"
    } else {
        "not confirmed: a second search did not end within the limits"
    };
    let _ = writeln!(
        out,
        "\n  {minimal}: {}; found by {}, {confirmed}",
        operations(failure.operations.len()),
        failure.engine.name()
    );
}

/// The operations that together cannot be explained.
fn part_of(out: &mut String, history: &History, failure: &Failure) {
    for id in failure.operations.iter().take(MOST) {
        row(out, history, *id);
        if let Some(reason) = failure.reasons.iter().find(|r| r.operation == *id) {
            let _ = writeln!(out, "                {}", reason.text);
        }
    }
    if failure.operations.len() > MOST {
        let _ = writeln!(out, "   … and {} more", failure.operations.len() - MOST);
    }
    if !failure.partials.is_empty() {
        out.push_str("\n  Why no order explains it\n");
        for p in &failure.partials {
            let hidden = p.order.len().saturating_sub(LAST);
            let order: Vec<String> = p.order[hidden..].iter().map(|id| history.show(*id)).collect();
            let before = match (order.is_empty(), hidden) {
                (true, _) => "at the start".into(),
                (_, 0) => format!("after {}", order.join("; ")),
                _ => format!("after {hidden} others and {}", order.join("; ")),
            };
            let expected = p.expected.as_deref().unwrap_or("cannot follow");
            let _ = writeln!(
                out,
                "     {before} the state is {}: {} {expected}",
                p.state,
                history.show(p.blocked)
            );
        }
    }
}

/// One operation with its interval.
fn row(out: &mut String, history: &History, id: OpId) {
    let op = history.op(id);
    let ret = if op.pending() { "never".to_string() } else { op.ret.to_string() };
    let line = if op.line > 0 { format!("   line {}", op.line) } else { String::new() };
    let _ = writeln!(out, "   process {:<4} {:<24} {} → {ret}{line}", op.process, history.show(id), op.call);
}

/// The first return that no order passes, and what could be then.
fn stuck(out: &mut String, history: &History, impasse: &Impasse) {
    out.push_str("  The first return that no order explains\n");
    row(out, history, impasse.blocked.operation);
    let more = if impasse.more { ", …" } else { "" };
    let _ = writeln!(out, "\n  States possible just before it\n     {}{more}", impasse.states.join(", "));
    if !impasse.blocked.needs.is_empty() {
        let _ = writeln!(out, "     there it {}", impasse.blocked.needed());
    }
    if impasse.open.is_empty() {
        out.push_str("\n  Nothing else was open then\n");
        return;
    }
    out.push_str("\n  Open then\n");
    for open in impasse.open.iter().take(MOST) {
        row(out, history, open.operation);
        let told = impasse.states.len();
        let fits = match open.fits {
            0 => "it fits none of these states".to_string(),
            n if n == told => continue,
            n => format!("it fits {n} of these {told} states"),
        };
        let needs = if open.needs.is_empty() { String::new() } else { format!(": it {}", open.needed()) };
        let _ = writeln!(out, "                {fits}{needs}");
    }
    if impasse.open.len() > MOST {
        let _ = writeln!(out, "   … and {} more", impasse.open.len() - MOST);
    }
}

/// The other parts.
fn also(out: &mut String, failure: &Failure) {
    if !failure.also.is_empty() {
        let shown: Vec<String> = failure.also.iter().take(MOST).map(|key| key.to_string()).collect();
        let more = match failure.also.len().saturating_sub(MOST) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let _ = writeln!(
            out,
            "\n  part{} {}{more} fail{} as well",
            plural(failure.also.len()),
            shown.join(", "),
            if failure.also.len() == 1 { "s" } else { "" }
        );
    }
    if failure.undecided > 0 {
        let _ = writeln!(
            out,
            "\n  {} part{} not decided within the limits",
            failure.undecided,
            if failure.undecided == 1 { " was" } else { "s were" }
        );
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
