//! Every expression of a module, a routine or a client.

use super::{Expr, Machine, Module, Routine, ScriptNode};

impl Module {
    /// Visits every expression of the code, those inside others included.
    pub fn each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        self.init.each_expression(visit);
        self.thread_init.each_expression(visit);
        for op in &self.ops {
            op.requires.iter().for_each(|e| e.each(visit));
            op.routine.each_expression(visit);
        }
    }
}

impl Routine {
    /// Visits every expression, those inside others and the conditions of marks included.
    pub fn each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        for instr in &self.code {
            instr.mark.iter().for_each(|e| e.each(visit));
            let places = instr.kind.places();
            let places = places.iter().flat_map(|place| place.expressions());
            places.chain(instr.kind.operands()).for_each(|e| e.each(visit));
        }
    }
}

impl Machine {
    /// Visits every expression of the clients, those inside others included.
    pub fn each_client_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        self.each_argument(&mut |argument| argument.each(visit));
        self.each_test(visit);
    }

    /// Visits the arguments of calls, as they are.
    pub fn each_argument(&self, visit: &mut dyn FnMut(&Expr)) {
        for node in self.threads.iter().flat_map(|thread| &thread.script.nodes) {
            if let ScriptNode::Call(alternatives) = node {
                alternatives.iter().flat_map(|a| &a.args).for_each(&mut *visit);
            }
        }
    }

    /// Visits every expression in the tests of clients, those inside others included.
    pub fn each_test(&self, visit: &mut dyn FnMut(&Expr)) {
        for node in self.threads.iter().flat_map(|thread| &thread.script.nodes) {
            if let ScriptNode::Test { condition, .. } = node {
                condition.each(visit);
            }
        }
    }
}

impl Expr {
    /// Visits it and every expression inside it.
    pub fn each(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.each(visit));
    }
}
