//! Failures and mistakes as annotations of GitHub Actions: lines that the service shows beside the code.
//!
//! They go to standard error, which it reads as well, so that standard output stays what a script expects.

use trueline_base::answer::Answer;
use trueline_base::verdict::Decision;
use trueline_base::{Diagnostic, Severity};

/// Whether the service runs this command.
fn enabled() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// A verdict that is not as expected, with the one-sentence story.
pub fn answer(answer: &Answer) {
    if answer.as_expected || !enabled() {
        return;
    }
    let (level, word) = match answer.verdict.decision() {
        Decision::Fails => ("error", "fails"),
        Decision::Holds => ("error", "holds where a failure was expected"),
        Decision::Unknown => ("warning", "is unknown"),
    };
    let title = format!("{} {word}: {}", answer.property, answer.object);
    annotation(level, &answer.file, (answer.line, None), &title, answer.sentence().unwrap_or(&title));
}

/// A diagnostic of a file, whose text is `source`.
pub fn diagnostic(path: &str, source: &str, diagnostic: &Diagnostic) {
    if !enabled() {
        return;
    }
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let (line, column) = diagnostic.span.line_column(source);
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
    let text = format!("{}{help}", diagnostic.message);
    annotation(level, path, (line, Some(column)), diagnostic.code, &text);
}

fn annotation(level: &str, path: &str, (line, column): (u32, Option<u32>), title: &str, text: &str) {
    let column = column.map_or(String::new(), |column| format!(",col={column}"));
    let (path, title) = (property(path), property(title));
    eprintln!("::{level} file={path},line={line}{column},title={title}::{}", data(text));
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
