//! Cuts patches into the pieces of a review, with the names of hunks, and without the hunks that
//! were seen.

use std::ops::Range;
use std::sync::Arc;

use crate::machinery::hunk_ids::{FileHunkIds, HunkNamer, id_bytes};
use crate::questions::moved_lines::ChangedLines;
use crate::review::seen::Seen;
use redline_base::budget::{Gather, Grow, GrowBy};
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Change, Comparison, Patcher, PathAttributes, WrittenPatch};
use redline_review::Patch;
use redline_text::hunk_id::HunkId;
use redline_text::{CancelToken, DiffOptions};

/// A patch in pieces.
#[derive(Default)]
pub struct Cut {
    /// The remaining pieces.
    pub patch: Patch,
    /// Their names, if requested.
    pub ids: PieceIds,
    /// How many hunks were seen, and are left out.
    pub seen: usize,
    /// Whether there was something, and all of it was seen.
    pub is_seen: bool,
    /// Its changed lines, if requested and not too many.
    pub lines: Option<ChangedLines>,
}

/// The names of the pieces of a patch.
#[derive(Default)]
pub struct PieceIds {
    names: Vec<Named>,
    /// Whether they name a file without hunks.
    of_file: bool,
}

/// The names of a piece.
struct Named {
    /// `None` for a piece that is not the whole of what has names.
    id: Option<HunkId>,
    /// Whether the lines were seen, with others around them.
    is_known: bool,
}

impl PieceIds {
    /// Returns the names of a piece; of no piece, those of a file that has no hunks.
    pub fn of(&self, piece: Option<usize>) -> Option<&HunkId> {
        self.named(piece)?.id.as_ref()
    }

    /// Tells of such a piece whether its lines were seen elsewhere.
    pub fn is_known(&self, piece: Option<usize>) -> Option<bool> {
        self.named(piece).map(|named| named.is_known)
    }

    /// Returns how many pieces have lines that were seen elsewhere.
    pub fn known(&self) -> usize {
        self.names.iter().filter(|named| named.is_known).count()
    }

    fn named(&self, piece: Option<usize>) -> Option<&Named> {
        self.names.get(if self.of_file { 0 } else { piece? })
    }

    /// Returns approximately how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let bytes = |named: &Named| size_of::<Named>() + named.id.as_ref().map_or(0, id_bytes);
        self.names.iter().map(bytes).sum()
    }
}

/// How patches are cut.
pub struct Cutting {
    /// Whether hunks are named.
    pub has_names: bool,
    /// The hunks to leave out.
    pub seen: Arc<Seen>,
}

impl Cutting {
    /// Creates a cutter for the patches of a comparison, which also returns their changed lines if
    /// it `has_lines`.
    pub fn cutter(
        &self,
        comparison: &Comparison,
        options: &DiffOptions,
        has_lines: bool,
    ) -> Result<Cutter> {
        let (patcher, seen) = (comparison.patcher(options.clone())?, Arc::clone(&self.seen));
        let namer = HunkNamer::new(comparison, options, self.has_names || !seen.is_empty())?;
        Ok(Cutter { patcher, namer, seen, has_lines })
    }
}

/// Cuts patches, for one thread.
pub struct Cutter {
    patcher: Patcher,
    namer: HunkNamer,
    seen: Arc<Seen>,
    has_lines: bool,
}

impl Cutter {
    /// Returns the attributes of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Result<PathAttributes> {
        self.patcher.attributes(path)
    }

    /// Returns the pieces of a change.
    pub fn cut(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<Cut> {
        let patch = self.patcher.patch(change, cancel)?;
        let ids = self.namer.names(change, &patch, cancel)?;
        let is_short =
            patch.bytes.iter().filter(|&&byte| byte == b'\n').count() <= limits::TOLD_MOVED_LINES;
        let lines = (self.has_lines && is_short)
            .then(|| ChangedLines::of_patch(change, &patch, cancel))
            .transpose()?;
        let Some(ids) = ids else {
            let hunks: Vec<_> = patch.hunks.iter().map(|hunk| hunk.span.clone()).gather();
            let patch = Patch::new(&patch.bytes, &hunks);
            return Ok(Cut { patch, lines, ..Cut::default() });
        };
        Ok(Cut { lines, ..self.left(&patch, &ids) })
    }

    /// Returns the rest of a patch without the hunks that were seen.
    fn left(&self, patch: &WrittenPatch, ids: &FileHunkIds) -> Cut {
        let is_seen = |id: &HunkId| self.seen.has(id);
        let is_known = |id: &HunkId| self.seen.has_lines(id);
        if patch.hunks.is_empty() {
            let Some(id) = ids.file() else {
                return Cut { patch: Patch::new(&patch.bytes, &[]), ..Cut::default() };
            };
            if is_seen(id) {
                return Cut { seen: 1, is_seen: true, ..Cut::default() };
            }
            let names = vec![Named { id: Some(id.clone()), is_known: is_known(id) }];
            let ids = PieceIds { names, of_file: true };
            return Cut { patch: Patch::new(&patch.bytes, &[]), ids, ..Cut::default() };
        }
        let (mut bytes, mut spans, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let (mut end, mut head) = (0, 0..0);
        for (index, hunk) in patch.hunks.iter().enumerate() {
            if hunk.span.start > end {
                head = end..hunk.span.start;
            }
            end = hunk.span.end;
            let text = &patch.bytes[hunk.span.clone()];
            // With other options a hunk may have parts of several: it was seen where all of these
            // were.
            let within = ids.within(index, hunk, text);
            if within.all(is_seen) {
                continue;
            }
            bytes.add_slice(&patch.bytes[std::mem::replace(&mut head, 0..0)]);
            let start = bytes.len();
            bytes.add_slice(text);
            spans.add(Range { start, end: bytes.len() });
            names.add(Named { id: within.id(), is_known: within.all(is_known) });
        }
        let (seen, is_seen) = (patch.hunks.len() - spans.len(), spans.is_empty());
        let ids = PieceIds { names, of_file: false };
        Cut { patch: Patch::new(&bytes, &spans), ids, seen, is_seen, lines: None }
    }
}
