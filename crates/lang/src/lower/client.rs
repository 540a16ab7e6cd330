//! Clients as scripts: the most general one, `call` clauses, roles and the main thread.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::fit::{fit, strip_optional};
use super::fold::fold;
use super::instance::Instance;
use super::layout::CellLayout;
use crate::ir::{self, Alternative, Expr, NodeId, OpId, Script, ScriptNode, Slot, Ty};
use crate::typed::{self, Argument, Call, ClientBlock, ClientStmt, ClientStmtKind, Local, LocalId, Module};

/// A domain with more values than this is refused.
const LARGEST_DOMAIN: usize = 1000;
/// Scripts longer than this are refused.
const LONGEST_SCRIPT: usize = 100_000;

/// The values that data may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataValues {
    /// 1 to N.
    Count(u32),
    /// The numbers of the threads that act at once: so many.
    Tid(u32),
}

/// What the most general client does.
pub(crate) struct General<'c> {
    /// The `call` clauses; all operations without one.
    pub calls: &'c [Call],
    /// How many calls each thread makes; `None` for ever.
    pub ops: Option<u32>,
    pub values: DataValues,
}

/// Writes the scripts of the clients of an object.
pub(crate) struct Clients<'m, 'i> {
    pub module: &'m Module,
    pub instance: &'i mut Instance,
    /// The object as steps.
    pub object: &'m ir::Module,
}

impl<'m> Clients<'m, '_> {
    /// The script of a thread of the most general client.
    pub fn general(&mut self, general: &General<'m>, span: Span) -> Option<Script> {
        let mut alternatives = Vec::new();
        if self.object.ops.is_empty() {
            let text = format!("`{}` has no operation that a client could call", self.object.name);
            self.instance.error("E0509", span, text).help = Some("declare one with `op`".into());
            return None;
        }
        if general.calls.is_empty() {
            for (at, op) in self.object.ops.iter().enumerate() {
                let mut all = vec![Vec::new()];
                for (param, (_, ty)) in op.params.iter().enumerate() {
                    let Some(domain) = self.domain(ty, general.values) else {
                        let routine = &self.module.ops[at];
                        let written = &routine.locals[routine.params[param].0 as usize].ty;
                        let text = format!(
                            "`{}` takes {}, which has no small domain",
                            op.name,
                            self.module.a(written)
                        );
                        self.instance.error("E0501", span, text).help =
                            Some("say what is called: `call enq(1..=3), deq();`, or give the parameter a range type".into());
                        return None;
                    };
                    let domain: Vec<Expr> = domain.into_iter().map(Expr::Const).collect();
                    all = extended(all, &domain);
                }
                alternatives.extend(all.into_iter().map(|args| (OpId(at as u16), args)));
            }
        } else {
            for call in general.calls {
                let mut writer = Writer::new(self, &[]);
                let calls = writer.calls(call)?;
                alternatives.extend(calls.into_iter().map(|args| (call.op, args)));
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
            ScriptNode::Call(alternatives.iter().map(make).collect())
        };
        let nodes = match general.ops {
            None => vec![node(Script::START)],
            Some(n) => {
                let mut nodes: Vec<ScriptNode> = (1..=n).map(|next| node(NodeId(next))).collect();
                nodes.push(ScriptNode::Done);
                nodes
            }
        };
        Some(Script { nodes, variables: Vec::new() })
    }

    /// All values of a type, when they are few.
    fn domain(&self, ty: &Ty, values: DataValues) -> Option<Vec<Value>> {
        let domain: Vec<Value> = match ty {
            Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Ty::Range(low, high) if (*high as i64 - *low as i64) < LARGEST_DOMAIN as i64 => {
                (*low..=*high).map(Value::Int).collect()
            }
            Ty::Tid => (0..self.instance.threads).map(|t| Value::Tid(t as u8)).collect(),
            Ty::Val => match values {
                DataValues::Count(n) => (1..=n).map(Value::Val).collect(),
                DataValues::Tid(n) => (1..=n).map(Value::Val).collect(),
            },
            Ty::Enum(e) => {
                let variants = &self.object.enums[e.0 as usize].variants;
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

    fn product(&self, types: &[Ty], values: DataValues) -> Option<Vec<Vec<Value>>> {
        let mut all = vec![Vec::new()];
        for ty in types {
            let domain = self.domain(ty, values)?;
            if all.len() * domain.len() > LARGEST_DOMAIN {
                return None;
            }
            all = extended(all, &domain);
        }
        Some(all)
    }

    /// The script of a role, whose variables are `locals`.
    pub fn role(&mut self, body: &'m ClientBlock, locals: &'m [Local]) -> Option<Script> {
        let before = self.instance.problems.len();
        let mut writer = Writer::new(self, locals);
        let done = writer.node(ScriptNode::Done);
        let start = writer.block(body, done);
        let (nodes, variables) = (writer.nodes, writer.variables);
        if self.instance.problems.len() > before {
            return None;
        }
        let (nodes, _) = from_start(nodes, start?, 0);
        Some(Script { nodes, variables: names(variables) })
    }

    /// The script of the main thread, and where its second part begins.
    pub fn main(
        &mut self,
        before: Option<&'m ClientBlock>,
        after: Option<&'m ClientBlock>,
        locals: &'m [Local],
    ) -> Option<(Script, NodeId)> {
        let problems = self.instance.problems.len();
        let mut writer = Writer::new(self, locals);
        let done = writer.node(ScriptNode::Done);
        // What the first part knows, the second part may use, which is written before it.
        before.into_iter().for_each(|block| writer.declare(block));
        let second = after.map_or(Some(done), |block| writer.block(block, done));
        let written = writer.nodes.len();
        let start =
            second.and_then(|second| before.map_or(Some(second), |block| writer.block(block, second)));
        let (nodes, variables) = (writer.nodes, writer.variables);
        if self.instance.problems.len() > problems {
            return None;
        }
        let (nodes, after) = from_start(nodes, start?, written);
        Some((Script { nodes, variables: names(variables) }, after))
    }
}

/// Every list followed by every value.
fn extended<T: Clone>(lists: Vec<Vec<T>>, values: &[T]) -> Vec<Vec<T>> {
    let longer = |list: &Vec<T>, value: &T| list.iter().cloned().chain([value.clone()]).collect();
    lists.iter().flat_map(|list| values.iter().map(move |value| longer(list, value))).collect()
}

fn names(variables: Vec<(String, typed::Type)>) -> Vec<String> {
    variables.into_iter().map(|v| v.0).collect()
}

/// The nodes that the start reaches, the start first, those that were written first, `last` in number, at the end; and
/// how many nodes stand before these.
fn from_start(nodes: Vec<ScriptNode>, start: NodeId, last: usize) -> (Vec<ScriptNode>, NodeId) {
    let mut order = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        order.push(node);
        match &nodes[node.0 as usize] {
            ScriptNode::Done => {}
            ScriptNode::Call(alternatives) => queue.extend(alternatives.iter().map(|a| a.next)),
            ScriptNode::Test { yes, no, .. } => queue.extend([*yes, *no]),
        }
    }
    order.sort_by_key(|node| (node.0 as usize) < last);
    let before = NodeId(order.iter().filter(|node| node.0 as usize >= last).count() as u32);
    let mut place = vec![None; nodes.len()];
    order.iter().enumerate().for_each(|(at, node)| place[node.0 as usize] = Some(NodeId(at as u32)));
    let new = |node: NodeId| place[node.0 as usize].expect("reached");
    let rename = |node: &ScriptNode| match node.clone() {
        ScriptNode::Done => ScriptNode::Done,
        ScriptNode::Call(mut alternatives) => {
            alternatives.iter_mut().for_each(|a| a.next = new(a.next));
            ScriptNode::Call(alternatives)
        }
        ScriptNode::Test { condition, yes, no } => ScriptNode::Test { condition, yes: new(yes), no: new(no) },
    };
    (order.iter().map(|n| rename(&nodes[n.0 as usize])).collect(), before)
}

/// Writes a script from its end to its beginning.
struct Writer<'w, 'm, 'i> {
    clients: &'w mut Clients<'m, 'i>,
    nodes: Vec<ScriptNode>,
    /// The variables of the thread.
    locals: &'m [Local],
    /// The variables of the script, with their types: those of one name and type are one.
    variables: Vec<(String, typed::Type)>,
    /// The variable of the script that a variable of the thread is.
    places: Vec<Option<Slot>>,
}

impl<'w, 'm, 'i> Writer<'w, 'm, 'i> {
    fn new(clients: &'w mut Clients<'m, 'i>, locals: &'m [Local]) -> Writer<'w, 'm, 'i> {
        let places = vec![None; locals.len()];
        Writer { clients, nodes: Vec::new(), locals, variables: Vec::new(), places }
    }

    fn node(&mut self, node: ScriptNode) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        text: impl Into<String>,
    ) -> &mut trueline_base::Diagnostic {
        self.clients.instance.error(code, span, text)
    }

    /// The place of a variable.
    fn slot(&mut self, id: LocalId) -> Slot {
        if let Some(slot) = self.places[id.0 as usize] {
            return slot;
        }
        let local = &self.locals[id.0 as usize];
        let same = |v: &(String, typed::Type)| v.0 == local.name && v.1 == local.ty && !v.0.is_empty();
        let at = self.variables.iter().position(same).unwrap_or_else(|| {
            self.variables.push((local.name.clone(), local.ty.clone()));
            self.variables.len() - 1
        });
        self.places[id.0 as usize] = Some(Slot(at as u16));
        Slot(at as u16)
    }

    /// The variables that the statements of a block give a value come first.
    fn declare(&mut self, block: &'m ClientBlock) {
        for stmt in &block.stmts {
            if let ClientStmtKind::Let { variable, .. } = &stmt.kind {
                self.slot(*variable);
            }
        }
    }

    /// The first node of the block, which goes on at `next`.
    fn block(&mut self, block: &'m ClientBlock, next: NodeId) -> Option<NodeId> {
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
        self.error("E0502", stmt.span, "this role is too long once its repetitions are written out");
        None
    }

    /// A node for every way to make a call.
    fn call(&mut self, call: &'m Call, result: Option<Slot>, next: NodeId) -> Option<Vec<Alternative>> {
        let op = call.op;
        let make = |args| Alternative { op, args, result, next, role: true };
        Some(self.calls(call)?.into_iter().map(make).collect())
    }

    fn statement(&mut self, stmt: &'m ClientStmt, next: NodeId) -> Option<NodeId> {
        match &stmt.kind {
            ClientStmtKind::Calls(calls) => {
                let mut alternatives = Vec::new();
                for call in calls {
                    alternatives.extend(self.call(call, None, next)?);
                }
                Some(self.node(ScriptNode::Call(alternatives)))
            }
            ClientStmtKind::Let { variable, call } => {
                let slot = self.slot(*variable);
                let alternatives = self.call(call, Some(slot), next)?;
                Some(self.node(ScriptNode::Call(alternatives)))
            }
            ClientStmtKind::If { call, condition, then, otherwise } => {
                let yes = self.block(then, next)?;
                let no = match otherwise {
                    Some(block) => self.block(block, next)?,
                    None => next,
                };
                let Some((variable, call)) = call else {
                    let condition = self.value(condition)?;
                    return Some(self.node(ScriptNode::Test { condition, yes, no }));
                };
                // A repetition writes the condition again, with a variable of its own.
                self.places[variable.0 as usize] = None;
                let slot = self.slot(*variable);
                let condition = self.value(condition)?;
                let test = self.node(ScriptNode::Test { condition, yes, no });
                let alternatives = self.call(call, Some(slot), test)?;
                Some(self.node(ScriptNode::Call(alternatives)))
            }
            ClientStmtKind::Repeat { count, body } => {
                let n = self.clients.instance.number(self.clients.module, count)?;
                if !(0..=10_000).contains(&n) {
                    let text = format!("a role is repeated 0 to 10,000 times, not {n}");
                    self.error("E0502", count.span, text);
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
                let head = self.node(ScriptNode::Done);
                let start = self.block(body, head)?;
                if !self.calls_before(start, head) {
                    let text = "this loop calls nothing on some way through it";
                    self.error("E0503", stmt.span, text).help =
                        Some("let every way through `forever` make a call".into());
                    return None;
                }
                let always = Expr::Const(Value::Bool(true));
                self.nodes[head.0 as usize] = ScriptNode::Test { condition: always, yes: start, no: start };
                Some(start)
            }
        }
    }

    /// Whether every way from `start` to `head` makes a call.
    fn calls_before(&self, start: NodeId, head: NodeId) -> bool {
        if start == head {
            return false;
        }
        match &self.nodes[start.0 as usize] {
            ScriptNode::Test { yes, no, .. } => self.calls_before(*yes, head) && self.calls_before(*no, head),
            _ => true,
        }
    }

    /// The value of an expression over the variables of the script.
    fn value(&mut self, e: &'m typed::Expr) -> Option<Expr> {
        let bindings: Vec<Slot> =
            (0..self.locals.len()).map(|id| self.known_slot(LocalId(id as u32))).collect();
        let mut body = Body::new(self.clients.module, self.clients.instance, CellLayout::default());
        body.enter(self.locals, &typed::Type::Unit);
        for (id, slot) in bindings.into_iter().enumerate() {
            body.bind(LocalId(id as u32), Binding::Slot(slot));
        }
        body.value(e)
    }

    /// The place of a variable; of one that the script does not have yet, none that is looked at.
    fn known_slot(&self, id: LocalId) -> Slot {
        self.places[id.0 as usize].unwrap_or(Slot(u16::MAX))
    }

    /// Every combination of arguments that the call stands for.
    fn calls(&mut self, call: &'m Call) -> Option<Vec<Vec<Expr>>> {
        let mut all = vec![Vec::new()];
        for (at, arg) in call.args.iter().enumerate() {
            let values = self.argument(arg, call.op, at)?;
            if all.len() * values.len() > LARGEST_DOMAIN {
                let text = format!("this stands for more than {LARGEST_DOMAIN} calls");
                self.error("E0501", call.span, text);
                return None;
            }
            all = extended(all, &values);
        }
        Some(all)
    }

    /// The values that an argument stands for.
    fn argument(&mut self, arg: &'m Argument, op: OpId, at: usize) -> Option<Vec<Expr>> {
        let (low, high, inclusive, span) = match arg {
            Argument::Value(e) => return self.value(e).map(|value| vec![value]),
            Argument::Range { low, high, inclusive, span } => (low, high, *inclusive, *span),
        };
        let module = self.clients.module;
        let low = self.clients.instance.number(module, low)?;
        let high = self.clients.instance.number(module, high)? - i64::from(!inclusive);
        if high - low >= LARGEST_DOMAIN as i64 || low > high {
            self.error("E0501", span, format!("a range in a call has 1 to {LARGEST_DOMAIN} values"));
            return None;
        }
        let object = self.clients.object;
        let ty = &object.ops[op.0 as usize].params[at].1;
        let threads = i64::from(self.clients.instance.threads);
        let mut values = Vec::new();
        for i in low..=high {
            let typed = match strip_optional(ty) {
                Ty::Val => u32::try_from(i).ok().map(|v| (Value::Val(v), Ty::Val)),
                Ty::Tid if (1..=threads).contains(&i) => Some((Value::Tid(i as u8 - 1), Ty::Tid)),
                Ty::Tid => None,
                _ => i32::try_from(i).ok().map(|i| (Value::Int(i), Ty::Int)),
            };
            let fitted = typed.and_then(|(value, from)| fit(Expr::Const(value), &from, ty));
            let Some(value) = fitted else {
                let routine = &module.ops[op.0 as usize];
                let written = &routine.locals[routine.params[at].0 as usize].ty;
                self.error("E0212", span, format!("{i} is no `{}`", module.show(written)));
                return None;
            };
            values.push(fold(value));
        }
        Some(values)
    }
}
