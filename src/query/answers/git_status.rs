//! `GitStatus`: the uncommitted changes of a repository.

use super::call::{Answers, Call};
use super::pages::{Pages, opened, short, shown};
use super::shown::shown_id;
use super::unnamed::unnamed;
use super::view;
use super::view::{ShownColumns, Values, View, Viewed};
use crate::Context;
use crate::questions::file_status;
use crate::questions::file_status::StatusColumns;
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_git::{Pathspec, RenameOptions, Revision, StatusOptions, checked_out};
use redline_tools::{Alias, Listing, Reply, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Lists uncommitted changes.
pub struct GitStatus;

impl Tool for GitStatus {
    const NAME: &'static str = "GitStatus";
    const TITLE: &'static str = "Status";
    const DESCRIPTION: &'static str = "Lists staged, changed, untracked and conflicting files, like git status --short. Example: no arguments";
    const ALIASES: &'static [Alias] = &[
        Alias::Say(
            "staged",
            "Leave it out: the first letter tells what is staged. GitDiff with from = HEAD, to = INDEX shows it",
        ),
        Alias::Say("untracked", "Leave it out: untracked files are listed, marked ??"),
        Alias::Say("porcelain", "Leave it out: the answer is as of git status --short"),
        Alias::Say("short", "Leave it out: the answer is as of git status --short"),
    ];
    type Arguments = GitStatusArguments;
    type Output = Listing<Viewed<Self>>;
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

impl View for GitStatus {
    const LIST: &'static str = "files";
    const COLUMNS: ShownColumns = &[
        ("file_path", view::path),
        ("old_path", view::path),
        ("index_status", view::plain),
        ("worktree_status", view::plain),
        ("conflict", view::plain),
    ];

    fn text(row: &Values) -> String {
        let letters = ["index_status", "worktree_status"].map(|column| letter(row.text(column)));
        let letters = if letters == [' ', '?'] { ['?', '?'] } else { letters };
        let path = row.text("file_path").unwrap_or_default();
        let old = row.text("old_path").map_or(String::new(), |old| format!("{old} => "));
        let conflict = row.text("conflict").map(|kind| format!(" ({})", kind.replace('_', " ")));
        let conflict = conflict.unwrap_or_default();
        format!("{}{} {old}{path}{conflict}\n", letters[0], letters[1])
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

/// Lists the files that are not as the last commit has them.
pub fn status(
    context: &Context,
    reply: &Reply,
    arguments: &GitStatusArguments,
) -> Result<Listing<Viewed<GitStatus>>> {
    let (repo, repository) = opened(context, arguments.repo.as_deref())?;
    let paths = arguments.paths.iter().flatten().map(|path| Pathspec::parse(path));
    let options = StatusOptions {
        paths: paths.try_gather::<_>()?,
        renames: Some(RenameOptions::default()),
        untracked: true,
        ignored: false,
    };
    let files = file_status::status(&repository, options, context)?;
    let head = checked_out(&repository)?;
    let place = match (&head.branch, head.commit) {
        (Some(branch), Some(id)) => {
            format!("on {} at {}", shown(short(branch)), shown_id(&id.to_string()))
        }
        (Some(branch), None) => format!("on {}, which has no commit yet", shown(short(branch))),
        (None, Some(id)) => format!("at {}, no branch", shown_id(&id.to_string())),
        (None, None) => "with a damaged HEAD".to_owned(),
    };
    let count = match files.len() {
        0 => "nothing to commit, nothing untracked".to_owned(),
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let asked = format!("GitStatus {:?}", arguments.paths);
    let state = format!("{:?} {files:?}", head.commit);
    let pages = Pages::new(&asked, &state, arguments.cursor.as_deref())?;
    let rows =
        files.iter().skip(pages.first()).map(|file| Ok(Viewed::of::<StatusColumns>(file, reply)));
    let mut head = format!("{repo} {place}: {count}");
    let paths = arguments.paths.as_deref().unwrap_or_default();
    // What is neither tracked nor listed is not there, or ignored.
    if files.is_empty()
        && let Some(wrong) = unnamed(&repository, &[Revision::Index], paths)?
    {
        head = format!("{repo} {place}: {wrong}");
    }
    pages.filled(head, reply, rows)
}

impl Answers for GitStatus {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        call.caller.context.read(|| status(&call.caller.context, &call.reply, &arguments))
    }
}
