//! Clients: what `call` clauses, roles and the main thread call.

use trueline_base::Span;

use super::routine::{Binding, Body};
use super::scope::NameScope;
use super::words::close;
use crate::ir::OpId;
use crate::syntax::{self, ClientStmtKind as Written, ExprKind, Name};
use crate::typed::{
    Argument, Call, ClientBlock, ClientStmt, ClientStmtKind, Definition, DefinitionKind, Expr, Local,
    LocalId, Occurrence, Type,
};

impl<'a> NameScope<'a> {
    /// Reports a call of an operation that the object does not have.
    pub fn no_operation(&mut self, name: &Name) {
        let ops: Vec<String> = self.module.ops.iter().map(|o| o.name.clone()).collect();
        let close = close(&name.text, ops.iter().map(String::as_str));
        let text = format!("`{}` has no operation `{}`", self.module.name, name.text);
        self.error("E0108", name.span, text).help = Some(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("it has {}", ops.join(", ")),
        });
    }

    /// The operation of that name; reported when there is none.
    pub fn operation_named(&mut self, name: &Name) -> Option<OpId> {
        let found = self.module.ops.iter().position(|op| op.name == name.text);
        match found {
            Some(at) => {
                let op = &self.module.ops[at];
                let definition =
                    Definition { kind: DefinitionKind::Operation, name: op.name.clone(), span: op.span };
                let ty = Some(op.result.clone());
                self.module.names.push(Occurrence { span: name.span, definition, ty });
            }
            None => self.no_operation(name),
        }
        found.map(|at| OpId(at as u16))
    }
}

/// The client of an object, one thread after the other.
pub(crate) struct Client<'s, 'a> {
    scope: &'s mut NameScope<'a>,
    /// The variables of the thread so far.
    pub locals: Vec<Local>,
    /// Those that the code around can name.
    known: Vec<LocalId>,
}

impl<'s, 'a> Client<'s, 'a> {
    pub fn new(scope: &'s mut NameScope<'a>) -> Client<'s, 'a> {
        Client { scope, locals: Vec::new(), known: Vec::new() }
    }

    /// Variables may be used before the statement that gives them a value, as in a loop. They stay known after it.
    fn declare(&mut self, block: &'a syntax::ClientBlock) {
        for stmt in &block.stmts {
            if let Written::Let { name, call } = &stmt.kind
                && self.find(&name.text).is_none()
                && let Some(op) = self.operation(call)
            {
                let ty = self.scope.module.ops[op.0 as usize].result.clone();
                let id = self.add(&name.text, ty, name.span);
                self.known.push(id);
            }
        }
    }

    fn add(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        if !name.is_empty() {
            self.scope.note(span, DefinitionKind::Local, name, span, Some(&ty));
        }
        self.locals.push(Local { name: name.to_string(), ty, assigned: true, span });
        LocalId(self.locals.len() as u32 - 1)
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        self.known.iter().rev().copied().find(|id| self.locals[id.0 as usize].name == name)
    }

    /// The program of a thread. `None` when something in it is wrong, which is then reported.
    pub fn program(&mut self, block: &'a syntax::ClientBlock) -> Option<ClientBlock> {
        self.declare(block);
        self.rest(block)
    }

    /// The two programs of the main thread. What the first one knows, the second one may use.
    pub fn main(
        &mut self,
        before: Option<&'a syntax::ClientBlock>,
        after: Option<&'a syntax::ClientBlock>,
    ) -> Option<(Option<ClientBlock>, Option<ClientBlock>)> {
        before.into_iter().chain(after).for_each(|block| self.declare(block));
        let first = before.map(|block| self.rest(block));
        let second = after.map(|block| self.rest(block));
        let (first, second) =
            (first.map_or(Some(None), |b| b.map(Some)), second.map_or(Some(None), |b| b.map(Some)));
        Some((first?, second?))
    }

    fn block(&mut self, block: &'a syntax::ClientBlock) -> Option<ClientBlock> {
        let known = self.known.len();
        self.declare(block);
        let found = self.rest(block);
        self.known.truncate(known);
        found
    }

    fn rest(&mut self, block: &'a syntax::ClientBlock) -> Option<ClientBlock> {
        let mut stmts = Vec::new();
        let mut right = true;
        for stmt in &block.stmts {
            match self.statement(stmt) {
                Some(kind) => stmts.push(ClientStmt { kind, span: stmt.span }),
                None => right = false,
            }
        }
        right.then_some(ClientBlock { stmts })
    }

    fn statement(&mut self, stmt: &'a syntax::ClientStmt) -> Option<ClientStmtKind> {
        Some(match &stmt.kind {
            Written::Calls(calls) => {
                let found: Vec<Option<Call>> = calls.iter().map(|call| self.call(call)).collect();
                ClientStmtKind::Calls(found.into_iter().collect::<Option<_>>()?)
            }
            Written::Let { name, call: written } => {
                let call = self.call(written)?;
                if self.scope.module.ops[call.op.0 as usize].result == Type::Unit {
                    self.scope.error("E0230", written.span, "this operation has no result");
                    return None;
                }
                let variable = self.find(&name.text)?;
                ClientStmtKind::Let { variable: self.same(variable, &call, name), call }
            }
            Written::If { condition, then, otherwise } => {
                let yes = self.block(then);
                let no = otherwise.as_ref().map(|block| self.block(block));
                let call = match find_call(condition, self.scope) {
                    Some(call) => {
                        let found = self.call(call)?;
                        let ty = self.scope.module.ops[found.op.0 as usize].result.clone();
                        let id = self.add("", ty, call.span);
                        Some((id, call.span, found))
                    }
                    None => None,
                };
                let stand_in = call.as_ref().map(|(id, span, _)| (*span, *id));
                let condition = self.expression(condition, &Type::Bool, stand_in)?;
                let otherwise = match no {
                    None => None,
                    Some(block) => Some(block?),
                };
                let call = call.map(|(id, _, call)| (id, call));
                ClientStmtKind::If { call, condition, then: yes?, otherwise }
            }
            Written::Repeat { count, body } => {
                let count = self.scope.constant(count, &Type::Int);
                let body = self.block(body);
                ClientStmtKind::Repeat { count: count?, body: body? }
            }
            Written::Forever(body) => ClientStmtKind::Forever(self.block(body)?),
        })
    }

    /// The variable that a `let` gives a value: another one, where the call gives a value of another type.
    fn same(&mut self, variable: LocalId, call: &Call, name: &Name) -> LocalId {
        let ty = self.scope.module.ops[call.op.0 as usize].result.clone();
        if self.locals[variable.0 as usize].ty == ty {
            return variable;
        }
        let id = self.add(&name.text, ty, name.span);
        self.known.push(id);
        id
    }

    /// A body that knows the variables of the thread.
    fn body<T>(&mut self, use_it: impl FnOnce(&mut Body<'_, 'a>) -> T) -> T {
        let mut body = Body::new(self.scope);
        body.client = true;
        body.val_literals = true;
        body.locals = std::mem::take(&mut self.locals);
        for id in &self.known {
            let name = body.locals[id.0 as usize].name.clone();
            body.bind(&name, Binding::Local(*id));
        }
        let found = use_it(&mut body);
        self.locals = std::mem::take(&mut body.locals);
        found
    }

    /// An expression over the variables of the thread.
    fn expression(
        &mut self,
        e: &'a syntax::Expr,
        ty: &Type,
        stand_in: Option<(Span, LocalId)>,
    ) -> Option<Expr> {
        let value = self.body(|body| {
            body.stand_in = stand_in;
            body.value_as(e, ty)
        })?;
        if !value.simple() {
            self.scope.error("E0504", e.span, "a client does not see the object's memory").help =
                Some("use the results of calls: `let x = deq();`".into());
            return None;
        }
        Some(value)
    }

    /// The operation that a call names.
    fn operation(&self, call: &syntax::Expr) -> Option<OpId> {
        let ExprKind::Call { name, .. } = &call.kind else { return None };
        self.scope.module.ops.iter().position(|o| o.name == name.text).map(|i| OpId(i as u16))
    }

    /// A call of an operation.
    pub fn call(&mut self, call: &'a syntax::Expr) -> Option<Call> {
        let ExprKind::Call { name, args, .. } = &call.kind else {
            // Anything else is reported by the parser.
            return None;
        };
        let op = self.scope.operation_named(name)?;
        let routine = &self.scope.module.ops[op.0 as usize];
        let types: Vec<Type> =
            routine.params.iter().map(|p| routine.locals[p.0 as usize].ty.clone()).collect();
        if types.len() != args.len() {
            let s = if types.len() == 1 { "" } else { "s" };
            let text = format!("`{}` takes {} argument{s}, not {}", name.text, types.len(), args.len());
            self.scope.error("E0224", call.span, text);
            return None;
        }
        let mut values = Vec::new();
        for (arg, ty) in args.iter().zip(&types) {
            values.push(self.argument(&arg.value, ty)?);
        }
        Some(Call { op, args: values, span: call.span })
    }

    /// The values that an argument stands for.
    fn argument(&mut self, e: &'a syntax::Expr, ty: &Type) -> Option<Argument> {
        let ExprKind::Range { low, high, inclusive } = &e.kind else {
            return self.expression(e, ty, None).map(Argument::Value);
        };
        let low = self.scope.constant(low, &Type::Int)?;
        let high = self.scope.constant(high, &Type::Int)?;
        if !matches!(ty.present(), Type::Val | Type::Tid | Type::Int | Type::Range(..)) {
            let found = Expr { ty: Type::Int, ..low };
            self.scope.coerce(found, ty, e.span);
            return None;
        }
        Some(Argument::Range { low, high, inclusive: *inclusive, span: e.span })
    }
}

/// The call of an operation inside a condition.
fn find_call<'a>(e: &'a syntax::Expr, scope: &NameScope) -> Option<&'a syntax::Expr> {
    match &e.kind {
        ExprKind::Call { name, .. } if scope.module.ops.iter().any(|o| o.name == name.text) => Some(e),
        ExprKind::Unary { operand, .. } | ExprKind::Paren(operand) => find_call(operand, scope),
        ExprKind::Binary { left, right, .. } => find_call(left, scope).or_else(|| find_call(right, scope)),
        _ => None,
    }
}
