//! Data of a history as numbers of 32 bits: small integers stand for themselves, everything else is kept once.
//!
//! Two numbers of one history are equal exactly when the data are.

use std::sync::Arc;

use crate::datum::Datum;
use trueline_base::Interner;

/// A datum of a history; [`Values`] says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);

impl Value {
    /// No datum: no key, or a result that is not known.
    pub const NONE: Value = Value(u32::MAX);
    /// [`Datum::Nil`].
    pub const NIL: Value = Value(u32::MAX - 1);
    const TRUE: Value = Value(u32::MAX - 2);
    const FALSE: Value = Value(u32::MAX - 3);

    /// The integer, if it is a small one.
    pub fn small(self) -> Option<u32> {
        (self.0 < POOL).then_some(self.0)
    }

    /// Whether it is a datum.
    pub fn is_some(self) -> bool {
        self != Value::NONE
    }
}

/// The first number of data that are kept.
const POOL: u32 = 1 << 31;

/// The data of a history that do not stand for themselves.
#[derive(Clone, Debug, Default)]
pub struct Values {
    pool: Interner<Datum>,
    /// Holds a text while it is looked up; those that are known already cost no allocation.
    spare: Arc<String>,
}

impl Values {
    /// The number of a datum.
    ///
    /// # Panics
    /// When there are more than two thousand million different data, which no memory holds.
    pub fn number(&mut self, datum: Datum) -> Value {
        match datum {
            Datum::Int(i) if (0..i64::from(POOL)).contains(&i) => Value(i as u32),
            Datum::Nil => Value::NIL,
            Datum::Bool(b) => {
                if b {
                    Value::TRUE
                } else {
                    Value::FALSE
                }
            }
            other => {
                let at = self.pool.insert(other, Datum::heap_bytes).0;
                assert!(at < Value::FALSE.0 - POOL, "too many different data");
                Value(POOL + at)
            }
        }
    }

    /// The number of a string.
    pub(crate) fn text(&mut self, text: &str) -> Value {
        let text = self.shared(text);
        self.number(Datum::Text(text))
    }

    /// The number of a name.
    pub(crate) fn word(&mut self, name: &str) -> Value {
        let name = self.shared(name);
        self.number(Datum::Word(name))
    }

    fn shared(&mut self, text: &str) -> Arc<String> {
        match Arc::get_mut(&mut self.spare) {
            // A new text keeps the room, which must not be that of a much longer one.
            Some(spare) if spare.capacity() <= 2 * text.len() + 16 => {
                spare.clear();
                spare.push_str(text);
            }
            _ => self.spare = Arc::new(text.to_string()),
        }
        Arc::clone(&self.spare)
    }

    /// The datum of a number; nothing for [`Value::NONE`].
    pub fn get(&self, value: Value) -> Option<Datum> {
        Some(match value {
            Value::NONE => return None,
            Value::NIL => Datum::Nil,
            Value::TRUE => Datum::Bool(true),
            Value::FALSE => Datum::Bool(false),
            Value(i) if i < POOL => Datum::Int(i64::from(i)),
            Value(i) => self.pool.get(i - POOL).clone(),
        })
    }

    /// Bytes that they take, about.
    pub fn bytes(&self) -> u64 {
        self.pool.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_data_have_equal_numbers() {
        let data = [
            Datum::Nil,
            Datum::Bool(true),
            Datum::Bool(false),
            Datum::Int(0),
            Datum::Int(-1),
            Datum::Int(i64::from(POOL) - 1),
            Datum::Int(i64::from(POOL)),
            Datum::text("a"),
            Datum::word("a"),
            Datum::list(vec![Datum::Int(1)]),
        ];
        let mut values = Values::default();
        let numbers: Vec<Value> = data.iter().map(|d| values.number(d.clone())).collect();
        for (i, (a, d)) in numbers.iter().zip(&data).enumerate() {
            assert_eq!(values.get(*a).as_ref(), Some(d));
            assert_eq!(values.number(d.clone()), *a);
            assert!(numbers[..i].iter().all(|b| b != a));
        }
    }
}
