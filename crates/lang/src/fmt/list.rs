//! Lists between brackets, and blocks.

use trueline_base::Span;

use super::doc::Cmd;
use super::writer::Writer;
use crate::lexer::TokenKind;

/// How the parts of a list stand when they do not fit on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// `(a, b)`: one below the other.
    Plain,
    /// `[a, b]`: as `Plain` with a comma after the last, and broken when the author has a new line
    /// after the bracket.
    Kept,
    /// As `Kept`, with as many on a line as fit and no comma after the last.
    Filled,
    /// `{ a, b }`: as `Kept`, with blanks inside.
    Braced,
}

impl Writer<'_> {
    /// A bracket, `count` parts that `part` writes, and the closing bracket.
    pub(super) fn list(&mut self, layout: Layout, count: usize, mut part: impl FnMut(&mut Self, usize)) {
        let kept = layout != Layout::Plain && self.ends_line();
        let edge = if layout == Layout::Braced { Cmd::Line } else { Cmd::SoftLine };
        self.leading();
        self.push(Cmd::Open);
        self.token();
        if count > 0 {
            self.push(Cmd::Indent);
            if kept {
                self.push(Cmd::Force);
            }
            self.push(edge);
            for n in 0..count {
                part(self, n);
                if n + 1 < count {
                    self.take(TokenKind::Comma);
                    self.push(if layout == Layout::Filled { Cmd::FillLine } else { Cmd::Line });
                }
            }
            self.last_comma(matches!(layout, Layout::Braced | Layout::Kept));
            self.dangling();
            self.push(Cmd::Dedent);
            self.push(edge);
        }
        self.token();
        self.push(Cmd::Close);
    }

    /// The comma after the last part: there when the list is broken, if wanted.
    fn last_comma(&mut self, wanted: bool) {
        if wanted {
            self.push(Cmd::CommaIfBroken);
        }
        if self.at(TokenKind::Comma) {
            self.omit();
        }
    }

    /// A block of `count` parts that `part` writes. It stays on one line when `span` is on one line
    /// and it fits, except that a block which is not `alone` leaves that to the group around it.
    pub(super) fn braces(
        &mut self,
        span: Span,
        alone: bool,
        count: usize,
        mut part: impl FnMut(&mut Self, usize),
    ) {
        let one_line = self.one_line(span);
        self.space_or_line(Cmd::BraceSpace);
        if one_line && alone {
            self.leading();
            self.push(Cmd::Open);
        }
        self.take(TokenKind::LBrace);
        if count > 0 || self.comments_here() {
            self.push(Cmd::Indent);
            for n in 0..count {
                match one_line {
                    true => self.push(Cmd::Line),
                    false => self.begin(n == 0),
                }
                part(self, n);
            }
            if self.commented() {
                match one_line {
                    true => self.push(Cmd::Line),
                    false => self.begin(count == 0),
                }
                self.leading();
            }
            self.push(Cmd::Dedent);
            self.push(if one_line { Cmd::Line } else { Cmd::HardLine });
        }
        self.take(TokenKind::RBrace);
        if one_line && alone {
            self.push(Cmd::Close);
        }
    }
}
