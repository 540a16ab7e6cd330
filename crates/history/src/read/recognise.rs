//! Which format a log has, from its first lines.

use super::Format;
use super::source::lines;
use crate::build::{Problem, Setting};

/// Whether the first lines of a log leave open which format it has.
pub fn ambiguous(begun: &str) -> bool {
    let first = lines(begun).map(|(_, l)| l.trim()).find(|l| !l.is_empty());
    first.is_some_and(|l| l.starts_with("INFO") && l.contains("jepsen.util"))
}

/// The format of a log. Old Jepsen text and etcd logs share a prefix: with only `read`, `write` and `cas`
/// it is etcd.
pub fn recognise(text: &str) -> Result<Format, Problem> {
    let mut first = lines(text).map(|(n, l)| (n, l.trim())).filter(|(_, l)| !l.is_empty());
    let Some((number, line)) = first.next() else {
        // Nothing happened in any format.
        return Ok(Format::Json);
    };
    if ambiguous(line) {
        let etcd = text.lines().filter(|l| !l.trim().is_empty()).all(|l| {
            l.split_ascii_whitespace().any(|w| matches!(w, ":read" | ":write" | ":cas"))
                || l.split_ascii_whitespace().nth(3).is_none_or(|w| w.parse::<i64>().is_err())
        });
        return Ok(if etcd { Format::Etcd } else { Format::JepsenText });
    }
    if let Some(comment) = line.strip_prefix("# ").or_else(|| line.strip_prefix('#')) {
        let comment = comment.trim();
        if comment.starts_with("@object") {
            return Ok(Format::Violin);
        }
        if matches!(comment, "rmw" | "semaphore") {
            return Ok(Format::Fptlin);
        }
        if matches!(comment, "queue" | "stack" | "set" | "priorityqueue" | "pqueue") {
            // The headers are the same; only fptlin begins its lines with a process.
            let next = first.find(|(_, l)| !l.starts_with('#'));
            let number = next.is_some_and(|(_, l)| {
                l.split_ascii_whitespace().next().is_some_and(|w| w.parse::<i64>().is_ok())
            });
            return Ok(if number { Format::Fptlin } else { Format::Fastlin });
        }
        if comment.starts_with('_') || line.starts_with("#jepsen") || line.contains('{') {
            return Ok(Format::JepsenEdn);
        }
        // Some other comment: what follows decides.
        return match first.next() {
            Some((n, l)) => recognise_line(n, l),
            None => Ok(Format::Violin),
        };
    }
    if line.starts_with(';') {
        return Ok(Format::JepsenEdn);
    }
    if json_array(text.as_bytes()) {
        return Ok(Format::Json);
    }
    recognise_line(number, line)
}

/// Whether a log begins like an array of JSON objects; in EDN, what follows the brace is no text.
pub fn json_array(bytes: &[u8]) -> bool {
    let mut rest = bytes.iter().filter(|b| !b.is_ascii_whitespace());
    rest.next() == Some(&b'[') && rest.next() == Some(&b'{') && rest.next() == Some(&b'"')
}

fn recognise_line(number: u32, line: &str) -> Result<Format, Problem> {
    if let Some(rest) = line.strip_prefix('{') {
        let rest = rest.trim_start();
        if rest.starts_with('"') || rest.starts_with('}') {
            return Ok(Format::Json);
        }
        let kv = line.contains(":key ") && [":get", ":put", ":append"].iter().any(|f| line.contains(f));
        return Ok(if kv { Format::Kv } else { Format::JepsenEdn });
    }
    if line.starts_with("#jepsen") || line.starts_with('(') {
        return Ok(Format::JepsenEdn);
    }
    if let Some(rest) = line.strip_prefix('[') {
        let process = rest.split(']').next().unwrap_or_default().trim();
        let violin = rest.contains(']') && !process.is_empty() && process.parse::<i64>().is_ok();
        return Ok(if violin { Format::Violin } else { Format::JepsenEdn });
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    if words.get(1).is_some_and(|w| matches!(*w, ":invoke" | ":ok" | ":fail" | ":info")) {
        return Ok(Format::JepsenText);
    }
    if words.len() >= 4 && words[..3].iter().all(|w| w.parse::<i64>().is_ok()) {
        return Ok(Format::Fptlin);
    }
    // Older logs: process, method, value, start, end.
    let is_number = |w: &&str| w.parse::<i64>().is_ok();
    if words.len() >= 5 && is_number(&words[0]) && !is_number(&words[1]) && words[2..].iter().all(is_number) {
        return Ok(Format::Fptlin);
    }
    Err(Problem::at(number, "the format of the log is not recognised")
        .help("formats are json, jepsen, jepsen-text, etcd, kv, fastlin, fptlin and violin")
        .setting(Setting::Format))
}
