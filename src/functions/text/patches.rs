//! The parts shared by the functions over patches.
//!
//! A patch can be malformed, so each of them can raise and is volatile: otherwise DuckDB would call
//! it on values that are in no row.

use crate::functions::params::{Args, Bytes, Param, required};
use redline_base::budget::Budget;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_rows::{Out, Varchar, Written};
use redline_text::CancelToken;
use redline_text::patch::{self, FilePatch, Read};

/// The patch.
pub const PATCH: Param<Bytes> = required("patch", "A unified or git diff of any number of files");

/// Reads the argument `patch`.
pub fn read<'a>(args: Args<'a>, budget: &'a Budget) -> Result<Read<'a>> {
    Ok(patch::parse_within(args.get(PATCH)?, CancelToken::of(budget))?)
}

/// Returns the path of a file: the new one, or that of a deleted file; `None` if the patch has
/// none.
pub fn file_path<'f>(file: &'f FilePatch<'_>) -> Option<&'f [u8]> {
    file.new_path.as_deref().or(file.old_path.as_deref()).filter(|path| !path.is_empty())
}

/// Refuses a resulting text that is longer than a value may be.
pub fn check_made(text: &[u8]) -> Result<()> {
    if text.len() > limits::VALUE_BYTES {
        return Err(Error::too_large(format!("the result has {} bytes", text.len()))
            .with_hint("A value has at most 4 GiB; use fewer files at once"));
    }
    Ok(())
}

/// Appends a resulting text.
pub fn made(out: Out<'_, Varchar>, text: &[u8]) -> Result<Written> {
    check_made(text)?;
    Ok(out.text(text))
}
