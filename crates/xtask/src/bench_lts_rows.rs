//! The systems of `cargo xtask bench lts`: objects under small clients, products, hubs, random ones.
//!
//! Sizes of quotients that are published or were computed by others are part of a row. The objects
//! are those of Yang, Katoen, Lin, Liu and Wu (DSN 2018); their raw sizes depend on how finely the
//! steps are modelled and differ from those of others, their branching quotients do not.

use std::path::Path;

use trueline_lts::{Lts, sample};

use crate::objects::{ModelRow, TREIBER, object};

/// A system with a name.
pub struct System {
    /// Also the name of its file.
    pub name: &'static str,
    from: From,
}

enum From {
    Rule(fn() -> Lts),
    Object(ModelRow),
}

impl System {
    /// The system itself.
    pub fn make(&self, root: &Path) -> Result<Lts, String> {
        match &self.from {
            From::Rule(make) => Ok(make()),
            From::Object(object) => object.system(root),
        }
    }
}

/// A system to reduce.
pub struct Row {
    /// Which.
    pub system: System,
    /// By what; the size of the quotient where others know it.
    pub by: &'static [(&'static str, Option<u64>)],
    structured: bool,
}

impl Row {
    /// How many times faster than the peer we want to be.
    pub fn target(&self, by: &str) -> f64 {
        if self.structured && by != "strong" { 4.0 } else { 1.0 }
    }
}

/// The equivalences that the peer has an algorithm of its own for.
pub const BISIMULATIONS: &[&str] = &["strong", "branching", "dpbranching"];

/// What is reduced.
pub const REDUCTIONS: &[Row] = &[
    Row {
        system: System { name: "treiber-3x2x2", from: From::Object(object(TREIBER, 2, 3, 2).values(2)) },
        by: &[("branching", Some(12_412)), ("dpbranching", Some(12_412))],
        structured: true,
    },
    Row {
        system: TREIBER_331,
        by: &[("branching", Some(15_415)), ("dpbranching", Some(15_415)), ("strong", None)],
        structured: true,
    },
    Row {
        system: System {
            name: "spin-stack-3x3x1",
            from: From::Object(object("crates/xtask/bench/spin_stack.tl", 1, 3, 3)),
        },
        by: &[("branching", Some(15_415)), ("dpbranching", Some(36_080))],
        structured: true,
    },
    Row {
        system: PRODUCT,
        by: &[("branching", Some(1024)), ("dpbranching", Some(1024)), ("strong", None)],
        structured: true,
    },
    Row {
        system: System { name: "choices-12", from: From::Rule(|| sample::choices(12)) },
        by: &[("branching", Some(531_441)), ("dpbranching", Some(531_441))],
        structured: true,
    },
    Row {
        system: System { name: "hubs-200x20000", from: From::Rule(|| sample::hubs(200, 20_000)) },
        by: &[("branching", None)],
        structured: false,
    },
    Row {
        system: System {
            name: "random-acyclic",
            from: From::Rule(|| sample::random_large(1, 2_500_000, 10_000_000, 50, 3, true)),
        },
        by: &[("branching", None)],
        structured: false,
    },
    Row {
        system: System {
            name: "random-giant-component",
            from: From::Rule(|| sample::random_large(1, 2_500_000, 10_000_000, 50, 3, false)),
        },
        by: &[("branching", None)],
        structured: false,
    },
];

const TREIBER_331: System =
    System { name: "treiber-3x3x1", from: From::Object(object(TREIBER, 2, 3, 3).values(1)) };
const TREIBER_331_SPEC: System =
    System { name: "stack-3x3x1", from: From::Object(object(TREIBER, 2, 3, 3).values(1).spec()) };
const PRODUCT: System = System { name: "product-10-inert", from: From::Rule(|| sample::product(10, 2)) };
const PRODUCT_SPEC: System = System { name: "product-10", from: From::Rule(|| sample::product(10, 0)) };
const CHOICES: System = System { name: "choices-7", from: From::Rule(|| sample::choices(7)) };

/// What is included in what.
pub const INCLUSIONS: &[(System, System)] =
    &[(TREIBER_331, TREIBER_331_SPEC), (PRODUCT, PRODUCT_SPEC), (CHOICES, CHOICES)];
