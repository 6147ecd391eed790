//! A named root and its rules.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

use crate::open::beneath::Root;
use crate::rules::ref_limit::RefPattern;
use crate::rules::rel_path::{Pattern, RelPath};
use crate::rules::run_names;

/// Where branches are.
pub(crate) const HEADS: &str = "refs/heads/";

/// Whether files below a root may be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Mode {
    /// Files may be read.
    #[default]
    #[serde(rename = "ro")]
    ReadOnly,
    /// Files may be read and written.
    #[serde(rename = "rw")]
    ReadWrite,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "ro",
            Self::ReadWrite => "rw",
        }
    }
}

/// The right to commit in the repositories of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitGrant {
    /// The branches that may be moved; `None` for all, and for a detached HEAD.
    pub(crate) branches: Option<Vec<RefPattern>>,
    /// Whether a commit is made without the hooks and the signature that git would add.
    pub skips_hooks: bool,
    /// The trailer that each commit gets, as `Key: value`.
    pub trailer: Option<String>,
}

impl GitGrant {
    /// Tells whether a branch may be moved, by its full name; `None` is a detached HEAD.
    pub fn allows(&self, branch: Option<&[u8]>) -> bool {
        self.branches.as_ref().is_none_or(|patterns| {
            branch.is_some_and(|name| patterns.iter().any(|pattern| pattern.matches(name)))
        })
    }

    /// Returns the patterns of the branches that may be moved, as the setting has them; none for all.
    pub fn names(&self) -> Vec<String> {
        let patterns = self.branches.iter().flatten();
        patterns.map(|pattern| pattern.as_str().trim_start_matches(HEADS).to_owned()).collect()
    }
}

/// The operations that a person must approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalPolicy {
    /// Reading a file.
    pub read: bool,
    /// Writing a whole file.
    pub write: bool,
    /// Changing a part of a file.
    pub edit: bool,
}

/// A named root, opened, with its rules.
#[derive(Debug)]
pub struct Sandbox {
    /// The name that paths start with.
    pub name: String,
    /// The path of its root, after resolving all links.
    pub path: PathBuf,
    /// As spelled in the setting.
    pub(crate) spelled: PathBuf,
    pub(crate) root: Root,
    /// The identity of the sandbox: its name, its path, and its directory by device, inode and
    /// birth time, as a later directory may get the inode of a removed one.
    pub identity: Vec<u8>,
    pub(crate) mode: Mode,
    /// The allowed suffixes of file names; `None` for all.
    pub suffixes: Option<Vec<String>>,
    /// The most bytes of a file.
    pub max_file_bytes: u64,
    /// The operations that a person must approve.
    pub approvals: ApprovalPolicy,
    /// The names that may be read but not written.
    pub(crate) reserved: Vec<Pattern>,
    /// The names of files that tools run, besides those that redline knows.
    pub(crate) warned: Vec<Pattern>,
    /// The readable references of repositories; `None` for all.
    pub refs: Option<Vec<RefPattern>>,
    /// The right to commit; `None` without it.
    pub(crate) git: Option<GitGrant>,
    /// Whether DuckDB's own settings allow reading the root.
    pub(crate) is_open: bool,
}

impl Sandbox {
    /// Tells whether files may be read without an approval.
    pub(crate) fn reads_freely(&self) -> bool {
        self.is_open && !self.approvals.read
    }

    /// Returns the right to commit, of a sandbox that may be written.
    pub fn git(&self) -> Option<&GitGrant> {
        self.git.as_ref().filter(|_| self.is_writable())
    }

    /// Tells whether files may be written.
    pub fn is_writable(&self) -> bool {
        self.is_open && self.mode == Mode::ReadWrite
    }

    /// Returns the mode as a word: `ro`, `rw`, or `closed` if DuckDB's own settings forbid reading
    /// the root.
    pub fn mode(&self) -> &'static str {
        if self.is_open { self.mode.name() } else { "closed" }
    }

    /// Returns the pattern that allows reading a path but not writing it.
    pub(crate) fn keeps(&self, path: &RelPath) -> Option<&str> {
        path.matched(&self.reserved).map(Pattern::as_str)
    }

    /// Tells whether tools run the file at a path, by its name: a person is warned of it.
    pub fn is_run_by_tools(&self, path: &RelPath) -> bool {
        path.matched(run_names::all()).or_else(|| path.matched(&self.warned)).is_some()
    }

    /// Tells whether files of this name are allowed; suffixes are compared without case.
    pub fn allows_name(&self, name: &str) -> bool {
        let ends_in = |suffix: &String| {
            let (name, suffix) = (name.as_bytes(), suffix.as_bytes());
            name.len() > suffix.len()
                && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
        };
        self.suffixes.as_ref().is_none_or(|suffixes| suffixes.iter().any(ends_in))
    }

    /// Returns the field in which `self` is stricter than `outer`.
    pub(crate) fn stricter_than(&self, outer: &Self) -> Option<&'static str> {
        let writable = outer.mode == Mode::ReadWrite;
        let keeps_suffixes = match (&self.suffixes, &outer.suffixes) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(outer)) => outer.iter().all(|suffix| own.contains(suffix)),
        };
        [
            ("mode", writable && self.mode == Mode::ReadOnly),
            ("suffixes", !keeps_suffixes),
            ("read_approval", self.approvals.read && !outer.approvals.read),
            ("write_approval", writable && self.approvals.write && !outer.approvals.write),
            ("edit_approval", writable && self.approvals.edit && !outer.approvals.edit),
            ("reserved", writable && self.reserved.iter().any(|own| !outer.reserved.contains(own))),
            ("max_file_bytes", self.max_file_bytes < outer.max_file_bytes),
            ("git", writable && outer.git.is_some() && self.git != outer.git),
            // Two names of one directory both limit the references.
            ("refs", self.path != outer.path && self.refs.is_some() && self.refs != outer.refs),
        ]
        .into_iter()
        .find_map(|(field, stricter)| stricter.then_some(field))
    }
}

/// `workspace/ (rw, up to 4194304 bytes)`
impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/ ({}", self.name, self.mode.name())?;
        match &self.suffixes {
            Some(suffixes) if suffixes.is_empty() => write!(f, ", no files")?,
            Some(suffixes) => write!(f, ", only *{}", suffixes.join(" *"))?,
            None => {}
        }
        write!(f, ", up to {} bytes)", self.max_file_bytes)
    }
}
