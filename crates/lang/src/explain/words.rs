//! Explanations of words: findings and properties.

/// Findings: what ends an execution.
pub const FINDINGS: &[(&str, &str)] = &[
    (
        "null",
        "An operation follows a null reference.

`n.next` was evaluated while `n` was `null`. Compare with `null` first, or ask why it is null here: often
another thread has taken the node away.",
    ),
    (
        "none",
        "An operation uses `none` as a value.

A value of type `T?` stood where a `T` is needed, and it was `none`.",
    ),
    (
        "range",
        "An operation stores a number outside its range.

`shared x: 0..4` holds 0 to 3. Comparing with a number outside the range is no finding; storing is.",
    ),
    (
        "overflow",
        "An operation computes a number beyond 32 bits, divides by zero, or shifts too far.

Numbers have 32 bits. A counter that grows for ever ends here; give it a range and `%`.",
    ),
    ("bounds", "An operation uses an index out of bounds.\n\nArrays and sequences count from 0."),
    ("assert", "An operation breaks an assertion.\n\nThe condition of an `assert` was false."),
    (
        "use_after_free",
        "An operation touches memory that was freed.

Under `memory manual` a freed cell may not be read or written; under `memory pool` it may be read, and a
`cas` on it may fail, but a write that takes effect is this finding. Somebody freed the cell while
another thread still held a reference: hazard pointers, epochs or counters prevent that.",
    ),
    (
        "double_free",
        "An operation frees memory that was freed already.

Two threads believe that the cell is theirs to free; only the one whose `cas` took it out should.",
    ),
    (
        "lock",
        "An operation unlocks a lock that it does not hold.

A lock has an owner: the thread that took it gives it back.",
    ),
    (
        "requires",
        "A role calls an operation although its `requires` does not hold.

The implicit client calls an operation only while its `requires` holds; a role has to see to it itself.",
    ),
    (
        "endless",
        "An operation runs for ever within one step.

A loop that makes no access to shared memory never lets others go on. Read a shared variable in the
loop, or use `await`.",
    ),
    ("no_match", "A `match` has no arm for the value.\n\nAdd the arm, or `_` for the rest."),
    (
        "no_choice",
        "A `choose` has nothing to choose from.

Its range is empty. In a specification this would mean that the operation waits.",
    ),
];

/// Properties: what a check asks.
pub const PROPERTIES: &[(&str, &str)] = &[
    (
        "safe",
        "No execution ends in a finding.

Asked by every check. `trueline explain` knows the findings: null, none, range, overflow, bounds, assert,
use_after_free, double_free, lock, requires, endless, no_match, no_choice.",
    ),
    (
        "linearizable",
        "Every operation seems to take effect at one moment between its call and its return.

Herlihy and Wing, 1990: for every history there is an order of its operations that the specification
allows, and that keeps the order of those that do not overlap. `linearizable to Bag` names another
specification than the one that the object `implements`.",
    ),
    (
        "refines",
        "What clients see of this object, they could see of the other one.

Every sequence of calls and returns of this object is one of the other.",
    ),
    (
        "equivalent",
        "Two objects cannot be told apart.\n\n`equivalent Other by branching` names the equivalence.",
    ),
    (
        "lock_free",
        "Whatever the scheduler does, some operation completes.

No execution goes on for ever inside operations without a return. A thread that is blocked counts as
taking steps for ever, so that objects with locks are not lock-free.",
    ),
    (
        "wait_free",
        "Whatever the scheduler does, every operation completes in finitely many of its own steps.

`wait_free OP` asks it of one operation. A thread that is blocked counts as taking steps for ever. The
property speaks of others that go on for ever: write `ops forever;` or roles with `forever { … }`.",
    ),
    (
        "obstruction_free",
        "A thread that runs alone completes its operation.

Whatever the others did before they stopped. A thread that is blocked never completes alone.",
    ),
    (
        "deadlock_free",
        "Under a weakly fair scheduler some operation completes.

No state in which all threads inside operations are blocked, and no fair cycle without a return. A
thread waits legitimately while its operation could take effect in no order that explains what has
happened: the specification says so, as that of a lock does.",
    ),
    (
        "starvation_free",
        "Under a weakly fair scheduler every operation completes.

A thread waits legitimately while its operation could take effect in no order that explains what has
happened. The property speaks of others that go on for ever: write `ops forever;`.",
    ),
    (
        "leak_free",
        "No struct becomes unreachable without having been freed.

Asked under `memory manual` and `memory pool`.",
    ),
    (
        "invariant",
        "A condition over shared variables that holds between any two steps.

    invariant forall i in 0..4 { slots[i] >= 0 };",
    ),
    ("ltl", "A formula of linear temporal logic over the calls and returns."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_base::verdict::Finding;

    #[test]
    fn every_finding_is_explained() {
        let known: Vec<&str> = FINDINGS.iter().map(|(word, _)| *word).collect();
        let all: Vec<&str> = Finding::ALL.iter().map(|finding| finding.word()).collect();
        assert_eq!(known, all);
        for (word, text) in FINDINGS.iter().chain(PROPERTIES) {
            assert!(text.lines().all(|line| line.chars().count() <= 105) && !text.is_empty(), "{word}");
        }
    }
}
