//! Simple questions about statements: which come to an end, what they assign.

use std::collections::HashSet;

use crate::syntax::{Block, Else, ExprKind, Name, Stmt, StmtKind};

/// Calls `visit` for every statement of the block and inside it.
pub(crate) fn walk<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in &block.stmts {
        walk_statement(stmt, visit);
    }
}

fn walk_statement<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Stmt)) {
    visit(stmt);
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => {
            walk(then, visit);
            match otherwise {
                Some(Else::Block(block)) => walk(block, visit),
                Some(Else::If(stmt)) => walk_statement(stmt, visit),
                None => {}
            }
        }
        StmtKind::Match { arms, .. } => arms.iter().for_each(|a| walk(&a.body, visit)),
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => walk(body, visit),
        StmtKind::Loop(body) | StmtKind::Atomic(body) => walk(body, visit),
        StmtKind::Either(blocks) => blocks.iter().for_each(|b| walk(b, visit)),
        _ => {}
    }
}

/// Whether control can reach the end of the block.
pub(crate) fn falls_through(block: &Block) -> bool {
    block.stmts.iter().all(statement_falls_through)
}

fn statement_falls_through(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) => false,
        StmtKind::If { then, otherwise, .. } => {
            falls_through(then)
                || match otherwise {
                    None => true,
                    Some(Else::Block(block)) => falls_through(block),
                    Some(Else::If(stmt)) => statement_falls_through(stmt),
                }
        }
        StmtKind::Match { arms, .. } => arms.iter().any(|a| falls_through(&a.body)),
        StmtKind::Loop(body) => body.stmts.iter().any(|s| breaks(s, stmt.label.as_ref(), true)),
        StmtKind::Atomic(body) => falls_through(body),
        StmtKind::Either(blocks) => blocks.iter().any(falls_through),
        StmtKind::Assume(e) => e.kind != ExprKind::Bool(false),
        _ => true,
    }
}

/// Whether the statement has a `break` out of the loop with this label; `within` that loop and no other.
fn breaks(stmt: &Stmt, label: Option<&Name>, within: bool) -> bool {
    let inside = |block: &Block, within| block.stmts.iter().any(|s| breaks(s, label, within));
    match &stmt.kind {
        StmtKind::Break(None) => within,
        StmtKind::Break(Some(to)) => label.is_some_and(|label| label.text == to.text),
        StmtKind::If { then, otherwise, .. } => {
            inside(then, within)
                || match otherwise {
                    Some(Else::Block(block)) => inside(block, within),
                    Some(Else::If(stmt)) => breaks(stmt, label, within),
                    None => false,
                }
        }
        StmtKind::Match { arms, .. } => arms.iter().any(|a| inside(&a.body, within)),
        StmtKind::Atomic(body) => inside(body, within),
        StmtKind::Either(blocks) => blocks.iter().any(|block| inside(block, within)),
        StmtKind::Loop(body) | StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
            inside(body, false)
        }
        _ => false,
    }
}

/// The variables that are assigned on every way through the block. An element of an array counts for the array, also
/// inside a `for`.
pub(crate) fn assigned(block: &Block) -> HashSet<String> {
    let mut names = HashSet::new();
    for stmt in &block.stmts {
        names.extend(assigned_by(stmt));
    }
    names
}

fn assigned_by(stmt: &Stmt) -> HashSet<String> {
    let both = |a: HashSet<String>, b: HashSet<String>| a.intersection(&b).cloned().collect();
    match &stmt.kind {
        StmtKind::Assign { target, op: None, .. } => {
            let mut target = target;
            loop {
                match &target.kind {
                    ExprKind::Name(name) => return HashSet::from([name.clone()]),
                    ExprKind::Index { object, .. } | ExprKind::Paren(object) => target = object,
                    _ => return HashSet::new(),
                }
            }
        }
        StmtKind::If { then, otherwise, .. } => match otherwise {
            None => HashSet::new(),
            Some(Else::Block(block)) => both(assigned(then), assigned(block)),
            Some(Else::If(stmt)) => both(assigned(then), assigned_by(stmt)),
        },
        StmtKind::Match { arms, .. } => {
            arms.iter().map(|a| assigned(&a.body)).reduce(both).unwrap_or_default()
        }
        StmtKind::Either(blocks) => blocks.iter().map(assigned).reduce(both).unwrap_or_default(),
        StmtKind::Atomic(body) | StmtKind::For { body, .. } => assigned(body),
        _ => HashSet::new(),
    }
}
