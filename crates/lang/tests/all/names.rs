//! What names mean where they stand, as an editor asks for it, and mistakes in helpers.

use trueline_base::Span;
use trueline_lang::compile::{Model, NameAt};
use trueline_lang::typed::DefinitionKind;

const STACK: &str = "\
param LIMIT = 3;
struct Node { value: val, next: Node? }

object Stack(size: int) implements Stack {
    shared top: Node? = null;
    shared count: 0..LIMIT = 0;
    local mine: [bool; size] = [false; size];

    fn link(below: Node?, v: val) -> Node {
        return new Node { value: v, next: below };
    }

    op push(v: val) {
        loop {
            let old = top;
            if cas(top, old, link(old, v)) { mine[0] = true; count = 0; return; }
        }
    }
}

check Stack(size: 2) with LIMIT = 2 { threads LIMIT; call push(self); safe; }
";

/// The offset of the n-th place where a text stands.
fn offset(text: &str, n: usize) -> u32 {
    STACK.match_indices(text).nth(n).expect("it stands there").0 as u32
}

fn name(text: &str, n: usize) -> NameAt {
    let at = offset(text, n);
    let found = Model::parse(STACK).name_at(at).unwrap_or_else(|| panic!("no name at {text}, {n}"));
    assert_eq!(found.span, Span::new(at as usize, at as usize + text.len()), "{found:?}");
    found
}

/// What is named at the n-th place of a text, with its type, is declared at its m-th place.
fn means(text: &str, n: usize, kind: DefinitionKind, ty: Option<&str>, m: usize) {
    let found = name(text, n);
    assert_eq!((found.kind, found.ty.as_deref()), (kind, ty), "{text}, {n}");
    assert_eq!(found.definition.start, offset(text, m), "{text}, {n}");
}

#[test]
fn names_in_code_have_a_type_and_a_definition() {
    assert_eq!(Model::parse(STACK).diagnose(), []);
    means("top", 1, DefinitionKind::Shared, Some("Node?"), 0);
    means("old", 2, DefinitionKind::Local, Some("Node?"), 0);
    means("below", 1, DefinitionKind::Parameter, Some("Node?"), 0);
    means("link", 1, DefinitionKind::Helper, Some("Node"), 0);
    means("next", 1, DefinitionKind::Field, Some("Node?"), 0);
    means("mine", 1, DefinitionKind::Persistent, Some("[bool; size]"), 0);
    means("Node", 3, DefinitionKind::Struct, None, 0);
}

#[test]
fn types_keep_the_parameters_that_they_depend_on() {
    means("count", 0, DefinitionKind::Shared, Some("0..LIMIT"), 0);
    means("size", 1, DefinitionKind::Constant, Some("int"), 0);
    means("LIMIT", 1, DefinitionKind::Constant, Some("int"), 0);
}

#[test]
fn names_in_checks_are_known() {
    means("LIMIT", 2, DefinitionKind::Constant, Some("int"), 0);
    means("LIMIT", 3, DefinitionKind::Constant, Some("int"), 0);
    means("push", 1, DefinitionKind::Operation, Some("nothing"), 0);
    means("Stack", 2, DefinitionKind::Object, None, 0);
}

#[test]
fn where_no_name_stands_nothing_is_meant() {
    let model = Model::parse(STACK);
    for text in ["loop", "= 3", "{ value", "return"] {
        assert_eq!(model.name_at(offset(text, 0)), None, "{text}");
    }
    assert_eq!(model.name_at(u32::MAX), None);
}

#[test]
fn names_are_known_though_the_model_has_errors() {
    let source = STACK.replace("let old = top;", "let old = tip;");
    let model = Model::parse(source.clone());
    assert!(model.diagnose().iter().any(|d| d.code == "E0101"));
    let at = source.find("below: Node?, v").expect("the helper stands there") as u32;
    assert_eq!(model.name_at(at).expect("a name").ty.as_deref(), Some("Node?"));
}

/// An object whose helper has a mistake, called `calls` times.
fn helper(calls: usize) -> String {
    let body = "f(1); ".repeat(calls);
    format!(
        "object O {{ shared x: int = 0; fn f(a: int) {{ x = a && 1; }} op go() {{ x = 1; {body} }} }}\n\
         check O {{ threads 3; safe; }}\ncheck O {{ threads 2; safe; }}\n"
    )
}

#[test]
fn a_mistake_in_a_helper_is_reported_once_where_it_stands() {
    for calls in 0..4 {
        let source = helper(calls);
        let found = Model::parse(source.clone()).diagnose();
        let codes: Vec<&str> = found.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
        assert_eq!(codes, ["E0202"], "called {calls} times: {found:?}");
        assert_eq!(found[0].span.text(&source), "a");
    }
}

#[test]
fn an_object_with_parameters_is_looked_at_without_a_check() {
    let source = "object O(n: int) { shared a: [int; n] = [0; n]; op go() { a[0] = true; } }";
    let codes: Vec<&str> = Model::parse(source).diagnose().iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0202"]);
}

#[test]
fn a_helper_of_init_may_name_values_and_knows_no_thread() {
    let object = |body: &str| {
        format!(
            "object O {{ shared x: val = 2; fn f() {{ {body} }} init {{ f(); }} op get() -> val {{ return x; }} }}\n\
             check O {{ safe; }}"
        )
    };
    assert_eq!(Model::parse(object("x = 1;")).diagnose(), []);
    let codes =
        |source: String| -> Vec<&str> { Model::parse(source).diagnose().iter().map(|d| d.code).collect() };
    assert!(codes(object("x = self as val;")).contains(&"E0209"));
    let called = object("x = 1;").replace("return x;", "f(); return x;");
    assert!(codes(called).contains(&"E0202"));
}
