//! What is noted while the space is explored.

use super::facts::{CALL, Facts, RETURN, Threads};
use crate::fast::judge::Judge;
use crate::fast::letters::Letters;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use trueline_base::Meter;
use trueline_lang::question::Progress;
use trueline_space::{Edge, End, Found, Graph, Letter, Node, Standing, Visit, wire};

/// States after which cycles are looked for while the search goes on; then whenever there are twice as many.
const FIRST_LOOK: usize = 1 << 12;

/// Keeps the graph; ends the search at the first wait or cycle that decides it.
pub(super) struct Watcher {
    pub facts: Facts,
    pub judge: Judge,
    letters: Letters,
    /// What is known of each letter.
    kinds: Vec<u8>,
    /// Threads that wait, with the first state in which one with these parts does.
    pub waiting: HashMap<(u32, u32, u8), u32>,
    /// Whether the first wait, or cycle, decides.
    hasty: bool,
    /// The one thread whose waits and cycles count.
    subject: Option<u8>,
    /// Whether the specification does not explain some execution.
    pub unexplained: bool,
    next_look: usize,
    enough: bool,
    meter: Meter,
}

impl Watcher {
    pub fn new(
        progress: Progress,
        threads: usize,
        subject: Option<u8>,
        letters: Letters,
        meter: Meter,
    ) -> Watcher {
        let facts = Facts {
            progress,
            graph: Graph::default(),
            states: 0,
            threads: threads as u8,
            inside: Vec::new(),
            blocked: Vec::new(),
            excused: Vec::new(),
        };
        Watcher {
            facts,
            judge: Judge::default(),
            letters,
            kinds: Vec::new(),
            waiting: HashMap::new(),
            hasty: !progress.fair() && !matches!(progress, Progress::WaitFree(Some(_))),
            subject,
            unexplained: false,
            next_look: FIRST_LOOK,
            enough: false,
            meter,
        }
    }

    fn kind(&mut self, letter: Letter) -> u8 {
        while self.kinds.len() <= letter.0 as usize {
            let next = Letter(self.kinds.len() as u32);
            let call = if self.letters.calls(next) { CALL } else { 0 };
            let back = if self.letters.returns(next) { RETURN } else { 0 };
            self.kinds.push(call | back);
        }
        self.kinds[letter.0 as usize]
    }

    /// Looks at everything, whatever has been found.
    pub fn patient(&mut self) {
        self.hasty = false;
    }

    /// Whether cycles about a thread are looked for.
    pub fn concerns(&self, thread: u8) -> bool {
        self.subject.is_none_or(|subject| subject == thread)
    }
}

impl Visit for Watcher {
    fn state(&mut self, id: u32, node: &dyn Fn() -> Node, standing: Standing) {
        self.judge.state(id, node, standing);
        self.facts.states = id as usize + 1;
        let waits = standing.blocked | standing.maybe;
        if self.facts.progress.fair() {
            self.facts.blocked.push(waits as Threads);
            return;
        }
        if waits == 0 {
            return;
        }
        let node = node();
        for thread in (0..self.facts.threads).filter(|t| waits >> t & 1 == 1) {
            if self.concerns(thread) {
                let at = (node.global, node.locals[thread as usize], thread);
                self.waiting.entry(at).or_insert(id);
                self.enough |= self.hasty;
            }
        }
    }

    fn edge(&mut self, from: u32, edge: &Edge, to: u32) {
        let kind = self.kind(edge.letter);
        self.facts.graph.add(from, edge, kind, to);
    }

    fn enough(&mut self) -> bool {
        if self.hasty && !self.enough && self.facts.states >= self.next_look {
            self.next_look = self.facts.states * 2;
            self.facts.graph.reach(self.facts.states);
            let subjects = self.facts.subjects().filter(|t| self.concerns(*t));
            self.enough = subjects.into_iter().any(|thread| {
                // Whatever ends it ends the search as well.
                let loops = self.facts.loops(thread, &mut || self.meter.check_beyond(0).is_ok());
                loops.is_some_and(|loops| loops.iter().any(|component| *component != trueline_space::NONE))
            });
        }
        self.enough
    }

    fn bytes(&self) -> u64 {
        // Looking for components takes three numbers per state.
        let lists = self.facts.blocked.capacity() * 6 + self.waiting.capacity() * 20;
        self.facts.graph.bytes() + (12 * self.facts.states + lists) as u64
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.judge.save(out)?;
        self.facts.graph.save(out)?;
        wire::put_list(out, self.facts.blocked.iter(), |out, threads| wire::put(out, *threads as u64))?;
        wire::put_list(out, self.waiting.iter(), |out, ((global, local, thread), id)| {
            wire::put(out, (*global as u64) << 32 | *local as u64)?;
            wire::put(out, (*thread as u64) << 32 | *id as u64)
        })?;
        wire::put(out, self.facts.states as u64)?;
        wire::put(out, self.next_look as u64)?;
        wire::put(out, self.unexplained as u64)
    }

    fn load(&mut self, input: &mut dyn Read) -> io::Result<()> {
        self.judge.load(input)?;
        self.facts.graph = Graph::load(input)?;
        self.facts.blocked = wire::get_list(input, wire::get_small)?;
        let waiting = wire::get_list(input, |input| {
            let (parts, at) = (wire::get(input)?, wire::get(input)?);
            Ok((((parts >> 32) as u32, parts as u32, (at >> 32) as u8), at as u32))
        })?;
        self.waiting = waiting.into_iter().collect();
        self.facts.states = wire::get_small(input)?;
        self.next_look = wire::get_small(input)?;
        self.unexplained = wire::get(input)? != 0;
        Ok(())
    }

    fn end(&mut self, found: Found) -> bool {
        // What the specification does not explain ends one execution, as findings do; others go on.
        match found.end {
            End::Monitor(_) => self.unexplained = true,
            End::Model(_) => _ = self.judge.end(found),
        }
        self.judge.shared_again()
    }
}
