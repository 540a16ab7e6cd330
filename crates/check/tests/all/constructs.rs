//! Random models with every construct: verdicts with some combinations of reductions, others for each model, and
//! counterexamples as the reduced search finds them, executed on the reference interpreter.

use crate::common::ask::{combinations, questions};
use crate::common::random::Dice;
use crate::common::texts::model;
use crate::random::confirm;
use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reduction, Reductions};
use trueline_check::{Outcome, Verdict, Why, decide};

/// Combinations per property, besides all reductions together.
const TRIED: usize = 8;

fn word(outcome: &Outcome) -> Option<&'static str> {
    match outcome.verdict {
        Verdict::Holds(()) => Some("holds"),
        Verdict::Fails(_) => Some("fails"),
        Verdict::Unknown(Why::Finding { .. }) => Some("ends early"),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn models_with_every_construct() {
    let all = combinations();
    let (mut holds, mut fails, mut values, mut orders) = (0, 0, 0, 0);
    for seed in 0..80 {
        let text = model(seed);
        let mut dice = Dice::new(seed + 1000);
        for (machine, question) in questions(&text) {
            let limits = Limits { states: Some(20_000), ..Limits::default() };
            let plain = decide(&machine, &question, &limits, &mut Silent);
            let Some(wanted) = word(&plain) else { continue };
            let mut tried = vec![Reductions::ALL, Reductions::ALL.without(Reduction::Guess)];
            tried.extend((0..TRIED).map(|_| all[dice.roll(all.len() as u32) as usize]));
            for reductions in tried {
                let reductions = reductions.allowed(&machine, &question);
                let found = fast::decide_checked(&machine, &question, reductions, &limits, &mut Silent);
                if let Verdict::Unknown(Why::Stopped(_)) = found.verdict {
                    assert!(!reductions.has(Reduction::Heap), "nothing else bounds fresh addresses");
                    continue;
                }
                let names = &found.method.reductions;
                assert_eq!(word(&found), Some(wanted), "seed {seed}, {names:?}: {text}");
                if let Verdict::Fails(counterexample) = &found.verdict {
                    confirm(&machine, counterexample, question.specification());
                }
                if wanted == "holds" {
                    assert_eq!(found.dead_ends.states > 0, plain.dead_ends.states > 0, "seed {seed}: {text}");
                }
                values += names.contains(&"values") as u32;
                orders += names.iter().any(|name| name.starts_with("por")) as u32;
            }
            holds += (wanted == "holds") as u32;
            fails += (wanted == "fails") as u32;
        }
    }
    println!("{holds} hold, {fails} fail, {values} exchange values, {orders} leave out orders");
    assert!(holds > 100 && fails > 15 && values > 250 && orders > 500, "{holds} {fails} {values} {orders}");
}
