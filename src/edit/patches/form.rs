//! Detects the format of a patch: 67 of 109 calls that failed in other tools used a format that a
//! third tool would have accepted.

use super::{FileChange, blocks, check_paths, edits, envelope, unified};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_text::CancelToken;

/// Reads a patch in the format that it appears to be in.
///
/// # Errors
/// `invalid_args` for a text in none of the formats, a text that cannot be read, and unsupported
/// changes: binary patches, links, submodules and copies. The reason for which the query ended.
pub fn read(patch: &str, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    // Each line is stored as a text of its own.
    let lines = patch.len() / 16;
    let _charge = cancel.charge(patch.len() + lines * size_of::<super::HunkLine>())?;
    let changes = read_as_detected(patch, cancel)?;
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

fn read_as_detected(patch: &str, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    if patch.trim_start().starts_with('[') {
        return edits::read(patch);
    }
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == envelope::BEGIN {
            return envelope::read(patch, cancel);
        }
        if blocks::is_search(line) {
            return blocks::read(patch, cancel);
        }
        let is_named =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if is_named || line.starts_with("diff --git ") || line.starts_with("@@ -") {
            return unified::read(patch, cancel);
        }
    }
    Err(Error::invalid_args("the patch is in no format that can be read").with_hint(
        "Give a unified diff (--- a/file, +++ b/file, @@ …), *** Begin Patch … *** End Patch, blocks of <<<<<<< SEARCH, ======= \
         and >>>>>>> REPLACE below the file's path, or a JSON list of {path, old_string, new_string}",
    ))
}
