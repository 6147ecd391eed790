//! Cuts patches into the pieces of a review, with the names of hunks, and without the hunks that
//! were seen.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::hunk_ids::{FileHunkIds, HunkNamer};
use super::moved_lines::FileDiff;
use crate::error::Result;
use crate::git::{Change, Comparison, Patcher, PathAttributes, WrittenPatch};
use crate::limits;
use crate::review::Patch;
use crate::text::hunk_id::HunkId;
use crate::text::{CancelToken, DiffOptions};

/// A patch in pieces.
#[derive(Default)]
pub struct Cut {
    /// The remaining pieces.
    pub patch: Patch,
    /// Their names, if requested.
    pub ids: PieceIds,
    /// Whether there were pieces and all of them were seen.
    pub is_seen: bool,
    /// Its changed lines, if requested and not too many.
    pub lines: Option<FileDiff>,
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
    id: HunkId,
    /// Whether its lines were seen, with other lines around them.
    is_known: bool,
}

impl PieceIds {
    /// Returns the names of a piece and whether its lines were seen elsewhere; without a piece,
    /// those of a file without hunks.
    pub fn of(&self, piece: Option<usize>) -> Option<(&HunkId, bool)> {
        let place = if self.of_file { Some(0) } else { piece };
        self.names.get(place?).map(|named| (&named.id, named.is_known))
    }

    /// Returns approximately how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let name = |named: &Named| named.id.lines.len() + named.id.context.len();
        self.names.iter().map(|named| size_of::<Named>() + name(named)).sum()
    }
}

/// Cuts patches, for one thread.
pub struct Cutter {
    patcher: Patcher,
    names: Names,
    except: Arc<HashSet<String>>,
    has_lines: bool,
}

/// The source of the hunks' names.
enum Names {
    /// No names.
    No,
    /// From the patch that is shown.
    OfPatch,
    /// A second patch, with the default options.
    Apart(Box<HunkNamer>),
}

impl Cutter {
    /// Creates a cutter for the patches of a comparison.
    pub fn new(
        comparison: &Comparison,
        options: &DiffOptions,
        has_names: bool,
        except: &Arc<HashSet<String>>,
    ) -> Result<Self> {
        let names = match has_names || !except.is_empty() {
            false => Names::No,
            true if *options == DiffOptions::default() => Names::OfPatch,
            true => Names::Apart(Box::new(HunkNamer::new(comparison)?)),
        };
        let patcher = comparison.patcher(options.clone())?;
        Ok(Self { patcher, names, except: Arc::clone(except), has_lines: false })
    }

    /// Returns the same cutter, which also returns the changed lines.
    #[must_use]
    pub fn with_lines(self, has_lines: bool) -> Self {
        Self { has_lines, ..self }
    }

    /// Returns the attributes of a path.
    pub fn attributes(&mut self, path: &[u8]) -> Result<PathAttributes> {
        self.patcher.attributes(path)
    }

    /// Returns the pieces of a change.
    pub fn cut(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<Cut> {
        let patch = self.patcher.patch(change, cancel)?;
        let ids = match &mut self.names {
            Names::No => None,
            Names::OfPatch if change.is_combined() => None,
            Names::OfPatch => Some(FileHunkIds::of(change, &patch, cancel)?),
            Names::Apart(namer) => namer.names(change, cancel)?,
        };
        let is_short =
            patch.bytes.iter().filter(|&&byte| byte == b'\n').count() <= limits::TOLD_MOVED_LINES;
        let lines = (self.has_lines && is_short)
            .then(|| FileDiff::of_patch(change, &patch, cancel))
            .transpose()?;
        let Some(ids) = ids else {
            let hunks: Vec<_> = patch.hunks.iter().map(|hunk| hunk.span.clone()).collect();
            let patch = Patch::new(&patch.bytes, &hunks);
            return Ok(Cut { patch, lines, ..Cut::default() });
        };
        Ok(Cut { lines, ..self.left(&patch, &ids) })
    }

    /// Returns the rest of a patch without the hunks that were seen.
    fn left(&self, patch: &WrittenPatch, ids: &FileHunkIds) -> Cut {
        let named = |id: Option<&HunkId>| {
            id.map(|id| Named { id: id.clone(), is_known: self.except.contains(&id.lines) })
        };
        let is_default = matches!(self.names, Names::OfPatch);
        let is_seen = |id: &HunkId| self.except.contains(&id.context);
        if patch.hunks.is_empty() {
            let id = ids.at(None, None);
            if id.is_some_and(is_seen) {
                return Cut { is_seen: true, ..Cut::default() };
            }
            let ids = PieceIds { names: named(id).into_iter().collect(), of_file: true };
            return Cut { patch: Patch::new(&patch.bytes, &[]), ids, ..Cut::default() };
        }
        let (mut bytes, mut spans, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let (mut end, mut head) = (0, 0..0);
        for hunk in &patch.hunks {
            if hunk.span.start > end {
                head = end..hunk.span.start;
            }
            end = hunk.span.end;
            let id = ids.of_shown(hunk, &patch.bytes[hunk.span.clone()]);
            // With other options a hunk may consist of several named ones: it was seen if all of
            // these were.
            let is_seen = match is_default {
                true => id.is_some_and(is_seen),
                false => ids.within(hunk).next().is_some() && ids.within(hunk).all(is_seen),
            };
            if is_seen {
                continue;
            }
            bytes.extend_from_slice(&patch.bytes[std::mem::replace(&mut head, 0..0)]);
            let start = bytes.len();
            bytes.extend_from_slice(&patch.bytes[hunk.span.clone()]);
            spans.push(Range { start, end: bytes.len() });
            names.extend(named(id));
        }
        let is_seen = spans.is_empty();
        // Either every piece has its names, or none has.
        if names.len() != spans.len() {
            names.clear();
        }
        let ids = PieceIds { names, of_file: false };
        Cut { patch: Patch::new(&bytes, &spans), ids, is_seen, lines: None }
    }
}
