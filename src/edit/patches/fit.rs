//! Finds where the parts of a change apply in one file, and computes the result.

use std::borrow::Cow;

use super::keys::Numbered;
use super::made::{Found, made, too_large};
use super::miss::{Missed, not_found, not_unique};
use super::place::{FileText, anchor_places, below_anchors, new_place, old_places, settled};
use super::{ChangeKind, FileChange, Hunk, Pass, Replacement, State};
use crate::plan::Plan;
use crate::plan::matching::Haystack;
use crate::plan::places::LINES_NAMED;
use crate::plan::request::{Edit, FileName};
use redline_base::budget::{Copied, Gather, Grow, TryGather};
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_text::lines::Lines;
use redline_text::{CancelToken, Engine, LineKind, is_binary};

/// How a change is fitted.
#[derive(Debug, Clone, Copy, Default)]
pub struct FitOptions {
    /// Whether hunks without an exact match are searched for in the other passes.
    pub fuzz: bool,
    /// Whether a hunk that only adds lines, without context, goes where its number says.
    pub unidiff_zero: bool,
    /// The most bytes that the file may have.
    pub max_bytes: u64,
}

/// A file with its fitted change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The path in the patch.
    pub path: String,
    /// Whether the file has the change already.
    pub state: State,
    /// The new content; `None` for a deleted file.
    pub content: Option<Vec<u8>>,
    /// The places of the hunks, in the order of the patch.
    pub hunks: Vec<HunkFit>,
}

/// The place of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkFit {
    /// The line of the file, from 1, at which it starts.
    pub line: usize,
    /// The pass in which it matched.
    pub pass: Pass,
}

/// Fits a change to a file with the content `now`; `target` is the content at the path that the
/// file moves to. `None` means that there is no file.
///
/// # Errors
///
/// - `not_found`, `not_unique`: a hunk or a string has no place or several; the file does not
///   exist.
/// - `invalid_args`: a file exists that must not, hunks overlap, or the file is or would become
///   binary.
/// - `stale`: some hunks are applied already and others are not.
/// - `too_large`: the result is longer than allowed.
pub fn fit(
    file: FileName<'_>,
    change: &FileChange,
    now: Option<&[u8]>,
    target: Option<&[u8]>,
    options: &FitOptions,
    cancel: &CancelToken<'_>,
) -> Result<Fitted> {
    let fitted =
        |state, content, hunks| Fitted { path: change.path.clone(), state, content, hunks };
    match &change.kind {
        ChangeKind::Create(content) => {
            let content = content.as_bytes();
            let state = match now {
                None => State::Before,
                Some(now) if now == content => State::After,
                Some(_) => return Err(exists(&change.path)),
            };
            check_size(file, content, options)?;
            Ok(fitted(state, Some(content.copied_vec()), Vec::new()))
        }
        ChangeKind::Delete(hunks) => {
            let Some(now) = now else { return Ok(fitted(State::After, None, Vec::new())) };
            let (state, rest, places) = fit_hunks(file, hunks, now, options, cancel)?;
            let is_whole = state == State::Before && rest.is_empty();
            if !hunks.is_empty() && !is_whole {
                return Err(Error::invalid_args(format!(
                    "{file} holds more than the patch removes"
                ))
                .with_hint("Give all of its lines, or delete it without lines"));
            }
            Ok(fitted(State::Before, None, places))
        }
        ChangeKind::Update { hunks, moves_to: None } => {
            let now = now.ok_or_else(|| missing(file))?;
            let (state, content, places) = fit_hunks(file, hunks, now, options, cancel)?;
            Ok(fitted(state, Some(content), places))
        }
        ChangeKind::Update { hunks, moves_to: Some(path) } => match (now, target) {
            (Some(now), None) => {
                let (state, content, places) = fit_hunks(file, hunks, now, options, cancel)?;
                if state == State::After {
                    return Err(missing_move(file, path));
                }
                Ok(fitted(State::Before, Some(content), places))
            }
            (None, Some(target)) => {
                let (state, content, places) = fit_hunks(file, hunks, target, options, cancel)?;
                if state == State::Before && !hunks.is_empty() {
                    return Err(missing(file));
                }
                Ok(fitted(State::After, Some(content), places))
            }
            (None, None) => Err(missing(file)),
            (Some(_), Some(_)) => Err(exists(path)),
        },
        ChangeKind::Edit(edits) => {
            let (state, content) =
                fit_edits(file, edits, now.ok_or_else(|| missing(file))?, options, cancel)?;
            Ok(fitted(state, Some(content), Vec::new()))
        }
    }
}

fn missing(file: FileName<'_>) -> Error {
    Error::not_found(format!("{file} is not there"))
        .with_hint("Create it, or give its path as it is now")
}

fn missing_move(file: FileName<'_>, path: &str) -> Error {
    Error::stale(format!("{file} has its change already, and has not moved to {}", quoted(path)))
        .with_hint("Leave its applied changes out")
}

fn exists(path: &str) -> Error {
    Error::invalid_args(format!("{} is there already, and no file is overwritten", quoted(path)))
        .with_hint("Update the file that is there, or take another path")
}

fn check_size(file: FileName<'_>, content: &[u8], options: &FitOptions) -> Result<()> {
    if content.len() as u64 > options.max_bytes {
        return Err(too_large(file, options.max_bytes));
    }
    if is_binary(content) {
        return Err(Error::invalid_args(format!(
            "the patch would make {file} binary: it has a NUL"
        )));
    }
    Ok(())
}

/// Returns whether the hunks are applied in a file, its content with them, and their places.
fn fit_hunks(
    file: FileName<'_>,
    hunks: &[Hunk],
    now: &[u8],
    options: &FitOptions,
    cancel: &CancelToken<'_>,
) -> Result<(State, Vec<u8>, Vec<HunkFit>)> {
    if hunks.is_empty() {
        return Ok((State::Before, now.copied_vec(), Vec::new()));
    }
    if is_binary(now) {
        return Err(Error::invalid_args(format!("{file} is a binary file"))
            .with_hint("Only text can be patched"));
    }
    let text = FileText {
        lines: Lines::split(now, cancel)?,
        lacks_newline: now.last().is_some_and(|last| *last != b'\n'),
    };
    let finder = Finder { file, text: &text, hunks, options, cancel };
    let (found, hunks) = finder.find()?;
    let mut state = State::Either;
    for (index, found) in found.iter().enumerate() {
        state = state.and(found.state).ok_or_else(|| {
            Error::stale(format!(
                "the hunk at line {} of the patch is {}, and others before it are not",
                hunks[index].line,
                if found.state == State::After { "made already" } else { "not made yet" }
            ))
            .with_hint(format!("Leave the applied changes of {file} out"))
        })?;
    }
    // If it could be either, the other files decide, and this one needs its content.
    let content = if state == State::After {
        now.copied_vec()
    } else {
        made(file, &text, &hunks, &found, options.max_bytes, cancel)?
    };
    check_size(file, &content, options)?;
    let line = |found: &Found| HunkFit { line: found.place + 1, pass: found.pass };
    Ok((state, content, found.iter().map(line).gather()))
}

struct Finder<'a> {
    file: FileName<'a>,
    text: &'a FileText<'a>,
    hunks: &'a [Hunk],
    options: &'a FitOptions,
    cancel: &'a CancelToken<'a>,
}

impl<'a> Finder<'a> {
    /// Returns the places of the hunks, and the hunks with the empty lines that they have there.
    fn find(&self) -> Result<(Vec<Found>, Vec<Cow<'a, Hunk>>)> {
        let mut found: Vec<Option<Found>> = Vec::new();
        let mut hunks = Vec::new();
        // Hunks that have a CR are compared with it.
        let [plain, with_cr] = [false, true].map(|has_cr| self.numbered(Pass::Exact, has_cr));
        let (plain, with_cr) = (plain?, with_cr?);
        for hunk in self.hunks {
            self.cancel.check()?;
            let numbered = if has_cr(hunk) { &with_cr } else { &plain };
            let hunk = settled(self.text, numbered, hunk, self.cancel)?;
            found.add(self.exact(&hunk, numbered)?);
            hunks.add(hunk);
        }
        if self.options.fuzz {
            for pass in Pass::FUZZY {
                if found.iter().all(Option::is_some) {
                    break;
                }
                let numbered = self.numbered(pass, false)?;
                for (index, found) in found.iter_mut().enumerate() {
                    self.cancel.check()?;
                    if found.is_none() {
                        hunks[index] =
                            settled(self.text, &numbered, &self.hunks[index], self.cancel)?;
                        *found = self.fuzzy(&hunks[index], &numbered, pass)?;
                    }
                }
            }
        }
        if let Some(index) = found.iter().position(Option::is_none) {
            let hunk = &hunks[index];
            let of_pass = |pass| Ok::<_, Error>((pass, self.numbered(pass, false)?));
            let missed = Missed {
                file: self.file,
                text: self.text,
                numbered: if has_cr(hunk) { &with_cr } else { &plain },
                fuzzy: &Pass::FUZZY.into_iter().map(of_pass).try_gather::<Vec<_>>()?,
                fuzz: self.options.fuzz,
            };
            return Err(not_found(&missed, hunk, self.cancel)?);
        }
        Ok((found.into_iter().flatten().gather(), hunks))
    }

    fn numbered(&self, pass: Pass, has_cr: bool) -> Result<Numbered> {
        Numbered::new(&self.text.lines, self.hunks.iter(), pass, has_cr, self.cancel)
    }

    /// Returns the place that a hunk names or its only place; if its old lines do not occur, the
    /// place of its new lines.
    fn exact(&self, hunk: &Hunk, numbered: &Numbered) -> Result<Option<Found>> {
        let pass = Pass::Exact;
        if !hunk.lines.iter().any(|line| line.kind.is_old()) {
            let place = self.addition(hunk)?;
            let is_there = self.new_place(hunk, numbered, |new| new == place)?.is_some();
            let state = if is_there { State::Either } else { State::Before };
            return Ok(Some(Found { place, pass, state }));
        }
        let named = hunk.start.and_then(|start| start.checked_sub(1));
        let places = old_places(self.text, numbered, hunk, named, self.cancel)?;
        // If its old lines also occur elsewhere, the change would be made a second time there.
        if places.named.is_none()
            && let Some(found) = self.made_where_named(hunk, numbered)?
        {
            return Ok(Some(found));
        }
        if places.count == 0 {
            return self.made(hunk, numbered);
        }
        let Some(place) = places.named.or(places.only()) else {
            return Err(not_unique(self.file, hunk, &places.first, places.count));
        };
        let is_there = self.is_within_made(hunk, numbered, place)?;
        let state = if is_there { State::Either } else { State::Before };
        Ok(Some(Found { place, pass, state }))
    }

    /// Returns the first of the places of the new lines of a hunk that `is_wanted`.
    fn new_place(
        &self,
        hunk: &Hunk,
        numbered: &Numbered,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Option<usize>> {
        new_place(self.text, numbered, hunk, is_wanted, self.cancel)
    }

    /// Tells whether the old lines at a place are part of the new lines there: then the change may
    /// have been applied.
    fn is_within_made(&self, hunk: &Hunk, numbered: &Numbered, place: usize) -> Result<bool> {
        let count = |is_side: fn(LineKind) -> bool| {
            hunk.lines.iter().filter(|line| is_side(line.kind)).count()
        };
        let (old, new) = (count(LineKind::is_old), count(LineKind::is_new));
        let is_around = |start: usize| start <= place && place + old <= start + new;
        Ok(self.new_place(hunk, numbered, is_around)?.is_some())
    }

    /// Returns the place at which a hunk is certainly applied: the only one of its new lines.
    fn made(&self, hunk: &Hunk, numbered: &Numbered) -> Result<Option<Found>> {
        let Some(place) = self.new_place(hunk, numbered, |_| true)? else { return Ok(None) };
        let is_only = self.new_place(hunk, numbered, |other| other > place)?.is_none();
        let is_made = is_only && tells_apart(hunk);
        Ok(is_made.then_some(Found { place, pass: Pass::Exact, state: State::After }))
    }

    /// Returns the place that a hunk names for its new lines, if they are there.
    fn made_where_named(&self, hunk: &Hunk, numbered: &Numbered) -> Result<Option<Found>> {
        let named = hunk.new_start.and_then(|start| start.checked_sub(1));
        let Some(named) = named.filter(|_| tells_apart(hunk)) else { return Ok(None) };
        let found = self.new_place(hunk, numbered, |place| place == named)?;
        Ok(found.map(|place| Found { place, pass: Pass::Exact, state: State::After }))
    }

    fn fuzzy(&self, hunk: &Hunk, numbered: &Numbered, pass: Pass) -> Result<Option<Found>> {
        let places = old_places(self.text, numbered, hunk, None, self.cancel)?;
        match (places.count, places.only()) {
            (0, _) => Ok(None),
            (_, Some(place)) => Ok(Some(Found { place, pass, state: State::Before })),
            (count, None) => Err(not_unique(self.file, hunk, &places.first, count)),
        }
    }

    /// Returns the place for lines that are added without context: after the anchor, at the end, or
    /// in an empty file.
    fn addition(&self, hunk: &Hunk) -> Result<usize> {
        let lines = &self.text.lines;
        if lines.is_empty() && hunk.anchors.is_empty() {
            return Ok(0);
        }
        if let Some((anchor, above)) = hunk.anchors.split_last() {
            let from = below_anchors(lines, above, self.cancel)?.unwrap_or(lines.len());
            let (mut first, mut count) = (Vec::new(), 0);
            for place in anchor_places(lines, anchor, from, self.cancel) {
                let place = place?;
                count += 1;
                if first.len() < LINES_NAMED {
                    first.add(place);
                }
            }
            return match first[..] {
                [place] => Ok(place + 1),
                [] => Err(Error::not_found(format!(
                    "the hunk at line {} of the patch: no line of {} is {}",
                    hunk.line,
                    self.file,
                    quoted(anchor)
                ))
                .with_hint("Give whole lines after @@, as they are in the file")),
                ref first => Err(not_unique(self.file, hunk, first, count)),
            };
        }
        if hunk.ends_file {
            return Ok(lines.len());
        }
        // Line 0 is before the first.
        let named = hunk.start.or(hunk.new_start.map(|_| 0));
        if let Some(above) = named.filter(|_| self.options.unidiff_zero) {
            return if above <= lines.len() {
                Ok(above)
            } else {
                Err(Error::not_found(format!(
                    "the hunk at line {} of the patch adds lines below line {above} of {}, which has {}",
                    hunk.line,
                    self.file,
                    lines.len()
                ))
                .with_hint("Read the file again, and give the line above the added ones"))
            };
        }
        Err(Error::invalid_args(format!(
            "the hunk at line {} of the patch adds lines to {} and has none that are there",
            hunk.line, self.file
        ))
        .with_hint(if named.is_some() {
            "Give unchanged lines around the added ones; edit_files takes the number alone with the option unidiff_zero"
        } else {
            "Give unchanged lines around the added ones"
        }))
    }
}

/// Tells whether the new lines of a hunk show that its change is applied: one line is new, or lines
/// between them were removed.
fn tells_apart(hunk: &Hunk) -> bool {
    /// The number of context lines that show that lines between them were removed.
    const TOGETHER: usize = 2;
    let new = hunk.lines.iter().filter(|line| line.kind.is_new()).count();
    hunk.lines.iter().any(|line| !line.kind.is_old()) || new >= TOGETHER
}

fn has_cr(hunk: &Hunk) -> bool {
    hunk.lines.iter().any(|line| line.text.ends_with('\r'))
}

/// Replaces strings as `edit_file` does.
fn fit_edits(
    file: FileName<'_>,
    edits: &[Replacement],
    now: &[u8],
    options: &FitOptions,
    cancel: &CancelToken<'_>,
) -> Result<(State, Vec<u8>)> {
    let asked: Vec<Edit<'_>> = edits
        .iter()
        .map(|edit| Edit {
            old_string: &edit.old_string,
            new_string: &edit.new_string,
            replace_all: edit.replace_all,
        })
        .gather();
    let haystack = Haystack::new(now, cancel)?;
    let is_there = |string: &str| {
        let found = haystack.places(string, cancel)?.next().transpose()?;
        Ok::<_, Error>(found.is_some() && !string.is_empty())
    };
    let is_made = || {
        for edit in edits {
            if is_there(&edit.old_string)? || !is_there(&edit.new_string)? {
                return Ok(false);
            }
        }
        Ok::<_, Error>(true)
    };
    match Plan::new(&mut Engine::default(), file, now, &asked, options.max_bytes, cancel) {
        Ok(plan) => Ok((State::Before, plan.content)),
        Err(error) if error.kind() == ErrorKind::NotFound && is_made()? => {
            Ok((State::After, now.copied_vec()))
        }
        Err(error) => Err(error),
    }
}
