//! Moves known by what they read: most moves look at one or two shared cells, and do the same wherever these hold the
//! same, whatever else there is.
//!
//! What a thread does is a function of its part and of the cells that it reads, asked in an order that the answers so
//! far determine. So its executions are a decision tree per local part: an inner node names the next cell, an edge what
//! it holds, a leaf the moves, each with what it stores. Cells that are stored into are asked for as well, behind the
//! others, since what is seen of a move can depend on whether it changes something. Where addresses are their own names,
//! the number of structs is asked for where there will be a new one. Taken in are only moves after which all structs keep
//! their names: with canonical names, those that neither store a reference nor overwrite one. No limbo, no links, no
//! invariant, no memory but `gc`: there moves depend on more. Preserves everything: an outcome is that of the execution
//! which it was taken from. Oracle: in debug builds whatever is recalled is executed as well.

mod cells;

use super::canon::references;
use crate::canonical::bytes::{number, tag};
use crate::machine::state::{Cell, SHARED, State};
use crate::machine::touched::Touched;
use cells::{GlobalCells, Places};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::Range;
use trueline_lang::ir::Module;
use trueline_space::{Accesses, Enabled, Letter, Move, To, View};

/// Outcomes that are kept, and bytes of what they lead to, at most: where there are more, moves have little in common.
const MOST: usize = 1 << 17;
const MOST_BYTES: usize = 1 << 26;

/// Outcomes of the threads of a machine.
pub(super) struct Recall<'m> {
    module: &'m Module,
    /// Roots by class and local part.
    roots: HashTable<Root>,
    hasher: FixedState,
    nodes: Vec<TreeNode>,
    outcomes: Vec<Outcome>,
    moves: Vec<RecalledMove>,
    stores: Vec<Store>,
    cells: Vec<Cell>,
    /// Local parts, stored values and new structs.
    arena: Vec<u8>,
    /// Where the cells of a global part are.
    places: Places,
}

struct Root {
    class: u32,
    local: Range<u32>,
    node: u32,
}

/// What is asked next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Query {
    /// Nothing is known here.
    Unknown,
    /// What this cell holds.
    Cell(Cell),
    /// How many structs there are.
    Structs,
    /// Nothing more: this is the outcome.
    Done(u32),
}

struct TreeNode {
    query: Query,
    /// From answers to nodes, ascending.
    next: Vec<(u64, u32)>,
}

struct Outcome {
    enabled: Enabled,
    moves: Range<u32>,
    /// What others can tell of them, where that is wanted.
    touches: Option<Touches>,
}

/// Accesses, without the numbers that cells have in a global part.
struct Touches {
    reads: Range<u32>,
    writes: Range<u32>,
    alone: bool,
    returns: bool,
}

struct RecalledMove {
    letter: Letter,
    to: Result<Change, u32>,
}

/// What a move leads to.
struct Change {
    local: Range<u32>,
    stores: Range<u32>,
    /// New structs, encoded, and how many.
    new: Range<u32>,
    count: u32,
}

struct Store {
    cell: Cell,
    value: Range<u32>,
}

/// How a move changes the global part, as a state shows it. A move that ends the execution changes nothing.
#[derive(Clone, Default)]
pub(super) struct Effect {
    stores: Vec<(Cell, Vec<u8>)>,
    new: Vec<u8>,
    count: u32,
}

impl Effect {
    /// The difference between two states in the cells that were written, and in new structs; none where it cannot be
    /// said of other states. The first `before` structs are global.
    pub fn between(from: &State, to: &State, touched: &Touched, before: u32, fresh: bool) -> Option<Effect> {
        let mut effect = Effect::default();
        for cell in touched.writes.iter().filter(|cell| is_global(cell, before)) {
            let (old, new) = (from.cell(*cell), to.cell(*cell));
            let mut refers = false;
            references(old, &mut |_| refers = true);
            references(new, &mut |_| refers = true);
            if refers && !fresh {
                return None;
            }
            if old != new && effect.stores.iter().all(|(known, _)| known != cell) {
                let mut bytes = Vec::new();
                tag::whole(&mut bytes, new);
                effect.stores.push((*cell, bytes));
            }
        }
        if fresh {
            for (address, head) in to.heap.heads.iter().enumerate().skip(before as usize) {
                number(&mut effect.new, (head.kind.0 as u32) << 2);
                to.heap.cells(address as u32).iter().for_each(|value| tag::whole(&mut effect.new, value));
                effect.count += 1;
            }
        }
        Some(effect)
    }
}

/// What was executed, to be recalled.
pub(super) struct Executed<'e> {
    pub class: usize,
    pub touched: &'e Touched,
    /// How many structs were global before.
    pub before: u32,
    pub enabled: Enabled,
    pub moves: &'e [Move],
    /// One for each move.
    pub effects: Vec<Effect>,
    /// Where others want to know what is touched.
    pub accesses: Option<Accesses>,
}

fn is_global(cell: &Cell, before: u32) -> bool {
    cell.address == SHARED || cell.address < before
}

impl<'m> Recall<'m> {
    /// Nothing is known yet.
    pub fn new(module: &'m Module) -> Recall<'m> {
        Recall {
            module,
            roots: HashTable::new(),
            hasher: FixedState::default(),
            nodes: Vec::new(),
            outcomes: Vec::new(),
            moves: Vec::new(),
            stores: Vec::new(),
            cells: Vec::new(),
            arena: Vec::new(),
            places: Places::default(),
        }
    }

    fn root(&self, class: usize, local: &[u8]) -> Option<u32> {
        let arena = &self.arena;
        let same = |root: &Root| root.class == class as u32 && arena[range(&root.local)] == *local;
        self.roots.find(self.hasher.hash_one(local), same).map(|root| root.node)
    }

    /// The moves of a thread, where they are known.
    pub fn moves(&mut self, at: View<'_>, class: usize, out: &mut Vec<Move>) -> Option<(Enabled, Accesses)> {
        let mut places = std::mem::take(&mut self.places);
        let cells = GlobalCells::new(at.global, self.module, &mut places);
        let known = cells.and_then(|cells| self.find(at.local, class, cells, out));
        self.places = places;
        known
    }

    fn find(
        &self,
        local: &[u8],
        class: usize,
        mut cells: GlobalCells<'_>,
        out: &mut Vec<Move>,
    ) -> Option<(Enabled, Accesses)> {
        let mut node = self.root(class, local)?;
        let outcome = loop {
            let TreeNode { query, next } = &self.nodes[node as usize];
            let answer = match query {
                Query::Unknown => return None,
                Query::Done(outcome) => break &self.outcomes[*outcome as usize],
                Query::Cell(cell) => cells.answer(cell)?,
                Query::Structs => cells.structs as u64,
            };
            node = next[next.binary_search_by_key(&answer, |edge| edge.0).ok()?].1;
        };
        for made in &self.moves[range(&outcome.moves)] {
            let to = match &made.to {
                Err(end) => To::End(*end),
                Ok(change) => To::Parts {
                    global: self.global_after(&mut cells, change),
                    local: self.arena[range(&change.local)].to_vec(),
                    rename: 0,
                },
            };
            out.push(Move { letter: made.letter, to });
        }
        let accesses = outcome.touches.as_ref().map_or(Accesses::ALL, |touches| {
            let mut bits = |which: &Range<u32>| {
                let which = self.cells[range(which)].iter();
                which.fold(0, |bits, cell| bits | Accesses::bit(cells.number(cell)))
            };
            let (reads, writes) = (bits(&touches.reads), bits(&touches.writes));
            Accesses { reads, writes, alone: touches.alone, returns: touches.returns }
        });
        Some((outcome.enabled, accesses))
    }

    /// The global part after a change; none where it is the same.
    fn global_after(&self, cells: &mut GlobalCells<'_>, change: &Change) -> Option<Vec<u8>> {
        if change.stores.is_empty() && change.count == 0 {
            return None;
        }
        let bytes = cells.reader.bytes();
        let mut out = Vec::with_capacity(bytes.len() + change.new.len() + 8);
        number(&mut out, cells.structs + change.count);
        number(&mut out, 0);
        let mut done = cells.first;
        // They are in the order of the cells.
        for store in &self.stores[range(&change.stores)] {
            let at = cells.number(&store.cell);
            let (start, end) = cells.places.ends[at];
            out.extend_from_slice(&bytes[done..start as usize]);
            out.extend_from_slice(&self.arena[range(&store.value)]);
            done = end as usize;
        }
        out.extend_from_slice(&bytes[done..]);
        out.extend_from_slice(&self.arena[range(&change.new)]);
        Some(out)
    }

    /// Takes in what was executed, where it is the same in other states.
    pub fn note(&mut self, at: View<'_>, executed: &Executed<'_>) {
        let led = |made: &Move| match &made.to {
            To::Parts { rename, .. } => *rename == 0,
            To::End(_) => true,
            To::Held(_) | To::Whole => false,
        };
        let full = self.outcomes.len() >= MOST || self.arena.len() >= MOST_BYTES;
        if full || !executed.moves.iter().all(led) {
            return;
        }
        let mut places = std::mem::take(&mut self.places);
        if let Some(mut cells) = GlobalCells::new(at.global, self.module, &mut places)
            && let Some(leaf) = self.grow(at.local, executed, &mut cells)
        {
            let outcome = self.outcomes.len() as u32;
            self.nodes[leaf].query = Query::Done(outcome);
            self.keep(executed, &mut cells);
        }
        self.places = places;
    }

    /// The leaf of an execution; none where it was known, or an answer is too long to be kept.
    fn grow(&mut self, local: &[u8], executed: &Executed<'_>, cells: &mut GlobalCells<'_>) -> Option<usize> {
        let touched = executed.touched.reads.iter().chain(&executed.touched.writes);
        let mut queries: Vec<(Query, u64)> = Vec::new();
        for cell in touched.filter(|cell| is_global(cell, executed.before)) {
            let query = Query::Cell(*cell);
            if queries.iter().all(|(known, _)| *known != query) {
                queries.push((query, cells.answer(cell)?));
            }
        }
        if executed.effects.iter().any(|effect| effect.count > 0) {
            queries.push((Query::Structs, cells.structs as u64));
        }
        let mut node = match self.root(executed.class, local) {
            Some(node) => node as usize,
            None => self.add_root(executed.class, local),
        };
        for (query, answer) in queries {
            match self.nodes[node].query {
                Query::Unknown => self.nodes[node].query = query,
                known => assert_eq!(known, query, "what is read next depends on what was read"),
            }
            node = match self.nodes[node].next.binary_search_by_key(&answer, |edge| edge.0) {
                Ok(at) => self.nodes[node].next[at].1 as usize,
                Err(at) => {
                    let next = self.add_node();
                    self.nodes[node].next.insert(at, (answer, next as u32));
                    next
                }
            };
        }
        (self.nodes[node].query == Query::Unknown).then_some(node)
    }

    fn add_node(&mut self) -> usize {
        self.nodes.push(TreeNode { query: Query::Unknown, next: Vec::new() });
        self.nodes.len() - 1
    }

    fn add_root(&mut self, class: usize, local: &[u8]) -> usize {
        let node = self.add_node();
        let root = Root { class: class as u32, local: store(&mut self.arena, local), node: node as u32 };
        let (arena, hasher) = (&self.arena, &self.hasher);
        let hash = |root: &Root| hasher.hash_one(&arena[range(&root.local)]);
        self.roots.insert_unique(hash(&root), root, hash);
        node
    }

    fn keep(&mut self, executed: &Executed<'_>, cells: &mut GlobalCells<'_>) {
        let first = self.moves.len() as u32;
        for (made, effect) in executed.moves.iter().zip(&executed.effects) {
            let to = match &made.to {
                To::End(end) => Err(*end),
                To::Parts { local, .. } => {
                    let stores = self.stores.len() as u32;
                    for (cell, value) in &effect.stores {
                        let value = store(&mut self.arena, value);
                        self.stores.push(Store { cell: *cell, value });
                    }
                    self.stores[stores as usize..].sort_by_key(|store| cells.number(&store.cell));
                    Ok(Change {
                        local: store(&mut self.arena, local),
                        stores: stores..self.stores.len() as u32,
                        new: store(&mut self.arena, &effect.new),
                        count: effect.count,
                    })
                }
                To::Held(_) | To::Whole => unreachable!("these are not kept"),
            };
            self.moves.push(RecalledMove { letter: made.letter, to });
        }
        let touches = executed.accesses.as_ref().map(|Accesses { alone, returns, .. }| {
            let mut list = |cells: &[Cell]| {
                let first = self.cells.len() as u32;
                self.cells.extend(cells.iter().filter(|cell| is_global(cell, executed.before)));
                first..self.cells.len() as u32
            };
            let reads = list(&executed.touched.reads);
            Touches { reads, writes: list(&executed.touched.writes), alone: *alone, returns: *returns }
        });
        let moves = first..self.moves.len() as u32;
        self.outcomes.push(Outcome { enabled: executed.enabled, moves, touches });
    }

    /// Memory in use. Every node but a root has one edge to it.
    pub fn bytes(&self) -> u64 {
        let edges = 2 * std::mem::size_of::<(u64, u32)>();
        let all = self.roots.capacity() * (std::mem::size_of::<Root>() + 1)
            + self.nodes.capacity() * (std::mem::size_of::<TreeNode>() + edges)
            + self.outcomes.capacity() * std::mem::size_of::<Outcome>()
            + self.moves.capacity() * std::mem::size_of::<RecalledMove>()
            + self.stores.capacity() * std::mem::size_of::<Store>()
            + self.cells.capacity() * std::mem::size_of::<Cell>()
            + self.arena.capacity();
        all as u64
    }
}

fn range(of: &Range<u32>) -> Range<usize> {
    of.start as usize..of.end as usize
}

fn store(arena: &mut Vec<u8>, bytes: &[u8]) -> Range<u32> {
    let start = arena.len() as u32;
    arena.extend_from_slice(bytes);
    start..arena.len() as u32
}
