//! Decides one scenario of a program: searches its executions, and confirms what is found.

use trueline_base::{Meter, Observer, Verdict};
use trueline_history::check::Asked;

use super::answer::{Cause, Doubt, Failure, Refusal, Scope};
use super::built::Built;
use super::request::Request;
use super::watch::Watch;
use crate::bounded::Which;
use crate::confirm::confirm;
use crate::explore::Explorer;
use crate::handover::hands_over;
use crate::judge::Judge;
use crate::order::Model;
use crate::scenario::Scenario;
use crate::search::{Counts, Ended, Settings, search};
use crate::sequential::Sequential;

/// What comes of one scenario at one level.
pub(super) type Decided = Verdict<(), Failure, Doubt>;

/// Decides one scenario at one level; nothing where it does not get to its threads.
pub(super) fn decide(
    built: &mut Built,
    scenario: &Scenario,
    request: &Request,
    spec: Option<&dyn Asked>,
    meter: &Meter,
    observer: &mut dyn Observer,
    scope: &mut Scope,
) -> Result<Option<Decided>, Refusal> {
    let (asked, seen) = ((request, spec), (scope.interleavings, scope.counts, scope.histories));
    let sequential = match &built.own {
        Some(_) => Ok(Sequential::nothing()),
        None => Sequential::of(&mut built.player, &built.harness, scenario, request.settings),
    };
    let sequential = match sequential {
        Ok(sequential) => sequential,
        Err(why) => {
            built.player.restart().map_err(Refusal::Internal)?;
            return Ok(Some(Verdict::Unknown(Doubt::new(Cause::Unplayable, why))));
        }
    };
    if !sequential.begins {
        // What comes before the threads already waits or fails by itself: there is nothing to explore.
        return Ok(None);
    }
    let request = &Request {
        settings: Settings { may_wait: sequential.may_wait(), ..built.settings(request.settings) },
        ..request.clone()
    };
    // The calls of a program with its own `main` cannot be run one after the other.
    let judges = spec.is_some() || built.own.is_none();
    let name = request.spec.as_ref().or(built.harness.spec.as_ref()).filter(|_| request.against.is_none());
    let spec: &dyn Asked = spec.unwrap_or(&sequential);
    let mut watch = Watch {
        judge: Judge::new(
            &built.harness,
            scenario,
            spec,
            request.condition.clone(),
            request.settings.model,
            meter,
        ),
        calls: scenario.threads.iter().map(Vec::len).collect(),
        best: None,
        aside: None,
        more: 0,
        trouble: None,
        input: None,
        long: false,
        allow_races: request.allow_races,
        hands_over: request.settings.model != Model::Sc && name.is_some_and(|n| hands_over(n)),
        harness: &built.harness,
        scenario,
        sequential: &sequential,
        settings: request.settings,
        meter,
        observer: &mut *observer,
        seen: 0,
        longest: 0,
        done: 0.0,
        interleavings: 0,
        judges,
        own: built.own.as_ref(),
    };
    let (counts, ended) = match request.only {
        Some(which) => {
            let explorer = Explorer::of(request.settings.model);
            let ended = watch.interleave(&mut built.player, &explorer, which);
            (Counts::default(), ended.filter(|e| *e != Ended::Enough))
        }
        None => search(&mut built.player, &built.harness, scenario, request.settings, meter, &mut watch),
    };
    scope.interleavings += watch.interleavings;
    scope.counts.add(&counts);
    scope.histories += watch.judge.histories;
    if let Some(why) = watch.input {
        return Err(Refusal::Input(why));
    }
    // What several workers found is told only where one had no time to find it.
    let aside = watch.aside.filter(|_| matches!(ended, Some(Ended::Limit(_))));
    if let Some(candidate) = watch.best.or(aside) {
        let confirmed = confirm(&candidate, &built.program, &built.harness, scenario, spec, request, meter);
        let mut failure = match confirmed {
            Ok(failure) => failure,
            // The code does not do what it did after the same reads: it depends on more than is seen. Then what counts is
            // what was really run.
            Err(_) if !built.unseen => {
                built.unseen = true;
                (scope.interleavings, scope.counts, scope.histories) = seen;
                return decide(built, scenario, asked.0, asked.1, meter, observer, scope);
            }
            Err(why) => return Err(Refusal::Internal(why)),
        };
        // Smaller scenarios hold, and all executions of this one were seen.
        failure.trace.minimal = request.scenario.is_none() && ended.is_none() && request.only.is_none();
        return Ok(Some(Verdict::Fails(Failure { level: built.level.clone(), ..failure })));
    }
    if let Some(trouble) = watch.trouble {
        return Ok(Some(Verdict::Unknown(trouble)));
    }
    if let Some(Ended::Player(_)) = ended {
        // The next scenario gets a fresh one.
        built.player.restart().map_err(Refusal::Internal)?;
    }
    let seen = (watch.seen > 0).then_some((watch.done, watch.longest, scenario.calls()));
    Ok(Some(match doubt(ended, watch.long, seen, request) {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::Holds(()),
    }))
}

/// Steps of a call from which on executions are said to be long: most calls of the corpus have fewer than ten.
const MANY: usize = 60;

/// What is left open by a search that found nothing: how it ended, whether an execution was too long, and which part was seen,
/// with the steps of the longest execution and the number of calls.
fn doubt(
    ended: Option<Ended>,
    long: bool,
    seen: Option<(f64, usize, usize)>,
    request: &Request,
) -> Option<Doubt> {
    let (cause, why) = match ended {
        None if long => {
            (Cause::Steps, format!("an execution has more than {} steps", request.settings.max_steps))
        }
        None if matches!(request.only, Some(Which::Random(_))) => {
            (Cause::Sample, "random executions are not all".into())
        }
        None => return None,
        // Only a failure is enough.
        Some(Ended::Enough) => (Cause::Undecided, "not all executions were looked at".into()),
        Some(Ended::Limit(stop)) => match seen {
            // What was seen of executions without a bound is no part of them.
            Some((_, longest, calls)) if longest > MANY * calls.max(1) => {
                let few = match request.settings.model {
                    Model::Sc => ", or interleavings with few preemptions,",
                    Model::C11 => "",
                };
                let why = format!(
                    "{stop}; executions with up to {longest} steps were seen: where every try of a loop writes there may be \
                     longer ones without end, and a bound on steps{few} leaves the short ones"
                );
                (Cause::Limit(stop), why)
            }
            Some((done, ..)) => {
                (Cause::Limit(stop), format!("{stop}; about {} of the executions were seen", part(done)))
            }
            None => (Cause::Limit(stop), stop.to_string()),
        },
        Some(Ended::Unsupported(why) | Ended::Player(why)) => (Cause::Unplayable, why),
        Some(Ended::Differs(what)) => (
            Cause::Differs,
            format!(
                "the same schedule gave different runs ({what}): the code depends on something that the player does not control"
            ),
        ),
    };
    Some(Doubt::new(cause, why))
}

/// A part of a whole, as a percentage.
fn part(of_all: f64) -> String {
    match of_all * 100.0 {
        percent if percent < 1.0 => "less than 1 %".into(),
        percent => format!("{} %", percent as u64),
    }
}
