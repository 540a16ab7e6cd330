//! Placeholder
use crate::label::Label;
use crate::monitor::{Answer, Halt, Monitor};
use trueline_base::Meter;
use trueline_lang::ir::Machine;

pub(crate) struct Other;

impl Other {
    pub fn new(_other: &Machine, _machine: &Machine) -> Other { Other }
}
impl Monitor for Other {
    fn initial(&mut self, _: &Meter) -> Result<u32, Halt> { todo!() }
    fn next(&mut self, _: u32, _: Label<'_>, _: u8, _: u32, _: &Meter) -> Answer { todo!() }
    fn len(&self) -> u64 { 0 }
    fn bytes(&self) -> u64 { 0 }
}
