//! Clients: what each thread calls.

use super::{Expr, OpId, Slot};

/// Index into [`Script::nodes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A thread of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// The role's name; none for the most general client. Threads with the same script and role are interchangeable.
    pub role: Option<String>,
    /// What it does.
    pub script: Script,
}

/// A small program of calls. Its slots are its own variables, numbered from 0, `Unit` at first.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The nodes; execution begins at [`Script::START`].
    pub nodes: Vec<ScriptNode>,
    /// The names of the variables.
    pub variables: Vec<String>,
}

impl Script {
    /// Where execution begins.
    pub const START: NodeId = NodeId(0);

    /// A node by its number.
    #[inline]
    pub fn node(&self, id: NodeId) -> &ScriptNode {
        &self.nodes[id.0 as usize]
    }

    /// Whether it can come to its end.
    pub fn ends(&self) -> bool {
        let (mut open, mut seen) = (vec![Script::START], vec![false; self.nodes.len()]);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            match self.node(node) {
                ScriptNode::Done => return true,
                ScriptNode::Call(alternatives) => {
                    open.extend(alternatives.iter().map(|a: &Alternative| a.next))
                }
                ScriptNode::Test { yes, no, .. } => open.extend([*yes, *no]),
            }
        }
        false
    }
}

/// Where a script stands.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptNode {
    /// The thread calls nothing more.
    Done,
    /// One of these calls.
    Call(Vec<Alternative>),
    /// Goes on at once at one of two nodes. The condition does not fail.
    Test {
        /// Over the script's variables.
        condition: Expr,
        /// Where it is true.
        yes: NodeId,
        /// Where it is false.
        no: NodeId,
    },
}

/// A call that a script may make.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The operation.
    pub op: OpId,
    /// Its arguments, over the script's variables.
    pub args: Vec<Expr>,
    /// The variable that takes the result.
    pub result: Option<Slot>,
    /// Where the script goes on after the return.
    pub next: NodeId,
    /// Of a role: a false `requires` is a finding. Otherwise such a call is not offered.
    pub role: bool,
}
