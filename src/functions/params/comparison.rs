//! The parameters of the functions over repositories: two sides, and the options of a diff.

use super::arguments::required_text;
use super::context_lines::CONTEXT;
use super::named_options::NamedOptions;
use crate::error::Result;
use crate::ffi::{Field, Type, Value};
use crate::git::Untracked;
use crate::query::Revisions;
use crate::text::Combined;

/// The positional parameters of the functions over all files.
pub const PARAMETERS: [Field; 3] = [FROM, TO, REPO];

/// The old side.
pub const FROM: Field = Field::new(
    "from",
    Type::Varchar,
    "The old side: a revision, INDEX, WORKTREE or EMPTY; a range where `to` is NULL",
);
/// The new side.
pub const TO: Field = Field::new(
    "to",
    Type::Varchar,
    "The new side, likewise; NULL where `from` is a range or is compared with the work tree",
);
/// The repository.
pub const REPO: Field = Field::new("repo", Type::Varchar, "The repository, or a directory in it");

/// The named parameters of all git functions; [`NamedOptions`] reads them by name.
pub const NAMED: [Field; 12] = [
    Field::optional(
        "merge_base",
        Type::Boolean,
        "false",
        "Compare from the merge base of both sides, as git's `a...b`",
    ),
    Field::optional(
        "untracked",
        Type::Boolean,
        "false",
        "Include files of the work tree that are neither tracked nor ignored",
    ),
    Field::optional(
        "algorithm",
        Type::Varchar,
        "'myers'",
        "Line diff: myers, minimal, patience or histogram",
    ),
    IGNORE_WHITESPACE,
    Field::optional(
        "ignore_blank_lines",
        Type::Boolean,
        "false",
        "Leave out changes whose lines are all blank",
    ),
    CONTEXT.field,
    Field::optional(
        "inter_hunk_context",
        Type::Integer,
        "0",
        "Join hunks that have at most this many unchanged lines between their contexts",
    ),
    Field::optional("renames", Type::Boolean, "false", "Detect renames, as git's -M"),
    Field::optional("copies", Type::Boolean, "false", "Detect renames and copies, as git's -C"),
    Field::optional(
        "similarity",
        Type::UTinyInt,
        "50",
        "How similar a rename or copy must be, 0 to 100 percent",
    ),
    Field::optional(
        "rename_limit",
        Type::UInteger,
        "1000",
        "Most files on one side whose contents are compared; 0 is no limit",
    ),
    PATHS,
];

/// Which whitespace does not count.
pub const IGNORE_WHITESPACE: Field = Field::optional(
    "ignore_whitespace",
    Type::Varchar,
    "'none'",
    "Whitespace that does not count: none, all, change, eol or cr_at_eol",
);

/// How merges and conflicts are shown.
pub const MERGES: Field = Field::optional(
    "merges",
    Type::Varchar,
    "'first_parent'",
    "A merge (rev^!) and a conflict: first_parent (against ours), combined (against all sides, as --cc) or combined_all (-c)",
);

/// The named parameters of functions that show merges, too.
pub const MERGE_NAMED: [Field; NAMED.len() + 1] = joined(&NAMED, &[MERGES]);

/// Which files are asked for.
pub const PATHS: Field = Field::optional(
    "paths",
    Type::TextOrTexts,
    "NULL",
    "A git pathspec, or a list of them, that limits the files; NULL for all",
);

/// Those of them that make sense without a work tree and with one revision.
pub const HISTORY_OPTIONS: &[Field] = NAMED.split_at(2).1;

/// Those of them that make sense for one file.
pub const OPTIONS: &[Field] = NAMED.split_at(7).0;

/// Joins two lists of parameters; `N` is how many there are.
pub const fn joined<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    assert!(N == first.len() + second.len());
    let mut all = [first[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    all
}

/// Returns the sides that the last three positional arguments of a table function and its named ones give.
pub fn revisions(
    arguments: &[Value],
    named: &NamedOptions<'_>,
    function: &str,
) -> Result<Revisions> {
    let [from, to, repo] = arguments else { unreachable!("three arguments") };
    Ok(Revisions {
        from: required_text(from, function, "from")?,
        to: to.as_text().map(str::to_owned),
        repo: required_text(repo, function, "repo")?,
        merge_base: named.boolean("merge_base"),
        untracked: if named.boolean("untracked") {
            Untracked::Identified
        } else {
            Untracked::Ignored
        },
        paths: named.paths()?,
        renames: named.rename_options()?,
        combined: named.choice(
            "merges",
            &[
                ("first_parent", None),
                ("combined", Some(Combined::Dense)),
                ("combined_all", Some(Combined::All)),
            ],
        )?,
    })
}
