//! The second twin of the explorer: one interleaving of each class whose steps commute, calls and returns being steps.
//!
//! Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL 2014), algorithm 1: source sets with
//! sleep sets. A call and a return of different threads depend on each other, since their order is that of a history; two
//! calls do not, nor two returns. Claim: the histories, findings and dead ends of every interleaving, from one interleaving
//! of each class where no thread waits in a loop. Cost: a run or more per class, and those that are given up when all that
//! is possible sleeps. Oracle: `naive`.
//!
//! Differs from the paper: runs begin at the beginning, and the player goes on after a plan, so that many steps are added
//! at once. Steps may take away what others wait for. A lock races with the one before it although an unlock is between
//! them, and so does a lock that is never taken; where a step that is to come first turns out to be impossible there, all
//! others are tried. A step after which the run ends with a finding depends on everything. A thread that goes round in a
//! loop that changes nothing is not made to go round once more.

use crate::clock::Clock;
use crate::explore::Explorer;
use crate::footprint::{Step, depend, pending, steps};
use crate::harness::Harness;
use crate::log::{End, Run};
use crate::naive::{Seen, history};
use crate::player::{Plan, Player};
use crate::scenario::Scenario;
use crate::search::{Settings, set_up};

/// What one interleaving of each class shows.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// What was seen; its runs are the classes.
    pub seen: Seen,
    /// Interleavings that were given up, because all that is possible was tried elsewhere.
    pub asleep: u64,
    /// Plans that were played.
    pub played: u64,
}

/// Sees every class; nothing when there are more than so many.
pub fn classes(
    player: &mut Player,
    harness: &Harness,
    scenario: &Scenario,
    settings: Settings,
    most: u64,
) -> Option<Classes> {
    let mut explorer = Explorer::default();
    loop {
        player.set_up(set_up(harness, scenario, &explorer, settings, true));
        let found = Classes::default();
        let mut search = Search { player, scenario, calls: !settings.quiet, most, path: Vec::new(), found };
        match search.all() {
            Ok(()) => return Some(search.found),
            Err(Stop::Many) => return None,
            Err(Stop::Shared(ranges)) => explorer.memory.want(&ranges).expect("small accesses"),
        }
    }
}

/// Why a search ends.
enum Stop {
    /// There are more classes than wanted.
    Many,
    /// More memory is shared than was known.
    Shared(Vec<(u64, u64)>),
}

/// A state on the current path, and what is done there.
struct Node {
    /// Who makes a step.
    thread: u8,
    /// The step; none until it is made.
    step: Option<Step>,
    /// What happens before the step, and the step.
    past: Clock,
    /// Number of the step in its thread.
    index: u16,
    /// Steps that were tried here, or before and have nothing to do with what came since.
    sleep: Vec<Step>,
    /// Bits of threads that are to be tried here.
    backtrack: u64,
    /// Bits of threads that were.
    done: u64,
    /// Bits of threads that go round in loops here.
    waiting: u64,
}

impl Node {
    /// Whether this step happens before another.
    fn before(&self, other: &Node) -> bool {
        other.past.has(self.thread - 1, self.index)
    }

    fn depends(&self, step: &Step) -> bool {
        self.step.as_ref().is_some_and(|mine| depend(mine, step))
    }

    fn lets_go_for(&self, step: &Step) -> bool {
        self.step.as_ref().is_some_and(|mine| mine.lets_go_for(step))
    }
}

struct Search<'a> {
    player: &'a mut Player,
    scenario: &'a Scenario,
    /// Whether calls and returns are steps.
    calls: bool,
    most: u64,
    path: Vec<Node>,
    found: Classes,
}

impl Search<'_> {
    fn all(&mut self) -> Result<(), Stop> {
        loop {
            self.extend()?;
            if self.found.seen.runs > self.most {
                return Err(Stop::Many);
            }
            if !self.go_back() {
                return Ok(());
            }
        }
    }

    /// The last state in which something is left to be tried. Answers whether there is one.
    fn go_back(&mut self) -> bool {
        while let Some(node) = self.path.last_mut() {
            // What was tried sleeps from now on.
            node.sleep.extend(node.step.take());
            let left = node.backtrack & !node.done & !node.waiting & !bits(&node.sleep);
            if left != 0 {
                node.thread = left.trailing_zeros() as u8;
                node.done |= 1 << node.thread;
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn threads(&self) -> u64 {
        (1 << (self.scenario.threads.len() + 1)) - 2
    }

    fn play(&mut self, held: u64) -> Result<(Run, Vec<Step>), Stop> {
        let steps_so_far = self.path.iter().map(|n| n.thread).collect();
        let plan = Plan { steps: steps_so_far, held, ..Plan::default() };
        let mut runs = self.player.play(&[plan]).expect("the player answers");
        self.found.played += 1;
        let run = runs.pop().expect("an answer to each plan");
        if !run.wanted.is_empty() {
            return Err(Stop::Shared(run.wanted));
        }
        let steps = steps(&run, self.calls);
        Ok((run, steps))
    }

    /// Goes on from the last state to the end, and notes what must be tried otherwise.
    fn extend(&mut self) -> Result<(), Stop> {
        let (mut run, mut steps) = self.play(0)?;
        let from = self.path.len().saturating_sub(1);
        let all = self.threads();
        if let Some(mut node) = self.path.pop() {
            let made = steps.get(from).filter(|s| run.end != End::Departed && s.thread == node.thread);
            let Some(step) = made.cloned() else {
                // It is not possible here: something else must take its place.
                node.backtrack |= all;
                self.path.push(node);
                return Ok(());
            };
            self.push(node, step);
        }
        while let Some(mut step) = steps.get(self.path.len()).cloned() {
            let sleep = self.sleep();
            let asleep = bits(&sleep);
            let is_asleep = asleep >> step.thread & 1 == 1;
            if is_asleep {
                (run, steps) = self.play(asleep)?;
                match steps.get(self.path.len()) {
                    Some(other) => step = other.clone(),
                    None => {
                        self.found.asleep += 1;
                        self.races(from, &run);
                        return Ok(());
                    }
                }
            }
            let thread = step.thread;
            // Where everything ends, everybody else might have come first.
            let backtrack = if step.ends { all } else { 1 << thread };
            let (past, index, done, waiting) = (Clock::default(), 0, 1 << thread, step.waiting);
            self.push(Node { thread, step: None, past, index, sleep, backtrack, done, waiting }, step);
            if is_asleep {
                // Nobody is held any more.
                (run, steps) = self.play(0)?;
            }
        }
        self.races(from, &run);
        self.record(&run);
        Ok(())
    }

    /// What sleeps after the path.
    fn sleep(&self) -> Vec<Step> {
        let Some(node) = self.path.last() else { return Vec::new() };
        node.sleep.iter().filter(|s| !node.depends(s)).cloned().collect()
    }

    /// Adds a state and its step, with what happens before it.
    fn push(&mut self, mut node: Node, step: Step) {
        let me = node.thread - 1;
        let mut past = Clock::default();
        for earlier in &self.path {
            if earlier.thread == node.thread || earlier.depends(&step) {
                past.join(&earlier.past);
            }
        }
        node.index = past.0[usize::from(me)];
        past.add(me, node.index);
        (node.past, node.step) = (past, Some(step));
        self.path.push(node);
    }

    /// The races of the steps from here on, and of locks that are waited for in the end.
    fn races(&mut self, from: usize, run: &Run) {
        for at in from..self.path.len() {
            if let Some(step) = self.path[at].step.clone() {
                self.races_of(&step, at);
            }
        }
        for step in pending(run) {
            self.races_of(&step, self.path.len());
        }
    }

    /// The races of a step with those before it on the path.
    fn races_of(&mut self, step: &Step, at: usize) {
        let path = &self.path;
        let last = path[..at].iter().rposition(|n| n.thread == step.thread);
        let depends = |n: &Node| n.thread != step.thread && n.depends(step) && !n.lets_go_for(step);
        let on: Vec<usize> = (0..at).filter(|i| depends(&path[*i])).collect();
        let race = |i: usize| {
            let between = |k: usize| k != i && path[i].before(&path[k]);
            !last.is_some_and(between) && !on.iter().any(|k| between(*k))
        };
        let races: Vec<usize> = on.iter().copied().filter(|i| race(*i)).collect();
        for first in races {
            let (initials, choice) = self.initials(first, step, at);
            let node = &mut self.path[first];
            if node.backtrack & initials == 0 {
                // Who waits there comes after somebody else, if at all.
                let able = initials & !node.waiting;
                node.backtrack |= if able >> choice & 1 == 1 { 1 << choice } else { able };
            }
        }
    }

    /// Who can begin what has nothing to do with a step and leads to another that races with it; and who is to.
    fn initials(&self, first: usize, step: &Step, at: usize) -> (u64, u8) {
        let free: Vec<&Node> =
            self.path[first + 1..at].iter().filter(|n| !self.path[first].before(n)).collect();
        let (mut initials, mut seen) = (0u64, 0u64);
        for (i, node) in free.iter().enumerate() {
            if seen >> node.thread & 1 == 0 && !free[..i].iter().any(|k| k.before(node)) {
                initials |= 1 << node.thread;
            }
            seen |= 1 << node.thread;
        }
        let begins = seen >> step.thread & 1 == 0 && !free.iter().any(|n| n.depends(step));
        match free.first() {
            Some(node) if !begins => (initials, node.thread),
            _ => (initials | 1 << step.thread, step.thread),
        }
    }

    fn record(&mut self, run: &Run) {
        let seen = &mut self.found.seen;
        seen.runs += 1;
        match run.end {
            End::Complete => drop(seen.histories.insert(history(self.scenario, run))),
            End::Stuck => seen.stuck = true,
            End::Finding => seen.findings.extend(run.found().map(|f| f.kind)),
            other => panic!("a run ends with {other:?}: {}", run.text),
        }
    }
}

/// The threads of steps, as bits.
fn bits(steps: &[Step]) -> u64 {
    steps.iter().fold(0, |bits, step| bits | 1 << step.thread)
}
