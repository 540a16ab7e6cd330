//! `trueline history` as scripts see it: exit codes, documents, files.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::schema::{Schema, remove};
use serde_json::{Value, json};

const GOOD: &str = r#"{"spec":"queue"}
{"process":0,"type":"call","op":"enq","value":1}
{"process":1,"type":"call","op":"deq"}
{"process":0,"type":"return","value":null}
{"process":1,"type":"return","value":1}
"#;

const BAD: &str = r#"{"spec":"queue"}
{"process":0,"type":"call","op":"enq","value":1}
{"process":0,"type":"return","value":null}
{"process":0,"type":"call","op":"enq","value":2}
{"process":0,"type":"return","value":null}
{"process":1,"type":"call","op":"deq"}
{"process":1,"type":"return","value":2}
{"process":1,"type":"call","op":"deq"}
{"process":1,"type":"return","value":1}
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("trueline-history-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn trueline(arguments: &[&str], input: Option<&str>) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trueline"))
        .arg("history")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    if let Some(text) = input {
        // A command that already has its answer does not read the rest.
        let _ = stdin.write_all(text.as_bytes());
    }
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn exit_codes() {
    let folder = Folder::new("exit");
    let (good, bad) = (folder.file("good.jsonl", GOOD), folder.file("bad.jsonl", BAD));
    let broken = folder.file("broken.jsonl", "{\"process\":0,\"type\":\"return\"}\n");
    let code = |arguments: &[&str]| trueline(arguments, None).0;
    assert_eq!(code(&["check", &good]), 0);
    assert_eq!(code(&["check", &bad]), 1);
    assert_eq!(code(&["check", &good, &bad]), 1);
    assert_eq!(code(&["check", &bad, "--time", "0s"]), 2);
    assert_eq!(code(&["check", &broken, "--spec", "queue"]), 3);
    assert_eq!(code(&["check", &bad, &broken, "--spec", "queue"]), 3);
    assert_eq!(code(&["check", "/no/such/file", "--spec", "queue"]), 3);
    assert_eq!(code(&["check", &good, "--spec", "register"]), 3);
    assert_eq!(code(&["check", &good, "--spec", "my.tl:Queue"]), 3);
    assert_eq!(code(&["check", &good, "--spec", "nothing"]), 64);
    assert_eq!(code(&["check", &good, "--condition", "strict"]), 64);
    assert_eq!(code(&["check", &good, "--condition", "sequential", "--follow"]), 64);
    assert_eq!(code(&["check", &bad, "--condition", "quasi=deq:1"]), 0);
    assert_eq!(code(&["check", &bad, "--condition", "regular"]), 3);
    assert_eq!(code(&["check", folder.0.to_str().unwrap(), "--spec", "queue", "--jobs", "2"]), 3);
    assert_eq!(code(&["--help"]), 0);
}

#[test]
fn errors_name_file_and_line() {
    let folder = Folder::new("errors");
    let broken = folder.file("broken.jsonl", "{\"process\":0,\"type\":\"call\",\"op\":\"enq\"}\n{\"process\":0,\"type\":\"call\",\"op\":\"enq\"}\n");
    let (_, out, error) = trueline(&["check", &broken, "--spec", "queue"], None);
    assert!(out.is_empty() && error.contains("broken.jsonl:2:"), "{error}");
    // A log that was taken for another format may be understood, and fit nothing.
    let good = folder.file("good.jsonl", GOOD);
    let (_, _, error) = trueline(&["check", &good, "--spec", "register"], None);
    assert!(error.contains("good.jsonl:2:") && error.contains("taken for json; --format"), "{error}");
    let (_, _, error) = trueline(&["check", &good, "--spec", "register", "--format", "json"], None);
    assert!(error.contains("good.jsonl:2:") && !error.contains("--format"), "{error}");
}

#[test]
fn a_failure_is_told() {
    let folder = Folder::new("told");
    let bad = folder.file("bad.jsonl", BAD);
    let page = folder.0.join("report.html").display().to_string();
    let (_, out, _) = trueline(&["check", &bad, "--html", &page], None);
    for words in [
        "FAILS  linearizable",
        "another order than they were put in",
        "must answer 1",
        "minimal: 4 operations",
        "line 6",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("deq() = 2") && !page.contains("@@DATA@@"));
}

#[test]
fn documents_have_their_fields() {
    let folder = Folder::new("json");
    let (good, bad) = (folder.file("a.jsonl", GOOD), folder.file("b.jsonl", BAD));
    let (_, out, _) = trueline(&["check", &good, &bad, "--json", "--witness"], None);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["version"], 1);
    let results = document["results"].as_array().unwrap();
    assert_eq!((&results[0]["verdict"], &results[1]["verdict"]), (&"holds".into(), &"fails".into()));
    assert_eq!(results[0]["witness"].as_array().unwrap().len(), 2);
    assert_eq!(results[1]["failure"]["operations"].as_array().unwrap().len(), 4);
    assert_eq!(results[1]["failure"]["minimal"], true);
    let schema = Schema::of("history.json");
    let args = ["check", &good, &bad, "--json", "--witness"];
    schema.fits(&args, &out);
    let unknown = ["check", &good, "--json", "--time", "0s", "--engine", "search"];
    let (code, text, _) = trueline(&unknown, None);
    let undecided = schema.fits(&unknown, &text);
    assert_eq!((code, &undecided["results"][0]["verdict"]), (2, &"unknown".into()));
    for args in [&["check", "none.jsonl", "--json"][..], &["check", &good, &bad, "--json", "--html", "x"][..]]
    {
        let (_, text, _) = trueline(args, None);
        assert_eq!(schema.fits(args, &text)["diagnostics"].as_array().map(Vec::len), Some(1), "{text}");
    }
    // What belongs to one verdict does not go with another.
    schema.refuses(&undecided, |d| d["results"][0]["why"] = Value::Null);
    schema.refuses(&document, |d| d["results"][0]["why"] = json!("a reason"));
    schema.refuses(&document, |d| d["results"][0]["failure"] = d["results"][1]["failure"].clone());
    schema.refuses(&document, |d| d["results"][1]["failure"] = Value::Null);
    schema.refuses(&document, |d| d["results"][1]["witness"] = d["results"][0]["witness"].clone());
    schema.refuses(&document, |d| remove(&mut d["results"][1]["failure"], "minimal"));
    schema.refuses(&document, |d| d["results"][1]["failure"]["more"] = json!(1));
    schema.refuses(&document, |d| d["results"][1]["more"] = json!(1));
}

#[test]
fn a_growing_log_is_followed() {
    // The violation is clear before the last line, which is broken and never read.
    let text = format!("{BAD}this is no line\n");
    let (code, out, error) = trueline(&["check", "-", "--follow"], Some(&text));
    assert_eq!(code, 1, "{out}{error}");
    assert_eq!(trueline(&["check", "-", "--follow"], Some(GOOD)).0, 0);
    assert_eq!(trueline(&["check", "-", "--follow", "--condition", "quasi=deq:1"], Some(BAD)).0, 0);
    assert_eq!(trueline(&["check", "-", "--follow"], Some("{\"spec\":\"queue\"}\nwhat\n")).0, 3);
}

/// Limits hold while nothing arrives.
#[test]
fn a_silent_log_is_not_followed_forever() {
    for (text, told) in [(GOOD, "UNKNOWN"), ("", "before the first line")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trueline"))
            .args(["history", "check", "-", "--follow", "--time", "300ms"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let all = String::from_utf8([stdout, stderr].concat()).unwrap();
        assert!(status.code() == Some(2) && all.contains(told), "{status} {all}");
        drop(stdin);
    }
}

#[test]
fn distances_and_conversion() {
    let folder = Folder::new("convert");
    let bad = folder.file("bad.jsonl", BAD);
    let (code, out, _) = trueline(&["distance", &bad, "--operation", "deq"], None);
    assert!(code == 0 && out.contains("quasi=deq:1 holds"), "{out}");
    let (_, text, _) = trueline(&["convert", &bad, "--to", "violin"], None);
    assert!(text.starts_with("# @object atomic-queue\n[0] call enq(1)\n[0] return\n"), "{text}");
    let violin = folder.file("bad.log", &text);
    assert_eq!(trueline(&["check", &violin], None).0, 1);
    assert_eq!(trueline(&["convert", &bad, "--to", "kv"], None).0, 3);
}

#[test]
fn specifications_of_models() {
    let folder = Folder::new("model");
    let (good, bad) = (folder.file("good.jsonl", GOOD), folder.file("bad.jsonl", BAD));
    let text = "spec Fifo {\n    state items: seq val = [];\n    op enq(v: val) { items.push_back(v); }\n    op deq() -> val? { return items.pop_front(); }\n}\n";
    let file = folder.file("my.tl", text);
    let ask = |log: &str, spec: &str| trueline(&["check", log, "--spec", spec], None);
    let (own, ready) = (format!("{file}:Fifo"), format!("{file}:Stack"));
    assert_eq!(ask(&good, &own).0, 0);
    assert_eq!(ask(&good, &file).0, 0);
    assert_eq!(ask(&bad, &format!("{file}:Quasi(Queue, deq: 1)")).0, 0);
    let (code, out, _) = ask(&bad, &own);
    assert_eq!(code, 1);
    assert!(out.contains("must answer 1"), "{out}");
    let (code, _, err) = ask(&good, &ready);
    assert_eq!(code, 3);
    assert!(err.contains("no operation `enq`"), "{err}");
    let (code, _, err) = ask(&good, &format!("{file}:Fofi"));
    assert_eq!(code, 3);
    assert!(err.contains("there is no specification `Fofi`"), "{err}");
    assert_eq!(ask(&good, &format!("{file}x.tl:Fifo")).0, 3);
    assert_eq!(trueline(&["check", &bad, "--follow", "--spec", &own], None).0, 1);
}

/// An enum of the file is the answer of an operation, of the object and of its specification.
#[test]
fn specifications_of_models_answer_enums() {
    let folder = Folder::new("enums");
    let model = folder.file(
        "box.tl",
        "enum Answer { Got(val), Nothing }
         spec Box {
             state item: val? = none;
             op put(v: val) { item = v; }
             op take() -> Answer { let i = item; item = none; if i == none { return Nothing; } return Got(i); }
         }
         object Cell implements Box {
             shared c: val? = none;
             op put(v: val) { c = v; }
             op take() -> Answer { let i = swap(c, none); if i == none { return Nothing; } return Got(i); }
         }
         check Cell { linearizable; }",
    );
    let log = |last: &str| {
        let take = "{\"process\":0,\"type\":\"call\",\"op\":\"take\"}";
        let back = |answer: &str| format!("{{\"process\":0,\"type\":\"return\",\"value\":{answer}}}");
        let put = "{\"process\":0,\"type\":\"call\",\"op\":\"put\",\"value\":1}";
        [put, &back("null"), take, &back("[\"Got\",1]"), take, &back(last)].join("\n")
    };
    let spec = format!("{model}:Box");
    let ask =
        |name: &str, last: &str| trueline(&["check", &folder.file(name, &log(last)), "--spec", &spec], None);
    assert_eq!(ask("good.jsonl", "\"Nothing\"").0, 0);
    let (code, out, _) = ask("bad.jsonl", "[\"Got\",1]");
    assert!(code == 1 && out.contains("must answer Nothing"), "{out}");
    let checked = Command::new(env!("CARGO_BIN_EXE_trueline")).args(["check", &model]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
}

#[test]
fn logs_are_read_as_they_are_published() {
    let folder = Folder::new("published");
    let edn = "{:type :invoke, :process 0, :f :write, :value 1}\n{:type :ok, :process 0, :f :write, :value 1}\n{:type :invoke, :process 0, :f :read, :value nil}\n{:type :ok, :process 0, :f :read, :value 1}\n";
    let path = folder.file("history.edn.gz", "");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(edn.as_bytes()).unwrap();
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    let (code, out, error) = trueline(&["check", &path, "--spec", "register"], None);
    assert!(code == 0 && out.contains("jepsen log"), "{out}{error}");
    let cut = folder.file("cut.edn.gz", "");
    std::fs::write(&cut, &std::fs::read(&path).unwrap()[..20]).unwrap();
    assert_eq!(trueline(&["check", &cut, "--spec", "register"], None).0, 3);
}

#[test]
fn a_log_that_says_nothing_does_not_pass_silently() {
    let folder = Folder::new("thin");
    let empty = folder.file("empty.jsonl", "{\"spec\":\"register\"}\n");
    let (code, _, error) = trueline(&["check", &empty], None);
    assert!(code == 0 && error.contains("there is no operation in the log"), "{error}");
    let (code, _, error) = trueline(&["check", &empty, "--require", "1"], None);
    assert!(code == 3 && error.contains("--require asks for 1"), "{error}");
    let blind = folder.file(
        "blind.jsonl",
        "{\"process\":0,\"type\":\"call\",\"op\":\"write\",\"value\":1}\n{\"process\":0,\"type\":\"return\",\"value\":null}\n",
    );
    let (code, _, error) = trueline(&["check", &blind, "--spec", "register", "--require", "1"], None);
    assert!(code == 0 && error.contains("answered anything"), "{error}");
}

/// What a log says is not obeyed by a terminal.
#[test]
fn control_characters_are_spelled_out() {
    let folder = Folder::new("control");
    let log = folder.file(
        "control.jsonl",
        "{\"process\":0,\"type\":\"call\",\"op\":\"write\",\"value\":{\"$word\":\"\\u001b[2J\\u009b1m\"}}\n{\"process\":0,\"type\":\"return\",\"value\":null}\n",
    );
    let (_, out, _) = trueline(&["check", &log, "--spec", "register", "--witness"], None);
    assert!(out.contains("\\u{1b}[2J\\u{9b}1m") && !out.contains('\u{1b}'), "{out}");
    let wrong = folder.file("wrong.jsonl", "{\"process\":0,\"type\":\"\\u001b[2J\"}\n");
    let (code, _, error) = trueline(&["check", &wrong, "--spec", "register"], None);
    assert!(code == 3 && !error.contains('\u{1b}'), "{error}");
}

/// Records over several lines, and logs that are one sequence, are told as soon as they are whole.
#[test]
fn records_over_several_lines_are_followed() {
    let edn = "[{:type :invoke, :process 0,\n  :f :write, :value 1}\n {:type :ok, :process 0, :f :write, :value 1}\n {:type :invoke,\n :process 0, :f :read, :value nil} {:type :ok, :process 0, :f :read, :value 2}\n this is no form";
    let (code, out, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(edn));
    assert!(code == 1 && out.contains("read() = 2"), "{out}{error}");
    let lines = edn.replace('[', "").replace(":value 2}\n this is no form", ":value 1}\n");
    let (code, out, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(&lines));
    assert_eq!(code, 0, "{out}{error}");
    let closed = edn.replace(":value 2}\n this is no form", ":value 1}\n]\n");
    assert_eq!(trueline(&["check", "-", "--follow", "--spec", "register"], Some(&closed)).0, 0);
    // What is not closed, or closed twice, is said with its line.
    let open = closed.replace("]\n", "");
    let (code, _, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(&open));
    assert!(code == 3 && error.contains("not closed"), "{error}");
    let twice = closed.replace("]\n", "]]\n");
    let (code, _, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(&twice));
    assert!(code == 3 && error.contains("-:6:"), "{error}");
    let json = "[\n{\"type\":\"invoke\",\"process\":0,\"f\":\"write\",\n\"value\":1},\n{\"type\":\"ok\",\"process\":0,\"f\":\"write\",\"value\":1},\n{\"type\":\"invoke\",\"process\":0,\"f\":\"read\"},{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":2},\nno more\n";
    let (code, out, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(json));
    assert!(code == 1 && out.contains("json log"), "{out}{error}");
    let text = "0\t:invoke\t:write\t{:a\n 1}\n0\t:ok\t:write\t{:a\n 1}\n1\t:invoke\t:read\tnil\n1\t:info\t:read\t:timed-out\tat a\n  long error\n2\t:invoke\t:read\tnil\n2\t:ok\t:read\t7\nno record";
    let (code, out, error) = trueline(&["check", "-", "--follow", "--spec", "register"], Some(text));
    assert!(code == 1 && out.contains("jepsen-text log"), "{out}{error}");
}

/// A drain is judged with the whole log, which then says the same as without following.
#[test]
fn a_drain_is_followed_to_the_end() {
    let log = |drained: &str| {
        let mut text = String::new();
        for value in 1..4 {
            text += &format!("{{:type :invoke, :process 0, :f :enqueue, :value {value}}}\n");
            text += &format!("{{:type :ok, :process 0, :f :enqueue, :value {value}}}\n");
        }
        text + &format!(
            "{{:type :invoke, :process 0, :f :drain, :value nil}}\n{{:type :ok, :process 0, :f :drain, :value {drained}}}\n"
        )
    };
    for follow in [&["check", "-", "--spec", "queue"][..], &["check", "-", "--spec", "queue", "--follow"]] {
        assert_eq!(trueline(follow, Some(&log("[1 2 3]"))).0, 0);
        let (code, out, error) = trueline(follow, Some(&log("[1 3 2]")));
        assert!(code == 1 && out.contains("dequeue() = 3"), "{out}{error}");
        assert_eq!(trueline(follow, Some(&log("nil"))).0, 3);
    }
    let (_, out, _) = trueline(&["distance", "-", "--spec", "queue"], Some(&log("[1 3 2]")));
    assert!(out.contains("quasi=1 holds"), "{out}");
}
