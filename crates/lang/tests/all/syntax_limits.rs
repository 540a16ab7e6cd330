//! Long, deep and broken texts: parsing ends, reports and leaves a tree that can be printed and dropped.

use trueline_lang::parser::{parse, parse_client, parse_expr};

/// A file whose only operation has this body.
fn body(text: &str) -> String {
    format!("object O {{\n    op f() {{\n        {text}\n    }}\n}}\n\nparam AFTER = 1;\n")
}

/// Reads a text that is too deep: one error, and the rest of the file is read.
fn too_deep(source: &str) {
    let (file, errors) = parse(source);
    let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
    assert_eq!(codes, ["E0005"], "{}…", &source[..source.len().min(80)]);
    assert!(!format!("{file:?}").is_empty());
    assert_eq!(file, file.clone());
    assert!(format!("{:?}", file.items.last()).contains("AFTER"));
}

const MANY: usize = 100_000;

#[test]
fn deep_expressions_are_reported() {
    let nested = |open: &str, close: &str| format!("{}x{}", open.repeat(MANY), close.repeat(MANY));
    for expr in [
        nested("(", ")"),
        nested("[", "]"),
        nested("!", ""),
        nested("- ", ""),
        nested("!(-", ")"),
        nested("f(", ")"),
        nested("a[", "]"),
        nested("x.m(1, ", ")"),
        nested("if a { 1 } else { ", " }"),
        nested("if a { 1 } else if b { ", " } else { 2 }"),
        nested("new N { a: ", " }"),
        nested("", " + x"),
        nested("", " * x - x"),
        nested("", " && x || x"),
        nested("", ".y"),
        nested("", "[0]"),
        nested("", ".0"),
        nested("", ".m(1)"),
        nested("", " as int"),
        nested("(", " + 1)"),
        nested("x + (", ") * 2"),
    ] {
        too_deep(&body(&format!("y = {expr};")));
        too_deep(&body(&format!("if {expr} {{ skip; }}")));
    }
}

#[test]
fn deep_statements_are_reported() {
    for (open, inner, close) in [
        ("loop { ", "skip;", " }"),
        ("if a { ", "skip;", " } else { skip; }"),
        ("if a { skip; } else ", "{ skip; }", ""),
        ("if a { skip; } else { ", "skip;", " }"),
        ("either { skip; } or { ", "skip;", " }"),
        ("match x { _ => ", "skip;", " }"),
        ("match x { A(v) => { ", "skip;", " } }"),
        ("atomic { while a { ", "skip;", " } }"),
    ] {
        too_deep(&body(&format!("{}{inner}{}", open.repeat(MANY), close.repeat(MANY))));
    }
    for (open, inner, close) in [("(a, ", "b", ")"), ("A(", "b", ")")] {
        let pattern = format!("{}{inner}{}", open.repeat(MANY), close.repeat(MANY));
        too_deep(&body(&format!("let {pattern} = x;")));
    }
}

#[test]
fn deep_types_and_clients_are_reported() {
    for (open, close) in [
        ("(", ", int)"),
        ("[", "; 2]"),
        ("seq ", ""),
        ("map int ", ""),
        ("", "?"),
        ("(", ")?"),
        ("(seq (", "?, int))"),
    ] {
        let ty = format!("{}int{}", open.repeat(MANY), close.repeat(MANY));
        too_deep(&format!("const C: {ty} = 1;\nparam AFTER = 1;"));
    }
    for (open, close) in [("forever { ", " }"), ("repeat 2 { ", " }"), ("if a() { b(); } else ", "")] {
        let inner = if close.is_empty() { "{ a(); }" } else { "a();" };
        let role = format!("{}{inner}{}", open.repeat(MANY), close.repeat(MANY));
        too_deep(&format!("check O {{ role r {{ {role} }} }}\nparam AFTER = 1;"));
    }
}

#[test]
fn unclosed_depth_ends() {
    for open in
        ["(", "[", "{", "loop {", "if a {", "!", "f(", "seq ", "match x { _ =>", "object O {", ")", "}", "]"]
    {
        let (file, errors) = parse(&body(&open.repeat(MANY)));
        assert!(!errors.is_empty());
        drop(file);
        let (_, errors) = parse(&open.repeat(MANY));
        assert!(!errors.is_empty());
        let (_, errors) = parse_client(&open.repeat(MANY));
        assert!(!errors.is_empty());
        let (_, errors) = parse_expr(&open.repeat(MANY));
        assert!(!errors.is_empty());
    }
}

#[test]
fn depth_within_the_limit_is_read() {
    let source = body(&format!("y = {}x{};", "(".repeat(150), ")".repeat(150)));
    assert_eq!(parse(&source).1, []);
    let source = body(&format!("y = x{};", " + x".repeat(450)));
    assert_eq!(parse(&source).1, []);
    let source = body(&format!("{}skip;{}", "if a { ".repeat(150), " }".repeat(150)));
    assert_eq!(parse(&source).1, []);
}

#[test]
fn errors_are_counted_beyond_a_limit() {
    let (_, errors) = parse(&"param = ;\n".repeat(2000));
    assert_eq!(errors.len(), 501);
    let last = errors.last().expect("there are errors");
    assert_eq!((last.code, last.message.as_str()), ("E0027", "3500 further errors follow from here on"));
}

#[test]
fn long_files_are_read() {
    let item = "object O { op f(v: val) -> val? { let x = new N { val: v, next: null }; return x.val; } }\n";
    let (file, errors) = parse(&item.repeat(20_000));
    assert_eq!((file.items.len(), errors.len()), (20_000, 0));
}
