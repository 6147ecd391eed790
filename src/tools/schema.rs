//! The schemas of tools: JSON Schema 2020-12, short, since each client sends all of them to its model.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::tool::{Output, Tool};
use crate::limits;

/// Returns the schema of the arguments: the tool's own, then those of all tools. It forbids no others:
/// names that agents try are taken for the right ones, or answered with them.
pub fn input<T: Tool>() -> Value {
    let mut schema = object::<T::Arguments>(SchemaSettings::draft2020_12());
    let properties = properties_mut(&mut schema);
    for property in properties.values_mut() {
        shorten(property, Side::Input);
    }
    properties
        .insert("max_bytes".into(), json!({"type": "integer", "default": limits::ANSWER_BYTES}));
    properties.insert("format".into(), json!({"enum": ["text", "json"]}));
    schema
}

/// Returns the schema of `structuredContent`; `"format": "json"` adds values to it.
pub fn output<T: Tool>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = object::<<T::Output as Output>::Facts>(settings);
    for property in properties_mut(&mut schema).values_mut() {
        shorten(property, Side::Output);
    }
    schema
}

/// Returns the names of the arguments.
pub fn arguments<T: Tool>() -> Vec<String> {
    properties(&input::<T>()).map(|(name, _)| name.clone()).collect()
}

/// Returns the properties of a schema, in order.
pub fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the type of a property.
pub fn kind(property: &Value) -> &str {
    property.get("type").and_then(Value::as_str).unwrap_or("string")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

/// Returns the schema of a struct without what names it in Rust.
fn object<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    for key in ["$schema", "title", "description", "additionalProperties"] {
        schema.remove(key);
    }
    schema.to_value()
}

fn properties_mut(schema: &mut Value) -> &mut Map<String, Value> {
    let object = schema.as_object_mut().expect("the schema of a struct is an object");
    let properties = object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    properties.as_object_mut().expect("properties are an object")
}

/// Drops what says nothing to a client: the width of a number, and of an argument that it may be null,
/// which is the same as leaving it out.
fn shorten(schema: &mut Value, side: Side) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["format", "title", "minimum", "maximum", "additionalProperties"] {
        object.remove(key);
    }
    // The names of values say what they are.
    if side == Side::Output {
        object.remove("description");
    }
    if side == Side::Input
        && let Some(Value::Array(kinds)) = object.get_mut("type")
    {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    for key in ["items", "properties"] {
        match object.get_mut(key) {
            Some(Value::Object(inner)) if key == "properties" => {
                inner.values_mut().for_each(|schema| shorten(schema, side));
            }
            Some(inner) => shorten(inner, side),
            None => {}
        }
    }
    if let Some(items) = object.get_mut("items").and_then(Value::as_object_mut) {
        items.remove("description");
    }
}
