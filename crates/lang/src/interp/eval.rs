//! Expressions over a frame.

use super::collection;
use crate::ir::{BinaryOp, Expr};
use trueline_base::Value;
use trueline_base::verdict::Finding;

/// What an expression is evaluated over.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The slots.
    pub frame: &'a [Value],
    /// The thread itself.
    pub thread: u8,
}

/// The value of an expression, from left to right.
pub fn eval(expr: &Expr, scope: Environment<'_>) -> Result<Value, Finding> {
    let go = |e: &Expr| eval(e, scope);
    let all = |es: &[Expr]| es.iter().map(go).collect::<Result<Vec<_>, _>>();
    Ok(match expr {
        Expr::Const(value) => value.clone(),
        Expr::Slot(slot) => scope.frame[slot.0 as usize].clone(),
        Expr::SelfTid => Value::Tid(scope.thread),
        Expr::Not(e) => Value::Bool(!truth(e, scope)?),
        Expr::Neg(e) => Value::Int(int(&go(e)?).checked_neg().ok_or(Finding::Overflow)?),
        Expr::Binary(op, left, right) => binary(*op, left, right, scope)?,
        Expr::If(condition, yes, no) => go(if truth(condition, scope)? { yes } else { no })?,
        Expr::Tuple(parts) => Value::Tuple(all(parts)?),
        Expr::Component(e, index) => match go(e)? {
            Value::Tuple(parts) => parts[*index as usize].clone(),
            other => panic!("component of {other:?}"),
        },
        Expr::Variant(variant, payload) => Value::Variant(*variant, all(payload)?),
        Expr::IsVariant(e, variant) => {
            Value::Bool(matches!(go(e)?, Value::Variant(found, _) if found == *variant))
        }
        Expr::Payload(e, index) => match go(e)? {
            Value::Variant(_, payload) => payload[*index as usize].clone(),
            other => panic!("payload of {other:?}"),
        },
        Expr::Present(e) => match go(e)? {
            Value::None => return Err(Finding::None),
            value => value,
        },
        Expr::NonNull(e) => match go(e)? {
            Value::Null => return Err(Finding::Null),
            value => value,
        },
        Expr::InRange(e, low, high) => match int(&go(e)?) {
            n if (*low..=*high).contains(&n) => Value::Int(n),
            _ => return Err(Finding::Range),
        },
        Expr::Array(items) => Value::Array(all(items)?),
        Expr::Repeat(e, len) => Value::Array(vec![go(e)?; *len as usize]),
        Expr::Seq(items) => Value::Seq(all(items)?),
        Expr::Set(items) => {
            let mut items = all(items)?;
            items.sort();
            items.dedup();
            Value::Set(items)
        }
        Expr::Bag(items) => {
            let mut items = all(items)?;
            items.sort();
            Value::Bag(items)
        }
        Expr::Element(e, index) => {
            let of = go(e)?;
            let index = index_of(&go(index)?);
            match of {
                Value::Array(items) | Value::Seq(items) | Value::Set(items) | Value::Bag(items) => {
                    let index = usize::try_from(index).map_err(|_| Finding::Bounds)?;
                    items.get(index).ok_or(Finding::Bounds)?.clone()
                }
                other => panic!("element of {other:?}"),
            }
        }
        Expr::Query(method, e, args) => {
            let of = go(e)?;
            collection::query(*method, &of, &all(args)?)
        }
        Expr::TidToInt(e) => match go(e)? {
            Value::Tid(t) => Value::Int(t.into()),
            Value::None => return Err(Finding::None),
            other => panic!("thread number of {other:?}"),
        },
        Expr::TidToVal(e) => match go(e)? {
            Value::Tid(t) => Value::Val(u32::from(t) + 1),
            Value::None => Value::None,
            other => panic!("thread value of {other:?}"),
        },
    })
}

/// A condition.
pub fn truth(expr: &Expr, scope: Environment<'_>) -> Result<bool, Finding> {
    match eval(expr, scope)? {
        Value::Bool(b) => Ok(b),
        other => panic!("truth of {other:?}"),
    }
}

/// The number in a value.
pub fn int(value: &Value) -> i32 {
    match value {
        Value::Int(n) => *n,
        other => panic!("number of {other:?}"),
    }
}

/// An index: a number, or a thread from 0.
pub fn index_of(value: &Value) -> i64 {
    match value {
        Value::Int(n) => (*n).into(),
        Value::Tid(t) => (*t).into(),
        other => panic!("index {other:?}"),
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, scope: Environment<'_>) -> Result<Value, Finding> {
    match op {
        BinaryOp::And => return Ok(Value::Bool(truth(left, scope)? && truth(right, scope)?)),
        BinaryOp::Or => return Ok(Value::Bool(truth(left, scope)? || truth(right, scope)?)),
        _ => {}
    }
    let (a, b) = (eval(left, scope)?, eval(right, scope)?);
    let number = |result: Option<i32>| result.map(Value::Int).ok_or(Finding::Overflow);
    Ok(match op {
        BinaryOp::Eq => Value::Bool(a == b),
        BinaryOp::Ne => Value::Bool(a != b),
        BinaryOp::Lt => Value::Bool(int(&a) < int(&b)),
        BinaryOp::Le => Value::Bool(int(&a) <= int(&b)),
        BinaryOp::Gt => Value::Bool(int(&a) > int(&b)),
        BinaryOp::Ge => Value::Bool(int(&a) >= int(&b)),
        BinaryOp::BitOr => Value::Int(int(&a) | int(&b)),
        BinaryOp::BitXor => Value::Int(int(&a) ^ int(&b)),
        BinaryOp::BitAnd => Value::Int(int(&a) & int(&b)),
        BinaryOp::Shl | BinaryOp::Shr if !(0..32).contains(&int(&b)) => return Err(Finding::Overflow),
        BinaryOp::Shl => number(i32::try_from(i64::from(int(&a)) << int(&b)).ok())?,
        BinaryOp::Shr => Value::Int(int(&a) >> int(&b)),
        BinaryOp::Add => number(int(&a).checked_add(int(&b)))?,
        BinaryOp::Sub => number(int(&a).checked_sub(int(&b)))?,
        BinaryOp::Mul => number(int(&a).checked_mul(int(&b)))?,
        BinaryOp::Div => number(int(&a).checked_div(int(&b)))?,
        BinaryOp::Rem => number(int(&a).checked_rem(int(&b)))?,
        BinaryOp::And | BinaryOp::Or => unreachable!("decided above"),
    })
}
