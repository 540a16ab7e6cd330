//! Lines of Aldebaran text as nearly every tool writes them, read eight bytes at a time.
//!
//! A line that differs from one read not long ago in nothing but its numbers, which have at most
//! seven digits, has the same label. Every other line is left to `aut::transition`, which alone
//! knows what is right, what is wrong and where. Oracle: that function, in the test below.

use super::aut;
use super::error::{ReadError, ReadFault};
use super::lines::{Block, too_long};
use super::{Header, Step};
use crate::system::{LabelId, StateId};

/// Takes what is read.
pub(super) trait Sink {
    /// The label with this name, which may be one of those that mean tau.
    fn label(&mut self, name: &str) -> LabelId;
    /// A transition with a label that was given out.
    fn add(&mut self, step: Step) -> Result<(), ReadFault>;
}

/// Reads blocks of lines.
pub(super) struct Scanner {
    header: Header,
    spellings: Spellings,
    ends: Vec<u32>,
}

impl Scanner {
    pub(super) fn new(header: Header) -> Scanner {
        Scanner { header, spellings: Spellings::new(), ends: Vec::new() }
    }

    /// Hands over the transitions of a block. Says how many lines there are.
    pub(super) fn scan(&mut self, block: Block<'_>, sink: &mut impl Sink) -> Result<u64, ReadError> {
        let mut last = block.before;
        let Scanner { header, spellings, ends } = self;
        for (number, line) in block.lines(ends) {
            last = number;
            let step = match quickly(line, header, spellings) {
                Some(step) => step,
                None if line.trim_ascii().is_empty() && too_long(line.len()).is_none() => continue,
                None => {
                    let at = |(column, fault)| ReadError { line: number, column, fault };
                    let (source, name, target) = carefully(line, header).map_err(at)?;
                    let label = sink.label(name);
                    spellings.put(line, label);
                    Step { source, label, target }
                }
            };
            sink.add(step).map_err(|fault| ReadError { line: number, column: 1, fault })?;
        }
        Ok(last - block.before)
    }
}

#[inline]
fn quickly(line: &[u8], header: &Header, spellings: &Spellings) -> Option<Step> {
    let (source, between, target) = split(line)?;
    if source >= header.states || target >= header.states {
        return None;
    }
    let label = spellings.find(&between)?;
    Some(Step { source: StateId(source), label, target: StateId(target) })
}

fn carefully<'a>(line: &'a [u8], header: &Header) -> Result<(StateId, &'a str, StateId), (u64, ReadFault)> {
    match too_long(line.len()) {
        Some(column) => Err((column, ReadFault::LongLabel)),
        None => aut::transition(line.strip_suffix(b"\r").unwrap_or(line), header),
    }
}

/// The numbers of a line and what stands between them; `None` when it is not `(1…2)` or too short.
/// Of a number with more than seven digits, the others stand between.
#[inline(always)]
fn split(line: &[u8]) -> Option<(u32, Between<'_>, u32)> {
    let (source, digits) = leading(u64::from_le_bytes(*line.first_chunk()?))?;
    let from = 1 + digits;
    let (target, digits) = trailing(u64::from_le_bytes(*line.last_chunk()?))?;
    Some((source, Between::new(line, from, line.len() - 1 - digits)?, target))
}

/// Eight bytes of a line, the first one lowest.
#[inline]
fn word(line: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*line.get(at..)?.first_chunk()?))
}

const EACH: u64 = 0x0101_0101_0101_0101;

/// The top bits of some bytes: always of one that is no digit, never of a digit unless a lower byte
/// is no digit.
fn no_digit(word: u64) -> u64 {
    let zero_based = word ^ (EACH * u64::from(b'0'));
    // Above 9, a sum with 0x76 reaches the top bit, or goes beyond it when that was set before.
    (zero_based.wrapping_add(EACH * 0x76) | zero_based) & (EACH * 0x80)
}

/// The number behind the parenthesis that a line begins with, and how many digits it has; of more
/// than seven the first seven.
#[inline]
fn leading(word: u64) -> Option<(u32, usize)> {
    let digits = no_digit(word >> 8).trailing_zeros() / 8;
    let plain = word as u8 == b'(' && digits > 0;
    plain.then(|| (value(word >> 8 << (64 - 8 * digits)), digits as usize))
}

/// The number before the parenthesis that a line ends with, and how many digits it has; of more
/// than seven the last seven. It may leave out digits when others than ASCII stand before them.
#[inline]
fn trailing(word: u64) -> Option<(u32, usize)> {
    let digits = no_digit(word << 8).leading_zeros() / 8;
    let plain = word >> 56 == u64::from(b')') && digits > 0;
    plain.then(|| (value(word << 8 & !(u64::MAX >> (8 * digits))), digits as usize))
}

/// The value of up to eight digits, the last one in the highest byte, zero bytes in front: pairs,
/// then fours, then all.
fn value(word: u64) -> u32 {
    // Each product adds what is weighed to its neighbour above; what leaves the word is not needed.
    let pairs = (word & (EACH * 0x0f)).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32) as u32
}

/// What stands between the numbers of a line, with three words that tell most of them apart.
#[derive(Clone, Copy)]
struct Between<'a> {
    words: [u64; 3],
    text: &'a [u8],
}

/// So many bytes are all in the words.
const IN_WORDS: usize = 24;

impl<'a> Between<'a> {
    /// A part of a line; `None` when it is empty or fewer than eight bytes stand from its start on
    /// or up to its end.
    #[inline(always)]
    fn new(line: &'a [u8], from: usize, to: usize) -> Option<Between<'a>> {
        let text = line.get(from..to).filter(|text| !text.is_empty())?;
        // The first eight bytes, the last eight, and those before the last; when there are fewer,
        // each word is all of them.
        let others = 8 * 8usize.saturating_sub(text.len());
        let head = word(line, from)? << others >> others;
        let tail = word(line, to.checked_sub(8)?)? >> others;
        let before = word(line, to.saturating_sub(16).max(from))? << others >> others;
        Some(Between { words: [head, before, tail], text })
    }

    /// Where it is kept. Long ones that differ only further inside share a place.
    #[inline]
    fn slot(&self) -> usize {
        let [head, before, tail] = self.words;
        let h = head ^ before.rotate_left(41) ^ tail.rotate_left(23) ^ self.text.len() as u64;
        (h.wrapping_mul(0x517c_c1b7_2722_0a95) >> 54) as usize % SLOTS
    }
}

/// The labels met last, each in the one place that the bytes between the numbers decide.
struct Spellings {
    slots: Vec<Option<Spelling>>,
}

struct Spelling {
    words: [u64; 3],
    text: Box<[u8]>,
    label: LabelId,
}

/// A power of two.
const SLOTS: usize = 1 << 10;
/// Longer labels are not kept.
const KEPT: usize = 1 << 8;

impl Spellings {
    fn new() -> Spellings {
        Spellings { slots: std::iter::repeat_with(|| None).take(SLOTS).collect() }
    }

    #[inline]
    fn find(&self, between: &Between<'_>) -> Option<LabelId> {
        let known = self.slots[between.slot()].as_ref()?;
        let Between { words, text } = *between;
        let [head, before, tail] = known.words;
        // One branch, and no call to compare the words.
        let different = (head ^ words[0]) | (before ^ words[1]) | (tail ^ words[2]);
        let same = different == 0 && known.text.len() == text.len();
        (same && (text.len() <= IN_WORDS || *known.text == *text)).then_some(known.label)
    }

    /// Keeps what stands between the numbers of a line with this label.
    #[cold]
    fn put(&mut self, line: &[u8], label: LabelId) {
        let Some((_, between, _)) = split(line) else { return };
        let Between { words, text } = between;
        // Otherwise a number may reach into it.
        let apart = text[0] == b',' && matches!(text[text.len() - 1], b',' | b' ');
        if apart && text.len() <= KEPT {
            self.slots[between.slot()] = Some(Spelling { words, text: text.into(), label });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Random;

    const PIECES: &[&str] = &[
        "(",
        ")",
        ",",
        ", ",
        " ",
        "\"",
        "\"a\"",
        "a",
        "tau",
        "put(1,2)",
        "\"put(1,2)\"",
        "\"a label of more than sixteen bytes\"",
        "\"a label of more than SIXTEEN bytes\"",
        "\r",
        "\t",
        "ü",
        "a,",
        ":",
        "/",
        "\u{c}",
    ];

    const NUMBERS: &[&str] = &["0", "7", "12", "1234567", "9999999", "12345678", "123456789", "99999999999"];

    /// Lines that are right or nearly so, many of them with the same label.
    fn sample_line(seed: u64) -> String {
        let mut random = Random::new(seed);
        let mut pick = |from: &[&'static str]| from[random.below(from.len() as u64) as usize];
        let mut line = ["(", pick(NUMBERS), ", ", pick(PIECES), ",", pick(NUMBERS), ")"];
        if seed.is_multiple_of(2) {
            line[(seed / 2 % 7) as usize] = pick(PIECES);
        }
        line.concat()
    }

    #[test]
    fn lines_are_read_as_carefully_read_ones() {
        let header = Header { initial: 0, transitions: 0, states: u32::MAX };
        let mut spellings = Spellings::new();
        let mut names: Vec<String> = Vec::new();
        let mut labels_read: Vec<usize> = vec![0; 10_000];
        for seed in 0..200_000 {
            let line = sample_line(seed);
            let want = carefully(line.as_bytes(), &header);
            if let Some(step) = quickly(line.as_bytes(), &header, &spellings) {
                let want = want.unwrap_or_else(|fault| panic!("{line:?}: {fault:?}"));
                let got = (step.source, names[step.label.index()].as_str(), step.target);
                assert_eq!(got, want, "{line:?}");
                labels_read[step.label.index()] += 1;
            } else if let Ok((_, name, _)) = want {
                let label = names.iter().position(|n| n == name).unwrap_or_else(|| {
                    names.push(name.to_string());
                    names.len() - 1
                });
                spellings.put(line.as_bytes(), LabelId(label as u32));
            }
        }
        let read = |name: &str| labels_read[names.iter().position(|n| n == name).unwrap()];
        assert!(labels_read.iter().sum::<usize>() > 10_000);
        for name in
            ["a", "put(1,2)", "a label of more than sixteen bytes", "a label of more than SIXTEEN bytes"]
        {
            assert!(read(name) > 200, "{name}: {}", read(name));
        }
    }

    #[test]
    fn numbers_of_all_lengths() {
        for number in (0..1000).chain([12345, 999_999, 1_000_000, 9_999_999, 1_234_567]) {
            for around in [":", "/", "x", " ", "(", "\u{7f}", "\0", ","] {
                let (text, fill) = (number.to_string(), around.repeat(8));
                let line = format!("({text}{fill}{text})");
                let bytes = line.as_bytes();
                let first = leading(u64::from_le_bytes(*bytes.first_chunk().unwrap()));
                let last = trailing(u64::from_le_bytes(*bytes.last_chunk().unwrap()));
                assert_eq!((first, last), (Some((number, text.len())), Some((number, text.len()))), "{line}");
            }
        }
        let word = |text: &[u8; 8]| u64::from_le_bytes(*text);
        assert_eq!(leading(word(b"(1234567")), Some((1_234_567, 7)));
        assert_eq!(trailing(word(b"1234567)")), Some((1_234_567, 7)));
        for text in [b"1234567)", b"(x123456", b"((((((((", b"))))))))"] {
            assert_eq!(leading(word(text)), None);
        }
        for text in [b"(1234567", b"123456x)", b"((((((((", b"))))))))"] {
            assert_eq!(trailing(word(text)), None);
        }
    }

    #[test]
    fn spellings_are_told_apart() {
        let header = Header { initial: 0, transitions: 0, states: 10 };
        let mut spellings = Spellings::new();
        let lines: Vec<String> = (0..4000)
            .map(|i| ["", "a", "abcdefgh", "one long prefix of "][i % 4].repeat(i % 3) + &i.to_string())
            .chain((0..600).map(|i| format!("{}{i}{}", "x".repeat(9), "y".repeat(9))))
            .map(|name| format!("(1, \"{name}\", 2)"))
            .collect();
        let find = |spellings: &Spellings, line: &String| {
            quickly(line.as_bytes(), &header, spellings).map(|step| step.label.index())
        };
        for (i, line) in lines.iter().enumerate() {
            spellings.put(line.as_bytes(), LabelId(i as u32));
            assert_eq!(find(&spellings, line), Some(i));
        }
        let kept: Vec<Option<usize>> = lines.iter().map(|line| find(&spellings, line)).collect();
        assert!(kept.iter().flatten().count() > 500);
        assert!(kept.iter().enumerate().all(|(i, found)| found.is_none_or(|label| lines[label] == lines[i])));
    }
}
