//! Lines of Aldebaran text as nearly every tool writes them, read eight bytes at a time.
//!
//! `(from, label, to)` with at most one blank after a comma, numbers of at most eight digits and a
//! label met not long ago. Whatever else stands in a line is left to `aut::transition`, which alone
//! knows what is wrong and where. Oracle: that function, in the test below.

use super::aut;
use super::error::{Fault, ReadError};
use super::lines::{Block, too_long};
use super::{Collector, Header, Step};
use crate::system::{LabelId, StateId};

/// Reads blocks of lines.
pub(super) struct Scanner {
    header: Header,
    spellings: Spellings,
}

impl Scanner {
    pub(super) fn new(header: Header) -> Scanner {
        Scanner { header, spellings: Spellings::new() }
    }

    /// Collects the transitions of a block. Says how many lines there are.
    pub(super) fn scan(&mut self, block: Block<'_>, collector: &mut Collector<'_>) -> Result<u64, ReadError> {
        let mut last = block.before;
        for (number, line) in block.lines() {
            last = number;
            let step = match self.quickly(line) {
                Some(step) => step,
                None if line.trim_ascii().is_empty() && too_long(line.len()).is_none() => continue,
                None => {
                    let at = |(column, fault)| ReadError { line: number, column, fault };
                    let (source, name, target) = carefully(line, &self.header).map_err(at)?;
                    let label = collector.label(name);
                    self.spellings.put(name.as_bytes(), label);
                    Step { source, label, target }
                }
            };
            collector.add(step).map_err(|fault| ReadError { line: number, column: 1, fault })?;
        }
        Ok(last - block.before)
    }

    #[inline]
    fn quickly(&self, line: &[u8]) -> Option<Step> {
        let Plain { source, label, target } = plain(line)?;
        if source >= self.header.states || target >= self.header.states {
            return None;
        }
        let label = self.spellings.find(label)?;
        Some(Step { source: StateId(source), label, target: StateId(target) })
    }
}

fn carefully<'a>(line: &'a [u8], header: &Header) -> Result<(StateId, &'a str, StateId), (u64, Fault)> {
    match too_long(line.len()) {
        Some(column) => Err((column, Fault::LongLabel)),
        None => aut::transition(line.strip_suffix(b"\r").unwrap_or(line), header),
    }
}

/// A transition as written, the label without quotation marks.
#[derive(Debug, PartialEq, Eq)]
struct Plain<'a> {
    source: u32,
    label: &'a [u8],
    target: u32,
}

/// Reads a line from both ends; `None` when it is not written plainly.
#[inline]
fn plain(line: &[u8]) -> Option<Plain<'_>> {
    let (start, end) = (line.strip_prefix(b"(")?, line.strip_suffix(b")")?);
    let (source, digits) = leading(start.first_chunk()?)?;
    let mut from = 1 + digits;
    if *line.get(from)? != b',' {
        return None;
    }
    from += 1 + usize::from(line.get(from + 1) == Some(&b' '));
    let (target, digits) = trailing(end.last_chunk()?)?;
    let mut to = end.len() - digits;
    to -= usize::from(*line.get(to.checked_sub(1)?)? == b' ');
    to = to.checked_sub(1)?;
    if line[to] != b',' {
        return None;
    }
    let label = line.get(from..to)?;
    // Blanks around a label do not belong to it.
    match label {
        [b'"', inner @ .., b'"'] => Some(Plain { source, label: inner, target }),
        [first, .., last] if *first > b' ' && *last > b' ' => Some(Plain { source, label, target }),
        [only] if *only > b' ' => Some(Plain { source, label, target }),
        _ => None,
    }
}

const EACH: u64 = 0x0101_0101_0101_0101;

/// The top bit of every byte that is no digit.
fn no_digit(word: u64) -> u64 {
    let zero_based = word ^ (EACH * u64::from(b'0'));
    // Above 9, a sum with 0x76 reaches the top bit; 0x80 and more have it already.
    (((zero_based & (EACH * 0x7f)) + EACH * 0x76) | zero_based) & (EACH * 0x80)
}

/// The number that some bytes begin with and its digits, of which there are one to seven.
fn leading(bytes: &[u8; 8]) -> Option<(u32, usize)> {
    let word = u64::from_le_bytes(*bytes);
    let digits = no_digit(word).trailing_zeros() / 8;
    if digits == 0 || digits == 8 {
        return None;
    }
    Some((value(word << (64 - 8 * digits)), digits as usize))
}

/// The number that some bytes end with and its digits, of which there are one to seven.
fn trailing(bytes: &[u8; 8]) -> Option<(u32, usize)> {
    let word = u64::from_le_bytes(*bytes);
    let digits = no_digit(word).leading_zeros() / 8;
    if digits == 0 || digits == 8 {
        return None;
    }
    Some((value(word & !(u64::MAX >> (8 * digits))), digits as usize))
}

/// The value of up to eight digits, the last one in the highest byte, zero bytes in front: pairs,
/// then fours, then all.
fn value(word: u64) -> u32 {
    let digits = word & (EACH * 0x0f);
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    ((fours & 0xffff) * 10_000 + (fours >> 32)) as u32
}

/// The labels met last, each in the one place that its bytes decide.
struct Spellings {
    slots: Vec<Option<Spelling>>,
}

struct Spelling {
    head: u64,
    tail: u64,
    name: Box<[u8]>,
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
    fn find(&self, name: &[u8]) -> Option<LabelId> {
        let (head, tail) = ends(name);
        let known = self.slots[slot(name, head, tail)].as_ref()?;
        let same = known.head == head && known.tail == tail && known.name.len() == name.len();
        // Head and tail are all of a short name.
        (same && (name.len() <= 16 || *known.name == *name)).then_some(known.label)
    }

    fn put(&mut self, name: &[u8], label: LabelId) {
        if name.len() <= KEPT {
            let (head, tail) = ends(name);
            self.slots[slot(name, head, tail)] = Some(Spelling { head, tail, name: name.into(), label });
        }
    }
}

/// The first and the last eight bytes; those of a name shorter than that are all in the head.
#[inline]
fn ends(name: &[u8]) -> (u64, u64) {
    match (name.first_chunk(), name.last_chunk()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
    }
}

#[inline]
fn slot(name: &[u8], head: u64, tail: u64) -> usize {
    let mut h = head.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tail.rotate_left(23) ^ name.len() as u64;
    if name.len() > 16 {
        for middle in name[8..name.len() - 8].chunks(8) {
            h = h.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ends(middle).0;
        }
    }
    (h.wrapping_mul(0x517c_c1b7_2722_0a95) >> 54) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Random;

    #[test]
    fn plain_lines_are_read_as_carefully_read_ones() {
        let header = Header { initial: 0, transitions: 0, states: u32::MAX };
        let pieces: &[&str] = &[
            "(",
            ")",
            ",",
            ", ",
            " ",
            "\"",
            "\"a\"",
            "tau",
            "put(1,2)",
            "0",
            "7",
            "12",
            "1234567",
            "9999999",
            "12345678",
            "123456789",
            "99999999999",
            "\r",
            "\t",
            "ü",
            "a,",
            ":",
            "/",
            "\u{c}",
        ];
        let (mut plainly, mut commas) = (0, 0);
        for seed in 0..200_000 {
            let mut random = Random::new(seed);
            let mut pick = || pieces[random.below(pieces.len() as u64) as usize];
            let mut line = ["(", pick(), ", ", pick(), ",", pick(), ")"];
            if seed % 2 == 0 {
                line[(seed / 2 % 7) as usize] = pick();
            }
            let line = line.concat();
            let Some(plain) = plain(line.as_bytes()) else { continue };
            plainly += 1;
            match carefully(line.as_bytes(), &header) {
                Ok((source, name, target)) => {
                    let want = Plain { source: source.0, label: name.as_bytes(), target: target.0 };
                    assert_eq!(plain, want, "{line:?}");
                }
                Err(fault) => panic!("{line:?}: {plain:?}, carefully {fault:?}"),
            }
            commas += usize::from(plain.label.contains(&b','));
        }
        assert!(plainly > 4000 && commas > 100, "{plainly} {commas}");
    }

    #[test]
    fn numbers_of_all_lengths() {
        for number in (0..1000).chain([12345, 999_999, 1_000_000, 9_999_999, 1_234_567]) {
            for around in [":", "/", "x", " ", "(", "\u{7f}", "é", "\0"] {
                let (text, fill) = (number.to_string(), around.repeat(8));
                let behind = format!("{text}{fill}");
                assert_eq!(leading(behind.as_bytes().first_chunk().unwrap()), Some((number, text.len())));
                let before = format!("{fill}{text}");
                assert_eq!(trailing(before.as_bytes().last_chunk().unwrap()), Some((number, text.len())));
            }
        }
        assert_eq!((leading(b"12345678"), trailing(b"12345678"), leading(b"x1      ")), (None, None, None));
    }

    #[test]
    fn spellings_are_told_apart() {
        let mut spellings = Spellings::new();
        let names: Vec<String> = (0..4000)
            .map(|i| ["", "a", "abcdefgh", "one long prefix of "][i % 4].repeat(i % 3) + &i.to_string())
            .chain((0..600).map(|i| format!("{}{i}{}", "x".repeat(9), "y".repeat(9))))
            .collect();
        for (i, name) in names.iter().enumerate() {
            spellings.put(name.as_bytes(), LabelId(i as u32));
            assert_eq!(spellings.find(name.as_bytes()), Some(LabelId(i as u32)));
        }
        let kept = names.iter().enumerate().filter(|(i, name)| match spellings.find(name.as_bytes()) {
            Some(label) => names[label.index()] == **name && label.index() == *i,
            None => false,
        });
        assert!(kept.count() > 500);
        assert!(names.iter().all(|n| spellings.find(n.as_bytes()).is_none_or(|l| names[l.index()] == *n)));
    }
}
