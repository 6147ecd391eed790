//! `GitFile`: the lines of a file of a revision.

use super::call::{Answers, Call};
use super::missing_file::explained;
use super::pages::{line_cursor, opened, place_of};
use crate::Context;
use redline_base::error::{Error, Result, escaped, quoted};
use redline_git::{ReadLimit, SideFiles, Stage, blob_id, object_of};
use redline_review::Binding;
use redline_tools::{
    Alias, LINES, LineRange, LineScan, Lines, Output, Reply, Rest, Tool, readings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names that agents try for a file of a revision.
pub(super) const FILE_ALIASES: &[Alias] = &[
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

/// Returns the lines of a file of a revision.
pub fn file(context: &Context, reply: &Reply, arguments: &GitFileArguments) -> Result<Lines> {
    let mut range =
        LineRange::of(arguments.first_line, arguments.last_line, arguments.line_numbers)?;
    let (repo, repository) = opened(context, arguments.repo.as_deref())?;
    let (rev, path) = (arguments.rev.as_deref().unwrap_or("HEAD"), arguments.file.as_str());
    // A branch may have the name of a stage.
    let stage =
        Stage::named(rev).filter(|_| rev.starts_with(':') || object_of(&repository, rev).is_err());
    let side = if stage.is_some() { "INDEX" } else { rev };
    let mut files = SideFiles::open_alone(&repository, side)?;
    let found = match stage {
        Some(stage) => files.find_stage(path.as_bytes(), stage),
        None => files.find(path.as_bytes())?,
    };
    let Some(entry) = found else {
        if stage.is_some() && files.find(path.as_bytes())?.is_some() {
            return Err(Error::not_found(format!(
                "{} has no version {} in the index",
                quoted(path),
                quoted(rev)
            ))
            .with_hint("ours, theirs and base exist only for files in conflict, which GitStatus lists; rev = INDEX reads the staged version"));
        }
        let error =
            Error::not_found(format!("there is no file {} in {}", quoted(path), quoted(rev)));
        if let Some(hint) = files.submodule_hint(path.as_bytes())? {
            return Err(error.with_hint(hint));
        }
        let error = error
            .near(&files.nearest(path)?)
            .or_hint("Paths start at the root of the repository; list_files lists them");
        return Err(explained(error, &repository, path));
    };
    let content = files.read(path.as_bytes(), entry, ReadLimit::OBJECT)?;
    let options = format!(
        "GitFile {repo:?} {path:?} {rev:?} {:?} {:?} {}",
        arguments.first_line, arguments.last_line, range.has_numbers
    );
    let base_oid = blob_id(&content)?;
    let binding = Binding::new(options.as_bytes(), base_oid.as_bytes());
    if let Some(cursor) = &arguments.cursor {
        range.from = place_of(binding.position(cursor)?);
    }
    let mut scan = LineScan::new(range, reply.max_bytes);
    scan.read(&content);
    let cursor = |place| line_cursor(&binding, place, path);
    let shown = escaped(&format!("{path} at {rev}"));
    let lines = Lines { path: shown, base_oid, ..Lines::default() };
    lines.filled(&scan, reply, cursor)
}

impl Answers for GitFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        call.caller
            .context
            .read(|| file(&call.caller.context, &call.reply, &arguments))
            .map(FileLines)
    }
}
