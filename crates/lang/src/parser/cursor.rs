//! The parser's place in the tokens, what it says when something else stands there, and its limits.

use trueline_base::{Diagnostic, Span};

use crate::lexer::{Lexed, Token, TokenKind};
use crate::syntax::Name;

/// How deep brackets, blocks, types and prefixes may nest.
pub(super) const MAX_DEPTH: u32 = 200;
/// How high the tree of one expression may be: chains such as `a + b + c` grow it to the left.
pub(super) const MAX_HEIGHT: u32 = 500;
/// How many errors of one text are reported.
const MAX_ERRORS: usize = 500;

/// Where client programs differ from bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Everything but the following.
    Body,
    /// In the calls of a check: an argument may be a range, and `or` separates calls.
    Client,
    /// As `Client`, and the last `;` of a block may be missing.
    CommandLine,
}

/// The state of the parser.
pub(super) struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    pos: usize,
    errors: Vec<Diagnostic>,
    /// How many of the errors are the lexer's; they come first, by place.
    lexical: usize,
    /// How many errors were not even kept.
    dropped: usize,
    last_error: Option<usize>,
    depth: u32,
    /// The height of the expression or type that was read last.
    pub(super) height: u32,
    /// Whether this item was found to be too deep; nothing further is then said about it.
    pub(super) deep: bool,
    /// What is being read.
    pub(super) mode: Mode,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, lexed: Lexed) -> Parser<'s> {
        Parser {
            source,
            tokens: lexed.tokens,
            pos: 0,
            dropped: 0,
            lexical: lexed.errors.len(),
            errors: lexed.errors,
            last_error: None,
            depth: 0,
            height: 0,
            deep: false,
            mode: Mode::Body,
        }
    }

    /// The errors, by place.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.errors.sort_by_key(|error| error.span);
        if self.errors.len() > MAX_ERRORS {
            let rest = self.errors.len() - MAX_ERRORS + self.dropped;
            self.errors.truncate(MAX_ERRORS);
            let end = self.errors[MAX_ERRORS - 1].span;
            self.errors.push(Diagnostic::error(
                "E0027",
                end,
                format!("{rest} further errors follow from here on"),
            ));
        }
        self.errors
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.nth(0)
    }

    pub(super) fn nth(&self, n: usize) -> TokenKind {
        self.tokens[(self.pos + n).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.pos].span
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// The text of the token, when it is a word.
    pub(super) fn word(&self) -> &'s str {
        self.nth_word(0)
    }

    pub(super) fn nth_word(&self, n: usize) -> &'s str {
        match self.tokens.get(self.pos + n) {
            Some(token) if token.kind == TokenKind::Word => token.span.text(self.source),
            _ => "",
        }
    }

    /// The text of the token, whatever it is.
    pub(super) fn text(&self) -> &'s str {
        self.span().text(self.source)
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.word() == word
    }

    /// Whether the token is the first of its line.
    pub(super) fn starts_line(&self) -> bool {
        let from = self.previous().end as usize;
        self.source[from..self.span().start as usize].contains('\n')
    }

    /// Whether the token follows the previous one without a gap.
    pub(super) fn adjacent(&self) -> bool {
        self.previous().end == self.span().start
    }

    /// Where the previous token stands.
    pub(super) fn previous(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(pos) => self.tokens[pos].span,
            None => Span::new(0, 0).of(self.tokens[0].span.source),
        }
    }

    /// Moves past the token.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// From `start` to the end of the previous token.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { end: self.previous().end.max(start.start), ..start }
    }

    /// What stands here, for a message.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::Word | TokenKind::Int => format!("`{}`", shorten(self.text())),
            kind => kind.spelling().to_string(),
        }
    }

    /// Reports, unless something was reported at this token or just before it.
    pub(super) fn report(&mut self, error: Diagnostic) {
        if self.last_error != Some(self.pos) && !self.deep && !self.after_strange() {
            self.last_error = Some(self.pos);
            match self.errors.len() - self.lexical < 2 * MAX_ERRORS {
                true => self.errors.push(error),
                false => self.dropped += 1,
            }
        }
    }

    /// Whether something that is no token was left out just before this token.
    fn after_strange(&self) -> bool {
        let lexical = &self.errors[..self.lexical];
        let next = lexical.partition_point(|error| error.span.start < self.previous().end);
        lexical.get(next).is_some_and(|error| error.span.start < self.span().start)
    }

    /// Keeps quiet about this token: what is wrong with it follows from what was reported.
    pub(super) fn hush(&mut self) {
        self.last_error = Some(self.pos);
    }

    /// "expected `what`, found …" at this token.
    pub(super) fn expected(&mut self, code: &'static str, what: &str) {
        let message = format!("expected {what}, found {}", self.found());
        self.report(Diagnostic::error(code, self.span(), message));
    }

    /// "expected `what`" at the previous token, which has been read.
    pub(super) fn misread(&mut self, code: &'static str, what: &str) {
        let span = self.previous();
        self.report(Diagnostic::error(
            code,
            span,
            format!("expected {what}, found `{}`", shorten(span.text(self.source))),
        ));
    }

    /// Reads `kind` or says that it is missing after `what`.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected("E0006", &format!("{} {what}", kind.spelling()));
        }
        found
    }

    /// Reads the bracket that closes the one at `open`.
    pub(super) fn close(&mut self, kind: TokenKind, open: Span) {
        if !self.eat(kind) {
            let message = format!("expected {}, found {}", kind.spelling(), self.found());
            self.report(Diagnostic::error("E0014", self.span(), message).label(open, "opened here"));
        }
    }

    /// Reads any word as a name; empty when there is none.
    pub(super) fn name(&mut self, of: &str) -> Name {
        let span = self.span();
        if self.at(TokenKind::Word) {
            let text = self.word().to_string();
            self.bump();
            return Name { text, span };
        }
        self.expected("E0010", &format!("the name of {of}"));
        Name { text: String::new(), span: Span { end: span.start, ..span } }
    }

    /// Reads one level deeper; `None` when that is too deep, which is then reported.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == MAX_DEPTH {
            self.too_deep();
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    pub(super) fn too_deep(&mut self) {
        let message = format!(
            "this nests more than {MAX_DEPTH} levels deep, or chains more than {MAX_HEIGHT} operators"
        );
        self.last_error = None;
        self.report(
            Diagnostic::error("E0005", self.span(), message).help("move a part into a `fn` or a `let`"),
        );
        self.deep = true;
    }
}

/// The beginning of a text that may be very long.
pub(super) fn shorten(text: &str) -> String {
    if text.len() <= 40 { text.to_string() } else { format!("{}…", &text[..40]) }
}
