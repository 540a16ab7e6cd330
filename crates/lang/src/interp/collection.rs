//! Methods of sequences, sets, multisets, heaps and maps.

use super::eval::index_of;
use crate::ir::Method;
use trueline_base::Value;
use trueline_base::verdict::Finding;

/// A method that changes nothing.
pub fn query(method: Method, of: &Value, args: &[Value]) -> Value {
    match (method, of) {
        (Method::Len, Value::Map(entries)) => Value::Int(entries.len() as i32),
        (Method::Len, of) => Value::Int(items(of).len() as i32),
        (Method::Contains, Value::Map(entries)) => Value::Bool(entries.iter().any(|(k, _)| *k == args[0])),
        (Method::Contains, of) => Value::Bool(items(of).contains(&args[0])),
        (Method::Count, of) => Value::Int(items(of).iter().filter(|v| **v == args[0]).count() as i32),
        (Method::Get, Value::Map(entries)) => {
            entries.iter().find(|(k, _)| *k == args[0]).map_or(Value::None, |(_, v)| v.clone())
        }
        (Method::Min, Value::Bag(items)) => items.first().cloned().unwrap_or(Value::None),
        (method, of) => panic!("{method:?} of {of:?}"),
    }
}

/// A method that changes the collection; gives its answer.
pub fn change(method: Method, of: &mut Value, args: &[Value]) -> Result<Value, Finding> {
    let or_none = |found: Option<Value>| found.unwrap_or(Value::None);
    Ok(match (method, of) {
        (Method::PushFront, Value::Seq(items)) => {
            items.insert(0, args[0].clone());
            Value::Unit
        }
        (Method::PushBack, Value::Seq(items)) => {
            items.push(args[0].clone());
            Value::Unit
        }
        (Method::PopFront, Value::Seq(items)) => or_none((!items.is_empty()).then(|| items.remove(0))),
        (Method::PopBack, Value::Seq(items)) => or_none(items.pop()),
        (Method::Insert, Value::Seq(items)) => {
            items.insert(position(&args[0], items.len() + 1)?, args[1].clone());
            Value::Unit
        }
        (Method::Remove, Value::Seq(items)) => items.remove(position(&args[0], items.len())?),
        (Method::Insert, Value::Set(items)) => match items.binary_search(&args[0]) {
            Ok(_) => Value::Bool(false),
            Err(at) => {
                items.insert(at, args[0].clone());
                Value::Bool(true)
            }
        },
        (Method::Remove, Value::Set(items) | Value::Bag(items)) => match items.binary_search(&args[0]) {
            Ok(at) => {
                items.remove(at);
                Value::Bool(true)
            }
            Err(_) => Value::Bool(false),
        },
        (Method::Insert, Value::Bag(items)) => {
            put(items, &args[0]);
            Value::Bool(true)
        }
        (Method::Push, Value::Bag(items)) => {
            put(items, &args[0]);
            Value::Unit
        }
        (Method::PopMin, Value::Bag(items)) => or_none((!items.is_empty()).then(|| items.remove(0))),
        (Method::Insert, Value::Map(entries)) => match entries.binary_search_by(|(k, _)| k.cmp(&args[0])) {
            Ok(at) => std::mem::replace(&mut entries[at].1, args[1].clone()),
            Err(at) => {
                entries.insert(at, (args[0].clone(), args[1].clone()));
                Value::None
            }
        },
        (Method::Remove, Value::Map(entries)) => match entries.binary_search_by(|(k, _)| k.cmp(&args[0])) {
            Ok(at) => entries.remove(at).1,
            Err(_) => Value::None,
        },
        // A query used as a statement.
        (method, of) => query(method, of, args),
    })
}

fn items(of: &Value) -> &[Value] {
    match of {
        Value::Seq(items) | Value::Set(items) | Value::Bag(items) | Value::Array(items) => items,
        other => panic!("items of {other:?}"),
    }
}

fn put(items: &mut Vec<Value>, item: &Value) {
    let at = items.binary_search(item).unwrap_or_else(|at| at);
    items.insert(at, item.clone());
}

fn position(index: &Value, len: usize) -> Result<usize, Finding> {
    usize::try_from(index_of(index)).ok().filter(|at| *at < len).ok_or(Finding::Bounds)
}
