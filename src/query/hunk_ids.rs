//! The names of the hunks of a file, which are those of the default options whatever is shown.

use std::ops::Range;

use crate::error::Result;
use crate::git::{Change, Comparison, Entry, PatchHunk, Patcher, WrittenPatch};
use crate::text::hunk_id::{HunkId, NamedHunk, file_id, hunk_ids};
use crate::text::{CancelToken, DiffOptions};

/// The hunks of a file with their names; a file without hunks has one name.
pub struct FileHunkIds(Vec<Place>);

/// The place of a hunk on both sides.
struct Place {
    old: Range<u32>,
    new: Range<u32>,
    id: HunkId,
}

impl FileHunkIds {
    /// Names the hunks of a patch that was written with the default options.
    pub fn of(change: &Change, patch: &WrittenPatch, cancel: &CancelToken<'_>) -> Result<Self> {
        if patch.hunks.is_empty() {
            let id = whole_file(change);
            return Ok(Self(vec![Place { old: 0..0, new: 0..0, id }]));
        }
        let named = patch.hunks.iter().map(|hunk| NamedHunk {
            section: &hunk.section,
            text: &patch.bytes[hunk.span.clone()],
        });
        let ids = hunk_ids(&change.path, named, cancel)?;
        let places = patch.hunks.iter().zip(ids).map(|(hunk, id)| Place {
            old: hunk.old.0..hunk.old.0 + hunk.old.1,
            new: hunk.new.0..hunk.new.0 + hunk.new.1,
            id,
        });
        Ok(Self(places.collect()))
    }

    /// Returns the names of the hunk with a line, by its numbers on both sides; without numbers,
    /// those of the file if it has no hunks.
    pub fn at(&self, old: Option<u32>, new: Option<u32>) -> Option<&HunkId> {
        let is_in =
            |line: Option<u32>, range: &Range<u32>| line.is_some_and(|line| range.contains(&line));
        let place = match (old, new) {
            (None, None) => self.0.first(),
            _ => self.0.iter().find(|place| is_in(old, &place.old) || is_in(new, &place.new)),
        };
        place.map(|place| &place.id)
    }

    /// Returns the names of the hunk with the first changed line of a shown one.
    pub fn of_shown(&self, hunk: &PatchHunk, text: &[u8]) -> Option<&HunkId> {
        let body = text.split(|&byte| byte == b'\n').skip(1);
        let context = body.take_while(|line| line.first() == Some(&b' ')).count() as u32;
        let first = |(start, count): (u32, u32)| (count > context).then_some(start + context);
        self.at(first(hunk.old), first(hunk.new))
    }

    /// Returns the names of all hunks with lines in a shown one.
    pub fn within<'a>(&'a self, hunk: &PatchHunk) -> impl Iterator<Item = &'a HunkId> {
        let (old, new) = (lines_of(hunk.old), lines_of(hunk.new));
        let is_in = move |place: &&Place| meet(&place.old, &old) || meet(&place.new, &new);
        self.0.iter().filter(is_in).map(|place| &place.id)
    }

    /// Returns the names of the hunk that equals a shown one, if neither overlaps another: whoever
    /// has seen one has seen the other.
    pub fn same(&self, hunk: &PatchHunk, shown: &[PatchHunk]) -> Option<&HunkId> {
        let mut within = self.within(hunk);
        let id = within.next().filter(|_| within.next().is_none())?;
        let parts = shown.iter().filter(|other| self.within(other).any(|own| own == id));
        (parts.count() == 1).then_some(id)
    }

    /// Returns approximately how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        self.0
            .iter()
            .map(|place| size_of::<Place>() + place.id.lines.len() + place.id.context.len())
            .sum()
    }
}

fn lines_of((start, count): (u32, u32)) -> Range<u32> {
    start..start + count
}

fn meet(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

/// Returns the names of a change without hunks: a mode, a name, a binary or an empty file.
fn whole_file(change: &Change) -> HunkId {
    let side = |entry: Option<Entry>| {
        entry.map_or_else(String::new, |entry| format!("{} {}", entry.mode, entry.oid))
    };
    let (old, new) = (side(change.old), side(change.new));
    file_id(&change.path, &[change.old_path(), old.as_bytes(), new.as_bytes()])
}

/// Names the hunks of files, for one thread.
pub struct HunkNamer(Patcher);

impl HunkNamer {
    /// Creates a namer for the hunks of a comparison.
    pub fn new(comparison: &Comparison) -> Result<Self> {
        Ok(Self(comparison.patcher(DiffOptions::default())?))
    }

    /// Returns the names of a change without hunks; `None` if it has some, and for a merge.
    pub fn file_names(
        &mut self,
        change: &Change,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<HunkId>> {
        let has_none = !change.is_combined() && self.0.patch(change, cancel)?.hunks.is_empty();
        Ok(has_none.then(|| whole_file(change)))
    }

    /// Returns the names of the hunks of a file whose patch, with other options, exists; `None` for
    /// a merge.
    pub fn names_beside(
        &mut self,
        change: &Change,
        patch: &WrittenPatch,
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<FileHunkIds>> {
        if *options == DiffOptions::default() && !change.is_combined() {
            return FileHunkIds::of(change, patch, cancel).map(Some);
        }
        self.names(change, cancel)
    }

    /// Returns the names of the hunks of a file; `None` for a merge compared with all its parents.
    pub fn names(
        &mut self,
        change: &Change,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<FileHunkIds>> {
        if change.is_combined() {
            return Ok(None);
        }
        let patch = self.0.patch(change, cancel)?;
        FileHunkIds::of(change, &patch, cancel).map(Some)
    }
}
