//! `read_file(path [, offset, max_chars])`: the text of a file, or a part of it.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::file_input::read_file_for;
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Maybe, Name, Param, bounded, fields, number, optional, required,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, StructOf, Written};
use redline_tools::ReadResult;

/// The scalar function.
pub struct ReadFile;

bounded! {
    /// A number of characters.
    Characters: BigInt as u64, 0.., "Give a number of characters, 0 or more";
}

const PATH: Param<Maybe<Name>> = required("path", "The file, as sandbox/relative/path");
const OFFSET: Param<Characters> = number("offset", 0, "Characters to leave out at the start");
const MAX_CHARS: Param<Maybe<Characters>> =
    optional("max_chars", "Most characters to return; NULL: no limit");

impl Scalar for ReadFile {
    const DECLARATION: Declaration = Declaration {
        name: "read_file",
        family: Family::Files,
        grant: Grant::Tools(&["read_file"]),
        description: "Reads the text of a file, or a part of it",
        example: "SELECT read_file('workspace/README.md').content",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATH], fields![PATH, OFFSET, MAX_CHARS]];
    type Returns = StructOf<ReadResult>;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(path) = args.get(PATH)? else { return Ok(out.null()) };
        let elsewhere = |path: &str| read_file_for(path, &opened.execution);
        let (offset, max_chars) = (args.get(OFFSET)?, args.get(MAX_CHARS)?);
        Ok(out.row(&opened.tools.read(path, offset, max_chars, elsewhere)?))
    }
}
