//! `trueline lts draw`.

use super::files::{LabelArgs, load, size};
use super::{Answer, Trouble};
use clap::Args;
use std::path::{Path, PathBuf};
use trueline_base::{Meter, Observer};
use trueline_lts::{draw, write};
use trueline_report::system::SystemAnswer;

#[derive(Args, Debug)]
pub struct DrawArgs {
    /// The system (- reads standard input)
    file: PathBuf,
    /// The picture: .svg, or .dot for Graphviz; - for SVG on standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    labels: LabelArgs,
}

pub fn run(args: &DrawArgs, meter: &Meter, observer: &mut dyn Observer) -> Result<Answer, Trouble> {
    let as_dot = match args.output.extension().and_then(|e| e.to_str()) {
        Some("dot" | "gv") => true,
        Some("svg") => false,
        _ if args.output == Path::new("-") => false,
        _ => return Err(Trouble::Usage("pictures end in .svg or .dot".into())),
    };
    let lts = load(&args.file, &args.labels, meter, observer)?;
    let mut bytes = Vec::new();
    if as_dot {
        write::dot(&lts, &mut bytes).map_err(|e| Trouble::Input(e.to_string()))?;
    } else {
        let picture = draw::svg(&lts).map_err(|e| {
            Trouble::Input(format!("{}: {e}; `lts reduce` may help, or a .dot file", args.file.display()))
        })?;
        bytes = picture.into_bytes();
    }
    let (file, output) = (args.file.display().to_string(), args.output.display().to_string());
    let said = SystemAnswer::Drawn { file, output, size: size(&lts) };
    if args.output == Path::new("-") {
        return Ok(Answer { said, payload: Some(bytes) });
    }
    let failed = |e: std::io::Error| Trouble::Input(format!("{}: {e}", args.output.display()));
    std::fs::write(&args.output, bytes).map_err(failed)?;
    Ok(said.into())
}
