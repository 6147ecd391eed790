//! Every tool that can be called: [`TOOLS`] is the list. A tool's declaration and its work are one
//! file of `query::answers` or `query::files`; a tool that needs the host's settings does its work
//! here ([`HostAnswers`]).

use crate::functions::context::execution_context::ExecutionContext;
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_query::answers::{
    Answers, Call, GitBlame, GitDiff, GitDiffFile, GitDiffSummary, GitFile, GitLog, GitRangeDiff,
    GitRefs, GitShow, GitStatus, ListFiles, Search,
};
use redline_tools as tools;
use redline_tools::{
    Answer, ApplyPatch, CallsFiles, Capabilities, Declaration, Diff, EditFile, FileCall, GitCommit,
    GitStage, ReadFile, Reply, Tool, Undo, WriteFile, beside_the_same, is_shell, meant_by,
};

/// A call of a granted tool that needs the host's settings.
pub struct HostCall {
    /// The settings, and the access that they give.
    pub execution: ExecutionContext,
    /// How to answer.
    pub reply: Reply,
    /// The names of the tools that the client is offered.
    pub offered: Vec<String>,
}

/// A tool that needs the host's settings.
pub trait HostAnswers: Tool {
    /// Does the work.
    fn answer(call: HostCall, arguments: Self::Arguments) -> Result<Self::Output>;
}

/// A tool without its types.
pub struct Entry {
    /// The part of it that is listed.
    pub declaration: Declaration,
    /// Answers a call whose arguments are JSON text, which also give the form of the answer.
    pub answer: fn(ExecutionContext, &mut Reply, Vec<String>, &str) -> Result<Answer>,
    /// Returns the call of a file that a person may have to approve; `None` for a tool that touches
    /// no file.
    pub file_call: fn(&str) -> Result<Option<FileCall>>,
}

impl Entry {
    const fn of<T: Answers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: |execution, reply, _, text| {
                let caller = execution.caller.clone();
                answered::<T>(reply, text, |reply, given| T::answer(Call { caller, reply }, given))
            },
            file_call: no_file::<T>,
        }
    }

    const fn of_host<T: HostAnswers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: |execution, reply, offered, text| {
                answered::<T>(reply, text, |reply, given| {
                    T::answer(HostCall { execution, reply, offered }, given)
                })
            },
            file_call: no_file::<T>,
        }
    }

    /// Returns the entry of a tool whose calls touch files.
    const fn on_files<T: CallsFiles>(self) -> Self {
        let file_call = |text: &str| Ok(Some((T::CALL)(tools::parse::<T>(text)?.arguments)));
        Self { file_call, ..self }
    }
}

fn no_file<T: Tool>(text: &str) -> Result<Option<FileCall>> {
    tools::parse::<T>(text).map(|_| None)
}

fn answered<T: Tool>(
    reply: &mut Reply,
    text: &str,
    work: impl FnOnce(Reply, T::Arguments) -> Result<T::Output>,
) -> Result<Answer> {
    let given = tools::parse::<T>(text)?;
    reply.max_bytes = given.max_bytes.unwrap_or(reply.max_bytes);
    reply.is_data = given.is_data;
    let output = work(*reply, given.arguments)?;
    reply.answer(&output)
}

/// Every tool, in the order in which they are listed.
pub static TOOLS: &[Entry] = &[
    Entry::of_host::<Diff>(),
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
    Entry::of_host::<ReadFile>().on_files::<ReadFile>(),
    Entry::of::<WriteFile>().on_files::<WriteFile>(),
    Entry::of::<EditFile>().on_files::<EditFile>(),
    Entry::of::<ApplyPatch>().on_files::<ApplyPatch>(),
    Entry::of::<Undo>().on_files::<Undo>(),
    Entry::of::<GitStage>().on_files::<GitStage>(),
    Entry::of::<GitCommit>().on_files::<GitCommit>(),
    Entry::of_host::<Capabilities>(),
];

/// Returns the names of all tools.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.declaration.name)
}

/// Returns the tool with exactly this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|tool| tool.declaration.name == name)
}

/// Returns the error for a call of a tool that is not there, with the call to make instead, of those
/// that the client is offered.
pub fn unknown(name: &str, arguments: &str, offered: &[String]) -> Error {
    let error = Error::not_found(format!("there is no tool {}", quoted(name)));
    let names = || format!("The tools are {}", offered.join(", "));
    let Some(call) = meant_by(name, arguments) else {
        return error
            .near(&suggest::best(name, offered.iter().map(String::as_str)))
            .and_hint(names());
    };
    let tool = call.split(' ').next().unwrap_or_default();
    if !offered.iter().any(|name| name == tool) {
        return error.with_hint(format!("None does the same here. {}", names()));
    }
    // The names that its arguments have elsewhere are taken, too.
    let takes = |tool: &Entry| !is_shell(name) && (tool.file_call)(arguments).is_ok();
    if find(tool).is_some_and(takes) {
        let more = beside_the_same(name);
        return error.with_hint(format!("Call {tool} with the same arguments{more}"));
    }
    error.with_hint(call)
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
            let is_shown_by_list =
                ["description", "default"].iter().any(|key| !property[key].is_null());
            is_shown_by_list || tool.description.contains(name) || INSTRUCTIONS.contains(name)
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
                let is_shown_by_list =
                    TOOLS.iter().any(|other| is_told_by(&other.declaration, name));
                assert!(is_shown_by_list, "{} {name}", tool.name);
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
        assert!(find("Diff").is_some());
        let all: Vec<String> = names().map(str::to_owned).collect();
        for name in ["diff", "Diff ", "", "Dif"] {
            assert!(find(name).is_none());
            let error = unknown(name, "{}", &all).to_string();
            assert!(error.starts_with("not_found:") && error.contains("Diff"), "{error}");
        }
    }
}
