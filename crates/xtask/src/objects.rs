//! Transition systems of objects under clients of a given size, for benchmarks and long runs.

use std::path::Path;

use trueline_base::{Limits, Silent};
use trueline_lang::compile::{Model, Ops, Overrides, Task, Values};
use trueline_lts::Lts;

// Models of the tables.
pub(crate) const MS: &str = "models/queue/ms_queue.tl";
pub(crate) const DGLM: &str = "models/queue/dglm_queue.tl";
pub(crate) const HW: &str = "models/queue/herlihy_wing.tl";
pub(crate) const HM: &str = "models/set/harris_michael.tl";
pub(crate) const LAZY: &str = "models/set/lazy_list.tl";
pub(crate) const HEIGHT: &str = "models/oracle/treiber_height.tl";
pub(crate) const TREIBER: &str = "models/stack/treiber.tl";
pub(crate) const CCAS: &str = "models/cas/ccas.tl";
pub(crate) const ABSTRACT: &str = "models/queue/abstract_queue.tl";

/// An object with its client.
#[derive(Clone, Copy)]
pub struct ModelRow {
    model: &'static str,
    check: usize,
    client: Client,
    values: Option<u32>,
    spec: bool,
}

#[derive(Clone, Copy)]
enum Client {
    Size { threads: u32, ops: u32 },
    Text(&'static str),
}

/// The object of a check (counted from 1) of a model, under the check's client at another size.
pub const fn object(model: &'static str, check: usize, threads: u32, ops: u32) -> ModelRow {
    ModelRow { model, check, client: Client::Size { threads, ops }, values: None, spec: false }
}

impl ModelRow {
    /// With so many values.
    pub const fn values(self, values: u32) -> ModelRow {
        ModelRow { values: Some(values), ..self }
    }

    /// Under a client as one writes it behind `--client`.
    pub const fn client(self, text: &'static str) -> ModelRow {
        ModelRow { client: Client::Text(text), ..self }
    }

    /// Its specification under the same client.
    pub const fn spec(self) -> ModelRow {
        ModelRow { spec: true, ..self }
    }

    /// Its transition system.
    pub fn system(&self, root: &Path) -> Result<Lts, String> {
        let task = self.task(root)?;
        let spec = task.specification().filter(|_| self.spec);
        if self.spec && spec.is_none() {
            return Err(format!("{}: the check does not ask for linearizability", self.model));
        }
        trueline_check::system(&task.machine, spec, &Limits::default(), &mut Silent)
            .map_err(|refusal| format!("{}: {refusal:?}", self.model))
    }

    /// The check, instantiated.
    pub fn task(&self, root: &Path) -> Result<Task, String> {
        let text =
            std::fs::read_to_string(root.join(self.model)).map_err(|e| format!("{}: {e}", self.model))?;
        let mut overrides = Overrides { values: self.values.map(Values::Count), ..Overrides::default() };
        match self.client {
            Client::Size { threads, ops } => {
                (overrides.threads, overrides.ops) = (Some(threads), Some(Ops::Count(ops)));
            }
            Client::Text(text) => overrides.client = Some(text.to_string()),
        }
        let task = Model::parse(text).instantiate(self.check - 1, &overrides);
        task.map_err(|refusal| format!("{}: {refusal:?}", self.model))
    }
}
