//! A shortest trace that the specification lacks, and a run of the implementation that shows it.
//!
//! Invariant: pairs are expanded by number of visible labels, silent steps first, and a pair is
//! left out only for one found no later with fewer specification states; so the first trace that
//! the specification lacks is a shortest one.

use super::RunStep;
use super::antichain::Antichain;
use super::rows;
use super::specification::{NONE, Specification};
use crate::failure::{NoAnswer, Unconfirmed};
use crate::fetch::BATCH;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

/// A pair that was reached, and how.
#[derive(Clone, Copy)]
struct Pair {
    state: StateId,
    set: u32,
    parent: u32,
    label: LabelId,
}

/// A visible step of a pair, put off until all silent ones of its layer are done.
#[derive(Clone, Copy)]
struct Show {
    pair: u32,
    set: u32,
    step: Move,
}

struct Search<'a> {
    implementation: &'a Lts,
    spec: &'a mut Specification,
    pairs: Vec<Pair>,
    shows: Vec<Show>,
    antichain: Antichain,
}

/// A run of `implementation` with a shortest trace that `spec` lacks; there is one.
pub(super) fn shortest(
    implementation: &Lts,
    spec: &mut Specification,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Vec<RunStep>, NoAnswer> {
    let antichain = Antichain::new(implementation.states());
    let search = Search { implementation, spec, pairs: Vec::new(), shows: Vec::new(), antichain };
    let run = search.run(meter, observer)?;
    run.ok_or_else(|| Unconfirmed { what: "two searches disagree about inclusion".into() }.into())
}

impl Search<'_> {
    fn bytes(&self) -> u64 {
        let kept = (self.pairs.capacity() + self.shows.capacity()) as u64 * 16;
        self.implementation.bytes() + self.spec.bytes() + self.antichain.bytes() + kept
    }

    fn run(mut self, meter: &Meter, observer: &mut dyn Observer) -> Result<Option<Vec<RunStep>>, Stop> {
        let mut watch =
            StageWatch::new(meter, observer, "looking for a shortest difference", None, self.bytes())?;
        let (state, set) = (self.implementation.initial(), self.spec.initial());
        self.push(Pair { state, set, parent: NONE, label: LabelId::TAU })?;
        let mut at = 0;
        while at < self.pairs.len() {
            while at < self.pairs.len() {
                let done = self.silent_steps(at)?;
                at += done;
                watch.work(done as u64, || self.bytes())?;
            }
            let shows = std::mem::take(&mut self.shows);
            for some in shows.chunks(BATCH) {
                self.antichain.fetch(some.iter().map(|show| show.step.target()));
                for show in some {
                    let (state, label) = (show.step.target(), show.step.label());
                    let Some(set) = self.spec.after(show.set, label)? else {
                        return Ok(Some(self.run_to(show.pair, show.step)));
                    };
                    self.push(Pair { state, set, parent: show.pair, label })?;
                }
                watch.work(some.len() as u64, || self.bytes())?;
            }
            self.shows = shows;
            self.shows.clear();
        }
        Ok(None)
    }

    /// Expands a few pairs from `at` on: follows their silent steps and puts off the others. Says
    /// how many.
    fn silent_steps(&mut self, at: usize) -> Result<usize, Stop> {
        let some = self.pairs[at..].iter().take(BATCH);
        let done = some.len();
        let rows = rows(self.implementation, some.map(|pair| pair.state));
        for row in &rows[..done] {
            // State 0 stands for what need not be fetched: a branch would often go astray.
            self.antichain.fetch(row.iter().map(|m| StateId(m.target().0 * u32::from(m.is_tau()))));
        }
        for (i, row) in rows[..done].iter().enumerate() {
            let pair = self.pairs[at + i];
            let parent = (at + i) as u32;
            for &step in *row {
                if step.is_tau() {
                    self.push(Pair { state: step.target(), parent, label: LabelId::TAU, ..pair })?;
                } else {
                    self.shows.push(Show { pair: parent, set: pair.set, step });
                }
            }
        }
        Ok(done)
    }

    /// Keeps a pair unless one with fewer specification states is there.
    fn push(&mut self, pair: Pair) -> Result<(), Stop> {
        if self.antichain.insert(pair.state, pair.set, self.spec.sets())? {
            if self.pairs.len() == NONE as usize {
                return Err(Stop::Memory);
            }
            self.pairs.push(pair);
        }
        Ok(())
    }

    fn run_to(&self, pair: u32, last: Move) -> Vec<RunStep> {
        let mut at = self.pairs[pair as usize];
        let mut run = vec![RunStep { source: at.state, label: last.label(), target: last.target() }];
        while at.parent != NONE {
            let before = self.pairs[at.parent as usize];
            run.push(RunStep { source: before.state, label: at.label, target: at.state });
            at = before;
        }
        run.reverse();
        run
    }
}
