//! The answer of `GitStatus`.

use super::pages::{Pages, opened, path_text, short, shown};
use super::unnamed::unnamed;
use crate::{Context, file_status};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_git::{FileStatus, Pathspec, RenameOptions, Revision, StatusOptions, checked_out};
use redline_tools::{GitStatusArguments, ListedStatus, Listing, Reply, shown_id};

/// Lists the files that are not as the last commit has them.
pub fn status(
    context: &Context,
    reply: &Reply,
    arguments: &GitStatusArguments,
) -> Result<Listing<ListedStatus>> {
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
    let rows = files.iter().skip(pages.first()).map(|file| Ok(status_row(file)));
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

fn status_row(file: &FileStatus) -> ListedStatus {
    ListedStatus {
        file_path: path_text(&file.path),
        old_path: file.old_path.as_deref().map(path_text),
        index_status: file.index,
        worktree_status: file.work_tree,
        conflict: file.conflict,
    }
}
