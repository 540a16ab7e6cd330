//! Values as bytes: one byte for every small scalar.

use crate::machine::state::{Cell, Link, SHARED};
use trueline_base::Value;
use trueline_lang::ir::Slot;

/// Appends a number, seven bits per byte.
pub(crate) fn number(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends a variable of a script, or that there is none.
pub(crate) fn put_slot(out: &mut Vec<u8>, slot: Option<Slot>) {
    number(out, slot.map_or(0, |slot| slot.0 as u32 + 1));
}

/// Appends links in canonical order; those to structs without a name are left out.
pub(crate) fn links(out: &mut Vec<u8>, all: &[Link], name: impl Fn(u32) -> Option<u32>) {
    let named = |link: &Link| match link.cell.address {
        SHARED => Some(*link),
        address => Some(Link { cell: Cell { address: name(address)?, ..link.cell }, ..*link }),
    };
    let mut links: Vec<Link> = all.iter().filter_map(named).collect();
    links.sort_unstable();
    for Link { thread, cell } in links {
        out.push(thread);
        number(out, cell.address.wrapping_add(1));
        number(out, cell.index);
    }
}

const UNIT: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NONE: u8 = 3;
const NULL: u8 = 4;
const FREE: u8 = 5;
const HELD: u8 = 6;
const INT: u8 = 7;
const VAL: u8 = 8;
const TID: u8 = 9;
const REF: u8 = 10;
const VARIANT: u8 = 11;
const TUPLE: u8 = 12;
const ARRAY: u8 = 13;
const SEQ: u8 = 14;
const SET: u8 = 15;
const BAG: u8 = 16;
const MAP: u8 = 17;
const SMALL_INT: u8 = 32;
const SMALL_VAL: u8 = 96;
const SMALL_TID: u8 = 128;
const SMALL_REF: u8 = 144;

/// Writing values.
pub(crate) mod tag {
    use super::*;

    fn small(out: &mut Vec<u8>, from: u8, to: u32, long: u8, n: u32) {
        if n < to - from as u32 {
            out.push(from + n as u8);
        } else {
            out.push(long);
            number(out, n);
        }
    }

    /// A reference.
    pub(crate) fn reference(out: &mut Vec<u8>, n: u32) {
        small(out, SMALL_REF, 256, REF, n);
    }

    /// A variant, tuple, array, sequence or collection without its elements, which follow.
    pub(crate) fn open(out: &mut Vec<u8>, value: &Value) {
        let (tag, len) = match value {
            Value::Variant(variant, items) => {
                out.push(VARIANT);
                number(out, *variant as u32);
                return number(out, items.len() as u32);
            }
            Value::Tuple(items) => (TUPLE, items.len()),
            Value::Array(items) => (ARRAY, items.len()),
            Value::Seq(items) => (SEQ, items.len()),
            Value::Set(items) => (SET, items.len()),
            Value::Bag(items) => (BAG, items.len()),
            Value::Map(entries) => (MAP, entries.len()),
            other => unreachable!("{other:?} has no elements"),
        };
        out.push(tag);
        number(out, len as u32);
    }

    /// A value as it is.
    pub(crate) fn whole(out: &mut Vec<u8>, value: &Value) {
        match value {
            Value::Unit => out.push(UNIT),
            Value::Bool(false) => out.push(FALSE),
            Value::Bool(true) => out.push(TRUE),
            Value::None => out.push(NONE),
            Value::Null => out.push(NULL),
            Value::Lock(None) => out.push(FREE),
            Value::Lock(Some(owner)) => out.extend([HELD, *owner]),
            Value::Int(i) if (0..64).contains(i) => out.push(SMALL_INT + *i as u8),
            Value::Int(i) => {
                out.push(INT);
                number(out, *i as u32);
            }
            Value::Val(v) => small(out, SMALL_VAL, SMALL_TID as u32, VAL, *v),
            Value::Tid(t) => small(out, SMALL_TID, SMALL_REF as u32, TID, *t as u32),
            Value::Ref(a) => reference(out, *a),
            _ => {
                open(out, value);
                value.children().for_each(|child| whole(out, child));
            }
        }
    }
}

/// Reading what was written.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// One more than the largest reference read so far.
    pub references: u32,
}

impl<'b> Reader<'b> {
    /// Reads from the beginning.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0, references: 0 }
    }

    /// Whether everything is read.
    pub fn done(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// All bytes.
    pub fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// How many of them are read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Passes over a value.
    #[inline]
    pub fn skip(&mut self) {
        match self.byte() {
            UNIT..=FREE | SMALL_INT.. => {}
            HELD => self.at += 1,
            INT | VAL | TID | REF => drop(self.number()),
            VARIANT => {
                self.number();
                self.skip_list(1);
            }
            TUPLE..=BAG => self.skip_list(1),
            MAP => self.skip_list(2),
            byte => unreachable!("{byte} begins no value"),
        }
    }

    fn skip_list(&mut self, each: u32) {
        let len = self.number() * each;
        (0..len).for_each(|_| self.skip());
    }

    /// The links of a state, which come last.
    pub fn links(&mut self, out: &mut Vec<Link>) {
        out.clear();
        while !self.done() {
            let thread = self.byte();
            let address = self.number().wrapping_sub(1);
            let index = self.number();
            out.push(Link { thread, cell: Cell { address, index } });
        }
    }

    /// One byte.
    pub fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    /// A number.
    pub fn number(&mut self) -> u32 {
        let (mut n, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            n |= ((byte & 0x7f) as u32) << shift;
            if byte < 0x80 {
                return n;
            }
            shift += 7;
        }
    }

    /// A variable of a script, if there is one.
    pub fn slot(&mut self) -> Option<Slot> {
        self.number().checked_sub(1).map(|slot| Slot(slot as u16))
    }

    fn reference(&mut self, n: u32) -> Value {
        self.references = self.references.max(n + 1);
        Value::Ref(n)
    }

    fn list(&mut self) -> Vec<Value> {
        let len = self.number();
        (0..len).map(|_| self.value()).collect()
    }

    /// A value.
    pub fn value(&mut self) -> Value {
        match self.byte() {
            UNIT => Value::Unit,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            NONE => Value::None,
            NULL => Value::Null,
            FREE => Value::Lock(None),
            HELD => Value::Lock(Some(self.byte())),
            INT => Value::Int(self.number() as i32),
            VAL => Value::Val(self.number()),
            TID => Value::Tid(self.number() as u8),
            REF => {
                let n = self.number();
                self.reference(n)
            }
            VARIANT => {
                let variant = self.number() as u16;
                Value::Variant(variant, self.list())
            }
            TUPLE => Value::Tuple(self.list()),
            ARRAY => Value::Array(self.list()),
            SEQ => Value::Seq(self.list()),
            SET => Value::Set(self.list()),
            BAG => Value::Bag(self.list()),
            MAP => {
                let len = self.number();
                Value::Map((0..len).map(|_| (self.value(), self.value())).collect())
            }
            byte @ SMALL_REF.. => self.reference((byte - SMALL_REF) as u32),
            byte @ SMALL_TID.. => Value::Tid(byte - SMALL_TID),
            byte @ SMALL_VAL.. => Value::Val((byte - SMALL_VAL) as u32),
            byte @ SMALL_INT.. => Value::Int((byte - SMALL_INT) as i32),
            byte => unreachable!("{byte} begins no value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive() {
        let int = Value::Int;
        let values = [
            Value::Unit,
            Value::Bool(true),
            Value::Lock(None),
            Value::Lock(Some(3)),
            Value::Tuple(vec![int(0), int(63), int(64), int(-1), int(i32::MIN), int(i32::MAX)]),
            Value::Array((0..300).map(Value::Val).collect()),
            Value::Seq((0..=255).map(Value::Tid).collect()),
            Value::Set((0..300).map(Value::Ref).collect()),
            Value::Bag(vec![Value::None, Value::Null]),
            Value::Variant(700, vec![Value::Map(vec![(int(1), Value::Seq(vec![]))])]),
        ];
        let mut bytes = Vec::new();
        values.iter().for_each(|v| tag::whole(&mut bytes, v));
        let mut reader = Reader::new(&bytes);
        let mut passed = Reader::new(&bytes);
        for value in &values {
            assert_eq!(&reader.value(), value);
            passed.skip();
            assert_eq!(passed.at(), reader.at(), "{value:?} is as long as it is");
        }
        assert!(reader.done());
        assert_eq!(reader.references, 300);
    }
}
