//! The state of a machine while it is executed: values in flat vectors, so that a copy costs no allocation.

use trueline_base::Value;
use trueline_lang::ir::{NodeId, OpId, Slot, StructId};

/// Everything that a state consists of.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The shared cells.
    pub shared: Vec<Value>,
    /// The structs on the heap.
    pub heap: Heap,
    /// The unbroken links, ascending.
    pub links: Vec<Link>,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// A cell linked by a thread. Field order is the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub thread: u8,
    pub cell: Cell,
}

/// The address that stands for "no struct": the cell is a shared one.
pub(crate) const SHARED: u32 = u32::MAX;

/// One cell of memory: a shared cell, or a cell of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    /// The struct, or [`SHARED`].
    pub address: u32,
    /// The cell within the struct, or the shared cell.
    pub index: u32,
}

/// The heap: structs by address, their cells one after the other.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Heap {
    pub heads: Vec<Head>,
    pub cells: Vec<Value>,
}

/// A struct on the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Head {
    pub kind: StructId,
    pub freed: bool,
    /// Whether it is freed and known to be held by nobody, so that only `new` may bring it back; false where that is
    /// not known.
    pub forgotten: bool,
    /// Whether shared memory reached it once and no longer does, where that is followed
    /// ([`Reduction::Unshare`](crate::fast::Reduction)).
    pub left: bool,
    /// Where its cells begin.
    pub start: u32,
    pub len: u32,
}

/// What a thread is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Idle,
    Running,
    Returning,
}

/// A thread.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub phase: Phase,
    /// The operation, unless idle.
    pub op: OpId,
    /// Where it stands, when running.
    pub pc: u32,
    /// The node of its script; inside an operation the one where it goes on afterwards.
    pub node: NodeId,
    /// The script's variable that takes the result.
    pub into: Option<Slot>,
    /// The persistent slots, followed inside an operation by the others.
    pub frame: Vec<Value>,
    /// The script's variables.
    pub script: Vec<Value>,
    /// What is about to be returned.
    pub result: Option<Value>,
}

impl State {
    /// About how much memory a copy takes.
    pub fn bytes(&self) -> u64 {
        let frames: usize = self.threads.iter().map(|t| t.frame.len() + t.script.len()).sum();
        let values = self.shared.len() + self.heap.cells.len() + frames;
        let rest = self.heap.heads.len() * std::mem::size_of::<Head>()
            + self.threads.len() * std::mem::size_of::<Thread>();
        (std::mem::size_of::<State>() + values * std::mem::size_of::<Value>() + rest) as u64
    }

    /// Becomes equal to another state, reusing what is allocated.
    pub fn copy_from(&mut self, other: &State) {
        self.shared.clone_from(&other.shared);
        self.heap.heads.clone_from(&other.heap.heads);
        self.heap.cells.clone_from(&other.heap.cells);
        self.links.clone_from(&other.links);
        self.threads.truncate(other.threads.len());
        self.threads.resize_with(other.threads.len(), Thread::default);
        for (mine, its) in self.threads.iter_mut().zip(&other.threads) {
            mine.phase = its.phase;
            mine.op = its.op;
            mine.pc = its.pc;
            mine.node = its.node;
            mine.into = its.into;
            mine.frame.clone_from(&its.frame);
            mine.script.clone_from(&its.script);
            mine.result.clone_from(&its.result);
        }
    }

    /// A state equal to another.
    pub fn copied(other: &State) -> State {
        let mut state = State::default();
        state.copy_from(other);
        state
    }

    /// What a cell holds.
    pub fn cell(&self, cell: Cell) -> &Value {
        &self.cells_of(cell.address)[cell.index as usize]
    }

    fn cells_of(&self, address: u32) -> &[Value] {
        if address == SHARED { &self.shared } else { self.heap.cells(address) }
    }

    /// Stores into a cell and breaks the links to it.
    pub fn write(&mut self, cell: Cell, value: Value) {
        if cell.address == SHARED {
            self.shared[cell.index as usize] = value;
        } else {
            let start = self.heap.heads[cell.address as usize].start;
            self.heap.cells[(start + cell.index) as usize] = value;
        }
        if !self.links.is_empty() {
            self.links.retain(|link| link.cell != cell);
        }
    }

    /// Which structs can be reached from shared cells, slots, results and script variables, also through freed
    /// structs; `frame` is that of a thread which is executing, taken out of the state.
    pub fn reachable(&self, frame: &[Value]) -> Vec<bool> {
        let threads = self.threads.iter();
        let threads = threads.flat_map(|t| t.frame.iter().chain(&t.script).chain(&t.result));
        self.reachable_from(self.shared.iter().chain(frame).chain(threads))
    }

    /// Which structs can be reached from these values, also through freed structs.
    pub fn reachable_from<'v>(&self, roots: impl Iterator<Item = &'v Value>) -> Vec<bool> {
        let mut seen = vec![false; self.heap.heads.len()];
        let mut todo = Vec::new();
        roots.for_each(|value| references(value, &mut seen, &mut todo));
        while let Some(address) = todo.pop() {
            for value in self.heap.cells(address) {
                references(value, &mut seen, &mut todo);
            }
        }
        seen
    }
}

fn references(value: &Value, seen: &mut [bool], todo: &mut Vec<u32>) {
    match value {
        Value::Ref(address) => {
            if !std::mem::replace(&mut seen[*address as usize], true) {
                todo.push(*address);
            }
        }
        _ => value.children().for_each(|child| references(child, seen, todo)),
    }
}

impl Heap {
    /// The cells of a struct.
    pub fn cells(&self, address: u32) -> &[Value] {
        let head = &self.heads[address as usize];
        &self.cells[head.start as usize..(head.start + head.len) as usize]
    }

    /// A new struct at the next address.
    pub fn push(&mut self, kind: StructId, cells: &[Value]) -> u32 {
        let start = self.cells.len() as u32;
        self.cells.extend_from_slice(cells);
        let len = cells.len() as u32;
        self.heads.push(Head { kind, freed: false, forgotten: false, left: false, start, len });
        self.heads.len() as u32 - 1
    }
}
