//! Breadth-first search of the product.
//!
//! On-the-fly refinement checking (Roscoe 1994; Liu et al., IEEE TSE 2013, algorithm 4.1), in layers instead of
//! depth first: nodes are numbered in the order in which they are found, and that is the order in which they are
//! expanded, so no queue is kept. Invariant: every node below `next` is expanded, its parent is below itself.
//! Cost: one execution per transition, 12 bytes per node beside the states. Claim: exact. Oracle: `naive`.

use crate::minimise::minimise;
use crate::monitor::Halt;
use crate::outcome::{Counterexample, DeadEnds, MEMORY_MODEL, Method, Outcome, Verdict, Why};
use crate::path;
use crate::product::{Pair, Product, ProductTarget};
use crate::walk::{Walk, walk};
use trueline_base::verdict::Finding;
use trueline_base::{Interner, Limits, Observer, Stop, Violation, Watch, ids};
use trueline_lang::ir::{Machine, Schedule};
use trueline_lang::question::Question;
use trueline_space::MAX_THREADS;

/// Decides a question about a machine.
pub fn check(
    machine: &Machine,
    question: &Question,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    run(machine, question, limits, observer, true)
}

/// The same, content with the first counterexample that is found: where only the answer matters.
pub fn decide(
    machine: &Machine,
    question: &Question,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    run(machine, question, limits, observer, false)
}

fn run(
    machine: &Machine,
    question: &Question,
    limits: &Limits,
    observer: &mut dyn Observer,
    minimal: bool,
) -> Outcome {
    let mut product = Product::new(machine, question, limits);
    match question {
        Question::Unavailable => return Search::default().outcome(product, SearchEnd::Unavailable),
        Question::Progress { .. } | Question::Equivalent { .. } => {
            let mut outcome = Search::default().outcome(product, SearchEnd::Unavailable);
            let why =
                format!("the plain engine, which alone takes over {MAX_THREADS} threads, knows no cycles");
            outcome.verdict = Verdict::Unknown(Why::Refused(why));
            return outcome;
        }
        _ => {}
    }
    let mut search = Search { minimal, ..Search::default() };
    let end = search.run(&mut product, observer);
    search.outcome(product, end)
}

ids! {
    /// A pair, by the order in which they are found.
    struct PairId;
}

/// The nodes found so far.
#[derive(Default)]
pub(crate) struct Search {
    nodes: Interner<Pair, PairId>,
    /// From which node each was found.
    parents: Vec<PairId>,
    /// How many are expanded.
    next: usize,
    /// The layer that is being expanded.
    depth: u64,
    /// The first finding met, with the node before it.
    finding: Option<(PairId, u8, Finding)>,
    /// The first dead end.
    dead_end: Option<PairId>,
    /// Whether a smallest counterexample is wanted.
    minimal: bool,
}

/// What makes different states one: addresses are renumbered and garbage is dropped, dead slots are cleared.
const REDUCTIONS: [&str; 2] = ["heap", "dead locals"];

/// No node: at the beginning.
const ROOT: PairId = PairId(u32::MAX);

enum SearchEnd {
    Complete,
    /// The move out of this node violates the property.
    Violation(PairId, Violation),
    Halt(Halt),
    /// The question is none that this engine decides.
    Unavailable,
}

/// Nodes settled at most in the search of a smallest counterexample: this many, or so many for each node of the search
/// that found a violation.
const BOUND: u64 = 500_000;
const FACTOR: u64 = 8;

impl From<Stop> for SearchEnd {
    fn from(stop: Stop) -> SearchEnd {
        SearchEnd::Halt(Halt::Stop(stop))
    }
}

/// A search under way.
struct Layers<'s, 'p, 'm> {
    search: &'s mut Search,
    product: &'p mut Product<'m>,
    threads: Vec<usize>,
    layer_end: usize,
}

impl Walk for Layers<'_, '_, '_> {
    type Halt = SearchEnd;

    fn found(&self) -> usize {
        self.search.nodes.len()
    }

    fn bytes(&self) -> u64 {
        self.search.bytes(self.product)
    }

    fn layer(&mut self, node: u32) -> u64 {
        if node as usize == self.layer_end {
            self.search.depth += 1;
            self.product.judge.layer = self.search.depth;
            self.layer_end = self.search.nodes.len();
        }
        self.search.depth
    }

    fn expand(&mut self, node: u32) -> Result<(), SearchEnd> {
        let Layers { search, product, threads, .. } = self;
        let node = PairId(node);
        let pair = *search.nodes.get(node);
        let mut violation = None;
        let dead_ends = product.dead_ends.states;
        let moved = product.moves(pair, threads, &mut |_, _, target| {
            if violation.is_none() {
                violation = search.reach(target, node);
            }
        });
        if let Some(violation) = violation {
            return Err(SearchEnd::Violation(node, violation));
        }
        moved.map_err(SearchEnd::Halt)?;
        if product.dead_ends.states > dead_ends {
            search.dead_end = search.dead_end.or(Some(node));
        }
        search.next += 1;
        Ok(())
    }
}

impl Search {
    fn run(&mut self, product: &mut Product<'_>, observer: &mut dyn Observer) -> SearchEnd {
        let starts = product.explorer.starts();
        if let Err(stop) = product.explorer.goes_on() {
            return SearchEnd::Halt(Halt::Stop(stop));
        }
        let mut watch = Watch::new(&product.judge.meter);
        for start in starts {
            if !watch.goes_on(|| product.judge.bytes()) {
                break;
            }
            match product.judge.begin(&start.state) {
                Ok(target) => {
                    if let Some(violation) = self.reach(target, ROOT) {
                        return SearchEnd::Violation(ROOT, violation);
                    }
                }
                Err(halt) => return SearchEnd::Halt(halt),
            }
        }
        if let Some(stop) = watch.stopped() {
            return SearchEnd::Halt(Halt::Stop(stop));
        }
        let threads = (0..product.explorer.machine.threads.len()).collect();
        let (layer_end, meter) = (self.nodes.len(), product.judge.meter.clone());
        let mut layers = Layers { search: self, product, threads, layer_end };
        walk(&mut layers, &meter, observer).err().unwrap_or(SearchEnd::Complete)
    }

    /// Adds a node where it is new; gives the violation where there is one.
    fn reach(&mut self, target: ProductTarget, parent: PairId) -> Option<Violation> {
        match target {
            ProductTarget::Violation(violation) => return Some(violation),
            ProductTarget::Finding { thread, finding } => {
                self.finding = self.finding.or(Some((parent, thread, finding)));
            }
            ProductTarget::Pair(pair) => {
                if self.nodes.insert(pair, |_| 0).1 {
                    self.parents.push(parent);
                }
            }
        }
        None
    }

    fn bytes(&self, product: &Product<'_>) -> u64 {
        let parents = self.parents.capacity() * std::mem::size_of::<PairId>();
        self.nodes.bytes() + parents as u64 + product.bytes()
    }

    /// The pairs on the way to a node, from the beginning.
    fn way(&self, mut node: PairId) -> Vec<Pair> {
        let mut way = Vec::new();
        while node != ROOT {
            way.push(*self.nodes.get(node));
            node = self.parents[node.0 as usize];
        }
        way.reverse();
        way
    }

    fn outcome(self, mut product: Product<'_>, end: SearchEnd) -> Outcome {
        let transitions = product.judge.transitions;
        let bytes = self.bytes(&product);
        let coverage = product.explorer.coverage.clone();
        let dead_ends = self.dead_ends(&mut product);
        let method = Method {
            engine: "plain",
            memory_model: MEMORY_MODEL,
            reductions: REDUCTIONS.to_vec(),
            storage: "exact",
            off: Vec::new(),
        };
        let mut growing = Vec::new();
        let verdict = match end {
            SearchEnd::Violation(node, violation) => {
                Verdict::Fails(self.counterexample(&mut product, node, violation))
            }
            SearchEnd::Halt(Halt::Stop(stop)) => {
                growing = product.judge.growth.growing(self.depth);
                Verdict::Unknown(Why::Stopped(stop))
            }
            SearchEnd::Halt(Halt::Specification { op, finding }) => {
                Verdict::Unknown(Why::SpecificationFinding { op, finding })
            }
            SearchEnd::Unavailable => Verdict::Unknown(Why::Unavailable),
            SearchEnd::Complete => match self.finding {
                None => Verdict::Holds(()),
                Some((node, thread, finding)) => {
                    let last = ProductTarget::Finding { thread, finding };
                    let schedule = self.schedule(&mut product, node, last);
                    Verdict::Unknown(Why::Finding { finding, thread, schedule })
                }
            },
        };
        Outcome {
            verdict,
            states: self.nodes.len() as u64,
            specification: product.judge.sets(),
            transitions,
            depth: self.depth,
            frontier: (self.nodes.len() - self.next) as u64,
            bytes,
            coverage,
            dead_ends,
            growing,
            assumed: product.explorer.assumed,
            method,
            difference: None,
        }
    }

    fn counterexample(
        &self,
        product: &mut Product<'_>,
        node: PairId,
        violation: Violation,
    ) -> Counterexample {
        let sought = (node != ROOT && self.minimal)
            .then(|| minimise(product, BOUND.max(FACTOR * self.nodes.len() as u64)));
        let cut = sought.as_ref().and_then(|sought| sought.cut);
        if let Some(smallest) = sought.and_then(|sought| sought.found) {
            let last = ProductTarget::Violation(smallest.violation);
            let schedule = path::schedule(product, &smallest.way, last, Some(&smallest.movers));
            let (evidence, violation) = (schedule.into(), smallest.violation);
            return Counterexample { evidence, violation, minimal: cut.is_none(), cut };
        }
        let schedule = self.schedule(product, node, ProductTarget::Violation(violation));
        Counterexample { evidence: schedule.into(), violation, minimal: node == ROOT, cut }
    }

    /// What the search has seen of dead ends, with a shortest way into one.
    fn dead_ends(&self, product: &mut Product<'_>) -> DeadEnds {
        product.searching = false;
        let mut dead_ends = std::mem::take(&mut product.dead_ends);
        dead_ends.shortest = self.dead_end.map(|node| {
            let way = self.way(node);
            let (last, before) = way.split_last().expect("a node is on its own way");
            path::schedule(product, before, ProductTarget::Pair(*last), None)
        });
        dead_ends
    }

    fn schedule(&self, product: &mut Product<'_>, node: PairId, last: ProductTarget) -> Schedule {
        path::schedule(product, &self.way(node), last, None)
    }
}
