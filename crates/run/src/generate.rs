//! Scenarios from small to large: threads times operations times arguments, with a sequential prefix, and a suffix that looks
//! at what is left.

use crate::harness::{Harness, ScalarType};
use crate::scenario::{Call, Scenario, inputs_of};

/// How large scenarios get.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Threads.
    pub threads: usize,
    /// Operations of a thread.
    pub operations: usize,
    /// Operations of all threads together, when there are two; each further thread takes one away.
    pub all: usize,
    /// Operations before the threads.
    pub prefix: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        // Three operations of a thread show ABA: one pops twice and puts a node back while another pops.
        Sizes { threads: 3, operations: 3, all: 4, prefix: 2 }
    }
}

/// All scenarios up to a size, the smallest first; threads are interchangeable.
pub fn scenarios(harness: &Harness, sizes: Sizes) -> Vec<Scenario> {
    let kinds = harness.operations.len();
    let mut shapes: Vec<(usize, Vec<Vec<usize>>)> = Vec::new();
    for threads in 2..=sizes.threads {
        let lists = lists(kinds, sizes.operations);
        multisets(&lists, threads, 0, &mut Vec::new(), &mut |chosen| {
            let all: usize = chosen.iter().map(Vec::len).sum();
            // A third thread costs more than a second call.
            if all <= (sizes.all + 2).saturating_sub(threads).max(threads) {
                shapes.push((all, chosen.to_vec()));
            }
        });
    }
    let puts: Vec<usize> =
        (0..kinds).filter(|k| inputs_of(&harness.operations[*k]).next().is_some()).collect();
    let answers = |put: &usize| harness.operations[*put].result != ScalarType::Void;
    let equal = match puts.len() {
        0 | 1 if puts.iter().any(answers) => Equal::All,
        0 | 1 => Equal::No,
        _ => Equal::Some,
    };
    let mut found: Vec<(usize, usize, Scenario)> = Vec::new();
    for (all, shape) in shapes {
        for before in 0..=if puts.is_empty() { 0 } else { sizes.prefix } {
            let calls =
                std::iter::repeat_n(&puts[..], before).map(|puts| &puts[0]).chain(shape.iter().flatten());
            let count = calls.map(|call| inputs_of(&harness.operations[*call]).count()).sum();
            for values in arguments(count, before > 0, equal) {
                let scenario = fill(harness, &shape, before, &puts, &values);
                found.push((all + before, shape.len(), scenario));
            }
        }
    }
    found.sort_by_key(|(size, threads, _)| (*size, *threads));
    let mut scenarios: Vec<Scenario> = Vec::new();
    for (_, _, scenario) in found {
        if !scenarios.contains(&scenario) {
            scenarios.push(scenario);
        }
    }
    scenarios
}

/// All lists of operations of one thread.
fn lists(kinds: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last = vec![Vec::new()];
    for _ in 0..most {
        let mut next = Vec::new();
        for list in &last {
            for kind in 0..kinds {
                next.push([list.clone(), vec![kind]].concat());
            }
        }
        all.extend(next.clone());
        last = next;
    }
    all
}

fn multisets(
    lists: &[Vec<usize>],
    left: usize,
    from: usize,
    chosen: &mut Vec<Vec<usize>>,
    found: &mut dyn FnMut(&[Vec<usize>]),
) {
    if left == 0 {
        return found(chosen);
    }
    for (index, list) in lists.iter().enumerate().skip(from) {
        chosen.push(list.clone());
        multisets(lists, left - 1, index, chosen, found);
        chosen.pop();
    }
}

/// Whether equal arguments can show something.
#[derive(Clone, Copy)]
enum Equal {
    /// One operation takes some, and answers nothing: what it is given is only put in.
    No,
    /// One operation takes some, and its answer may depend on whether others were given the same.
    All,
    /// Several operations do, such as those of a set.
    Some,
}

/// Arguments for so many inputs: all different; and where equal ones can show something, those as well. Few inputs get every
/// pattern, such as 1, 1, 2 for a removal beside an insertion; some more, of which calls before the threads have a part, every
/// pattern of two values; many are all the same.
fn arguments(count: usize, before: bool, equal: Equal) -> Vec<Vec<i64>> {
    let different: Vec<i64> = (1..=count as i64).collect();
    let mut all = match (equal, count) {
        (Equal::No, _) => Vec::new(),
        (Equal::Some, 0..=3) => patterns(count, count as i64),
        (Equal::Some, 4) if before => patterns(count, 2),
        (Equal::All | Equal::Some, _) => vec![vec![1; count]],
    };
    all.retain(|values| *values != different);
    all.insert(0, different);
    all
}

/// All lists of numbers up to a largest in which each is at most one more than those before it.
fn patterns(count: usize, largest: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |list: Vec<i64>| {
            let next = list.iter().max().map_or(1, |most| most + 1).min(largest);
            (1..=next).map(move |value| [&list[..], &[value]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Gives arguments.
fn fill(harness: &Harness, shape: &[Vec<usize>], before: usize, puts: &[usize], values: &[i64]) -> Scenario {
    let mut next = 0;
    let mut call = |operation: usize| {
        let inputs = inputs_of(&harness.operations[operation])
            .map(|kind| {
                next += 1;
                match kind {
                    ScalarType::Bool => i64::from(next % 2 == 1),
                    _ => values[next - 1],
                }
            })
            .collect();
        Call { operation, inputs }
    };
    let prefix: Vec<Call> = (0..before).map(|_| call(puts[0])).collect();
    let threads: Vec<Vec<Call>> = shape.iter().map(|ops| ops.iter().map(|op| call(*op)).collect()).collect();
    let put = prefix.iter().chain(threads.iter().flatten()).filter(|c| !c.inputs.is_empty());
    let (count, values) = (put.clone().count(), put.map(|c| c.inputs.clone()).collect::<Vec<_>>());
    Scenario { suffix: look(harness, count, &values), prefix, threads }
}

/// Calls that see what is left: those without arguments that answer something, as often as something was put in; or else
/// the last operation that takes an argument and answers a truth value, for each argument.
fn look(harness: &Harness, count: usize, values: &[Vec<i64>]) -> Vec<Call> {
    let answers = |i: &usize| {
        let f = &harness.operations[*i];
        f.result != ScalarType::Void || f.parameters.iter().any(|p| p.output)
    };
    let all = 0..harness.operations.len();
    let free: Vec<usize> =
        all.clone().filter(|i| answers(i) && inputs_of(&harness.operations[*i]).next().is_none()).collect();
    if !free.is_empty() {
        let each = |i: &usize| vec![Call { operation: *i, inputs: Vec::new() }; count.max(1)];
        return free.iter().flat_map(each).collect();
    }
    let last = all.rev().find(|i| harness.operations[*i].result == ScalarType::Bool);
    let Some(operation) = last else { return Vec::new() };
    let wanted = inputs_of(&harness.operations[operation]).count();
    let mut calls: Vec<Call> = Vec::new();
    for inputs in values.iter().filter(|v| v.len() == wanted) {
        let call = Call { operation, inputs: inputs.clone() };
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_arguments_get_every_pattern_and_more_of_them_some() {
        assert_eq!(arguments(3, false, Equal::No), [[1, 2, 3]]);
        assert_eq!(arguments(3, false, Equal::All), [[1, 2, 3], [1, 1, 1]]);
        let all = arguments(3, false, Equal::Some);
        assert_eq!(all, [[1, 2, 3], [1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2]]);
        let four = arguments(4, true, Equal::Some);
        assert_eq!(four.len(), 9);
        assert!(four.contains(&vec![1, 2, 1, 2]), "what is put in first is taken out by two threads");
        assert_eq!(arguments(4, false, Equal::Some), [[1, 2, 3, 4], [1, 1, 1, 1]]);
        assert_eq!(arguments(0, false, Equal::Some), [[0i64; 0]]);
    }
}
