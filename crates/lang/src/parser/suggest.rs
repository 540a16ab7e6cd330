//! "Did you mean …": the known word that is nearest to a misspelt one.

/// The word of `known` that `word` probably misspells.
pub(super) fn suggest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let allowed = match word.len() {
        0 | 1 => return None,
        2..=4 => 1,
        5..=24 => 2,
        _ => return None,
    };
    let scored = known.iter().map(|&candidate| (distance(word, candidate), candidate));
    let (score, best) = scored.min_by_key(|&(score, _)| score)?;
    (score <= allowed).then_some(best)
}

/// How many letters must be inserted, removed, replaced or exchanged with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, suggest};

    #[test]
    fn counts_edits() {
        assert_eq!(distance("linearisable", "linearizable"), 1);
        assert_eq!(distance("ojbect", "object"), 1);
        assert_eq!(distance("", "op"), 2);
        assert_eq!(distance("op", "op"), 0);
    }

    #[test]
    fn proposes_only_near_words() {
        assert_eq!(suggest("lock-free", &["lock_free", "safe"]), Some("lock_free"));
        assert_eq!(suggest("fast", &["lock_free", "spec"]), None);
    }
}
