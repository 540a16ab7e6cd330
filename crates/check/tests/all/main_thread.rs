//! Clients with a part before and a part after their threads.

use trueline_base::{Limits, Silent, Value};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Verdict, check, generate, generate_spec};
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::interp::ObservableEvent;
use trueline_replay::enumerate::executions;

const CELL: &str = "object Cell implements Register(0) {
    shared x: int = 0;
    op write(v: int) { x = v; }
    op read() -> int { return x; }
}";

fn task(check: &str) -> Task {
    let model = Model::parse(format!("{CELL}\ncheck Cell {{ {check} }}"));
    model.instantiate(0, &Overrides::default()).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

/// The calls and returns of every execution.
fn histories(task: &Task) -> Vec<Vec<(u8, ObservableEvent)>> {
    let mut all = Vec::new();
    executions(&task.machine, 100, &mut |_, seen| all.push(seen.to_vec()));
    all
}

#[test]
fn the_main_thread_acts_alone() {
    let roles = "role a { write(1); write(2); } role b { read(); }";
    let with = histories(&task(&format!(
        "before {{ write(7); read(); }} {roles} after {{ read(); read(); }} safe;"
    )));
    let without = histories(&task(&format!("{roles} safe;")));
    assert_eq!(with.len(), without.len(), "only the others interleave");
    for history in &with {
        let others: Vec<usize> = (0..history.len()).filter(|at| history[*at].0 < 2).collect();
        // Two operations of the main thread before all others, two behind them.
        assert_eq!((others[0], others[others.len() - 1]), (4, history.len() - 5), "{history:?}");
        assert!(matches!(history[3].1, ObservableEvent::Return { value: Value::Int(7), .. }));
    }
    let last: std::collections::BTreeSet<String> =
        with.iter().map(|h| format!("{:?}", h[h.len() - 1])).collect();
    assert_eq!(last.len(), 1, "what is read in the end does not depend on the order: {last:?}");
}

/// Verdicts of both engines.
fn verdicts(check_: &str) -> [&'static str; 2] {
    let task = task(check_);
    let question = &task.asked[0].question;
    let word = |verdict: Verdict| match verdict {
        Verdict::Holds(()) => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Unknown(_) => "unknown",
    };
    let limits = Limits::default();
    [
        word(check(&task.machine, question, &limits, &mut Silent).verdict),
        word(fast::check(&task.machine, question, Reductions::ALL, &limits, &mut Silent).verdict),
    ]
}

#[test]
fn both_engines_know_it() {
    assert_eq!(
        verdicts("before { write(1); } call write(2), read(); after { read(); } linearizable;"),
        ["holds"; 2]
    );
    // A specification that begins with another value is refuted by the main thread alone.
    assert_eq!(verdicts("before { read(); } call read(); linearizable to Register(1);"), ["fails"; 2]);
    assert_eq!(verdicts("call write(1); after { read(); } linearizable to Register(1);"), ["holds"; 2]);
    assert_eq!(
        verdicts("ops 0; call write(1); after { read(); } linearizable to Register(1);"),
        ["fails"; 2]
    );
    // Variables of the first part are known in the second.
    let check = "before { write(3); let v = read(); } role a { write(4); }
        after { if v == 3 { read(); } else { write(5); } } linearizable;";
    assert_eq!(verdicts(check), ["holds"; 2]);
    let task = task(check);
    let ends = histories(&task)
        .iter()
        .all(|h| matches!(h[h.len() - 1].1, ObservableEvent::Return { value: Value::Int(4), .. }));
    assert!(ends);
}

/// Whoever waits for its turn is not blocked.
#[test]
fn waiting_for_its_turn_is_no_dead_end() {
    let lock = "object Lock { shared m: lock; op f() { lock m; unlock m; } op hold() { lock m; } op drop() { unlock m; } }";
    for (client, dead_ends) in [
        ("before { f(); } role a x 2 { f(); } after { f(); }", 0),
        ("before { hold(); drop(); } role a { f(); } after { hold(); }", 0),
        ("before { hold(); } role a { f(); } after { drop(); }", 1),
    ] {
        let model = Model::parse(format!("{lock}\ncheck Lock {{ {client} safe; }}"));
        let task = model.instantiate(0, &Overrides::default()).expect("a model");
        let question = &task.asked[0].question;
        let limits = Limits::default();
        let plain = check(&task.machine, question, &limits, &mut Silent);
        let fast = fast::check(&task.machine, question, Reductions::ALL, &limits, &mut Silent);
        for outcome in [plain, fast] {
            assert_eq!(outcome.verdict, Verdict::Holds(()));
            assert_eq!(
                (outcome.dead_ends.states, outcome.dead_ends.finished),
                (dead_ends, dead_ends == 0),
                "{client}"
            );
        }
    }
}

/// The transition systems of object and specification under such a client have the same visible steps.
#[test]
fn systems_have_it_too() {
    let task = task("before { write(1); } call read(); ops 1; after { write(2); } linearizable;");
    let spec = task.asked[0].question.specification().expect("there is one");
    let labels = |of: &mut dyn FnMut(&mut trueline_check::Sink<'_>)| {
        let mut all = std::collections::BTreeSet::new();
        of(&mut |_, label, _| {
            all.extend(label.text(&task.machine.object));
        });
        all
    };
    let limits = Limits::default();
    let object = labels(&mut |sink| {
        generate(&task.machine, &limits, &mut Silent, sink).expect("it is small");
    });
    let specification = labels(&mut |sink| {
        generate_spec(&task.machine, spec, &limits, &mut Silent, sink).expect("it is small");
    });
    assert_eq!(object, specification);
    assert!(object.contains("t3 call write 2") && !object.contains("t1 ret read 2"), "{object:?}");
}
