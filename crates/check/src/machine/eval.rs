//! Evaluates expressions over the slots of a frame.
//!
//! Values are borrowed as far as possible: comparing two slots copies nothing.

use super::collect::query;
use std::borrow::Cow;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{BinaryOp, Expr};

/// The value of an expression in a frame of thread `me`.
pub(crate) fn eval<'a>(expr: &'a Expr, frame: &'a [Value], me: u8) -> Result<Cow<'a, Value>, Finding> {
    let owned = |value| Ok(Cow::Owned(value));
    match expr {
        Expr::Const(value) => Ok(Cow::Borrowed(value)),
        Expr::Slot(slot) => Ok(Cow::Borrowed(&frame[slot.0 as usize])),
        Expr::SelfTid => owned(Value::Tid(me)),
        Expr::Not(operand) => owned(Value::Bool(!truth(operand, frame, me)?)),
        Expr::Neg(operand) => {
            let number = number(operand, frame, me)?;
            owned(Value::Int(number.checked_neg().ok_or(Finding::Overflow)?))
        }
        Expr::Binary(op, left, right) => owned(binary(*op, left, right, frame, me)?),
        Expr::If(condition, yes, no) => eval(if truth(condition, frame, me)? { yes } else { no }, frame, me),
        Expr::Tuple(parts) => owned(Value::Tuple(list(parts, frame, me)?)),
        Expr::Component(tuple, index) => Ok(part(eval(tuple, frame, me)?, *index as usize)),
        Expr::Variant(variant, payload) => owned(Value::Variant(*variant, list(payload, frame, me)?)),
        Expr::IsVariant(operand, variant) => {
            owned(Value::Bool(matches!(&*eval(operand, frame, me)?, Value::Variant(v, _) if v == variant)))
        }
        Expr::Payload(operand, index) => Ok(part(eval(operand, frame, me)?, *index as usize)),
        Expr::Present(operand) => match eval(operand, frame, me)? {
            value if *value == Value::None => Err(Finding::None),
            value => Ok(value),
        },
        Expr::NonNull(operand) => match eval(operand, frame, me)? {
            value if *value == Value::Null => Err(Finding::Null),
            value => Ok(value),
        },
        Expr::InRange(operand, low, high) => match eval(operand, frame, me)? {
            value if matches!(*value, Value::Int(i) if i < *low || i > *high) => Err(Finding::Range),
            value => Ok(value),
        },
        Expr::Array(items) => owned(Value::Array(list(items, frame, me)?)),
        Expr::Repeat(item, count) => {
            owned(Value::Array(vec![eval(item, frame, me)?.into_owned(); *count as usize]))
        }
        Expr::Seq(items) => owned(Value::Seq(list(items, frame, me)?)),
        Expr::Set(items) => {
            let mut items = list(items, frame, me)?;
            items.sort();
            items.dedup();
            owned(Value::Set(items))
        }
        Expr::Bag(items) => {
            let mut items = list(items, frame, me)?;
            items.sort();
            owned(Value::Bag(items))
        }
        Expr::Element(collection, at) => {
            let collection = eval(collection, frame, me)?;
            let at = index(&*eval(at, frame, me)?);
            let len = elements(&collection).len();
            match at {
                Some(at) if at < len => Ok(part(collection, at)),
                _ => Err(Finding::Bounds),
            }
        }
        Expr::Query(method, collection, args) => {
            let collection = eval(collection, frame, me)?;
            let args = list(args, frame, me)?;
            owned(query(*method, &collection, &args))
        }
        Expr::TidToInt(operand) => match eval(operand, frame, me)? {
            value if *value == Value::None => Err(Finding::None),
            value => owned(Value::Int(tid(&value) as i32)),
        },
        Expr::TidToVal(operand) => match eval(operand, frame, me)? {
            value if *value == Value::None => Ok(value),
            value => owned(Value::Val(tid(&value) as u32 + 1)),
        },
    }
}

/// Whether the evaluation of an expression can end in a finding.
pub(crate) fn can_fail(expr: &Expr) -> bool {
    let any = |exprs: &[Expr]| exprs.iter().any(can_fail);
    match expr {
        Expr::Const(_) | Expr::Slot(_) | Expr::SelfTid => false,
        Expr::Not(e) | Expr::Component(e, _) | Expr::IsVariant(e, _) | Expr::Payload(e, _) => can_fail(e),
        Expr::Repeat(e, _) | Expr::TidToVal(e) => can_fail(e),
        Expr::Binary(op, a, b) => {
            use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
            matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr) || can_fail(a) || can_fail(b)
        }
        Expr::If(a, b, c) => can_fail(a) || can_fail(b) || can_fail(c),
        Expr::Tuple(es) | Expr::Variant(_, es) | Expr::Array(es) | Expr::Seq(es) => any(es),
        Expr::Set(es) | Expr::Bag(es) => any(es),
        Expr::Query(_, e, es) => can_fail(e) || any(es),
        Expr::Neg(_) | Expr::Present(_) | Expr::NonNull(_) | Expr::InRange(..) => true,
        Expr::Element(..) | Expr::TidToInt(_) => true,
    }
}

/// The value of a condition.
pub(crate) fn truth(expr: &Expr, frame: &[Value], me: u8) -> Result<bool, Finding> {
    match &*eval(expr, frame, me)? {
        Value::Bool(b) => Ok(*b),
        other => panic!("a condition is {other:?}"),
    }
}

/// The value of a number.
pub(crate) fn number(expr: &Expr, frame: &[Value], me: u8) -> Result<i32, Finding> {
    match &*eval(expr, frame, me)? {
        Value::Int(i) => Ok(*i),
        other => panic!("{other:?} stands where a number is expected"),
    }
}

/// A number or a thread as an index; none when it is negative.
pub(crate) fn index(value: &Value) -> Option<usize> {
    match value {
        Value::Int(i) => usize::try_from(*i).ok(),
        Value::Tid(t) => Some(*t as usize),
        other => panic!("{other:?} stands where an index is expected"),
    }
}

/// The values of expressions, from left to right.
pub(crate) fn list(exprs: &[Expr], frame: &[Value], me: u8) -> Result<Vec<Value>, Finding> {
    exprs.iter().map(|e| eval(e, frame, me).map(Cow::into_owned)).collect()
}

fn tid(value: &Value) -> u8 {
    match value {
        Value::Tid(t) => *t,
        other => panic!("{other:?} stands where a thread is expected"),
    }
}

fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Tuple(items) | Value::Variant(_, items) | Value::Array(items) | Value::Seq(items) => items,
        Value::Set(items) | Value::Bag(items) => items,
        other => panic!("{other:?} has no elements"),
    }
}

fn part(value: Cow<'_, Value>, at: usize) -> Cow<'_, Value> {
    match value {
        Cow::Borrowed(value) => Cow::Borrowed(&elements(value)[at]),
        Cow::Owned(value) => Cow::Owned(elements(&value)[at].clone()),
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, frame: &[Value], me: u8) -> Result<Value, Finding> {
    match op {
        BinaryOp::Or => return Ok(Value::Bool(truth(left, frame, me)? || truth(right, frame, me)?)),
        BinaryOp::And => return Ok(Value::Bool(truth(left, frame, me)? && truth(right, frame, me)?)),
        BinaryOp::Eq => return Ok(Value::Bool(eval(left, frame, me)? == eval(right, frame, me)?)),
        BinaryOp::Ne => return Ok(Value::Bool(eval(left, frame, me)? != eval(right, frame, me)?)),
        _ => {}
    }
    let a = number(left, frame, me)?;
    let b = number(right, frame, me)?;
    let result = match op {
        BinaryOp::Lt => return Ok(Value::Bool(a < b)),
        BinaryOp::Le => return Ok(Value::Bool(a <= b)),
        BinaryOp::Gt => return Ok(Value::Bool(a > b)),
        BinaryOp::Ge => return Ok(Value::Bool(a >= b)),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::Shl | BinaryOp::Shr if !(0..32).contains(&b) => None,
        BinaryOp::Shl => i32::try_from((a as i64) << b).ok(),
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Or | BinaryOp::And | BinaryOp::Eq | BinaryOp::Ne => unreachable!("answered above"),
    };
    result.map(Value::Int).ok_or(Finding::Overflow)
}
