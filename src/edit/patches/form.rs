//! Detects the format of a patch: 67 of 109 calls that failed in other tools used a format that a
//! third tool would have accepted.

use super::{FileChange, blocks, check_paths, edits, envelope, unified};
use crate::error::{Error, Result};
use crate::limits;
use crate::text::CancelToken;

/// The formats of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unified,
    Envelope,
    Blocks,
    Json,
}

/// Reads a patch in the format that it appears to be in.
///
/// # Errors
/// `invalid_args` for a text in none of the formats, a text that cannot be read, and unsupported
/// changes: binary patches, links, submodules and copies. The reason for which the query ended.
pub fn read(patch: &str, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    // Each line is stored as a text of its own.
    let lines = patch.len() / 16;
    let _charge = cancel.charge(patch.len() + lines * size_of::<super::HunkLine>())?;
    let changes = match form_of(patch) {
        Some(Form::Unified) => unified::read(patch, cancel),
        Some(Form::Envelope) => envelope::read(patch, cancel),
        Some(Form::Blocks) => blocks::read(patch, cancel),
        Some(Form::Json) => edits::read(patch),
        None => Err(Error::invalid_args("the patch is in no format that can be read").with_hint(
            "Give a unified diff (--- a/file, +++ b/file, @@ …), *** Begin Patch … *** End Patch, blocks of <<<<<<< SEARCH, ======= \
             and >>>>>>> REPLACE below the file's path, or a JSON list of {path, old_string, new_string}",
        )),
    }?;
    if changes.is_empty() {
        return Err(Error::invalid_args("the patch changes no file")
            .with_hint("Give at least one change of a file"));
    }
    if changes.len() > limits::PATCH_FILES {
        return Err(Error::too_large(format!(
            "the patch changes {} files, and one has at most {}",
            changes.len(),
            limits::PATCH_FILES
        ))
        .with_hint("Send it in several patches"));
    }
    check_paths(changes, cancel)
}

fn form_of(patch: &str) -> Option<Form> {
    if patch.trim_start().starts_with('[') {
        return Some(Form::Json);
    }
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == envelope::BEGIN {
            return Some(Form::Envelope);
        }
        if blocks::is_search(line) {
            return Some(Form::Blocks);
        }
        let is_named =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if is_named || line.starts_with("diff --git ") || line.starts_with("@@ -") {
            return Some(Form::Unified);
        }
    }
    None
}
