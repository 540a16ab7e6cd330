//! `trueline lts convert`.

use super::files::{Destination, LabelArgs, SystemFormat, load, size};
use super::{Answer, Trouble};
use clap::Args;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};
use trueline_report::system::SystemAnswer;

#[derive(Args, Debug)]
pub struct SystemConvertArgs {
    /// What to read (- reads standard input)
    input: PathBuf,
    /// What to write, by its ending; - for standard output
    output: PathBuf,
    /// Format of the output
    #[arg(long, value_name = "FORMAT")]
    to: Option<SystemFormat>,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &SystemConvertArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let target = Destination::new(&args.output, args.to)?;
    let lts = load(&args.input, &args.labels, meter, observer)?;
    let payload = target.store(&lts, args.labels.tau())?;
    let (file, output) = (args.input.display().to_string(), args.output.display().to_string());
    Ok(Answer { said: SystemAnswer::Converted { file, output, size: size(&lts) }, payload })
}
