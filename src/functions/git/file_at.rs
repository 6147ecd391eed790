//! `file_at(file, rev, repo [, lfs])`, `files_at(pathspec, rev, repo [, lfs])` and
//! `file_versions_at(file, range, repo [, lfs])`: paths under which DuckDB's readers find contents
//! of a repository. DuckDB computes the arguments of a reader when it binds a query.

use std::sync::Arc;

use crate::ffi::{Overload, Settings};
use crate::functions::context::database::Database;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{
    Args, FILE, Flag, Name, Param, REPO, REVISION, fields, flag, required,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar, State};
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_git::{HistoryOptions, Mailmaps};
use redline_query::params::range::CommitRange;
use redline_query::questions::file_copies::{Copying, FileCopies};
use redline_rows::{Out, Varchar, Varchars, Written};

const PATHSPEC: Param<Name> =
    required("pathspec", "A pathspec of git, such as data/*.parquet, for the files of the side");
const RANGE: Param<Name> = required(
    "range",
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);
const LFS: Param<Flag> = flag(
    "lfs",
    true,
    "Use the content to which a pointer of Git LFS leads, from the repository's own store, not the pointer",
);

/// The scalar function for one file.
pub struct FileAt;

/// The scalar function for all files of a pathspec.
pub struct FilesAt;

/// The scalar function for the versions of a file.
pub struct FileVersionsAt;

/// The state of a thread between rows.
pub struct Opened {
    execution: ExecutionContext,
    database: Arc<Database>,
    files: FileCopies,
}

impl State for Opened {
    const SETTINGS: &'static [&'static str] = <ExecutionContext as State>::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        let execution = ExecutionContext::new(settings)?;
        let database = Database::of(&execution.settings)?;
        Ok(Self { execution, database, files: FileCopies::default() })
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.execution.caller.context.budget)
    }
}

impl Opened {
    /// Returns the files, and what a row's call may use.
    fn parts(&mut self, args: Args<'_>) -> Result<(&mut FileCopies, Copying<'_>)> {
        let Self { execution, database, files } = self;
        let copying = Copying {
            context: &execution.caller.context,
            copies: &database.copies,
            rules: execution.copy_rules(),
            lfs: args.get(LFS)?,
        };
        Ok((files, copying))
    }
}

/// Volatile: the meaning of a revision changes with the repository.
impl Scalar for FileAt {
    const DECLARATION: Declaration = Declaration {
        name: "file_at",
        family: Family::Git,
        grant: Grant::Tools(&["GitFile"]),
        description: "Returns the path of a copy of a file at a revision, for DuckDB's readers; NULL if the file is missing",
        example: "SELECT content FROM read_text(file_at('README.md', 'HEAD~1', '.'))",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![FILE, REVISION, REPO], fields![FILE, REVISION, REPO, LFS]];
    type Returns = Varchar;
    type State = Opened;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let (files, copying) = opened.parts(args)?;
        let side = [args.owned(REPO)?, args.owned(REVISION)?];
        Ok(out.text(files.one(args.get(FILE)?, side, copying)?))
    }
}

impl Scalar for FilesAt {
    const DECLARATION: Declaration = Declaration {
        name: "files_at",
        description: "Returns the paths of copies of the files at a revision that a pathspec selects, for DuckDB's readers",
        example: "SELECT count(*) FROM read_text(files_at('*.md', 'HEAD', '.'))",
        ..FileAt::DECLARATION
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![PATHSPEC, REVISION, REPO], fields![PATHSPEC, REVISION, REPO, LFS]];
    type Returns = Varchars;
    type State = Opened;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchars>) -> Result<Written> {
        let (files, copying) = opened.parts(args)?;
        let side = [args.owned(REPO)?, args.owned(REVISION)?];
        Ok(out.texts(files.all(args.get(PATHSPEC)?, side, copying)?))
    }
}

impl Scalar for FileVersionsAt {
    const DECLARATION: Declaration = Declaration {
        name: "file_versions_at",
        description: "Returns the paths of copies of each content that a file had in a range, through renames, the newest first",
        example: "SELECT count(*) FROM read_text(file_versions_at('README.md', 'HEAD', '.'))",
        ..FileAt::DECLARATION
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![FILE, RANGE, REPO], fields![FILE, RANGE, REPO, LFS]];
    type Returns = Varchars;
    type State = Opened;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchars>) -> Result<Written> {
        let (files, copying) = opened.parts(args)?;
        let range = CommitRange {
            range: args.owned(RANGE)?,
            repo: args.owned(REPO)?,
            history: HistoryOptions::default(),
            mailmap: Mailmaps { own: false, file: None },
        };
        Ok(out.texts(files.versions(args.owned(FILE)?, range, copying)?))
    }
}
