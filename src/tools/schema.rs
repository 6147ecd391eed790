//! The schemas of tools: JSON Schema 2020-12, short, since each client sends all of them to its
//! model.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::tool::Tool;
use redline_base::limits;

/// The descriptions of arguments that several tools share, unless a tool has its own. Each schema
/// contains them, as clients that search for tools show their model one tool alone.
const SHARED: &[(&str, &str)] = &[
    ("repo", "sandbox[/directory]."),
    ("from", "Revision, INDEX, WORKTREE, EMPTY; without to a..b, a...b."),
    ("to", "Default: WORKTREE."),
    ("rev", "A revision. Default: HEAD."),
    ("file", "From the repo's root."),
    ("paths", "Pathspecs: *.rs, :!docs."),
    ("path", "sandbox/relative/path."),
    ("first_line", "From 1."),
    ("last_line", "From 1."),
    ("line_numbers", "Default: false."),
    ("context_lines", "Default: 3; -1: whole file."),
    ("ignore_whitespace", "none (default), all, change, eol, cr_at_eol."),
    ("renames", "Default: true."),
    ("replace_all", "Every occurrence."),
    ("edits", "Several at once."),
    ("base_oid", "Of an answer; else stale."),
    ("glob", "Such as *.rs."),
    ("contains", "A commit."),
    ("include_ignored", "Default: false."),
    ("ignore_case", "Default: false."),
    ("cursor", "A next_cursor."),
    ("since", "A date: 2026-01-31, 2 weeks ago."),
    ("format", "text (default) or json."),
];

/// Returns the shared description of an argument.
pub fn shared(name: &str) -> Option<&'static str> {
    SHARED.iter().find(|(shared, _)| *shared == name).map(|(_, told)| *told)
}

/// Returns the schema of the arguments: the tool's own, and `max_bytes`. It does not forbid
/// others: names that agents try are replaced by the right ones, or answered with them, and
/// `format` is for programs.
pub fn input<T: Tool>() -> Value {
    let mut schema = object::<T::Arguments>(SchemaSettings::draft2020_12());
    let properties = properties_mut(&mut schema);
    for property in properties.values_mut() {
        shorten(property, Side::Input);
    }
    properties
        .insert("max_bytes".into(), json!({"type": "integer", "default": limits::ANSWER_BYTES}));
    for (name, property) in properties {
        let property = property.as_object_mut().expect("a schema of an argument is an object");
        if let (false, Some(told)) = (property.contains_key("description"), shared(name)) {
            let (key, told) = shown(told);
            property.insert(key.into(), told);
        }
    }
    schema
}

/// Returns the description of an argument for its schema: if it is only a default, as a value.
fn shown(told: &str) -> (&'static str, Value) {
    let default = told.strip_prefix("Default: ").and_then(|rest| rest.strip_suffix('.'));
    match default.and_then(|default| serde_json::from_str(default).ok()) {
        Some(default) => ("default", default),
        None => ("description", told.into()),
    }
}

/// Returns a schema of arguments without some of them.
pub fn without(mut schema: Value, names: &[&str]) -> Value {
    properties_mut(&mut schema).retain(|name, _| !names.contains(&name.as_str()));
    schema
}

/// Returns the schema of all arguments of a call.
pub fn taken(mut schema: Value) -> Value {
    let format = json!({"type": "string", "enum": ["text", "json"]});
    properties_mut(&mut schema).insert("format".into(), format);
    schema
}

/// Returns the schema of `structuredContent`, which an answer has with `"format": "json"`; the
/// content of the text is left out. All of its properties are always present, which it does not
/// say, as clients send it with each list.
pub fn output<T: Tool>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = object::<T::Output>(settings);
    for property in properties_mut(&mut schema).values_mut() {
        shorten(property, Side::Output);
    }
    schema.as_object_mut().expect("the schema of a struct is an object").remove("required");
    schema
}

/// Returns the names of the arguments.
pub fn arguments<T: Tool>() -> Vec<String> {
    properties(&taken(input::<T>())).map(|(name, _)| name.clone()).collect()
}

/// Returns the properties of a schema, in order.
pub fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the names of the arguments that a call must have.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str)
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

/// Returns the schema of a struct without the names from Rust.
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

/// Removes details without use for a client: the width of a number, and that an argument may be
/// null, which is the same as leaving it out.
fn shorten(schema: &mut Value, side: Side) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["format", "title", "minimum", "maximum", "additionalProperties"] {
        object.remove(key);
    }
    // The names of values describe them.
    if side == Side::Output {
        object.remove("description");
    }
    // The description is enough.
    if side == Side::Input {
        object.remove("default");
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
