//! The place of a hunk in a file: the one that it names, otherwise the only one.

use std::borrow::Cow;
use std::ops::Range;

use super::keys::Numbered;
use super::{Hunk, HunkLine};
use crate::plan::matching::occurrences;
use crate::plan::places::LINES_NAMED;
use redline_base::budget::{Gather, Grow};
use redline_base::error::{Error, Result};
use redline_text::lines::Lines;
use redline_text::{CancelToken, LineKind};

/// A file to compare lines with.
pub(super) struct FileText<'a> {
    pub(super) lines: Lines<'a>,
    /// Whether its last line lacks a newline.
    pub(super) lacks_newline: bool,
}

/// The places of a hunk, as far as anything asks: how many they are and the first of them.
pub(super) struct Places {
    /// How many there are.
    pub(super) count: usize,
    /// The first ones, from 0, ascending: as many as an error lists.
    pub(super) first: Vec<usize>,
    /// The place that was asked for, if it is one of them.
    pub(super) named: Option<usize>,
}

impl Places {
    /// Returns the only place.
    pub(super) fn only(&self) -> Option<usize> {
        self.first.first().copied().filter(|_| self.count == 1)
    }
}

/// Returns the places of the old lines of a hunk, and whether `named` is one.
pub(super) fn old_places(
    text: &FileText<'_>,
    numbered: &Numbered,
    hunk: &Hunk,
    named: Option<usize>,
    cancel: &CancelToken<'_>,
) -> Result<Places> {
    let mut found = Places { count: 0, first: Vec::new(), named: None };
    each_place(text, numbered, hunk, LineKind::is_old, cancel, |place| {
        found.count += 1;
        if found.first.len() < LINES_NAMED {
            found.first.add(place);
        }
        found.named = found.named.or(Some(place).filter(|place| Some(*place) == named));
        true
    })?;
    Ok(found)
}

/// Returns the first of the places of its new lines, from 0 and ascending, that `is_wanted`.
pub(super) fn new_place(
    text: &FileText<'_>,
    numbered: &Numbered,
    hunk: &Hunk,
    is_wanted: impl Fn(usize) -> bool,
    cancel: &CancelToken<'_>,
) -> Result<Option<usize>> {
    let mut found = None;
    each_place(text, numbered, hunk, LineKind::is_new, cancel, |place| {
        found = Some(place).filter(|place| is_wanted(*place));
        found.is_none()
    })?;
    Ok(found)
}

/// Returns a hunk with as many of its uncertain empty lines as the file has where the hunk fits
/// best.
pub(super) fn settled<'h>(
    text: &FileText<'_>,
    numbered: &Numbered,
    hunk: &'h Hunk,
    cancel: &CancelToken<'_>,
) -> Result<Cow<'h, Hunk>> {
    if hunk.empty_end == 0 {
        return Ok(Cow::Borrowed(hunk));
    }
    let mut settled = Hunk { empty_end: 0, ends_file: false, ..hunk.clone() };
    let certain = hunk.lines.len() - hunk.empty_end;
    let empty = settled.lines.split_off(certain);
    let empty_line = numbered.of(empty.iter().take(1));
    let most = |is_side: fn(LineKind) -> bool| {
        let length = settled.lines.iter().filter(|line| is_side(line.kind)).count();
        let mut runs = EmptyRuns { file: &numbered.file, empty: &empty_line, known: 0..0 };
        let mut most = None;
        each_place(text, numbered, &settled, is_side, cancel, |place| {
            let after = place + length;
            let run = runs.at(after).min(empty.len());
            let left = numbered.file.len() - after;
            if !hunk.ends_file || left <= run {
                most = most.max(Some(if hunk.ends_file { left } else { run }));
            }
            true
        })?;
        Ok::<_, Error>(most)
    };
    // Without another old line, an empty one would find any empty line of the file.
    let has_old = settled.lines.iter().any(|line| line.kind.is_old());
    let kept = match has_old {
        true => {
            most(LineKind::is_old)?.map_or_else(|| most(LineKind::is_new), |kept| Ok(Some(kept)))?
        }
        false => None,
    };
    let kept = kept.unwrap_or_default();
    settled.lines.add_all(empty.into_iter().take(kept));
    settled.ends_file = hunk.ends_file;
    Ok(Cow::Owned(settled))
}

/// Counts the empty lines of a file from ascending places on, each line once.
struct EmptyRuns<'a> {
    file: &'a [u32],
    empty: &'a [u32],
    known: Range<usize>,
}

impl EmptyRuns<'_> {
    fn at(&mut self, place: usize) -> usize {
        if !self.known.contains(&place) {
            let is_empty = |line: &&u32| self.empty.contains(line);
            let run = self.file[place.min(self.file.len())..].iter().take_while(is_empty).count();
            self.known = place..place + run;
        }
        self.known.end - place
    }
}

/// Calls `each` with the places of one side of a hunk, ascending, while it returns true. What is
/// the same for all of them is done once.
fn each_place(
    text: &FileText<'_>,
    numbered: &Numbered,
    hunk: &Hunk,
    is_side: fn(LineKind) -> bool,
    cancel: &CancelToken<'_>,
    mut each: impl FnMut(usize) -> bool,
) -> Result<()> {
    let Some(from) = below_anchors(&text.lines, &hunk.anchors, cancel)? else { return Ok(()) };
    let lines: Vec<&HunkLine> = hunk.lines.iter().filter(|line| is_side(line.kind)).gather();
    let wanted = numbered.of(lines.iter().copied());
    let fits_end = fits_end(text, hunk, &lines);
    for place in occurrences(&numbered.file, &wanted, cancel)? {
        let place = place?;
        if place >= from && fits_end(place) && !each(place) {
            break;
        }
    }
    Ok(())
}

/// Tells whether places fit what the hunk says about the end of the file.
fn fits_end(text: &FileText<'_>, hunk: &Hunk, lines: &[&HunkLine]) -> impl Fn(usize) -> bool {
    let last = text.lines.len().checked_sub(lines.len());
    // If the patch mentions a missing last newline, the side without the mark has one.
    let lacks_newline = lines.iter().any(|line| line.lacks_newline);
    let is_said = hunk.lines.iter().any(|line| line.lacks_newline);
    let (ends_file, of_file) = (hunk.ends_file, text.lacks_newline);
    move |place| {
        let is_end = Some(place) == last;
        let is_as_said = if is_end { lacks_newline == of_file } else { !lacks_newline };
        (is_end || !ends_file) && (!is_said || is_as_said)
    }
}

/// Returns the first line at which a hunk with these anchors may start: each anchor is searched for
/// after the one before.
pub(super) fn below_anchors(
    lines: &Lines<'_>,
    anchors: &[String],
    cancel: &CancelToken<'_>,
) -> Result<Option<usize>> {
    let mut from = 0;
    for anchor in anchors {
        match anchor_places(lines, anchor, from, cancel).next() {
            Some(place) => from = place? + 1,
            None => return Ok(None),
        }
    }
    Ok(Some(from))
}

/// Returns the lines from `from` on that equal an anchor, except for whitespace around them.
pub(super) fn anchor_places<'l>(
    lines: &'l Lines<'_>,
    anchor: &'l str,
    from: usize,
    cancel: &CancelToken<'l>,
) -> impl Iterator<Item = Result<usize>> + 'l {
    let anchor = anchor.trim().as_bytes();
    let mut pace = cancel.pace();
    (from..lines.len()).filter_map(move |index| {
        let line = lines.get(index);
        match pace.pass(line.len()) {
            Ok(()) => (line.trim_ascii() == anchor).then_some(Ok(index)),
            Err(stopped) => Some(Err(stopped.into())),
        }
    })
}
