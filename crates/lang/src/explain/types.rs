//! The codes of errors in routines and their types, from `E0201` on.

/// Codes and what they mean: a title line, why, a wrong example and the repaired one.
pub const TYPES: &[(&str, &str)] = &[
    (
        "E0201",
        "A type that does not exist.

The types are `bool`, `int`, `tid`, `val`, `lock`, ranges such as `0..K`, the structs and enums of
the file and of the object, and what is made of them: `T?`, `(A, B)`, `[T; n]`, `[T; tid]`, `seq
T`, `set T`, `multiset T`, `heap T` and `map K V`. There are no widths: `int` has 32 bits.

    shared n: u32 = 0;

    shared n: int = 0;",
    ),
    (
        "E0202",
        "A value of the wrong type.

What is stored, passed, returned or compared must have the type that is expected there. A range
fits into `int`, a `T` into `T?`, a `tid` into `val`; a `T?` may stand where a `T` is expected and
is then looked at when the step is made. A `tid` and a `val` can only be copied and compared: that
is what makes threads and values interchangeable, so that they are no numbers.

    shared next: int = 0;
    next = self;                         // a thread number is no number

    shared next: tid? = none;
    next = self;",
    ),
    (
        "E0203",
        "A literal whose type is not known.

`none`, `null` and `[]` take their type from what surrounds them. In a `let` without a type
nothing does.

    let found = none;

    let found: val? = none;",
    ),
    (
        "E0204",
        "A range without numbers, or a constant outside its range.

`a..b` begins with `a` and ends before `b`; `a..=b` includes `b`.

    shared H: 0..SIZE = 0;               // with SIZE = 0 there is no such number

    shared H: 0..=SIZE = 0;",
    ),
    (
        "E0205",
        "Too many cells.

Every cell is part of every state. An array has at most 4,096 elements, and a variable, a struct
and the shared memory of an object at most 65,536 cells. Small sizes show the same mistakes: most
are found with two or three elements.

    shared table: [int; 1000000] = [0; 1000000];

    param SIZE = 4;
    shared table: [int; SIZE] = [0; SIZE];",
    ),
    (
        "E0206",
        "A heap of something without an order.

A `heap` gives back its smallest element. Numbers have an order; `val`, `tid`, structs and enums
have none.

    state items: heap val = [];

    state items: heap 0..4 = [];",
    ),
    (
        "E0207",
        "A type that is optional twice.

`T?` is a `T` or `none`. There is only one `none`, so that `T??` would mean the same.

    shared x: val?? = none;

    shared x: val? = none;",
    ),
    (
        "E0208",
        "`none` for a reference.

The absent reference is `null`, the absent value of all other types is `none`.

    shared Top: Node? = none;

    shared Top: Node? = null;",
    ),
    (
        "E0209",
        "`self` or a `local` variable where no thread runs.

Initial values of `shared` variables, `init`, constants and invariants are computed without a
thread. Operations, the initialisers of `local` variables and clients know `self`. What an
invariant is to compare must be shared.

    shared owner: tid = self;

    shared owner: tid? = none;
    op take() { owner = self; }",
    ),
    (
        "E0210",
        "A tuple taken apart that is none, or has other components.

`.0` is the first component, and a pattern has as many parts as the tuple.

    shared Top: (Node?, int) = (null, 0);
    let (node, tag, mark) = Top;

    let (node, tag) = Top;",
    ),
    (
        "E0211",
        "A range where one value is expected.

A range as an argument of a client's call means any of its values. Inside another value it has no
meaning: write the calls one by one.

    call set(Value(1..=2));

    call set(Value(1)), set(Value(2));",
    ),
    (
        "E0212",
        "A value or a thread that does not exist.

In clients, numbers stand for values and threads. Both are counted from 1, and there are as many
threads as the check says.

    check Lock1 { threads 2; call hand_over(3); … }

    check Lock1 { threads 3; call hand_over(3); … }",
    ),
    (
        "E0213",
        "A number beyond 32 bits.

Numbers are between -2,147,483,648 and 2,147,483,647.

    shared stamp: int = 4_000_000_000;

    shared stamp: int = 4_000;",
    ),
    (
        "E0214",
        "A variant with too little or too much data.

A variant is written with the data that its declaration gives it.

    enum Word { Value(val), Busy }
    word = Value;

    word = Value(v);",
    ),
    (
        "E0215",
        "A comparison that can never hold.

Only values of the same type are equal: numbers with numbers, threads with threads, references to
the same struct. Locks are not compared at all.

    if owner == 1 { … }                  // owner is a `tid?`

    if owner == self { … }",
    ),
    (
        "E0216",
        "A list that does not fill its array.

An array is given as many elements as it has; `[e; n]` repeats one.

    const WEIGHT: [int; 3] = [1, 2];

    const WEIGHT: [int; 3] = [1, 2, 2];",
    ),
    (
        "E0217",
        "`new` that leaves a field out.

Under `memory gc` and `memory manual` a new struct says what each of its fields holds; only locks
start by themselves, as free. Under `memory pool` a field that is left out keeps what the cell
held before.

    let n = new Node { val: v };

    let n = new Node { val: v, next: null };",
    ),
    (
        "E0218",
        "One component of a shared cell assigned alone.

A tuple in shared memory is one cell, read and written in one step, as a marked pointer is one
word. Changing one half would be a read and a write that look like one step.

    Head.next.1 = true;

    let (next, _) = Head.next;
    cas(Head.next, (next, false), (next, true));",
    ),
    (
        "E0219",
        "An assignment to something that holds no value.

Variables, fields and elements of arrays can be assigned. Parameters, constants, results and
`self` cannot.

    param SIZE = 3;
    SIZE = 4;

    shared size: int = 3;
    size = 4;",
    ),
    (
        "E0220",
        "An index of the wrong kind.

`[T; n]` is indexed by a number from 0, `[T; tid]` by a thread, a `seq` by a number. Other types
have no elements; a `map` is read with `get`.

    shared slots: [int; 4] = [0; 4];
    slots[self] = 1;

    shared slots: [int; tid] = [0; tid];
    slots[self] = 1;",
    ),
    (
        "E0221",
        "A whole array in one go.

Each element of a shared array is a cell of its own, so that reading or writing all of them takes
as many steps. Say which steps these are, or that they are one.

    let copy = slots;

    atomic { let copy = slots; … }",
    ),
    (
        "E0222",
        "An atomic instruction on something that is no shared cell.

`cas` and the others work on a shared variable, an element of a shared array or a field of a
struct: one whole cell. Locals belong to one thread, and a lock has `lock` and `unlock`.

    let n = Top;
    cas(n, null, x);

    cas(Top, null, x);",
    ),
    (
        "E0223",
        "An argument with a name.

Arguments carry names where an object or a specification is instantiated, as in `check
Snzi(levels: 2)` and `implements Quasi(Queue, deq: 2)`. Helpers and instructions take them by
position.

    x = add(a: 1, b: 2);

    x = add(1, 2);",
    ),
    (
        "E0224",
        "The wrong number of arguments.

Objects and specifications with parameters, operations, helpers, methods and instructions take
exactly the arguments that they declare; those of objects and
specifications may be named.

    object Ring(n: int) implements BoundedQueue(n) { … }
    check Ring { … }

    check Ring(2) { … }",
    ),
    (
        "E0225",
        "An atomic instruction in a specification.

An operation of a specification is one step as a whole: nobody comes between. Read and assign its
state.

    op set() -> bool { return cas(x, 0, 1); }

    op set() -> bool {
        if x != 0 { return false; }
        x = 1;
        return true;
    }",
    ),
    (
        "E0226",
        "A routine that may end without its result.

Every way through an operation or helper with a result ends in `return`. A `while` may end at
once; a `loop` without `break` does not.

    op get() -> int { if x > 0 { return x; } }

    op get() -> int {
        if x > 0 { return x; }
        return 0;
    }",
    ),
    (
        "E0227",
        "A helper that cannot be inlined.

Helpers are inlined before anything runs. One that calls itself needs an argument that is a
constant at every call and becomes smaller, and a test of it that ends the recursion. Otherwise,
and where helpers that call helpers grow beyond 10,000 calls, write a loop.

    fn length(n: Node?) -> int {
        if n == null { return 0; }
        return 1 + length(n.next);
    }

    fn length(n: Node?) -> int {
        let count = 0;
        while n != null { count = count + 1; n = n.next; }
        return count;
    }",
    ),
    (
        "E0228",
        "A method that changes a value that no variable holds.

`push_back`, `remove` and the like change the collection that a variable holds. A constant or a
result is only a value.

    return EMPTY.pop_front();

    let items = EMPTY;
    return items.pop_front();",
    ),
    (
        "E0229",
        "A shared collection changed outside of `atomic`.

A collection in shared memory is one cell. Changing it means reading it and writing it back, which
is two steps; `atomic` makes one of them.

    shared items: seq val = [];
    items.push_back(v);

    atomic { items.push_back(v); }",
    ),
    (
        "E0230",
        "A value where there is none.

A helper or an operation without `-> type` gives no value that a variable could hold.

    fn inc() { n = n + 1; }
    let x = inc();

    fn inc() -> int { return faa(n, 1) + 1; }
    let x = inc();",
    ),
    (
        "E0231",
        "A lock that is assigned.

A lock is free at first, is taken by `lock`, and given back by `unlock`, by the thread that took
it.

    guard = other;

    lock guard;
    …
    unlock guard;",
    ),
    (
        "E0232",
        "A statement that does nothing.

An expression without a call and without an access has no effect as a statement.

    n + 1;

    n = n + 1;",
    ),
    (
        "E0233",
        "`break` or `continue` outside of a loop.

They belong to the innermost loop of the same operation or helper, or to the loop around it whose
label they name (`break 'outer;`); a helper cannot leave a loop of its caller.

    fn stop() { break; }
    loop { stop(); }

    fn done() -> bool { … }
    loop { if done() { break; } }",
    ),
    (
        "E0234",
        "`await` over more than one cell.

`await e` is one step, and one step makes one access. More accesses in one step need `atomic`.

    await flag == turn;

    atomic { await flag == turn; }",
    ),
    (
        "E0235",
        "`free` with garbage collection.

Under `memory gc`, the default, what nobody can reach vanishes by itself. `memory manual` has
`free` and finds uses of freed cells; `memory pool` also uses freed cells again, which is where
ABA happens.

    object Stack1 { … free t; … }

    object Stack1 { memory manual; … free t; … }",
    ),
    (
        "E0237",
        "A `return` with a value too much or too little.

A routine with `-> type` returns a value of that type, one without returns none.

    op set(v: val) { x = v; return v; }

    op set(v: val) -> val { x = v; return v; }",
    ),
    (
        "E0238",
        "A pattern in `let` that may not fit.

`let` takes names, `_` and tuples, which always fit. Variants, `none` and numbers are told apart
by `match`.

    let Value(v) = word;

    match word { Value(v) => return v; Busy => return none; }",
    ),
    (
        "E0239",
        "A `match` that forgets a variant.

An enum's `match` has an arm for each variant, or `_` for the rest. For other types a missing arm
is found when it is needed.

    enum Word { Value(val), Busy }
    match word { Value(v) => return v; }

    match word { Value(v) => return v; Busy => return none; }",
    ),
    (
        "E0240",
        "Something that is not known before anything runs.

Sizes, bounds of ranges, parameters and numbers of threads consist of numbers, `param`s and
`const`s.

    shared n: int = 3;
    shared a: [int; n] = [0; n];

    param N = 3;
    shared a: [int; N] = [0; N];",
    ),
    (
        "E0241",
        "A shared variable without a first value.

A `shared` variable gets its first value where it is declared, or in `init` on every path. A
`lock` starts free.

    shared Head: Node;
    init { skip; }

    shared Head: Node;
    init { Head = new Node { val: none, next: null }; }",
    ),
    (
        "E0242",
        "An operation that takes or gives a reference.

Operations are what clients and specifications speak of, and neither knows the heap of the object.
Arguments and results are values.

    op push(n: Node) { … }

    op push(v: val) { let n = new Node { val: v, next: null }; … }",
    ),
    (
        "E0243",
        "`requires` about shared memory.

`requires` says when the implicit client calls the operation, and a thread knows only its own
`local` variables for certain: shared memory may change between the test and the call.

    op release() requires busy { … }     // busy is shared

    local held: bool = false;
    op release() requires held { … }",
    ),
    (
        "E0244",
        "An enum that contains itself.

A value of such an enum would have no end. A struct on the heap can refer to another one.

    enum Tree { Leaf, Both(Tree, Tree) }

    struct Tree { left: Tree?, right: Tree? }",
    ),
    (
        "E0245",
        "An object where a value or a type is expected.

An object can be part of another one: a `shared` variable of its own, without an initial value, and
with the same `memory`. Its operations are called and become steps of the caller; its variables can
be read. It is no value: it is not assigned, passed on, or put into arrays and structs.

    shared locks: [Ticket; 2];

    shared first: Ticket;
    shared second: Ticket;
    … first.acquire(); … second.release(); …",
    ),
];
