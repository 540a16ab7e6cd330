//! Machines written by hand, instruction by instruction.
#![allow(dead_code)]

pub mod ask;
pub mod objects;
pub mod random;
pub mod texts;

use trueline_base::{Span, Value};
use trueline_lang::ir::*;

/// Code under construction; jumps take labels.
#[derive(Default)]
pub struct Asm {
    code: Vec<Instr>,
    labels: Vec<(u32, Pc)>,
    slots: u16,
}

pub fn s(slot: u16) -> Expr {
    Expr::Slot(Slot(slot))
}

pub fn int(i: i32) -> Expr {
    Expr::Const(Value::Int(i))
}

pub fn val(v: u32) -> Expr {
    Expr::Const(Value::Val(v))
}

pub fn null() -> Expr {
    Expr::Const(Value::Null)
}

pub fn unit() -> Expr {
    Expr::Const(Value::Unit)
}

pub fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Eq, Box::new(a), Box::new(b))
}

pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b))
}

pub fn cell(first: u32) -> Place {
    Place::Shared { first, index: Vec::new() }
}

pub fn field(object: Expr, first: u32) -> Place {
    Place::Field { object, kind: StructId(0), first, index: Vec::new() }
}

impl Asm {
    pub fn new(slots: u16) -> Asm {
        Asm { slots, ..Asm::default() }
    }

    pub fn i(&mut self, kind: InstrKind) -> &mut Asm {
        self.code.push(Instr { kind, span: Span::default(), mark: None });
        self
    }

    /// Marks the last instruction.
    pub fn mark(&mut self, condition: Expr) -> &mut Asm {
        self.code.last_mut().unwrap().mark = Some(condition);
        self
    }

    pub fn label(&mut self, label: u32) -> &mut Asm {
        self.labels.push((label, self.code.len() as Pc));
        self
    }

    pub fn set(&mut self, slot: u16, value: Expr) -> &mut Asm {
        self.i(InstrKind::Set { slot: Slot(slot), value })
    }

    pub fn read(&mut self, slot: u16, place: Place) -> &mut Asm {
        self.i(InstrKind::Read { slot: Slot(slot), place })
    }

    pub fn write(&mut self, place: Place, value: Expr) -> &mut Asm {
        self.i(InstrKind::Write { place, value })
    }

    pub fn cas(&mut self, slot: u16, place: Place, old: Expr, new: Expr) -> &mut Asm {
        self.i(InstrKind::Cas { slot: Slot(slot), place, old, new })
    }

    pub fn branch(&mut self, condition: Expr, yes: u32, no: u32) -> &mut Asm {
        self.i(InstrKind::Branch { condition, yes, no })
    }

    pub fn jump(&mut self, to: u32) -> &mut Asm {
        self.i(InstrKind::Jump(to))
    }

    pub fn ret(&mut self, value: Expr) -> &mut Asm {
        self.i(InstrKind::Return(value))
    }

    pub fn collect(&mut self, slot: u16, method: Method, args: Vec<Expr>, result: Option<u16>) -> &mut Asm {
        self.i(InstrKind::Collect { slot: Slot(slot), method, args, result: result.map(Slot) })
    }

    pub fn done(&mut self) -> Routine {
        let find = |label: &mut Pc| {
            *label = self.labels.iter().find(|l| l.0 == *label).expect("a label is bound").1;
        };
        for instr in &mut self.code {
            match &mut instr.kind {
                InstrKind::Jump(to) => find(to),
                InstrKind::Branch { yes, no, .. } => {
                    find(yes);
                    find(no);
                }
                InstrKind::Either(targets) => targets.iter_mut().for_each(find),
                _ => {}
            }
        }
        let info = |n: u16| SlotInfo { name: format!("s{n}"), ty: Ty::Int };
        Routine { code: std::mem::take(&mut self.code), slots: (0..self.slots).map(info).collect() }
    }
}

/// An operation whose parameters are its first slots.
pub fn op(name: &str, params: u16, routine: Routine) -> Op {
    Op {
        name: name.into(),
        params: (0..params).map(|p| (Slot(p), Ty::Int)).collect(),
        result: Ty::Int,
        requires: None,
        routine,
        span: Span::default(),
    }
}

pub fn module(name: &str, shared: Vec<Value>, ops: Vec<Op>) -> Module {
    let variable = |n: usize| Variable {
        name: format!("x{n}"),
        ty: Ty::Int,
        first: n as u32,
        len: 1,
        span: Span::default(),
    };
    Module {
        name: name.into(),
        memory: Memory::Gc,
        structs: Vec::new(),
        enums: Vec::new(),
        variables: (0..shared.len()).map(variable).collect(),
        shared,
        persistent: Vec::new(),
        init: Routine::default(),
        thread_init: Routine::default(),
        ops,
    }
}

/// A struct with fields `f0`, `f1`, ….
pub fn structure(cells: Vec<Value>) -> Struct {
    let field = |n: usize| Variable {
        name: format!("f{n}"),
        ty: Ty::Int,
        first: n as u32,
        len: 1,
        span: Span::default(),
    };
    Struct { name: "Node".into(), fields: (0..cells.len()).map(field).collect(), cells, kept: Vec::new() }
}

/// Each of `threads` threads makes up to `ops` calls out of `calls`.
pub fn client(object: Module, threads: usize, ops: u32, calls: &[(u16, Vec<Expr>)]) -> Machine {
    let alternatives = |next| {
        let call = |(op, args): &(u16, Vec<Expr>)| Alternative {
            op: OpId(*op),
            args: args.clone(),
            result: None,
            next,
            role: false,
        };
        calls.iter().map(call).collect()
    };
    let mut nodes: Vec<ScriptNode> =
        (1..=ops).map(|next| ScriptNode::Call(alternatives(NodeId(next)))).collect();
    nodes.push(ScriptNode::Done);
    let thread = Thread { role: None, script: Script { nodes, variables: Vec::new() } };
    Machine::new(object, vec![thread; threads])
}

/// The same without an end.
pub fn forever(object: Module, threads: usize, calls: &[(u16, Vec<Expr>)]) -> Machine {
    let mut machine = client(object, threads, 1, calls);
    for thread in &mut machine.threads {
        for node in &mut thread.script.nodes {
            if let ScriptNode::Call(alternatives) = node {
                alternatives.iter_mut().for_each(|a| a.next = Script::START);
            }
        }
    }
    machine
}
