//! Blocks and statements.

use trueline_base::Span;

use super::doc::Cmd;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{Arm, Block, Else, ForOver, Stmt, StmtKind};

impl Writer<'_> {
    /// A block, after a blank.
    pub(super) fn block(&mut self, block: &Block) {
        self.block_in(block, true);
    }

    fn block_in(&mut self, block: &Block, alone: bool) {
        self.braces(block.span, alone, block.stmts.len(), |w, n| w.stmt(&block.stmts[n]));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(lin) = &stmt.lin {
            self.take(TokenKind::At);
            self.take(TokenKind::Word);
            if let Some(condition) = &lin.condition {
                self.take(TokenKind::LParen);
                self.take(TokenKind::Word);
                self.space();
                self.expr(condition);
                self.take(TokenKind::RParen);
            }
            let together = self.one_line(Span { start: lin.span.end, end: stmt.span.start, ..stmt.span });
            self.push(if together { Cmd::Space } else { Cmd::HardLine });
        }
        if stmt.label.is_some() {
            self.take(TokenKind::Label);
            self.take(TokenKind::Colon);
            self.space();
        }
        self.core(stmt);
    }

    fn core(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { pattern, ty, value } => {
                self.take(TokenKind::Word);
                self.space();
                self.pattern(pattern);
                if let Some(ty) = ty {
                    self.take(TokenKind::Colon);
                    self.space();
                    self.ty(ty);
                }
                self.space();
                self.take(TokenKind::Assign);
                self.space();
                self.expr(value);
            }
            StmtKind::Assign { target, value, .. } => {
                self.expr(target);
                self.space();
                self.token();
                self.space();
                self.expr(value);
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If { .. } => return self.if_stmt(stmt),
            StmtKind::Match { value, arms } => {
                self.take(TokenKind::Word);
                self.space();
                self.expr(value);
                let span = Span { start: self.peek().span.start, ..stmt.span };
                return self.braces(span, true, arms.len(), |w, n| w.arm(&arms[n]));
            }
            StmtKind::While { condition, body } => {
                self.take(TokenKind::Word);
                self.space();
                self.expr(condition);
                return self.block(body);
            }
            StmtKind::Loop(body) | StmtKind::Atomic(body) => {
                self.take(TokenKind::Word);
                return self.block(body);
            }
            StmtKind::For { over, body, .. } => {
                self.for_heading(over);
                return self.block(body);
            }
            StmtKind::Either(blocks) => return self.either(stmt, blocks),
            StmtKind::Break(Some(_)) | StmtKind::Continue(Some(_)) => {
                self.take(TokenKind::Word);
                self.space();
                self.take(TokenKind::Label);
            }
            StmtKind::Break(None) | StmtKind::Continue(None) | StmtKind::Skip | StmtKind::Return(None) => {
                self.take(TokenKind::Word)
            }
            StmtKind::Choose { low, high, .. } => {
                self.words(3);
                self.space();
                self.expr(low);
                self.token();
                self.expr(high);
            }
            StmtKind::Return(Some(value))
            | StmtKind::Await(value)
            | StmtKind::Assume(value)
            | StmtKind::Assert(value)
            | StmtKind::Lock(value)
            | StmtKind::Unlock(value)
            | StmtKind::Free(value) => {
                self.take(TokenKind::Word);
                self.space();
                self.expr(value);
            }
        }
        self.take(TokenKind::Semi);
    }

    /// Words with blanks between them.
    pub(super) fn words(&mut self, count: usize) {
        for n in 0..count {
            if n > 0 {
                self.space();
            }
            self.take(TokenKind::Word);
        }
    }

    fn if_stmt(&mut self, stmt: &Stmt) {
        let together = self.one_line(stmt.span);
        if together {
            self.leading();
            self.push(Cmd::Open);
        }
        let mut stmt = stmt;
        while let StmtKind::If { condition, then, otherwise } = &stmt.kind {
            self.take(TokenKind::Word);
            self.space();
            self.expr(condition);
            self.block_in(then, !together);
            let Some(otherwise) = otherwise else { break };
            self.space_or_line(Cmd::Space);
            self.take(TokenKind::Word);
            match otherwise {
                Else::Block(block) => {
                    self.block_in(block, !together);
                    break;
                }
                Else::If(inner) => {
                    self.space();
                    stmt = inner;
                }
            }
        }
        if together {
            self.push(Cmd::Close);
        }
    }

    fn either(&mut self, stmt: &Stmt, blocks: &[Block]) {
        let together = self.one_line(stmt.span);
        if together {
            self.leading();
            self.push(Cmd::Open);
        }
        for (n, block) in blocks.iter().enumerate() {
            if n > 0 {
                self.space_or_line(Cmd::Space);
            }
            self.take(TokenKind::Word);
            self.block_in(block, !together);
        }
        if together {
            self.push(Cmd::Close);
        }
    }

    fn arm(&mut self, arm: &Arm) {
        self.pattern(&arm.pattern);
        self.space();
        self.take(TokenKind::FatArrow);
        if arm.braces {
            self.block(&arm.body);
        } else {
            self.space();
            self.stmt(&arm.body.stmts[0]);
        }
    }

    pub(super) fn for_heading(&mut self, over: &ForOver) {
        self.words(3);
        self.space();
        match over {
            ForOver::Range { reverse, low, high, .. } => {
                if *reverse {
                    self.take(TokenKind::Word);
                    self.space();
                }
                self.expr(low);
                self.token();
                self.expr(high);
            }
            ForOver::Threads => self.take(TokenKind::Word),
            ForOver::Collection(items) => self.expr(items),
        }
    }
}
