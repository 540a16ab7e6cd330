//! How long the lists of a file may be. Names are looked up one after the other: what no model needs would take for
//! ever.

use trueline_base::{Diagnostic, Span};

use crate::syntax::{ClauseKind, ClientBlock, ClientStmtKind, Enum, File, Item, Member, Routine, Struct};

/// Longer lists are refused.
const LONGEST: usize = 1000;

/// What is too long.
pub(super) fn problems(file: &File) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    list(&mut all, "a file", "items", file.items.iter().map(span));
    if !all.is_empty() {
        return all;
    }
    for item in &file.items {
        match item {
            Item::Struct(s) => fields(&mut all, s),
            Item::Enum(e) => variants(&mut all, e),
            Item::Spec(s) => members(&mut all, "a specification", &s.members),
            Item::Object(o) => members(&mut all, "an object", &o.members),
            Item::Check(c) => {
                list(&mut all, "a check", "clauses", c.clauses.iter().map(|c| c.span));
                for clause in &c.clauses {
                    match &clause.kind {
                        ClauseKind::Role { body, .. }
                        | ClauseKind::Before(body)
                        | ClauseKind::After(body) => {
                            client(&mut all, body);
                        }
                        ClauseKind::Calls(calls) => {
                            list(&mut all, "a clause", "calls", calls.iter().map(|c| c.span));
                        }
                        _ => {}
                    }
                }
            }
            Item::Use(_) | Item::Param(_) | Item::Const(_) => {}
        }
    }
    all
}

fn list(all: &mut Vec<Diagnostic>, whole: &str, parts: &str, mut spans: impl Iterator<Item = Span>) {
    if let Some(span) = spans.nth(LONGEST) {
        all.push(
            Diagnostic::error("E0112", span, format!("{whole} has at most {LONGEST} {parts}"))
                .help("small models show the same mistakes"),
        );
    }
}

fn members(all: &mut Vec<Diagnostic>, whole: &str, members: &[Member]) {
    list(all, whole, "members", members.iter().map(member_span));
    for member in members {
        match member {
            Member::Struct(s) => fields(all, s),
            Member::Enum(e) => variants(all, e),
            Member::Fn(r) | Member::Op(r) => parameters(all, r),
            _ => {}
        }
    }
}

fn fields(all: &mut Vec<Diagnostic>, s: &Struct) {
    list(all, "a struct", "fields", s.fields.iter().map(|f| f.name.span));
}

fn variants(all: &mut Vec<Diagnostic>, e: &Enum) {
    list(all, "an enum", "variants", e.variants.iter().map(|v| v.name.span));
}

fn parameters(all: &mut Vec<Diagnostic>, r: &Routine) {
    list(all, "a routine", "parameters", r.params.iter().map(|p| p.name.span));
}

fn client(all: &mut Vec<Diagnostic>, block: &ClientBlock) {
    list(all, "a block of a role", "statements", block.stmts.iter().map(|s| s.span));
    for stmt in &block.stmts {
        match &stmt.kind {
            ClientStmtKind::If { then, otherwise, .. } => {
                client(all, then);
                otherwise.iter().for_each(|block| client(all, block));
            }
            ClientStmtKind::Repeat { body, .. } | ClientStmtKind::Forever(body) => client(all, body),
            ClientStmtKind::Calls(_) | ClientStmtKind::Let { .. } => {}
        }
    }
}

fn span(item: &Item) -> Span {
    match item {
        Item::Use(u) => u.span,
        Item::Param(p) => p.name.span,
        Item::Const(c) => c.name.span,
        Item::Struct(s) => s.name.span,
        Item::Enum(e) => e.name.span,
        Item::Spec(s) => s.name.span,
        Item::Object(o) => o.name.span,
        Item::Check(c) => c.object.span,
    }
}

fn member_span(member: &Member) -> Span {
    match member {
        Member::Memory { span, .. } => *span,
        Member::Struct(s) => s.name.span,
        Member::Enum(e) => e.name.span,
        Member::Const(c) => c.name.span,
        Member::Shared(v) | Member::Local(v) | Member::State(v) => v.name.span,
        Member::Init(block) => block.span,
        Member::Fn(r) | Member::Op(r) => r.name.span,
    }
}
