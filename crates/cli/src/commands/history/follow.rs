//! `trueline history check LOG --follow`

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Meter, Silent, Stop};
use trueline_history::check::{Asked, Follow, FollowError, Status};
use trueline_history::read::{
    Entry, Format, MAX_LINE, Problem, READ_AS_ETCD, Reading, Records, apply, name_spec, recognise,
};
use trueline_history::{Builder, CheckError, Options, Undecided, Verdict};

use super::check::{Answered, show, unconfirmed};
use super::{HistoryCheckArgs, enough, located, open, thin, wanted};
use crate::args::Common;
use crate::exit::Exit;
use crate::terminal;

/// How long to wait for a line before the limits are looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// A line with its number.
type Line = (u32, String);

/// The lines of a log that may still grow. They are read by a thread of their own, so that limits and interrupts
/// hold also while nothing arrives.
struct Lines(Receiver<Result<Line, Problem>>);

impl Lines {
    fn new(input: Box<dyn Read + Send>) -> Lines {
        let (sender, receiver) = sync_channel(1024);
        std::thread::spawn(move || {
            let mut input = BufReader::new(input);
            let mut number = 0;
            while let Some(line) = read_line(&mut input, &mut number).transpose() {
                let last = line.is_err();
                if sender.send(line).is_err() || last {
                    break;
                }
            }
        });
        Lines(receiver)
    }

    /// The next line, or nothing at the end.
    fn next(&mut self, meter: &Meter) -> Result<Option<Line>, FollowError> {
        loop {
            meter.check(0, 0)?;
            match self.0.recv_timeout(PATIENCE) {
                Ok(line) => return Ok(Some(line?)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn read_line(input: &mut impl BufRead, number: &mut u32) -> Result<Option<Line>, Problem> {
    *number += 1;
    let mut bytes = Vec::new();
    let read = input.take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes);
    read.map_err(|e| Problem::at(*number, format!("cannot read the log: {e}")))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() > MAX_LINE {
        return Err(Problem::at(*number, format!("the line has more than {MAX_LINE} bytes")));
    }
    if *number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    let text = String::from_utf8(bytes).map_err(|_| Problem::at(*number, "the line is not valid UTF-8"))?;
    Ok(Some((*number, text.trim_end_matches('\n').to_string())))
}

/// How following ended.
enum Ended {
    /// The log ended and could be explained to its end.
    Explained,
    /// The log ended; what it says can only be judged as a whole.
    Postponed,
    /// No extension can help.
    Impossible,
    /// A limit was reached.
    Stopped(Stop),
}

/// What a line tells, each with the line on which it begins.
type Told = Vec<(u32, Entry<'static>)>;

/// A log that is followed: its first lines were read already, the others come.
struct Followed<'a> {
    lines: &'a mut Lines,
    head: std::vec::IntoIter<Line>,
    records: Records,
    meter: &'a Meter,
}

impl Followed<'_> {
    /// What the next line tells, or nothing at the end.
    fn next(&mut self) -> Result<Option<Told>, FollowError> {
        let line = match self.head.next() {
            Some(line) => Some(line),
            None => self.lines.next(self.meter)?,
        };
        let Some((number, text)) = line else { return Ok(None) };
        Ok(Some(self.records.line(number, &text)?))
    }

    /// Follows the log until it ends or no extension can help. An operation that is several is judged at the end.
    fn until_the_end(
        mut self,
        named: &mut Option<String>,
        builder: &mut Builder,
        asked: &dyn Asked,
        mut follower: Box<dyn Follow>,
    ) -> Result<Ended, FollowError> {
        let mut postponed = false;
        while let Some(told) = self.next()? {
            for (line, entry) in told {
                if let Entry::Spec(spec) = &entry {
                    name_spec(named, line, spec.clone())?;
                }
                apply(builder, line, entry.clone())?;
                postponed |= matches!(&entry, Entry::Call { name, .. } if asked.is_series(name));
                if postponed {
                    continue;
                }
                if let Status::Impossible { .. } = follower.entry(line, entry, self.meter)? {
                    return Ok(Ended::Impossible);
                }
            }
        }
        self.records.finish()?;
        Ok(if postponed { Ended::Postponed } else { Ended::Explained })
    }
}

/// Follows one log.
pub(super) fn run(args: &HistoryCheckArgs, common: &Common) -> Exit {
    let fail = |message: String, exit: Exit| show(&[Err((message, exit))], args, common);
    let [path] = args.logs.as_slice() else { return fail("--follow is for one log".into(), Exit::Usage) };
    if !args.condition.prefix_closed() {
        let message = format!(
            "--follow is for linearizable, regular and quasi=op:K; whether a history is {} can change as it grows",
            args.condition
        );
        return fail(message, Exit::Usage);
    }
    let cancel = terminal::cancel_on_interrupt();
    let limits = terminal::limits(common, None, &cancel);
    show(&[follow(path, args, &limits)], args, common)
}

fn follow(path: &Path, args: &HistoryCheckArgs, limits: &Limits) -> Result<Answered, (String, Exit)> {
    let start = Instant::now();
    let wrong = |p: Problem| (located(path, &p), Exit::Input);
    let input = open(path).map_err(|m| (m, Exit::Input))?;
    let meter = Meter::start(limits.clone());
    let mut lines = Lines::new(input);
    let mut named = None;
    // The first lines decide the format and may name the specification. A bracket alone says too little.
    let mut head: Vec<Line> = Vec::new();
    let mut begun = String::new();
    while matches!(begun.trim(), "" | "[" | "(") {
        match lines.next(&meter) {
            Ok(Some((number, text))) => {
                begun = begun + &text + "\n";
                head.push((number, text));
            }
            Ok(None) => break,
            Err(FollowError::Log(problem)) => return Err(wrong(problem)),
            Err(FollowError::Limit(stop)) => {
                return Err((format!("{}: {stop} before the first line", path.display()), Exit::Unknown));
            }
        }
    }
    let format = match args.read.format {
        Some(format) => format,
        None => recognise(&begun).map_err(wrong)?,
    };
    if !format.streams() {
        return Err((
            format!("{}: a {format} log cannot be read while it grows", path.display()),
            Exit::Usage,
        ));
    }
    let records = Records::new(format, args.read.independent, begun.trim_start());
    let mut first = records.clone();
    for (number, text) in &head {
        for (_, entry) in first.line(*number, text).map_err(wrong)? {
            if let Entry::Spec(spec) = entry {
                named = Some(spec);
            }
        }
    }
    let implied = named.as_deref().or(format.spec());
    let spec = wanted(&args.read, implied, None).map_err(|(m, e)| (format!("{}: {m}", path.display()), e))?;
    let mut builder = Builder::new();
    let asked = spec.asked()?;
    let follower = asked.follow(&args.condition).map_err(wrong)?;
    let followed = Followed { lines: &mut lines, head: head.into_iter(), records, meter: &meter };
    let ended = match followed.until_the_end(&mut named, &mut builder, asked.as_ref(), follower) {
        Ok(ended) => ended,
        Err(FollowError::Limit(stop)) => Ended::Stopped(stop),
        Err(FollowError::Log(problem)) => return Err(wrong(problem)),
    };
    let history = builder.finish();
    enough(path, &history, args.require)?;
    let history = asked.expanded(&history).map_err(wrong)?.unwrap_or(history);
    let options = Options { condition: args.condition.clone(), witness: args.witness, ..Options::default() };
    // What was read is checked as a whole: it gives the order, or the reason.
    let report = asked.check(&history, &options, &meter, &mut Silent);
    let mut report = report.map_err(|error| match error {
        CheckError::Problem(problem) => wrong(problem),
        CheckError::Unconfirmed(why) => unconfirmed(path, &why),
    })?;
    spec.sound(&report.verdict)?;
    match (&ended, &report.verdict) {
        (Ended::Stopped(stop), _) => {
            report.verdict = Verdict::Unknown(Undecided::stopped(*stop, None));
        }
        (Ended::Impossible, Verdict::Holds(_)) | (Ended::Explained, Verdict::Fails(_)) => {
            return Err(unconfirmed(path, "following the log and checking it disagree"));
        }
        _ => {}
    }
    let thin = thin(&history).filter(|_| report.verdict.holds());
    let etcd = (args.read.format.is_none() && format == Format::Etcd).then_some(READ_AS_ETCD);
    let remarks = etcd.into_iter().chain(thin).map(str::to_string).collect();
    let reading = Reading { history, format, spec: named, remarks };
    Ok(Answered { path: path.display().to_string(), reading, report, elapsed: start.elapsed() })
}
