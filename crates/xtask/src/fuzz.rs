//! Fuzzing: shipped files, mutated by token, must never make a part of the tool panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::check;
use trueline_history::read::Format as HistoryFormat;
use trueline_lang::compile::{Model, Overrides};

use crate::agree::agree;
use crate::fuzz_history;
use trueline_base::random::Random;

/// A part of the tool that reads what users write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzTarget {
    /// The parser.
    Parse,
    /// The formatter: twice is once, and the tree stays the same.
    Format,
    /// Names, types, lowering.
    Types,
    /// A short search of what passes the types, confirmed by replay.
    Check,
    /// The engine and an enumeration of all executions agree on what passes the types, under small clients.
    Agree,
    /// `--client` texts.
    Client,
    /// Trace files.
    Trace,
    /// Recorded histories in a format.
    History(HistoryFormat),
}

/// All targets.
pub const TARGETS: [(&str, FuzzTarget); 15] = [
    ("parse", FuzzTarget::Parse),
    ("format", FuzzTarget::Format),
    ("types", FuzzTarget::Types),
    ("check", FuzzTarget::Check),
    ("agree", FuzzTarget::Agree),
    ("client", FuzzTarget::Client),
    ("trace", FuzzTarget::Trace),
    ("history-json", FuzzTarget::History(HistoryFormat::Json)),
    ("history-jepsen", FuzzTarget::History(HistoryFormat::JepsenEdn)),
    ("history-jepsen-text", FuzzTarget::History(HistoryFormat::JepsenText)),
    ("history-etcd", FuzzTarget::History(HistoryFormat::Etcd)),
    ("history-kv", FuzzTarget::History(HistoryFormat::Kv)),
    ("history-fastlin", FuzzTarget::History(HistoryFormat::Fastlin)),
    ("history-fptlin", FuzzTarget::History(HistoryFormat::Fptlin)),
    ("history-violin", FuzzTarget::History(HistoryFormat::Violin)),
];

/// How far an input came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzStage {
    /// It has syntax errors.
    Text,
    /// It parses.
    Tree,
    /// It passes the type checker.
    Types,
}

/// What a run saw.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Inputs tried.
    pub inputs: u64,
    /// Of these, how many parse.
    pub parsed: u64,
    /// Of these, how many pass the type checker.
    pub typed: u64,
    /// Inputs that made the tool panic or contradict itself, with what happened.
    pub failures: Vec<(String, String)>,
}

/// The shipped models, the small right and wrong ones of the tests, and the examples of the reference.
pub fn seeds(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    collect(&root.join("models"), &mut paths);
    collect(&root.join("crates/lang/test_data"), &mut paths);
    paths.sort();
    let mut all: Vec<String> = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    let reference = std::fs::read_to_string(root.join("docs/language.md")).unwrap_or_default();
    let blocks = reference.split("\n```tl\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    all.extend(blocks.map(|block| format!("{block}\n")));
    all
}

fn collect(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, all);
        } else if path.extension().is_some_and(|e| e == "tl") {
            all.push(path);
        }
    }
}

/// Tries inputs until the number or the time is used up.
pub fn run(target: FuzzTarget, seeds: &[String], seed: u64, inputs: u64, time: Option<Duration>) -> Summary {
    let start = Instant::now();
    let mut random = Random::new(seed);
    let mut summary = Summary::default();
    let pieces: Vec<Vec<&str>> = seeds.iter().map(|s| tokens(s)).collect();
    while summary.inputs < inputs && time.is_none_or(|t| start.elapsed() < t) {
        let input = match target {
            FuzzTarget::Client => client(&mut random),
            FuzzTarget::Trace => trace(&mut random),
            FuzzTarget::History(format) => fuzz_history::damaged(format, &mut random),
            _ => mutate(&pieces, &mut random),
        };
        summary.inputs += 1;
        match try_input(target, &input) {
            Ok(FuzzStage::Text) => {}
            Ok(FuzzStage::Tree) => summary.parsed += 1,
            Ok(FuzzStage::Types) => {
                summary.parsed += 1;
                summary.typed += 1;
            }
            Err(why) => summary.failures.push((input, why)),
        }
    }
    summary
}

/// Runs one input; an error is a bug.
pub fn try_input(target: FuzzTarget, input: &str) -> Result<FuzzStage, String> {
    let result = catch_unwind(AssertUnwindSafe(|| match target {
        FuzzTarget::Parse => {
            let (_, problems) = trueline_lang::parser::parse(input);
            Ok(if problems.is_empty() { FuzzStage::Tree } else { FuzzStage::Text })
        }
        FuzzTarget::Format => format(input),
        FuzzTarget::Types => Ok(types(input).0),
        FuzzTarget::Check => search(input),
        FuzzTarget::Agree => match types(input) {
            (FuzzStage::Types, model) => {
                agree(&model).map(|n| if n > 0 { FuzzStage::Types } else { FuzzStage::Tree })
            }
            (reached, _) => Ok(reached),
        },
        FuzzTarget::Client => {
            let (_, problems) = trueline_lang::parser::parse_client(input);
            let model = Model::parse(SMALL);
            let overrides = Overrides { client: Some(input.into()), ..Overrides::default() };
            let built = model.instantiate(0, &overrides).is_ok();
            Ok(match (problems.is_empty(), built) {
                (true, true) => FuzzStage::Types,
                (true, false) => FuzzStage::Tree,
                _ => FuzzStage::Text,
            })
        }
        FuzzTarget::Trace => {
            let read = trueline_replay::TraceFile::read(input);
            Ok(if read.is_ok() { FuzzStage::Tree } else { FuzzStage::Text })
        }
        FuzzTarget::History(format) => fuzz_history::try_log(format, input),
    }));
    match result {
        Ok(result) => result,
        Err(panic) => {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(format!("panic: {}", text.unwrap_or("?")))
        }
    }
}

const SMALL: &str = "object O { shared n: int = 0; op inc(v: val) -> int { return faa(n, 1); } op get() -> bool { return n == 0; } } check O { safe; }";

fn format(input: &str) -> Result<FuzzStage, String> {
    let Ok(once) = trueline_lang::fmt::format(input) else { return Ok(FuzzStage::Text) };
    match trueline_lang::fmt::format(&once) {
        Ok(twice) if twice == once => Ok(FuzzStage::Tree),
        Ok(_) => Err("formatting twice is not formatting once".into()),
        Err(_) => Err("what the formatter prints does not parse".into()),
    }
}

fn types(input: &str) -> (FuzzStage, Model) {
    let model = Model::parse(input);
    let problems = model.diagnose();
    let reached = match problems.iter().find(|d| d.is_error()) {
        None => FuzzStage::Types,
        Some(_) if trueline_lang::parser::parse(input).1.is_empty() => FuzzStage::Tree,
        Some(_) => FuzzStage::Text,
    };
    (reached, model)
}

fn search(input: &str) -> Result<FuzzStage, String> {
    let (reached, model) = types(input);
    if reached != FuzzStage::Types {
        return Ok(reached);
    }
    for index in 0..model.checks() {
        let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
        for asked in &task.asked {
            let limits = Limits { states: Some(300), ..Limits::default() };
            check(&task.machine, &asked.question, &limits, &mut Silent);
        }
    }
    Ok(FuzzStage::Types)
}

/// Words, numbers, signs and what lies between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = |c: char| {
            if c.is_alphanumeric() || c == '_' {
                1
            } else if c.is_whitespace() {
                2
            } else {
                3
            }
        };
        let end = match class(first) {
            3 => first.len_utf8(),
            kind => rest.find(|c| class(c) != kind).unwrap_or(rest.len()),
        };
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    all
}

const POOL: [&str; 40] = [
    "none",
    "null",
    "self",
    "tid",
    "val",
    "int",
    "bool",
    "lock",
    "seq",
    "0",
    "1",
    "2147483647",
    "4294967296",
    "-",
    "{",
    "}",
    "(",
    ")",
    ";",
    "?",
    "..",
    "..=",
    "atomic",
    "await",
    "choose",
    "either",
    "cas",
    "new",
    "loop",
    "break",
    "return",
    "@lin",
    "expect fails",
    "forever",
    "role",
    "match",
    "[",
    "]",
    "&&",
    "é",
];

fn mutate(pieces: &[Vec<&str>], random: &mut Random) -> String {
    let base = random.pick(pieces);
    // Whole files are long; a mutant keeps the front or all of it.
    let mut tokens: Vec<&str> = base.clone();
    for _ in 0..1 + random.index(4) {
        if tokens.is_empty() {
            break;
        }
        let at = random.index(tokens.len());
        match random.index(8) {
            0 => {
                tokens.remove(at);
            }
            1 => tokens.insert(at, tokens[at]),
            2 => {
                let other = random.index(tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens[at] = *random.pick(&POOL),
            4 => tokens.insert(at, *random.pick(&POOL)),
            5 => {
                let other = random.pick(pieces);
                tokens[at] = *random.pick(other);
            }
            6 => {
                // Another word of the same file keeps names known and types often not.
                tokens[at] = *random.pick(base);
            }
            _ => {
                if random.index(20) == 0 {
                    tokens.truncate(at);
                }
            }
        }
    }
    tokens.concat()
}

fn client(random: &mut Random) -> String {
    let pool = [
        "inc(1)",
        "get()",
        ";",
        "||",
        "or",
        "{",
        "}",
        "repeat",
        "forever",
        "2",
        "if",
        "else",
        "let",
        "x",
        "=",
        "==",
        "(",
        ")",
        "inc",
        ",",
        " ",
        "self",
        "true",
        "9999999999",
    ];
    (0..1 + random.index(12)).map(|_| *random.pick(&pool)).collect::<Vec<_>>().join(" ")
}

fn trace(random: &mut Random) -> String {
    let pool = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"version\"",
        "1",
        "\"schedule\"",
        "\"moves\"",
        "null",
        "\"story\"",
        "1e999",
        "\"\\ud800\"",
        "-0",
        "\"model\"",
    ];
    (0..1 + random.index(20)).map(|_| *random.pick(&pool)).collect::<Vec<_>>().concat()
}

/// `cargo xtask fuzz`
pub fn command(root: &Path, target: Option<&str>, time: Duration, seed: u64) -> ExitCode {
    let seeds = seeds(root);
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    for (name, target) in TARGETS.iter().filter(|(name, _)| target.is_none_or(|t| t == *name)) {
        let s = run(*target, &seeds, seed, u64::MAX, Some(time));
        let share = |n: u64| 100.0 * n as f64 / s.inputs.max(1) as f64;
        println!(
            "{name}: {} inputs, {:.0} % parse, {:.0} % pass the type checker, {} failures",
            s.inputs,
            share(s.parsed),
            share(s.typed),
            s.failures.len()
        );
        for (i, (input, why)) in s.failures.iter().take(5).enumerate() {
            let path = root.join(format!("fuzz-failure-{name}-{seed}-{i}.tl"));
            let _ = std::fs::write(&path, input);
            println!("  {why}: {}", path.display());
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
