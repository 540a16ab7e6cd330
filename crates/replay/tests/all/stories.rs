//! Small models, each with one bug: the smallest violation, confirmed, and the sentence that a
//! reader gets first.

use trueline_base::Violation;
use trueline_base::trace::{Row, Trace, What};
use trueline_base::verdict::Finding;
use trueline_lang::compile::{Model, Overrides, Task};
use trueline_lang::question::Question;
use trueline_replay::enumerate::smallest;
use trueline_replay::{Case, Schedule, Source, Unconfirmed, alter, confirm};

/// The first check of a model.
fn task(text: &str) -> Task {
    let model = Model::parse(text);
    assert!(!model.diagnose().iter().any(trueline_base::Diagnostic::is_error), "{text}");
    model.instantiate(0, &Overrides::default()).expect("the check can be built")
}

/// The property that the check names, and how it fails.
fn violated(task: &Task) -> (Question, Violation) {
    let question = task.asked.iter().find(|a| !a.implied).expect("something is asked").question.clone();
    let violation = match &question {
        Question::Linearizable { .. } => Violation::NotLinearizable,
        Question::Invariant { .. } => Violation::Invariant,
        Question::LeakFree => Violation::Leak,
        Question::Refines { .. } => Violation::NotRefined,
        other => panic!("{other:?}"),
    };
    (question, violation)
}

fn tell(
    text: &str,
    task: &Task,
    (question, violation): &(Question, Violation),
    schedule: &Schedule,
) -> Result<Trace, Unconfirmed> {
    let source = Source { path: "model.tl", text };
    confirm(&Case { machine: &task.machine, question, violation: *violation, source }, schedule)
}

/// The story of the smallest violation; no altered step of it is confirmed.
fn story(text: &str, finding: Option<Finding>) -> Trace {
    let task = task(text);
    let found = |thread, finding| (Question::Safe, Violation::Finding { thread, finding });
    let mut wrong = finding.map_or_else(|| violated(&task), |finding| found(0, finding));
    let (counts, schedule) =
        smallest(&task.machine, &wrong.0, wrong.1, 200_000).unwrap().expect("a violation");
    if let (Some(finding), Some(last)) = (finding, schedule.moves.last()) {
        wrong = found(last.thread, finding);
        // The same finding of somebody else is not what happened.
        let other = found(last.thread + 1, finding);
        assert!(matches!(tell(text, &task, &other, &schedule), Err(Unconfirmed::Refuted(_))));
    }
    let trace = tell(text, &task, &wrong, &schedule).unwrap();
    assert_eq!(trace.counts, counts);
    for step in 0..schedule.moves.len() {
        let mut altered = schedule.clone();
        alter(&mut altered, step);
        assert!(matches!(tell(text, &task, &wrong, &altered), Err(Unconfirmed::Unfit(_))));
    }
    trace
}

fn memory(trace: &Trace) -> Vec<String> {
    trace.rows.iter().flat_map(|r| r.memory.clone()).collect()
}

const STACK: &str = "
object Stack implements Stack {
    struct Node { val: val, next: Node? }
    shared Top: Node? = null;
    op push(v: val) {
        let n = new Node { val: v, next: null };
        n.next = Top;
        Top = n;
    }
    op pop() -> val? {
        let t = Top;
        if t == null { return none; }
        Top = t.next;
        return t.val;
    }
}
";

#[test]
fn a_value_that_is_returned_twice() {
    let text = format!(
        "{STACK}\ncheck Stack {{ role a {{ push(1); pop(); }} role b {{ pop(); }} linearizable expect fails; }}"
    );
    let trace = story(&text, None);
    assert_eq!(
        trace.summary,
        "pop() by thread 1 and pop() by thread 2 both return 1, but push(1) by thread 1 put it in only once."
    );
    assert!(memory(&trace).contains(&"Top → n1(1)".to_string()), "{:?}", memory(&trace));
    assert_eq!(trace.threads, ["thread 1 (a)", "thread 2 (b)"]);
}

#[test]
fn a_value_that_is_lost() {
    let text = format!(
        "{STACK}\ncheck Stack {{ role a {{ push(1); pop(); pop(); }} role b {{ push(2); }} linearizable expect fails; }}"
    );
    let trace = story(&text, None);
    assert_eq!(
        trace.summary,
        "pop() by thread 1 returns none although push(2) by thread 2 had put 2 in before and nobody had taken it out."
    );
    let reasons = trace.reasons.unwrap();
    assert_eq!(reasons.title, "Why no order explains it");
    assert!(!reasons.lines.is_empty());
}

#[test]
fn a_value_that_is_returned_out_of_order() {
    let text =
        STACK.replace("implements Stack", "implements Queue").replace("push", "enq").replace("pop", "deq");
    let text =
        format!("{text}\ncheck Stack {{ role a {{ enq(1); enq(2); deq(); }} linearizable expect fails; }}");
    assert_eq!(
        story(&text, None).summary,
        "deq() by thread 1 returns 2 out of order: enq(1) by thread 1 came before enq(2) by thread 1, \
         and nobody had taken 1 out."
    );
}

#[test]
fn what_is_put_in_is_the_last_argument() {
    let text = "
object Heap implements KeyedPriorityQueue {
    shared items: seq (int, int) = [];
    op enq(p: int, v: int) { atomic { items.push_front((p, v)); } }
    op deqMin() -> int? {
        atomic {
            if items.len() == 0 { return none; }
            return items.remove(0).1;
        }
    }
}
check Heap { role a { enq(1, 5); enq(2, 6); deqMin(); } linearizable expect fails; }";
    assert_eq!(
        story(text, None).summary,
        "deqMin() by thread 1 returns 6 out of order: enq(1, 5) by thread 1 came before enq(2, 6) by thread 1, \
         and nobody had taken 5 out."
    );
}

#[test]
fn a_lock_that_two_threads_hold() {
    let text = "
object Spin implements Lock {
    shared held: bool = false;
    local mine: bool = false;
    op acquire() requires !mine { while held { skip; } held = true; mine = true; }
    op release() requires mine { held = false; mine = false; }
}
check Spin { threads 2; ops 1; linearizable expect fails; }";
    assert_eq!(
        story(text, None).summary,
        "acquire() by thread 1 and acquire() by thread 2 both return; whichever comes second would have to wait."
    );
}

#[test]
fn a_finding_names_its_line_and_what_is_to_blame() {
    let text = format!("{STACK}\ncheck Stack {{ threads 1; ops 1; call pop(); safe; }}")
        .replace("if t == null { return none; }", "");
    let trace = story(&text, Some(Finding::Null));
    assert_eq!(trace.summary, "pop() by thread 1 follows a null reference: line 13, `Top = t.next`.");
    let [.., statement, fault] = &trace.rows[..] else { panic!("{trace:?}") };
    assert_eq!(statement.notes, ["t=null"]);
    assert_eq!(fault.what, What::Fault("follows a null reference".into()));
}

#[test]
fn a_leak_and_an_invariant() {
    let manual = STACK.replace("struct Node", "memory manual;\n    struct Node");
    let leak =
        story(&format!("{manual}\ncheck Stack {{ threads 2; ops 1; call push(1); leak_free; }}"), None);
    assert!(
        leak.summary.starts_with("n2 is lost: after this step of push(1) by thread "),
        "{}",
        leak.summary
    );
    let text = "
object Bounded {
    shared n: int = 0;
    op inc() { if n < 1 { faa(n, 1); } }
}
check Bounded { threads 2; ops 1; invariant n <= 1 expect fails; }";
    let trace = story(text, None);
    assert!(trace.summary.ends_with("makes the invariant `n <= 1` false."), "{}", trace.summary);
    assert_eq!(memory(&trace), ["n = 0", "n = 0 → 1", "n = 1 → 2"]);
}

#[test]
fn steps_that_do_not_matter_are_quiet() {
    let text = format!(
        "{STACK}\ncheck Stack {{ role a {{ push(1); pop(); }} role b {{ pop(); }} linearizable expect fails; }}"
    );
    let trace = story(&text, None);
    let of = |operation: &str, thread: u32| -> Vec<&Row> {
        let matches = |r: &&Row| r.operation == operation && r.column == thread;
        let steps = trace.rows.iter().filter(matches);
        steps.filter(|r| matches!(r.what, What::Statement { .. })).collect()
    };
    // The push runs alone: its read of Top and the write to its own node could stand anywhere.
    assert_eq!(of("push(1)", 0).iter().map(|r| r.quiet).collect::<Vec<_>>(), [true, true, false]);
    // A pop that reads Top while the other writes it is what the story is about.
    assert!(of("pop()", 0).iter().chain(&of("pop()", 1)).any(|r| !r.quiet && r.notes == ["t=n1"]));
}

#[test]
fn what_cannot_be_claimed_is_not() {
    let text = format!("{STACK}\ncheck Stack {{ threads 1; ops 2; linearizable; }}");
    let task = task(&text);
    let (question, violation) = violated(&task);
    assert_eq!(smallest(&task.machine, &question, violation, 100_000), Ok(None));
}

/// Variables of a helper carry its name: the caller has one of the same name.
#[test]
fn variables_of_helpers_are_the_helpers() {
    let text = "
object C {
    shared n: int = 0;
    fn add(k: int) { let old = n; n = old + k; }
    op inc() {
        let k = n;
        add(k + 1);
        let old = n;
        assert old != k + 1;
    }
}
check C { threads 1; ops 1; safe; }";
    let trace = story(text, Some(Finding::Assert));
    let notes: Vec<String> = trace.rows.iter().flat_map(|r| r.notes.clone()).collect();
    assert!(notes.contains(&"k=0".to_string()) && notes.contains(&"add: k=1".to_string()), "{notes:?}");
    assert!(notes.contains(&"add: old=0".to_string()) && notes.contains(&"old=1".to_string()), "{notes:?}");
    assert!(!notes.contains(&"k=1".to_string()), "{notes:?}");
}

/// A compare-and-set that succeeds on a cell which was changed in between says so.
#[test]
fn a_cell_that_comes_back_is_called_so() {
    let text = "
object C {
    shared x: int = 0;
    shared n: int = 0;
    op slow() {
        let a = x;
        let k = n;
        if cas(x, a, 5) { let m = n; assert m == k; }
    }
    op fast() {
        let a = x;
        if a == 0 { x = 1; x = 0; n = 1; }
    }
}
check C { role a { slow(); } role b { fast(); } safe; }";
    let trace = story(text, Some(Finding::Assert));
    let row = trace.rows.iter().find(|r| r.notes.iter().any(|n| n == "succeeds")).expect("a cas");
    assert_eq!(row.notes[1], "ABA: x was changed since step 2");
}

/// The read whose value is returned wrongly is never left out; others are.
#[test]
fn the_read_that_decides_is_told() {
    let text = "
spec Zero { op get() -> int { return 0; } }
object C implements Zero {
    shared p: int = 0;
    shared q: int = 0;
    shared r: int = 7;
    op get() -> int {
        let _a = p;
        let _b = q;
        let c = r;
        let _d = p;
        return c;
    }
}
check C { threads 1; ops 1; linearizable; }";
    let quiet: Vec<bool> = story(text, None).rows.iter().map(|r| r.quiet).collect();
    assert_eq!(quiet, [false, true, true, false, true, false]);
}

/// In a long story the orders name operations by their steps.
#[test]
fn orders_name_steps() {
    let text = format!(
        "{STACK}\ncheck Stack {{ role a {{ push(1); pop(); pop(); }} role b {{ push(2); }} linearizable expect fails; }}"
    );
    let reasons = story(&text, None).reasons.unwrap();
    let all: String = reasons.lines.iter().map(|line| format!("{}\n", line.case)).collect();
    assert!(all.contains("pop @") && all.contains("push(2)") && !all.contains("by thread"), "{all}");
}
