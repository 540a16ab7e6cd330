//! Diagnostics with the source that they are about.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;
use trueline_base::{Diagnostic, Severity, Span};

/// Bytes of source above which only the lines around the message are handed on.
const LARGE: usize = 1 << 16;

/// One message with its lines of source.
pub fn render_diagnostic(path: &str, source: &str, diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let spans = diagnostic.labels.iter().map(|l| l.span).chain([diagnostic.span]);
    let spans: Vec<Range<usize>> = spans.map(|span| fit(source, span)).collect();
    let window = window(source, &spans);
    let shifted = |span: Span| {
        let range = fit(source, span);
        range.start.max(window.start) - window.start..range.end.clamp(window.start, window.end) - window.start
    };
    let line = source[..window.start].matches('\n').count() + 1;
    let mut snippet = Snippet::source(&source[window.clone()])
        .path(path)
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(shifted(diagnostic.span)));
    for label in &diagnostic.labels {
        snippet =
            snippet.annotation(AnnotationKind::Context.span(shifted(label.span)).label(label.text.as_str()));
    }
    let mut group: Group<'_> =
        level.primary_title(diagnostic.message.as_str()).id(diagnostic.code).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.decor_style(DecorStyle::Unicode).render(&[group]);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The span inside the text, on the borders of characters.
fn fit(source: &str, span: Span) -> Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start as usize);
    start..floor(span.end as usize).max(start)
}

/// The part of a large source that is handed on: the lines of the spans that are near the last
/// one, which is the message's own.
fn window(source: &str, spans: &[Range<usize>]) -> Range<usize> {
    if source.len() <= LARGE {
        return 0..source.len();
    }
    let own = spans.last().cloned().unwrap_or(0..0);
    let near = |r: &&Range<usize>| r.start.abs_diff(own.start) < LARGE;
    let start = spans.iter().filter(near).map(|r| r.start).min().unwrap_or(own.start);
    let end = spans.iter().filter(near).map(|r| r.end.min(r.start + LARGE)).max().unwrap_or(own.end);
    let start = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = fit(source, Span::new(end, end)).start.max(start);
    let end = source[end..].find('\n').map_or(source.len(), |at| end + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_its_line_its_code_and_the_way_out() {
        let source = "object Counter {\n    shared n: itn = 0;\n}\n";
        let at = source.find("itn").expect("it is there");
        let diagnostic = Diagnostic::error("E0201", Span::new(at, at + 3), "there is no type `itn`")
            .help("did you mean `int`?");
        let text = render_diagnostic("counter.tl", source, &diagnostic, false);
        for part in
            ["error[E0201]: there is no type `itn`", "counter.tl:2:15", "itn", "help: did you mean `int`?"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
        assert!(render_diagnostic("counter.tl", source, &diagnostic, true).contains('\u{1b}'));
    }

    #[test]
    fn spans_that_do_not_fit_and_large_sources_are_harmless() {
        let source = format!("ä{}\nlast", "x\n".repeat(100_000));
        for span in
            [Span::new(1, 2), Span::new(5, 2), Span::new(200_000, 900_000), Span::new(9_000_000, 9_000_001)]
        {
            let diagnostic = Diagnostic::warning("W0001", span, "odd").label(Span::new(0, 1), "here");
            assert!(render_diagnostic("big.tl", &source, &diagnostic, false).contains("warning[W0001]: odd"));
        }
    }
}
