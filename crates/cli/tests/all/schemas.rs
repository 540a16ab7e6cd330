//! The schemas in `schemas/` are those of the types; `BLESS=1` writes them.

use crate::common::root;
use crate::schema::Schema;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use trueline_history::read::{Format, Options, read_bytes, read_in_full};
use trueline_history::write::{Line, write};
use trueline_report::CheckDocument;
use trueline_report::code::TestDocument;
use trueline_report::document::CommandDocument;
use trueline_report::history::HistoryDocument;
use trueline_report::system::SystemDocument;

fn schema<T: JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    serde_json::to_string_pretty(&schema).expect("a schema is plain data") + "\n"
}

fn is_written<T: JsonSchema>(name: &str, title: &str) {
    let path = root().join("schemas").join(name);
    let wanted = schema::<T>(title);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, wanted).expect("written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "schemas/{name} is not what the types say; BLESS=1 writes it:\n{wanted}");
}

#[test]
fn of_check() {
    is_written::<CheckDocument>("check.json", "trueline check --json, version 1");
}

#[test]
fn of_history() {
    is_written::<HistoryDocument>("history.json", "trueline history check --json, version 1");
}

#[test]
fn of_real_code() {
    is_written::<TestDocument>("test.json", "trueline test --json, version 1");
}

#[test]
fn of_systems() {
    is_written::<SystemDocument>("lts.json", "trueline lts … --json, version 1");
}

#[test]
fn of_the_other_commands() {
    let title = "What the commands of trueline print with --json besides verdicts, version 1";
    is_written::<CommandDocument>("commands.json", title);
}

#[test]
fn of_lines_of_histories() {
    is_written::<Line>("history-line.json", "One line of a recorded history");
}

/// What the schema of lines allows is what is read, and what is written is allowed.
#[test]
fn lines_of_histories_are_read_as_their_schema_says() {
    let schema = Schema::of("history-line.json");
    let options = Options { format: Some(Format::Json), ..Options::default() };
    let lines = [
        (r#"{"spec":"queue"}"#, true),
        (r#"{"spec":"queue","type":"odd"}"#, false),
        (r#"{"spec":7}"#, false),
        (r#"{}"#, false),
        (r#"{"process":1,"type":"call","op":"enq","value":1}"#, true),
        (r#"{"process":1,"type":"invoke","op":"put","key":"k","value":[1,null],"more":true}"#, true),
        (r#"{"process":1,"type":"call"}"#, false),
        (r#"{"process":1,"type":"call","op":3}"#, false),
        (r#"{"process":"one","type":"call","op":"enq"}"#, false),
        (r#"{"type":"call","op":"enq"}"#, false),
        (r#"{"process":0,"type":"return","value":null}"#, true),
        (r#"{"process":0,"type":"ok"}"#, true),
        (r#"{"process":0,"type":"fail"}"#, true),
        (r#"{"process":0,"type":"unknown"}"#, true),
        (r#"{"process":0,"type":"info","value":{"$word":"x"}}"#, true),
        (r#"{"process":0,"type":"returns"}"#, false),
        (r#"{"type":"return"}"#, false),
        (r#"{"type":"note","text":"a remark"}"#, true),
        (r#"{"type":"note"}"#, true),
        (r#"{"type":"note","text":1}"#, false),
    ];
    for (line, right) in lines {
        let log = format!("{{\"process\":0,\"type\":\"call\",\"op\":\"deq\"}}\n{line}\n");
        for reading in [read_bytes(log.as_bytes(), &options), read_in_full(log.as_bytes(), &options)] {
            assert_eq!(reading.is_ok(), right, "{line}: {:?}", reading.err());
            let Ok(reading) = reading else { continue };
            let mut written = Vec::new();
            write(&reading.history, Format::Json, Some("queue"), &mut written).expect("written");
            let written = String::from_utf8(written).expect("UTF-8");
            assert!(!written.is_empty());
            for line in written.lines() {
                schema.fits(&[], line);
            }
        }
        assert_eq!(schema.allows(line), right, "{line}");
    }
}
