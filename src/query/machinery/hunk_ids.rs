//! The ids of the hunks of a file, always computed with the default diff options.

use std::ops::Range;

use redline_base::budget::{Gather, Grow, GrowBy};
use redline_base::error::Result;
use redline_git::{Change, Comparison, Entry, PatchHunk, Patcher, Status, WrittenPatch};
use redline_text::hunk_id::{HunkId, NamedHunk, file_id, hunk_ids, joined};
use redline_text::{CancelToken, DiffOptions, Whitespace};

/// The hunks of a file with their names; a file without hunks has one name.
pub struct FileHunkIds {
    places: Vec<HunkPlace>,
    /// The names of a file without hunks.
    file: Option<HunkId>,
    shown: ShownPart,
}

/// What is shown of the hunks that have the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownPart {
    /// They themselves.
    Themselves,
    /// The same lines, in hunks that begin and end elsewhere or were found in another way.
    AllLines,
    /// No changes of whitespace, or none of blank lines.
    SomeChanges,
}

impl ShownPart {
    fn by(options: &DiffOptions) -> Self {
        if *options == DiffOptions::default() {
            Self::Themselves
        } else if options.whitespace == Whitespace::Exact && !options.ignore_blank_lines {
            Self::AllLines
        } else {
            Self::SomeChanges
        }
    }
}

/// Lines of both sides, as ranges in order.
type SideRanges = [Vec<Range<u32>>; 2];

/// Where a hunk is on both sides. An empty range is where the hunk before ends, so that both sides
/// are in order.
struct HunkPlace {
    sides: [Range<u32>; 2],
    /// The lines that it removes and adds, where other hunks are shown.
    changed: SideRanges,
    id: HunkId,
}

/// The hunks that have lines in a shown one.
pub struct Within<'a> {
    parts: Vec<&'a HunkId>,
    is_whole: bool,
}

impl Within<'_> {
    /// Returns the names of the shown hunk, joined if it contains several hunks; `None` if it does
    /// not contain the whole of each: a reader of a part of a hunk has not seen the hunk.
    pub fn id(&self) -> Option<HunkId> {
        self.is_whole.then(|| joined(&self.parts)).flatten()
    }

    /// Tells whether something holds for each of the hunks.
    pub fn all(&self, is: impl Fn(&HunkId) -> bool) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|id| is(id))
    }
}

impl FileHunkIds {
    /// Names the hunks of a patch that was written with the default options; `shown` is what is
    /// shown of them.
    fn of(
        change: &Change,
        patch: &WrittenPatch,
        shown: ShownPart,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        if patch.hunks.is_empty() {
            return Ok(Self { places: Vec::new(), file: Some(whole_file(change)), shown });
        }
        let text = |hunk: &PatchHunk| &patch.bytes[hunk.span.clone()];
        let named =
            patch.hunks.iter().map(|hunk| NamedHunk { section: &hunk.section, text: text(hunk) });
        let ids = hunk_ids(&change.path, &facts(change), named, cancel)?;
        let mut ends = [0, 0];
        let places = patch.hunks.iter().zip(ids).map(|(hunk, id)| {
            let mut side = |side: usize, (start, count): (u32, u32)| {
                let range = if count == 0 { ends[side]..ends[side] } else { start..start + count };
                ends[side] = range.end;
                range
            };
            let changed = match shown {
                ShownPart::Themselves => SideRanges::default(),
                _ => changed_lines(hunk, text(hunk)),
            };
            HunkPlace { sides: [side(0, hunk.old), side(1, hunk.new)], changed, id }
        });
        Ok(Self { places: places.gather(), file: None, shown })
    }

    /// Returns the names of a file without hunks.
    pub fn file(&self) -> Option<&HunkId> {
        self.file.as_ref()
    }

    /// Returns the names of a hunk, by its number from 1.
    pub fn of_hunk(&self, number: u32) -> Option<&HunkId> {
        self.places.get((number as usize).checked_sub(1)?).map(|place| &place.id)
    }

    /// Returns the names of the hunk with a line, by its numbers on both sides; without numbers,
    /// those of the file if it has no hunks.
    pub fn at(&self, old: Option<u32>, new: Option<u32>) -> Option<&HunkId> {
        if (old, new) == (None, None) {
            return self.file();
        }
        let on = |side: usize, line: Option<u32>| {
            let line = line?;
            let at = self.places.partition_point(|place| place.sides[side].end <= line);
            self.places.get(at).filter(|place| place.sides[side].contains(&line))
        };
        on(0, old).or_else(|| on(1, new)).map(|place| &place.id)
    }

    /// Returns the hunks that have lines in a shown one, by its index and its text.
    pub fn within(&self, index: usize, hunk: &PatchHunk, text: &[u8]) -> Within<'_> {
        let all = |(start, count): (u32, u32)| match count {
            0 => Vec::new(),
            _ => vec![Range { start, end: start + count }],
        };
        let lines = match self.shown {
            ShownPart::Themselves => {
                let parts = self.places.get(index).map(|place| &place.id).into_iter().gather();
                return Within { parts, is_whole: true };
            }
            ShownPart::AllLines => [all(hunk.old), all(hunk.new)],
            ShownPart::SomeChanges => changed_lines(hunk, text),
        };
        let (mut parts, mut is_whole) = (Vec::new(), true);
        for place in self.near(hunk) {
            let of_side = |side: usize| place.changed[side].iter().map(move |run| (side, run));
            let mut changed = of_side(0).chain(of_side(1));
            if changed.clone().any(|(side, run)| meets(&lines[side], run)) {
                parts.add(&place.id);
                is_whole &= changed.all(|(side, run)| holds(&lines[side], run));
            }
        }
        Within { parts, is_whole }
    }

    /// Returns the names of each hunk of the patch that is shown.
    pub fn of_all(self, patch: &WrittenPatch) -> Vec<Option<HunkId>> {
        if self.shown == ShownPart::Themselves {
            return self.places.into_iter().map(|place| Some(place.id)).gather();
        }
        let text = |hunk: &PatchHunk| &patch.bytes[hunk.span.clone()];
        let hunks = patch.hunks.iter().enumerate();
        hunks.map(|(index, hunk)| self.within(index, hunk, text(hunk)).id()).gather()
    }

    /// Returns the hunks that have lines of one that is shown.
    fn near(&self, shown: &PatchHunk) -> &[HunkPlace] {
        let places = &self.places;
        let (mut first, mut last) = (places.len(), 0);
        for (side, (start, count)) in [shown.old, shown.new].into_iter().enumerate() {
            if count > 0 {
                let end = start + count;
                first = first.min(places.partition_point(|place| place.sides[side].end <= start));
                last = last.max(places.partition_point(|place| place.sides[side].start < end));
            }
        }
        self.places.get(first..last).unwrap_or_default()
    }

    /// Returns approximately how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let place = |place: &HunkPlace| {
            let runs = place.changed.iter().map(Vec::len).sum::<usize>();
            size_of::<HunkPlace>() + id_bytes(&place.id) + runs * size_of::<Range<u32>>()
        };
        self.places.iter().map(place).sum::<usize>() + self.file.as_ref().map_or(0, id_bytes)
    }
}

/// Returns about how many bytes names take in memory.
pub fn id_bytes(id: &HunkId) -> usize {
    size_of::<HunkId>() + id.lines.len() + id.context.len()
}

/// Returns the lines that a hunk removes and adds.
fn changed_lines(hunk: &PatchHunk, text: &[u8]) -> SideRanges {
    let mut lines = SideRanges::default();
    let mut numbers = [hunk.old.0, hunk.new.0];
    let mut add = |side: usize, number: u32| match lines[side].last_mut() {
        Some(run) if run.end == number => run.end += 1,
        _ => lines[side].add(number..number + 1),
    };
    for line in text.split(|&byte| byte == b'\n').skip(1) {
        let sides: &[usize] = match line.first() {
            Some(b' ') => &[0, 1],
            Some(b'-') => &[0],
            Some(b'+') => &[1],
            _ => &[],
        };
        for &side in sides {
            if sides.len() == 1 {
                add(side, numbers[side]);
            }
            numbers[side] += 1;
        }
    }
    lines
}

/// Returns the first of some ranges that does not end before another.
fn first_of<'a>(ranges: &'a [Range<u32>], run: &Range<u32>) -> Option<&'a Range<u32>> {
    ranges.get(ranges.partition_point(|range| range.end <= run.start))
}

fn meets(ranges: &[Range<u32>], run: &Range<u32>) -> bool {
    first_of(ranges, run).is_some_and(|range| range.start < run.end)
}

fn holds(ranges: &[Range<u32>], run: &Range<u32>) -> bool {
    first_of(ranges, run).is_some_and(|range| range.start <= run.start && run.end <= range.end)
}

/// Returns what the head of a patch tells about all its hunks: the path before, and the modes where
/// they differ or are not those of a file. Lines that were seen in a text must not pass for the
/// target of a link, nor for those of a program.
fn facts(change: &Change) -> Vec<u8> {
    let mut facts = Vec::new();
    if let Some(origin) = &change.origin {
        facts.add_slice(&origin.path);
        facts.add(0);
    }
    let [old, new] = [change.old, change.new].map(|entry| entry.map(|entry| entry.mode));
    if old != new || !new.is_some_and(|mode| mode.is_regular()) {
        let side = |mode: Option<_>| mode.map_or_else(|| "-".to_owned(), |mode| format!("{mode}"));
        facts.add_all(format!("{} {}", side(old), side(new)).into_bytes());
    }
    facts
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
pub struct HunkNamer {
    is_asked: bool,
    shown: ShownPart,
    /// Writes the patches that have the names, where others are shown.
    apart: Option<Patcher>,
}

impl HunkNamer {
    /// Creates a namer of the hunks of a comparison that are shown with some options; it returns no
    /// names unless `is_asked`.
    pub fn new(comparison: &Comparison, options: &DiffOptions, is_asked: bool) -> Result<Self> {
        let shown = ShownPart::by(options);
        let is_apart = is_asked && shown != ShownPart::Themselves;
        let apart = is_apart.then(|| comparison.patcher(DiffOptions::default())).transpose()?;
        Ok(Self { is_asked, shown, apart })
    }

    /// Returns the names of a file without hunks by the patch that is shown of it.
    pub fn file_name(
        &mut self,
        change: &Change,
        patch: &WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<HunkId>> {
        let has_none = match &mut self.apart {
            _ if !self.is_asked || change.is_combined() => false,
            None => patch.hunks.is_empty(),
            Some(patcher) => patcher.patch(change, cancel)?.hunks.is_empty(),
        };
        Ok(has_none.then(|| whole_file(change)))
    }

    /// Returns the names of the hunks of a file by the patch that is shown of it; `None` for a
    /// merge that is compared with all its parents, and if none are asked for.
    pub fn names(
        &mut self,
        change: &Change,
        patch: &WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<FileHunkIds>> {
        if !self.is_asked || change.is_combined() {
            return Ok(None);
        }
        // Only other patches than the one that is shown are written again.
        let ids = match &mut self.apart {
            None => FileHunkIds::of(change, patch, self.shown, cancel)?,
            Some(patcher) => {
                FileHunkIds::of(change, &patcher.patch(change, cancel)?, self.shown, cancel)?
            }
        };
        Ok(Some(ids))
    }
}

/// Names the hunks of lines that are shown, for one thread.
pub struct LineNamer {
    shown: ShownPart,
    /// `None` unless names are asked for.
    patcher: Option<Patcher>,
}

impl LineNamer {
    /// Creates a namer of the hunks of a comparison whose lines are shown with some options; it
    /// returns no names unless `is_asked`.
    pub fn new(comparison: &Comparison, options: &DiffOptions, is_asked: bool) -> Result<Self> {
        let patcher = is_asked.then(|| comparison.patcher(DiffOptions::default())).transpose()?;
        Ok(Self { shown: ShownPart::by(options), patcher })
    }

    /// Returns the names of the hunks of a file, and its patch where that has the lines that are
    /// shown; no names for a merge that is compared with all its parents.
    pub fn names(
        &mut self,
        change: &Change,
        cancel: &CancelToken<'_>,
    ) -> Result<(Option<FileHunkIds>, Option<WrittenPatch>)> {
        let Some(patcher) = self.patcher.as_mut().filter(|_| !change.is_combined()) else {
            return Ok((None, None));
        };
        let patch = patcher.patch(change, cancel)?;
        let ids = FileHunkIds::of(change, &patch, ShownPart::Themselves, cancel)?;
        // A type change may have a binary side, which no hunk shows.
        let has_lines = self.shown == ShownPart::Themselves
            && !patch.hunks.is_empty()
            && change.status() != Status::TypeChanged;
        Ok((Some(ids), has_lines.then_some(patch)))
    }
}
