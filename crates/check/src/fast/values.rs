//! Which values are interchangeable.
//!
//! The types say it: a `val` is only stored, copied and compared for equality, so an exchange of values is an
//! automorphism of object and specification if nobody names one of them and the clients call the same afterwards.
//! What names a value is looked for: initial contents, constants, tests of clients. Two values are exchanged only if
//! exchanging them turns every choice of a client into itself. Where thread numbers are used as values, they move with
//! the threads (`naming`). Preserves: whatever does not name a value. Oracle: all permutations (`orbits`).

use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::ir::{Alternative, Expr, Machine, Module, Routine, ScriptNode, Ty};

/// Values that may be exchanged for one another, in classes of two and more; none where values may not be exchanged.
pub(super) fn interchangeable(machine: &Machine, spec: Option<&Module>) -> Vec<Vec<u32>> {
    let modules = || std::iter::once(&machine.object).chain(spec);
    let mut named = BTreeSet::new();
    let mut threads = false;
    let mut look = |e: &Expr| match e {
        Expr::Const(value) => values(value, &mut named),
        Expr::TidToVal(_) => threads = true,
        _ => {}
    };
    for module in modules() {
        module.each_expression(&mut look);
    }
    machine.each_test(&mut look);
    // Values of clients are known by their constants; what is computed from others is not exchanged.
    let mut called = BTreeSet::new();
    machine.each_argument(&mut |arg| match arg {
        Expr::Const(value) => values(value, &mut called),
        computed => computed.each(&mut look),
    });
    if threads || modules().any(looks_at_an_order) {
        return Vec::new();
    }
    for module in modules() {
        let cells = module.shared.iter().chain(module.structs.iter().flat_map(|s| &s.cells));
        cells.for_each(|value| values(value, &mut named));
    }
    let mut classes: Vec<Vec<u32>> = Vec::new();
    // 0 is what a cell holds before anything is stored.
    for value in called.difference(&named).copied().filter(|v| *v > 0) {
        match classes.iter_mut().find(|class| exchangeable(machine, class[0], value)) {
            Some(class) => class.push(value),
            None => classes.push(vec![value]),
        }
    }
    classes.retain(|class| class.len() > 1);
    classes
}

/// Adds the values inside a value.
fn values(value: &Value, found: &mut BTreeSet<u32>) {
    match value {
        Value::Val(v) => _ = found.insert(*v),
        _ => value.children().for_each(|child| values(child, found)),
    }
}

/// Whether the clients call the same when two values are exchanged.
fn exchangeable(machine: &Machine, a: u32, b: u32) -> bool {
    let scripts = machine.threads.iter().flat_map(|thread| &thread.script.nodes);
    scripts.into_iter().all(|node| match node {
        ScriptNode::Done | ScriptNode::Test { .. } => true,
        ScriptNode::Call(alternatives) => {
            let mut left: Vec<Alternative> = alternatives.iter().map(|one| exchanged(one, a, b)).collect();
            alternatives.iter().all(|one| {
                let at = left.iter().position(|other| other == one);
                at.map(|at| left.swap_remove(at)).is_some()
            })
        }
    })
}

/// A call in which two values are exchanged.
fn exchanged(call: &Alternative, a: u32, b: u32) -> Alternative {
    let mut call = call.clone();
    for arg in &mut call.args {
        if let Expr::Const(value) = arg {
            map(value, &|v| match v {
                v if v == a => b,
                v if v == b => a,
                v => v,
            });
        }
    }
    call
}

/// Replaces the opaque data inside a value.
pub(super) fn map(value: &mut Value, to: &dyn Fn(u32) -> u32) {
    value.change(&mut |leaf| {
        if let Value::Val(v) = leaf {
            *v = to(*v);
        }
    });
}

/// Whether code goes through a set in the order of its elements, which is that of their numbers: it may meet a finding
/// in one order that another order ends before.
fn looks_at_an_order(module: &Module) -> bool {
    let ops = module.ops.iter().map(|op| &op.routine);
    let mut routines = ops.chain([&module.init, &module.thread_init]);
    routines.any(|routine: &Routine| {
        let mut found = false;
        routine.each_expression(&mut |e| {
            if let Expr::Element(items, _) = e {
                found |= match &**items {
                    Expr::Slot(slot) => {
                        let ty = routine.slots.get(slot.0 as usize).map(|slot| &slot.ty);
                        !matches!(ty, Some(Ty::Array { .. } | Ty::Seq(_)))
                    }
                    Expr::Const(Value::Array(_) | Value::Seq(_)) => false,
                    other => !matches!(other, Expr::Array(_) | Expr::Repeat(..) | Expr::Seq(_)),
                };
            }
        });
        found
    })
}
