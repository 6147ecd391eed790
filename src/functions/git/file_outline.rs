//! `file_outline(file, rev, repo)` and `file_outline_list(file, rev, repo)`: the functions and other
//! headings of a file.

use super::file_content::FILE;
use super::tree_files::REVISION;
use crate::ffi::Field;
use crate::functions::params::{Args, REPO, fields};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, Tabular, bigint, varchar,
};
use redline_base::error::Result;
use redline_query::file_outline::{FileOutlineQuery, Outline};
use redline_text::section::OutlinedSection;

/// The columns of an outline.
pub struct OutlineColumns;

impl Row for OutlineColumns {
    type Of<'a> = &'a OutlinedSection;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The line that heads it, as git shows it after a hunk's @@", |row, out| {
            out.text(row.heading.as_slice())
        }),
        bigint("first_line", "The number of that line, from 1", |row| row.first_line.into()),
        bigint(
            "last_line",
            "The number of the last line before the next heading that is not blank",
            |row| row.last_line.into(),
        ),
    ];
}

impl Tabular for Outline {
    type Row = OutlineColumns;
}

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
