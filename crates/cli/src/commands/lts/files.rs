//! Systems in files: which format, read, written.

use super::Trouble;
use crate::unpack::{Input, unpacked_but_gzip};
use clap::Args;
use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use trueline_base::{Meter, Observer};
use trueline_lts::{Lts, read, write};
use trueline_report::system::SystemSize;

/// How labels are understood.
#[derive(Args, Debug)]
pub struct LabelArgs {
    /// Label that means the internal action [default: tau and i]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    tau: Vec<String>,
    /// Labels to turn into the internal action
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    hide: Vec<String>,
}

impl LabelArgs {
    /// The name under which tau is written.
    pub fn tau(&self) -> &str {
        self.tau.first().map_or("tau", String::as_str)
    }
}

/// Reads a system; `-` is standard input. Labels to hide must exist.
pub fn load(
    path: &Path,
    labels: &LabelArgs,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, Trouble> {
    let lts = load_raw(path, labels, meter, observer)?;
    hide(vec![lts], labels).map(|mut all| all.remove(0))
}

/// Reads two systems; labels to hide must exist in one of them.
pub fn load_two(
    paths: [&Path; 2],
    labels: &LabelArgs,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<[Lts; 2], Trouble> {
    let left = load_raw(paths[0], labels, meter, observer)?;
    let right = load_raw(paths[1], labels, meter, observer)?;
    let mut all = hide(vec![left, right], labels)?.into_iter();
    match (all.next(), all.next()) {
        (Some(left), Some(right)) => Ok([left, right]),
        _ => unreachable!("as many systems come out as go in"),
    }
}

fn hide(all: Vec<Lts>, labels: &LabelArgs) -> Result<Vec<Lts>, Trouble> {
    let known = |label: &String| all.iter().any(|lts| lts.labels().find(label).is_some());
    if let Some(unknown) = labels.hide.iter().find(|l| !known(l)) {
        return Err(Trouble::Usage(format!("--hide: there is no label `{unknown}`")));
    }
    let hidden = |name: &str| labels.hide.iter().any(|l| l == name);
    Ok(all.into_iter().map(|lts| if labels.hide.is_empty() { lts } else { lts.hide(hidden) }).collect())
}

fn load_raw(
    path: &Path,
    labels: &LabelArgs,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, Trouble> {
    let mut options = read::Options::default();
    if !labels.tau.is_empty() {
        options.tau.clone_from(&labels.tau);
    }
    let wrong = |e: std::io::Error| Trouble::Input(format!("{}: {e}", path.display()));
    let input: Input = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).map_err(wrong)?)
    };
    let input = unpacked_but_gzip(input);
    let lts = read::any(input, &options, meter, observer);
    lts.map_err(|e| Trouble::reading(&path.display().to_string(), &e))
}

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SystemFormat {
    /// Aldebaran
    Aut,
    /// JSON lines
    Jsonl,
    /// Graphviz
    Dot,
}

/// Where a result goes: a format, perhaps compressed, to a file or standard output.
pub struct Destination {
    path: PathBuf,
    format: SystemFormat,
    gzip: bool,
}

impl Destination {
    /// The format by the name's ending unless it is given; `-` is standard output.
    pub fn new(path: &Path, format: Option<SystemFormat>) -> Result<Destination, Trouble> {
        let name = path.to_string_lossy();
        let (stem, gzip) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (&*name, false),
        };
        let by_name = match stem.rsplit('.').next() {
            Some("aut") => Some(SystemFormat::Aut),
            Some("jsonl") => Some(SystemFormat::Jsonl),
            Some("dot" | "gv") => Some(SystemFormat::Dot),
            _ if path == Path::new("-") => Some(SystemFormat::Aut),
            _ => None,
        };
        let format = format.or(by_name).ok_or_else(|| {
            let known = "known are .aut, .jsonl and .dot, each also with .gz; or say --to";
            Trouble::Usage(format!("the format of `{name}` is not known: {known}"))
        })?;
        Ok(Destination { path: path.to_path_buf(), format, gzip })
    }

    /// Writes the system; what standard output is to get comes back.
    pub fn store(&self, lts: &Lts, tau: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let failed = |e: std::io::Error| Trouble::Input(format!("{}: {e}", self.path.display()));
        if self.path == Path::new("-") {
            let mut bytes = Vec::new();
            self.write(lts, tau, &mut bytes).map_err(failed)?;
            return Ok(Some(bytes));
        }
        let mut file = BufWriter::new(File::create(&self.path).map_err(failed)?);
        if self.gzip {
            let mut gzip = GzEncoder::new(file, Compression::default());
            self.write(lts, tau, &mut gzip).map_err(failed)?;
            gzip.finish().and_then(|mut file| file.flush()).map_err(failed)?;
        } else {
            self.write(lts, tau, &mut file).and_then(|()| file.flush()).map_err(failed)?;
        }
        Ok(None)
    }

    fn write(&self, lts: &Lts, tau: &str, out: &mut impl Write) -> std::io::Result<()> {
        match self.format {
            SystemFormat::Aut => write::aut(lts, tau, out),
            SystemFormat::Jsonl => write::jsonl(lts, out),
            SystemFormat::Dot => write::dot(lts, out),
        }
    }
}

/// How large a system is.
pub fn size(lts: &Lts) -> SystemSize {
    SystemSize { states: lts.states(), transitions: lts.transitions() }
}
