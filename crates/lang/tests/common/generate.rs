//! Random programs: lists of tokens that the grammar allows, without regard to meaning.

use super::random::Random;

/// What makes a program, token by token.
pub struct Generator {
    /// Where choices come from.
    pub random: Random,
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

impl Generator {
    /// The tokens of a program.
    pub fn program(seed: u64) -> Vec<String> {
        let mut generator = Generator { random: Random(seed), tokens: Vec::new() };
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

    fn ty(&mut self, depth: usize) {
        let forms = if depth == 0 { 7 } else { 14 };
        match self.random.below(forms) {
            0 => self.put("bool"),
            1 => self.put("int"),
            2 => self.put("val"),
            3 => self.put("tid"),
            4 => self.put("Node"),
            5 => self.put("lock"),
            6 => {
                let range =
                    *self.random.pick(&["0 .. K", "1 ..= n + 1", "( n + 1 ) * 2 .. 9", "- 1 .. A [ 0 ]"]);
                self.put(range);
            }
            7 => {
                self.put("(");
                self.ty(depth - 1);
                self.put(",");
                self.list(1, |g| g.ty(depth - 1));
                self.put(")");
            }
            8 => {
                self.put("[");
                self.ty(depth - 1);
                self.put(";");
                match self.random.once_in(2) {
                    true => self.put("tid"),
                    false => self.expr(1),
                }
                self.put("]");
            }
            9 => {
                self.put("(");
                self.ty(depth - 1);
                self.put(")");
            }
            10 => {
                self.put("map ( val , int )");
                self.ty(depth - 1);
            }
            11 => {
                self.put("(");
                self.ty(depth - 1);
                self.put(") ?");
            }
            _ => {
                let word = *self.random.pick(&["seq", "set", "multiset", "heap"]);
                self.put(word);
                self.ty(depth - 1);
            }
        }
        if self.random.once_in(4) {
            self.put("?");
        }
    }

    fn expr(&mut self, depth: usize) {
        if depth == 0 || self.random.once_in(4) {
            let leaf = *self
                .random
                .pick(&["0", "1_000", "true", "false", "none", "null", "self", "x", "lock", "[ ]"]);
            return self.put(leaf);
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0 => {
                let op = *self.random.pick(&["!", "-"]);
                self.put(op);
                self.unary(depth);
            }
            1..=4 => {
                let op = *self.random.pick(&["||", "&&", "+", "-", "*", "/", "%"]);
                self.expr(depth);
                // The operand to the left may end in a comparison, which must not chain.
                self.put(op);
                self.unary(depth);
                while self.random.once_in(3) {
                    self.put(op);
                    self.unary(depth);
                }
            }
            5 => {
                self.unary(depth);
                let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                self.put(op);
                self.unary(depth);
            }
            6 => {
                self.unary(depth);
                self.put("as");
                let ty = *self.random.pick(&["int", "tid", "Node ?", "( 0 .. 3 )", "( seq val ) ?"]);
                self.put(ty);
            }
            7 => {
                self.put("if");
                self.expr(depth);
                self.put("{");
                self.expr(depth);
                self.put("} else");
                while self.random.once_in(3) {
                    self.put("if x {");
                    self.expr(depth);
                    self.put("} else");
                }
                self.put("{");
                self.expr(depth);
                self.put("}");
            }
            8 => {
                self.put("new");
                self.name();
                self.put("{");
                self.list(0, |g| {
                    g.name();
                    g.put(":");
                    g.expr(depth);
                });
                self.put("}");
            }
            9 => {
                self.put("[");
                self.list(1, |g| g.expr(depth));
                self.put("]");
            }
            10 => {
                self.put("[");
                self.expr(depth);
                self.put("; n ]");
            }
            11 => {
                self.put("sc weak");
                self.args(depth);
            }
            _ => self.unary(depth),
        }
    }

    /// An expression that binds at least as strongly as a prefix.
    fn unary(&mut self, depth: usize) {
        match self.random.below(5) {
            0 => {
                self.put("(");
                self.list(1, |g| g.expr(depth));
                self.put(")");
            }
            1 => {
                self.plain();
                self.args(depth);
            }
            2 => {
                let op = *self.random.pick(&["!", "-"]);
                self.put(op);
                self.place(depth);
            }
            _ => self.place(depth),
        }
    }

    fn place(&mut self, depth: usize) {
        self.plain();
        while self.random.once_in(2) {
            match self.random.below(4) {
                0 => {
                    self.put("[");
                    self.expr(depth / 2);
                    self.put("]");
                }
                1 => self.put(". 0"),
                2 => {
                    self.put(".");
                    self.name();
                    self.put("(");
                    self.list(0, |g| g.expr(depth / 2));
                    self.put(")");
                }
                _ => {
                    self.put(".");
                    self.name();
                }
            }
        }
    }

    fn pattern(&mut self, depth: usize) {
        let forms = if depth == 0 { 3 } else { 6 };
        match self.random.below(forms) {
            0 => self.put("_"),
            1 => self.plain(),
            2 => {
                let literal = *self.random.pick(&["none", "null", "true", "0", "- 1"]);
                self.put(literal);
            }
            3 => {
                self.plain();
                self.put("(");
                self.list(1, |g| g.pattern(depth - 1));
                self.put(")");
            }
            _ => {
                self.put("(");
                self.list(1, |g| g.pattern(depth - 1));
                self.put(")");
            }
        }
    }

    fn block(&mut self, depth: usize) {
        self.put("{");
        self.many(3, |g| g.stmt(depth));
        self.put("}");
    }

    fn stmt(&mut self, depth: usize) {
        match self.random.below(12) {
            0 => self.put("@ lin"),
            1 => {
                self.put("@ lin ( if");
                self.expr(2);
                self.put(")");
            }
            _ => {}
        }
        if depth == 0 || self.random.once_in(3) {
            return self.simple();
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0..=2 => {
                self.put("if");
                self.expr(2);
                self.block(depth);
                while self.random.once_in(3) {
                    self.put("else if");
                    self.expr(2);
                    self.block(depth);
                }
                if self.random.once_in(2) {
                    self.put("else");
                    self.block(depth);
                }
            }
            3 => {
                self.put("match");
                self.expr(2);
                self.put("{");
                self.many(3, |g| {
                    g.pattern(2);
                    g.put("=>");
                    match g.random.once_in(2) {
                        true => g.block(depth),
                        false => g.stmt(depth),
                    }
                });
                self.put("}");
            }
            4 => {
                self.put("while");
                self.expr(3);
                self.block(depth);
            }
            5 => {
                let word = *self.random.pick(&["loop", "atomic"]);
                self.put(word);
                self.block(depth);
            }
            6 => {
                let heading = *self.random.pick(&[
                    "for t in tid",
                    "for i in rev 0 ..= n + 1",
                    "for rev in 0 .. n",
                    "for x in y . z",
                ]);
                self.put(heading);
                self.block(depth);
            }
            _ => {
                self.put("either");
                self.block(depth);
                self.many(2, |g| {
                    g.put("or");
                    g.block(depth);
                });
            }
        }
    }

    fn simple(&mut self) {
        match self.random.below(6) {
            0 => {
                self.put("let");
                self.pattern(2);
                if self.random.once_in(3) {
                    self.put(":");
                    self.ty(2);
                }
                return self.value();
            }
            1 => {
                self.place(3);
                return self.value();
            }
            2 => self.place(3),
            3 => {
                let word =
                    *self.random.pick(&["return", "await", "assume", "assert", "lock", "unlock", "free"]);
                self.put(word);
                self.unary(3);
            }
            4 => {
                self.put("cas");
                self.args(3);
            }
            _ => {
                let plain = *self.random.pick(&["break", "continue", "skip", "return", "choose x in 0 .. n"]);
                self.put(plain);
            }
        }
        self.put(";");
    }

    fn check(&mut self) {
        self.put("check");
        self.name();
        if self.random.once_in(2) {
            self.args(1);
        }
        if self.random.once_in(2) {
            self.put("with A = 1 , B =");
            self.expr(1);
        }
        self.put("{");
        self.many(5, |g| match g.random.below(4) {
            0 => {
                let clause = *g.random.pick(&["threads 2 ;", "ops forever ;", "values tid ;", "ops n + 1 ;"]);
                g.put(clause);
            }
            1 => {
                g.put("call");
                g.call();
                g.many(7, |g| {
                    g.put(",");
                    g.call();
                });
                g.put(";");
            }
            2 => {
                g.put("role");
                g.name();
                g.many(1, |g| g.put("x 2"));
                g.client(3);
            }
            _ => g.property(),
        });
        self.put("}");
    }

    fn call(&mut self) {
        self.plain();
        let args = *self.random.pick(&["( )", "( 1 )", "( 0 .. 3 )", "( self , 1 ..= n )"]);
        self.put(args);
    }

    fn client(&mut self, depth: usize) {
        self.put("{");
        self.many(3, |g| match g.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => {
                g.call();
                g.many(5, |g| {
                    g.put("or");
                    g.call();
                });
                g.put(";");
            }
            1 => {
                g.put("let x =");
                g.call();
                g.put(";");
            }
            2 => {
                g.put("if");
                g.expr(2);
                g.client(depth - 1);
                while g.random.once_in(3) {
                    g.put("else if");
                    g.call();
                    g.client(depth - 1);
                }
                g.many(1, |g| {
                    g.put("else");
                    g.client(depth - 1);
                });
            }
            3 => {
                g.put("repeat 2");
                g.client(depth - 1);
            }
            _ => {
                g.put("forever");
                g.client(depth - 1);
            }
        });
        self.put("}");
    }

    fn property(&mut self) {
        match self.random.below(6) {
            0 => {
                self.put("invariant");
                self.expr(3);
            }
            1 => {
                self.put("linearizable to");
                self.spec_ref();
            }
            2 => {
                self.put("equivalent");
                self.spec_ref();
                self.put("by strong");
            }
            3 => self.put("ltl \"[]p\" fair weak"),
            4 => self.put("wait_free query"),
            _ => {
                let word =
                    *self.random.pick(&["safe", "linearizable", "lock_free", "wait_free", "leak_free"]);
                self.put(word);
            }
        }
        self.many(1, |g| g.put("expect fails"));
        self.put(";");
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
