//! A difference in the words of `report`.

use trueline_lts::compare::{self, Threat};
use trueline_lts::formula::Action;
use trueline_lts::preorder::{BadRun, Broken};
use trueline_lts::{Difference, Evidence, LabelId, Labels, Lts, RunStep, Side};
use trueline_report::system as told;

/// A run that one system has and the other lacks.
pub fn trace(run: &[RunStep], labels: &Labels, has: &str, lacks: &str) -> told::Evidence {
    let (of, lacks) = (has.into(), lacks.into());
    told::Evidence::Trace { of, lacks, trace: visible(run, labels), run: steps(run, labels), claim: None }
}

/// A run of the first system that the second does not allow.
pub fn run(bad: &BadRun, labels: &Labels) -> told::Evidence {
    let (trace, run) = (visible(&bad.run, labels), steps(&bad.run, labels));
    match &bad.why {
        Broken::Trace => told::Evidence::NotATrace { trace, run, offered: () },
        Broken::Divergence => told::Evidence::Divergence { trace, run, offered: () },
        Broken::Refusal(offered) => told::Evidence::Refusal { trace, run, offered: offered.clone() },
    }
}

/// Why two systems differ.
pub fn difference(why: &Difference, systems: [&Lts; 2], names: &[String; 2]) -> told::Evidence {
    let holds = usize::from(why.holds_on == Side::Right);
    let claim = told::Claim { formula: why.formula.to_string(), holds_on: side(why.holds_on) };
    match &why.evidence {
        Evidence::Play(rounds) => {
            told::Evidence::Play { rounds: rounds.iter().map(|r| round(r, systems)).collect(), claim }
        }
        Evidence::Trace(run) => {
            let labels = systems[holds].labels();
            told::Evidence::Trace {
                of: names[holds].clone(),
                lacks: names[1 - holds].clone(),
                trace: visible(run, labels),
                run: steps(run, labels),
                claim: Some(claim),
            }
        }
    }
}

fn side(side: Side) -> told::Side {
    match side {
        Side::Left => told::Side::Left,
        Side::Right => told::Side::Right,
    }
}

fn round(round: &compare::Round, systems: [&Lts; 2]) -> told::Round {
    let mover = usize::from(round.by == Side::Right);
    let threat = match &round.threat {
        Threat::Diverge => told::Threat::Divergence,
        Threat::Step(Action::Tau) => told::Threat::Tau,
        Threat::Step(action @ Action::Visible(name)) => {
            told::Threat::Label(told::Label { name: name.clone(), written: action.to_string() })
        }
    };
    let answer = |answer: &Vec<RunStep>| steps(answer, systems[1 - mover].labels());
    told::Round {
        by: side(round.by),
        from: told::Positions { left: round.from.0.0, right: round.from.1.0 },
        threat,
        steps: steps(&round.steps, systems[mover].labels()),
        answer: round.answer.as_ref().map(answer),
    }
}

fn visible(run: &[RunStep], labels: &Labels) -> Vec<String> {
    let seen = run.iter().filter(|s| s.label != LabelId::TAU);
    seen.map(|s| labels.name(s.label).to_string()).collect()
}

fn steps(run: &[RunStep], labels: &Labels) -> Vec<told::RunStep> {
    let step = |s: &RunStep| {
        let label = (s.label != LabelId::TAU).then(|| labels.name(s.label).to_string());
        told::RunStep { from: s.source.0, label, to: s.target.0 }
    };
    run.iter().map(step).collect()
}
