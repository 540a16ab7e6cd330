//! The methods of collections.

use super::eval::index;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::Method;

/// A method that changes nothing.
pub(crate) fn query(method: Method, collection: &Value, args: &[Value]) -> Value {
    match (method, collection) {
        (Method::Len, Value::Map(entries)) => Value::Int(entries.len() as i32),
        (Method::Len, other) => Value::Int(items(other).len() as i32),
        (Method::Contains, Value::Map(entries)) => Value::Bool(entries.iter().any(|(k, _)| *k == args[0])),
        (Method::Contains, other) => Value::Bool(items(other).contains(&args[0])),
        (Method::Count, other) => Value::Int(items(other).iter().filter(|x| **x == args[0]).count() as i32),
        (Method::Get, Value::Map(entries)) => {
            entries.iter().find(|(k, _)| *k == args[0]).map_or(Value::None, |(_, v)| v.clone())
        }
        (Method::Min, Value::Bag(items)) => items.first().cloned().unwrap_or(Value::None),
        (method, other) => panic!("{method:?} of {other:?}"),
    }
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Seq(items) | Value::Set(items) | Value::Bag(items) | Value::Array(items) => items,
        other => panic!("{other:?} is no collection"),
    }
}

/// A method that changes the collection; gives its answer.
pub(crate) fn collect(method: Method, collection: &mut Value, args: Vec<Value>) -> Result<Value, Finding> {
    if matches!(method, Method::Len | Method::Contains | Method::Count | Method::Get | Method::Min) {
        return Ok(query(method, collection, &args));
    }
    let mut args = args.into_iter();
    let mut arg = || args.next().expect("the method has this argument");
    Ok(match (method, collection) {
        (Method::PushFront, Value::Seq(items)) => {
            items.insert(0, arg());
            Value::Unit
        }
        (Method::PushBack, Value::Seq(items)) => {
            items.push(arg());
            Value::Unit
        }
        (Method::PopFront, Value::Seq(items)) => {
            if items.is_empty() {
                Value::None
            } else {
                items.remove(0)
            }
        }
        (Method::PopBack, Value::Seq(items)) => items.pop().unwrap_or(Value::None),
        (Method::Insert, Value::Seq(items)) => {
            let at = index(&arg()).filter(|at| *at <= items.len()).ok_or(Finding::Bounds)?;
            items.insert(at, arg());
            Value::Unit
        }
        (Method::Remove, Value::Seq(items)) => {
            let at = index(&arg()).filter(|at| *at < items.len()).ok_or(Finding::Bounds)?;
            items.remove(at)
        }
        (Method::Insert, Value::Set(items)) => {
            let item = arg();
            match items.binary_search(&item) {
                Ok(_) => Value::Bool(false),
                Err(at) => {
                    items.insert(at, item);
                    Value::Bool(true)
                }
            }
        }
        (Method::Remove, Value::Set(items) | Value::Bag(items)) => {
            let item = arg();
            match items.iter().position(|x| *x == item) {
                Some(at) => {
                    items.remove(at);
                    Value::Bool(true)
                }
                None => Value::Bool(false),
            }
        }
        (Method::Insert | Method::Push, Value::Bag(items)) => {
            let item = arg();
            let at = items.partition_point(|x| *x <= item);
            items.insert(at, item);
            if method == Method::Insert { Value::Bool(true) } else { Value::Unit }
        }
        (Method::PopMin, Value::Bag(items)) => {
            if items.is_empty() {
                Value::None
            } else {
                items.remove(0)
            }
        }
        (Method::Insert, Value::Map(entries)) => {
            let (key, value) = (arg(), arg());
            match entries.binary_search_by(|(k, _)| k.cmp(&key)) {
                Ok(at) => std::mem::replace(&mut entries[at].1, value),
                Err(at) => {
                    entries.insert(at, (key, value));
                    Value::None
                }
            }
        }
        (Method::Remove, Value::Map(entries)) => {
            let key = arg();
            match entries.iter().position(|(k, _)| *k == key) {
                Some(at) => entries.remove(at).1,
                None => Value::None,
            }
        }
        (method, other) => panic!("{method:?} of {other:?}"),
    })
}

/// Replaces what stands at the end of a path into arrays and tuples.
pub(crate) fn set_element(target: &mut Value, path: &[Value], value: Value) -> Result<(), Finding> {
    let Some((first, rest)) = path.split_first() else {
        *target = value;
        return Ok(());
    };
    match target {
        Value::Array(items) | Value::Tuple(items) | Value::Seq(items) => {
            let at = index(first).filter(|at| *at < items.len()).ok_or(Finding::Bounds)?;
            set_element(&mut items[at], rest, value)
        }
        other => panic!("{other:?} has no elements"),
    }
}
