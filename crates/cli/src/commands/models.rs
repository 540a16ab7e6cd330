//! `trueline models`: the shipped models, with a line each.

use trueline_lang::compile::{Expectation, Model, Overrides};
use trueline_report::document::{CommandName, Done, ShippedModel};

use crate::args::Common;
use crate::document::{self, Document};
use crate::exit::Exit;
use crate::gallery::{self, Shipped};
use crate::terminal;

/// Lists the models of a family, or all.
pub fn run(family: Option<&str>, markdown: bool, common: &Common) -> Exit {
    if markdown {
        print!("{}", readme());
        return Exit::Expected;
    }
    let wanted = |model: &Shipped| family.is_none_or(|family| model.family() == family);
    let models: Vec<Shipped> = gallery::all().filter(wanted).collect();
    let document = Document::of(CommandName::Models, common);
    if models.is_empty() {
        let mut families: Vec<&str> = gallery::all().map(Shipped::family).collect();
        families.dedup();
        let message = format!("there is no family of this name; there are {}", families.join(", "));
        return document.refuse("", &message, Exit::Usage);
    }
    if common.json {
        document::print(Done::Models { models: models.iter().map(entry).collect() }, Vec::new());
        return Exit::Expected;
    }
    let widest = models.iter().map(|model| model.name().len()).max().unwrap_or(0);
    let mut last = "";
    for model in &models {
        if model.family() != last {
            last = model.family();
            println!("{}{last}", if model == &models[0] { "" } else { "\n" });
        }
        let room = terminal::width(common).saturating_sub(widest + 5).max(20);
        let name = format!("@{}", model.name());
        for (n, line) in wrapped(&model.summary(), room).iter().enumerate() {
            println!("  {:width$}  {line}", if n == 0 { &name } else { "" }, width = widest + 1);
        }
    }
    if family.is_none() {
        println!("\ntry    trueline check @ms_queue     trueline show @ms_queue");
    }
    Exit::Expected
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_string());
        } else {
            *last += if last.is_empty() { "" } else { " " };
            *last += word;
        }
    }
    lines
}

/// What the checks of a model expect.
struct Expected {
    hold: usize,
    fail: usize,
    /// The parameters under which something fails.
    variants: Vec<String>,
}

fn expected(model: &Shipped) -> Expected {
    let parsed = Model::parse(model.text);
    let mut all = Expected { hold: 0, fail: 0, variants: Vec::new() };
    for index in 0..parsed.checks() {
        let Ok(task) = parsed.instantiate(index, &Overrides::default()) else { continue };
        let asked = || task.asked.iter().filter(|asked| !asked.implied);
        let fails = asked().filter(|asked| asked.expect != Expectation::Holds).count();
        all.hold += asked().count() - fails;
        all.fail += fails;
        if fails > 0 && !task.with.is_empty() && !all.variants.contains(&task.with) {
            all.variants.push(task.with.clone());
        }
    }
    all
}

fn entry(model: &Shipped) -> ShippedModel {
    let Expected { hold, fail, variants } = expected(model);
    let (name, family) = (model.name().into(), model.family().into());
    let file = format!("models/{}", model.path);
    ShippedModel { name, family, file, summary: model.summary(), hold, fail, variants }
}

/// The README of `models/`.
fn readme() -> String {
    let mut text = String::from(README);
    for model in gallery::all() {
        let Expected { hold, fail, variants } = expected(&model);
        let variants: Vec<String> = variants.iter().map(|with| format!("`{with}`")).collect();
        let summary = model.summary().replace('|', "\\|");
        let path = model.path;
        text += &format!(
            "| [{}]({path}) | {summary} | {hold} | {fail} | {} |\n",
            model.name(),
            variants.join("; ")
        );
    }
    text
}

const README: &str = "# Models

One file per algorithm, to be read next to its paper, which the file names. Parameters (`param`) set sizes and switch
single ideas off; each `check` says what is expected. They are built into the program: `trueline models` lists them,
`trueline check @ms_queue` runs one, `trueline show @ms_queue` prints it, `trueline show --steps @ms_queue` shows what
interleaves. `trueline check models` runs all files of this folder.

This page is made from the files by `trueline models --markdown`: what each begins with, how many properties are
expected to hold and to fail, and the parameters under which something fails.

| model | what it is | hold | fail | fails with |
|---|---|---|---|---|
";
