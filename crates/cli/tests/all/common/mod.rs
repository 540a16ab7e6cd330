//! Running the binary, and golden files. `BLESS=1 cargo test` rewrites them.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A folder of its own for a test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// The binary with these arguments, run in a folder.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trueline"));
    command
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .env_remove("GITHUB_ACTIONS")
        .env_remove("RUST_BACKTRACE");
    command
}

/// Runs it.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the binary runs")
}

/// Its exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

/// Its standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Its standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Exit code, standard output and standard error as one text, without what changes from run to run.
pub fn transcript(args: &[&str], output: &Output) -> String {
    let mut text = format!("$ trueline {}\n{}", args.join(" "), scrub(&stdout(output)));
    let error = stderr(output);
    if !error.is_empty() {
        text += &format!("--- stderr\n{}", scrub(&error));
    }
    text + &format!("--- exit {}\n", code(output))
}

/// Times and sizes replaced.
pub fn scrub(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let mut out: Vec<String> = Vec::new();
        let mut i = 0;
        while i < words.len() {
            let unit = words.get(i + 1).map(|w| w.trim_end_matches(','));
            let is_number = words[i].parse::<f64>().is_ok();
            match unit {
                Some("s") if is_number && words[i].contains('.') => {
                    out.push("TIME".into());
                    i += 1;
                    if words[i].ends_with(',') {
                        let last = out.pop().unwrap_or_default();
                        out.push(last + ",");
                    }
                }
                Some("kB" | "MB" | "GB" | "B") if is_number => {
                    out.push("SIZE".into());
                    i += 1;
                }
                _ => out.push(words[i].into()),
            }
            i += 1;
        }
        lines.push(out.join(" "));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// Compares with a golden file below `tests/`, or writes it with `BLESS=1`.
pub fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, actual).expect("the golden file is written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != actual {
        let line = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
        let at = line.unwrap_or(expected.lines().count().min(actual.lines().count()));
        panic!(
            "{name} differs from line {} on; BLESS=1 rewrites it\nexpected: {:?}\nactual:   {:?}\n--- all of it\n{actual}",
            at + 1,
            expected.lines().nth(at),
            actual.lines().nth(at)
        );
    }
}

/// All `.tl` files below a folder, in order.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "tl") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}
