//! The data that operations carry: arguments, results and keys, whatever the log's notation.

use std::fmt;
use std::sync::Arc;

/// One value of a recorded history.
///
/// Equality is equality of meaning: maps are kept in ascending order of their keys, and numbers that
/// are not 64-bit integers are kept as they were written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Datum {
    /// Nothing: no argument, no result, an empty container.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number that is no 64-bit integer, as written.
    Number(Arc<String>),
    /// A name: an EDN keyword or symbol, without its colon.
    Word(Arc<String>),
    /// A string.
    Text(Arc<String>),
    /// A sequence of values.
    List(Arc<Vec<Datum>>),
    /// A map, ascending by key.
    Map(Arc<Vec<(Datum, Datum)>>),
}

impl Datum {
    /// A string.
    pub fn text(s: impl Into<String>) -> Datum {
        Datum::Text(Arc::new(s.into()))
    }

    /// A name.
    pub fn word(s: impl Into<String>) -> Datum {
        Datum::Word(Arc::new(s.into()))
    }

    /// A sequence.
    pub fn list(items: impl Into<Vec<Datum>>) -> Datum {
        Datum::List(Arc::new(items.into()))
    }

    /// A map, put into order.
    pub fn map(mut entries: Vec<(Datum, Datum)>) -> Datum {
        entries.sort();
        Datum::Map(Arc::new(entries))
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Datum::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// The characters of a name or string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Datum::Word(s) | Datum::Text(s) => Some(s),
            _ => None,
        }
    }

    /// The items of a sequence.
    pub fn as_list(&self) -> Option<&[Datum]> {
        match self {
            Datum::List(items) => Some(items),
            _ => None,
        }
    }

    /// Whether it says that a container was empty: nothing, or the name `empty`.
    pub fn is_empty_answer(&self) -> bool {
        match self {
            Datum::Nil => true,
            Datum::Word(s) | Datum::Text(s) => s.eq_ignore_ascii_case("empty"),
            _ => false,
        }
    }

    /// Bytes that it takes beyond its own size.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Datum::Nil | Datum::Bool(_) | Datum::Int(_) => 0,
            Datum::Number(s) | Datum::Word(s) | Datum::Text(s) => 40 + s.len(),
            Datum::List(v) => 40 + v.iter().map(|d| 16 + d.heap_bytes()).sum::<usize>(),
            Datum::Map(v) => 40 + v.iter().map(|(k, d)| 32 + k.heap_bytes() + d.heap_bytes()).sum::<usize>(),
        }
    }
}

impl From<i64> for Datum {
    fn from(i: i64) -> Datum {
        Datum::Int(i)
    }
}

macro_rules! from_integer {
    ($($t:ty),*) => {$(
        impl From<$t> for Datum {
            fn from(i: $t) -> Datum {
                i64::try_from(i).map_or_else(|_| Datum::Number(Arc::new(i.to_string())), Datum::Int)
            }
        }
    )*};
}

from_integer!(i8, i16, i32, u8, u16, u32, u64, usize, isize);

impl From<String> for Datum {
    fn from(s: String) -> Datum {
        Datum::text(s)
    }
}

impl From<bool> for Datum {
    fn from(b: bool) -> Datum {
        Datum::Bool(b)
    }
}

impl From<&str> for Datum {
    fn from(s: &str) -> Datum {
        Datum::text(s)
    }
}

impl From<()> for Datum {
    fn from((): ()) -> Datum {
        Datum::Nil
    }
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(o: Option<T>) -> Datum {
        o.map_or(Datum::Nil, Into::into)
    }
}

/// As a reader of a report expects it; strings are quoted as in JSON.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Nil => f.write_str("nil"),
            Datum::Bool(b) => write!(f, "{b}"),
            Datum::Int(i) => write!(f, "{i}"),
            Datum::Number(s) | Datum::Word(s) => f.write_str(s),
            Datum::Text(s) => write!(f, "{}", serde_json::Value::from(s.as_str())),
            Datum::List(items) => {
                f.write_str("[")?;
                for (i, d) in items.iter().enumerate() {
                    write!(f, "{}{d}", if i == 0 { "" } else { " " })?;
                }
                f.write_str("]")
            }
            Datum::Map(entries) => {
                f.write_str("{")?;
                for (i, (k, d)) in entries.iter().enumerate() {
                    write!(f, "{}{k} {d}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datum_takes_two_words() {
        assert_eq!(std::mem::size_of::<Datum>(), 16);
        assert_eq!(std::mem::size_of::<Option<Datum>>(), 16);
    }

    #[test]
    fn shown_compactly() {
        let d = Datum::list(vec![Datum::Int(1), Datum::text("a\"b"), Datum::word("x"), Datum::Nil]);
        assert_eq!(d.to_string(), "[1 \"a\\\"b\" x nil]");
    }
}
