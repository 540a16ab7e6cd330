//! Answers about transition systems as text.

use std::fmt::Write;

use trueline_base::Verdict;

use super::{
    Claim, Compared, Evidence, Info, Ktrace, Round, RunStep, Side, SystemAnswer, SystemQuestion, Threat,
};

/// Labels named of a long list.
const LABELS: usize = 12;
/// Lines of a long list that are shown at either end.
const ENDS: usize = 10;
/// Characters of a formula that are shown at either end.
const FORMULA_ENDS: usize = 1000;
/// Steps of a run that are shown at either end.
const RUN_ENDS: usize = 30;

impl SystemAnswer {
    /// For people; ends with a line break, or is empty where there is nothing to say.
    pub fn text(&self) -> String {
        match self {
            SystemAnswer::Generated { object, size, .. } => {
                format!("{object}: {} states, {} transitions\n", size.states, size.transitions)
            }
            SystemAnswer::Info(info) => self::info(info),
            SystemAnswer::Reduced { file, by, size, reduced, .. } => format!(
                "{file}: {} states, {} transitions\nby {by}: {} states, {} transitions\n",
                size.states, size.transitions, reduced.states, reduced.transitions
            ),
            SystemAnswer::Compared(answer) => compared(answer),
            SystemAnswer::Converted { file, output, size } => {
                format!("{file} -> {output}: {} states, {} transitions\n", size.states, size.transitions)
            }
            SystemAnswer::Drawn { output, size, .. } => format!("{output}: {} states drawn\n", size.states),
            SystemAnswer::Ktrace(answer) => ktrace(answer),
        }
    }
}

fn info(info: &Info) -> String {
    let shown: Vec<&str> = info.labels.iter().map(String::as_str).take(LABELS).collect();
    let more = if info.labels.len() > shown.len() { ", …" } else { "" };
    let cycles = match info.states_on_tau_cycles {
        0 => "none".to_string(),
        n => format!("through {n} states"),
    };
    let per_transition = info.bytes as f64 / info.size.transitions.max(1) as f64;
    let lines = [
        ("states", info.size.states.to_string()),
        ("initial", info.initial.to_string()),
        ("reachable", info.reachable.to_string()),
        ("transitions", info.size.transitions.to_string()),
        ("internal", info.internal.to_string()),
        ("labels", format!("{} ({}{more})", info.labels.len(), shown.join(", "))),
        ("deadlocks", info.deadlocks.to_string()),
        ("out-degree", info.out_degree.to_string()),
        ("tau cycles", cycles),
        ("deterministic", if info.deterministic { "yes" } else { "no" }.to_string()),
        ("bytes", format!("{} ({per_transition:.1} per transition)", info.bytes)),
    ];
    lines.iter().map(|(name, value)| format!("{name:<13} {value}\n")).collect()
}

fn ktrace(answer: &Ktrace) -> String {
    let mut text = format!("{}: {} reachable states, cap {}\n", answer.file, answer.states, answer.cap);
    for (k, classes) in answer.classes.iter().enumerate() {
        let _ = writeln!(text, "  {k}-trace equivalence: {classes} classes");
    }
    let (all, inert) = (answer.tau_steps, answer.inert_tau_steps);
    let _ = writeln!(text, "tau steps: {all}, of which {inert} have max-trace equivalent ends");
    for first in &answer.first_difference {
        let (k, before, (s, t)) = (first.k, first.k.saturating_sub(1), first.example);
        let _ = writeln!(
            text,
            "  {} with ends {before}-trace equivalent and {k}-trace inequivalent, such as {s} -> {t}",
            first.steps
        );
    }
    let some = if answer.one_equivalent_two_inequivalent { "some" } else { "no" };
    let _ = writeln!(text, "{some} tau step has ends that are 1-trace equivalent and 2-trace inequivalent");
    for (s, t, k) in &answer.steps {
        let _ = writeln!(text, "  {s} -> {t}: differ at k = {k}");
    }
    text
}

fn compared(answer: &Compared) -> String {
    let Compared { left, right, by, question, verdict } = answer;
    let evidence = match &verdict.verdict {
        Verdict::Holds(()) => String::new(),
        Verdict::Fails(evidence) => shown(evidence, [left, right]),
        Verdict::Unknown(why) => return format!("unknown: {why}\n"),
    };
    match (question, verdict.verdict.holds()) {
        (SystemQuestion::Refinement, true) => format!("{left} refines {right} by {by}\n"),
        (SystemQuestion::Refinement, false) => format!("{left} does not refine {right} by {by}\n{evidence}"),
        _ => format!("{} by {by}: {left} and {right}\n{evidence}", verdict.word()),
    }
}

fn shown(evidence: &Evidence, names: [&String; 2]) -> String {
    let [first, second] = names;
    match evidence {
        Evidence::Trace { of, lacks, trace, run, claim } => {
            let mut text = format!("a shortest trace of {of} that {lacks} lacks:\n");
            text += &shortened(trace, "labels", |_, name| format!("  {name}\n"));
            let _ = writeln!(text, "as a run of {of}:\n  {}", steps(run));
            text + &claim.as_ref().map_or(String::new(), |claim| claimed(claim, names))
        }
        Evidence::Play { rounds, claim } => {
            let told = shortened(rounds, "rounds", |i, round| format!("{}. {}", i + 1, played(round, names)));
            told + &claimed(claim, names)
        }
        Evidence::NotATrace { run, .. } => {
            format!("a run of {first}:\n  {}\n{second} has no run with these labels\n", steps(run))
        }
        Evidence::Divergence { run, .. } => format!(
            "a run of {first}:\n  {}\nthen {first} can go on silently for ever; {second}, after the same labels, cannot\n",
            steps(run)
        ),
        Evidence::Refusal { run, offered, .. } => {
            let list = if offered.is_empty() { "nothing".to_string() } else { offered.join(", ") };
            format!(
                "a run of {first}:\n  {}\nthen {first} offers {list} and nothing else; no stable state of {second} after the same labels offers no more than that\n",
                steps(run)
            )
        }
        Evidence::None { why } => {
            format!("what tells them apart is not shown: {why} while it was looked for\n")
        }
    }
}

/// The items of a list as text; a long one is shortened in the middle, which is said.
fn shortened<T>(items: &[T], what: &str, show: impl Fn(usize, &T) -> String) -> String {
    let hidden = if items.len() > 3 * ENDS { ENDS..items.len() - ENDS } else { 0..0 };
    let mut text = String::new();
    for (i, item) in items.iter().enumerate() {
        if i == hidden.start && !hidden.is_empty() {
            let _ =
                writeln!(text, "  … {} {what} are not shown; the JSON document has them all …", hidden.len());
        }
        if !hidden.contains(&i) {
            text += &show(i, item);
        }
    }
    text
}

/// What a formula says; a long one without its middle.
fn claimed(claim: &Claim, names: [&String; 2]) -> String {
    let (holds, other) = match claim.holds_on {
        Side::Left => (names[0], names[1]),
        Side::Right => (names[1], names[0]),
    };
    let formula = &claim.formula;
    let count = formula.chars().count();
    let formula = if count <= 3 * FORMULA_ENDS {
        formula.clone()
    } else {
        let begin: String = formula.chars().take(FORMULA_ENDS).collect();
        let end: String = formula.chars().skip(count - FORMULA_ENDS).collect();
        format!("{begin} … {} characters are not shown … {end}", count - 2 * FORMULA_ENDS)
    };
    format!("this holds in {holds} and not in {other}:\n  {formula}\n")
}

fn played(round: &Round, names: [&String; 2]) -> String {
    let (mover, other) = match round.by {
        Side::Left => (names[0], names[1]),
        Side::Right => (names[1], names[0]),
    };
    let mut text =
        format!("{} in state {}, {} in state {}\n", names[0], round.from.left, names[1], round.from.right);
    let what = match &round.threat {
        Threat::Tau => "do tau".to_string(),
        Threat::Divergence => "go on silently for ever".to_string(),
        Threat::Label(label) => format!("do {}", label.written),
    };
    let how = if round.steps.is_empty() { String::new() } else { format!(": {}", steps(&round.steps)) };
    let _ = writeln!(text, "   {mover} can {what}{how}");
    let answer = match &round.answer {
        None => "cannot".to_string(),
        Some(answer) if answer.is_empty() => "can only stay where it is".to_string(),
        Some(answer) => format!("can at best answer: {}", steps(answer)),
    };
    let _ = writeln!(text, "   {other} {answer}");
    text
}

/// `0 -a-> 3 -tau-> 4`; long runs are cut in the middle.
fn steps(run: &[RunStep]) -> String {
    let Some(first) = run.first() else { return "no step".to_string() };
    let mut text = first.from.to_string();
    let long = run.len() > 2 * RUN_ENDS;
    for (i, step) in run.iter().enumerate() {
        if long && i == RUN_ENDS {
            let _ = write!(text, " … {} steps …", run.len() - 2 * RUN_ENDS);
        }
        if !long || !(RUN_ENDS..run.len() - RUN_ENDS).contains(&i) {
            let _ = write!(text, " -{}-> {}", step.label.as_deref().unwrap_or("tau"), step.to);
        }
    }
    text
}
