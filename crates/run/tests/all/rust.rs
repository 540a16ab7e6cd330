//! Rust objects: the package `objects/rust`, with the verdict of each of its test targets.

use std::path::{Path, PathBuf};

use crate::common::{asked, root};
use trueline_base::trace::What;
use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_run::cargo::{choose, targets};
use trueline_run::replay::{Again, KIND, ReplayFile, replay};
use trueline_run::test::{Failure, Refusal, Request, Tested, ready_made, test};

fn request(target: &str, level: &str, scenario: Option<&str>) -> Request {
    Request {
        levels: vec![level.into()],
        scenario: scenario.map(str::to_string),
        ..asked::request(root().join(format!("objects/rust/tests/{target}.rs")))
    }
}

fn ask(request: &Request) -> Tested {
    test(request, &Meter::start(Limits::default()), &mut Silent)
        .unwrap_or_else(|r| panic!("{}: {r:?}", request.source.display()))
}

fn failure(request: &Request) -> Box<Failure> {
    match ask(request).verdict {
        Verdict::Fails(failures) => failures.first,
        other => panic!("{}: {other:?}", request.source.display()),
    }
}

/// Scenarios of objects for which all of the default ones take too long here.
const SMALL: &[(&str, &str)] = &[("cell", "write(1) | read read"), ("gate", "open | pass | pass")];

#[test]
fn every_object_has_its_verdict() {
    let expected = [
        ("bounded", "not_linearizable"),
        ("cell", "holds"),
        ("freed", "use_after_free"),
        ("gate", "holds"),
        ("gate_late", "deadlock"),
        ("locked", "holds"),
        ("lossy", "panic"),
        ("ms_queue", "holds"),
        ("transfer", "deadlock"),
        ("treiber", "holds"),
        ("waiting", "holds"),
    ];
    let all: Vec<String> =
        targets(&root().join("objects/rust")).unwrap().into_iter().map(|t| t.name).collect();
    let (shim, all): (Vec<String>, Vec<String>) = all.into_iter().partition(|t| t.starts_with("shim_"));
    assert_eq!(all, expected.map(|e| e.0), "each test target has a verdict here");
    assert_eq!(shim, SHIM, "and each over the shim below");
    for (target, verdict) in expected {
        let scenario = SMALL.iter().find(|s| s.0 == target).map(|s| s.1);
        assert_eq!(asked::verdict(&request(target, "-O2", scenario)), verdict, "{target}");
    }
}

#[test]
fn stories_have_the_lines_of_the_object() {
    let failure = failure(&request("lossy", "-O0", None));
    let (file, line) = failure.place.clone().unwrap();
    assert!(file.ends_with("objects/rust/src/lossy.rs"), "{file}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().nth(line as usize - 1).unwrap().contains("expect(\"it is not empty\")"), "{line}");
    assert!(failure.trace.summary.contains("panics: it is not empty, in pop()"), "{}", failure.trace.summary);
}

/// The numbers are those that `counts.rs` has for C++.
#[test]
fn counts_are_those_of_the_same_algorithm_in_another_language() {
    let all = [
        ("treiber", "push(1) | push(2) | pop", (8, 8)),
        ("ms_queue", "enq(1) | enq(2) | deq", (26, 44)),
        ("ms_queue", "enq(1) deq | enq(2) deq", (16, 48)),
    ];
    for (target, scenario, expected) in all {
        let counts = ask(&request(target, "-O2", Some(scenario))).scope.counts;
        assert_eq!((counts.complete, counts.cut), expected, "{target}: {scenario}");
    }
}

#[test]
fn failures_are_played_again() {
    let request = request("bounded", "-O0", Some("enq(1) | deq [deq]"));
    let failure = failure(&request);
    let file = ReplayFile {
        version: 1,
        kind: KIND.into(),
        source: request.source.display().to_string(),
        compiler: "cargo".into(),
        level: "-O0".into(),
        flags: Vec::new(),
        scenario: failure.scenario.clone(),
        condition: "linearizable".into(),
        spec: None,
        against: None,
        reuse: true,
        main: false,
        shim: false,
        failure: failure.kind,
        steps: failure.steps.clone(),
        memory: None,
        sources: failure.sources.clone(),
        before: failure.before.clone(),
        story: failure.trace.clone(),
    };
    let again = replay(&file, ready_made, &Meter::start(Limits::default())).unwrap();
    assert!(matches!(again, Again::Fails(_)), "{again:?}");
}

/// A package of its own, deleted in the end.
struct Package(PathBuf);

impl Package {
    fn new(name: &str, tests: &[(&str, &str)]) -> Package {
        let folder = std::env::temp_dir().join(format!("trueline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("tests")).unwrap();
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let harness = root().join("crates/object").canonicalize().unwrap();
        let manifest = format!(
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
             [dev-dependencies]\ntrueline-object = {{ path = {harness:?} }}\n"
        );
        std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        std::fs::write(folder.join("src/lib.rs"), "").unwrap();
        for (name, text) in tests {
            std::fs::write(folder.join(format!("tests/{name}.rs")), text).unwrap();
        }
        Package(folder)
    }

    fn refused(&self, target: &str) -> String {
        let request =
            Request { source: self.0.join(format!("tests/{target}.rs")), ..request("", "-O0", None) };
        match test(&request, &Meter::start(Limits::default()), &mut Silent) {
            Err(Refusal::Input(why)) => why,
            other => panic!("{target}: {other:?}"),
        }
    }
}

impl Drop for Package {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn packages_without_a_usable_object_are_refused_with_advice() {
    let object = "new: std::sync::Mutex::new(0i64),";
    let tests = [
        ("broken", format!("trueline::object! {{ {object} fn get(n) -> i64 {{ *n.lock() }} }}")),
        // The sanitizer has no function for it.
        (
            "largest",
            "use std::sync::atomic::{AtomicI64, Ordering::SeqCst};\n\
             trueline::object! { new: AtomicI64::new(0), fn see(n, v: i64) { n.fetch_max(v, SeqCst); } }"
                .to_string(),
        ),
        ("nothing", "#[test] fn f() {}".to_string()),
        ("text", format!("trueline::object! {{ {object} fn put(n, text: &'static str) {{ }} }}")),
        (
            "two",
            format!(
                "trueline::object! {{ {object} fn f(n) {{}} }} trueline::object! {{ {object} fn g(n) {{}} }}"
            ),
        ),
        ("unsync", "trueline::object! { new: std::cell::Cell::new(0), fn f(n) {} }".to_string()),
    ];
    let package = Package::new("refused", &tests.each_ref().map(|(n, t)| (*n, t.as_str())));
    let said = |target: &str, part: &str| {
        let why = package.refused(target);
        assert!(why.contains(part), "{target}: {why}");
    };
    said("broken", "error[E0614]");
    said("largest", "can be written with fetch_update");
    said("nothing", "trueline::object! {");
    said("text", "`put`: its parameter `text` is no integer");
    said("two", "more than one object");
    said("unsync", "cannot be shared between threads safely");
    let choice = |name: Option<&str>| choose(&package.0, name).unwrap_err();
    assert!(choice(Some("other")).contains("there are broken, largest, nothing, text, two, unsync"));
    assert!(choice(None).contains("name one of broken, largest, text, two, unsync"));
    assert!(choose(&package.0, Some("two")).unwrap().ends_with("tests/two.rs"));
    assert!(choose(Path::new("/"), None).unwrap_err().contains("no Cargo.toml"));
}

/// Targets that are built without instrumentation.
const SHIM: [&str; 3] = ["shim_careless", "shim_counter", "shim_mailbox"];

/// Without instrumentation the types of the shim tell of what is shared.
#[test]
fn objects_over_the_shim_are_explored_without_instrumentation() {
    let ask_shim = |target: &str, level: &str, scenario: &str| {
        let mut request = request(target, level, Some(scenario));
        request.settings.shim = true;
        match ask(&request).verdict {
            Verdict::Holds(_) => "holds".to_string(),
            Verdict::Fails(failures) => failures.first.kind.word().into(),
            Verdict::Unknown(doubt) => doubt.why,
        }
    };
    for level in ["-O0", "-O2"] {
        // A put that finds somebody at the mailbox fails although it is empty: the sequential mailbox never does.
        assert_eq!(ask_shim("shim_mailbox", level, "put(1) | take"), "holds", "{level}");
        assert_eq!(ask_shim("shim_mailbox", level, "put(1) | put(2) | take"), "not_linearizable", "{level}");
        assert_eq!(ask_shim("shim_careless", level, "put(1) | peek"), "data_race", "{level}");
        assert_eq!(ask_shim("shim_counter", level, "inc | inc [inc]"), "not_linearizable", "{level}");
    }
}

/// Steps are told by lines of the object, also where what made them is inlined from the shim and the library.
#[test]
fn stories_over_the_shim_show_lines_of_the_object() {
    let mut request = request("shim_counter", "-O0", Some("inc | inc"));
    request.settings.shim = true;
    let rows = failure(&request).trace.rows;
    let lines = rows.iter().filter_map(|row| match &row.what {
        What::Statement { line, text } => Some((*line, text)),
        _ => None,
    });
    assert!(lines.clone().any(|(_, text)| text.contains("lock()")));
    assert!(
        lines.clone().all(|(line, text)| (6..=9).contains(&line) && !text.contains("unsafe")),
        "{rows:?}"
    );
}
