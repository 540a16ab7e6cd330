//! `trueline explain WORD`

use trueline_lang::explain;

use crate::advice;
use crate::args::Common;
use crate::document::Document;
use crate::exit::Exit;

/// Prints what a code, a finding or a property means.
pub fn run(word: &str, common: &Common) -> Exit {
    let document = Document::of("explain", common);
    let mut found: Vec<(String, &str, String)> = Vec::new();
    if let Some(text) = explain::explain(word) {
        found.push((word.to_ascii_uppercase(), "a diagnostic", text.into()));
    }
    if let Some((code, name, text)) = trueline_run::explain::explain(word) {
        let advice = trueline_run::explain::settings(code).iter().map(|s| advice::of_code(*s));
        let text = std::iter::once(text).chain(advice).collect::<Vec<_>>().join("\n\n");
        // Whoever asks for the word learns the code, and the other way round.
        let title = if word.eq_ignore_ascii_case(code) { code } else { name };
        found.push((title.into(), "a finding of `test`", format!("{code} {name}: {text}")));
    }
    found.extend(
        explain::word(word)
            .into_iter()
            .map(|(kind, text)| (word.to_ascii_lowercase().replace('-', "_"), kind, text.to_string())),
    );
    if found.is_empty() {
        let names = |all: &[(&str, &str)]| all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let message = format!(
            "there is nothing to explain about `{word}`; there are codes such as E0202 and R0102, the findings {}, and the properties {}",
            names(explain::words::FINDINGS),
            names(explain::words::PROPERTIES)
        );
        return document.refuse("", &message, Exit::Input);
    }
    if common.json {
        let all: Vec<_> = found
            .iter()
            .map(|(name, kind, text)| serde_json::json!({ "name": name, "kind": kind, "text": text }))
            .collect();
        document.print(serde_json::json!({ "explanations": all }), &[]);
        return Exit::Expected;
    }
    for (n, (name, kind, text)) in found.iter().enumerate() {
        let gap = if n > 0 { "\n" } else { "" };
        let kind = if *kind == "a diagnostic" { String::new() } else { format!(" ({kind})") };
        println!("{gap}{name}{kind}\n\n{text}");
    }
    Exit::Expected
}
