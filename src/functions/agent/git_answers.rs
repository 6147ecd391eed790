//! The work of the tools `GitDiff`, `GitDiffSummary` and `GitDiffFile`.

use super::entry::{Answers, Call};
use crate::error::Result;
use crate::functions::params::CONTEXT;
use crate::functions::surface::Row;
use crate::git::{Changes, LineCounts, Measured, Pathspec, RenameOptions};
use crate::query::Revisions;
use crate::query::answers::explained;
use crate::query::review::{Frame, Request, Reviewed};
use crate::review::{CURSOR_BYTES, Kind, Layout};
use crate::text::DiffOptions;
use crate::text::hunk_id::HunkId;
use crate::tools::{
    Compared, GitDiff, GitDiffArguments, GitDiffFile, GitDiffFileArguments, GitDiffSummary,
    GitDiffSummaryArguments, HunkNames, Listed, Reply, Totals,
};

impl Answers for GitDiff {
    fn answer(call: Call, arguments: GitDiffArguments) -> Result<Compared> {
        Shown::Hunks.answer(&call, arguments)
    }
}

impl Answers for GitDiffFile {
    fn answer(call: Call, arguments: GitDiffFileArguments) -> Result<Compared> {
        Shown::Hunks.answer(&call, arguments.into())
    }
}

impl Answers for GitDiffSummary {
    fn answer(call: Call, arguments: GitDiffSummaryArguments) -> Result<Listed> {
        Shown::List.answer(&call, arguments.into()).map(Listed)
    }
}

/// The parts of a comparison to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Only the list of files.
    List,
    /// The list, then the hunks.
    Hunks,
}

impl Shown {
    fn answer(self, call: &Call, arguments: GitDiffArguments) -> Result<Compared> {
        let arguments = arguments.checked()?;
        let reply = call.reply;
        let names_paths = arguments.paths.as_ref().is_some_and(|paths| !paths.is_empty());
        let request = self.request(call, arguments)?;
        let whole = request.revisions.of_all_paths();
        let file = request.file.clone();
        let reviewed = request.answer(&call.execution, &AnswerFrame::new(reply, self, 0));
        let reviewed = match (reviewed, file) {
            (Err(error), Some(file)) => {
                return Err(call.execution.read(|| {
                    let comparison = whole.open(&call.execution)?;
                    let repository = comparison.repository();
                    Ok(explained(error, repository, &file))
                })?);
            }
            (reviewed, _) => reviewed?,
        };
        let is_empty = reviewed.rows.is_empty() && reviewed.seen == 0;
        let mut compared = compared(&reply, reviewed);
        if is_empty && names_paths && !reply.is_data {
            // Read where nothing else can be opened, as all that a repository says.
            let others = call.execution.read(|| {
                let comparison = whole.open(&call.execution)?;
                let mut changes = Changes::new(&comparison, None)?;
                changes.try_fold(0u64, |others, change| change.map(|_| others + 1))
            })?;
            if others > 0 {
                compared.text = format!(
                    "No file that paths names differs, and {others} others do. Paths start at the root of the repository, without the name of its \
                     sandbox.\n"
                );
            }
        }
        Ok(compared)
    }

    fn request(self, call: &Call, arguments: GitDiffArguments) -> Result<Request> {
        let renames = arguments.renames.unwrap_or(true).then_some(RenameOptions::default());
        let repo = arguments.repo.unwrap_or_else(|| call.execution.default_repository());
        let paths = arguments.paths.unwrap_or_default();
        Ok(Request {
            revisions: Revisions {
                paths: Pathspec::parse_all(&paths)?,
                renames,
                ..Revisions::between(arguments.from, arguments.to, repo)
            },
            options: DiffOptions {
                context: CONTEXT.of_tool(arguments.context_lines)?,
                whitespace: arguments.ignore_whitespace.unwrap_or_default(),
                ..DiffOptions::default()
            },
            file: arguments.file,
            has_hunks: self == Self::Hunks,
            max_bytes: call.reply.max_bytes,
            cursor: arguments.cursor,
            except: arguments.except_ids.unwrap_or_default(),
        })
    }
}

/// Returns the answer that a page of these changes is.
pub fn compared(reply: &Reply, reviewed: Reviewed) -> Compared {
    let Reviewed { rows, ids, seen, page } = reviewed;
    let mut compared = Compared {
        totals: Totals { truncated: page.next_cursor.is_some(), ..totals(&rows) },
        hunks_seen: seen,
        ..Compared::default()
    };
    if reply.is_data {
        let listed = page.sections.iter().filter(|section| section.kind == Kind::File);
        compared.files = listed
            .filter_map(|section| Some(Measured::COLUMNS.json(&rows[section.file?])))
            .collect();
        compared.hunks = page
            .sections
            .iter()
            .filter_map(|section| {
                let at = section.file.filter(|_| section.kind == Kind::Hunk && section.is_end)?;
                let is_known = ids[at].is_known(section.piece) == Some(true);
                Some(hunk_names(&rows[at], ids[at].of(section.piece)?, is_known))
            })
            .collect();
        compared.patch = page.patch();
    } else {
        compared.text = page.text();
    }
    compared.totals.next_cursor = page.next_cursor;
    compared
}

/// An answer that contains a page.
pub struct AnswerFrame {
    reply: Reply,
    shown: Shown,
    /// Bytes of the answer besides the page.
    besides: usize,
}

impl AnswerFrame {
    /// Creates an answer with this many bytes besides its page.
    pub const fn new(reply: Reply, shown: Shown, besides: usize) -> Self {
        Self { reply, shown, besides }
    }
}

impl Frame for AnswerFrame {
    fn layout(&self) -> Layout {
        if self.reply.is_data { Layout::Data } else { Layout::Text(self.reply.form) }
    }

    fn file_bytes(&self, row: &Measured) -> usize {
        if !self.reply.is_data {
            return 0;
        }
        serde_json::to_string(&Measured::COLUMNS.json(row)).map_or(0, |json| json.len() + ",".len())
    }

    fn names_hunks(&self) -> bool {
        self.reply.is_data && self.shown == Shown::Hunks
    }

    fn name_bytes(&self, row: &Measured, id: &HunkId, is_known: bool) -> usize {
        if !self.names_hunks() {
            return 0;
        }
        let json = serde_json::to_string(&hunk_names(row, id, is_known));
        json.map_or(0, |json| json.len() + ",".len())
    }

    fn overhead(&self, rows: &[Measured]) -> usize {
        let next_cursor = Some("0".repeat(CURSOR_BYTES));
        let empty = Compared {
            totals: Totals { next_cursor, truncated: true, ..totals(rows) },
            ..Compared::default()
        };
        let room = match self.shown {
            Shown::List => self.reply.room(&Listed(empty)),
            Shown::Hunks => self.reply.room(&empty),
        };
        self.reply.max_bytes - room + self.besides
    }
}

fn totals(rows: &[Measured]) -> Totals {
    let sum = |of: fn(&LineCounts) -> Option<u64>| {
        rows.iter().filter_map(|row| of(row.lines.as_ref()?)).sum()
    };
    Totals {
        files_changed: rows.len() as u64,
        additions: sum(LineCounts::additions),
        deletions: sum(LineCounts::deletions),
        ..Totals::default()
    }
}

fn hunk_names(row: &Measured, id: &HunkId, known_lines: bool) -> HunkNames {
    HunkNames {
        file_path: String::from_utf8_lossy(&row.change.path).into_owned(),
        hunk_id: id.lines.clone(),
        context_id: id.context.clone(),
        known_lines,
    }
}
