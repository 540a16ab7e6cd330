//! Where models come from and where answers go: several files, standard input and output, scripts, other services.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{code, command, root, run, scratch, stderr, stdout};

const LOST: &str = "object Lost implements FetchAndAdd {\n    shared n: int = 0;\n    op faa(k: 1..2) -> int {\n        let c = n;\n        n = c + k;\n        return c;\n    }\n}\n\ncheck Lost { linearizable; }\n";

/// A specification and its types come from another file, which names a third; mistakes are shown where they stand.
#[test]
fn a_model_uses_other_files() {
    let folder = scratch("uses");
    std::fs::create_dir_all(folder.join("lib")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let spec = "use \"types.tl\";
        spec Box {
            state item: val? = none;
            op put(v: val) { item = v; }
            op take() -> Answer { let i = item; item = none; if i == none { return Nothing; } return Got(i); }
        }
        object Unused { op f() { oops; } }";
    write("lib/specs.tl", spec);
    write("lib/types.tl", "enum Answer { Got(val), Nothing }\nuse \"specs.tl\";");
    write(
        "cell.tl",
        "use \"lib/specs.tl\";
         object Cell implements Box {
            shared c: val? = none;
            op put(v: val) { c = v; }
            op take() -> Answer { let i = swap(c, none); if i == none { return Nothing; } return Got(i); }
         }
         check Cell { linearizable; }",
    );
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 0, "{}", stderr(&answer));
    assert!(stdout(&answer).contains("cell.tl:7"), "{}", stdout(&answer));
    write("lib/specs.tl", &spec.replace("val? = none", "vol? = none"));
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("lib/specs.tl:3:25"), "{}", stderr(&answer));
    write("lib/specs.tl", &spec.replace("object Unused", "enum Answer { None } object Unused"));
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 3);
    for part in ["lib/types.tl:1:6", "lib/specs.tl:7: first declared here"] {
        assert!(stderr(&answer).contains(part), "{}", stderr(&answer));
    }
    write("lib/specs.tl", "use \"gone.tl\";");
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("lib/gone.tl: there is no such file"), "{}", stderr(&answer));
}

fn with_input(folder: &std::path::Path, args: &[&str], text: &str) -> std::process::Output {
    let mut child = command(folder, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn models_come_from_standard_input() {
    let folder = scratch("stdin");
    let answer = with_input(&folder, &["check", "-"], LOST);
    assert_eq!(code(&answer), 1, "{}", stderr(&answer));
    assert!(stdout(&answer).contains("standard input:10"), "{}", stdout(&answer));
    // Nobody could replay a trace whose model is gone; what was asked for is written all the same, and says so.
    assert!(!stdout(&answer).contains("trueline replay"), "{}", stdout(&answer));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    with_input(&folder, &["check", "-", "--trace", "t.json"], LOST);
    let answer = run(&folder, &["replay", "t.json"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("read from standard input"), "{}", stderr(&answer));
    let answer = with_input(&folder, &["fmt", "-"], &LOST.replace("    ", " "));
    assert_eq!((code(&answer), stdout(&answer)), (0, LOST.to_string()));
    assert_eq!(code(&with_input(&folder, &["fmt", "-", "--check"], &LOST.replace("    ", " "))), 1);
    assert_eq!(code(&with_input(&folder, &["fmt", "-"], "object {")), 3);
}

/// The shipped models are there without their files.
#[test]
fn models_are_built_in() {
    let folder = scratch("gallery");
    let answer = run(&folder, &["check", "@lost_update", "--no-expect", "--property", "linearizable"]);
    assert_eq!(code(&answer), 1, "{}", stderr(&answer));
    assert!(stdout(&answer).contains("@lost_update:"), "{}", stdout(&answer));
    let again = run(&folder, &["replay", "lost_update.trace.json"]);
    assert_eq!(code(&again), 1, "{}", stderr(&again));
    let shown = stdout(&run(&folder, &["show", "@lost_update"]));
    let file = root().join("models/counter/lost_update.tl");
    assert_eq!(shown, std::fs::read_to_string(file).unwrap());
    let list = stdout(&run(&folder, &["models"]));
    assert!(
        list.contains("@ms_queue") && list.contains("The lock-free queue of Michael and Scott"),
        "{list}"
    );
    let answer = run(&folder, &["check", "@ms_qeue"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("no shipped model `@ms_qeue`"), "{}", stderr(&answer));
}

/// The page about the models says what is in their files.
#[test]
fn the_page_about_the_models_is_current() {
    let page = stdout(&run(&scratch("page"), &["models", "--markdown"]));
    let file = root().join("models/README.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), page, "BLESS=1 rewrites models/README.md");
}

/// A trace is written for a failure that nobody expected, or where it is asked for.
#[test]
fn traces_are_written_where_they_are_wanted() {
    let folder = scratch("wanted");
    let expected = LOST.replace("linearizable;", "linearizable expect fails;");
    std::fs::write(folder.join("lost.tl"), &expected).unwrap();
    let traces = || std::fs::read_dir(&folder).unwrap().count() - 1;
    assert_eq!((code(&run(&folder, &["check", "lost.tl"])), traces()), (0, 0));
    assert_eq!((code(&run(&folder, &["check", "lost.tl", "--trace", "t.json"])), traces()), (0, 1));
    let answer = run(&folder, &["check", "lost.tl", "--trace", "-"]);
    assert!(stdout(&answer).starts_with('{') && stderr(&answer).contains("FAILS"), "{answer:?}");
    std::fs::write(folder.join("back.json"), stdout(&answer)).unwrap();
    assert_eq!(code(&run(&folder, &["replay", "back.json"])), 1);
    std::fs::write(folder.join("lost.tl"), LOST).unwrap();
    assert_eq!((code(&run(&folder, &["check", "lost.tl"])), traces()), (1, 3));
}

/// Every command has a document, mistakes included.
#[test]
fn documents_hold_diagnostics() {
    let folder = scratch("documents");
    std::fs::write(folder.join("wrong.tl"), "object A { op a() { x = 1; } }\ncheck A { safe; }\n").unwrap();
    std::fs::write(folder.join("lost.tl"), LOST).unwrap();
    let document = |args: &[&str]| -> (i32, serde_json::Value) {
        let answer = run(&folder, args);
        let text = stdout(&answer);
        assert_eq!(stderr(&answer), "", "{args:?}");
        (code(&answer), serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}")))
    };
    for command in [&["check"][..], &["show"], &["show", "--steps"]] {
        let (exit, answer) = document(&[command, &["wrong.tl", "--json"]].concat());
        assert_eq!(exit, 3);
        let first = &answer["diagnostics"][0];
        assert_eq!((first["code"].as_str(), first["line"].as_u64()), (Some("E0101"), Some(1)), "{answer}");
    }
    let (exit, answer) = document(&["check", "gone.tl", "lost.tl", "--json"]);
    assert!(exit == 3 && !answer["diagnostics"].as_array().unwrap().is_empty(), "{answer}");
    assert_eq!(document(&["show", "lost.tl", "--json"]).1["text"], LOST);
    assert_eq!(document(&["fmt", "lost.tl", "--json"]).1["files"][0]["changed"], false);
    assert_eq!(document(&["new", "queue", "--json"]).1["file"], "queue.tl");
    assert_eq!(document(&["explain", "range", "--json"]).1["explanations"][0]["name"], "range");
}

#[test]
fn failures_become_annotations() {
    let folder = scratch("annotations");
    std::fs::write(folder.join("lost.tl"), LOST).unwrap();
    let said = |text: &str| {
        std::fs::write(folder.join("lost.tl"), text).unwrap();
        stderr(&command(&folder, &["check", "lost.tl"]).env("GITHUB_ACTIONS", "true").output().unwrap())
    };
    let failure = said(LOST);
    let start = "::error file=lost.tl,line=10,title=linearizable fails%3A Lost::faa(1) by thread 1 and";
    assert!(failure.contains(start), "{failure}");
    let mistake = said(&LOST.replace("let c = n", "let c = m"));
    assert!(mistake.contains("::error file=lost.tl,line=4,col=17,title=E0101::"), "{mistake}");
    assert!(!stderr(&run(&folder, &["check", "lost.tl"])).contains("::error"));
}

/// `--time` is for all properties together.
#[test]
fn the_time_limit_is_for_the_whole_command() {
    let folder = scratch("time");
    let model = "object Big {
            shared a: int = 0; shared b: int = 0; shared c: int = 0;
            op f() { a += 1; b += 1; c += 1; }
        }
        check Big { threads 6; ops 6; invariant a >= 0; invariant b >= 0; invariant c >= 0; safe; }";
    std::fs::write(folder.join("big.tl"), model).unwrap();
    let start = Instant::now();
    let answer = run(&folder, &["check", "big.tl", "--time", "1s"]);
    assert_eq!(code(&answer), 2, "{}", stdout(&answer));
    assert!(start.elapsed() < Duration::from_millis(3500), "{:?}", start.elapsed());
}

/// A model that is saved is checked again.
#[test]
fn models_are_watched() {
    let folder = scratch("watch");
    std::fs::write(folder.join("lost.tl"), LOST).unwrap();
    let mut child = command(&folder, &["check", "--watch", "lost.tl"])
        .stdout(Stdio::from(std::fs::File::create(folder.join("out.txt")).unwrap()))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let seen = |text: &str| {
        let patience = Instant::now();
        while !std::fs::read_to_string(folder.join("out.txt")).unwrap().contains(text) {
            assert!(patience.elapsed() < Duration::from_secs(30), "no {text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    seen("FAILS");
    let repaired = LOST.replace("let c = n;\n        n = c + k;\n        return c;", "return faa(n, k);");
    std::fs::write(folder.join("lost.tl"), repaired).unwrap();
    seen("HOLDS");
    child.kill().unwrap();
    child.wait().unwrap();
}
