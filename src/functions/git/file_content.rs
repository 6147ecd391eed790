//! `file_content(file, rev, repo)` and `file_bytes(file, rev, repo)`: a file as it is at a revision.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::tree_files::REVISION;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::params::arguments::row_text;
use crate::functions::params::comparison;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::git::ReadLimit;
use crate::limits;
use crate::query::file_content::OpenSides;

/// A file of a repository.
pub const FILE: Field = Field::new(
    "file",
    Type::Varchar,
    "The file, by its path from the repository's root; './…' and '../…' start at the directory that repo names",
);

/// How a content is returned.
pub trait ContentType: Send + 'static {
    /// The name of the function.
    const NAME: &'static str;
    /// The type of its result.
    const TYPE: Type;
    /// What it says of itself.
    const DESCRIPTION: &'static str;
    /// A query that shows it.
    const EXAMPLE: &'static str;

    /// Appends a content.
    fn push(bytes: Option<&[u8]>, out: &mut Column);
}

/// As text.
pub struct Text;

impl ContentType for Text {
    const NAME: &'static str = "file_content";
    const TYPE: Type = Type::Varchar;
    const DESCRIPTION: &'static str = "The text of a file at a revision, in the index or in the work tree; NULL where it is not there";
    const EXAMPLE: &'static str = "SELECT file_content('README.md', 'HEAD~1', '.')";

    fn push(bytes: Option<&[u8]>, out: &mut Column) {
        out.push_bytes(bytes);
    }
}

/// As it is.
pub struct Bytes;

impl ContentType for Bytes {
    const NAME: &'static str = "file_bytes";
    const TYPE: Type = Type::Blob;
    const DESCRIPTION: &'static str = "The bytes of a file at a revision, in the index or in the work tree; NULL where it is not there";
    const EXAMPLE: &'static str = "SELECT octet_length(file_bytes('README.md', 'HEAD~1', '.'))";

    fn push(bytes: Option<&[u8]>, out: &mut Column) {
        out.push_blob(bytes);
    }
}

/// The scalar function.
pub struct FileContent<T>(PhantomData<T>);

impl<T: ContentType> Declared for FileContent<T> {
    const DECLARATION: Declaration = Declaration {
        name: T::NAME,
        family: Family::Git,
        grant: Grant::Tools(&["GitFile", "GitDiff"]),
        description: T::DESCRIPTION,
        example: T::EXAMPLE,
    };
}

/// What a thread keeps between rows: the sides that were opened, by repository and revision.
pub struct Opened {
    execution: ExecutionContext,
    sides: OpenSides,
}

impl<T: ContentType> ScalarFunction for FileContent<T> {
    const NAME: &'static str = T::NAME;
    const OVERLOADS: &'static [Overload] = &[&[FILE, REVISION, comparison::REPO]];
    const RETURNS: Type = T::TYPE;
    // What a revision means changes with the repository.
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Opened;
    const HELPED_FROM: Duration = Duration::from_micros(limits::FILE_SHARED_FROM_MICROS);

    fn budget(opened: &Opened) -> Option<&Arc<Budget>> {
        Some(&opened.execution.budget)
    }

    fn open(settings: Settings) -> Result<Opened> {
        let execution = ExecutionContext::open::<Self>(settings)?;
        Ok(Opened { execution, sides: OpenSides::default() })
    }

    fn helper(opened: &Opened) -> Option<Opened> {
        Some(Opened { execution: opened.execution.clone(), sides: OpenSides::default() })
    }

    fn call(opened: &mut Opened, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let file = row_text(arguments, 0, "file")?;
        let (rev, repo) = (row_text(arguments, 1, "rev")?, row_text(arguments, 2, "repo")?);
        let Opened { execution, sides } = opened;
        let bytes = settings::max_read_bytes(&execution.settings);
        let limit = ReadLimit { bytes, name: "redline_max_read_bytes" };
        let content = sides.content(execution, &file, [repo, rev], limit)?;
        T::push(content.as_ref().map(|bytes| bytes.as_slice()), out);
        Ok(())
    }
}
