//! Expressions: operators by precedence climbing, casts and prefixes.
//!
//! From weak to strong: `||`, `&&`, comparisons (which do not chain), `|`, `^`, `&`, `<< >>`, `+ -`, `* / %`, `as`, the
//! prefixes `! -`, then `.`, `[…]` and calls. Every function leaves the height of the tree that it
//! returns in `Parser::height`.

use trueline_base::{Diagnostic, Span};

use super::cursor::{MAX_HEIGHT, Mode, Parser};
use crate::lexer::Kind;
use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The level of `==` and its kin.
const COMPARE: u8 = 2;
/// The level of `|`: what the bounds of ranges may contain.
pub(super) const BOUND: u8 = 3;

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Expr {
        self.operand(0)
    }

    /// An expression whose operators outside brackets have at least the level `min`.
    pub(super) fn operand(&mut self, min: u8) -> Expr {
        self.nested(|p| p.binary(min))
    }

    /// An expression that decides: a single `=` in it is taken for `==`.
    pub(super) fn condition(&mut self) -> Expr {
        let mut left = self.expr();
        while self.at(Kind::Assign) {
            let error = Diagnostic::error("E0018", self.span(), "expected `==`, found `=`");
            self.report(error.help("`=` assigns; write `==` to compare"));
            self.bump();
            let height = self.height;
            let right = self.expr();
            left = self.join(BinaryOp::Eq, left, height, right);
        }
        left
    }

    /// Reads one level deeper; what is too deep becomes `ExprKind::Error`.
    pub(super) fn nested(&mut self, read: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let start = self.span();
        let expr = self.deeper(read);
        expr.unwrap_or_else(|| {
            self.skip_expr();
            self.height = 1;
            Expr { kind: ExprKind::Error, span: self.since(start) }
        })
    }

    /// The node that `kind` and the span from `start` make, one higher than `height`.
    pub(super) fn node(&mut self, start: Span, height: u32, kind: ExprKind) -> Expr {
        let span = self.since(start);
        if height < MAX_HEIGHT {
            self.height = height + 1;
            return Expr { kind, span };
        }
        self.too_deep();
        self.height = 1;
        Expr { kind: ExprKind::Error, span }
    }

    fn binary(&mut self, min: u8) -> Expr {
        let mut left = self.cast();
        let mut compared = false;
        while let Some(op) = self.operator() {
            let level = op.level();
            if level < min {
                break;
            }
            if compared && level == COMPARE {
                let message = format!("expected `&&` or the end of a comparison, found {}", self.found());
                let error = Diagnostic::error("E0016", self.span(), message);
                self.report(error.help("comparisons do not chain; write `a < b && b < c`"));
            }
            compared = level == COMPARE;
            self.bump();
            self.foreign_increment(op);
            let height = self.height;
            let right = self.binary(level + 1);
            left = self.join(op, left, height, right);
        }
        left
    }

    fn join(&mut self, op: BinaryOp, left: Expr, height: u32, right: Expr) -> Expr {
        let start = left.span;
        let height = height.max(self.height);
        let (left, right) = (Box::new(left), Box::new(right));
        self.node(start, height, ExprKind::Binary { op, left, right })
    }

    /// The operator that stands here.
    fn operator(&mut self) -> Option<BinaryOp> {
        Some(match self.kind() {
            Kind::OrOr => BinaryOp::Or,
            Kind::AndAnd => BinaryOp::And,
            Kind::EqEq => BinaryOp::Eq,
            Kind::NotEq => BinaryOp::Ne,
            Kind::Lt => BinaryOp::Lt,
            Kind::Le => BinaryOp::Le,
            Kind::Gt => BinaryOp::Gt,
            Kind::Ge => BinaryOp::Ge,
            Kind::Or => BinaryOp::BitOr,
            Kind::Caret => BinaryOp::BitXor,
            Kind::And => BinaryOp::BitAnd,
            Kind::Shl => BinaryOp::Shl,
            Kind::Shr => BinaryOp::Shr,
            Kind::Plus => BinaryOp::Add,
            Kind::Minus => BinaryOp::Sub,
            Kind::Star => BinaryOp::Mul,
            Kind::Slash => BinaryOp::Div,
            Kind::Percent => BinaryOp::Rem,
            Kind::Word if self.at_word("and") && !self.starts_line() => self.foreign(BinaryOp::And, "&&"),
            Kind::Word if self.at_word("or") && self.mode == Mode::Body && !self.starts_line() => {
                self.foreign(BinaryOp::Or, "||")
            }
            _ => return None,
        })
    }

    fn foreign(&mut self, op: BinaryOp, ours: &str) -> BinaryOp {
        let message = format!("expected `{ours}`, found {}", self.found());
        self.report(Diagnostic::error("E0017", self.span(), message).help(format!("write `{ours}`")));
        op
    }

    /// The operator of `+=` and its kin.
    pub(super) fn compound(kind: Kind) -> Option<BinaryOp> {
        Some(match kind {
            Kind::PlusEq => BinaryOp::Add,
            Kind::MinusEq => BinaryOp::Sub,
            Kind::StarEq => BinaryOp::Mul,
            Kind::SlashEq => BinaryOp::Div,
            Kind::PercentEq => BinaryOp::Rem,
            Kind::AndEq => BinaryOp::BitAnd,
            Kind::OrEq => BinaryOp::BitOr,
            Kind::CaretEq => BinaryOp::BitXor,
            Kind::ShlEq => BinaryOp::Shl,
            Kind::ShrEq => BinaryOp::Shr,
            _ => return None,
        })
    }

    /// Says what to write for `x++`; `sign` is the operator that has been read.
    fn foreign_increment(&mut self, sign: BinaryOp) {
        let help = match (sign, self.kind()) {
            (BinaryOp::Add, Kind::Plus) => "write `x += 1`",
            (BinaryOp::Sub, Kind::Minus) if self.nth(1) == Kind::Semi => "write `x -= 1`",
            _ => return,
        };
        if self.adjacent() {
            let message = format!("expected an expression, found {}", self.found());
            self.report(Diagnostic::error("E0017", self.span(), message).help(help));
            self.bump();
            self.hush();
        }
    }

    fn cast(&mut self) -> Expr {
        let start = self.span();
        let mut expr = self.unary();
        while self.at_word("as") {
            self.bump();
            let height = self.height;
            let ty = self.cast_type();
            let height = height.max(self.height);
            expr = self.node(start, height, ExprKind::Cast { operand: Box::new(expr), ty });
        }
        expr
    }

    fn unary(&mut self) -> Expr {
        let op = match self.kind() {
            Kind::Bang => UnaryOp::Not,
            Kind::Minus => UnaryOp::Minus,
            _ => return self.postfix(),
        };
        let start = self.bump();
        let operand = Box::new(self.nested(Self::unary));
        self.node(start, self.height, ExprKind::Unary { op, operand })
    }
}
