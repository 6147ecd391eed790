//! A range of commits, and its parameters, which several questions share.

use super::comparison::REPO;
use super::kinds::Moment;
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_git::{HistoryOptions, Mailmaps, Merges};
use redline_rows::params::{Args, Flag, Maybe, Name, Param, flag, optional, required};

/// The range of a history.
pub const RANGE: Param<Name> = required(
    "range",
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);
/// The earliest time of the commits.
pub const SINCE: Param<Maybe<Moment>> =
    optional("since", "Leave out commits whose committer date is before this, as git's --since");
/// The latest time of the commits.
pub const UNTIL: Param<Maybe<Moment>> =
    optional("until", "Leave out commits whose committer date is after this, as git's --until");
/// Whether .mailmap applies to names.
pub const MAILMAP: Param<Flag> =
    flag("mailmap", true, "Show authors and committers as .mailmap names them");
/// Another mailmap.
pub const MAILMAP_FILE: Param<Maybe<Name>> = optional(
    "mailmap_file",
    "The path of another mailmap, whose entries are preferred, as git's mailmap.file",
);
/// Whether a walk follows only first parents.
pub const FIRST_PARENT: Param<Flag> =
    flag("first_parent", false, "Follow only the first parent of a merge, as git's --first-parent");

/// A range of commits.
pub struct CommitRange {
    /// The range.
    pub range: String,
    /// The repository.
    pub repo: String,
    /// The selected commits of the range.
    pub history: HistoryOptions,
    /// The mailmaps to apply to names.
    pub mailmap: Mailmaps,
}

/// Returns a range of commits.
pub fn commit_range(args: Args<'_>, range: Param<Name>) -> Result<CommitRange> {
    Ok(CommitRange {
        range: args.owned(range)?,
        repo: args.owned(REPO)?,
        history: history_options(args)?,
        mailmap: mailmaps(args)?,
    })
}

/// Returns the selected commits of a walk; merges are never left out.
fn history_options(args: Args<'_>) -> Result<HistoryOptions> {
    Ok(HistoryOptions {
        merges: Merges::AllParents,
        since: args.get(SINCE)?,
        until: args.get(UNTIL)?,
        first_parent: args.get_if_declared(FIRST_PARENT)?,
    })
}

/// Returns the selected mailmaps.
pub fn mailmaps(args: Args<'_>) -> Result<Mailmaps> {
    Ok(Mailmaps { own: args.get(MAILMAP)?, file: args.get(MAILMAP_FILE)?.map(owned).transpose()? })
}
