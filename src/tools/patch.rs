//! `apply_patch`: changes several files, all or none.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::readings;
use super::tool::{Alias, Annotations, Output, Tool, WRITES};
use redline_base::error::escaped;
use redline_rows::{Col, HasList, ListOf, Out, Row, Written, bigint, structures, varchar};

/// Changes several files.
pub struct ApplyPatch;

impl Tool for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const TITLE: &'static str = "Apply a patch";
    const DESCRIPTION: &'static str = "Changes several files, all or none, by a git diff, *** Begin Patch or SEARCH/REPLACE blocks. \
         Example: patch = the diff";
    const ANNOTATIONS: Annotations = WRITES;
    const ALIASES: &'static [Alias] = &[
        Alias::Means("diff", "patch"),
        Alias::Means("input", "patch"),
        Alias::Means("content", "patch"),
        Alias::Means("patch_text", "patch"),
        Alias::Means("patchText", "patch"),
        Alias::Means("edits", "patch"),
        Alias::Means("command", "patch"),
        Alias::Means("cmd", "patch"),
        Alias::Read("patch", readings::patch, "Give patch = the whole patch as one text"),
        Alias::Say("path", "The patch names its files, as sandbox/relative/path"),
        Alias::Say("sandbox", "The patch names its files, as sandbox/relative/path"),
    ];
    const UNLISTED: &'static [&'static str] = &["dry_run", "max_bytes"];
    type Arguments = ApplyPatchArguments;
    type Output = PatchResult;
}

/// The arguments of `apply_patch`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyPatchArguments {
    /// Paths are sandbox/relative/path; the only sandbox may be left out.
    pub patch: String,
    /// Let whitespace differ.
    #[schemars(extend("default" = false))]
    pub fuzz: Option<bool>,
    /// Write nothing.
    #[schemars(extend("default" = false))]
    pub dry_run: Option<bool>,
}

impl From<ApplyPatchArguments> for PatchArguments {
    fn from(given: ApplyPatchArguments) -> Self {
        Self {
            patch: given.patch,
            fuzz: given.fuzz.unwrap_or(false),
            dry_run: given.dry_run.unwrap_or(false),
            ..Self::default()
        }
    }
}

/// The arguments of `edit_files`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatchArguments {
    /// The name of the sandbox; if empty, the one that all paths start with, or the only one.
    pub sandbox: String,
    /// The patch, in one of the formats.
    pub patch: String,
    /// Whether hunks without an exact match are searched for without regard to whitespace.
    pub fuzz: bool,
    /// Whether hunks that only add lines, without context, go where their numbers say.
    pub unidiff_zero: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// The git blob ids that files must have, by their paths beneath the root.
    pub base_oids: BTreeMap<String, String>,
    /// The reason, for the record.
    pub reason: Option<String>,
}

/// The result of an operation on several files, each told as an `F`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(bound = "")]
pub struct ChangedFiles<F> {
    /// The operation, as in `redline_log()`; `None` if nothing was written.
    pub id: Option<String>,
    /// `applied`, `already_applied` or `would_apply`.
    pub outcome: &'static str,
    /// The report, in one line.
    #[schemars(skip)]
    pub message: String,
    /// The files.
    #[schemars(skip)]
    pub files: Vec<F>,
}

impl<F> ChangedFiles<F> {
    /// Returns the message, and how to take the operation back.
    pub fn summary(&self) -> String {
        match &self.id {
            Some(id) => format!("{}\nundo with id = {id} takes this back", self.message),
            None => self.message.clone(),
        }
    }
}

/// The result of a patch.
pub type PatchResult = ChangedFiles<FileResult>;

/// The result for a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileResult {
    /// The path beneath the root.
    pub path: String,
    /// `create`, `update`, `delete`, `move` or `mode`.
    pub kind: &'static str,
    /// The path before, of a file that moves.
    pub old_path: Option<String>,
    /// The lines that are added.
    pub lines_added: u64,
    /// The lines that are removed.
    pub lines_removed: u64,
    /// The git blob id of the file before; `None` if there was none.
    pub base_oid: Option<String>,
    /// The git blob id of the file after; `None` if it was removed.
    pub oid: Option<String>,
    /// The line at which each hunk was applied, and how it matched.
    pub hunks: Vec<(u64, &'static str)>,
}

impl FileResult {
    /// Returns it without what tells of the content: for a caller who may not read the file.
    #[must_use]
    pub fn of_counts(self) -> Self {
        Self { base_oid: None, oid: None, hunks: Vec::new(), ..self }
    }
}

impl Output for PatchResult {
    fn text(&self) -> String {
        let mut text = self.summary();
        for file in &self.files {
            let from = file.old_path.as_ref().map(|old| format!("{} -> ", escaped(old)));
            text += &format!(
                "\n{} {}{} +{} -{}",
                file.kind,
                from.unwrap_or_default(),
                escaped(&file.path),
                file.lines_added,
                file.lines_removed
            );
            let inexact = file.hunks.iter().filter(|(_, pass)| *pass != "exact");
            for (line, pass) in inexact {
                text += &format!("\n the hunk at line {line} fitted as {pass}");
            }
        }
        text + "\n"
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}

/// A hunk: its place, and how it matched.
pub struct PlacedHunk;

impl Row for PlacedHunk {
    type Of<'a> = (u64, &'a str);

    const OWN: &'static [Col<Self>] = &[
        bigint("line", "The line of the file at which it went, from 1", |(line, _)| line.into()),
        varchar(
            "pass",
            "`exact`, or how it matched: `trimmed_end`, `trimmed`, `ascii`",
            |(_, pass), out| out.text(pass),
        ),
    ];
}

impl Row for FileResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The file, below the sandbox", |file, out| out.text(file.path.as_str())),
        varchar("kind", "`create`, `update`, `delete`, `move` or `mode`", |file, out| {
            out.text(file.kind)
        }),
        varchar("old_path", "The path before, of a file that moves", |file, out| {
            out.text(file.old_path.as_deref())
        }),
        bigint("lines_added", "Added lines", |file| file.lines_added.into()),
        bigint("lines_removed", "Removed lines", |file| file.lines_removed.into()),
        varchar("base_oid", "The git blob id before; NULL for a new file", |file, out| {
            out.text(file.base_oid.as_deref())
        }),
        varchar("oid", "The git blob id after; NULL if deleted", |file, out| {
            out.text(file.oid.as_deref())
        }),
        structures::<Self, PlacedHunk>("hunks", "Where each hunk was applied"),
    ];
}

impl HasList<PlacedHunk> for FileResult {
    fn list(file: &Self, out: Out<'_, ListOf<PlacedHunk>>) -> Written {
        out.all(file.hunks.iter().copied())
    }
}

impl<F> Row for ChangedFiles<F>
where
    F: for<'a> Row<Of<'a> = &'a F>,
{
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "id",
            "The operation, for revert_edit; NULL where nothing was written",
            |result, out| out.text(result.id.as_deref()),
        ),
        varchar(
            "outcome",
            "`applied`, `already_applied` where nothing is left to do, or `would_apply`",
            |result, out| out.text(result.outcome),
        ),
        structures::<Self, F>("files", "What became of each file"),
        varchar("message", "What happened, in one line", |result, out| {
            out.text(result.message.as_str())
        }),
    ];
}

impl<F> HasList<F> for ChangedFiles<F>
where
    F: for<'a> Row<Of<'a> = &'a F>,
{
    fn list(result: &Self, out: Out<'_, ListOf<F>>) -> Written {
        out.all(&result.files)
    }
}
