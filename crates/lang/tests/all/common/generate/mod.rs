//! Random programs: lists of tokens that the grammar allows, without regard to meaning.

mod check;
mod expr;
mod stmt;

use super::random::Random;

/// What makes a program, token by token.
pub struct Generator<'r> {
    /// Where choices come from.
    pub random: &'r mut Random,
    tokens: Vec<String>,
}

const NAMES: [&str; 30] = [
    "x",
    "y",
    "Node",
    "next",
    "val",
    "lock",
    "free",
    "check",
    "op",
    "state",
    "rev",
    "tid",
    "memory",
    "seq",
    "or",
    "in",
    "by",
    "to",
    "expect",
    "weak",
    "forever",
    "repeat",
    "with",
    "implements",
    "long_name_of_something",
    "sc",
    "requires",
    "fails",
    "role",
    "a_name_that_is_even_longer_than_the_other_one",
];

impl Generator<'_> {
    /// The tokens of a program.
    pub fn program(random: &mut Random) -> Vec<String> {
        let mut generator = Generator { random, tokens: Vec::new() };
        for _ in 0..generator.random.below(4) + 1 {
            generator.item();
        }
        generator.tokens
    }

    fn put(&mut self, tokens: &str) {
        self.tokens.extend(tokens.split_whitespace().map(str::to_string));
    }

    fn name(&mut self) {
        let name = *self.random.pick(&NAMES);
        self.put(name);
    }

    /// A name that begins neither an expression of another form nor a statement.
    fn plain(&mut self) {
        let name =
            *self.random.pick(&["x", "y", "Head", "t", "items", "state", "role", "threads", "implements"]);
        self.put(name);
    }

    fn list(&mut self, least: usize, mut part: impl FnMut(&mut Self)) {
        let count = if self.random.once_in(12) { 9 } else { least + self.random.below(3) };
        for n in 0..count {
            if n > 0 {
                self.put(",");
            }
            part(self);
        }
        if count > 0 && self.random.once_in(6) {
            self.put(",");
        }
    }

    fn many(&mut self, most: usize, mut part: impl FnMut(&mut Self)) {
        for _ in 0..self.random.below(most + 1) {
            part(self);
        }
    }

    fn item(&mut self) {
        match self.random.below(7) {
            0 => {
                self.put("param");
                self.name();
                self.value();
            }
            1 => self.constant(),
            2 => self.structure(),
            3 => self.enumeration(),
            4 => {
                self.put("spec");
                self.name();
                self.params(true);
                self.put("{");
                self.many(4, |g| match g.random.below(3) {
                    0 => g.variable("state"),
                    1 => g.routine("fn"),
                    _ => g.routine("op"),
                });
                self.put("}");
            }
            5 => self.object(),
            _ => self.check(),
        }
    }

    fn value(&mut self) {
        self.put("=");
        self.expr(3);
        self.put(";");
    }

    fn constant(&mut self) {
        self.put("const");
        self.name();
        self.put(":");
        self.ty(3);
        self.value();
    }

    fn structure(&mut self) {
        self.put("struct");
        self.name();
        self.put("{");
        self.list(0, Self::field);
        self.put("}");
    }

    fn field(&mut self) {
        self.name();
        self.put(":");
        self.ty(3);
    }

    fn enumeration(&mut self) {
        self.put("enum");
        self.name();
        self.put("{");
        self.list(1, |g| {
            g.name();
            if g.random.once_in(2) {
                g.put("(");
                g.list(1, |g| g.ty(2));
                g.put(")");
            }
        });
        self.put("}");
    }

    fn params(&mut self, optional: bool) {
        if optional && self.random.once_in(2) {
            return;
        }
        self.put("(");
        self.list(0, Self::field);
        self.put(")");
    }

    fn args(&mut self, depth: usize) {
        self.put("(");
        self.list(0, |g| {
            if g.random.once_in(5) {
                g.name();
                g.put(":");
            }
            g.expr(depth);
        });
        self.put(")");
    }

    fn object(&mut self) {
        self.put("object");
        self.name();
        self.params(true);
        if self.random.once_in(2) {
            self.put("implements");
            self.spec_ref();
        }
        self.put("{");
        self.many(5, |g| match g.random.below(9) {
            0 => g.put("memory pool ;"),
            1 => g.structure(),
            2 => g.enumeration(),
            3 => g.constant(),
            4 => g.variable("shared"),
            5 => g.variable("local"),
            6 => {
                g.put("init");
                g.block(3);
            }
            7 => g.routine("fn"),
            _ => g.routine("op"),
        });
        self.put("}");
    }

    fn spec_ref(&mut self) {
        self.name();
        if self.random.once_in(2) {
            self.args(1);
        }
    }

    fn variable(&mut self, word: &str) {
        self.put(word);
        self.name();
        self.put(":");
        self.ty(3);
        match self.random.once_in(2) {
            true => self.value(),
            false => self.put(";"),
        }
    }

    fn routine(&mut self, word: &str) {
        self.put(word);
        self.name();
        self.params(false);
        if self.random.once_in(2) {
            self.put("->");
            self.ty(2);
        }
        if word == "op" && self.random.once_in(3) {
            self.put("requires");
            self.expr(2);
        }
        self.block(4);
    }
}

/// The text of `tokens` with random blanks, lines and, if wanted, comments between them.
pub fn spell(tokens: &[String], random: &mut Random, comments: bool) -> String {
    let mut text = String::new();
    let calm = random.below(40) + 2;
    for (n, token) in tokens.iter().enumerate() {
        text.push_str(token);
        text.push(' ');
        match random.below(calm) {
            0 => text.push('\n'),
            1 => text.push_str("\n\n\n  "),
            _ => {}
        }
        if comments && random.once_in(calm * 2) {
            match random.below(5) {
                0 => text.push_str(&format!("// comment {n}\n")),
                1 => text.push_str(&format!("\n// comment {n}\n")),
                2 => text.push_str(&format!("/* comment {n} */ ")),
                3 => text.push_str(&format!("\n/* comment {n}\n   goes on */")),
                _ => text.push_str(&format!("/* comment {n} */\n\n")),
            }
        }
    }
    text
}
