//! `trueline lts generate`: the transition system of a model, or of its specification under the same client.

use super::files::{Destination, SystemFormat, size};
use super::{Answer, Trouble};
use clap::Args;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_check::{NoSystem, system};
use trueline_lang::compile::{self, Overrides, Task};
use trueline_lang::ir::Module;
use trueline_report::system::SystemAnswer;

use crate::args::{Common, OverrideArgs};
use crate::{advice, files, terminal};

#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// A model
    file: PathBuf,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Which check of the file, from 1
    #[arg(long, default_value_t = 1)]
    check: usize,
    /// The system of the specification instead: one silent step per operation
    #[arg(long)]
    spec: bool,
    /// Where the system goes, by its ending; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT")]
    to: Option<SystemFormat>,
}

pub fn run(
    args: &GenerateArgs,
    common: &Common,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Answer, Trouble> {
    let target = args.output.as_deref().map(|path| Destination::new(path, args.to)).transpose()?;
    let task = task(args, common)?;
    let spec = if args.spec { Some(specification(&task)?) } else { None };
    let lts =
        system(&task.machine, spec, meter.limits(), observer).map_err(|refusal| refused(&refusal, &task))?;
    let payload = match target {
        Some(target) => target.store(&lts, "tau")?,
        None => None,
    };
    let said = SystemAnswer::Generated {
        file: args.file.display().to_string(),
        object: task.title(),
        size: size(&lts),
        output: args.output.as_ref().map(|p| p.display().to_string()),
    };
    Ok(Answer { said, payload })
}

fn task(args: &GenerateArgs, common: &Common) -> Result<Task, Trouble> {
    let source = files::read(&args.file).map_err(Trouble::Input)?;
    let overrides = args.overrides.to_overrides();
    let shown = |path: &str, text: &str, problems: &[trueline_base::Diagnostic]| {
        terminal::diagnostics(path, text, problems, common);
        format!("{path} has errors")
    };
    let instantiate =
        |overrides: &Overrides| source.model.instantiate(args.check.saturating_sub(1), overrides);
    // With `tid` or a number, the values matter where a number of them does.
    if overrides.values.is_some()
        && overrides.client.is_none()
        && let Ok(counted) =
            instantiate(&Overrides { values: Some(compile::Values::Count(2)), ..overrides.clone() })
        && counted.values.is_none()
    {
        let why = "the check says what is called, or no operation takes a value";
        return Err(Trouble::Usage(format!("--values does not apply: {why}")));
    }
    instantiate(&overrides).map_err(|refusal| match refusal {
        compile::Refusal::Model(problems) => {
            terminal::problems(&source, &problems, common);
            Trouble::Input(format!("{} has errors", source.path))
        }
        compile::Refusal::Argument { argument, text, problems } => {
            Trouble::Usage(shown(advice::flag(argument), &text, &problems))
        }
        compile::Refusal::Usage(misuse) => Trouble::Usage(advice::misuse(&misuse)),
        compile::Refusal::Roles => Trouble::Usage(advice::ROLES.into()),
        compile::Refusal::NoCheck => {
            Trouble::Input(format!("{}: there is no check number {}", source.path, args.check))
        }
    })
}

fn specification(task: &Task) -> Result<&Module, Trouble> {
    task.specification().ok_or_else(|| {
        Trouble::Input(format!("the check of `{}` does not ask for linearizability", task.object))
    })
}

fn refused(refusal: &NoSystem, task: &Task) -> Trouble {
    match refusal {
        NoSystem::Stopped(stop) => Trouble::Stopped(*stop),
        NoSystem::TooManyThreads => unreachable!("the plain engine takes any number of threads"),
        NoSystem::Finding { finding, thread } => Trouble::Input(format!(
            "thread {} {}; see `trueline check --property safe`",
            thread + 1,
            finding.sentence()
        )),
        NoSystem::SpecificationFinding { finding, .. } => {
            Trouble::Input(format!("the specification {}", finding.sentence()))
        }
        NoSystem::Requires(op) => Trouble::Input(format!(
            "whether `{}` may be called depends on `local` variables that a specification does not have",
            task.machine.object.ops[op.0 as usize].name
        )),
    }
}
