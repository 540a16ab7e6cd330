//! Texts of a log as a page may hold them: short enough, visible, and never markup.

use crate::visible::hidden;

/// Bytes that a text may take in the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room(usize);

impl Room {
    /// For a note.
    pub const SHORT: Room = Room(600);
    /// For a sentence or a state.
    pub const LONG: Room = Room(4000);

    /// The room of each of `n` texts that share `bytes`.
    pub fn shared(bytes: usize, n: usize) -> Room {
        Room((bytes / n.max(1)).clamp(24, Room::LONG.0))
    }

    /// The text, or its beginning with an ellipsis.
    pub fn cut(self, text: &str) -> String {
        let mut out = String::new();
        let mut size = 0;
        for c in text.chars() {
            let start = out.len();
            show(c, &mut out);
            size += out[start..].chars().map(written).sum::<usize>();
            if size > self.0 {
                out.truncate(start);
                out.push('…');
                break;
            }
        }
        out
    }
}

/// Characters that cannot be seen, or that turn the text around them, become escapes.
fn show(c: char, out: &mut String) {
    if hidden(c) {
        out.extend(c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// Bytes that a character takes in [`harmless`] JSON.
fn written(c: char) -> usize {
    match c {
        '<' => 6,
        '"' | '\\' => 2,
        _ => c.len_utf8(),
    }
}

/// JSON without the characters that could end the element in which it stands.
pub(super) fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_what_they_take_in_the_page() {
        assert_eq!(Room(5).cut("abcde"), "abcde");
        assert_eq!(Room(5).cut("abcdef"), "abcde…");
        assert_eq!(Room(5).cut("<<"), "…");
        assert_eq!(Room(6).cut("<<"), "<…");
        assert_eq!(Room::shared(1000, 100).0, 24);
        assert_eq!(Room::shared(100_000, 1000).0, 100);
        assert_eq!(Room::shared(100_000, 0).0, 4000);
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(Room::LONG.cut("a\u{202e}b\nc\u{0}"), "a\\u{202e}b\\u{a}c\\u{0}");
        assert_eq!(Room::LONG.cut("שלום 漢字"), "שלום 漢字");
    }
}
