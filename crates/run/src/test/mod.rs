//! One test of a file: builds it, runs scenarios from small to large, and tells the first failure.

mod answer;
mod built;
mod decide;
mod request;
mod watch;

pub use answer::{Against, Cause, Covered, Doubt, Failure, Failures, Refusal, Scope, Setting, Tested};
pub(crate) use built::{Built, prepare_one, specification};
pub use request::{Find, Request, ready_made};

use std::path::Path;
use std::rc::Rc;

use trueline_base::{Event, Meter, Observer, Verdict};
use trueline_history::check::Asked;

use self::built::{golden, prepare};
use self::decide::decide;
use crate::bounded::Which;
use crate::compile::{Folder, compiler_of};
use crate::generate::scenarios;
use crate::scenario::Scenario;
use crate::search::Counts;

/// Tests a file.
pub fn test(request: &Request, meter: &Meter, observer: &mut dyn Observer) -> Result<Tested, Refusal> {
    if !request.source.exists() {
        return Err(Refusal::Input("no such file".into()));
    }
    let compiler = compiler_of(&request.source, request.compiler.as_deref()).map_err(Refusal::Input)?;
    let folder = Rc::new(Folder::new().map_err(Refusal::Internal)?);
    let mut built = Vec::new();
    for level in &request.levels {
        built.push(prepare(&compiler, request, level, &folder)?);
    }
    let harness = built[0].harness.clone();
    let mut model = golden(request)?;
    let against = against(request, harness.spec.as_ref());
    let spec = match &against {
        Against::Spec(name) => Some((request.find)(name).map_err(Refusal::Input)?),
        Against::Itself | Against::Other(_) | Against::Nothing => None,
    };
    let all = asked_for(request, &built[0])?;
    let mut scope = Scope {
        compiler: compiler.program.clone(),
        levels: request.levels.clone(),
        spec: against,
        operations: harness.operations.iter().map(|f| f.name.clone()).collect(),
        line: harness.operations.first().map_or(0, |f| f.line),
        scenarios: (0, all.len()),
        largest: String::new(),
        counts: Counts::default(),
        interleavings: 0,
        histories: 0,
    };
    let mut verdict: Verdict<Covered, Failures, Doubt> = Verdict::Holds(match request.only {
        Some(Which::Preemptions(most, _)) => Covered::Preemptions(most),
        Some(Which::Random(_)) | None => Covered::Executions,
    });
    for (index, scenario) in all.iter().enumerate() {
        let (done, total) = (index as u64, Some(all.len() as u64));
        observer.event(&Event::Work { what: "scenarios", done, total, bytes: 0 });
        let behaviours = match &mut model {
            Some(model) => Some(model.behaviours(&harness, scenario, request.settings)?),
            None => None,
        };
        let spec = match &behaviours {
            Some(behaviours) => Some(behaviours as &dyn Asked),
            None => spec.as_deref(),
        };
        let (mut complete, mut skipped) = (true, false);
        for built in &mut built {
            match decide(built, scenario, request, spec, meter, observer, &mut scope)? {
                None => skipped = true,
                Some(Verdict::Holds(())) => {}
                Some(Verdict::Unknown(doubt)) => {
                    complete = false;
                    if verdict.holds() {
                        let during = Some((scenario.show(&harness), built.level.clone()));
                        verdict = Verdict::Unknown(Doubt { during, ..doubt });
                    }
                }
                Some(Verdict::Fails(failure)) => {
                    complete = false;
                    match &mut verdict {
                        Verdict::Fails(failures) => failures.add(failure),
                        Verdict::Holds(_) | Verdict::Unknown(_) => {
                            let (first, others) = (Box::new(failure), Vec::new());
                            verdict = Verdict::Fails(Failures { first, others });
                        }
                    }
                    if !request.all {
                        return Ok(Tested { verdict, scope });
                    }
                }
            }
        }
        if skipped {
            scope.scenarios.1 -= 1;
        } else if complete {
            scope.scenarios.0 += 1;
            scope.largest = scenario.show(&harness);
        }
        if matches!(&verdict, Verdict::Unknown(doubt) if doubt.cause == Cause::Unplayable) {
            break;
        }
        // A limit that is reached between two scenarios leaves the others open.
        if let Err(stop) = meter.check(0, 0) {
            if verdict.holds() && index + 1 < all.len() {
                verdict = Verdict::Unknown(Doubt::new(Cause::Limit(stop), stop.to_string()));
            }
            break;
        }
    }
    if verdict.holds()
        && let Some(why) = nothing_to_decide(request, &scope)
    {
        verdict = Verdict::Unknown(Doubt::new(Cause::Nothing, why));
    }
    Ok(Tested { verdict, scope })
}

/// What histories are held against.
fn against(request: &Request, of_file: Option<&String>) -> Against {
    match (&request.against, request.spec.as_ref().or(of_file)) {
        (Some(other), _) => Against::Other(other.clone()),
        (None, Some(name)) => Against::Spec(name.clone()),
        (None, None) if request.settings.main => Against::Nothing,
        (None, None) => Against::Itself,
    }
}

/// The scenarios of a test, from small to large.
fn asked_for(request: &Request, built: &Built) -> Result<Vec<Scenario>, Refusal> {
    match (&request.scenario, &built.own) {
        (Some(text), _) => match Scenario::parse(text, &built.harness) {
            Ok(scenario) => Ok(vec![scenario]),
            Err(error) => Err(Refusal::Scenario { text: text.clone(), error }),
        },
        (None, Some(own)) => Ok(vec![own.scenario.clone()]),
        (None, None) => Ok(scenarios(&built.harness, request.sizes)),
    }
}

/// Why nothing was decided although nothing went wrong.
fn nothing_to_decide(request: &Request, scope: &Scope) -> Option<&'static str> {
    if scope.scenarios.1 == 0 {
        return Some("the calls before the threads do not all return, so that no thread ever begins");
    }
    let nothing = !request.settings.main && scope.counts.complete == 0 && request.only.is_none();
    nothing.then_some("in no execution do all calls return, so that there is no history to decide")
}

/// The name of a file without its folder and ending.
pub fn stem(source: &Path) -> String {
    source.file_stem().map_or_else(|| "object".into(), |s| s.to_string_lossy().into_owned())
}
