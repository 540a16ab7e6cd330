//! Models in several files.

use crate::common::{code, run, scratch, stderr, stdout};

/// A specification and its types come from another file, which names a third; mistakes are shown where they stand.
#[test]
fn a_model_uses_other_files() {
    let folder = scratch("uses");
    std::fs::create_dir_all(folder.join("lib")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let spec = "use \"types.tl\";
        spec Box {
            state item: val? = none;
            op put(v: val) { item = v; }
            op take() -> Answer { let i = item; item = none; if i == none { return Nothing; } return Got(i); }
        }
        object Unused { op f() { oops; } }";
    write("lib/specs.tl", spec);
    write("lib/types.tl", "enum Answer { Got(val), Nothing }\nuse \"specs.tl\";");
    write(
        "cell.tl",
        "use \"lib/specs.tl\";
         object Cell implements Box {
            shared c: val? = none;
            op put(v: val) { c = v; }
            op take() -> Answer { let i = swap(c, none); if i == none { return Nothing; } return Got(i); }
         }
         check Cell { linearizable; }",
    );
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 0, "{}", stderr(&answer));
    assert!(stdout(&answer).contains("cell.tl:7"), "{}", stdout(&answer));
    write("lib/specs.tl", &spec.replace("val? = none", "vol? = none"));
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("lib/specs.tl:3:25"), "{}", stderr(&answer));
    write("lib/specs.tl", "use \"gone.tl\";");
    let answer = run(&folder, &["check", "cell.tl"]);
    assert_eq!(code(&answer), 3);
    assert!(stderr(&answer).contains("lib/gone.tl: there is no such file"), "{}", stderr(&answer));
}
