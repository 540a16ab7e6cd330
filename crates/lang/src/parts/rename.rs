//! Renames what a tree says of the members of an object, and resolves what it says of its parts.

use std::collections::{HashMap, HashSet};

use trueline_base::Diagnostic;

use super::Part;
use crate::syntax::{
    Arg, Block, Else, Expr, ExprKind, ForOver, Member, Name, Pattern, PatternKind, Routine, Stmt, StmtKind,
    Type, TypeKind,
};

/// A walk over a tree. Local variables hide members of the same name.
pub(super) struct Rename<'p> {
    names: HashMap<String, String>,
    variants: Vec<String>,
    parts: &'p HashMap<String, Part>,
    /// Whether linearization marks are dropped: those of a part are not those of the object around it.
    drops_marks: bool,
    scopes: Vec<HashSet<String>>,
    pub problems: &'p mut Vec<Diagnostic>,
}

impl<'p> Rename<'p> {
    pub fn new(
        names: HashMap<String, String>,
        variants: Vec<String>,
        parts: &'p HashMap<String, Part>,
        drops_marks: bool,
        problems: &'p mut Vec<Diagnostic>,
    ) -> Rename<'p> {
        Rename { names, variants, parts, drops_marks, scopes: vec![HashSet::new()], problems }
    }

    fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn bind(&mut self, name: &str) {
        self.scopes.last_mut().expect("there is always a scope").insert(name.to_string());
    }

    fn rename(&self, name: &mut String) {
        if let Some(full) = self.names.get(name).filter(|_| !self.is_local(name)) {
            name.clone_from(full);
        }
    }

    pub fn member(&mut self, member: &mut Member) {
        match member {
            Member::Memory { .. } => {}
            Member::Struct(s) => {
                self.rename(&mut s.name.text);
                s.fields.iter_mut().for_each(|field| self.ty(&mut field.ty));
            }
            Member::Enum(e) => {
                self.rename(&mut e.name.text);
                for variant in &mut e.variants {
                    self.rename(&mut variant.name.text);
                    variant.payload.iter_mut().for_each(|ty| self.ty(ty));
                }
            }
            Member::Const(c) => {
                self.rename(&mut c.name.text);
                self.ty(&mut c.ty);
                self.expr(&mut c.value);
            }
            Member::Shared(v) | Member::Local(v) | Member::State(v) => {
                self.rename(&mut v.name.text);
                self.ty(&mut v.ty);
                v.init.iter_mut().for_each(|e| self.expr(e));
            }
            Member::Init(block) => self.block(block),
            Member::Fn(routine) | Member::Op(routine) => self.routine(routine),
        }
    }

    fn routine(&mut self, routine: &mut Routine) {
        self.rename(&mut routine.name.text);
        self.scopes.push(HashSet::new());
        for param in &mut routine.params {
            self.ty(&mut param.ty);
            self.bind(&param.name.text);
        }
        routine.result.iter_mut().for_each(|ty| self.ty(ty));
        routine.requires.iter_mut().for_each(|e| self.expr(e));
        self.block(&mut routine.body);
        self.scopes.pop();
    }

    fn block(&mut self, block: &mut Block) {
        self.scopes.push(HashSet::new());
        block.stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
        self.scopes.pop();
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        if self.drops_marks {
            stmt.lin = None;
        }
        match &mut stmt.kind {
            StmtKind::Let { pattern, ty, value } => {
                ty.iter_mut().for_each(|ty| self.ty(ty));
                self.expr(value);
                self.pattern(pattern);
            }
            StmtKind::Assign { target, value, .. } => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.block(then);
                match otherwise {
                    Some(Else::Block(block)) => self.block(block),
                    Some(Else::If(stmt)) => self.stmt(stmt),
                    None => {}
                }
            }
            StmtKind::Match { value, arms } => {
                self.expr(value);
                for arm in arms {
                    self.scopes.push(HashSet::new());
                    self.pattern(&mut arm.pattern);
                    self.block(&mut arm.body);
                    self.scopes.pop();
                }
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Loop(body) | StmtKind::Atomic(body) => self.block(body),
            StmtKind::For { variable, over, body } => {
                self.over(over);
                self.scopes.push(HashSet::new());
                self.bind(&variable.text);
                self.block(body);
                self.scopes.pop();
            }
            StmtKind::Either(blocks) => blocks.iter_mut().for_each(|block| self.block(block)),
            StmtKind::Choose { variable, low, high, .. } => {
                self.expr(low);
                self.expr(high);
                self.bind(&variable.text);
            }
            StmtKind::Expr(e)
            | StmtKind::Return(Some(e))
            | StmtKind::Await(e)
            | StmtKind::Assume(e)
            | StmtKind::Assert(e)
            | StmtKind::Lock(e)
            | StmtKind::Unlock(e)
            | StmtKind::Free(e) => self.expr(e),
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(None) | StmtKind::Skip => {}
        }
        if let Some(condition) = stmt.lin.as_mut().and_then(|lin| lin.condition.as_mut()) {
            self.expr(condition);
        }
    }

    fn over(&mut self, over: &mut ForOver) {
        match over {
            ForOver::Range { low, high, .. } => {
                self.expr(low);
                self.expr(high);
            }
            ForOver::Threads => {}
            ForOver::Collection(e) => self.expr(e),
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        match &mut pattern.kind {
            PatternKind::Name(name) if self.variants.contains(name) => self.rename(name),
            PatternKind::Name(name) => {
                let name = name.clone();
                self.bind(&name);
            }
            PatternKind::Tuple(parts) => parts.iter_mut().for_each(|p| self.pattern(p)),
            PatternKind::Variant { name, payload } => {
                self.rename(&mut name.text);
                payload.iter_mut().for_each(|p| self.pattern(p));
            }
            _ => {}
        }
    }

    fn ty(&mut self, ty: &mut Type) {
        match &mut ty.kind {
            TypeKind::Named(name) => self.rename(&mut name.text),
            TypeKind::Range { low, high, .. } => {
                self.expr(low);
                self.expr(high);
            }
            TypeKind::Tuple(types) => types.iter_mut().for_each(|ty| self.ty(ty)),
            TypeKind::Array { element, length } => {
                self.ty(element);
                length.iter_mut().for_each(|e| self.expr(e));
            }
            TypeKind::Seq(ty)
            | TypeKind::Set(ty)
            | TypeKind::Multiset(ty)
            | TypeKind::Heap(ty)
            | TypeKind::Optional(ty) => self.ty(ty),
            TypeKind::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            TypeKind::Bool | TypeKind::Int | TypeKind::Tid | TypeKind::Val | TypeKind::Lock => {}
        }
    }

    /// The part that an expression names: `l`, `pool.l`.
    fn part(&self, e: &Expr) -> Option<&'p Part> {
        match &e.kind {
            ExprKind::Name(name) if !self.is_local(name) => self.parts.get(name),
            ExprKind::Field { object, name } => self.part(object)?.parts.get(&name.text),
            ExprKind::Paren(inner) => self.part(inner),
            _ => None,
        }
    }

    pub fn expr(&mut self, e: &mut Expr) {
        if let Some(part) = self.part(e) {
            if !part.object.is_empty() {
                let text = format!("this is an object, `{}`, and no value", part.object);
                let error = Diagnostic::error("E0245", e.span, text);
                self.problems.push(match part.operations.first() {
                    Some(op) => error.help(format!("call its operations, such as `{op}`")),
                    None => error,
                });
            }
            e.kind = ExprKind::Error;
            return;
        }
        match &mut e.kind {
            ExprKind::Method { object, name, args } if self.part(object).is_some() => {
                args.iter_mut().for_each(|arg| self.expr(arg));
                let part = self.part(object).expect("it is one");
                let args = std::mem::take(args).into_iter().map(|value| Arg { name: None, value }).collect();
                let name = name.clone();
                e.kind =
                    self.known(part, &name, &part.operations, "operation").map_or(ExprKind::Error, |text| {
                        ExprKind::Call { name: Name { text, span: name.span }, args, weak: false }
                    });
            }
            ExprKind::Field { object, name } if self.part(object).is_some() => {
                let part = self.part(object).expect("it is one");
                let name = name.clone();
                let found = self.known(part, &name, &part.variables, "variable");
                e.kind = found.map_or(ExprKind::Error, ExprKind::Name);
            }
            ExprKind::Name(name) => self.rename(name),
            ExprKind::Unary { operand, .. } | ExprKind::Paren(operand) => self.expr(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Cast { operand, ty } => {
                self.expr(operand);
                self.ty(ty);
            }
            ExprKind::Field { object, .. } | ExprKind::Component { object, .. } => self.expr(object),
            ExprKind::Index { object, index } => {
                self.expr(object);
                self.expr(index);
            }
            ExprKind::Call { name, args, .. } => {
                self.rename(&mut name.text);
                args.iter_mut().for_each(|arg| self.expr(&mut arg.value));
            }
            ExprKind::Method { object, args, .. } => {
                self.expr(object);
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            ExprKind::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|e| self.expr(e));
            }
            ExprKind::New { name, fields } => {
                self.rename(&mut name.text);
                fields.iter_mut().for_each(|(_, value)| self.expr(value));
            }
            ExprKind::Quantified { variable, over, body, .. } => {
                self.over(over);
                self.scopes.push(HashSet::new());
                self.bind(&variable.text);
                self.expr(body);
                self.scopes.pop();
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Repeat { element, length } => {
                self.expr(element);
                length.iter_mut().for_each(|e| self.expr(e));
            }
            ExprKind::Range { low, high, .. } => {
                self.expr(low);
                self.expr(high);
            }
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Null
            | ExprKind::SelfTid
            | ExprKind::Error => {}
        }
    }

    /// The full name of something in a part; reported when there is none.
    fn known(&mut self, part: &Part, name: &Name, among: &[String], what: &str) -> Option<String> {
        if among.contains(&name.text) {
            return Some(format!("{}.{}", part.prefix, name.text));
        }
        if !part.object.is_empty() {
            let text = format!("`{}` has no {what} `{}`", part.object, name.text);
            let error = Diagnostic::error("E0108", name.span, text);
            let known: Vec<String> = among.iter().map(|n| format!("`{n}`")).collect();
            self.problems.push(match known.is_empty() {
                true => error,
                false => error.help(format!("it has {}", known.join(", "))),
            });
        }
        None
    }
}

/// An operation as a helper; what it requires is asserted.
pub(super) fn helper(mut op: Routine) -> Routine {
    if let Some(requires) = op.requires.take() {
        let span = requires.span;
        op.body.stmts.insert(0, Stmt { lin: None, label: None, kind: StmtKind::Assert(requires), span });
    }
    op
}
