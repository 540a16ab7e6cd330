//! Building a routine: labels, slots, and the clean-up at the end.

use trueline_base::{Span, Value};

use crate::ir::{Expr, Instr, InstrKind, Pc, Routine, Slot, SlotInfo, Ty};

/// A place in the code that is not known yet. Until [`Code::finish`], jumps hold labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JumpLabel(pub u32);

/// Code under construction.
#[derive(Default)]
pub(crate) struct Code {
    pub instrs: Vec<Instr>,
    pub slots: Vec<SlotInfo>,
    labels: Vec<Option<Pc>>,
    /// The text that instructions come from now.
    pub span: Span,
}

impl Code {
    pub fn slot(&mut self, name: &str, ty: Ty) -> Slot {
        self.slots.push(SlotInfo { name: name.to_string(), ty });
        // A routine with more slots than that is refused in the end.
        Slot((self.slots.len() - 1).min(usize::from(u16::MAX)) as u16)
    }

    pub fn label(&mut self) -> JumpLabel {
        self.labels.push(None);
        JumpLabel(self.labels.len() as u32 - 1)
    }

    pub fn bind(&mut self, label: JumpLabel) {
        self.labels[label.0 as usize] = Some(self.instrs.len() as Pc);
    }

    pub fn emit(&mut self, kind: InstrKind) -> usize {
        self.instrs.push(Instr { kind, span: self.span, mark: None });
        self.instrs.len() - 1
    }

    pub fn set(&mut self, slot: Slot, value: Expr) {
        if value != Expr::Slot(slot) {
            self.emit(InstrKind::Set { slot, value });
        }
    }

    pub fn jump(&mut self, to: JumpLabel) {
        self.emit(InstrKind::Jump(to.0));
    }

    pub fn branch(&mut self, condition: Expr, yes: JumpLabel, no: JumpLabel) {
        match condition {
            Expr::Const(Value::Bool(true)) => self.jump(yes),
            Expr::Const(Value::Bool(false)) => self.jump(no),
            condition => {
                self.emit(InstrKind::Branch { condition, yes: yes.0, no: no.0 });
            }
        }
    }

    /// The routine: labels resolved, jumps to jumps shortened, unreachable code dropped.
    pub fn finish(mut self) -> Routine {
        // Falling off the end can only be reached by code that returns nothing.
        self.emit(InstrKind::Return(Expr::Const(Value::Unit)));
        let labels: Vec<Pc> = self.labels.iter().map(|l| l.unwrap_or(self.instrs.len() as Pc - 1)).collect();
        for instr in &mut self.instrs {
            instr.kind.targets_mut(|t| *t = labels[*t as usize]);
        }
        let last = |mut pc: Pc, code: &[Instr]| {
            // A chain of jumps may be a cycle: a loop without a body.
            for _ in 0..code.len() {
                match code[pc as usize].kind {
                    InstrKind::Jump(to) if to != pc => pc = to,
                    _ => break,
                }
            }
            pc
        };
        for i in 0..self.instrs.len() {
            let mut kind = self.instrs[i].kind.clone();
            kind.targets_mut(|t| *t = last(*t, &self.instrs));
            self.instrs[i].kind = kind;
        }
        let start = last(0, &self.instrs);
        let mut reached = vec![false; self.instrs.len()];
        let mut stack = vec![start];
        while let Some(pc) = stack.pop() {
            if std::mem::replace(&mut reached[pc as usize], true) {
                continue;
            }
            stack.extend(self.instrs[pc as usize].kind.successors(pc));
        }
        self.renumber(start, &reached)
    }

    /// Keeps what is reached, the start first.
    fn renumber(mut self, start: Pc, reached: &[bool]) -> Routine {
        let needs_jump = reached[..start as usize].iter().any(|r| *r);
        let mut map = vec![0; reached.len()];
        let mut next = Pc::from(needs_jump);
        for pc in 0..reached.len() {
            map[pc] = next;
            // A jump to what follows it anyway is no instruction.
            let falls = matches!(self.instrs[pc].kind, InstrKind::Jump(to)
                if to as usize > pc && !reached[pc + 1..to as usize].contains(&true));
            if falls {
                self.instrs[pc].kind = InstrKind::Jump(Pc::MAX);
            } else if reached[pc] {
                next += 1;
            }
        }
        let mut code = Vec::new();
        if needs_jump {
            let span = self.instrs[start as usize].span;
            code.push(Instr { kind: InstrKind::Jump(map[start as usize]), span, mark: None });
        }
        for (pc, mut instr) in self.instrs.into_iter().enumerate() {
            if reached[pc] && instr.kind != InstrKind::Jump(Pc::MAX) {
                instr.kind.targets_mut(|t| *t = map[*t as usize]);
                code.push(instr);
            }
        }
        Routine { code, slots: self.slots }
    }
}
