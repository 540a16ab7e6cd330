//! `trueline explain WORD`

use trueline_lang::explain;
use trueline_report::document::{CommandName, Done, Explanation};

use crate::advice;
use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;

const DIAGNOSTIC: &str = "a diagnostic";

/// Prints what a code, a finding or a property means.
pub fn run(word: &str, common: &Common) -> Exit {
    let document = Document::of(CommandName::Explain, common);
    let mut found: Vec<Explanation> = Vec::new();
    if let Some(text) = explain::explain(word) {
        found.push(Explanation { name: word.to_ascii_uppercase(), kind: DIAGNOSTIC, text: text.into() });
    }
    if let Some((code, name, text)) = trueline_run::explain::explain(word) {
        let advice = trueline_run::explain::settings(code).iter().map(|s| advice::of_code(*s));
        let text = std::iter::once(text).chain(advice).collect::<Vec<_>>().join("\n\n");
        // Whoever asks for the word learns the code, and the other way round.
        let title = if word.eq_ignore_ascii_case(code) { code } else { name };
        let text = format!("{code} {name}: {text}");
        found.push(Explanation { name: title.into(), kind: "a finding of `test`", text });
    }
    let name = word.to_ascii_lowercase().replace('-', "_");
    let words = explain::word(word).into_iter();
    found.extend(words.map(|(kind, text)| Explanation { name: name.clone(), kind, text: text.into() }));
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
        document::print(Done::Explain { explanations: found }, Vec::new());
        return Exit::Expected;
    }
    for (n, Explanation { name, kind, text }) in found.iter().enumerate() {
        let gap = if n > 0 { "\n" } else { "" };
        let kind = if *kind == DIAGNOSTIC { String::new() } else { format!(" ({kind})") };
        println!("{gap}{name}{kind}\n\n{text}");
    }
    Exit::Expected
}
