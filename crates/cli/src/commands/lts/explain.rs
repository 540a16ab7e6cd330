//! A difference in words and as data.

use serde_json::{Value, json};
use std::fmt::Write;
use trueline_lts::compare::{Round, Threat};
use trueline_lts::formula::Action;
use trueline_lts::preorder::{BadRun, Broken};
use trueline_lts::{Difference, Evidence, LabelId, Labels, Lts, Side, Step};

/// A run that one system has and the other lacks.
pub fn trace(run: &[Step], labels: &Labels, has: &str, lacks: &str) -> (String, Value) {
    let visible: Vec<&str> =
        run.iter().filter(|s| s.label != LabelId::TAU).map(|s| labels.name(s.label)).collect();
    let mut text = format!("a shortest trace of {has} that {lacks} lacks:\n");
    text += &shortened(&visible, "labels", |_, name| format!("  {name}\n"));
    let _ = writeln!(text, "as a run of {has}:\n  {}", show_run(run, labels));
    (text, json!({ "kind": "trace", "of": has, "trace": visible, "run": run_json(run, labels) }))
}

/// A run of the first system that the second does not allow.
pub fn run(bad: &BadRun, labels: &Labels, names: &[String; 2]) -> (String, Value) {
    let [first, second] = names;
    let visible: Vec<&str> =
        bad.run.iter().filter(|s| s.label != LabelId::TAU).map(|s| labels.name(s.label)).collect();
    let mut text = format!("a run of {first}:\n  {}\n", show_run(&bad.run, labels));
    let (what, offered) = match &bad.why {
        Broken::Trace => {
            text += &format!("{second} has no run with these labels\n");
            ("not-a-trace", None)
        }
        Broken::Divergence => {
            text += &format!(
                "then {first} can go on silently for ever; {second}, after the same labels, cannot\n"
            );
            ("divergence", None)
        }
        Broken::Refusal(offered) => {
            let list = if offered.is_empty() { "nothing".to_string() } else { offered.join(", ") };
            text += &format!(
                "then {first} offers {list} and nothing else; {second}, after the same labels, offers more wherever it is stable\n"
            );
            ("refusal", Some(offered))
        }
    };
    (text, json!({ "kind": what, "trace": visible, "run": run_json(&bad.run, labels), "offered": offered }))
}

/// Lines of a long list that are shown at either end.
const ENDS: usize = 10;
/// Characters of a formula that are shown at either end.
const FORMULA_ENDS: usize = 1000;

/// The items of a list as text; a long one is shortened in the middle, which is said.
fn shortened<T>(items: &[T], what: &str, show: impl Fn(usize, &T) -> String) -> String {
    let hidden = if items.len() > 3 * ENDS { ENDS..items.len() - ENDS } else { 0..0 };
    let mut text = String::new();
    for (i, item) in items.iter().enumerate() {
        if i == hidden.start && !hidden.is_empty() {
            let _ = writeln!(text, "  … {} {what} are not shown; --json has them all …", hidden.len());
        }
        if !hidden.contains(&i) {
            text += &show(i, item);
        }
    }
    text
}

/// A long formula without its middle.
fn cut(formula: &str) -> String {
    let count = formula.chars().count();
    if count <= 3 * FORMULA_ENDS {
        return formula.to_string();
    }
    let begin: String = formula.chars().take(FORMULA_ENDS).collect();
    let end: String = formula.chars().skip(count - FORMULA_ENDS).collect();
    format!("{begin} … {} characters are not shown … {end}", count - 2 * FORMULA_ENDS)
}

/// Why two systems differ.
pub fn difference(why: &Difference, systems: [&Lts; 2], names: &[String; 2]) -> (String, Value) {
    let index = |side: Side| usize::from(side == Side::Right);
    let holds = index(why.holds_on);
    let formula = why.formula.to_string();
    let claim =
        format!("this holds in {} and not in {}:\n  {}\n", names[holds], names[1 - holds], cut(&formula));
    let (text, mut data) = match &why.evidence {
        Evidence::Trace(run) => trace(run, systems[holds].labels(), &names[holds], &names[1 - holds]),
        Evidence::Play(rounds) => {
            let text = shortened(rounds, "rounds", |i, round| {
                format!("{}. {}", i + 1, show_round(round, systems, names))
            });
            let rounds: Vec<Value> = rounds.iter().map(|r| round_json(r, systems)).collect();
            (text, json!({ "kind": "play", "rounds": rounds }))
        }
    };
    data["formula"] = json!(formula);
    data["holds_on"] = json!(if holds == 0 { "left" } else { "right" });
    (text + &claim, data)
}

fn show_round(round: &Round, systems: [&Lts; 2], names: &[String; 2]) -> String {
    let mover = usize::from(round.by == Side::Right);
    let (left, right) = (round.from.0.0, round.from.1.0);
    let mut text = format!("{} in state {left}, {} in state {right}\n", names[0], names[1]);
    let what = match &round.threat {
        Threat::Step(action) => format!("do {action}"),
        Threat::Diverge => "go on silently for ever".to_string(),
    };
    let steps = show_run(&round.steps, systems[mover].labels());
    let how = if round.steps.is_empty() { String::new() } else { format!(": {steps}") };
    let _ = writeln!(text, "   {} can {what}{how}", names[mover]);
    let answer = match &round.answer {
        None => "cannot".to_string(),
        Some(steps) if steps.is_empty() => "can only stay where it is".to_string(),
        Some(steps) => format!("can at best answer: {}", show_run(steps, systems[1 - mover].labels())),
    };
    let _ = writeln!(text, "   {} {answer}", names[1 - mover]);
    text
}

fn round_json(round: &Round, systems: [&Lts; 2]) -> Value {
    let mover = usize::from(round.by == Side::Right);
    let threat = match &round.threat {
        Threat::Step(Action::Tau) => json!("tau"),
        Threat::Step(Action::Visible(name)) => json!({ "label": name }),
        Threat::Diverge => json!("divergence"),
    };
    json!({
        "by": if mover == 0 { "left" } else { "right" },
        "from": { "left": round.from.0.0, "right": round.from.1.0 },
        "threat": threat,
        "steps": run_json(&round.steps, systems[mover].labels()),
        "answer": round.answer.as_ref().map(|steps| run_json(steps, systems[1 - mover].labels())),
    })
}

/// `0 -a-> 3 -tau-> 4`; long runs are cut in the middle.
fn show_run(run: &[Step], labels: &Labels) -> String {
    let Some(first) = run.first() else { return "no step".to_string() };
    let mut text = first.source.0.to_string();
    for (i, step) in run.iter().enumerate() {
        if run.len() > 60 && i == 30 {
            let _ = write!(text, " … {} steps …", run.len() - 60);
        }
        if run.len() <= 60 || !(30..run.len() - 30).contains(&i) {
            let _ = write!(text, " -{}-> {}", labels.name(step.label), step.target.0);
        }
    }
    text
}

fn run_json(run: &[Step], labels: &Labels) -> Value {
    let step = |s: &Step| {
        let label = if s.label == LabelId::TAU { Value::Null } else { json!(labels.name(s.label)) };
        json!({ "from": s.source.0, "label": label, "to": s.target.0 })
    };
    run.iter().map(step).collect()
}
