//! `GitDiff`, `GitDiffSummary` and `GitDiffFile`: the answers of the git tools.

use crate::error::Result;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::git::review::{self, Frame, Request, Reviewed, TextFrame};
use crate::functions::params::comparison::{self, Revisions};
use crate::git::{LineCounts, Measured, RenameOptions};
use crate::review::{CURSOR_BYTES, Form, Kind};
use crate::text::DiffOptions;
use crate::tools::{
    self, Answer, FileChange, GitDiffArguments, GitDiffFileArguments, GitDiffResult,
    GitDiffSummaryArguments, GitDiffSummaryResult,
};

/// Answers a call of one of the git tools within its budget: the text of the answer, or all of its
/// JSON.
pub fn answer(
    tool: &str,
    arguments: &str,
    execution: &ExecutionContext,
    form: Form,
) -> Result<Answer> {
    match tool {
        "GitDiffSummary" => {
            let arguments: GitDiffSummaryArguments = tools::parse(tool, arguments)?;
            Shown::List.answer(execution, form, arguments.into())
        }
        "GitDiffFile" => {
            let arguments: GitDiffFileArguments = tools::parse(tool, arguments)?;
            Shown::Hunks.answer(execution, form, arguments.into())
        }
        _ => Shown::Hunks.answer(execution, form, tools::parse(tool, arguments)?),
    }
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The list of the files alone.
    List,
    /// The list, then hunks.
    Hunks,
}

impl Shown {
    fn answer(
        self,
        execution: &ExecutionContext,
        form: Form,
        arguments: GitDiffArguments,
    ) -> Result<Answer> {
        let request = self.request(execution, arguments.checked()?)?;
        let reviewed = match form {
            Form::Text => request.answer(execution, &TextFrame)?,
            Form::Json => request.answer(execution, &JsonFrame(self))?,
        };
        Ok(self.answer_with(&reviewed))
    }

    fn request(self, execution: &ExecutionContext, arguments: GitDiffArguments) -> Result<Request> {
        let renames = arguments.renames.unwrap_or(false).then_some(RenameOptions::default());
        let repo = arguments.path.unwrap_or_else(|| execution.default_repository());
        let paths = arguments.paths.unwrap_or_default();
        Ok(Request {
            revisions: Revisions::of_tool(
                arguments.from_rev,
                arguments.to_rev,
                repo,
                &paths,
                renames,
            )?,
            options: DiffOptions {
                context: comparison::context(arguments.context_lines)?,
                whitespace: arguments.ignore_whitespace.map(Into::into).unwrap_or_default(),
                ..DiffOptions::default()
            },
            file: arguments.file_path,
            has_hunks: self == Self::Hunks,
            max_bytes: review::max_bytes(arguments.max_bytes)?,
            cursor: arguments.cursor,
        })
    }

    fn answer_with(self, reviewed: &Reviewed) -> Answer {
        let Reviewed { rows, page } = reviewed;
        let listed = page.sections.iter().filter(|section| section.kind == Kind::File);
        let files = listed
            .filter_map(|section| section.file.map(|file| file_change(&rows[file])))
            .collect();
        let patch = if self == Self::Hunks { page.patch() } else { String::new() };
        self.answer_of(page.text(), rows, files, patch, page.next_cursor.clone())
    }

    fn answer_of(
        self,
        text: String,
        rows: &[Measured],
        files: Vec<FileChange>,
        patch: String,
        next_cursor: Option<String>,
    ) -> Answer {
        let sum = |of: fn(&LineCounts) -> Option<u64>| {
            rows.iter().filter_map(|row| of(row.lines.as_ref()?)).sum()
        };
        let (files_changed, truncated) = (rows.len() as u64, next_cursor.is_some());
        let (additions, deletions) = (sum(LineCounts::additions), sum(LineCounts::deletions));
        match self {
            Self::List => Answer::new(
                text,
                &GitDiffSummaryResult {
                    files_changed,
                    additions,
                    deletions,
                    files,
                    truncated,
                    next_cursor,
                },
            ),
            Self::Hunks => Answer::new(
                text,
                &GitDiffResult {
                    files_changed,
                    additions,
                    deletions,
                    files,
                    patch,
                    truncated,
                    next_cursor,
                },
            ),
        }
    }
}

/// An answer as JSON, which holds the files and the patch beside the text.
struct JsonFrame(Shown);

impl Frame for JsonFrame {
    fn form(&self) -> Form {
        Form::Json
    }

    fn file_bytes(&self, row: &Measured) -> usize {
        serde_json::to_string(&file_change(row)).map_or(0, |json| json.len() + ",".len())
    }

    fn overhead(&self, rows: &[Measured]) -> usize {
        let cursor = "0".repeat(CURSOR_BYTES);
        self.0
            .answer_of(String::new(), rows, Vec::new(), String::new(), Some(cursor))
            .to_json()
            .len()
    }
}

fn file_change(row: &Measured) -> FileChange {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let change = &row.change;
    FileChange {
        file_path: text(&change.path),
        status: change.status().name(),
        old_size: row.old_size,
        new_size: row.new_size,
        old_path: change.origin.as_ref().map(|origin| text(&origin.path)),
        similarity: change.origin.as_ref().map(|origin| origin.similarity),
        additions: row.lines.as_ref().and_then(LineCounts::additions),
        deletions: row.lines.as_ref().and_then(LineCounts::deletions),
        is_binary: row.lines == Some(LineCounts::Binary),
        old_mode: change.old.map(|entry| entry.mode.to_string()),
        new_mode: change.new.map(|entry| entry.mode.to_string()),
        old_oid: change.old.map(|entry| entry.oid.to_string()),
        new_oid: change.new.map(|entry| entry.oid.to_string()),
    }
}
