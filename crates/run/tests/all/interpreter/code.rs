//! Two algorithms as code for the interpreter: Treiber's stack (1986), and the queue of Michael and Scott (PODC 1996).
//!
//! Written after the papers and not after `objects/`: the same numbers of executions must come out of both.

/// A register. Arguments come first.
pub type Register = usize;

/// Where an access goes to: a variable, or a field of the block that a register points to.
#[derive(Clone, Copy, Debug)]
pub enum At {
    Variable(u64),
    Field(Register, u64),
}

/// One instruction; each access to memory is one.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// A fresh block of two fields.
    New(Register),
    Load(Register, At),
    Store(At, Register),
    /// Stores the last register if the one before it is what is there. Otherwise goes on at an instruction; a register that is
    /// named last gets what was found.
    Compare(At, Register, Register, usize, Option<Register>),
    /// Goes on at an instruction if two registers are the same.
    Same(Register, Register, usize),
    /// Begins again at an instruction, with the arguments and so many registers in all; the others are forgotten.
    Again(usize, Register),
    /// Answers what a register contains; the operation's own number of results.
    Return(Option<Register>),
}

/// An operation: what it does, and whether it answers with a truth value and a number, as `bool pop(long &)` does.
#[derive(Clone, Debug)]
pub struct Operation {
    pub code: Vec<Instruction>,
    pub answers: bool,
}

use At::{Field, Variable};
use Instruction::*;

/// A register that is never written: the null pointer.
pub const NULL: Register = 7;
/// Variables.
pub const TOP: u64 = 0x1000;
pub const HEAD: u64 = 0x1008;
pub const TAIL: u64 = 0x1010;
/// The node that a queue has when it is empty.
pub const DUMMY: u64 = 0x2000;
/// Fields of nodes.
const VALUE: u64 = 0;
pub const NEXT: u64 = 8;

/// Registers of the operations below; the argument is 0.
const NODE: Register = 1;
const FIRST: Register = 2;
const LAST: Register = 3;
const FOLLOWING: Register = 4;
const LOOK: Register = 5;

/// `push`; with what a failed comparison found it need not load again.
pub fn push(uses_found: bool) -> Operation {
    let (found, retry) = if uses_found { (Some(FIRST), 3) } else { (None, 6) };
    let code = vec![
        New(NODE),
        Store(Field(NODE, VALUE), 0),
        Load(FIRST, Variable(TOP)),
        Store(Field(NODE, NEXT), FIRST),
        Compare(Variable(TOP), FIRST, NODE, retry, found),
        Return(None),
        Again(2, NODE + 1),
    ];
    Operation { code, answers: false }
}

pub fn pop(uses_found: bool) -> Operation {
    let (found, retry) = if uses_found { (Some(FIRST), 1) } else { (None, 6) };
    let code = vec![
        Load(FIRST, Variable(TOP)),
        Same(FIRST, NULL, 5),
        Load(FOLLOWING, Field(FIRST, NEXT)),
        Compare(Variable(TOP), FIRST, FOLLOWING, retry, found),
        Same(FIRST, FIRST, 7),
        Return(None),
        Again(0, 0),
        Load(LOOK, Field(FIRST, VALUE)),
        Return(Some(LOOK)),
    ];
    Operation { code, answers: true }
}

pub fn enq() -> Operation {
    let code = vec![
        New(NODE),
        Store(Field(NODE, VALUE), 0),
        // The loop.
        Load(LAST, Variable(TAIL)),
        Load(FOLLOWING, Field(LAST, NEXT)),
        Load(LOOK, Variable(TAIL)),
        Same(LOOK, LAST, 7),
        Again(2, NODE + 1),
        Same(FOLLOWING, NULL, 10),
        Compare(Variable(TAIL), LAST, FOLLOWING, 9, None),
        Again(2, NODE + 1),
        Compare(Field(LAST, NEXT), FOLLOWING, NODE, 9, None),
        Compare(Variable(TAIL), LAST, NODE, 12, None),
        Return(None),
    ];
    Operation { code, answers: false }
}

pub fn deq() -> Operation {
    let code = vec![
        Load(FIRST, Variable(HEAD)),
        Load(LAST, Variable(TAIL)),
        Load(FOLLOWING, Field(FIRST, NEXT)),
        Load(LOOK, Variable(HEAD)),
        Same(LOOK, FIRST, 6),
        Again(0, 0),
        Same(FIRST, LAST, 10),
        Load(LOOK, Field(FOLLOWING, VALUE)),
        Compare(Variable(HEAD), FIRST, FOLLOWING, 5, None),
        Return(Some(LOOK)),
        Same(FOLLOWING, NULL, 13),
        Compare(Variable(TAIL), LAST, FOLLOWING, 12, None),
        Again(0, 0),
        Return(None),
    ];
    Operation { code, answers: true }
}
