//! The pages that show commands are true: files and commands of the documentation are written and run.
//!
//! A fence `… file=NAME` is a file. A fence `console` holds commands, each after `$ `, and below each what it
//! prints, where `…` stands for anything; `console,exit=1` says how the last one ends, the others end with 0.
//! Everything of one page happens in one folder, from top to bottom.

use std::process::{Command, Stdio};

use crate::common::{root, scratch, scrub};

struct Fence {
    line: usize,
    info: String,
    text: Vec<String>,
}

fn fences(markdown: &str) -> Vec<Fence> {
    let mut all = Vec::new();
    let mut open: Option<Fence> = None;
    for (i, line) in markdown.lines().enumerate() {
        match (open.as_mut(), line.strip_prefix("```")) {
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(fence), None) => fence.text.push(line.to_string()),
            (None, Some(info)) => open = Some(Fence { line: i + 1, info: info.into(), text: Vec::new() }),
            (None, None) => {}
        }
    }
    all
}

/// Whether the lines are what was printed, `…` standing for any lines, or at the end of a line for its rest.
fn agrees(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|n| agrees(rest, &printed[n..]))
        }
        Some((line, rest)) => printed.split_first().is_some_and(|(first, others)| {
            let same = match line.strip_suffix('…') {
                Some(beginning) => first.starts_with(beginning),
                None => line.trim_end() == first.trim_end(),
            };
            same && agrees(rest, others)
        }),
    }
}

fn lines(text: &str) -> Vec<String> {
    scrub(text).lines().map(str::to_string).filter(|l| !l.is_empty()).collect()
}

/// Runs one page and says how many commands it has.
fn page(name: &str) -> usize {
    let folder = scratch(&format!("transcript-{name}"));
    std::os::unix::fs::symlink(root().join("models"), folder.join("models")).expect("a link");
    std::os::unix::fs::symlink(root(), folder.join("trueline")).expect("a link");
    let text = std::fs::read_to_string(root().join("docs").join(name)).expect("the page");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_trueline"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut commands = 0;
    for fence in fences(&text) {
        if let Some((_, file)) = fence.info.split_once("file=") {
            let file = folder.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, fence.text.join("\n") + "\n").expect("written");
        }
        let (kind, rest) = fence.info.split_once(',').unwrap_or((&fence.info, ""));
        assert!(!matches!(kind, "" | "sh"), "{name}:{}: commands stand in `console` fences", fence.line);
        if kind != "console" {
            continue;
        }
        let exit: i32 = rest.strip_prefix("exit=").map_or(0, |n| n.parse().expect("a number"));
        let starts: Vec<usize> = (0..fence.text.len()).filter(|i| fence.text[*i].starts_with("$ ")).collect();
        assert!(starts.first() == Some(&0), "{name}:{}: a console begins with a command", fence.line);
        for (k, &at) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(fence.text.len());
            let output = Command::new("sh")
                .args(["-c", &fence.text[at][2..]])
                .current_dir(&folder)
                .env("PATH", &path)
                .stdin(Stdio::null())
                .output()
                .expect("a shell");
            let place = format!("{name}:{}: {}", fence.line + at + 1, fence.text[at]);
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let expected = if k + 1 == starts.len() { exit } else { 0 };
            assert_eq!(output.status.code(), Some(expected), "{place}\n{out}{err}");
            let shown = lines(&fence.text[at + 1..end].join("\n"));
            let printed = [lines(&out), lines(&err)].concat();
            assert!(agrees(&shown, &printed), "{place}\nprints\n{out}{err}\nand the page shows\n{shown:#?}");
            commands += 1;
        }
    }
    commands
}

#[test]
fn the_page_about_histories() {
    let commands = page("histories.md");
    assert!(commands >= 20, "only {commands} commands");
}

#[test]
fn the_page_about_transition_systems() {
    let commands = page("transition-systems.md");
    assert!(commands >= 8, "only {commands} commands");
}

#[test]
fn the_page_about_real_code() {
    let commands = page("real-code.md");
    assert!(commands >= 4, "only {commands} commands");
}

#[test]
fn pages_that_lie_are_noticed() {
    let text = |s: &str| s.lines().map(str::to_string).collect::<Vec<_>>();
    assert!(agrees(&text("a\n…\nd"), &text("a\nb\nc\nd")));
    assert!(agrees(&text("a\n…"), &text("a")));
    assert!(agrees(&text("FAILS  lin…"), &text("FAILS  linearizable")));
    assert!(!agrees(&text("a\n…\nd"), &text("a\nb")));
    assert!(!agrees(&text("a"), &text("a\nb")));
    assert!(!agrees(&text("a\nb"), &text("a")));
}
