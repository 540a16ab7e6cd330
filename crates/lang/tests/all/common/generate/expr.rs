//! Random types, expressions and patterns.

use super::Generator;

impl Generator<'_> {
    pub(super) fn ty(&mut self, depth: usize) {
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

    pub(super) fn expr(&mut self, depth: usize) {
        if depth == 0 || self.random.once_in(4) {
            let leaf = *self
                .random
                .pick(&["0", "1_000", "true", "false", "none", "null", "self", "x", "lock", "[ ]"]);
            return self.put(leaf);
        }
        let depth = depth - 1;
        match self.random.below(17) {
            0 => {
                let op = *self.random.pick(&["!", "-"]);
                self.put(op);
                self.unary(depth);
            }
            1..=4 => {
                let op = *self.random.pick(&["||", "&&", "|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%"]);
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
            16 => {
                let heading =
                    *self.random.pick(&["forall i in 0 .. n & 3", "exists t in tid", "forall x in s"]);
                self.put(heading);
                self.put("{");
                self.expr(depth);
                self.put("}");
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
    pub(super) fn unary(&mut self, depth: usize) {
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

    pub(super) fn place(&mut self, depth: usize) {
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

    pub(super) fn pattern(&mut self, depth: usize) {
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
}
