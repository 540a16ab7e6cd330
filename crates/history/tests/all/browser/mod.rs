//! The HTML page in a real browser: what it draws, how much, and what it never does.
//!
//! Needs Chromium and ChromeDriver, which it installs when they are missing (see `install`).
//! `TRUELINE_SKIP_BROWSER=1` leaves these tests out.

mod driver;
mod install;
mod pages;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use driver::Browser;
use trueline_history::{History, Report, html};

/// Elements of the whole document at any time.
const MOST: f64 = 5000.0;
const ELEMENTS: &str = "return document.querySelectorAll('*').length";
const SHIFT: char = '\u{e008}';
const LEFT: char = '\u{e012}';
const UP: char = '\u{e013}';
const RIGHT: char = '\u{e014}';
const DOWN: char = '\u{e015}';
const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';
const HOME: char = '\u{e011}';
const END: char = '\u{e010}';

/// One browser at a time is enough for a machine.
static TURN: Mutex<()> = Mutex::new(());

/// A browser that shows a page, in a folder of its own.
struct Shown {
    browser: Browser,
    folder: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl std::ops::Deref for Shown {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl Shown {
    /// Nothing when the tests are to be left out.
    fn new(name: &str, title: &str, history: &History, report: &Report) -> Option<Shown> {
        if std::env::var_os("TRUELINE_SKIP_BROWSER").is_some_and(|v| v == "1") {
            eprintln!("{name}: left out, TRUELINE_SKIP_BROWSER is set");
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        install::browser();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
        std::fs::create_dir_all(&folder).expect("the test may write there");
        let file = folder.join("page.html");
        std::fs::write(&file, html::page(title, history, report)).expect("the page is written");
        let shown = Shown { browser: Browser::start(&folder), folder, _turn: turn };
        shown.open(&file);
        shown.settle();
        Some(shown)
    }

    /// How many elements a selector finds.
    fn count(&self, selector: &str) -> f64 {
        self.number(&format!("return document.querySelectorAll({selector:?}).length"))
    }

    /// The text of the first element that a selector finds.
    fn says(&self, selector: &str) -> String {
        self.text(&format!("return document.querySelector({selector:?}).textContent"))
    }

    /// The part of time that is looked at.
    fn window(&self) -> (f64, f64) {
        let edge = |name: &str| {
            self.number(&format!("return Number(document.getElementById('svg').dataset.{name})"))
        };
        (edge("from"), edge("to"))
    }

    fn few(&self, when: &str) -> f64 {
        let n = self.number(ELEMENTS);
        assert!(n <= MOST, "{n} elements {when}");
        n
    }

    fn quiet(&self) {
        assert_eq!(self.complaints(), Vec::<String>::new(), "the console complains");
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

#[test]
fn a_failure_is_explained() {
    let (history, report) = pages::two_swaps();
    let Some(page) = Shown::new("failure", "swaps.jsonl", &history, &report) else { return };
    assert_eq!(page.says("#word"), "fails");
    assert_eq!(page.says("#question"), "linearizable · cas-register");
    assert_eq!(page.count("svg rect[data-op]"), 6.0, "every operation has a box");
    assert_eq!(page.count("svg rect.bad, svg rect.stuck"), 4.0, "those of the failure stand out");
    assert_eq!(page.count("svg rect.faded"), 2.0, "the others do not");
    assert_eq!(page.count("#failure button"), 4.0);
    // Two orders come equally far; the first is drawn, with the operation that cannot follow.
    assert_eq!(page.count("#orders button"), 2.0);
    let drawn = |page: &Shown| {
        assert_eq!(page.count("svg rect.stuck"), 1.0);
        assert_eq!(page.count("svg rect.dot"), 3.0, "the three operations of the order are numbered");
        assert_eq!(page.count("svg polyline.order"), 1.0);
        page.text("return document.querySelector('svg rect.stuck').dataset.op")
    };
    let first = drawn(&page);
    page.keys("o");
    let second = drawn(&page);
    assert_ne!(first, second, "another order is shown");
    assert_eq!(page.says("#orders button[aria-pressed=true] .code:nth-of-type(4)"), {
        let label = page.text(&format!("return D.label[{second}]"));
        format!("✗ {label} ")
    });
    page.run("document.querySelector('#orders button[data-order=\"0\"]').click()");
    page.settle();
    assert_eq!(drawn(&page), first, "orders can be chosen");
    // The failure alone, and back.
    page.keys("f");
    assert_eq!(page.count("svg rect[data-op]"), 4.0);
    assert_eq!(page.says("#only"), "only the failure");
    assert_eq!(page.text("return document.getElementById('only').getAttribute('aria-pressed')"), "true");
    page.keys("f");
    assert_eq!(page.count("svg rect[data-op]"), 6.0);
    // Jumping from operation to operation of the failure.
    let chosen = || page.text("return document.querySelector('svg rect.chosen')?.dataset.op ?? 'none'");
    page.keys("e");
    let start = chosen();
    assert_eq!(start, page.text("return String(D.failing[0])"));
    assert!(page.says("#detail").contains(&page.text("return D.reasons[0][1]")), "the reason is there");
    page.keys("nnnn");
    assert_eq!(chosen(), start, "once round");
    page.keys("p");
    assert_eq!(chosen(), page.text("return String(D.failing[3])"));
    page.keys(&ESCAPE.to_string());
    assert_eq!(chosen(), "none");
    page.quiet();
}

#[test]
fn labels_can_be_read_in_narrow_windows() {
    let (history, report) = pages::two_swaps();
    let Some(page) = Shown::new("narrow", "swaps.jsonl", &history, &report) else { return };
    for width in [1200, 700, 520, 500] {
        page.size(width, 700);
        page.keys("0");
        let outside = page.number(
            "const edge = document.getElementById('svg').getBoundingClientRect().right;
             return [...document.querySelectorAll('svg text')].filter(t => t.getBoundingClientRect().right > edge + 1).length",
        );
        assert_eq!(outside, 0.0, "no text is cut at the edge of a window of {width}");
        let stubs = page.number(
            "return [...document.querySelectorAll('svg text')].filter(t => /^.{0,3}…$/u.test(t.textContent)).length",
        );
        assert_eq!(stubs, 0.0, "no label is a letter and dots in a window of {width}");
        let told = page.run(
            "return [...document.querySelectorAll('svg text')].some(t => t.textContent === '✗ ' + D.label[stuck])",
        );
        assert_eq!(told, true, "the operation that cannot follow has its whole label in a window of {width}");
    }
    page.quiet();
}

#[test]
fn it_can_be_used_by_mouse_and_by_keys_alone() {
    let (history, report) = pages::counters(400, 4);
    let Some(page) = Shown::new("keys", "counter.jsonl", &history, &report) else { return };
    assert_eq!(page.says("#word"), "holds");
    assert!(page.count("svg rect.dot") > 10.0, "the order is drawn");
    let all = page.run("return [D.call[0] - 1, D.last + 1]");
    // Zoom and movement.
    let (from, to) = page.window();
    page.keys("+");
    let closer = page.window();
    assert!(closer.1 - closer.0 < (to - from) * 0.6);
    page.keys("--");
    assert!(page.window().1 - page.window().0 > to - from);
    page.keys("0");
    assert_eq!(page.window(), (all[0].as_f64().unwrap(), all[1].as_f64().unwrap()));
    page.keys("+++");
    let before = page.window();
    page.chord(SHIFT, RIGHT);
    assert!(page.window().0 > before.0, "Shift and the arrow move the view");
    page.chord(SHIFT, LEFT);
    assert_eq!(page.window(), before);
    page.keys(&END.to_string());
    assert_eq!(page.window().1, all[1].as_f64().unwrap());
    page.keys(&HOME.to_string());
    assert_eq!(page.window().0, all[0].as_f64().unwrap());
    // From operation to operation.
    let chosen = || page.number("return chosen");
    page.keys(&RIGHT.to_string());
    let first = chosen();
    assert!(first >= 0.0, "something is selected");
    page.keys(&RIGHT.to_string());
    assert_eq!(page.number("return D.process[chosen]"), page.number(&format!("return D.process[{first}]")));
    assert!(chosen() > first);
    page.keys(&LEFT.to_string());
    assert_eq!(chosen(), first);
    page.keys(&DOWN.to_string());
    assert_eq!(page.number("return D.row[chosen]"), page.number(&format!("return D.row[{first}] + 1")));
    page.keys(&UP.to_string());
    assert_eq!(page.number("return D.row[chosen]"), page.number(&format!("return D.row[{first}]")));
    // Along the order, far out of the view.
    page.keys(&ESCAPE.to_string());
    page.keys(",");
    assert_eq!(chosen(), page.number("return D.order[D.order.length - 1]"));
    assert_eq!(page.count("svg rect.chosen"), 1.0, "what is selected is brought into view");
    page.keys(",");
    assert_eq!(chosen(), page.number("return D.order[D.order.length - 2]"));
    assert!(page.says("#detail").contains("number 399 of 400"), "{}", page.says("#detail"));
    // The mouse: a click selects, a tooltip tells, the wheel zooms.
    let at = page.run(
        "const r = [...document.querySelectorAll('svg rect[data-op]')].find(r => r.getBoundingClientRect().width > 20).getBoundingClientRect();
         return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height - 4)]",
    );
    let (x, y) = (at[0].as_i64().unwrap(), at[1].as_i64().unwrap());
    page.keys(&ESCAPE.to_string());
    page.mouse(x, y, &[]);
    assert!(page.says("#tip").contains("process"), "{}", page.says("#tip"));
    page.click(x, y);
    assert!(chosen() >= 0.0);
    let (from, to) = page.window();
    page.wheel(x, y, -120);
    assert!(page.window().1 - page.window().0 < to - from);
    // Help, and where the focus is.
    page.keys("?");
    assert_eq!(page.run("return document.getElementById('keys').open"), true);
    assert_eq!(page.text("return document.activeElement.textContent"), "close");
    page.keys(&ESCAPE.to_string());
    assert_eq!(page.run("return document.getElementById('keys').open"), false);
    page.run("document.getElementById('svg').focus()");
    page.keys("+");
    let outline = "return getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(page.text(outline), "solid", "the focus can be seen");
    // Both colour schemes.
    let paper = || page.text("return getComputedStyle(document.body).backgroundColor");
    page.prefer("light");
    let light = paper();
    page.prefer("dark");
    assert_ne!(paper(), light);
    page.quiet();
}

#[test]
fn a_hundred_thousand_operations_are_drawn_a_few_at_a_time() {
    let (history, report) = pages::counters(100_000, 12);
    let Some(page) = Shown::new("large", "large.jsonl", &history, &report) else { return };
    assert!(page.says("#about").contains("100,000 operations"));
    page.few("at first");
    page.keys("0");
    assert!(page.few("zoomed out") > 500.0, "a summary is drawn");
    let covered = page.number(
        "return [...document.querySelectorAll('svg rect[data-op]')].reduce((n, r) => n + Number(r.dataset.many), 0)",
    );
    assert_eq!(covered, 100_000.0, "every operation is in some box");
    assert_eq!(page.says("#hint"), "zoom in to see the order");
    let mut most: f64 = 0.0;
    for level in 0..20 {
        most = most.max(page.few(&format!("after zooming in {level} times")));
        page.keys("+");
    }
    assert!(most > 500.0, "{most}");
    assert_eq!(page.says("#hint"), "");
    assert!(page.count("svg rect.dot") > 0.0, "close by, the order is drawn");
    // Everything is found, and the elements stay few.
    page.keys("0/");
    page.keys("READ");
    assert!(page.says("#hits").starts_with("1 of "), "{}", page.says("#hits"));
    assert!(page.number("return hits.length") > 40_000.0);
    page.few("with many hits");
    page.keys(&ENTER.to_string());
    assert!(page.says("#hits").starts_with("2 of "));
    page.chord(SHIFT, ENTER);
    assert!(page.says("#hits").starts_with("1 of "));
    assert_eq!(page.number("return chosen"), page.number("return hits[0]"));
    page.run("const s = document.getElementById('search'); s.value = 'process 3'; s.oninput()");
    page.settle();
    assert_eq!(page.run("return hits.every(i => D.process[i] === 3) && hits.length > 5000"), true);
    page.run("const s = document.getElementById('search'); s.value = 'no such thing'; s.oninput()");
    assert_eq!(page.says("#hits"), "nothing found");
    page.run("document.getElementById('search').focus()");
    page.keys(&ESCAPE.to_string());
    assert_eq!(page.text("return document.activeElement.id"), "svg");
    // A huge window shows more, but not too much.
    page.size(3800, 2100);
    for _ in 0..12 {
        page.keys("-");
        page.few("in a huge window");
    }
    page.quiet();
}

#[test]
fn the_failure_of_a_large_history_comes_first() {
    let (history, report) = pages::spoiled_queue(100_000, 80);
    let Some(page) = Shown::new("spoiled", "spoiled.jsonl", &history, &report) else { return };
    let failing = page.number("return D.failing.length");
    assert!((2.0..=20.0).contains(&failing), "{failing}");
    assert_eq!(page.count("svg rect[data-op]"), failing, "the failure alone is drawn");
    page.keys("ef");
    assert!(page.count("svg rect[data-op]") > failing, "its surroundings");
    assert!(page.count("svg rect.faded") > 0.0);
    assert_eq!(page.count("svg rect.chosen"), 1.0);
    page.keys("0");
    page.few("of a history with packed rows");
    page.size(3800, 2100);
    page.keys("0");
    page.few("of a history with packed rows in a huge window");
    for _ in 0..10 {
        page.keys("+");
        page.few("while zooming in");
    }
    page.keys("f");
    assert_eq!(page.count("svg rect[data-op]"), failing);
    page.quiet();
}

#[test]
fn nothing_of_a_log_is_executed() {
    let (history, report) = pages::hostile();
    let title = "</title><script>window.pwned=1</script>@@SCRIPT@@";
    let Some(page) = Shown::new("hostile", title, &history, &report) else { return };
    let innocent = |when: &str| {
        assert_eq!(page.run("return window.pwned === undefined"), true, "{when}");
        assert_eq!(page.count("img, iframe, b, #data ~ script ~ script"), 0.0, "{when}");
    };
    innocent("at first");
    assert!(page.says("#about").starts_with(title), "the title is shown as it is");
    assert!(
        page.says("#sentence").contains("<img src=x onerror=window.pwned=1>"),
        "{}",
        page.says("#sentence")
    );
    // Every operation once: its text in the panel is that of the log, or its beginning.
    for id in history.ids() {
        page.run(&format!("choose({})", id.0));
        page.settle();
        let text = page.says("#detail .code");
        let expected = history.show(id);
        match text.strip_suffix('…') {
            Some(beginning) => assert!(expected.starts_with(beginning) && beginning.len() > 1000),
            None => {
                assert_eq!(text.replace("\\u{202e}", "\u{202e}").replace("\\u{2028}", "\u{2028}"), expected)
            }
        }
        innocent(&expected);
    }
    page.keys("/");
    page.keys("<IMG src");
    assert!(page.number("return hits.length") >= 2.0);
    innocent("after a search");
    page.mouse(200, 250, &[]);
    page.quiet();
}
