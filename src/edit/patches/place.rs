//! The place of a hunk in a file: the one that it names, otherwise the only one.

use super::keys::Numbered;
use super::{Hunk, HunkLine};
use crate::matching::occurrences;
use redline_text::LineKind;
use redline_text::lines::Lines;

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
    places.retain(|&place| place >= from && ends_fit(text, hunk, &lines, place));
    places
}

/// Tells whether a place fits what the hunk says about the end of the file.
fn ends_fit(text: &Text<'_>, hunk: &Hunk, lines: &[&HunkLine], place: usize) -> bool {
    let is_end = place + lines.len() == text.lines.len();
    // If the patch mentions a missing last newline, the side without the mark has one.
    let lacks_newline = lines.iter().any(|line| line.lacks_newline);
    let is_said = hunk.lines.iter().any(|line| line.lacks_newline);
    let is_as_said = if is_end { lacks_newline == text.lacks_newline } else { !lacks_newline };
    (is_end || !hunk.ends_file) && (!is_said || is_as_said)
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
