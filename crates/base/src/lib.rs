//! The vocabulary of Trueline: what every stage speaks of, and nothing that computes a verdict.
#![forbid(unsafe_code)]

pub mod answer;
pub mod diagnostic;
pub mod equivalence;
pub mod event;
pub mod interner;
pub mod limits;
pub mod random;
pub mod span;
pub mod storage;
pub mod trace;
pub mod value;
pub mod verdict;
pub mod violation;
pub mod words;

pub use diagnostic::{Diagnostic, RelatedSpan, Severity};
pub use equivalence::Equivalence;
pub use event::{Event, Observer, Silent};
pub use interner::Interner;
pub use limits::{Limits, Meter, Stop, Watch};
pub use span::{SourceId, Span};
pub use storage::{Checkpoints, Scratch, Spill};
pub use value::Value;
pub use verdict::Verdict;
pub use violation::{PointFault, Violation};
