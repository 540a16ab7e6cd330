//! What is wrong at the end of an execution: one type from the engine to the report.

use crate::verdict::Finding;
use serde::{Deserialize, Serialize};

/// How an execution violates a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Violation {
    /// The history is not linearizable.
    NotLinearizable,
    /// A finding.
    Finding {
        /// In which thread, from 0.
        thread: u8,
        /// What was found.
        finding: Finding,
    },
    /// The invariant is false.
    Invariant,
    /// A struct is lost.
    Leak,
    /// The other machine has no such trace.
    NotRefined,
    /// The other machine cannot answer as it should.
    NotEquivalent,
    /// A thread waits inside its operation, and nobody else is scheduled.
    Blocked {
        /// The thread, from 0.
        thread: u8,
    },
    /// Every thread inside an operation waits.
    Stuck {
        /// One that should not have to, from 0.
        thread: u8,
    },
    /// The execution goes on for ever, and something that should complete does not.
    Forever {
        /// Who does not return, from 0.
        thread: u8,
    },
    /// Nobody can go on, though somebody would: all who have something to do wait for others.
    Deadlock,
    /// The linearization points are at fault, or the object is: a check without points decides.
    Point(PointFault),
}

/// What is wrong with a linearization point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointFault {
    /// An operation passed two points.
    PassedTwice,
    /// An operation with marks returned without having passed one.
    ReturnedWithout,
    /// The specification cannot give this result at the point.
    ResultDiffers,
    /// The specification's operation waits at the point.
    Disabled,
}

impl Violation {
    /// What is wrong, as the predicate of a sentence about an execution.
    pub fn sentence(self) -> &'static str {
        match self {
            Violation::NotLinearizable => "has a history that is not linearizable",
            Violation::Finding { finding, .. } => finding.sentence(),
            Violation::Invariant => "breaks the invariant",
            Violation::Leak => "loses a struct that was not freed",
            Violation::NotRefined => "has calls and returns that the other object has not",
            Violation::NotEquivalent => "is not answered by the other object",
            Violation::Blocked { .. } => "leads to a thread that waits inside its operation",
            Violation::Stuck { .. } => {
                "ends although operations have not returned: all who are inside one wait"
            }
            Violation::Forever { .. } => "goes on for ever, and what should return does not",
            Violation::Deadlock => "ends although operations have not returned: all threads wait",
            Violation::Point(_) => "takes effect at a wrong moment",
        }
    }
}
