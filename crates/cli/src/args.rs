//! The arguments of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use trueline_lang::compile::{Ops, Overrides, Values};
use trueline_run::order::Model;

use crate::commands::history::HistoryCommand;

/// Is this concurrent object correct? If not, what is the shortest story of what goes wrong?
#[derive(Debug, Parser)]
#[command(name = "trueline", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Say less: only what is not as expected
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value = "auto", global = true)]
    pub color: Color,
    /// End with `unknown` after this time, such as 60s, 5m, 500ms
    #[arg(long, alias = "max-time", value_parser = duration, global = true)]
    pub time: Option<Duration>,
    /// End with `unknown` when the search needs more memory, such as 512M, 4G [default: 3/4 of what is available]
    #[arg(long, value_parser = limit, global = true)]
    pub memory: Option<Memory>,
    /// The same as --memory, for `test`, where that names a memory model
    #[arg(long, value_parser = bytes, global = true, value_name = "MEMORY", hide = true)]
    pub max_memory: Option<u64>,
    /// How many threads may work, for the commands that have [`Jobs`].
    #[arg(skip)]
    pub jobs: Option<u32>,
    /// Characters in a line [default: those of the terminal, else COLUMNS, else 110]
    #[arg(long, value_parser = clap::value_parser!(u16).range(40..=400), global = true)]
    pub width: Option<u16>,
    /// Write one JSON document to standard output
    #[arg(long, global = true)]
    pub json: bool,
}

/// What `--memory` says: a limit, or to `test` a memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// So many bytes.
    Bytes(u64),
    /// A memory model.
    Model(Model),
}

impl Common {
    /// The limit of the command line.
    pub fn memory_limit(&self) -> Option<u64> {
        self.max_memory.or(match self.memory {
            Some(Memory::Bytes(bytes)) => Some(bytes),
            _ => None,
        })
    }
}

/// How many threads may work.
#[derive(Clone, Copy, Debug, Args)]
pub struct Jobs {
    /// How many threads may work; what is found does not depend on it [default: as many as there are processors]
    #[arg(long, global = true)]
    pub jobs: Option<u32>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide the `check` blocks of models
    #[command(
        after_help = "Example:\n  trueline check models/queue/ms_queue.tl\n  trueline check models/queue/ms_queue.tl --threads 3 --ops 1\n  trueline check @treiber --client \"push(1); pop() || pop()\"\n  trueline check --watch queue.tl\n  trueline check queue.tl --ops 4 --time 1h --checkpoint queue.search"
    )]
    Check(CheckArgs),
    /// Write a small model with a bug in it, to begin with
    #[command(
        after_help = "Example:\n  trueline new counter && trueline check counter.tl\n  trueline new jobs --template queue"
    )]
    New {
        /// The name of the object; the file is NAME.tl
        name: String,
        /// What it is about
        #[arg(long, value_enum, default_value = "counter")]
        template: crate::commands::new::Template,
    },
    /// Show what a model means: its steps, a ready-made specification
    #[command(
        after_help = "Example:\n  trueline show --steps models/queue/ms_queue.tl\n  trueline show --essential models/queue/ms_queue.tl\n  trueline show --spec Queue"
    )]
    Show(ShowArgs),
    /// List the shipped models, which every command reads as @NAME
    #[command(
        after_help = "Example:\n  trueline models\n  trueline models queue\n  trueline check @ms_queue\n  trueline show @ms_queue > my_queue.tl"
    )]
    Models {
        /// Only those of this family, such as `queue`
        family: Option<String>,
        /// As the page `models/README.md`
        #[arg(long, hide = true)]
        markdown: bool,
    },
    /// Format models
    #[command(after_help = "Example:\n  trueline fmt models\n  trueline fmt --check queue.tl")]
    Fmt {
        /// Files or folders; `-` formats standard input to standard output
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Change nothing; exit 1 when something would change
        #[arg(long)]
        check: bool,
    },
    /// Explain the code of a diagnostic, a finding or a property
    #[command(
        after_help = "Example:\n  trueline explain E0202\n  trueline explain use_after_free\n  trueline explain lock_free"
    )]
    Explain {
        /// Such as E0202, use_after_free, linearizable
        word: String,
    },
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  trueline completions bash > /etc/bash_completion.d/trueline\n  trueline completions zsh > ~/.zfunc/_trueline"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of this program or of a command
    #[command(
        after_help = "Example:\n  trueline man check | man -l -\n  trueline man --into /usr/local/share/man/man1"
    )]
    Man {
        /// A command, such as `check` or `lts compare`
        command: Vec<String>,
        /// Write all pages into this folder
        #[arg(long)]
        into: Option<PathBuf>,
    },
    /// Reduce, compare and draw transition systems
    #[command(after_help = "Example:\n  trueline lts compare queue.aut spec.aut --by branching")]
    Lts(crate::commands::lts::LtsArgs),
    /// Show a failure again, step by step
    #[command(
        after_help = "Example:\n  trueline replay lost_update.trace.json\n  trueline replay counter.trace.json --gdb"
    )]
    Replay {
        /// A trace file that `check` or `test` wrote
        trace: PathBuf,
        /// Of real code: start gdb, which stops at each step; `continue` goes on to the next
        #[arg(long)]
        gdb: bool,
    },
    /// Run every execution of a C, C++ or Rust object, and say what goes wrong
    #[command(
        after_help = "Example:\n  trueline test objects/cpp/treiber.cpp\n  trueline test queue.cpp --scenario \"enq(1) enq(2) | deq deq\" -- -std=c++20\n  trueline test queue.cpp --memory c11"
    )]
    Test(crate::commands::test::TestArgs),
    /// Decide recorded histories: linearizable, quasi-linearizable, or why not
    #[command(after_help = "Example:\n  trueline history check log.jsonl --spec queue")]
    History {
        #[command(flatten)]
        jobs: Jobs,
        #[command(subcommand)]
        command: HistoryCommand,
    },
}

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub jobs: Jobs,
    /// Models, or folders of models; `-` is standard input, @NAME a shipped model
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub overrides: OverrideArgs,
    /// Another specification
    #[arg(long)]
    pub spec: Option<String>,
    /// Only these properties, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub property: Option<Vec<String>>,
    /// End with `unknown` after so many states
    #[arg(long)]
    pub states: Option<u64>,
    /// Keep searches that a limit or Ctrl-C stops in this file, and go on with those that it holds; long searches are
    /// kept every few minutes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "watch"])]
    pub checkpoint: Option<PathBuf>,
    /// Ignore linearization points
    #[arg(long)]
    pub no_points: bool,
    /// Ignore `expect fails`
    #[arg(long)]
    pub no_expect: bool,
    /// The engine: `auto`, `fast`, `plain`, which reduces nothing but heaps and dead locals, or `quotient`, which
    /// compares whole transition systems modulo branching bisimulation
    #[arg(long, default_value = "auto")]
    pub engine: String,
    /// Reductions of the fast engine: `auto`, `none` (fresh addresses, every step), or some of heap, unshare,
    /// merge, tight, symmetry, values, factored, antichain, guess, por, separated by commas
    #[arg(long, value_name = "LIST")]
    pub reduce: Option<String>,
    /// Which orders of steps the reduction `por` leaves out: `cartesian`, `static` (a thread alone while it touches
    /// what nobody else ever touches) or `visible` (the same, and returns as early as they can be)
    #[arg(long, value_name = "KIND", default_value = "cartesian")]
    pub por: String,
    /// Ask the plain engine, then the fast one with more and more reductions, and show the searches side by side
    #[arg(long)]
    pub compare: bool,
    /// With `--compare`: where to write a plot of the states of each search
    #[arg(long, value_name = "FILE", requires = "compare")]
    pub svg: Option<PathBuf>,
    /// Check again whenever a model is saved
    #[arg(long)]
    pub watch: bool,
    /// Where to write the traces of failures, also of expected ones; `-` is standard output [default: MODEL.trace.json
    /// here for a failure that was not expected; for several models, below trueline-traces]
    #[arg(long)]
    pub trace: Option<PathBuf>,
    /// Alters step N of every counterexample before it is confirmed, which must then be refused
    #[arg(long, hide = true)]
    pub alter_step: Option<usize>,
}

/// What the command line changes in a check.
#[derive(Clone, Debug, Args)]
pub struct OverrideArgs {
    /// Number of threads
    #[arg(long)]
    pub threads: Option<u32>,
    /// Operations per thread: a number or `forever`
    #[arg(long, value_parser = ops)]
    pub ops: Option<Ops>,
    /// Number of values, or `tid`
    #[arg(long, value_parser = values)]
    pub values: Option<Values>,
    /// Another value of a parameter, or of an argument of the object: NAME=VALUE
    #[arg(long, value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Another number of threads of a role: NAME=N
    #[arg(long, value_parser = role)]
    pub role: Vec<(String, u32)>,
    /// Another client: threads separated by `||`, alternatives by `or`; `before { … }` and `after { … }` around them
    #[arg(long)]
    pub client: Option<String>,
}

impl OverrideArgs {
    /// As the language takes them.
    pub fn to_overrides(&self) -> Overrides {
        Overrides {
            threads: self.threads,
            ops: self.ops,
            values: self.values,
            set: self.set.clone(),
            roles: self.role.clone(),
            client: self.client.clone(),
            properties: None,
            spec: None,
        }
    }

    /// As words that would give the same overrides again.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |flag: &str, value: String| words.extend([flag.to_string(), value]);
        if let Some(n) = self.threads {
            add("--threads", n.to_string());
        }
        match self.ops {
            Some(Ops::Count(n)) => add("--ops", n.to_string()),
            Some(Ops::Forever) => add("--ops", "forever".into()),
            None => {}
        }
        match self.values {
            Some(Values::Count(n)) => add("--values", n.to_string()),
            Some(Values::Tid) => add("--values", "tid".into()),
            None => {}
        }
        for (name, value) in &self.set {
            add("--set", format!("{name}={value}"));
        }
        for (name, n) in &self.role {
            add("--role", format!("{name}={n}"));
        }
        if let Some(client) = &self.client {
            add("--client", client.clone());
        }
        words
    }
}

impl CheckArgs {
    /// As the language takes them.
    pub fn to_overrides(&self) -> Overrides {
        Overrides {
            properties: self.property.clone(),
            spec: self.spec.clone(),
            ..self.overrides.to_overrides()
        }
    }

    /// As words that would give the same overrides again, but for the properties.
    pub fn words(&self) -> Vec<String> {
        let mut words = self.overrides.words();
        if let Some(spec) = &self.spec {
            words.extend(["--spec".to_string(), spec.clone()]);
        }
        words
    }
}

/// Arguments of `show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// A model; @NAME is a shipped one
    #[arg(required_unless_present = "spec")]
    pub file: Option<PathBuf>,
    /// The control-flow graph of atomic steps: what exactly interleaves
    #[arg(long)]
    pub steps: bool,
    /// The graph in DOT
    #[arg(long, requires = "steps")]
    pub dot: bool,
    /// The silent steps that remain in the quotient modulo branching bisimulation, under the client of a check
    #[arg(long, conflicts_with_all = ["steps", "spec"])]
    pub essential: bool,
    /// Which check of the file, from 1
    #[arg(long, default_value_t = 1)]
    pub check: usize,
    /// A ready-made specification, or all their names
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    pub spec: Option<String>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 =
        text[..split].parse().map_err(|_| "expected a time such as 60s, 5m, 500ms".to_string())?;
    let seconds = match &text[split..] {
        "ms" => number / 1000.0,
        "s" | "" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err("expected a time such as 60s, 5m, 500ms".into()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

fn limit(text: &str) -> Result<Memory, String> {
    bytes(text).map(Memory::Bytes)
}

/// A memory model, or a limit as everywhere.
pub fn model(text: &str) -> Result<Memory, String> {
    match text {
        "sc" => Ok(Memory::Model(Model::Sc)),
        "c11" => Ok(Memory::Model(Model::C11)),
        _ => limit(text).map_err(|_| "expected sc, c11, or a size such as 512M".to_string()),
    }
}

pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 512M or 4G".to_string();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..split].parse().map_err(|_| wrong())?;
    let unit = match text[split..].trim_end_matches("iB").trim_end_matches('B') {
        "" => 1.0,
        "k" | "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        "G" => 1024.0 * 1024.0 * 1024.0,
        "T" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    Ok((number * unit) as u64)
}

fn ops(text: &str) -> Result<Ops, String> {
    match text {
        "forever" => Ok(Ops::Forever),
        n => n.parse().map(Ops::Count).map_err(|_| "expected a number or `forever`".into()),
    }
}

fn values(text: &str) -> Result<Values, String> {
    match text {
        "tid" => Ok(Values::Tid),
        n => match n.parse() {
            Ok(n) if n > 0 => Ok(Values::Count(n)),
            _ => Err("expected a number from 1 or `tid`".into()),
        },
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

fn role(text: &str) -> Result<(String, u32), String> {
    let (name, n) = assignment(text).map_err(|_| "expected NAME=N".to_string())?;
    Ok((name, n.parse().map_err(|_| "expected NAME=N with a number N".to_string())?))
}
