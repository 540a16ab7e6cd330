//! The states found so far, in the order in which they were found, each once.
//!
//! A state is a word; words are stored in a [`WordTable`]. When a part's number no longer fits, all words are packed
//! again, into wider fields or wider words.

use crate::antichain::Pairs;
use crate::explore::{Found, Visit};
use crate::round::{CHUNK, Chunk, Wanted};
use crate::space::{Edge, Memo, Miss, Node, Reached};
use crate::table::{Batch, WordTable};
use crate::targets::Stopped;
use crate::wire;
use crate::word::{Wide, Word, WordLayout};
use crate::workers::Workers;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use trueline_base::Spill;

/// States, numbered from 0.
pub struct States {
    layout: WordLayout,
    threads: usize,
    store: Store,
    /// With an antichain: the states of the model are stored once, and pairs with the monitor's states are numbered.
    pairs: Option<Pairs>,
    ids: Vec<u32>,
}

enum Store {
    Narrow(Shelf<u64>),
    Double(Shelf<u128>),
    Wide(Shelf<Wide>),
}

/// Words, and those that are being expanded.
struct Shelf<W> {
    table: WordTable<W>,
    chunks: Vec<Chunk<W>>,
    /// How many of the chunks are in use.
    used: usize,
}

macro_rules! with {
    ($store:expr, $shelf:ident => $body:expr) => {
        match $store {
            Store::Narrow($shelf) => $body,
            Store::Double($shelf) => $body,
            Store::Wide($shelf) => $body,
        }
    };
}

impl States {
    /// None yet.
    pub fn new(threads: usize) -> States {
        let layout = WordLayout::for_parts(threads, 64, 64, 0);
        let store = Store::Narrow(Shelf::new(WordTable::new()));
        let mut states = States { layout, threads, store, pairs: None, ids: Vec::new() };
        states.widen(64, 64, 0);
        states
    }

    /// None yet; only those with least states of the monitor will be kept.
    pub(crate) fn least(threads: usize) -> States {
        States { pairs: Some(Pairs::default()), ..States::new(threads) }
    }

    /// How many threads their systems have.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.as_ref().map_or_else(|| with!(&self.store, shelf => shelf.table.len()), Pairs::len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state with this number.
    pub fn get(&self, id: usize) -> Node {
        with!(&self.store, shelf => shelf.node(&self.layout, self.pairs.as_ref(), id))
    }

    /// Makes room for parts with numbers below these; says whether states have another form now.
    pub fn reserve(&mut self, globals: usize, locals: usize, sets: usize) -> bool {
        let sets = if self.pairs.is_some() { 0 } else { sets };
        let fits = self.layout.fits(globals, locals, sets);
        if !fits {
            self.widen(globals, locals, sets);
        }
        !fits
    }

    fn widen(&mut self, globals: usize, locals: usize, sets: usize) {
        let mut layout = WordLayout::for_parts(self.threads, globals, locals, sets);
        if layout.bits() > u128::BITS {
            layout = WordLayout::wide(self.threads);
        }
        let old = self.layout;
        let bits = layout.bits();
        self.store = with!(&self.store, shelf => {
            if bits <= u64::BITS {
                Store::Narrow(Shelf::new(shelf.table.repacked(|word| layout.pack(&old.unpack(word)))))
            } else if bits <= u128::BITS {
                Store::Double(Shelf::new(shelf.table.repacked(|word| layout.pack(&old.unpack(word)))))
            } else {
                Store::Wide(Shelf::new(shelf.table.repacked(|word| layout.pack(&old.unpack(word)))))
            }
        });
        self.layout = layout;
    }

    /// Adds the states of a batch that are new, in their order; `ids` are the numbers of all. With an antichain, see
    /// [`States::add`].
    pub fn insert<'n>(&mut self, batch: impl Iterator<Item = &'n Node>, ids: &mut Vec<u32>) {
        assert!(self.pairs.is_none(), "where only least states are kept, states are compared");
        let layout = self.layout;
        ids.clear();
        with!(&mut self.store, shelf => ids.extend(batch.map(|node| shelf.table.add(layout.pack(node)))));
    }

    /// Adds one state.
    pub(crate) fn add<E>(
        &mut self,
        node: &Node,
        below: &mut dyn FnMut(u32, u32) -> Result<bool, E>,
    ) -> Result<(), E> {
        let layout = self.layout;
        match &mut self.pairs {
            None => with!(&mut self.store, shelf => shelf.table.extend(&[layout.pack(node)], None)),
            Some(pairs) => {
                let id = with!(&mut self.store, shelf => shelf.table.add(layout.pack_alone(node)));
                pairs.insert(id, node.beside, below)?;
            }
        }
        Ok(())
    }

    /// Begins to expand these states.
    pub(crate) fn begin(&mut self, states: Range<usize>) {
        with!(&mut self.store, shelf => shelf.begin(states));
    }

    /// Expands what can be expanded; appends what is not known yet.
    pub(crate) fn expand(
        &mut self,
        memo: &Memo,
        members: u32,
        labels: bool,
        workers: &Workers,
        misses: &mut Vec<Miss>,
    ) {
        let (layout, pairs) = (&self.layout, self.pairs.as_ref());
        let wanted = Wanted { labels, besides: pairs.is_some(), sorted: workers.several(), members };
        with!(&mut self.store, shelf => {
            let (chunks, table) = (&mut shelf.chunks[..shelf.used], &shelf.table);
            workers.each(chunks, |_, chunk| {
                chunk.expand(memo, layout, wanted, |id| state(table, layout, pairs, id));
            });
            chunks.iter_mut().for_each(|chunk| misses.append(&mut chunk.misses));
        });
    }

    /// Leaves out what comes after a state with very many moves; gives the end of what is expanded.
    pub(crate) fn cut(&mut self) -> usize {
        with!(&mut self.store, shelf => {
            let cut = shelf.chunks[..shelf.used].iter().position(Chunk::is_cut);
            shelf.used = cut.map_or(shelf.used, |at| at + 1);
            shelf.chunks[shelf.used - 1].states.end
        })
    }

    /// Shows the expanded states and the ends of executions to a visitor; the number of a state whose end was enough
    /// for it. With numbers of targets, edges are shown as well. States below `shown` are not shown again.
    pub(crate) fn show(&self, visit: &mut dyn Visit, edges: bool, shown: usize) -> Option<usize> {
        with!(&self.store, shelf => {
            let mut ids = self.ids.iter();
            for chunk in &shelf.chunks[..shelf.used] {
                let made = &chunk.made;
                for (at, id) in chunk.states.clone().enumerate() {
                    if id < shown {
                        debug_assert!(!edges, "edges are shown once their targets are stored");
                        continue;
                    }
                    let node = || shelf.node(&self.layout, self.pairs.as_ref(), id);
                    let (from, (standing, to)) = (made.before(at), made.standings[at]);
                    visit.state(id as u32, &node, standing);
                    let mut stops = made.stops[from.stops as usize..to.stops as usize].iter().peekable();
                    let mut place = from.words;
                    loop {
                        let here = place - from.words;
                        while let Some(stop) = stops.next_if(|stop| !edges || stop.before == here) {
                            let Stopped { thread, letter, end, .. } = *stop;
                            if visit.end(Found { from: Some(id as u32), thread, letter, end }) {
                                return Some(id);
                            }
                        }
                        if !edges || place == to.words {
                            break;
                        }
                        let (thread, letter) = made.labels[place as usize];
                        let node = self.layout.unpack(made.words[place as usize]);
                        let edge = Edge { thread, letter, to: Reached::At(node) };
                        visit.edge(id as u32, &edge, *ids.next().expect("every target has a number"));
                        place += 1;
                    }
                }
            }
        });
        None
    }

    /// Where the moves of the expanded states lead, those that end executions included.
    pub(crate) fn transitions(&self) -> u64 {
        with!(&self.store, shelf => {
            let chunks = shelf.chunks[..shelf.used].iter();
            chunks.map(|chunk| (chunk.made.words.len() + chunk.made.stops.len()) as u64).sum()
        })
    }

    /// The targets of one expanded state.
    pub(crate) fn targets(&self, id: usize) -> Vec<Node> {
        with!(&self.store, shelf => {
            let chunk = &shelf.chunks[(id - shelf.chunks[0].states.start) / CHUNK];
            let (at, made) = (id - chunk.states.start, &chunk.made);
            let target = |place: u32| {
                let node = self.layout.unpack(made.words[place as usize]);
                Node { beside: made.besides.get(place as usize).copied().unwrap_or(node.beside), ..node }
            };
            (made.before(at).words..made.standings[at].1.words).map(target).collect()
        })
    }

    /// Stores where the expanded states lead. `numbers` says whether numbers of targets are
    /// wanted.
    pub(crate) fn store<E>(
        &mut self,
        numbers: bool,
        workers: &Workers,
        below: &mut dyn FnMut(u32, u32) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (pairs, ids) = (&mut self.pairs, &mut self.ids);
        with!(&mut self.store, shelf => {
            let chunks = &shelf.chunks[..shelf.used];
            let mut wanted = (numbers || pairs.is_some()).then_some(&mut *ids);
            if workers.several() {
                let batches = chunks.iter().map(|c| Batch { words: &c.made.words, sorted: &c.sorted });
                let batches: Vec<_> = batches.collect();
                shelf.table.insert(&batches, workers, wanted);
            } else {
                wanted.iter_mut().for_each(|ids| ids.clear());
                chunks.iter().for_each(|chunk| shelf.table.extend(&chunk.made.words, wanted.as_deref_mut()));
            }
            if let Some(pairs) = pairs {
                let besides = chunks.iter().flat_map(|chunk| &chunk.made.besides);
                for (id, beside) in ids.iter().zip(besides) {
                    pairs.insert(*id, *beside, below)?;
                }
            }
        });
        Ok(())
    }

    /// Ends a layer.
    pub(crate) fn settle(&mut self) {
        self.pairs.iter_mut().for_each(Pairs::settle);
    }

    /// Moves states that were expanded, those below a number, out of memory; with an antichain any. What is looked up
    /// there costs a read.
    pub(crate) fn spill(&mut self, below: usize, to: &Arc<dyn Spill>) -> io::Result<()> {
        let below = if self.pairs.is_some() { usize::MAX } else { below };
        with!(&mut self.store, shelf => shelf.table.spill(below, to))
    }

    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.layout.save(out)?;
        with!(&self.store, shelf => shelf.table.save(out))?;
        wire::put_list(out, self.pairs.iter(), |out, pairs| pairs.save(out))
    }

    pub(crate) fn load(input: &mut dyn Read) -> io::Result<States> {
        let layout = WordLayout::load(input)?;
        let store = match layout.bits() {
            bits if bits <= u64::BITS => Store::Narrow(Shelf::new(WordTable::load(input)?)),
            bits if bits <= u128::BITS => Store::Double(Shelf::new(WordTable::load(input)?)),
            _ => Store::Wide(Shelf::new(WordTable::load(input)?)),
        };
        let pairs = wire::get_list(input, Pairs::load)?.pop();
        Ok(States { layout, threads: layout.threads(), store, pairs, ids: Vec::new() })
    }

    /// The number of a state, if it is stored.
    pub fn find(&mut self, node: &Node) -> Option<u32> {
        assert!(self.pairs.is_none(), "where only least states are kept, none is looked for");
        with!(&mut self.store, shelf => shelf.table.find(self.layout.pack(node)))
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        self.pairs.as_ref().map_or(0, Pairs::bytes) + with!(&self.store, shelf => shelf.table.bytes())
    }

    /// What the next growth of the index needs for a moment beside what is in use.
    pub fn growth(&self) -> u64 {
        let pairs = self.pairs.as_ref().map_or(0, Pairs::growth);
        pairs.max(with!(&self.store, shelf => shelf.table.growth()))
    }
}

/// The word of a state, and the monitor's state.
#[inline]
fn state<W: Word>(table: &WordTable<W>, layout: &WordLayout, pairs: Option<&Pairs>, id: usize) -> (W, u32) {
    let Some(pairs) = pairs else {
        let word = table.get(id);
        return (word, layout.beside(word));
    };
    let pair = pairs.get(id);
    (table.get(pair.state as usize), pair.beside)
}

impl<W: Word> Shelf<W> {
    fn new(table: WordTable<W>) -> Shelf<W> {
        Shelf { table, chunks: Vec::new(), used: 0 }
    }

    fn node(&self, layout: &WordLayout, pairs: Option<&Pairs>, id: usize) -> Node {
        let (word, beside) = state(&self.table, layout, pairs, id);
        Node { beside, ..layout.unpack(word) }
    }

    fn begin(&mut self, states: Range<usize>) {
        self.used = states.len().div_ceil(CHUNK);
        self.chunks.resize_with(self.chunks.len().max(self.used), Chunk::default);
        for (chunk, first) in self.chunks.iter_mut().zip(states.clone().step_by(CHUNK)) {
            chunk.begin(first..(first + CHUNK).min(states.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::MAX_THREADS;

    fn node(n: u32) -> Node {
        let mut locals = [0; MAX_THREADS];
        (locals[0], locals[1]) = (n % 91, n / 91 % 77);
        Node { global: n % 13, beside: n / 91 / 77, locals }
    }

    #[test]
    fn states_keep_their_numbers_when_words_grow() {
        let mut states = States::new(2);
        states.reserve(13, 91, 0);
        let few: Vec<Node> = (0..5000).map(node).collect();
        let mut ids = Vec::new();
        states.insert(few.iter(), &mut ids);
        assert_eq!(ids, (0..5000).collect::<Vec<u32>>());
        for (globals, locals, sets) in [(13, 91, 10), (1 << 20, 1 << 25, 10), (1 << 30, 1 << 30, 1 << 31)] {
            states.reserve(globals, locals, sets);
            assert_eq!(states.len(), 5000);
            states.insert(few.iter(), &mut ids);
            assert_eq!(states.len(), 5000);
            for (id, node) in few.iter().enumerate() {
                assert_eq!(states.get(id), *node);
                assert_eq!(states.find(node), Some(id as u32));
            }
        }
        let more: Vec<Node> = (4000..90_000).map(node).collect();
        states.insert(more.iter(), &mut ids);
        assert_eq!((ids[0], states.len()), (4000, 90_000));
        assert_eq!(states.get(89_999), node(89_999));
        assert_eq!(states.find(&node(90_000)), None);
    }
}
