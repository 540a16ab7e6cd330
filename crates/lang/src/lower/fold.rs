//! Expressions whose operands are known are computed at once, so that parameters decide branches.

use trueline_base::Value;

use crate::ir::{BinaryOp, Expr};

/// The same expression, as a constant where that is possible without a finding.
pub(crate) fn fold(expr: Expr) -> Expr {
    match known(&expr) {
        Some(value) => Expr::Const(value),
        None => expr,
    }
}

fn constant(expr: &Expr) -> Option<&Value> {
    match expr {
        Expr::Const(value) => Some(value),
        _ => None,
    }
}

fn all(parts: &[Expr]) -> Option<Vec<Value>> {
    parts.iter().map(|p| constant(p).cloned()).collect()
}

fn known(expr: &Expr) -> Option<Value> {
    Some(match expr {
        Expr::Not(e) => match constant(e)? {
            Value::Bool(b) => Value::Bool(!b),
            _ => return None,
        },
        Expr::Neg(e) => match constant(e)? {
            Value::Int(i) => Value::Int(i.checked_neg()?),
            _ => return None,
        },
        Expr::Binary(op, a, b) => match (op, constant(a)) {
            (BinaryOp::And, Some(Value::Bool(false))) => Value::Bool(false),
            (BinaryOp::Or, Some(Value::Bool(true))) => Value::Bool(true),
            _ => binary(*op, constant(a)?, constant(b)?)?,
        },
        Expr::If(c, a, b) => match constant(c)? {
            Value::Bool(true) => constant(a)?.clone(),
            Value::Bool(false) => constant(b)?.clone(),
            _ => return None,
        },
        Expr::Tuple(parts) => Value::Tuple(all(parts)?),
        Expr::Array(parts) => Value::Array(all(parts)?),
        Expr::Seq(parts) => Value::Seq(all(parts)?),
        Expr::Variant(v, parts) => Value::Variant(*v, all(parts)?),
        Expr::Repeat(part, n) => Value::Array(vec![constant(part)?.clone(); *n as usize]),
        Expr::Component(e, i) => match constant(e)? {
            Value::Tuple(parts) => parts.get(*i as usize)?.clone(),
            _ => return None,
        },
        Expr::Element(e, i) => match (constant(e)?, constant(i)?) {
            (Value::Array(parts) | Value::Seq(parts), Value::Int(i)) => {
                parts.get(usize::try_from(*i).ok()?)?.clone()
            }
            (Value::Array(parts), Value::Tid(t)) => parts.get(*t as usize)?.clone(),
            _ => return None,
        },
        Expr::InRange(e, low, high) => match constant(e)? {
            Value::Int(i) if (low..=high).contains(&i) => Value::Int(*i),
            _ => return None,
        },
        Expr::Present(e) => match constant(e)? {
            Value::None => return None,
            value => value.clone(),
        },
        Expr::TidToInt(e) => match constant(e)? {
            Value::Tid(t) => Value::Int(i32::from(*t)),
            _ => return None,
        },
        Expr::TidToVal(e) => match constant(e)? {
            Value::Tid(t) => Value::Val(u32::from(*t) + 1),
            Value::None => Value::None,
            _ => return None,
        },
        _ => return None,
    })
}

fn binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    Some(match (op, a, b) {
        (BinaryOp::Eq, a, b) => Value::Bool(a == b),
        (BinaryOp::Ne, a, b) => Value::Bool(a != b),
        (BinaryOp::And, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a && *b),
        (BinaryOp::Or, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a || *b),
        (op, Value::Int(a), Value::Int(b)) => match op {
            BinaryOp::Lt => Value::Bool(a < b),
            BinaryOp::Le => Value::Bool(a <= b),
            BinaryOp::Gt => Value::Bool(a > b),
            BinaryOp::Ge => Value::Bool(a >= b),
            BinaryOp::BitOr => Value::Int(a | b),
            BinaryOp::BitXor => Value::Int(a ^ b),
            BinaryOp::BitAnd => Value::Int(a & b),
            BinaryOp::Shl | BinaryOp::Shr if !(0..32).contains(b) => return None,
            BinaryOp::Shl => Value::Int(i32::try_from(i64::from(*a) << b).ok()?),
            BinaryOp::Shr => Value::Int(a >> b),
            BinaryOp::Add => Value::Int(a.checked_add(*b)?),
            BinaryOp::Sub => Value::Int(a.checked_sub(*b)?),
            BinaryOp::Mul => Value::Int(a.checked_mul(*b)?),
            BinaryOp::Div => Value::Int(a.checked_div(*b)?),
            BinaryOp::Rem => Value::Int(a.checked_rem(*b)?),
            _ => return None,
        },
        _ => return None,
    })
}
