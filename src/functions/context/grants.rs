//! Which tools are granted. Each function declares the tools that it stands behind.
//!
//! `redline_tool_grants` decides over a tool and over the functions that would give the same
//! answer, so that a host which withholds a tool withholds it on every way.

use super::settings;
use crate::error::{Error, Result, quoted};
use crate::ffi::Settings;
use crate::functions::surface::Grant;

/// Refuses a function none of whose tools is granted.
pub fn require_function(grant: Grant, settings: &Settings) -> Result<()> {
    match grant {
        Grant::Tools(tools) => require(tools, &settings::tool_grants(settings)),
        Grant::Everybody => Ok(()),
    }
}

/// Refuses a tool that is not granted.
pub fn require_tool(tool: &str, settings: &Settings) -> Result<()> {
    require(&[tool], &settings::tool_grants(settings))
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
