//! No input makes the binary panic, hang or exit with a code outside the list.

use std::time::Duration;

use crate::common::{code, command, root, run, scratch, stderr, stdout};

const CODES: [i32; 6] = [0, 1, 2, 3, 64, 70];

#[test]
fn junk_is_refused_with_a_message() {
    let folder = scratch("junk");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("written");
    let model = std::fs::read(root().join("models/queue/ms_queue.tl")).expect("a model");
    write("empty.tl", b"");
    write("comment.tl", b"// nothing here\n");
    write("binary.tl", &(0..=255u8).cycle().take(5000).collect::<Vec<_>>());
    write("zeros.tl", &[0; 4000]);
    write("parens.tl", "(".repeat(100_000).as_bytes());
    write("deep.tl", format!("object O {{ op f() {{ {} }} }}", "if true { ".repeat(20_000)).as_bytes());
    write("deep_types.tl", format!("object O {{ shared x: {} }}", "seq ".repeat(50_000)).as_bytes());
    write("not.tl", format!("object O {{ op f() {{ assert {}true; }} }}", "!".repeat(50_000)).as_bytes());
    write("huge.tl", "object O { shared x: int = 0; }\n".repeat(330_000).as_bytes());
    std::fs::create_dir_all(folder.join("none")).expect("a folder");
    for name in [
        "empty.tl",
        "comment.tl",
        "binary.tl",
        "zeros.tl",
        "parens.tl",
        "deep.tl",
        "deep_types.tl",
        "not.tl",
        "huge.tl",
        "none",
        "missing.tl",
    ] {
        let output = run(&folder, &["check", name, "--memory", "2G"]);
        assert_eq!(code(&output), 3, "{name}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(name),
            "{name}: {}",
            &stderr(&output)[..200.min(stderr(&output).len())]
        );
        assert!(!stderr(&output).contains("panicked"), "{name}");
    }
    // Truncated anywhere, it is an error or a shorter model.
    for at in (0..model.len()).step_by(61) {
        write("cut.tl", &model[..at]);
        let output = run(&folder, &["check", "cut.tl", "--states", "10", "--memory", "1G"]);
        assert!(CODES.contains(&code(&output)), "cut at {at}");
        assert!(!stderr(&output).contains("panicked"), "cut at {at}: {}", stderr(&output));
    }
}

#[test]
fn bad_usage_is_64() {
    let folder = scratch("usage");
    for args in [
        &[][..],
        &["chek"],
        &["check"],
        &["check", "x.tl", "--threads"],
        &["check", "x.tl", "--time", "soon"],
        &["check", "--memory", "lots", "x"],
    ] {
        assert_eq!(code(&run(&folder, args)), 64, "{args:?}");
    }
    for args in [&["--help"][..], &["--version"], &["check", "--help"], &["help", "show"]] {
        assert_eq!(code(&run(&folder, args)), 0, "{args:?}");
    }
}

#[test]
fn an_altered_counterexample_is_never_shown() {
    let folder = scratch("altered");
    let model = root().join("models/counter/lost_update.tl");
    let mut refused = 0;
    for step in 0..8 {
        let step = step.to_string();
        let args =
            ["check", model.to_str().expect("a path"), "--property", "linearizable", "--alter-step", &step];
        let output = run(&folder, &args);
        assert_eq!(code(&output), 70, "step {step}: {}", stdout(&output));
        assert!(stderr(&output).contains("internal error"), "{}", stderr(&output));
        assert!(!stdout(&output).contains("FAILS"), "{}", stdout(&output));
        refused += 1;
    }
    assert_eq!(refused, 8);
}

#[test]
fn interruption_ends_in_unknown() {
    let folder = scratch("interrupt");
    let model = root().join("models/queue/ms_queue.tl");
    let args = [
        "check",
        model.to_str().expect("a path"),
        "--threads",
        "4",
        "--ops",
        "4",
        "--memory",
        "8G",
        "--time",
        "600s",
    ];
    let child = command(&folder, &args)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // On a busy machine it may take a while until the handler is there.
    for _ in 0..600 {
        if catches_interrupts(child.id()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // And until something has been searched.
    std::thread::sleep(Duration::from_secs(1));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stdout(&output).contains("interrupted"), "{}", stdout(&output));
    assert!(stdout(&output).contains("no violation in"), "{}", stdout(&output));
}

/// Whether a process has a handler for SIGINT, bit 1 of its mask of caught signals.
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).map(str::trim).unwrap_or("0");
    u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & 2 != 0)
}

#[test]
fn memory_is_bounded() {
    let folder = scratch("memory");
    let model = root().join("models/queue/ms_queue.tl");
    let args = [
        "check",
        model.to_str().expect("a path"),
        "--threads",
        "4",
        "--ops",
        "4",
        "--memory",
        "20M",
        "--property",
        "linearizable",
        "-q",
    ];
    let output = run(&folder, &args);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stdout(&output).contains("stopped at --memory 20M"), "{}", stdout(&output));
}

#[test]
fn trace_files_that_lie_are_refused() {
    let folder = scratch("traces");
    std::fs::copy(root().join("models/counter/lost_update.tl"), folder.join("lost_update.tl"))
        .expect("copied");
    assert_eq!(code(&run(&folder, &["check", "lost_update.tl", "--trace", "lost_update.trace.json"])), 0);
    let good = std::fs::read_to_string(folder.join("lost_update.trace.json")).expect("the trace");
    assert_eq!(code(&run(&folder, &["replay", "lost_update.trace.json"])), 1);
    let cases = [
        ("", "empty"),
        ("{", "cut"),
        (&good[..good.len() / 2], "half"),
        (&good.replace("\"version\": 2", "\"version\": 1"), "earlier version"),
        (&good.replace("\"version\": 2", "\"version\": 9"), "later version"),
        (&good.replace("lost_update.tl", "gone.tl"), "another model"),
        (&good.replace("not_linearizable", "leak"), "another violation"),
        (&good.replace("not_linearizable", "nonsense"), "no violation"),
        (&good.replacen("\"thread\": 1", "\"thread\": 2", 1), "another thread"),
        (&good.replacen("\"thread\": 1", "\"thread\": 77", 1), "no such thread"),
    ];
    for (text, what) in cases {
        std::fs::write(folder.join("bad.json"), text).expect("written");
        let output = run(&folder, &["replay", "bad.json"]);
        assert_eq!(code(&output), 3, "{what}: {}{}", stdout(&output), stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{what}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let folder = scratch("pipes");
    std::fs::copy(root().join("models/counter/lost_update.tl"), folder.join("lost_update.tl"))
        .expect("copied");
    assert_eq!(code(&run(&folder, &["check", "lost_update.tl", "--trace", "lost_update.trace.json"])), 0);
    for args in [
        &["check", "lost_update.tl"][..],
        &["check", "lost_update.tl", "--json"],
        &["replay", "lost_update.trace.json"],
        &["replay", "lost_update.trace.json", "--json"],
        &["explain", "E0101"],
        &["show", "lost_update.tl", "--steps"],
        &["lts", "generate", "lost_update.tl"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(&folder, args).stdout(writer).output().expect("it runs");
        assert_eq!(stderr(&output), "", "{args:?}");
        // The help and small answers are complete before anybody could mind.
        assert!([0, 1, 141].contains(&code(&output)), "{args:?}: {}", code(&output));
    }
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command(&folder, &["check", "missing.tl"]).stderr(writer).output().expect("it runs");
    assert_eq!(code(&output), 3);
}
