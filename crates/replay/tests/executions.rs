//! Every execution of a tiny machine, every history decided by all permutations.

use std::collections::BTreeSet;
use trueline_base::{Value, Violation};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::interp::{spec_initial, spec_step};
use trueline_lang::ir::{Module, OpId};
use trueline_lang::question::Question;
use trueline_replay::enumerate::{executions, smallest};
use trueline_replay::{History, Operation, execute, linearization};

fn task(text: &str) -> Task {
    let model = Model::parse(text);
    assert_eq!(model.diagnose(), [], "{text}");
    model.instantiate(0, &Overrides::default()).expect("the check can be built")
}

fn spec(task: &Task) -> &Module {
    task.specification().expect("linearizable is asked")
}

/// All orders of all subsets that contain the completed operations.
fn orders(rest: &[usize]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for (n, &first) in rest.iter().enumerate() {
        let others: Vec<usize> = rest.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, o)| *o).collect();
        found.extend(orders(&others).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    found
}

fn performs(spec: &Module, states: Vec<Vec<Value>>, order: &[&Operation]) -> bool {
    let Some((first, rest)) = order.split_first() else {
        return !states.is_empty();
    };
    let op = spec.ops.iter().position(|op| op.name == first.name).expect("the specification has it");
    let step = |state: &Vec<Value>| spec_step(spec, state, first.thread, OpId(op as u16), &first.args);
    let ways = states.iter().flat_map(step).flatten();
    let fits = |result: &Value| first.value().is_none_or(|v| v == result);
    performs(spec, ways.filter(|(_, r)| fits(r)).map(|(s, _)| s).collect(), rest)
}

fn by_permutations(history: &History, spec: &Module) -> bool {
    let all: Vec<usize> = (0..history.operations.len()).collect();
    let initial: Vec<Vec<Value>> = spec_initial(spec).into_iter().flatten().collect();
    orders(&all).iter().any(|order| {
        let chosen: Vec<&Operation> = order.iter().map(|n| &history.operations[*n]).collect();
        let complete = all.iter().all(|n| order.contains(n) || history.operations[*n].returned.is_none());
        let ordered = chosen.iter().enumerate().all(|(n, a)| !chosen[n + 1..].iter().any(|b| b.precedes(a)));
        complete && ordered && performs(spec, initial.clone(), &chosen)
    })
}

/// More moves than the machines have.
const ALL: usize = 99;

/// How many executions there are and how many of them are violations.
fn count(text: &str, longest: usize) -> (usize, usize) {
    let task = task(text);
    let spec = spec(&task);
    let (mut all, mut wrong) = (0, 0);
    let mut decided = BTreeSet::new();
    executions(&task.machine, longest, &mut |schedule, _| {
        all += 1;
        let run = execute(&task.machine, schedule).expect("an execution of the machine");
        let history = History::of(&task.machine, &run);
        let linearizable = linearization(&history, spec).is_some();
        wrong += usize::from(!linearizable);
        if decided.insert(format!("{history:?}")) {
            assert_eq!(linearizable, by_permutations(&history, spec), "{history:?}");
        }
    });
    let found =
        smallest(&task.machine, &Question::linearizable(spec), Violation::NotLinearizable, 100_000).unwrap();
    if longest == ALL {
        assert_eq!(found.is_some(), wrong > 0);
    }
    (all, wrong)
}

fn counter(body: &str) -> String {
    format!(
        "spec Counter {{ state n: int = 0; op inc() -> int {{ n = n + 1; return n; }} }}
         object Object implements Counter {{ shared n: int = 0; op inc() -> int {{ {body} }} }}
         check Object {{ threads 2; ops 1; linearizable; }}"
    )
}

#[test]
fn of_all_interleavings_of_two_increments_those_that_lose_one_are_violations() {
    // Four moves each: 8 choose 4 interleavings. Both lose when each reads before the other writes.
    assert_eq!(count(&counter("let c = n; n = c + 1; return c + 1;"), ALL), (70, 36));
    assert_eq!(count(&counter("return faa(n, 1) + 1;"), ALL), (20, 0));
}

#[test]
fn executions_that_are_cut_off_have_pending_operations() {
    let (all, wrong) = count(&counter("let c = n; n = c + 1; return c + 1;"), 7);
    assert_eq!((all, wrong), (70, 0));
}
