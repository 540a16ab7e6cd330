//! `trueline history check | distance | convert`

mod answer;
mod check;
mod convert;
mod distance;
mod follow;
mod model_spec;

use std::fs::File;
use std::io::stdin;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use trueline_history::check::{Asked, named};
use trueline_history::read::{Format, Options, Problem, Reading, read};
use trueline_history::{Condition, Datum, History, OpId, Output, Verdict, visible};

use crate::args::Common;
use crate::exit::Exit;
use crate::unpack::{Input, unpacked};
use model_spec::ModelSpec;

/// The commands on recorded histories.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Hold histories against a specification
    #[command(
        after_help = "Examples:\n  trueline history check log.jsonl --spec queue\n  trueline history check log.jsonl --spec queue --html report.html\n  trueline history check log.jsonl --spec queue --condition quasi=deq:2 --witness\n  trueline history check store/ --spec cas-register --format jepsen\n  my-test | trueline history check - --follow --spec register --format json"
    )]
    Check(HistoryCheckArgs),
    /// Find the smallest quasi factor for which a history passes
    #[command(
        after_help = "Examples:\n  trueline history distance log.jsonl --spec queue                  the smallest K of quasi=K\n  trueline history distance log.jsonl --spec queue --operation deq  the smallest K of quasi=deq:K"
    )]
    Distance(DistanceArgs),
    /// Write a history in another format
    #[command(
        after_help = "Examples:\n  trueline history convert history.edn --to json -o log.jsonl\n  trueline history convert log.jsonl --spec queue --to fastlin"
    )]
    Convert(HistoryConvertArgs),
}

/// How logs are read.
#[derive(Clone, Debug, Args)]
pub struct ReadArgs {
    /// The format, where it is not to be recognised: json, jepsen, jepsen-text, etcd, kv, fastlin, fptlin, violin
    #[arg(long, value_parser = format)]
    pub format: Option<Format>,
    /// Values are [key value] pairs of independent objects (Jepsen's `independent`)
    #[arg(long)]
    pub independent: bool,
    /// The specification: register, cas-register, kv, queue, stack, priority-queue, max-priority-queue, deque, bag, set,
    /// grow-set, multiset, counter, lock, mutex, semaphore(N), bank, txn, Quasi(Queue, deq: K), OutOfOrder(Stack, pop: K),
    /// my.tl:Spec [default: what the log names, or its format implies]
    #[arg(long)]
    pub spec: Option<String>,
}

/// Arguments of `history check`.
#[derive(Clone, Debug, Args)]
pub struct HistoryCheckArgs {
    /// Logs, folders of logs, or `-` for standard input
    #[arg(required = true)]
    pub logs: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// linearizable, quasi=K, quasi=deq:K, sequential, quiescent or regular
    #[arg(long, default_value = "linearizable", value_parser = condition)]
    pub condition: Condition,
    /// What decides: auto takes a monitor where one applies, search never does
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub engine: EngineChoice,
    /// Show an order that explains the history
    #[arg(long)]
    pub witness: bool,
    /// Refuse a log in which fewer operations returned
    #[arg(long, value_name = "N")]
    pub require: Option<usize>,
    /// Read one log while it grows and say at once when no extension can help
    #[arg(long)]
    pub follow: bool,
    /// Write a page with the timeline of one log: zoom, search, the failure and its reasons
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What may decide a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineChoice {
    /// A monitor where one applies, else the search
    Auto,
    /// The general search
    Search,
}

/// Arguments of `history distance`.
#[derive(Clone, Debug, Args)]
pub struct DistanceArgs {
    /// A log, or `-` for standard input
    pub log: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    /// The factor of this operation alone, as in quasi=deq:K; without it the factor of everything
    #[arg(long)]
    pub operation: Option<String>,
}

/// Arguments of `history convert`.
#[derive(Clone, Debug, Args)]
pub struct HistoryConvertArgs {
    /// A log, or `-` for standard input
    pub log: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    /// The format to write
    #[arg(long, value_parser = format)]
    pub to: Format,
    /// Where to write [default: standard output]
    #[arg(short, long)]
    pub output: Option<PathBuf>,
}

fn format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
        format!("formats are {}", names.join(", "))
    })
}

fn condition(text: &str) -> Result<Condition, String> {
    text.parse()
}

/// Runs a command on histories.
pub fn run(command: &HistoryCommand, common: &Common) -> Exit {
    match command {
        HistoryCommand::Check(args) if args.follow => follow::run(args, common),
        HistoryCommand::Check(args) => check::run(args, common),
        HistoryCommand::Distance(args) => distance::run(args, common),
        HistoryCommand::Convert(args) => convert::run(args, common),
    }
}

/// Opens a log, which may be compressed; `-` is standard input.
fn open(path: &Path) -> Result<Input, String> {
    let wrong = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => format!("{}: there is no such file", path.display()),
        _ => format!("{}: {e}", path.display()),
    };
    let input: Input =
        if path.as_os_str() == "-" { Box::new(stdin()) } else { Box::new(File::open(path).map_err(wrong)?) };
    Ok(unpacked(input))
}

/// Reads a log to its end.
fn read_log(path: &Path, args: &ReadArgs, memory: Option<u64>) -> Result<Reading, String> {
    let options = Options { format: args.format, independent: args.independent, max_bytes: memory };
    read(open(path)?, &options).map_err(|p| located(path, &p))
}

/// What a log does not say, so that passing means little.
fn thin(history: &History) -> Option<&'static str> {
    let answered = |id: OpId| match history.output(id) {
        Output::Known(answer) => answer != Datum::Nil && answer != history.input(id),
        Output::Lost | Output::Pending => false,
    };
    match () {
        () if history.ops.is_empty() => Some("there is no operation in the log, so that nothing was checked"),
        () if history.ids().all(|id| history.op(id).pending()) => {
            Some("no operation of the log returned, so that nothing was checked")
        }
        () if !history.ids().any(answered) => {
            Some("no operation of the log answered anything, so that any order explains it")
        }
        () => None,
    }
}

/// Refuses a log in which too little happened.
fn enough(path: &Path, history: &History, require: Option<usize>) -> Result<(), (String, Exit)> {
    let returned = history.ops.len() - history.pending();
    match require {
        Some(n) if returned < n => {
            let message =
                format!("{}: {returned} operations returned, --require asks for {n}", path.display());
            Err((message, Exit::Input))
        }
        _ => Ok(()),
    }
}

/// A problem with the place where it is; nothing of a log reaches a terminal as it is.
fn located(path: &Path, problem: &Problem) -> String {
    visible(&placed(path, problem)).into_owned()
}

fn placed(path: &Path, problem: &Problem) -> String {
    let place = match problem.line {
        0 => path.display().to_string(),
        line => format!("{}:{line}", path.display()),
    };
    let settings = problem.settings.iter().map(crate::advice::setting);
    let help: Vec<String> = problem.help.iter().cloned().chain(settings).collect();
    match help.is_empty() {
        false => format!("{place}: {}\n  help: {}", problem.message, help.join("; ")),
        true => format!("{place}: {}", problem.message),
    }
}

/// The specification of a name, or of a model: `my.tl:Spec`.
pub(crate) fn find_spec(text: &str) -> Result<Box<dyn Asked>, String> {
    match model_spec::parts(text) {
        Some(_) => Ok(Box::new(model_spec::Trusted(ModelSpec::read(text, None)?))),
        None => named(text).map_err(|e| e.to_string()),
    }
}

/// A specification that was found.
enum Wanted {
    /// By its name.
    Native(String),
    /// In a model.
    Model(Box<ModelSpec>),
}

impl Wanted {
    /// What can be asked of it.
    fn asked(&self) -> Result<Box<dyn Asked>, (String, Exit)> {
        match self {
            Wanted::Native(name) => named(name).map_err(|e| (format!("--spec {e}"), Exit::Usage)),
            Wanted::Model(spec) => Ok(Box::new((**spec).clone())),
        }
    }

    /// Refuses conditions that need to know more than a model says.
    fn allows(&self, condition: &Condition) -> Result<(), (String, Exit)> {
        match (self, condition) {
            (Wanted::Model(_), Condition::Quasi(_)) => Err((
                "quasi=K must know how an object is emptied, which a .tl specification does not say".into(),
                Exit::Usage,
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a verdict that may be owed to a mistake inside the specification.
    fn sound(&self, verdict: &Verdict) -> Result<(), (String, Exit)> {
        match self {
            Wanted::Model(spec) if !verdict.holds() => match spec.trouble() {
                Some(trouble) => Err((format!("the specification is wrong: {trouble}"), Exit::Input)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// The specification that is asked for, or that the log names.
fn wanted(
    args: &ReadArgs,
    in_log: Option<&str>,
    history: Option<&History>,
) -> Result<Wanted, (String, Exit)> {
    let Some(name) = args.spec.as_deref().or(in_log) else {
        return Err(("the log names no specification; give one with --spec".into(), Exit::Usage));
    };
    if model_spec::parts(name).is_none() {
        return Ok(Wanted::Native(name.to_string()));
    }
    if args.spec.is_none() {
        return Err((format!("the log names the file of a specification; give --spec {name}"), Exit::Input));
    }
    let spec = ModelSpec::read(name, history).map_err(|e| (format!("--spec {name}: {e}"), Exit::Input))?;
    Ok(Wanted::Model(Box::new(spec)))
}
