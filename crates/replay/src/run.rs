//! The execution that a schedule describes.

use trueline_base::verdict::Finding;
use trueline_lang::interp::{self, Misfit, State, Way};
use trueline_lang::ir::{Choice, Machine, Schedule};

/// An execution from an initial state.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it begins, or the finding there.
    pub start: Result<State, Finding>,
    /// The moves.
    pub taken: Vec<Taken>,
}

/// One move that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The thread.
    pub thread: u8,
    /// What it did.
    pub way: Way,
    /// The state before.
    pub before: State,
}

/// Why a schedule is no execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// `init` has no such way.
    Init(Vec<Choice>),
    /// A move is not offered.
    Move(usize, Misfit),
    /// Moves follow a finding.
    Beyond(usize, Finding),
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfit::Init(choices) => write!(f, "the model does not begin with the choices {choices:?}"),
            Unfit::Move(step, misfit) => write!(f, "step {}: {misfit}", step + 1),
            Unfit::Beyond(step, finding) => {
                write!(f, "step {} comes after the execution ended ({})", step + 1, finding.word())
            }
        }
    }
}

impl Run {
    /// The state at the end, or the finding in which it ends.
    pub fn end(&self) -> Result<&State, Finding> {
        match self.taken.last() {
            Some(last) => last.way.result.as_ref().map_err(|f| *f),
            None => self.start.as_ref().map_err(|f| *f),
        }
    }

    /// The state after move number `index`, where the execution goes on.
    pub fn after(&self, index: usize) -> Option<&State> {
        self.taken[index].way.result.as_ref().ok()
    }
}

/// Executes a schedule from the initial state.
pub fn execute(machine: &Machine, schedule: &Schedule) -> Result<Run, Unfit> {
    let start = interp::initial(machine)
        .into_iter()
        .find(|(choices, result)| *choices == schedule.init || *result == Err(Finding::Endless))
        .ok_or_else(|| Unfit::Init(schedule.init.clone()))?
        .1;
    let mut now = start.clone();
    let mut run = Run { start, taken: Vec::new() };
    for (index, wanted) in schedule.moves.iter().enumerate() {
        let before = now.map_err(|finding| Unfit::Beyond(index, finding))?;
        let way = interp::apply(machine, &before, wanted).map_err(|misfit| Unfit::Move(index, misfit))?;
        now = way.result.clone();
        run.taken.push(Taken { thread: wanted.thread, way, before });
    }
    Ok(run)
}
