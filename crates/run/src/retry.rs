//! Pure retries: iterations that changed nothing and may be left out.
//!
//! A thread that is about to repeat a read, and since the last time wrote nothing that another thread knows of, is cut by the
//! player. That loses nothing if its local state now (*right*) and then (*left*) lead to the same whatever is read: without
//! the iteration the graph is consistent as well, is visited anyway, and has weaker boundaries. Equal states do. Others are
//! *claimed* to, and the claim is checked against everything that was seen from the left one: a thread alone is played to the
//! right state, reads the same, and must do the same, until the two states are equal to the byte or the operation has
//! returned the same. What the iteration wrote into fresh blocks is *dirty*: it must be written again before it is read and
//! before anything is published. A claim that fails is told to the player, and the exploration starts again.
//!
//! This is the step "pure" of Flanagan and Qadeer's transactions (POPL 2003) and of the spin loops of Kokologiannakis and
//! Vafeiadis (CAV 2021), with a witness in place of an analysis of the code. A counter of retries, a back-off that grows or a value
//! carried over from the last iteration makes the claim fail. Cost: a run per state and value that differ. Oracle: `naive`.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::log::{Record, Run};
use crate::memory::{Memory, MemoryStep};
use crate::player::{Player, Script};

/// Probes that are made at most, besides some for every execution, before nothing is cut any more: comparing must not cost
/// more than it saves.
const MOST_PROBES: u64 = 20_000;
/// Probes for every execution.
const PER_EXECUTION: u64 = 4;
/// Pairs of states that are compared for every probe that is allowed.
const PAIRS: usize = 4;
/// How often the exploration may begin again for claims that failed.
const MOST_ROUNDS: u32 = 12;
/// Probes that are sent at once.
const BATCH: usize = 64;
/// The outcome of a step that reads nothing.
const NOTHING: u32 = u32::MAX;

/// As the player mixes numbers.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95).rotate_left(23)
}

/// A number for the end of an operation.
pub fn returned(values: &[u64], kept: u64) -> u64 {
    values.iter().fold(mix(0x5EED, kept), |hash, word| mix(hash, *word))
}

/// A step that a local state leads to, and what was seen to come of it.
#[derive(Clone, Debug)]
struct Seen {
    loc: u32,
    action: u32,
    reads: bool,
    writes: bool,
    /// By what was read: the next local state.
    next: Vec<(u32, u64)>,
}

/// What a thread has read, step by step: a location and a value, or nothing.
type Values = Arc<Vec<Option<(u32, u32)>>>;

/// Locations that an iteration wrote and that nobody else knows, in order.
type Dirty = Arc<Vec<u32>>;

#[derive(Clone, Debug)]
struct Pair {
    left: u64,
    right: u64,
    dirty: Dirty,
    thread: usize,
    values: Values,
    claim: u64,
}

#[derive(Clone, Copy, Debug)]
enum After {
    /// It makes this step next, in this state.
    Step(u64, u32),
    /// The operation returns.
    Returned(u64),
    /// It cannot be played.
    Unknown,
}

/// What was seen of local states, and what is claimed.
#[derive(Clone, Debug, Default)]
pub struct Retries {
    seen: FxHashMap<u64, Seen>,
    claims: FxHashMap<u64, Pair>,
    /// States in which a thread was cut: those that it is claimed to be like, and what is dirty.
    like: FxHashMap<u64, Vec<(u64, Dirty)>>,
    after: FxHashMap<(u64, u32), After>,
    /// States, and pairs of states, that must not be cut at.
    differ: FxHashSet<u64>,
    /// Whether nothing is cut because too much would have to be compared.
    off: bool,
    /// How often the exploration began again.
    rounds: u32,
    /// Runs that claims took.
    pub probes: u64,
}

impl Retries {
    /// Forgets what was seen, but not what failed.
    pub fn forget(&mut self) {
        *self = Retries {
            differ: std::mem::take(&mut self.differ),
            off: self.off,
            rounds: self.rounds,
            probes: self.probes,
            ..Retries::default()
        };
    }

    /// The same for another worker: what failed, and nothing seen yet.
    pub fn fork(&self) -> Retries {
        Retries { differ: self.differ.clone(), off: self.off, rounds: self.rounds, ..Retries::default() }
    }

    /// Takes in what another worker has seen and claims.
    pub fn absorb(&mut self, other: &mut Retries) {
        for (local, seen) in other.seen.drain() {
            let known = self.seen.entry(local).or_insert_with(|| Seen { next: Vec::new(), ..seen.clone() });
            for next in seen.next {
                if !known.next.contains(&next) {
                    known.next.push(next);
                }
            }
        }
        for (claim, pair) in other.claims.drain() {
            self.claims.entry(claim).or_insert(pair);
        }
        for (right, alike) in other.like.drain() {
            let known = self.like.entry(right).or_default();
            for like in alike {
                if !known.contains(&like) {
                    known.push(like);
                }
            }
        }
    }

    /// Whether retries are cut.
    pub fn on(&self) -> bool {
        !self.off
    }

    /// The pairs that differ, as the player reads them.
    pub fn words(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.differ.iter().copied().collect();
        all.sort_unstable();
        [vec![all.len() as u64], all].concat()
    }

    /// A thread makes a step in a local state. Answers what to say when its next state is known.
    pub fn step(&mut self, local: u64, step: &MemoryStep) -> (u64, u32) {
        self.seen.entry(local).or_insert_with(|| Seen {
            loc: step.loc,
            action: step.action,
            reads: step.reads,
            writes: step.writes,
            next: Vec::new(),
        });
        (local, if step.reads { step.old } else { NOTHING })
    }

    /// What came of it.
    pub fn follow(&mut self, (local, read): (u64, u32), next: u64) {
        if let Some(seen) = self.seen.get_mut(&local)
            && !seen.next.contains(&(read, next))
        {
            seen.next.push((read, next));
        }
    }

    /// A thread was cut in a state that differs from the one it is like, after it had read these values.
    pub fn claim(
        &mut self,
        thread: usize,
        left: u64,
        right: u64,
        dirty: Vec<u32>,
        values: impl FnOnce() -> Vec<Option<(u32, u32)>>,
    ) {
        let like = self.like.entry(right).or_default();
        // Most are claimed again and again.
        if like.iter().any(|(known, same)| *known == left && **same == dirty) {
            return;
        }
        let (claim, dirty) = (mix(left, right), Arc::new(dirty));
        like.push((left, dirty.clone()));
        self.claims.entry(claim).or_insert_with(|| Pair {
            left,
            right,
            dirty,
            thread,
            values: Arc::new(values()),
            claim,
        });
    }

    /// What an iteration wrote that began in this state is known to others after all.
    pub fn refuse(&mut self, left: u64) {
        self.rounds += 1;
        self.off |= self.rounds > 4 * MOST_ROUNDS;
        self.differ.insert(left);
    }

    /// Compares what is claimed with what was seen so far; after so many executions; `last` says whether that is all. Answers whether all claims hold.
    pub fn check(
        &mut self,
        memory: &mut Memory,
        players: &mut [&mut Player],
        explored: u64,
        last: bool,
    ) -> Result<bool, String> {
        let failed = self.differ.len();
        let most = MOST_PROBES + PER_EXECUTION * explored;
        let mut layer: Vec<Pair> = self.claims.values().cloned().collect();
        layer.sort_by_key(|p| (p.left, p.right));
        let mut known: FxHashSet<(u64, u64, Dirty)> = FxHashSet::default();
        while !layer.is_empty() {
            let mut wanted: Vec<((u64, u32), Script)> = Vec::new();
            let mut asked: FxHashSet<(u64, u32)> = FxHashSet::default();
            for pair in &layer {
                for &(read, _) in self.outcomes(pair.left) {
                    let key = (pair.right, read);
                    if !self.after.contains_key(&key) && asked.insert(key) {
                        wanted.push((key, self.script(memory, pair, read)));
                    }
                }
            }
            if self.probes + wanted.len() as u64 > most || known.len() > PAIRS * most as usize {
                self.off = true;
                return Ok(false);
            }
            self.probe(memory, players, wanted)?;
            let mut next = Vec::new();
            for pair in layer {
                if self.differ.contains(&pair.claim) {
                    continue;
                }
                match self.compare(memory, &pair, last) {
                    Some(more) => {
                        next.extend(
                            more.into_iter().filter(|p| known.insert((p.left, p.right, p.dirty.clone()))),
                        );
                    }
                    None => {
                        self.differ.insert(pair.claim);
                    }
                }
            }
            layer = next;
        }
        if self.differ.len() == failed {
            return Ok(true);
        }
        self.rounds += 1;
        self.off |= self.rounds > MOST_ROUNDS;
        Ok(false)
    }

    /// What was seen to come of a state.
    fn outcomes(&self, left: u64) -> &[(u32, u64)] {
        self.seen.get(&left).map_or(&[], |seen| &seen.next)
    }

    /// What a state does next; that of a state in which a thread was cut is that of the one it is like.
    fn action(&self, state: u64) -> Option<u32> {
        let like = || self.like.get(&state)?.first().and_then(|(left, _)| self.seen.get(left));
        self.seen.get(&state).or_else(like).map(|seen| seen.action)
    }

    fn script(&self, memory: &Memory, pair: &Pair, read: u32) -> Script {
        let loc = self.seen[&pair.left].loc;
        let entry = |value: &Option<(u32, u32)>| value.map(|(loc, value)| memory.given(loc, value));
        let last = (read != NOTHING).then_some((loc, read));
        Script { thread: pair.thread, values: pair.values.iter().chain([&last]).map(entry).collect() }
    }

    fn probe(
        &mut self,
        memory: &mut Memory,
        players: &mut [&mut Player],
        wanted: Vec<((u64, u32), Script)>,
    ) -> Result<(), String> {
        for batches in wanted.chunks(BATCH * players.len()) {
            self.probes += batches.len() as u64;
            let batches: Vec<_> = batches.chunks(batches.len().div_ceil(players.len())).collect();
            for (batch, player) in batches.iter().zip(&mut *players) {
                let scripts: Vec<&Script> = batch.iter().map(|(_, script)| script).collect();
                player.begin_probe(&scripts);
            }
            for (batch, player) in batches.iter().zip(&mut *players) {
                let Ok(runs) = player.receive(batch.len()) else {
                    // The code breaks when it reads what it never reads: nothing is known of these states.
                    player.restart()?;
                    self.after.extend(batch.iter().map(|(key, _)| (*key, After::Unknown)));
                    continue;
                };
                for (((state, read), script), run) in batch.iter().zip(&runs) {
                    let after = arrival(memory, script, *state, run).unwrap_or(After::Unknown);
                    self.after.insert((*state, *read), after);
                }
            }
        }
        Ok(())
    }

    /// The pairs that must be alike for a pair to be; nothing when it is not.
    fn compare(&self, memory: &mut Memory, pair: &Pair, last: bool) -> Option<Vec<Pair>> {
        let (mut pairs, mut alike) = (Vec::new(), false);
        // Where a thread was cut in the left state, what it would have read was read in the one that this is like.
        for (like, more) in self.like.get(&pair.left).into_iter().flatten() {
            let mut dirty = [&pair.dirty[..], &more[..]].concat();
            dirty.sort_unstable();
            dirty.dedup();
            alike = true;
            if *like != pair.right || !dirty.is_empty() {
                pairs.push(Pair { left: *like, dirty: Arc::new(dirty), ..pair.clone() });
            }
        }
        let Some(seen) = self.seen.get(&pair.left).filter(|seen| !seen.next.is_empty()) else {
            return (!last || alike).then_some(pairs);
        };
        for &(read, next) in &seen.next {
            let writes = seen.writes || (read != NOTHING && memory.computed(seen.action, read).is_some());
            let mut dirty = pair.dirty.clone();
            if !dirty.is_empty() {
                match dirty.binary_search(&seen.loc) {
                    // It would read what was left out.
                    Ok(_) if seen.reads => return None,
                    Ok(at) => drop(Arc::make_mut(&mut dirty).remove(at)),
                    // It may publish the block.
                    Err(_) if writes => return None,
                    Err(_) => {}
                }
            }
            match self.after.get(&(pair.right, read))? {
                After::Returned(end) if *end == next && dirty.is_empty() => {}
                After::Step(right, _) if *right == next && dirty.is_empty() => {}
                After::Step(right, action) => {
                    let does = self.action(next);
                    if does != Some(*action) && (last || does.is_some()) {
                        return None;
                    }
                    let mut values = (*pair.values).clone();
                    values.push((read != NOTHING).then_some((seen.loc, read)));
                    let values = Arc::new(values);
                    pairs.push(Pair { left: next, right: *right, dirty, values, ..pair.clone() });
                }
                _ => return None,
            }
        }
        Some(pairs)
    }
}

/// What a scripted thread did after the last access that the script has, which it must have made in this state.
fn arrival(memory: &mut Memory, script: &Script, state: u64, run: &Run) -> Option<After> {
    let mut accesses = 0;
    for record in run.records() {
        match record {
            Record::Access { thread, action, local, old, new, .. } if thread == script.thread => {
                accesses += 1;
                if accesses == script.values.len() && local != state {
                    return None;
                }
                if accesses > script.values.len() {
                    let step = memory.step(action, old, new).ok()?;
                    return Some(After::Step(local, step.action));
                }
            }
            Record::Return(thread, _, values, kept)
                if thread == script.thread && accesses == script.values.len() =>
            {
                return Some(After::Returned(returned(values, kept)));
            }
            _ => {}
        }
    }
    None
}
