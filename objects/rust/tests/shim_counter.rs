//! A counter over locks of the shim that lets go of its lock between reading and writing.
use trueline_shim::sync::Mutex;

trueline::object! {
    new: Mutex::new(0i64),
    fn inc(count) -> i64 {
        let seen = *count.lock().unwrap();
        *count.lock().unwrap() = seen + 1;
        seen + 1
    }
}
