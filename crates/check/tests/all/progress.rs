//! Progress on the fast engine against the definitions on the reference interpreter.

use crate::common::random::Dice;
use trueline_base::{Limits, Meter, Silent};
use trueline_check::fast::{self, Reduction, Reductions};
use trueline_check::{Verdict, Why};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::question::Question;
use trueline_replay::endless::completes;
use trueline_replay::{Case, Source, confirm_within};

const PROPERTIES: [&str; 6] =
    ["lock_free", "wait_free", "wait_free f", "obstruction_free", "deadlock_free", "starvation_free"];

/// States of the twin at most.
const MOST: usize = 700;

/// What became of one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Said {
    Holds,
    Fails,
    Unknown,
    TooLarge,
}

fn tasks(text: &str) -> Vec<Task> {
    let model = Model::parse(text);
    (0..model.checks()).map(|at| model.instantiate(at, &Overrides::default()).expect(text)).collect()
}

/// Compares every property of a text's checks, under every set of reductions that it allows, with the definitions.
fn compare(text: &str) -> Vec<(String, Said)> {
    let mut all = Vec::new();
    for task in tasks(text) {
        for asked in &task.asked {
            let Question::Progress { progress, spec } = &asked.question else { continue };
            let Ok((completes, whole)) = completes(&task.machine, *progress, spec.as_deref(), MOST) else {
                all.push((asked.name.clone(), Said::TooLarge));
                continue;
            };
            let mut said = Said::Unknown;
            for reductions in choices(&task, &asked.question) {
                let what = format!("{} with {:?} of\n{text}", asked.name, reductions.names());
                let limits = Limits::default();
                let found = fast::check(&task.machine, &asked.question, reductions, &limits, &mut Silent);
                match found.verdict {
                    Verdict::Holds(()) => {
                        assert!(completes && whole, "{what}");
                        said = Said::Holds;
                    }
                    Verdict::Unknown(Why::ClientEnds) => assert!(completes && whole, "{what}"),
                    Verdict::Unknown(Why::Unexplained | Why::Finding { .. }) => {
                        assert!(completes && !whole, "{what}");
                    }
                    Verdict::Unknown(why) => panic!("{why:?}: {what}"),
                    Verdict::Fails(found) => {
                        assert!(!completes && found.minimal, "{what}");
                        let source = Source { path: "random.tl", text };
                        let (machine, question) = (&task.machine, &asked.question);
                        let confirm = |found: &trueline_check::Counterexample| {
                            let case = Case { machine, question, violation: found.violation, source };
                            let meter = Meter::start(Limits::default());
                            if let Err(why) = confirm_within(&case, &found.evidence, &meter) {
                                panic!("{why}: {found:?} for {what}");
                            }
                        };
                        confirm(&found);
                        // What the reduced space shows is an execution too.
                        let first = fast::decide_checked(machine, question, reductions, &limits, &mut Silent);
                        let Verdict::Fails(first) = first.verdict else { panic!("{what}") };
                        confirm(&first);
                        said = Said::Fails;
                    }
                }
            }
            all.push((asked.name.clone(), said));
        }
    }
    all
}

/// Nothing but canonical heaps, everything, and everything but one.
fn choices(task: &Task, question: &Question) -> Vec<Reductions> {
    let mut all = vec![Reductions::HEAP, Reductions::ALL];
    all.extend([Reduction::Merge, Reduction::Tight, Reduction::Symmetry].map(|r| Reductions::ALL.without(r)));
    let mut allowed: Vec<Reductions> = all.into_iter().map(|r| r.allowed(&task.machine, question)).collect();
    allowed.dedup();
    allowed
}

/// A statement or two.
fn statement(dice: &mut Dice, depth: u32) -> String {
    let (k, l) = (dice.roll(3), dice.roll(3));
    let v = ["a", "b"][dice.roll(2) as usize];
    match dice.roll(if depth == 0 { 9 } else { 13 }) {
        0 => format!("{v} = {k};"),
        1 => format!("while {v} == {k} {{ }}"),
        2 => format!("while {v} != {k} {{ b = {l}; }}"),
        3 => format!("loop {{ let x = {v}; if cas({v}, x, {k}) {{ break; }} }}"),
        4 => format!("cas({v}, {k}, {l});"),
        5 => format!("await {v} == {k};"),
        6 => format!("await {v} != {k};"),
        7 => "p = new Node { v: a };".into(),
        8 => format!("if p != null {{ let q = p; {v} = q.v; }}"),
        9 => format!("lock m; {} unlock m;", statement(dice, depth - 1)),
        10 => {
            format!("either {{ {} }} or {{ {} }}", statement(dice, depth - 1), statement(dice, depth - 1))
        }
        11 => format!("let n = new Node {{ v: {k} }}; while n.v == {l} {{ n.v = b; }}"),
        _ => format!("lock k; lock m; {} unlock m; unlock k;", statement(dice, depth - 1)),
    }
}

fn object(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let body = |dice: &mut Dice| {
        let statements = 1 + dice.roll(2);
        (0..statements).map(|_| statement(dice, 1)).collect::<Vec<_>>().join(" ")
    };
    let (f, g) = (body(&mut dice), body(&mut dice));
    let ops = match dice.roll(3) {
        0 => "ops forever;",
        1 => "ops 1;",
        _ => "ops 2;",
    };
    let threads = 2 + dice.one_in(4) as u32;
    let implements = if dice.one_in(3) { " implements Turns" } else { "" };
    let properties = PROPERTIES.map(|p| format!("{p};")).join(" ");
    format!(
        "spec Turns {{ state n: 0..=2 = 0; op f() {{ await n < 2; n = n + 1; }} op g() {{ n = 0; }} }}
object O{implements} {{
    struct Node {{ v: 0..3 }}
    shared a: 0..3 = 0; shared b: 0..3 = 1; shared p: Node? = null; shared m: lock; shared k: lock;
    op f() {{ {f} }}
    op g() {{ {g} }}
}}
check O {{ threads {threads}; {ops} {properties} }}
"
    )
}

#[test]
fn random_objects_progress_as_defined() {
    let mut said = std::collections::BTreeMap::new();
    for seed in 0..130 {
        for (property, what) in compare(&object(seed)) {
            *said.entry((property, what)).or_insert(0) += 1;
        }
    }
    // Each property both holds and fails often enough to mean something.
    for property in PROPERTIES {
        for (wanted, least) in [(Said::Holds, 5), (Said::Fails, 10)] {
            let often = said.get(&(property.to_string(), wanted)).copied().unwrap_or(0);
            assert!(often >= least, "{property} {wanted:?} {often} times: {said:#?}");
        }
    }
}

/// A pool gives a cell back as it was left: whoever waits for what a former owner wrote there waits for ever, unless every
/// `new` writes it.
#[test]
fn what_a_pool_keeps_decides_progress() {
    let pool = |new: &str, threads: u32| {
        format!(
            "object P {{
                memory pool;
                struct Node {{ busy: bool, v: 0..3 }}
                shared top: Node? = null;
                op f() {{
                    let n = new Node {{ {new} }};
                    while n.busy {{ }}
                    n.busy = true;
                    free n;
                }}
                op g() {{
                    let n = new Node {{ {new} }};
                    if !cas(top, null, n) {{ free n; }}
                }}
             }}
             check P {{ threads {threads}; ops 2; lock_free; obstruction_free; deadlock_free; }}"
        )
    };
    use Said::{Fails, Holds};
    assert_eq!(said(&pool("v: 1", 1)), [Fails, Fails, Fails]);
    assert_eq!(said(&pool("busy: false, v: 1", 1)), [Holds, Holds, Holds]);
    assert_eq!(said(&pool("busy: false", 1)), [Holds, Holds, Holds]);
}

fn said(text: &str) -> Vec<Said> {
    compare(text).into_iter().map(|(_, said)| said).collect()
}

const ALL: &str = "lock_free; wait_free; obstruction_free; deadlock_free; starvation_free;";

#[test]
fn locks_are_blocking_and_unfair_ones_starve() {
    let lock = |acquire: &str, release: &str, more: &str| {
        format!(
            "object L implements Lock {{ {more} local held: bool = false;
                op acquire() requires !held {{ {acquire} held = true; }}
                op release() requires held {{ held = false; {release} }} }}
             check L {{ threads 2; ops forever; {ALL} }}"
        )
    };
    use Said::{Fails, Holds};
    let spin = lock("while tas(busy) { }", "busy = false;", "shared busy: bool = false;");
    assert_eq!(said(&spin), [Fails, Fails, Fails, Holds, Fails]);
    let waits = lock("atomic { await !busy; busy = true; }", "busy = false;", "shared busy: bool = false;");
    assert_eq!(said(&waits), [Fails, Fails, Fails, Holds, Fails]);
    let ticket = lock(
        "let t = atomic_next(); while serving != t { }",
        "serving = (serving + 1) % 3;",
        "shared next: 0..3 = 0; shared serving: 0..3 = 0;
         fn atomic_next() -> 0..3 { atomic { let t = next; next = (next + 1) % 3; return t; } }",
    );
    assert_eq!(said(&ticket), [Fails, Fails, Fails, Holds, Holds]);
    let never = lock("while tas(busy) { }", "skip;", "shared busy: bool = false;");
    assert_eq!(said(&never), [Fails, Fails, Fails, Fails, Fails]);
}

#[test]
fn counters_and_their_retries() {
    use Said::{Fails, Holds};
    let counter = |body: &str| {
        format!("object C {{ shared n: 0..4 = 0; op inc() {{ {body} }} }} check C {{ ops forever; {ALL} }}")
    };
    let retry = counter("loop { let x = n; if cas(n, x, (x + 1) % 4) { return; } }");
    assert_eq!(said(&retry), [Holds, Fails, Holds, Holds, Fails]);
    let plain = counter("n = 1;");
    assert_eq!(said(&plain), [Holds; 5]);
    // Two that undo each other's work: alone each completes.
    let undo = "object U { shared x: [0..3; tid] = [0; tid]; shared n: 0..3 = 0;
            op f() { loop { n = self as int; if n == self as int { return; } } } }
        check U { ops forever; lock_free; wait_free; obstruction_free; deadlock_free; starvation_free; }";
    assert_eq!(said(undo), [Fails, Fails, Holds, Fails, Fails]);
}

#[test]
fn a_client_that_ends_shows_little() {
    let text = |client: &str| {
        format!(
            "object C {{ shared n: 0..4 = 0; op inc() {{ loop {{ let x = n; if cas(n, x, (x + 1) % 4) {{ return; }} }} }}
                op get() -> int {{ return n; }} }}
             check C {{ {client} wait_free; wait_free get; starvation_free; lock_free; }}"
        )
    };
    use Said::{Fails, Holds, Unknown};
    assert_eq!(said(&text("ops 2;")), [Unknown, Holds, Unknown, Holds]);
    assert_eq!(said(&text("ops forever;")), [Fails, Holds, Fails, Holds]);
    // With one thread nobody is waited for.
    assert_eq!(said(&text("threads 1; ops 2;")), [Holds; 4]);
}

/// Steps of both threads lead from the state to itself: who takes them matters to a fair scheduler.
#[test]
fn both_go_round_in_one_state() {
    let text =
        "object B { shared n: 0..4 = 0; op f() { faa(n, 1); if cas(n, 1, 0) { return; } while n != 0 { } } }
        check B { ops 1; deadlock_free; starvation_free; lock_free; }";
    assert_eq!(said(text), [Said::Fails; 3]);
}
