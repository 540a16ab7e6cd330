//! The fast engine against the plain one: verdicts under every combination of reductions, counts with canonical
//! heaps, sizes of counterexamples.

use crate::common::ask::{every_combination, gist, questions};
use crate::common::objects::{ms_queue_by_line, queue_client, queue_spec};
use crate::common::random::{Dice, Kind, machine, machine_by, with_main};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq};
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reduction, Reductions};
use trueline_check::{Verdict, Why, check, count_states, naive};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::interp;
use trueline_lang::ir::{Machine, Memory};
use trueline_lang::question::Question;

/// Random machines of a kind: how many hold, fail, end early.
fn random(seeds: std::ops::Range<u64>, kind: Kind) -> (u32, u32, u32) {
    random_clients(seeds, kind, &|machine, _| machine)
}

fn random_clients(
    seeds: std::ops::Range<u64>,
    kind: Kind,
    client: &dyn Fn(Machine, u64) -> Machine,
) -> (u32, u32, u32) {
    let mut tally = (0, 0, 0);
    for seed in seeds {
        let (machine, spec) = machine(seed, kind);
        let machine = client(machine, seed);
        let leaks = (machine.object.memory != Memory::Gc).then_some(Question::LeakFree);
        let questions = [Some(Question::Safe), spec.as_ref().map(Question::linearizable), leaks];
        for question in questions.into_iter().flatten() {
            match every_combination(&format!("{kind:?} {seed}"), &machine, &question).as_str() {
                "holds" => tally.0 += 1,
                gist if gist.starts_with("fails") => tally.1 += 1,
                _ => tally.2 += 1,
            }
        }
    }
    tally
}

/// Objects of every kind, made of numbers that shrink: with canonical heaps alone the counts are those of the plain
/// engine, with all reductions the verdicts.
#[test]
fn objects_made_of_numbers_that_shrink() {
    let kinds = std::vec![
        Kind::Numbers,
        Kind::Heap(Memory::Gc),
        Kind::Heap(Memory::Manual),
        Kind::Heap(Memory::Pool),
        Kind::Kept,
    ];
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tally = RefCell::new((0, 0));
    let numbers = (select(kinds), vec(any::<u32>(), 120));
    let result = TestRunner::new_with_rng(config, rng).run(&numbers, |(kind, numbers)| {
        let (machine, spec) = machine_by(&mut Dice::Given(numbers.into_iter()), kind);
        let limits = Limits { states: Some(50_000), ..Limits::default() };
        let question = spec.as_ref().map_or(Question::Safe, Question::linearizable);
        let plain = check(&machine, &question, &limits, &mut Silent);
        if let Verdict::Unknown(Why::Stopped(_) | Why::SpecificationFinding { .. }) = plain.verdict {
            return Ok(());
        }
        let heap = fast::check(&machine, &question, Reductions::HEAP, &limits, &mut Silent);
        let all = fast::check(&machine, &question, Reductions::ALL, &limits, &mut Silent);
        prop_assert_eq!(gist(&heap), gist(&plain));
        prop_assert_eq!(gist(&all), gist(&plain));
        if plain.verdict == Verdict::Holds(()) {
            prop_assert_eq!((heap.states, heap.transitions), (plain.states, plain.transitions));
            tally.borrow_mut().0 += 1;
        } else {
            tally.borrow_mut().1 += 1;
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    let (holds, others) = tally.into_inner();
    assert!(holds > 100 && others > 100, "{holds} {others}");
}

#[test]
fn random_numbers_locks_and_links() {
    let (holds, fails, early) = random(0..60, Kind::Numbers);
    assert!(holds > 30 && fails > 10 && early > 1, "{holds} {fails} {early}");
}

#[test]
fn random_main_threads() {
    let (holds, fails, _) = random_clients(0..60, Kind::Numbers, &with_main);
    assert!(holds > 30 && fails > 5, "{holds} {fails}");
    let (holds, fails, _) = random_clients(0..20, Kind::Heap(Memory::Gc), &with_main);
    assert!(holds > 3 && fails > 3, "{holds} {fails}");
    random_clients(0..10, Kind::Heap(Memory::Manual), &with_main);
}

#[test]
fn random_structs() {
    let (holds, fails, _) = random(0..25, Kind::Heap(Memory::Gc));
    assert!(holds > 3 && fails > 3, "{holds} {fails}");
    let (holds, fails, _) = random(0..25, Kind::Heap(Memory::Manual));
    assert!(holds > 3 && fails > 3, "{holds} {fails}");
    let (holds, fails, _) = random(0..200, Kind::Heap(Memory::Pool));
    assert!(holds > 1 && fails > 1, "{holds} {fails}");
    let (holds, fails, _) = random(0..120, Kind::Kept);
    assert!(holds > 1 && fails > 1, "{holds} {fails}");
}

/// Which freed structs `new` gives out depends on who holds them, with fresh addresses as well.
#[test]
fn an_address_that_only_another_thread_holds_comes_back() {
    let stack = |fields: &str| {
        format!(
            "object Reuse implements Stack {{
                memory pool;
                struct Node {{ val: val, next: Node? }}
                shared Top: Node? = null;
                op push(v: val) {{
                    let n = new Node {{ val: v{fields} }};
                    loop {{
                        let t = Top;
                        n.next = t;
                        if cas(Top, t, n) {{ return; }}
                    }}
                }}
                op pop() -> val? {{
                    loop {{
                        let t = Top;
                        if t == null {{ return none; }}
                        let x = t.next;
                        if cas(Top, t, x) {{ let v = t.val; free t; return v; }}
                    }}
                }}
             }}
             check Reuse {{
                role victim {{ pop(); }}
                role other {{ push(1); pop(); push(2); push(3); pop(); }}
                linearizable;
                safe;
                leak_free;
             }}"
        )
    };
    for fields in ["", ", next: null"] {
        hard(&stack(fields), "fails");
    }
}

#[test]
fn the_ms_queue_has_the_counts_of_the_plain_engine_and_of_fresh_addresses() {
    let limits = Limits::default();
    for (threads, ops) in [(2, 2), (3, 1)] {
        let machine = queue_client(ms_queue_by_line(), threads, ops);
        let heap = fast::count(&machine, Reductions::HEAP, &limits, &mut Silent);
        assert_eq!(Ok((heap.states, heap.transitions)), count_states(&machine, &limits));
        assert_eq!(heap.whole, 0, "no move of this queue depends on everything");
        every_combination("queue", &machine, &Question::linearizable(&queue_spec()));
    }
}

#[test]
fn few_moves_are_executed() {
    let machine = queue_client(ms_queue_by_line(), 2, 2);
    let counts = [Reductions::NONE, Reductions::HEAP].map(|reductions| {
        let count = fast::count(&machine, reductions, &Limits::default(), &mut Silent);
        (count.transitions, count.executed)
    });
    assert_eq!(counts, [(15_748, 770), (9_022, 454)]);
}

/// Hard cases, each with what the property must say.
fn hard(text: &str, expected: &str) {
    let specs =
        "spec Cell { state x: val? = none; op read() -> val? { return x; } op write(v: val) { x = v; } }
                 spec Sum { state n: int = 0; op add() -> int { n = n + 1; return n; } }";
    let text = &format!("{specs}\n{text}");
    for (machine, question) in questions(text) {
        let found = every_combination(text, &machine, &question);
        if question.specification().is_some() {
            assert!(found.starts_with(expected), "{found}: {text}");
        }
    }
}

#[test]
fn threads_with_equal_locals_that_only_the_specification_tells_apart() {
    // Between two calls all threads look alike, but who may release is known to the specification alone.
    hard(
        "spec Turn { state owner: tid? = none; op take() -> bool { if owner == none { owner = self; return true; } return owner == self; } }
         object Bad implements Turn { shared taken: bool = false; op take() -> bool { return !tas(taken); } }
         check Bad { threads 3; ops 2; linearizable; }",
        "fails",
    );
    hard(
        "spec Turn { state owner: tid? = none; op take() -> bool { if owner == none { owner = self; return true; } return owner == self; } }
         object Good implements Turn { shared owner: tid? = none; op take() -> bool { return cas(owner, none, self) || owner == self; } }
         check Good { threads 3; ops 2; linearizable; }",
        "holds",
    );
}

#[test]
fn cells_held_by_two_threads_and_nobody_else() {
    hard(
        "object Box implements Cell { struct Node { v: val?, } shared top: Node;
         init { top = new Node { v: none }; }
         op read() -> val? { let n = top; return n.v; }
         op write(v: val) { let n = top; n.v = v; top = new Node { v: v }; } }
         check Box { threads 3; ops 1; values 1; linearizable; }",
        "",
    );
}

#[test]
fn private_loops_that_never_end() {
    hard(
        "object Spin implements Sum { struct Node { n: int } shared c: int = 0;
         op add() -> int { let x = new Node { n: 0 }; while x.n == 0 { skip; } return faa(c, 1) + 1; } }
         check Spin { threads 2; ops 1; safe; }",
        "",
    );
}

#[test]
fn values_that_are_thread_numbers() {
    hard(
        "object Last implements Cell { shared x: val? = none; op read() -> val? { return x; } op write(v: val) { x = v; } }
         check Last { threads 3; ops 1; values tid; linearizable; }",
        "holds",
    );
    hard(
        "object Twice implements Cell { shared x: val? = none; shared y: val? = none; op read() -> val? { if x == none { return y; } return x; } op write(v: val) { x = v; y = v; } }
         check Twice { threads 2; ops 2; values tid; linearizable; }",
        "",
    );
}

#[test]
fn locks_and_blocked_first_steps() {
    hard(
        "object Guarded implements Sum { shared n: int = 0; shared m: lock; op add() -> int { lock m; n = n + 1; let r = n; unlock m; return r; } }
         check Guarded { threads 3; ops 1; linearizable; }",
        "holds",
    );
    hard(
        "object Waits implements Sum { shared n: int = 0; shared go: bool = false; op add() -> int { atomic { await go || n == 0; } return faa(n, 1) + 1; } }
         check Waits { threads 3; ops 1; linearizable; }",
        "",
    );
}

#[test]
fn arrays_by_thread() {
    hard(
        "object Slots implements Sum { shared a: [int; tid] = [0; tid]; shared n: int = 0;
         op add() -> int { a[self] = a[self] + 1; return faa(n, 1) + 1; } }
         check Slots { threads 3; ops 1; linearizable; }",
        "holds",
    );
}

#[test]
fn dead_ends_are_dead_ends_without_reductions() {
    let text = "object Twice { shared m: lock; shared x: int = 0; op f() { lock m; lock m; x = 1; unlock m; } op g() { x = 2; } }
         object Abba { shared a: lock; shared b: lock; op f() { lock a; lock b; unlock b; unlock a; } op g() { lock b; lock a; unlock a; unlock b; } }
         check Twice { threads 2; ops 1; safe; }
         check Abba { threads 3; ops 1; safe; }";
    for (machine, question) in questions(text) {
        assert_eq!(every_combination(text, &machine, &question), "holds");
        let found = fast::check(&machine, &question, Reductions::ALL, &Limits::default(), &mut Silent);
        let schedule = found.dead_ends.shortest.expect("it ends blocked");
        let mut state = interp::initial(&machine).remove(0).1.expect("it begins");
        for wanted in &schedule.moves {
            let way = interp::apply(&machine, &state, wanted).unwrap_or_else(|misfit| panic!("{misfit}"));
            state = way.result.expect("no finding");
        }
        assert!(!interp::dead_end(&machine, &state).is_empty(), "{schedule:?}");
    }
}

#[test]
fn nothing_depends_on_the_number_of_workers() {
    // Large enough that layers are shared: wide ones of several thousand states.
    let machine = queue_client(ms_queue_by_line(), 3, 2);
    let spec = queue_spec();
    let few = Reductions::HEAP.with(Reduction::Tight).with(Reduction::Merge);
    let least = Reductions::ALL.without(Reduction::Guess);
    for (question, reductions) in [(Question::Safe, few), (Question::linearizable(&spec), least)] {
        let ask = |jobs: usize| {
            let limits = Limits { jobs, ..Limits::default() };
            let found = fast::decide(&machine, &question, reductions, &limits, &mut Silent);
            (gist(&found), found.states, found.transitions, found.specification, found.depth)
        };
        let one = ask(1);
        assert!(one.1 > 20_000, "{one:?}");
        for jobs in [2, 4] {
            assert_eq!(ask(jobs), one, "{jobs} workers");
        }
    }
}

/// Of equally small counterexamples the one is shown that interrupts fewest operations: here thread 1 can be left
/// inside `h`, inside `g`, or between the two.
#[test]
fn switches_between_operations_come_first() {
    let text = "object A { shared x: int = 0; shared y: int = 0;
        op h() { atomic { if x == 0 { y = 1; } } }
        op g() { atomic { assert x == 0 || y == 0; } }
        op f() { x = 1; } }
        check A { role q { h(); g(); } role p { f(); } safe; }";
    let model = Model::parse(text.to_string());
    let task = model.instantiate(0, &Overrides::default()).expect("a model");
    let (machine, question, limits) = (&task.machine, &task.asked[0].question, Limits::default());
    let fast = fast::check(machine, question, Reductions::ALL, &limits, &mut Silent);
    for outcome in [check(machine, question, &limits, &mut Silent), fast] {
        let Verdict::Fails(found) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
        // `f` has not returned when `g` begins, which would take a step more.
        assert_eq!(naive::size(&found.evidence.prefix), (2, 3, 2, 7, 1));
    }
}
