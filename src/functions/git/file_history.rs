//! `file_history(file, rev, repo)` and `file_history_list(…)`: the commits that changed a file,
//! through renames.

use super::commit_range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range};

use super::file_content::FILE;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;

use redline_query::file_history::FileHistoryQuery;
use redline_rows::Field;

const REVISION: Param<Name> =
    required("rev", "A revision with all that it reaches, a..b, a...b, or ALL for every reference");

/// The table function.
pub struct FileHistory;

impl RepositoryTable for FileHistory {
    const DECLARATION: Declaration = Declaration {
        name: "file_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits that changed a file, through renames, like git log --follow",
        example: "SELECT subject, file_path, additions FROM file_history('README.md', 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const NAMED: &'static [Field] = fields![SINCE, UNTIL, FIRST_PARENT, MAILMAP, MAILMAP_FILE];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_history_list('README.md', 'HEAD', '.', {'first_parent': true}))";
    type Query = FileHistoryQuery;

    fn query(args: Args<'_>) -> Result<FileHistoryQuery> {
        Ok(FileHistoryQuery { file: args.owned(FILE)?, range: commit_range(args, REVISION)? })
    }
}
