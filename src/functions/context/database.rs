//! The state of an open database, which is not shared with other databases of the process and ends
//! with the database; and which of its tools are granted.
//!
//! Each function declares the tools to which it belongs, and each tool the further functions that it
//! opens. `redline_tool_grants` controls a tool and the functions that would give the same answer, so
//! that a host which withholds a tool withholds it in every form.

use std::sync::Arc;

use super::settings;
use crate::ffi::Settings;
use crate::functions::surface::{self, FunctionEntry, Grant};
use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_edit::RateLimit;
use redline_git::Repositories;
use redline_query::machinery::caller::DatabaseState;
use redline_sandbox::Copies;
use redline_tools::{Declaration, PagedCalls};

/// The state of one database.
#[derive(Default)]
pub struct Database {
    /// The state of the file tools.
    pub state: Arc<DatabaseState>,
    /// The counts of tool calls.
    pub rate_limit: RateLimit,
    /// The calls whose answers go on.
    pub paged_calls: PagedCalls,
    /// The cache of open repositories.
    pub repositories: Arc<Repositories>,
    /// The copies that its functions made for DuckDB's readers.
    pub copies: Copies,
    /// The functions that are registered on it.
    pub functions: &'static [FunctionEntry],
    /// The tools that can be granted.
    pub tools: Vec<Declaration>,
}

impl Database {
    /// Returns the state of an empty database on which `functions` are registered.
    pub fn new(functions: &'static [FunctionEntry], tools: Vec<Declaration>) -> Self {
        Self { functions, tools, ..Self::default() }
    }

    /// Returns the state of the database that a function is called on.
    pub fn of(settings: &Settings) -> Result<Arc<Self>> {
        settings
            .extra_info()
            .ok_or_else(|| Error::tool_failed("redline is not loaded in this database"))
    }
}

/// Refuses a function none of whose tools is granted.
pub fn require_function(function: &surface::Declaration, settings: &Settings) -> Result<()> {
    match function.grant {
        Grant::Tools(own) => {
            let tools = &Database::of(settings)?.tools;
            require_one_of(&openers(function.name, own, tools), settings)
        }
        Grant::Everybody => Ok(()),
    }
}

/// Returns the names of the tools that open a function: `own`, which it names, and those that name
/// it, which open its twin that returns a list as well.
pub fn openers(
    function: &str,
    own: &'static [&'static str],
    tools: &[Declaration],
) -> Vec<&'static str> {
    let question = function.strip_suffix("_list").unwrap_or(function);
    let others = tools.iter().filter(|tool| tool.opens.contains(&question));
    own.iter().copied().chain(others.map(|tool| tool.name)).collect()
}

/// Refuses a tool that is not granted.
pub fn require_tool(tool: &str, settings: &Settings) -> Result<()> {
    require_one_of(&[tool], settings)
}

/// Tells whether one of `tools` is granted.
pub fn is_one_granted(tools: &[&str], settings: &Settings) -> bool {
    let grants = settings::tool_grants(settings);
    tools.iter().any(|tool| is_granted(tool, &grants))
}

fn require_one_of(tools: &[&str], settings: &Settings) -> Result<()> {
    check(settings)?;
    require(tools, &settings::tool_grants(settings))
}

/// Refuses grants of unknown tools.
pub fn check(settings: &Settings) -> Result<()> {
    let tools: Vec<_> = Database::of(settings)?.tools.iter().map(|tool| tool.name).collect();
    refuse_unknown(&settings::tool_grants(settings), &tools)
}

/// Refuses grants of unknown tools: their author meant to grant, or to withhold, something else.
fn refuse_unknown(grants: &[&str], tools: &[&str]) -> Result<()> {
    let is_known = |grant: &&&str| **grant == "*" || tools.contains(grant);
    let Some(unknown) = grants.iter().find(|grant| !is_known(grant)) else { return Ok(()) };
    let near = suggest::best(unknown, tools.iter().copied());
    let known = tools.join(", ");
    Err(Error::invalid_args(format!(
        "{} grants {}, which is not a tool",
        settings::TOOL_GRANTS,
        quoted(unknown)
    ))
    .near(&near)
    .and_hint(format!("The tools are {known}; '*' means all")))
}

/// Refuses unless one of `tools` is granted.
fn require(tools: &[&str], grants: &[&str]) -> Result<()> {
    if tools.iter().any(|tool| is_granted(tool, grants)) {
        return Ok(());
    }
    let list: Vec<String> = grants.iter().map(|grant| quoted(grant)).collect();
    let (tools, grants) = (tools.join(" or "), list.join(", "));
    Err(Error::permission_denied(format!(
        "the tool {tools} is not granted; {} is [{grants}]",
        settings::TOOL_GRANTS
    ))
    .with_hint("Use a tool that is granted, or ask the host to grant this one"))
}

/// Tells whether a tool is named in the grants, exactly or by `*`.
fn is_granted(tool: &str, grants: &[&str]) -> bool {
    grants.iter().any(|&grant| grant == "*" || grant == tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_granted_by_its_exact_name_or_a_star() {
        for grants in [&[][..], &["Dif"], &["diff"], &["Diff "], &["GitDiff"], &["D*"], &[""]] {
            assert!(!is_granted("Diff", grants), "{grants:?}");
        }
        for grants in [&["*"][..], &["Diff"], &["GitDiff", "Diff"]] {
            assert!(is_granted("Diff", grants), "{grants:?}");
        }
    }

    #[test]
    fn a_grant_of_an_unknown_tool_is_refused_with_the_nearest_name() {
        let tools = ["Diff", "GitDiff", "read_file"];
        for grants in [&[][..], &["*"], &["Diff", "*"], &["read_file", "GitDiff"]] {
            assert!(refuse_unknown(grants, &tools).is_ok(), "{grants:?}");
        }
        for (grant, meant) in [
            (
                "Gitdiff",
                "Did you mean 'GitDiff'? The tools are Diff, GitDiff, read_file; '*' means all.",
            ),
            ("readfile", "Did you mean 'read_file'? "),
            ("none", "The tools are "),
            ("", "The tools are "),
        ] {
            let error = refuse_unknown(&["Diff", grant, "*"], &tools).unwrap_err().to_string();
            let words = format!(
                "invalid_args: redline_tool_grants grants '{grant}', which is not a tool. {meant}"
            );
            assert!(error.starts_with(&words), "{error}");
        }
    }

    #[test]
    fn a_refusal_names_the_tool_and_the_grants() {
        for (tools, grants, words) in [
            (
                &["Diff"][..],
                &["GitDiff", "x"][..],
                "the tool Diff is not granted; redline_tool_grants is ['GitDiff', 'x'].",
            ),
            (
                &["GitDiffFile", "GitDiff"],
                &[],
                "the tool GitDiffFile or GitDiff is not granted; redline_tool_grants is [].",
            ),
        ] {
            let refusal = require(tools, grants).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("permission_denied: {words} ")), "{refusal}");
        }
    }
}
