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

    /// Changes every value that has none inside, wherever it stands in this one, and puts collections in order again.
    /// Different values must stay different.
    pub fn change<F: FnMut(&mut Value)>(&mut self, leaf: &mut F) {
        match self {
            Value::Variant(_, items) | Value::Tuple(items) | Value::Array(items) | Value::Seq(items) => {
                items.iter_mut().for_each(|item| item.change(leaf));
            }
            Value::Set(items) | Value::Bag(items) => {
                items.iter_mut().for_each(|item| item.change(leaf));
                items.sort();
            }
            Value::Map(entries) => {
                for (key, value) in entries.iter_mut() {
                    key.change(leaf);
                    value.change(leaf);
                }
                entries.sort();
            }
            Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Tid(_) | Value::Val(_) => leaf(self),
            Value::None | Value::Null | Value::Ref(_) | Value::Lock(_) => leaf(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Value::{self, *};

    #[test]
    fn what_is_inside_of_anything_is_changed_and_put_in_order() {
        let change = |mut value: Value| {
            value.change(&mut |leaf| {
                if let Int(n) = leaf {
                    *n = 10 - *n;
                }
            });
            value
        };
        let two = |a: i32, b: i32| vec![Int(a), Int(b)];
        assert_eq!(
            change(Variant(3, vec![Tuple(two(1, 2)), Null])),
            Variant(3, vec![Tuple(two(9, 8)), Null])
        );
        assert_eq!(change(Seq(vec![Array(two(1, 2))])), Seq(vec![Array(two(9, 8))]));
        assert_eq!(change(Set(two(1, 2))), Set(two(8, 9)));
        assert_eq!(change(Bag(vec![Int(1), Int(1), Int(2)])), Bag(vec![Int(8), Int(9), Int(9)]));
        let map = Map(vec![(Int(1), Set(two(3, 4))), (Int(2), Unit)]);
        assert_eq!(change(map), Map(vec![(Int(8), Unit), (Int(9), Set(two(6, 7)))]));
    }
}
