//! `trueline replay` on models that were edited since: the same execution, or the place where it is another.

mod common;

use std::path::{Path, PathBuf};

use common::{code, run, scratch, stderr, stdout};

const MODEL: &str = "object Pair {
    shared n: int = 0;
    shared m: int = 0;
    op get() -> int {
        return n;
    }
    op inc() -> int {
        let c = n;
        n = c + 1;
        return c + 1;
    }
}

spec Number { state n: int = 0; op get() -> int { return n; } op inc() -> int { n = n + 1; return n; } }

check Pair {
    threads 2; ops 1;
    linearizable to Number;
}
";

/// A folder with the model and the trace of its failure.
fn failed(name: &str) -> PathBuf {
    let folder = scratch(name);
    std::fs::write(folder.join("pair.tl"), MODEL).expect("written");
    let output = run(&folder, &["check", "pair.tl"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    folder
}

/// Replays the trace after an edit: exit code, standard output, standard error.
fn edited(folder: &Path, text: &str) -> (i32, String, String) {
    assert_ne!(text, MODEL, "the edit did not match");
    std::fs::write(folder.join("pair.tl"), text).expect("written");
    let output = run(folder, &["replay", "pair.trace.json"]);
    (code(&output), stdout(&output), stderr(&output))
}

#[test]
fn operations_in_another_order_are_the_same() {
    let folder = failed("replay-order");
    let first = stdout(&run(&folder, &["replay", "pair.trace.json"]));
    let get = "    op get() -> int {\n        return n;\n    }\n";
    let text = MODEL.replacen(get, "", 1).replacen(
        "        return c + 1;\n    }\n",
        &format!("        return c + 1;\n    }}\n{get}"),
        1,
    );
    let (exit, told, notes) = edited(&folder, &text);
    assert_eq!(exit, 1, "{told}{notes}");
    assert!(told.contains("inc() by thread 1 and inc() by thread 2 overlap"), "{told}");
    assert!(first.contains("overlap") && !notes.contains("is new"));
}

#[test]
fn a_further_read_is_taken_on_the_way() {
    let folder = failed("replay-read");
    let (exit, told, notes) = edited(&folder, &MODEL.replace("let c = n;", "let z = m;\n        let c = n;"));
    assert_eq!(exit, 1, "{told}{notes}");
    assert!(notes.contains("note: `let z = m` of inc is new (before step 2)"), "{notes}");
    assert!(told.contains("2 threads, 2 operations, 2 context switches, 10 steps"), "{told}");
    // And one that is gone is not missed.
    let folder = scratch("replay-gone");
    let before = MODEL.replace("let c = n;", "let z = m;\n        let c = n;");
    std::fs::write(folder.join("pair.tl"), before).expect("written");
    assert_eq!(code(&run(&folder, &["check", "pair.tl"])), 1);
    std::fs::write(folder.join("pair.tl"), MODEL).expect("written");
    let output = run(&folder, &["replay", "pair.trace.json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("`let z = m` of inc is gone"), "{}", stderr(&output));
}

#[test]
fn another_execution_is_named() {
    let folder = failed("replay-other");
    let body = "let c = n;\n        n = c + 1;\n        return c + 1;";
    let (exit, told, notes) = edited(&folder, &MODEL.replace(body, "return faa(n, 1) + 1;"));
    assert_eq!((exit, told.as_str()), (3, ""), "{notes}");
    let said =
        "executed `n = c + 1` of inc (write n) there; now it executes `return faa(n, 1) + 1` of inc (faa n)";
    assert!(notes.contains("after step 4 the model differs: thread 1") && notes.contains(said), "{notes}");
    // The same calls of another object.
    let (exit, _, notes) = edited(&folder, &MODEL.replace("inc()", "add()"));
    assert_eq!(exit, 3, "{notes}");
    assert!(notes.contains("called inc() there; now it calls get(), or calls add()"), "{notes}");
}

#[test]
fn a_repaired_model_no_longer_fails() {
    let folder = scratch("replay-repaired");
    let wrong = MODEL.replace("return n;\n", "return n + 1;\n");
    std::fs::write(folder.join("pair.tl"), &wrong).expect("written");
    assert_eq!(code(&run(&folder, &["check", "pair.tl", "--client", "get()"])), 1);
    let (exit, told, notes) = edited(&folder, &format!("// repaired\n{MODEL}"));
    assert_eq!(exit, 0, "{told}{notes}");
    assert!(told.starts_with("this execution no longer fails: the history is linearizable"), "{told}");
    assert!(notes.contains("note: thread 1 returned 1 in step 3, now it returns 0"), "{notes}");
}

#[test]
fn mistakes_in_the_model_are_shown() {
    let folder = failed("replay-mistake");
    let (exit, _, notes) = edited(&folder, &MODEL.replace("let c = n;", "let c = k;"));
    assert_eq!(exit, 3);
    assert!(notes.contains("E0101") && notes.contains("there is no variable `k` here"), "{notes}");
}

#[test]
fn roles_are_checked() {
    let folder = scratch("replay-roles");
    let roles = |one: &str, two: &str| {
        let client = format!("role {one} {{ inc(); }} role {two} {{ inc(); }}");
        MODEL.replace("threads 2; ops 1;", &client)
    };
    std::fs::write(folder.join("pair.tl"), roles("left", "right")).expect("written");
    assert_eq!(code(&run(&folder, &["check", "pair.tl"])), 1);
    let (exit, _, notes) = edited(&folder, &roles("right", "left"));
    assert_eq!(exit, 3);
    assert!(notes.contains("had the role `right`, now it has the role `left`"), "{notes}");
}

#[test]
fn a_trace_knows_its_model_from_anywhere() {
    let folder = scratch("replay-folders");
    for below in ["models", "traces", "elsewhere"] {
        std::fs::create_dir_all(folder.join(below)).expect("a folder");
    }
    std::fs::write(folder.join("models/pair.tl"), MODEL).expect("written");
    let checked = run(&folder, &["check", "models/pair.tl", "--trace", "traces/pair.json"]);
    assert_eq!(code(&checked), 1);
    let written = std::fs::read_to_string(folder.join("traces/pair.json")).expect("the trace");
    assert!(written.contains("\"model\": \"../models/pair.tl\""), "{}", &written[..200]);
    for (from, trace) in
        [("", "traces/pair.json"), ("traces", "pair.json"), ("elsewhere", "../traces/pair.json")]
    {
        let output = run(&folder.join(from), &["replay", trace]);
        assert_eq!(code(&output), 1, "{from}: {}", stderr(&output));
    }
}
