//! Logs as their owners write them: Jepsen's JSON, records over several lines, headers and columns of the monitors.

use crate::common::meter;
use trueline_base::Silent;
use trueline_history::check::named;
use trueline_history::read::{Format, Options, Problem, Reading, read_bytes};
use trueline_history::{History, OpId, Setting};

fn read(text: &str) -> Result<Reading, Problem> {
    read_bytes(text.as_bytes(), &Options::default())
}

fn shown(history: &History) -> Vec<String> {
    history.ids().map(|id| history.show(id)).collect()
}

fn holds(spec: &str, history: &History) -> bool {
    let options = trueline_history::Options::default();
    named(spec).unwrap().check(history, &options, &meter(), &mut Silent).unwrap().verdict.holds()
}

const RECORDS: [&str; 5] = [
    r#"{"index":0,"time":12,"type":"invoke","process":0,"f":"write","value":3}"#,
    r#"{"index":1,"type":"info","process":"nemesis","f":"start","value":null}"#,
    r#"{"index":2,"type":"ok","process":0,"f":"write","value":3}"#,
    r#"{"index":3,"type":"invoke","process":1,"f":"read","value":null}"#,
    r#"{"index":4,"type":"ok","process":1,"f":"read","value":3}"#,
];

#[test]
fn jepsen_in_json() {
    let lines = read(&RECORDS.join("\n")).unwrap();
    let array = read(&format!("[{}]", RECORDS.join(",\n "))).unwrap();
    let spread = read(&format!("[\n{}\n]\n", RECORDS.join(",\n").replace(",\"", ",\n    \""))).unwrap();
    for reading in [&lines, &array, &spread] {
        assert_eq!(reading.format, Format::Json);
        assert_eq!(shown(&reading.history), ["write(3)", "read() = 3"]);
        assert_eq!(reading.history.notes.len(), 1);
    }
    assert_eq!(array.history.op(OpId(1)).line, 4);
    assert_eq!(spread.history.op(OpId(1)).line, 18);
    for (broken, line) in
        [("[{\"type\":\"ok\"}", 1), ("[{\"process\":1,\"type\":\"invoke\",\"f\":\"read\"}\n x ]", 2)]
    {
        assert_eq!(read(broken).unwrap_err().line, line, "{broken}");
    }
}

#[test]
fn a_vector_over_several_lines_has_lines() {
    let text = "[{:type :invoke, :process 0, :f :read, :value nil}\n {:type :ok, :process 0, :f :read,\n  :value 1}\n\n {:type :invoke, :process 0, :f :read, :value nil}]\n";
    let reading = read(text).unwrap();
    assert_eq!(reading.history.op(OpId(1)).line, 5);
    let problem = read("[{:type :invoke, :process 0, :f :read}\n{:type :ok}\n]").unwrap_err();
    assert_eq!(problem.line, 2);
    assert!(read("[{:type :invoke, :process 0, :f :read}\n").is_err());
}

#[test]
fn records_of_history_txt_over_several_lines() {
    let text = "0\t:invoke\t:write\t\"a\nb\"\n0\t:ok\t:write\t\"a\nb\"\n1\t:invoke\t:read\tnil\n1\t:info\t:read\tnil\tjava.lang.Exception: no\n  at there\n  at here\n";
    let history = read(text).unwrap().history;
    assert_eq!(shown(&history), ["write(\"a\\nb\")", "read() = ?"]);
    // What is no record and continues none is still refused.
    assert_eq!(read("0\t:invoke\t:read\tnil\nwhat\n").unwrap_err().line, 2);
    assert_eq!(read("0\t:invoke\t:write\t[1\n1\t:invoke\t:read\tnil\n").unwrap_err().line, 1);
}

#[test]
fn fptlin_with_its_header_and_both_orders_of_columns() {
    let newer =
        read("# stack\n0 1 5 PUSH 1\n1 2 6 PUSH 2\n2 3 7 POP 2\n3 4 8 POP 1\n4 2 9 PEEK -1\n").unwrap();
    assert_eq!((newer.format, newer.spec.as_deref()), (Format::Fptlin, Some("stack")));
    let older = read("# priorityqueue\n0 insert 2 0 4\n1 insert 3 1 5\n0 poll 3 6 7\n").unwrap();
    assert_eq!((older.format, older.spec.as_deref()), (Format::Fptlin, Some("max-priority-queue")));
    assert_eq!(shown(&older.history), ["insert(2)", "insert(3)", "poll() = 3"]);
    let rmw = read(
        "# rmw\n0 1 10 READ_MODIFY_WRITE 0 2\n1 1 10 READ_MODIFY_WRITE 1 0\n2 1 10 READ_MODIFY_WRITE 2 1\n",
    )
    .unwrap();
    assert_eq!(rmw.spec.as_deref(), Some("cas-register(0)"));
    assert_eq!(shown(&rmw.history), ["rmw(2) = 0", "rmw(0) = 1", "rmw(1) = 2"]);
    assert!(holds("cas-register(0)", &rmw.history) && !holds("cas-register(7)", &rmw.history));
    let semaphore = read("# semaphore\n0 0 2 INCR 1\n1 0 4 DECR 1\n0 3 5 DECR 0\n").unwrap();
    assert_eq!(semaphore.spec.as_deref(), Some("semaphore(0)"));
    assert!(holds("semaphore(0)", &semaphore.history) && !holds("semaphore(2)", &semaphore.history));
    let fastlin = read("# queue\nenq 1 0 2\ndeq 1 3 4\n").unwrap();
    assert_eq!((fastlin.format, fastlin.spec.as_deref()), (Format::Fastlin, Some("queue")));
}

/// What ends when another starts precedes it, also where times are far apart.
#[test]
fn at_one_time_returns_come_first() {
    for far in ["", "deq -1 9000000000000 9000000000001\n"] {
        let text = format!("# queue\nenq 1 0 5\nenq 2 5 6\ndeq 2 7 8\ndeq 1 9 10\n{far}");
        let history = read(&text).unwrap().history;
        assert!(history.op(OpId(0)).before(history.op(OpId(1))), "{history:?}");
        assert!(!holds("queue", &history));
    }
    let history = read("# queue\nenq 1 5 5\ndeq 1 5 6\nenq 2 3 5\n").unwrap().history;
    assert!(history.ops.iter().all(|op| op.call < op.ret));
    assert!(history.op(OpId(0)).before(history.op(OpId(1))));
}

#[test]
fn logs_of_limo() {
    let text = "# @object atomic-stack\n[1] call push 1\n[1] return\n[1] call pop(1)\n[2] call push(?<0,0>)\n[1] return\n[2] return\n[2] call pop\n[2] return ?<0,0>\n";
    let reading = read(text).unwrap();
    assert_eq!(reading.spec.as_deref(), Some("stack"));
    assert_eq!(shown(&reading.history), ["push(1)", "pop() = 1", "push(?<0,0>)", "pop() = ?<0,0>"]);
    assert!(holds("stack", &reading.history));
    let crash = read("# @object atomic-stack\n[0] call push(b)\ncrash\n").unwrap_err();
    assert!(crash.line == 3 && crash.message.contains("crash"), "{crash}");
}

#[test]
fn a_refusal_names_the_format() {
    let problem = read("{\"type\":\"call\",\"process\":0}\n").unwrap_err();
    assert_eq!(problem.settings, [Setting::OtherFormat("json".into())]);
    let chosen = Options { format: Some(Format::Json), ..Options::default() };
    let problem = read_bytes(b"{\"type\":\"call\",\"process\":0}\n", &chosen).unwrap_err();
    assert!(problem.settings.is_empty(), "{problem:?}");
}

#[test]
fn formats_that_say_what_they_are_about() {
    let etcd =
        read("INFO  jepsen.util - 3 :invoke :cas [1 2]\nINFO  jepsen.util - 3 :fail :cas [1 2]\n").unwrap();
    assert_eq!((etcd.format, etcd.spec.as_deref()), (Format::Etcd, Some("cas-register")));
    let kv = read("{:process 0, :type :invoke, :f :get, :key \"k\", :value nil}\n").unwrap();
    assert_eq!((kv.format, kv.spec.as_deref()), (Format::Kv, Some("kv")));
}

#[test]
fn pairs_without_independent_get_a_hint() {
    let pairs = "{:type :invoke, :process 0, :f :write, :value [1 5]}\n{:type :ok, :process 0, :f :write, :value [1 5]}\n{:type :invoke, :process 1, :f :read, :value [2 nil]}\n";
    let reading = read(pairs).unwrap();
    assert!(reading.remarks[0].contains("independent objects"), "{:?}", reading.remarks);
    let independent = Options { independent: true, ..Options::default() };
    assert!(read_bytes(pairs.as_bytes(), &independent).unwrap().remarks.is_empty());
    let cas = "{:type :invoke, :process 0, :f :cas, :value [1 5]}\n{:type :invoke, :process 1, :f :read, :value nil}\n";
    assert!(read(cas).unwrap().remarks.is_empty());
}
