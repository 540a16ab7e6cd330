//! Expressions: operators by precedence climbing, casts and prefixes.
//!
//! From weak to strong: `||`, `&&`, comparisons (which do not chain), `|`, `^`, `&`, `<< >>`, `+ -`, `* / %`, `as`, the
//! prefixes `! -`, then `.`, `[…]` and calls. Every function leaves the height of the tree that it
//! returns in `Parser::height`.

use trueline_base::{Diagnostic, Span};

use super::cursor::{MAX_HEIGHT, Mode, Parser};
use crate::lexer::TokenKind;
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
        while self.at(TokenKind::Assign) {
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
            TokenKind::OrOr => BinaryOp::Or,
            TokenKind::AndAnd => BinaryOp::And,
            TokenKind::EqEq => BinaryOp::Eq,
            TokenKind::NotEq => BinaryOp::Ne,
            TokenKind::Lt => BinaryOp::Lt,
            TokenKind::Le => BinaryOp::Le,
            TokenKind::Gt => BinaryOp::Gt,
            TokenKind::Ge => BinaryOp::Ge,
            TokenKind::Or => BinaryOp::BitOr,
            TokenKind::Caret => BinaryOp::BitXor,
            TokenKind::And => BinaryOp::BitAnd,
            TokenKind::Shl => BinaryOp::Shl,
            TokenKind::Shr => BinaryOp::Shr,
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus => BinaryOp::Sub,
            TokenKind::Star => BinaryOp::Mul,
            TokenKind::Slash => BinaryOp::Div,
            TokenKind::Percent => BinaryOp::Rem,
            TokenKind::Word if self.at_word("and") && !self.starts_line() => {
                self.foreign(BinaryOp::And, "&&")
            }
            TokenKind::Word if self.at_word("or") && self.mode == Mode::Body && !self.starts_line() => {
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
    pub(super) fn compound(kind: TokenKind) -> Option<BinaryOp> {
        Some(match kind {
            TokenKind::PlusEq => BinaryOp::Add,
            TokenKind::MinusEq => BinaryOp::Sub,
            TokenKind::StarEq => BinaryOp::Mul,
            TokenKind::SlashEq => BinaryOp::Div,
            TokenKind::PercentEq => BinaryOp::Rem,
            TokenKind::AndEq => BinaryOp::BitAnd,
            TokenKind::OrEq => BinaryOp::BitOr,
            TokenKind::CaretEq => BinaryOp::BitXor,
            TokenKind::ShlEq => BinaryOp::Shl,
            TokenKind::ShrEq => BinaryOp::Shr,
            _ => return None,
        })
    }

    /// Says what to write for `x++`; `sign` is the operator that has been read.
    fn foreign_increment(&mut self, sign: BinaryOp) {
        let help = match (sign, self.kind()) {
            (BinaryOp::Add, TokenKind::Plus) => "write `x += 1`",
            (BinaryOp::Sub, TokenKind::Minus) if self.nth(1) == TokenKind::Semi => "write `x -= 1`",
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
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Minus => UnaryOp::Minus,
            _ => return self.postfix(),
        };
        let start = self.bump();
        let operand = Box::new(self.nested(Self::unary));
        self.node(start, self.height, ExprKind::Unary { op, operand })
    }
}
