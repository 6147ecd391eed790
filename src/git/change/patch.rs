//! One file's change as a patch: the output of `git diff`, byte for byte.
//!
//! Source: the output of `git diff`, described in its manual under "Generating patch text with -p".

use std::ops::Range;

use crate::attributes::ContentSource;
use crate::change::contents::Reader;
use crate::model::changed_file::{Change, Entry};
use crate::model::diff_attribute::PathAttributes;
use crate::objects::abbreviation::Abbreviation;
use redline_base::budget::Charge;
use redline_base::error::Result;
use redline_text::section::Finder;
use redline_text::unified::{shown_range, write_hunk, write_labels};
use redline_text::{CancelToken, Combined, Diff, DiffOptions, Engine};

/// A file's patch and the ranges of its hunks.
#[derive(Debug, Default)]
pub struct WrittenPatch {
    /// The patch; empty if only ignored whitespace changed.
    pub bytes: Vec<u8>,
    /// The hunks in order.
    pub hunks: Vec<PatchHunk>,
    /// What the query is charged for its memory.
    pub charge: Charge,
}

/// A hunk of a patch.
#[derive(Debug)]
pub struct PatchHunk {
    /// First line and count of the old side, as the header shows them.
    pub old: (u32, u32),
    /// First line and count of the new side, as the header shows them.
    pub new: (u32, u32),
    /// The text after the second `@@`.
    pub section: Vec<u8>,
    /// The range of the hunk in the patch, its header included.
    pub span: Range<usize>,
}

/// Writes patches for one thread.
pub struct Patcher {
    pub(super) reader: Reader,
    pub(super) engine: Engine,
    pub(super) abbreviation: Abbreviation,
    pub(super) options: DiffOptions,
    /// How merges are shown.
    pub(super) combined: Combined,
}

impl Patcher {
    /// Creates a writer of patches for a source's files.
    pub fn new(source: &ContentSource, options: DiffOptions) -> Result<Self> {
        let repository = source.repository();
        let abbreviation = Abbreviation::new(&repository.store, &repository.config)?;
        let (reader, engine) = (Reader::new(source), Engine::default());
        Ok(Self { reader, engine, abbreviation, options, combined: Combined::Dense })
    }

    /// Writes ids whole: `--full-index`.
    #[must_use]
    pub fn with_whole_ids(self) -> Self {
        Self { abbreviation: self.abbreviation.whole(), ..self }
    }

    /// Returns the patch of a change.
    pub fn patch(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<WrittenPatch> {
        let mut patch = WrittenPatch::default();
        if change.is_combined() {
            self.write_combined(change, &mut patch, cancel)?;
            return Ok(patch);
        }
        for part in change.parts() {
            self.write(&part, &mut patch, cancel)?;
        }
        Ok(patch)
    }

    /// Returns the attributes of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Result<PathAttributes> {
        self.reader.attributes(path)
    }

    fn write(
        &mut self,
        change: &Change,
        patch: &mut WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        if change.unmerged {
            patch.bytes.extend([b"* Unmerged path ", &change.path[..], b"\n"].concat());
            return Ok(());
        }
        let start = patch.bytes.len();
        let is_bare = self.write_header(change, &mut patch.bytes)?;
        // A header is shown without hunks only if it says something.
        let without_hunks = if is_bare { start } else { patch.bytes.len() };
        if change.has_same_content() {
            // A submodule that differs only in the index has nothing to show.
            patch.bytes.truncate(without_hunks);
            return Ok(());
        }
        let (old, new) = self.reader.contents(change)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else {
            if !change.is_empty_file() {
                patch.bytes.extend(self.reader.binary_line(change));
                patch.bytes.push(b'\n');
            }
            return Ok(());
        };
        let diff = Diff::new(&mut self.engine, old, new, &self.options, cancel)?;
        if diff.hunks().is_empty() {
            patch.bytes.truncate(without_hunks);
            return Ok(());
        }
        cancel.room(&mut patch.charge, &mut patch.bytes, diff.written_bytes())?;
        cancel.room(&mut patch.charge, &mut patch.hunks, diff.hunks().len())?;
        let labels = change.labels();
        write_labels(&mut patch.bytes, &labels.0, &labels.1, self.reader.quotes_high());
        let sections = self.reader.sections(change)?;
        let mut headings = Finder::new(sections, diff.old_lines(), cancel);
        let mut pace = cancel.pace();
        for hunk in diff.hunks() {
            let section = headings.heading(hunk)?;
            let start = patch.bytes.len();
            write_hunk(&mut patch.bytes, &diff, hunk, section, &mut pace)?;
            patch.hunks.push(PatchHunk {
                old: shown_range(&hunk.old),
                new: shown_range(&hunk.new),
                section: section.unwrap_or_default().to_vec(),
                span: start..patch.bytes.len(),
            });
        }
        Ok(())
    }

    /// Writes the lines before `---`; returns whether they only state the two ids.
    fn write_header(&mut self, change: &Change, out: &mut Vec<u8>) -> Result<bool> {
        let Change { path, old, new, origin, .. } = change;
        let name =
            |prefix: &[u8], path: &[u8]| self.reader.quoted(&[prefix, path].concat()).into_owned();
        out.extend(
            [b"diff --git ", &name(b"a/", change.old_path())[..], b" ", &name(b"b/", path), b"\n"]
                .concat(),
        );
        let mut is_bare = false;
        match (old, new) {
            (None, Some(new)) => out.extend(format!("new file mode {}\n", new.mode).into_bytes()),
            (Some(old), None) => {
                out.extend(format!("deleted file mode {}\n", old.mode).into_bytes())
            }
            (Some(old), Some(new)) if old.mode != new.mode => {
                out.extend(format!("old mode {}\nnew mode {}\n", old.mode, new.mode).into_bytes());
            }
            _ => is_bare = origin.is_none(),
        }
        if let Some(origin) = origin {
            let word = if origin.is_copy { "copy" } else { "rename" };
            out.extend(format!("similarity index {}%\n", origin.similarity).into_bytes());
            for (end, path) in [("from", &origin.path), ("to", path)] {
                out.extend(
                    [format!("{word} {end} ").as_bytes(), &self.reader.quoted(path), b"\n"]
                        .concat(),
                );
            }
        }
        if !change.has_same_ids() {
            let mut cut = |side: &Option<Entry>| self.abbreviation.of(side.map(|entry| entry.oid));
            let mut line = format!("index {}..{}", cut(old)?, cut(new)?);
            if let (Some(old), Some(new)) = (old, new)
                && old.mode == new.mode
            {
                line.push_str(&format!(" {}", new.mode));
            }
            line.push('\n');
            out.extend(line.into_bytes());
        }
        Ok(is_bare)
    }
}
