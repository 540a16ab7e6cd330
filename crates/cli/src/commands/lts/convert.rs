//! `trueline lts convert`.

use super::files::{Format, LabelArgs, Target, load, size};
use super::{Answer, Trouble};
use clap::Args;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_report::system::SystemAnswer;

#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// What to read (- reads standard input)
    input: PathBuf,
    /// What to write, by its ending; - for standard output
    output: PathBuf,
    /// Format of the output
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &ConvertArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let target = Target::new(&args.output, args.to)?;
    let lts = load(&args.input, &args.labels, meter, observer)?;
    let payload = target.store(&lts, args.labels.tau())?;
    let (file, output) = (args.input.display().to_string(), args.output.display().to_string());
    Ok(Answer { said: SystemAnswer::Converted { file, output, size: size(&lts) }, payload })
}
