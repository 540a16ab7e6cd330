//! What `trueline explain CODE` says of the findings of `trueline test`.

use crate::kind::Kind;
use crate::test::Setting;

/// The finding with a code or word: both, and the explanation.
pub fn explain(asked: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let (code, word) = (asked.to_ascii_uppercase(), asked.to_ascii_lowercase().replace(['-', ' '], "_"));
    let found = FINDINGS.iter().find(|(_, c, w, _)| *c == code || *w == word);
    found.map(|(_, code, word, text)| (*code, *word, *text))
}

/// What a user can change who disagrees with a finding, or wants to know more.
pub fn settings(code: &str) -> &'static [Setting] {
    match code {
        "R0001" => &[Setting::Condition],
        "R0301" => &[Setting::Weak, Setting::Races],
        "R0302" => &[Setting::Weak],
        _ => &[],
    }
}

/// Kinds of findings, their codes and words, and what they mean.
pub const FINDINGS: &[(Kind, &str, &str, &str)] = &[
    (
        Kind::NotLinearizable,
        "R0001",
        "not_linearizable",
        "A history that no order explains.

The results of the operations do not fit any order in which each takes effect at one moment
between its call and its return. The reasons below the story name the operations that cannot be
put into an order.",
    ),
    (
        Kind::NotQuasiLinearizable,
        "R0002",
        "not_quasi_linearizable",
        "A history that no order explains, even with the places that the condition allows.

With `quasi=deq:K` a value may be overtaken, and overtake, K times at most.",
    ),
    (
        Kind::NotSequentiallyConsistent,
        "R0003",
        "not_sequentially_consistent",
        "A history that no order explains, though only the order of each thread's own operations is kept.",
    ),
    (
        Kind::NotQuiescentlyConsistent,
        "R0004",
        "not_quiescently_consistent",
        "A history that no order explains, though operations may be exchanged that no moment separates in
which nothing was going on.",
    ),
    (
        Kind::NotRegular,
        "R0005",
        "not_regular",
        "A read that answers neither the last value written before it nor one that was being written.",
    ),
    (
        Kind::Crash,
        "R0101",
        "crash",
        "A signal that would end the program.

It follows a null pointer, touches memory that does not exist, divides by zero, executes an
illegal instruction or overflows its stack (256 kB for each thread).",
    ),
    (
        Kind::UseAfterFree,
        "R0102",
        "use_after_free",
        "An access to memory that was freed.

The thread still has a pointer to a block that another thread has freed. Lock-free structures
need a way to know when nobody looks at a node any more: hazard pointers, epochs, or counting.",
    ),
    (Kind::DoubleFree, "R0103", "double_free", "A block that is freed twice.

Two threads both believe that the block is theirs to free; usually both have read the same pointer
before either has taken it out."),
    (Kind::BadFree, "R0104", "bad_free", "Memory is freed that is no block of the heap."),
    (Kind::OutOfBounds, "R0105", "out_of_bounds", "An access outside of every block of the heap.

Blocks have at least sixteen bytes between them that belong to nobody."),
    (Kind::Leak, "R0106", "leak", "A block that nobody has freed when `TL_DONE` has returned.

The story shows where it was allocated. Without `TL_DONE` leaks are not looked for. Of a program with its own
`main`: a block to which nothing refers any more when `main` has returned."),
    (
        Kind::Deadlock,
        "R0201",
        "deadlock",
        "Nobody can go on.

Each thread that has not ended waits for a lock or for a signal that no other thread can give any
more. Threads that wait although nothing is wrong, such as the consumer of an empty queue, are no
deadlock: the same calls, one after the other, wait as well. A lock that nobody can release any more,
since its thread asks for it again or an operation kept it when it returned, always is one.",
    ),
    (
        Kind::Livelock,
        "R0202",
        "livelock",
        "Nobody can go on, and some thread repeats a loop.

All that the loop reads is the last that was ever written there, so it reads the same for ever.",
    ),
    (Kind::Endless, "R0203", "endless", "An operation that does not end although it runs alone.

It made 50,000 accesses to memory with no other thread running."),
    (Kind::BadUnlock, "R0204", "bad_unlock", "A thread unlocks a mutex that it does not hold."),
    (
        Kind::DataRace,
        "R0301",
        "data_race",
        "Two accesses to the same memory, one of them a write and one of them not atomic, that nothing orders.

In C and C++ this is undefined behaviour. Make the accesses atomic, or order them by a lock or by a
release store that an acquire load reads. Code that is older than C11 may rely on accesses that
race.",
    ),
    (
        Kind::MissingSynchronisation,
        "R0302",
        "missing_synchronisation",
        "An operation answers a value that another put in, and nothing makes the two happen one after the other.

Looked for under the memory model of C11, where the specification is a container such as `queue` or
`stack`.
Whoever puts a pointer in writes what it points to before, and whoever takes it out reads that
afterwards: without a release store that an acquire load reads, it may read what was there before.
Use `memory_order_release` where the value is published and `memory_order_acquire` where it is
read.",
    ),
    (Kind::Assertion, "R0401", "assertion", "An `assert` of the code does not hold."),
    (Kind::Check, "R0402", "check", "The function marked with `TL_CHECK` answers false at the end of an execution."),
    (Kind::Exception, "R0403", "exception", "An exception that nobody catches leaves an operation."),
    (Kind::Abort, "R0404", "abort", "The code calls `abort`."),
    (Kind::Panic, "R0406", "panic", "A panic that nobody catches leaves an operation.

The story ends where it began: an index out of bounds, an `unwrap` of nothing, an arithmetic overflow
(only in the build at -O0, as in debug builds), an `assert!` that does not hold."),
    (Kind::Exit, "R0405", "exit", "The code calls `exit` or one of its kin in the middle of an operation, or raises a signal that ends the
program."),
];
