//! From an execution to histories that `trueline-history` can decide.

use trueline_history::{Builder, Datum, History};

use crate::boundary::Point;
use crate::harness::{Function, Harness, ScalarType};
use crate::scenario::{Call, Scenario, inputs_of};

/// What the operations of an execution answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answers {
    /// Operations of the threads, thread by thread.
    pub threads: Vec<Vec<u64>>,
    /// Operations before and after.
    pub alone: Vec<Vec<u64>>,
}

/// A word as a value of a type.
pub fn datum(kind: ScalarType, word: u64) -> Datum {
    match kind {
        ScalarType::Void => Datum::Nil,
        ScalarType::Bool => Datum::Bool(word & 0xff != 0),
        ScalarType::Integer(size, signed) => {
            let shift = 64 - 8 * u32::from(size.clamp(1, 8));
            match signed {
                true => Datum::Int(((word << shift) as i64) >> shift),
                false => (word << shift >> shift).into(),
            }
        }
    }
}

fn one_or_list(mut all: Vec<Datum>) -> Datum {
    match all.len() {
        0 => Datum::Nil,
        1 => all.remove(0),
        _ => Datum::list(all),
    }
}

/// The argument of a call.
pub fn input(function: &Function, call: &Call) -> Datum {
    one_or_list(inputs_of(function).zip(&call.inputs).map(|(kind, i)| datum(kind, *i as u64)).collect())
}

/// What a call answered: the result; the outputs when there is no result or it is `true`; nothing when it is `false`.
pub fn output(function: &Function, words: &[u64]) -> Datum {
    let result = datum(function.result, words.first().copied().unwrap_or(0));
    let kinds = function.parameters.iter().filter(|p| p.output).map(|p| p.kind);
    let outs: Vec<Datum> = kinds.zip(&words[1.min(words.len())..]).map(|(k, w)| datum(k, *w)).collect();
    match (outs.is_empty(), &result) {
        (true, _) => result,
        (false, Datum::Nil) | (false, Datum::Bool(true)) => one_or_list(outs),
        (false, Datum::Bool(false)) => Datum::Nil,
        (false, _) => Datum::list([vec![result], outs].concat()),
    }
}

/// An order of calls and returns of the threads' operations as a history, with what comes before and after.
pub fn history(harness: &Harness, scenario: &Scenario, answers: &Answers, line: &[Point]) -> History {
    let mut builder = Builder::new();
    let mut alone = answers.alone.iter();
    let mut sequential = |builder: &mut Builder, calls: &[Call]| {
        for call in calls {
            let function = &harness.operations[call.operation];
            let Some(words) = alone.next() else { return };
            let called = builder.call(0, 0, &function.name, None, input(function, call));
            let returned = called.and_then(|_| builder.ret(0, 0, Some(output(function, words))));
            returned.expect("operations that follow one another");
        }
    };
    sequential(&mut builder, &scenario.prefix);
    let all: Vec<(usize, &Call)> = scenario
        .threads
        .iter()
        .enumerate()
        .flat_map(|(t, calls)| calls.iter().map(move |c| (t, c)))
        .collect();
    for point in line {
        let (Point::Call(operation) | Point::Return(operation)) = *point;
        let (thread, call) = all[usize::from(operation)];
        let function = &harness.operations[call.operation];
        let process = thread as i64 + 1;
        let done = match point {
            Point::Call(_) => builder.call(0, process, &function.name, None, input(function, call)),
            Point::Return(_) => {
                let words = &answers.threads[usize::from(operation)];
                builder.ret(0, process, Some(output(function, words)))
            }
        };
        done.expect("a thread has one open operation");
    }
    sequential(&mut builder, &scenario.suffix);
    builder.finish()
}
