//! What a check answers, as data.

use std::fmt;

use trueline_base::Stop;

use crate::build::Problem;
use crate::condition::Condition;
use crate::datum::Datum;
use crate::history::OpId;

/// The answer of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was asked.
    pub condition: Condition,
    /// Name of the specification.
    pub spec: String,
    /// The answer.
    pub verdict: Verdict,
    /// Operations of the history.
    pub operations: usize,
    /// Those that never returned.
    pub pending: usize,
    /// Independent parts that were checked separately.
    pub parts: usize,
    /// The engines that decided, each with the number of parts.
    pub engines: Vec<(Engine, usize)>,
    /// Configurations that the search visited.
    pub configurations: u64,
    /// Most bytes that the engines had in use.
    pub bytes: u64,
}

/// Whether a history satisfies a condition. Where it does, an order that shows it, if it was asked for; regular
/// registers have none. Pending operations that are not in it had no effect.
pub type Verdict = trueline_base::Verdict<Option<Vec<OpId>>, Box<Failure>, Undecided>;

/// Why nobody knows whether a history satisfies a condition.
#[derive(Clone, Debug)]
pub struct Undecided {
    /// In a sentence.
    pub why: String,
    /// The limit, if it was one.
    pub stop: Option<Stop>,
    /// Calls and returns passed by the order that came furthest, of how many.
    pub progress: Option<(u32, u32)>,
}

impl Undecided {
    /// For another reason than a limit.
    pub fn because(why: impl Into<String>) -> Undecided {
        Undecided { why: why.into(), stop: None, progress: None }
    }

    /// A limit was reached.
    pub fn stopped(stop: Stop, progress: Option<(u32, u32)>) -> Undecided {
        Undecided { why: stop.to_string(), stop: Some(stop), progress }
    }
}

/// Why a check has no answer at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The specification does not understand the history, or the condition cannot be asked of it.
    Problem(Problem),
    /// A violation that an independent search did not confirm, or an order that does not explain the history. This is
    /// a fault of the tool; what happened.
    Unconfirmed(String),
}

impl From<Problem> for CheckError {
    fn from(problem: Problem) -> CheckError {
        CheckError::Problem(problem)
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Problem(problem) => problem.fmt(f),
            CheckError::Unconfirmed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for CheckError {}

/// Why a history fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The part of the object that fails, when the history was split.
    pub part: Option<Datum>,
    /// What a programmer would see, in one sentence.
    pub sentence: String,
    /// Operations that together cannot be explained, in the order of their calls.
    pub operations: Vec<OpId>,
    /// Whether none of them can be left out: with any of them free to take effect at any time or
    /// never, the others can be explained.
    pub minimal: bool,
    /// The limit that was reached before a smaller part was found, or confirmed.
    pub cut: Option<Stop>,
    /// Whether an independent search came to the same answer. If not, it came to none within the limits.
    pub confirmed: bool,
    /// Why each of them is needed.
    pub reasons: Vec<Reason>,
    /// The longest orders that go wrong only at their end.
    pub partials: Vec<PartialOrder>,
    /// Where every order ends, when the operations are too many to be read.
    pub impasse: Option<Impasse>,
    /// Other parts of the object that fail as well.
    pub also: Vec<Datum>,
    /// Parts that were not decided within the limits.
    pub undecided: usize,
    /// The engine that found it.
    pub engine: Engine,
}

/// Why an operation belongs to a failure.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The operation.
    pub operation: OpId,
    /// The reason in a sentence.
    pub text: String,
    /// An order of the others that would be possible if this operation could take effect at any time
    /// or never.
    pub otherwise: Vec<OpId>,
}

/// An order that comes as far as any.
#[derive(Clone, Debug)]
pub struct PartialOrder {
    /// The operations in order.
    pub order: Vec<OpId>,
    /// The state after them.
    pub state: String,
    /// The operation that should have taken effect next at the latest.
    pub blocked: OpId,
    /// What it would have to answer.
    pub expected: Option<String>,
}

/// The first return that no order passes.
#[derive(Clone, Debug)]
pub struct Impasse {
    /// The operation that returns there.
    pub blocked: OpenOperation,
    /// States that an order can be in just before that.
    pub states: Vec<String>,
    /// Whether there are more.
    pub more: bool,
    /// The other operations that are open then.
    pub open: Vec<OpenOperation>,
}

/// An operation that is open at an impasse.
#[derive(Clone, Debug)]
pub struct OpenOperation {
    /// The operation.
    pub operation: OpId,
    /// In how many of the states that are told it could take effect.
    pub fits: usize,
    /// What it would have to answer in others.
    pub needs: Vec<String>,
}

impl OpenOperation {
    /// What it would have to answer, as one phrase: `must answer 1, 2 or 3`.
    pub fn needed(&self) -> String {
        const SAME: &str = "must answer ";
        let answers: Option<Vec<&str>> = self.needs.iter().map(|need| need.strip_prefix(SAME)).collect();
        match answers.as_deref() {
            Some([others @ .., last]) if !others.is_empty() => {
                format!("{SAME}{} or {last}", others.join(", "))
            }
            _ => self.needs.join(", or "),
        }
    }
}

/// How a verdict was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Memoised search.
    Search,
    /// Search over frontiers, bounded by the number of clients.
    FrontierSearch,
    /// The monitor for registers with distinct values.
    RegisterMonitor,
    /// The monitor for queues with distinct values.
    QueueMonitor,
    /// The monitor for stacks with distinct values.
    StackMonitor,
    /// The monitor for priority queues with distinct values.
    PriorityQueueMonitor,
    /// The monitor for one element of a set.
    SetMonitor,
    /// The monitor for one element of a multiset.
    MultisetMonitor,
    /// The monitor for counters.
    CounterMonitor,
    /// The precedences between transactions.
    TransactionMonitor,
    /// The monitor for bags with distinct values.
    BagMonitor,
    /// The check of each read of a regular register.
    RegularCheck,
}

impl Engine {
    /// As a report shows it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Search => "search",
            Engine::FrontierSearch => "frontier search",
            Engine::RegisterMonitor => "register monitor",
            Engine::QueueMonitor => "queue monitor",
            Engine::StackMonitor => "stack monitor",
            Engine::PriorityQueueMonitor => "priority queue monitor",
            Engine::SetMonitor => "set monitor",
            Engine::MultisetMonitor => "multiset monitor",
            Engine::CounterMonitor => "counter monitor",
            Engine::TransactionMonitor => "transaction monitor",
            Engine::BagMonitor => "bag monitor",
            Engine::RegularCheck => "regular register check",
        }
    }
}
