//! Labelled transition systems: reduce, compare, explain.
//!
//! A system comes from a file ([`read`], as CADP, mCRL2, LTSmin and others write it) or is built
//! with [`Lts::from_transitions`]. [`partition()`] gives the classes of its states by an
//! [`Equivalence`], [`quotient()`] the reduced system with the map to it, [`compare()`] the answer
//! whether two systems are equivalent, with a formula and a play when they are not,
//! [`inclusion()`] whether the traces of one are traces of another, [`refines`] whether one refines
//! another by a [`Preorder`], [`k_traces`] which tau steps matter. Every long computation takes limits and tells of its progress; none prints.
//!
//! ```
//! use trueline_base::{Limits, Meter, Silent};
//! use trueline_lts::{Comparison, Different, Equivalence, Labels, Lts, StateId, compare, quotient};
//!
//! // A coin that falls, and one that may be held before it falls.
//! let mut labels = Labels::new();
//! let (head, tail) = (labels.intern("head"), labels.intern("tail"));
//! let tau = trueline_lts::LabelId::TAU;
//! let s = StateId;
//! let falls = [(s(0), head, s(1)), (s(0), tail, s(1))];
//! let held = [(s(0), tau, s(2)), (s(2), tau, s(0)), (s(2), head, s(1)), (s(2), tail, s(1))];
//! let falls = Lts::from_transitions(2, s(0), labels.clone(), falls);
//! let held = Lts::from_transitions(3, s(0), labels, held);
//!
//! let meter = Meter::start(Limits::default());
//! let small = quotient(&held, Equivalence::Branching, &meter, &mut Silent).unwrap();
//! assert_eq!(small.system.states(), 2);
//! assert_eq!(small.state_of[0], small.state_of[2]);
//!
//! let same = compare(&falls, &held, Equivalence::Branching, &meter, &mut Silent).unwrap();
//! assert!(same.holds());
//! let held_for_ever = compare(&held, &falls, Equivalence::DpBranching, &meter, &mut Silent).unwrap();
//! let Comparison::Fails(Different::Shown(why)) = held_for_ever else { panic!() };
//! assert_eq!(why.formula.to_string(), "<tau^inf>");
//! ```
//!
//! Every fast algorithm has a twin in [`naive`], written from the definition, and the tests compare
//! the two on all small systems and many random ones.
#![forbid(unsafe_code)]

pub mod compare;
pub mod draw;
pub mod failure;
mod fetch;
pub mod formula;
pub mod inclusion;
pub mod ktrace;
pub mod labels;
pub mod naive;
pub mod partition;
pub mod preorder;
pub mod quotient;
pub mod read;
pub mod sample;
mod sets;
pub mod system;
mod watch;
pub mod write;

pub use compare::{Comparison, Difference, Different, Evidence, Side, compare};
pub use failure::{NoAnswer, Unconfirmed};
pub use inclusion::{Included, Inclusion, RunStep, inclusion};
pub use ktrace::{KTraces, k_traces};
pub use labels::Labels;
pub use partition::{ClassId, Equivalence, Partition, partition};
pub use preorder::{NotRefined, Preorder, Refinement, refines};
pub use quotient::{Quotient, quotient};
pub use system::{LabelId, Lts, Move, StateId};
