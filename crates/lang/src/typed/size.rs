//! The numbers that types depend on, and what must hold of them.

use super::{Expr, ExprKind, Module, Type, TypeSize};
use crate::ir::BinaryOp;
use trueline_base::Span;

/// A number that is known once parameters have values.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeOf {
    /// A constant expression, of which one is taken off where a range ends before it.
    Constant {
        /// The expression.
        value: Expr,
        /// Whether the number is one less.
        before: bool,
    },
    /// The smaller of the two.
    Least(TypeSize, TypeSize),
    /// The larger of the two.
    Greatest(TypeSize, TypeSize),
}

/// What must hold of sizes once parameters have values.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A range has a number in it.
    Range {
        /// Its first number.
        low: TypeSize,
        /// Its last number.
        high: TypeSize,
        /// Where it stands.
        span: Span,
    },
    /// An array is not too long.
    Length {
        /// How many elements it has.
        len: TypeSize,
        /// Where that stands.
        span: Span,
    },
    /// A value of the type fits into a state.
    Small {
        /// The type.
        ty: Type,
        /// Where it stands.
        span: Span,
    },
}

impl Module {
    /// A size as it is written.
    pub(super) fn show_size(&self, size: TypeSize) -> String {
        match size {
            TypeSize::Known(n) => n.to_string(),
            TypeSize::Of(id) => match &self.sizes[id as usize] {
                SizeOf::Constant { value, before: false } => self.show_constant(value),
                SizeOf::Constant { value, before: true } => format!("{} - 1", self.show_constant(value)),
                SizeOf::Least(a, _) | SizeOf::Greatest(a, _) => self.show_size(*a),
            },
        }
    }

    /// The end of a range, as it is written behind `..`.
    pub(super) fn show_end(&self, size: TypeSize) -> String {
        match size {
            TypeSize::Of(id) if matches!(self.sizes[id as usize], SizeOf::Constant { before: true, .. }) => {
                match &self.sizes[id as usize] {
                    SizeOf::Constant { value, .. } => self.show_constant(value),
                    _ => unreachable!("just looked at"),
                }
            }
            size => format!("={}", self.show_size(size)),
        }
    }

    /// A constant expression, its inner parts left out where they are long.
    fn show_constant(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Int(i) => i.to_string(),
            ExprKind::Constant(id) => self.constants[id.0 as usize].name.clone(),
            ExprKind::Convert(e) => self.show_constant(e),
            ExprKind::Neg(e) => format!("-{}", self.show_constant(e)),
            ExprKind::Binary(op, a, b) => {
                let sign = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::Div => "/",
                    BinaryOp::Rem => "%",
                    BinaryOp::Shl => "<<",
                    BinaryOp::Shr => ">>",
                    _ => return "…".into(),
                };
                let part = |e: &Expr| match e.kind {
                    ExprKind::Binary(..) => format!("({})", self.show_constant(e)),
                    _ => self.show_constant(e),
                };
                format!("{} {sign} {}", part(a), part(b))
            }
            _ => "…".into(),
        }
    }
}
