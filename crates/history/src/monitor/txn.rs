//! Transactions that append to lists: strict serializability by the order that the lists themselves tell.
//!
//! Paper: Kingsbury and Alvaro, "Elle: inferring isolation anomalies from experimental observations", VLDB 2020. Where
//! every value is appended once, a list that was read tells the order of its appends, so that these precedences hold in
//! every serialization: between neighbours of the longest list that was read, from the append of what a read ends with to
//! the read, and from the read to the next append; appends that nobody saw come after all who did not see them. Together
//! with real time they have a cycle, which shows the failure, or an order. Differs: each precedence is forced, and an
//! order is run again before it counts (`Unsuited` if it does not do), so no lattice of anomalies is needed; a transaction
//! that never returned counts if something of it was read. Cost: O(n log n) for n steps. Oracle: `naive::linearizable`.

use std::collections::{HashMap, HashSet, VecDeque};

use super::MonitorAnswer;
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{self, Ran, Txn, TxnStep, as_list};

/// Transactions on a cycle from which a shortest one is looked for.
const STARTS: usize = 32;

/// What a transaction does to one key.
#[derive(Default)]
struct Deed<'a> {
    /// What it read of others.
    saw: Option<&'a [Datum]>,
    appended: Vec<&'a Datum>,
}

/// What all transactions do to one key.
#[derive(Default)]
struct Key<'a> {
    /// The longest list that was read, and who read it.
    longest: &'a [Datum],
    witness: Option<usize>,
    /// Who read it, and how much there was.
    readers: Vec<(usize, usize)>,
    appends: HashMap<&'a Datum, usize>,
}

/// Why a list of transactions is not for this monitor, or already wrong.
enum Early {
    Unsuited,
    Fails(Vec<usize>),
}

/// The deeds of one transaction, by key.
fn deeds(steps: &[TxnStep], at: usize) -> Result<Vec<(&Datum, Deed<'_>)>, Early> {
    let mut found: Vec<(&Datum, Deed<'_>)> = Vec::new();
    for step in steps {
        let key = match step {
            TxnStep::Write(..) => return Err(Early::Unsuited),
            TxnStep::Read(key, _) | TxnStep::Append(key, _) => key,
        };
        let place = found.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
            found.push((key, Deed::default()));
            found.len() - 1
        });
        let deed = &mut found[place].1;
        match step {
            TxnStep::Append(_, value) => deed.appended.push(value),
            TxnStep::Read(_, Some(seen)) => {
                let Some(seen) = as_list(seen) else { return Err(Early::Unsuited) };
                let own = deed.appended.len();
                // It sees what it did itself, after what it saw before.
                let Some(others) = seen.len().checked_sub(own) else { return Err(Early::Fails(vec![at])) };
                let (others, tail) = seen.split_at(others);
                let same = deed.saw.is_none_or(|before| before == others);
                if !same || !tail.iter().eq(deed.appended.iter().copied()) {
                    return Err(Early::Fails(vec![at]));
                }
                deed.saw = Some(others);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Everything by key, or why not.
fn keys<'a>(ops: &'a [Vec<TxnStep>]) -> Result<HashMap<&'a Datum, Key<'a>>, Early> {
    let mut keys: HashMap<&Datum, Key<'_>> = HashMap::new();
    for (at, op) in ops.iter().enumerate() {
        for (key, deed) in deeds(op, at)? {
            let key = keys.entry(key).or_default();
            for value in deed.appended {
                if key.appends.insert(value, at).is_some() {
                    return Err(Early::Unsuited);
                }
            }
            let Some(saw) = deed.saw else { continue };
            key.readers.push((at, saw.len()));
            let common = key.longest.len().min(saw.len());
            if key.longest[..common] != saw[..common] {
                return Err(Early::Fails(key.witness.into_iter().chain([at]).collect()));
            }
            if saw.len() > key.longest.len() {
                (key.longest, key.witness) = (saw, Some(at));
            }
        }
    }
    Ok(keys)
}

/// Precedences between transactions; nodes beyond them stand for moments.
struct Graph {
    after: Vec<Vec<u32>>,
}

impl Graph {
    fn node(&mut self) -> usize {
        self.after.push(Vec::new());
        self.after.len() - 1
    }

    fn edge(&mut self, a: usize, b: usize) {
        self.after[a].push(b as u32);
    }

    /// Nothing that returned comes after what was called later.
    fn real_time(&mut self, spans: &[Interval], takes_part: &[bool]) {
        let mut returns: Vec<(u32, usize)> =
            (0..spans.len()).filter(|i| spans[*i].ret != NEVER).map(|i| (spans[i].ret, i)).collect();
        returns.sort_unstable();
        let mut moments: Vec<usize> = Vec::with_capacity(returns.len());
        for (_, op) in &returns {
            let moment = self.node();
            self.edge(*op, moment);
            if let Some(before) = moments.last() {
                self.edge(*before, moment);
            }
            moments.push(moment);
        }
        for (op, span) in spans.iter().enumerate().filter(|(op, _)| takes_part[*op]) {
            if let Some(last) = returns.partition_point(|(ret, _)| *ret < span.call).checked_sub(1) {
                self.edge(moments[last], op);
            }
        }
    }

    /// An order of all nodes, or those that are on cycles or behind them.
    fn sorted(&self) -> Result<Vec<usize>, Vec<usize>> {
        let mut before = vec![0u32; self.after.len()];
        self.after.iter().flatten().for_each(|b| before[*b as usize] += 1);
        let mut ready: VecDeque<usize> = (0..before.len()).filter(|i| before[*i] == 0).collect();
        let mut order = Vec::with_capacity(before.len());
        while let Some(node) = ready.pop_front() {
            order.push(node);
            for next in &self.after[node] {
                before[*next as usize] -= 1;
                if before[*next as usize] == 0 {
                    ready.push_back(*next as usize);
                }
            }
        }
        if order.len() == before.len() {
            return Ok(order);
        }
        Err((0..before.len()).filter(|i| before[*i] > 0).collect())
    }

    /// A shortest cycle through one of the first of these nodes.
    fn cycle(&self, among: &[usize]) -> Vec<usize> {
        let inside: HashSet<usize> = among.iter().copied().collect();
        let cycles = among.iter().filter_map(|start| self.back_to(*start, &inside));
        cycles.take(STARTS).min_by_key(Vec::len).unwrap_or_default()
    }

    fn back_to(&self, start: usize, inside: &HashSet<usize>) -> Option<Vec<usize>> {
        let mut from: HashMap<usize, usize> = HashMap::new();
        let mut todo = VecDeque::from([start]);
        while let Some(node) = todo.pop_front() {
            for next in self.after[node].iter().map(|n| *n as usize) {
                if next == start {
                    let mut cycle = vec![node];
                    while let Some(before) = from.get(cycle.last()?) {
                        cycle.push(*before);
                    }
                    return Some(cycle);
                }
                if inside.contains(&next) && !from.contains_key(&next) {
                    from.insert(next, node);
                    todo.push_back(next);
                }
            }
        }
        None
    }
}

/// The precedences that one key tells. The error says what is wrong already.
fn told(graph: &mut Graph, key: &Key<'_>, takes_part: &[bool]) -> Result<(), Early> {
    let mut owners = Vec::with_capacity(key.longest.len());
    for value in key.longest {
        match key.appends.get(value) {
            Some(owner) => owners.push(*owner),
            None => return Err(Early::Fails(Vec::from_iter(key.witness))),
        }
    }
    let distinct: HashSet<&Datum> = key.longest.iter().collect();
    if distinct.len() < owners.len() {
        return Err(Early::Fails(Vec::from_iter(key.witness)));
    }
    for pair in owners.windows(2).filter(|pair| pair[0] != pair[1]) {
        graph.edge(pair[0], pair[1]);
    }
    let mut unseen: Vec<usize> = key
        .appends
        .iter()
        .filter(|(v, at)| !distinct.contains(*v) && takes_part[**at])
        .map(|(_, at)| *at)
        .collect();
    unseen.sort_unstable();
    unseen.dedup();
    let end = graph.node();
    unseen.iter().for_each(|at| graph.edge(end, *at));
    owners.last().into_iter().for_each(|last| graph.edge(*last, end));
    let mut blind = 0;
    for &(reader, length) in &key.readers {
        if let Some(last) = length.checked_sub(1) {
            if owners[last] == reader {
                return Err(Early::Fails(key.witness.into_iter().chain([reader]).collect()));
            }
            graph.edge(owners[last], reader);
        }
        match owners.get(length) {
            Some(next) if *next != reader => graph.edge(reader, *next),
            Some(_) => {}
            // It came before all that it did not see, but not before itself; two of them are a cycle already.
            None if unseen.binary_search(&reader).is_ok() => {
                blind += 1;
                if blind <= 2 {
                    unseen.iter().filter(|at| **at != reader).for_each(|at| graph.edge(reader, *at));
                }
            }
            None => graph.edge(reader, end),
        }
    }
    Ok(())
}

/// Decides transactions; an order always comes with the answer that there is one.
pub fn run(ops: &[Vec<TxnStep>], spans: &[Interval]) -> MonitorAnswer {
    let keys = match keys(ops) {
        Ok(keys) => keys,
        Err(Early::Unsuited) => return MonitorAnswer::Unsuited,
        Err(Early::Fails(core)) => return MonitorAnswer::Fails(core),
    };
    let mut takes_part: Vec<bool> = spans.iter().map(|span| span.ret != NEVER).collect();
    for key in keys.values() {
        key.longest.iter().filter_map(|v| key.appends.get(v)).for_each(|at| takes_part[*at] = true);
    }
    let mut graph = Graph { after: vec![Vec::new(); ops.len()] };
    // In an order that does not depend on how they are stored.
    let mut sorted: Vec<(&&Datum, &Key<'_>)> = keys.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| **key);
    for (_, key) in &sorted {
        match told(&mut graph, key, &takes_part) {
            Ok(()) => {}
            Err(Early::Unsuited) => return MonitorAnswer::Unsuited,
            Err(Early::Fails(core)) => return MonitorAnswer::Fails(core),
        }
    }
    graph.real_time(spans, &takes_part);
    match graph.sorted() {
        Ok(order) => {
            let order: Vec<usize> = order.into_iter().filter(|i| takes_part.get(*i) == Some(&true)).collect();
            match spec::run(&Txn, &order.iter().map(|i| &ops[*i]).collect::<Vec<_>>()) {
                Ran::Through => MonitorAnswer::Holds(Some(order)),
                Ran::Refused(_) => MonitorAnswer::Unsuited,
            }
        }
        Err(among) => {
            let mut core: Vec<usize> = graph.cycle(&among).into_iter().filter(|i| *i < ops.len()).collect();
            let on_cycle: HashSet<usize> = core.iter().copied().collect();
            for (_, key) in &sorted {
                let touched = key.readers.iter().map(|(at, _)| at).chain(key.appends.values());
                if touched.into_iter().filter(|at| on_cycle.contains(at)).count() > 1 {
                    core.extend(key.witness);
                }
            }
            core.sort_unstable();
            core.dedup();
            MonitorAnswer::Fails(core)
        }
    }
}
