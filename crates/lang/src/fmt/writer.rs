//! The formatter's place in the tokens, and the comments between them.
//!
//! A comment that ends a line stays at the end of the line of the token before it. All others
//! stand before the token that follows them, on lines of their own when they were.

use trueline_base::Span;

use super::doc::Cmd;
use crate::lexer::{Token, TokenKind};
use crate::syntax::Comment;

/// Turns tokens into commands, in the order of the text.
pub(super) struct Writer<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    next: usize,
    comments: &'a [Comment],
    cmds: Vec<Cmd>,
    /// How many of the next comments end the line that was written last.
    trailing: usize,
    /// Where the token or comment ends that was written last.
    end: u32,
    /// Whether a statement, member or item begins here.
    fresh: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(source: &'a str, tokens: Vec<Token>, comments: &'a [Comment]) -> Writer<'a> {
        Writer { source, tokens, next: 0, comments, cmds: Vec::new(), trailing: 0, end: 0, fresh: true }
    }

    /// The commands, when all tokens have been written.
    pub(super) fn finish(mut self) -> Vec<Cmd> {
        self.flush();
        debug_assert!(self.at(TokenKind::Eof) && self.comments.is_empty());
        self.cmds
    }

    pub(super) fn push(&mut self, cmd: Cmd) {
        match cmd {
            Cmd::Close | Cmd::Indent | Cmd::Dedent | Cmd::CommaIfBroken => {}
            Cmd::HardLine => self.flush(),
            _ => self.settle(),
        }
        self.cmds.push(cmd);
    }

    pub(super) fn space(&mut self) {
        self.push(Cmd::Space);
    }

    pub(super) fn peek(&self) -> Token {
        self.tokens[self.next]
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> Token {
        self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Word) && self.peek().span.text(self.source) == word
    }

    /// Whether the text below `span` stands on one line.
    pub(super) fn one_line(&self, span: Span) -> bool {
        !span.text(self.source).contains('\n')
    }

    /// Whether a line ends directly after the next token.
    pub(super) fn ends_line(&self) -> bool {
        let from = self.peek().span.end;
        self.lines(from, self.peek_second().span.start) > 0
    }

    /// Writes the next token, whatever it is, and the comments before it.
    pub(super) fn token(&mut self) {
        self.leading();
        let token = self.peek();
        self.push(Cmd::Text(token.span));
        self.fresh = false;
        self.advance(token);
    }

    /// Writes the next token, which has this kind.
    pub(super) fn take(&mut self, kind: TokenKind) {
        debug_assert_eq!(self.peek().kind, kind, "at {:?}", self.peek().span);
        self.token();
    }

    /// Leaves out the next token; its comments go with what follows.
    pub(super) fn omit(&mut self) {
        self.next += 1;
        self.trailing = self.find_trailing();
    }

    fn advance(&mut self, token: Token) {
        self.end = token.span.end;
        self.next += 1;
        self.trailing = self.find_trailing();
    }

    /// How many comments end the line of the token that was written last.
    fn find_trailing(&self) -> usize {
        let limit = self.peek().span.start;
        let (mut end, mut count) = (self.end, 0);
        while let Some(comment) = self.comments.get(count) {
            if comment.span.start > limit || self.lines(end, comment.span.start) > 0 {
                break;
            }
            end = comment.span.end;
            count += 1;
        }
        let next = self.comments.get(count).map_or(limit, |comment| comment.span.start.min(limit));
        let ends = self.at(TokenKind::Eof) && next == limit || self.lines(end, next) > 0;
        if ends { count } else { 0 }
    }

    /// Writes the comments that end the line, when one of them is `//`; otherwise a token may follow
    /// on the same line, and they go with it.
    fn settle(&mut self) {
        if self.comments[..self.trailing].iter().any(|comment| self.is_line(comment.span)) {
            self.flush();
        }
        self.trailing = 0;
    }

    /// Writes the comments that end the line.
    fn flush(&mut self) {
        let count = std::mem::take(&mut self.trailing);
        for n in 0..count {
            let comment = self.shift();
            if self.is_line(comment) {
                self.cmds.extend([Cmd::Trailing(comment), Cmd::Break]);
            } else {
                self.inline(comment, n == 0);
            }
        }
    }

    /// A comment among the tokens of a line, with blanks except next to brackets; `first` before its token.
    fn inline(&mut self, comment: Span, first: bool) {
        let previous = self.next.checked_sub(1).map(|at| self.tokens[at].kind);
        if !(first && matches!(previous, Some(TokenKind::LParen | TokenKind::LBracket))) {
            self.cmds.push(Cmd::Space);
        }
        self.cmds.push(Cmd::Comment(comment));
        if !matches!(
            self.peek().kind,
            TokenKind::RParen | TokenKind::RBracket | TokenKind::Comma | TokenKind::Semi
        ) {
            self.cmds.push(Cmd::Space);
        }
    }

    fn shift(&mut self) -> Span {
        let (first, rest) = self.comments.split_first().expect("a comment stands here");
        self.comments = rest;
        self.end = first.span.end;
        first.span
    }

    fn is_line(&self, comment: Span) -> bool {
        comment.text(self.source).starts_with("//")
    }

    fn lines(&self, from: u32, to: u32) -> usize {
        let gap = Span::new(from as usize, to as usize).text(self.source);
        gap.bytes().filter(|&byte| byte == b'\n').count()
    }

    /// Whether comments stand before the next token or end the line before it.
    pub(super) fn comments_here(&self) -> bool {
        self.trailing > 0 || self.commented()
    }

    /// Whether comments stand before the next token.
    pub(super) fn commented(&self) -> bool {
        self.comments.get(self.trailing).is_some_and(|comment| comment.span.start < self.peek().span.start)
    }

    /// Where the next comment or token begins.
    fn next_start(&self) -> u32 {
        let token = self.peek().span.start;
        self.comments.first().map_or(token, |comment| comment.span.start.min(token))
    }

    /// Writes the comments before the next token.
    pub(super) fn leading(&mut self) {
        self.settle();
        let (mut first, mut ended) = (true, false);
        while self.commented() {
            let own = self.end == 0 || self.lines(self.end, self.next_start()) > 0;
            if own && self.fresh && !first {
                self.blank();
            }
            if own {
                self.cmds.push(Cmd::FreshLine);
            }
            let comment = self.shift();
            ended = self.is_line(comment) || own && self.lines(self.end, self.next_start()) > 0;
            if self.is_line(comment) {
                self.cmds.extend([Cmd::Space, Cmd::Comment(comment)]);
            } else {
                self.inline(comment, first);
            }
            if ended {
                self.cmds.push(Cmd::Break);
            }
            first = false;
        }
        if ended && self.fresh {
            self.blank();
        }
    }

    /// Writes the comments before a bracket that closes what is indented.
    pub(super) fn dangling(&mut self) {
        self.settle();
        if self.commented() {
            let own = self.lines(self.end, self.next_start()) > 0;
            self.push(if own { Cmd::Line } else { Cmd::Space });
            self.leading();
        }
    }

    /// Keeps an empty line of the author.
    fn blank(&mut self) {
        if self.lines(self.end, self.next_start()) > 1 {
            self.cmds.push(Cmd::Blank);
        }
    }

    /// Begins the line of a statement, member or item; `first` in its block.
    pub(super) fn begin(&mut self, first: bool) {
        self.flush();
        if !first {
            self.blank();
        }
        self.cmds.push(Cmd::HardLine);
        self.fresh = true;
    }

    /// A blank before a token that continues a statement, or a new line when a comment ends this one.
    pub(super) fn space_or_line(&mut self, space: Cmd) {
        let ended = self.comments[..self.trailing].iter().any(|comment| self.is_line(comment.span));
        let own = self.trailing == 0 && self.commented() && self.lines(self.end, self.next_start()) > 0;
        if !ended && !own {
            self.leading();
        }
        self.push(if ended || own { Cmd::HardLine } else { space });
    }
}
