//! Answers about histories as text.

use std::fmt::Write;

use trueline_history::{Failure, History, OpId, Verdict};

use super::check::Answered;

/// Operations shown of a long list.
const MOST: usize = 40;

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
    for id in failure.operations.iter().take(MOST) {
        let op = history.op(*id);
        let ret = if op.pending() { "never".to_string() } else { op.ret.to_string() };
        let line = if op.line > 0 { format!("   line {}", op.line) } else { String::new() };
        let _ =
            writeln!(out, "   process {:<4} {:<24} {} → {ret}{line}", op.process, history.show(*id), op.call);
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
            let order: Vec<String> = p.order.iter().map(|id| history.show(*id)).collect();
            let before =
                if order.is_empty() { "at the start".into() } else { format!("after {}", order.join("; ")) };
            let expected = p.expected.as_deref().unwrap_or("cannot follow");
            let _ = writeln!(
                out,
                "     {before} the state is {}: {} {expected}",
                p.state,
                history.show(p.blocked)
            );
        }
    }
    let minimal = if failure.minimal { "minimal" } else { "not shown to be minimal" };
    let _ = writeln!(
        out,
        "\n  {minimal}: {}; found by {}, confirmed by a second search",
        operations(failure.operations.len()),
        failure.engine.name()
    );
}
