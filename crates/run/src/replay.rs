//! Trace files of real code: what is needed to play a failure again on the code as it is now.

use crate::kind::Kind;
use serde::{Deserialize, Serialize};
use trueline_base::Meter;
use trueline_base::trace::Trace;
use trueline_history::Condition;

use crate::confirm::again;
use crate::explore::{Execution, Explorer};
use crate::generate::Sizes;
use crate::order::Model;
use crate::player::Source;
use crate::scenario::Scenario;
use crate::search::{Settings, Visitor, search};
use crate::test::{Built, Find, Refusal, Request, prepare_one, specification};

/// The kind of these files.
pub const KIND: &str = "real-code";
/// The version of the format.
pub const VERSION: u32 = 1;

/// What is looked at first.
#[derive(Deserialize)]
struct Head {
    version: u32,
    kind: String,
}

/// A failure in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplayFile {
    /// Always [`VERSION`].
    pub version: u32,
    /// Always [`KIND`].
    pub kind: String,
    /// The source file.
    pub source: String,
    /// The compiler.
    pub compiler: String,
    /// The optimisation level.
    pub level: String,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// The scenario.
    pub scenario: String,
    /// What was asked of histories.
    pub condition: String,
    /// The specification, when it was given on the command line.
    pub spec: Option<String>,
    /// The implementation that it was held against, when one was given.
    #[serde(default)]
    pub against: Option<String>,
    /// Whether freed memory is used again.
    pub reuse: bool,
    /// Whether the program's own `main` was run.
    #[serde(default)]
    pub main: bool,
    /// Whether a Rust package was built without instrumentation.
    #[serde(default)]
    pub shim: bool,
    /// What went wrong.
    pub failure: Kind,
    /// Who makes each step, from 1; calls and returns are steps.
    pub steps: Vec<u8>,
    /// The memory model: `sc` or `c11`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// What the steps read, where that is not always the last write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// For each operation a bit per operation that a client makes come before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<u64>,
    /// The story.
    pub story: Trace,
}

/// What came of playing a file again.
#[derive(Clone, Debug)]
pub enum Again {
    /// It still fails.
    Fails(Box<Trace>),
    /// It does not fail any more, and how it ends.
    Passes(String),
    /// The code no longer makes these steps.
    Departs(String),
}

impl ReplayFile {
    /// Reads a file, if it is one of real code.
    pub fn read(text: &str) -> Result<Option<ReplayFile>, String> {
        let head: Option<Head> = serde_json::from_str(text).ok();
        let Some(Head { version, .. }) = head.filter(|head| head.kind == KIND) else { return Ok(None) };
        if version != VERSION {
            return Err(format!(
                "this trace file has version {version} and this program reads version {VERSION}; `trueline test` writes it anew"
            ));
        }
        let file = serde_json::from_str(text);
        file.map(Some).map_err(|e| format!("this trace file of real code is damaged: {e}"))
    }

    /// As text.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a trace is plain data");
        text.push('\n');
        text
    }

    fn model(&self) -> Result<Model, Refusal> {
        match self.memory.as_deref() {
            None | Some("sc") => Ok(Model::Sc),
            Some("c11") => Ok(Model::C11),
            Some(other) => Err(Refusal::Input(format!("there is no memory model `{other}`"))),
        }
    }

    fn request(&self, find: Find) -> Result<Request, Refusal> {
        Ok(Request {
            source: self.source.clone().into(),
            compiler: Some(self.compiler.clone()),
            levels: vec![self.level.clone()],
            flags: self.flags.clone(),
            scenario: Some(self.scenario.clone()),
            sizes: Sizes::default(),
            condition: self.condition.parse::<Condition>().map_err(Refusal::Input)?,
            spec: self.spec.clone(),
            find,
            against: self.against.as_ref().map(Into::into),
            settings: Settings {
                reuse: self.reuse,
                main: self.main,
                shim: self.shim,
                model: self.model()?,
                ..Settings::default()
            },
            allow_races: false,
            only: None,
            all: false,
        })
    }
}

/// Runs that are made to learn which memory is shared.
const LEARN: u64 = 3000;

struct Learn(u64, Explorer);

impl Visitor for Learn {
    fn reset(&mut self) {
        self.0 = 0;
    }

    fn visit(&mut self, explorer: &Explorer, _: &Execution) -> bool {
        self.0 += 1;
        self.1.memory = explorer.memory.clone();
        self.0 < LEARN
    }
}

/// The code as it is now, ready for the steps of a file.
pub(crate) struct Ready {
    pub request: Request,
    pub built: Built,
    pub scenario: Scenario,
    /// What is known of memory.
    pub explorer: Explorer,
}

/// Builds the code and learns which memory is shared.
pub(crate) fn ready(file: &ReplayFile, find: Find, meter: &Meter) -> Result<Ready, Refusal> {
    let request = file.request(find)?;
    let mut built = prepare_one(&request)?;
    let scenario = match &built.own {
        Some(own) => own.scenario.clone(),
        None => Scenario::parse(&file.scenario, &built.harness)
            .map_err(|e| Refusal::Input(format!("the scenario no longer fits the code: {e}")))?,
    };
    let mut learn = Learn(0, Explorer::of(request.settings.model));
    search(&mut built.player, &built.harness, &scenario, request.settings, meter, &mut learn);
    Ok(Ready { request, built, scenario, explorer: learn.1 })
}

/// Builds the code as it is now and plays the steps of a file.
pub fn replay(file: &ReplayFile, find: Find, meter: &Meter) -> Result<Again, Refusal> {
    let Ready { request, mut built, scenario, explorer } = ready(file, find, meter)?;
    let (spec, may_wait) = specification(&request, &mut built, &scenario)?;
    let request = Request { settings: Settings { may_wait, ..request.settings }, ..request };
    again(file, &explorer, &built.program, &built.harness, &scenario, &*spec, &request, meter)
        .map_err(Refusal::Internal)
}
