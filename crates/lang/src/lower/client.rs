//! Clients: the most general one, `call` clauses and roles, as scripts.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::env::Env;
use super::expr::Typed;
use crate::ir::{Alternative, Expr, Node, NodeId, OpId, Script, Slot, Ty};
use crate::syntax::{self, ClientBlock, ClientStmt, ClientStmtKind, ExprKind};

/// A domain with more values than this is refused.
const LARGEST_DOMAIN: usize = 1000;
/// Scripts longer than this are refused.
const LONGEST_SCRIPT: usize = 100_000;

/// The values that data may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// 1 to N.
    Count(u32),
    /// The numbers of the threads that act at once: so many.
    Tid(u32),
}

/// What the most general client does.
pub(crate) struct General<'a> {
    /// The `call` clauses; all operations without one.
    pub calls: Vec<&'a syntax::Expr>,
    /// How many calls each thread makes; `None` for ever.
    pub ops: Option<u32>,
    pub values: Values,
}

impl<'a> Env<'a> {
    /// The script of a thread of the most general client.
    pub fn general_script(&mut self, general: &General<'a>, span: Span) -> Option<Script> {
        let mut alternatives = Vec::new();
        if self.module.ops.is_empty() {
            let text = format!("`{}` has no operation that a client could call", self.module.name);
            self.error("E0509", span, text).help = Some("declare one with `op`".into());
            return None;
        }
        if general.calls.is_empty() {
            for op in 0..self.module.ops.len() {
                let op = OpId(op as u16);
                let mut all = vec![Vec::new()];
                for (_, ty) in self.module.ops[op.0 as usize].params.clone() {
                    let Some(domain) = self.domain(&ty, general.values) else {
                        let text = format!(
                            "`{}` takes {}, which has no small domain",
                            self.module.ops[op.0 as usize].name,
                            self.a(&ty)
                        );
                        self.error("E0501", span, text).help =
                            Some("say what is called: `call enq(1..=3), deq();`, or give the parameter a range type".into());
                        return None;
                    };
                    all = all
                        .into_iter()
                        .flat_map(|args: Vec<Expr>| {
                            domain.iter().map(move |v| {
                                let mut args = args.clone();
                                args.push(Expr::Const(v.clone()));
                                args
                            })
                        })
                        .collect();
                }
                alternatives.extend(all.into_iter().map(|args| (op, args)));
            }
        } else {
            for call in &general.calls {
                let mut writer = Writer::new(self);
                let (op, calls, _) = writer.calls(call)?;
                alternatives.extend(calls.into_iter().map(|args| (op, args)));
            }
        }
        let node = |next: NodeId| {
            let make = |(op, args): &(OpId, Vec<Expr>)| Alternative {
                op: *op,
                args: args.clone(),
                result: None,
                next,
                role: false,
            };
            Node::Call(alternatives.iter().map(make).collect())
        };
        let nodes = match general.ops {
            None => vec![node(0)],
            Some(n) => {
                let mut nodes: Vec<Node> = (1..=n).map(node).collect();
                nodes.push(Node::Done);
                nodes
            }
        };
        Some(Script { nodes, variables: Vec::new() })
    }

    /// Reports a call of an operation that the object does not have.
    pub fn no_operation(&mut self, name: &syntax::Name) {
        let ops: Vec<String> = self.module.ops.iter().map(|o| o.name.clone()).collect();
        let close = Env::close(&name.text, ops.iter().map(String::as_str));
        let text = format!("`{}` has no operation `{}`", self.module.name, name.text);
        self.error("E0108", name.span, text).help = Some(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("it has {}", ops.join(", ")),
        });
    }

    /// All values of a type, when they are few.
    fn domain(&self, ty: &Ty, values: Values) -> Option<Vec<Value>> {
        let domain: Vec<Value> = match ty {
            Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Ty::Range(low, high) if (*high as i64 - *low as i64) < LARGEST_DOMAIN as i64 => {
                (*low..=*high).map(Value::Int).collect()
            }
            Ty::Tid => (0..self.threads).map(|t| Value::Tid(t as u8)).collect(),
            Ty::Val => match values {
                Values::Count(n) => (1..=n).map(Value::Val).collect(),
                Values::Tid(n) => (1..=n).map(Value::Val).collect(),
            },
            Ty::Enum(e) => {
                let variants = &self.module.enums[*e as usize].variants;
                let mut all = Vec::new();
                for (i, (_, payload)) in variants.iter().enumerate() {
                    let tuples = self.product(payload, values)?;
                    all.extend(tuples.into_iter().map(|p| Value::Variant(i as u16, p)));
                }
                all
            }
            Ty::Optional(inner) => {
                let mut all = vec![Value::None];
                all.extend(self.domain(inner, values)?);
                all
            }
            Ty::Tuple(parts) => self.product(parts, values)?.into_iter().map(Value::Tuple).collect(),
            _ => return None,
        };
        (domain.len() <= LARGEST_DOMAIN).then_some(domain)
    }

    fn product(&self, types: &[Ty], values: Values) -> Option<Vec<Vec<Value>>> {
        let mut all = vec![Vec::new()];
        for ty in types {
            let domain = self.domain(ty, values)?;
            if all.len() * domain.len() > LARGEST_DOMAIN {
                return None;
            }
            all = all
                .into_iter()
                .flat_map(|t: Vec<Value>| {
                    domain.iter().map(move |v| {
                        let mut t = t.clone();
                        t.push(v.clone());
                        t
                    })
                })
                .collect();
        }
        Some(all)
    }

    /// The script of a role.
    pub fn role_script(&mut self, body: &'a ClientBlock) -> Option<Script> {
        let before = self.diagnostics.len();
        let mut writer = Writer::new(self);
        let done = writer.node(Node::Done);
        let start = writer.block(body, done);
        let (nodes, variables) = (writer.nodes, writer.variables);
        if self.diagnostics.len() > before {
            return None;
        }
        let start = start?;
        let (nodes, _) = from_start(nodes, start, 0);
        Some(Script { nodes, variables: variables.into_iter().map(|v| v.0).collect() })
    }

    /// The script of the main thread, and where its second part begins.
    pub fn main_script(
        &mut self,
        before: Option<&'a ClientBlock>,
        after: Option<&'a ClientBlock>,
    ) -> Option<(Script, NodeId)> {
        let problems = self.diagnostics.len();
        let mut writer = Writer::new(self);
        let done = writer.node(Node::Done);
        // What the first part knows, the second part may use, which is written before it.
        before.into_iter().for_each(|block| writer.declare(block));
        let second = after.map_or(Some(done), |block| writer.block(block, done));
        let written = writer.nodes.len();
        let start =
            second.and_then(|second| before.map_or(Some(second), |block| writer.block(block, second)));
        let (nodes, variables) = (writer.nodes, writer.variables);
        if self.diagnostics.len() > problems {
            return None;
        }
        let (nodes, after) = from_start(nodes, start?, written);
        Some((Script { nodes, variables: variables.into_iter().map(|v| v.0).collect() }, after))
    }
}

/// The nodes that the start reaches, the start first, those that were written first, `last` in number, at the end; and
/// how many nodes stand before these.
fn from_start(nodes: Vec<Node>, start: NodeId, last: usize) -> (Vec<Node>, NodeId) {
    let mut order = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        order.push(node);
        match &nodes[node as usize] {
            Node::Done => {}
            Node::Call(alternatives) => queue.extend(alternatives.iter().map(|a| a.next)),
            Node::Test { yes, no, .. } => queue.extend([*yes, *no]),
        }
    }
    order.sort_by_key(|node| (*node as usize) < last);
    let before = order.iter().filter(|node| **node as usize >= last).count() as NodeId;
    let mut place = vec![None; nodes.len()];
    order.iter().enumerate().for_each(|(at, node)| place[*node as usize] = Some(at as NodeId));
    let new = |node: NodeId| place[node as usize].expect("reached");
    let rename = |node: &Node| match node.clone() {
        Node::Done => Node::Done,
        Node::Call(mut alternatives) => {
            alternatives.iter_mut().for_each(|a| a.next = new(a.next));
            Node::Call(alternatives)
        }
        Node::Test { condition, yes, no } => Node::Test { condition, yes: new(yes), no: new(no) },
    };
    (order.iter().map(|n| rename(&nodes[*n as usize])).collect(), before)
}

/// Writes a script from its end to its beginning.
struct Writer<'e, 'a> {
    env: &'e mut Env<'a>,
    nodes: Vec<Node>,
    variables: Vec<(String, Ty)>,
}

impl<'e, 'a> Writer<'e, 'a> {
    fn new(env: &'e mut Env<'a>) -> Writer<'e, 'a> {
        Writer { env, nodes: Vec::new(), variables: Vec::new() }
    }

    fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// Variables must be known before the statements that use them, which are written first.
    fn declare(&mut self, block: &'a ClientBlock) {
        for stmt in &block.stmts {
            if let ClientStmtKind::Let { name, call } = &stmt.kind
                && !self.variables.iter().any(|v| v.0 == name.text)
                && let Some(op) = self.operation(call)
            {
                let ty = self.env.module.ops[op.0 as usize].result.clone();
                self.variables.push((name.text.clone(), ty));
            }
        }
    }

    /// The first node of the block, which goes on at `next`.
    fn block(&mut self, block: &'a ClientBlock, next: NodeId) -> Option<NodeId> {
        self.declare(block);
        let mut next = next;
        for stmt in block.stmts.iter().rev() {
            next = self.statement(stmt, next)?;
            self.not_too_long(stmt)?;
        }
        Some(next)
    }

    fn not_too_long(&mut self, stmt: &ClientStmt) -> Option<()> {
        if self.nodes.len() <= LONGEST_SCRIPT {
            return Some(());
        }
        self.env.error("E0502", stmt.span, "this role is too long once its repetitions are written out");
        None
    }

    fn statement(&mut self, stmt: &'a ClientStmt, next: NodeId) -> Option<NodeId> {
        match &stmt.kind {
            ClientStmtKind::Calls(calls) => {
                let mut alternatives = Vec::new();
                for call in calls {
                    let (op, all, _) = self.calls(call)?;
                    let make = |args| Alternative { op, args, result: None, next, role: true };
                    alternatives.extend(all.into_iter().map(make));
                }
                Some(self.node(Node::Call(alternatives)))
            }
            ClientStmtKind::Let { name, call } => {
                let slot = self.variables.iter().position(|v| v.0 == name.text)? as u16;
                let (op, all, ty) = self.calls(call)?;
                if ty == Ty::Unit {
                    let text = "this operation has no result";
                    self.env.error("E0230", call.span, text);
                    return None;
                }
                let make = |args| Alternative { op, args, result: Some(Slot(slot)), next, role: true };
                let alternatives = all.into_iter().map(make).collect();
                Some(self.node(Node::Call(alternatives)))
            }
            ClientStmtKind::If { condition, then, otherwise } => {
                let yes = self.block(then, next)?;
                let no = match otherwise {
                    Some(block) => self.block(block, next)?,
                    None => next,
                };
                let Some(call) = find_call(condition, self.env) else {
                    let condition = self.condition(condition, None)?;
                    return Some(self.node(Node::Test { condition, yes, no }));
                };
                let (op, all, ty) = self.calls(call)?;
                let slot = Slot(self.variables.len() as u16);
                self.variables.push((String::new(), ty.clone()));
                let condition = self.condition(condition, Some((call.span, slot, ty)))?;
                let test = self.node(Node::Test { condition, yes, no });
                let make = |args| Alternative { op, args, result: Some(slot), next: test, role: true };
                let alternatives = all.into_iter().map(make).collect();
                Some(self.node(Node::Call(alternatives)))
            }
            ClientStmtKind::Repeat { count, body } => {
                let n = self.env.constant_int(count)?;
                if !(0..=10_000).contains(&n) {
                    self.env.error(
                        "E0502",
                        count.span,
                        format!("a role is repeated 0 to 10,000 times, not {n}"),
                    );
                    return None;
                }
                let mut next = next;
                for _ in 0..n {
                    next = self.block(body, next)?;
                    self.not_too_long(stmt)?;
                }
                Some(next)
            }
            ClientStmtKind::Forever(body) => {
                // The loop's head is known before its body: a test that always goes on.
                let head = self.node(Node::Done);
                let start = self.block(body, head)?;
                if !self.calls_before(start, head) {
                    self.env
                        .error("E0503", stmt.span, "this loop calls nothing on some way through it")
                        .help = Some("let every way through `forever` make a call".into());
                    return None;
                }
                let always = Expr::Const(Value::Bool(true));
                self.nodes[head as usize] = Node::Test { condition: always, yes: start, no: start };
                Some(start)
            }
        }
    }

    /// Whether every way from `start` to `head` makes a call.
    fn calls_before(&self, start: NodeId, head: NodeId) -> bool {
        if start == head {
            return false;
        }
        match &self.nodes[start as usize] {
            Node::Test { yes, no, .. } => self.calls_before(*yes, head) && self.calls_before(*no, head),
            _ => true,
        }
    }

    fn body(&mut self) -> Body<'_, 'a> {
        let variables = self.variables.clone();
        let mut body = Body::new(self.env);
        body.code.slots.clear();
        body.client = true;
        body.val_literals = true;
        for (i, (name, ty)) in variables.into_iter().enumerate() {
            if !name.is_empty() {
                body.bind(&name, Binding::Slot(Slot(i as u16), ty));
            }
        }
        body
    }

    fn condition(&mut self, e: &'a syntax::Expr, stand_in: Option<(Span, Slot, Ty)>) -> Option<Expr> {
        let mut body = self.body();
        body.stand_in = stand_in;
        let value = body.value_as(e, &Ty::Bool);
        let pure = body.code.instrs.is_empty();
        if value.is_some() && !pure {
            return self.shared_memory(e.span);
        }
        value
    }

    fn shared_memory<T>(&mut self, span: Span) -> Option<T> {
        self.env.error("E0504", span, "a client does not see the object's memory").help =
            Some("use the results of calls: `let x = deq();`".into());
        None
    }

    /// The operation that a call names.
    fn operation(&mut self, call: &'a syntax::Expr) -> Option<OpId> {
        let ExprKind::Call { name, .. } = &call.kind else { return None };
        self.env.module.ops.iter().position(|o| o.name == name.text).map(|i| OpId(i as u16))
    }

    /// The operation, every combination of arguments that the call stands for, and the type of the result.
    fn calls(&mut self, call: &'a syntax::Expr) -> Option<(OpId, Vec<Vec<Expr>>, Ty)> {
        let ExprKind::Call { name, args, .. } = &call.kind else {
            // Anything else is reported by the parser.
            return None;
        };
        let Some(op) = self.operation(call) else {
            self.env.no_operation(name);
            return None;
        };
        let (params, result) = {
            let op = &self.env.module.ops[op.0 as usize];
            (op.params.clone(), op.result.clone())
        };
        if params.len() != args.len() {
            let s = if params.len() == 1 { "" } else { "s" };
            let text = format!("`{}` takes {} argument{s}, not {}", name.text, params.len(), args.len());
            self.env.error("E0224", call.span, text);
            return None;
        }
        let mut all = vec![Vec::new()];
        for (arg, (_, ty)) in args.iter().zip(&params) {
            let values = self.argument(&arg.value, ty)?;
            if all.len() * values.len() > LARGEST_DOMAIN {
                self.env.error(
                    "E0501",
                    call.span,
                    format!("this stands for more than {LARGEST_DOMAIN} calls"),
                );
                return None;
            }
            all = all
                .into_iter()
                .flat_map(|args: Vec<Expr>| {
                    values.iter().map(move |v| {
                        let mut args = args.clone();
                        args.push(v.clone());
                        args
                    })
                })
                .collect();
        }
        Some((op, all, result))
    }

    /// The values that an argument stands for.
    fn argument(&mut self, e: &'a syntax::Expr, ty: &Ty) -> Option<Vec<Expr>> {
        let ExprKind::Range { low, high, inclusive } = &e.kind else {
            let mut body = self.body();
            let value = body.value_as(e, ty);
            let pure = body.code.instrs.is_empty();
            if value.is_some() && !pure {
                return self.shared_memory(e.span);
            }
            return Some(vec![value?]);
        };
        let low = self.env.constant_int(low)?;
        let high = self.env.constant_int(high)? - i64::from(!*inclusive);
        if high - low >= LARGEST_DOMAIN as i64 || low > high {
            self.env.error("E0501", e.span, format!("a range in a call has 1 to {LARGEST_DOMAIN} values"));
            return None;
        }
        let mut values = Vec::new();
        for i in low..=high {
            let typed: Option<Typed> = match super::env::strip_optional(ty) {
                Ty::Val => u32::try_from(i).ok().map(|v| (Expr::Const(Value::Val(v)), Ty::Val)),
                Ty::Tid if i >= 1 && i <= i64::from(self.env.threads) => {
                    Some((Expr::Const(Value::Tid(i as u8 - 1)), Ty::Tid))
                }
                Ty::Tid => None,
                _ => i32::try_from(i).ok().map(|i| (Expr::Const(Value::Int(i)), Ty::Int)),
            };
            let Some((value, from)) = typed else {
                let text = format!("{i} is no `{}`", self.env.show(ty));
                self.env.error("E0212", e.span, text);
                return None;
            };
            values.push(super::fold::fold(self.env.coerce(value, &from, ty, e.span)?));
        }
        Some(values)
    }
}

/// The call of an operation inside a condition.
fn find_call<'a>(e: &'a syntax::Expr, env: &Env) -> Option<&'a syntax::Expr> {
    match &e.kind {
        ExprKind::Call { name, .. } if env.module.ops.iter().any(|o| o.name == name.text) => Some(e),
        ExprKind::Unary { operand, .. } | ExprKind::Paren(operand) => find_call(operand, env),
        ExprKind::Binary { left, right, .. } => find_call(left, env).or_else(|| find_call(right, env)),
        _ => None,
    }
}
