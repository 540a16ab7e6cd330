//! The naive twin of every decision about progress: the definitions, on the graph of all states of a small machine.
//!
//! States are those of the reference interpreter up to addresses and dead slots, paired with what the specification can be
//! in where waiting may be legitimate. Whether a cycle exists is asked by walking from every transition back to where it
//! began. Cost: quadratic and worse; for tests.

use crate::canonical::canonical;
use crate::enumerate::{Configurations, Unfinished, effects};
use crate::history::same_op;
use crate::progress::{blocked, inside};
use crate::run::behaviour;
use std::collections::{BTreeMap, HashMap};
use trueline_base::Value;
use trueline_lang::interp::{self, ObservableEvent, State, spec_initial};
use trueline_lang::ir::{Machine, Module, OpId};
use trueline_lang::question::Progress;

type Running = BTreeMap<u8, (OpId, Vec<Value>)>;
type Key = (State, Configurations, Running);

struct Edge {
    from: usize,
    to: usize,
    thread: u8,
    call: bool,
    back: bool,
    /// The operation that the thread is in.
    op: Option<OpId>,
}

/// The graph of a machine.
struct Graph {
    states: Vec<(State, Configurations)>,
    edges: Vec<Edge>,
    /// Whether some execution ends in a finding, or in what the specification does not explain.
    cut: bool,
}

/// Whether everything completes that should, in all executions that run through; and whether all do. Gives up beyond
/// `most` states.
pub fn completes(
    machine: &Machine,
    progress: Progress,
    spec: Option<&Module>,
    most: usize,
) -> Result<(bool, bool), Unfinished> {
    let graph = explore(machine, spec, most)?;
    let fails = match progress {
        Progress::DeadlockFree | Progress::StarvationFree => unfair(machine, progress, spec, &graph),
        _ => endless(machine, progress, &graph),
    };
    Ok((!fails, !graph.cut))
}

fn explore(machine: &Machine, spec: Option<&Module>, most: usize) -> Result<Graph, Unfinished> {
    let mut graph = Graph { states: Vec::new(), edges: Vec::new(), cut: false };
    let mut known: HashMap<Key, usize> = HashMap::new();
    let mut todo: Vec<(usize, Running)> = Vec::new();
    let start: Configurations = match spec {
        Some(spec) => spec_initial(spec).into_iter().flatten().map(|s| (s, BTreeMap::new())).collect(),
        None => Configurations::new(),
    };
    let mut reach = |graph: &mut Graph,
                     todo: &mut Vec<(usize, Running)>,
                     state: &State,
                     set: Configurations,
                     running: Running| {
        let key = (canonical(&machine.object, &behaviour(machine, state)), set.clone(), running.clone());
        *known.entry(key).or_insert_with(|| {
            graph.states.push((state.clone(), set));
            todo.push((graph.states.len() - 1, running));
            graph.states.len() - 1
        })
    };
    for (_, result) in interp::initial(machine) {
        match result {
            Ok(state) => _ = reach(&mut graph, &mut todo, &state, start.clone(), Running::new()),
            Err(_) => graph.cut = true,
        }
    }
    while let Some((from, running)) = todo.pop() {
        if graph.states.len() > most {
            return Err(Unfinished::Limit);
        }
        let (state, set) = graph.states[from].clone();
        for thread in 0..machine.threads.len() as u8 {
            for way in interp::moves(machine, &state, thread).ways {
                let Ok(next) = &way.result else {
                    graph.cut = true;
                    continue;
                };
                let (mut set, mut running) = (set.clone(), running.clone());
                let mut op = running.get(&thread).map(|(op, _)| *op);
                let (mut call, mut back) = (false, false);
                match way.event {
                    ObservableEvent::Silent => {}
                    ObservableEvent::Call { op: called, args } => {
                        (call, op) = (true, Some(called));
                        running.insert(thread, (called, args));
                    }
                    ObservableEvent::Return { value, .. } => {
                        back = true;
                        running.remove(&thread);
                        if spec.is_some() {
                            set.retain(|(_, results)| results.get(&thread) == Some(&value));
                            set = set
                                .into_iter()
                                .map(|(s, mut r)| {
                                    (s, {
                                        r.remove(&thread);
                                        r
                                    })
                                })
                                .collect();
                            if set.is_empty() {
                                graph.cut = true;
                                continue;
                            }
                        }
                    }
                }
                if let (Some(spec), true) = (spec, call) {
                    let name = |op: OpId| &machine.object.ops[op.0 as usize].name;
                    let asked = running.iter().map(|(t, (op, args))| {
                        let op = same_op(spec, name(*op)).expect("the specification has the operation");
                        (*t, (op, args.clone()))
                    });
                    set = effects(spec, &asked.collect(), &set);
                }
                let to = reach(&mut graph, &mut todo, next, set, running);
                graph.edges.push(Edge { from, to, thread, call, back, op });
            }
        }
    }
    Ok(graph)
}

impl Graph {
    /// The states that can be reached from one along these transitions, itself included.
    fn reached(&self, from: usize, along: &dyn Fn(&Edge) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.states.len()];
        let mut todo = vec![from];
        seen[from] = true;
        while let Some(state) = todo.pop() {
            for edge in self.edges.iter().filter(|e| e.from == state && along(e)) {
                if !std::mem::replace(&mut seen[edge.to], true) {
                    todo.push(edge.to);
                }
            }
        }
        seen
    }

    /// Whether some transition of the first kind lies on a cycle of transitions of the second.
    fn cycle(&self, through: &dyn Fn(&Edge) -> bool, along: &dyn Fn(&Edge) -> bool) -> bool {
        self.edges.iter().filter(|e| through(e) && along(e)).any(|e| self.reached(e.to, along)[e.from])
    }
}

fn endless(machine: &Machine, progress: Progress, graph: &Graph) -> bool {
    let threads = || 0..machine.threads.len() as u8;
    let only = match progress {
        Progress::WaitFree(only) => only,
        _ => None,
    };
    let called = |state: usize, t: u8| {
        let node = &machine.threads[t as usize].script.nodes
            [graph.states[state].0.threads[t as usize].node.0 as usize];
        let (trueline_lang::ir::ScriptNode::Call(all), interp::Phase::Running { alternative, .. }) =
            (node, &graph.states[state].0.threads[t as usize].phase)
        else {
            return None;
        };
        Some(all[*alternative as usize].op)
    };
    let waits = |state: usize, t: u8| {
        blocked(machine, &graph.states[state].0, t).is_some()
            && only.is_none_or(|op| called(state, t) == Some(op))
    };
    if (0..graph.states.len()).any(|state| threads().any(|t| waits(state, t))) {
        return true;
    }
    match progress {
        Progress::LockFree => graph.cycle(&|_| true, &|e| !e.back),
        Progress::ObstructionFree => threads().any(|t| graph.cycle(&|_| true, &|e| e.thread == t && !e.back)),
        _ => threads().any(|t| {
            let mine = |e: &Edge| e.thread == t && !e.call && only.is_none_or(|op| e.op == Some(op));
            graph.cycle(&mine, &|e| e.thread != t || !e.back)
        }),
    }
}

fn unfair(machine: &Machine, progress: Progress, spec: Option<&Module>, graph: &Graph) -> bool {
    let threads = || 0..machine.threads.len() as u8;
    let free = |at: usize, t: u8| {
        let state = &graph.states[at].0;
        !inside(state, t) || blocked(machine, state, t).is_some()
    };
    let due = |at: usize, t: u8| {
        let (state, set) = &graph.states[at];
        inside(state, t) && (spec.is_none() || set.iter().any(|(_, results)| results.contains_key(&t)))
    };
    let subjects: Vec<Option<u8>> = match progress {
        Progress::StarvationFree => threads().map(Some).collect(),
        _ => vec![None],
    };
    let is_due = |at: usize, subject: Option<u8>| match subject {
        Some(t) => due(at, t),
        None => threads().any(|t| due(at, t)),
    };
    (0..graph.states.len()).any(|at| {
        subjects.iter().any(|subject| {
            if !is_due(at, *subject) {
                return false;
            }
            if threads().all(|t| free(at, t)) {
                return true;
            }
            let along = |e: &Edge| match subject {
                Some(t) => inside(&graph.states[e.from].0, *t) && !(e.thread == *t && e.back),
                None => !e.call && !e.back,
            };
            // All that lies on cycles through this state.
            let there = graph.reached(at, &along);
            let both: Vec<bool> =
                (0..there.len()).map(|other| there[other] && graph.reached(other, &along)[at]).collect();
            let moves = |t: Option<u8>| {
                graph
                    .edges
                    .iter()
                    .any(|e| t.is_none_or(|t| e.thread == t) && along(e) && both[e.from] && both[e.to])
            };
            moves(None) && threads().all(|t| moves(Some(t)) || (0..both.len()).any(|s| both[s] && free(s, t)))
        })
    })
}
