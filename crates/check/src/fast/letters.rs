//! What is seen of a move: a call, steps, a return, together one letter.

use crate::label::Label;
use crate::minimise::MoveKind;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use trueline_base::Interner;
use trueline_base::Value;
use trueline_lang::ir::OpId;
use trueline_space::Letter;

/// An operation as a number, where events are kept.
#[derive(Serialize, Deserialize)]
#[serde(remote = "OpId")]
struct OpNumber(u16);

/// One event of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Seen {
    Call {
        #[serde(with = "OpNumber")]
        op: OpId,
        args: Vec<Value>,
    },
    /// `wrote`: shared memory is different afterwards; `points`: marks that were passed.
    Step {
        #[serde(with = "OpNumber")]
        op: OpId,
        wrote: bool,
        points: u32,
    },
    Return {
        #[serde(with = "OpNumber")]
        op: OpId,
        value: Value,
    },
}

impl Seen {
    /// The event of a label; none for a step.
    pub fn of(label: Label<'_>) -> Option<Seen> {
        match label {
            Label::Tau => None,
            Label::Call { op, args, .. } => Some(Seen::Call { op, args: args.to_vec() }),
            Label::Return { op, value, .. } => Some(Seen::Return { op, value: value.clone() }),
        }
    }

    /// As the label of a thread.
    pub fn label(&self, thread: u8) -> Label<'_> {
        match self {
            Seen::Call { op, args } => Label::Call { thread, op: *op, args },
            Seen::Step { .. } => Label::Tau,
            Seen::Return { op, value } => Label::Return { thread, op: *op, value },
        }
    }
}

/// Sequences of events as letters; the empty one is silent. The model gives the numbers, a monitor reads them.
#[derive(Clone)]
pub(super) struct Letters(Rc<RefCell<Interner<Vec<Seen>, Letter>>>);

impl Default for Letters {
    fn default() -> Letters {
        let mut list: Interner<Vec<Seen>, Letter> = Interner::default();
        list.intern(&Vec::new(), Vec::new);
        Letters(Rc::new(RefCell::new(list)))
    }
}

impl Letters {
    pub fn number(&self, seen: &Vec<Seen>) -> Letter {
        let mut list = self.0.borrow_mut();
        let (id, new) = list.intern(seen, || seen.clone());
        if new {
            list.owns(64 * seen.len());
        }
        id
    }

    /// All of them, in order.
    pub fn all(&self) -> Vec<Vec<Seen>> {
        let list = self.0.borrow();
        (0..list.len() as u32).map(|number| list.get(Letter(number)).clone()).collect()
    }

    pub fn get(&self, letter: Letter) -> Vec<Seen> {
        self.0.borrow().get(letter).clone()
    }

    /// Of which kind a single event is.
    pub fn kind(&self, letter: Letter) -> MoveKind {
        match &self.0.borrow().get(letter)[..] {
            [Seen::Call { .. }, ..] => MoveKind::Call,
            [.., Seen::Return { .. }] => MoveKind::Return,
            _ => MoveKind::Step,
        }
    }

    /// Whether a call is among the events.
    pub fn calls(&self, letter: Letter) -> bool {
        self.0.borrow().get(letter).iter().any(|seen| matches!(seen, Seen::Call { .. }))
    }

    /// Whether a return is among the events.
    pub fn returns(&self, letter: Letter) -> bool {
        self.0.borrow().get(letter).iter().any(|seen| matches!(seen, Seen::Return { .. }))
    }

    pub fn bytes(&self) -> u64 {
        self.0.borrow().bytes()
    }
}
