//! The verdicts of the tables of Zhang, Chattopadhyay and Wang, "Round-Up" (IEEE TSE), on our versions of the objects.

mod common;

use common::{compilers, root};
use trueline_base::{Limits, Meter, Silent};
use trueline_run::generate::Sizes;
use trueline_run::search::Settings;
use trueline_run::test::{Request, Verdicts, test};

/// File, flags, scenario, condition, specification (of the file where empty), whether it holds.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, bool);

const QUEUE: &str = "enq(1) deq | enq(2) deq [deq deq deq deq]";
const STACK: &str = "push(1) pop | push(2) pop [pop pop pop pop]";
const PRIORITY: &str = "enq(1) enq(3) | enq(2) deqMin [deqMin deqMin deqMin deqMin]";
const LINEARIZABLE: &str = "linearizable";
const QUASI: &str = "quasi=deq:1";
const STACK_1: &str = "OutOfOrder(Stack, pop: 1)";
const PRIORITY_1: &str = "OutOfOrder(PriorityQueue, deqMin: 1)";

/// Table II: linearizability of the first set.
const TABLE_2: [Row; 9] = [
    ("iqueue", "", "enq(1) deq | enq(2) deq", LINEARIZABLE, "", false),
    ("herlihy_wing", "", "enq(1) deq | enq(2) deq", LINEARIZABLE, "", true),
    ("quasi_queue", "", QUEUE, LINEARIZABLE, "", false),
    ("quasi_queue", "-DBUG=1", "[enq(1) enq(2)] enq(3) deq | deq [deq deq]", LINEARIZABLE, "", false),
    ("quasi_queue", "-DBUG=2", "[enq(1)] deq | deq", LINEARIZABLE, "", false),
    ("quasi_queue", "-DBUG=3", "[enq(1)] deq | enq(2) deq [deq deq]", LINEARIZABLE, "", false),
    ("quasi_stack", "", STACK, LINEARIZABLE, "", true),
    ("quasi_stack", "-DBUG=1", STACK, LINEARIZABLE, "", false),
    ("quasi_priority_queue", "", "[enq(1) enq(2)] deqMin | enq(3) [deqMin deqMin]", LINEARIZABLE, "", false),
];

/// Table III: quasi linearizability of the first set.
const TABLE_3: [Row; 9] = [
    ("quasi_queue", "", QUEUE, QUASI, "", true),
    ("quasi_queue", "", "enq(1) enq(2) deq | enq(3) deq deq [deq deq]", QUASI, "", true),
    ("quasi_queue", "-DBUG=1", "[enq(1) enq(2)] enq(3) | deq [deq deq deq]", QUASI, "", false),
    ("quasi_queue", "-DBUG=2", "[enq(1)] deq | deq", QUASI, "", false),
    ("quasi_queue", "-DBUG=3", "[enq(1)] deq | enq(2) deq [deq deq]", QUASI, "", false),
    ("quasi_stack", "-DK=1 -DBUG=1", STACK, LINEARIZABLE, STACK_1, false),
    (
        "quasi_stack",
        "-DK=1 -DBUG=2",
        "[push(1)] push(2) | push(3) [pop pop pop]",
        LINEARIZABLE,
        STACK_1,
        false,
    ),
    ("quasi_priority_queue", "", PRIORITY, LINEARIZABLE, PRIORITY_1, true),
    (
        "quasi_priority_queue",
        "-DBUG=2",
        "[enq(1)] enq(2) | enq(3) [deqMin deqMin deqMin]",
        LINEARIZABLE,
        PRIORITY_1,
        false,
    ),
];

/// Table V, for the objects that are here.
const TABLE_5: [Row; 11] = [
    ("sl_queue", "", "[enq(1) enq(2)] enq(3) | deq [deq deq deq]", LINEARIZABLE, "", true),
    ("sl_queue", "", "[enq(1) enq(2)] enq(3) | enq(4) [deq deq]", LINEARIZABLE, "", false),
    ("sl_queue", "", "[enq(1) enq(2) enq(3)] deq | deq [deq deq]", LINEARIZABLE, "", false),
    ("treiber", "", "[push(1) push(2)] push(3) | pop [pop pop pop]", LINEARIZABLE, "", true),
    ("treiber", "", "[push(1) push(2)] push(3) | push(4) [pop pop pop pop]", LINEARIZABLE, "", true),
    ("treiber", "", "[push(1) push(2) push(3)] pop | pop [pop pop]", LINEARIZABLE, "", true),
    ("ms_queue", "", "[enq(1) enq(2)] enq(3) | deq [deq deq deq]", LINEARIZABLE, "", true),
    ("ms_queue", "", "[enq(1) enq(2)] enq(3) | enq(4) [deq deq deq deq]", LINEARIZABLE, "", true),
    ("ms_queue", "", "[enq(1) enq(2) enq(3)] deq | deq [deq deq]", LINEARIZABLE, "", true),
    ("kstack", "", "[push(1) push(2) push(3)] push(4) | pop pop [pop pop pop]", LINEARIZABLE, "", false),
    (
        "kstack",
        "-DFIXED",
        "[push(1) push(2) push(3)] push(4) | pop pop [pop pop pop]",
        LINEARIZABLE,
        "",
        true,
    ),
];

fn compare(rows: &[Row]) {
    compilers();
    for (file, flags, scenario, condition, spec, holds) in rows {
        let request = Request {
            source: root().join(format!("objects/cpp/{file}.cpp")),
            compiler: None,
            levels: vec!["-O1".into()],
            flags: flags.split_whitespace().map(str::to_string).collect(),
            scenario: Some(scenario.to_string()),
            sizes: Sizes::default(),
            condition: condition.parse().unwrap(),
            spec: Some(spec.to_string()).filter(|s| !s.is_empty()),
            settings: Settings::default(),
            allow_races: false,
            only: None,
            all: false,
        };
        let tested = test(&request, &Meter::start(Limits::default()), &mut Silent).unwrap();
        let found = match &tested.verdict {
            Verdicts::Holds => true,
            Verdicts::Fails(_) => false,
            Verdicts::Unknown(why) => panic!("{file} {flags}: {why}"),
        };
        assert_eq!(found, *holds, "{file} {flags} {scenario} {condition}");
    }
}

#[test]
fn table_2_linearizability() {
    compare(&TABLE_2);
}

#[test]
fn table_3_quasi_linearizability() {
    compare(&TABLE_3);
}

#[test]
fn table_5_scal() {
    compare(&TABLE_5);
}
