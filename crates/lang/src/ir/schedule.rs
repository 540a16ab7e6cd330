//! One execution, as the decisions that lead to it.

/// A sequence of moves from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The choices of `init`.
    pub init: Vec<Choice>,
    /// The moves, in order.
    pub moves: Vec<Move>,
}

/// An execution that ends, or one that goes on for ever by repeating its last moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// From the initial state.
    pub prefix: Schedule,
    /// What is repeated for ever after that; empty when the execution ends. The state after these moves is the one
    /// before them, up to the names of addresses and slots that nobody reads again.
    pub cycle: Vec<Move>,
}

impl From<Schedule> for Evidence {
    fn from(prefix: Schedule) -> Evidence {
        Evidence { prefix, cycle: Vec::new() }
    }
}

/// One move of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The thread, from 0.
    pub thread: u8,
    /// What it does.
    pub action: Action,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Calls this alternative of its script's node.
    Call(u16),
    /// Takes a step, resolving its choices so, in the order in which they are met.
    Step(Vec<Choice>),
    /// Returns.
    Return,
}

/// A choice, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Choice {
    /// The value of a `choose`.
    Value(i32),
    /// The branch of an `either`, from 0; of a weak `sc`.
    Branch(u16),
    /// The address of a `new` under `manual` and `pool`: addresses count, from 0, the `new` moves of this execution that
    /// took "one other" address; the next number is such an address.
    Address(u32),
}

impl std::fmt::Display for Action {
    /// As the rest of `the thread can …`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Action::Call(alternative) => write!(f, "make call {} of its client", alternative + 1),
            Action::Step(choices) if choices.is_empty() => write!(f, "take a step"),
            Action::Step(choices) => {
                let choices: Vec<String> = choices.iter().map(Choice::to_string).collect();
                write!(f, "take a step with {}", choices.join(" and "))
            }
            Action::Return => write!(f, "return"),
        }
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Choice::Value(value) => write!(f, "the value {value}"),
            Choice::Branch(branch) => write!(f, "branch {}", branch + 1),
            Choice::Address(address) => write!(f, "address {}", address + 1),
        }
    }
}
