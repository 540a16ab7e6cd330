//! From text to tasks: what a check asks, with everything that an engine needs.

mod arguments;
mod ask;
mod build;
mod client;
mod file;
mod names;
mod overrides;
mod properties;
mod size;
mod target;
mod unused;
mod uses;

pub use ask::{Asked, Expectation};
pub use names::NameAt;
pub(crate) use overrides::PRELUDE as PRELUDE_SOURCE;
pub use overrides::{Argument, Misuse, Ops, Overrides, Refusal, Values};
pub use uses::Load;

use std::sync::OnceLock;

use trueline_base::{Diagnostic, Span};

use crate::ir::{Machine, Module, Ty};
use crate::resolve::{self, Typed, specs};
use crate::syntax::{self, File, Item};

/// A model: a text with its tree.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its text, and those of the files that it uses behind it.
    source: String,
    /// As written.
    tree: File,
    /// With the parts of objects written out.
    whole: File,
    /// The files that it uses.
    used: Vec<uses::Used>,
    problems: Vec<Diagnostic>,
    /// The typed trees, once they are asked for.
    typed: OnceLock<Typed>,
}

/// One check, instantiated.
#[derive(Clone, Debug)]
pub struct Task {
    /// The object.
    pub object: String,
    /// Where the check stands.
    pub span: Span,
    /// What is explored.
    pub machine: Machine,
    /// What is asked.
    pub asked: Vec<Asked>,
    /// Operations per thread; `None` for ever or with roles.
    pub ops: Option<u32>,
    /// The values: a number, or `tid`; `None` with roles.
    pub values: Option<String>,
    /// The roles, such as `user x 2, watcher`; empty without.
    pub roles: String,
    /// Whether the code has an `assume`.
    pub assumes: bool,
    /// The parameters that the check sets, as written: `RECHECK = false`.
    pub with: String,
    /// What is worth knowing though nothing is wrong.
    pub warnings: Vec<Diagnostic>,
    /// The names that its clauses use.
    names: Vec<NameAt>,
}

impl Task {
    /// The specification of the first property that is about one.
    pub fn specification(&self) -> Option<&Module> {
        self.asked.iter().find_map(|asked| asked.question.specification())
    }

    /// The object with the parameters that the check sets.
    pub fn title(&self) -> String {
        match self.with.is_empty() {
            true => self.object.clone(),
            false => format!("{} with {}", self.object, self.with),
        }
    }
}

impl Model {
    /// Reads a text that names no other file. Parsing never fails: see [`Model::diagnose`].
    pub fn parse(source: impl Into<String>) -> Model {
        let alone =
            |_: &str, path: &str| Err(format!("`{path}` is not known here: there are no other files"));
        Model::load(source, &mut { alone })
    }

    /// Reads a text and the files that it uses.
    pub fn load(source: impl Into<String>, load: &mut uses::Load<'_>) -> Model {
        let source = source.into();
        let (tree, mut problems) = crate::parser::parse(&source);
        let mut loaded = uses::load(source, &tree, load);
        problems.append(&mut loaded.problems);
        let uses::Loaded { source, items, used, .. } = loaded;
        let all = File { items, comments: tree.comments.clone() };
        if problems.is_empty() {
            problems = size::problems(&all);
        }
        let mut whole = all;
        if problems.is_empty() {
            (whole, problems) = crate::parts::written_out(&whole);
        }
        Model { source, tree, whole, used, problems, typed: OnceLock::new() }
    }

    /// The file that a span stands in: its path, none for the model's own, and its text.
    pub fn file_of(&self, span: Span) -> (Option<&str>, &str) {
        match uses::place(span.source).and_then(|at| self.used.get(at)) {
            Some(used) => (Some(&used.path), &self.source[used.text.clone()]),
            None => (None, self.text()),
        }
    }

    /// The text of the file itself.
    pub fn text(&self) -> &str {
        // A line break stands between it and the next.
        &self.source[..self.used.first().map_or(self.source.len(), |used| used.text.start - 1)]
    }

    /// The files that it uses.
    pub fn used(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(|used| used.path.as_str())
    }

    /// The text, and behind it the texts of the files that it uses: a change of any of them is a change of the model.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The tree.
    pub fn tree(&self) -> &File {
        &self.tree
    }

    /// How many checks the file has.
    pub fn checks(&self) -> usize {
        self.checks_in_order().count()
    }

    fn checks_in_order(&self) -> impl Iterator<Item = &syntax::Check> {
        self.whole.items.iter().filter_map(|item| match item {
            Item::Check(check) => Some(check),
            _ => None,
        })
    }

    /// Everything that is wrong with the file, in the order of the text.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let mut all = self.problems.clone();
        let mut names = Vec::new();
        if all.is_empty() {
            all.extend(file::problems(&self.whole, self.typed()));
            for index in 0..self.checks() {
                match self.instantiate(index, &Overrides::default()) {
                    Ok(task) => {
                        all.extend(task.warnings);
                        names.extend(task.names);
                    }
                    Err(Refusal::Model(problems)) => all.extend(problems),
                    Err(_) => {}
                }
            }
        }
        if all.is_empty() {
            all = unused::warnings(&self.tree, self.typed(), &names);
        }
        build::in_order(all)
    }

    /// The check of that number, from 0, with what the command line changes.
    pub fn instantiate(&self, index: usize, overrides: &Overrides) -> Result<Task, Refusal> {
        if self.problems.iter().any(Diagnostic::is_error) {
            return Err(Refusal::Model(self.problems.clone()));
        }
        let check = self.checks_in_order().nth(index).ok_or(Refusal::NoCheck)?;
        build::task(&self.source, &self.whole, self.typed(), check, overrides)
    }

    /// The typed trees of the file.
    fn typed(&self) -> &Typed {
        self.typed.get_or_init(|| resolve::file(&self.whole))
    }

    /// The names of the specifications that the file declares.
    pub fn specifications(&self) -> Vec<&str> {
        specs::all(&self.whole).map(|spec| spec.name.text.as_str()).collect()
    }

    /// A specification without an object, as it is written in models: `Stack`, `BoundedQueue(2)`,
    /// `Quasi(Queue, deq: 1)`. Of the file, or ready-made. `data` is the type of `data` and `key`.
    pub fn specification(&self, wanted: &str, threads: u32, data: &Ty) -> Result<Module, Refusal> {
        if self.problems.iter().any(Diagnostic::is_error) {
            return Err(Refusal::Model(self.problems.clone()));
        }
        build::specification(&self.whole, self.typed(), wanted, threads, data)
    }
}

/// The text of a ready-made specification, with the comment before it and the enums that it names. A relaxed one is
/// found by its name (`QuasiQueue`) or as it is written in models (`Quasi(Queue, deq: 2)`).
pub fn ready_made(name: &str) -> Option<String> {
    let prelude = specs::prelude();
    let applied = name.split_once('(').map(|(relaxed, rest)| {
        let base = rest.split([',', ')']).next().unwrap_or_default();
        format!("{}{}", relaxed.trim(), base.trim())
    });
    let spec = specs::find(prelude, applied.as_deref().unwrap_or(name))?;
    let text = with_comment(spec.span);
    let named = |e: &syntax::Enum| specs::returned(spec).any(|name| name == e.name.text);
    let mut all = String::new();
    for item in &prelude.items {
        if let Item::Enum(e) = item
            && named(e)
        {
            all += &format!("{}\n\n", with_comment(e.span));
        }
    }
    Some(all + &text)
}

/// An item of the ready-made specifications with the comment before it.
fn with_comment(span: Span) -> String {
    let text = specs::PRELUDE;
    let before = &text[..span.start as usize];
    let mut start = before.len();
    for line in before.lines().rev() {
        if !line.starts_with("//") || line.contains("-----") {
            break;
        }
        start -= line.len() + 1;
    }
    text[start..span.end as usize].to_string()
}

/// The names of the ready-made specifications.
pub fn ready_made_names() -> Vec<String> {
    specs::prelude()
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Spec(spec) => Some(spec.name.text.clone()),
            _ => None,
        })
        .collect()
}
