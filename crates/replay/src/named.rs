//! The moves of an execution by what a reader calls them, so that they can be found again in a model that was edited.

use crate::accessed::Accessed;
use crate::run::{Run, Taken};
use crate::story::statement;
use serde::{Deserialize, Serialize};
use trueline_lang::interp::{Executed, ObservableEvent, Phase, State, Way};
use trueline_lang::ir::{Action, Choice, Machine, Module, OpId, ScriptNode, show_call, show_return};

/// One move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedMove {
    /// The thread, from 1, as in the report.
    pub thread: u16,
    /// Its role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What it does.
    pub act: NamedAct,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedAct {
    /// It calls: `enq(1)`.
    Call(String),
    /// It takes a step.
    Step(NamedStep),
    /// It returns: `none`, `3`, `()`.
    Return(String),
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedStep {
    /// The operation: `enq`.
    pub op: String,
    /// Where it began: the line's number, which may move, …
    pub line: u32,
    /// … and its text.
    pub text: String,
    /// What it touches: `read Tail`, `cas Node.next`; the parts of a block after each other.
    pub access: Accessed,
    /// How its choices are resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<NamedChoice>,
}

/// A choice, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedChoice {
    /// The value of a `choose`.
    Value(i32),
    /// The branch of an `either`, from 0.
    Branch(u16),
    /// The address of a `new`.
    Address(u32),
}

impl From<&Choice> for NamedChoice {
    fn from(choice: &Choice) -> NamedChoice {
        match *choice {
            Choice::Value(v) => NamedChoice::Value(v),
            Choice::Branch(b) => NamedChoice::Branch(b),
            Choice::Address(a) => NamedChoice::Address(a),
        }
    }
}

impl From<&NamedChoice> for Choice {
    fn from(choice: &NamedChoice) -> Choice {
        match *choice {
            NamedChoice::Value(v) => Choice::Value(v),
            NamedChoice::Branch(b) => Choice::Branch(b),
            NamedChoice::Address(a) => Choice::Address(a),
        }
    }
}

impl std::fmt::Display for NamedAct {
    /// As the rest of `thread 1 …`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NamedAct::Call(call) => write!(f, "calls {call}"),
            NamedAct::Step(step) => write!(f, "executes `{}` of {} ({})", step.text, step.op, step.access),
            NamedAct::Return(value) if value == "()" => write!(f, "returns"),
            NamedAct::Return(value) => write!(f, "returns {value}"),
        }
    }
}

/// The moves of an execution.
pub fn name_all(machine: &Machine, source: &str, run: &Run) -> Vec<NamedMove> {
    let named = |taken: &Taken| NamedMove {
        thread: u16::from(taken.thread) + 1,
        role: machine.threads[taken.thread as usize].role.clone(),
        act: name(machine, source, &taken.before, taken.thread, &taken.way),
    };
    run.taken.iter().map(named).collect()
}

/// One way of a thread to move.
pub fn name(machine: &Machine, source: &str, before: &State, thread: u8, way: &Way) -> NamedAct {
    let object = &machine.object;
    match (&way.event, &way.action) {
        (ObservableEvent::Call { op, args }, _) => NamedAct::Call(show_call(object, *op, args)),
        (ObservableEvent::Return { op, value }, _) => NamedAct::Return(show_return(object, *op, value)),
        (ObservableEvent::Silent, action) => {
            let op = running(machine, before, thread);
            let (line, text) = way.executed.first().map_or((0, String::new()), |e| statement(source, e.span));
            let choices = match action {
                Action::Step(choices) => choices.iter().map(NamedChoice::from).collect(),
                Action::Call(_) | Action::Return => Vec::new(),
            };
            let access = op.map_or(String::new().into(), |op| accessed(object, op, &way.executed));
            let op = op.map_or(String::new(), |op| object.ops[op.0 as usize].name.clone());
            NamedAct::Step(NamedStep { op, line, text, access, choices })
        }
    }
}

/// The operation that a thread is in.
fn running(machine: &Machine, state: &State, thread: u8) -> Option<OpId> {
    let of = state.threads.get(thread as usize)?;
    let (Phase::Running { alternative, .. } | Phase::Returning { alternative, .. }) = of.phase else {
        return None;
    };
    match machine.threads[thread as usize].script.node(of.node) {
        ScriptNode::Call(alternatives) => alternatives.get(alternative as usize).map(|a| a.op),
        ScriptNode::Done | ScriptNode::Test { .. } => None,
    }
}

fn accessed(object: &Module, op: OpId, executed: &[Executed]) -> Accessed {
    let code = &object.ops[op.0 as usize].routine.code;
    let instructions = executed.iter().filter_map(|e| code.get(e.pc as usize));
    Accessed::of(object, instructions.map(|instr| &instr.kind))
}
