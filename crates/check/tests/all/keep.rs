//! Searches that are stopped and go on: what they find in the end is what they find at once.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use trueline_base::storage::Kept;
use trueline_base::{Checkpoints, Limits, Silent};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Off, Outcome, Verdict, Why};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

/// Keeps searches in memory.
#[derive(Debug, Default)]
struct Shelf {
    kept: Mutex<HashMap<String, Vec<u8>>>,
    /// Whether every moment is one to keep searches that go on.
    always: bool,
    saved: Mutex<u32>,
}

impl Checkpoints for Shelf {
    fn load(&self, name: &str) -> io::Result<Option<Box<dyn Read>>> {
        let kept = self.kept.lock().expect("no panic").get(name).cloned();
        Ok(kept.map(|bytes| Box::new(io::Cursor::new(bytes)) as Box<dyn Read>))
    }

    fn save(&self, name: &str, write: Kept<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes as &mut dyn Write)?;
        self.kept.lock().expect("no panic").insert(name.into(), bytes);
        *self.saved.lock().expect("no panic") += 1;
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.kept.lock().expect("no panic").remove(name);
        Ok(())
    }

    fn due(&self) -> bool {
        self.always
    }
}

/// All that an outcome says, but for how much memory it took and how many sets were met on the way to least ones, which
/// depends on what was asked first.
fn gist(outcome: &Outcome) -> String {
    let verdict = match &outcome.verdict {
        // How much was seen when it was found depends on how many states were expanded together.
        Verdict::Fails(found) => return format!("fails, {:?}", found.violation),
        Verdict::Unknown(Why::Finding { finding, .. }) => format!("ends early: {finding:?}"),
        verdict => format!("{verdict:?}"),
    };
    let counts = (outcome.states, outcome.transitions, outcome.depth, outcome.frontier);
    let dead_ends = (outcome.dead_ends.states, &outcome.dead_ends.places, outcome.dead_ends.finished);
    format!("{verdict} {counts:?} {dead_ends:?} {:?} {}", outcome.coverage, outcome.assumed)
}

/// Stops a search again and again, each time after some more states; says how often, and whether it had to begin anew
/// with fewer reductions.
fn in_pieces(what: &str, machine: &Machine, question: &Question) -> (u32, bool) {
    let decide = |states: Option<u64>, shelf: &Option<Arc<Shelf>>, jobs| {
        let checkpoints = shelf.clone().map(|shelf| shelf as Arc<dyn Checkpoints>);
        let limits = Limits { states, checkpoints, jobs, ..Limits::default() };
        fast::decide(machine, question, Reductions::ALL, &limits, &mut Silent)
    };
    let limits = Limits { states: Some(15_000), ..Limits::default() };
    let bounded = fast::decide(machine, question, Reductions::ALL, &limits, &mut Silent);
    if matches!(bounded.verdict, Verdict::Unknown(Why::Stopped(_))) {
        return (0, false);
    }
    let whole = decide(None, &None, 1);
    let shelf = Some(Arc::new(Shelf::default()));
    let mut stops = 0;
    let mut states = whole.states / 4 + 1;
    let last = loop {
        let outcome = decide(Some(states), &shelf, 1 + stops as usize % 2);
        if !matches!(outcome.verdict, Verdict::Unknown(Why::Stopped(_))) {
            break outcome;
        }
        stops += 1;
        states += whole.states / 4 + 1;
    };
    assert_eq!(gist(&last), gist(&whole), "{what}, stopped {stops} times");
    let left = shelf.as_ref().map(|shelf| shelf.kept.lock().expect("no panic").len());
    assert_eq!(left, Some(0), "{what}: what is decided is not kept");
    let always = Arc::new(Shelf { always: true, ..Shelf::default() });
    let paused = decide(None, &Some(always.clone()), 1);
    assert_eq!(gist(&paused), gist(&whole), "{what}, kept again and again");
    assert!(*always.saved.lock().expect("no panic") > 0, "{what}");
    let anew = whole.method.off.iter().any(|(_, why)| matches!(why, Off::Met(_)));
    (stops, anew && stops > 0)
}

#[test]
fn what_is_stopped_goes_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut stops, mut asked, mut anew) = (0, 0, 0);
    for file in [
        "queue/ms_queue.tl",
        "queue/herlihy_wing.tl",
        "queue/ms_queue_reuse.tl",
        "stack/treiber_hp.tl",
        "lock/mcs.tl",
        "lock/semaphore.tl",
        "register/k_register.tl",
        "counter/combining.tl",
        "relaxed/quasi_queue.tl",
        "set/lazy_list.tl",
        "cas/ccas.tl",
        "elimination/simple_elimination.tl",
    ] {
        let text = std::fs::read_to_string(root.join(file)).expect("it is shipped");
        let model = Model::load(text, &mut |_, wanted| {
            let found = root.join(file).with_file_name(wanted);
            Ok((wanted.to_string(), std::fs::read_to_string(found).map_err(|e| e.to_string())?))
        });
        for check in 0..model.checks() {
            let task = model.instantiate(check, &Overrides::default()).expect("it is well formed");
            for one in &task.asked {
                let equivalent = matches!(one.question, Question::Equivalent { .. } | Question::Unavailable);
                if !equivalent {
                    asked += 1;
                    let what = format!("{file} {check} {}", one.name);
                    let (stopped, begun_anew) = in_pieces(&what, &task.machine, &one.question);
                    stops += stopped;
                    anew += begun_anew as u32;
                }
            }
        }
    }
    assert!(asked > 50 && stops > 100, "{asked} questions, stopped {stops} times");
    assert!(anew > 0, "some searches begin anew without copies");
}

#[test]
fn what_does_not_fit_is_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/counter/counter.tl");
    let model =
        Model::load(std::fs::read_to_string(path).expect("it is shipped"), &mut |_, _| Err("".into()));
    let task = model.instantiate(0, &Overrides::default()).expect("it is well formed");
    let question = &task.asked[0].question;
    let shelf = Arc::new(Shelf::default());
    let limits = |states| {
        let checkpoints: Option<Arc<dyn Checkpoints>> = Some(shelf.clone());
        Limits { states, checkpoints, ..Limits::default() }
    };
    let decide =
        |limits: &Limits| fast::decide(&task.machine, question, Reductions::ALL, limits, &mut Silent).verdict;
    assert!(matches!(decide(&limits(Some(3))), Verdict::Unknown(Why::Stopped(_))));
    let (name, whole) = {
        let kept = shelf.kept.lock().expect("no panic");
        let (name, bytes) = kept.iter().next().expect("it was kept");
        (name.clone(), bytes.clone())
    };
    let put = |bytes: &[u8]| shelf.kept.lock().expect("no panic").insert(name.clone(), bytes.to_vec());
    for len in (0..whole.len()).step_by(7) {
        put(&whole[..len]);
        let verdict = decide(&limits(None));
        assert!(matches!(&verdict, Verdict::Unknown(Why::Refused(_))), "{len} bytes: {verdict:?}");
    }
    put(&whole);
    assert_eq!(decide(&limits(None)), Verdict::Holds(()));
}
