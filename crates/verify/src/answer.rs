//! What an engine found, as an answer: the bounds, and why something is not known.

use trueline_base::Verdict;
use trueline_base::answer::{Answer, Cause, Covered, Doubt, Failure, Scope};
use trueline_base::words::{number, plural};
use trueline_check::{Cut, Off, Outcome, Why};
use trueline_lang::compile::{Asked, Expectation};

use crate::coverage::never_exercised;
use crate::verifier::Verifier;

/// An answer with its verdict.
pub(crate) fn new(
    verifier: &Verifier<'_>,
    asked: &Asked,
    verdict: Verdict<Covered, Failure, Doubt>,
    outcome: &Outcome,
) -> Answer {
    let expected = verifier.expected(asked);
    let as_expected = match expected {
        Expectation::Holds => verdict.holds(),
        Expectation::Fails | Expectation::FailsWith(_) => verdict.fails(),
    };
    Answer {
        file: verifier.source.path.to_string(),
        line: asked.span.line_column(verifier.source.text).0,
        object: verifier.task.title(),
        property: asked.name.clone(),
        verdict,
        expected,
        as_expected,
        scope: scope(verifier, outcome),
        seconds: 0.0,
        cpu_seconds: 0.0,
        peak_bytes: outcome.bytes,
        warnings: Vec::new(),
    }
}

/// What belongs to a property that holds.
pub(crate) fn covered(verifier: &Verifier<'_>, outcome: &Outcome) -> Covered {
    Covered { never_exercised: never_exercised(&verifier.task.machine, verifier.source.text, outcome) }
}

fn scope(verifier: &Verifier<'_>, outcome: &Outcome) -> Scope {
    let task = verifier.task;
    Scope {
        threads: task.machine.concurrent() as u32,
        ops: task.ops,
        values: task.values.clone(),
        roles: task.roles.clone(),
        memory_model: outcome.method.memory_model.into(),
        engine: outcome.method.engine.into(),
        reductions: outcome.method.reductions.iter().map(|r| r.to_string()).collect(),
        off: off(verifier, outcome),
        storage: outcome.method.storage.into(),
        states: outcome.states,
        transitions: outcome.transitions,
        depth: outcome.depth,
        assumes: task.assumes && outcome.assumed,
        dead_ends: outcome.dead_ends.states,
    }
}

/// Reductions that are off, as sentences: what the model does not allow, and what the user asked for in vain.
fn off(verifier: &Verifier<'_>, outcome: &Outcome) -> Vec<String> {
    let told = |(name, why): &(&str, Off)| match why {
        Off::Model(why) => Some(format!("no {name}: {why}")),
        Off::Question(why) | Off::Met(why) => {
            verifier.options.reductions.is_some().then(|| format!("no {name}: {why}"))
        }
    };
    outcome.method.off.iter().filter_map(told).collect()
}

/// What ended the search, and what is known all the same.
pub(crate) fn unknown(asked: &Asked, outcome: &Outcome, why: &Why) -> Doubt {
    let cause = match why {
        Why::Stopped(stop) => Cause::Limit(*stop),
        Why::Unavailable => Cause::Unavailable,
        Why::Finding { .. } | Why::SpecificationFinding { .. } => Cause::Question,
        Why::ClientEnds | Why::Unexplained | Why::Refused(_) => Cause::Question,
    };
    let (stopped, why) = match why {
        Why::Stopped(stop) => (stop.to_string(), so_far(outcome)),
        Why::Unavailable => ("not available yet".into(), format!("`{}` is not available yet", asked.name)),
        Why::Refused(why) => ("not decided".into(), why.clone()),
        Why::ClientEnds => (
            "the client ends".into(),
            format!(
                "every operation of this client completes, but `{}` is about others that go on for ever; with \
                 `ops forever;`, or roles that call `forever {{ … }}`, it can be decided",
                asked.name
            ),
        ),
        Why::Unexplained => (
            "not linearizable".into(),
            "the specification does not explain every execution, so it cannot say who has to wait; see \
             `linearizable`"
                .into(),
        ),
        Why::Finding { finding, thread, .. } => (
            "executions end early".into(),
            format!(
                "no violation in the executions that run through, but thread {} {} in others; see `safe`",
                thread + 1,
                finding.sentence()
            ),
        ),
        Why::SpecificationFinding { op, finding } => {
            let name = match (asked.question.specification(), op) {
                (Some(spec), Some(op)) => {
                    format!("`{}` of the specification `{}`", spec.ops[op.0 as usize].name, spec.name)
                }
                _ => "the specification".into(),
            };
            ("the specification goes wrong".into(), format!("{name} {}", finding.sentence()))
        }
    };
    Doubt { cause, stopped, why, advice: Vec::new() }
}

fn so_far(outcome: &Outcome) -> String {
    if outcome.transitions == 0 {
        return "nothing was searched".into();
    }
    let mut text = format!(
        "no violation in {} (all executions up to {})",
        plural(outcome.states, "state", "states"),
        plural(outcome.depth, "step", "steps")
    );
    match outcome.frontier {
        0 => {}
        1 => text += "; one state was not yet expanded",
        n => text += &format!("; {} states were not yet expanded", number(n)),
    }
    if !outcome.growing.is_empty() {
        text += &format!("; still growing: {}", outcome.growing.join(", "));
    }
    text
}

/// What is known of smaller failures where the search for them was cut.
pub(crate) fn smaller(cut: Cut) -> String {
    let none = match cut.threads {
        1 => "smaller ones are not ruled out".into(),
        n => format!("none has fewer than {n} threads"),
    };
    let end = cut.stop.map_or(String::new(), |stop| format!(" when {stop}"));
    format!(
        "{none}; the search for a smaller one was cut{end} after {}",
        plural(cut.settled, "state", "states")
    )
}
