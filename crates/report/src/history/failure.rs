//! Why a history fails, in the words of a reader.

use serde::{Serialize, Serializer};

/// A part of a history that cannot be explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What a programmer would see; the document has it beside the verdict.
    #[serde(skip)]
    pub sentence: String,
    /// The part of the object that fails, when the history was split.
    pub part: Option<PartKey>,
    /// Whether none of the operations can be left out.
    pub minimal: bool,
    /// The limit that was reached before a smaller part was found, or confirmed.
    pub cut: Option<String>,
    /// Whether an independent search came to the same answer. If not, it came to none within the limits.
    pub confirmed: bool,
    /// Other parts of the object that fail as well.
    pub also: Vec<PartKey>,
    /// Parts that were not decided within the limits.
    pub undecided: usize,
    /// Where every order ends, when the operations are too many to be read.
    pub impasse: Option<Impasse>,
    /// The engine that found it.
    pub engine: String,
    /// Operations that together cannot be explained, in the order of their calls.
    pub operations: Vec<Operation>,
    /// Why each of them is needed.
    pub reasons: Vec<Reason>,
    /// The longest orders that go wrong only at their end.
    pub partial_orders: Vec<PartialOrder>,
}

/// The key of a part of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PartKey {
    /// For the document, as the log has it.
    pub value: serde_json::Value,
    /// For people.
    #[serde(skip)]
    pub text: String,
}

/// An operation of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its number in the history, from 0.
    pub index: u32,
    /// Who called it.
    pub process: i64,
    /// The call and what it answered.
    pub text: String,
    /// The position of its call.
    pub call: u32,
    /// The position of its return; null when it never returned.
    #[serde(rename = "return")]
    pub ret: Option<u32>,
    /// The line of the log; null when it is not known.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub line: Option<u32>,
}

/// Why an operation belongs to a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The number of the operation.
    pub operation: u32,
    /// The reason in a sentence.
    pub text: String,
    /// The numbers of an order of the others that would be possible without it.
    pub otherwise: Vec<u32>,
}

/// An order that comes as far as any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartialOrder {
    /// The operations in order; the document has their numbers.
    #[serde(serialize_with = "indices")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u32>"))]
    pub order: Vec<Operation>,
    /// The state after them.
    pub state: String,
    /// The operation that should have taken effect next at the latest; the document has its number.
    #[serde(serialize_with = "index")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub blocked: Operation,
    /// What it would have to answer.
    pub expected: Option<String>,
}

/// The first return that no order passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Impasse {
    /// The operation that returns there.
    pub blocked: Open,
    /// States that an order can be in just before that.
    pub states: Vec<String>,
    /// Whether there are more.
    pub more_states: bool,
    /// The other operations that are open then.
    pub open: Vec<Open>,
}

/// An operation that is open at an impasse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The operation.
    pub operation: Operation,
    /// In how many of the states that are told it could take effect.
    pub fits: usize,
    /// What it would have to answer in others.
    pub needs: Vec<String>,
    /// The same as one phrase.
    #[serde(skip)]
    pub needed: String,
}

fn index<S: Serializer>(operation: &Operation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(operation.index)
}

fn indices<S: Serializer>(order: &[Operation], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(order.iter().map(|operation| operation.index))
}
