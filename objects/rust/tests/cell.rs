//! A register with `OnceLock` and `RwLock`.
use objects::cell::Register;

trueline::object! {
    new: Register::default(),
    fn write(register, value: i64) { register.write(value) }
    fn read(register) -> i64 { register.read() }
}
