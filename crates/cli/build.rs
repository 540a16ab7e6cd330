//! Builds the shipped models into the program, as a table of their paths and texts.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let models = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../models");
    println!("cargo:rerun-if-changed={}", models.display());
    let mut table = String::from(
        "/// Where each model stands below `models/`, and its text.\npub static MODELS: &[(&str, &str)] = &[\n",
    );
    for family in sorted(&models).into_iter().filter(|path| path.is_dir()) {
        println!("cargo:rerun-if-changed={}", family.display());
        for file in sorted(&family).into_iter().filter(|path| path.extension().is_some_and(|e| e == "tl")) {
            let below = file.strip_prefix(&models).expect("it was found there").display().to_string();
            let file = file.canonicalize().expect("it was found there");
            writeln!(table, "    ({below:?}, include_str!({:?})),", file.display().to_string())
                .expect("a string grows");
        }
    }
    table += "];\n";
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("gallery.rs");
    std::fs::write(out, table).expect("cargo's folder can be written");
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
