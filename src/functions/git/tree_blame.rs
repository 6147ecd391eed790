//! `tree_blame(rev, repo)`: which commits the lines of all files of a revision are from.

use std::sync::Arc;

use super::commit_columns::{FIRST_PARENT, INFO, MAILMAP, NAMES, SINCE};
use super::file_blame::{COPIES, IGNORE_REVS, MOVES, blame_options, infos};
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions, Revisions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{
    Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion, Change, CommitInfo, Pathspec,
    mailmap_of,
};
use crate::pipeline::{Ordered, Weigh};
use crate::text::CancelToken;

const REVISION: Field = Field::new(
    "rev",
    Type::Varchar,
    "The newest versions: a revision that names a commit, INDEX or WORKTREE",
);

/// The runs of lines of a file.
pub struct BlamedFile {
    path: Vec<u8>,
    blame: Blame,
    /// What the commit of each version says, where that was asked for.
    infos: Vec<Option<Arc<CommitInfo>>>,
}

/// A run of lines from one commit.
#[derive(Clone, Copy)]
pub struct Hunk<'a> {
    file: &'a BlamedFile,
    run: BlamedRun,
}

impl<'a> Hunk<'a> {
    fn version(self) -> &'a BlamedVersion {
        &self.file.blame.versions[self.run.version]
    }

    fn info(self) -> Option<&'a CommitInfo> {
        self.file.infos.get(self.run.version)?.as_deref()
    }
}

impl Row for BlamedFile {
    type Of<'a> = Hunk<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("file_path", Type::Varchar, "Path from the repository's root", |row, out| {
            out.push_bytes(Some(&row.file.path));
        }),
        col("first_line", Type::BigInt, "The number of the first line, from 1", |row, out| {
            out.push_bigint(Some(i64::from(row.run.line) + 1));
        }),
        col("lines", Type::BigInt, "How many lines there are", |row, out| {
            out.push_bigint(Some(i64::from(row.run.lines)));
        }),
        col(
            "commit_id",
            Type::Varchar,
            "The id of the commit they are from; NULL for lines that are not committed",
            |row, out| out.push_text(row.version().commit.map(|id| id.to_string()).as_deref()),
        ),
        needing(
            INFO | NAMES,
            col("author_name", Type::Varchar, "The author's name", |row, out| {
                let author = row.info().and_then(|info| info.author.as_ref());
                out.push_bytes(author.map(|person| person.name.as_slice()));
            }),
        ),
        needing(
            INFO | NAMES,
            col("author_email", Type::Varchar, "The author's e-mail address", |row, out| {
                let author = row.info().and_then(|info| info.author.as_ref());
                out.push_bytes(author.map(|person| person.email.as_slice()));
            }),
        ),
        needing(
            INFO,
            col("author_date", Type::Timestamp, "When it was written", |row, out| {
                out.push_bigint(row.info().and_then(|info| info.author_date));
            }),
        ),
        needing(
            INFO,
            col("subject", Type::Varchar, "The subject of the commit", |row, out| {
                out.push_bytes(row.info().map(|info| info.subject.as_slice()));
            }),
        ),
        col("original_path", Type::Varchar, "The path of the file in that commit", |row, out| {
            out.push_bytes(Some(&row.version().path))
        }),
        col(
            "original_line",
            Type::BigInt,
            "The first line's number in that version, from 1",
            |row, out| out.push_bigint(Some(i64::from(row.run.source) + 1)),
        ),
        col(
            "is_boundary",
            Type::Boolean,
            "Whether the history was followed no further: a root, or the end of what was asked for",
            |row, out| out.push_boolean(Some(row.version().is_boundary)),
        ),
    ];
}

impl Weigh for BlamedFile {
    fn bytes(&self) -> usize {
        self.blame.content.len() + self.blame.runs.len() * size_of::<BlamedRun>()
    }
}

impl RowGroup for BlamedFile {
    type Row = Self;

    fn rows(&self) -> usize {
        self.blame.runs.len()
    }

    fn row(&self, index: usize) -> Hunk<'_> {
        Hunk { file: self, run: self.blame.runs[index] }
    }
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

/// The validated arguments.
pub struct Query {
    rev: String,
    repo: String,
    paths: Vec<Pathspec>,
    mailmap: bool,
    options: BlameOptions,
}

impl TableFunction for TreeBlame {
    const NAME: &'static str = "tree_blame";
    const PARAMETERS: &'static [Field] = &[REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[
        comparison::PATHS,
        comparison::IGNORE_WHITESPACE,
        FIRST_PARENT,
        SINCE,
        MAILMAP,
        IGNORE_REVS,
        MOVES,
        COPIES,
    ];
    const COLUMNS: &'static [Field] = BlamedFile::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Stream<BlamedFile>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Query {
            rev: required_text(&arguments[0], Self::NAME, "rev")?,
            repo: required_text(&arguments[1], Self::NAME, "repo")?,
            paths: named.paths()?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: blame_options(&named)?,
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs = BlamedFile::COLUMNS.needs(open.projection);
        Ok(Stream::new(query.start(&execution, needs)?, open.projection).eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Query {
    /// Starts the work, a job for each file.
    fn start(&self, execution: &ExecutionContext, needs: u8) -> Result<Ordered<BlamedFile>> {
        let files = Revisions::files_of(self.rev.clone(), self.repo.clone(), self.paths.clone());
        files.work(execution, |comparison| {
            let repository = comparison.repository().clone();
            let mailmap = if needs & NAMES != 0 && self.mailmap {
                Some(mailmap_of(&repository)?)
            } else {
                None
            };
            let (rev, options, mut cache) =
                (self.rev.clone(), self.options.clone(), BlameCache::default());
            Ok(move |change: Change, _: &CancelToken<'_>| {
                let path = change.path;
                let is_file = change.new.is_some_and(|entry| !entry.mode.is_submodule());
                let blame = match std::str::from_utf8(&path) {
                    Ok(path) if is_file => {
                        Blame::of_one(&repository, path, &rev, &options, &mut cache)?
                    }
                    Ok(_) => Blame::nothing(),
                    Err(_) => {
                        return Err(Error::invalid_args(
                            "a file has a name that is not valid UTF-8",
                        )
                        .with_hint("Leave it out with paths"));
                    }
                };
                let infos = if needs & INFO == 0 {
                    Vec::new()
                } else {
                    infos(&repository, &blame.versions, mailmap.as_ref())?
                };
                Ok(BlamedFile { path, blame, infos })
            })
        })
    }
}

impl Listed for TreeBlame {
    const LIST_NAME: &'static str = "tree_blame_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of tree_blame as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(tree_blame_list('HEAD', '.', {'paths': '*.md'}))";
    type Element = Numbered<BlamedFile>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query.start(execution, INFO | NAMES)?, out)
    }
}
