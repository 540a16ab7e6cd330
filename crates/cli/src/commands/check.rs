//! `trueline check`

use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use trueline_base::answer::{Answer, Cause, Doubt};
use trueline_base::words::plural;
use trueline_base::{Checkpoints, Diagnostic, Span, Verdict};
use trueline_check::fast::{Order, Reductions};
use trueline_lang::compile::{Refusal, Task};
use trueline_replay::Source;
use trueline_report::{CheckDocument, Problem, Stories, Style, render_answers, render_tally};
use trueline_verify::{Decided, Engine, Options, Verifier};

use crate::advice;
use crate::annotate;
use crate::args::{CheckArgs, Common};
use crate::checkpoint::{self, Checkpoint};
use crate::commands::compare;
use crate::exit::Exit;
use crate::files;
use crate::gallery;
use crate::terminal;
use crate::watch;

/// Decides all checks of the files, with `--watch` again and again.
pub fn run(args: &CheckArgs, common: &Common) -> Exit {
    let cancel = terminal::cancel_on_interrupt();
    if args.compare {
        return compare::run(args, common, &cancel);
    }
    if !args.watch {
        return once(args, common, &cancel);
    }
    if args.files.iter().any(|path| files::is_standard_input(path) || gallery::is_named(path)) {
        eprintln!("error: standard input and shipped models cannot be watched");
        return Exit::Usage;
    }
    watch::repeat(&args.files, &cancel, || once(args, common, &cancel))
}

fn once(args: &CheckArgs, common: &Common, cancel: &Arc<AtomicBool>) -> Exit {
    let wrong = |message: &str, exit: Exit| {
        match common.json {
            true => {
                let problem = Problem::of_file("", message);
                print!("{}", CheckDocument::new(&[], vec![problem]).write());
            }
            false => eprintln!("error: {message}"),
        }
        exit
    };
    let Some(engine) = Engine::named(&args.engine) else {
        let message =
            format!("there is no engine `{}`; there are auto, fast, plain and quotient", args.engine);
        return wrong(&message, Exit::Usage);
    };
    let reductions = match args.reduce.as_deref().filter(|list| *list != "auto").map(Reductions::parse) {
        None => None,
        Some(Ok(_)) if matches!(engine, Engine::Plain | Engine::Quotient) => {
            return wrong("--reduce is for the fast engine", Exit::Usage);
        }
        Some(Ok(reductions)) => Some(reductions),
        Some(Err(message)) => return wrong(&format!("--reduce: {message}"), Exit::Usage),
    };
    let reductions = match Reductions::parse_order(&args.por) {
        Ok(Order::Cartesian) => reductions,
        Ok(order) => Some(reductions.unwrap_or(Reductions::ALL).leaving_out(order)),
        Err(message) => return wrong(&format!("--por: {message}"), Exit::Usage),
    };
    let paths = match files::models(&args.files) {
        Ok(paths) => paths,
        Err(message) => return wrong(&message, Exit::Input),
    };
    let mut limits = terminal::limits(common, args.states, cancel);
    let checkpoint = match &args.checkpoint {
        None => None,
        Some(_) if matches!(engine, Engine::Plain | Engine::Quotient) => {
            return wrong("--checkpoint is for the fast engine", Exit::Usage);
        }
        Some(_) if args.files.iter().any(|path| files::is_standard_input(path)) => {
            return wrong("--checkpoint is for models in files", Exit::Usage);
        }
        Some(path) => {
            let opened = checkpoint::key(args, &paths).and_then(|key| Checkpoint::open(path, key));
            match opened {
                Ok(checkpoint) => Some(Arc::new(checkpoint)),
                Err(message) => return wrong(&message, Exit::Input),
            }
        }
    };
    limits.checkpoints = checkpoint.clone().map(|checkpoint| checkpoint as Arc<dyn Checkpoints>);
    let options = Options {
        engine,
        reductions,
        points: !args.no_points,
        expectations: !args.no_expect,
        limits,
        alter: args.alter_step,
    };
    let single = paths.len() == 1;
    let stories = match (common.quiet, common.verbose || single) {
        (true, _) => Stories::Unexpected,
        (false, true) => Stories::All,
        (false, false) => Stories::Brief,
    };
    let mut run = Run {
        args,
        common,
        options,
        checkpoint,
        single,
        stories,
        start: Instant::now(),
        exit: Exit::Expected,
        answers: Vec::new(),
        diagnostics: Vec::new(),
        traces: HashMap::new(),
        told: HashSet::new(),
    };
    for path in &paths {
        run.file(path);
        if run.exit == Exit::Usage {
            break;
        }
    }
    run.finish()
}

/// Where the traces of several models go.
const TRACES: &str = "trueline-traces";

struct Run<'a> {
    args: &'a CheckArgs,
    common: &'a Common,
    options: Options,
    /// Where searches that are stopped are kept.
    checkpoint: Option<Arc<Checkpoint>>,
    /// Whether there is one model only.
    single: bool,
    stories: Stories,
    /// When the command began: `--time` is for all of it.
    start: Instant,
    exit: Exit,
    answers: Vec<Answer>,
    /// For `--json`.
    diagnostics: Vec<Problem>,
    /// How many trace files each model has.
    traces: HashMap<String, u32>,
    /// Diagnostics shown already.
    told: HashSet<(String, Span, String)>,
}

impl Run<'_> {
    fn file(&mut self, path: &Path) {
        let source = match files::read(path) {
            Ok(source) => source,
            Err(message) => {
                self.trouble(&path.display().to_string(), &message);
                return self.ends(Exit::Input);
            }
        };
        let mut problems = source.model.diagnose();
        problems.retain(|d| d.is_error() || !self.common.quiet);
        if !problems.is_empty() {
            let told = terminal::problems(&source, &problems, self.common);
            self.diagnostics.extend(told);
            if problems.iter().any(Diagnostic::is_error) {
                return self.ends(Exit::Input);
            }
        }
        if source.model.checks() == 0 {
            let message = format!("{}: there is no `check` in this file, so nothing is checked", source.path);
            self.trouble(&source.path, &message);
            return self.ends(Exit::Input);
        }
        let overrides = self.args.to_overrides();
        let mut shown = Vec::new();
        let (mut tasks, mut with_roles) = (0, 0);
        for index in 0..source.model.checks() {
            match source.model.instantiate(index, &overrides) {
                Ok(task) => {
                    tasks += 1;
                    self.task(&source, &task, &mut shown);
                }
                Err(Refusal::Roles) => with_roles += 1,
                Err(refusal) => {
                    self.refuse(&source, refusal);
                    if self.exit == Exit::Usage {
                        return;
                    }
                }
            }
        }
        match (with_roles, tasks) {
            (0, _) => {}
            (_, 0) => return self.refuse(&source, Refusal::Roles),
            _ if self.common.quiet || self.common.json => {}
            _ => {
                let left = plural(with_roles, "check with roles is", "checks with roles are");
                eprintln!("note: {}: {left} left out: these flags are for the others", source.path);
            }
        }
        self.print(&shown);
        self.answers.extend(shown);
    }

    fn task(&mut self, source: &files::ModelFile, task: &Task, shown: &mut Vec<Answer>) {
        let options = self.options.clone();
        let origin = Source { path: &source.path, text: source.model.source() };
        let mut verifier = Verifier::new(task, origin, &options);
        for asked in &task.asked {
            let title = format!("{} {}", task.object, asked.name);
            let mut progress = terminal::ProgressLine::new(title, self.common, options.limits.memory);
            let cpu = terminal::cpu_seconds();
            verifier.within(options.limits.time.map(|time| time.saturating_sub(self.start.elapsed())));
            let decided = verifier.decide(asked, &mut progress);
            drop(progress);
            if let Some(mut decided) = decided {
                decided.answer.cpu_seconds = terminal::cpu_seconds() - cpu;
                let checkpoint = self.checkpoint.as_deref();
                if let Verdict::Unknown(doubt) = &mut decided.answer.verdict
                    && let Cause::Limit(stop) = doubt.cause
                {
                    advice::add(doubt, stop, task, self.args, self.common);
                    let kept = checkpoint.and_then(Checkpoint::size);
                    advice::add_checkpoint(doubt, stop, kept.as_deref());
                }
                if let Some(why) = checkpoint.and_then(Checkpoint::failure) {
                    eprintln!("warning: the search was not kept: {why}");
                }
                shown.push(self.take(source, decided));
            }
        }
    }

    /// An error about a file as a whole.
    fn trouble(&mut self, path: &str, message: &str) {
        match self.common.json {
            true => self.diagnostics.push(Problem::of_file(path, message)),
            false => eprintln!("error: {message}"),
        }
    }

    fn ends(&mut self, exit: Exit) {
        self.exit = self.exit.and(exit);
    }

    fn refuse(&mut self, source: &files::ModelFile, refusal: Refusal) {
        let common = self.common;
        let exit = match refusal {
            Refusal::Model(mut problems) => {
                // A mistake of the command line is one for every check: it is told once.
                problems.retain(|d| self.told.insert((source.path.clone(), d.span, d.message.clone())));
                self.diagnostics.extend(terminal::problems(source, &problems, common));
                Exit::Input
            }
            Refusal::Argument { argument, text, problems } => {
                let flag = advice::flag(argument);
                self.diagnostics.extend(terminal::argument(flag, &text, &problems, common));
                Exit::Usage
            }
            Refusal::Usage(misuse) => {
                let message = advice::misuse(&misuse);
                self.trouble(&source.path, &format!("{}: {message}", source.path));
                Exit::Usage
            }
            Refusal::Roles => {
                self.trouble(&source.path, &format!("{}: {}", source.path, advice::ROLES));
                Exit::Usage
            }
            Refusal::NoCheck => Exit::Input,
        };
        self.ends(exit);
    }

    /// Notes how a property ended and writes the trace of a failure.
    fn take(&mut self, source: &files::ModelFile, decided: Decided) -> Answer {
        let Decided { mut answer, file } = decided;
        self.ends(Exit::from(&answer));
        if let Verdict::Unknown(Doubt { cause: Cause::Internal(report), .. }) = &answer.verdict {
            eprintln!("internal error: {report}");
        }
        annotate::answer(&answer);
        // Nobody looks at the trace of a failure that was expected, unless it was asked for.
        // Nor could a model be read again that came from standard input.
        let here = source.path != files::STANDARD_INPUT;
        let wanted = self.args.trace.is_some() || !answer.as_expected && here;
        if let (Some(mut file), Verdict::Fails(failure)) = (file.filter(|_| wanted), &mut answer.verdict) {
            file.overrides = self.args.words();
            if self.traces_to_output() {
                print!("{}", file.write());
                return answer;
            }
            let path = self.trace_path(source);
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let mut write = || {
                folder.map_or(Ok(()), std::fs::create_dir_all)?;
                if !gallery::is_named(Path::new(&source.path)) {
                    file.model = files::seen_from(folder.unwrap_or(Path::new(".")), Path::new(&source.path));
                }
                std::fs::write(&path, file.write())
            };
            match write() {
                Ok(()) => failure.trace_path = Some(path.display().to_string()),
                Err(e) => eprintln!("warning: the trace was not written: {}: {e}", path.display()),
            }
        }
        answer
    }

    /// `--trace`, or the model's name: here for one model, in a folder of their own for several.
    fn trace_path(&mut self, source: &files::ModelFile) -> PathBuf {
        let wanted = self.args.trace.clone();
        let stem = Path::new(&source.path).file_stem().and_then(|s| s.to_str()).unwrap_or("model");
        let stem = stem.trim_start_matches('@');
        let folder = if self.single { "" } else { TRACES };
        let base = wanted.unwrap_or_else(|| Path::new(folder).join(format!("{stem}.trace.json")));
        let n = self.traces.entry(base.display().to_string()).or_insert(0);
        *n += 1;
        if *n == 1 {
            return base;
        }
        // The second failure of a model stands beside the first.
        let name = base.file_name().and_then(|s| s.to_str()).unwrap_or("trace.json");
        let (stem, end) = name.split_once('.').unwrap_or((name, "json"));
        base.with_file_name(format!("{stem}-{n}.{end}"))
    }

    /// Whether standard output is for traces: what is told otherwise goes to standard error.
    fn traces_to_output(&self) -> bool {
        self.args.trace.as_deref().is_some_and(|path| path == Path::new("-"))
    }

    fn tell(&self, text: &str) {
        match self.traces_to_output() {
            true => eprint!("{text}"),
            false => print!("{text}"),
        }
    }

    fn print(&self, answers: &[Answer]) {
        let common = self.common;
        if common.json {
            return;
        }
        let shown: Vec<Answer> = match common.quiet {
            true => answers.iter().filter(|a| !a.as_expected).cloned().collect(),
            false => answers.to_vec(),
        };
        if shown.is_empty() {
            return;
        }
        self.tell(&render_answers(&shown, &style(common), self.stories));
        let _ = std::io::stdout().flush();
    }

    fn finish(self) -> Exit {
        let common = self.common;
        if common.json {
            let document = CheckDocument::new(&self.answers, self.diagnostics.clone());
            self.tell(&document.write());
        } else if !common.quiet && self.exit != Exit::Usage && (!self.single || self.answers.len() > 1) {
            self.tell(&format!("\n{}\n", render_tally(&self.answers).trim_end()));
            if !self.single && self.args.trace.is_none() && !self.traces.is_empty() {
                println!("the failures are told in full by `trueline replay {TRACES}/MODEL.trace.json`");
            }
        }
        self.exit
    }
}

/// How text is rendered for this run.
pub fn style(common: &Common) -> Style {
    let stdout = std::io::stdout();
    let colour = terminal::colour(common, stdout.is_terminal());
    Style { colour, width: terminal::width(common), fold: !common.verbose }
}
