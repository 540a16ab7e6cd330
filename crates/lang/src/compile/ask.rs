//! What a check asks of an object.

use trueline_base::Span;
pub use trueline_base::answer::Expectation;

use crate::question::Question;

/// One property that a check asks.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is to be decided.
    pub question: Question,
    /// As the user writes it: `linearizable`, `linearizable to Bag`, `invariant x < 3`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What the file expects.
    pub expect: Expectation,
    /// `safe`, which is asked by every check.
    pub implied: bool,
}
