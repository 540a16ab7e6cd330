//! `trueline check`

use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use trueline_base::verdict::Answer;
use trueline_base::{Diagnostic, Span};
use trueline_lang::compile::Refusal;
use trueline_report::{Report, Stories, Style, render_answers, render_tally};

use crate::args::{CheckArgs, Common};
use crate::decide::{Context, Decided, decide};
use crate::exit::Exit;
use crate::files;
use crate::terminal;

/// Decides all checks of the files.
pub fn run(args: &CheckArgs, common: &Common) -> Exit {
    if !matches!(args.engine.as_str(), "auto" | "naive") {
        eprintln!("error: --engine {} is not available yet; there is `naive`", args.engine);
        return Exit::Input;
    }
    let paths = match files::models(&args.files) {
        Ok(paths) => paths,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    let context = Context { args, common, cancel: terminal::cancel_on_interrupt() };
    let single = paths.len() == 1;
    let stories = match (common.quiet, common.verbose || single) {
        (true, _) => Stories::Unexpected,
        (false, true) => Stories::All,
        (false, false) => Stories::Brief,
    };
    let mut run = Run {
        context,
        single,
        stories,
        exit: Exit::Expected,
        answers: Vec::new(),
        traces: HashMap::new(),
        told: HashSet::new(),
    };
    for path in &paths {
        run.file(path);
        if run.exit == Exit::Usage {
            return Exit::Usage;
        }
    }
    run.finish()
}

/// Where the traces of several models go.
const TRACES: &str = "trueline-traces";

struct Run<'a> {
    context: Context<'a>,
    /// Whether there is one model only.
    single: bool,
    stories: Stories,
    exit: Exit,
    answers: Vec<Answer>,
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
                eprintln!("error: {message}");
                return self.ends(Exit::Input);
            }
        };
        let mut problems = source.model.diagnose();
        problems.retain(|d| d.is_error() || !self.context.common.quiet);
        if !problems.is_empty() {
            terminal::problems(&source, &problems, self.context.common);
            if problems.iter().any(Diagnostic::is_error) {
                return self.ends(Exit::Input);
            }
        }
        if source.model.checks() == 0 {
            eprintln!("error: {}: there is no `check` in this file, so nothing is checked", source.path);
            return self.ends(Exit::Input);
        }
        let overrides = self.context.args.to_overrides();
        let mut shown = Vec::new();
        for index in 0..source.model.checks() {
            match source.model.instantiate(index, &overrides) {
                Ok(task) => {
                    for decided in decide(&self.context, &source, &task) {
                        shown.push(self.take(&source, decided));
                    }
                }
                Err(refusal) => {
                    self.refuse(&source, refusal);
                    if self.exit == Exit::Usage {
                        return;
                    }
                }
            }
        }
        self.print(&shown);
        self.answers.extend(shown);
    }

    fn ends(&mut self, exit: Exit) {
        self.exit = self.exit.and(exit);
    }

    fn refuse(&mut self, source: &files::Source, refusal: Refusal) {
        let common = self.context.common;
        let exit = match refusal {
            Refusal::Model(mut problems) => {
                // A mistake of the command line is one for every check: it is told once.
                problems.retain(|d| self.told.insert((source.path.clone(), d.span, d.message.clone())));
                terminal::problems(source, &problems, common);
                Exit::Input
            }
            Refusal::Argument { flag, text, problems } => {
                terminal::diagnostics(flag, &text, &problems, common);
                Exit::Usage
            }
            Refusal::Usage(message) => {
                eprintln!("error: {}: {message}", source.path);
                Exit::Usage
            }
            Refusal::NoCheck => Exit::Input,
        };
        self.ends(exit);
    }

    /// Notes how a property ended and writes the trace of a failure.
    fn take(&mut self, source: &files::Source, decided: Decided) -> Answer {
        self.ends(decided.exit);
        if let Some(report) = &decided.internal {
            eprintln!("internal error: {report}");
        }
        let mut answer = decided.answer;
        if let Some(file) = decided.file {
            let path = self.trace_path(source);
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            match folder
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&path, file.write()))
            {
                Ok(()) => answer.trace_path = Some(path.display().to_string()),
                Err(e) => eprintln!("warning: the trace was not written: {}: {e}", path.display()),
            }
        }
        answer
    }

    /// `--trace`, or the model's name: here for one model, in a folder of their own for several.
    fn trace_path(&mut self, source: &files::Source) -> PathBuf {
        let wanted = self.context.args.trace.clone();
        let stem = Path::new(&source.path).file_stem().and_then(|s| s.to_str()).unwrap_or("model");
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

    fn print(&self, answers: &[Answer]) {
        let common = self.context.common;
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
        print!("{}", render_answers(&shown, &style(common), self.stories));
        let _ = std::io::stdout().flush();
    }

    fn finish(self) -> Exit {
        let common = self.context.common;
        if common.json {
            print!("{}", Report::new("check", &self.answers).write());
        } else if !common.quiet && (!self.single || self.answers.len() > 1) {
            println!("\n{}", render_tally(&self.answers).trim_end());
            if !self.single && self.context.args.trace.is_none() && !self.traces.is_empty() {
                println!("the failures are told in full by `trueline replay {TRACES}/MODEL.trace.json`");
            }
        }
        self.exit
    }
}

/// How text is rendered for this run.
pub fn style(common: &Common) -> Style {
    let stdout = std::io::stdout();
    let width = match stdout.is_terminal() {
        true => terminal::width(),
        false => 110,
    };
    Style { colour: terminal::colour(common, stdout.is_terminal()), width, fold: !common.verbose }
}
