//! The shipped models, built into the program: `@ms_queue` names one wherever a model is read.

use std::path::Path;

mod table {
    include!(concat!(env!("OUT_DIR"), "/gallery.rs"));
}

/// A model of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its path below `models/`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Shipped {
    /// What it is called: `ms_queue`.
    pub fn name(self) -> &'static str {
        Path::new(self.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(self.path)
    }

    /// What kind of object it is: `queue`.
    pub fn family(self) -> &'static str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// What it is, in the sentence with which the file begins.
    pub fn summary(self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
        let words: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        let text = words.join(" ");
        let end = text.find(". ").unwrap_or(text.len());
        text[..end].trim_end_matches('.').to_string()
    }
}

/// All of them, by family and name.
pub fn all() -> impl Iterator<Item = Shipped> {
    table::MODELS.iter().map(|(path, text)| Shipped { path, text })
}

/// Whether a path names a shipped model, known or not.
pub fn is_named(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with('@'))
}

/// The model that a path such as `@ms_queue` names; a sentence where there is none, nothing for another path.
pub fn find(path: &Path) -> Result<Option<Shipped>, String> {
    let Some(name) = path.to_str().and_then(|text| text.strip_prefix('@')) else { return Ok(None) };
    let found = all().find(|model| model.name() == name || model.path.trim_end_matches(".tl") == name);
    found.map(Some).ok_or_else(|| {
        let near: Vec<&str> = all().map(Shipped::name).filter(|known| similar(known, name)).take(5).collect();
        match near.is_empty() {
            true => format!("there is no shipped model `@{name}`; `trueline models` lists them"),
            false => format!("there is no shipped model `@{name}`; there are @{}", near.join(", @")),
        }
    })
}

/// Whether a wrong name has a word in common with a model's.
fn similar(known: &str, name: &str) -> bool {
    name.split('_').any(|word| word.len() > 2 && known.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_name_of_its_own_and_a_sentence() {
        let mut names: Vec<&str> = all().map(Shipped::name).collect();
        assert!(names.len() > 45, "{}", names.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().count(), "two models have one name");
        for model in all() {
            let summary = model.summary();
            assert!((20..200).contains(&summary.len()), "{}: {summary}", model.path);
        }
    }

    #[test]
    fn models_are_found_by_name_and_by_path() {
        let found = |name: &str| find(Path::new(name)).map(|found| found.map(|model| model.path));
        assert_eq!(found("@ms_queue"), Ok(Some("queue/ms_queue.tl")));
        assert_eq!(found("@queue/ms_queue"), Ok(Some("queue/ms_queue.tl")));
        assert_eq!(found("ms_queue"), Ok(None));
        assert!(found("@treiber_stack").unwrap_err().contains("@treiber"));
        assert!(found("@nothing").unwrap_err().contains("trueline models"));
    }
}
