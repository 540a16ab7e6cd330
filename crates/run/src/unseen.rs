//! Code that a program calls and that was compiled without instrumentation: nothing is seen of the memory that it reads and
//! writes.
//!
//! What a thread does may then depend on more than what it was seen to read, so that no execution may be left out for being
//! like another one: it is what the code really answers that counts. Known are functions of the player, and those of the
//! languages' libraries that work on nothing of the program's. Links of lists and trees of the C++ library are built with the
//! program (`include/library.cpp`), its strings are instantiated in it.

use std::path::Path;

use object::{Object, ObjectSymbol};

/// Beginnings of names of functions that leave the program's memory alone: the hooks, the runtime of exceptions and types,
/// memory and threads, which are the player's.
const KNOWN_BEGINNINGS: &[&str] = &[
    "__tsan_",
    "__cxa_",
    "__gxx_personality",
    "__gcc_personality",
    "_Unwind_",
    "_ZT",
    "_Zn",
    "_Zd",
    "pthread_",
    "trueline_",
    "_ZNSt6thread",
    "_ZNSt18condition_variable",
    "__atomic_",
    "_ZNKSt9exception",
    "_ZNSt9exception",
    "_ZNKSt9type_info",
];
/// Names of such functions, and of variables that nobody writes.
const KNOWN: &[&str] = &[
    "malloc",
    "free",
    "calloc",
    "realloc",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "memcpy",
    "memmove",
    "memset",
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__stack_chk_fail",
    "__libc_single_threaded",
    "__once_proxy",
    "_ZSt15__once_callable",
    "_ZSt11__once_call",
    "_ZSt9terminatev",
    "_ZSt17current_exceptionv",
    "__dso_handle",
    "_GLOBAL_OFFSET_TABLE_",
    "__tls_get_addr",
    "sched_yield",
    "usleep",
    "sleep",
    "nanosleep",
    "clock_gettime",
    "gettimeofday",
    "time",
    "rand",
    "random",
    "srand",
    "srandom",
    "getrandom",
    "raise",
    "signal",
    "fork",
    "vfork",
    "system",
    "puts",
    "putchar",
    "main",
];

/// What is used of the library that is built with the program.
pub fn of_library(name: &str) -> bool {
    name.starts_with("_ZNSt8__detail15_List_node_base")
        || name.starts_with("_ZSt") && name.contains("_Rb_tree_")
}

/// The names that an object does not define itself.
pub fn undefined(object: &Path) -> Result<Vec<String>, String> {
    let refuse = |e: &dyn std::fmt::Display| format!("{}: {e}", object.display());
    let bytes = std::fs::read(object).map_err(|e| refuse(&e))?;
    let file = object::File::parse(&*bytes).map_err(|e| refuse(&e))?;
    let names = file.symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok());
    Ok(names.filter(|name| !name.is_empty()).map(str::to_string).collect())
}

/// Whether nothing is seen of what a function with this name reads and writes.
pub fn unseen(name: &str) -> bool {
    // `std::__throw_bad_alloc()` and the like: `_ZSt`, a length, the name.
    let throws = || {
        name.strip_prefix("_ZSt")
            .is_some_and(|n| n.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("__throw_"))
    };
    !(KNOWN.contains(&name)
        || KNOWN_BEGINNINGS.iter().any(|b| name.starts_with(b))
        || throws()
        || of_library(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_works_on_memory_of_the_program_is_told_from_what_does_not() {
        let known = [
            "__tsan_read8",
            "_Znwm",
            "_ZSt17__throw_bad_allocv",
            "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
        ];
        assert!(!known.iter().any(|name| unseen(name)));
        let others = [
            "qsort",
            "strcpy",
            "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
            "somebody_elses",
        ];
        assert!(others.iter().all(|name| unseen(name)));
    }
}
