//! `GitRangeDiff`: shows the status of each commit of a rebased series.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history::shown_id;
use super::listing::Listing;
use super::room::ListedRow;
use super::tool::{Alias, Tool};
use redline_base::error::escaped_line;

/// Compares two versions of a series.
pub struct GitRangeDiff;

impl Tool for GitRangeDiff {
    const NAME: &'static str = "GitRangeDiff";
    const TITLE: &'static str = "Compare series";
    const DESCRIPTION: &'static str = "Pairs the commits of a rebased series, like git range-diff. \
         Example: old_range = main..v1, new_range = main..v2";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("old", "old_range"),
        Alias::Means("new", "new_range"),
        Alias::Means("from", "old_range"),
        Alias::Means("to", "new_range"),
        Alias::Means("range1", "old_range"),
        Alias::Means("range2", "new_range"),
        Alias::Means("path", "repo"),
        Alias::Means("repo_path", "repo"),
        Alias::Say("base", "Give old_range = base..old and new_range = base..new"),
        Alias::Say("range", "Give old_range = base..old and new_range = base..new"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
    ];
    type Arguments = GitRangeDiffArguments;
    type Output = Listing<ListedPair>;
}

/// The arguments of `GitRangeDiff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitRangeDiffArguments {
    /// Before: a..b.
    pub old_range: String,
    /// After: a..b.
    pub new_range: String,
    pub repo: Option<String>,
    pub cursor: Option<String>,
}

/// A commit in both ranges, or in one of them.
#[derive(Debug, Clone, Serialize)]
pub struct ListedPair {
    /// Its number in the old range, from 1.
    pub old_number: Option<usize>,
    /// Its id there.
    pub old_commit_id: Option<String>,
    /// Its number in the new range.
    pub new_number: Option<usize>,
    /// Its id there.
    pub new_commit_id: Option<String>,
    /// Its status.
    pub status: &'static str,
    /// The first line of its message.
    pub subject: String,
    /// The changes of its message and its patch.
    pub patch: Option<String>,
}

impl ListedRow for ListedPair {
    const NAME: &'static str = "commits";

    fn shown(&self, _before: Option<&Self>) -> String {
        let side = |number: Option<usize>, id: Option<&str>| match (number, id) {
            (Some(number), Some(id)) => format!("{number}:  {}", shown_id(id)),
            _ => format!("-:  {}", "-".repeat(shown_id(&"-".repeat(40)).len())),
        };
        let sign = match self.status {
            "equal" => '=',
            "changed" => '!',
            "dropped" => '<',
            _ => '>',
        };
        let old = side(self.old_number, self.old_commit_id.as_deref());
        let new = side(self.new_number, self.new_commit_id.as_deref());
        let mut text = format!("{old} {sign} {new} {}\n", self.subject);
        // git indents each line of it, so that none looks like a commit.
        for line in self.patch.iter().flat_map(|patch| patch.lines()) {
            let indent = if line.starts_with("    ") { "" } else { "    " };
            text.push_str(&format!("{indent}{}\n", escaped_line(line)));
        }
        text
    }
}
