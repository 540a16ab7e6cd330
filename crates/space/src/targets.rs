//! Where the moves of a state lead, as words.

use crate::model::{Enabled, Letter};
use crate::monitor::After;
use crate::order::{Order, Paths};
use crate::round::Wanted;
use crate::space::{End, InternedMove, MAX_THREADS, Memo, Miss, Node, Reach, Reached, Standing};
use crate::symmetry::{NO_KEY, ThreadKeys};
use crate::word::{Change, Word, WordLayout};

/// A state, and the runs of steps of its threads.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, W> {
    pub word: W,
    pub beside: u32,
    pub runs: &'a [u64],
    pub layout: &'a WordLayout,
}

impl<W: Word> At<'_, W> {
    fn node(&self) -> Node {
        Node { beside: self.beside, ..self.layout.unpack(self.word) }
    }
}

/// A state, and who moves there.
struct Mover<'a> {
    node: &'a Node,
    thread: usize,
    keys: ThreadKeys,
    layout: &'a WordLayout,
    wanted: Wanted,
}

/// Where the moves of some states lead, state by state.
pub(crate) struct Targets<W> {
    pub words: Vec<W>,
    /// The monitor's state of each, where words do not hold it.
    pub besides: Vec<u32>,
    /// Who moves and what is seen, for each, where that is wanted.
    pub labels: Vec<(u8, Letter)>,
    /// What ends executions instead.
    pub stops: Vec<Stopped>,
    /// Per state, which threads can move, and how many targets and ends there are up to it.
    pub standings: Vec<(Standing, Mark)>,
}

/// The end of an execution.
#[derive(Clone, Copy)]
pub(crate) struct Stopped {
    /// Targets of the same state that come before it.
    pub before: u32,
    pub thread: u8,
    pub letter: Letter,
    pub end: End,
}

/// How many targets and ends there are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    pub words: u32,
    pub stops: u32,
}

impl<W> Default for Targets<W> {
    fn default() -> Targets<W> {
        let (words, besides, labels) = (Vec::new(), Vec::new(), Vec::new());
        Targets { words, besides, labels, stops: Vec::new(), standings: Vec::new() }
    }
}

impl<W: Word> Targets<W> {
    pub fn clear(&mut self) {
        self.back_to(Mark::default());
        self.standings.clear();
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.standings.len()
    }

    /// What there is now.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { words: self.words.len() as u32, stops: self.stops.len() as u32 }
    }

    /// Takes back what came after a mark.
    pub fn back_to(&mut self, mark: Mark) {
        self.words.truncate(mark.words as usize);
        self.besides.truncate(mark.words as usize);
        self.labels.truncate(mark.words as usize);
        self.stops.truncate(mark.stops as usize);
    }

    /// What came since the last state is the next one's.
    #[inline]
    pub fn end_state(&mut self, standing: Standing) {
        let mark = self.mark();
        self.standings.push((standing, mark));
    }

    /// What there was before a state.
    pub fn before(&self, state: usize) -> Mark {
        state.checked_sub(1).map_or(Mark::default(), |last| self.standings[last].1)
    }

    /// Appends a state of others.
    pub fn append_state(&mut self, others: &Targets<W>, state: usize) {
        let (standing, to) = others.standings[state];
        let from = others.before(state);
        let words = from.words as usize..to.words as usize;
        self.words.extend_from_slice(&others.words[words.clone()]);
        if !others.besides.is_empty() {
            self.besides.extend_from_slice(&others.besides[words.clone()]);
        }
        if !others.labels.is_empty() {
            self.labels.extend_from_slice(&others.labels[words]);
        }
        self.stops.extend_from_slice(&others.stops[from.stops as usize..to.stops as usize]);
        self.end_state(standing);
    }

    /// The first target of the state at hand.
    fn first(&self) -> u32 {
        self.standings.last().map_or(0, |(_, mark)| mark.words)
    }

    #[inline]
    fn push(&mut self, thread: usize, letter: Letter, word: W, beside: u32, wanted: Wanted) {
        self.words.push(word);
        if wanted.labels {
            self.labels.push((thread as u8, letter));
        }
        if wanted.besides {
            self.besides.push(beside);
        }
    }

    #[cold]
    fn stop(&mut self, thread: usize, letter: Letter, end: End) {
        let before = self.words.len() as u32 - self.first();
        self.stops.push(Stopped { before, thread: thread as u8, letter, end });
    }

    #[inline]
    fn reach(&mut self, thread: usize, letter: Letter, to: Reached, layout: &WordLayout, wanted: Wanted) {
        match to {
            Reached::At(node) => {
                let word = if wanted.besides { layout.pack_alone(&node) } else { layout.pack(&node) };
                self.push(thread, letter, word, node.beside, wanted);
            }
            Reached::End(end) => self.stop(thread, letter, end),
        }
    }
}

impl Memo {
    /// Where the moves of a state lead; what is not known goes to `misses`.
    #[inline]
    pub fn targets<W: Word>(
        &self,
        at: At<'_, W>,
        wanted: Wanted,
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
        paths: &mut Paths,
    ) -> Standing {
        if self.order != Order::Full {
            self.path_targets(at, wanted, out, misses, paths)
        } else if self.keeps_order() {
            self.word_targets(at, wanted, out, misses)
        } else {
            self.node_targets(at, wanted, out, misses)
        }
    }

    /// Where parts stay at their places whatever they are: most moves change two parts, and leave the rest of the word.
    fn word_targets<W: Word>(
        &self,
        at: At<'_, W>,
        wanted: Wanted,
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
    ) -> Standing {
        let mut standing = Standing::default();
        for (thread, run) in at.runs.iter().enumerate() {
            let Some((enabled, changes)) = self.changes_of(*run) else {
                self.special_targets(&at, thread, wanted, out, misses, &mut standing);
                continue;
            };
            standing.note(enabled, thread);
            match changes {
                [change] => out.words.push(at.layout.moved(at.word, thread, *change)),
                _ => out.words.extend(changes.iter().map(|c| at.layout.moved(at.word, thread, *c))),
            }
            if wanted.labels {
                let (_, steps) = self.steps_of(*run).expect("it is known");
                out.labels.extend(steps.iter().map(|step| (thread as u8, step.letter)));
            }
            if wanted.besides {
                out.besides.extend(std::iter::repeat_n(at.beside, changes.len()));
            }
        }
        standing
    }

    /// The same for a thread whose steps are not known, or not all of them changes of a word.
    #[inline(never)]
    fn special_targets<W: Word>(
        &self,
        at: &At<'_, W>,
        thread: usize,
        wanted: Wanted,
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
        standing: &mut Standing,
    ) {
        let Some((enabled, steps)) = self.steps_of(at.runs[thread]) else {
            misses.push(Miss::Moves { node: at.node(), thread });
            return;
        };
        standing.note(enabled, thread);
        let before = (at.layout.global(at.word), at.layout.local(at.word, thread));
        for (place, step) in steps.iter().enumerate() {
            let outcome = match step.to {
                Reach::Parts(outcome) if outcome.rename == 0 => outcome,
                _ => {
                    match self.step(&at.node(), thread, step, place, [NO_KEY; MAX_THREADS]) {
                        Ok(to) => out.reach(thread, step.letter, to, at.layout, wanted),
                        Err(miss) => misses.push(*miss),
                    }
                    continue;
                }
            };
            match self.after(at.beside, thread, step.letter) {
                Ok(After::At(beside)) => {
                    let change = Change::between(before, (outcome.global_or(before.0), outcome.local));
                    let mut word = at.layout.moved(at.word, thread, change);
                    if !wanted.besides {
                        word = at.layout.beside_moved(word, at.beside, beside);
                    }
                    out.push(thread, step.letter, word, beside, wanted);
                }
                Ok(After::Violation(code)) => out.stop(thread, step.letter, End::Monitor(code)),
                Err(miss) => misses.push(*miss),
            }
        }
    }

    /// Where parts may have to change their places.
    #[inline(never)]
    fn node_targets<W: Word>(
        &self,
        at: At<'_, W>,
        wanted: Wanted,
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
    ) -> Standing {
        let mut standing = Standing::default();
        let node = at.node();
        let keys = self.keys(at.runs);
        for (thread, run) in at.runs.iter().enumerate() {
            let Some((enabled, steps)) = self.steps_of(*run) else {
                misses.push(Miss::Moves { node, thread });
                continue;
            };
            standing.note(enabled, thread);
            let mover = Mover { node: &node, thread, keys, layout: at.layout, wanted };
            self.follow(mover, steps, out, misses);
        }
        standing
    }

    /// Where steps of a thread lead from a state.
    #[inline]
    fn follow<W: Word>(
        &self,
        mover: Mover<'_>,
        steps: &[InternedMove],
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
    ) {
        let Mover { node, thread, keys, layout, wanted } = mover;
        for (place, step) in steps.iter().enumerate() {
            match self.step(node, thread, step, place, keys) {
                Ok(to) => out.reach(thread, step.letter, to, layout, wanted),
                Err(miss) => misses.push(*miss),
            }
        }
    }

    /// Where orders of steps are left out: every target is the end of a thread's path.
    #[inline(never)]
    fn path_targets<W: Word>(
        &self,
        at: At<'_, W>,
        wanted: Wanted,
        out: &mut Targets<W>,
        misses: &mut Vec<Miss>,
        paths: &mut Paths,
    ) -> Standing {
        let from = &at.node();
        let mut standing = Standing::default();
        let missed = misses.len();
        for (thread, run) in at.runs.iter().enumerate() {
            match self.steps_of(*run) {
                Some((enabled, _)) => standing.note(enabled, thread),
                None => misses.push(Miss::Moves { node: *from, thread }),
            }
        }
        if misses.len() > missed {
            return standing;
        }
        if let Err(miss) = self.paths(from, at.runs, paths) {
            misses.push(*miss);
            return standing;
        }
        let keys = self.keys(at.runs);
        for (thread, last) in paths.ends.iter().enumerate() {
            let Some(last) = last else { continue };
            let node = last.node(from, thread);
            // Keys hold for the global part that they were computed with.
            let keys = if last.global == from.global { keys } else { [NO_KEY; MAX_THREADS] };
            let (_, steps) = self.steps_of(last.run).expect("it is known");
            let mover = Mover { node: &node, thread, keys, layout: at.layout, wanted };
            self.follow(mover, steps, out, misses);
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
