//! Answers about real code as text.

use std::fmt::Write;

use trueline_base::Verdict;
use trueline_base::words::number;

use super::{CodeAnswer, CodeFailure, CodeFailures, CodeScope};
use crate::{Style, render_trace};

/// The answer for one file.
pub fn render_test(answer: &CodeAnswer, style: &Style) -> String {
    let CodeAnswer { property, object, place, .. } = answer;
    let word = answer.verdict.word().to_uppercase();
    let mut out = format!("{word}  {property}   {object}   {place}");
    match &answer.verdict {
        Verdict::Fails(failures) => {
            out.push_str("\n\n");
            fails(&mut out, answer, failures, style);
        }
        Verdict::Holds(()) => {
            let _ = writeln!(out, "   {:.1} s", answer.cost.seconds);
        }
        Verdict::Unknown(why) => {
            let _ = writeln!(out, "   {:.1} s\n  {why}", answer.cost.seconds);
        }
    }
    let _ = writeln!(out, "  scope  {}", scope(&answer.scope).join("\n         "));
    out
}

fn fails(out: &mut String, answer: &CodeAnswer, failures: &CodeFailures, style: &Style) {
    let first = &failures.first;
    let _ = writeln!(out, "{}", render_trace(&first.story, style).trim_end());
    if let Some(path) = &failures.trace {
        let _ = writeln!(out, "  trace  {path}     (trueline replay {path})");
    }
    match answer.scope.own_main {
        true => drop(writeln!(out, "  built at {}", first.level)),
        false => scenario(out, first),
    }
    for other in &failures.others {
        let kind = other.failure.replace('_', " ");
        let _ = writeln!(out, "\nFAILS  {kind}   {}\n", answer.object);
        let _ = writeln!(out, "{}", render_trace(&other.story, style).trim_end());
        scenario(out, other);
    }
}

fn scenario(out: &mut String, failure: &CodeFailure) {
    let _ = writeln!(out, "  scenario  {} at {}", failure.scenario, failure.level);
}

fn scope(scope: &CodeScope) -> Vec<String> {
    let (done, all) = (scope.scenarios_complete as u64, scope.scenarios as u64);
    let model = match scope.memory_model.as_str() {
        "sc" => "sequential consistency",
        _ => "the memory model of C11 (RC11)",
    };
    let (done_text, all_text) = (number(done), number(all));
    let mut lines =
        vec![format!("{done_text} of {all_text} scenarios to the end; {}, {model}", scope.executions)];
    if !scope.largest.is_empty() && done > 0 && !scope.own_main {
        lines.push(format!("the largest: {}", scope.largest));
    }
    let others = scope.cut + scope.stuck + scope.found;
    let runs = match scope.sampled {
        false => format!("{} complete executions and {} others", number(scope.complete), number(others)),
        true => format!("{} interleavings", number(scope.interleavings)),
    };
    lines.push(format!("{runs}, {} histories decided against {}", number(scope.histories), scope.spec));
    lines.push(format!("built by {} at {}", scope.compiler, scope.levels.join(" and ")));
    lines
}
