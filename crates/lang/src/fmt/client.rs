//! Client programs.

use super::doc::Cmd;
use super::writer::Writer;
use crate::lexer::TokenKind;
use crate::syntax::{ClientBlock, ClientStmt, ClientStmtKind};

impl Writer<'_> {
    /// A block of a role, after a blank; see [`Writer::braces`] for `alone`.
    pub(super) fn client_block(&mut self, block: &ClientBlock, alone: bool) {
        self.braces(block.span, alone, block.stmts.len(), |w, n| w.client_stmt(&block.stmts[n]));
    }

    fn client_stmt(&mut self, stmt: &ClientStmt) {
        match &stmt.kind {
            ClientStmtKind::Calls(calls) => {
                self.leading();
                self.push(Cmd::Open);
                self.push(Cmd::Indent);
                for (n, call) in calls.iter().enumerate() {
                    if n > 0 {
                        self.push(Cmd::FillLine);
                        self.take(TokenKind::Word);
                        self.space();
                    }
                    self.expr(call);
                }
                self.push(Cmd::Dedent);
                self.push(Cmd::Close);
                self.take(TokenKind::Semi);
            }
            ClientStmtKind::Let { call, .. } => {
                self.words(2);
                self.space();
                self.take(TokenKind::Assign);
                self.space();
                self.expr(call);
                self.take(TokenKind::Semi);
            }
            ClientStmtKind::If { .. } => {
                let together = self.one_line(stmt.span);
                if together {
                    self.leading();
                    self.push(Cmd::Open);
                }
                self.client_if(stmt, together);
                if together {
                    self.push(Cmd::Close);
                }
            }
            ClientStmtKind::Repeat { count, body } => {
                self.take(TokenKind::Word);
                self.space();
                self.expr(count);
                self.client_block(body, true);
            }
            ClientStmtKind::Forever(body) => {
                self.take(TokenKind::Word);
                self.client_block(body, true);
            }
        }
    }

    fn client_if(&mut self, stmt: &ClientStmt, together: bool) {
        let ClientStmtKind::If { condition, then, otherwise } = &stmt.kind else { return };
        self.take(TokenKind::Word);
        self.space();
        self.expr(condition);
        self.client_block(then, !together);
        let Some(otherwise) = otherwise else { return };
        self.space_or_line(Cmd::Space);
        self.take(TokenKind::Word);
        if self.at_word("if") {
            self.space();
            self.client_if(&otherwise.stmts[0], together);
        } else {
            self.client_block(otherwise, !together);
        }
    }
}
