//! The intermediate representation: one check, instantiated, as code whose unit is one step.
//!
//! Parameters are folded, helpers inlined, clients unrolled. What stands here is the meaning
//! of a model; `interp` executes it literally, every other engine must agree with it.
//!
//! # State
//! - the shared cells of the object ([`Module::shared`]), each a [`Value`];
//! - the heap: structs with their cells; a cell of the heap has an address, a number that is
//!   never reused under `gc` (addresses count allocations from 0) and may be offered again
//!   under `manual` and `pool`;
//! - per thread: its persistent slots, its place in its [`Script`] with the script's variables,
//!   its links (`ll`), and its phase: idle; running an operation at a program counter with a
//!   frame of slots; or about to return a value.
//!
//! # Beginning
//! All cells hold their defaults; [`Module::init`] runs, then [`Module::thread_init`] for each
//! thread in order (both like one atomic step; a finding there is a finding of the initial
//! state); then each thread's script resolves its [`ScriptNode::Test`]s. `init` may have choices
//! (`choose`): each way through is an initial state.
//!
//! # The main thread
//! A machine may have a [`Main`] thread, which acts alone before and after all others: the nodes of
//! its script from `after` on are its second part. The shared cell `cell`, which no code names, holds
//! what is over, for n threads: n is added when the main thread's script comes to stand in its second
//! part, 1 when the script of another thread comes to stand at [`ScriptNode::Done`]; at the beginning, once
//! tests are resolved, or at a return. Below n, the others make no call; below 2n - 1, the main thread
//! makes none of its second part. A thread that makes no call for this reason has nothing to do; it is
//! not blocked.
//!
//! # Moves of a thread
//! - *Call* (idle at a [`ScriptNode::Call`]): one alternative whose `requires` holds. Arguments are
//!   evaluated over the script's variables, the frame is set up (all other slots `Unit`), and
//!   local code runs up to the first stop. An alternative of a role whose `requires` is false
//!   is the finding `requires`; of the implicit client, it is not offered.
//! - *Step* (running): from the stop, run until one access, or one block from `Enter` to its
//!   `Leave`, has been executed, and then on through local code to the next stop.
//! - *Return* (about to return): the result goes to the script's variable, the script moves on
//!   and resolves its tests, the frame vanishes.
//!
//! # Stops
//! Local instructions are `Set`, `SetElement`, `Collect`, `Jump`, `Branch`, `Assume`, `Assert`,
//! `Fail`, and `New` under `gc`. Everything that touches a cell is an
//! access, as are `New` and `Free` under `manual` and `pool`. Local code stops before an access,
//! before `Enter`, before `Choose` and `Either`, and at `Return`, where the thread goes to the
//! phase "about to return". A step that begins at `Choose` or `Either` resolves it, runs on and
//! may meet further choices: all are resolved, together with the access that follows. If
//! `Return` is met before any access, the choices were one silent step of their own; a finding met
//! before any access belongs to that step.
//! Inside `Enter … Leave` nothing stops; `Leave` ends the block's step like an access does (local
//! code after it belongs to the step).
//!
//! # Disabled, discarded
//! `Await(e)` stands only inside a block: where `e` is false, this way through the block does
//! not exist. `Lock` on a held lock likewise. `Assume(e)` that is false discards the move that
//! it belongs to. A thread none of whose ways exists is disabled; it is *blocked* when an `Await`
//! or a `Lock` is to blame.
//!
//! # Findings
//! An evaluation that fails, `Assert`, misuse of memory or locks end the execution in a finding.
//! A move that executes more than [`BUDGET`] instructions, counted over all its ways together, is
//! the finding `endless`, and has no other way.
//!
//! # Leaks
//! A struct is lost in a state when it was not freed and nobody can use it any more: no chain of
//! references leads to it, through cells of structs freed or not, from a shared cell, a variable of
//! a script, a persistent slot, the result of a thread about to return, or a live slot of a running
//! thread. A slot is live at a stop when some way through the code from there reads it before it is
//! overwritten; the condition of a mark counts as read right behind its access, or at the ends of its
//! block, though it is evaluated at the end of the step.
//!
//! # Points
//! [`Instr::mark`] on an access (or `Enter`): the operation's linearization point is passed at the
//! end of this step if the access was executed in it and the condition, evaluated on the frame at the end
//! of the step, is true.

mod expr;
mod expressions;
mod schedule;
mod script;
mod show;
mod threads;
mod visit;

pub use expr::{BinaryOp, Expr, Method, Place, Stride};
pub use schedule::{Action, Choice, Evidence, Move, Schedule};
pub use script::{Alternative, NodeId, Script, ScriptNode, Thread};
pub use show::{show_call, show_return, show_value};
pub use visit::{EffectKind, block, block_ends};

use trueline_base::verdict::Finding;
use trueline_base::{Span, Value};

pub use crate::syntax::Memory;

/// Instructions that one move may execute, over all its ways together.
pub const BUDGET: u32 = 100_000;

/// Index of an instruction in its routine.
pub type Pc = u32;

/// A local of a frame. The first slots of every frame of an object are the persistent ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

/// Index into [`Module::structs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(pub u16);

/// Index into [`Module::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u16);

/// Index into [`Module::ops`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u16);

/// An object under its client.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The object.
    pub object: Module,
    /// The threads that call it.
    pub threads: Vec<Thread>,
    /// The one among them that acts before and after the others.
    pub main: Option<Main>,
}

/// A thread that acts alone, before the others begin and after they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Main {
    /// Which.
    pub thread: u8,
    /// The first node of the second part of its script; all further ones belong to it.
    pub after: NodeId,
    /// The shared cell that holds what is over.
    pub cell: u32,
}

impl Machine {
    /// An object under threads that all act at once.
    pub fn new(object: Module, threads: Vec<Thread>) -> Machine {
        Machine { object, threads, main: None }
    }

    /// The same with a main thread, the last one, the second part of whose script begins at `after`.
    pub fn with_main(mut object: Module, mut threads: Vec<Thread>, main: Thread, after: NodeId) -> Machine {
        let (thread, cell) = (threads.len() as u8, object.shared.len() as u32);
        object.shared.push(Value::Int(0));
        threads.push(main);
        Machine { object, threads, main: Some(Main { thread, after, cell }) }
    }

    /// How many threads act at once.
    pub fn concurrent(&self) -> usize {
        self.threads.len() - usize::from(self.main.is_some())
    }
}

/// An object or a specification. In a specification the shared cells are its state, there is
/// no heap and no persistent slot, and each operation is one atomic step: its whole code runs at once,
/// as if between `Enter` and `Leave`.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its name as the user wrote it.
    pub name: String,
    /// How memory is managed.
    pub memory: Memory,
    /// The structs that live on the heap.
    pub structs: Vec<Struct>,
    /// The enums, for showing values.
    pub enums: Vec<Enum>,
    /// The shared variables, with the cells that they take, in order.
    pub variables: Vec<Variable>,
    /// All shared cells; the value is what the cell holds before `init` runs.
    pub shared: Vec<Value>,
    /// The persistent slots of each thread (`local` variables).
    pub persistent: Vec<SlotInfo>,
    /// Runs once at the beginning: initialisers, then the `init` block.
    pub init: Routine,
    /// Runs once per thread; its frame's first slots become the thread's persistent slots.
    pub thread_init: Routine,
    /// The operations.
    pub ops: Vec<Op>,
}

impl Module {
    /// Whether some operation waits in some state.
    pub fn can_wait(&self) -> bool {
        let waits = |kind: &InstrKind| matches!(kind, InstrKind::Await(_) | InstrKind::Lock(_));
        self.ops.iter().any(|op| op.routine.code.iter().any(|instr| waits(&instr.kind)))
    }
}

/// A struct of the heap.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its fields, with the cells that they take, in order.
    pub fields: Vec<Variable>,
    /// All its cells; the value is what a fresh cell holds before it is initialised.
    pub cells: Vec<Value>,
    /// Under `pool`: the cells, ascending, that some `new` of it leaves as they were. Every `new` writes all others
    /// before anything else can name the struct.
    pub kept: Vec<u32>,
}

/// A shared variable or a field: a run of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type; an array takes one cell per element.
    pub ty: Ty,
    /// Its first cell.
    pub first: u32,
    /// How many cells it takes.
    pub len: u32,
    /// Where it is declared.
    pub span: Span,
}

/// An enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Its variants: names and types of the payload.
    pub variants: Vec<(String, Vec<Ty>)>,
}

/// A type, resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ty {
    Unit,
    Bool,
    Int,
    /// Inclusive on both ends.
    Range(i32, i32),
    Tid,
    Val,
    Lock,
    Ref(StructId),
    /// Index into [`Module::enums`].
    Enum(EnumId),
    Optional(Box<Ty>),
    Tuple(Vec<Ty>),
    /// With its length; `by_tid` when it is indexed by threads.
    Array {
        element: Box<Ty>,
        len: u32,
        by_tid: bool,
    },
    Seq(Box<Ty>),
    Set(Box<Ty>),
    Multiset(Box<Ty>),
    Heap(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Its name.
    pub name: String,
    /// The slots that take its arguments, in order, with their types.
    pub params: Vec<(Slot, Ty)>,
    /// The type of its result, `Unit` without one.
    pub result: Ty,
    /// Over the persistent slots: when it may be called.
    pub requires: Option<Expr>,
    /// Its code.
    pub routine: Routine,
    /// Where it stands.
    pub span: Span,
}

impl Op {
    /// Whether some access carries a linearization mark.
    pub fn marked(&self) -> bool {
        self.routine.code.iter().any(|i| i.mark.is_some())
    }
}

/// Code with its frame. Execution begins at instruction 0 and ends at a `Return`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    /// The instructions.
    pub code: Vec<Instr>,
    /// The slots of its frame.
    pub slots: Vec<SlotInfo>,
}

/// A slot of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotInfo {
    /// The variable's name; empty for a temporary.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// What it does.
    pub kind: InstrKind,
    /// The statement or condition that it came from.
    pub span: Span,
    /// A linearization mark with its condition; only on an access or `Enter`.
    pub mark: Option<Expr>,
}

/// The instructions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum InstrKind {
    /// `slot = value`
    Set {
        slot: Slot,
        value: Expr,
    },
    /// Replaces one element inside an array or component inside a tuple: `slot[path…] = value`.
    SetElement {
        slot: Slot,
        path: Vec<Expr>,
        value: Expr,
    },
    /// A method that changes the collection in `slot`; its answer goes to `result`.
    Collect {
        slot: Slot,
        method: Method,
        args: Vec<Expr>,
        result: Option<Slot>,
    },
    Jump(Pc),
    Branch {
        condition: Expr,
        yes: Pc,
        no: Pc,
    },
    /// Any value from `low` to `high`, both inclusive; none when the range is empty (the way does not exist).
    Choose {
        slot: Slot,
        low: Expr,
        high: Expr,
    },
    /// Any of the targets.
    Either(Vec<Pc>),
    Assume(Expr),
    Assert(Expr),
    /// A finding.
    Fail(Finding),
    /// A new struct. Under `gc` the cells named take their values (all are named but locks) and this is local. Under
    /// `manual` and `pool` no cell is named here, it is an access, and the address is any freed one of this struct
    /// that is still reachable (through slots, script variables, shared cells and cells of live or freed structs), or
    /// one other. Where the struct has [`Struct::kept`] cells, it is any freed one of this struct, reachable or not,
    /// or one other: what the kept cells hold comes back. Structs that nobody can reach and that differ in no kept
    /// cell are interchangeable: engines may offer one of them.
    New {
        slot: Slot,
        kind: StructId,
        cells: Vec<(u32, Expr)>,
    },
    /// Ends the routine.
    Return(Expr),

    /// `slot = place`
    Read {
        slot: Slot,
        place: Place,
    },
    Write {
        place: Place,
        value: Expr,
    },
    /// `slot` becomes whether `place` held `old`; if so it now holds `new`.
    Cas {
        slot: Slot,
        place: Place,
        old: Expr,
        new: Expr,
    },
    /// The same; `slot` becomes what was there.
    Cmpxchg {
        slot: Slot,
        place: Place,
        old: Expr,
        new: Expr,
    },
    Swap {
        slot: Slot,
        place: Place,
        value: Expr,
    },
    /// Fetch and add; `slot` becomes what was there. The sum must lie in `low..=high`, else the finding `range`
    /// (`overflow` when these are the bounds of `int`).
    Faa {
        slot: Slot,
        place: Place,
        amount: Expr,
        low: i32,
        high: i32,
    },
    /// Test and set.
    Tas {
        slot: Slot,
        place: Place,
    },
    /// Compare and set two cells.
    Dcas {
        slot: Slot,
        first: (Place, Expr, Expr),
        second: (Place, Expr, Expr),
    },
    /// Reads and links the cell for this thread.
    LoadLinked {
        slot: Slot,
        place: Place,
    },
    /// Writes if this thread's link to the cell is unbroken (any write to the cell breaks all links to it, also one
    /// that stores the same value; a failed `cas` is no write); the link is gone afterwards either way. `weak` may fail for no reason:
    /// the choice `Branch(0)` is the true attempt, `Branch(1)` the spurious failure.
    StoreConditional {
        slot: Slot,
        place: Place,
        value: Expr,
        weak: bool,
    },
    /// Whether this thread's link to the cell is unbroken.
    Validate {
        slot: Slot,
        place: Place,
    },
    /// Waits until free, takes. Taking a lock that the thread owns itself waits for ever.
    Lock(Place),
    /// Not the owner: the finding `lock`.
    Unlock(Place),
    /// Null: the finding `null`. Freed already: `double_free`.
    Free(Expr),

    /// Begins an atomic block.
    Enter,
    /// Ends it. Blocks do not nest in code.
    Leave,
    /// Only inside a block.
    Await(Expr),
}
