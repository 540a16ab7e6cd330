//! `cargo xtask bench papers`: instances of published tables, whole runs, beside what the papers report.
//!
//! Each instance is a process of its own: the model is read, checked and decided with the default reductions. The
//! papers' figures are for other machines and other numbers of states; verdicts must agree, times only show where we
//! are. Sources: Liu, Chen, Liu, Sun, FM 2009, table 1 (`FM`); Liu, Chen, Liu, Sun, Zhang, Dong, IEEE TSE 2013, table 1
//! (`TSE`); Yang, Katoen, Lin, Liu, Wu, DSN 2018, tables II to VII (`DSN`). A dash in the paper means that its tool ran
//! out of memory.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::Verdict;
use trueline_check::fast::Reductions;
use trueline_lang::compile::{Model, Ops, Overrides};
use trueline_lang::question::{Progress, Question};
use trueline_verify::{Engine, search};

/// A row that takes longer is not known.
const LONGEST: Duration = Duration::from_secs(300);

struct Row {
    name: &'static str,
    /// States and seconds of the paper; nothing where it has no such row.
    paper: &'static str,
    /// Seconds that we want to reach at most.
    target: Option<f64>,
    /// Whether lock-freedom is asked for instead of linearizability.
    lock_free: bool,
    holds: bool,
    model: &'static str,
    check: usize,
    threads: Option<u32>,
    ops: Option<Ops>,
    set: &'static [(&'static str, &'static str)],
    roles: &'static [(&'static str, u32)],
    client: Option<&'static str>,
}

const fn row(name: &'static str, paper: &'static str, model: &'static str, check: usize) -> Row {
    Row {
        name,
        paper,
        target: None,
        lock_free: false,
        holds: true,
        model,
        check,
        threads: None,
        ops: None,
        set: &[],
        roles: &[],
        client: None,
    }
}

impl Row {
    const fn within(self, seconds: f64) -> Row {
        Row { target: Some(seconds), ..self }
    }

    const fn lock_free(self) -> Row {
        Row { lock_free: true, ..self }
    }

    const fn fails(self) -> Row {
        Row { holds: false, ..self }
    }

    const fn size(self, threads: u32, ops: u32) -> Row {
        Row { threads: Some(threads), ops: Some(Ops::Count(ops)), ..self }
    }

    const fn with(self, set: &'static [(&'static str, &'static str)]) -> Row {
        Row { set, ..self }
    }

    const fn under(self, client: &'static str) -> Row {
        Row { client: Some(client), ..self }
    }

    const fn forever(self, threads: u32) -> Row {
        Row { threads: Some(threads), ops: Some(Ops::Forever), ..self }
    }
}

const fn register(
    name: &'static str,
    paper: &'static str,
    k: &'static [(&'static str, &'static str)],
    readers: &'static [(&'static str, u32)],
) -> Row {
    Row { roles: readers, ..row(name, paper, "register/k_register.tl", 0).with(k) }
}

/// The counter of TSE, which is the stack of FM. Check 1 is without points, 3 with them.
const fn counter(
    name: &'static str,
    paper: &'static str,
    check: usize,
    size: &'static [(&'static str, &'static str)],
    threads: u32,
) -> Row {
    row(name, paper, "counter/counter.tl", check).with(size).forever(threads)
}

const fn queue(name: &'static str, paper: &'static str, check: usize, threads: u32, ops: u32) -> Row {
    row(name, paper, "queue/ms_queue.tl", check).size(threads, ops)
}

/// The queue with room for some elements, whose clients call for ever. Check 9 is with `enq(self)`, 13 with one value.
const fn sized(name: &'static str, paper: &'static str, check: usize) -> Row {
    row(name, paper, "queue/ms_queue_sized.tl", check)
}

const ROWS: &[Row] = &[
    register("3-valued register, 4 processes", "TSE: 3,114 states, 1.27 s", &[("K", "3")], &[("reader", 3)]),
    register("4-valued register, 5 processes", "TSE: 33,944 states, 64 s", &[("K", "4")], &[("reader", 4)]),
    register(
        "4-valued register, 6 processes",
        "TSE: 134,461 states, 1,609 s",
        &[("K", "4")],
        &[("reader", 5)],
    ),
    register(
        "4-valued register, 7 processes",
        "TSE: 484,723 states, 53,110 s",
        &[("K", "4")],
        &[("reader", 6)],
    )
    .within(2.0),
    register("4-valued register, 8 processes", "", &[("K", "4")], &[("reader", 7)]),
    register("4-valued register, 9 processes", "", &[("K", "4")], &[("reader", 8)]).within(15.0),
    register("5-valued register, 4 processes", "TSE: 16,377 states, 8.66 s", &[("K", "5")], &[("reader", 3)]),
    register("6-valued register, 4 processes", "TSE: 30,636 states, 19.1 s", &[("K", "6")], &[("reader", 3)]),
    register("7-valued register, 4 processes", "TSE: 52,908 states, 31.4 s", &[("K", "7")], &[("reader", 3)]),
    counter("counter of size 4, 5 processes", "TSE: 53,115 states, 389 s", 1, &[("SIZE", "4")], 5),
    counter("counter of size 4, 6 processes", "TSE: 636,815 states, 53,010 s", 1, &[("SIZE", "4")], 6)
        .within(0.2),
    counter("counter of size 4, 8 processes", "", 1, &[("SIZE", "4")], 8),
    counter("counter of size 4, 9 processes", "", 1, &[("SIZE", "4")], 9).within(2.0),
    counter("counter of size 4, 10 processes", "", 1, &[("SIZE", "4")], 10).within(8.0),
    counter("counter of size 5, 5 processes", "TSE: 53,670 states, 391 s", 1, &[("SIZE", "5")], 5),
    counter("counter of size 4 with points, 6 processes", "TSE: 4,488 states, 262 s", 3, &[("SIZE", "4")], 6),
    counter(
        "counter of size 4 with points, 7 processes",
        "TSE: 28,652 states, 27,593 s",
        3,
        &[("SIZE", "4")],
        7,
    )
    .within(0.3),
    counter("counter of size 4 with points, 9 processes", "", 3, &[("SIZE", "4")], 9).within(2.0),
    counter("stack of size 12, 2 processes", "FM: 395,345 states, 65.9 s", 1, &[("SIZE", "12")], 2),
    counter("stack of size 14, 2 processes", "FM: 599,077 states, 99.4 s", 1, &[("SIZE", "14")], 2)
        .within(1.0),
    counter("stack of size 30, 2 processes", "", 1, &[("SIZE", "30")], 2),
    counter("stack of size 2, 3 processes", "FM: 4,767,519 states, 4,321 s", 1, &[("SIZE", "2")], 3),
    counter(
        "stack of size 14 with points, 2 processes",
        "FM: 12,963 states, 0.82 s",
        3,
        &[("SIZE", "14")],
        2,
    ),
    counter("stack of size 2 with points, 4 processes", "FM: 219,471 states, 37.6 s", 3, &[("SIZE", "2")], 4),
    sized("queue of size 6, 2 processes", "FM: 343,446 states, 86.2 s", 9).with(&[("SIZE", "6")]).forever(2),
    sized("queue of size 8, 2 processes", "FM: 938,542 states, 218 s", 9).with(&[("SIZE", "8")]).forever(2),
    sized("queue of size 3, 3 processes", "TSE: 15,267 states, 8.45 s", 9).with(&[("SIZE", "3")]).forever(3),
    sized("queue of size 3, one value, 4 processes", "TSE: 773,064 states, 2,068 s", 13)
        .with(&[("SIZE", "3")])
        .forever(4)
        .within(5.0),
    sized("queue of size 3, one value, 5 processes", "", 13).with(&[("SIZE", "3")]).forever(5),
    row("buggy queue of size 2, 3 processes", "TSE: 477 states, 0.36 s", "queue/shann_queue.tl", 0)
        .size(3, 2)
        .fails(),
    row("mailbox of 3 operations", "FM: 120,166 states, 27.8 s", "mailbox/mailbox.tl", 1),
    row("mailbox of 4 operations", "FM: 3,696,700 states, 954 s", "mailbox/mailbox.tl", 1)
        .with(&[("ROUNDS", "8")])
        .under("repeat 4 { deliver(); } || repeat 4 { if check() { remove(); } }")
        .within(3.0),
    row("SNZI of 3 nodes, 3 processes", "TSE: 3,524,553 states, 5,224 s", "counter/snzi.tl", 6).within(30.0),
    Row { roles: &[("user", 4)], ..row("SNZI of 3 nodes, 4 processes", "", "counter/snzi.tl", 6) },
    row("MS queue 3-3, one value", "", "queue/ms_queue.tl", 0)
        .under(
            "repeat 3 { enq(1) or deq(); } || repeat 3 { enq(1) or deq(); } || repeat 3 { enq(1) or deq(); }",
        )
        .within(0.7),
    row("MS queue 4-2, one value", "", "queue/ms_queue.tl", 0)
        .under(
            "enq(1) or deq(); enq(1) or deq() || enq(1) or deq(); enq(1) or deq() \
             || enq(1) or deq(); enq(1) or deq() || enq(1) or deq(); enq(1) or deq()",
        )
        .within(8.0),
    queue("MS queue 3-2, two values", "", 0, 3, 2),
    queue("MS queue 3-2, enq(self)", "DSN: 1,496,486 states", 1, 3, 2),
    queue("MS queue 3-3, enq(self)", "DSN: 76,157,266 states, 55 s after generation", 1, 3, 3).within(6.0),
    queue("MS queue 3-3, enq(self), lock-free", "DSN: 76,157,266 states, 613 s", 1, 3, 3)
        .lock_free()
        .within(10.0),
    queue("MS queue 4-2, enq(self)", "", 1, 4, 2).within(60.0),
    row("DGLM queue 3-2", "DSN: 1,210,014 states", "queue/dglm_queue.tl", 0).size(3, 2),
    row("DGLM queue 3-2, lock-free", "DSN: 1,210,014 states", "queue/dglm_queue.tl", 0)
        .size(3, 2)
        .lock_free(),
    row("Herlihy-Wing queue 3-2", "DSN: 89,483 states", "queue/herlihy_wing.tl", 0).size(3, 2),
    row("Herlihy-Wing queue 3-2, lock-free", "DSN: 89,483 states, not", "queue/herlihy_wing.tl", 0)
        .size(3, 2)
        .lock_free()
        .fails(),
    row("HSY stack 3-2", "DSN: 246,761,798 states", "elimination/hsy_stack.tl", 0).size(3, 2).within(60.0),
    row("HSY stack 3-2, lock-free", "DSN: 246,761,798 states", "elimination/hsy_stack.tl", 0)
        .size(3, 2)
        .lock_free()
        .within(60.0),
    row("Harris-Michael list 3-2", "DSN: 472,664 states", "set/harris_michael.tl", 1).size(3, 2),
    row("Harris-Michael list 3-2, lock-free", "DSN: 472,664 states", "set/harris_michael.tl", 1)
        .size(3, 2)
        .lock_free(),
    row("lazy list 3-2", "DSN: 1,311,915 states", "set/lazy_list.tl", 1).size(3, 2),
    row("Treiber stack with hazard pointers 2-2", "DSN", "stack/treiber_hp.tl", 0).size(2, 2),
    row("Treiber stack with hazard pointers 2-2, lock-free", "DSN", "stack/treiber_hp.tl", 0)
        .size(2, 2)
        .lock_free(),
    row("bounded k-FIFO, segments of 2, repaired", "", "relaxed/bounded_k_fifo.tl", 1)
        .under("enq(1); enq(2); enq(3); deq() || deq(); deq(); enq(4)"),
    row("time-stamped stack", "", "stack/time_stamped.tl", 0),
];

/// Runs all rows, or with `--one N` one of them in this process.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    if let [one, at] = words
        && one == "--one"
    {
        return one_row(root, at.parse().unwrap_or(usize::MAX));
    }
    println!("| instance | paper | verdict | states | sets | CPU s | MB | target |");
    println!("|---|---|---|---|---|---|---|---|");
    let Ok(program) = std::env::current_exe() else { return ExitCode::FAILURE };
    let mut failed = false;
    for (at, row) in ROWS.iter().enumerate() {
        let before = crate::usage::children_seconds();
        let output = Command::new(&program).args(["bench", "papers", "--one", &at.to_string()]).output();
        let seconds = crate::usage::children_seconds() - before;
        let text =
            output.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string()).unwrap_or_default();
        let Some((verdict, rest)) = text.split_once('|') else {
            failed = true;
            println!("| {} | {} | failed | | | | | |", row.name, row.paper);
            continue;
        };
        let wanted = if row.holds { "holds" } else { "fails" };
        failed |= verdict != wanted;
        let parts: Vec<&str> = rest.split('|').collect();
        let [states, sets, megabytes] = parts[..] else { continue };
        let target = row.target.map_or(String::new(), |target| {
            format!("{target} s {}", if seconds <= target { "met" } else { "missed" })
        });
        println!(
            "| {} | {} | {verdict} | {states} | {sets} | {seconds:.3} | {megabytes} | {target} |",
            row.name, row.paper
        );
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn one_row(root: &Path, at: usize) -> ExitCode {
    let Some(row) = ROWS.get(at) else { return ExitCode::from(64) };
    let Ok(text) = std::fs::read_to_string(root.join("models").join(row.model)) else {
        return ExitCode::FAILURE;
    };
    let overrides = Overrides {
        threads: row.threads,
        ops: row.ops,
        set: row.set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        roles: row.roles.iter().map(|(k, n)| (k.to_string(), *n)).collect(),
        client: row.client.map(str::to_string),
        ..Overrides::default()
    };
    let task = match Model::parse(text).instantiate(row.check, &overrides) {
        Ok(task) => task,
        Err(refusal) => {
            eprintln!("{}: {refusal:?}", row.name);
            return ExitCode::FAILURE;
        }
    };
    let asked = task.asked.iter().find(|asked| asked.question.specification().is_some());
    let lock_free = Question::Progress { progress: Progress::LockFree, spec: None };
    let question = match asked {
        _ if row.lock_free => &lock_free,
        Some(asked) => &asked.question,
        None => {
            eprintln!("{}: no specification", row.name);
            return ExitCode::FAILURE;
        }
    };
    let limits = Limits { memory: Some(8 << 30), time: Some(LONGEST), ..Limits::default() };
    let start = Instant::now();
    let outcome = search(&task.machine, question, Engine::Auto, Reductions::AUTO, &limits, &mut Silent);
    let verdict = match outcome.verdict {
        Verdict::Holds(()) => "holds".to_string(),
        Verdict::Fails(_) => "fails".to_string(),
        Verdict::Unknown(_) => format!("unknown after {:.0} s", start.elapsed().as_secs_f64()),
    };
    println!("{verdict}|{}|{}|{}", outcome.states, outcome.specification, outcome.bytes / 1_000_000);
    ExitCode::SUCCESS
}
