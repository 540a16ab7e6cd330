//! One self-contained page per history: a timeline that can be zoomed and searched.
//!
//! The data stands in the page as JSON in which no `<` occurs, and the page builds its elements from text only,
//! so nothing of a log can become markup. The page draws what is visible and at most 5,000 elements.

use serde_json::{Value, json};

use crate::history::{History, NEVER, OpId};
use crate::verdict::{Report, Verdict};

/// Operations that a page holds; of larger histories it shows a part around the failure and says so.
pub const MOST_OPERATIONS: usize = 200_000;
/// Characters of one operation's text.
const MOST_LABEL: usize = 200;
/// Processes that get a row of their own.
const MOST_ROWS: usize = 64;

const PAGE: &str = include_str!("page.html");

/// The page for a report.
pub fn page(title: &str, history: &History, report: &Report) -> String {
    let data =
        data(title, history, report).to_string().replace('<', "\\u003c").replace("\u{2028}", "\\u2028");
    let mut out = String::with_capacity(PAGE.len() + data.len());
    for (i, piece) in PAGE.split("@@DATA@@").enumerate() {
        if i > 0 {
            out.push_str(&data);
        }
        out.push_str(piece);
    }
    out
}

fn cut(text: String) -> String {
    if text.chars().count() <= MOST_LABEL {
        return text;
    }
    let mut short: String = text.chars().take(MOST_LABEL).collect();
    short.push('…');
    short
}

/// The range of operations that the page holds.
fn shown(history: &History, failing: &[OpId]) -> std::ops::Range<usize> {
    let n = history.ops.len();
    if n <= MOST_OPERATIONS {
        return 0..n;
    }
    let middle = failing.first().map_or(0, |id| id.index());
    let start = middle.saturating_sub(MOST_OPERATIONS / 2).min(n - MOST_OPERATIONS);
    start..start + MOST_OPERATIONS
}

/// A row per process, or packed rows when there are too many.
fn rows(history: &History, range: std::ops::Range<usize>) -> (Vec<String>, Vec<usize>) {
    let ops = &history.ops[range];
    let mut processes: Vec<i64> = ops.iter().map(|o| o.process).collect();
    processes.sort_unstable();
    processes.dedup();
    if processes.len() <= MOST_ROWS {
        let row = |p: i64| processes.binary_search(&p).unwrap_or(0);
        let of = ops.iter().map(|o| row(o.process)).collect();
        return (processes.iter().map(|p| format!("process {p}")).collect(), of);
    }
    let mut free = std::collections::BTreeSet::new();
    let mut open: std::collections::BTreeSet<(u32, usize)> = std::collections::BTreeSet::new();
    let mut count = 0;
    let mut of = Vec::with_capacity(ops.len());
    for op in ops {
        while let Some(&(ret, row)) = open.first().filter(|(ret, _)| *ret < op.call) {
            open.remove(&(ret, row));
            free.insert(row);
        }
        let row = free.pop_first().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        open.insert((op.ret, row));
        of.push(row);
    }
    ((0..count).map(|i| format!("row {}", i + 1)).collect(), of)
}

fn data(title: &str, history: &History, report: &Report) -> Value {
    let (failing, sentence, order) = match &report.verdict {
        Verdict::Fails(f) => {
            let order = f.partials.first().map(|p| p.order.clone());
            (f.operations.clone(), f.sentence.clone(), order.unwrap_or_default())
        }
        Verdict::Holds { witness } => (Vec::new(), String::new(), witness.clone().unwrap_or_default()),
        Verdict::Unknown { why, .. } | Verdict::Unconfirmed { why } => (Vec::new(), why.clone(), Vec::new()),
    };
    let range = shown(history, &failing);
    let (rows, row_of) = rows(history, range.clone());
    let inside = |id: &OpId| range.contains(&id.index()).then(|| id.index() - range.start);
    let ops: Vec<Value> = range
        .clone()
        .map(|i| {
            let op = &history.ops[i];
            let ret = if op.ret == NEVER { -1 } else { i64::from(op.ret) };
            json!([
                row_of[i - range.start],
                op.call,
                ret,
                cut(history.show(OpId(i as u32))),
                op.process,
                op.line
            ])
        })
        .collect();
    let (reasons, partials) = match &report.verdict {
        Verdict::Fails(f) => (
            f.reasons
                .iter()
                .filter_map(|r| Some(json!([inside(&r.operation)?, cut(r.text.clone())])))
                .collect(),
            f.partials
                .iter()
                .map(|p| {
                    json!({
                        "order": p.order.iter().filter_map(inside).collect::<Vec<_>>(),
                        "state": cut(p.state.clone()),
                        "blocked": inside(&p.blocked),
                        "expected": p.expected.clone().map(cut),
                    })
                })
                .collect(),
        ),
        _ => (Vec::new(), Vec::new()),
    };
    json!({
        "title": title,
        "verdict": report.verdict.word(),
        "condition": report.condition.to_string(),
        "spec": report.spec,
        "sentence": sentence,
        "operations": history.ops.len(),
        "from": range.start,
        "end": history.length,
        "rows": rows,
        "ops": ops,
        "failing": failing.iter().filter_map(inside).collect::<Vec<_>>(),
        "order": order.iter().filter_map(inside).collect::<Vec<_>>(),
        "reasons": Value::Array(reasons),
        "partials": Value::Array(partials),
        "notes": history.notes.iter().take(1000).map(|n| json!([n.position, cut(n.text.clone())])).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Condition, Datum};

    #[test]
    fn nothing_of_a_log_becomes_markup() {
        let mut b = Builder::new();
        b.call(1, 0, "</script><img src=x onerror=alert(1)>", None, Datum::text("<b>&\"'\u{2028}")).unwrap();
        let history = b.finish();
        let report = Report {
            condition: Condition::Linearizable,
            spec: "<i>".into(),
            verdict: Verdict::Unknown { why: "<u>".into(), stop: None, progress: None },
            operations: 1,
            pending: 1,
            parts: 1,
            engines: Vec::new(),
            configurations: 0,
            bytes: 0,
        };
        let page = page("<title>@@DATA@@", &history, &report);
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        for markup in ["<img", "<b>", "<i>", "<u>", "<title>@", "\u{2028}"] {
            assert!(!page.contains(markup), "{markup}");
        }
        assert!(!PAGE.contains("innerHTML") && !PAGE.contains("src=") && !PAGE.contains("href="));
    }

    #[test]
    fn a_page_has_a_largest_size() {
        let plan = crate::generate::Plan {
            object: crate::generate::Object::Register,
            operations: MOST_OPERATIONS + 5_000,
            clients: 100,
            values: 0,
            crashes: 0,
            spoiled: false,
            seed: 1,
        };
        let history = crate::generate::history(&plan);
        assert_eq!(shown(&history, &[]).len(), MOST_OPERATIONS);
        assert_eq!(shown(&history, &[OpId(history.ops.len() as u32 - 1)]).end, history.ops.len());
        let (rows, of) = rows(&history, 0..1000);
        assert!(rows.len() <= 100 && of.len() == 1000);
    }
}
