//! Whole checks, from the text to the confirmed answer.

use crate::common::decided;
use trueline_base::answer::{Cause, Doubt, Expectation};
use trueline_base::verdict::Decision;
use trueline_base::{Limits, PointFault, Stop, Verdict, Violation};
use trueline_verify::{Decided, Engine, Options};

fn counter(body: &str, properties: &str) -> String {
    format!(
        "spec Count {{ state n: int = 0; op inc() -> int {{ n = n + 1; return n; }} }}
         object C implements Count {{ shared x: int = 0; op inc() -> int {{ {body} }} }}
         check C {{ threads 2; ops 1; {properties} }}"
    )
}

fn doubt(decided: &Decided) -> &Doubt {
    match &decided.answer.verdict {
        Verdict::Unknown(doubt) => doubt,
        other => panic!("{other:?}"),
    }
}

const LOSSY: &str = "let a = x; x = a + 1; return a + 1;";

#[test]
fn the_engine_fills_the_scope() {
    let all = decided(&counter("return faa(x, 1) + 1;", "linearizable; leak_free;"), &Options::default());
    let words: Vec<_> =
        all.iter().map(|d| (d.answer.property.as_str(), d.answer.verdict.decision())).collect();
    // `safe` is implied and says nothing new.
    assert_eq!(words, [("linearizable", Decision::Holds), ("leak_free", Decision::Holds)]);
    let scope = &all[0].answer.scope;
    assert_eq!((scope.engine.as_str(), scope.storage.as_str()), ("fast", "exact"));
    let all_of_them =
        ["heap", "dead locals", "merge", "tight", "symmetry", "factored", "antichain", "guess", "por"];
    assert_eq!(scope.reductions, all_of_them);
    let leaks = &all[1].answer.scope;
    assert_eq!((leaks.engine.as_str(), &leaks.reductions[..]), ("fast", &scope.reductions[..5]));
    assert!(scope.states > 0 && scope.transitions > 0 && scope.depth > 0);
}

#[test]
fn a_failure_is_confirmed_and_kept() {
    let all = decided(&counter(LOSSY, "linearizable;"), &Options::default());
    let [failed, safe] = &all[..] else { panic!("{} answers", all.len()) };
    assert_eq!(
        (failed.answer.verdict.decision(), safe.answer.verdict.decision()),
        (Decision::Fails, Decision::Holds)
    );
    let file = failed.file.as_ref().expect("a trace file");
    assert_eq!(file.violation, Violation::NotLinearizable);
    assert_eq!(file.property, "linearizable");
    let trace = failed.answer.verdict.failure().map(|failure| &failure.trace);
    assert!(trace.is_some_and(|t| t.minimal && t.counts.steps == 8));
}

#[test]
fn what_is_not_confirmed_is_no_verdict() {
    for step in 0..8 {
        let options = Options { alter: Some(step), ..Options::default() };
        let all = decided(&counter(LOSSY, "linearizable;"), &options);
        assert_eq!(all[0].answer.verdict.decision(), Decision::Unknown);
        assert!(matches!(doubt(&all[0]).cause, Cause::Internal(_)), "{:?}", all[0].answer);
        assert!(all[0].file.is_none());
    }
}

#[test]
fn the_points_or_the_object_are_to_blame() {
    let loops = "loop { @lin let a = x; if cas(x, a, a + 1) { return a + 1; } }";
    let all = decided(&counter(loops, "linearizable;"), &Options::default());
    let file = all[0].file.as_ref().expect("a trace file");
    assert!(matches!(file.violation, Violation::Point(_)));
    let blame = all[0].answer.verdict.failure().and_then(|failure| failure.blame.as_ref());
    assert!(blame.is_some_and(|w| w.starts_with("The points are to blame")));
    let options = Options { points: false, ..Options::default() };
    assert_eq!(
        decided(&counter(loops, "linearizable;"), &options)[0].answer.verdict.decision(),
        Decision::Holds
    );
    let lossy =
        decided(&counter(&LOSSY.replace("x = a", "@lin x = a"), "linearizable;"), &Options::default());
    assert_eq!(lossy[0].file.as_ref().map(|f| f.violation), Some(Violation::NotLinearizable));
}

/// Where one operation takes effect at a mark, results of others depend on where the mark is, too.
#[test]
fn a_mark_is_to_blame_for_what_another_operation_returns() {
    let text = "spec Counter { state n: int = 0; op inc() { n = n + 1; } op get() -> int { return n; } }
object O implements Counter {
  shared n: int = 0;
  op inc() { @lin let c = n; n = c + 1; }
  op get() -> int { return n; }
}
check O { role one { inc(); } role two { get(); } linearizable; }";
    for engine in [Engine::Fast, Engine::Plain, Engine::Quotient] {
        let failed = &decided(text, &Options { engine, ..Options::default() })[0];
        let differs = Violation::Point(PointFault::ResultDiffers);
        assert_eq!(failed.file.as_ref().map(|file| file.violation), Some(differs), "{engine:?}");
        let failure = failed.answer.verdict.failure().expect("a failure");
        assert_eq!(
            failure.trace.summary,
            "get() by thread 2 returns 0, but the specification can only return 1."
        );
        let without = Options { engine, points: false, ..Options::default() };
        assert!(decided(text, &without)[0].answer.verdict.holds(), "{engine:?}");
    }
}

#[test]
fn what_is_not_known_says_why() {
    let limits = Limits { states: Some(5), ..Limits::default() };
    let all = decided(&counter(LOSSY, "linearizable;"), &Options { limits, ..Options::default() });
    assert_eq!(doubt(&all[0]).cause, Cause::Limit(Stop::States));
    assert!(doubt(&all[0]).why.starts_with("no violation in 6 states"));
    let all = decided(&counter(LOSSY, "ltl \"G F done\";"), &Options::default());
    assert_eq!(doubt(&all[0]).cause, Cause::Unavailable);
    assert_eq!(doubt(&all[0]).why, "`ltl` is not available yet");
    let retry = "loop { let a = x; if cas(x, a, a + 1) { return a + 1; } }";
    let all = decided(&counter(retry, "wait_free;"), &Options::default());
    assert_eq!(doubt(&all[0]).cause, Cause::Question);
    assert!(doubt(&all[0]).why.contains("ops forever;"));
}

#[test]
fn without_expectations_everything_is_to_hold() {
    let text = counter(LOSSY, "linearizable expect fails;");
    assert!(decided(&text, &Options::default())[0].answer.as_expected);
    let options = Options { expectations: false, ..Options::default() };
    let answer = &decided(&text, &options)[0].answer;
    assert!(!answer.as_expected && answer.expected == Expectation::Holds);
}
