//! Some states of a layer, expanded together by several workers.
//!
//! Workers only read what is known of moves; what they miss is computed between two passes, in the order of the
//! states. So neither parts nor states get other numbers when there are more workers.

use crate::model::{Enabled, Letter};
use crate::monitor::After;
use crate::order::Order;
use crate::space::{End, MAX_THREADS, Memo, Miss, NO_MOVE, Node, Reach, Reached, Standing};
use crate::symmetry::NO_KEY;
use crate::table::Batch;
use crate::word::{Layout, Word};
use std::ops::Range;

/// States of a chunk: what a worker takes at once.
pub(crate) const CHUNK: usize = 256;

/// Targets of a chunk that are many: it ends with the state that has brought them, so that states with very many moves
/// need little memory at once.
const MANY: usize = 1 << 16;

/// States whose moves are looked up together, so that the waits for memory overlap.
const NEAR: usize = 16;

/// A few states, and where their moves lead.
pub(crate) struct Chunk<W> {
    /// Their numbers.
    pub states: Range<usize>,
    /// Those before it are expanded, and their targets noted in order.
    next: usize,
    /// Per state, one more than its place in `waiting`; 0 where it is not expanded.
    held: Vec<u32>,
    /// States that are expanded behind one that is not: where their targets begin and end in `kept`.
    waiting: Vec<(u32, u32, Standing)>,
    kept: Vec<Target<W>>,
    /// Where moves lead, state by state.
    pub batch: Batch<W>,
    /// The monitor's state of each target, where words do not hold it.
    pub besides: Vec<u32>,
    /// Who moves and what is seen, for each target, where that is wanted.
    pub labels: Vec<(u8, Letter)>,
    /// Per state, which threads can move and how many targets there are so far.
    pub standings: Vec<(Standing, u32)>,
    /// What ends executions: targets before it, the state, the thread, the letter.
    pub stops: Vec<(u32, u32, u8, Letter, End)>,
    /// What was not known.
    pub misses: Vec<Miss>,
    /// The states at hand, and the runs of steps of their threads.
    near: Vec<(usize, W, Node)>,
    runs: Vec<u64>,
    /// The targets of the state at hand.
    made: Vec<Target<W>>,
}

/// Who moves, what is seen, and the word and the monitor's state after it.
type Target<W> = (u8, Letter, Reached<(W, u32)>);

/// A state, and the runs of steps of its threads.
#[derive(Clone, Copy)]
struct At<'a, W> {
    word: W,
    node: &'a Node,
    runs: &'a [u64],
}

/// What a chunk is to note.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Labels of moves.
    pub labels: bool,
    /// The monitor's states beside the words.
    pub besides: bool,
    /// Moves of these threads, a set of bits.
    pub members: u32,
}

impl<W: Word> Default for Chunk<W> {
    fn default() -> Chunk<W> {
        Chunk {
            states: 0..0,
            next: 0,
            held: Vec::new(),
            waiting: Vec::new(),
            kept: Vec::new(),
            batch: Batch::default(),
            besides: Vec::new(),
            labels: Vec::new(),
            standings: Vec::new(),
            stops: Vec::new(),
            misses: Vec::new(),
            near: Vec::with_capacity(NEAR),
            runs: Vec::new(),
            made: Vec::new(),
        }
    }
}

impl<W: Word> Chunk<W> {
    /// Begins with these states.
    pub fn begin(&mut self, states: Range<usize>) {
        self.next = states.start;
        self.held.clear();
        self.held.resize(states.len(), 0);
        self.states = states;
        self.waiting.clear();
        self.kept.clear();
        self.batch.clear();
        self.besides.clear();
        self.labels.clear();
        self.standings.clear();
        self.stops.clear();
        self.misses.clear();
    }

    /// Whether it ends before the states that it was given.
    pub fn is_cut(&self) -> bool {
        self.states.len() < self.held.len()
    }

    /// Expands the states of which everything is known, and notes what is not known of the others.
    pub fn expand(&mut self, memo: &Memo, layout: &Layout, wanted: Wanted, get: impl Fn(usize) -> (W, Node)) {
        let mut from = self.next;
        while from < self.states.end {
            from = self.look_ahead(memo, wanted.members, from, &get);
            for place in 0..self.near.len() {
                let (id, word, node) = self.near[place];
                let runs = &self.runs[place * memo.threads..][..memo.threads];
                let at = At { word, node: &node, runs };
                self.made.clear();
                let misses = self.misses.len();
                let standing = memo.targets(layout, at, wanted.besides, &mut self.made, &mut self.misses);
                if self.misses.len() > misses {
                    continue;
                }
                if id == self.next {
                    let mut made = std::mem::take(&mut self.made);
                    self.note(made.drain(..), standing, wanted);
                    self.made = made;
                } else {
                    let first = self.kept.len() as u32;
                    self.kept.append(&mut self.made);
                    self.waiting.push((first, self.kept.len() as u32, standing));
                    self.held[id - self.states.start] = self.waiting.len() as u32;
                }
                self.catch_up(wanted);
                if self.batch.words.len() > MANY {
                    self.states.end = self.next;
                    return;
                }
                if self.kept.len() > MANY {
                    // Something was missed, or nothing would wait: it comes first.
                    return;
                }
            }
        }
    }

    /// Notes the states that were expanded before their turn.
    fn catch_up(&mut self, wanted: Wanted) {
        while self.next < self.states.end && self.held[self.next - self.states.start] > 0 {
            let place = self.held[self.next - self.states.start] as usize - 1;
            let (first, last, standing) = self.waiting[place];
            let kept = std::mem::take(&mut self.kept);
            self.note(kept[first as usize..last as usize].iter().copied(), standing, wanted);
            self.kept = kept;
        }
    }

    /// Notes the targets of the next state.
    fn note(&mut self, made: impl Iterator<Item = Target<W>>, standing: Standing, wanted: Wanted) {
        let id = self.next as u32;
        for (thread, letter, to) in made {
            match to {
                Reached::At((word, beside)) => {
                    self.batch.push(word);
                    if wanted.labels {
                        self.labels.push((thread, letter));
                    }
                    if wanted.besides {
                        self.besides.push(beside);
                    }
                }
                Reached::End(end) => {
                    self.stops.push((self.batch.words.len() as u32, id, thread, letter, end))
                }
            }
        }
        self.standings.push((standing, self.batch.words.len() as u32));
        self.next += 1;
    }

    /// Looks up the moves of the next few states that are not expanded; says where to go on.
    fn look_ahead(
        &mut self,
        memo: &Memo,
        members: u32,
        mut from: usize,
        get: &impl Fn(usize) -> (W, Node),
    ) -> usize {
        self.near.clear();
        self.runs.clear();
        while from < self.states.end && self.near.len() < NEAR {
            if self.held[from - self.states.start] == 0 {
                let (word, node) = get(from);
                self.near.push((from, word, node));
            }
            from += 1;
        }
        for (_, _, node) in &self.near {
            let run = |thread| if members >> thread & 1 == 1 { memo.run(node, thread) } else { NO_MOVE };
            self.runs.extend((0..memo.threads).map(run));
        }
        from
    }
}

impl Memo {
    /// Where the moves of a state lead, as words; what is not known goes to `misses`.
    fn targets<W: Word>(
        &self,
        layout: &Layout,
        at: At<'_, W>,
        alone: bool,
        out: &mut Vec<Target<W>>,
        misses: &mut Vec<Miss>,
    ) -> Standing {
        if self.order != Order::Full {
            return self.path_targets(layout, at, alone, out, misses);
        }
        let At { word, node: from, runs } = at;
        let mut standing = Standing::default();
        let keys = self.keys(runs);
        for (thread, run) in runs.iter().enumerate() {
            let Some((enabled, steps)) = self.steps_of(*run) else {
                misses.push(Miss::Moves { node: *from, thread });
                continue;
            };
            standing.note(enabled, thread);
            for (place, step) in steps.iter().enumerate() {
                let to = match step.to {
                    Reach::End(code) => Ok(Reached::End(End::Model(code))),
                    // Nothing but this thread's part and the global one change: the rest of the word stays.
                    Reach::Parts(outcome) if outcome.rename == 0 && self.keeps_order() => {
                        self.after(from.beside, thread, step.letter).map(|after| match after {
                            After::At(beside) => {
                                let global = outcome.global_or(from.global);
                                let kept = if alone { 0 } else { beside };
                                let word = layout.moved(word, thread, global, outcome.local, kept);
                                Reached::At((word, beside))
                            }
                            After::Violation(code) => Reached::End(End::Monitor(code)),
                        })
                    }
                    _ => self.step(from, thread, step, place, keys).map(|to| {
                        to.map(|node| match alone {
                            true => (layout.pack_alone(&node), node.beside),
                            false => (layout.pack(&node), node.beside),
                        })
                    }),
                };
                match to {
                    Ok(to) => out.push((thread as u8, step.letter, to)),
                    Err(miss) => misses.push(*miss),
                }
            }
        }
        standing
    }

    /// The same where orders of steps are left out: every target is the end of a thread's path.
    fn path_targets<W: Word>(
        &self,
        layout: &Layout,
        at: At<'_, W>,
        alone: bool,
        out: &mut Vec<Target<W>>,
        misses: &mut Vec<Miss>,
    ) -> Standing {
        let At { node: from, runs, .. } = at;
        let mut standing = Standing::default();
        let missed = misses.len();
        for (thread, run) in runs.iter().enumerate() {
            match self.steps_of(*run) {
                Some((enabled, _)) => standing.note(enabled, thread),
                None => misses.push(Miss::Moves { node: *from, thread }),
            }
        }
        if misses.len() > missed {
            return standing;
        }
        let paths = match self.paths(from, runs) {
            Ok(paths) => paths,
            Err(miss) => {
                misses.push(*miss);
                return standing;
            }
        };
        let keys = self.keys(runs);
        for (thread, last) in paths.iter().enumerate() {
            let Some(last) = last else { continue };
            let node = last.node(from, thread);
            // Keys hold for the global part that they were computed with.
            let keys = if last.global == from.global { keys } else { [NO_KEY; MAX_THREADS] };
            let (_, steps) = self.steps_of(last.run).expect("it is known");
            for (place, step) in steps.iter().enumerate() {
                match self.step(&node, thread, step, place, keys) {
                    Ok(to) => {
                        let packed = to.map(|node| match alone {
                            true => (layout.pack_alone(&node), node.beside),
                            false => (layout.pack(&node), node.beside),
                        });
                        out.push((thread as u8, step.letter, packed));
                    }
                    Err(miss) => misses.push(*miss),
                }
            }
        }
        standing
    }
}

impl Standing {
    /// Notes whether a thread can move.
    #[inline]
    pub(crate) fn note(&mut self, enabled: Enabled, thread: usize) {
        match enabled {
            Enabled::Yes => self.enabled |= 1 << thread,
            Enabled::Maybe => self.maybe |= 1 << thread,
            Enabled::Blocked => self.blocked |= 1 << thread,
            Enabled::Discarded => self.discarded |= 1 << thread,
            Enabled::Done => {}
        }
    }
}
