//! The schemas in `schemas/` are those of the types; `BLESS=1` writes them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use std::path::Path;
use trueline_report::CheckDocument;
use trueline_report::code::TestDocument;
use trueline_report::history::HistoryDocument;
use trueline_report::system::SystemDocument;

fn schema<T: JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    serde_json::to_string_pretty(&schema).expect("a schema is plain data") + "\n"
}

fn is_written<T: JsonSchema>(name: &str, title: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
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
