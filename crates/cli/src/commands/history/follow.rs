//! `trueline history check LOG --follow`

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use trueline_base::{Limits, Meter, Silent, Stop};
use trueline_history::check::relaxed;
use trueline_history::follow::{Follower, RegularFollower, Status};
use trueline_history::read::{Entry, LineParser, MAX_LINE, Problem, Reading, apply, recognise};
use trueline_history::spec::{Monitored, RegisterOp, Spec, Visit};
use trueline_history::{Builder, Call, Condition, Datum, History, Options, Verdict};

use super::check::{Answered, Ask, show};
use super::{CheckArgs, located, open, wanted};
use crate::args::Common;
use crate::exit::Exit;
use crate::terminal;

/// The lines of a log that may still grow.
struct Lines {
    input: BufReader<Box<dyn Read>>,
    number: u32,
}

impl Lines {
    fn next(&mut self) -> Result<Option<(u32, String)>, Problem> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes);
        read.map_err(|e| Problem::at(self.number, format!("cannot read the log: {e}")))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() > MAX_LINE {
            return Err(Problem::at(self.number, format!("the line has more than {MAX_LINE} bytes")));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| Problem::at(self.number, "the line is not valid UTF-8"))?;
        Ok(Some((self.number, text.trim_end_matches('\n').to_string())))
    }
}

/// How following ended.
enum Ended {
    /// The log ended and could be explained to its end.
    Explained,
    /// No extension can help.
    Impossible,
    /// A limit was reached.
    Stopped(Stop),
}

struct Following<'a> {
    lines: &'a mut Lines,
    first: Option<(u32, String)>,
    parser: LineParser,
    builder: &'a mut Builder,
    condition: &'a Condition,
    meter: &'a Meter,
}

impl Following<'_> {
    /// Calls `each` with every entry until it has an end.
    fn run(
        mut self,
        mut each: impl FnMut(u32, Entry, &Meter) -> Result<Option<Ended>, Problem>,
    ) -> Result<Ended, Problem> {
        loop {
            let line = match self.first.take() {
                Some(line) => Some(line),
                None => self.lines.next()?,
            };
            let Some((number, text)) = line else { return Ok(Ended::Explained) };
            if let Err(stop) = self.meter.check(0, 0) {
                return Ok(Ended::Stopped(stop));
            }
            let Some(entry) = self.parser.entry(number, &text)? else { continue };
            apply(self.builder, number, entry.clone())?;
            if let Some(ended) = each(number, entry, self.meter)? {
                return Ok(ended);
            }
        }
    }

    fn follow<S: Spec>(self, spec: S) -> Result<Ended, Problem> {
        let mut follower = Follower::new(spec);
        self.run(|line, entry, meter| {
            Ok(match follower.entry(line, entry, meter)? {
                Ok(Status::Possible) => None,
                Ok(Status::Impossible { .. }) => Some(Ended::Impossible),
                Err(stop) => Some(Ended::Stopped(stop)),
            })
        })
    }

    fn regular<S: Spec>(self, spec: &S) -> Result<Ended, Problem> {
        let register = |call: &Call<'_>, line: u32| -> Result<(Datum, RegisterOp), Problem> {
            let op = spec.decode(call).map_err(|e| Problem::at(line, e))?;
            match spec.as_register(&[&op]) {
                Some(Monitored::Register(initial, ops)) if ops.len() == 1 => Ok((initial, ops[0].clone())),
                _ => Err(Problem::at(line, "regular is about registers with reads and writes")),
            }
        };
        let mut follower: Option<RegularFollower> = None;
        self.run(|line, entry, _| match entry {
            Entry::Call { process, name, key, input } => {
                let call = Call { process, name: &name, key: key.as_ref(), input: &input, output: None };
                let (initial, op) = register(&call, line)?;
                follower.get_or_insert_with(|| RegularFollower::new(initial)).call(process, op);
                Ok(None)
            }
            Entry::Return { process, output } => {
                let fine = follower.as_mut().is_none_or(|f| f.ret(process, output.as_ref()));
                Ok((!fine).then_some(Ended::Impossible))
            }
            _ => Ok(None),
        })
    }
}

impl Visit for Following<'_> {
    type Out = Result<Ended, Problem>;

    fn visit<S: Spec>(self, spec: S) -> Self::Out {
        match self.condition {
            Condition::QuasiOf(factors) => {
                let queue = relaxed(&spec, &History::default(), factors)?;
                self.follow(queue)
            }
            Condition::Regular => self.regular(&spec),
            _ => self.follow(spec),
        }
    }
}

/// Follows one log.
pub(super) fn run(args: &CheckArgs, common: &Common) -> Exit {
    let fail = |message: String, exit: Exit| {
        eprintln!("error: {message}");
        exit
    };
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
    match follow(path, args, &limits) {
        Ok(answered) => show(&[Ok(answered)], args, common),
        Err((message, exit)) => fail(message, exit),
    }
}

fn follow(path: &Path, args: &CheckArgs, limits: &Limits) -> Result<Answered, (String, Exit)> {
    let start = Instant::now();
    let wrong = |p: Problem| (located(path, &p), Exit::Input);
    let input = open(path).map_err(|m| (m, Exit::Input))?;
    let mut lines = Lines { input: BufReader::new(input), number: 0 };
    let mut named = None;
    // The first lines decide the format and may name the specification.
    let mut first = lines.next().map_err(wrong)?;
    while first.as_ref().is_some_and(|(_, l)| l.trim().is_empty()) {
        first = lines.next().map_err(wrong)?;
    }
    let format = match (args.read.format, &first) {
        (Some(format), _) => format,
        (None, Some((_, line))) => recognise(line).map_err(wrong)?,
        (None, None) => trueline_history::read::Format::Json,
    };
    if !format.streams() {
        return Err((
            format!("{}: a {format} log cannot be read while it grows", path.display()),
            Exit::Usage,
        ));
    }
    let mut parser = LineParser::new(format, args.read.independent);
    if let Some((number, line)) = &first
        && let Some(Entry::Spec(spec)) = parser.entry(*number, line).map_err(wrong)?
    {
        named = Some(spec);
    }
    let spec = wanted(&args.read, named.as_deref(), None)
        .map_err(|(m, e)| (format!("{}: {m}", path.display()), e))?;
    let meter = Meter::start(limits.clone());
    let mut builder = Builder::new();
    let following = Following {
        lines: &mut lines,
        first,
        parser,
        builder: &mut builder,
        condition: &args.condition,
        meter: &meter,
    };
    let ended = spec.visit(following)?.map_err(wrong)?;
    let history = builder.finish();
    let options = Options { condition: args.condition.clone(), witness: args.witness, ..Options::default() };
    // What was read is checked as a whole: it gives the order, or the reason.
    let ask = Ask { history: &history, options: &options, meter: &meter, observer: &mut Silent };
    let mut report = spec.visit(ask)?.map_err(wrong)?;
    spec.sound(&report.verdict)?;
    match (&ended, &report.verdict) {
        (Ended::Stopped(stop), _) => {
            report.verdict = Verdict::Unknown { why: stop.to_string(), stop: Some(*stop), progress: None };
        }
        (Ended::Impossible, Verdict::Holds { .. }) | (Ended::Explained, Verdict::Fails(_)) => {
            report.verdict =
                Verdict::Unconfirmed { why: "following the log and checking it disagree".into() };
        }
        _ => {}
    }
    let reading = Reading { history, format, spec: named, remarks: Vec::new() };
    Ok(Answered { path: path.display().to_string(), reading, report, elapsed: start.elapsed() })
}
