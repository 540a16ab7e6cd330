//! The house rules that a test can enforce: who may depend on whom, file headers, where unsafe code may be.

use std::path::{Path, PathBuf};

/// Each crate and the crates of the workspace that it may depend on.
const MAY_DEPEND: [(&str, &[&str]); 15] = [
    ("base", &[]),
    ("lang", &["base"]),
    ("lts", &["base"]),
    ("history", &["base"]),
    ("space", &["base"]),
    ("check", &["base", "lang", "lts", "space"]),
    ("replay", &["base", "lang"]),
    ("verify", &["base", "lang", "check", "replay"]),
    ("report", &["base"]),
    ("runtime", &[]),
    ("object", &[]),
    ("shim", &[]),
    ("run", &["base", "history"]),
    ("cli", &["base", "lang", "lts", "check", "history", "replay", "report", "run", "verify"]),
    ("xtask", &["base", "lang", "lts", "check", "history", "replay", "report", "run", "verify"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rust_files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let allowed = MAY_DEPEND
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("crates/{name} is not in ARCHITECTURE.md's table of crates"))
            .1;
        for other in ["[dependencies.", "[target.", "[build-dependencies"] {
            assert!(!manifest.contains(other), "crates/{name}: {other}…] is not looked at here");
        }
        let mut on = declared(&manifest, "dependencies");
        if name == "space" {
            // Its tests show that it needs no language; those of others hold crates against one another.
            on.extend(declared(&manifest, "dev-dependencies"));
        }
        for on in on.into_iter().filter_map(|on| on.strip_prefix("trueline-")) {
            assert!(allowed.contains(&on), "crates/{name} must not depend on {on}");
        }
        seen.push(name);
    }
    assert_eq!(seen.len(), MAY_DEPEND.len(), "{seen:?}");
}

/// The crates that a section of a manifest names.
fn declared<'m>(manifest: &'m str, section: &str) -> Vec<&'m str> {
    let mut lines = manifest.lines().skip_while(|line| *line != format!("[{section}]"));
    lines.next();
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter(|line| line.contains('=')).filter_map(|line| line.split(['.', ' ', '=']).next()).collect()
}

#[test]
fn what_is_declared_is_used() {
    let shared = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut known = declared(&shared, "workspace.dependencies");
    assert!(known.len() > 20, "{known:?}");
    for entry in std::fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let places: [(&str, &[&str]); 2] =
            [("dependencies", &["src"]), ("dev-dependencies", &["src", "tests", "../../examples"])];
        for (section, folders) in places {
            let mut files = Vec::new();
            folders.iter().for_each(|folder| rust_files(&entry.path().join(folder), &mut files));
            for name in declared(&manifest, section) {
                known.retain(|other| *other != name);
                let in_code = name.replace('-', "_");
                let names = |file: &PathBuf| std::fs::read_to_string(file).unwrap().contains(&in_code);
                assert!(files.iter().any(names), "{} declares {name}", entry.path().display());
            }
        }
    }
    assert!(known.is_empty(), "no crate uses {known:?}");
}

#[test]
fn every_file_says_what_it_is_and_none_is_huge() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    assert!(files.len() > 100);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//!"), "{} does not begin with a doc comment", file.display());
        assert!(text.lines().count() <= 800, "{} is longer than 800 lines", file.display());
    }
}

/// The part of ARCHITECTURE.md about a crate: from the heading that names it to the next.
fn section<'t>(map: &'t str, name: &str) -> &'t str {
    let named = |part: &&str| part.lines().next().is_some_and(|head| head.contains(&format!("`{name}`")));
    map.split("\n### ").skip(1).find(named).unwrap_or_default()
}

#[test]
fn every_module_is_on_the_map() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut missing = Vec::new();
    // What users depend on is small enough to be read.
    for (name, _) in MAY_DEPEND.iter().filter(|(name, _)| !["object", "shim"].contains(name)) {
        let section = section(&map, name);
        assert!(!section.is_empty(), "ARCHITECTURE.md has no section about `{name}`");
        for entry in std::fs::read_dir(root().join("crates").join(name).join("src")).unwrap().flatten() {
            let file = entry.file_name().into_string().unwrap();
            let module = file.trim_end_matches(".rs");
            let listed =
                section.contains(&format!("`{module}`")) || section.contains(&format!("`{module}/`"));
            let other = module.contains('.') || ["lib", "main"].contains(&module);
            if !listed && !other {
                missing.push(format!("crates/{name}/src/{file}"));
            }
        }
    }
    assert!(missing.is_empty(), "not on the map of ARCHITECTURE.md: {missing:?}");
}

#[test]
fn unsafe_code_is_forbidden_in_every_crate_that_is_not_in_the_program_under_test() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap().flatten() {
        if ["runtime", "object", "shim"].iter().any(|name| entry.file_name() == *name) {
            let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
            assert!(
                !manifest.contains("[dependencies]"),
                "what is in the program under test has no dependencies"
            );
            continue;
        }
        let src = entry.path().join("src");
        let top = ["lib.rs", "main.rs"].map(|f| src.join(f));
        for file in top.iter().filter(|f| f.exists()) {
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.contains("#![forbid(unsafe_code)]"), "{}", file.display());
        }
    }
}

#[test]
fn codes_of_diagnostics_are_explained() {
    let mut files = Vec::new();
    rust_files(&root().join("crates/lang/src"), &mut files);
    let mut codes = std::collections::BTreeSet::new();
    for file in files.iter().filter(|f| !f.display().to_string().contains("explain")) {
        let text = std::fs::read_to_string(file).unwrap();
        for (at, _) in text.match_indices("\"E0") {
            let code = &text[at + 1..(at + 6).min(text.len())];
            if code.len() == 5 && code[1..].chars().all(|c| c.is_ascii_digit()) {
                codes.insert(code.to_string());
            }
        }
    }
    assert!(codes.len() > 50);
    let missing: Vec<_> = codes.iter().filter(|c| trueline_lang::explain::explain(c).is_none()).collect();
    assert!(missing.is_empty(), "no explanation for {missing:?}");
}

/// Where a line names a flag: `--` before a letter. Comments may, and so may what other programs are called with, which is a
/// text without spaces that begins with `-`.
fn flag(line: &str) -> Option<&str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
    line.match_indices("--").find_map(|(at, _)| {
        let begins = !line[..at].ends_with(inside);
        let named = line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase());
        let text = line[..at].rfind('"').map_or(&line[at..], |quote| &line[quote + 1..]);
        let text = text.split('"').next().unwrap_or_default();
        let argument = line[..at].contains('"') && text.starts_with('-') && !text.contains(' ');
        (begins && named && !argument).then(|| &line[at..])
    })
}

#[test]
fn libraries_do_not_name_flags_of_the_command_line() {
    assert_eq!(flag("raise --memory, or split it"), Some("--memory, or split it"));
    assert_eq!(flag("`--spec`"), Some("--spec`"));
    assert_eq!(flag("format!(\"--against {file}: no\")"), Some("--against {file}: no\")"));
    assert_eq!(flag("a -- b, x--y, ---z, 5--3"), None);
    assert_eq!(flag("command.args([\"-d\", \"--no-deps\", \"-Wl,--wrap=memcpy\"])"), None);
    for (name, _) in MAY_DEPEND.iter().filter(|(name, _)| !["cli", "xtask", "object"].contains(name)) {
        let mut files = Vec::new();
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
        assert!(!files.is_empty());
        let mut found = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let texts = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            let named = texts.filter_map(|(at, line)| flag(line).map(|flag| (at, flag)));
            found.extend(named.map(|(at, flag)| format!("{}:{}: {flag}", file.display(), at + 1)));
        }
        assert!(found.is_empty(), "advice with flags belongs to cli:\n{}", found.join("\n"));
    }
}
