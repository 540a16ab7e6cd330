//! Bounds and costs in words.

use crate::text::style::{Style, wrap};
use trueline_base::verdict::{Answer, Decision, Scope};
use trueline_base::words::plural;

/// `0.2 s, 31 MB`
pub fn cost(answer: &Answer) -> String {
    let time = match answer.seconds {
        s if s < 0.095 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
    };
    match answer.peak_bytes {
        0 => time,
        b if b < 1_000_000 => format!("{time}, {} kB", b.div_ceil(1000)),
        b if b < 10_000_000_000 => format!("{time}, {} MB", b / 1_000_000),
        b => format!("{time}, {:.1} GB", b as f64 / 1e9),
    }
}

/// The client: `2 threads × 3 operations, values 1 to 2`.
fn client(scope: &Scope) -> String {
    let threads = plural(scope.threads.into(), "thread", "threads");
    let mut text = match (scope.roles.is_empty(), scope.ops) {
        // The text of a client, or names.
        (false, _) if scope.roles.contains('(') => format!("client {}", scope.roles),
        (false, _) => format!("roles {}", scope.roles),
        (true, Some(ops)) => format!("{threads} × {}", plural(ops.into(), "operation", "operations")),
        (true, None) => format!("{threads} that call for ever"),
    };
    match scope.values.as_deref() {
        None => {}
        Some("tid") => text += ", values = thread numbers",
        Some("1") => text += ", value 1",
        Some(n) => text += &format!(", values 1 to {n}"),
    }
    text
}

fn stored(scope: &Scope) -> String {
    let mut text = format!("{}, {}", plural(scope.states, "state", "states"), scope.storage);
    if !scope.reductions.is_empty() {
        text += &format!("; reductions: {}", scope.reductions.join(", "));
    }
    if !scope.off.is_empty() {
        text += &format!("; {}", scope.off.join("; "));
    }
    if scope.dead_ends > 0 {
        text += &format!("; {}", plural(scope.dead_ends, "dead end", "dead ends"));
    }
    text
}

/// The lines below an answer that say for which executions it is one.
pub fn scope_lines(answer: &Answer, style: &Style) -> String {
    // Nothing was searched: there are no bounds to speak of.
    if answer.decision == Decision::Unknown && answer.scope.transitions == 0 {
        return String::new();
    }
    let scope = &answer.scope;
    let model = match scope.memory_model.as_str() {
        "sc" | "" => "sequential consistency",
        other => other,
    };
    let mut first = format!("{}, all interleavings, {model}", client(scope));
    if scope.assumes {
        first += ", only executions in which every `assume` holds";
    }
    let mut lines = Vec::new();
    let both = format!("{first}; {}", stored(scope));
    if answer.decision == Decision::Fails && both.chars().count() + 9 <= style.width {
        lines.push(both);
    } else {
        lines.extend(wrap(&first, style.width.saturating_sub(9)));
        lines.extend(wrap(&stored(scope), style.width.saturating_sub(9)));
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let word = if index == 0 { "scope" } else { "     " };
        text += &format!("  {}  {line}\n", style.dim(word));
    }
    text
}
