//! Decides the histories of executions, each kind once.

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_base::{Meter, Silent};
use trueline_history::check::Asked;
use trueline_history::{CheckError, Condition, History, Options, Report, Verdict};

use crate::boundary::Boundaries;
use crate::client::{Clients, Orders, intervals};
use crate::explore::Execution;
use crate::harness::Harness;
use crate::history::{Answers, history};
use crate::order::Model;
use crate::scenario::Scenario;

/// Decides the executions of one scenario.
pub struct Judge<'a> {
    harness: &'a Harness,
    scenario: &'a Scenario,
    spec: &'a dyn Asked,
    condition: Condition,
    meter: &'a Meter,
    /// Executions decided already, by what decides about their histories.
    known: FxHashMap<(Boundaries, Answers), bool>,
    /// Under a weak memory model: the orders of operations, and executions decided already.
    clients: Option<Clients>,
    held: FxHashSet<(Orders, Answers)>,
    /// Recorded histories decided already.
    lines: FxHashSet<(Vec<u64>, Answers)>,
    /// Histories that were decided.
    pub histories: u64,
}

/// A history that fails.
#[derive(Clone, Debug)]
pub struct Failing {
    /// For each operation a bit per operation that returned before it was called.
    pub before: Vec<u64>,
    /// The history.
    pub history: History,
    /// Why it fails.
    pub report: Report,
}

/// What comes of an execution.
pub enum Judged {
    /// All its histories can be explained.
    Holds,
    /// One cannot.
    Fails(Box<Failing>),
    /// Not known, and why.
    Unknown(String),
    /// The specification does not understand the operations.
    Input(String),
}

/// What the operations of an execution answered.
pub fn answers(execution: &Execution) -> Answers {
    Answers {
        threads: execution.operations.iter().flatten().map(|(_, words)| words.clone()).collect(),
        alone: execution.alone.clone(),
    }
}

impl<'a> Judge<'a> {
    /// Holds executions against a specification.
    pub fn new(
        harness: &'a Harness,
        scenario: &'a Scenario,
        spec: &'a dyn Asked,
        condition: Condition,
        model: Model,
        meter: &'a Meter,
    ) -> Judge<'a> {
        Judge {
            clients: (model != Model::Sc).then(Clients::default),
            held: FxHashSet::default(),
            harness,
            scenario,
            spec,
            condition,
            meter,
            known: FxHashMap::default(),
            lines: FxHashSet::default(),
            histories: 0,
        }
    }

    /// Decides a complete execution.
    pub fn judge(&mut self, execution: &Execution) -> Judged {
        if let Some(clients) = &mut self.clients {
            let Some(orders) = clients.orders(execution) else {
                return Judged::Unknown("operations have too many orders that clients may see".into());
            };
            return self.of_clients(orders, answers(execution));
        }
        let key = (Boundaries::of(execution), answers(execution));
        // Only what holds is known to hold: the first failure is told.
        if self.known.contains_key(&key) {
            return Judged::Holds;
        }
        for before in key.0.histories(false) {
            match self.one(before, &key.1) {
                Judged::Holds => {}
                other => return other,
            }
        }
        self.known.insert(key, true);
        Judged::Holds
    }

    /// Decides the orders that clients may see: each must have a linearization.
    fn of_clients(&mut self, orders: Orders, answers: Answers) -> Judged {
        let key = (orders, answers);
        if self.held.contains(&key) {
            return Judged::Holds;
        }
        for order in key.0.iter() {
            let mut worst = None;
            for line in intervals(order) {
                match (self.recorded(line, key.1.clone()), &worst) {
                    (Judged::Holds, _) => {
                        worst = None;
                        break;
                    }
                    (Judged::Fails(failing), None) => {
                        worst = Some(Judged::Fails(Box::new(Failing { before: order.clone(), ..*failing })));
                    }
                    (Judged::Fails(_), Some(_)) => {}
                    (other, _) => worst = Some(other),
                }
            }
            if let Some(judged) = worst {
                return judged;
            }
        }
        self.held.insert(key);
        Judged::Holds
    }

    /// Decides a history by what was recorded.
    pub fn recorded(&mut self, before: Vec<u64>, answers: Answers) -> Judged {
        let key = (before, answers);
        if self.lines.contains(&key) {
            return Judged::Holds;
        }
        let judged = self.one(key.0.clone(), &key.1);
        if matches!(judged, Judged::Holds) {
            self.lines.insert(key);
        }
        judged
    }

    fn one(&mut self, before: Vec<u64>, answers: &Answers) -> Judged {
        let history = history(self.harness, self.scenario, answers, &Boundaries::line(&before));
        self.histories += 1;
        let options = Options { condition: self.condition.clone(), reasons: false, ..Options::default() };
        let report = match self.spec.check(&history, &options, self.meter, &mut Silent) {
            Ok(report) => report,
            Err(CheckError::Problem(problem)) => return Judged::Input(problem.to_string()),
            Err(CheckError::Unconfirmed(why)) => return Judged::Unknown(why),
        };
        match &report.verdict {
            Verdict::Holds(_) => Judged::Holds,
            Verdict::Fails(_) => {
                let options = Options { reasons: true, ..options };
                let report = self.spec.check(&history, &options, self.meter, &mut Silent).unwrap_or(report);
                Judged::Fails(Box::new(Failing { before, history, report }))
            }
            Verdict::Unknown(undecided) => Judged::Unknown(undecided.why.clone()),
        }
    }
}
