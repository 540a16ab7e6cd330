//! The execution that a schedule describes.

use crate::canonical::canonical;
use crate::leak::without_dead;
use trueline_base::verdict::Finding;
use trueline_lang::interp::{self, Misfit, Phase, State, Way};
use trueline_lang::ir::{Alternative, Choice, Evidence, Machine, Schedule, ScriptNode};

/// An execution from an initial state.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it begins, or the finding there.
    pub start: Result<State, Finding>,
    /// The moves.
    pub taken: Vec<Taken>,
    /// The first of the moves that are repeated for ever.
    pub cycle: Option<usize>,
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
    /// What is to be repeated does not come back to where it began.
    Open,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfit::Init(choices) => write!(f, "the model does not begin with the choices {choices:?}"),
            Unfit::Move(step, misfit) => write!(f, "step {}: {misfit}", step + 1),
            Unfit::Open => write!(f, "after the steps that are to be repeated the state is another"),
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

/// Executes what is shown from the initial state, what is repeated once.
pub fn execute_evidence(machine: &Machine, evidence: &Evidence) -> Result<Run, Unfit> {
    let Evidence { prefix, cycle } = evidence;
    let moves = prefix.moves.iter().chain(cycle).cloned().collect();
    let mut run = execute(machine, &Schedule { init: prefix.init.clone(), moves })?;
    if !cycle.is_empty() {
        let from = prefix.moves.len();
        let same = |state: &State| canonical(&machine.object, &behaviour(machine, state));
        let closes = run.end().is_ok_and(|end| same(end) == same(&run.taken[from].before));
        if !closes {
            return Err(Unfit::Open);
        }
        run.cycle = Some(from);
    }
    Ok(run)
}

/// The state with everything cleared that makes no difference to what follows: slots that nobody reads again, and
/// which of several alternatives was called that go on alike.
pub fn behaviour(machine: &Machine, state: &State) -> State {
    let mut state = without_dead(machine, state);
    for (thread, client) in state.threads.iter_mut().zip(&machine.threads) {
        let ScriptNode::Call(alternatives) = client.script.node(thread.node) else { continue };
        if let Phase::Running { alternative, .. } | Phase::Returning { alternative, .. } = &mut thread.phase {
            let called = &alternatives[*alternative as usize];
            let alike = |a: &Alternative| (a.op, a.next, a.result) == (called.op, called.next, called.result);
            *alternative = alternatives.iter().position(alike).expect("it is like itself") as u16;
        }
    }
    state
}

/// Executes a schedule from the initial state.
pub fn execute(machine: &Machine, schedule: &Schedule) -> Result<Run, Unfit> {
    let start = interp::initial(machine)
        .into_iter()
        .find(|(choices, result)| *choices == schedule.init || *result == Err(Finding::Endless))
        .ok_or_else(|| Unfit::Init(schedule.init.clone()))?
        .1;
    let mut now = start.clone();
    let mut run = Run { start, taken: Vec::new(), cycle: None };
    for (index, wanted) in schedule.moves.iter().enumerate() {
        let before = now.map_err(|finding| Unfit::Beyond(index, finding))?;
        let way = interp::apply(machine, &before, wanted).map_err(|misfit| Unfit::Move(index, misfit))?;
        now = way.result.clone();
        run.taken.push(Taken { thread: wanted.thread, way, before });
    }
    Ok(run)
}
