//! Checks: their clauses, properties and clients.

use trueline_base::Span;

use super::{Arg, Expr, Name, SpecRef};

/// A `check` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The object.
    pub object: Name,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// `with NAME = value`.
    pub with: Vec<(Name, Expr)>,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// The whole item.
    pub span: Span,
}

/// A clause of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Which.
    pub kind: ClauseKind,
    /// Where.
    pub span: Span,
}

/// The forms of clauses.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ClauseKind {
    Threads(Expr),
    /// `None` for `ops forever;`
    Ops(Option<Expr>),
    /// `None` for `values tid;`
    Values(Option<Expr>),
    Calls(Vec<Expr>),
    Role {
        name: Name,
        count: Option<Expr>,
        body: ClientBlock,
    },
    /// What the main thread does before the others begin.
    Before(ClientBlock),
    /// What it does after they are done.
    After(ClientBlock),
    Property {
        property: Property,
        expect: Option<Expect>,
    },
}

/// `expect fails` or `expect fails(KIND)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The kind in parentheses.
    pub kind: Option<Name>,
    /// Where.
    pub span: Span,
}

/// A property that is asked.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Property {
    Safe,
    Linearizable {
        to: Option<SpecRef>,
    },
    Refines(SpecRef),
    Equivalent {
        other: SpecRef,
        by: Option<Name>,
    },
    LockFree,
    /// `wait_free`, `wait_free op`
    WaitFree {
        op: Option<Name>,
    },
    ObstructionFree,
    DeadlockFree,
    StarvationFree,
    LeakFree,
    Invariant(Expr),
    Ltl {
        formula: String,
        fair: Option<Name>,
    },
    /// What is no property; reported already.
    Unknown(Name),
}

/// The properties that are asked by their word alone.
static ALONE: [Property; 8] = [
    Property::Safe,
    Property::Linearizable { to: None },
    Property::LeakFree,
    Property::LockFree,
    Property::WaitFree { op: None },
    Property::ObstructionFree,
    Property::DeadlockFree,
    Property::StarvationFree,
];

impl Property {
    /// The words of those that can be asked by their word alone.
    pub fn words_alone() -> impl Iterator<Item = &'static str> {
        ALONE.iter().map(Property::word)
    }

    /// The property that is asked by this word alone.
    pub fn alone(word: &str) -> Option<&'static Property> {
        ALONE.iter().find(|property| property.word() == word)
    }

    /// The word that it begins with.
    pub fn word(&self) -> &str {
        match self {
            Property::Safe => "safe",
            Property::Linearizable { .. } => "linearizable",
            Property::Refines(_) => "refines",
            Property::Equivalent { .. } => "equivalent",
            Property::LockFree => "lock_free",
            Property::WaitFree { .. } => "wait_free",
            Property::ObstructionFree => "obstruction_free",
            Property::DeadlockFree => "deadlock_free",
            Property::StarvationFree => "starvation_free",
            Property::LeakFree => "leak_free",
            Property::Invariant(_) => "invariant",
            Property::Ltl { .. } => "ltl",
            Property::Unknown(name) => &name.text,
        }
    }
}

/// The client of a command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Client {
    /// What the main thread does before the others begin.
    pub before: Option<ClientBlock>,
    /// One per thread.
    pub threads: Vec<ClientBlock>,
    /// What the main thread does after the others are done.
    pub after: Option<ClientBlock>,
}

/// The program of a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientBlock {
    /// Its statements.
    pub stmts: Vec<ClientStmt>,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientStmt {
    /// Which.
    pub kind: ClientStmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of a role's statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ClientStmtKind {
    /// `a() or b();`, each an `ExprKind::Call`.
    Calls(Vec<Expr>),
    Let {
        name: Name,
        call: Expr,
    },
    /// The condition may contain one call.
    If {
        condition: Expr,
        then: ClientBlock,
        otherwise: Option<ClientBlock>,
    },
    Repeat {
        count: Expr,
        body: ClientBlock,
    },
    Forever(ClientBlock),
}
