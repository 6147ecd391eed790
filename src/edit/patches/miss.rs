//! The error for a hunk that matches nowhere: shows the first line in which it differs from the
//! most similar place.

use std::collections::HashMap;

use super::keys::Numbered;
use super::pasted::pasted;
use super::place::{Text, below_anchors, old_places};
use super::{Hunk, HunkLine, Pass};
use crate::places::listed;
use crate::reason::reasons;
use crate::request::FileName;
use redline_base::error::{Error, quoted};
use redline_text::lines::without_cr;

/// The number of lines in the file equal to one line of a hunk up to which they count: lines that
/// repeat more often tell little.
const REPEATED: usize = 64;

/// A hunk that fits nowhere byte for byte.
pub(super) struct Missed<'a> {
    pub(super) file: FileName<'a>,
    pub(super) text: &'a Text<'a>,
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
    fn place(&self, hunk: &Hunk, old: &[&HunkLine]) -> Option<(usize, Option<Pass>)> {
        let fitting = self.fuzzy.iter().filter(|_| !self.fuzz).find_map(|(pass, numbered)| {
            let places = old_places(self.text, numbered, hunk);
            (places.len() == 1).then(|| (places[0], Some(*pass)))
        });
        let last = self.fuzzy.last().map(|(_, numbered)| numbered);
        fitting.or_else(|| {
            let near = |numbered| nearest(self.text, numbered, hunk, old);
            near(self.numbered).or_else(|| near(last?)).map(|place| (place, None))
        })
    }
}

/// Returns the error for a hunk whose old lines do not occur in the file.
pub(super) fn not_found(missed: &Missed<'_>, hunk: &Hunk) -> Error {
    let &Missed { file, text, numbered, .. } = missed;
    let at = format!("the hunk at line {} of the patch", hunk.line);
    if below_anchors(&text.lines, &hunk.anchors).is_none() {
        let anchors: Vec<String> = hunk.anchors.iter().map(|anchor| quoted(anchor)).collect();
        return Error::not_found(format!(
            "{at}: no line of {file} is {}",
            anchors.join(" and then ")
        ))
        .with_hint("Give whole lines after @@, as they are in the file");
    }
    let old: Vec<&HunkLine> = hunk.lines.iter().filter(|line| line.kind.is_old()).collect();
    let found = missed.place(hunk, &old);
    if found.is_none_or(|(_, pass)| pass.is_none())
        && let Some((line, pasted)) = pasted(&text.lines, &old)
    {
        let (what, instead) = pasted.words();
        return Error::not_found(format!(
            "{at} does not fit: {} has {what}, which {file} has not",
            quoted(line)
        ))
        .with_hint(instead);
    }
    let Some((place, pass)) = found else {
        return Error::not_found(format!("{at} does not fit: {file} has none of its lines"))
            .with_hint("Read the file again, and take its lines as they are");
    };
    let wanted = numbered.of(old.iter().copied());
    let differs = |&index: &usize| numbered.file.get(place + index) != Some(&wanted[index]);
    let Some(index) = (0..old.len()).find(differs) else {
        return Error::not_found(format!(
            "{at} fits at line {} of {file}, but not where the file ends",
            place + 1
        ))
        .with_hint(
            "Give the end of the file as it is: the last line, and whether a newline follows",
        );
    };
    let wanted = &old[index].text;
    let number = place + index + 1;
    if place + index >= text.lines.len() {
        return Error::not_found(format!(
            "{at} does not fit: {file} ends after line {}, and the patch has {}",
            text.lines.len(),
            quoted(wanted)
        ))
        .with_hint("Read the file again, and take its lines as they are");
    }
    let line = text.lines.get(place + index);
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    // Without a CR in the patch, both line ends are equal.
    let found = String::from_utf8_lossy(if numbered.has_cr() { line } else { without_cr(line) });
    let why = reasons(&format!("{wanted}\n"), &format!("{found}\n"));
    let why: Vec<&str> = why.into_iter().map(|reason| reason.name()).collect();
    let hint = match pass {
        Some(pass) => format!(
            "Take the lines as they are in the file, or set fuzz: with it, the hunk fits at line {} as {}",
            place + 1,
            pass.name()
        ),
        None => "Read the file again, and take its lines as they are".to_owned(),
    };
    Error::not_found(format!(
        "{at} does not fit: line {number} of {file} is {}, and the patch has {} ({})",
        quoted(&found),
        quoted(wanted),
        why.join(", ")
    ))
    .with_hint(hint)
}

/// Returns the place with the most lines of the hunk: of several, the place that the hunk names, or
/// the first.
fn nearest(text: &Text<'_>, numbered: &Numbered, hunk: &Hunk, old: &[&HunkLine]) -> Option<usize> {
    let mut lines_of: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, number) in numbered.file.iter().enumerate() {
        lines_of.entry(*number).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (index, number) in numbered.of(old.iter().copied()).iter().enumerate() {
        let Some(lines) = lines_of.get(number) else { continue };
        if lines.len() <= REPEATED {
            lines
                .iter()
                .filter_map(|line| line.checked_sub(index))
                .for_each(|place| *votes.entry(place).or_default() += 1);
        }
    }
    let named = hunk.start.map_or(0, |start| start.saturating_sub(1));
    let best = votes.into_iter().max_by_key(|&(place, count)| {
        (count, std::cmp::Reverse(place.abs_diff(named)), std::cmp::Reverse(place))
    });
    // Without any equal line, the hunk is compared with the place that it names.
    let is_there = hunk.start.is_some() && named < text.lines.len();
    best.map(|(place, _)| place).or(is_there.then_some(named))
}

/// Returns the error for a hunk that matches at several places.
pub(super) fn not_unique(file: FileName<'_>, hunk: &Hunk, places: &[usize]) -> Error {
    let lines: Vec<usize> = places.iter().map(|place| place + 1).collect();
    Error::not_unique(format!(
        "the hunk at line {} of the patch fits at lines {} of {file}",
        hunk.line,
        listed(&lines)
    ))
    .with_hint(
        "Add surrounding lines that occur only there, or the right line number in its header",
    )
}
