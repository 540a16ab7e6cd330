//! Values of the object language.

use serde::{Deserialize, Serialize};

/// One value. Optional types are flat: a `T?` is `None` (or `Null` for references) or the value.
/// Collections are kept in a canonical order, so that equality of meaning is equality of data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Value {
    /// What an operation without a result returns; also what a dead or unset slot holds.
    Unit,
    /// A truth value.
    Bool(bool),
    /// A number, also of a range type.
    Int(i32),
    /// A thread, counted from 0 (shown from 1).
    Tid(u8),
    /// Opaque data, counted from 1.
    Val(u32),
    /// The absent value of an optional type.
    None,
    /// The absent reference.
    Null,
    /// A heap cell.
    Ref(u32),
    /// A variant of an enum with its payload.
    Variant(u16, Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// An array in a local.
    Array(Vec<Value>),
    /// A lock, with its owner while it is held.
    Lock(Option<u8>),
    /// A sequence.
    Seq(Vec<Value>),
    /// A set, ascending.
    Set(Vec<Value>),
    /// A multiset or priority queue, ascending with repetitions.
    Bag(Vec<Value>),
    /// A map, ascending by key.
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// Every value directly inside this one, in order.
    pub fn children(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match self {
            Value::Variant(_, v)
            | Value::Tuple(v)
            | Value::Array(v)
            | Value::Seq(v)
            | Value::Set(v)
            | Value::Bag(v) => Box::new(v.iter()),
            Value::Map(entries) => Box::new(entries.iter().flat_map(|(k, v)| [k, v])),
            _ => Box::new(std::iter::empty()),
        }
    }
}
