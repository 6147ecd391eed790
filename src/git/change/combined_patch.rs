//! The combined patch of a file that differs from all parents of a merge: `git diff --cc` and `-c`.
//!
//! Source: the output of `git diff-tree --cc`, described in the manual of `git diff` under
//! "Combined diff format".

use crate::change::contents::Reader;
use crate::change::patch::{PatchHunk, Patcher, WrittenPatch};
use crate::model::bytes::Bytes;
use crate::model::changed_file::{Change, Entry};
use crate::model::diff_attribute::DiffAttribute;
use redline_base::error::Result;
use redline_text::combined::{Combined, CombinedDiff, Parent, write_hunk};
use redline_text::{CancelToken, DiffOptions, Engine, is_binary};

/// The line that replaces the content of a binary file.
pub const COMBINED_BINARY_LINE: &[u8] = b"Binary files differ";

/// The contents of a file in a merge and in its parents; only for text.
pub struct MergedTexts {
    parents: Vec<Bytes>,
    result: Bytes,
    is_gone: bool,
}

/// Reads the contents of a file in a merge and its parents; `None` if the file is binary.
pub fn merged_texts(reader: &mut Reader, change: &Change) -> Result<Option<MergedTexts>> {
    let attribute = reader.attributes(&change.path)?.diff;
    let mut parents = Vec::new();
    for entry in change.parents() {
        let Some(text) = reader.whole_if_any(entry, &change.path)? else { return Ok(None) };
        parents.push(text);
    }
    let Some(result) = reader.whole_if_any(change.new, &change.path)? else { return Ok(None) };
    let is_text = match attribute {
        DiffAttribute::Set => true,
        DiffAttribute::Unset => false,
        DiffAttribute::Unspecified => !parents.iter().chain([&result]).any(|text| is_binary(text)),
    };
    // git shows no lines of a file that is deleted in the work tree.
    let is_gone = change.unmerged && change.new.is_none();
    Ok(is_text.then_some(MergedTexts { parents, result, is_gone }))
}

impl MergedTexts {
    /// Compares them; `None` if git shows no lines.
    ///
    /// # Errors
    /// As [`CombinedDiff::new`].
    pub fn diff(
        &self,
        change: &Change,
        engine: &mut Engine,
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<CombinedDiff<'_>>> {
        if self.is_gone {
            return Ok(None);
        }
        let ids: Vec<_> = change.parents().map(|entry| entry.map(|entry| entry.oid)).collect();
        let parent = |at: usize| {
            let earlier = ids[..at].iter().position(|earlier| *earlier == ids[at]);
            earlier.map_or(Parent::Text(&self.parents[at]), Parent::As)
        };
        let parents: Vec<_> = (0..ids.len()).map(parent).collect();
        CombinedDiff::new(engine, &parents, &self.result, options, cancel).map(Some)
    }
}

impl Patcher {
    /// Writes the combined patch of a file; nothing if there is neither a hunk nor a mode to show.
    pub(super) fn write_combined(
        &mut self,
        change: &Change,
        patch: &mut WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let Some(texts) = merged_texts(&mut self.reader, change)? else {
            patch.bytes.extend(self.combined_header(change, false)?);
            patch.bytes.extend([COMBINED_BINARY_LINE, b"\n"].concat());
            return Ok(());
        };
        let diff = texts.diff(change, &mut self.engine, &self.options, cancel)?;
        let hunks = match &diff {
            Some(diff) => diff.hunks(self.combined, self.options.context, cancel)?,
            None => Vec::new(),
        };
        if hunks.is_empty() && !change.unmerged && !has_modes(change) {
            return Ok(());
        }
        patch.bytes.extend(self.combined_header(change, true)?);
        let mut pace = cancel.pace();
        for (hunk, diff) in hunks.iter().zip(diff.iter().cycle()) {
            let start = patch.bytes.len();
            cancel.room(&mut patch.charge, &mut patch.bytes, diff.written_bytes(hunk))?;
            write_hunk(&mut patch.bytes, diff, hunk, &mut pace)?;
            patch.hunks.push(PatchHunk {
                old: hunk.parents[0],
                new: hunk.new,
                section: diff.heading(hunk).to_vec(),
                span: start..patch.bytes.len(),
            });
        }
        Ok(())
    }

    /// Returns the lines before the hunks; omits the names of both sides of a binary file.
    fn combined_header(&mut self, change: &Change, has_names: bool) -> Result<Vec<u8>> {
        let Change { path, new, unmerged, .. } = change;
        let word: &[u8] = match self.combined {
            Combined::Dense => b"diff --cc ",
            Combined::All => b"diff --combined ",
        };
        let mut out = [word, &self.reader.quoted(path), b"\n"].concat();
        let mut ids = Vec::new();
        for parent in change.parents() {
            ids.push(self.abbreviation.of(parent.map(|entry| entry.oid))?);
        }
        // git shows no id for a file of the work tree.
        let id = new.filter(|_| !unmerged).map(|entry| entry.oid);
        let id = self.abbreviation.of(id)?;
        out.extend(format!("index {}..{id}\n", ids.join(",")).into_bytes());
        let is_added = !unmerged && new.is_some() && change.parents().all(|it| it.is_none());
        if has_modes(change) {
            out.extend(modes(change, is_added).into_bytes());
        }
        if has_names {
            let name = |prefix: &[u8], is_there: bool| match is_there {
                true => self.reader.quoted(&[prefix, path].concat()).into_owned(),
                false => b"/dev/null".to_vec(),
            };
            out.extend([b"--- ", &name(b"a/", !is_added)[..], b"\n"].concat());
            out.extend([b"+++ ", &name(b"b/", new.is_some())[..], b"\n"].concat());
        }
        Ok(out)
    }
}

/// Tells whether the mode of the result differs from that of a parent.
fn has_modes(change: &Change) -> bool {
    let mode = |entry: Option<Entry>| entry.map(|entry| entry.mode);
    change.parents().any(|entry| mode(entry) != mode(change.new))
}

/// Returns the line with the modes.
fn modes(change: &Change, is_added: bool) -> String {
    let shown = |entry: Option<Entry>| {
        entry.map_or_else(|| "000000".to_owned(), |entry| entry.mode.to_string())
    };
    let parents = change.parents().map(shown).collect::<Vec<_>>().join(",");
    match change.new {
        Some(new) if is_added => format!("new file mode {}\n", new.mode),
        Some(new) => format!("mode {parents}..{}\n", new.mode),
        None => format!("deleted file mode {parents}\n"),
    }
}
