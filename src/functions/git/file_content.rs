//! `file_content(file, rev, repo [, lfs])` and `file_bytes(file, rev, repo [, lfs])`: the content of
//! a file at a revision.

use std::sync::Arc;
use std::time::Duration;

use crate::ffi::{Overload, Settings};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::settings;
use crate::functions::params::{Args, FILE, Flag, Param, REPO, REVISION, fields, flag};
use crate::functions::surface::{Declaration, Family, Grant, Scalar, State};
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Bytes, ReadLimit};
use redline_query::questions::file_content::OpenSides;
use redline_rows::{Blob, Out, Varchar, Written};

const LFS: Param<Flag> = flag(
    "lfs",
    false,
    "Return the content to which a pointer of Git LFS leads, from the repository's own store",
);

/// The scalar function that returns a text.
pub struct FileContent;

/// The scalar function that returns bytes.
pub struct FileBytes;

/// The state of a thread between rows: the opened sides, by repository and revision.
pub struct Opened {
    execution: ExecutionContext,
    sides: OpenSides,
}

impl State for Opened {
    const SETTINGS: &'static [&'static str] = <ExecutionContext as State>::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        let execution = ExecutionContext::new(settings)?;
        Ok(Self { execution, sides: OpenSides::default() })
    }

    fn helper(&self) -> Option<Self> {
        Some(Self { execution: self.execution.clone(), sides: OpenSides::default() })
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.execution.caller.context.budget)
    }
}

impl Opened {
    /// Returns the content of the file; `None` if the side lacks it.
    fn content(&mut self, args: Args<'_>) -> Result<Option<Bytes>> {
        let Self { execution, sides } = self;
        let bytes = settings::max_read_bytes(&execution.settings);
        let limit = ReadLimit { bytes, name: "redline_max_read_bytes" };
        let side = [args.owned(REPO)?, args.owned(REVISION)?];
        sides.content(&execution.caller.context, args.get(FILE)?, side, args.get(LFS)?, limit)
    }
}

/// The time of a row from which other threads help.
const HELPED_FROM: Duration = Duration::from_micros(limits::FILE_SHARED_FROM_MICROS);

/// Volatile: the meaning of a revision changes with the repository.
impl Scalar for FileContent {
    const DECLARATION: Declaration = Declaration {
        name: "file_content",
        family: Family::Git,
        grant: Grant::Tools(&["GitFile"]),
        description: "Returns the text of a file at a revision, in the index or in the work tree; NULL if the file is missing",
        example: "SELECT file_content('README.md', 'HEAD~1', '.')",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![FILE, REVISION, REPO], fields![FILE, REVISION, REPO, LFS]];
    type Returns = Varchar;
    type State = Opened;
    const HELPED_FROM: Duration = HELPED_FROM;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        Ok(out.text(opened.content(args)?.as_ref().map(|bytes| bytes.as_slice())))
    }
}

impl Scalar for FileBytes {
    const DECLARATION: Declaration = Declaration {
        name: "file_bytes",
        description: "Returns the bytes of a file at a revision, in the index or in the work tree; NULL if the file is missing",
        example: "SELECT octet_length(file_bytes('README.md', 'HEAD~1', '.'))",
        ..FileContent::DECLARATION
    };
    const OVERLOADS: &'static [Overload] = FileContent::OVERLOADS;
    type Returns = Blob;
    type State = Opened;
    const HELPED_FROM: Duration = HELPED_FROM;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Blob>) -> Result<Written> {
        Ok(out.bytes(opened.content(args)?.as_ref().map(|bytes| bytes.as_slice())))
    }
}
