//! What stands in an instruction: the slots that it reads and writes, where control goes, which cells it touches.
//!
//! The one place that takes instructions apart for whoever does not execute them. Each `match` names every variant, so
//! that a new instruction is not forgotten.

use super::{Expr, Instr, InstrKind, Memory, Pc, Place, Slot};
use std::collections::BTreeSet;

/// What an instruction does, as far as steps are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Looks at a cell.
    Read,
    /// Writes a cell.
    Write,
    /// Looks at cells and may write them.
    Update,
    /// Waits for a lock.
    Lock,
    /// Gives a lock back.
    Unlock,
    /// Makes a struct.
    New,
    /// Frees a struct.
    Free,
    /// Begins a block that is one step.
    Atomic,
    /// Goes on in one of several ways.
    Choice,
    /// Ends the routine.
    Return,
    /// Touches nothing but slots.
    Local,
}

impl EffectKind {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            EffectKind::Read => "read",
            EffectKind::Write => "write",
            EffectKind::Update => "update",
            EffectKind::Lock => "lock",
            EffectKind::Unlock => "unlock",
            EffectKind::New => "new",
            EffectKind::Free => "free",
            EffectKind::Atomic => "atomic",
            EffectKind::Choice => "choice",
            EffectKind::Return => "return",
            EffectKind::Local => "local",
        }
    }
}

impl InstrKind {
    /// What it does, as far as steps are concerned.
    pub fn effect(&self) -> EffectKind {
        use InstrKind::*;
        match self {
            Read { .. } | LoadLinked { .. } | Validate { .. } => EffectKind::Read,
            Write { .. } => EffectKind::Write,
            Cas { .. } | Cmpxchg { .. } | Swap { .. } | Faa { .. } | Tas { .. } => EffectKind::Update,
            Dcas { .. } | StoreConditional { .. } => EffectKind::Update,
            Lock(_) => EffectKind::Lock,
            Unlock(_) => EffectKind::Unlock,
            New { .. } => EffectKind::New,
            Free(_) => EffectKind::Free,
            Enter => EffectKind::Atomic,
            Choose { .. } | Either(_) => EffectKind::Choice,
            Return(_) => EffectKind::Return,
            Set { .. } | SetElement { .. } | Collect { .. } | Jump(_) | Branch { .. } => EffectKind::Local,
            Assume(_) | Assert(_) | Fail(_) | Leave | Await(_) => EffectKind::Local,
        }
    }

    /// Whether local code stops before it, outside of blocks.
    pub fn is_stop(&self, memory: Memory) -> bool {
        match self.effect() {
            EffectKind::Local => false,
            EffectKind::New => memory != Memory::Gc,
            _ => true,
        }
    }

    /// The places in the code that it names.
    pub fn targets(&self) -> Vec<Pc> {
        use InstrKind::*;
        match self {
            Jump(to) => vec![*to],
            Branch { yes, no, .. } => vec![*yes, *no],
            Either(to) => to.clone(),
            Set { .. } | SetElement { .. } | Collect { .. } | Choose { .. } | Assume(_) | Assert(_) => vec![],
            Fail(_) | New { .. } | Return(_) | Read { .. } | Write { .. } | Cas { .. } => vec![],
            Cmpxchg { .. } | Swap { .. } | Faa { .. } | Tas { .. } | Dcas { .. } => vec![],
            LoadLinked { .. } | StoreConditional { .. } | Validate { .. } => vec![],
            Lock(_) | Unlock(_) | Free(_) | Enter | Leave | Await(_) => vec![],
        }
    }

    /// The same, to be changed.
    pub fn targets_mut(&mut self, mut change: impl FnMut(&mut Pc)) {
        use InstrKind::*;
        match self {
            Jump(to) => change(to),
            Branch { yes, no, .. } => {
                change(yes);
                change(no);
            }
            Either(to) => to.iter_mut().for_each(change),
            Set { .. } | SetElement { .. } | Collect { .. } | Choose { .. } | Assume(_) | Assert(_) => {}
            Fail(_) | New { .. } | Return(_) | Read { .. } | Write { .. } | Cas { .. } => {}
            Cmpxchg { .. } | Swap { .. } | Faa { .. } | Tas { .. } | Dcas { .. } => {}
            LoadLinked { .. } | StoreConditional { .. } | Validate { .. } => {}
            Lock(_) | Unlock(_) | Free(_) | Enter | Leave | Await(_) => {}
        }
    }

    /// Whether it touches a cell or the allocator: outside a block, a step has one such instruction.
    pub fn is_access(&self, memory: Memory) -> bool {
        use InstrKind::*;
        match self {
            Read { .. } | Write { .. } | Cas { .. } | Cmpxchg { .. } | Swap { .. } | Faa { .. } => true,
            Tas { .. } | Dcas { .. } | LoadLinked { .. } | StoreConditional { .. } => true,
            Validate { .. } | Lock(_) | Unlock(_) | Free(_) => true,
            New { .. } => memory != Memory::Gc,
            Set { .. } | SetElement { .. } | Collect { .. } | Jump(_) | Branch { .. } => false,
            Choose { .. } | Either(_) | Assume(_) | Assert(_) | Fail(_) | Return(_) => false,
            Enter | Leave | Await(_) => false,
        }
    }

    /// Where control can go from here.
    pub fn successors(&self, pc: Pc) -> Vec<Pc> {
        let ends = matches!(self, InstrKind::Return(_) | InstrKind::Fail(_) | InstrKind::Either(_));
        match self.targets() {
            none if none.is_empty() && !ends => vec![pc + 1],
            targets => targets,
        }
    }

    /// The slot that it overwrites entirely, whenever it completes.
    pub fn defined(&self) -> Option<Slot> {
        use InstrKind::*;
        match self {
            Set { slot, .. } | Choose { slot, .. } | New { slot, .. } | Read { slot, .. } => Some(*slot),
            Cas { slot, .. } | Cmpxchg { slot, .. } | Swap { slot, .. } | Faa { slot, .. } => Some(*slot),
            Tas { slot, .. } | Dcas { slot, .. } | LoadLinked { slot, .. } => Some(*slot),
            StoreConditional { slot, .. } | Validate { slot, .. } => Some(*slot),
            Collect { result, .. } => *result,
            SetElement { .. } | Jump(_) | Branch { .. } | Either(_) | Assume(_) | Assert(_) => None,
            Fail(_) | Return(_) | Write { .. } | Lock(_) | Unlock(_) | Free(_) => None,
            Enter | Leave | Await(_) => None,
        }
    }

    /// The slot of which it changes a part.
    pub fn changed(&self) -> Option<Slot> {
        match self {
            InstrKind::SetElement { slot, .. } | InstrKind::Collect { slot, .. } => Some(*slot),
            _ => None,
        }
    }

    /// The places that it names.
    pub fn places(&self) -> Vec<&Place> {
        use InstrKind::*;
        match self {
            Read { place, .. } | Write { place, .. } | Cas { place, .. } | Cmpxchg { place, .. } => {
                vec![place]
            }
            Swap { place, .. } | Faa { place, .. } | Tas { place, .. } => vec![place],
            LoadLinked { place, .. } | StoreConditional { place, .. } | Validate { place, .. } => vec![place],
            Lock(place) | Unlock(place) => vec![place],
            Dcas { first, second, .. } => vec![&first.0, &second.0],
            Set { .. } | SetElement { .. } | Collect { .. } | Jump(_) | Branch { .. } => Vec::new(),
            Choose { .. } | Either(_) | Assume(_) | Assert(_) | Fail(_) | New { .. } => Vec::new(),
            Return(_) | Free(_) | Enter | Leave | Await(_) => Vec::new(),
        }
    }

    /// The expressions that it evaluates, those of its places apart.
    pub fn operands(&self) -> Vec<&Expr> {
        use InstrKind::*;
        match self {
            Set { value, .. } | Write { value, .. } | Swap { value, .. } => vec![value],
            StoreConditional { value, .. } | Faa { amount: value, .. } => vec![value],
            SetElement { path, value, .. } => path.iter().chain([value]).collect(),
            Collect { args, .. } => args.iter().collect(),
            Branch { condition, .. } => vec![condition],
            Assume(e) | Assert(e) | Return(e) | Free(e) | Await(e) => vec![e],
            Choose { low, high, .. } => vec![low, high],
            New { cells, .. } => cells.iter().map(|(_, e)| e).collect(),
            Cas { old, new, .. } | Cmpxchg { old, new, .. } => vec![old, new],
            Dcas { first, second, .. } => vec![&first.1, &first.2, &second.1, &second.2],
            Read { .. } | Tas { .. } | LoadLinked { .. } | Validate { .. } | Lock(_) | Unlock(_) => {
                Vec::new()
            }
            Jump(_) | Either(_) | Fail(_) | Enter | Leave => Vec::new(),
        }
    }

    /// Visits every slot that it reads; some several times.
    pub fn uses(&self, visit: &mut dyn FnMut(Slot)) {
        self.changed().into_iter().for_each(&mut *visit);
        self.operands().into_iter().for_each(|e| e.slots(visit));
        for place in self.places() {
            place.expressions().for_each(|e| e.slots(visit));
        }
    }

    /// What it is called where steps are named: `read`, `cas`, `lock`.
    pub fn word(&self) -> &'static str {
        use InstrKind::*;
        match self {
            Set { .. } | SetElement { .. } | Collect { .. } => "assign",
            Jump(_) | Branch { .. } => "go",
            Choose { .. } | Either(_) => "choose",
            Assume(_) => "assume",
            Assert(_) => "assert",
            Fail(_) => "fail",
            New { .. } => "new",
            Return(_) => "return",
            Read { .. } => "read",
            Write { .. } => "write",
            Cas { .. } | Cmpxchg { .. } => "cas",
            Swap { .. } => "swap",
            Faa { .. } => "faa",
            Tas { .. } => "tas",
            Dcas { .. } => "dcas",
            LoadLinked { .. } => "ll",
            StoreConditional { .. } => "sc",
            Validate { .. } => "vl",
            Lock(_) => "lock",
            Unlock(_) => "unlock",
            Free(_) => "free",
            Enter | Leave => "atomic",
            Await(_) => "await",
        }
    }
}

/// The instructions of the block that begins with the `Enter` at this place, its ends included.
pub fn block(code: &[Instr], enter: Pc) -> BTreeSet<Pc> {
    let mut all = BTreeSet::new();
    let mut open = vec![enter + 1];
    while let Some(pc) = open.pop() {
        let Some(instr) = code.get(pc as usize).filter(|_| all.insert(pc)) else { continue };
        if instr.kind != InstrKind::Leave {
            open.extend(instr.kind.successors(pc));
        }
    }
    all
}

/// Where the step of that block ends: at a `Leave`, or a `Return` inside of it.
pub fn block_ends(code: &[Instr], enter: Pc) -> BTreeSet<Pc> {
    let ends = |pc: &Pc| matches!(code[*pc as usize].kind, InstrKind::Leave | InstrKind::Return(_));
    block(code, enter).into_iter().filter(ends).collect()
}

impl Place {
    /// The expressions that say which cell it is.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (object, index) = match self {
            Place::Shared { index, .. } => (None, index),
            Place::Field { object, index, .. } => (Some(object), index),
        };
        object.into_iter().chain(index.iter().map(|stride| &stride.index))
    }
}

impl Expr {
    /// The expressions directly inside this one, in the order of their evaluation.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::SelfTid | Expr::Slot(_) => Vec::new(),
            Expr::Not(e) | Expr::Neg(e) | Expr::Component(e, _) | Expr::IsVariant(e, _) => vec![e],
            Expr::Payload(e, _) | Expr::Present(e) | Expr::NonNull(e) | Expr::InRange(e, _, _) => vec![e],
            Expr::Repeat(e, _) | Expr::TidToInt(e) | Expr::TidToVal(e) => vec![e],
            Expr::Binary(_, a, b) | Expr::Element(a, b) => vec![a, b],
            Expr::If(a, b, c) => vec![a, b, c],
            Expr::Tuple(es) | Expr::Variant(_, es) | Expr::Array(es) | Expr::Seq(es) => es.iter().collect(),
            Expr::Set(es) | Expr::Bag(es) => es.iter().collect(),
            Expr::Query(_, e, es) => std::iter::once(&**e).chain(es).collect(),
        }
    }

    /// Visits every slot in it.
    pub fn slots(&self, visit: &mut dyn FnMut(Slot)) {
        self.each(&mut |e| {
            if let Expr::Slot(slot) = e {
                visit(*slot);
            }
        });
    }
}
