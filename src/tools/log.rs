//! `GitLog`: the commits of a range, of a file or of its lines, and those that say or change
//! something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history::{shown_day, shown_id, shown_inside, shown_refs};
use super::listing::Listing;
use super::read::LINES;
use super::readings;
use super::room::ListedRow;
use super::tool::{Alias, Tool};
use redline_base::error::{Error, Result, escaped_line};

/// Lists commits.
pub struct GitLog;

impl Tool for GitLog {
    const NAME: &'static str = "GitLog";
    const TITLE: &'static str = "List commits";
    const DESCRIPTION: &'static str = "Lists commits, newest first; with file those that changed it, through renames, or only its lines \
         or a function of it. Example: range = v1..main, contains = parse_args";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("rev", "range"),
        Alias::Means("branch", "range"),
        Alias::Means("ref", "range"),
        Alias::Means("revision", "range"),
        Alias::Means("revision_range", "range"),
        Alias::Means("commit", "range"),
        Alias::Means("sha", "range"),
        Alias::Means("path", "repo"),
        Alias::Means("repo_path", "repo"),
        Alias::Means("file_path", "file"),
        Alias::Means("after", "since"),
        Alias::Means("before", "until"),
        Alias::Means("start_timestamp", "since"),
        Alias::Means("end_timestamp", "until"),
        Alias::Say("from", "Give range = from..to"),
        Alias::Say("to", "Give range = from..to"),
        Alias::Means("max_count", "limit"),
        Alias::Means("count", "limit"),
        Alias::Means("n", "limit"),
        Alias::Means("max_results", "limit"),
        Alias::Say("skip", "Give cursor = next_cursor of the previous answer to go on"),
        Alias::Say("offset", "Give cursor = next_cursor of the previous answer to go on"),
        Alias::Means("grep", "message"),
        Alias::Means("pattern", "message"),
        Alias::Means("query", "message"),
        Alias::Means("pickaxe", "contains"),
        Alias::Means("text", "contains"),
        Alias::Means("string", "contains"),
        Alias::Means("S", "contains"),
        Alias::Means("G", "changed_lines"),
        Alias::Means("start_line", "first_line"),
        Alias::Means("end_line", "last_line"),
        Alias::Read("line", readings::lines, LINES),
        Alias::Read("lines", readings::lines, LINES),
        Alias::Read("line_range", readings::lines, LINES),
        Alias::Means("symbol", "function"),
    ];
    type Arguments = GitLogArguments;
    type Output = Listing<ListedCommit>;
}

/// The arguments of `GitLog`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitLogArguments {
    /// Revision, a..b or ALL. Default: HEAD.
    pub range: Option<String>,
    pub repo: Option<String>,
    pub file: Option<String>,
    pub paths: Option<Vec<String>>,
    /// A text added or removed.
    pub contains: Option<String>,
    /// A regex of changed lines.
    pub changed_lines: Option<String>,
    /// A regex of a message line.
    pub message: Option<String>,
    /// A regex of the author.
    pub author: Option<String>,
    /// Of lines of file.
    pub first_line: Option<u64>,
    pub last_line: Option<u64>,
    /// A function of file.
    pub function: Option<String>,
    pub since: Option<String>,
    /// A date.
    pub until: Option<String>,
    /// Most commits in all.
    pub limit: Option<u64>,
    pub cursor: Option<String>,
}

impl GitLogArguments {
    /// Tells whether lines of a file are requested.
    pub fn asks_for_lines(&self) -> bool {
        self.first_line.is_some() || self.last_line.is_some() || self.function.is_some()
    }

    /// Checks the rules that types cannot express.
    ///
    /// # Errors
    /// `invalid_args` for arguments that exclude each other.
    pub fn checked(mut self) -> Result<Self> {
        if self.range.as_deref() == Some("--all") {
            self.range = Some("ALL".to_owned());
        }
        let refused = |what: &str, instead: &str| {
            Err(Error::invalid_args(format!("GitLog was given {what}")).with_hint(instead))
        };
        let has_paths = self.paths.as_ref().is_some_and(|paths| !paths.is_empty());
        if self.file.is_some() && has_paths {
            return refused(
                "both file and paths",
                "Give file for one file through its renames, or paths for those that pathspecs name",
            );
        }
        if self.contains.is_some() && self.changed_lines.is_some() {
            return refused(
                "both contains and changed_lines",
                "Give contains for a text, or changed_lines for an expression",
            );
        }
        if !self.asks_for_lines() {
            return Ok(self);
        }
        if self.file.is_none() {
            return refused(
                "lines or a function and no file",
                "Give file, and first_line and last_line, or function",
            );
        }
        if self.function.is_some() && (self.first_line.is_some() || self.last_line.is_some()) {
            return refused(
                "both function and lines",
                "Give function, or first_line and last_line",
            );
        }
        if self.contains.is_some() || self.changed_lines.is_some() {
            return refused(
                "lines of a file and a text to search for",
                "Give file with contains alone, or with its lines alone",
            );
        }
        Ok(self)
    }
}

/// A commit in a list.
#[derive(Debug, Clone, Serialize)]
pub struct ListedCommit {
    /// Its id.
    pub commit_id: String,
    /// Its parents.
    pub parent_ids: Vec<String>,
    /// Its author.
    pub author_name: String,
    /// The author's address.
    pub author_email: String,
    /// The author date, in UTC.
    pub author_date: Option<String>,
    /// The first paragraph of its message.
    pub subject: String,
    /// The references that point to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Its change of the requested file.
    #[serde(flatten)]
    pub file: Option<ListedVersion>,
    /// Its change of the requested lines.
    #[serde(flatten)]
    pub lines: Option<ListedLines>,
}

/// The change of a file by a commit.
#[derive(Debug, Clone, Serialize)]
pub struct ListedVersion {
    /// Its path there.
    pub file_path: String,
    /// The path before a rename or copy.
    pub old_path: Option<String>,
    /// Its status.
    pub status: &'static str,
}

/// The change of lines of a file by a commit.
#[derive(Debug, Clone, Serialize)]
pub struct ListedLines {
    /// The path of the file there.
    pub file_path: String,
    /// The first of the lines there.
    pub first_line: u32,
    /// The last of them.
    pub last_line: u32,
    /// The hunks that changed them.
    pub patch: String,
}

impl ListedRow for ListedCommit {
    const NAME: &'static str = "commits";

    fn shown(&self, _before: Option<&Self>) -> String {
        // redline's own words come before the day, where no name, author or subject is.
        let mut text = shown_id(&self.commit_id).to_owned();
        if self.parent_ids.len() > 1 {
            text.push_str(" (merge)");
        }
        if !self.refs.is_empty() {
            text.push_str(&format!(" [{}]", shown_refs(&self.refs)));
        }
        match &self.file {
            Some(ListedVersion { file_path, old_path: Some(old), status }) => {
                let [old, new] = [old, file_path].map(|path| shown_inside(path));
                text.push_str(&format!(" ({status}: {old} => {new})"));
            }
            Some(ListedVersion { status, .. }) if *status != "modified" => {
                text.push_str(&format!(" ({status})"));
            }
            _ => {}
        }
        if let Some(lines) = &self.lines {
            let ListedLines { file_path, first_line, last_line, .. } = lines;
            let path = shown_inside(file_path);
            text.push_str(&format!(" (lines {first_line} to {last_line} of {path})"));
        }
        let day = shown_day(self.author_date.as_deref());
        text.push_str(&format!(" {day} {}: {}\n", self.author_name, self.subject));
        // Indented, so that no line of a file looks like a commit.
        for line in self.lines.iter().flat_map(|lines| lines.patch.lines()) {
            text.push_str(&format!("    {}\n", escaped_line(line)));
        }
        text
    }
}
