//! Documents held against the schemas in `schemas/`.

use crate::common::root;
use jsonschema::Validator;
use serde_json::Value;

/// A schema of `schemas/`.
pub struct Schema {
    /// As it is written.
    pub text: Value,
    validator: Validator,
}

impl Schema {
    /// The schema in this file.
    pub fn of(name: &str) -> Schema {
        let text = std::fs::read_to_string(root().join("schemas").join(name)).expect("the schema");
        let text: Value = serde_json::from_str(&text).expect("JSON");
        let validator = jsonschema::validator_for(&text).expect("a schema");
        Schema { text, validator }
    }

    fn errors(&self, document: &Value) -> Vec<String> {
        self.validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect()
    }

    /// What a command printed is a document that fits.
    pub fn fits(&self, args: &[&str], text: &str) -> Value {
        let document: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{args:?}: {e}\n{text}"));
        let errors = self.errors(&document);
        assert!(errors.is_empty(), "{args:?}: {errors:#?}\n{text}");
        document
    }

    /// Whether this text is a document that fits.
    pub fn allows(&self, text: &str) -> bool {
        serde_json::from_str(text).is_ok_and(|document| self.errors(&document).is_empty())
    }

    /// A document that fits does not when somebody changes it so.
    pub fn refuses(&self, document: &Value, change: impl FnOnce(&mut Value)) {
        assert_eq!(self.errors(document), [""; 0]);
        let mut changed = document.clone();
        change(&mut changed);
        assert_ne!(changed, *document);
        assert!(!self.errors(&changed).is_empty(), "{changed:#}");
    }
}

/// Leaves a field out.
pub fn remove(value: &mut Value, field: &str) {
    value.as_object_mut().expect("an object").remove(field);
}
