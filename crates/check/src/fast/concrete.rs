//! From the states on a way to the moves that lead along it.
//!
//! Nodes have forgotten addresses, and under symmetry which thread is which. The way is executed again from the
//! beginning on states that are never renumbered or exchanged: in each of them the move is taken whose canonical form
//! is the next node. Since an exchange of threads is an automorphism, there is always one. Where structs in limbo look
//! alike, a node may stand for fewer states than are symmetric to it: then all images of a state are looked at.

use super::beside::Beside;
use super::moves::Made;
use super::steps::{BROKEN, LOST, Steps, finding};
use crate::machine::Enabled;
use crate::machine::state::{Phase, State};
use crate::monitor::{Halt, SetId};
use trueline_base::Violation;
use trueline_lang::ir::{Action, Choice, Evidence, Move, OpId, Schedule};
use trueline_space::{After, End, Model, Monitor, Node, Space};

/// A space of steps.
pub(super) type Fast<'m> = Space<Steps<'m>, Beside<'m>>;

/// The schedule along a way, and what it ends in; with `movers`, these threads make the moves. Without `last`, the
/// last node itself is what is wrong.
pub(super) fn schedule(
    space: &mut Fast<'_>,
    way: &[Node],
    last: Option<End>,
    movers: Option<&[u8]>,
) -> Result<(Schedule, Option<Violation>), Halt> {
    let (schedule, _, violation) = execute(space, way, last, movers)?;
    Ok((schedule, violation))
}

/// The schedule along a way to a dead end. Threads that are between two operations there call one that waits.
pub(super) fn into_dead_end(space: &mut Fast<'_>, way: &[Node]) -> Result<Schedule, Halt> {
    let (mut schedule, mut state, _) = execute(space, way, None, None)?;
    for t in 0..space.model.threads() {
        if state.threads[t].phase == Phase::Idle
            && let Some((action, called)) = call_that_waits(space, &state, t, None)
        {
            schedule.moves.push(Move { thread: t as u8, action });
            state = called;
        }
    }
    Ok(schedule)
}

/// The schedule along a way to a state in which a thread waits inside an operation, or can call one that does: which,
/// of those that are allowed. Only this operation counts, if one is given.
pub(super) fn into_wait(
    space: &mut Fast<'_>,
    way: &[Node],
    allowed: &dyn Fn(u8) -> bool,
    only: Option<OpId>,
) -> Result<Option<(Schedule, u8)>, Halt> {
    let (mut schedule, state, _) = execute(space, way, None, None)?;
    for t in (0..space.model.threads()).filter(|t| allowed(*t as u8)) {
        if state.threads[t].phase == Phase::Idle {
            if let Some((action, _)) = call_that_waits(space, &state, t, only) {
                schedule.moves.push(Move { thread: t as u8, action });
                return Ok(Some((schedule, t as u8)));
            }
        } else if let Enabled::Blocked(op, _) = space.model.explorer.moves(&state, t, &mut |_| {})
            && only.is_none_or(|only| only == op)
        {
            return Ok(Some((schedule, t as u8)));
        }
    }
    Ok(None)
}

/// A call of an idle thread after which it waits.
fn call_that_waits(
    space: &mut Fast<'_>,
    state: &State,
    t: usize,
    only: Option<OpId>,
) -> Option<(Action, State)> {
    let mut calls = Vec::new();
    space.model.explorer.moves(state, t, &mut |edge| {
        let action = edge.action();
        if let Ok(to) = edge.target {
            calls.push((action, std::mem::take(to)));
        }
    });
    calls.into_iter().find(|(_, called)| match space.model.explorer.moves(called, t, &mut |_| {}) {
        Enabled::Blocked(op, _) => only.is_none_or(|only| only == op),
        _ => false,
    })
}

/// Rounds after which threads stand where they stood, at most: exchanges of few threads have small orders.
const ROUNDS: usize = 64;

/// The moves along a way and then round a cycle that begins and ends in its last node, for ever. Nodes have forgotten which
/// thread is which, so the cycle is gone round until every thread stands where it stood before. `may` says which threads
/// may make a move of the cycle: where threads are not exchanged, it matters who does.
pub(super) fn lasso(
    space: &mut Fast<'_>,
    way: &[Node],
    cycle: &[Node],
    may: &dyn Fn(usize, u8) -> bool,
) -> Result<Evidence, Halt> {
    let (schedule, mut state, _) = execute(space, way, None, None)?;
    let (init, mut moves) = (schedule.init, schedule.moves);
    let mut beside = way.last().expect("a way has a beginning").beside;
    let mut rounds: Vec<(Node, usize)> = Vec::new();
    for _ in 0..ROUNDS {
        let (global, locals) = space.model.shared_parts(&state).expect("nothing is lost on a cycle");
        let here = space.place(&global, &locals, 0);
        if let Some((_, from)) = rounds.iter().find(|(known, _)| *known == here) {
            let cycle = moves.split_off(*from);
            return Ok(Evidence { prefix: Schedule { init, moves }, cycle });
        }
        rounds.push((here, moves.len()));
        for (at, node) in cycle.iter().enumerate() {
            let may = |t: usize| may(at, t as u8);
            let made = advance(space, &state, beside, &may, &Wanted::Node(*node))?;
            space.model.explorer.goes_on()?;
            let (thread, (one, next)) = made.expect("the cycle can be executed again");
            moves.extend(one.actions.into_iter().map(|action| Move { thread, action }));
            let (Next::At(after), Ok(to)) = (next, one.to) else { unreachable!("a state is wanted") };
            (beside, state) = (after, to);
        }
    }
    panic!("a cycle closes after some rounds")
}

type Executed = (Schedule, State, Option<Violation>);

fn execute(
    space: &mut Fast<'_>,
    way: &[Node],
    last: Option<End>,
    movers: Option<&[u8]>,
) -> Result<Executed, Halt> {
    let (mut state, init) = match way.first() {
        Some(first) => begin(space, *first)?,
        None => {
            let (schedule, end) = beginning(space, last.expect("a way without states ends at once"));
            return Ok((schedule, State::default(), end));
        }
    };
    let mut beside = space.beside.initial()?.0;
    let mut moves = Vec::new();
    for at in 1..=way.len() {
        let wanted = match (way.get(at), last) {
            (Some(node), _) => Wanted::Node(*node),
            (None, Some(end)) => Wanted::End(end),
            (None, None) => break,
        };
        let mover = movers.map(|movers| movers[at - 1] as usize);
        let may = |t: usize| mover.is_none_or(|mover| mover == t);
        let made = advance(space, &state, beside, &may, &wanted)?;
        space.model.explorer.goes_on()?;
        let (thread, (one, next)) = made.expect("the way can be executed again");
        moves.extend(one.actions.into_iter().map(|action| Move { thread, action }));
        match (next, one.to) {
            (Next::At(after), Ok(to)) => (beside, state) = (after, to),
            (Next::Ended(violation), _) => return Ok((Schedule { init, moves }, state, Some(violation))),
            (Next::At(_), Err(_)) => unreachable!("a state is wanted"),
        }
    }
    Ok((Schedule { init, moves }, state, None))
}

enum Wanted {
    Node(Node),
    End(End),
}

enum Next {
    At(u32),
    Ended(Violation),
}

fn begin(space: &mut Fast<'_>, first: Node) -> Result<(State, Vec<Choice>), Halt> {
    let beside = space.beside.initial()?.0;
    let starts = space.model.beginnings();
    space.model.explorer.goes_on()?;
    for start in starts {
        let Ok(state) = start.state else { continue };
        let Some((global, locals)) = space.model.parts(&state) else { continue };
        let node = space.place(&global, &locals, beside);
        if space.canonical(node)? == first {
            return Ok((state, start.choices));
        }
    }
    panic!("the way begins in no initial state")
}

fn beginning(space: &mut Fast<'_>, end: End) -> (Schedule, Option<Violation>) {
    let End::Model(code) = end else { unreachable!("a monitor has seen nothing yet") };
    for start in space.model.explorer.starts() {
        if code == LOST {
            let lost = start.state.as_ref().is_ok_and(|state| space.model.parts(state).is_none());
            if lost {
                return (Schedule { init: start.choices, moves: Vec::new() }, Some(Violation::Leak));
            }
            continue;
        }
        let wanted = finding(code);
        if let Err(found) = start.state
            && found == wanted
        {
            let violation = Violation::Finding { thread: found.0, finding: found.1 };
            return (Schedule { init: start.choices, moves: Vec::new() }, Some(violation));
        }
    }
    panic!("no beginning ends so")
}

/// A move, and where it leads.
type Advanced = (Made, Next);

/// A move of one of the threads that may make one, which leads where it should.
fn advance(
    space: &mut Fast<'_>,
    from: &State,
    beside: u32,
    may: &dyn Fn(usize) -> bool,
    wanted: &Wanted,
) -> Result<Option<(u8, Advanced)>, Halt> {
    for images in [false, true] {
        for t in (0..space.model.threads()).filter(|t| may(*t)) {
            if let Some(found) = advance_thread(space, from, beside, t, wanted, images)? {
                return Ok(Some((t as u8, found)));
            }
        }
    }
    Ok(None)
}

fn advance_thread(
    space: &mut Fast<'_>,
    from: &State,
    beside: u32,
    t: usize,
    wanted: &Wanted,
    images: bool,
) -> Result<Option<Advanced>, Halt> {
    for made in space.model.moves_in(from, t) {
        let letter = space.model.letters.number(&made.seen);
        let next = match (&made.to, wanted) {
            (Err(found), Wanted::End(End::Model(code)))
                if ![BROKEN, LOST].contains(code) && finding(*code).1 == *found =>
            {
                Some(Next::Ended(Violation::Finding { thread: t as u8, finding: *found }))
            }
            (Err(_), _) => None,
            (Ok(to), wanted) => match (space.after(beside, t, letter)?, wanted) {
                (After::At(after), Wanted::Node(node)) => {
                    let there =
                        if images { has_image(space, to, after, node) } else { is(space, to, after, node)? };
                    there.then_some(Next::At(after))
                }
                (After::At(_), Wanted::End(End::Model(LOST))) => {
                    space.model.parts(to).is_none().then_some(Next::Ended(Violation::Leak))
                }
                (After::Violation(code), Wanted::End(End::Monitor(wanted))) if code == *wanted => {
                    Some(Next::Ended(space.beside.violation(code)))
                }
                _ => None,
            },
        };
        if let Some(next) = next {
            return Ok(Some((made, next)));
        }
    }
    Ok(None)
}

/// Whether a node stands for a state.
fn is(space: &mut Fast<'_>, state: &State, beside: u32, node: &Node) -> Result<bool, Halt> {
    let Some((global, locals)) = space.model.parts(state) else { return Ok(false) };
    let reached = space.place(&global, &locals, beside);
    Ok(space.canonical(reached)? == *node)
}

/// Whether a node is an image of a state.
fn has_image(space: &mut Fast<'_>, state: &State, beside: u32, node: &Node) -> bool {
    for (by, (global, locals)) in space.model.images(state) {
        let beside = space.beside.permute(SetId(beside), &by[..space.model.names()]).0;
        if space.place(&global, &locals, beside) == *node {
            return true;
        }
    }
    false
}
