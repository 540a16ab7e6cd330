//! Guessed moments of effect: which to try, and what to try after a guess has failed.

use super::sets::Moment;
use trueline_lang::ir::OpId;

/// Searches with guessed moments at most, before full sets are used: a guess that fails late costs a search.
const TRIES: usize = 5;

/// Moments per operation, from the narrowest to wider ones.
pub(super) struct Guess {
    moments: Vec<Moment>,
    tries: usize,
}

impl Guess {
    /// Every operation takes effect at its last step.
    pub fn new(ops: usize) -> Guess {
        Guess { moments: vec![Moment::Last; ops], tries: 1 }
    }

    /// One that was widened so often.
    pub fn again(moments: Vec<Moment>, tries: usize) -> Guess {
        Guess { moments, tries }
    }

    pub fn tries(&self) -> usize {
        self.tries
    }

    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Whether it has not been widened yet.
    pub fn is_first(&self) -> bool {
        self.tries == 1
    }

    /// Whether steps must be seen.
    pub fn needs_steps(&self) -> bool {
        self.moments.iter().any(|moment| *moment > Moment::Last)
    }

    /// Widens the guess after a return of this operation could not be explained; false when it is time to give up.
    /// The operation itself may be right and another one too late, so others follow when it can go no further.
    pub fn widen(&mut self, op: OpId) -> bool {
        self.tries += 1;
        if self.tries > TRIES {
            return false;
        }
        let wider = |moment: Moment| match moment {
            Moment::Last => Some(Moment::Writes),
            Moment::Writes => Some(Moment::Steps),
            Moment::Steps => None,
        };
        let op = op.0 as usize;
        let places = std::iter::once(op).chain((0..self.moments.len()).filter(|o| *o != op));
        for place in places {
            if let Some(next) = wider(self.moments[place]) {
                self.moments[place] = next;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_widened_a_few_times_only() {
        let mut guess = Guess::new(2);
        assert!(!guess.needs_steps());
        assert!(guess.widen(OpId(1)) && guess.needs_steps());
        assert_eq!(guess.moments(), [Moment::Last, Moment::Writes]);
        assert!(guess.widen(OpId(1)) && guess.widen(OpId(1)));
        assert_eq!(guess.moments(), [Moment::Writes, Moment::Steps]);
        assert!(guess.widen(OpId(0)) && !guess.widen(OpId(0)));
    }
}
