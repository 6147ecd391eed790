//! `redline_capabilities`: the permissions of a connection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Output, Tool};

/// Lists the permissions of a connection.
pub struct Capabilities;

impl Tool for Capabilities {
    const NAME: &'static str = "redline_capabilities";
    const TITLE: &'static str = "What may be done";
    const DESCRIPTION: &'static str = "Names sandboxes, what may be written in each, repositories and tools. \
         Example: no arguments";
    const UNLISTED: &'static [&'static str] = &["max_bytes"];
    type Arguments = CapabilitiesArguments;
    type Output = Abilities;
}

/// The arguments of `redline_capabilities`: none of its own.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapabilitiesArguments {}

/// A sandbox.
#[derive(Debug, Clone, Serialize)]
pub struct SandboxAbilities {
    /// Its name, with which paths begin.
    pub name: String,
    /// `ro`, `rw`, or `closed`.
    pub mode: &'static str,
    /// The tools that need approval, of those that the client is offered.
    pub approvals: Vec<&'static str>,
    /// Bytes of the largest file that may be edited, written or compared.
    pub max_file_bytes: u64,
    /// The branches that may be committed to, in patterns; empty for all, null for none.
    pub commits: Option<Vec<String>>,
    /// A path that may be read.
    pub example: Option<String>,
    /// The references of repositories that may be read; null for all.
    pub refs: Option<Vec<String>>,
}

/// The permissions of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Abilities {
    sandboxes: usize,
    /// Sandboxes in which files may be written.
    writable: usize,
    /// Whether there is an approver.
    has_approver: bool,
    #[schemars(skip)]
    listed: Vec<SandboxAbilities>,
    /// Repositories that may be read.
    #[schemars(skip)]
    repositories: Vec<String>,
    /// Tools that may be called.
    #[schemars(skip)]
    tools: Vec<String>,
    #[serde(skip)]
    has_sandboxes: bool,
}

impl Abilities {
    /// Returns the permissions of a connection; the sandboxes are `None` where none are configured.
    pub fn new(
        sandboxes: Option<Vec<SandboxAbilities>>,
        repositories: Vec<String>,
        tools: Vec<String>,
        has_approver: bool,
    ) -> Self {
        let has_sandboxes = sandboxes.is_some();
        let listed = sandboxes.unwrap_or_default();
        let writable = listed.iter().filter(|sandbox| sandbox.mode == "rw").count();
        let sandboxes = listed.len();
        Self { sandboxes, writable, has_approver, listed, repositories, tools, has_sandboxes }
    }

    fn of_sandbox(&self, sandbox: &SandboxAbilities) -> String {
        let mode = match sandbox.mode {
            "rw" => "read and write",
            "ro" => "read only",
            _ => "closed by DuckDB's settings",
        };
        let mut text = format!("- {}/ ({mode})", sandbox.name);
        if !sandbox.approvals.is_empty() {
            let who =
                if self.has_approver { "a person approves" } else { "no approver is configured" };
            text.push_str(&format!(", {who}: {}", sandbox.approvals.join(", ")));
        }
        match sandbox.commits.as_deref() {
            None => {}
            Some([]) => text.push_str(", commits on any branch"),
            Some(branches) => text.push_str(&format!(", commits on {}", branches.join(", "))),
        }
        if let Some(refs) = &sandbox.refs {
            text.push_str(&format!(", of repositories only {}", refs.join(", ")));
        }
        if let Some(example) = &sandbox.example {
            text.push_str(&format!("; for example {example}"));
        }
        text
    }
}

impl Output for Abilities {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        match self.listed.as_slice() {
            _ if !self.has_sandboxes => lines.push(
                "No sandbox is configured: files and repositories are read where DuckDB may read, by their paths on \
                 this machine, and nothing is written."
                    .to_owned(),
            ),
            [] => lines.push("Nothing may be read: there is no sandbox.".to_owned()),
            sandboxes => {
                lines.push("Paths are sandbox/relative/path. Sandboxes:".to_owned());
                lines.extend(sandboxes.iter().map(|sandbox| self.of_sandbox(sandbox)));
                let repositories = match self.repositories.as_slice() {
                    [] => "none found near the roots".to_owned(),
                    found => found.join(", "),
                };
                lines.push(format!("Repositories (repo): {repositories}"));
            }
        }
        lines.push(format!("Tools: {}", self.tools.join(", ")));
        lines.join("\n")
    }

    fn line(&self) -> String {
        let count = |count: usize, [one, many]: [&str; 2]| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        [
            count(self.sandboxes, ["sandbox", "sandboxes"]),
            count(self.repositories.len(), ["repository", "repositories"]),
            count(self.tools.len(), ["tool", "tools"]),
        ]
        .join(", ")
    }
}
