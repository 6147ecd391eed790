//! `file_outline(file, rev, repo)` and `file_outline_list(file, rev, repo)`: the functions and other
//! headings of a file.

use super::file_content::FILE;
use super::tree_files::REVISION;
use crate::functions::params::{Args, REPO, fields};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::file_outline::FileOutlineQuery;

use redline_rows::Field;

/// The table function.
pub struct FileOutline;

impl RepositoryTable for FileOutline {
    const DECLARATION: Declaration = Declaration {
        name: "file_outline",
        family: Family::Git,
        grant: Grant::Tools(&["GitFile", "GitDiff"]),
        description: "Lists the functions and other headings of a file with their lines, by git's rules for the headings of hunks",
        example: "SELECT name, first_line, last_line FROM file_outline('README.md', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const LIST_EXAMPLE: &'static str = "SELECT len(file_outline_list('README.md', 'HEAD', '.'))";
    type Query = FileOutlineQuery;

    fn query(args: Args<'_>) -> Result<FileOutlineQuery> {
        Ok(FileOutlineQuery {
            file: args.owned(FILE)?,
            revision: args.owned(REVISION)?,
            repo: args.owned(REPO)?,
        })
    }
}
