//! Logs with one interval per line, those of fastlin (PolyLin) and fptlin.

use crate::build::Problem;
use crate::datum::Datum;
use crate::intervals::Interval;

/// `method value start end` on a line, or `# object` first, which names the specification.
pub fn fastlin<'t>(
    line: u32,
    text: &'t str,
    object: &mut Option<String>,
) -> Result<Option<Interval<'t>>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(comment) = text.strip_prefix('#') {
        if object.is_none() {
            *object = Some(spec_of(line, comment.trim())?);
        }
        return Ok(None);
    }
    let mut words = text.split_ascii_whitespace();
    let method = words.next().unwrap_or_default();
    let value = number(line, "the value", words.next())?;
    let start = number(line, "the start", words.next())?;
    let end = number(line, "the end", words.next())?;
    if words.next().is_some() {
        return Err(Problem::at(line, "the line has more than `method value start end`"));
    }
    let (name, input, output) = operation(line, method, value, None)?;
    Ok(Some(Interval { line, process: None, name, input, output, start, end }))
}

/// What a log says that does not name its object.
pub fn headless() -> Problem {
    Problem::at(1, "the header `# queue` (or stack, priorityqueue, set) is missing")
}

fn spec_of(line: u32, object: &str) -> Result<String, Problem> {
    Ok(match object {
        "queue" | "stack" | "set" => object.to_string(),
        "priorityqueue" | "pqueue" => "max-priority-queue".to_string(),
        _ => {
            return Err(Problem::at(line, format!("`{object}` is no object of this format"))
                .help("objects are stack, queue, priorityqueue and set"));
        }
    })
}

/// `process start end METHOD value [bool]` on a line.
pub fn fptlin(line: u32, text: &str) -> Result<Option<Interval<'_>>, Problem> {
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let mut words = text.split_ascii_whitespace();
    let process = number(line, "the process", words.next())?;
    let start = number(line, "the start", words.next())?;
    let end = number(line, "the end", words.next())?;
    let Some(method) = words.next() else { return Err(Problem::at(line, "the method is missing")) };
    let value = match words.next() {
        None => -1,
        Some(v) => number(line, "the value", Some(v))?,
    };
    let flag = match words.next() {
        None => None,
        Some("1" | "true") => Some(true),
        Some("0" | "false") => Some(false),
        Some(other) => return Err(Problem::at(line, format!("`{other}` is no truth value"))),
    };
    let lower = method.bytes().any(|b| b.is_ascii_uppercase()).then(|| method.to_ascii_lowercase());
    let (name, input, output) = operation(line, lower.as_deref().unwrap_or(method), value, flag)?;
    Ok(Some(Interval { line, process: Some(process), name, input, output, start, end }))
}

fn number(line: u32, what: &str, word: Option<&str>) -> Result<i64, Problem> {
    let Some(word) = word else { return Err(Problem::at(line, format!("{what} is missing"))) };
    // Most are short and without a sign.
    if word.len() <= 18 && word.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(word.bytes().fold(0, |n, b| 10 * n + i64::from(b - b'0')));
    }
    word.parse().map_err(|_| Problem::at(line, format!("{what} `{word}` is no 64-bit number")))
}

/// Name, argument and result of a method. The value -1 of a removal says that nothing was there.
pub(crate) fn operation(
    line: u32,
    method: &str,
    value: i64,
    flag: Option<bool>,
) -> Result<(&'static str, Datum, Datum), Problem> {
    let found = if value == -1 { Datum::Nil } else { Datum::Int(value) };
    let done = flag.map_or(Datum::Nil, Datum::Bool);
    Ok(match method {
        "enq" | "enqueue" => ("enq", Datum::Int(value), Datum::Nil),
        "push" => ("push", Datum::Int(value), Datum::Nil),
        "insert" | "add" => ("insert", Datum::Int(value), done),
        "deq" | "dequeue" => ("deq", Datum::Nil, found),
        "pop" => ("pop", Datum::Nil, found),
        "poll" | "extract" => ("poll", Datum::Nil, found),
        "peek" => ("peek", Datum::Nil, found),
        "remove" => ("remove", Datum::Int(value), done),
        "contains_true" => ("contains", Datum::Int(value), Datum::Bool(true)),
        "contains_false" => ("contains", Datum::Int(value), Datum::Bool(false)),
        "contains" => ("contains", Datum::Int(value), done),
        "read" => ("read", Datum::Nil, Datum::Int(value)),
        "write" => ("write", Datum::Int(value), Datum::Nil),
        _ => return Err(Problem::at(line, format!("`{method}` is no method of this format"))),
    })
}
