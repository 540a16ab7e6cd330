//! What can be wrong with real code: one name of it, from the player's answer to the report and the replay file.

use serde::{Deserialize, Serialize};
use trueline_history::Condition;

use crate::explain::FINDINGS;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No order explains a history.
    NotLinearizable,
    /// The same, with the places that a relaxed condition allows.
    NotQuasiLinearizable,
    /// The same, though only the order of each thread's own calls is kept.
    NotSequentiallyConsistent,
    /// The same, though calls may be exchanged that no quiet moment separates.
    NotQuiescentlyConsistent,
    /// A read answers neither what was written before it nor what was being written.
    NotRegular,
    /// A signal of the processor ends the program.
    Crash,
    /// An access to a block that was freed.
    UseAfterFree,
    /// A block is freed again.
    DoubleFree,
    /// What is freed is no block.
    BadFree,
    /// An access beside a block.
    OutOfBounds,
    /// A block that nobody has freed at the end.
    Leak,
    /// Threads wait for ever.
    Deadlock,
    /// Threads repeat loops in which nothing can change.
    Livelock,
    /// A call that runs alone never ends.
    Endless,
    /// A lock is given back by who does not hold it.
    BadUnlock,
    /// Two accesses that are not ordered, one of them a write, one not atomic.
    DataRace,
    /// A value is taken out without what put it in happening before.
    MissingSynchronisation,
    /// `assert` fails.
    Assertion,
    /// `TL_CHECK` fails.
    Check,
    /// An exception that nobody catches.
    Exception,
    /// The program ends itself by `abort`.
    Abort,
    /// The program ends itself by `exit`.
    Exit,
    /// A panic of Rust.
    Panic,
}

impl Kind {
    /// As reports and files write it.
    pub fn word(self) -> &'static str {
        let found = FINDINGS.iter().find(|(kind, ..)| *kind == self);
        found.map(|(_, _, word, _)| *word).expect("every kind is explained")
    }

    /// By its word.
    pub fn of(word: &str) -> Option<Kind> {
        FINDINGS.iter().find(|(_, _, known, _)| *known == word).map(|(kind, ..)| *kind)
    }

    /// What a history is called that breaks a condition.
    pub fn breaking(condition: &Condition) -> Kind {
        match condition {
            Condition::Linearizable => Kind::NotLinearizable,
            Condition::Quasi(_) | Condition::QuasiOf(_) => Kind::NotQuasiLinearizable,
            Condition::Sequential => Kind::NotSequentiallyConsistent,
            Condition::Quiescent => Kind::NotQuiescentlyConsistent,
            Condition::Regular => Kind::NotRegular,
        }
    }

    /// Whether a history breaks the condition that was asked for; else something goes wrong whatever is asked.
    pub fn breaks_condition(self) -> bool {
        use Kind::*;
        matches!(
            self,
            NotLinearizable
                | NotQuasiLinearizable
                | NotSequentiallyConsistent
                | NotQuiescentlyConsistent
                | NotRegular
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Run;

    #[test]
    fn every_kind_is_explained_once_by_the_word_that_files_write() {
        for (at, (kind, code, word, _)) in FINDINGS.iter().enumerate() {
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{word}\""));
            assert_eq!((kind.word(), Kind::of(word)), (*word, Some(*kind)));
            assert!(FINDINGS[..at].iter().all(|other| other.0 != *kind && other.1 != *code));
        }
        assert_eq!(FINDINGS.len(), Kind::Panic as usize + 1);
    }

    #[test]
    fn an_answer_of_an_unknown_kind_is_none() {
        let answer = |end: u64, text: &str| {
            let mut words = vec![end, 1, 0, text.len() as u64];
            let padded: Vec<u8> = text.bytes().chain([0; 7]).collect();
            words.extend(padded.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())));
            Run::decode(words)
        };
        let (complete, finding) = (0, 2);
        let found = answer(finding, "leak\n7\nleaves a block").and_then(|run| run.found());
        assert_eq!(found.map(|f| (f.kind, f.place)), Some((Kind::Leak, 7)));
        assert_eq!(answer(complete, "endless").and_then(|run| run.waits()), Some(Kind::Endless));
        assert!(answer(complete, "").is_some_and(|run| run.waits().is_none()));
        assert!(answer(finding, "lake\n7\nleaves a block").is_none());
        assert!(answer(finding, "leak").is_none() && answer(complete, "end").is_none());
    }
}
