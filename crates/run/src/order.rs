//! Memory models, and the memory orders of accesses.

use crate::log::{AccessKind, Action, Op};

/// Which executions a program has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Sequential consistency: one access after the other, and each sees the last.
    #[default]
    Sc,
    /// C11 as repaired by Lahav, Vafeiadis, Kang, Hur and Dreyer (RC11, PLDI 2017).
    C11,
}

impl Model {
    /// As the command line calls it.
    pub fn word(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::C11 => "c11",
        }
    }
}

/// The orders of C, by their numbers there, and of plain accesses.
pub const RELAXED: u8 = 0;
const CONSUME: u8 = 1;
/// Reads what a release gives.
pub const ACQUIRE: u8 = 2;
/// Gives what came before to whoever acquires it.
pub const RELEASE: u8 = 3;
/// Both.
pub const ACQ_REL: u8 = 4;
/// Sequentially consistent.
pub const SEQ_CST: u8 = 5;
/// Not atomic.
pub const PLAIN: u8 = 6;

/// Whether it is at least acquire; `consume` is taken for it, as compilers do.
pub fn acquires(order: u8) -> bool {
    matches!(order, CONSUME | ACQUIRE | ACQ_REL | SEQ_CST)
}

/// Whether it is at least release.
pub fn releases(order: u8) -> bool {
    matches!(order, RELEASE | ACQ_REL | SEQ_CST)
}

/// The order of an access that stores something, or does not.
pub fn order_of(action: &Action, stores: bool) -> u8 {
    match action.kind {
        AccessKind::Read | AccessKind::Write | AccessKind::Free | AccessKind::Reuse => PLAIN,
        AccessKind::Lock | AccessKind::TryLock if stores => ACQUIRE,
        AccessKind::Unlock => RELEASE,
        // Condition variables order nothing; the mutex does.
        AccessKind::Lock | AccessKind::TryLock | AccessKind::Wait | AccessKind::Notify | AccessKind::Wake => {
            RELAXED
        }
        AccessKind::Update if action.op == Op::Compare && !stores => action.order >> 4,
        AccessKind::Load | AccessKind::Store | AccessKind::Update => action.order & 15,
    }
}
