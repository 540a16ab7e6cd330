//! Every format, what is wrong with broken logs and where, and conversion.

use std::io::Read;

use crate::common::property;
use trueline_history::read::{Format, Options, Reading, read, read_bytes, recognise};
use trueline_history::write::write;
use trueline_history::{History, NEVER, OpId, Output};

fn log(text: &str) -> Reading {
    read_bytes(text.as_bytes(), &Options::default()).unwrap_or_else(|p| panic!("{p}\n{text}"))
}

fn shown(h: &History) -> Vec<String> {
    h.ids()
        .map(|id| {
            let op = h.op(id);
            let ret = if op.ret == NEVER { "-".to_string() } else { op.ret.to_string() };
            format!("{} {} {}..{ret}", op.process, h.show(id), op.call)
        })
        .collect()
}

const JSON: &str = r#"{"spec":"queue"}
{"process":0,"type":"call","op":"enq","value":1}
{"process":1,"type":"invoke","op":"deq"}
{"process":0,"type":"return","value":null}

{"process":1,"type":"ok","value":"a\"b"}
{"process":0,"type":"call","op":"deq"}
{"process":0,"type":"return"}
{"process":1,"type":"call","op":"enq","value":[1,{"x":2.5}]}
{"process":1,"type":"fail"}
{"process":2,"type":"call","op":"enq","value":7,"key":"k"}
{"process":2,"type":"info"}
{"type":"note","text":"nemesis"}
"#;

#[test]
fn json_lines() {
    let r = log(JSON);
    assert_eq!((r.format, r.spec.as_deref()), (Format::Json, Some("queue")));
    assert_eq!(
        shown(&r.history),
        ["0 enq(1) 0..2", "1 deq() = \"a\\\"b\" 1..3", "0 deq() = ? 4..5", "2 enq(\"k\", 7) = ? 7..-"]
    );
    assert_eq!(r.history.output(OpId(2)), Output::Lost);
    assert_eq!(r.history.output(OpId(3)), Output::Pending);
    assert_eq!((r.history.failed, r.history.notes.len(), r.history.ops[3].line), (1, 1, 11));
}

#[test]
fn jepsen_edn() {
    let one = "{:type :invoke, :f :read, :value nil, :process 0, :time 1}\n\
               {:process :nemesis, :type :info, :f :start, :value nil}\n\
               #jepsen.history.Op{:index 1, :type :invoke, :f :cas, :value [1 2], :process 1}\n\
               {:type :ok, :f :read, :value 5, :process 0}\n{:type :info, :f :cas, :value [1 2], :process 1, :error \"x\"}\n";
    let r = log(one);
    assert_eq!(r.format, Format::JepsenEdn);
    assert_eq!(shown(&r.history), ["0 read() = 5 0..2", "1 cas([1 2]) = ? 1..-"]);
    let vector = format!("[{}]", one.replace('\n', " "));
    assert_eq!(shown(&log(&vector).history), shown(&r.history));
    let pair = "{:type :invoke, :f :write, :value [3 9], :process 0}\n{:type :ok, :f :write, :value [3 9], :process 0}";
    let options = Options { independent: true, ..Options::default() };
    let r = read_bytes(pair.as_bytes(), &options).unwrap();
    assert_eq!(shown(&r.history), ["0 write(3, 9) 0..1"]);
}

#[test]
fn jepsen_text_and_etcd() {
    let text = "0\t:invoke\t:enqueue\t1\n1\t:invoke\t:dequeue\tnil\n0\t:ok\t:enqueue\t1\n1\t:fail\t:dequeue\tnil\t:empty\n:nemesis\t:info\t:start\tnil\n";
    let r = log(text);
    assert_eq!(r.format, Format::JepsenText);
    assert_eq!((shown(&r.history), r.history.failed), (vec!["0 enqueue(1) 0..2".to_string()], 1));
    let etcd = "INFO  jepsen.util - 0\t:invoke\t:write\t2\nINFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\n\
                INFO  jepsen.util - 1\t:fail\t:cas\t[1 2]\nINFO  jepsen.util - 0\t:info\t:write\t:timed-out\n\
                INFO  jepsen.util - 2\t:invoke\t:read\tnil\nINFO  jepsen.util - 2\t:fail\t:read\t:timed-out\n";
    let r = log(etcd);
    assert_eq!(r.format, Format::Etcd);
    assert_eq!(r.remarks.len(), 1, "the answer says how a failed cas is read");
    assert_eq!(shown(&r.history), ["0 write(2) = ? 0..-", "1 cas([1 2]) = false 1..2", "2 read() = ? 3..4"]);
    let options = Options { format: Some(Format::JepsenText), ..Options::default() };
    assert_eq!(read_bytes(etcd.as_bytes(), &options).unwrap().history.failed, 2);
    assert_eq!(recognise(&etcd.replace(":cas", ":append")).unwrap(), Format::JepsenText);
}

#[test]
fn porcupine_kv() {
    let text = "{:process 0, :type :invoke, :f :put, :key \"3\", :value \"x\"}\n\
                {:process 1, :type :invoke, :f :get, :key \"3\", :value nil}\n\
                {:process 1, :type :ok, :f :get, :key \"3\", :value \"x\"}\n";
    let r = log(text);
    assert_eq!(r.format, Format::Kv);
    assert_eq!(shown(&r.history), ["0 put(\"3\", \"x\") = ? 0..-", "1 get(\"3\") = \"x\" 1..2"]);
    let nil = text.replace("\"3\"", "nil");
    let problem = read_bytes(nil.as_bytes(), &Options::default()).unwrap_err();
    assert_eq!(problem.to_string(), "line 1: the call has no `:key`");
    // Whatever the log is taken for, its keys tell objects apart.
    let r = log(&text.replace(":put", ":delete"));
    assert_eq!(shown(&r.history)[0], "0 delete(\"3\", \"x\") = ? 0..-");
    let r = log(&text.replace(", :type", " , ; a remark\n :type").replace(":put", ":delete"));
    assert_eq!(shown(&r.history)[0], "0 delete(\"3\", \"x\") = ? 0..-");
}

#[test]
fn formats_of_monitors() {
    let r = log("# queue\nenq 1 1 3\ndeq 1 2 4\ndeq -1 4 6\n");
    assert_eq!((r.format, r.spec.as_deref()), (Format::Fastlin, Some("queue")));
    // At 4 the return comes before the call, as the owners of the format order them.
    assert_eq!(shown(&r.history), ["0 enq(1) 0..2", "1 deq() = 1 1..3", "0 deq() = nil 4..5"]);
    assert_eq!(log("# priorityqueue\ninsert 1 1 3\n").spec.as_deref(), Some("max-priority-queue"));
    let r = log("0 1 5 ENQ 4\n1 2 6 deq 4\n");
    assert_eq!((r.format, shown(&r.history)[1].as_str()), (Format::Fptlin, "1 deq() = 4 1..3"));
    let r = log(
        "# @object atomic-stack\n[1] call push(3)\n[2] call pop\n[1] return\n[2] return 3\n[1] call pop\n[1] return empty\n",
    );
    assert_eq!((r.format, r.spec.as_deref()), (Format::Violin, Some("stack")));
    assert_eq!(shown(&r.history), ["1 push(3) 0..2", "2 pop() = 3 1..3", "1 pop() = nil 4..5"]);
}

#[test]
fn empty_logs_are_empty_histories() {
    assert!(log("").history.ops.is_empty());
    assert!(log("\n \n").history.ops.is_empty());
}

#[track_caller]
fn broken(text: &str, line: u32, message: &str) {
    let p = read_bytes(text.as_bytes(), &Options::default()).unwrap_err();
    assert!(p.line == line && p.message.contains(message), "{p:?}");
}

#[test]
fn errors_name_the_line() {
    broken("{\"process\":0,\"type\":\"return\"}", 1, "without a call");
    broken(
        "{\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n\n{\"process\":0,\"type\":\"call\",\"op\":\"b\"}",
        3,
        "while its `a` of line 1 is still open",
    );
    broken(
        "{\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n{\"process\":0,\"type\":\"info\"}\n{\"process\":0,\"type\":\"call\",\"op\":\"b\"}",
        3,
        "is unknown",
    );
    broken("{\"process\":0,\"type\":\"call\",\"op\":\"a\"}\n{\"process\":0,", 2, "EOF");
    broken("{\"process\":0,\"type\":\"call\"}", 1, "`op`");
    broken("{\"type\":\"call\",\"op\":\"a\"}", 1, "`process`");
    broken("{\"process\":0,\"type\":\"jump\",\"op\":\"a\"}", 1, "`jump`");
    broken("{:type :ok, :f :read, :process 0}", 1, "without a call");
    broken("{:type :invoke, :f :read, :process 0}\n{:type :ok, :f :read", 2, "`}` is missing");
    broken("{:type :invoke, :f :read, :process 0}\n{:type :sleep, :f :read, :process 0}", 2, ":sleep");
    broken(
        "INFO  jepsen.util - 0 :invoke :read nil\nINFO  jepsen.util - 0 :invoke :read nil",
        2,
        "still open",
    );
    broken("# queue\nenq 1 5 3\n", 2, "before it starts");
    broken("# queue\nenq 1 1 x\n", 2, "no 64-bit number");
    broken("# queue\nenq 1 1\n", 2, "is missing");
    broken("# queue\njump 1 1 2\n", 2, "`jump`");
    broken("0 1 9 enq 1\n0 2 3 enq 2\n", 2, "still open");
    broken("# @object atomic-queue\n[1] call add(1\n", 2, "`)`");
    broken("what is this\n", 1, "not recognised");
    let deep = format!("{{:type :invoke, :process 0, :f :x, :value {}1", "[".repeat(1000));
    broken(&deep, 1, "nested");
}

#[test]
fn bytes_that_are_no_text_and_lines_that_do_not_end() {
    let mut bytes = JSON.as_bytes()[..60].to_vec();
    bytes.extend([b'\n', 0xff, b'\n']);
    let p = read_bytes(&bytes, &Options::default()).unwrap_err();
    assert_eq!((p.line, p.message.as_str()), (3, "the line is not valid UTF-8"));
    // An endless line ends the reading long before it fills the memory.
    for start in ["{\"process\":\"", "{:process \"", "\n# queue\n", "INFO  jepsen.util - 1"] {
        let endless = start.as_bytes().chain(std::io::repeat(b'x'));
        let p = read(endless, &Options::default()).unwrap_err();
        let lines = 1 + start.matches('\n').count() as u32;
        assert!(p.line == lines && p.message.contains("more than"), "{start}: {p}");
    }
    let p = read(std::io::repeat(b'x'), &Options::default()).unwrap_err();
    assert!(p.line == 1 && p.message.contains("not recognised"), "{p}");
    let p =
        read(std::io::repeat(b'['), &Options { max_bytes: Some(1 << 20), ..Options::default() }).unwrap_err();
    assert!(p.message.contains("more than 1048576 bytes"), "{p}");
}

fn written(h: &History, format: Format, spec: Option<&str>) -> String {
    let mut out = Vec::new();
    write(h, format, spec, &mut out).unwrap_or_else(|e| panic!("{format}: {e}"));
    String::from_utf8(out).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let json = log(JSON).history.compacted();
    let again = log(&written(&json, Format::Json, Some("queue"))).history;
    assert_eq!(shown(&json), shown(&again));
    let queue = log("# queue\nenq 1 1 3\ndeq 1 2 4\ndeq -1 5 6\n").history;
    for format in
        [Format::Json, Format::JepsenEdn, Format::JepsenText, Format::Fastlin, Format::Fptlin, Format::Violin]
    {
        let text = written(&queue, format, Some("queue"));
        let r = log(&text);
        assert_eq!((r.format, shown(&r.history)), (format, shown(&queue)), "{text}");
    }
    let set = log("# set\ninsert 1 1 2\ncontains_true 1 3 4\ncontains_false 2 5 6\n").history;
    assert_eq!(shown(&log(&written(&set, Format::Fastlin, Some("set"))).history), shown(&set));
    let etcd = "INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 1\t:fail\t:cas\t[1 2]\n";
    assert_eq!(written(&log(etcd).history, Format::Etcd, None), etcd);
    let pending = log(JSON).history;
    assert!(write(&pending, Format::Fastlin, Some("queue"), &mut Vec::new()).is_err());
    assert!(write(&pending, Format::Kv, None, &mut Vec::new()).is_err());
}

/// Damaged logs of every format: an answer or an error, never a panic, and always with a line that exists.
#[test]
fn damaged_logs() {
    let samples = [
        JSON,
        "{:type :invoke, :f :cas, :value [1 \"a\\n\"], :process 1}\n#_ {:x #{1}}\n{:type :ok, :f :cas, :value [1 2], :process 1}\n",
        "0\t:invoke\t:enqueue\t1\n0\t:ok\t:enqueue\t1\n",
        "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n",
        "{:process 0, :type :invoke, :f :put, :key \"3\", :value \"x\"}\n{:process 0, :type :ok, :f :put, :key \"3\", :value \"x\"}\n",
        "# queue\nenq 1 1 3\ndeq 1 2 4\n",
        "0 1 5 ENQ 4\n1 2 6 deq 4\n",
        "# @object atomic-stack\n[1] call push(3)\n[1] return\n",
    ];
    let (mut read, mut refused) = (0, 0);
    property(24_000, 32, |random| {
        let mut bytes = samples[random.below(samples.len())].as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[]()\"#:\\\n\t -0"[random.below(15)]),
                3 => bytes.truncate(at.max(1)),
                _ => {
                    let end = (at + random.below(20)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let format = random.one_in(2).then(|| Format::ALL[random.below(8)]);
        let lines = bytes.iter().filter(|b| **b == b'\n').count() as u32 + 1;
        match read_bytes(&bytes, &Options { format, independent: random.one_in(4), max_bytes: None }) {
            Ok(_) => read += 1,
            Err(p) => {
                refused += 1;
                assert!(p.line <= lines, "{p:?}");
            }
        }
    });
    assert!(read > 1000 && refused > 1000, "{read} {refused}");
}

/// What a reader of the format would take for something else is not written.
#[test]
fn intervals_are_refused_that_would_change_their_meaning() {
    let operation = |name: &str, argument: &str, result: &str| {
        let text = format!(
            "{{\"process\":0,\"type\":\"call\",\"op\":\"{name}\"{argument}}}\n{{\"process\":0,\"type\":\"return\"{result}}}\n"
        );
        log(&text).history
    };
    let written = |h: &History, format| {
        let mut out = Vec::new();
        write(h, format, Some("queue"), &mut out)
            .map(|()| String::from_utf8(out).unwrap())
            .map_err(|e| e.to_string())
    };
    let one = ",\"value\":1";
    for (name, argument, result) in [
        ("deq", "", ""),
        ("inc", "", one),
        ("remove", "", one),
        ("delete_min", "", one),
        ("read", "", ",\"value\":null"),
        ("enq", "", ",\"value\":null"),
        ("offer", one, ",\"value\":true"),
    ] {
        let h = operation(name, argument, result);
        for format in [Format::Fastlin, Format::Fptlin] {
            let refusal = written(&h, format).unwrap_err();
            assert!(refusal.contains("the format has no"), "{name}: {refusal}");
        }
    }
    for (name, argument, result) in [
        ("deq", "", one),
        ("deq", "", ",\"value\":null"),
        ("enq", one, ",\"value\":null"),
        ("insert", one, ",\"value\":true"),
        ("contains", one, ",\"value\":false"),
    ] {
        let h = operation(name, argument, result);
        for format in [Format::Fastlin, Format::Fptlin] {
            let text = written(&h, format).unwrap();
            let options = Options { format: Some(format), ..Options::default() };
            let back = read_bytes(text.as_bytes(), &options).unwrap().history;
            assert_eq!(shown(&back)[0].replace(" = true", ""), shown(&h)[0].replace(" = true", ""), "{text}");
        }
    }
    let lost = operation("get", ",\"key\":\"a\"", "");
    assert_eq!(written(&lost, Format::Kv).unwrap_err(), "a kv log has no `get` with an unknown result");
}

/// Numbers that JSON readers round are not taken for each other.
#[test]
fn numbers_beyond_64_bits_are_refused() {
    let text = |n: &str| format!("{{\"process\":0,\"type\":\"call\",\"op\":\"write\",\"value\":{n}}}\n");
    for n in ["18446744073709551616", "-9223372036854775809", "1e19"] {
        let problem = read_bytes(text(n).as_bytes(), &Options::default()).unwrap_err();
        assert!(problem.message.contains("more digits than are kept"), "{problem}");
    }
    for n in ["18446744073709551615", "-9223372036854775808", "1.5", "{\"$number\":\"18446744073709551616\"}"]
    {
        log(&text(n));
    }
}

#[test]
fn a_log_names_one_specification() {
    let problem =
        read_bytes(b"{\"spec\":\"queue\"}\n{\"spec\":\"stack\"}\n", &Options::default()).unwrap_err();
    assert_eq!(problem.to_string(), "line 2: the log names the specification stack, and before that queue");
    log("{\"spec\":\"queue\"}\n{\"spec\":\"queue\"}\n");
}

/// Old logs give the reason of a failure in the place of the value.
#[test]
fn independent_ends_need_no_pair() {
    let text = "{:process 0, :type :invoke, :f :read, :value [1 nil]}\n{:process 0, :type :info, :f :read, :value :timed-out}\n";
    let options = Options { independent: true, ..Options::default() };
    let h = read_bytes(text.as_bytes(), &options).unwrap().history;
    assert_eq!(shown(&h), ["0 read(1) = ? 0..-"]);
}
