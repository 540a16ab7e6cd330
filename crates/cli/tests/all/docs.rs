//! Runs every model of the documentation: a fence of `tl` is a complete model whose checks come out as expected,
//! `tl,exit=N` one that ends with another exit code, `tl,fragment` is only read by people.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block: where it begins, what stands behind the ticks, its text.
struct Block {
    line: usize,
    info: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in markdown.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(info)) => {
                open = Some(Block { line: number + 1, info: info.trim().to_string(), text: String::new() });
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    all
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md"].map(|page| root().join(page)).to_vec();
    for entry in fs::read_dir(root().join("docs")).expect("there is documentation") {
        pages.push(entry.expect("an entry can be read").path());
    }
    pages.retain(|page| page.extension().is_some_and(|e| e == "md") && page.is_file());
    pages.sort();
    pages
}

/// The exit code that a fence names; none when the block is no complete model.
fn expected(info: &str) -> Option<i32> {
    // Behind a blank stands what `transcripts.rs` looks at.
    let mut words = info.split(' ').next().unwrap_or_default().split(',');
    if words.next() != Some("tl") {
        return None;
    }
    match words.next() {
        None => Some(0),
        Some("fragment") => None,
        Some(word) => {
            let code = word.strip_prefix("exit=").and_then(|n| n.parse().ok());
            Some(code.unwrap_or_else(|| panic!("what does `{word}` mean after the ticks?")))
        }
    }
}

#[test]
fn models_of_the_documentation_come_out_as_expected() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    fs::create_dir_all(&folder).expect("the test may write there");
    let mut run = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page can be read");
        let stem = page.file_stem().and_then(|s| s.to_str()).expect("pages have names");
        for block in blocks(&text) {
            let Some(expected) = expected(&block.info) else { continue };
            let file = folder.join(format!("{stem}_{}.tl", block.line));
            fs::write(&file, &block.text).expect("the model can be written");
            let output = Command::new(env!("CARGO_BIN_EXE_trueline"))
                .args(["check", "--time", "60s"])
                .arg(&file)
                .current_dir(&folder)
                .output()
                .expect("the binary runs");
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{}:{}\n{}{}",
                page.display(),
                block.line,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
            run += 1;
        }
    }
    assert!(run > 20, "only {run} models found");
}

/// The first command of the README and the output that it promises.
#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let blocks = blocks(&readme);
    let first = blocks.iter().position(|b| b.info == "sh").expect("the README has a command");
    let command = blocks[first].text.trim().strip_prefix("cargo run --release -q -p trueline -- ");
    let words = command.expect("the first command runs the tool").split(' ');
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    fs::create_dir_all(&folder).expect("the test may write there");
    let output = Command::new(env!("CARGO_BIN_EXE_trueline"))
        .args(words)
        .arg("--trace")
        .arg(folder.join("readme.trace.json"))
        .env_remove("COLUMNS")
        .current_dir(root())
        .output()
        .expect("the binary runs");
    let printed = String::from_utf8(output.stdout).expect("the output is text");
    let shown = &blocks[first + 1];
    assert_eq!(shown.info, "text");
    for line in shown.text.lines() {
        // How long it took and how much memory it needed is different every time.
        let stable = line.split(" s, ").next().unwrap_or(line);
        let stable = if stable == line { line } else { stable.rsplit_once(' ').map_or(stable, |(l, _)| l) };
        assert!(printed.contains(stable), "the README shows\n{line}\nwhich is not in\n{printed}");
    }
}
