//! Which files a command line names, and what stands in them.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use trueline_lang::compile::Model;

use crate::gallery;

/// A model with its path as the user sees it.
pub struct ModelFile {
    /// The path.
    pub path: String,
    /// The model.
    pub model: Model,
}

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

/// All models below the given paths, in order; folders are searched for `.tl` files.
pub fn models(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if is_standard_input(path) || gallery::find(path)?.is_some() {
            all.push(path.clone());
            continue;
        }
        let meta = std::fs::metadata(path).map_err(|e| format!("{}: {}", path.display(), reason(&e)))?;
        if !meta.is_dir() {
            all.push(path.clone());
            continue;
        }
        let before = all.len();
        walk(path, &mut all, 0)?;
        if all.len() == before {
            return Err(format!("{}: there is no model (.tl) in this folder", path.display()));
        }
    }
    Ok(all)
}

fn walk(folder: &Path, all: &mut Vec<PathBuf>, depth: u32) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {}", folder.display(), reason(&e)))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            // Links may lead in circles.
            if depth < 32 {
                walk(&path, all, depth + 1)?;
            }
        } else if path.extension().is_some_and(|e| e == "tl") {
            all.push(path);
        }
    }
    Ok(())
}

/// Reads a model.
pub fn read(path: &Path) -> Result<ModelFile, String> {
    let text = read_text(path)?;
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let load = |from: &str, wanted: &str| {
        let folder = if from.is_empty() { Some(beside.as_path()) } else { Path::new(from).parent() };
        let found = folder.unwrap_or(Path::new("")).join(wanted);
        let text = read_text(&found)?;
        Ok((found.display().to_string(), text))
    };
    let shown = if is_standard_input(path) { STANDARD_INPUT.into() } else { path.display().to_string() };
    Ok(ModelFile { path: shown, model: Model::load(text, &mut { load }) })
}

impl ModelFile {
    /// The text of the file itself, without those that it uses.
    pub fn text(&self) -> &str {
        self.model.text()
    }
}

/// What a model is called that was read from standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// Whether the path means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads a text file of a sane size, or standard input for `-`.
pub fn read_text(path: &Path) -> Result<String, String> {
    if is_standard_input(path) {
        let mut bytes = Vec::new();
        let input = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
        input.map_err(|e| format!("standard input: {}", reason(&e)))?;
        if bytes.len() as u64 > LARGEST {
            return Err("standard input: this is more than a model can have".into());
        }
        return String::from_utf8(bytes).map_err(|_| "standard input: this is not UTF-8 text".into());
    }
    if let Some(model) = gallery::find(path)? {
        return Ok(model.text.to_string());
    }
    let shown = path.display();
    let meta = std::fs::metadata(path).map_err(|e| format!("{shown}: {}", reason(&e)))?;
    if meta.is_dir() {
        return Err(format!("{shown}: this is a folder"));
    }
    if meta.len() > LARGEST {
        return Err(format!("{shown}: {} bytes are more than a model can have", meta.len()));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("{shown}: {}", reason(&e)))?;
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = good.iter().filter(|b| **b == b'\n').count() + 1;
        format!("{shown}:{line}: this is not UTF-8 text")
    })
}

/// A file as it is named in a folder: with `..` up to where the two meet. Its full name where there is no such way.
pub fn seen_from(folder: &Path, file: &Path) -> String {
    let plain = |path: &Path| {
        let whole = std::path::absolute(path).ok()?;
        // Links are followed only where `..` could lead elsewhere.
        let climbs = whole.components().any(|part| part == Component::ParentDir);
        if climbs { whole.canonicalize().ok() } else { Some(whole) }
    };
    let (Some(folder), Some(whole)) = (plain(folder), plain(file)) else {
        return file.display().to_string();
    };
    let common = folder.components().zip(whole.components()).take_while(|(a, b)| a == b).count();
    let mut way: PathBuf = folder.components().skip(common).map(|_| "..").collect();
    way.extend(whole.components().skip(common));
    way.display().to_string()
}

/// A path without detours such as `traces/../models`, where that is the same file.
pub fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match (part, short.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                short.pop();
            }
            _ => short.push(part),
        }
    }
    match (short.canonicalize(), path.canonicalize()) {
        (Ok(one), Ok(two)) if one == two => short,
        _ => path.to_path_buf(),
    }
}

/// Why a file cannot be had, in a few words.
pub fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "it may not be read".into(),
        _ => e.to_string(),
    }
}
