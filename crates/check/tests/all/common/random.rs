//! Random machines: small, well formed, with finitely many states.

use super::*;

/// A small generator of numbers (Marsaglia's xorshift), so that seeds mean the same everywhere.
pub enum Dice {
    /// Numbers that follow from a seed.
    Seeded(u64),
    /// These numbers, then zeros.
    Given(std::vec::IntoIter<u32>),
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice::Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn roll(&mut self, sides: u32) -> u32 {
        match self {
            Dice::Seeded(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                ((*state >> 33) % sides as u64) as u32
            }
            Dice::Given(numbers) => numbers.next().unwrap_or(0) % sides,
        }
    }

    pub fn one_in(&mut self, n: u32) -> bool {
        self.roll(n) == 0
    }
}

/// What a machine may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shared numbers, blocks, choices, links.
    Numbers,
    /// Structs as well; operations no longer correspond to a specification without a heap.
    Heap(Memory),
    /// A pool whose `new` leaves the reference of a struct as it was.
    Kept,
}

impl Kind {
    fn memory(self) -> Memory {
        match self {
            Kind::Numbers => Memory::Gc,
            Kind::Heap(memory) => memory,
            Kind::Kept => Memory::Pool,
        }
    }
}

/// Only the first is used by most accesses, so that threads meet.
const NUMBERS: u32 = 2;
/// The cell with the lock, and the one with a reference.
const LOCK: u32 = 2;
const TOP: u32 = 3;

/// Slots 0 to 2 hold numbers, 0 is the argument; 3 is a truth value; 4 and 5 are references.
struct Writer<'d> {
    dice: &'d mut Dice,
    kind: Kind,
    asm: Asm,
    labels: u32,
    holds_lock: bool,
}

impl Writer<'_> {
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn slot(&mut self) -> u16 {
        self.dice.roll(3) as u16
    }

    fn number(&mut self) -> Expr {
        match self.dice.roll(5) {
            0 => int(self.dice.roll(3) as i32),
            1 | 2 => Expr::Binary(BinaryOp::Rem, Box::new(add(s(self.slot()), int(1))), Box::new(int(3))),
            _ => s(self.slot()),
        }
    }

    fn cell(&mut self) -> Place {
        cell(if self.dice.one_in(3) { self.dice.roll(NUMBERS) } else { 0 })
    }

    fn condition(&mut self) -> Expr {
        match self.dice.roll(3) {
            0 => s(3),
            _ => eq(self.number(), self.number()),
        }
    }

    /// One access to a number.
    fn access(&mut self) {
        let slot = Slot(self.slot());
        let place = self.cell();
        let (a, b) = (self.number(), self.number());
        let kind = match self.dice.roll(12) {
            0..=3 => InstrKind::Read { slot, place },
            4..=6 => InstrKind::Write { place, value: a },
            7 => InstrKind::Cas { slot: Slot(3), place, old: a, new: b },
            8 => InstrKind::Swap { slot, place, value: a },
            9 => InstrKind::Cmpxchg { slot, place, old: a, new: b },
            10 => InstrKind::LoadLinked { slot, place },
            _ => InstrKind::StoreConditional { slot: Slot(3), place, value: a, weak: self.dice.one_in(3) },
        };
        self.asm.i(kind);
    }

    /// An access to a struct or the allocator. References may be null: that is a finding.
    fn heap_access(&mut self, memory: Memory) {
        let r = 4 + self.dice.roll(2) as u16;
        let other = 4 + self.dice.roll(2) as u16;
        let n = self.slot();
        let value = self.number();
        let keeps = self.kind == Kind::Kept;
        match self.dice.roll(if keeps { 11 } else { 9 }) {
            0 | 1 if memory == Memory::Gc => {
                let cells = vec![(0, value), (1, s(other))];
                self.asm.i(InstrKind::New { slot: Slot(r), kind: StructId(0), cells })
            }
            0 | 1 => {
                self.asm.i(InstrKind::New { slot: Slot(r), kind: StructId(0), cells: Vec::new() });
                self.name_number(r)
            }
            2 => self.asm.write(cell(TOP), s(r)),
            3 => self.asm.read(r, cell(TOP)),
            4 => self.asm.cas(3, cell(TOP), s(r), s(other)),
            5 => self.asm.read(n, field(s(r), 0)),
            6 if memory != Memory::Gc => self.asm.i(InstrKind::Free(s(r))),
            6 | 7 => self.asm.write(field(s(r), 0), value),
            9 | 10 => self.asm.write(field(s(r), 1), s(other)),
            _ => self.asm.read(r, field(s(r), 1)),
        };
    }

    /// Where the reference of a new struct keeps what it held, the number is named.
    fn name_number(&mut self, r: u16) -> &mut Asm {
        if self.kind == Kind::Kept {
            self.asm.write(field(s(r), 0), int(1));
        }
        &mut self.asm
    }

    fn any_access(&mut self) {
        match self.kind {
            Kind::Heap(_) | Kind::Kept if !self.dice.one_in(3) => {
                let memory = self.kind.memory();
                // Most of the time the reference is looked at first.
                let (yes, no) = (self.label(), self.label());
                let guard = self.dice.roll(4) > 0;
                if guard {
                    let null =
                        Expr::Binary(BinaryOp::Or, Box::new(eq(s(4), null())), Box::new(eq(s(5), null())));
                    self.asm.branch(null, yes, no).label(yes);
                    let slot = 4 + self.dice.roll(2) as u16;
                    let fill = InstrKind::New {
                        slot: Slot(slot),
                        kind: StructId(0),
                        cells: if memory == Memory::Gc {
                            vec![(0, int(1)), (1, null_value())]
                        } else {
                            vec![]
                        },
                    };
                    self.asm.i(fill);
                    self.name_number(slot).label(no);
                }
                self.heap_access(memory);
            }
            _ => self.access(),
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.dice.roll(20) {
            0..=5 | 14.. => self.any_access(),
            6 => {
                let value = self.number();
                let slot = self.slot();
                self.asm.set(slot, value);
            }
            7 if depth > 0 => {
                let (yes, no, end) = (self.label(), self.label(), self.label());
                let condition = self.condition();
                self.asm.branch(condition, yes, no).label(yes);
                self.statement(depth - 1);
                self.asm.jump(end).label(no);
                self.statement(depth - 1);
                self.asm.label(end);
            }
            8 if depth > 0 => {
                let (one, two, end) = (self.label(), self.label(), self.label());
                self.asm.i(InstrKind::Either(vec![one, two])).label(one);
                self.statement(depth - 1);
                self.asm.jump(end).label(two);
                self.statement(depth - 1);
                self.asm.label(end);
            }
            9 => {
                let slot = Slot(self.slot());
                self.asm.i(InstrKind::Choose { slot, low: int(0), high: int(1) });
            }
            10 => {
                self.asm.i(InstrKind::Enter);
                self.access();
                if self.dice.one_in(2) {
                    let condition = self.condition();
                    self.asm.i(InstrKind::Await(condition));
                }
                self.any_access();
                self.asm.i(InstrKind::Leave);
            }
            11 if self.holds_lock => {
                self.holds_lock = false;
                self.asm.i(InstrKind::Unlock(cell(LOCK)));
            }
            11 if depth == 2 => {
                self.holds_lock = true;
                self.asm.i(InstrKind::Lock(cell(LOCK)));
            }
            12 if depth > 0 => {
                // Tries again while the condition holds: a loop with an access.
                let (again, end) = (self.label(), self.label());
                self.asm.label(again);
                self.access();
                let condition = self.condition();
                self.asm.branch(condition, again, end).label(end);
            }
            13 if self.dice.one_in(3) => {
                let condition = self.condition();
                let assumes = self.dice.one_in(2);
                self.asm.i(if assumes { InstrKind::Assume(condition) } else { InstrKind::Assert(condition) });
            }
            _ => self.any_access(),
        }
    }
}

fn null_value() -> Expr {
    Expr::Const(Value::Null)
}

fn routine(dice: &mut Dice, kind: Kind) -> Routine {
    let mut writer = Writer { dice, kind, asm: Asm::new(6), labels: 0, holds_lock: false };
    writer.asm.set(1, int(0)).set(2, int(1)).set(3, Expr::Const(Value::Bool(false)));
    writer.asm.set(4, null_value()).set(5, null_value());
    for _ in 0..2 + writer.dice.roll(2) {
        writer.statement(2);
    }
    if writer.holds_lock {
        writer.asm.i(InstrKind::Unlock(cell(LOCK)));
    }
    let result = if writer.dice.one_in(6) { unit() } else { s(1 + writer.dice.roll(2) as u16) };
    writer.asm.ret(result);
    writer.asm.done()
}

/// Specifications have no links.
fn without_links(instr: &mut Instr) {
    instr.kind = match instr.kind.clone() {
        InstrKind::LoadLinked { slot, place } => InstrKind::Read { slot, place },
        InstrKind::StoreConditional { place, value, .. } => InstrKind::Write { place, value },
        other => other,
    };
}

/// A machine, and for numbers the specification whose operations are the same code at once.
pub fn machine(seed: u64, kind: Kind) -> (Machine, Option<Module>) {
    machine_by(&mut Dice::new(seed), kind)
}

/// The same, by numbers.
pub fn machine_by(dice: &mut Dice, kind: Kind) -> (Machine, Option<Module>) {
    let shared = vec![Value::Int(0), Value::Int(1), Value::Lock(None), Value::Null];
    let ops: Vec<Op> = (0..2).map(|n| op(&format!("op{n}"), 1, routine(dice, kind))).collect();
    let mut object = module("Random", shared, ops);
    if kind != Kind::Numbers {
        object.memory = kind.memory();
        object.structs = vec![structure(vec![Value::Int(0), Value::Null])];
    }
    if kind == Kind::Kept {
        object.structs[0].kept = vec![1];
    }
    if dice.one_in(5) {
        object.init = Asm::new(1)
            .i(InstrKind::Choose { slot: Slot(0), low: int(0), high: int(1) })
            .write(cell(0), s(0))
            .ret(unit())
            .done();
    }
    let mut spec = (kind == Kind::Numbers).then(|| object.clone());
    if let Some(spec) = &mut spec {
        spec.name = "Atomic".into();
        spec.ops.iter_mut().flat_map(|op| &mut op.routine.code).for_each(without_links);
        if dice.one_in(8) {
            spec.ops.swap(0, 1);
            let names = (spec.ops[0].name.clone(), spec.ops[1].name.clone());
            (spec.ops[1].name, spec.ops[0].name) = names;
        }
    }
    let (threads, ops) = if dice.one_in(8) { (3, 1) } else { (2, 1 + dice.one_in(4) as u32) };
    let calls: Vec<(u16, Vec<Expr>)> = if dice.one_in(2) {
        vec![(0, vec![int(1)]), (1, vec![int(2)])]
    } else {
        vec![(dice.roll(2) as u16, vec![int(2)])]
    };
    (client(object, threads, ops, &calls), spec)
}

/// The same machine with one thread more, which acts alone before and after the others: where its second part begins is
/// random.
pub fn with_main(machine: Machine, seed: u64) -> Machine {
    let Machine { object, threads, .. } = machine;
    let main = threads.last().cloned().expect("a machine has threads");
    let after = NodeId(Dice::new(seed).roll(main.script.nodes.len() as u32));
    Machine::with_main(object, threads, Thread { role: Some("main".into()), ..main }, after)
}
