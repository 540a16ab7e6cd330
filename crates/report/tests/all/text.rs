//! Constructed answers, rendered.

use trueline_base::answer::{Answer, Cause, Covered, Doubt, Expectation, Failure, Scope};
use trueline_base::trace::{Counts, Reason, Reasons, Row, Trace, What};
use trueline_base::{Stop, Verdict};
use trueline_report::{Stories, Style, render_answer, render_answers, render_tally, render_trace};

fn row(step: u32, column: u32, what: What, notes: &[&str], memory: &[&str]) -> Row {
    let texts = |parts: &[&str]| parts.iter().map(|p| p.to_string()).collect();
    Row {
        step,
        column,
        operation: "inc()".into(),
        what,
        notes: texts(notes),
        memory: texts(memory),
        quiet: false,
    }
}

fn statement(line: u32, text: &str) -> What {
    What::Statement { line, text: text.into() }
}

fn lost_update() -> Trace {
    let refuted = "the second returns 2, here it returned 1";
    let reason = |case: &str| Reason { case: case.into(), refuted: refuted.into() };
    Trace {
        summary: "Two increments overlap and both return 1; whichever comes second must return 2.".into(),
        threads: vec!["thread 1".into(), "thread 2".into()],
        rows: vec![
            row(1, 0, What::Call("inc()".into()), &[], &["n = 0"]),
            row(2, 0, statement(9, "let c = n"), &["c=0"], &[]),
            row(3, 1, What::Call("inc()".into()), &[], &[]),
            row(4, 1, statement(9, "let c = n"), &["c=0"], &[]),
            row(5, 1, statement(10, "n = c + 1"), &[], &["n = 0 → 1"]),
            row(6, 1, What::Return("returns 1".into()), &[], &[]),
            row(7, 0, statement(10, "n = c + 1"), &[], &["n = 1 → 1"]),
            row(8, 0, What::Return("returns 1".into()), &[], &[]),
        ],
        reasons: Some(Reasons {
            title: "Why no order explains it".into(),
            context: String::new(),
            lines: vec![
                reason("inc() by thread 1, then inc() by thread 2"),
                reason("inc() by thread 2, then inc() by thread 1"),
            ],
        }),
        counts: Counts { threads: 2, operations: 2, switches: 2, steps: 8 },
        minimal: true,
        smaller: None,
        cycle: None,
    }
}

fn answer(verdict: Verdict<Covered, Failure, Doubt>) -> Answer {
    Answer {
        file: "counter/lost_update.tl".into(),
        line: 21,
        object: "LostUpdate".into(),
        property: "linearizable".into(),
        as_expected: verdict.holds(),
        verdict,
        expected: Expectation::Holds,
        scope: Scope {
            threads: 2,
            ops: Some(1),
            memory_model: "sc".into(),
            engine: "plain".into(),
            storage: "exact".into(),
            states: 19,
            transitions: 30,
            depth: 8,
            ..Scope::default()
        },
        seconds: 0.21,
        cpu_seconds: 0.2,
        peak_bytes: 31_200_000,
        warnings: Vec::new(),
    }
}

fn holding() -> Answer {
    answer(Verdict::Holds(Covered::default()))
}

fn failing() -> Answer {
    told(lost_update())
}

fn told(trace: Trace) -> Answer {
    let trace_path = Some("lost_update.trace.json".to_string());
    answer(Verdict::Fails(Failure { trace, blame: None, trace_path }))
}

#[test]
fn a_failure_is_told() {
    let expected = "\
FAILS  linearizable   LostUpdate   counter/lost_update.tl:21

  Two increments overlap and both return 1; whichever comes second must return 2.

   step  thread 1              thread 2              shared memory
   ────  ────────────────────  ────────────────────  ─────────────
      1  ┌ inc()                                     n = 0
      2  │ 9   let c = n  c=0
      3                        ┌ inc()
      4                        │ 9   let c = n  c=0
      5                        │ 10  n = c + 1       n = 0 → 1
      6                        └ returns 1
      7  │ 10  n = c + 1                             n = 1 → 1
      8  └ returns 1

  Why no order explains it
     inc() by thread 1, then inc() by thread 2:   the second returns 2, here it returned 1
     inc() by thread 2, then inc() by thread 1:   the second returns 2, here it returned 1

  minimal: 2 threads, 2 operations, 2 context switches, 8 steps; replayed and confirmed
  trace  lost_update.trace.json     (trueline replay lost_update.trace.json)
  scope  2 threads × 1 operation, all interleavings, sequential consistency; 19 states, exact
";
    let text = render_answer(&failing(), &Style::default());
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn answers_that_hold_share_their_scope() {
    let first = holding();
    let second = Answer { property: "safe".into(), line: 22, peak_bytes: 0, ..holding() };
    let text = render_answers(&[first, second], &Style::default(), Stories::Unexpected);
    let expected = "\
HOLDS  linearizable   LostUpdate   counter/lost_update.tl:21   0.2 s, 31 MB
HOLDS  safe           LostUpdate   counter/lost_update.tl:22   0.2 s
  scope  2 threads × 1 operation, all interleavings, sequential consistency
         19 states, exact
  not exercised: nothing
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn what_is_not_known_says_why_and_what_to_try() {
    let unknown = answer(Verdict::Unknown(Doubt {
        cause: Cause::Limit(Stop::Time),
        stopped: "stopped at --time 60s".into(),
        why: "no violation in 48,120,233 states (all executions up to 41 steps)".into(),
        advice: vec!["--ops 2".into(), "--memory 8G (now 4 G)".into()],
    }));
    let expected = "\
UNKNOWN  linearizable   LostUpdate   counter/lost_update.tl:21   stopped at --time 60s
  no violation in 48,120,233 states (all executions up to 41 steps)
  try  --ops 2, or --memory 8G (now 4 G)
  scope  2 threads × 1 operation, all interleavings, sequential consistency
         19 states, exact
";
    let text = render_answer(&unknown, &Style::default());
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn a_folder_gets_one_line_each_and_a_tally() {
    let expected_failure = Answer { expected: Expectation::Fails, as_expected: true, ..failing() };
    let surprise = Answer { expected: Expectation::Fails, as_expected: false, ..holding() };
    let answers = [holding(), expected_failure, surprise, failing()];
    let text = render_answers(&answers[..2], &Style::default(), Stories::Brief);
    assert_eq!(text.lines().count(), 2);
    assert!(text.lines().nth(1).unwrap().ends_with("as expected"), "{text}");
    // What nobody expected is told in full.
    let text = render_answers(&answers[2..], &Style::default(), Stories::Brief);
    assert!(text.contains("scope") && text.contains("both return 1"), "{text}");
    assert_eq!(
        render_tally(&answers),
        "4 properties: 1 holds, 1 fails as expected, 1 FAILS, 1 HOLDS where a failure was expected\n"
    );
}

#[test]
fn quiet_rows_fold_and_narrow_terminals_are_respected() {
    let mut trace = lost_update();
    for (n, row) in trace.rows.iter_mut().enumerate() {
        row.quiet = (1..=4).contains(&n);
        row.column = 0;
    }
    let folded = told(trace.clone());
    let text = render_answer(&folded, &Style::default());
    assert!(text.contains("│ … 4 steps of inc() that change nothing"), "{text}");
    let whole = render_answer(&folded, &Style { fold: false, ..Style::default() });
    assert!(!whole.contains("change nothing"));
    let long = "Head → n1 → n2(1) → n3(2)".to_string();
    trace.rows[6].memory = vec![long.clone(), "Tail ↗ n1".into(), long];
    let narrow = render_answer(&told(trace), &Style { width: 80, ..Style::default() });
    let table = narrow.lines().skip_while(|l| !l.contains("step")).take_while(|l| !l.is_empty());
    assert!(table.map(|l| l.chars().count()).all(|n| n <= 80), "{narrow}");
}

#[test]
fn colour_only_where_asked() {
    let style = Style { colour: true, ..Style::default() };
    assert!(render_answer(&failing(), &style).contains('\u{1b}'));
    assert!(!render_answer(&failing(), &Style::default()).contains('\u{1b}'));
}

/// Where the columns of all threads do not fit, each line says whose it is.
#[test]
fn many_threads_stand_below_one_another() {
    let mut trace = lost_update();
    trace.threads.extend((3..=6).map(|n| format!("thread {n}")));
    trace.rows[5].column = 5;
    let failed = told(trace);
    let narrow = render_answer(&failed, &Style { width: 80, ..Style::default() });
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("step  thread  operations"), "{narrow}");
    assert!(narrow.contains("   2  1       │ 9   let c = n"), "{narrow}");
    assert!(narrow.contains("   6  6       └ returns 1"), "{narrow}");
    let wide = render_answer(&failed, &Style { width: 220, ..Style::default() });
    assert!(
        wide.contains("thread 1") && wide.contains("thread 6") && !wide.contains("operations  "),
        "{wide}"
    );
}

#[test]
fn what_stands_nowhere_has_no_line() {
    let mut trace = lost_update();
    trace.rows[1].what = statement(0, "");
    trace.rows[1].notes = vec!["thread 2 has ended".into()];
    let text = render_trace(&trace, &Style::default());
    assert!(
        text.contains("      2  │       thread 2 has ended") && text.contains("│ 10  n = c + 1"),
        "{text}"
    );
}

#[test]
fn what_is_repeated_is_marked() {
    let mut trace = lost_update();
    trace.cycle = Some(7);
    let text = render_trace(&trace, &Style::default());
    assert!(text.contains("  6  ") && text.contains("↻ 7  ") && text.contains("↻ 8  "), "{text}");
}

/// What was not searched has no number of states.
#[test]
fn nothing_is_said_of_a_search_that_was_not_made() {
    let mut unavailable = answer(Verdict::Unknown(Doubt {
        cause: Cause::Unavailable,
        stopped: "not available yet".into(),
        why: "`ltl` is not available yet".into(),
        advice: Vec::new(),
    }));
    (unavailable.scope.states, unavailable.scope.transitions) = (0, 0);
    let text = render_answer(&unavailable, &Style::default());
    assert!(text.contains("not available yet") && !text.contains("0 states"), "{text}");
}
