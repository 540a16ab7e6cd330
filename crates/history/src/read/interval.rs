//! Logs with one interval per line, those of fastlin (PolyLin) and fptlin.

use crate::build::Problem;
use crate::datum::Datum;
use crate::intervals::Interval;

/// The words of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'t> {
    /// Who, where the log says so.
    pub process: Option<i64>,
    /// The method.
    pub method: &'t str,
    /// Its argument or result.
    pub value: i64,
    /// A second one, which a read-modify-write has.
    pub second: Option<i64>,
    /// Whether it succeeded, where the log says so.
    pub flag: Option<bool>,
    /// Time of the call.
    pub start: i64,
    /// Time of the return.
    pub end: i64,
}

impl Words<'_> {
    /// The operation that they describe.
    pub fn interval(self, line: u32) -> Result<Interval<'static>, Problem> {
        let Words { process, method, value, second, flag, start, end } = self;
        // fptlin writes its methods in capitals.
        let capitals = process.is_some() && method.bytes().any(|b| b.is_ascii_uppercase());
        let lower = capitals.then(|| method.to_ascii_lowercase());
        let method = lower.as_deref().unwrap_or(method);
        let (name, input, output) = match (method, second) {
            ("read_modify_write" | "rmw", Some(new)) => ("rmw", Datum::Int(new), Datum::Int(value)),
            ("read_modify_write" | "rmw", None) => {
                return Err(Problem::at(line, "a read-modify-write has two values, the old and the new"));
            }
            _ => operation(line, method, value, flag)?,
        };
        Ok(Interval { line, process, name, input, output, start, end })
    }
}

/// `method value start end` on a line, or `# object` first, which names the specification.
pub fn fastlin<'t>(
    line: u32,
    text: &'t str,
    object: &mut Option<String>,
) -> Result<Option<Words<'t>>, Problem> {
    if header(line, text, object)? {
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
    Ok(Some(Words { process: None, method, value, second: None, flag: None, start, end }))
}

/// Whether a line is one without an operation: empty, or a comment, the first of which names the object.
fn header(line: u32, text: &str, object: &mut Option<String>) -> Result<bool, Problem> {
    let Some(comment) = text.strip_prefix('#') else { return Ok(text.is_empty()) };
    if object.is_none() {
        *object = Some(spec_of(line, comment.trim())?);
    }
    Ok(true)
}

/// What a log says that does not name its object.
pub fn headless() -> Problem {
    Problem::at(1, "the header `# queue` (or stack, priorityqueue, set) is missing")
}

fn spec_of(line: u32, object: &str) -> Result<String, Problem> {
    Ok(match object {
        "queue" | "stack" | "set" => object.to_string(),
        "priorityqueue" | "pqueue" => "max-priority-queue".to_string(),
        "rmw" => "cas-register(0)".to_string(),
        "semaphore" => "semaphore(0)".to_string(),
        _ => {
            return Err(Problem::at(line, format!("`{object}` is no object of this format"))
                .help("objects are stack, queue, priorityqueue, set, rmw and semaphore"));
        }
    })
}

/// `process start end METHOD value(s)` on a line, or as older logs have it `process method value(s) start end`; or
/// `# object` first, which names the specification.
pub fn fptlin<'t>(
    line: u32,
    text: &'t str,
    object: &mut Option<String>,
) -> Result<Option<Words<'t>>, Problem> {
    // A comment may be about anything else as well.
    if header(line, text, object).unwrap_or(true) {
        return Ok(None);
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let process = number(line, "the process", words.first().copied())?;
    let newer = words.get(1).is_some_and(|w| w.parse::<i64>().is_ok());
    let (method, values, times) = match (newer, words.len()) {
        (true, n) => {
            (words.get(3).copied(), words.get(4..n).unwrap_or_default(), words.get(1..3).unwrap_or_default())
        }
        (false, n) => {
            let times = n.checked_sub(2).filter(|at| *at >= 2).unwrap_or(n);
            (
                words.get(1).copied(),
                words.get(2..times).unwrap_or_default(),
                words.get(times..).unwrap_or_default(),
            )
        }
    };
    let start = number(line, "the start", times.first().copied())?;
    let end = number(line, "the end", times.get(1).copied())?;
    let Some(method) = method else { return Err(Problem::at(line, "the method is missing")) };
    if values.len() > 2 {
        return Err(Problem::at(line, "the line has more than two values"));
    }
    let value = values.first().map_or(Ok(-1), |v| number(line, "the value", Some(v)))?;
    let (second, flag) = match values.get(1).copied() {
        None => (None, None),
        Some(v) if has_pair(method) => (Some(number(line, "the second value", Some(v))?), None),
        Some("1" | "true") => (None, Some(true)),
        Some("0" | "false") => (None, Some(false)),
        Some(other) => return Err(Problem::at(line, format!("`{other}` is no truth value"))),
    };
    Ok(Some(Words { process: Some(process), method, value, second, flag, start, end }))
}

/// Whether a method has two values, and not one with a truth value.
pub fn has_pair(method: &str) -> bool {
    method.eq_ignore_ascii_case("read_modify_write") || method.eq_ignore_ascii_case("rmw")
}

fn number(line: u32, what: &str, word: Option<&str>) -> Result<i64, Problem> {
    let Some(word) = word else { return Err(Problem::at(line, format!("{what} is missing"))) };
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
        "incr" if value == 1 => ("release", Datum::Nil, Datum::Nil),
        "decr" if matches!(value, 0 | 1) => ("acquire", Datum::Nil, Datum::Bool(value == 1)),
        "read" => ("read", Datum::Nil, Datum::Int(value)),
        "write" => ("write", Datum::Int(value), Datum::Nil),
        _ => return Err(Problem::at(line, format!("`{method}` is no method of this format"))),
    })
}
