//! Colour and width.

use trueline_base::verdict::Decision;

/// How text is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour.
    pub colour: bool,
    /// Characters in a line.
    pub width: usize,
    /// Whether rows that change nothing are folded.
    pub fold: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 110, fold: true }
    }
}

impl Style {
    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.into() }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn warn(&self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(crate) fn bad(&self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn verdict(&self, decision: Decision, as_expected: bool, text: &str) -> String {
        let code = match (decision, as_expected) {
            (Decision::Unknown, _) => "1;33",
            (_, true) => "1;32",
            (_, false) => "1;31",
        };
        self.paint(code, text)
    }
}

/// The text with spaces up to a width.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

/// The text cut to a width, with `…` where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The text in lines of at most this width, broken at spaces.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_padded_cut_and_wrapped_by_characters() {
        assert_eq!(pad("→", 3), "→  ");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 3), ["unbreakable"]);
    }
}
