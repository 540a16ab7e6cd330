//! Sizes of quotients by branching bisimulation that were published or computed by others.
//!
//! Yang, Katoen, Lin, Liu and Wu, DSN 2018, tables VI and VII; the stacks with values by an independent
//! script. How finely the steps are modelled does not matter to them, so they must come out exactly.
//! The tests of the command line have the small ones.

use crate::objects::{DGLM, HEIGHT, HM, HW, LAZY, MS, ModelRow, TREIBER, object};

/// A row: what it is called, what it is, the size of its quotient.
pub type Row = (&'static str, ModelRow, usize);

const fn ms(threads: u32, ops: u32) -> ModelRow {
    object(MS, 2, threads, ops)
}

const fn dglm(threads: u32, ops: u32) -> ModelRow {
    object(DGLM, 1, threads, ops)
}

/// Every push with a value of its own.
const DISTINCT: &str = "push(1) or pop(); push(2) or pop() || push(3) or pop(); push(4) or pop() \
                        || push(5) or pop(); push(6) or pop()";

/// The rows, cheap ones first; the last one of the MS queue takes minutes.
pub const ROWS: &[Row] = &[
    ("queue 2-4, specification", ms(2, 4).spec(), 2471),
    ("queue 2-5, specification", ms(2, 5).spec(), 6347),
    ("queue 2-6, specification", ms(2, 6).spec(), 15_041),
    ("queue 2-7, specification", ms(2, 7).spec(), 33_739),
    ("queue 3-2, specification", ms(3, 2).spec(), 6152),
    ("queue 3-3, specification", ms(3, 3).spec(), 62_808),
    ("queue 4-1, specification", ms(4, 1).spec(), 2040),
    ("Herlihy-Wing queue 3-1", object(HW, 1, 3, 1), 156),
    ("Herlihy-Wing queue 3-2", object(HW, 1, 3, 2), 4018),
    ("MS queue 2-4", ms(2, 4), 2648),
    ("MS queue 4-1", ms(4, 1), 2476),
    ("MS queue 2-5", ms(2, 5), 6765),
    ("MS queue 3-2", ms(3, 2), 7337),
    ("MS queue 2-6", ms(2, 6), 15_820),
    ("MS queue 2-7", ms(2, 7), 35_021),
    ("MS queue 3-3", ms(3, 3), 74_551),
    ("DGLM queue 2-4", dglm(2, 4), 2648),
    ("DGLM queue 4-1", dglm(4, 1), 2476),
    ("DGLM queue 2-5", dglm(2, 5), 6765),
    ("DGLM queue 3-2", dglm(3, 2), 7337),
    ("set 3-2, specification", object(HM, 2, 3, 2).spec(), 11_567),
    ("Harris-Michael list 3-2", object(HM, 2, 3, 2), 12_422),
    ("lazy list 3-2", object(LAZY, 2, 3, 2), 15_368),
    ("stack by height 2-3", object(HEIGHT, 1, 2, 3), 931),
    ("stack by height 2-4", object(HEIGHT, 1, 2, 4), 2580),
    ("stack by height 3-2", object(HEIGHT, 1, 3, 2), 5932),
    ("stack by height 3-2, specification", object(HEIGHT, 1, 3, 2).spec(), 5932),
    ("stack of thread numbers 2-2", object(TREIBER, 3, 2, 2), 221),
    ("stack of thread numbers 3-2", object(TREIBER, 3, 3, 2), 7007),
    ("stack of one value 2-2", object(TREIBER, 2, 2, 2).values(1), 168),
    ("stack of one value 3-2", object(TREIBER, 2, 3, 2).values(1), 3137),
    ("stack of distinct values 3-2", object(TREIBER, 2, 3, 2).client(DISTINCT), 8441),
];
