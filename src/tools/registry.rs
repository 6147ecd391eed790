//! The tools, and what is published of them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::diff::DiffArguments;
use super::diff_result::DiffResult;
use super::files::{
    EditFileArguments, EditResult, ReadFileArguments, ReadResult, WriteFileArguments, WriteResult,
};
use super::git::{
    GitDiffArguments, GitDiffFileArguments, GitDiffResult, GitDiffSummaryArguments,
    GitDiffSummaryResult,
};
use crate::error::{Error, Result, quoted};

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
const READS: Annotations = Annotations {
    read_only_hint: true,
    destructive_hint: false,
    idempotent_hint: true,
    open_world_hint: false,
};

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

/// Annotations of a tool that changes a file.
const WRITES: Annotations = Annotations {
    read_only_hint: false,
    destructive_hint: true,
    idempotent_hint: false,
    open_world_hint: false,
};

/// Every tool.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "Diff",
        title: "Diff two files or texts",
        description: "Compares two files or two texts and returns a unified diff. Give either \
                      path_a and path_b, or text_a and text_b. context_lines (0 to 20, default \
                      3) is the number of unchanged lines around each change. label_a and \
                      label_b name the sides in the diff. Equal contents return an empty diff \
                      and identical = true. A long diff is cut at a line end and says so.",
        annotations: READS,
        input: schema::<DiffArguments>,
        output: answer::<DiffResult>,
    },
    Tool {
        name: "read_file",
        title: "Read a file",
        description: "Returns the text of a file. path is sandbox/relative/path; \
                      redline_capabilities() lists the sandboxes. Returns at most max_chars \
                      characters (default 48000) starting at offset (default 0); truncated is \
                      true when more follows. Refuses binary files. If the sandbox requires \
                      approval, the call fails with approval_required until a person approves \
                      it.",
        annotations: READS,
        input: schema::<ReadFileArguments>,
        output: answer::<ReadResult>,
    },
    Tool {
        name: "write_file",
        title: "Write a whole file",
        description: "Creates or overwrites a file and its parent directories. path is \
                      sandbox/relative/path in a writable sandbox. To change part of a file, use \
                      edit_file. If the sandbox requires approval (the default), the call fails \
                      with approval_required until a person approves it; then repeat the same \
                      call.",
        annotations: Annotations { idempotent_hint: true, ..WRITES },
        input: schema::<WriteFileArguments>,
        output: answer::<WriteResult>,
    },
    Tool {
        name: "edit_file",
        title: "Replace text in a file",
        description: "Replaces old_string with new_string in a file. path is \
                      sandbox/relative/path in a writable sandbox. old_string must match the \
                      file exactly, whitespace and line breaks included, and occur exactly once; \
                      replace_all (default false) replaces every occurrence. Instead of one \
                      replacement, edits takes a list; all are matched against the current file \
                      and applied together or not at all. base_oid is the id from an earlier \
                      result: if the file has changed since, nothing is written. Errors name \
                      similar passages and their lines. If the sandbox requires approval (the \
                      default), the call fails with approval_required until a person approves \
                      it; then repeat the same call.",
        annotations: WRITES,
        input: schema::<EditFileArguments>,
        output: answer::<EditResult>,
    },
    Tool {
        name: "GitDiff",
        title: "Diff two revisions",
        description: "Shows what changed between two sides of a git repository: totals, one line \
                      per changed file, then as many hunks as fit, shared fairly between the \
                      files, with lock files and generated files last. The answer names what it \
                      leaves out; to continue, repeat the call with cursor = next_cursor. \
                      from_rev = main...feature shows what a branch changed; from_rev = HEAD \
                      shows uncommitted changes; from_rev = HEAD with to_rev = INDEX shows \
                      staged changes. file_path limits the answer to one file.",
        annotations: READS,
        input: schema::<GitDiffArguments>,
        output: answer::<GitDiffResult>,
    },
    Tool {
        name: "GitDiffSummary",
        title: "List what changed between two revisions",
        description: "Lists the files that changed between two sides of a git repository, with \
                      status, added and removed lines, like git diff --stat. Start here for a \
                      large change. from_rev = main...feature lists what a branch changed; \
                      from_rev = HEAD lists uncommitted changes. If the list is cut, repeat the \
                      call with cursor = next_cursor.",
        annotations: READS,
        input: schema::<GitDiffSummaryArguments>,
        output: answer::<GitDiffSummaryResult>,
    },
    Tool {
        name: "GitDiffFile",
        title: "Diff one file between two revisions",
        description: "Shows what changed in one file between two sides of a git repository, as a \
                      git patch. from_rev = main...feature shows what a branch changed; from_rev \
                      = HEAD shows uncommitted changes. If the patch is cut, repeat the call \
                      with cursor = next_cursor.",
        annotations: READS,
        input: schema::<GitDiffFileArguments>,
        output: answer::<GitDiffResult>,
    },
];

/// Returns the tool of a name, exactly as it is written.
pub fn find(name: &str) -> Result<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
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
        let arguments: Vec<String> = properties(&schema)
            .map(|(name, property)| format!("'{name}', ${name}{}", cast(property)))
            .collect();
        let arguments = arguments.join(", ");
        // No macro of an agent may stand in for what the server calls.
        format!(
            "SELECT system.main.redline_call_text('{}', system.main.json_object({arguments})) AS answer",
            self.name
        )
    }

    /// Returns the statement that publishes the tool on a server with the duckdb_mcp extension. The
    /// arguments stand in the description too, since some of its versions publish only their types.
    pub fn publish_sql(&self) -> String {
        let schema = self.input_schema();
        let required = schema.get("required").cloned().unwrap_or(Value::Array(Vec::new()));
        let is_required = |name: &str| {
            required.as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut description = format!("{}\n\nArguments:", self.description);
        let mut published = Map::new();
        let mut arguments: Vec<_> = properties(&schema).collect();
        arguments.sort_by_key(|(name, _)| !is_required(name));
        for (name, property) in arguments {
            let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
            let need = if is_required(name) { "required" } else { "optional" };
            description += &format!("\n- {name} ({}, {need}): {text}", kind(property));
            let mut said = Map::new();
            said.insert("type".into(), kind(property).into());
            said.insert("description".into(), text.into());
            if let Some(items) = property.get("items") {
                said.insert("items".into(), items.clone());
            }
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

/// Returns the schema of what is read.
fn schema<T: JsonSchema>() -> Schema {
    schema_of::<T>(SchemaSettings::draft2020_12())
}

/// Returns the schema of what is written: every property is there, if only as null.
fn answer<T: JsonSchema>() -> Schema {
    schema_of::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Returns the schema of a type, without the title that names it in Rust.
fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
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

/// Returns the cast that gives a parameter its type, whatever a server binds: of an array, a list or
/// JSON text.
fn cast(property: &Value) -> &'static str {
    match kind(property) {
        "integer" => "::BIGINT",
        "boolean" => "::BOOLEAN",
        "array" => "::JSON",
        _ => "::VARCHAR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_has_a_description_and_schemas_take_no_unknown_ones() {
        for tool in TOOLS {
            for (side, schema) in [("input", tool.input_schema()), ("output", tool.output_schema())]
            {
                let described = |property: &Value| {
                    property.get("description").is_some_and(|text| text.is_string())
                };
                assert!(properties(&schema).count() > 0, "{} {side}", tool.name);
                for (name, property) in properties(&schema) {
                    assert!(described(property), "{} {side} {name}: {property}", tool.name);
                }
                assert_eq!(
                    schema["additionalProperties"],
                    Value::Bool(false),
                    "{} {side}",
                    tool.name
                );
                assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
                assert_eq!(schema["type"], "object");
            }
        }
    }

    #[test]
    fn a_template_leaves_out_no_property() {
        for tool in TOOLS {
            let template = tool.sql_template();
            for (name, _) in properties(&tool.input_schema()) {
                assert!(template.contains(&format!("'{name}', ${name}::")), "{template}");
            }
        }
    }

    #[test]
    fn a_name_that_is_almost_a_tool_is_none() {
        assert!(find("Diff").is_ok());
        for name in ["diff", "Diff ", "", "Dif"] {
            let error = find(name).err().expect("no tool").to_string();
            assert!(error.starts_with("not_found:") && error.contains("Diff"), "{error}");
        }
    }
}
