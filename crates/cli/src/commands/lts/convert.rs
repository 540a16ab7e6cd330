//! `trueline lts convert`.

use super::files::{Format, LabelArgs, Target, load};
use super::{Answer, Trouble};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use trueline_base::{Meter, Observer};

use crate::exit::Exit;

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
    let (from, to) = (args.input.display(), args.output.display());
    let text = format!("{from} -> {to}: {} states, {} transitions\n", lts.states(), lts.transitions());
    let fields = json!({
        "file": from.to_string(), "output": to.to_string(),
        "states": lts.states(), "transitions": lts.transitions(),
    });
    Ok(Answer { exit: Exit::Expected, text, fields, payload })
}
