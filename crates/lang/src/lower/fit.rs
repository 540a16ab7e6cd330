//! Values where a type is expected, with the checks that this needs at run time.

use trueline_base::Value;

use crate::ir::{BinaryOp, Expr, Ty};

/// `T` of `T?`, or the type itself.
pub(super) fn strip_optional(ty: &Ty) -> &Ty {
    match ty {
        Ty::Optional(inner) => inner,
        other => other,
    }
}

/// `expr`, of type `from`, where a `to` is expected: with the checks that this needs at run time. `None` when sizes do
/// not agree.
pub(super) fn fit(expr: Expr, from: &Ty, to: &Ty) -> Option<Expr> {
    if from == to {
        return Some(expr);
    }
    Some(match (from, to) {
        (Ty::Range(a, b), Ty::Range(c, d)) if c <= a && b <= d => expr,
        (Ty::Range(..), Ty::Int) => expr,
        (Ty::Int | Ty::Range(..), Ty::Range(low, high)) => match &expr {
            Expr::Const(Value::Int(i)) if (low..=high).contains(&i) => expr,
            _ => Expr::InRange(Box::new(expr), *low, *high),
        },
        (Ty::Tid, Ty::Val) => Expr::TidToVal(Box::new(expr)),
        (Ty::Optional(a), Ty::Optional(b)) => {
            let probe = fit(expr.clone(), a, b)?;
            if probe == expr {
                return Some(expr);
            }
            let none = Value::None;
            let absent = Expr::Binary(BinaryOp::Eq, Box::new(expr), Box::new(Expr::Const(none.clone())));
            Expr::If(Box::new(absent), Box::new(Expr::Const(none)), Box::new(probe))
        }
        (from, Ty::Optional(inner)) => fit(expr, from, inner)?,
        (Ty::Optional(inner), to) => {
            let present = match **inner {
                Ty::Ref(_) => Expr::NonNull(Box::new(expr)),
                _ => Expr::Present(Box::new(expr)),
            };
            fit(present, inner, to)?
        }
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b).enumerate().map(|(i, (a, b))| {
                let part = match &expr {
                    Expr::Tuple(parts) => parts[i].clone(),
                    other => Expr::Component(Box::new(other.clone()), i as u16),
                };
                fit(part, a, b)
            });
            Expr::Tuple(parts.collect::<Option<_>>()?)
        }
        (Ty::Array { element: a, len: n, .. }, Ty::Array { element: b, len: m, by_tid }) if n == m => {
            match expr {
                Expr::Array(parts) => {
                    Expr::Array(parts.into_iter().map(|p| fit(p, a, b)).collect::<Option<_>>()?)
                }
                Expr::Repeat(part, n) => Expr::Repeat(Box::new(fit(*part, a, b)?), n),
                other if a == b || (!by_tid && stays(a, b)) => other,
                _ => return None,
            }
        }
        (Ty::Seq(a), Ty::Seq(b)) | (Ty::Set(a), Ty::Set(b)) | (Ty::Multiset(a), Ty::Multiset(b))
            if stays(a, b) =>
        {
            expr
        }
        _ => return None,
    })
}

/// Whether every value of the one type is one of the other as it stands.
fn stays(from: &Ty, to: &Ty) -> bool {
    fit(Expr::SelfTid, from, to) == Some(Expr::SelfTid)
}

/// Whether values of the two types can be compared for equality.
pub(crate) fn comparable(a: &Ty, b: &Ty) -> bool {
    match (strip_optional(a), strip_optional(b)) {
        (Ty::Int | Ty::Range(..), Ty::Int | Ty::Range(..)) => true,
        (Ty::Tuple(x), Ty::Tuple(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| comparable(x, y)),
        (x, y) => x == y,
    }
}
