//! `trueline test` on code that misbehaves: a clear report, a documented exit code, and nothing is left running.

use std::path::Path;
use std::process::Stdio;

use crate::common::{code, command, root, run, scratch, stderr, stdout};

/// An operation that counts how often it was called before, and then does something.
fn program(body: &str) -> String {
    let headers = ["stdatomic", "stdio", "stdlib", "string", "signal", "time", "unistd", "trueline"];
    let includes: String = headers.iter().map(|h| format!("#include <{h}.h>\n")).collect();
    format!(
        "{includes}static atomic_long x;\nTL_INIT void init(void) {{ x = 0; }}\nTL_OP long act(void) {{\n  \
         long seen = atomic_fetch_add(&x, 1);\n  {body}\n  return seen;\n}}\n"
    )
}

/// Processes that run a program which this process of the tool has built.
fn running(tool: u32) -> usize {
    let of_tool = |path: &Path| {
        let program = std::fs::read_link(path.join("exe")).unwrap_or_default();
        program.display().to_string().contains(&format!("/trueline-{tool}-"))
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(|e| of_tool(&e.path())).count()
}

#[test]
fn code_that_misbehaves_is_told_and_leaves_nothing_behind() {
    let folder = scratch("misbehaves");
    // Name, what it does, exit code, a part of the report.
    let all: &[(&str, &str, i32, &str)] = &[
        ("endless", "if (seen == 1) for (;;) { }", 2, "without a step: it loops or waits"),
        ("waits", "if (seen == 1) while (x < 5) { }", 2, "in no execution do all calls return"),
        (
            "stack",
            "volatile char room[8]; if (seen == 1) for (int i = 0; i < 1000000; i++) room[i] = 65;",
            1,
            "FAILS  crash",
        ),
        (
            "heap",
            "char *b = malloc(16); if (seen == 1) memset(b, 65, 1 << 20); free(b);",
            1,
            "writes memory outside of every block",
        ),
        (
            "text",
            "char *b = malloc(4); if (seen == 1) strcpy(b, \"a text that is far longer than the block\"); free(b);",
            1,
            "FAILS  out of bounds",
        ),
        ("quits", "if (seen == 1) exit(0);", 1, "FAILS  exit"),
        ("forks", "if (seen == 1) fork();", 2, "the code calls fork"),
        ("prints", "printf(\"hello\\n\"); fflush(stdout); write(1, \"hello\\n\", 6);", 0, "HOLDS"),
        (
            "clock",
            "struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); if (now.tv_nsec % 2) seen = 7;",
            0,
            "HOLDS",
        ),
        ("raises", "if (seen == 1) raise(SIGKILL);", 1, "raises SIGKILL, which ends the program"),
        (
            "killed",
            "if (seen == 1) __asm__ volatile(\"syscall\" ::\"a\"(62), \"D\"(getpid()), \"S\"(SIGKILL) : \"rcx\", \"r11\");",
            2,
            "destroys the process that it runs in (signal: 9",
        ),
        ("closes", "if (seen == 1) for (int i = 0; i < 1024; i++) close(i);", 2, "destroys the process"),
        ("sleeps", "sleep(1000);", 0, "HOLDS"),
        ("reads", "char c; if (read(0, &c, 1) == 1) seen = 7;", 0, "HOLDS"),
    ];
    for (name, body, expected, part) in all {
        let file = format!("{name}.c");
        std::fs::write(folder.join(&file), program(body)).unwrap();
        let child = command(&folder, &["test", &file, "--scenario", "act | act [act]", "--levels", "O0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let tool = child.id();
        let output = child.wait_with_output().unwrap();
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert_eq!(code(&output), *expected, "{name}: {said}");
        assert!(said.contains(part), "{name}: {said}");
        assert!(!said.contains("hello\nhello"), "{name}: {said}");
        assert_eq!(running(tool), 0, "{name}");
        let left = std::env::temp_dir().join(format!("trueline-{tool}-0"));
        assert!(!left.exists(), "{name}: {}", left.display());
    }
}

#[test]
fn code_that_cannot_be_tested_is_refused() {
    let folder = scratch("refused-code");
    let refused = |name: &str, text: &str, part: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        let output = run(&folder, &["test", name]);
        assert_eq!(code(&output), 3, "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{name}: {}", stderr(&output));
    };
    refused("broken.c", "int f( {", "error:");
    refused("nothing.c", "int f(void) { return 1; }", "TL_OP");
    refused("notes.txt", "", "ends in .c");
    refused("alone.rs", "fn main() {}", "test target");
    let output = run(&folder, &["test"]);
    assert_eq!(code(&output), 64, "{}", stderr(&output));
    let output = run(&folder, &["test", "missing.c"]);
    assert_eq!((code(&output), stderr(&output).contains("no such file")), (3, true));
}

/// A specification of a model: one that the object keeps, and one that it breaks.
#[test]
fn specifications_of_models_are_used() {
    let folder = scratch("specification-of-a-model");
    let model = "spec Count { state n: int = 0; op inc() -> int { n = n + 1; return n; } }\n\
                 spec Twice { state n: int = 0; op inc() -> int { n = n + 2; return n; } }\n";
    std::fs::write(folder.join("count.tl"), model).unwrap();
    let object = root().join("crates/cli/tests/data/inc.c");
    let object = object.to_str().unwrap();
    let ask = |spec: &str, atomic: &str| {
        let flag = format!("-DATOMIC={atomic}");
        run(&folder, &["test", object, "--spec", spec, "--levels", "O1", "--", &flag])
    };
    let holds = ask("count.tl:Count", "1");
    assert_eq!(code(&holds), 0, "{}{}", stdout(&holds), stderr(&holds));
    assert!(stdout(&holds).contains("histories decided against count.tl:Count"), "{}", stdout(&holds));
    let lost = ask("count.tl:Count", "0");
    assert_eq!(code(&lost), 1, "{}", stderr(&lost));
    assert!(stdout(&lost).contains("FAILS  linearizable"), "{}", stdout(&lost));
    assert_eq!(code(&ask("count.tl:Twice", "1")), 1);
    for (spec, part) in [("count.tl:Other", "Other"), ("none.tl:Count", "none.tl"), ("quue", "queue")] {
        let wrong = ask(spec, "1");
        assert_eq!(code(&wrong), 3, "{spec}: {}", stdout(&wrong));
        assert!(stderr(&wrong).contains(part), "{spec}: {}", stderr(&wrong));
    }
}

/// Makes sure that gdb is there: installs Debian's package when it is missing.
fn debugger() {
    let there =
        || std::process::Command::new("gdb").arg("--version").output().is_ok_and(|o| o.status.success());
    if there() {
        return;
    }
    for arguments in [vec!["update"], vec!["install", "-y", "gdb"]] {
        let _ = std::process::Command::new("apt-get")
            .args(["-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"])
            .args(&arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .output();
    }
    assert!(there(), "the test of --gdb needs Debian's package gdb, and it could not be installed");
}

#[test]
fn gdb_stops_at_the_steps_of_a_failure() {
    debugger();
    let folder = scratch("gdb");
    let body = "long now = x; x = now + 1;";
    std::fs::write(folder.join("act.c"), program(body)).unwrap();
    let found = run(&folder, &["test", "act.c", "--scenario", "act | act", "--levels", "O1"]);
    assert_eq!(code(&found), 1, "{}", stdout(&found));
    let mut debugger = command(&folder, &["replay", "act.trace.json", "--gdb"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = debugger.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, "continue\n".repeat(20).as_bytes()).unwrap();
    drop(input);
    let output = debugger.wait_with_output().unwrap();
    let text = stdout(&output);
    let stops: Vec<&str> = text.lines().filter(|l| l.contains(": thread ")).collect();
    // Three accesses of each of two calls, in the order of the story, by both threads.
    assert_eq!(stops.len(), 6, "{text}\n{}", stderr(&output));
    assert!(stops.iter().any(|s| s.ends_with("thread 1 has loaded")), "{text}");
    assert!(stops.iter().any(|s| s.ends_with("thread 2 has stored")), "{text}");
    assert!(text.contains("exited normally"), "{text}");
    // What people step through is no document.
    let refused = run(&folder, &["replay", "act.trace.json", "--gdb", "--json"]);
    assert_eq!(code(&refused), 64, "{}", stdout(&refused));
}
