//! `trueline show`: what a model means.

use trueline_lang::compile::{self, Overrides, Refusal};
use trueline_lang::steps;

use trueline_report::Problem;
use trueline_report::document::Done;

use crate::args::{Common, ShowArgs};
use crate::document;
use crate::exit::Exit;
use crate::files;

/// Shows steps or a ready-made specification.
pub fn run(args: &ShowArgs, common: &Common) -> Exit {
    if let Some(name) = &args.spec {
        return spec(name, common);
    }
    let Some(path) = &args.file else { return Exit::Usage };
    let source = match files::read(path) {
        Ok(source) => source,
        Err(message) => {
            let problem = Problem::of_file(&path.display().to_string(), &message);
            return refuse(vec![problem], Some(&message), common);
        }
    };
    if !args.steps && !args.essential {
        let problems = source.model.diagnose();
        let told = crate::terminal::problems(&source, &problems, common);
        if problems.iter().any(trueline_base::Diagnostic::is_error) {
            return refuse(told, None, common);
        }
        return show(source.text(), told, common);
    }
    match source.model.instantiate(args.check.saturating_sub(1), &Overrides::default()) {
        Ok(task) if args.essential => match super::essential::tell(&task, source.text(), common) {
            Ok(told) if common.json => {
                let done = Done::Show { text: Some(told.text), essential: Some(told.data) };
                document::print(done, Vec::new());
                Exit::Expected
            }
            Ok(told) => show(&told.text, Vec::new(), common),
            Err(message) => {
                refuse(vec![Problem::of_file(&source.path, &message)], Some(&message), common);
                Exit::Unknown
            }
        },
        Ok(task) => {
            let module = &task.machine.object;
            let text =
                if args.dot { steps::dot(module, source.text()) } else { steps::text(module, source.text()) };
            show(&text, Vec::new(), common)
        }
        Err(Refusal::Model(problems)) => {
            refuse(crate::terminal::problems(&source, &problems, common), None, common)
        }
        Err(Refusal::NoCheck) => {
            let message = format!("{}: there is no check number {} in this file", source.path, args.check);
            refuse(vec![Problem::of_file(&source.path, &message)], Some(&message), common)
        }
        Err(_) => refuse(Vec::new(), None, common),
    }
}

/// Prints a text, as part of a document with `--json`.
fn show(text: &str, diagnostics: Vec<Problem>, common: &Common) -> Exit {
    match common.json {
        true => {
            document::print(Done::Show { text: Some(text.into()), essential: None }, diagnostics);
        }
        false => print!("{text}"),
    }
    Exit::Expected
}

/// Says why there is nothing to show; diagnostics are printed already unless `--json` wants them.
fn refuse(diagnostics: Vec<Problem>, message: Option<&str>, common: &Common) -> Exit {
    match (common.json, message) {
        (true, _) => {
            document::print(Done::Show { text: None, essential: None }, diagnostics);
        }
        (false, Some(message)) => eprintln!("error: {message}"),
        (false, None) => {}
    }
    Exit::Input
}

fn spec(name: &str, common: &Common) -> Exit {
    if name.is_empty() {
        return show(&format!("{}\n", compile::ready_made_names().join("\n")), Vec::new(), common);
    }
    match compile::ready_made(name) {
        Some(text) => show(&format!("{text}\n"), Vec::new(), common),
        None => {
            let known = compile::ready_made_names().join(", ");
            let message = format!("there is no ready-made specification `{name}`\nthere are: {known}");
            refuse(vec![Problem::of_file("", &message)], Some(&message), common)
        }
    }
}
