//! Random models as text, with every construct that reductions must respect: values in cells, structs and collections,
//! `await` at the first step, choices, locks, roles, `local` variables, arrays by thread, maps and bags in
//! specifications.

use super::random::Dice;

/// One statement of an object, and what its specification does at once.
struct Statement {
    object: String,
    spec: String,
}

fn statement(dice: &mut Dice, n: usize, v: &str, first: bool) -> Statement {
    let same = |text: &str| Statement { object: text.into(), spec: text.into() };
    let only = |text: String| Statement { object: text, spec: String::new() };
    let block = |text: String| Statement { object: format!("atomic {{ {text} }}"), spec: text };
    match dice.roll(if first { 18 } else { 17 }) {
        0 | 1 => same(&format!("x = {v};")),
        2 => same("n = (n + 1) % 3;"),
        3 => Statement {
            object: format!("let k{n} = x; if k{n} == none {{ n = 1; }} else {{ n = 2; }}"),
            spec: "if x == none { n = 1; } else { n = 2; }".into(),
        },
        4 if v != "none" => block(format!("s.insert({v});")),
        5 if v != "none" => block(format!("t.insert({v}, n == 1);")),
        6 if v != "none" => block(format!("s.remove({v});")),
        7 => same("either { n = 0; } or { n = 1; }"),
        8 => same(&format!("choose c{n} in 0..1; n = c{n};")),
        9 => {
            Statement { object: "lock m; n = (n + 1) % 3; unlock m;".into(), spec: "n = (n + 1) % 3;".into() }
        }
        10 => only(format!("last = {v};")),
        11 => only("if last == x { a[self] = 1; }".into()),
        12 => only("a[self] = 1; a[self] = 2;".into()),
        13 if dice.one_in(3) => only("for q in tid { if a[q] == 2 { a[q] = 0; } }".into()),
        14 => only(format!(
            "let o{n} = top; let p{n} = new Node {{ v: {v}, next: o{n} }}; cas(top, o{n}, p{n});"
        )),
        15 => only(format!("let o{n} = top; if o{n} != null {{ x = o{n}.v; }}")),
        16 if dice.one_in(3) => only("assert n != 2 || a[self] != 2;".into()),
        17 => only("atomic { await n != 2; }".into()),
        _ => same("n = 0;"),
    }
}

/// The body of an operation that returns so, for the object and for the specification.
fn body(dice: &mut Dice, v: &str, returns: u32) -> (String, String) {
    let (mut object, mut spec) = (String::new(), String::new());
    for n in 0..1 + dice.roll(3) as usize {
        let one = statement(dice, n, v, n == 0);
        object += &format!("{} ", one.object);
        spec += &format!("{} ", one.spec);
    }
    let (atomic, plain) = match returns {
        0 => ("return x;".to_string(), "return x;".to_string()),
        1 => ("return n;".to_string(), "return n;".to_string()),
        _ if v == "none" => ("atomic { return s.len() == 0; }".into(), "return s.len() == 0;".into()),
        _ => (format!("atomic {{ return s.contains({v}); }}"), format!("return s.contains({v});")),
    };
    (object + &atomic, spec + &plain)
}

/// A model with one check of two properties.
pub fn model(seed: u64) -> String {
    let dice = &mut Dice::new(seed);
    let types = ["val?", "int", "bool"];
    let (f, g) = (dice.roll(3), dice.roll(3));
    let (f_object, f_spec) = body(dice, "v", f);
    let (g_object, g_spec) = body(dice, "none", g);
    let (f, g) = (types[f as usize], types[g as usize]);
    let client = match dice.roll(4) {
        0 => "role a { f(1); g(); } role b { g() or f(2); }",
        1 => "role a x 2 { f(1) or f(2); } role b { g(); }",
        2 => "threads 3; ops 1; values 2;",
        _ => "threads 2; ops 1; values 3;",
    };
    format!(
        "spec S {{ state x: val? = none; state n: int = 0; state s: multiset val = []; state t: map val bool = [];
           op f(v: val) -> {f} {{ {f_spec} }}
           op g() -> {g} {{ {g_spec} }} }}
         object O implements S {{
           struct Node {{ v: val?, next: Node? }}
           shared x: val? = none; shared n: int = 0; shared s: multiset val = []; shared t: map val bool = [];
           shared m: lock; shared a: [int; tid] = [0; tid]; shared top: Node? = null; local last: val? = none;
           op f(v: val) -> {f} {{ {f_object} }}
           op g() -> {g} {{ {g_object} }} }}
         check O {{ {client} linearizable; safe; }}"
    )
}
