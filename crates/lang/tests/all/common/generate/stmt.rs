//! Random blocks and statements.

use super::Generator;

impl Generator<'_> {
    pub(super) fn block(&mut self, depth: usize) {
        self.put("{");
        self.many(3, |g| g.stmt(depth));
        self.put("}");
    }

    pub(super) fn stmt(&mut self, depth: usize) {
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
                self.label();
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
                self.label();
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

    fn label(&mut self) {
        if self.random.once_in(3) {
            self.put("'outer :");
        }
    }

    pub(super) fn simple(&mut self) {
        match self.random.below(7) {
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
            5 => {
                self.place(3);
                let op = *self.random.pick(&["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]);
                self.put(op);
                self.expr(2);
            }
            4 => {
                self.put("cas");
                self.args(3);
            }
            _ => {
                let plain = *self.random.pick(&[
                    "break",
                    "break 'outer",
                    "continue 'outer",
                    "continue",
                    "skip",
                    "return",
                    "choose x in 0 .. n",
                ]);
                self.put(plain);
            }
        }
        self.put(";");
    }
}
