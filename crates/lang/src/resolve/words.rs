//! Words of messages: names that are close to others, and words of other languages.

/// A name close to `name` among `candidates`.
pub(crate) fn close<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    candidates
        .map(|c| (strsim::damerau_levenshtein(&name.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, c)| {
            let shorter = c.len().min(name.len());
            *d <= 1 + shorter / 4 && *d < shorter
        })
        .min()
        .map(|(_, c)| c.to_string())
}

/// What to write for a word of other languages.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "None" | "nothing" | "Nothing" | "undefined" | "EMPTY" => "the absent value is `none`",
        "nil" | "NULL" | "Null" | "nullptr" => "the absent reference is `null`",
        "True" => "write `true`",
        "False" => "write `false`",
        "this" => "variables of the object are named alone; the thread is `self`",
        "Some" | "Just" => "a value is written as it is: `x`, not `Some(x)`",
        _ => return None,
    })
}

/// What to write for a method of other languages.
pub(super) fn foreign_method(object: &str, method: &str) -> Option<String> {
    Some(match method {
        "fetch_add" | "getAndAdd" | "get_and_add" => format!("write `faa({object}, …)`"),
        "fetch_sub" => format!("write `faa({object}, -…)`"),
        "fetch_inc" | "getAndIncrement" | "incrementAndGet" | "inc" => format!("write `faa({object}, 1)`"),
        "compare_exchange"
        | "compare_exchange_weak"
        | "compare_exchange_strong"
        | "compareAndSet"
        | "compare_and_set"
        | "compare_and_swap"
        | "cas" => format!("write `cas({object}, old, new)`"),
        "compareAndExchange" | "cmpxchg" => format!("write `cmpxchg({object}, old, new)`"),
        "swap" | "exchange" | "getAndSet" => format!("write `swap({object}, …)`"),
        "test_and_set" => format!("write `tas({object})`"),
        "load" | "get" | "read" => format!("write `{object}`: naming it reads it"),
        "store" | "set" | "write" => format!("write `{object} = …;`"),
        "lock" | "acquire" => format!("write `lock {object};`"),
        "unlock" | "release" => format!("write `unlock {object};`"),
        "is_none" | "isEmpty" => format!("write `{object} == none`"),
        "is_some" | "isPresent" => format!("write `{object} != none`"),
        "is_null" => format!("write `{object} == null`"),
        "unwrap" => format!("write `{object}`: it must not be `none` where a value is needed"),
        _ => return None,
    })
}
