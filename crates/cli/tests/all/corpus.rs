//! Every model gives the verdicts that its file expects, with the counts of states in `corpus.txt`; the trace of
//! every failure fails again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{code, golden, models, root, run, scratch, stderr, stdout};

#[test]
fn every_model_is_as_expected() {
    let root = root();
    let files = models(&root.join("models"));
    assert!(files.len() > 45, "{} models", files.len());
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (next, results, files, root) = (&next, &results, &files, &root);
            scope.spawn(move || {
                let folder = scratch(&format!("corpus-{worker}"));
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let lines = check(root, &folder, file);
                    let at = files.iter().position(|f| f == file).unwrap_or_default();
                    results.lock().expect("no panic").push((at, lines));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort();
    let all: String = results.into_iter().map(|(_, lines)| lines).collect();
    golden("corpus.txt", &all);
}

fn check(root: &std::path::Path, folder: &std::path::Path, file: &std::path::Path) -> String {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
    let (path, trace) = (file.to_str().expect("a path"), format!("{stem}.trace.json"));
    let output = run(folder, &["check", "--json", "--memory", "8G", path, "--trace", &trace]);
    assert_eq!(code(&output), 0, "{}\n{}", file.display(), stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let name = file.strip_prefix(root).expect("below the repository").display();
    let mut text = String::new();
    for entry in report["results"].as_array().expect("results") {
        assert_eq!(entry["as_expected"], true, "{entry}");
        assert_eq!(entry["verdict"] == "fails", entry["trace"].is_string(), "{entry}");
        if let Some(trace) = entry["trace"].as_str() {
            let again = run(folder, &["replay", trace]);
            assert_eq!(code(&again), 1, "{name}: {trace} fails no more\n{}", stderr(&again));
        }
        text += &format!(
            "{name}:{} {} | {} | {} | {} states, {} transitions\n",
            entry["line"],
            entry["object"].as_str().unwrap_or_default(),
            entry["property"].as_str().unwrap_or_default(),
            entry["verdict"].as_str().unwrap_or_default(),
            entry["scope"]["states"],
            entry["scope"]["transitions"],
        );
    }
    text
}
