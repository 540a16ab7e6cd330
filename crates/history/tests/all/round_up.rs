//! The examples of Zhang, Chattopadhyay and Wang, "Round-Up" (IEEE TSE 2015), in full: all results that each of
//! their programs can have, not only those that they print.

use crate::common::meter;
use trueline_base::Silent;
use trueline_history::check::{Distance, distance};
use trueline_history::spec::{Container, Discipline};
use trueline_history::{Builder, Condition, Datum, History, Options, check};

fn queue() -> Container {
    Container::new(Discipline::Fifo)
}

fn holds(history: &History, condition: Condition) -> bool {
    let options = Options { condition, reasons: false, ..Options::default() };
    let verdict =
        check(&queue(), history, &options, &meter(), &mut Silent).expect("a queue's operations").verdict;
    assert!(verdict.holds() || verdict.fails(), "{verdict:?}");
    verdict.holds()
}

fn deq(k: u32) -> Condition {
    Condition::QuasiOf(vec![("deq".into(), k), ("enq".into(), 0)])
}

/// Calls and returns: `+` calls, `-` returns; `e4` is enq(4), `d4` a deq that returns 4.
fn history(events: &[(i64, &str)]) -> History {
    let mut b = Builder::new();
    for (process, event) in events {
        let value = Datum::Int(event[2..].parse().expect("a number"));
        let done = match &event[..2] {
            "+e" => b.call(0, *process, "enq", None, value),
            "+d" => b.call(0, *process, "deq", None, Datum::Nil),
            "-e" => b.ret(0, *process, Some(Datum::Nil)),
            _ => b.ret(0, *process, Some(value)),
        };
        done.expect("calls and returns alternate");
    }
    b.finish()
}

/// One operation after the other.
fn sequence(operations: &[String]) -> History {
    let events: Vec<(i64, String)> =
        operations.iter().flat_map(|o| [(1, format!("+{o}")), (1, format!("-{o}"))]).collect();
    history(&events.iter().map(|(p, e)| (*p, e.as_str())).collect::<Vec<_>>())
}

fn permutations(n: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|p: Vec<i64>| {
                (1..=n).filter(|v| !p.contains(v)).map(|v| [p.clone(), vec![v]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// Enqueues 1 to n, then dequeues in this order.
fn filled(n: i64, removed: &[i64]) -> History {
    let put = (1..=n).map(|v| format!("e{v}"));
    sequence(&put.chain(removed.iter().map(|v| format!("d{v}"))).collect::<Vec<_>>())
}

/// The program of figure 1: enq(3) overlaps enq(4) and deq() of another thread.
fn figure_one(r: &[i64]) -> History {
    let d: Vec<(String, String)> = r.iter().map(|v| (format!("+d{v}"), format!("-d{v}"))).collect();
    let mut events = vec![(1, "+e1"), (1, "-e1"), (1, "+e2"), (1, "-e2"), (2, "+e3"), (3, "+e4"), (3, "-e4")];
    events.extend([(3, d[0].0.as_str()), (3, d[0].1.as_str()), (2, "-e3")]);
    for (call, ret) in &d[1..] {
        events.extend([(1, call.as_str()), (1, ret.as_str())]);
    }
    history(&events)
}

#[test]
fn figures_one_and_two() {
    // Figure 2: the three sequential executions.
    for order in [["e3", "e4", "d1"], ["e4", "e3", "d1"], ["e4", "d1", "e3"]] {
        let last = if order[0] == "e3" { ["d2", "d3", "d4"] } else { ["d2", "d4", "d3"] };
        let operations: Vec<String> =
            ["e1", "e2"].iter().chain(&order).chain(&last).map(|o| o.to_string()).collect();
        assert!(holds(&sequence(&operations), Condition::Linearizable), "{operations:?}");
    }
    // Of all results of the concurrent program, those with the removals of one of them.
    let linearizable: Vec<Vec<i64>> =
        permutations(4).into_iter().filter(|r| holds(&figure_one(r), Condition::Linearizable)).collect();
    assert_eq!(linearizable, [[1, 2, 3, 4], [1, 2, 4, 3]]);
    assert!(!holds(&figure_one(&[3, 2, 1, 4]), deq(1)) && holds(&figure_one(&[3, 2, 1, 4]), deq(2)));
}

#[test]
fn figures_three_and_four() {
    // Segments of two values, or a window of two: H1-a is linearizable, all four are 1-quasi linearizable.
    for removed in [[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, 4], [2, 1, 4, 3]] {
        let h = filled(4, &removed);
        assert_eq!(holds(&h, Condition::Linearizable), removed == [1, 2, 3, 4]);
        assert!(holds(&h, deq(1)), "{removed:?}");
    }
    // A window that slides one by one is allowed as well; nothing else is.
    let allowed: Vec<Vec<i64>> =
        permutations(4).into_iter().filter(|r| holds(&filled(4, r), deq(1))).collect();
    assert_eq!(allowed, [[1, 2, 3, 4], [1, 2, 4, 3], [1, 3, 2, 4], [2, 1, 3, 4], [2, 1, 4, 3]]);
    // Without the window 1 is overtaken again and again: wrong as soon as 3 comes out.
    for n in 3..=6 {
        let removed: Vec<i64> = (2..=n).collect();
        assert!(!holds(&filled(n, &removed), deq(1)), "2 to {n}");
        let d = distance(&queue(), &filled(n, &removed), Some("deq"), &meter(), &mut Silent);
        assert_eq!(d, Ok(Distance::Exactly(n as u32 - 1)), "2 to {n}");
    }
    assert!(holds(&filled(3, &[2]), deq(1)), "1 may still be next");
}

#[test]
fn figure_seven_and_the_table() {
    // History 0 to 5 with the columns Res1 and Res2 of the table.
    let table = [
        ([1, 2, 3], true, true),
        ([2, 1, 3], true, true),
        ([1, 3, 2], true, true),
        ([3, 1, 2], false, true),
        ([2, 3, 1], true, false),
        ([3, 2, 1], false, false),
    ];
    let k = 1;
    for (removed, near, soon) in table {
        // Restriction 1: a value is at most k steps from the head. Restriction 2: the head is not overtaken more
        // than k times.
        let mut inside = vec![1, 2, 3];
        let (mut first, mut second) = (true, true);
        for (i, v) in removed.iter().enumerate() {
            let at = inside.iter().position(|w| w == v).expect("each once");
            first &= at <= k;
            inside.remove(at);
            second &= inside.first().is_none_or(|head| i + 1 < *head as usize + k);
        }
        assert_eq!((first, second), (near, soon), "{removed:?}");
        assert_eq!(holds(&filled(3, &removed), deq(1)), near && soon, "{removed:?}");
    }
}

#[test]
fn out_of_thin_air() {
    // Thread 1: enq(3), enq(4). Thread 2: enq(5), deq(). The removal can give 3 or 5, never 4.
    let program = |r: i64, between: bool| {
        let (call, ret) = (format!("+d{r}"), format!("-d{r}"));
        let mut events = vec![(1, "+e3"), (1, "-e3"), (1, "+e4"), (2, "+e5"), (2, "-e5"), (1, "-e4")];
        if between {
            events = vec![(1, "+e3"), (2, "+e5"), (1, "-e3"), (1, "+e4"), (2, "-e5"), (1, "-e4")];
        }
        events.extend([(2, call.as_str()), (2, ret.as_str())]);
        history(&events)
    };
    assert!(holds(&program(3, true), Condition::Linearizable), "Hist1");
    assert!(holds(&program(5, true), Condition::Linearizable), "Hist2");
    assert!(!holds(&program(4, true), Condition::Linearizable), "Hist3");
    assert!(!holds(&program(5, false), Condition::Linearizable), "enq(3) is over before enq(5) begins");
    // Hist3 is 1-quasi linearizable, and is found to be although two values stay inside.
    let third = sequence(&["e3", "e4", "e5", "d4"].map(String::from));
    assert!(!holds(&third, Condition::Linearizable));
    assert!(holds(&third, deq(1)) && holds(&third, Condition::Quasi(1)));
    assert!(holds(&program(4, true), deq(1)));
    // With the two more removals that the paper recommends.
    for (rest, expected) in [(["d3", "d5"], true), (["d5", "d3"], false)] {
        let all: Vec<String> = ["e3", "e4", "e5", "d4"].iter().chain(&rest).map(|o| o.to_string()).collect();
        assert_eq!(holds(&sequence(&all), deq(1)), expected, "{rest:?}");
    }
}
