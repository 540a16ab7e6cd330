//! `use "file.tl";`: specifications and types of other files.
//!
//! Each file is a source of its own: the spans of its items say which file they are about, and where in it.
//! Objects and checks of a file that is used are left out: what is checked stands in one file.

use std::ops::Range;

use trueline_base::{Diagnostic, SourceId, Span};

use crate::syntax::{File, Item};

/// More files than this are refused.
const MOST_FILES: usize = 64;

/// Gives the text of a file that another one names: the path of the latter, empty for the first, and what it says.
/// The answer is the path as users see it, and the text.
pub type Load<'l> = dyn FnMut(&str, &str) -> Result<(String, String), String> + 'l;

/// The source of the first file that is used; the others follow. Those below are the model's own text, the ready-made
/// specifications and what a command line says.
const FIRST: u16 = 1 << 15;

/// Which of the files that are used a source is.
pub(super) fn place(source: SourceId) -> Option<usize> {
    source.0.checked_sub(FIRST).map(usize::from)
}

/// A file that is used, with the place of its text among all texts.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub path: String,
    pub text: Range<usize>,
}

/// All texts behind one another, the items of all files, the files and what is wrong.
pub(super) struct Loaded {
    pub source: String,
    pub items: Vec<Item>,
    pub used: Vec<Used>,
    pub problems: Vec<Diagnostic>,
}

/// The files that a tree names, and those that they name.
pub(super) fn load(source: String, tree: &File, load: &mut Load<'_>) -> Loaded {
    let mut loaded = Loaded { source, items: tree.items.clone(), used: Vec::new(), problems: Vec::new() };
    let mut open: Vec<(String, String, Span)> = names(String::new(), tree).collect();
    open.reverse();
    while let Some((from, wanted, span)) = open.pop() {
        let (path, text) = match load(&from, &wanted) {
            Ok(found) => found,
            Err(why) => {
                loaded.problems.push(
                    Diagnostic::error("E0113", span, why).help("the path is that of a file beside this one"),
                );
                continue;
            }
        };
        if loaded.used.iter().any(|used| used.path == path) {
            continue;
        }
        if loaded.used.len() == MOST_FILES {
            let text = format!("a model uses at most {MOST_FILES} files");
            loaded.problems.push(Diagnostic::error("E0113", span, text));
            break;
        }
        let (tree, problems) = crate::parser::file(&text, SourceId(FIRST + loaded.used.len() as u16));
        loaded.problems.extend(problems);
        loaded.source.push('\n');
        let start = loaded.source.len();
        loaded.source.push_str(&text);
        loaded.used.push(Used { path: path.clone(), text: start..loaded.source.len() });
        let further: Vec<_> = names(path, &tree).collect();
        open.extend(further.into_iter().rev());
        let kept = |item: &Item| !matches!(item, Item::Object(_) | Item::Check(_) | Item::Use(_));
        loaded.items.extend(tree.items.into_iter().filter(kept));
    }
    loaded
}

fn names(from: String, tree: &File) -> impl Iterator<Item = (String, String, Span)> {
    tree.items.iter().filter_map(move |item| match item {
        Item::Use(used) => Some((from.clone(), used.path.clone(), used.span)),
        _ => None,
    })
}
