//! Verdicts by quotients against the searches on the fly, and what tells objects apart.

use crate::common::random::{Kind, machine};
use trueline_base::{Limits, Silent, Violation};
use trueline_check::fast::{self, Reductions};
use trueline_check::quotient::{check, essential};
use trueline_check::{Outcome, Verdict, Why};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::ir::Memory;
use trueline_lang::question::{Progress, Question};
use trueline_replay::execute;

fn word(outcome: &Outcome) -> &'static str {
    match &outcome.verdict {
        Verdict::Holds(()) => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Unknown(Why::Finding { .. }) => "ends early",
        Verdict::Unknown(why) => panic!("{why:?}"),
    }
}

/// Both ways to decide a question; gives what both say.
fn compare(what: &str, task: &trueline_lang::ir::Machine, question: &Question) -> &'static str {
    let limits = Limits::default();
    let by_quotient = check(task, question, &limits, &mut Silent);
    let by_search = fast::check(task, question, Reductions::ALL, &limits, &mut Silent);
    if let Verdict::Unknown(Why::SpecificationFinding { .. } | Why::Refused(_)) = by_quotient.verdict {
        return "not decided";
    }
    // A system with a finding has no quotient: a violation elsewhere is found by the search alone.
    if word(&by_quotient) != "ends early" {
        assert_eq!(word(&by_quotient), word(&by_search), "{what}");
    }
    word(&by_quotient)
}

#[test]
fn random_objects_have_the_same_verdicts() {
    let mut said = std::collections::BTreeMap::new();
    for seed in 0..250 {
        for kind in [Kind::Numbers, Kind::Heap(Memory::Gc)] {
            let (machine, spec) = machine(seed, kind);
            if let Some(spec) = &spec {
                let question = Question::linearizable(spec);
                *said
                    .entry(("linearizable", compare(&format!("{seed}"), &machine, &question)))
                    .or_insert(0) += 1;
            }
            let question = Question::Progress { progress: Progress::LockFree, spec: None };
            *said.entry(("lock_free", compare(&format!("{seed}"), &machine, &question))).or_insert(0) += 1;
        }
    }
    for wanted in
        [("linearizable", "holds"), ("linearizable", "fails"), ("lock_free", "holds"), ("lock_free", "fails")]
    {
        assert!(said.get(&wanted).is_some_and(|n| *n > 10), "{said:?}");
    }
}

const TWO: &str = "
object Once { shared n: 0..4 = 0; op inc() -> int { atomic { n = (n + 1) % 4; return n; } } }
object Retry { shared n: 0..4 = 0; op inc() -> int { loop { let c = n; if cas(n, c, (c + 1) % 4) { return (c + 1) % 4; } } } }
object Spin { shared n: 0..4 = 0; op inc() -> int { while n == 1 { } atomic { n = (n + 1) % 4; return n; } } }
object Twice { shared n: 0..4 = 0; op inc() -> int { n = (n + 2) % 4; return n; } }
check Retry { ops 2; equivalent Once; }
check Spin { ops 2; equivalent Once; }
check Twice { ops 1; equivalent Once; equivalent Once by trace; }
check Once { ops 1; equivalent Twice; }
";

fn task(at: usize) -> Task {
    Model::parse(TWO).instantiate(at, &Overrides::default()).expect("a check")
}

#[test]
fn what_differs_is_shown_on_both_sides() {
    let ask = |at: usize, asked: usize| {
        let task = task(at);
        let question = task.asked[asked].question.clone();
        let outcome = check(&task.machine, &question, &Limits::default(), &mut Silent);
        let Question::Equivalent { other, .. } = &question else { panic!("{question:?}") };
        if let (Verdict::Fails(found), Some(difference)) = (&outcome.verdict, &outcome.difference) {
            assert_eq!(found.violation, Violation::NotEquivalent);
            execute(&task.machine, &found.evidence.prefix).expect("an execution");
            execute(other, &difference.other).expect("an execution of the other");
        }
        outcome
    };
    assert_eq!(ask(0, 0).verdict, Verdict::Holds(()));
    // Waiting for a number to change can go on for ever.
    let spins = ask(1, 0);
    assert!(matches!(spins.verdict, Verdict::Fails(_)));
    assert_eq!(spins.difference.as_ref().map(|d| d.threat.clone()), Some(None));
    for (at, asked) in [(2, 0), (2, 1), (3, 0)] {
        let outcome = ask(at, asked);
        assert!(matches!(outcome.verdict, Verdict::Fails(_)), "{at} {asked}");
        assert!(outcome.difference.is_some_and(|d| d.threat.is_some()));
    }
}

#[test]
fn a_step_that_takes_effect_is_essential() {
    let task = task(0);
    let found = essential(&task.machine, &Limits::default(), &mut Silent).expect("no finding");
    let kept: Vec<u32> =
        found.steps.iter().filter(|(_, (_, kept))| *kept > 0).map(|((_, pc), _)| *pc).collect();
    let code = &task.machine.object.ops[0].routine.code;
    assert_eq!(kept.len(), 1);
    assert!(matches!(code[kept[0] as usize].kind, trueline_lang::ir::InstrKind::Cas { .. }));
}
