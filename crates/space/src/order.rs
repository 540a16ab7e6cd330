//! Partial order reduction: orders of steps that do not influence one another are not all tried.
//!
//! *Cartesian* (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007; Liu, Chen, Liu, Sun, Zhang, Dong, IEEE TSE 2013, algorithm A.1,
//! with symmetry 4.5): from a state, each thread runs along a path of its own up to its first step that may depend on a
//! step of another's path; where it ends is a successor. Whatever leads from the state to a violation executes some
//! path to its end first, and what it did before that commutes with it. A path ends with what is seen, with findings,
//! with alternatives, and where names change. Differs from the paper:
//! - a thread that waits contributes what it reads as a path of one step that is not executed; otherwise the others run
//!   past the state in which it could go on;
//! - first steps that depend on one another end both paths, whether or not one of them is seen;
//! - a path ends *before* a state in which its thread waits or may come to, so that every dead end is reached: there
//!   all threads wait, hence no path that goes on has begun;
//! - a path that returns to one of its states is dropped, and *all* its steps bind the others, the last one too.
//!
//! - where private accesses are put behind the step before them, how many depends on what others can reach. They touch
//!   nothing that others can reach, so a path that goes on with them behind its last step leaves nothing out: an
//!   execution that goes another way first can make them first as well;
//! - paths grow together, by a step each: where threads are exchanged, states do not depend on how they are numbered.
//!
//! Every thread is expanded in every state, so nothing is put off for ever and no condition on cycles is needed.
//!
//! *Static* (Liu, Chen, Liu, Sun, FM 2009, figure 3): if the next step of a thread touches nothing that another thread
//! will ever touch, it alone is expanded, along all such steps in a row. Instead of a condition on cycles: the row is
//! executed up to a step that is not such a one, which leaves one thread fewer whose next step is, so on every cycle
//! some state is expanded fully. A row that never ends, or changes names on its way, does not count. *Visible* (figure 4 there) also takes a return alone, once it is all that its thread
//! can do: an earlier return only orders more operations, so what has no linearization still has none. Calls are not
//! taken alone, though the figure's conditions could be read so: an earlier call orders fewer operations.
//!
//! Preserves: violations that a function of what is seen tells, findings, dead ends. Not: states in between, cycles.
//! Oracle: the search without it.

use crate::accesses::Accesses;
use crate::model::{Enabled, Letter};
use crate::space::{Memo, Miss, NO_MOVE, Node, Reach};

/// Which orders are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// None.
    #[default]
    Full,
    /// Those of steps on Cartesian paths.
    Cartesian,
    /// Those of steps that touch what nobody else ever touches.
    Static,
    /// The same, and those of returns.
    Visible,
}

/// Steps of a path at most; what follows is a path of its own.
const LONGEST: usize = 64;

/// Where the last step of a thread's path begins.
#[derive(Clone, Copy)]
pub(crate) struct Last {
    /// The global part there.
    pub global: u32,
    /// The thread's part there.
    pub local: u32,
    /// Its run of steps.
    pub run: u64,
    /// How many steps come before it.
    pub before: usize,
}

impl Last {
    /// The state there.
    #[inline]
    pub fn node(&self, from: &Node, thread: usize) -> Node {
        let mut node = Node { global: self.global, ..*from };
        node.locals[thread] = self.local;
        node
    }
}

/// Paths of the threads of a state. Kept from state to state, so that their lists are not made again.
#[derive(Default)]
pub(crate) struct Paths {
    /// Per thread the end of its path; none for those that are not expanded.
    pub ends: Vec<Option<Last>>,
    growing: Vec<Path>,
    /// What is to be added to each.
    next: Vec<Option<(Last, Accesses)>>,
}

/// A thread's path while it grows.
#[derive(Clone, Copy)]
struct Path {
    last: Last,
    /// What its steps touch, the last apart.
    inner: Accesses,
    /// What the last step touches.
    touches: Accesses,
    /// A state that it was in, to notice that it is there again (Brent, BIT 1980).
    seen: (u32, u32),
    grows: bool,
    endless: bool,
}

impl Memo {
    /// Where a run leads that is one step which nobody sees, under old names.
    #[inline]
    fn silent(&self, global: u32, run: u64) -> Option<(u32, u32)> {
        let (Enabled::Yes, [step]) = self.steps_of(run)? else { return None };
        self.unseen(step).map(|to| (to.global_or(global), to.local))
    }

    /// The run of a thread with these parts.
    fn run_at(&self, from: &Node, thread: usize, global: u32, local: u32) -> Result<u64, Box<Miss>> {
        let run = self.run(global, local, thread);
        match self.steps_of(run) {
            Some(_) => Ok(run),
            None => {
                let node = Last { global, local, run: 0, before: 0 }.node(from, thread);
                Err(Box::new(Miss::Moves { node, thread }))
            }
        }
    }

    /// Finds the paths of the threads, given the runs of their steps.
    pub fn paths(&self, from: &Node, runs: &[u64], paths: &mut Paths) -> Result<(), Box<Miss>> {
        match self.order {
            Order::Full => first_steps(from, runs, &mut paths.ends),
            Order::Cartesian => self.cartesian(from, runs, paths)?,
            Order::Static | Order::Visible => self.one_alone(from, runs, &mut paths.ends)?,
        }
        Ok(())
    }

    fn cartesian(&self, from: &Node, runs: &[u64], paths: &mut Paths) -> Result<(), Box<Miss>> {
        let Paths { ends, growing: paths, next } = paths;
        paths.clear();
        for (thread, run) in runs.iter().enumerate() {
            let last = Last { global: from.global, local: from.locals[thread], run: *run, before: 0 };
            let touches = self.accesses_of(*run);
            let mut grows = self.silent(from.global, *run).is_some();
            for other in paths.iter_mut().filter(|other| other.touches.conflicts(&touches)) {
                (grows, other.grows) = (false, false);
            }
            let seen = (last.global, last.local);
            paths.push(Path { last, inner: Accesses::NONE, touches, seen, grows, endless: false });
        }
        while paths.iter().any(|path| path.grows) {
            self.grow(from, paths, next)?;
        }
        ends.clear();
        ends.extend(paths.iter().map(|path| (!path.endless).then_some(path.last)));
        Ok(())
    }

    /// Adds a step to each path that grows, or ends it: all at once, so that it does not matter which thread is which.
    fn grow(
        &self,
        from: &Node,
        paths: &mut [Path],
        steps: &mut Vec<Option<(Last, Accesses)>>,
    ) -> Result<(), Box<Miss>> {
        steps.clear();
        for (i, path) in paths.iter_mut().enumerate() {
            steps.push(if path.grows { self.next_step(from, i, path)? } else { None });
        }
        // What another path goes on from is not the last step of that path any more.
        let bound = |i: usize, step: &Accesses| {
            let others = paths.iter().zip(steps.iter()).enumerate().filter(|(j, _)| *j != i);
            let mut others = others.map(|(_, (path, next))| (path, next.is_some()));
            others.any(|(path, goes_on)| {
                step.conflicts(&path.inner) || goes_on && step.conflicts(&path.touches)
            })
        };
        let free =
            |(i, step): &(usize, &Option<(Last, Accesses)>)| step.is_some_and(|(_, step)| !bound(*i, &step));
        let added = steps.iter().enumerate().filter(free).fold(0, |added, (i, _)| added | 1u32 << i);
        for (i, (path, next)) in paths.iter_mut().zip(steps.iter()).enumerate() {
            path.grows = false;
            if let Some((last, touches)) = next.filter(|_| added >> i & 1 == 1) {
                if last.before.is_power_of_two() {
                    path.seen = (path.last.global, path.last.local);
                }
                path.inner = path.inner.and(&path.touches);
                (path.last, path.touches) = (last, touches);
                path.grows = self.silent(last.global, last.run).is_some();
            }
        }
        for i in 0..paths.len() {
            let touches = paths[i].touches;
            if (0..paths.len()).any(|j| j != i && touches.conflicts(&paths[j].touches)) {
                paths[i].grows = false;
            }
        }
        Ok(())
    }

    /// The step behind the last one of a path; none where it must end, or never does.
    fn next_step(
        &self,
        from: &Node,
        thread: usize,
        path: &mut Path,
    ) -> Result<Option<(Last, Accesses)>, Box<Miss>> {
        let (global, local) = self.silent(path.last.global, path.last.run).expect("it goes on");
        if path.seen == (global, local) {
            path.endless = true;
            path.inner = path.inner.and(&path.touches);
            return Ok(None);
        }
        let before = path.last.before + 1;
        let run = self.run_at(from, thread, global, local)?;
        let waits = !matches!(self.steps_of(run), Some((Enabled::Yes, _)));
        let last = Last { global, local, run, before };
        Ok((!waits && before < LONGEST).then(|| (last, self.accesses_of(run))))
    }

    /// One thread alone along all its steps that concern nobody, if there is such a thread; else all by one step.
    fn one_alone(&self, from: &Node, runs: &[u64], paths: &mut Vec<Option<Last>>) -> Result<(), Box<Miss>> {
        first_steps(from, runs, paths);
        for thread in 0..runs.len() {
            let first = paths[thread].expect("every thread has a path");
            if let Some(last) = self.row(from, thread, first)? {
                paths.fill(None);
                paths[thread] = Some(last);
                break;
            }
        }
        Ok(())
    }

    /// The last of the steps of a thread that concern nobody; none where there is no such step, no last one, or one
    /// that is more than its parts say.
    fn row(&self, from: &Node, thread: usize, mut at: Last) -> Result<Option<Last>, Box<Miss>> {
        let mut last = None;
        while at.before < LONGEST {
            let accesses = self.accesses_of(at.run);
            let alone = match self.steps_of(at.run) {
                Some((Enabled::Yes, [step])) => {
                    let returns = self.order == Order::Visible && accesses.returns;
                    if accesses.alone && returns && matches!(step.to, Reach::Parts(_)) {
                        return Ok(Some(at));
                    }
                    let unseen = step.letter == Letter::SILENT || self.blind;
                    accesses.alone && unseen && !matches!(step.to, Reach::End(_))
                }
                _ => false,
            };
            if !alone {
                return Ok(last);
            }
            let Some((global, local)) = self.silent(at.global, at.run) else { return Ok(None) };
            last = Some(at);
            at =
                Last { global, local, run: self.run_at(from, thread, global, local)?, before: at.before + 1 };
        }
        Ok(None)
    }

    /// The states on the way to the last step of a thread's path, that before it included, the first not. The paths of
    /// the state are known, those of these threads (a set of bits).
    pub fn on_the_way(&self, from: &Node, threads: u32, thread: usize) -> Vec<Node> {
        let run = |t: usize| if threads >> t & 1 == 1 { self.run_of(from, t) } else { NO_MOVE };
        let runs: Vec<u64> = (0..self.threads).map(run).collect();
        let mut paths = Paths::default();
        let Ok(()) = self.paths(from, &runs, &mut paths) else { unreachable!("they are known") };
        let mut node = *from;
        let mut all = Vec::new();
        for _ in 0..paths.ends[thread].map_or(0, |last| last.before) {
            let (global, local) =
                self.silent(node.global, self.run_of(&node, thread)).expect("it was silent");
            (node.global, node.locals[thread]) = (global, local);
            all.push(node);
        }
        all
    }
}

/// Every thread by one step.
fn first_steps(from: &Node, runs: &[u64], paths: &mut Vec<Option<Last>>) {
    let last = |(thread, run): (usize, &u64)| {
        Some(Last { global: from.global, local: from.locals[thread], run: *run, before: 0 })
    };
    paths.clear();
    paths.extend(runs.iter().enumerate().map(last));
}
