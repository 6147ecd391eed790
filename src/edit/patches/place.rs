//! The place of a hunk in a file: the one that it names, otherwise the only one.

use std::borrow::Cow;
use std::ops::Range;

use super::keys::Numbered;
use super::{Hunk, HunkLine};
use crate::matching::occurrences;
use redline_base::error::Result;
use redline_text::lines::Lines;
use redline_text::{CancelToken, LineKind};

/// A file to compare lines with.
pub(super) struct Text<'a> {
    pub(super) lines: Lines<'a>,
    /// Whether its last line lacks a newline.
    pub(super) lacks_newline: bool,
}

/// Returns the places of the old lines of a hunk, ascending, from 0.
pub(super) fn old_places(text: &Text<'_>, numbered: &Numbered, hunk: &Hunk) -> Vec<usize> {
    places(text, numbered, hunk, LineKind::is_old)
}

/// Returns the places of its new lines.
pub(super) fn new_places(text: &Text<'_>, numbered: &Numbered, hunk: &Hunk) -> Vec<usize> {
    places(text, numbered, hunk, LineKind::is_new)
}

/// Returns a hunk with as many of its uncertain empty lines as the file has where the hunk fits
/// best.
pub(super) fn settled<'h>(
    text: &Text<'_>,
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
        let fits = places(text, numbered, &settled, is_side).into_iter().filter_map(|place| {
            let after = place + length;
            let run = runs.at(after).min(empty.len());
            let left = numbered.file.len() - after;
            (!hunk.ends_file || left <= run).then_some(if hunk.ends_file { left } else { run })
        });
        fits.max()
    };
    cancel.check()?;
    // Without another old line, an empty one would find any empty line of the file.
    let has_old = settled.lines.iter().any(|line| line.kind.is_old());
    let kept = has_old.then(|| most(LineKind::is_old).or_else(|| most(LineKind::is_new)));
    let kept = kept.flatten().unwrap_or_default();
    settled.lines.extend(empty.into_iter().take(kept));
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

fn places(
    text: &Text<'_>,
    numbered: &Numbered,
    hunk: &Hunk,
    is_side: fn(LineKind) -> bool,
) -> Vec<usize> {
    let Some(from) = below_anchors(&text.lines, &hunk.anchors) else { return Vec::new() };
    let lines: Vec<&HunkLine> = hunk.lines.iter().filter(|line| is_side(line.kind)).collect();
    let wanted = numbered.of(lines.iter().copied());
    let mut places = occurrences(&numbered.file, &wanted);
    let fits_end = fits_end(text, hunk, &lines);
    places.retain(|&place| place >= from && fits_end(place));
    places
}

/// Tells whether places fit what the hunk says about the end of the file.
fn fits_end(text: &Text<'_>, hunk: &Hunk, lines: &[&HunkLine]) -> impl Fn(usize) -> bool {
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
pub(super) fn below_anchors(lines: &Lines<'_>, anchors: &[String]) -> Option<usize> {
    anchors.iter().try_fold(0, |from, anchor| Some(anchor_places(lines, anchor, from).next()? + 1))
}

/// Returns the lines from `from` on that equal an anchor, except for whitespace around them.
pub(super) fn anchor_places<'l>(
    lines: &'l Lines<'_>,
    anchor: &'l str,
    from: usize,
) -> impl Iterator<Item = usize> + 'l {
    let anchor = anchor.trim().as_bytes();
    (from..lines.len()).filter(move |&index| lines.get(index).trim_ascii() == anchor)
}
