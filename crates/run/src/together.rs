//! One exploration by several workers, each with an explorer and a player of its own.
//!
//! Graphs that wait are independent of each other, so that workers share a list of them, and what they have learnt: numbers,
//! memory, what threads do next (`numbers`, `memory`, `recall`). A worker that has nothing to do takes graphs from the list,
//! to which one that has many gives half of its own. Each graph is gone on with once, by whomever: that all executions are
//! seen, and each once, does not depend on the workers. Executions come to the visitor in any order, in the thread that
//! called; those that are cut show nothing and are only counted.
//!
//! Only what goes well ends here. When memory turns out to be shared, a claim about retries fails, a player dies or an
//! execution is wrong, the exploration is left to one worker from its beginning, which meets the same in an order of its own:
//! the failure that is told, the counts and the reasons are those of one worker. Oracle: one worker (tests).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex};
use std::thread;

use trueline_base::Meter;

use crate::explore::{Execution, Explorer, Outcome};
use crate::graph::Graph;
use crate::numbers::lock;
use crate::player::Player;
use crate::search::{Counts, Ended, Progress, Together, Visitor, compare, play, turn};

/// Messages that may wait for the visitor.
const MOST_MESSAGES: usize = 64;

/// What the workers work for.
pub struct Team<'a, 'v> {
    /// The limits.
    pub meter: &'a Meter,
    /// Who sees the executions.
    pub visitor: &'a mut (dyn Visitor + 'v),
    /// How much was done.
    pub counts: &'a mut Counts,
}

/// What a worker has done since it last said so.
struct Message {
    /// Executions to be shown.
    shown: Vec<Execution>,
    /// Who saw them.
    worker: usize,
    /// Others.
    passed: u64,
    counts: Counts,
    /// The part of all executions that was seen.
    done: f64,
}

/// Why workers do not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    /// Retries are to be compared.
    Pause,
    /// There is nothing left.
    Over,
    /// One worker is to do it.
    Alone,
    /// A limit.
    Ended(Ended),
}

/// What workers share besides what they have learnt.
struct Pool {
    list: Mutex<List>,
    filled: Condvar,
    /// Workers that wait for graphs.
    hungry: AtomicUsize,
    /// Whether to stop; why is in the list.
    stopped: AtomicBool,
    /// Executions so far, and after how many workers pause.
    explored: AtomicU64,
    compare: u64,
    runs: AtomicU64,
    workers: usize,
    /// For each worker the executions of its own that were shown: freeing what another thread has allocated is costly.
    shown: Vec<Mutex<Vec<Vec<Execution>>>>,
}

#[derive(Default)]
struct List {
    graphs: Vec<Graph>,
    why: Option<Why>,
}

impl Pool {
    /// Ends the work of all; the first reason counts.
    fn stop(&self, why: Why) {
        lock(&self.list).why.get_or_insert(why);
        self.stopped.store(true, Ordering::Relaxed);
        self.filled.notify_all();
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Waits for graphs; none when the work is at its end.
    fn take(&self) -> Vec<Graph> {
        let mut list = lock(&self.list);
        let waiting = self.hungry.fetch_add(1, Ordering::Relaxed) + 1;
        if waiting == self.workers && list.graphs.is_empty() {
            drop(list);
            self.stop(Why::Over);
            return Vec::new();
        }
        while list.graphs.is_empty() && list.why.is_none() {
            list = self.filled.wait(list).unwrap_or_else(|e| e.into_inner());
        }
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        if list.why.is_some() {
            return Vec::new();
        }
        let share = list.graphs.len().div_ceil(self.workers);
        let from = list.graphs.len() - share;
        list.graphs.split_off(from)
    }

    /// Gives graphs to whoever waits for them.
    fn feed(&self, explorer: &mut Explorer) {
        if self.hungry.load(Ordering::Relaxed) > 0 && explorer.waiting() > 1 {
            let mut list = lock(&self.list);
            if list.graphs.is_empty() {
                list.graphs = explorer.give();
                self.filled.notify_all();
            }
        }
    }
}

/// Stops all when whoever holds it panics: the others must not wait for it.
struct Guard<'a>(&'a Pool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(Why::Alone);
        }
    }
}

/// Goes on with the graphs of an explorer by as many workers as there are players.
pub fn explore(
    team: &mut Team<'_, '_>,
    players: &mut [&mut Player],
    explorer: &mut Explorer,
    progress: &mut Progress,
) -> Result<Together, Ended> {
    explorer.share();
    let mut explorers: Vec<Explorer> = players.iter().map(|_| explorer.fork()).collect();
    let mut graphs = explorer.give_all();
    loop {
        let compare_at = if explorer.cut { progress.compare } else { u64::MAX };
        let pool = Pool {
            list: Mutex::new(List { graphs: std::mem::take(&mut graphs), why: None }),
            filled: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            explored: AtomicU64::new(progress.explored),
            compare: compare_at,
            runs: AtomicU64::new(team.counts.runs),
            workers: players.len(),
            shown: players.iter().map(|_| Mutex::default()).collect(),
        };
        run(&pool, team, players, explorer, &mut explorers);
        progress.explored = pool.explored.into_inner();
        let why = pool.list.into_inner().unwrap_or_else(|e| e.into_inner());
        let last = match why.why {
            Some(Why::Over) => true,
            Some(Why::Pause) | None => false,
            Some(Why::Alone) => return Ok(Together::Alone),
            Some(Why::Ended(ended)) => return Err(ended),
        };
        graphs = why.graphs;
        explorer.catch_up();
        explorers.iter_mut().for_each(|other| explorer.retries.absorb(&mut other.retries));
        if explorer.cut && compare(explorer, players, progress.explored, last).is_err() {
            return Ok(Together::Alone);
        }
        if last {
            return Ok(Together::Complete);
        }
        progress.compare = progress.explored * 4;
    }
}

/// Runs the workers until they pause or end, and shows what they see.
fn run(
    pool: &Pool,
    team: &mut Team<'_, '_>,
    players: &mut [&mut Player],
    explorer: &mut Explorer,
    explorers: &mut [Explorer],
) {
    let (send, messages) = sync_channel(MOST_MESSAGES);
    let meter = team.meter;
    let panics = thread::scope(|scope| {
        let workers: Vec<_> = explorers
            .iter_mut()
            .zip(players)
            .enumerate()
            .map(|(worker, (explorer, player))| {
                let send = send.clone();
                scope.spawn(move || {
                    let _guard = Guard(pool);
                    work((worker, pool), meter, explorer, player, &send);
                })
            })
            .collect();
        drop(send);
        let _guard = Guard(pool);
        show(pool, team, explorer, messages);
        workers.into_iter().filter_map(|worker| worker.join().err()).collect::<Vec<_>>()
    });
    if let Some(panic) = panics.into_iter().next() {
        std::panic::resume_unwind(panic);
    }
}

/// Shows the visitor what the workers see.
fn show(pool: &Pool, team: &mut Team<'_, '_>, explorer: &mut Explorer, messages: Receiver<Message>) {
    for message in messages {
        team.counts.add(&message.counts);
        explorer.done += message.done;
        if pool.stopped() && team.visitor.failed() {
            continue;
        }
        if !message.shown.is_empty() {
            explorer.catch_up();
        }
        let go_on = message.shown.iter().all(|execution| team.visitor.visit(explorer, execution));
        team.visitor.passed(explorer, message.passed);
        if !go_on || team.visitor.failed() {
            pool.stop(Why::Alone);
        }
        lock(&pool.shown[message.worker]).push(message.shown);
    }
}

/// What one worker does.
fn work(
    (worker, pool): (usize, &Pool),
    meter: &Meter,
    explorer: &mut Explorer,
    player: &mut Player,
    send: &SyncSender<Message>,
) {
    let mut executions = Vec::new();
    while !pool.stopped() {
        if let Err(stop) = meter.check(0, pool.runs.load(Ordering::Relaxed)) {
            return pool.stop(Why::Ended(Ended::Limit(stop)));
        }
        if pool.explored.load(Ordering::Relaxed) >= pool.compare {
            return pool.stop(Why::Pause);
        }
        if explorer.waiting() == 0 {
            let graphs = pool.take();
            explorer.receive(graphs);
            continue;
        }
        let mut shown = lock(&pool.shown[worker]).pop().unwrap_or_default();
        shown.drain(..).for_each(|execution| explorer.discard_execution(execution));
        let before = explorer.done;
        // Who waits is given something at once: a turn is long.
        let go_on = |explorer: &mut Explorer| {
            pool.feed(explorer);
            !pool.stopped()
        };
        let Ok(turn) = turn(explorer, |plans| play(player, plans), &mut executions, go_on) else {
            return pool.stop(Why::Alone);
        };
        if let Err(stop) = explorer.watch.result() {
            return pool.stop(Why::Ended(Ended::Limit(stop)));
        }
        pool.runs.fetch_add(turn.played, Ordering::Relaxed);
        pool.explored.fetch_add(executions.len() as u64, Ordering::Relaxed);
        let counts = Counts { runs: turn.played, recalled: turn.recalled, ..Counts::default() };
        let mut message = Message { shown, worker, passed: 0, counts, done: explorer.done - before };
        for execution in executions.drain(..) {
            match message.counts.count(&execution.outcome) {
                Ok(false) => {}
                Ok(true) if execution.outcome == Outcome::Cut && execution.race.is_none() => {
                    message.passed += 1;
                    explorer.discard_execution(execution);
                }
                Ok(true) => message.shown.push(execution),
                Err(_) => return pool.stop(Why::Alone),
            }
        }
        if send.send(message).is_err() {
            return pool.stop(Why::Alone);
        }
    }
}
