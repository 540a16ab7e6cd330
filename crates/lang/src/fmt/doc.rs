//! What the formatter tells the renderer: texts, and where lines may or must break.

use trueline_base::Span;

/// One command of a layout. Groups and indentation come in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cmd {
    /// A token.
    Text(Span),
    /// A comment among the tokens.
    Comment(Span),
    /// A comment at the end of a line; its width does not count.
    Trailing(Span),
    /// A comma that stands only when the group is broken.
    CommaIfBroken,
    /// A blank, unless a line begins or ends here.
    Space,
    /// A blank before `{`; a new line when the heading before it is broken.
    BraceSpace,
    /// A blank; a new line when the group is broken.
    Line,
    /// Nothing; a new line when the group is broken.
    SoftLine,
    /// A blank; a new line when the group is broken and what follows does not fit.
    FillLine,
    /// A new line.
    HardLine,
    /// A new line, unless one begins here.
    FreshLine,
    /// What follows stands on a new line; after a comment that ended its line.
    Break,
    /// The next new line follows an empty one.
    Blank,
    /// Breaks the groups around it.
    Force,
    /// Begins a group: all its lines break, or none.
    Open,
    /// Ends a group.
    Close,
    /// One level deeper from the next line on.
    Indent,
    /// Undoes `Indent`.
    Dedent,
}

impl Cmd {
    /// Whether the groups around it must break.
    pub(super) fn forces(self) -> bool {
        matches!(self, Cmd::HardLine | Cmd::FreshLine | Cmd::Break | Cmd::Blank | Cmd::Force)
    }
}
