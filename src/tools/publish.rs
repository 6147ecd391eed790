//! Publishes tools on a server that answers calls with SQL.

use serde_json::{Map, Value};

use super::declaration::Declaration;
use super::schema::{kind, properties, shared};

/// The session of all calls of such a server.
const SESSION: &str = "duckdb_mcp";

impl Declaration {
    /// Returns SQL that answers a call whose arguments are bound by name; a missing argument is
    /// bound as NULL. An error of the call is raised, as such a server has no other way to mark a
    /// failure. All its calls are one session, since each may use another connection.
    pub fn sql_template(&self) -> String {
        let schema = self.taken();
        let arguments: Vec<String> = properties(&schema)
            .map(|(name, property)| format!("'{name}', {}", argument(name, property)))
            .collect();
        let arguments = arguments.join(", ");
        // No macro of an agent can replace the functions that the server calls.
        format!(
            "SELECT system.main.redline_call_text('{}', system.main.json_object({arguments}), '{SESSION}', true) AS answer",
            self.name
        )
    }

    /// Returns the statement that publishes the tool on a server with the duckdb_mcp extension. The
    /// description contains the arguments, too, since some of its versions publish only their
    /// types.
    pub fn publish_sql(&self) -> String {
        let schema = self.taken();
        let required = schema.get("required").cloned().unwrap_or(Value::Array(Vec::new()));
        let is_required = |name: &str| {
            required.as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut description = format!("{}\n\nArguments:", self.description);
        let mut published = Map::new();
        let mut arguments: Vec<_> = properties(&schema).collect();
        arguments.sort_by_key(|(name, _)| !is_required(name));
        for (name, property) in arguments {
            let own = property.get("description").and_then(Value::as_str);
            let default = property.get("default").map(|default| format!("Default: {default}."));
            let text = own.or_else(|| shared(name)).or(default.as_deref()).unwrap_or_default();
            let need = if is_required(name) { "required" } else { "optional" };
            let text_of = if text.is_empty() { String::new() } else { format!(": {text}") };
            description += &format!("\n- {name} ({}, {need}){text_of}", shown_kind(property));
            let mut said = Map::new();
            // Clients refuse a list without the type of its elements, which such servers drop. So a
            // list is published as a text, which may be JSON or one value.
            let published_kind = if kind(property) == "array" { "string" } else { kind(property) };
            said.insert("type".into(), published_kind.into());
            said.insert("description".into(), text.into());
            published.insert(name.clone(), Value::Object(said));
        }
        let parts = [
            self.name.to_owned(),
            description,
            self.sql_template(),
            Value::Object(published).to_string(),
            required.to_string(),
            "text".to_owned(),
        ];
        let parts: Vec<String> =
            parts.iter().map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
        format!("PRAGMA mcp_publish_tool({})", parts.join(",\n    "))
    }
}

/// Returns the value of a parameter as JSON, whatever type a server binds: redline then reports an
/// error, where a cast would show the statement.
fn argument(name: &str, property: &Value) -> String {
    match kind(property) {
        "string" => format!("${name}::VARCHAR"),
        _ => format!("system.main.to_json(${name})"),
    }
}

/// Returns the type of an argument for a model.
fn shown_kind(property: &Value) -> &str {
    if kind(property) == "array" { "JSON list or one value" } else { kind(property) }
}
