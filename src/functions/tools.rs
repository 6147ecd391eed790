//! Every tool that can be called: [`TOOLS`] is the list. A tool's declaration and its work are one
//! file of `query::answers`, whose tools are listed there, or of `query::files`; a tool that needs
//! the host's settings does its work here ([`HostAnswers`]).

use std::sync::LazyLock;

use crate::functions::context::execution_context::ExecutionContext;
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_query::answers::{self, Answering, Answers};
use redline_tools::{
    Answer, ApplyPatch, Capabilities, Declaration, Diff, EditFile, FileCall, GitCommit, GitStage,
    PatchArguments, ReadFile, Reply, Tool, Undo, WriteFile, beside_the_same, is_shell, meant_by,
    parse,
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

/// Answers a call whose arguments are JSON text, which also give the form of the answer; the names
/// are those of the tools that the client is offered.
type Work =
    Box<dyn Fn(ExecutionContext, &mut Reply, Vec<String>, &str) -> Result<Answer> + Send + Sync>;

/// Returns the call of a file that a person may have to approve; `None` for a tool that touches no
/// file.
type Calling = Box<dyn Fn(&str) -> Result<Option<FileCall>> + Send + Sync>;

/// A tool without its types.
pub struct Entry {
    /// The part of it that is listed.
    pub declaration: Declaration,
    /// Answers a call.
    pub answer: Work,
    /// Returns the call of a file.
    pub file_call: Calling,
}

impl From<Answering> for Entry {
    fn from(tool: Answering) -> Self {
        Self {
            declaration: tool.declaration,
            answer: Box::new(move |execution, reply, _, text| {
                (tool.answer)(execution.caller, reply, text)
            }),
            file_call: Box::new(move |text| (tool.check)(text).map(|()| None)),
        }
    }
}

impl Entry {
    fn of_host<T: HostAnswers>() -> Self {
        Self {
            declaration: Declaration::of::<T>(),
            answer: Box::new(|execution, reply, offered, text| {
                reply.answered::<T>(text, |reply, given| {
                    T::answer(HostCall { execution, reply, offered }, given)
                })
            }),
            file_call: Box::new(|text| parse::<T>(text).map(|_| None)),
        }
    }

    /// Returns the entry of a tool whose calls read or change files of a sandbox.
    fn on_files<T: Tool>(self, call: fn(T::Arguments) -> FileCall) -> Self {
        let file_call = move |text: &str| Ok(Some(call(parse::<T>(text)?.arguments)));
        Self { file_call: Box::new(file_call), ..self }
    }
}

fn on_files<T: Answers>(call: fn(T::Arguments) -> FileCall) -> Entry {
    Entry::from(Answering::of::<T>()).on_files::<T>(call)
}

/// Every tool, in the order in which they are listed.
pub static TOOLS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let reading = answers::TOOLS.iter().copied().map(Entry::from);
    let others = [
        Entry::of_host::<ReadFile>().on_files::<ReadFile>(FileCall::Read),
        on_files::<WriteFile>(FileCall::Write),
        on_files::<EditFile>(FileCall::Edit),
        on_files::<ApplyPatch>(|given| FileCall::Patch(PatchArguments::from(given))),
        on_files::<Undo>(FileCall::Undo),
        on_files::<GitStage>(FileCall::Stage),
        on_files::<GitCommit>(FileCall::Commit),
        Entry::of_host::<Capabilities>(),
    ];
    [Entry::of_host::<Diff>()].into_iter().chain(reading).chain(others).collect()
});

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
    use crate::functions::context::database::openers;
    use crate::functions::registry::FUNCTIONS;
    use crate::functions::surface::{FunctionEntry, Grant};
    use redline_tools::INSTRUCTIONS;

    #[test]
    fn every_property_has_a_type_and_every_argument_is_told_somewhere() {
        // A name has one meaning, which one of the tools describes for all.
        let is_described_by = |tool: &redline_tools::Declaration, name: &str| {
            let property = &tool.input_schema()["properties"][name];
            let is_described =
                ["description", "default"].iter().any(|key| !property[key].is_null());
            is_described || tool.description.contains(name) || INSTRUCTIONS.contains(name)
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
                let is_described =
                    TOOLS.iter().any(|other| is_described_by(&other.declaration, name));
                assert!(is_described, "{} {name}", tool.name);
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

    /// Returns a function by its name.
    fn function(name: &str) -> Option<&'static FunctionEntry> {
        FUNCTIONS.iter().find(|function| function.declaration.name == name)
    }

    #[test]
    fn a_tool_opens_functions_that_are_there_and_need_a_grant_and_do_not_name_it() {
        for tool in TOOLS.iter().map(|tool| &tool.declaration) {
            for name in tool.opens {
                let of = function(name).map(|function| function.declaration.grant);
                let Some(Grant::Tools(own)) = of else { panic!("{}: {name}, {of:?}", tool.name) };
                assert!(!own.contains(&tool.name), "{} is named twice: {name}", tool.name);
            }
        }
    }

    #[test]
    fn a_function_names_tools_that_are_there_and_some_tool_opens_it() {
        let tools: Vec<_> = TOOLS.iter().map(|tool| tool.declaration).collect();
        for function in FUNCTIONS.iter().map(|function| &function.declaration) {
            let Grant::Tools(own) = function.grant else { continue };
            assert!(own.iter().all(|tool| find(tool).is_some()), "{}: {own:?}", function.name);
            assert!(!openers(function.name, own, &tools).is_empty(), "{}", function.name);
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
