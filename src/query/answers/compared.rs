//! The answer of the tools that compare: a page of a comparison, and the bytes that its parts take.

use super::commits::CommitWords;
use crate::questions::file_changes::FileColumns;
use redline_base::budget::{CopiedText, Taken, text_of};
use redline_base::form::counted;
use redline_git::{LineCounts, Measured};
use redline_review::{CURSOR_BYTES, Layout};
use redline_rows::Row;
use redline_text::hunk_id::HunkId;
use redline_tools::{Output, Reply, Rest};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A changed file: the columns of file_changes.
pub type FileChange = Map<String, Value>;

/// The names of a hunk on a page, which stay the same when a branch is rebased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HunkNames {
    /// The path of its file.
    pub file_path: String,
    /// Id of its lines.
    pub hunk_id: String,
    /// Id of its lines and context, for except_ids.
    pub context_id: String,
    /// Whether its lines were seen, with something else around them.
    pub known_lines: bool,
}

/// The totals of a comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Changed files, on all pages.
    pub files_changed: u64,
    /// Added lines in all files.
    pub additions: u64,
    /// Removed lines in all files.
    pub deletions: u64,
}

/// The answer of the tools that compare: a page of a comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Compared {
    /// The page.
    #[serde(skip)]
    pub text: String,
    /// The commit that is compared with its parent.
    #[serde(skip)]
    pub commit_id: Option<String>,
    /// The totals of all pages.
    #[serde(flatten)]
    pub totals: Totals,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The header of the commit, on its first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub commit: Option<CommitWords>,
    /// The files listed on this page, if values are requested.
    #[schemars(skip)]
    pub files: Vec<FileChange>,
    /// Its hunks, unless only files are listed.
    #[serde(flatten)]
    #[schemars(skip)]
    pub hunks: Option<ComparedHunks>,
}

/// The hunks of a page, if values are requested.
#[derive(Debug, Default, Serialize)]
pub struct ComparedHunks {
    /// The hunks below git's headers.
    pub patch: String,
    /// The names of those that end on the page, where they have any.
    pub hunks: Vec<HunkNames>,
    /// How many hunks are left out that were seen, on all pages.
    pub hunks_seen: usize,
}

impl Output for Compared {
    fn text(&self) -> String {
        self.text.copied_text()
    }

    fn line(&self) -> String {
        let Totals { files_changed, additions, deletions } = self.totals;
        let [files, added, removed] =
            [(files_changed, "file"), (additions, "insertion"), (deletions, "deletion")]
                .map(|(count, noun)| counted(count, noun));
        let totals = format!("{files} changed, {added}, {removed}");
        match &self.commit_id {
            Some(id) => format!("commit {id}: {totals}"),
            None => totals,
        }
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}

/// The answer of a tool that contains a page.
pub struct PageAnswer {
    pub(super) reply: Reply,
    pub(super) has_hunks: bool,
    /// Whether the headers of hunks in a text end with their ids.
    pub(super) has_ids: bool,
    /// Bytes of the answer besides the page.
    pub(super) besides: usize,
}

impl PageAnswer {
    /// Returns how the answer lays the page out.
    pub fn layout(&self) -> Layout {
        if self.reply.is_data { Layout::Data } else { Layout::Text(self.reply.form) }
    }

    /// Returns the bytes to list a file.
    pub fn file_bytes(&self, row: &Measured) -> usize {
        if !self.reply.is_data {
            return 0;
        }
        serde_json::to_string(&FileColumns::COLUMNS.json(row))
            .map_or(0, |json| json.len() + ",".len())
    }

    /// Tells whether the answer names the hunks that it shows.
    pub fn names_hunks(&self) -> bool {
        self.has_hunks && (self.reply.is_data || self.has_ids)
    }

    /// Returns the bytes to name a hunk.
    pub fn name_bytes(&self, row: &Measured, id: &HunkId, is_known: bool) -> usize {
        if !self.names_hunks() {
            return 0;
        }
        if !self.reply.is_data {
            return self.reply.form.cost(&in_header(id));
        }
        let json = serde_json::to_string(&hunk_names(row, id, is_known));
        json.map_or(0, |json| json.len() + ",".len())
    }

    /// Returns the bytes of an answer without content.
    pub fn overhead(&self, rows: &[Measured]) -> usize {
        let empty = Compared {
            totals: totals(rows),
            rest: Rest::at(Some("0".repeat(CURSOR_BYTES))),
            hunks: self.has_hunks.then(ComparedHunks::default),
            ..Compared::default()
        };
        self.reply.max_bytes - self.reply.room(&empty) + self.besides
    }
}

pub(super) fn totals(rows: &[Measured]) -> Totals {
    let sum = |of: fn(&LineCounts) -> Option<u64>| {
        rows.iter().filter_map(|row| of(row.lines.as_ref()?)).sum()
    };
    Totals {
        files_changed: rows.len() as u64,
        additions: sum(LineCounts::additions),
        deletions: sum(LineCounts::deletions),
    }
}

/// Returns the end of the header of a hunk that names it, which `except_ids` takes, too.
pub(super) fn in_header(id: &HunkId) -> String {
    format!(" [{}]", id.context)
}

pub(super) fn hunk_names(row: &Measured, id: &HunkId, known_lines: bool) -> HunkNames {
    HunkNames {
        file_path: text_of(&row.change.path).taken(),
        hunk_id: id.lines.clone(),
        context_id: id.context.clone(),
        known_lines,
    }
}
