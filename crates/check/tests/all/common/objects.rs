//! Objects and specifications of the tests.

use super::*;

/// `inc() -> int` gives the value before.
pub fn counter_spec() -> Module {
    let inc = Asm::new(2).read(0, cell(0)).write(cell(0), add(s(0), int(1))).ret(s(0)).done();
    module("Counter", vec![Value::Int(0)], vec![op("inc", 0, inc)])
}

/// Reads, then writes: an update can get lost.
pub fn lossy_counter() -> Module {
    let mut counter = counter_spec();
    counter.name = "Lossy".into();
    counter
}

/// Increments with `cas` in a loop; with marks on the `cas`.
pub fn cas_counter() -> Module {
    let inc = Asm::new(2)
        .label(0)
        .read(0, cell(0))
        .cas(1, cell(0), s(0), add(s(0), int(1)))
        .mark(s(1))
        .branch(s(1), 1, 0)
        .label(1)
        .ret(s(0))
        .done();
    module("CasCounter", vec![Value::Int(0)], vec![op("inc", 0, inc)])
}

/// Increments under a lock.
pub fn locked_counter() -> Module {
    let inc = Asm::new(1)
        .i(InstrKind::Lock(cell(1)))
        .read(0, cell(0))
        .write(cell(0), add(s(0), int(1)))
        .i(InstrKind::Unlock(cell(1)))
        .ret(s(0))
        .done();
    module("Locked", vec![Value::Int(0), Value::Lock(None)], vec![op("inc", 0, inc)])
}

/// `push(v)`, `pop() -> val?` on a sequence.
pub fn stack_spec() -> Module {
    let push = Asm::new(2)
        .read(1, cell(0))
        .collect(1, Method::PushBack, vec![s(0)], None)
        .write(cell(0), s(1))
        .ret(unit())
        .done();
    let pop = Asm::new(2)
        .read(0, cell(0))
        .collect(0, Method::PopBack, vec![], Some(1))
        .write(cell(0), s(0))
        .ret(s(1))
        .done();
    module("Stack", vec![Value::Seq(vec![])], vec![op("push", 1, push), op("pop", 0, pop)])
}

/// `enq(v)`, `deq() -> val?` on a sequence.
pub fn queue_spec() -> Module {
    let mut queue = stack_spec();
    queue.name = "Queue".into();
    queue.ops[0].name = "enq".into();
    queue.ops[1].name = "deq".into();
    if let InstrKind::Collect { method, .. } = &mut queue.ops[1].routine.code[1].kind {
        *method = Method::PopFront;
    }
    queue
}

/// Treiber's stack. A node is (value, next).
pub fn treiber() -> Module {
    let push = Asm::new(4)
        .i(InstrKind::New { slot: Slot(1), kind: StructId(0), cells: vec![(0, s(0)), (1, null())] })
        .label(0)
        .read(2, cell(0))
        .write(field(s(1), 1), s(2))
        .cas(3, cell(0), s(2), s(1))
        .branch(s(3), 1, 0)
        .label(1)
        .ret(unit())
        .done();
    let pop = Asm::new(4)
        .label(0)
        .read(0, cell(0))
        .branch(eq(s(0), null()), 1, 2)
        .label(1)
        .ret(Expr::Const(Value::None))
        .label(2)
        .read(1, field(s(0), 1))
        .read(2, field(s(0), 0))
        .cas(3, cell(0), s(0), s(1))
        .branch(s(3), 3, 0)
        .label(3)
        .ret(s(2))
        .done();
    let mut stack = module("Treiber", vec![Value::Null], vec![op("push", 1, push), op("pop", 0, pop)]);
    stack.structs = vec![structure(vec![Value::None, Value::Null])];
    stack
}

/// Treiber's stack that frees what it pops. With `pool`, stale reads are allowed: this is where ABA happens.
pub fn treiber_freeing(memory: Memory) -> Module {
    let push = Asm::new(4)
        .i(InstrKind::New { slot: Slot(1), kind: StructId(0), cells: vec![] })
        .write(field(s(1), 0), s(0))
        .label(0)
        .read(2, cell(0))
        .write(field(s(1), 1), s(2))
        .cas(3, cell(0), s(2), s(1))
        .branch(s(3), 1, 0)
        .label(1)
        .ret(unit())
        .done();
    let pop = Asm::new(4)
        .label(0)
        .read(0, cell(0))
        .branch(eq(s(0), null()), 1, 2)
        .label(1)
        .ret(Expr::Const(Value::None))
        .label(2)
        .read(1, field(s(0), 1))
        .read(2, field(s(0), 0))
        .cas(3, cell(0), s(0), s(1))
        .branch(s(3), 3, 0)
        .label(3)
        .i(InstrKind::Free(s(0)))
        .ret(s(2))
        .done();
    let mut stack = treiber();
    stack.memory = memory;
    stack.ops = vec![op("push", 1, push), op("pop", 0, pop)];
    stack
}

/// The queue of Michael and Scott, PODC 1996, in the steps of the script that its counts are known from: allocation is
/// a step, and the re-check of `deq` reads the value in the same step.
pub fn ms_queue_by_line() -> Module {
    let enq = Asm::new(6)
        .i(InstrKind::Enter)
        .i(InstrKind::New { slot: Slot(1), kind: StructId(0), cells: vec![(0, s(0)), (1, null())] })
        .i(InstrKind::Leave)
        .label(0)
        .read(2, cell(1))
        .read(3, field(s(2), 1))
        .read(4, cell(1))
        .branch(eq(s(2), s(4)), 1, 0)
        .label(1)
        .branch(eq(s(3), null()), 2, 4)
        .label(2)
        .cas(5, field(s(2), 1), null(), s(1))
        .branch(s(5), 3, 0)
        .label(3)
        .cas(5, cell(1), s(2), s(1))
        .ret(unit())
        .label(4)
        .cas(5, cell(1), s(2), s(3))
        .jump(0)
        .done();
    let deq = Asm::new(6)
        .label(0)
        .read(0, cell(0))
        .read(1, cell(1))
        .read(2, field(s(0), 1))
        .i(InstrKind::Enter)
        .read(3, cell(0))
        .branch(eq(s(0), s(3)), 1, 8)
        .label(8)
        .i(InstrKind::Leave)
        .jump(0)
        .label(1)
        .branch(eq(s(0), s(1)), 2, 5)
        .label(2)
        .branch(eq(s(2), null()), 3, 4)
        .label(3)
        .i(InstrKind::Leave)
        .ret(Expr::Const(Value::None))
        .label(4)
        .i(InstrKind::Leave)
        .cas(5, cell(1), s(1), s(2))
        .jump(0)
        .label(5)
        .read(4, field(s(2), 0))
        .i(InstrKind::Leave)
        .cas(5, cell(0), s(0), s(2))
        .branch(s(5), 6, 0)
        .label(6)
        .ret(s(4))
        .done();
    let mut queue =
        module("MSQueue", vec![Value::Null, Value::Null], vec![op("enq", 1, enq), op("deq", 0, deq)]);
    queue.structs = vec![structure(vec![Value::None, Value::Null])];
    queue.init = Asm::new(1)
        .i(InstrKind::New {
            slot: Slot(0),
            kind: StructId(0),
            cells: vec![(0, Expr::Const(Value::None)), (1, null())],
        })
        .write(cell(0), s(0))
        .write(cell(1), s(0))
        .ret(unit())
        .done();
    queue
}

/// Each thread enqueues its own number.
pub fn queue_client(object: Module, threads: usize, ops: u32) -> Machine {
    client(object, threads, ops, &[(0, vec![Expr::TidToVal(Box::new(Expr::SelfTid))]), (1, vec![])])
}
