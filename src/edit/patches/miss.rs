//! The error for a hunk that matches nowhere: shows the first line in which it differs from the
//! most similar place.

use std::collections::HashMap;

use super::keys::Numbered;
use super::pasted::pasted;
use super::place::{FileText, below_anchors, old_places};
use super::{Hunk, HunkLine, Pass};
use crate::near::reason::reasons;
use crate::plan::places::listed;
use crate::plan::request::FileName;
use redline_base::budget::{Gather, Grow, GrowMap, Joined, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_text::CancelToken;
use redline_text::lines::without_cr;

/// The number of lines in the file equal to one line of a hunk up to which they count: lines that
/// repeat more often tell little.
const REPEATED: usize = 64;

/// A hunk that fits nowhere byte for byte.
pub(super) struct Missed<'a> {
    pub(super) file: FileName<'a>,
    pub(super) text: &'a FileText<'a>,
    /// The lines as they were compared.
    pub(super) numbered: &'a Numbered,
    /// The lines as each pass of `fuzz` compares them.
    pub(super) fuzzy: &'a [(Pass, Numbered)],
    /// Whether these passes were tried.
    pub(super) fuzz: bool,
}

impl Missed<'_> {
    /// Returns the place at which the hunk fits in a pass of `fuzz`, and the pass; if several fit,
    /// or none, the most similar place.
    fn place(
        &self,
        hunk: &Hunk,
        old: &[&HunkLine],
        cancel: &CancelToken<'_>,
    ) -> Result<Option<(usize, Option<Pass>)>> {
        for (pass, numbered) in self.fuzzy.iter().filter(|_| !self.fuzz) {
            let places = old_places(self.text, numbered, hunk, None, cancel)?;
            if let Some(place) = places.only() {
                return Ok(Some((place, Some(*pass))));
            }
        }
        for numbered in
            std::iter::once(self.numbered).chain(self.fuzzy.last().map(|(_, last)| last))
        {
            if let Some(place) = nearest(self.text, numbered, hunk, old, cancel)? {
                return Ok(Some((place, None)));
            }
        }
        Ok(None)
    }
}

/// Returns the error for a hunk whose old lines do not occur in the file.
///
/// # Errors
/// Those of the token, before it is found.
pub(super) fn not_found(
    missed: &Missed<'_>,
    hunk: &Hunk,
    cancel: &CancelToken<'_>,
) -> Result<Error> {
    let &Missed { file, text, numbered, .. } = missed;
    let at = format!("the hunk at line {} of the patch", hunk.line);
    if below_anchors(&text.lines, &hunk.anchors, cancel)?.is_none() {
        let anchors: Vec<String> = hunk.anchors.iter().map(|anchor| quoted(anchor)).gather();
        return Ok(Error::not_found(format!(
            "{at}: no line of {file} is {}",
            anchors.joined(" and then ")
        ))
        .with_hint("Give whole lines after @@, as they are in the file"));
    }
    let old: Vec<&HunkLine> = hunk.lines.iter().filter(|line| line.kind.is_old()).gather();
    let found = missed.place(hunk, &old, cancel)?;
    if found.is_none_or(|(_, pass)| pass.is_none())
        && let Some((line, pasted)) = pasted(&text.lines, &old, cancel)?
    {
        let (what, instead) = pasted.words();
        return Ok(Error::not_found(format!(
            "{at} does not fit: {} has {what}, which {file} has not",
            quoted(line)
        ))
        .with_hint(instead));
    }
    let Some((place, pass)) = found else {
        return Ok(Error::not_found(format!("{at} does not fit: {file} has none of its lines"))
            .with_hint("Read the file again, and take its lines as they are"));
    };
    let wanted = numbered.of(old.iter().copied());
    let differs = |&index: &usize| numbered.file.get(place + index) != Some(&wanted[index]);
    let Some(index) = (0..old.len()).find(differs) else {
        return Ok(Error::not_found(format!(
            "{at} fits at line {} of {file}, but not where the file ends",
            place + 1
        ))
        .with_hint(
            "Give the end of the file as it is: the last line, and whether a newline follows",
        ));
    };
    let wanted = &old[index].text;
    let number = place + index + 1;
    if place + index >= text.lines.len() {
        return Ok(Error::not_found(format!(
            "{at} does not fit: {file} ends after line {}, and the patch has {}",
            text.lines.len(),
            quoted(wanted)
        ))
        .with_hint("Read the file again, and take its lines as they are"));
    }
    let line = text.lines.get(place + index);
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    // Without a CR in the patch, both line ends are equal.
    let found = text_of(if numbered.has_cr() { line } else { without_cr(line) });
    let why = reasons(&format!("{wanted}\n"), &format!("{found}\n"));
    let why: Vec<&str> = why.into_iter().map(|reason| reason.name()).gather();
    let hint = match pass {
        Some(pass) => format!(
            "Take the lines as they are in the file, or set fuzz: with it, the hunk fits at line {} as {}",
            place + 1,
            pass.name()
        ),
        None => "Read the file again, and take its lines as they are".to_owned(),
    };
    Ok(Error::not_found(format!(
        "{at} does not fit: line {number} of {file} is {}, and the patch has {} ({})",
        quoted(&found),
        quoted(wanted),
        why.joined(", ")
    ))
    .with_hint(hint))
}

/// Returns the place with the most lines of the hunk: of several, the place that the hunk names, or
/// the first.
fn nearest(
    text: &FileText<'_>,
    numbered: &Numbered,
    hunk: &Hunk,
    old: &[&HunkLine],
    cancel: &CancelToken<'_>,
) -> Result<Option<usize>> {
    let mut pace = cancel.pace();
    let mut lines_of: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, number) in numbered.file.iter().enumerate() {
        pace.spend(1)?;
        lines_of.slot(*number).or_default().add(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (index, number) in numbered.of(old.iter().copied()).iter().enumerate() {
        let Some(lines) = lines_of.get(number) else { continue };
        if lines.len() <= REPEATED {
            pace.spend(lines.len())?;
            lines
                .iter()
                .filter_map(|line| line.checked_sub(index))
                .for_each(|place| *votes.slot(place).or_default() += 1);
        }
    }
    let named = hunk.start.map_or(0, |start| start.saturating_sub(1));
    let best = votes.into_iter().max_by_key(|&(place, count)| {
        (count, std::cmp::Reverse(place.abs_diff(named)), std::cmp::Reverse(place))
    });
    // Without any equal line, the hunk is compared with the place that it names.
    let is_there = hunk.start.is_some() && named < text.lines.len();
    Ok(best.map(|(place, _)| place).or(is_there.then_some(named)))
}

/// Returns the error for a hunk that matches at so many places, of which the first ones are given.
pub(super) fn not_unique(file: FileName<'_>, hunk: &Hunk, first: &[usize], count: usize) -> Error {
    let lines: Vec<usize> = first.iter().map(|place| place + 1).gather();
    Error::not_unique(format!(
        "the hunk at line {} of the patch fits at lines {} of {file}",
        hunk.line,
        listed(&lines, count)
    ))
    .with_hint(
        "Add surrounding lines that occur only there, or the right line number in its header",
    )
}
