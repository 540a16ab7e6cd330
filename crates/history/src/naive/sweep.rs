//! All small histories, and random larger ones, of every specification under every condition: engines against the
//! definitions.

use std::collections::BTreeSet;
use std::fmt;

use trueline_base::{Limits, Meter};

use super::across_quiet_moments;
use super::compare::{self, Agreed};
use super::kinds::{Each, every_specification};
use super::small::{Kinds, processes, shapes};
use crate::datum::Datum;
use crate::generate::Random;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{Register, RegisterOp, Spec};

/// The condition that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Linearizability.
    Linearizable,
    /// Quiescent consistency.
    Quiescent,
    /// Sequential consistency.
    Sequential,
    /// Quasi-linearizability with the factors 0, 1 and 2.
    Quasi,
    /// Regularity, of registers.
    Regular,
}

/// Every condition.
pub const ASKS: [Ask; 5] = [Ask::Linearizable, Ask::Quiescent, Ask::Sequential, Ask::Quasi, Ask::Regular];

/// What a sweep looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The specification.
    pub spec: String,
    /// The condition.
    pub ask: Ask,
    /// Histories, with the factors where there are several.
    pub histories: u64,
    /// Those that the condition holds of.
    pub hold: u64,
    /// Those that a monitor decided.
    pub monitored: u64,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { spec, ask, histories, hold, monitored } = self;
        write!(f, "| {spec} | {} | {histories} | {hold} | {monitored} |", format!("{ask:?}").to_lowercase())
    }
}

/// Generic in who receives the counts, so that it is compiled for whoever asks and not for everybody.
struct Sweep<'a, D> {
    ask: Ask,
    meter: Meter,
    /// Where histories come from.
    source: Source,
    wanted: &'a dyn Fn(&str) -> bool,
    done: &'a mut D,
    wrong: Option<String>,
}

enum Source {
    /// Every history of up to so many operations.
    All(usize),
    /// So many random ones per specification, of up to so many operations.
    Random(u64, usize, Random),
}

impl<D: FnMut(Count)> Sweep<'_, D> {
    fn one<S: Spec>(&mut self, spec: &S, ops: &[(S::Op, Interval)], process: &[i64], count: &mut Count) {
        if self.wrong.is_some() {
            return;
        }
        let factors = if self.ask == Ask::Quasi { 0..3 } else { 0..1 };
        for factor in factors {
            let agreed: Agreed = match self.ask {
                Ask::Linearizable => compare::on_linearizable(spec, ops, &self.meter),
                Ask::Quiescent => compare::on_quiescent(spec, ops, &self.meter),
                Ask::Sequential => compare::on_sequential(spec, ops, process, &self.meter),
                Ask::Quasi => compare::on_quasi(spec, ops, factor, &self.meter),
                Ask::Regular => compare::on_regular(&Datum::Nil, &as_register(spec, ops)),
            };
            match agreed {
                Ok((holds, monitored)) => {
                    count.histories += 1;
                    count.hold += u64::from(holds);
                    count.monitored += u64::from(monitored);
                }
                Err(what) => {
                    let name = &count.spec;
                    self.wrong =
                        Some(format!("{name}, {:?} {factor}: {what}: {ops:?} {process:?}", self.ask));
                }
            }
        }
    }

    /// The shapes that differ under the condition. For quiescent consistency only quiet moments count; that the
    /// spans of the engines keep exactly those is tested for every shape.
    fn shapes(&self, n: usize) -> Vec<Vec<Interval>> {
        let mut all = shapes(n);
        if self.ask == Ask::Quiescent {
            let mut seen = BTreeSet::new();
            let pending = |s: &Vec<Interval>| s.iter().map(|o| o.ret == NEVER).collect::<Vec<_>>();
            all.retain(|s| seen.insert((pending(s), across_quiet_moments(s))));
        }
        all
    }

    fn all<S: Spec>(&mut self, spec: &S, kinds: &Kinds<'_, S::Op>, most: usize, count: &mut Count) {
        for n in 0..=most {
            if self.ask != Ask::Sequential {
                for shape in self.shapes(n) {
                    kinds.fill(&shape, &mut |ops| self.one(spec, ops, &[], count));
                }
                continue;
            }
            for process in processes(n) {
                let last = |i: usize| !process[i + 1..].contains(&process[i]);
                // Real time does not count: the operations follow each other, and some do not return.
                for pending in 0..1u32 << n {
                    if (0..n).all(|i| pending >> i & 1 == 0 || last(i)) {
                        let span = |i: u32| Interval { call: 2 * i, ret: 2 * i + 1 };
                        let open = |i: u32| Interval { call: 2 * i, ret: NEVER };
                        let one = |i| if pending >> i & 1 == 1 { open(i) } else { span(i) };
                        let shape: Vec<Interval> = (0..n as u32).map(one).collect();
                        kinds.fill(&shape, &mut |ops| self.one(spec, ops, &process, count));
                    }
                }
            }
        }
    }

    fn some<S: Spec>(&mut self, spec: &S, kinds: &Kinds<'_, S::Op>, count: &mut Count) {
        let Source::Random(cases, most, random) = &mut self.source else { return };
        let (cases, most, mut random) = (*cases, *most, random.clone());
        for _ in 0..cases {
            let n = 1 + random.below(most);
            let open = 1 + random.below(3);
            let spans = if self.ask == Ask::Sequential {
                in_a_row(&mut random, n)
            } else {
                spans(&mut random, n, open)
            };
            let mut process: Vec<i64> = Vec::new();
            for i in 0..n {
                // Nothing follows a pending operation of a process.
                let free = |p: &i64| (0..i).all(|j| process[j] != *p || spans[j].ret != NEVER);
                let p = (0..3).map(|_| random.below(3) as i64).find(free).unwrap_or(3 + i as i64);
                process.push(p);
            }
            let pick = |s: &Interval| {
                let list = if s.ret == NEVER { kinds.pending } else { kinds.known };
                (list[random.below(list.len())].clone(), *s)
            };
            let ops: Vec<(S::Op, Interval)> = spans.iter().map(pick).collect();
            self.one(spec, &ops, &numbered(&process), count);
        }
    }
}

/// The same processes numbered from 0 without gaps.
fn numbered(process: &[i64]) -> Vec<i64> {
    let mut names: Vec<i64> = process.to_vec();
    names.sort_unstable();
    names.dedup();
    process.iter().map(|p| names.binary_search(p).unwrap_or(0) as i64).collect()
}

fn in_a_row(random: &mut Random, n: usize) -> Vec<Interval> {
    let ret = |i: u32, open: bool| if open { NEVER } else { 2 * i + 1 };
    (0..n as u32).map(|i| Interval { call: 2 * i, ret: ret(i, random.one_in(6)) }).collect()
}

/// Random spans of `n` operations with at most `open` at once besides those that stay open.
pub fn spans(random: &mut Random, n: usize, open: usize) -> Vec<Interval> {
    let mut spans: Vec<Interval> = Vec::new();
    let mut running: Vec<usize> = Vec::new();
    let mut position = 0;
    while spans.len() < n || (!running.is_empty() && !random.one_in(6)) {
        if spans.len() < n && running.len() < open && (running.is_empty() || random.one_in(2)) {
            running.push(spans.len());
            spans.push(Interval { call: position, ret: NEVER });
        } else if !running.is_empty() {
            let i = running.swap_remove(random.below(running.len()));
            // Some end in the middle without a return.
            if !random.one_in(12) {
                spans[i].ret = position;
            }
        }
        position += 1;
    }
    spans
}

fn as_register<S: Spec>(spec: &S, ops: &[(S::Op, Interval)]) -> Vec<(RegisterOp, Interval)> {
    let own: Vec<S::Op> = ops.iter().map(|(o, _)| o.clone()).collect();
    match spec.hints().reads_and_writes(&own) {
        Some(crate::spec::Monitored::Register(_, list)) => {
            list.iter().cloned().zip(ops.iter().map(|(_, s)| *s)).collect()
        }
        _ => Vec::new(),
    }
}

impl<D: FnMut(Count)> Each for Sweep<'_, D> {
    fn visit<S: Spec>(&mut self, name: &str, spec: &S, kinds: &Kinds<'_, S::Op>) {
        let regular = name == Register::default().name();
        if self.wrong.is_some() || !(self.wanted)(name) || (self.ask == Ask::Regular && !regular) {
            return;
        }
        let mut count = Count { spec: name.to_string(), ask: self.ask, histories: 0, hold: 0, monitored: 0 };
        match self.source {
            Source::All(most) => self.all(spec, kinds, most, &mut count),
            Source::Random(..) => self.some(spec, kinds, &mut count),
        }
        (self.done)(count);
    }
}

fn run(
    ask: Ask,
    source: Source,
    wanted: &dyn Fn(&str) -> bool,
    done: &mut impl FnMut(Count),
) -> Result<(), String> {
    let meter = Meter::start(Limits::default());
    let mut sweep = Sweep { ask, meter, source, wanted, done, wrong: None };
    every_specification(&mut sweep);
    sweep.wrong.map_or(Ok(()), Err)
}

/// Every history of up to `most` operations, for the specifications that are wanted. The error is the first history
/// on which an engine and the definition disagree.
pub fn all(
    ask: Ask,
    most: usize,
    wanted: &dyn Fn(&str) -> bool,
    done: &mut impl FnMut(Count),
) -> Result<(), String> {
    run(ask, Source::All(most), wanted, done)
}

/// Random histories of up to `most` operations, so many per specification.
pub fn random(
    ask: Ask,
    cases: u64,
    most: usize,
    seed: u64,
    done: &mut impl FnMut(Count),
) -> Result<(), String> {
    run(ask, Source::Random(cases, most, Random::new(seed)), &|_| true, done)
}
