//! One routine being lowered: its frames, its slots, what jumps may leave.

use trueline_base::{Diagnostic, Span, Value};

use super::code::{Code, JumpLabel};
use super::instance::Instance;
use super::layout::CellLayout;
use crate::ir::{Expr, InstrKind, Slot, Ty};
use crate::typed::{self, Local, LocalId, Module, Type};

/// What a local variable stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Slot(Slot),
    Const(Value),
}

/// Where `break` and `continue` go.
pub(super) struct LoopContext {
    pub out: JumpLabel,
    pub again: JumpLabel,
    /// Whether the loop stands inside an atomic block of this routine.
    pub atomic: bool,
}

/// A routine that is being lowered: the routine itself, or a helper inside it.
pub(super) struct Frame<'m> {
    /// The helper and its constant arguments; `None` for the routine itself.
    pub helper: Option<(&'m str, Vec<Option<i64>>)>,
    pub locals: &'m [Local],
    pub bindings: Vec<Option<Binding>>,
    /// Where the result of a helper goes.
    pub result: Option<Slot>,
    /// The type of the result.
    pub ty: Ty,
    /// Where `return` goes.
    pub out: JumpLabel,
    pub atomic: bool,
}

/// A routine being lowered.
pub(super) struct Body<'m, 'i> {
    pub module: &'m Module,
    pub instance: &'i mut Instance,
    pub layout: CellLayout,
    pub code: Code,
    pub frames: Vec<Frame<'m>>,
    pub loops: Vec<LoopContext>,
    /// Inside an atomic block, in a specification, in `init`.
    pub atomic: bool,
    /// The last access emitted, with the slot that says whether it succeeded.
    pub last_access: Option<(usize, Option<Slot>)>,
    /// Accesses emitted so far.
    pub accesses: usize,
    /// In a helper: a constant decided that control does not come past the last statement.
    pub dead: bool,
    /// Helpers inlined so far.
    pub inlined: usize,
}

/// A routine with more variables than this is refused.
const MOST_SLOTS: usize = 32_767;

impl<'m, 'i> Body<'m, 'i> {
    pub fn new(module: &'m Module, instance: &'i mut Instance, layout: CellLayout) -> Body<'m, 'i> {
        let mut code = Code::default();
        if !module.is_spec {
            code.slots = layout.persistent.clone();
        }
        Body {
            module,
            instance,
            layout,
            code,
            frames: Vec::new(),
            loops: Vec::new(),
            atomic: false,
            last_access: None,
            accesses: 0,
            dead: false,
            inlined: 0,
        }
    }

    /// Begins the routine whose local variables these are.
    pub fn enter(&mut self, locals: &'m [Local], result: &Type) {
        let (out, ty) = (self.code.label(), self.ty(result));
        let (bindings, atomic) = (vec![None; locals.len()], self.atomic);
        self.frames.push(Frame { helper: None, locals, bindings, result: None, ty, out, atomic });
    }

    /// The routine, which `name` names in messages, and the layout.
    pub fn finish(mut self, name: Span) -> (crate::ir::Routine, CellLayout) {
        if self.code.slots.len() > MOST_SLOTS {
            self.error("E0227", name, "this has too many variables once its helpers are inlined");
        }
        (self.code.finish(), self.layout)
    }

    pub fn error(&mut self, code: &'static str, span: Span, text: impl Into<String>) -> &mut Diagnostic {
        self.instance.error(code, span, text)
    }

    /// A type with its sizes.
    pub fn ty(&mut self, ty: &Type) -> Ty {
        self.instance.ty(self.module, ty)
    }

    /// Emits an access; `success` is the slot that says whether a conditional one took effect.
    pub fn access(&mut self, kind: InstrKind, success: Option<Slot>) {
        let at = self.code.emit(kind);
        self.last_access = Some((at, success));
        self.accesses += 1;
    }

    /// A slot without a name.
    pub fn temp(&mut self, ty: Ty) -> Slot {
        self.code.slot("", ty)
    }

    /// The value in a slot of its own, so that what is evaluated next cannot change it.
    pub fn spill(&mut self, expr: Expr, ty: &Ty) -> Expr {
        match expr {
            Expr::Const(_) | Expr::SelfTid => expr,
            other => {
                let slot = self.temp(ty.clone());
                self.code.set(slot, other);
                Expr::Slot(slot)
            }
        }
    }

    /// The same unless nothing happens in what is evaluated next.
    pub fn spill_unless(&mut self, simple: bool, expr: Expr, ty: &Type) -> Expr {
        if simple {
            return expr;
        }
        let ty = self.ty(ty);
        self.spill(expr, &ty)
    }

    pub fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("statements stand in routines")
    }

    /// What a local variable of the helper that is being lowered stands for.
    pub fn lookup(&self, local: LocalId) -> &Binding {
        let frame = self.frames.last().expect("variables stand in routines");
        frame.bindings[local.0 as usize].as_ref().expect("a variable is declared before it is used")
    }

    pub fn bind(&mut self, local: LocalId, binding: Binding) {
        self.frame().bindings[local.0 as usize] = Some(binding);
    }

    /// A new variable with its first value.
    pub fn declare(&mut self, local: LocalId, value: Expr) {
        let slot = self.named_slot(local);
        self.code.emit(InstrKind::Set { slot, value });
    }

    /// A new variable.
    pub fn named_slot(&mut self, local: LocalId) -> Slot {
        let frame = self.frame();
        let local_info = &frame.locals[local.0 as usize];
        // That of an inlined helper is shown with the helper's name, as callers have variables of the same name.
        let shown = match &frame.helper {
            Some((helper, _)) => format!("{helper}: {}", local_info.name),
            None => local_info.name.clone(),
        };
        let ty = self.ty(&local_info.ty);
        let slot = self.code.slot(&shown, ty);
        self.bind(local, Binding::Slot(slot));
        slot
    }

    /// Lowers a block.
    pub fn block(&mut self, block: &'m typed::Block) {
        for stmt in &block.stmts {
            self.statement(stmt);
            // A recursion ends where a constant decides that the rest is never reached.
            if std::mem::take(&mut self.dead) {
                break;
            }
        }
    }
}
