//! The same question asked with every combination of reductions, and of the plain engine.

use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Order, Reduction, Reductions};
use trueline_check::{Outcome, Verdict, Why, check, naive};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

/// Every set of reductions.
pub fn combinations() -> Vec<Reductions> {
    let subsets = 0..1u32 << Reduction::ALL.len();
    let of = |bits: u32| {
        let members = Reduction::ALL.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        members.fold(Reductions::NONE, |all, (_, reduction)| all.with(reduction))
    };
    let orders = |all: Reductions| match all.has(Reduction::Por) {
        true => [Order::Cartesian, Order::Static, Order::Visible].map(|o| all.leaving_out(o)).to_vec(),
        false => vec![all],
    };
    subsets.map(of).flat_map(orders).collect()
}

/// What must not depend on the engine.
pub fn gist(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Verdict::Holds(()) => "holds".into(),
        Verdict::Fails(found) => {
            format!("fails, {:?}, minimal: {}", naive::size(&found.evidence.prefix), found.minimal)
        }
        // Which of several findings is met first depends on the order of the search.
        Verdict::Unknown(Why::Finding { .. }) => "ends early".into(),
        Verdict::Unknown(why) => format!("unknown: {why:?}"),
    }
}

/// Compares all combinations with the plain engine; gives what both say.
pub fn every_combination(what: &str, machine: &Machine, question: &Question) -> String {
    let limits = Limits::default();
    let plain = check(machine, question, &limits, &mut Silent);
    let wanted = gist(&plain);
    if let Verdict::Unknown(Why::SpecificationFinding { .. }) = plain.verdict {
        // Whether a specification is asked where it goes wrong depends on how many orders are tried.
        return "the specification goes wrong".into();
    }
    let mut tried: Vec<Reductions> = Vec::new();
    let names = fast::decide(machine, question, Reductions::ALL, &limits, &mut Silent).method.reductions;
    // What is not in force changes nothing; that it is found out is asked once, with all.
    let all = fast::check(machine, question, Reductions::ALL, &limits, &mut Silent);
    assert_eq!(gist(&all), wanted, "{what}");
    let idle = [Reduction::Values, Reduction::Unshare].into_iter().filter(|r| !names.contains(&r.name()));
    let idle: Vec<Reduction> = idle.collect();
    for reductions in combinations() {
        let reductions = idle.iter().fold(reductions, |all, idle| all.without(*idle));
        let reductions = reductions.allowed(machine, question);
        if tried.contains(&reductions) {
            continue;
        }
        tried.push(reductions);
        if !reductions.has(Reduction::Heap) {
            // Nothing bounds fresh addresses.
            let limits = Limits { states: Some(20_000), ..Limits::default() };
            let found = fast::check(machine, question, reductions, &limits, &mut Silent);
            if !matches!(found.verdict, Verdict::Unknown(Why::Stopped(_))) {
                assert_eq!(gist(&found), wanted, "{what} with {:?}", reductions.names());
            }
            continue;
        }
        fast::decide_checked(machine, question, reductions, &limits, &mut Silent);
        let found = fast::check(machine, question, reductions, &limits, &mut Silent);
        assert_eq!(gist(&found), wanted, "{what} with {:?}", reductions.names());
        if plain.verdict == Verdict::Holds(()) {
            let ends =
                |outcome: &Outcome| (outcome.dead_ends.states > 0, outcome.dead_ends.shortest.is_some());
            assert_eq!(ends(&found), ends(&plain), "{what} with {:?}", reductions.names());
            let places = &found.dead_ends.places;
            assert!(places.is_subset(&plain.dead_ends.places), "{what} with {:?}", reductions.names());
        }
        if reductions.without(Reduction::Por).leaving_out(Order::Cartesian) == Reductions::HEAP
            && plain.verdict == Verdict::Holds(())
        {
            // Whatever some execution does is done on some path.
            assert_eq!(found.coverage, plain.coverage, "{what} with {:?}", reductions.names());
        }
        if reductions == Reductions::HEAP.with(Reduction::Unshare) && plain.verdict == Verdict::Holds(()) {
            assert_eq!(found.coverage, plain.coverage, "{what}");
        }
        if reductions == Reductions::HEAP && plain.verdict == Verdict::Holds(()) {
            let counts = (found.states, found.transitions, found.depth);
            assert_eq!(counts, (plain.states, plain.transitions, plain.depth), "{what}");
            assert_eq!(found.coverage, plain.coverage, "{what}");
            assert_eq!(found.assumed, plain.assumed, "{what}");
            assert_eq!(found.dead_ends.places, plain.dead_ends.places, "{what}");
        }
    }
    wanted
}

/// A model with what its checks ask.
pub fn questions(text: &str) -> Vec<(Machine, Question)> {
    let model = Model::parse(text);
    let mut all = Vec::new();
    for index in 0..model.checks() {
        let task = model.instantiate(index, &Overrides::default()).expect("it is well formed");
        all.extend(task.asked.iter().map(|asked| (task.machine.clone(), asked.question.clone())));
    }
    all
}
