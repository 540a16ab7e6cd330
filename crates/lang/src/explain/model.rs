//! The codes of errors in models: names from `E0101`, points from `E0301`, specifications from `E0401`, clients from
//! `E0501` on.

/// Codes and what they mean: a title line, why, a wrong example and the repaired one.
pub const MODEL: &[(&str, &str)] = &[
    (
        "E0101",
        "A name that means nothing here.

Variables are known from their declaration to the end of its block. Shared and local variables of
the object, `param`s and `const`s are known everywhere in it, the variables of one operation are
not known in another. A client knows only the variables of its own role.

    if n == 0 { let first = true; }
    if first { … }                       // `first` ended with its block

    let first = n == 0;
    if first { … }",
    ),
    (
        "E0102",
        "A name that is declared twice.

Names of items, of members of an object, of fields, of variants and of parameters are given once.
A `let` may hide an earlier one.

    shared x: int = 0;
    local x: int = 0;                    // which one would `x` mean?

    shared x: int = 0;
    local mine: int = 0;",
    ),
    (
        "E0103",
        "A field that does not exist.

A dot follows a reference to a struct and names one of its fields. Variables of the object are
named alone, without `self.`, and the components of a tuple are `.0`, `.1`, and so on.

    struct Node { val: val, next: Node? }
    n.nxt = Top;                         // `Node` has no field `nxt`

    n.next = Top;",
    ),
    (
        "E0104",
        "A call of something that is no helper.

Code calls helpers (`fn` of the same object) and the atomic instructions `cas`, `cmpxchg`, `swap`,
`faa`, `tas`, `dcas`, `ll`, `sc` and `vl`. Operations are called by clients only, for their calls
and returns are what a history records; share code in a `fn`.

    op size() -> int { return count(); } // there is no `fn count`

    fn count() -> int { return n; }
    op size() -> int { return count(); }",
    ),
    (
        "E0105",
        "A method that does not exist.

`seq`: len, contains, push_front, push_back, pop_front, pop_back, insert, remove. `set`: len,
contains, insert, remove. `multiset`: also count. `map`: len, contains, get, insert, remove.
`heap`: len, push, min, pop_min. Other types have no methods.

    items.append(v);                     // a `seq` has no `append`

    items.push_back(v);",
    ),
    (
        "E0106",
        "A variant that the enum does not have.

A pattern with parentheses names a variant of the enum that is matched.

    enum Word { Value(val), Busy }
    match w { Vlaue(v) => return v; Busy => return none; }

    match w { Value(v) => return v; Busy => return none; }",
    ),
    (
        "E0107",
        "A helper with the name of an atomic instruction.

`cas`, `cmpxchg`, `swap`, `faa`, `tas`, `dcas`, `ll`, `sc` and `vl` are single steps. A helper of
that name would look like one step and be several.

    fn cas(a: int, b: int) -> bool { … }

    fn compare(a: int, b: int) -> bool { … }",
    ),
    (
        "E0108",
        "An operation that the object does not have.

Clients call the operations of the object that is checked. Helpers (`fn`) are not among them.

    call enqueue(1), deq();              // the object has enq and deq

    call enq(1), deq();",
    ),
    (
        "E0109",
        "A specification that does not exist.

A specification is declared by `spec` in the same file, or is one of those that are ready-made, such
as `Queue`. One in the file takes precedence.

    object Stack1 implements Stak { … }

    object Stack1 implements Stack { … }",
    ),
    (
        "E0110",
        "A parameter that does not exist.

`with` gives other values to the `param`s of the file. Arguments of an object are given in
parentheses.

    check Ring with SIZE = 3 { … }       // without `param SIZE` in the file

    param SIZE = 2;
    check Ring with SIZE = 3 { … }",
    ),
    (
        "E0111",
        "An object that does not exist.

A check names an object of the same file; so does `refines`.

    check MsQueue { … }                  // the object is called MSQueue

    check MSQueue { … }",
    ),
    (
        "E0112",
        "A list that is too long.

A file has at most 1,000 items, an object or a specification 1,000 members, a struct 1,000 fields,
an enum 1,000 variants, a check 1,000 clauses and a block of a role 1,000 statements. Every state
holds everything that is declared; two or three of a kind show the same mistakes.

    shared a1: int = 0;
    shared a2: int = 0;                  // and so on

    param N = 4;
    shared a: [int; N] = [0; N];",
    ),
    (
        "E0113",
        "A file that cannot be used.

`use` takes specifications, structs, enums, constants and parameters from another file. The path is
relative to the file that names it. Objects and checks of that file are left out.

    use \"specs/queue.tl\";",
    ),
    (
        "E0301",
        "A linearization point in a specification.

Points say which step of the object counts as the moment of the operation. An operation of a
specification is one step.

    spec S { state x: int = 0; op set() { @lin x = 1; } }

    spec S { state x: int = 0; op set() { x = 1; } }",
    ),
    (
        "E0302",
        "A linearization point on a statement without an access.

`@lin` marks the last access of the statement itself: of the right-hand side and the assignment,
of the condition of `if` and `while`, of the value of `match`. Locals are no accesses.

    let t = Top;
    @lin if t == null { return none; }   // t is a local

    @lin(if t == null) let t = Top;
    if t == null { return none; }",
    ),
    (
        "E0303",
        "A condition of a point that reads shared memory.

`@lin(if e)` counts when `e` holds after the step. It is no step of its own, so that `e` is over
locals.

    @lin(if Top == null) let t = Top;

    @lin(if t == null) let t = Top;",
    ),
    (
        "E0401",
        "A ready-made specification that does not fit the object's data.

The data of a ready-made specification has the type that the object's operations give it, and the
specification must be able to work with it.

    op enq(p: val) { … }                 // PriorityQueue needs an order

    op enq(p: 0..4) { … }",
    ),
    (
        "E0402",
        "A relaxation that is not defined.

`Quasi` and `OutOfOrder` are for Queue (`deq`), Stack (`pop`), PriorityQueue and KeyedPriorityQueue
(`deqMin`). With `OutOfOrder` any of the first k + 1 may leave; with `Quasi` nobody is passed more
than k times besides.

    linearizable to Quasi(Set, remove: 1);

    linearizable to Quasi(Stack, pop: 1);",
    ),
    (
        "E0403",
        "An operation that the specification does not have.

Every operation of an object is explained by the operation of the same name in its specification.
The object may leave operations of the specification out.

    object Q implements Queue { op enqueue(v: val) { … } … }

    object Q implements Queue { op enq(v: val) { … } … }",
    ),
    (
        "E0404",
        "An operation with another signature than specified.

Arguments and results are compared with those of the specification, so that they must be of the
same kind. `trueline show` prints the ready-made ones.

    object Q implements Queue { op deq() -> bool { … } … }

    object Q implements Queue { op deq() -> val? { … } … }",
    ),
    (
        "E0405",
        "A refinement between objects with different operations.

`refines` compares the visible calls and returns of two objects under the same client. They must
have the same operations, with the same types, in the same order.

    object A { op get() -> int { … } }
    object B { op get() -> bool { … } }
    check A { refines B; }

    object B { op get() -> int { … } }",
    ),
    (
        "E0406",
        "An object that does not say what it implements.

`linearizable` compares with the specification that the object implements. An object without one
needs it in the property.

    object Cell { … }
    check Cell { linearizable; }

    check Cell { linearizable to Register(0); }",
    ),
    (
        "E0407",
        "An equivalence that is not known.

`equivalent Other` compares by divergence-preserving branching bisimulation. `by` names another one:
strong, dpbranching, branching, dpweak, weak or trace.

    equivalent Other by bisimulation;

    equivalent Other by branching;",
    ),
    (
        "E0501",
        "Too many arguments to try.

The implicit client calls every operation with every argument of its type, at most 1,000 of them.
`int` has too many, and so have large ranges.

    op write(v: int) { … }
    check Cell { linearizable; }

    check Cell { call write(1..=2), read(); linearizable; }",
    ),
    (
        "E0502",
        "A role that is too long.

`repeat n` stands for n copies, between 0 and 10,000, and a role has at most 100,000 calls in all.
`forever` repeats without an end.

    role a { repeat 20000 { deq(); } }

    role a { forever { deq(); } }",
    ),
    (
        "E0503",
        "A loop of a role that may call nothing.

`forever` goes on after each call. If some way through its body calls nothing, the role could go
on without doing anything.

    forever { if r { deq(); } }

    forever { if r { deq(); } else { enq(1); } }",
    ),
    (
        "E0504",
        "A client that reads the object's memory.

A client calls operations and sees their results, as a program that uses the object does.

    role a { if Top == null { push(1); } }

    role a { if pop() == none { push(1); } }",
    ),
    (
        "E0505",
        "Two calls in one condition of a role.

A condition looks at the result of one call. Keep the results of others in variables.

    if deq() == deq() { … }

    let x = deq();
    if deq() == x { … }",
    ),
    (
        "E0506",
        "Roles together with `threads`, `ops`, `values` or `call`.

Roles say how many threads there are and what each of them calls. The other clauses describe the
implicit client, in which all threads do the same.

    check Q { threads 3; role a { enq(1); } linearizable; }

    check Q { role a x 3 { enq(1); } linearizable; }",
    ),
    (
        "E0507",
        "A bound that is out of range.

A check has 1 to 64 threads, each performs 0 to 1,000 operations (or `ops forever`), and there are
1 to 1,000 values. Most mistakes show with two or three of each.

    check Q { threads 0; linearizable; }

    check Q { threads 2; linearizable; }",
    ),
    (
        "E0508",
        "An expectation that no run can meet.

`expect fails(KIND)` belongs to `safe` and names a finding: null, none, range, overflow, bounds,
assert, use_after_free, double_free, lock, requires, endless, no_match or no_choice. Other
properties fail without a kind.

    linearizable expect fails(assert);

    safe expect fails(assert);",
    ),
    (
        "E0509",
        "An object without operations.

Clients call operations. Without one nothing ever happens, and every property would hold.

    object Cell { shared x: int = 0; fn get() -> int { return x; } }

    object Cell { shared x: int = 0; op get() -> int { return x; } }",
    ),
    (
        "E0510",
        "A part of the main thread whose turn never comes, or never ends.

The main thread runs `before` alone; only then the threads begin. It runs `after` alone once every
thread has made all its calls. Neither may wait for something that goes on for ever.

    check Cell { before { forever { set(1); } } safe; }
    check Cell { ops forever; after { get(); } safe; }

    check Cell { before { repeat 3 { set(1); } } safe; }
    check Cell { ops 2; after { get(); } safe; }",
    ),
    (
        "W0001",
        "Something that nothing uses.

A helper, a variable or a parameter that stands nowhere but in its declaration is often the trace of
a mistake: the name of another one was written, or a step was forgotten. A variable or an argument
that is left alone on purpose has a name that begins with `_`; an access whose value does not matter
is `let _ = …;`. An operation that no check calls is not checked: where checks of an object say what
they call, some check should call each operation.

    let t = Tail;
    cas(Tail, s, x);        // was cas(Tail, t, x) meant?",
    ),
];
