//! `list_files` and `search`: find files and lines in a sandbox or a revision.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::readings;
use super::room::{ListedRow, Rest, Room};
use super::tool::{Alias, Output, Tool};
use redline_base::error::{Result, escaped, escaped_line};
use redline_base::form::counted;

/// The advice for lines around a match.
const CONTEXT: &str = "Give context_lines = 3, or another number up to 20";

/// Lists files.
pub struct ListFiles;

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const TITLE: &'static str = "List files";
    const DESCRIPTION: &'static str = "Lists files with sizes: below a directory, without ignored ones, or of a \
         revision. Example: path = workspace/src, glob = *.rs";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("directory", "path"),
        Alias::Means("dir", "path"),
        Alias::Means("folder", "path"),
        Alias::Means("pattern", "glob"),
        Alias::Means("max_depth", "depth"),
        Alias::Means("include", "glob"),
        Alias::Means("revision", "rev"),
        Alias::Means("ref", "rev"),
        Alias::Means("show_hidden", "include_ignored"),
        Alias::Means("file_path", "path"),
        Alias::Means("dir_path", "path"),
        Alias::Means("absolute_path", "path"),
        Alias::Means("target_directory", "path"),
        Alias::Means("relative_workspace_path", "path"),
        Alias::Beside("respect_git_ignore"),
        Alias::Read("recursive", readings::recursive, "Give depth = 1 for one level"),
        Alias::Say("ignore", "Leave it out: ignored files are left out; glob selects files"),
        Alias::Say("case_sensitive", "Leave it out, and give glob = *.[Mm][Dd] for both cases"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
        Alias::Say("offset", "Give cursor = next_cursor of the previous answer to go on"),
    ];
    type Arguments = ListFilesArguments;
    type Output = FileList;
}

/// Searches files.
pub struct Search;

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search";
    const DESCRIPTION: &'static str = "Finds lines of the files of a sandbox \
         or of a revision. Example: pattern = fn main, glob = *.rs";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("query", "pattern"),
        Alias::Means("regexp", "pattern"),
        Alias::Means("search", "pattern"),
        Alias::Means("file", "path"),
        Alias::Means("file_path", "path"),
        Alias::Means("file_pattern", "glob"),
        Alias::Means("revision", "rev"),
        Alias::Means("ref", "rev"),
        Alias::Means("text", "pattern"),
        Alias::Means("directory", "path"),
        Alias::Means("include", "glob"),
        Alias::Means("context", "context_lines"),
        Alias::Means("is_regex", "regex"),
        Alias::Means("case_insensitive", "ignore_case"),
        Alias::Means("include_pattern", "glob"),
        Alias::Means("dir_path", "path"),
        Alias::Means("-i", "ignore_case"),
        Alias::Read("-A", readings::context, CONTEXT),
        Alias::Read("-B", readings::context, CONTEXT),
        Alias::Read("-C", readings::context, CONTEXT),
        Alias::Read("type", readings::file_type, "Give glob = *.py, or another ending"),
        Alias::Read("multiline", readings::no, "Leave it out: a match is within one line"),
        Alias::Read(
            "case_sensitive",
            readings::case_sensitive,
            "Give ignore_case = true where upper and lower case are the same",
        ),
        Alias::Beside("-n"),
        Alias::Beside("output_mode"),
        Alias::Beside("head_limit"),
        Alias::Say("target_directories", "Give path = sandbox/directory, one for each call"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
        Alias::Say("max_results", "Give max_bytes, and cursor to go on"),
        Alias::Say("offset", "Give cursor = next_cursor of the previous answer to go on"),
    ];
    const UNLISTED: &'static [&'static str] = &["include_ignored"];
    type Arguments = SearchArguments;
    type Output = Matches;
}

/// The arguments of `list_files`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ListFilesArguments {
    /// sandbox/directory. Default: the only one.
    pub path: Option<String>,
    pub repo: Option<String>,
    /// Instead of the files on disk.
    pub rev: Option<String>,
    pub glob: Option<String>,
    /// Levels.
    pub depth: Option<u64>,
    #[schemars(extend("default" = false))]
    pub include_ignored: Option<bool>,
    pub cursor: Option<String>,
}

/// The arguments of `search`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SearchArguments {
    /// A text within a line.
    pub pattern: String,
    /// pattern is a regex.
    #[schemars(extend("default" = false))]
    pub regex: Option<bool>,
    pub ignore_case: Option<bool>,
    /// As list_files, or a file.
    pub path: Option<String>,
    pub repo: Option<String>,
    pub rev: Option<String>,
    pub glob: Option<String>,
    /// 0 to 20.
    pub context_lines: Option<i64>,
    pub include_ignored: Option<bool>,
    pub cursor: Option<String>,
}

/// A file that is listed.
#[derive(Debug, Clone, Serialize)]
pub struct ListedFile {
    /// The path to give to read_file; of a revision, from the root of the repository.
    pub path: String,
    /// Its bytes; null for a directory that is not entered.
    pub bytes: Option<u64>,
}

/// The answer of `list_files`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileList {
    /// The directory or revision, for display.
    #[serde(skip)]
    pub place: String,
    /// The reason for which there is none.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Files and directories on all pages.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The files of this page.
    #[schemars(skip)]
    pub files: Vec<ListedFile>,
}

impl ListedRow for ListedFile {
    const NAME: &'static str = "files";

    /// Returns the line, after the name of its directory if that differs from the line before.
    fn shown(&self, before: Option<&Self>) -> String {
        let split = |path: &str| path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        let at = split(&self.path);
        let (directory, name) = self.path.split_at(at);
        // A name must not look like a row, or like a line by redline.
        let name = escaped(name);
        let is_same = before.is_some_and(|before| before.path[..split(&before.path)] == *directory);
        let head = if is_same || directory.is_empty() {
            String::new()
        } else {
            format!("{}\n", escaped(directory))
        };
        let indent = if directory.is_empty() { "" } else { " " };
        match self.bytes {
            Some(bytes) => format!("{head}{indent}{name} {bytes}\n"),
            None => format!("{head}{indent}{name}\n"),
        }
    }
}

impl Output for FileList {
    fn text(&self) -> String {
        format!("{}\n{}{}", self.line(), ListedFile::text(&self.files), self.rest.text())
    }

    fn line(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!(". {reason}")).unwrap_or_default();
        format!("{}: {}, {} bytes{reason}", self.place, counted(self.count, "file"), self.bytes)
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}

/// A line that was found.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct MatchedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Its text.
    pub text: String,
    /// Whether it matches.
    pub is_match: bool,
    #[serde(skip)]
    pub is_after_gap: bool,
}

/// The lines of a file.
#[derive(Debug, Clone, Serialize)]
pub struct MatchedFile {
    /// Its path.
    pub path: String,
    /// Its lines.
    pub lines: Vec<MatchedLine>,
}

/// The answer of `search`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Matches {
    /// The searched directory or revision, for display.
    #[serde(skip)]
    pub place: String,
    /// The reason for which nothing was found, if known.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Matching lines on this page.
    pub matches: usize,
    /// Files with a match on this page.
    pub files_matched: usize,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The matches on this page.
    #[schemars(skip)]
    pub files: Vec<MatchedFile>,
}

impl MatchedFile {
    /// Returns the line before those of the file: its name, which must not look like another line.
    pub fn head(&self) -> String {
        format!("\n{}\n", escaped(&self.path))
    }
}

/// Each line is indented below the name of its file, so that none depends on the one before it.
impl ListedRow for MatchedLine {
    const NAME: &'static str = "lines";

    fn shown(&self, _before: Option<&Self>) -> String {
        let gap = if self.is_after_gap { "--\n" } else { "" };
        let mark = if self.is_match { ':' } else { '-' };
        format!("{gap}{}{mark}{}\n", self.line, escaped_line(&self.text))
    }
}

/// The bytes of a file among the values besides its path and its lines.
const FILE_NAMES: usize = 32;

impl Matches {
    /// Adds lines of a file while there is room; returns the number of the first line without room.
    ///
    /// # Errors
    /// None of its own.
    pub fn add(
        &mut self,
        path: &str,
        lines: impl Iterator<Item = MatchedLine>,
        room: &mut Room,
    ) -> Result<Option<u64>> {
        let mut lines = lines.peekable();
        let Some(first) = lines.peek().map(|line| line.line) else { return Ok(None) };
        let mut file = MatchedFile { path: path.to_owned(), lines: Vec::new() };
        if !room.take_text(&file.head(), FILE_NAMES) {
            return Ok(Some(first));
        }
        let over = room.fill(lines.map(Ok), &mut file.lines)?;
        if !file.lines.is_empty() {
            self.matches += file.lines.iter().filter(|line| line.is_match).count();
            self.files_matched += 1;
            self.files.push(file);
        }
        Ok(over.map(|line| line.line))
    }
}

impl Output for Matches {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.line());
        for file in &self.files {
            text.push_str(&file.head());
            text.push_str(&MatchedLine::text(&file.lines));
        }
        text + &self.rest.text()
    }

    fn line(&self) -> String {
        let matches = counted(self.matches as u64, "matching line");
        let files = counted(self.files_matched as u64, "file");
        let page = if self.rest.cursor().is_some() { " on this page" } else { "" };
        let reason = self.reason.as_ref().map(|reason| format!(". {reason}")).unwrap_or_default();
        format!("{}: {matches} in {files}{page}{reason}", self.place)
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}
