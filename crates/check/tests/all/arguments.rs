//! `--set` changes arguments of objects, by name, however the check gives them.

use trueline_lang::compile::{Misuse, Model, Overrides, Refusal};
use trueline_lang::ir::Ty;

const TEXT: &str = "object Box(low: int, high: int) { shared x: low..=high = low; op f() { x = low; } }
check Box(1, 3) { safe; }
check Box(high: 3, low: 1) { safe; }";

fn range(index: usize, set: &[(&str, &str)]) -> Result<Ty, Refusal> {
    let set = set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    Model::parse(TEXT).instantiate(index, &overrides).map(|task| task.machine.object.variables[0].ty.clone())
}

#[test]
fn arguments_are_changed_by_name() {
    for index in 0..2 {
        assert_eq!(range(index, &[]).ok(), Some(Ty::Range(1, 3)));
        assert_eq!(range(index, &[("high", "5")]).ok(), Some(Ty::Range(1, 5)));
        assert_eq!(range(index, &[("low", "0"), ("high", "7")]).ok(), Some(Ty::Range(0, 7)));
    }
    let Err(Refusal::Usage(misuse)) = range(0, &[("size", "1")]) else { panic!("it has no such argument") };
    let known = ["low", "high"].map(String::from).to_vec();
    assert_eq!(misuse, Misuse::NoParameter { name: "size".into(), known });
}
