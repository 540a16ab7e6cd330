//! `trueline show`: what a model means.

use trueline_lang::compile::{self, Overrides, Refusal};
use trueline_lang::steps;

use crate::args::{Common, ShowArgs};
use crate::exit::Exit;
use crate::files;

/// Shows steps or a ready-made specification.
pub fn run(args: &ShowArgs, common: &Common) -> Exit {
    if let Some(name) = &args.spec {
        return spec(name);
    }
    let Some(path) = &args.file else { return Exit::Usage };
    let source = match files::read(path) {
        Ok(source) => source,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Input;
        }
    };
    if !args.steps {
        let problems = source.model.diagnose();
        if !problems.is_empty() {
            crate::terminal::problems(&source, &problems, common);
        }
        if problems.iter().any(trueline_base::Diagnostic::is_error) {
            return Exit::Input;
        }
        print!("{}", source.text());
        return Exit::Expected;
    }
    match source.model.instantiate(args.check.saturating_sub(1), &Overrides::default()) {
        Ok(task) => {
            let module = &task.machine.object;
            let text = if args.dot {
                steps::dot(module, source.model.source())
            } else {
                steps::text(module, source.model.source())
            };
            print!("{text}");
            Exit::Expected
        }
        Err(Refusal::Model(problems)) => {
            crate::terminal::problems(&source, &problems, common);
            Exit::Input
        }
        Err(Refusal::NoCheck) => {
            eprintln!("error: {}: there is no check number {} in this file", source.path, args.check);
            Exit::Input
        }
        Err(_) => Exit::Input,
    }
}

fn spec(name: &str) -> Exit {
    if name.is_empty() {
        for name in compile::ready_made_names() {
            println!("{name}");
        }
        return Exit::Expected;
    }
    match compile::ready_made(name) {
        Some(text) => {
            println!("{text}");
            Exit::Expected
        }
        None => {
            eprintln!("error: there is no ready-made specification `{name}`");
            eprintln!("there are: {}", compile::ready_made_names().join(", "));
            Exit::Input
        }
    }
}
