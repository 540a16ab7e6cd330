//! Whether a module looks at thread numbers: in its types, its constants or its code.

use super::{Expr, Module, Ty};
use trueline_base::Value;

impl Module {
    /// Whether something in it depends on which thread is which.
    pub fn names_threads(&self) -> bool {
        let typed = self.variables.iter().map(|v| &v.ty);
        let taken = self.ops.iter().flat_map(|op| op.params.iter().map(|(_, ty)| ty));
        let mut named = typed.chain(taken).any(Ty::names_threads);
        for op in &self.ops {
            op.routine.each_expression(&mut |e| named |= e.names_thread());
        }
        named
    }
}

impl Ty {
    fn names_threads(&self) -> bool {
        match self {
            Ty::Tid => true,
            Ty::Unit | Ty::Bool | Ty::Int | Ty::Range(..) | Ty::Val | Ty::Lock => false,
            Ty::Ref(_) | Ty::Enum(_) => false,
            Ty::Optional(t) | Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t) => t.names_threads(),
            Ty::Tuple(parts) => parts.iter().any(Ty::names_threads),
            Ty::Array { element, by_tid, .. } => *by_tid || element.names_threads(),
            Ty::Map(k, v) => k.names_threads() || v.names_threads(),
        }
    }
}

impl Expr {
    /// Whether this expression does so itself, without those inside it.
    fn names_thread(&self) -> bool {
        match self {
            Expr::SelfTid | Expr::TidToInt(_) | Expr::TidToVal(_) => true,
            Expr::Const(value) => holds_thread(value),
            _ => false,
        }
    }
}

fn holds_thread(value: &Value) -> bool {
    match value {
        Value::Tid(_) => true,
        Value::Lock(owner) => owner.is_some(),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Val(_) | Value::None => false,
        Value::Null | Value::Ref(_) => false,
        Value::Variant(_, parts) | Value::Tuple(parts) | Value::Array(parts) => {
            parts.iter().any(holds_thread)
        }
        Value::Seq(parts) | Value::Set(parts) | Value::Bag(parts) => parts.iter().any(holds_thread),
        Value::Map(entries) => entries.iter().any(|(k, v)| holds_thread(k) || holds_thread(v)),
    }
}
