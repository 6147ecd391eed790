//! `GitRefs` and `GitStatus`: list the references and the uncommitted changes of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::listing::Listing;
use super::readings;
use super::room::ListedRow;
use super::tool::{Alias, Tool};

/// The digits of an id for display.
const SHOWN_DIGITS: usize = 12;

/// Lists references.
pub struct GitRefs;

impl Tool for GitRefs {
    const NAME: &'static str = "GitRefs";
    const TITLE: &'static str = "List references";
    const DESCRIPTION: &'static str = "Lists branches and tags, their commits, and how far branches are from upstream. \
         Example: glob = refs/tags/v*";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("pattern", "glob"),
        Alias::Means("name", "glob"),
        Alias::Means("filter", "glob"),
        Alias::Means("prefix", "glob"),
        Alias::Means("branch", "glob"),
        Alias::Means("commit", "contains"),
        Alias::Means("rev", "contains"),
        Alias::Read(
            "branch_type",
            readings::branch_type,
            "Give glob = heads, remotes or tags, or leave it out for all",
        ),
        Alias::Say("remote", "Give glob = remotes"),
        Alias::Say("kind", "Give glob = heads, remotes or tags"),
        Alias::Means("path", "repo"),
        Alias::Means("repo_path", "repo"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
    ];
    type Arguments = GitRefsArguments;
    type Output = Listing<ListedReference>;
}

/// The arguments of `GitRefs`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitRefsArguments {
    pub repo: Option<String>,
    pub glob: Option<String>,
    pub contains: Option<String>,
    pub cursor: Option<String>,
}

/// A reference in a list.
#[derive(Debug, Clone, Serialize)]
pub struct ListedReference {
    /// Its full name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// The commit it points to.
    pub commit_id: Option<String>,
    /// The target of a symbolic reference.
    pub symbolic_target: Option<String>,
    /// Whether it is checked out.
    pub is_head: bool,
    /// The upstream of a branch.
    pub upstream: Option<String>,
    /// Commits that only the branch has.
    pub ahead: Option<u64>,
    /// Commits that only its upstream has.
    pub behind: Option<u64>,
    /// The subject of its tag or commit.
    pub subject: Option<String>,
}

impl ListedRow for ListedReference {
    const NAME: &'static str = "refs";

    fn shown(&self, _before: Option<&Self>) -> String {
        let id = self.commit_id.as_deref().map_or("(no commit)", shown_id);
        let mut text = format!("{} {id}", self.name);
        if let Some(target) = &self.symbolic_target {
            text.push_str(&format!(" -> {target}"));
        }
        if self.is_head {
            text.push_str(" (HEAD)");
        }
        match (&self.upstream, self.ahead, self.behind) {
            (Some(upstream), Some(ahead), Some(behind)) => {
                text.push_str(&format!(" [{upstream}: ahead {ahead}, behind {behind}]"));
            }
            (Some(upstream), ..) => text.push_str(&format!(" [{upstream}: gone]")),
            (None, ..) => {}
        }
        if let Some(subject) = &self.subject {
            // The name of a reference has no blank, so it cannot contain this separator.
            text.push_str(&format!(" | {subject}"));
        }
        text.push('\n');
        text
    }
}

/// Lists uncommitted changes.
pub struct GitStatus;

impl Tool for GitStatus {
    const NAME: &'static str = "GitStatus";
    const TITLE: &'static str = "Status";
    const DESCRIPTION: &'static str = "Lists staged, changed, untracked and conflicting files, like git status --short. Example: no arguments";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("path", "repo"),
        Alias::Means("repo_path", "repo"),
        Alias::Means("file", "paths"),
        Alias::Means("file_path", "paths"),
        Alias::Means("pathspec", "paths"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
        Alias::Say(
            "staged",
            "Leave it out: the first letter tells what is staged. GitDiff with from = HEAD, to = INDEX shows it",
        ),
        Alias::Say("untracked", "Leave it out: untracked files are listed, marked ??"),
        Alias::Say("porcelain", "Leave it out: the answer is as of git status --short"),
        Alias::Say("short", "Leave it out: the answer is as of git status --short"),
    ];
    type Arguments = GitStatusArguments;
    type Output = Listing<ListedStatus>;
}

/// The arguments of `GitStatus`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitStatusArguments {
    pub repo: Option<String>,
    pub paths: Option<Vec<String>>,
    pub cursor: Option<String>,
}

/// A file with uncommitted changes.
#[derive(Debug, Clone, Serialize)]
pub struct ListedStatus {
    /// Its path.
    pub file_path: String,
    /// The path before a rename.
    pub old_path: Option<String>,
    /// The change in the index.
    pub index_status: Option<&'static str>,
    /// The change in the work tree.
    pub worktree_status: Option<&'static str>,
    /// Kind of its conflict.
    pub conflict: Option<&'static str>,
}

impl ListedRow for ListedStatus {
    const NAME: &'static str = "files";

    fn shown(&self, _before: Option<&Self>) -> String {
        let letters = [letter(self.index_status), letter(self.worktree_status)];
        let letters = if letters == [' ', '?'] { ['?', '?'] } else { letters };
        let old = self.old_path.as_ref().map_or(String::new(), |old| format!("{old} => "));
        let conflict =
            self.conflict.map_or(String::new(), |kind| format!(" ({})", kind.replace('_', " ")));
        format!("{}{} {old}{}{conflict}\n", letters[0], letters[1], self.file_path)
    }
}

/// Returns the letter of git's short status.
fn letter(status: Option<&str>) -> char {
    match status {
        None => ' ',
        Some("added") => 'A',
        Some("deleted") => 'D',
        Some("type_changed") => 'T',
        Some("renamed") => 'R',
        Some("copied") => 'C',
        Some("unmerged") => 'U',
        Some("untracked") => '?',
        Some("ignored") => '!',
        Some(_) => 'M',
    }
}

/// Returns names of references as a list in brackets: no name can end the list, or look like two.
pub fn shown_refs(names: &[String]) -> String {
    let shown = names.iter().map(|name| {
        let mut shown = String::new();
        for c in name.chars() {
            match c {
                ',' | '(' | ')' | '[' | ']' => shown.extend(c.escape_unicode()),
                c => shown.push(c),
            }
        }
        shown
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Returns a path that can be shown in parentheses without ending them.
pub fn shown_inside(path: &str) -> String {
    path.replace(") ", "\\u{29} ")
}

/// Returns the start of an id.
pub fn shown_id(id: &str) -> &str {
    &id[..id.len().min(SHOWN_DIGITS)]
}

/// Returns the day of a time.
pub fn shown_day(time: Option<&str>) -> &str {
    time.map_or("(no date)", |time| time.split('T').next().unwrap_or(time))
}
