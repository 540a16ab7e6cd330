//! Formulas as text. Parts that are used more than once get names and are explained below.
//!
//! Writes with a stack of its own: a formula may be as deep as a system has states.

use super::{Action, Connective, Formula, FormulaId};
use std::fmt;

enum Piece<'a> {
    Text(&'static str),
    Action(&'a Action),
    Part(FormulaId),
    Tight(FormulaId),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Tau => f.write_str("tau"),
            Action::Visible(name)
                if name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty() =>
            {
                f.write_str(name)
            }
            Action::Visible(name) => write!(f, "{name:?}"),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named();
        self.write(f, self.root(), &named)?;
        for at in (0..self.size()).rev() {
            if let Some(name) = named[at] {
                write!(f, "\n  where X{name} = ")?;
                self.write(f, FormulaId(at as u32), &named)?;
            }
        }
        Ok(())
    }
}

impl Formula {
    /// A number for each part that is used more than once and is not trivial.
    fn named(&self) -> Vec<Option<usize>> {
        let mut uses = vec![0; self.size()];
        for node in self.nodes() {
            node.parts().iter().for_each(|f| uses[f.index()] += 1);
        }
        let trivial = |at: usize| match &self.nodes()[at] {
            Connective::True => true,
            node => node.parts().iter().all(|f| self.nodes()[f.index()] == Connective::True),
        };
        let shared: Vec<usize> = (0..self.size()).filter(|&at| uses[at] > 1 && !trivial(at)).collect();
        let mut named = vec![None; self.size()];
        for (number, &at) in shared.iter().rev().enumerate() {
            named[at] = Some(number + 1);
        }
        named
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, root: FormulaId, named: &[Option<usize>]) -> fmt::Result {
        let mut stack = vec![Piece::Part(root)];
        while let Some(piece) = stack.pop() {
            let (id, tight) = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Action(action) => {
                    write!(f, "{action}")?;
                    continue;
                }
                Piece::Part(id) => (id, false),
                Piece::Tight(id) => (id, true),
            };
            match named[id.index()].filter(|_| id != root) {
                Some(name) => write!(f, "X{name}")?,
                None => {
                    let from = stack.len();
                    self.pieces(id, tight, &mut stack);
                    stack[from..].reverse();
                }
            }
        }
        Ok(())
    }

    /// What a formula is written as, in order.
    fn pieces<'a>(&'a self, id: FormulaId, tight: bool, out: &mut Vec<Piece<'a>>) {
        use Piece::{Part, Text, Tight};
        match &self.nodes()[id.index()] {
            Connective::True => out.push(Text("true")),
            Connective::Not(inner) => out.extend([Text("not "), Tight(*inner)]),
            Connective::And(all) => {
                out.push(Text(if tight { "(" } else { "" }));
                for (i, part) in all.iter().enumerate() {
                    out.extend([Text(if i > 0 { " and " } else { "" }), Tight(*part)]);
                }
                out.push(Text(if tight { ")" } else { "" }));
            }
            Connective::Can(action, then) => {
                out.extend([Text("<"), Piece::Action(action), Text("> "), Tight(*then)]);
            }
            Connective::Weak(Action::Tau, then) => out.extend([Text("<tau*> "), Tight(*then)]),
            Connective::Weak(action, then) => {
                out.extend([Text("<tau* . "), Piece::Action(action), Text(" . tau*> "), Tight(*then)]);
            }
            Connective::Until(hold, action, then) => {
                out.push(Text("<tau*"));
                if self.nodes()[hold.index()] != Connective::True {
                    out.extend([Text("["), Part(*hold), Text("]")]);
                }
                if *action != Action::Tau {
                    out.extend([Text(" . "), Piece::Action(action)]);
                }
                out.extend([Text("> "), Tight(*then)]);
            }
            Connective::Diverges(hold) => {
                out.push(Text("<tau^inf"));
                if self.nodes()[hold.index()] != Connective::True {
                    out.extend([Text("["), Part(*hold), Text("]")]);
                }
                out.push(Text(">"));
            }
        }
    }
}
