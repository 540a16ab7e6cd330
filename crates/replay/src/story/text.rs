//! The text of a statement in the model.

use trueline_base::Span;

/// Most characters of a statement in a row.
const WIDTH: usize = 64;

/// The line of a statement and its text on one line.
pub fn statement(source: &str, span: Span) -> (u32, String) {
    let (line, _) = span.line_column(source);
    let text = span.text(source);
    let first = text.lines().next().unwrap_or("").trim();
    let before = &source[..(span.start as usize).min(source.len())];
    let opening = before.rsplit('\n').next().unwrap_or("").trim_end();
    let whole = text.trim().lines().count() <= 1;
    let mut shown = first.trim_end_matches([';', ' ']).to_string();
    if !whole || shown.ends_with('{') {
        shown = format!("{} …", shown.trim_end_matches(['{', ' ']));
    }
    // A condition reads better with the word before it.
    for word in ["if", "while", "await", "assert", "assume", "return", "match"] {
        let starts =
            |rest: &str| rest.is_empty() || !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if opening.strip_suffix(word).is_some_and(starts) && !first.is_empty() {
            shown = format!("{word} {shown}");
        }
    }
    (line, shorten(&shown))
}

fn shorten(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= WIDTH {
        return words;
    }
    let cut: String = words.chars().take(WIDTH - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &str, part: &str) -> (u32, String) {
        let start = source.find(part).expect("the part occurs");
        statement(source, Span::new(start, start + part.len()))
    }

    #[test]
    fn a_statement_loses_its_semicolon_and_a_condition_gets_its_word() {
        let source = "op f() {\n    let c = n;\n    if c == Head { return c; }\n    atomic {\n n = 1;\n }\n}";
        assert_eq!(at(source, "let c = n;"), (2, "let c = n".into()));
        assert_eq!(at(source, "c == Head"), (3, "if c == Head".into()));
        assert_eq!(at(source, "return c;"), (3, "return c".into()));
        assert_eq!(at(source, "atomic {\n n = 1;\n }"), (4, "atomic …".into()));
    }

    #[test]
    fn a_span_outside_the_text_is_empty() {
        assert_eq!(statement("x", Span::new(5, 9)).1, "");
    }
}
