//! Plain, odd and damaged lines: what is read quickly means what the full reader of the format says.

use super::*;
use crate::generate::Random;
use crate::property;
use crate::read::source::first_line;
use crate::read::{Format, LineParser, Options, Reading, interval, jepsen, read, read_in_full, read_with};

/// Lines as recorders write them, and some that come close.
fn lines(format: Format) -> &'static [&'static str] {
    match format {
        Format::Json => &[
            r#"{"spec":"queue"}"#,
            r#"{"process":0,"type":"call","op":"enq","value":1}"#,
            r#"{"process":0,"type":"return","value":null}"#,
            r#"{"type": "invoke", "process": 1, "op": "read"}"#,
            r#"{"value": "a b", "type": "ok", "process": 1}"#,
            r#"{"process":2,"type":"call","op":"put","key":"x","value":-12}"#,
            r#"{"process":2,"type":"unknown"}"#,
            r#"{"process":3,"type":"call","op":"cas","key":7,"value":[1,2]}"#,
            r#"{"process":3,"type":"fail","value":true}"#,
            r#"{"type":"note","text":"partition"}"#,
            r#"{"process":4,"type":"info","op":"é","value":false,"time":1.5}"#,
        ],
        Format::JepsenEdn => &[
            "{:index 0, :type :invoke, :process 0, :f :write, :value 1}",
            "{:index 1, :type :ok, :process 0, :f :write, :value [1 2]}",
            "#jepsen.history.Op{:index 2, :time 12, :type :invoke, :process 1, :f :cas, :value [3 [1 2]]}",
            "{:type :fail, :process 1, :f :cas, :value [3 4], :error [:timeout \"no\"]}",
            "{:process :nemesis, :type :info, :f :start, :value nil}",
            "{:type :invoke :process 2 :f :read :value nil}",
            "{:type :info, :process 2, :f :read, :value :timed-out} ; lost",
            "{:type :invoke, :process 3, :f :add, :value \"a b\", :error {:a #{1}}}",
            "{:type :ok, :process 3, :f :add, :key 1, :value [:x nil]}",
            "#_ {:a\n1} {:type :invoke,\n :process 4, :f :a, ; b\n :value \\\n}",
            "#_ \\\nabc {:type :invoke, :process 5, :f :b, :value 1}",
            "{:type :ok, :process 4, :f :a, :value \"a\n b\"}",
        ],
        Format::Kv => &[
            "{:process 0, :type :invoke, :f :get, :key \"a\", :value nil}",
            "{:process 0, :type :ok, :f :get, :key \"a\", :value \"x 0 1 y\"}",
            "{:process 1, :type :invoke, :f :put, :key 4, :value 12}",
            "{:process 1, :type :info, :f :put, :key 4, :value 12}",
            "{:process 2, :type :invoke, :f :append, :key :k, :value [1 \"b\"]}",
            "{:process 2, :type :fail, :f :append}",
        ],
        Format::JepsenText => &[
            "0\t:invoke\t:write\t1",
            "0\t:ok\t:write\t[1 2]",
            "INFO  jepsen.util - 1\t:invoke\t:cas\t[3 [1 2]]",
            "1\t:fail\t:cas\t[3 4]\t:timeout",
            ":nemesis\t:info\t:start\tnil",
            "2\t:invoke\t:read\tnil",
            "2\t:info\t:read\t:timed-out",
        ],
        Format::Etcd => &[
            "INFO  jepsen.util - 0\t:invoke\t:write\t1",
            "INFO  jepsen.util - 0\t:ok\t:write\t1",
            "INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]",
            "INFO  jepsen.util - 1\t:fail\t:cas\t[1 2]",
            "INFO  jepsen.util - 2\t:invoke\t:read\tnil",
            "INFO  jepsen.util - 2\t:fail\t:read\t:timed-out",
            "INFO  jepsen.util - 3 :invoke :cas [2 3]",
            "INFO  jepsen.util - 3\t:fail\t:cas\t:timed-out",
            "INFO  jepsen.util - 4\t:invoke\t:read\t\"a  b\"",
            "INFO  jepsen.util - 4\t:ok\t:cas\t[1 2]",
            "INFO  jepsen.util - :nemesis :info :start nil",
        ],
        Format::Fptlin => &[
            "0 0 4 enq 1",
            "1 2 5 DEQ 1",
            "2 6 9 insert 3 1",
            "3 7 8 contains 3 false",
            "# c",
            "4 3 10 deq",
            "-1 5 20 pop -1",
        ],
        _ => &["# stack", "push 1 0 4", "pop 1 2 5", "pop -1 6 9", "PUSH 2 1 3", "push 3 7 8 "],
    }
}

const PIECES: [&str; 61] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\\\"",
    ",",
    ":",
    " ",
    "  ",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\u{b}",
    "\u{7f}",
    "0",
    "1",
    "-",
    "-0",
    "01",
    "1.0",
    "1e3",
    "1.5",
    "+1",
    "1N",
    "1/2",
    "999999999999999999",
    "9999999999999999999",
    "-9223372036854775808",
    "null",
    "true",
    "false",
    "nil",
    "é",
    "#_",
    "#",
    ";",
    "\\a",
    ":key 1",
    ":type :ok",
    ":value nil",
    ":value 1",
    ":process 7,",
    ":f :x",
    ":a 1",
    "\"key\":null,",
    "\"key\":2,",
    "\"value\":1,",
    "\"type\":\"ok\",",
    "\"process\":1,",
    "\"spec\":\"x\",",
    "\"op\":\"y\",",
    "\"other\":0,",
    "[1 2]",
    "[1 [2 3]]",
    "enq",
    "empty",
    "'",
    "^",
];

fn damage(text: &mut String, random: &mut Random) {
    let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let at = places[random.below(places.len())];
    let to = places[random.below(places.len())].clamp(at, (at + 12).min(text.len()));
    let to = if text.is_char_boundary(to) { to } else { at };
    match random.below(5) {
        0 => text.replace_range(at..to, ""),
        1 => {
            let twice = text[at..to].to_string();
            text.insert_str(at, &twice);
        }
        2 => text.replace_range(at..to, PIECES[random.below(PIECES.len())]),
        _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
    }
}

/// Lines of a format, damaged once or twice or not at all, with what may stand behind them.
fn damaged(format: Format, many: u32, mut see: impl FnMut(&str)) {
    let lines = lines(format);
    property::of(many, 16, |random| {
        let mut text = lines[random.below(lines.len())].to_string();
        for _ in 0..random.below(3) {
            damage(&mut text, random);
        }
        text.push_str(["\n", "\r\n", "", "\n{", "\n1"][random.below(5)]);
        see(&text);
    });
}

#[test]
fn lines_mean_what_the_full_reader_says() {
    let formats = [Format::Json, Format::Kv, Format::Etcd, Format::JepsenText];
    for (format, independent) in formats.map(|f| (f, false)).into_iter().chain([(Format::JepsenText, true)]) {
        let (mut parser, mut plain, mut other) = (LineParser::new(format, independent), 0, 0);
        damaged(format, 60_000, |text| match parser.quick(text) {
            None => other += 1,
            Some((quick, bytes)) => {
                plain += 1;
                let (line, full) = first_line(1, text).expect("it is short");
                assert_eq!(bytes, full, "{text:?}");
                assert_eq!(parser.full(1, line), Ok(Some(quick.entry())), "{text:?}");
            }
        });
        assert!(plain > 3_000 && other > 6_000, "{format}: {plain} {other}");
    }
}

#[test]
fn operations_mean_what_the_full_reader_says() {
    for independent in [false, true] {
        let (mut plain, mut other) = (0, 0);
        damaged(Format::JepsenEdn, 60_000, |text| match EdnOperation::jepsen(text, independent) {
            None => other += 1,
            Some((quick, bytes)) => {
                plain += 1;
                let forms = read_all(&text[..bytes]).unwrap_or_else(|p| panic!("{text:?}: {p}"));
                let mut entries = Vec::new();
                for form in &forms {
                    let sink = &mut |_, entry| {
                        entries.push(entry);
                        Ok(())
                    };
                    jepsen::entries(1, form, independent, sink).unwrap_or_else(|p| panic!("{text:?}: {p}"));
                }
                assert_eq!(entries, [quick.entry()], "{text:?}");
                assert!(text[..bytes].ends_with('}') && !text[..bytes].contains('\n'), "{text:?}");
            }
        });
        assert!(plain > 1_500 && other > 6_000, "{independent}: {plain} {other}");
    }
}

#[test]
fn intervals_mean_what_the_full_reader_says() {
    for format in [Format::Fastlin, Format::Fptlin] {
        let (mut plain, mut other) = (0, 0);
        damaged(format, 60_000, |text| {
            let (line, full) = first_line(1, text).expect("it is short");
            let (quick, words) = match format {
                Format::Fastlin => (fastlin(text), interval::fastlin(1, line.trim_ascii(), &mut None)),
                _ => (fptlin(text), interval::fptlin(1, line.trim_ascii(), &mut None)),
            };
            match quick {
                None => other += 1,
                Some((quick, bytes)) => {
                    plain += 1;
                    assert_eq!((Ok(Some(quick)), bytes), (words, full), "{text:?}");
                }
            }
        });
        assert!(plain > 6_000 && other > 6_000, "{format}: {plain} {other}");
    }
}

/// Whole logs with damage of all kinds, as bytes: the same history, or the same mistake on the same line.
#[test]
fn logs_are_read_as_in_full() {
    let (mut good, mut bad) = (0, 0);
    property::of(24_000, 64, |random| {
        let formats = Format::ALL.map(|f| if f == Format::Violin { Format::JepsenEdn } else { f });
        let format = formats[random.below(formats.len())];
        let mut text = String::from(if format == Format::Fastlin { "# stack\n" } else { "" });
        let (lines, from) = (lines(format), random.below(4));
        for line in lines.iter().cycle().skip(from).take(1 + random.below(lines.len())) {
            text.push_str(line);
            text.push_str(if random.one_in(6) { "\r\n" } else { "\n" });
        }
        for _ in 0..random.below(3) {
            damage(&mut text, random);
        }
        if random.one_in(4) {
            text.pop();
        }
        let mut bytes = text.into_bytes();
        if random.one_in(20) {
            bytes.splice(0..0, *b"\xef\xbb\xbf");
        }
        if random.one_in(20) {
            let at = random.below(bytes.len());
            bytes.insert(at, 0xc3);
        }
        let options = Options { format: Some(format), independent: random.one_in(3), max_bytes: None };
        let seen = |r: Reading| (r.history, r.format, r.spec, r.remarks);
        let (a, b) = (read(&bytes[..], &options).map(seen), read_in_full(&bytes[..], &options).map(seen));
        assert_eq!(a, b, "{}", String::from_utf8_lossy(&bytes));
        // In small blocks a mistake may be found before a later line that is no text.
        if std::str::from_utf8(&bytes).is_ok() {
            let blocks = read_with(&bytes[..], &options, random.one_in(2), 1 + random.below(80)).map(seen);
            assert_eq!(a, blocks, "{}", String::from_utf8_lossy(&bytes));
        }
        *if a.is_ok() { &mut good } else { &mut bad } += 1;
    });
    assert!(good > 2_000 && bad > 2_000, "{good} {bad}");
}
