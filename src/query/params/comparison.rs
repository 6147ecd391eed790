//! The parameters of the functions over repositories: two sides, and the options of a diff.

use super::kinds::{CONTEXT, Files, Lines, Pathspecs, Percent};
use crate::Revisions;
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_git::{RenameOptions, Untracked};
use redline_rows::params::{
    Args, Choice, Flag, Maybe, Name, OneOf, Param, choice, flag, number, optional, required,
};
use redline_rows::{Field, fields, joined};
use redline_text::{Algorithm, Combined, DiffOptions, Whitespace};

/// The old side.
pub const FROM: Param<Name> = required(
    "from",
    "The old side: a revision, INDEX, WORKTREE or EMPTY; a range where `to` is NULL",
);
/// The new side.
pub const TO: Param<Maybe<Name>> = required(
    "to",
    "The new side, likewise; NULL where `from` is a range or is compared with the work tree",
);
/// The repository.
pub const REPO: Param<Name> = required("repo", "The repository, or a directory in it");

/// A side of a repository.
pub const REVISION: Param<Name> =
    required("rev", "A revision, as git rev-parse takes it, or INDEX or WORKTREE");
/// A file of a repository.
pub const FILE: Param<Name> = required(
    "file",
    "The file, by its path from the repository's root; './…' and '../…' start at the directory that repo names",
);

const MERGE_BASE: Param<Flag> =
    flag("merge_base", false, "Compare from the merge base of both sides, as git's `a...b`");
const UNTRACKED: Param<Flag> =
    flag("untracked", false, "Include files of the work tree that are neither tracked nor ignored");
const ALGORITHM: Param<OneOf<Algorithms>> = choice(
    "algorithm",
    "Line diff: myers, minimal, patience or histogram, as git's --diff-algorithm",
);
/// The whitespace that is ignored.
pub const IGNORE_WHITESPACE: Param<OneOf<WhitespaceNames>> = choice(
    "ignore_whitespace",
    "Whitespace that does not count: none, all (git's -w), change (-b), eol (--ignore-space-at-eol) or cr_at_eol (--ignore-cr-at-eol)",
);
const IGNORE_BLANK_LINES: Param<Flag> = flag(
    "ignore_blank_lines",
    false,
    "Leave out changes whose lines are all blank, as git's --ignore-blank-lines",
);
const INTER_HUNK_CONTEXT: Param<Lines> = number(
    "inter_hunk_context",
    0,
    "Join hunks that have at most this many unchanged lines between their contexts",
);
const RENAMES: Param<Flag> = flag("renames", false, "Detect renames, as git's -M");
const COPIES: Param<Flag> = flag("copies", false, "Detect renames and copies, as git's -C");
const SIMILARITY: Param<Percent> = number(
    "similarity",
    RenameOptions::SIMILARITY as i64,
    "Required similarity of a rename or copy, 0 to 100 percent, as in git's -M<n>%",
);
const RENAME_LIMIT: Param<Files> = number(
    "rename_limit",
    RenameOptions::LIMIT as i64,
    "Most files on one side whose contents are compared, as git's -l; 0: no limit",
);
/// The selected files.
pub const PATHS: Param<Maybe<Pathspecs>> =
    optional("paths", "A git pathspec, or a list of them, that limits the files; NULL for all");
/// How merges and conflicts are shown.
const MERGES: Param<OneOf<MergesShown>> = choice(
    "merges",
    "A merge (rev^!) and a conflict: first_parent (against ours), combined (against all sides, as --cc) or combined_all (-c)",
);

/// The positional parameters of the functions over all files.
pub const PARAMETERS: &[Field] = fields![FROM, TO, REPO];
const SIDES: &[Field] = fields![MERGE_BASE, UNTRACKED];
const LINES: &[Field] =
    fields![ALGORITHM, IGNORE_WHITESPACE, IGNORE_BLANK_LINES, CONTEXT, INTER_HUNK_CONTEXT];
const FILES: &[Field] = fields![RENAMES, COPIES, SIMILARITY, RENAME_LIMIT, PATHS];
/// The named parameters that apply to one file.
pub const OF_ONE_FILE: &[Field] = joined!(Field: SIDES, LINES);
/// The named parameters that apply without a work tree and with one revision.
pub const OF_HISTORY: &[Field] = joined!(Field: LINES, FILES);
/// The named parameters of all functions that compare two sides.
pub const NAMED: &[Field] = joined!(Field: SIDES, OF_HISTORY);
/// The named parameters of functions that also show merges.
pub const MERGE_NAMED: &[Field] = joined!(Field: NAMED, fields![MERGES]);

/// Returns the sides to compare, the selected files and the options of comparing them.
pub fn revisions(args: Args<'_>) -> Result<Revisions> {
    let untracked = args.get(UNTRACKED)?;
    Ok(Revisions {
        from: args.owned(FROM)?,
        to: args.get(TO)?.map(owned).transpose()?,
        repo: args.owned(REPO)?,
        merge_base: args.get(MERGE_BASE)?,
        untracked: if untracked { Untracked::Identified } else { Untracked::Ignored },
        paths: args.get_if_declared(PATHS)?.unwrap_or_default(),
        renames: rename_options(args)?,
        combined: args.get_if_declared(MERGES)?,
        diff: diff_options(args)?,
    })
}

/// Returns the options of rename detection, if it is on; copies include renames, as in git.
pub fn rename_options(args: Args<'_>) -> Result<Option<RenameOptions>> {
    let (renames, copies) = (args.get_if_declared(RENAMES)?, args.get_if_declared(COPIES)?);
    let (similarity, limit) =
        (args.get_if_declared(SIMILARITY)?, args.get_if_declared(RENAME_LIMIT)?);
    Ok((renames || copies).then_some(RenameOptions { copies, similarity, limit }))
}

/// Returns the options of comparing lines.
pub fn diff_options(args: Args<'_>) -> Result<DiffOptions> {
    Ok(DiffOptions {
        context: args.get(CONTEXT)?,
        inter_hunk_context: args.get(INTER_HUNK_CONTEXT)?,
        algorithm: args.get(ALGORITHM)?,
        whitespace: args.get(IGNORE_WHITESPACE)?,
        ignore_blank_lines: args.get(IGNORE_BLANK_LINES)?,
    })
}

/// The line diffs, by their names.
pub struct Algorithms;

impl Choice for Algorithms {
    type Of = Algorithm;
    const WORDS: &'static [(&'static str, Algorithm)] = &[
        ("myers", Algorithm::Myers),
        ("minimal", Algorithm::Minimal),
        ("patience", Algorithm::Patience),
        ("histogram", Algorithm::Histogram),
    ];
}

/// The whitespace that does not count, by its name.
pub struct WhitespaceNames;

impl Choice for WhitespaceNames {
    type Of = Whitespace;
    const WORDS: &'static [(&'static str, Whitespace)] = &[
        ("none", Whitespace::Exact),
        ("all", Whitespace::All),
        ("change", Whitespace::Change),
        ("eol", Whitespace::Eol),
        ("cr_at_eol", Whitespace::CrAtEol),
    ];
}

/// How merges are shown, by its name.
pub struct MergesShown;

impl Choice for MergesShown {
    type Of = Option<Combined>;
    const WORDS: &'static [(&'static str, Option<Combined>)] = &[
        ("first_parent", None),
        ("combined", Some(Combined::Dense)),
        ("combined_all", Some(Combined::All)),
    ];
}
