//! Which helpers are called from where, and walks over expressions.

use std::collections::{HashMap, HashSet};

use super::flow;
use crate::syntax::{self, Member};
use crate::typed::{Block, Else, Expr, ExprKind, HelperId, Module, Stmt, StmtKind};
use trueline_base::Span;

/// The helpers that `init` and initialisers of shared variables reach, and those that anything else reaches or that
/// nobody calls.
#[derive(Default)]
pub(super) struct ReachedHelpers {
    pub from_init: HashSet<String>,
    pub from_elsewhere: HashSet<String>,
}

impl ReachedHelpers {
    pub fn of(members: &[Member]) -> ReachedHelpers {
        let mut calls: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut called: HashSet<&str> = HashSet::new();
        let (mut init, mut elsewhere) = (Vec::new(), Vec::new());
        for member in members {
            match member {
                Member::Fn(r) => {
                    let mut names = Vec::new();
                    block_calls(&r.body, &mut names);
                    called.extend(names.iter().filter(|name| **name != r.name.text));
                    calls.insert(&r.name.text, names);
                }
                Member::Op(r) => block_calls(&r.body, &mut elsewhere),
                Member::Init(block) => block_calls(block, &mut init),
                Member::Shared(v) | Member::State(v) => {
                    v.init.iter().for_each(|e| expr_calls(e, &mut init));
                }
                Member::Local(v) => v.init.iter().for_each(|e| expr_calls(e, &mut elsewhere)),
                _ => {}
            }
        }
        called.extend(init.iter().chain(&elsewhere));
        elsewhere.extend(calls.keys().filter(|name| !called.contains(*name)));
        ReachedHelpers { from_init: closure(init, &calls), from_elsewhere: closure(elsewhere, &calls) }
    }
}

fn closure<'a>(mut open: Vec<&'a str>, calls: &HashMap<&str, Vec<&'a str>>) -> HashSet<String> {
    let mut all = HashSet::new();
    while let Some(name) = open.pop() {
        if all.insert(name.to_string()) {
            open.extend(calls.get(name).into_iter().flatten());
        }
    }
    all
}

fn block_calls<'a>(block: &'a syntax::Block, names: &mut Vec<&'a str>) {
    use syntax::StmtKind as K;
    flow::walk(block, &mut |stmt| {
        if let Some(e) = stmt.lin.as_ref().and_then(|lin| lin.condition.as_ref()) {
            expr_calls(e, names);
        }
        match &stmt.kind {
            K::Let { value, .. } | K::Match { value, .. } => expr_calls(value, names),
            K::Assign { target, value, .. } => {
                expr_calls(target, names);
                expr_calls(value, names);
            }
            K::If { condition: e, .. } | K::While { condition: e, .. } => expr_calls(e, names),
            K::For { over, .. } => over_calls(over, names),
            K::Choose { low, high, .. } => {
                expr_calls(low, names);
                expr_calls(high, names);
            }
            K::Return(e) => e.iter().for_each(|e| expr_calls(e, names)),
            K::Expr(e) | K::Await(e) | K::Assume(e) | K::Assert(e) => expr_calls(e, names),
            K::Lock(e) | K::Unlock(e) | K::Free(e) => expr_calls(e, names),
            K::Loop(_) | K::Break(_) | K::Continue(_) | K::Atomic(_) | K::Either(_) | K::Skip => {}
        }
    });
}

fn over_calls<'a>(over: &'a syntax::ForOver, names: &mut Vec<&'a str>) {
    match over {
        syntax::ForOver::Range { low, high, .. } => {
            expr_calls(low, names);
            expr_calls(high, names);
        }
        syntax::ForOver::Threads => {}
        syntax::ForOver::Collection(e) => expr_calls(e, names),
    }
}

fn expr_calls<'a>(e: &'a syntax::Expr, names: &mut Vec<&'a str>) {
    use syntax::ExprKind as K;
    match &e.kind {
        K::Int(_) | K::Bool(_) | K::None | K::Null | K::SelfTid | K::Name(_) | K::Error => {}
        K::Unary { operand, .. } | K::Cast { operand, .. } | K::Paren(operand) => expr_calls(operand, names),
        K::Binary { left, right, .. } => {
            expr_calls(left, names);
            expr_calls(right, names);
        }
        K::Field { object, .. } | K::Component { object, .. } => expr_calls(object, names),
        K::Index { object, index } => {
            expr_calls(object, names);
            expr_calls(index, names);
        }
        K::Call { name, args, .. } => {
            names.push(&name.text);
            args.iter().for_each(|arg| expr_calls(&arg.value, names));
        }
        K::Method { object, args, .. } => {
            expr_calls(object, names);
            args.iter().for_each(|arg| expr_calls(arg, names));
        }
        K::If { condition, then, otherwise } => {
            [condition, then, otherwise].into_iter().for_each(|e| expr_calls(e, names));
        }
        K::New { fields, .. } => fields.iter().for_each(|(_, e)| expr_calls(e, names)),
        K::Quantified { over, body, .. } => {
            over_calls(over, names);
            expr_calls(body, names);
        }
        K::Tuple(parts) | K::List(parts) => parts.iter().for_each(|e| expr_calls(e, names)),
        K::Repeat { element, .. } => expr_calls(element, names),
        K::Range { low, high, .. } => {
            expr_calls(low, names);
            expr_calls(high, names);
        }
    }
}

/// Visits an expression and all expressions inside it.
pub(crate) fn inside<'t>(e: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    visit(e);
    e.children().into_iter().for_each(|e| inside(e, visit));
}

/// Visits all expressions of a block.
pub(crate) fn expressions<'t>(block: &'t Block, visit: &mut dyn FnMut(&'t Expr)) {
    block.stmts.iter().for_each(|stmt| statement(stmt, visit));
}

fn statement<'t>(stmt: &'t Stmt, visit: &mut dyn FnMut(&'t Expr)) {
    if let Some(e) = stmt.mark.as_ref().and_then(|mark| mark.condition.as_ref()) {
        inside(e, visit);
    }
    match &stmt.kind {
        StmtKind::Let { value, .. } => inside(value, visit),
        StmtKind::Assign { target, value, .. } => {
            inside(target, visit);
            inside(value, visit);
        }
        StmtKind::If { condition, then, otherwise } => {
            inside(condition, visit);
            expressions(then, visit);
            match otherwise {
                Some(Else::Block(block)) => expressions(block, visit),
                Some(Else::If(stmt)) => statement(stmt, visit),
                None => {}
            }
        }
        StmtKind::Match { value, arms } => {
            inside(value, visit);
            arms.iter().for_each(|arm| expressions(&arm.body, visit));
        }
        StmtKind::While { condition, body } => {
            inside(condition, visit);
            expressions(body, visit);
        }
        StmtKind::Loop(body) | StmtKind::Atomic(body) => expressions(body, visit),
        StmtKind::For { over, body, .. } => {
            over.expressions().into_iter().for_each(|e| inside(e, visit));
            expressions(body, visit);
        }
        StmtKind::Either(blocks) => blocks.iter().for_each(|block| expressions(block, visit)),
        StmtKind::Choose { low, high, .. } => {
            inside(low, visit);
            inside(high, visit);
        }
        StmtKind::Return(e) => e.iter().for_each(|e| inside(e, visit)),
        StmtKind::Expr(e) | StmtKind::Await(e) | StmtKind::Assume(e) | StmtKind::Assert(e) => {
            inside(e, visit);
        }
        StmtKind::Lock(e) | StmtKind::Unlock(e) | StmtKind::Free(e) => inside(e, visit),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Skip => {}
    }
}

/// Whether a routine, or a helper that it calls, looks at the thread that runs it: where it does so.
pub(crate) fn looks_at_thread(module: &Module, e: &Expr) -> Option<(Span, Option<String>)> {
    let mut open: Vec<HelperId> = Vec::new();
    let mut found = None;
    let mut look = |e: &Expr, open: &mut Vec<HelperId>| match &e.kind {
        ExprKind::SelfTid => found = found.take().or(Some((e.span, None))),
        ExprKind::Persistent(at) => {
            let name = module.persistent[*at as usize].name.clone();
            found = found.take().or(Some((e.span, Some(name))));
        }
        ExprKind::Call(helper, _) if !open.contains(helper) => open.push(*helper),
        _ => {}
    };
    inside(e, &mut |e| look(e, &mut open));
    let mut next = 0;
    while next < open.len() {
        let body = &module.helpers[open[next].0 as usize].body;
        next += 1;
        expressions(body, &mut |e| look(e, &mut open));
    }
    found
}
