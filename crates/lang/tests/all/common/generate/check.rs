//! Random checks and clients.

use super::Generator;

impl Generator<'_> {
    pub(super) fn check(&mut self) {
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

    pub(super) fn call(&mut self) {
        self.plain();
        let args = *self.random.pick(&["( )", "( 1 )", "( 0 .. 3 )", "( self , 1 ..= n )"]);
        self.put(args);
    }

    pub(super) fn client(&mut self, depth: usize) {
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

    pub(super) fn property(&mut self) {
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
