//! Programs that are built and started, and what they are held against.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use trueline_history::check::Asked;

use super::answer::Refusal;
use super::request::Request;
use crate::cargo;
use crate::compile::{Build, Compiler, Folder, build, calls_unseen, compiler_of};
use crate::harness::{self, Function, Harness, NO_OPERATION};
use crate::places::{Place, Places};
use crate::player::{Player, Silence};
use crate::program::{self, Program};
use crate::scenario::Scenario;
use crate::search::{PATIENCE, Settings};
use crate::sequential::Sequential;

/// A program, ready to be run.
pub(crate) struct Built {
    pub level: String,
    pub program: PathBuf,
    pub harness: Harness,
    pub player: Player,
    /// What a program with its own `main` calls.
    pub own: Option<Program>,
    /// Whether it calls functions of which nothing is seen: then nothing is left out for being like something else.
    pub unseen: bool,
    /// What it was built in; deleted with it.
    pub folder: Rc<Folder>,
}

impl Built {
    /// How it is to be run.
    pub fn settings(&self, asked: Settings) -> Settings {
        Settings { recall: asked.recall && !self.unseen, cut: asked.cut && !self.unseen, ..asked }
    }
}

/// Builds the first level of a request.
pub(crate) fn prepare_one(request: &Request) -> Result<Built, Refusal> {
    if !request.source.exists() {
        return Err(Refusal::Input("no such file".into()));
    }
    let compiler = compiler_of(&request.source, request.compiler.as_deref()).map_err(Refusal::Input)?;
    let folder = Rc::new(Folder::new().map_err(Refusal::Internal)?);
    prepare(&compiler, request, &request.levels[0], &folder)
}

/// The specification of a request: by name, by the file, or the object itself; and whether operations after the threads
/// are meant to wait.
pub(crate) fn specification(
    request: &Request,
    built: &mut Built,
    scenario: &Scenario,
) -> Result<(Box<dyn Asked>, bool), Refusal> {
    let sequential = match &built.own {
        Some(_) => Ok(Sequential::nothing()),
        None => Sequential::of(&mut built.player, &built.harness, scenario, request.settings),
    };
    let sequential = sequential.map_err(Refusal::Input)?;
    let may_wait = sequential.may_wait();
    if let Some(mut model) = golden(request)? {
        return Ok((Box::new(model.behaviours(&built.harness, scenario, request.settings)?), may_wait));
    }
    match request.spec.clone().or_else(|| built.harness.spec.clone()) {
        Some(name) => Ok(((request.find)(&name).map_err(Refusal::Input)?, may_wait)),
        None => Ok((Box::new(sequential), may_wait)),
    }
}

/// The implementation that a request is held against.
pub(super) fn golden(request: &Request) -> Result<Option<Golden>, Refusal> {
    let Some(source) = &request.against else { return Ok(None) };
    let wanted = Request { source: source.clone(), against: None, ..request.clone() };
    match prepare_one(&wanted) {
        Ok(built) => Ok(Some(Golden { source: source.clone(), built })),
        Err(Refusal::Input(why)) => Err(Refusal::Against { source: source.clone(), why }),
        Err(other) => Err(other),
    }
}

/// Another implementation, whose sequential behaviours are the specification.
pub(super) struct Golden {
    source: PathBuf,
    built: Built,
}

impl Golden {
    /// What this implementation does in a scenario of another, call after call.
    pub fn behaviours(
        &mut self,
        harness: &Harness,
        scenario: &Scenario,
        settings: Settings,
    ) -> Result<Sequential, Refusal> {
        let refuse = |why: String| Refusal::Against { source: self.source.clone(), why };
        let built = &mut self.built;
        for function in &harness.operations {
            let same = |f: &&Function| f.name == function.name && f.result == function.result;
            let inputs = |f: &Function| f.parameters.iter().map(|p| (p.kind, p.output)).collect::<Vec<_>>();
            let found = built.harness.operations.iter().find(same);
            if found.is_none_or(|f| inputs(f) != inputs(function)) {
                return Err(refuse(format!("it has no operation `{}` with the same types", function.name)));
            }
        }
        let text = scenario.show(harness);
        let scenario = Scenario::parse(&text, &built.harness).map_err(|e| refuse(e.to_string()))?;
        Sequential::of(&mut built.player, &built.harness, &scenario, settings).map_err(refuse)
    }
}

/// Starts a program. What its static constructors do is no part of any execution, so that it must go well.
fn start(program: &Path) -> Result<Player, Refusal> {
    let mut player = Player::start(program, PATIENCE).map_err(Refusal::Internal)?;
    let Err(silence) = player.is_ready() else { return Ok(player) };
    let said = match silence {
        Silence::Late => format!("does not come to its end in {} s", PATIENCE.as_secs()),
        Silence::Died => player.last_words(),
    };
    let (said, place) =
        match said.strip_prefix("exit status: 87").and_then(|said| said.trim().rsplit_once('\n')) {
            Some((sentence, place)) => (sentence.to_string(), place.parse().unwrap_or_default()),
            None => (said, 0),
        };
    let mut places = Places::of(program).map_err(Refusal::Internal)?;
    let Place { file, line, .. } = places.place(place);
    let at = if line > 0 { format!("{file}:{line}: ") } else { String::new() };
    Err(Refusal::Input(format!(
        "{at}before any operation is called, in a static constructor, the program {said}"
    )))
}

/// Builds a program at one level and starts it.
pub(super) fn prepare(
    compiler: &Compiler,
    request: &Request,
    level: &str,
    folder: &Rc<Folder>,
) -> Result<Built, Refusal> {
    let wanted = Build {
        source: request.source.clone(),
        level: level.to_string(),
        flags: request.flags.clone(),
        main: request.settings.main,
        shim: request.settings.shim,
    };
    let program = build(compiler, &wanted, folder).map_err(Refusal::Input)?;
    let (unseen, folder) = (calls_unseen(&wanted, folder).map_err(Refusal::Internal)?, folder.clone());
    if request.settings.main {
        let mut player = start(&program)?;
        let own = program::learn(&mut player, request.settings)?;
        let (harness, level) = (own.harness.clone(), level.to_string());
        return Ok(Built { level, program, harness, player, own: Some(own), unseen, folder });
    }
    let mut harness = harness::read(&program).map_err(|why| match cargo::is_rust(&request.source) {
        true if why == NO_OPERATION => Refusal::Input(cargo::no_object(&request.source)),
        _ => Refusal::Input(why),
    })?;
    if cargo::is_rust(&request.source) {
        cargo::lines(&request.source, &mut harness);
    }
    let player = start(&program)?;
    Ok(Built { level: level.to_string(), program, harness, player, own: None, unseen, folder })
}
