//! Answers about histories as text.

use std::fmt::Write;

use trueline_base::Verdict;

use super::{Failure, Impasse, LogAnswer, Operation};

/// Operations shown of a long list.
const MOST: usize = 40;
/// Operations shown of the end of a long order.
const LAST: usize = 12;

/// What is shown of an answer besides verdict and failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The order that explains a history.
    pub witness: bool,
    /// How much was covered, also where it does not fail.
    pub scope: bool,
}

/// The answer for one log.
pub fn render_log(answer: &LogAnswer, shown: Shown) -> String {
    let word = answer.verdict.word().to_uppercase();
    let LogAnswer { condition, spec, file, .. } = answer;
    let mut out = format!("{word}  {condition}   {spec}   {file}     {:.1} s\n", answer.cost.seconds);
    match &answer.verdict {
        Verdict::Holds(_) if !shown.witness => {}
        Verdict::Holds(Some(order)) => witness(&mut out, order),
        Verdict::Holds(None) => out.push_str("  no single order: each read is judged on its own\n"),
        Verdict::Fails(failure) => fails(&mut out, failure),
        Verdict::Unknown(undecided) => {
            let _ = writeln!(out, "  {}", undecided.why);
            if let Some((at, of)) = undecided.progress {
                let _ = writeln!(
                    out,
                    "  an order for {at} of {of} calls and returns was found; no violation so far"
                );
            }
        }
    }
    if shown.scope || answer.verdict.fails() {
        scope(&mut out, answer);
    }
    out
}

fn scope(out: &mut String, answer: &LogAnswer) {
    let scope = &answer.scope;
    let several = scope.parts > 1;
    let engine = |e: &super::EngineParts| match several {
        true => format!("{} ({})", e.name, e.parts),
        false => e.name.clone(),
    };
    let engines: Vec<String> = scope.engines.iter().map(engine).collect();
    let parts = if several { format!(", {} parts", scope.parts) } else { String::new() };
    let _ = writeln!(
        out,
        "  scope  {} ({} pending, {} failed and left out){parts}; {} log; decided by {}; {} configurations",
        operations(scope.operations),
        scope.pending,
        scope.failed,
        answer.format,
        engines.join(", "),
        scope.configurations
    );
}

fn operations(n: usize) -> String {
    if n == 1 { "1 operation".into() } else { format!("{n} operations") }
}

fn witness(out: &mut String, order: &[Operation]) {
    out.push_str("  order\n");
    for operation in order {
        let _ = writeln!(out, "    process {:<4} {}", operation.process, operation.text);
    }
}

fn fails(out: &mut String, failure: &Failure) {
    let part = failure.part.as_ref().map_or(String::new(), |p| format!("   (part {})", p.text));
    let _ = writeln!(out, "\n  {}{part}\n", failure.sentence);
    match &failure.impasse {
        Some(impasse) => stuck(out, impasse),
        None => unexplained(out, failure),
    }
    also(out, failure);
    let minimal = match &failure.cut {
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
        failure.engine
    );
}

/// The operations that together cannot be explained.
fn unexplained(out: &mut String, failure: &Failure) {
    for operation in failure.operations.iter().take(MOST) {
        row(out, operation);
        if let Some(reason) = failure.reasons.iter().find(|r| r.operation == operation.index) {
            let _ = writeln!(out, "                {}", reason.text);
        }
    }
    more(out, failure.operations.len());
    if failure.partial_orders.is_empty() {
        return;
    }
    out.push_str("\n  Why no order explains it\n");
    for partial in &failure.partial_orders {
        let hidden = partial.order.len().saturating_sub(LAST);
        let order: Vec<&str> = partial.order[hidden..].iter().map(|o| o.text.as_str()).collect();
        let before = match (order.is_empty(), hidden) {
            (true, _) => "at the start".into(),
            (_, 0) => format!("after {}", order.join("; ")),
            _ => format!("after {hidden} others and {}", order.join("; ")),
        };
        let expected = partial.expected.as_deref().unwrap_or("cannot follow");
        let (state, blocked) = (&partial.state, &partial.blocked.text);
        let _ = writeln!(out, "     {before} the state is {state}: {blocked} {expected}");
    }
}

/// What a long list leaves out.
fn more(out: &mut String, length: usize) {
    if length > MOST {
        let _ = writeln!(out, "   … and {} more", length - MOST);
    }
}

/// One operation with its interval.
fn row(out: &mut String, operation: &Operation) {
    let Operation { process, text, call, .. } = operation;
    let ret = operation.ret.map_or("never".to_string(), |ret| ret.to_string());
    let line = operation.line.map_or(String::new(), |line| format!("   line {line}"));
    let _ = writeln!(out, "   process {process:<4} {text:<24} {call} → {ret}{line}");
}

/// The first return that no order passes, and what could be then.
fn stuck(out: &mut String, impasse: &Impasse) {
    out.push_str("  The first return that no order explains\n");
    row(out, &impasse.blocked.operation);
    let dots = if impasse.more_states { ", …" } else { "" };
    let _ = writeln!(out, "\n  States possible just before it\n     {}{dots}", impasse.states.join(", "));
    if !impasse.blocked.needs.is_empty() {
        let _ = writeln!(out, "     there it {}", impasse.blocked.needed);
    }
    if impasse.open.is_empty() {
        out.push_str("\n  Nothing else was open then\n");
        return;
    }
    out.push_str("\n  Open then\n");
    for open in impasse.open.iter().take(MOST) {
        row(out, &open.operation);
        let told = impasse.states.len();
        let fits = match open.fits {
            0 => "it fits none of these states".to_string(),
            n if n == told => continue,
            n => format!("it fits {n} of these {told} states"),
        };
        let needs = if open.needs.is_empty() { String::new() } else { format!(": it {}", open.needed) };
        let _ = writeln!(out, "                {fits}{needs}");
    }
    more(out, impasse.open.len());
}

/// The other parts.
fn also(out: &mut String, failure: &Failure) {
    if !failure.also.is_empty() {
        let shown: Vec<&str> = failure.also.iter().take(MOST).map(|part| part.text.as_str()).collect();
        let more = match failure.also.len().saturating_sub(MOST) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let (parts, fail) = if failure.also.len() == 1 { ("part", "fails") } else { ("parts", "fail") };
        let _ = writeln!(out, "\n  {parts} {}{more} {fail} as well", shown.join(", "));
    }
    if failure.undecided > 0 {
        let were = if failure.undecided == 1 { " was" } else { "s were" };
        let _ = writeln!(out, "\n  {} part{were} not decided within the limits", failure.undecided);
    }
}
