//! `write_file(path, content)`: creates a file or replaces its whole content.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{CONTENT, PATH, write_arguments};
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, StructOf, Written};
use redline_tools::WriteResult;

/// The scalar function.
pub struct WriteFile;

impl Scalar for WriteFile {
    const DECLARATION: Declaration = Declaration {
        name: "write_file",
        family: Family::Files,
        grant: Grant::Tools(&["write_file"]),
        description: "Creates or overwrites a file and its parent directories",
        example: "SELECT write_file('workspace/notes.txt', 'text').message",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATH, CONTENT]];
    type Returns = StructOf<WriteResult>;
    type State = Opened;
    // A NULL must not silently skip a write.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        Ok(out.row(&opened.tools.write(&write_arguments(args)?)?))
    }
}
