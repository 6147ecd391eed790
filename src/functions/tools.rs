//! Every tool that can be called: [`Answers`] joins its declaration to its work, [`TOOLS`] is the
//! list.

use crate::functions::context::execution_context::ExecutionContext;
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_tools as tools;
use redline_tools::{
    Answer, ApplyPatch, Capabilities, Declaration, Diff, EditFile, FileCall, GitBlame, GitDiff,
    GitDiffFile, GitDiffSummary, GitFile, GitLog, GitRangeDiff, GitRefs, GitShow, GitStatus,
    ListFiles, ReadFile, Reply, Search, Tool, Undo, WriteFile, meant_by,
};

/// A call of a granted tool.
pub struct Call {
    /// The settings, and the access that they give.
    pub execution: ExecutionContext,
    /// How to answer.
    pub reply: Reply,
}

/// A tool that can be called.
pub trait Answers: Tool {
    /// Does the work.
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output>;

    /// Returns the call of a file that a person may have to approve; other tools touch no file.
    fn file_call(_arguments: Self::Arguments) -> Option<FileCall> {
        None
    }
}

/// A tool without its types.
pub struct Entry {
    /// The part of it that is listed.
    pub declaration: Declaration,
    /// Answers a call whose arguments are JSON text, which also give the form of the answer.
    pub answer: fn(ExecutionContext, &mut Reply, &str) -> Result<Answer>,
    /// Returns the call of a file that a person may have to approve; `None` for a tool that touches
    /// no file.
    pub file_call: fn(&str) -> Result<Option<FileCall>>,
}

impl Entry {
    const fn of<T: Answers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: answer::<T>,
            file_call: |text| Ok(T::file_call(tools::parse::<T>(text)?.arguments)),
        }
    }
}

fn answer<T: Answers>(
    execution: ExecutionContext,
    reply: &mut Reply,
    text: &str,
) -> Result<Answer> {
    let given = tools::parse::<T>(text)?;
    reply.max_bytes = given.max_bytes.unwrap_or(reply.max_bytes);
    reply.is_data = given.is_data;
    let output = T::answer(Call { execution, reply: *reply }, given.arguments)?;
    reply.answer(&output)
}

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
    found.ok_or_else(|| {
        let error = Error::not_found(format!("there is no tool {}", quoted(name)));
        if let Some(call) = meant_by(name) {
            return error.with_hint(call);
        }
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.declaration.name).collect();
        error
            .near(&suggest::best(name, names.iter().copied()))
            .and_hint(format!("The tools are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use redline_tools::INSTRUCTIONS;

    #[test]
    fn every_property_has_a_type_and_every_argument_is_told_somewhere() {
        // A name has one meaning, which one of the tools describes for all.
        let is_told_by = |tool: &redline_tools::Declaration, name: &str| {
            let property = &tool.input_schema()["properties"][name];
            let is_told = ["description", "default"].iter().any(|key| !property[key].is_null());
            is_told || tool.description.contains(name) || INSTRUCTIONS.contains(name)
        };
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            for schema in [tool.input_schema(), (tool.output_schema)()] {
                assert_eq!(schema["type"], "object");
                for (name, property) in schema["properties"].as_object().unwrap() {
                    let has = |key: &str| !matches!(property[key], Value::Null);
                    assert!(has("type") || has("enum"), "{} {name}: {property}", tool.name);
                }
            }
            for name in tool.input_schema()["properties"].as_object().unwrap().keys() {
                let is_told = TOOLS.iter().any(|other| is_told_by(&other.declaration, name));
                assert!(is_told, "{} {name}", tool.name);
            }
        }
    }

    #[test]
    fn a_template_leaves_out_no_property() {
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            let template = tool.sql_template();
            for name in tool.taken()["properties"].as_object().unwrap().keys() {
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
