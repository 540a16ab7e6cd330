//! Texts of a log as a terminal or a page may show them: what cannot be seen, or turns the text around it, is spelled out.

use std::borrow::Cow;

/// Whether a character is shown as an escape.
pub(crate) fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

/// A text, of several lines perhaps, without characters that steer a terminal or cannot be seen.
pub fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| hidden(c) && c != '\n';
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match steers(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(visible("red \u{1b}[31m\r\u{9b}1m"), "red \\u{1b}[31m\\u{d}\\u{9b}1m");
        assert!(matches!(visible("plain 漢字"), Cow::Borrowed(_)));
    }
}
