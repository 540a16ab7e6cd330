//! Values, calls and returns as a reader sees them.

use super::{Module, Ty};
use trueline_base::Value;

/// A value of a type. Threads and values count from 1; a cell of the heap is `n` and its number.
pub fn show_value(module: &Module, ty: &Ty, value: &Value) -> String {
    let list = |items: &[Value], ty: &Ty| {
        items.iter().map(|v| show_value(module, ty, v)).collect::<Vec<_>>().join(", ")
    };
    match (value, ty) {
        (Value::None, _) => "none".into(),
        (Value::Null, _) => "null".into(),
        (_, Ty::Optional(inner)) => show_value(module, inner, value),
        (Value::Unit, _) => "()".into(),
        (Value::Bool(b), _) => b.to_string(),
        (Value::Int(i), _) => i.to_string(),
        (Value::Tid(t), _) => (t + 1).to_string(),
        (Value::Val(v), _) => v.to_string(),
        (Value::Ref(a), _) => format!("n{}", a + 1),
        (Value::Lock(None), _) => "free".into(),
        (Value::Lock(Some(t)), _) => format!("held by {}", t + 1),
        (Value::Variant(v, payload), Ty::Enum(e)) => {
            let (name, types) = &module.enums[e.0 as usize].variants[*v as usize];
            if payload.is_empty() {
                return name.clone();
            }
            let parts: Vec<_> = payload.iter().zip(types).map(|(v, t)| show_value(module, t, v)).collect();
            format!("{name}({})", parts.join(", "))
        }
        (Value::Tuple(parts), Ty::Tuple(types)) => {
            let parts: Vec<_> = parts.iter().zip(types).map(|(v, t)| show_value(module, t, v)).collect();
            format!("({})", parts.join(", "))
        }
        (Value::Array(items), Ty::Array { element, .. }) => format!("[{}]", list(items, element)),
        (Value::Seq(items), Ty::Seq(ty)) => format!("[{}]", list(items, ty)),
        (Value::Set(items), Ty::Set(ty)) | (Value::Bag(items), Ty::Multiset(ty) | Ty::Heap(ty)) => {
            format!("{{{}}}", list(items, ty))
        }
        (Value::Map(entries), Ty::Map(key, item)) => {
            let parts: Vec<_> = entries
                .iter()
                .map(|(k, v)| format!("{}: {}", show_value(module, key, k), show_value(module, item, v)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        (value, _) => format!("{value:?}"),
    }
}

/// `enq(1)`
pub fn show_call(module: &Module, op: super::OpId, args: &[Value]) -> String {
    let op = &module.ops[op.0 as usize];
    let args: Vec<_> = op.params.iter().zip(args).map(|((_, ty), v)| show_value(module, ty, v)).collect();
    format!("{}({})", op.name, args.join(", "))
}

/// The result of an operation: `none`, `3`, `()`.
pub fn show_return(module: &Module, op: super::OpId, value: &Value) -> String {
    show_value(module, &module.ops[op.0 as usize].result, value)
}
