//! `GitDiff`, `GitDiffSummary` and `GitDiffFile`: two sides of a repository.

use super::call::{Answers, Call};
use super::compared::{Compared, ComparedHunks, PageAnswer, hunk_names, in_header, totals};
use super::missing_file::explained;
use super::unnamed::unnamed;
use crate::Revisions;
use crate::machinery::revisions::context_lines;
use crate::questions::file_changes::FileColumns;
use crate::review::pages::{Request, Reviewed};
use redline_base::budget::{Gather, GrowBy};
use redline_base::error::{Error, Result, quoted};
use redline_git::{Pathspec, RenameOptions, changed_files};
use redline_review::Kind;
use redline_rows::Row;
use redline_text::hunk_id::{HunkId, is_name};
use redline_text::{DiffOptions, Whitespace};
use redline_tools::{Alias, Rest, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The aliases that all git tools share.
const ALIASES: &[Alias] = &[
    Alias::Means("from_rev", "from"),
    Alias::Means("to_rev", "to"),
    Alias::Means("ref1", "from"),
    Alias::Means("ref2", "to"),
    Alias::Means("base", "from"),
    Alias::Means("head", "to"),
    Alias::Means("target", "to"),
    Alias::Means("source", "from"),
    Alias::Means("base_ref", "from"),
    Alias::Means("head_ref", "to"),
    Alias::Means("old", "from"),
    Alias::Means("new", "to"),
    Alias::Means("rev", "from"),
    Alias::Means("commit", "from"),
    Alias::Say("staged", STAGED),
    Alias::Say("cached", STAGED),
    Alias::Say("stat", "Call GitDiffSummary for the list alone"),
    Alias::Say("untracked", "Call GitStatus, which lists untracked files"),
    Alias::Means("files", "paths"),
    Alias::Means("max_length", "max_bytes"),
    Alias::Means("range", "from"),
    Alias::Means("unified", "context_lines"),
    Alias::Means("seen", "except_ids"),
    Alias::Means("hunk_ids", "except_ids"),
    Alias::Means("context_ids", "except_ids"),
];

/// The advice for staged changes.
const STAGED: &str =
    "Give from = HEAD, to = INDEX for staged changes; from = INDEX for unstaged ones";

/// Returns the sides, also from words that agents take from git's command line.
fn sides(from: String, to: Option<String>) -> Result<(String, Option<String>)> {
    let word = |given: &str| given.trim_start_matches('-').to_ascii_lowercase();
    if from.starts_with('-') && matches!(&word(&from)[..], "cached" | "staged") {
        return Err(Error::invalid_args(format!("from is {}", quoted(&from))).with_hint(STAGED));
    }
    let is_work_tree = |given: &str| {
        matches!(
            &word(given)[..],
            "working" | "work_tree" | "working_tree" | "working tree" | "work tree"
        )
    };
    let side = |given: String| {
        if is_work_tree(&given) { "WORKTREE".to_owned() } else { given }
    };
    Ok((side(from), to.map(side)))
}

/// Compares two sides, hunks included.
pub struct GitDiff;

impl Tool for GitDiff {
    const NAME: &'static str = "GitDiff";
    const TITLE: &'static str = "Diff revisions";
    const DESCRIPTION: &'static str = "Compares revisions: totals, files, then hunks, page by page. Examples: \
         from = main...topic; from = HEAD, to = INDEX (staged)";
    const ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["file", "renames"];
    const OPENS: &'static [&'static str] = &[
        "file_changes",
        "file_diff",
        "commit_changes",
        "file_status",
        "tree_files",
        "file_content",
        "file_bytes",
        "file_at",
        "files_at",
        "file_versions_at",
        "file_outline",
    ];
    type Arguments = GitDiffArguments;
    type Output = Compared;
}

/// Lists the files that differ between two sides.
pub struct GitDiffSummary;

impl Tool for GitDiffSummary {
    const NAME: &'static str = "GitDiffSummary";
    const TITLE: &'static str = "List changed files";
    const DESCRIPTION: &'static str =
        "Lists changed files, like git diff --stat: start here. Example: from = main...topic";
    const ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["ignore_whitespace", "renames"];
    type Arguments = GitDiffSummaryArguments;
    type Output = Compared;
}

/// Compares one file between two sides.
pub struct GitDiffFile;

impl Tool for GitDiffFile {
    const NAME: &'static str = "GitDiffFile";
    const TITLE: &'static str = "Diff one file";
    const DESCRIPTION: &'static str =
        "Shows what changed in one file. Example: file = src/main.rs, from = HEAD~1";
    const ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["ignore_whitespace", "renames", "ids"];
    type Arguments = GitDiffFileArguments;
    type Output = Compared;
}

/// The arguments of `GitDiff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitDiffArguments {
    pub from: String,
    pub to: Option<String>,
    pub repo: Option<String>,
    pub file: Option<String>,
    /// Pathspecs: *.rs, :!docs.
    pub paths: Option<Vec<String>>,
    /// Default: 3; -1: whole file.
    pub context_lines: Option<i64>,
    /// none (default), all, change, eol, cr_at_eol.
    #[schemars(with = "Option<String>")]
    pub ignore_whitespace: Option<Whitespace>,
    #[schemars(extend("default" = true))]
    pub renames: Option<bool>,
    /// Hunks seen: ids, or a..b.
    pub except_ids: Option<Vec<String>>,
    /// Name each hunk.
    pub ids: Option<bool>,
    pub cursor: Option<String>,
}

/// Declares the arguments of a tool that takes some of those of `GitDiff`.
macro_rules! some_of_git_diff {
    ($($(#[$doc:meta])* $name:ident: $($(#[$meta:meta])* $field:ident: $kind:ty),+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(#[allow(missing_docs)] $(#[$meta])* pub $field: $kind,)+
        }

        impl From<$name> for GitDiffArguments {
            fn from(given: $name) -> Self {
                Self { $($field: given.$field.into(),)+ ..Self::default() }
            }
        }
    )+};
}

some_of_git_diff! {
    /// The arguments of `GitDiffSummary`.
    GitDiffSummaryArguments:
        from: String,
        to: Option<String>,
        repo: Option<String>,
        paths: Option<Vec<String>>,
        #[schemars(with = "Option<String>")]
        ignore_whitespace: Option<Whitespace>,
        renames: Option<bool>,
        cursor: Option<String>;
    /// The arguments of `GitDiffFile`.
    GitDiffFileArguments:
        file: String,
        from: String,
        to: Option<String>,
        repo: Option<String>,
        context_lines: Option<i64>,
        #[schemars(with = "Option<String>")]
        ignore_whitespace: Option<Whitespace>,
        renames: Option<bool>,
        /// Name each hunk.
        ids: Option<bool>,
        cursor: Option<String>;
}

impl GitDiffArguments {
    /// Checks the rules that types cannot express.
    ///
    /// # Errors
    /// `invalid_args` for arguments that exclude each other.
    pub fn checked(mut self) -> Result<Self> {
        (self.from, self.to) = sides(self.from, self.to)?;
        if self.file.is_some() && self.paths.as_ref().is_some_and(|paths| !paths.is_empty()) {
            return Err(Error::invalid_args("GitDiff was given both file and paths")
                .with_hint("Give file for one file, or paths for those that pathspecs name"));
        }
        let is_id = |id: &&String| id.contains("..") || is_name(id);
        if let Some(other) = self.except_ids.iter().flatten().find(|id| !is_id(id)) {
            return Err(Error::invalid_args(format!(
                "except_ids: {} is neither the id of a hunk nor a range",
                quoted(other)
            ))
            .with_hint("Give ids of answers with ids = true, or a..b as an answer names it"));
        }
        Ok(self)
    }
}

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

/// Compares two sides; without hunks only the changed files are listed.
fn answer(call: &Call, arguments: GitDiffArguments, has_hunks: bool) -> Result<Compared> {
    let arguments = arguments.checked()?;
    let paths = arguments.paths.clone().unwrap_or_default();
    let has_ids = arguments.ids.unwrap_or(false);
    let request = request(call, arguments, has_hunks)?;
    let whole = request.revisions.of_all_paths();
    let file = request.file.clone();
    let frame = PageAnswer { reply: call.reply, has_hunks, has_ids, besides: 0 };
    let reviewed = match (request.answer(&call.caller.context, Some(&frame)), file) {
        (Err(error), Some(file)) => {
            return Err(call.caller.context.read(|| {
                let comparison = whole.open(&call.caller.context)?;
                Ok(explained(error, comparison.repository(), &file))
            })?);
        }
        (reviewed, _) => reviewed?,
    };
    let is_empty = reviewed.rows.is_empty() && reviewed.seen == 0;
    let mut compared = compared(&frame, reviewed);
    if is_empty
        && !call.reply.is_data
        && let Some(why) = no_change(call, &whole, &paths)?
    {
        compared.text = why;
    }
    Ok(compared)
}

/// Returns the reason for which no file of some paths differs, if other files do or a path is none.
pub(super) fn no_change(
    call: &Call,
    whole: &Revisions,
    paths: &[String],
) -> Result<Option<String>> {
    if paths.is_empty() {
        return Ok(None);
    }
    // Read where nothing else can be opened, as all that a repository says.
    call.caller.context.read(|| {
        let comparison = whole.open(&call.caller.context)?;
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

pub(super) fn request(
    call: &Call,
    arguments: GitDiffArguments,
    has_hunks: bool,
) -> Result<Request> {
    let renames = arguments.renames.unwrap_or(true).then_some(RenameOptions::default());
    let repo = arguments.repo.unwrap_or_else(|| call.caller.context.default_repository());
    let paths = arguments.paths.unwrap_or_default();
    Ok(Request {
        revisions: Revisions {
            paths: Pathspec::parse_all(&paths)?,
            renames,
            diff: DiffOptions {
                context: context_lines("context_lines", arguments.context_lines)?,
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

/// Returns the answer with a page of these changes.
pub(super) fn compared(frame: &PageAnswer, reviewed: Reviewed) -> Compared {
    let Reviewed { rows, ids, seen, mut page, .. } = reviewed;
    let mut compared = Compared { totals: totals(&rows), ..Compared::default() };
    if frame.reply.is_data {
        let listed = page.sections.iter().filter(|section| section.kind == Kind::File);
        compared.files = listed
            .filter_map(|section| Some(FileColumns::COLUMNS.json(&rows[section.file?])))
            .gather();
        let names = page.sections.iter().filter_map(|section| {
            let at = section.file.filter(|_| section.kind == Kind::Hunk && section.is_end)?;
            let is_known = ids[at].is_known(section.piece) == Some(true);
            Some(hunk_names(&rows[at], ids[at].of(section.piece)?, is_known))
        });
        let hunks = names.gather();
        let hunks = ComparedHunks { patch: page.patch(), hunks, hunks_seen: seen };
        compared.hunks = frame.has_hunks.then_some(hunks);
    } else {
        if frame.has_ids {
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
            let rest = text.split_off(end - 1);
            text.add_slice(&in_header(id));
            text.add_slice(&rest);
            return;
        }
    }
}
