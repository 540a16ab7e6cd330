//! The object itself as its specification: what it answers when its operations run one after the other, each in its own thread,
//! with what that keeps for itself.
//!
//! Zhang, Chattopadhyay and Wang, "Round-Up: runtime verification of quasi linearizability for concurrent data
//! structures" (IEEE TSE), phase 1; Burckhardt, Dern, Musuvathi and Tan, "Line-Up" (PLDI 2010).

use trueline_history::spec::{Next, Spec};
use trueline_history::{Call as Recorded, Datum};

use crate::explore::Explorer;
use crate::harness::Harness;
use crate::history::{input, output};
use crate::log::{End, Record};
use crate::player::{Plan, Player, Silence};
use crate::scenario::{Call, Scenario, in_order};
use crate::search::{Settings, late, set_up_calls};

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
    /// Whether the calls before the threads return.
    pub begins: bool,
    /// Whether in some order all calls return.
    pub finishes: bool,
    /// Whether in some order those of the threads return and one after them does not.
    stops_after: bool,
}

impl Sequential {
    /// Of what cannot be run sequentially: it begins, and waits for nothing.
    pub fn nothing() -> Sequential {
        Sequential { nodes: vec![Vec::new()], begins: true, finishes: true, ..Sequential::default() }
    }

    /// Runs all orders of the threads' operations.
    pub fn of(
        player: &mut Player,
        harness: &Harness,
        scenario: &Scenario,
        settings: Settings,
    ) -> Result<Sequential, String> {
        let mut tree = Sequential { nodes: vec![Vec::new()], orders: 0, ..Sequential::default() };
        let mut work = vec![(vec![0usize; scenario.threads.len()], Vec::<(usize, Call)>::new())];
        while let Some((next, order)) = work.pop() {
            let mut ended = true;
            for (thread, calls) in scenario.threads.iter().enumerate() {
                if let Some(call) = calls.get(next[thread]) {
                    ended = false;
                    let (mut next, mut order) = (next.clone(), order.clone());
                    next[thread] += 1;
                    order.push((thread + 1, call.clone()));
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
        order: &[(usize, Call)],
    ) -> Result<(), String> {
        let alone = |calls: &[Call]| calls.iter().map(|c| (0, c.clone())).collect::<Vec<_>>();
        let all = [alone(&scenario.prefix), order.to_vec(), alone(&scenario.suffix)].concat();
        player.set_up(set_up_calls(harness, in_order(&all, harness), &Explorer::default(), settings, false));
        let run = player.play(&[Plan::default()]).map_err(|silence| match silence {
            Silence::Late => late(),
            Silence::Died => {
                format!("the code destroys the process that it runs in ({})", player.last_words())
            }
        })?;
        let mut node = 0;
        let mut answered = 0;
        for record in run[0].records() {
            let Record::Return(0, index, words, _) = record else { continue };
            let (process, call) = &all[index];
            let function = &harness.operations[call.operation];
            let label = Label {
                process: *process as i64,
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
        // What goes wrong already one after the other is found by the exploration, too: it is no behaviour to hold others
        // against.
        self.finishes |= answered == all.len();
        self.stops_after |= (scenario.prefix.len() + order.len()..all.len()).contains(&answered);
        self.begins |= answered >= scenario.prefix.len();
        match run[0].end {
            End::Unsupported => Err(run[0].text.clone()),
            _ => Ok(()),
        }
    }
}

/// What an execution in which nobody can go on has done: what the calls of each thread that returned answered, and those
/// before the threads.
#[derive(Clone, Debug)]
pub struct Standstill<'a> {
    /// Before the threads.
    pub prefix: &'a [Vec<u64>],
    /// Of each thread.
    pub threads: &'a [Vec<Vec<u64>>],
}

impl Sequential {
    /// Whether an execution may end with a call after the threads that waits, to be held against [`Sequential::stops`].
    pub fn may_wait(&self) -> bool {
        !self.finishes || self.stops_after
    }

    /// Whether the calls that returned can be put into an order after which each of the next calls waits as well when it
    /// runs alone: then waiting is what the object does.
    pub fn waits(&self, harness: &Harness, scenario: &Scenario, standstill: &Standstill<'_>) -> bool {
        let next = |node: usize, process: i64| self.nodes[node].iter().any(|(l, _)| l.process == process);
        self.ends(harness, scenario, standstill).iter().any(|(node, done)| {
            (0..scenario.threads.len()).all(|thread| {
                done[thread] == scenario.threads[thread].len() || !next(*node, thread as i64 + 1)
            })
        })
    }

    /// Whether the calls of all threads can be put into an order after which those after the threads answer the same, and
    /// the next of them does not return; nothing when no order answers the same so far.
    pub fn stops(
        &self,
        harness: &Harness,
        scenario: &Scenario,
        standstill: &Standstill<'_>,
        after: &[Vec<u64>],
    ) -> Option<bool> {
        let mut ends: Vec<usize> =
            self.ends(harness, scenario, standstill).into_iter().map(|(node, _)| node).collect();
        for (call, words) in scenario.suffix.iter().zip(after) {
            ends = ends.into_iter().filter_map(|node| self.find(harness, node, 0, call, words)).collect();
        }
        let returns = |node: &usize| self.nodes[*node].iter().any(|(l, _)| l.process == 0);
        (!ends.is_empty()).then(|| !ends.iter().all(returns))
    }

    /// Where a call leads that answers this.
    fn find(
        &self,
        harness: &Harness,
        node: usize,
        process: i64,
        call: &Call,
        words: &[u64],
    ) -> Option<usize> {
        let function = &harness.operations[call.operation];
        let (input, output) = (input(function, call), output(function, words));
        let same = |l: &Label| {
            l.process == process
                && l.name == function.name
                && l.input == input
                && l.output.as_ref() == Some(&output)
        };
        self.nodes[node].iter().find(|(l, _)| same(l)).map(|(_, to)| *to)
    }

    /// Where all calls that returned lead, in every order, with how many of each thread those are.
    fn ends(
        &self,
        harness: &Harness,
        scenario: &Scenario,
        standstill: &Standstill<'_>,
    ) -> Vec<(usize, Vec<usize>)> {
        let mut start = Some(0);
        for (call, words) in scenario.prefix.iter().zip(standstill.prefix) {
            start = start.and_then(|node| self.find(harness, node, 0, call, words));
        }
        let mut work: Vec<(usize, Vec<usize>)> =
            start.into_iter().map(|node| (node, vec![0; scenario.threads.len()])).collect();
        let mut found = Vec::new();
        while let Some((node, done)) = work.pop() {
            let mut ended = true;
            for (thread, calls) in scenario.threads.iter().enumerate() {
                let Some(words) = standstill.threads[thread].get(done[thread]) else { continue };
                ended = false;
                let call = &calls[done[thread]];
                if let Some(to) = self.find(harness, node, thread as i64 + 1, call, words) {
                    let mut done = done.clone();
                    done[thread] += 1;
                    work.push((to, done));
                }
            }
            if ended {
                found.push((node, done));
            }
        }
        found
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
