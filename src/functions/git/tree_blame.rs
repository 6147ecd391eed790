//! `tree_blame(rev, repo)`: the commits of the lines of all files of a revision.

use super::commit_range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, mailmaps};
use super::file_blame::{COPIES, IGNORE_REVS, MOVES, blame_options};
use crate::functions::params::{
    Args, IGNORE_WHITESPACE, Name, PATHS, Param, REPO, fields, required,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::blame::TreeBlameQuery;
use redline_rows::Field;

const REVISION: Param<Name> =
    required("rev", "The newest versions: a revision that names a commit, INDEX or WORKTREE");

/// The table function.
pub struct TreeBlame;

impl RepositoryTable for TreeBlame {
    const DECLARATION: Declaration = Declaration {
        name: "tree_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Lists runs of lines of all files of a revision, each with the commit it is from",
        example: "SELECT author_name, sum(lines) FROM tree_blame('HEAD', '.') GROUP BY ALL",
    };
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
