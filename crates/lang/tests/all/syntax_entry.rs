//! The clients and expressions of a command line, and a few trees.

use trueline_base::Diagnostic;
use trueline_lang::parser::{parse, parse_client, parse_expr};
use trueline_lang::syntax::{BinaryOp, ClientBlock, ClientStmtKind, ExprKind, Item, Member, TypeKind};

fn codes(errors: &[Diagnostic]) -> Vec<&str> {
    errors.iter().map(|error| error.code).collect()
}

#[test]
fn threads_of_a_client_are_separated_by_bars() {
    let (client, errors) = parse_client("enq(1); deq() || deq() or enq(2..=3);");
    assert_eq!(errors, []);
    let threads = client.threads;
    assert_eq!(threads.iter().map(|thread| thread.stmts.len()).collect::<Vec<_>>(), [2, 1]);
    let ClientStmtKind::Calls(calls) = &threads[1].stmts[0].kind else { panic!("calls") };
    assert_eq!(calls.len(), 2);
}

#[test]
fn clients_have_loops_and_conditions() {
    let source = "forever { query() } || repeat 2 { arrive(0) or arrive(1); depart() } \
                  || let x = deq(); if x == none || deq() == x { enq(x) } else if true { deq() } else {}";
    let (client, errors) = parse_client(source);
    assert_eq!(errors, []);
    let threads = client.threads;
    assert_eq!(threads.iter().map(|thread| thread.stmts.len()).collect::<Vec<_>>(), [1, 1, 2]);
    assert!(matches!(threads[0].stmts[0].kind, ClientStmtKind::Forever(_)));
}

#[test]
fn clients_have_a_part_before_and_one_after() {
    let source = "before { enq(1); enq(2) } deq() || after(1); before() after { deq(); deq() }";
    let (client, errors) = parse_client(source);
    assert_eq!(errors, []);
    let size = |part: &Option<ClientBlock>| part.as_ref().map(|block| block.stmts.len());
    assert_eq!((size(&client.before), size(&client.after)), (Some(2), Some(2)));
    // Operations may have these names.
    assert_eq!(client.threads.iter().map(|thread| thread.stmts.len()).collect::<Vec<_>>(), [1, 2]);
    let (client, errors) = parse_client("enq(1) after { deq() }");
    assert_eq!((errors, size(&client.before), size(&client.after)), (vec![], None, Some(1)));
}

#[test]
fn bad_clients_are_reported() {
    for (source, code) in [
        ("", "E0022"),
        ("enq(1) ||", "E0022"),
        ("|| enq(1)", "E0022"),
        ("enq", "E0022"),
        ("enq(1) deq()", "E0007"),
        ("enq(1) }", "E0006"),
        ("forever { enq(1)", "E0014"),
        ("1 + 2", "E0022"),
        ("let x = 3", "E0022"),
        ("before { enq(1); }", "E0022"),
        ("enq(1) after { deq() } || deq()", "E0006"),
        ("after { deq() }", "E0022"),
    ] {
        let (_, errors) = parse_client(source);
        assert_eq!(codes(&errors).first(), Some(&code), "{source}: {errors:?}");
    }
}

#[test]
fn expressions_are_read_whole() {
    for source in ["4", "true", "-1", "[1, 2, 3]", "K + 1", "none", "(1, false)"] {
        assert_eq!(parse_expr(source).1, [], "{source}");
    }
    for (source, code) in
        [("", "E0008"), ("1 2", "E0006"), ("1 +", "E0008"), ("(1", "E0006"), ("a < b < c", "E0016")]
    {
        assert_eq!(codes(&parse_expr(source).1), [code], "{source}");
    }
}

/// An expression with all its operators in parentheses.
fn shape(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Unary { op, operand } => format!("({op:?} {})", shape(&operand.kind)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {op:?} {})", shape(&left.kind), shape(&right.kind))
        }
        ExprKind::Cast { operand, .. } => format!("({} as)", shape(&operand.kind)),
        ExprKind::Field { object, name } => format!("({}.{})", shape(&object.kind), name.text),
        ExprKind::Component { object, index } => format!("({}.{index})", shape(&object.kind)),
        ExprKind::Paren(inner) => format!("[{}]", shape(&inner.kind)),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_rust() {
    for (source, expected) in [
        ("a || b && c", "(a Or (b And c))"),
        ("a && b == c + d", "(a And (b Eq (c Add d)))"),
        ("a - b - c", "((a Sub b) Sub c)"),
        ("a + b * c % d", "(a Add ((b Mul c) Rem d))"),
        ("-a.b as int * c", "(((Minus (a.b)) as) Mul c)"),
        ("!a == !b", "((Not a) Eq (Not b))"),
        ("a.0.1", "((a.0).1)"),
        ("a < (b < c)", "(a Lt [(b Lt c)])"),
        ("a - -1", "(a Sub (Minus 1))"),
    ] {
        let (expr, errors) = parse_expr(source);
        assert_eq!((shape(&expr.kind).as_str(), errors.len()), (expected, 0));
    }
}

#[test]
fn broken_items_keep_what_can_be_read() {
    let (file, errors) = parse("object O { op f() { x = ; y = 1; } op g( }\nparam K = 1;");
    assert!(!errors.is_empty());
    let Item::Object(object) = &file.items[0] else { panic!("an object") };
    let Member::Op(op) = &object.members[0] else { panic!("an operation") };
    assert_eq!((op.body.stmts.len(), object.members.len(), file.items.len()), (2, 2, 2));
}

#[test]
fn optional_binds_tighter_than_containers() {
    let (file, errors) = parse("const A: seq val? = []; const B: (seq val)? = none; const C: 0..K? = none;");
    assert_eq!(errors, []);
    let kinds = file.items.iter().map(|item| match item {
        Item::Const(constant) => &constant.ty.kind,
        other => panic!("{other:?}"),
    });
    let kinds: Vec<&TypeKind> = kinds.collect();
    let [TypeKind::Seq(val), TypeKind::Optional(seq), TypeKind::Optional(range)] = kinds[..] else {
        panic!("{kinds:?}")
    };
    assert!(matches!(val.kind, TypeKind::Optional(_)));
    assert!(matches!(seq.kind, TypeKind::Seq(_)));
    assert!(matches!(range.kind, TypeKind::Range { inclusive: false, .. }));
}

#[test]
fn spans_cover_their_text() {
    let source = "param K = (1 + x.y) * f(2);";
    let (file, _) = parse(source);
    let Item::Param(param) = &file.items[0] else { panic!("a parameter") };
    assert_eq!(param.span.text(source), source);
    let ExprKind::Binary { op: BinaryOp::Mul, left, right } = &param.value.kind else { panic!("a product") };
    assert_eq!((left.span.text(source), right.span.text(source)), ("(1 + x.y)", "f(2)"));
}
