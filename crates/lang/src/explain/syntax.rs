//! The codes of errors in the text itself, from `E0001` on.

/// Codes and what they mean: a title line, then an explanation with an example.
pub const SYNTAX: &[(&str, &str)] = &[
    (
        "E0001",
        "A character that begins no token.

Outside comments and the formulas of `ltl`, a file consists of ASCII letters, digits, `_` and the
signs of the grammar. There is no `~`, a label is a quote and a name (`'outer`), and comments begin
with `//`.",
    ),
    (
        "E0002",
        "A comment that does not end.

A comment that begins with `/*` ends at the next `*/`. Such comments do not nest:

    /* outer /* inner */ this is read as text again",
    ),
    (
        "E0003",
        "A string that does not end on its line.

Strings hold the formulas of `ltl`; each stands on one line:

    ltl \"[] (call -> <> return)\" fair weak;",
    ),
    (
        "E0004",
        "A number that cannot be read.

Numbers are decimal, may contain `_` and are below 2^63: `12`, `1_000`. There are no fractions, no
other bases and no suffixes such as `1u32`.",
    ),
    (
        "E0005",
        "A text that nests too deeply.

Brackets, blocks, types and prefixes may nest 200 levels deep, and one expression may chain about
500 operators, as in `a + b + c`. Move a part into a `fn` or a `let`.",
    ),
    (
        "E0006",
        "Something else was expected here.

The message names what may stand here and what was found instead. Often a sign is missing:

    f(1 2);      // write f(1, 2);",
    ),
    (
        "E0007",
        "A missing `;`.

Simple statements, variables, constants and clauses end in `;`, also before `}`:

    op deq() -> val? { return none }      // write { return none; }",
    ),
    (
        "E0008",
        "A missing expression.

A value is needed here, as after `=`, after an operator, or between parentheses:

    x = 1 + ;      // write x = 1 + y;",
    ),
    (
        "E0009",
        "A missing type.

The types are `bool`, `int`, `tid`, `val`, `lock`, ranges such as `0..K`, structs and enums by name,
`T?`, `(A, B)`, `[T; n]`, `[T; tid]`, `seq T`, `set T`, `multiset T`, `heap T` and `map K V`.",
    ),
    (
        "E0010",
        "A missing name.

A name consists of letters, digits and `_` and does not begin with a digit. Words of the language
may be names:

    op lock() { … }
    struct Node { val: val, next: Node? }",
    ),
    (
        "E0011",
        "A missing statement.

What stands here begins no statement. A block of its own is not a statement, `else` directly
follows the block of its `if`, and the arms of a `match` are not separated by commas:

    match x { Got(v) => return v; Empty => { skip; } }",
    ),
    (
        "E0012",
        "A missing item.

A file is a list of `param`, `const`, `struct`, `enum`, `spec`, `object` and `check`. When an `op` is
reported here, a `}` before it closes the object too early.",
    ),
    (
        "E0013",
        "A member that does not belong here.

An object has `memory`, `struct`, `enum`, `const`, `shared`, `local`, `init`, `fn` and `op`; a
specification has `state`, `fn` and `op`:

    spec Counter { state n: int = 0; op inc() { n = n + 1; } }",
    ),
    (
        "E0014",
        "A bracket that is not closed.

The message shows where the bracket was opened. A brace that is missing in an operation is noticed
where the next member begins:

    op f() { if a { skip; }
    op g() { skip; }      // expected `}`, found `op`",
    ),
    (
        "E0015",
        "A bracket that closes nothing.

There is a `}`, `)` or `]` too many. Often the one before it closes more than it should.",
    ),
    (
        "E0016",
        "Comparisons that chain.

`a < b < c` would compare a truth value with `c`. Write `a < b && b < c`, or parentheses when a
truth value is really compared: `(a < b) == c`.",
    ),
    (
        "E0017",
        "An operator of another language.

Write `&&` and `||` for and and or; `x += 1` for `x++`; `=` for `:=`; `break 'outer;` for
`break outer;`; and variants bare, `Value(v)` for `Word::Value(v)`.",
    ),
    (
        "E0018",
        "An assignment where a condition stands.

`=` assigns and gives no value; `==` compares:

    if t = Tail { … }      // write if t == Tail { … }",
    ),
    (
        "E0019",
        "`let mut`.

Every variable may be assigned, so that there is no `mut`:

    let x = 1;
    x = 2;",
    ),
    (
        "E0020",
        "A result type after `:`.

The type of a result follows `->`:

    fn f(x: int): int { … }      // write fn f(x: int) -> int { … }",
    ),
    (
        "E0021",
        "No clause and no property.

The clauses of a check are `threads`, `ops`, `values`, `call` and `role`. The properties are `safe`,
`linearizable`, `refines`, `equivalent`, `lock_free`, `wait_free`, `obstruction_free`,
`deadlock_free`, `starvation_free`, `leak_free`, `invariant` and `ltl`.",
    ),
    (
        "E0022",
        "A client that does something else than calling operations.

`call`, roles and clients of a command line consist of calls of the object's operations:

    call enq(self), deq();
    role user x 2 { enq(1) or enq(2); let x = deq(); if deq() == x { enq(x); } }",
    ),
    (
        "E0023",
        "A missing pattern.

A pattern is a name, `_`, a tuple of patterns, a variant, `none`, `null`, `true`, `false` or a
number:

    let (node, mark) = word;
    match w { Value(v) => return v; _ => skip; }",
    ),
    (
        "E0024",
        "A range where none can stand.

`a..b` stands in types, after `in`, and as an argument of a client's call, where it means any value
of the range:

    call raise(1..=3), read();",
    ),
    (
        "E0025",
        "A body without braces.

The bodies of `if`, `else`, `while`, `loop`, `for`, `atomic`, `either`, `or`, `op`, `fn`, roles and
their `repeat` and `forever` stand in braces:

    if s == null return none;      // write if s == null { return none; }",
    ),
    (
        "E0026",
        "A variable without a value.

`let` gives a variable its first value. Where there is none yet, use `none` or `null`:

    let x: val? = none;",
    ),
    (
        "E0027",
        "Too many errors.

Only the first 500 errors of a file are shown, in the order of the text. Perhaps it is no `.tl` file.",
    ),
    (
        "E0028",
        "A precondition of a helper.

`requires` says when the implicit client calls an operation. A `fn` is called by the object's own
code, which can say `assert` instead:

    op release() requires held { … }",
    ),
];
