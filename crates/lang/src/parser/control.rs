//! Statements that hold others: `if`, `match`, `for`, `either`; and `choose`, whose range is that of `for`.

use trueline_base::Diagnostic;

use super::cursor::Parser;
use super::expr::BOUND;
use crate::lexer::TokenKind;
use crate::syntax::{Arm, Block, Else, Expr, ExprKind, ForOver, Name, Stmt, StmtKind};

impl Parser<'_> {
    pub(super) fn if_stmt(&mut self) -> StmtKind {
        self.bump();
        let condition = self.condition();
        let then = self.block("the condition");
        let otherwise = self.eat_word("else").then(|| {
            let start = self.span();
            if !self.at_word("if") {
                return Else::Block(self.block("`else`"));
            }
            let kind = self.deeper(Self::if_stmt).unwrap_or_else(|| {
                self.skip_stmt();
                StmtKind::Skip
            });
            Else::If(Box::new(Stmt { lin: None, label: None, kind, span: self.since(start) }))
        });
        StmtKind::If { condition, then, otherwise }
    }

    pub(super) fn stray_else(&mut self) -> StmtKind {
        let error = Diagnostic::error("E0011", self.span(), "expected a statement, found `else`");
        self.report(error.help("`else` follows the `}` of an `if` directly"));
        self.bump();
        if self.at_word("if") {
            return self.deeper(Self::if_stmt).unwrap_or(StmtKind::Skip);
        }
        self.block("`else`");
        StmtKind::Skip
    }

    pub(super) fn match_stmt(&mut self) -> StmtKind {
        self.bump();
        let value = self.expr();
        let open = self.span();
        let mut arms = Vec::new();
        if !self.expect(TokenKind::LBrace, "and the arms of `match`") {
            self.skip_stmt();
            return StmtKind::Match { value, arms };
        }
        while !self.at(TokenKind::RBrace)
            && !self.at(TokenKind::Eof)
            && !self.starts_member()
            && !self.starts_item()
        {
            if self.at(TokenKind::Comma) {
                let error = Diagnostic::error("E0011", self.span(), "expected a pattern, found `,`");
                self.report(error.help(
                    "the arms of a `match` are not separated: each is a block or a statement with its `;`",
                ));
                self.bump();
                continue;
            }
            let before = self.pos();
            let arm = self.deeper(Self::arm);
            match arm {
                Some(arm) => arms.push(arm),
                None => self.skip_stmt(),
            }
            if self.pos() == before {
                self.bump();
            }
        }
        self.close(TokenKind::RBrace, open);
        StmtKind::Match { value, arms }
    }

    fn arm(&mut self) -> Arm {
        let pattern = self.pattern();
        if !self.expect(TokenKind::FatArrow, "after a pattern")
            && !matches!(self.kind(), TokenKind::Word | TokenKind::LBrace)
        {
            self.skip_to(&[TokenKind::FatArrow]);
            self.eat(TokenKind::FatArrow);
        }
        let braces = self.at(TokenKind::LBrace);
        if braces {
            return Arm { pattern, body: self.block("`=>`"), braces };
        }
        if self.at(TokenKind::RBrace) || self.at(TokenKind::Eof) {
            self.expected("E0011", "a block or a statement");
            return Arm { pattern, body: Block { stmts: Vec::new(), span: self.since(self.span()) }, braces };
        }
        let start = self.span();
        let stmts = vec![self.stmt()];
        Arm { pattern, body: Block { stmts, span: self.since(start) }, braces }
    }

    pub(super) fn for_stmt(&mut self) -> StmtKind {
        let (variable, over) = self.for_heading();
        StmtKind::For { variable, over, body: self.block("`for`") }
    }

    /// `for x in r`, also with `forall` and `exists`.
    pub(super) fn for_heading(&mut self) -> (Name, ForOver) {
        self.bump();
        let named = self.at(TokenKind::Word);
        let variable = self.name("a variable");
        // What stands in the way of `in` is skipped, and reported unless the name was wrong already.
        if !self.at_word("in") && self.nth_word(1) == "in" {
            if named {
                self.expected("E0006", "`in` after the variable");
            }
            self.bump();
        }
        self.expect_in();
        (variable, self.for_over())
    }

    fn for_over(&mut self) -> ForOver {
        if self.at_word("tid") && self.nth(1) == TokenKind::LBrace {
            self.bump();
            return ForOver::Threads;
        }
        let follows =
            matches!(self.nth(1), TokenKind::Word | TokenKind::Int | TokenKind::LParen | TokenKind::Minus);
        let reverse = self.at_word("rev") && follows;
        if reverse {
            self.bump();
        }
        let low = self.operand(BOUND);
        if !reverse && !self.at(TokenKind::DotDot) && !self.at(TokenKind::DotDotEq) {
            return ForOver::Collection(low);
        }
        let (high, inclusive) = self.upper();
        ForOver::Range { reverse, low, high, inclusive }
    }

    pub(super) fn choose(&mut self) -> StmtKind {
        self.bump();
        let variable = self.name("a variable");
        self.expect_in();
        let low = self.operand(BOUND);
        let (high, inclusive) = self.upper();
        StmtKind::Choose { variable, low, high, inclusive }
    }

    fn expect_in(&mut self) {
        if !self.eat_word("in") {
            self.expected("E0006", "`in` after the variable");
            if self.at(TokenKind::Assign) {
                self.bump();
            }
        }
    }

    /// The upper bound of a range.
    fn upper(&mut self) -> (Expr, bool) {
        let inclusive = self.at(TokenKind::DotDotEq);
        if !inclusive && !self.at(TokenKind::DotDot) {
            let start = self.span();
            self.expected("E0006", "`..` and the end of the range");
            return (Expr { kind: ExprKind::Error, span: self.since(start) }, false);
        }
        self.bump();
        (self.operand(BOUND), inclusive)
    }

    pub(super) fn either(&mut self) -> StmtKind {
        self.bump();
        let mut blocks = vec![self.block("`either`")];
        while self.at_word("or") {
            self.bump();
            blocks.push(self.block("`or`"));
        }
        StmtKind::Either(blocks)
    }
}
