//! Files in `test_data/model`: each is a model with mistakes that only show once it is read, and gives the diagnostics
//! beside it. `BLESS=1` rewrites what is expected.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::common::{files, files_of, golden, render};
use trueline_base::Span;
use trueline_lang::compile::Model;
use trueline_lang::explain::{self, model::MODEL, syntax::SYNTAX, types::TYPES};

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The codes that occur in the sources below a folder, each with a place.
fn codes_in(folder: &str) -> BTreeMap<String, String> {
    let mut codes = BTreeMap::new();
    for file in files_of(folder, "rs") {
        for (number, line) in read(&file).lines().enumerate() {
            for (at, _) in line.match_indices("\"E0").chain(line.match_indices("\"W0")) {
                let code = &line[at + 1..];
                let Some(end) = code.find('"') else { continue };
                if end == 5 {
                    codes.insert(code[..end].to_string(), format!("{}:{}", file.display(), number + 1));
                }
            }
        }
    }
    codes
}

/// All explanations of codes of models.
fn explained() -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<_> = MODEL.iter().chain(TYPES).copied().collect();
    all.sort();
    all
}

fn used() -> BTreeMap<String, String> {
    let mut codes = codes_in("src/lower");
    codes.extend(codes_in("src/resolve"));
    codes.extend(codes_in("src/compile"));
    assert!(codes.len() > 50, "the codes are not found any more");
    codes
}

#[test]
fn wrong_models_give_the_expected_diagnostics() {
    for file in files("model") {
        let source = read(&file);
        let diagnostics = Model::parse(source.clone()).diagnose();
        assert!(!diagnostics.is_empty(), "{} has no error", file.display());
        let found = render(&source, &diagnostics);
        golden(&file, &found);
    }
}

/// A mistake in a file that is used is told with that file and its line, and so is what its labels point at.
#[test]
fn mistakes_in_used_files_are_told_where_they_stand() {
    for file in files("uses") {
        let folder = file.parent().expect("it stands in a folder");
        let load = |from: &str, wanted: &str| {
            let path = Path::new(from).parent().unwrap_or(Path::new("")).join(wanted);
            Ok((path.display().to_string(), read(&folder.join(&path))))
        };
        let model = Model::load(read(&file), &mut { load });
        let place = |span: Span| {
            let (path, text) = model.file_of(span);
            let (line, column) = span.line_column(text);
            format!("{}:{line}:{column} `{}`", path.unwrap_or("the model"), span.text(text))
        };
        let mut found = String::new();
        for problem in model.diagnose() {
            found += &format!("{} {} {}\n", place(problem.span), problem.code, problem.message);
            for label in &problem.labels {
                found += &format!("    {} {}\n", place(label.span), label.text);
            }
        }
        golden(&file, &found);
    }
}

#[test]
fn every_code_is_explained_and_shown_by_a_model() {
    let mut shown = BTreeSet::new();
    for file in files("model") {
        let diagnostics = Model::parse(read(&file)).diagnose();
        let codes: BTreeSet<&str> = diagnostics.iter().map(|d| d.code).collect();
        let name = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if let Some(code) = name.strip_prefix('e').and_then(|n| n.split('_').next())
            && code.len() == 4
        {
            assert!(codes.contains(format!("E{code}").as_str()), "{name} does not show its code");
        }
        shown.extend(codes);
    }
    let used = used();
    for (code, place) in &used {
        assert!(explained().iter().any(|(known, _)| known == code), "{code} at {place} is not explained");
        assert!(shown.contains(code.as_str()), "{code} at {place} is shown by no model");
    }
    for (code, _) in explained() {
        assert!(used.contains_key(code), "{code} is explained and never used");
    }
}

#[test]
fn explanations_have_a_title_a_reason_and_an_example() {
    let mut last = "";
    for (code, text) in explained() {
        assert!(last < code, "{code} is explained twice");
        last = code;
        let (title, rest) = text.split_once(".\n\n").unwrap_or_else(|| panic!("{code} has no title"));
        assert!(!title.contains('\n') && title.len() < 80, "the title of {code} is long");
        assert!(rest.contains("\n    "), "{code} has no example");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{code} has a long line");
        assert_eq!(explain::explain(&code.to_lowercase()), Some(text));
        assert!(SYNTAX.iter().all(|(other, _)| *other != code), "{code} is explained twice");
    }
}
