//! Commands into text: groups are broken from the outside in until lines fit.
//!
//! After the pretty printer of Wadler ("A prettier printer", 2003), on a flat list of commands
//! instead of a tree. Cost: each group looks ahead at most one line.

use trueline_base::Span;

use super::doc::Cmd;
use super::{INDENT, WIDTH};

/// The text that `cmds` lay out.
pub(super) fn render(source: &str, cmds: &[Cmd]) -> String {
    let mut renderer = Renderer { source, cmds, forced: forced(cmds), ..Renderer::default() };
    for at in 0..cmds.len() {
        renderer.step(at);
    }
    renderer.finish()
}

/// For every `Open`, whether something in its group forces it to break.
fn forced(cmds: &[Cmd]) -> Vec<bool> {
    let mut forced = vec![false; cmds.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, cmd) in cmds.iter().enumerate() {
        match cmd {
            Cmd::Open => open.push(at),
            Cmd::Close => {
                let inner = open.pop().expect("groups come in pairs");
                if let Some(&outer) = open.last() {
                    forced[outer] |= forced[inner];
                }
            }
            cmd if cmd.forces() => {
                if let Some(&inner) = open.last() {
                    forced[inner] = true;
                }
            }
            _ => {}
        }
    }
    forced
}

/// A comment at the end of a line: where it begins, and the line and column of that place.
struct Trailing {
    at: usize,
    line: usize,
    column: usize,
    indent: usize,
    width: usize,
}

#[derive(Default)]
struct Renderer<'a> {
    source: &'a str,
    cmds: &'a [Cmd],
    forced: Vec<bool>,
    text: String,
    line: usize,
    column: usize,
    line_indent: usize,
    levels: usize,
    /// Whether each open group is broken.
    broken: Vec<bool>,
    /// Whether nothing but comments stands on this line.
    only_comments: bool,
    space: bool,
    blank: bool,
    break_next: bool,
    trailing: Vec<Trailing>,
}

impl Renderer<'_> {
    fn step(&mut self, at: usize) {
        let broken = self.broken.last().copied().unwrap_or(true);
        match self.cmds[at] {
            Cmd::Text(span) => {
                self.put(span);
                self.only_comments = false;
            }
            Cmd::Comment(span) => self.put(span),
            Cmd::Trailing(span) => self.put_trailing(span),
            Cmd::CommaIfBroken if broken => {
                self.text.push(',');
                self.column += 1;
            }
            Cmd::Line | Cmd::SoftLine if broken => self.newline(self.levels * INDENT),
            Cmd::FillLine if broken && !self.fits(at + 1, true) => self.newline(self.levels * INDENT),
            Cmd::FillLine if self.cmds.get(at + 1) == Some(&Cmd::FreshLine) => {
                self.newline(self.levels * INDENT);
            }
            Cmd::Space | Cmd::Line | Cmd::FillLine => self.space = true,
            Cmd::BraceSpace if self.line_indent > self.levels * INDENT => self.newline(self.levels * INDENT),
            Cmd::BraceSpace => self.space = true,
            Cmd::HardLine => self.newline(self.levels * INDENT),
            Cmd::FreshLine if self.column > 0 => self.newline(self.continuation()),
            Cmd::Break => self.break_next = true,
            Cmd::Blank => self.blank = true,
            Cmd::Open => {
                let fits = !self.forced[at] && (!broken || self.fits(at, self.space));
                self.broken.push(!fits);
            }
            Cmd::Close => _ = self.broken.pop(),
            Cmd::Indent => self.levels += 1,
            Cmd::Dedent => self.levels -= 1,
            Cmd::CommaIfBroken | Cmd::SoftLine | Cmd::FreshLine | Cmd::Force => {}
        }
    }

    /// Where a line begins that nothing but a comment has broken.
    fn continuation(&self) -> usize {
        if self.only_comments { self.line_indent } else { (self.levels + 1) * INDENT }
    }

    fn newline(&mut self, indent: usize) {
        if !self.text.is_empty() {
            self.text.push('\n');
            self.line += 1;
            if self.blank {
                self.text.push('\n');
                self.line += 1;
            }
        }
        (self.column, self.line_indent, self.only_comments) = (0, indent, true);
        (self.space, self.blank, self.break_next) = (false, false, false);
    }

    fn put(&mut self, span: Span) {
        if self.break_next {
            self.newline(self.continuation());
        }
        if self.column == 0 {
            self.text.extend(std::iter::repeat_n(' ', self.line_indent));
            self.column = self.line_indent;
        } else if self.space {
            self.text.push(' ');
            self.column += 1;
        }
        self.space = false;
        for (n, line) in lines(span.text(self.source)).enumerate() {
            if n > 0 {
                self.text.push('\n');
                self.line += 1;
                self.column = 0;
            }
            self.text.push_str(line);
            self.column += line.chars().count();
        }
    }

    fn put_trailing(&mut self, span: Span) {
        let alone = self.column == 0 || self.break_next;
        self.space = true;
        let at = self.text.len() + 1;
        let (line, column, indent) = (self.line, self.column + 1, self.line_indent);
        self.put(span);
        if !alone && span.text(self.source).starts_with("//") {
            self.trailing.push(Trailing { at, line, column, indent, width: self.column - column });
        }
    }

    /// Whether what follows `at` fits on the line up to the next place outside its group where a
    /// line may break; `space` before it.
    fn fits(&self, at: usize, mut space: bool) -> bool {
        let start = match self.column {
            _ if self.break_next => self.continuation(),
            0 => self.line_indent,
            column => column,
        };
        space &= start == self.column;
        let mut room = WIDTH.saturating_sub(start);
        let (mut depth, mut opened) = (0usize, false);
        for (n, &cmd) in self.cmds[at..].iter().enumerate() {
            match cmd {
                Cmd::Text(span) | Cmd::Comment(span) => {
                    let width = usize::from(space) + span.text(self.source).chars().count();
                    if width > room {
                        return false;
                    }
                    room -= width;
                    space = false;
                }
                Cmd::Space | Cmd::BraceSpace => space = true,
                Cmd::Line | Cmd::FillLine if depth > 0 => space = true,
                Cmd::SoftLine if depth > 0 => {}
                Cmd::Line | Cmd::FillLine | Cmd::SoftLine | Cmd::Trailing(_) => return true,
                Cmd::HardLine | Cmd::FreshLine | Cmd::Break => return true,
                // A group after the first one decides for itself.
                Cmd::Open if depth > 0 || !opened => {
                    if self.forced[at + n] {
                        return false;
                    }
                    depth += 1;
                    opened = true;
                }
                Cmd::Close => (depth, opened) = (depth.saturating_sub(1), true),
                _ => {}
            }
        }
        true
    }

    /// The text, with comments at the ends of neighbouring lines below each other.
    fn finish(self) -> String {
        let mut text = String::with_capacity(self.text.len() + 1);
        let mut copied = 0;
        let together = |a: &Trailing, b: &Trailing| a.line + 1 == b.line && a.indent == b.indent;
        for run in self.trailing.chunk_by(together) {
            let column = run.iter().map(|comment| comment.column).max().unwrap_or(0);
            let fits = run.iter().all(|comment| column + comment.width <= WIDTH);
            for comment in run {
                text.push_str(&self.text[copied..comment.at]);
                copied = comment.at;
                if fits {
                    text.extend(std::iter::repeat_n(' ', column - comment.column));
                }
            }
        }
        text.push_str(&self.text[copied..]);
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// The lines of a token or comment, without the blanks at the end of the last.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}
