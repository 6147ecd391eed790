//! The tools, and what is published of them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::diff::DiffArguments;
use crate::error::{Error, Result, quoted};
use crate::text::diff_result::DiffResult;

/// What a client may assume of a tool: MCP's `ToolAnnotations`.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// What it changes may be lost.
    pub destructive_hint: bool,
    /// Called twice with the same arguments, the second call changes nothing more.
    pub idempotent_hint: bool,
    /// It reaches beyond the host's files and repositories.
    pub open_world_hint: bool,
}

/// Annotations of a tool that only reads.
const READS: Annotations =
    Annotations { read_only_hint: true, destructive_hint: false, idempotent_hint: true, open_world_hint: false };

/// A tool as it is listed.
pub struct Tool {
    /// The name by which it is called and granted.
    pub name: &'static str,
    /// The name that people see.
    pub title: &'static str,
    /// What it does and when to use it, for an agent.
    pub description: &'static str,
    /// What a client may assume.
    pub annotations: Annotations,
    input: fn() -> Schema,
    output: fn() -> Schema,
}

/// Every tool.
pub const TOOLS: [Tool; 1] = [Tool {
    name: "Diff",
    title: "Diff two files or texts",
    description: "Shows what differs between two files or two texts as a unified diff. Give either path_a and path_b, \
                  or text_a and text_b. context_lines (0 to 20, default 3) sets how many unchanged lines stand around \
                  a change; label_a and label_b name the sides in the diff. Equal contents give an empty diff and \
                  identical = true. A long diff is cut at the end of a line and says so.",
    annotations: READS,
    input: schema::<DiffArguments>,
    output: schema::<DiffResult>,
}];

/// Returns the tool of a name, exactly as it is written.
pub fn find(name: &str) -> Result<&'static Tool> {
    static ALL: [Tool; 1] = TOOLS;
    ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|tool| tool.name).collect();
        Error::not_found(format!("there is no tool {}", quoted(name)))
            .with_hint(format!("The tools are {}", names.join(", ")))
    })
}

impl Tool {
    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self) -> Value {
        (self.input)().to_value()
    }

    /// Returns the JSON Schema of `structuredContent`.
    pub fn output_schema(&self) -> Value {
        (self.output)().to_value()
    }

    /// Returns what a client may assume, as JSON.
    pub fn annotations_json(&self) -> String {
        serde_json::to_string(&self.annotations).expect("plain booleans")
    }

    /// Returns SQL that answers a call whose arguments are bound by name; an argument that was left
    /// out is bound as NULL.
    pub fn sql_template(&self) -> String {
        let schema = self.input_schema();
        let arguments: Vec<String> =
            properties(&schema).map(|(name, property)| format!("'{name}', ${name}{}", cast(property))).collect();
        format!("SELECT redline_call_text('{}', json_object({})) AS answer", self.name, arguments.join(", "))
    }

    /// Returns the statement that publishes the tool on a server with the duckdb_mcp extension.
    pub fn publish_sql(&self) -> String {
        let schema = self.input_schema();
        let types: Map<String, Value> = properties(&schema)
            .map(|(name, property)| (name.clone(), serde_json::json!({"type": kind(property)})))
            .collect();
        let required = schema.get("required").cloned().unwrap_or(Value::Array(Vec::new()));
        let parts = [
            self.name.to_owned(),
            self.description.to_owned(),
            self.sql_template(),
            Value::Object(types).to_string(),
            required.to_string(),
            "text".to_owned(),
        ];
        let parts: Vec<String> = parts.iter().map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
        format!("PRAGMA mcp_publish_tool({})", parts.join(", "))
    }
}

/// Returns the schema of a type, without the title that names it in Rust.
fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the type of a property that is not null.
fn kind(property: &Value) -> &str {
    match property.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("string")
        }
        _ => "string",
    }
}

/// Returns the cast that gives a parameter its type, whatever a server binds.
fn cast(property: &Value) -> &'static str {
    match kind(property) {
        "integer" => "::BIGINT",
        "boolean" => "::BOOLEAN",
        "array" => "::VARCHAR[]",
        _ => "::VARCHAR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_publishes_a_property_without_a_description_or_takes_unknown_ones() {
        for tool in &TOOLS {
            for (side, schema) in [("input", tool.input_schema()), ("output", tool.output_schema())] {
                let described = |property: &Value| property.get("description").is_some_and(|text| text.is_string());
                assert!(properties(&schema).count() > 0, "{} {side}", tool.name);
                for (name, property) in properties(&schema) {
                    assert!(described(property), "{} {side} {name}: {property}", tool.name);
                }
                assert_eq!(schema["additionalProperties"], Value::Bool(false), "{} {side}", tool.name);
                assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
                assert_eq!(schema["type"], "object");
            }
        }
    }

    #[test]
    fn a_template_leaves_out_a_property() {
        for tool in &TOOLS {
            let template = tool.sql_template();
            for (name, _) in properties(&tool.input_schema()) {
                assert!(template.contains(&format!("'{name}', ${name}::")), "{template}");
            }
        }
    }

    #[test]
    fn a_name_that_is_almost_a_tool_is_one() {
        assert!(find("Diff").is_ok());
        for name in ["diff", "Diff ", "", "Dif"] {
            let error = find(name).err().expect("no tool").to_string();
            assert!(error.starts_with("not_found:") && error.contains("Diff"), "{error}");
        }
    }
}
