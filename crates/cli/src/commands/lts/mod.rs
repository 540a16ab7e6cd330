//! `trueline lts`: transition systems in files. Each command computes one answer, which is shown
//! as text or as one JSON document; files are opened here, the engines never see them.

mod answer;
mod compare;
mod convert;
mod draw;
mod explain;
mod files;
mod generate;
mod info;
mod ktrace;
mod reduce;

use answer::{Answer, Show, Trouble};
use clap::{Args, Subcommand};
use trueline_base::{Meter, Observer};
use trueline_report::system::SystemCommand;

use crate::args::Common;
use crate::exit::Exit;
use crate::terminal::{ProgressLine, cancel_on_interrupt, limits};

/// What `trueline lts` is asked.
#[derive(Args, Debug)]
pub struct LtsArgs {
    #[command(flatten)]
    pub jobs: crate::args::Jobs,
    #[command(subcommand)]
    command: LtsCommand,
}

#[derive(Subcommand, Debug)]
enum LtsCommand {
    /// Write the transition system of a model or of its specification
    #[command(
        after_help = "Example:\n  trueline lts generate models/queue/ms_queue.tl --threads 2 --ops 2 -o queue.aut"
    )]
    Generate(generate::GenerateArgs),
    /// Say how large a system is and what is in it
    #[command(after_help = "Example:\n  trueline lts info queue.aut.gz")]
    Info(info::InfoArgs),
    /// Reduce a system modulo an equivalence
    #[command(after_help = "Example:\n  trueline lts reduce queue.aut --by branching -o small.aut")]
    Reduce(reduce::ReduceArgs),
    /// Compare two systems and explain a difference
    #[command(
        after_help = "Example:\n  trueline lts compare queue.aut spec.aut --by dpbranching\n\nExit code 0: equivalent (or included), 1: not, 2: unknown."
    )]
    Compare(compare::CompareArgs),
    /// Convert between .aut, .aut.gz, .jsonl and .dot
    #[command(after_help = "Example:\n  trueline lts convert queue.aut queue.jsonl")]
    Convert(convert::SystemConvertArgs),
    /// Draw a small system as SVG or DOT
    #[command(after_help = "Example:\n  trueline lts draw small.aut -o small.svg")]
    Draw(draw::DrawArgs),
    /// Tell which tau steps matter: k-trace equivalence of their ends, and the cap
    #[command(after_help = "Example:\n  trueline lts ktrace queue.aut --steps")]
    Ktrace(ktrace::KtraceArgs),
}

/// Answers a question about systems.
pub fn run(args: &LtsArgs, common: &Common) -> Exit {
    let cancel = cancel_on_interrupt();
    let limits = limits(common, None, &cancel);
    let mut progress = ProgressLine::new(String::new(), common, limits.memory);
    let meter = Meter::start(limits);
    let observer: &mut dyn Observer = &mut progress;
    let (command, answer) = match &args.command {
        LtsCommand::Generate(args) => {
            (SystemCommand::Generate, generate::run(args, common, &meter, observer))
        }
        LtsCommand::Info(args) => (SystemCommand::Info, info::run(args, &meter, observer)),
        LtsCommand::Reduce(args) => (SystemCommand::Reduce, reduce::run(args, &meter, observer)),
        LtsCommand::Compare(args) => (SystemCommand::Compare, compare::run(args, &meter, observer)),
        LtsCommand::Convert(args) => (SystemCommand::Convert, convert::run(args, &meter, observer)),
        LtsCommand::Draw(args) => (SystemCommand::Draw, draw::run(args, &meter, observer)),
        LtsCommand::Ktrace(args) => (SystemCommand::Ktrace, ktrace::run(args, &meter, observer)),
    };
    progress.clear();
    let seconds = meter.elapsed().as_secs_f64();
    let format = if common.json { Show::Json } else { Show::Text { quiet: common.quiet } };
    answer::give(
        command,
        answer,
        format,
        seconds,
        &mut std::io::stdout().lock(),
        &mut std::io::stderr().lock(),
    )
}
