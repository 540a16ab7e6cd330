//! Text into tokens. Words are not classified here: the parser decides by place which are reserved.

use logos::Logos;
use trueline_base::{Diagnostic, SourceId, Span};

use crate::syntax::Comment;

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip "[ \t\r\n\u{c}\u{feff}]+")]
#[allow(missing_docs)]
pub enum TokenKind {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex("[0-9][0-9A-Za-z_]*")]
    Int,
    #[regex("'[A-Za-z_][A-Za-z0-9_]*")]
    Label,
    #[token("\"", string)]
    String,
    #[regex("//[^\n]*")]
    #[token("/*", block_comment)]
    Comment,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("..=")]
    DotDotEq,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("=")]
    Assign,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Bang,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Caret,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("+=")]
    PlusEq,
    #[token("-=")]
    MinusEq,
    #[token("*=")]
    StarEq,
    #[token("/=")]
    SlashEq,
    #[token("%=")]
    PercentEq,
    #[token("&=")]
    AndEq,
    #[token("|=")]
    OrEq,
    #[token("^=")]
    CaretEq,
    #[token("<<=")]
    ShlEq,
    #[token(">>=")]
    ShrEq,
    #[token("?")]
    Question,
    #[token("@")]
    At,
    /// The end of the text; always the last token.
    Eof,
}

impl TokenKind {
    /// How the kind is written, for messages.
    pub fn spelling(self) -> &'static str {
        match self {
            TokenKind::Word => "a name",
            TokenKind::Int => "a number",
            TokenKind::Label => "a label",
            TokenKind::String => "a string",
            TokenKind::Comment => "a comment",
            TokenKind::LParen => "`(`",
            TokenKind::RParen => "`)`",
            TokenKind::LBracket => "`[`",
            TokenKind::RBracket => "`]`",
            TokenKind::LBrace => "`{`",
            TokenKind::RBrace => "`}`",
            TokenKind::Comma => "`,`",
            TokenKind::Semi => "`;`",
            TokenKind::Colon => "`:`",
            TokenKind::Dot => "`.`",
            TokenKind::DotDot => "`..`",
            TokenKind::DotDotEq => "`..=`",
            TokenKind::Arrow => "`->`",
            TokenKind::FatArrow => "`=>`",
            TokenKind::Assign => "`=`",
            TokenKind::EqEq => "`==`",
            TokenKind::NotEq => "`!=`",
            TokenKind::Lt => "`<`",
            TokenKind::Le => "`<=`",
            TokenKind::Gt => "`>`",
            TokenKind::Ge => "`>=`",
            TokenKind::Plus => "`+`",
            TokenKind::Minus => "`-`",
            TokenKind::Star => "`*`",
            TokenKind::Slash => "`/`",
            TokenKind::Percent => "`%`",
            TokenKind::Bang => "`!`",
            TokenKind::AndAnd => "`&&`",
            TokenKind::OrOr => "`||`",
            TokenKind::And => "`&`",
            TokenKind::Or => "`|`",
            TokenKind::Caret => "`^`",
            TokenKind::Shl => "`<<`",
            TokenKind::Shr => "`>>`",
            TokenKind::PlusEq => "`+=`",
            TokenKind::MinusEq => "`-=`",
            TokenKind::StarEq => "`*=`",
            TokenKind::SlashEq => "`/=`",
            TokenKind::PercentEq => "`%=`",
            TokenKind::AndEq => "`&=`",
            TokenKind::OrEq => "`|=`",
            TokenKind::CaretEq => "`^=`",
            TokenKind::ShlEq => "`<<=`",
            TokenKind::ShrEq => "`>>=`",
            TokenKind::Question => "`?`",
            TokenKind::At => "`@`",
            TokenKind::Eof => "the end of the text",
        }
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Which.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
}

/// What the lexer makes of a text.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The tokens without comments; the last is `TokenKind::Eof`.
    pub tokens: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// What is no token.
    pub errors: Vec<Diagnostic>,
}

/// Cuts `source` into tokens, whose spans are about the text with this number. What is no token is reported and left
/// out.
pub fn lex(source: &str, id: SourceId) -> Lexed {
    let mut lexed = Lexed::default();
    let mut strange: Option<Span> = None;
    for (kind, range) in TokenKind::lexer(source).spanned() {
        let span = Span::new(range.start, range.end).of(id);
        match kind {
            Ok(TokenKind::Comment) => lexed.comments.push(Comment { span }),
            Ok(kind) => lexed.tokens.push(Token { kind, span }),
            Err(()) => match source.as_bytes()[range.start] {
                b'/' => lexed.errors.push(
                    Diagnostic::error(
                        "E0002",
                        Span::new(range.start, range.start + 2).of(id),
                        "this comment does not end",
                    )
                    .help("close it with `*/`; such comments do not nest"),
                ),
                b'"' => lexed.errors.push(
                    Diagnostic::error("E0003", span, "this string does not end on its line")
                        .help("close it with `\"`"),
                ),
                _ => match &mut strange {
                    Some(last) if last.end == span.start => last.end = span.end,
                    _ => lexed.errors.extend(strange.replace(span).map(|span| unexpected(source, span))),
                },
            },
        }
    }
    lexed.errors.extend(strange.map(|span| unexpected(source, span)));
    lexed.errors.sort_by_key(|error| error.span);
    let end = Span::new(source.len(), source.len()).of(id);
    lexed.tokens.push(Token { kind: TokenKind::Eof, span: end });
    lexed
}

fn unexpected(source: &str, span: Span) -> Diagnostic {
    let text = span.text(source);
    let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
    let error = Diagnostic::error("E0001", span, format!("expected a token, found `{shown}`"));
    match text {
        "~" => error.help("the language has no `~`; write `-1 - x`, or `x ^ MASK`"),
        "'" => error.help("names consist of letters, digits and `_`"),
        "#" => error.help("a comment starts with `//`"),
        _ => error
            .help("names consist of ASCII letters, digits and `_`; other characters stand only in comments"),
    }
}

fn block_comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find("*/");
    lexer.bump(end.map_or(rest.len(), |end| end + 2));
    end.is_some()
}

fn string(lexer: &mut logos::Lexer<'_, TokenKind>) -> bool {
    let rest = lexer.remainder();
    let line = rest.find('\n').unwrap_or(rest.len());
    let end = rest[..line].find('"');
    lexer.bump(end.map_or(line, |end| end + 1));
    end.is_some()
}
