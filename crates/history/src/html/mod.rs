//! One self-contained page per history: a timeline that can be zoomed and searched.
//!
//! The data stands in the page as JSON in which no `<` occurs, the page builds its elements from text only, and
//! its policy forbids it to fetch anything, so nothing of a log can become markup or leave the machine. The page
//! draws what is visible, at most 5,000 elements at a time. Its size is capped: at most 200,000
//! operations, whose texts share 12 MiB.

mod text;

use serde_json::{Value, json};

use crate::condition::Condition;
use crate::history::{History, NEVER, OpId};
use crate::verdict::{Failure, Impasse, OpenOperation, Report, Verdict};
use text::Room;

/// Operations that a page holds; of larger histories it shows a part around the failure and says so.
const MOST_OPERATIONS: usize = 200_000;
/// Bytes that the texts of all operations take in a page.
const TEXT_BYTES: usize = 12 << 20;
/// Processes that get a row of their own.
const MOST_ROWS: usize = 64;
/// Notes of the log that are shown.
const MOST_NOTES: usize = 1000;
/// Other parts, or open operations, that are listed.
const MOST_ALSO: usize = 40;
/// Operations of all orders of one failure.
const MOST_IN_ORDERS: usize = 400_000;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(
    include_str!("model.js"),
    include_str!("draw.js"),
    include_str!("panel.js"),
    include_str!("input.js")
);

/// The page for a report.
pub fn page(title: &str, history: &History, report: &Report) -> String {
    let data = text::harmless(&data(title, history, report).to_string());
    let mut out = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len());
    let mut rest = PAGE;
    for (mark, content) in [("@@STYLE@@", STYLE), ("@@DATA@@", &data), ("@@SCRIPT@@", SCRIPT)] {
        let (before, after) = rest.split_once(mark).expect("the page has its marks, in this order");
        out.push_str(before);
        out.push_str(content);
        rest = after;
    }
    out.push_str(rest);
    out
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

/// How many processes these operations have.
fn processes(ops: &[crate::Operation]) -> usize {
    ops.iter().map(|o| o.process).collect::<std::collections::HashSet<_>>().len()
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

/// Where the box of an operation begins. Operations of a series that share their interval with nobody else stand
/// behind each other.
fn drawn_from(history: &History, id: OpId) -> u32 {
    let op = history.op(id);
    match history.series_of(id).map(|at| &history.series[at]) {
        Some(series) if series.alone && series.first != id.0 => op.ret - 1,
        _ => op.call,
    }
}

fn data(title: &str, history: &History, report: &Report) -> Value {
    let failure = report.verdict.failure();
    let (sentence, order) = match &report.verdict {
        Verdict::Fails(f) => (f.sentence.clone(), None),
        Verdict::Holds(witness) => (String::new(), witness.as_ref()),
        Verdict::Unknown(undecided) => (undecided.why.clone(), None),
    };
    let failing = failure.map_or(&[][..], |f| &f.operations);
    let range = shown(history, failing);
    let (rows, row_of) = rows(history, range.clone());
    let inside = |id: &OpId| range.contains(&id.index()).then(|| id.index() - range.start);
    let ops = &history.ops[range.clone()];
    let room = Room::shared(TEXT_BYTES, ops.len());
    let ret = |o: &crate::Operation| if o.ret == NEVER { -1 } else { i64::from(o.ret) };
    let last = ops.iter().map(|o| if o.ret == NEVER { o.call + 1 } else { o.ret }).max().unwrap_or(1);
    json!({
        "title": room.cut(title),
        "verdict": report.verdict.word(),
        "condition": report.condition.to_string(),
        "spec": room.cut(&report.spec),
        "sentence": Room::LONG.cut(&sentence),
        "realtime": !matches!(report.condition, Condition::Sequential | Condition::Quiescent),
        "operations": history.ops.len(),
        "pending": report.pending,
        "from": range.start,
        "last": last,
        "rows": rows,
        "processes": processes(ops),
        "row": row_of,
        "call": range.clone().map(|i| drawn_from(history, OpId(i as u32))).collect::<Vec<_>>(),
        "ret": ops.iter().map(ret).collect::<Vec<_>>(),
        "process": ops.iter().map(|o| o.process).collect::<Vec<_>>(),
        "line": ops.iter().map(|o| o.line).collect::<Vec<_>>(),
        "label": range.clone().map(|i| room.cut(&history.show(OpId(i as u32)))).collect::<Vec<_>>(),
        "failing": failing.iter().filter_map(inside).collect::<Vec<_>>(),
        "minimal": failure.is_some_and(|f| f.minimal),
        "also": failure.map_or_else(Vec::new, |f| {
            f.also.iter().take(MOST_ALSO).map(|key| Room::SHORT.cut(&key.to_string())).collect()
        }),
        "impasse": failure.and_then(|f| f.impasse.as_ref()).map(|i| impasse(history, i, &inside)),
        "order": order.map(|o| o.iter().filter_map(inside).collect::<Vec<_>>()),
        "reasons": failure.map_or_else(Vec::new, |f| reasons(f, &inside)),
        "partials": failure.map_or_else(Vec::new, |f| partials(f, &inside)),
        "notes": history.notes.iter().take(MOST_NOTES)
            .map(|n| json!([n.position, Room::SHORT.cut(&n.text)])).collect::<Vec<_>>(),
    })
}

fn impasse(history: &History, impasse: &Impasse, inside: &impl Fn(&OpId) -> Option<usize>) -> Value {
    let shown = |o: &OpenOperation| {
        let needs = if o.needs.is_empty() { String::new() } else { format!("; it {}", o.needed()) };
        Room::SHORT.cut(&format!("{}{needs}", history.show(o.operation)))
    };
    json!({
        "blocked": inside(&impasse.blocked.operation),
        "text": Room::LONG.cut(&history.show(impasse.blocked.operation)),
        "needs": Room::LONG.cut(&impasse.blocked.needed()),
        "states": impasse.states.iter().map(|s| Room::SHORT.cut(s)).collect::<Vec<_>>(),
        "more": impasse.more,
        "open": impasse.open.iter().take(MOST_ALSO).map(shown).collect::<Vec<_>>(),
    })
}

fn reasons(failure: &Failure, inside: &impl Fn(&OpId) -> Option<usize>) -> Vec<Value> {
    let reasons = failure.reasons.iter();
    reasons.filter_map(|r| Some(json!([inside(&r.operation)?, Room::LONG.cut(&r.text)]))).collect()
}

/// The orders that come furthest, as many as there is room for.
fn partials(failure: &Failure, inside: &impl Fn(&OpId) -> Option<usize>) -> Vec<Value> {
    let mut total = 0;
    let fits = failure.partials.iter().take_while(|p| {
        total += p.order.len();
        total <= MOST_IN_ORDERS
    });
    fits.map(|p| {
        json!({
            "order": p.order.iter().filter_map(inside).collect::<Vec<_>>(),
            "state": Room::LONG.cut(&p.state),
            "blocked": inside(&p.blocked),
            "expected": p.expected.as_deref().map(|e| Room::LONG.cut(e)),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Datum, Undecided};

    fn report(verdict: Verdict) -> Report {
        Report {
            condition: Condition::Linearizable,
            spec: "<i>".into(),
            verdict,
            operations: 1,
            pending: 1,
            parts: 1,
            engines: Vec::new(),
            configurations: 0,
            bytes: 0,
        }
    }

    fn unknown() -> Report {
        report(Verdict::Unknown(Undecided::because("<u>")))
    }

    #[test]
    fn nothing_of_a_log_becomes_markup() {
        let mut b = Builder::new();
        b.call(1, 0, "</script><img src=x onerror=alert(1)>", None, Datum::text("<b>&\"'\u{2028}")).unwrap();
        let page = page("<title>@@DATA@@@@SCRIPT@@", &b.finish(), &unknown());
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        for markup in ["<img", "<b>", "<i>", "<u>", "<title>@", "\u{2028}"] {
            assert!(!page.contains(markup), "{markup}");
        }
        for text in [PAGE, SCRIPT] {
            for forbidden in
                ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "src=", "href="]
            {
                assert!(!text.contains(forbidden), "{forbidden}");
            }
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn a_page_has_a_largest_size() {
        let plan = crate::generate::Plan {
            object: crate::generate::ObjectKind::Register,
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
        // The worst texts: each character becomes six.
        let mut b = Builder::new();
        for i in 0..MOST_OPERATIONS as i64 + 5 {
            b.call(0, i64::MIN + i, "write", None, Datum::text("<".repeat(500))).unwrap();
        }
        let history = b.finish();
        let size = page("t", &history, &unknown()).len();
        assert!(size < 32 << 20, "{size} bytes");
        assert!(size > TEXT_BYTES / 2, "texts were cut to {size} bytes in all");
    }
}
