//! `tree_blame(rev, repo)`: the commits of the lines of all files of a revision.

use super::commit_columns::{
    FIRST_PARENT, MAILMAP, MAILMAP_FILE, OfCommit, SINCE, author_date, author_email, author_name,
    author_offset, mailmaps, subject,
};
use super::file_blame::{COPIES, IGNORE_REVS, MOVES, blame_options};
use super::repository_table::RepositoryTable;
use crate::error::Result;
use crate::ffi::Field;
use crate::functions::params::{
    Args, IGNORE_WHITESPACE, Name, PATHS, Param, REPO, fields, required,
};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Tabular, bigint, boolean, varchar,
};
use crate::git::CommitInfo;
use crate::query::tree_blame::{BlamedFile, BlamedHunk, TreeBlameQuery};

const REVISION: Param<Name> =
    required("rev", "The newest versions: a revision that names a commit, INDEX or WORKTREE");

impl Row for BlamedFile {
    type Of<'a> = BlamedHunk<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        bigint("first_line", "The number of the first line, from 1", |row| {
            Some(i64::from(row.run.line) + 1).into()
        }),
        bigint("lines", "How many lines there are", |row| i64::from(row.run.lines).into()),
        varchar(
            "commit_id",
            "The id of the commit they are from; NULL for lines that are not committed",
            |row, out| out.text(row.version().commit.map(|id| id.to_string())),
        ),
        author_name(),
        author_email(),
        author_date(),
        author_offset(),
        subject("The subject of the commit"),
        varchar("original_path", "The path of the file in that commit", |row, out| {
            out.text(row.version().path.as_slice())
        }),
        bigint("original_line", "The first line's number in that version, from 1", |row| {
            Some(i64::from(row.run.source) + 1).into()
        }),
        boolean(
            "is_boundary",
            "Whether the history ends here: at a root commit, or at the end of the range",
            |row| Some(row.version().is_boundary),
        ),
    ];
}

impl OfCommit for BlamedFile {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.info()
    }
}

impl Tabular for BlamedFile {
    type Row = Self;
}

/// The table function.
pub struct TreeBlame;

impl Declared for TreeBlame {
    const DECLARATION: Declaration = Declaration {
        name: "tree_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Runs of lines of all files of a revision, each with the commit it is from",
        example: "SELECT author_name, sum(lines) FROM tree_blame('HEAD', '.') GROUP BY ALL",
    };
}

impl RepositoryTable for TreeBlame {
    const PARAMETERS: &'static [Field] = fields![REVISION, REPO];
    const NAMED: &'static [Field] = fields![
        PATHS,
        IGNORE_WHITESPACE,
        FIRST_PARENT,
        SINCE,
        MAILMAP,
        MAILMAP_FILE,
        IGNORE_REVS,
        MOVES,
        COPIES,
    ];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(tree_blame_list('HEAD', '.', {'paths': '*.md'}))";
    type Query = TreeBlameQuery;

    fn query(args: Args<'_>) -> Result<TreeBlameQuery> {
        Ok(TreeBlameQuery {
            rev: args.owned(REVISION)?,
            repo: args.owned(REPO)?,
            paths: args.get(PATHS)?.unwrap_or_default(),
            mailmap: mailmaps(args)?,
            options: blame_options(args)?,
        })
    }
}
