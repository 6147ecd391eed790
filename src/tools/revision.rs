//! `GitFile` and `GitBlame`: one file of a revision.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::history::{shown_day, shown_id, shown_inside};
use super::listing::Listing;
use super::read::{LINES, Lines};
use super::readings;
use super::room::{ListedRow, Rest};
use super::tool::{Alias, Output, Tool};
use redline_base::error::escaped_line;

/// Names that agents try for a file of a revision.
const FILE_ALIASES: &[Alias] = &[
    Alias::Means("file_path", "file"),
    Alias::Means("revision", "rev"),
    Alias::Means("commit", "rev"),
    Alias::Means("ref", "rev"),
    Alias::Means("branch", "rev"),
    Alias::Means("sha", "rev"),
    Alias::Means("hash", "rev"),
    Alias::Means("commit_id", "rev"),
    Alias::Means("version", "rev"),
    Alias::Means("filename", "file"),
    Alias::Means("repo_path", "repo"),
    Alias::Means("start_line", "first_line"),
    Alias::Means("end_line", "last_line"),
    Alias::Means("path", "file"),
    Alias::Read("offset", readings::first_line, "Give first_line = 1, counted from 1"),
    Alias::Read("line", readings::lines, LINES),
    Alias::Read("lines", readings::lines, LINES),
    Alias::Read("line_range", readings::lines, LINES),
    Alias::Read("view_range", readings::lines, LINES),
    Alias::Read("limit", readings::line_count, LINES),
];

/// Reads a file of a revision.
pub struct GitFile;

impl Tool for GitFile {
    const NAME: &'static str = "GitFile";
    const TITLE: &'static str = "Show a file";
    const DESCRIPTION: &'static str = "As read_file, at rev (HEAD), INDEX, or in a conflict ours, theirs or base. Example: file = src/main.rs, rev = v1";
    const ALIASES: &'static [Alias] = FILE_ALIASES;
    type Arguments = GitFileArguments;
    type Output = FileLines;
}

/// The arguments of `GitFile`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitFileArguments {
    pub file: String,
    pub rev: Option<String>,
    pub repo: Option<String>,
    pub first_line: Option<u64>,
    pub last_line: Option<u64>,
    pub line_numbers: Option<bool>,
    pub cursor: Option<String>,
}

/// The answer of `GitFile`: lines of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(into = "FileLinesValues")]
pub struct FileLines(pub Lines);

/// What is known of the lines as values.
#[derive(Serialize, JsonSchema)]
struct FileLinesValues {
    lines: u64,
    #[serde(flatten)]
    rest: Rest,
    #[schemars(skip)]
    path: String,
    #[schemars(skip)]
    content: String,
}

impl From<FileLines> for FileLinesValues {
    fn from(FileLines(Lines { lines, rest, path, content, .. }): FileLines) -> Self {
        Self { lines, rest, path, content }
    }
}

impl Output for FileLines {
    fn text(&self) -> String {
        self.0.text()
    }

    fn line(&self) -> String {
        self.0.line()
    }

    fn next_cursor(&self) -> Option<&str> {
        self.0.next_cursor()
    }
}

/// Shows the commit of each line.
pub struct GitBlame;

impl Tool for GitBlame {
    const NAME: &'static str = "GitBlame";
    const TITLE: &'static str = "Blame";
    const DESCRIPTION: &'static str =
        "Says which commit each line of a file is from. Example: file = src/main.rs";
    const ALIASES: &'static [Alias] = FILE_ALIASES;
    type Arguments = GitBlameArguments;
    type Output = Listing<ListedBlame>;
}

/// The arguments of `GitBlame`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitBlameArguments {
    pub file: String,
    pub rev: Option<String>,
    pub repo: Option<String>,
    pub first_line: Option<u64>,
    pub last_line: Option<u64>,
    pub cursor: Option<String>,
}

/// A run of lines of one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct BlameHead {
    /// The commit; null for lines that are not committed.
    pub commit_id: Option<String>,
    /// Its author.
    pub author_name: String,
    /// The author date, in UTC.
    pub author_date: Option<String>,
    /// The first paragraph of its message.
    pub subject: String,
    /// The path of the file there.
    pub original_path: String,
    /// The line there at which the run begins.
    pub original_line: u64,
    #[serde(skip)]
    pub is_renamed: bool,
    /// Whether an earlier run of the page describes the commit.
    #[serde(skip)]
    pub is_known: bool,
}

/// A line and its commit.
#[derive(Debug, Clone, Serialize)]
pub struct ListedBlame {
    /// Its number, from 1.
    pub line: u64,
    /// Its text.
    pub text: String,
    /// The run that it is in.
    #[serde(skip)]
    pub head: Arc<BlameHead>,
}

impl ListedBlame {
    fn begins(&self, before: Option<&Self>) -> bool {
        before.is_none_or(|before| !Arc::ptr_eq(&before.head, &self.head))
    }
}

impl ListedRow for ListedBlame {
    const NAME: &'static str = "runs";

    fn shown(&self, before: Option<&Self>) -> String {
        let line = format!("{}\t{}\n", self.line, escaped_line(&self.text));
        if !self.begins(before) {
            return line;
        }
        let head = &*self.head;
        let Some(commit) = &head.commit_id else { return format!("not committed\n{line}") };
        let from = if head.is_renamed {
            format!(" (in {})", shown_inside(&head.original_path))
        } else {
            String::new()
        };
        if head.is_known {
            return format!("{}{from} (above)\n{line}", shown_id(commit));
        }
        format!(
            "{}{from} {} {}: {}\n{line}",
            shown_id(commit),
            shown_day(head.author_date.as_deref()),
            head.author_name,
            head.subject
        )
    }

    fn values(rows: &[Self]) -> Value {
        let mut runs: Vec<Value> = Vec::new();
        let mut before = None;
        for row in rows {
            if row.begins(before) {
                let mut run = json!(*row.head);
                run["first_line"] = json!(row.line);
                run["lines"] = json!([]);
                runs.push(run);
            }
            let lines = runs.last_mut().and_then(|run| run["lines"].as_array_mut());
            lines.into_iter().for_each(|lines| lines.push(json!(row.text)));
            before = Some(row);
        }
        json!(runs)
    }

    fn value_bytes(&self, before: Option<&Self>) -> usize {
        let text = json!(self.text).to_string().len() + ",".len();
        if !self.begins(before) {
            return text;
        }
        let around = r#","first_line":,"lines":[]"#.len() + self.line.to_string().len();
        json!(*self.head).to_string().len() + around + text + ",".len()
    }
}
