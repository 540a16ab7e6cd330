//! Some states of a layer, expanded together by several workers.
//!
//! Workers only read what is known of moves; what they miss is computed between two passes, in the order of the
//! states. So neither parts nor states get other numbers when there are more workers.

use crate::order::Paths;
use crate::space::{MAX_THREADS, Memo, Miss, NO_MOVE};
use crate::table::Sorted;
use crate::targets::{At, Targets};
use crate::word::{Word, WordLayout};
use std::ops::Range;

/// States of a chunk: what a worker takes at once.
pub(crate) const CHUNK: usize = 256;

/// Targets of a chunk that are many: it ends with the state that has brought them, so that states with very many moves
/// need little memory at once.
const MANY: usize = 1 << 16;

/// States whose moves are looked up together, so that the waits for memory overlap.
const NEAR: usize = 16;

/// A few states, and where their moves lead. Two workers never write to the same line of a cache.
#[repr(align(128))]
pub(crate) struct Chunk<W> {
    /// Their numbers.
    pub states: Range<usize>,
    /// Those before it are expanded, and their targets noted in order.
    next: usize,
    /// Per state, one more than its place in `waiting`; 0 where it is not expanded.
    held: Vec<u32>,
    /// States that are expanded behind one that is not: their places in `kept`.
    waiting: Vec<u32>,
    kept: Targets<W>,
    /// Where moves lead, state by state.
    pub made: Targets<W>,
    /// The words of it by the shards that they belong to, where several workers store them.
    pub sorted: Sorted<W>,
    /// What was not known.
    pub misses: Vec<Miss>,
    /// The states at hand, the runs of steps of their threads, and the paths of one.
    near: Vec<Near<W>>,
    runs: Vec<u64>,
    paths: Paths,
}

/// A state that is at hand.
#[derive(Clone, Copy)]
struct Near<W> {
    id: usize,
    word: W,
    beside: u32,
}

/// What a chunk is to note.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Labels of moves.
    pub labels: bool,
    /// The monitor's states beside the words.
    pub besides: bool,
    /// Words by their shards.
    pub sorted: bool,
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
            kept: Targets::default(),
            made: Targets::default(),
            sorted: Sorted::default(),
            misses: Vec::new(),
            near: Vec::with_capacity(NEAR),
            runs: Vec::with_capacity(NEAR * MAX_THREADS),
            paths: Paths::default(),
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
        self.made.clear();
        self.misses.clear();
    }

    /// Whether it ends before the states that it was given.
    pub fn is_cut(&self) -> bool {
        self.states.len() < self.held.len()
    }

    /// Expands the states of which everything is known, and notes what is not known of the others. `get` gives a
    /// state's word and the monitor's state.
    pub fn expand(
        &mut self,
        memo: &Memo,
        layout: &WordLayout,
        wanted: Wanted,
        get: impl Fn(usize) -> (W, u32),
    ) {
        let mut from = self.next;
        if from == self.states.end {
            return;
        }
        while from < self.states.end {
            from = self.look_ahead(memo, layout, wanted.members, from, &get);
            for place in 0..self.near.len() {
                let Near { id, word, beside } = self.near[place];
                let runs = &self.runs[place * memo.threads..][..memo.threads];
                let at = At { word, beside, runs, layout };
                let misses = self.misses.len();
                let in_turn = id == self.next;
                let made = if in_turn { &mut self.made } else { &mut self.kept };
                let before = made.mark();
                let standing = memo.targets(at, wanted, made, &mut self.misses, &mut self.paths);
                if self.misses.len() > misses {
                    made.back_to(before);
                    continue;
                }
                made.end_state(standing);
                if in_turn {
                    self.next += 1;
                } else {
                    self.waiting.push(self.kept.states() as u32 - 1);
                    self.held[id - self.states.start] = self.waiting.len() as u32;
                }
                self.catch_up();
                if self.made.words.len() > MANY {
                    self.states.end = self.next;
                    break;
                }
                if self.kept.words.len() > MANY {
                    // Something was missed, or nothing would wait: it comes first.
                    return;
                }
            }
        }
        if wanted.sorted && self.next == self.states.end {
            self.sorted.sort(&self.made.words, wanted.labels || wanted.besides);
        }
    }

    /// Notes the states that were expanded before their turn.
    fn catch_up(&mut self) {
        while self.next < self.states.end && self.held[self.next - self.states.start] > 0 {
            let place = self.held[self.next - self.states.start] as usize - 1;
            self.made.append_state(&self.kept, self.waiting[place] as usize);
            self.next += 1;
        }
    }

    /// Looks up the moves of the next few states that are not expanded; says where to go on.
    fn look_ahead(
        &mut self,
        memo: &Memo,
        layout: &WordLayout,
        members: u32,
        mut from: usize,
        get: &impl Fn(usize) -> (W, u32),
    ) -> usize {
        self.near.clear();
        self.runs.resize(NEAR * memo.threads, NO_MOVE);
        let mut all = self.runs.chunks_exact_mut(memo.threads.max(1));
        while from < self.states.end && self.near.len() < NEAR {
            if self.held[from - self.states.start] == 0 {
                let (word, beside) = get(from);
                let global = layout.global(word);
                for (thread, run) in all.next().into_iter().flatten().enumerate() {
                    *run = match members >> thread & 1 {
                        1 => memo.run(global, layout.local(word, thread), thread),
                        _ => NO_MOVE,
                    };
                }
                self.near.push(Near { id: from, word, beside });
            }
            from += 1;
        }
        from
    }
}
