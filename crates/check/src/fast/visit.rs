//! Every expression of a module or a client.

use trueline_lang::ir::{Expr, Machine, Module, Routine, ScriptNode};

/// Visits every expression of a module, those inside others included.
pub(super) fn module(module: &Module, visit: &mut dyn FnMut(&Expr)) {
    routine(&module.init, visit);
    routine(&module.thread_init, visit);
    for op in &module.ops {
        op.requires.iter().for_each(|e| expression(e, visit));
        routine(&op.routine, visit);
    }
}

/// Visits every expression of the clients.
pub(super) fn clients(machine: &Machine, visit: &mut dyn FnMut(&Expr)) {
    arguments(machine, &mut |argument| expression(argument, visit));
    tests(machine, visit);
}

/// Visits the arguments of calls, as they are.
pub(super) fn arguments(machine: &Machine, visit: &mut dyn FnMut(&Expr)) {
    for node in machine.threads.iter().flat_map(|thread| &thread.script.nodes) {
        if let ScriptNode::Call(alternatives) = node {
            alternatives.iter().flat_map(|a| &a.args).for_each(&mut *visit);
        }
    }
}

/// Visits every expression in the tests of clients.
pub(super) fn tests(machine: &Machine, visit: &mut dyn FnMut(&Expr)) {
    for node in machine.threads.iter().flat_map(|thread| &thread.script.nodes) {
        if let ScriptNode::Test { condition, .. } = node {
            expression(condition, visit);
        }
    }
}

/// Visits every expression of a routine.
pub(super) fn routine(routine: &Routine, visit: &mut dyn FnMut(&Expr)) {
    for instr in &routine.code {
        instr.mark.iter().for_each(|e| expression(e, visit));
        let places = instr.kind.places();
        let places = places.iter().flat_map(|place| place.expressions());
        places.chain(instr.kind.operands()).for_each(|e| expression(e, visit));
    }
}

/// Visits an expression and those inside it.
pub(super) fn expression(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(e);
    e.children().into_iter().for_each(|child| expression(child, visit));
}
