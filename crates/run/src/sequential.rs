//! The object itself as its specification: what it answers when its operations run one after the other.
//!
//! Zhang, Chattopadhyay and Wang, "Round-Up: runtime verification of quasi linearizability for concurrent data
//! structures" (IEEE TSE), phase 1; Burckhardt, Dern, Musuvathi and Tan, "Line-Up" (PLDI 2010).

use trueline_history::spec::{Next, Spec};
use trueline_history::{Call as Recorded, Datum};

use crate::explore::Explorer;
use crate::harness::Harness;
use crate::history::{input, output};
use crate::log::{End, Record};
use crate::player::{Plan, Player};
use crate::scenario::{Call, Scenario};
use crate::search::{Settings, set_up};

/// Orders that are run at most.
const MOST_ORDERS: usize = 20_000;

/// One operation as a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    process: i64,
    name: String,
    input: Datum,
    output: Option<Datum>,
}

/// All sequential behaviours of a scenario, as a tree.
#[derive(Clone, Debug, Default)]
pub struct Sequential {
    /// Per node: labels and where they lead.
    nodes: Vec<Vec<(Label, usize)>>,
    /// How many orders there are.
    pub orders: usize,
}

impl Sequential {
    /// Runs all orders of the threads' operations.
    pub fn of(
        player: &mut Player,
        harness: &Harness,
        scenario: &Scenario,
        settings: Settings,
    ) -> Result<Sequential, String> {
        let mut tree = Sequential { nodes: vec![Vec::new()], orders: 0 };
        let mut work = vec![(vec![0usize; scenario.threads.len()], Vec::<(i64, Call)>::new())];
        while let Some((next, order)) = work.pop() {
            let mut ended = true;
            for (thread, calls) in scenario.threads.iter().enumerate() {
                if let Some(call) = calls.get(next[thread]) {
                    ended = false;
                    let (mut next, mut order) = (next.clone(), order.clone());
                    next[thread] += 1;
                    order.push((thread as i64 + 1, call.clone()));
                    work.push((next, order));
                }
            }
            if ended {
                tree.orders += 1;
                if tree.orders > MOST_ORDERS {
                    return Err(format!("the scenario has more than {MOST_ORDERS} sequential orders"));
                }
                tree.add(player, harness, scenario, settings, &order)?;
            }
        }
        Ok(tree)
    }

    fn add(
        &mut self,
        player: &mut Player,
        harness: &Harness,
        scenario: &Scenario,
        settings: Settings,
        order: &[(i64, Call)],
    ) -> Result<(), String> {
        let alone = |calls: &[Call]| calls.iter().map(|c| (0, c.clone())).collect::<Vec<_>>();
        let all = [alone(&scenario.prefix), order.to_vec(), alone(&scenario.suffix)].concat();
        let run = Scenario { prefix: all.iter().map(|(_, c)| c.clone()).collect(), ..Scenario::default() };
        player.set_up(set_up(harness, &run, &Explorer::default(), settings, false));
        let run = player.play(&[Plan::default()]).map_err(|_| {
            "the object does not answer when its operations run one after the other".to_string()
        })?;
        let mut node = 0;
        let mut answered = 0;
        for record in run[0].records() {
            let Record::Return(0, index, words) = record else { continue };
            let (process, call) = &all[index];
            let function = &harness.operations[call.operation];
            let label = Label {
                process: *process,
                name: function.name.clone(),
                input: input(function, call),
                output: Some(output(function, words)),
            };
            let known = self.nodes[node].iter().find(|(l, _)| *l == label).map(|(_, to)| *to);
            node = known.unwrap_or_else(|| {
                self.nodes.push(Vec::new());
                let to = self.nodes.len() - 1;
                self.nodes[node].push((label, to));
                to
            });
            answered += 1;
        }
        // An order in which an operation waits for ever is none, as long as another is.
        match run[0].found() {
            Some(found) if found.word != "deadlock" && answered < all.len() => {
                let calls: Vec<String> = all.iter().map(|(_, c)| c.show(harness)).collect();
                Err(format!(
                    "already one after the other ({}) the object {}",
                    calls.join(" "),
                    found.sentence
                ))
            }
            None if run[0].end == End::Unsupported => Err(run[0].text.clone()),
            _ => Ok(()),
        }
    }
}

impl Spec for Sequential {
    type Op = Label;
    type State = usize;

    fn name(&self) -> String {
        "the object run sequentially".into()
    }

    fn decode(&self, call: &Recorded<'_>) -> Result<Label, String> {
        Ok(Label {
            process: call.process,
            name: call.name.to_string(),
            input: call.input.clone(),
            output: call.output.cloned(),
        })
    }

    fn initial(&self) -> usize {
        0
    }

    fn step(&self, state: &usize, op: &Label, next: &mut Next<'_, usize>) {
        for (label, to) in &self.nodes[*state] {
            let same = label.process == op.process && label.name == op.name && label.input == op.input;
            if same && op.output.as_ref().is_none_or(|o| label.output.as_ref() == Some(o)) {
                next.push(*to);
            }
        }
    }

    fn expected(&self, state: &usize, op: &Label) -> Option<String> {
        let same =
            |l: &&(Label, usize)| l.0.process == op.process && l.0.name == op.name && l.0.input == op.input;
        let answer = self.nodes[*state].iter().find(same)?.0.output.clone()?;
        Some(format!(
            "must return {}",
            if answer == Datum::Nil { "empty".into() } else { answer.to_string() }
        ))
    }

    fn show(&self, _: &usize) -> String {
        "that of the object after these".into()
    }
}
