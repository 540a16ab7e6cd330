//! Objects and specifications.

use trueline_base::Span;

use super::body::{Binding, Body};
use super::fold::fold;
use super::instance::Instance;
use super::layout::{CellLayout, default_value};
use super::place::{Base, Lvalue};
use crate::ir::{self, Expr, InstrKind, Place, Slot, Ty};
use crate::typed::{self, HelperId, Module, Routine};

/// A module with values for its parameters, whose bounds hold, as steps. What is wrong goes to the instance.
pub(crate) fn module(module: &Module, instance: &mut Instance) -> Option<ir::Module> {
    let before = instance.problems.len();
    let mut lowering = Lowering { module, layout: CellLayout::of(module, instance), instance };
    if lowering.instance.problems.len() > before {
        return None;
    }
    let init = lowering.init();
    let thread_init = lowering.thread_init();
    let ops = module.ops.iter().map(|op| lowering.operation(op)).collect();
    lowering.helpers();
    let layout = lowering.layout;
    Some(ir::Module {
        name: module.name.clone(),
        memory: module.memory,
        structs: layout.structs,
        enums: layout.enums,
        variables: layout.variables,
        shared: layout.shared,
        persistent: layout.persistent,
        init,
        thread_init,
        ops,
    })
}

/// An expression over shared memory as a routine that gives a `bool`. Its variables are those of `locals`.
pub(crate) fn invariant(
    module: &Module,
    instance: &mut Instance,
    e: &typed::Expr,
    locals: &[typed::Local],
) -> Option<ir::Routine> {
    let layout = CellLayout::of(module, instance);
    let mut body = Body::new(module, instance, layout);
    body.code.slots.clear();
    body.atomic = true;
    body.enter(locals, &typed::Type::Bool);
    body.code.span = e.span;
    let value = body.value(e)?;
    body.code.emit(InstrKind::Return(value));
    Some(body.finish(e.span).0)
}

struct Lowering<'m, 'i> {
    module: &'m Module,
    instance: &'i mut Instance,
    layout: CellLayout,
}

impl<'m> Lowering<'m, '_> {
    /// Lowers one routine.
    fn routine<T>(&mut self, make: impl FnOnce(&mut Body<'m, '_>) -> (Span, T)) -> (ir::Routine, T) {
        let layout = std::mem::take(&mut self.layout);
        let mut body = Body::new(self.module, self.instance, layout);
        let (name, made) = make(&mut body);
        let (routine, layout) = body.finish(name);
        self.layout = layout;
        (routine, made)
    }

    fn init(&mut self) -> ir::Routine {
        let module = self.module;
        let init = &module.init;
        let made = self.routine(|body| {
            body.atomic = true;
            body.code.slots.clear();
            body.enter(&init.locals, &init.result);
            for (at, variable) in module.shared.iter().enumerate() {
                body.code.span = variable.span;
                let Some(value) = &variable.init else { continue };
                if let Some(value) = body.value(value) {
                    let cells = &body.layout.variables[at];
                    let (first, ty) = (cells.first, cells.ty.clone());
                    let base = Base::Cell(Place::Shared { first, index: Vec::new() }, ty.clone());
                    body.store(Lvalue { base, path: Vec::new(), ty }, value, variable.span);
                }
            }
            body.block(&init.body);
            let out = body.frame().out;
            body.code.bind(out);
            (init.span, ())
        });
        made.0
    }

    fn thread_init(&mut self) -> ir::Routine {
        let module = self.module;
        let made = self.routine(|body| {
            body.atomic = true;
            body.enter(&module.thread_init.locals, &typed::Type::Unit);
            for (at, variable) in module.persistent.iter().enumerate() {
                body.code.span = variable.span;
                let value = match &variable.init {
                    Some(init) => body.value(init),
                    None => {
                        let ty = body.ty(&variable.ty);
                        Some(Expr::Const(default_value(&ty, &body.layout.enums)))
                    }
                };
                if let Some(value) = value {
                    body.code.emit(InstrKind::Set { slot: Slot(at as u16), value });
                }
            }
            (Span::default(), ())
        });
        made.0
    }

    fn operation(&mut self, op: &'m Routine) -> ir::Op {
        let is_spec = self.module.is_spec;
        let (routine, (params, result, requires)) = self.routine(|body| {
            body.atomic = is_spec;
            let requires = op.requires.as_ref().and_then(|e| body.value(e)).map(fold);
            body.enter(&op.locals, &op.result);
            let mut params = Vec::new();
            for param in &op.params {
                let slot = body.named_slot(*param);
                params.push((slot, body.code.slots[slot.0 as usize].ty.clone()));
            }
            body.block(&op.body);
            let (out, result) = (body.frame().out, body.frame().ty.clone());
            body.code.bind(out);
            let body_span = op.body.span;
            body.code.span = Span { start: body_span.end.saturating_sub(1), ..body_span };
            (op.span, (params, result, requires))
        });
        ir::Op { name: op.name.clone(), params, result, requires, routine, span: op.span }
    }

    /// Reports what is wrong with the steps of helpers that nobody calls. Recursion depends on the arguments of a call.
    fn helpers(&mut self) {
        let called = called(self.module);
        let is_spec = self.module.is_spec;
        for (at, helper) in self.module.helpers.iter().enumerate() {
            if called[at] {
                continue;
            }
            let before = self.instance.problems.len();
            self.routine(|body| {
                body.atomic = is_spec;
                body.enter(&helper.locals, &helper.result);
                for param in &helper.params {
                    let ty = body.ty(&helper.locals[param.0 as usize].ty);
                    let slot = body.code.slot(&helper.locals[param.0 as usize].name, ty);
                    body.bind(*param, Binding::Slot(slot));
                }
                let result = body.frame().ty.clone();
                if result != Ty::Unit {
                    let slot = body.temp(result);
                    body.frame().result = Some(slot);
                }
                body.block(&helper.body);
                (helper.span, ())
            });
            let mut found = self.instance.problems.split_off(before);
            found.retain(|d| d.code != "E0227");
            self.instance.problems.append(&mut found);
        }
    }
}

/// The helpers that `init`, an initialiser or an operation calls, or a helper that they call.
fn called(module: &Module) -> Vec<bool> {
    use crate::resolve::reach::{expressions, inside};
    let mut open: Vec<HelperId> = Vec::new();
    let mut look = |e: &typed::Expr| {
        if let typed::ExprKind::Call(helper, _) = &e.kind {
            open.push(*helper);
        }
    };
    let variables = module.shared.iter().chain(&module.persistent);
    variables.filter_map(|v| v.init.as_ref()).for_each(|e| inside(e, &mut look));
    expressions(&module.init.body, &mut look);
    module.ops.iter().for_each(|op| expressions(&op.body, &mut look));
    let mut found = vec![false; module.helpers.len()];
    while let Some(helper) = open.pop() {
        if !std::mem::replace(&mut found[helper.0 as usize], true) {
            expressions(&module.helpers[helper.0 as usize].body, &mut |e| {
                if let typed::ExprKind::Call(other, _) = &e.kind {
                    open.push(*other);
                }
            });
        }
    }
    found
}
