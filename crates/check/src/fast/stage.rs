//! The searches that a question may need, one after the other: the narrowest guess costs least, full sets are next where
//! they stay small, wider guesses after that, full sets whatever they cost last.

use super::answer::Asking;
use super::guess::Guess;
use super::reduce::Reduction;
use super::sets::Moment;
use crate::outcome::Outcome;
use std::io;
use trueline_lang::ir::OpId;
use trueline_space::wire;

/// A search.
pub(super) enum Stage {
    /// Operations take effect at guessed moments.
    Guessed(Guess),
    /// Full sets as long as they stay small, after this guess did not explain a return of this operation.
    FewSets { guess: Guess, op: OpId },
    /// Full sets.
    Full,
}

/// What one search came to.
pub(super) enum Attempt {
    Decided(Box<Outcome>),
    /// Another search is needed.
    Next(Stage),
}

impl Attempt {
    pub fn decided(outcome: Outcome) -> Attempt {
        Attempt::Decided(Box::new(outcome))
    }
}

impl Stage {
    /// The first search for a question.
    pub fn first(asking: &Asking<'_>) -> Stage {
        match asking.reductions.has(Reduction::Guess) {
            true => Stage::Guessed(Guess::new(asking.machine.object.ops.len())),
            false => Stage::Full,
        }
    }

    /// What follows a guess that did not explain a return of this operation.
    pub fn wider(mut guess: Guess, op: OpId) -> Stage {
        if guess.widen(op) { Stage::Guessed(guess) } else { Stage::Full }
    }

    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        let (kind, guess, op) = match self {
            Stage::Full => return vec![0],
            Stage::Guessed(guess) => (1, guess, 0),
            Stage::FewSets { guess, op } => (2, guess, op.0),
        };
        let mut bytes = vec![kind, op as u8, (op >> 8) as u8, guess.tries() as u8];
        bytes.extend(guess.moments().iter().map(|moment| *moment as u8));
        bytes
    }

    /// From bytes.
    pub fn read(bytes: &[u8]) -> io::Result<Stage> {
        let wrong = || wire::damaged("there is no such search");
        let [kind @ (1 | 2), low, high, tries, moments @ ..] = bytes else {
            return if bytes == [0] { Ok(Stage::Full) } else { Err(wrong()) };
        };
        let all = [Moment::Last, Moment::Writes, Moment::Steps];
        let moment = |number: &u8| all.get(*number as usize).copied().ok_or_else(wrong);
        let moments: Vec<Moment> = moments.iter().map(moment).collect::<io::Result<_>>()?;
        let guess = Guess::again(moments, *tries as usize);
        Ok(match kind {
            1 => Stage::Guessed(guess),
            _ => Stage::FewSets { guess, op: OpId(u16::from_le_bytes([*low, *high])) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_survive() {
        let mut guess = Guess::new(3);
        assert!(guess.widen(OpId(1)) && guess.widen(OpId(2)));
        for stage in [Stage::Full, Stage::Guessed(Guess::new(2)), Stage::FewSets { guess, op: OpId(700) }] {
            let bytes = stage.write();
            assert_eq!(Stage::read(&bytes).expect("it was written so").write(), bytes);
        }
        for wrong in [&[][..], &[1], &[3, 0, 0, 1], &[1, 0, 0, 1, 3]] {
            assert!(Stage::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
