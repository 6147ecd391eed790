//! Every tool.

use super::agent::entry::Entry;
use crate::error::Result;
use crate::tools::{
    ApplyPatch, Capabilities, Diff, EditFile, GitBlame, GitDiff, GitDiffFile, GitDiffSummary,
    GitFile, GitLog, GitRangeDiff, GitRefs, GitShow, GitStatus, ListFiles, ReadFile, Search, Undo,
    WriteFile, no_such_tool,
};

/// Every tool, in the order in which they are listed.
pub static TOOLS: &[Entry] = &[
    Entry::of::<Diff>(),
    Entry::of::<GitDiffSummary>(),
    Entry::of::<GitDiff>(),
    Entry::of::<GitDiffFile>(),
    Entry::of::<GitLog>(),
    Entry::of::<GitShow>(),
    Entry::of::<GitFile>(),
    Entry::of::<GitBlame>(),
    Entry::of::<GitStatus>(),
    Entry::of::<GitRefs>(),
    Entry::of::<GitRangeDiff>(),
    Entry::of::<ListFiles>(),
    Entry::of::<Search>(),
    Entry::of::<ReadFile>(),
    Entry::of::<WriteFile>(),
    Entry::of::<EditFile>(),
    Entry::of::<ApplyPatch>(),
    Entry::of::<Undo>(),
    Entry::of::<Capabilities>(),
];

/// Returns the tool with exactly this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    let found = TOOLS.iter().find(|tool| tool.declaration.name == name);
    found.ok_or_else(|| no_such_tool(name, TOOLS.iter().map(|tool| tool.declaration.name)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tools::INSTRUCTIONS;

    #[test]
    fn every_property_has_a_type_and_every_argument_is_told_somewhere() {
        // A name has one meaning, which one of the tools describes for all.
        let is_told_by = |tool: &crate::tools::Declaration, name: &str| {
            let property = &(tool.input_schema)()["properties"][name];
            let is_told = ["description", "default"].iter().any(|key| !property[key].is_null());
            is_told || tool.description.contains(name) || INSTRUCTIONS.contains(name)
        };
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            for schema in [(tool.input_schema)(), (tool.output_schema)()] {
                assert_eq!(schema["type"], "object");
                for (name, property) in schema["properties"].as_object().unwrap() {
                    let has = |key: &str| !matches!(property[key], Value::Null);
                    assert!(has("type") || has("enum"), "{} {name}: {property}", tool.name);
                }
            }
            for name in (tool.input_schema)()["properties"].as_object().unwrap().keys() {
                let is_told = TOOLS.iter().any(|other| is_told_by(&other.declaration, name));
                assert!(is_told, "{} {name}", tool.name);
            }
        }
    }

    #[test]
    fn a_template_leaves_out_no_property() {
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            let template = tool.sql_template();
            for name in tool.arguments() {
                let is_text = template.contains(&format!("'{name}', ${name}::VARCHAR"));
                let is_json = template.contains(&format!("'{name}', system.main.to_json(${name})"));
                assert!(is_text || is_json, "{name}: {template}");
            }
        }
    }

    #[test]
    fn each_tool_gives_an_example() {
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            assert!(tool.description.contains("Example"), "{}", tool.name);
        }
        assert!(INSTRUCTIONS.contains("max_bytes"));
    }

    #[test]
    fn a_misspelt_tool_is_unknown() {
        assert!(find("Diff").is_ok());
        for name in ["diff", "Diff ", "", "Dif"] {
            let error = find(name).err().expect("no tool").to_string();
            assert!(error.starts_with("not_found:") && error.contains("Diff"), "{error}");
        }
    }
}
