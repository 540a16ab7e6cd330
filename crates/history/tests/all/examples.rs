//! The examples do what they say, in every run.

#[path = "../../../../examples/planted_bug.rs"]
mod planted_bug;
#[path = "../../../../examples/segqueue.rs"]
mod segqueue;

use trueline_history::{Builder, Datum};

#[test]
fn the_queue_of_crossbeam_passes_and_its_operations_overlap() {
    let history = segqueue::record();
    let report = segqueue::judge(&history);
    assert!(report.verdict.holds(), "{:?}", report.verdict);
    assert_eq!(report.operations, 12_000);
    // All threads are inside their first operation of a round at once; the others overlap as it happens.
    assert!(segqueue::overlapping(&history) >= 4 * 500, "{} overlap", segqueue::overlapping(&history));
    assert_eq!(history.concurrency(), 4);
}

#[test]
fn overlaps_are_counted() {
    let history = |events: &[(i64, bool)]| {
        let mut b = Builder::new();
        for (process, call) in events {
            let done = match call {
                true => b.call(0, *process, "deq", None, Datum::Nil),
                false => b.ret(0, *process, Some(Datum::Nil)),
            };
            done.expect("calls and returns alternate");
        }
        b.finish()
    };
    let (c, r) = (true, false);
    assert_eq!(segqueue::overlapping(&history(&[(1, c), (1, r), (2, c), (2, r)])), 0);
    assert_eq!(segqueue::overlapping(&history(&[(1, c), (2, c), (1, r), (2, r)])), 2);
    // The long one overlaps both others, which do not overlap each other.
    assert_eq!(segqueue::overlapping(&history(&[(1, c), (2, c), (2, r), (3, c), (3, r), (1, r)])), 3);
    assert_eq!(segqueue::overlapping(&history(&[(1, c), (2, c), (2, r), (1, r), (3, c), (3, r)])), 2);
}

#[test]
fn the_planted_bug_is_found_in_every_run() {
    for _ in 0..200 {
        let history = planted_bug::record();
        let failure = planted_bug::judge(&history);
        assert_eq!(failure.sentence, "1 comes out 2 times, but was put in once");
        assert!(failure.minimal && failure.operations.len() == 2, "{failure:?}");
        let text = planted_bug::tell(&history, &failure);
        assert_eq!(
            text.matches("deq() = 1    without it, this order would do: enq(1); deq() = 1").count(),
            2,
            "{text}"
        );
        assert!(text.contains("must find nothing, the object is empty"), "{text}");
    }
}
