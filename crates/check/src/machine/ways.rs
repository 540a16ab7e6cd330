//! The ways through one move: its choices, enumerated by running it again with the next combination.
//!
//! Running again keeps a single state in hand and needs no copy at a choice. Instructions that an earlier way has
//! executed already are not counted again, so that the budget is that of a tree of ways; a choice counts once per
//! option.

use trueline_lang::ir::{BUDGET, Choice};

/// The combination that is being run, and what the ways have cost so far.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    taken: Vec<Taken>,
    /// How many of `taken` this run has met.
    met: usize,
    spent: u32,
}

#[derive(Clone, Copy, Debug)]
struct Taken {
    choice: Choice,
    option: u32,
    options: u32,
}

impl Ways {
    /// Begins a move.
    pub fn begin(&mut self) {
        self.taken.clear();
        self.met = 0;
        self.spent = 0;
    }

    /// The option to take at a choice with this many; none when there is none.
    pub fn pick(&mut self, options: u32, choice: impl FnOnce(u32) -> Choice) -> Option<u32> {
        if options == 0 {
            return None;
        }
        if self.met == self.taken.len() {
            self.taken.push(Taken { choice: choice(0), option: 0, options });
        } else if self.met + 1 == self.taken.len() {
            let option = self.taken[self.met].option;
            self.taken[self.met].choice = choice(option);
            self.spent += 1;
        }
        self.met += 1;
        Some(self.taken[self.met - 1].option)
    }

    /// Counts one instruction; false when the budget is spent.
    pub fn spend(&mut self) -> bool {
        if self.met == self.taken.len() {
            self.spent += 1;
        }
        self.spent <= BUDGET
    }

    /// Goes on to the next combination; false when there is none.
    pub fn advance(&mut self) -> bool {
        self.met = 0;
        while let Some(last) = self.taken.last_mut() {
            last.option += 1;
            if last.option < last.options {
                return true;
            }
            self.taken.pop();
        }
        false
    }

    /// The choices met by the run that has just ended.
    pub fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.taken.iter().map(|t| t.choice)
    }
}
