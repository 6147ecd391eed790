//! The work of the tools that compare: `GitDiff`, `GitDiffSummary`, `GitDiffFile` and `GitShow`.

use crate::functions::params::CONTEXT;
use crate::functions::surface::Row;
use crate::functions::tools::{Answers, Call};
use redline_base::error::{Error, Result, quoted};
use redline_git::{LineCounts, Measured, Pathspec, RenameOptions, changed_files};
use redline_query::Revisions;
use redline_query::answers::{explained, opened, unnamed, words};
use redline_query::review::{Frame, Request, Reviewed};
use redline_review::{CURSOR_BYTES, Kind, Layout};
use redline_text::hunk_id::HunkId;
use redline_text::{Combined, DiffOptions};
use redline_tools::{
    Compared, ComparedHunks, GitDiff, GitDiffArguments, GitDiffFile, GitDiffSummary, GitShow,
    HunkNames, Reply, Rest, ShownMerges, Totals,
};

impl Answers for GitDiff {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answer(&call, arguments, true)
    }
}

impl Answers for GitDiffFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answer(&call, arguments.into(), true)
    }
}

impl Answers for GitDiffSummary {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        answer(&call, arguments.into(), false)
    }
}

impl Answers for GitShow {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let rev = arguments.rev.as_deref().unwrap_or("HEAD");
        let names_file = rev
            .split_once(':')
            .is_some_and(|(rev, file)| !rev.is_empty() && !file.is_empty() && !rev.contains('{'));
        if names_file {
            let error = Error::invalid_args(format!("{} names a file, not a commit", quoted(rev)));
            return Err(error.with_hint(
                "Call GitFile: rev is the part before the colon, file the part after it",
            ));
        }
        let execution = &call.execution;
        let words = execution.read(|| {
            let (_, repository) = opened(execution, arguments.repo.as_deref())?;
            words(&repository, rev, &call.reply)
        })?;
        let is_combined =
            arguments.merges == Some(ShownMerges::Combined) && words.parent_ids.len() > 1;
        let (from, to) = if is_combined {
            (format!("{}^!", words.commit_id), None)
        } else {
            let parent = words.parent_ids.first().map_or("EMPTY", String::as_str);
            (parent.to_owned(), Some(words.commit_id.clone()))
        };
        let paths = arguments.paths.clone().unwrap_or_default();
        let sides = GitDiffArguments {
            from,
            to,
            repo: arguments.repo,
            paths: arguments.paths,
            context_lines: arguments.context_lines,
            cursor: arguments.cursor,
            ..GitDiffArguments::default()
        };
        let mut request = request(&call, sides, true)?;
        request.revisions.combined = is_combined.then_some(Combined::Dense);
        let is_first = request.cursor.is_none();
        let header = if is_first { words.text() } else { words.short_text() };
        let besides = match (call.reply.is_data, is_first) {
            (true, true) => serde_json::to_string(&words).map_or(0, |json| json.len()) + 16,
            (true, false) => 0,
            (false, _) => call.reply.form.cost(&header),
        };
        let frame = AnswerFrame { reply: call.reply, has_hunks: true, has_ids: false, besides };
        let whole = request.revisions.of_all_paths();
        let reviewed = request.answer(execution, &frame)?;
        let is_empty = reviewed.rows.is_empty();
        let mut compared = frame.compared(reviewed);
        if is_empty
            && !call.reply.is_data
            && let Some(why) = no_change(&call, &whole, &paths)?
        {
            compared.text = why;
        }
        compared.text.insert_str(0, &header);
        compared.commit_id = Some(words.commit_id.clone());
        compared.commit = is_first.then_some(words);
        Ok(compared)
    }
}

/// Compares two sides; without hunks only the changed files are listed.
fn answer(call: &Call, arguments: GitDiffArguments, has_hunks: bool) -> Result<Compared> {
    let arguments = arguments.checked()?;
    let paths = arguments.paths.clone().unwrap_or_default();
    let has_ids = arguments.ids.unwrap_or(false);
    let request = request(call, arguments, has_hunks)?;
    let whole = request.revisions.of_all_paths();
    let file = request.file.clone();
    let frame = AnswerFrame { reply: call.reply, has_hunks, has_ids, besides: 0 };
    let reviewed = match (request.answer(&call.execution, &frame), file) {
        (Err(error), Some(file)) => {
            return Err(call.execution.read(|| {
                let comparison = whole.open(&call.execution)?;
                Ok(explained(error, comparison.repository(), &file))
            })?);
        }
        (reviewed, _) => reviewed?,
    };
    let is_empty = reviewed.rows.is_empty() && reviewed.seen == 0;
    let mut compared = frame.compared(reviewed);
    if is_empty
        && !call.reply.is_data
        && let Some(why) = no_change(call, &whole, &paths)?
    {
        compared.text = why;
    }
    Ok(compared)
}

/// Returns the reason for which no file of some paths differs, if other files do or a path is none.
fn no_change(call: &Call, whole: &Revisions, paths: &[String]) -> Result<Option<String>> {
    if paths.is_empty() {
        return Ok(None);
    }
    // Read where nothing else can be opened, as all that a repository says.
    call.execution.read(|| {
        let comparison = whole.open(&call.execution)?;
        let mut changes = changed_files(&comparison, None)?;
        let others = changes.try_fold(0u64, |others, change| change.map(|_| others + 1))?;
        let wrong = unnamed(comparison.repository(), &comparison.sides(), paths)?;
        let wrong = wrong.map(|wrong| format!("{wrong}.")).unwrap_or_default();
        let reason = match others {
            0 => wrong,
            _ => format!("No file that paths names differs, and {others} others do. {wrong}"),
        };
        Ok(Some(format!("{}\n", reason.trim_end())).filter(|_| !reason.is_empty()))
    })
}

fn request(call: &Call, arguments: GitDiffArguments, has_hunks: bool) -> Result<Request> {
    let renames = arguments.renames.unwrap_or(true).then_some(RenameOptions::default());
    let repo = arguments.repo.unwrap_or_else(|| call.execution.default_repository());
    let paths = arguments.paths.unwrap_or_default();
    Ok(Request {
        revisions: Revisions {
            paths: Pathspec::parse_all(&paths)?,
            renames,
            diff: DiffOptions {
                context: CONTEXT.of_tool(arguments.context_lines)?,
                whitespace: arguments.ignore_whitespace.unwrap_or_default(),
                ..DiffOptions::default()
            },
            ..Revisions::between(arguments.from, arguments.to, repo)
        },
        file: arguments.file,
        has_hunks,
        max_bytes: call.reply.max_bytes,
        cursor: arguments.cursor,
        except: arguments.except_ids.unwrap_or_default(),
    })
}

/// An answer that contains a page.
struct AnswerFrame {
    reply: Reply,
    has_hunks: bool,
    /// Whether the headers of hunks in a text end with their ids.
    has_ids: bool,
    /// Bytes of the answer besides the page.
    besides: usize,
}

impl AnswerFrame {
    /// Returns the answer with a page of these changes.
    fn compared(&self, reviewed: Reviewed) -> Compared {
        let Reviewed { rows, ids, seen, mut page, .. } = reviewed;
        let mut compared = Compared { totals: totals(&rows), ..Compared::default() };
        if self.reply.is_data {
            let listed = page.sections.iter().filter(|section| section.kind == Kind::File);
            compared.files = listed
                .filter_map(|section| Some(Measured::COLUMNS.json(&rows[section.file?])))
                .collect();
            let names = page.sections.iter().filter_map(|section| {
                let at = section.file.filter(|_| section.kind == Kind::Hunk && section.is_end)?;
                let is_known = ids[at].is_known(section.piece) == Some(true);
                Some(hunk_names(&rows[at], ids[at].of(section.piece)?, is_known))
            });
            let hunks = names.collect();
            let hunks = ComparedHunks { patch: page.patch(), hunks, hunks_seen: seen };
            compared.hunks = self.has_hunks.then_some(hunks);
        } else {
            if self.has_ids {
                for section in page.sections.iter_mut().filter(|one| one.kind == Kind::Hunk) {
                    let id = section.file.and_then(|file| ids[file].of(section.piece));
                    name_header(&mut section.text, id);
                }
            }
            compared.text = page.text();
        }
        compared.rest = Rest::at(page.next_cursor);
        compared
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
        self.has_hunks && (self.reply.is_data || self.has_ids)
    }

    fn name_bytes(&self, row: &Measured, id: &HunkId, is_known: bool) -> usize {
        if !self.names_hunks() {
            return 0;
        }
        if !self.reply.is_data {
            return self.reply.form.cost(&in_header(id));
        }
        let json = serde_json::to_string(&hunk_names(row, id, is_known));
        json.map_or(0, |json| json.len() + ",".len())
    }

    fn overhead(&self, rows: &[Measured]) -> usize {
        let empty = Compared {
            totals: totals(rows),
            rest: Rest::at(Some("0".repeat(CURSOR_BYTES))),
            hunks: self.has_hunks.then(ComparedHunks::default),
            ..Compared::default()
        };
        self.reply.max_bytes - self.reply.room(&empty) + self.besides
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
    }
}

/// Returns the end of the header of a hunk that names it, which `except_ids` takes, too.
fn in_header(id: &HunkId) -> String {
    format!(" [{}]", id.context)
}

/// Names a hunk at the end of its header; a later part of a hunk and a file without hunks have none.
fn name_header(text: &mut String, id: Option<&HunkId>) {
    let Some(id) = id else { return };
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        // What follows the words of a later part can look like anything.
        if line.starts_with("[part of ") && !line.contains(": bytes 0 to ") {
            return;
        }
        if line.starts_with("@@ -") {
            return text.insert_str(end - 1, &in_header(id));
        }
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
