//! Applies edits to the content of a file: bytes in, bytes out.

pub(crate) mod change;
pub(crate) mod line_edit;
pub(crate) mod line_ends;
pub(crate) mod matching;
pub(crate) mod places;
pub(crate) mod request;

use std::ops::Range;

use crate::payload::NotUtf8;
use crate::plan::line_ends::LineEnds;
use crate::plan::matching::Haystack;
use crate::plan::places::{Match, find, which};
use crate::plan::request::{Edit, FileName};
use redline_base::budget::{Gather, Grow, Taken, append, lossy, room_for};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::counted;
use redline_text::lines::Lines;
use redline_text::unified::unified_diff;
use redline_text::{CancelToken, Diff, DiffOptions, Engine, is_binary};

/// The result of edits of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The new content.
    pub content: Vec<u8>,
    /// The places in the old content that are replaced, ascending.
    pub places: Vec<Range<usize>>,
    /// The line, from 1, in which the first place starts.
    pub match_line: u64,
    /// The change of the file.
    pub diff: ContentDiff,
}

/// The change of a file by a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentDiff {
    /// The diff of the whole file with three lines of context, labels `a/…` and `b/…` with the path
    /// beneath the root; bytes that are not UTF-8 are shown as U+FFFD.
    pub unified_diff: String,
    /// Those bytes.
    pub not_utf8: Vec<NotUtf8>,
    /// The number of added lines.
    pub additions: u64,
    /// The number of removed lines.
    pub deletions: u64,
}

impl ContentDiff {
    /// Compares the old content of a file with the new one.
    pub fn new(
        engine: &mut Engine,
        file: FileName<'_>,
        base: &[u8],
        content: &[u8],
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let diff = Diff::new(engine, base, content, &DiffOptions::default(), cancel)?;
        let [old_label, new_label] = ["a", "b"].map(|side| format!("{side}/{}", file.relative));
        let unified_diff = unified_diff(&diff, old_label.as_bytes(), new_label.as_bytes(), cancel)?;
        Ok(Self {
            not_utf8: NotUtf8::of(&unified_diff),
            unified_diff: lossy(&unified_diff)?.taken(),
            additions: diff.additions(),
            deletions: diff.deletions(),
        })
    }
}

/// The verbs of a report.
const DONE: [&str; 3] = ["Added", "Removed", "Replaced"];

impl Plan {
    /// Finds `edits` in `base`, the current content, and applies all or none.
    ///
    /// Edits are made on bytes: everything outside a match stays as it is. In strings without CR,
    /// LF matches both line ends, and each line keeps its own (`matching`, `line_ends`). The new
    /// content may have `max_bytes`.
    ///
    /// # Errors
    ///
    /// - `invalid_args`: a string is empty, both strings of an edit are equal, two edits overlap,
    ///   nothing changes, or the file is or would become binary.
    /// - `not_found`, `not_unique`: a string does not occur in the file exactly once.
    /// - `too_large`: the new content is longer than `max_bytes`.
    pub fn new(
        engine: &mut Engine,
        file: FileName<'_>,
        base: &[u8],
        edits: &[Edit<'_>],
        max_bytes: u64,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        check(file, base, edits)?;
        let lines = Lines::split(base, cancel)?;
        let haystack = Haystack::new(base, cancel)?;
        let matches = find(file, &haystack, &lines, edits, cancel)?;

        let mut ends = room_for(edits.len());
        for Edit { old_string, new_string, .. } in edits {
            ends.add(LineEnds::pair(engine, &haystack, old_string, new_string, cancel)?);
        }
        let mut content = Content { bytes: Vec::new(), file, max_bytes };
        let mut done = 0;
        for Match { place, edit } in &matches {
            content.push(&base[done..place.start])?;
            let new_string = edits[*edit].new_string;
            match &ends[*edit] {
                Some(ends) => {
                    content.push(&ends.apply(&lines, lines.line_at(place.start), new_string))?
                }
                None => content.push(new_string.as_bytes())?,
            }
            done = place.end;
        }
        content.push(&base[done..])?;
        let content = content.bytes;

        let places: Vec<Range<usize>> =
            matches.into_iter().map(|Match { place, .. }| place).gather();
        let match_line = lines.line_at(places.first().map_or(0, |place| place.start)) as u64 + 1;
        Self::made(engine, file, base, content, (places, match_line), cancel)
    }

    /// Returns the plan that changes `base` to `content` at these places.
    pub(crate) fn made(
        engine: &mut Engine,
        file: FileName<'_>,
        base: &[u8],
        content: Vec<u8>,
        (places, match_line): (Vec<Range<usize>>, u64),
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        if content == base {
            return Err(Error::invalid_args(format!("the edit does not change {file}"))
                .with_hint("Give a new text that differs from the current one"));
        }
        if is_binary(&content) {
            return Err(Error::invalid_args(format!(
                "the edit would make {file} binary: the new text contains a NUL"
            )));
        }
        let diff = ContentDiff::new(engine, file, base, &content, cancel)?;
        Ok(Self { places, match_line, diff, content })
    }

    /// Returns the number of places that are replaced.
    pub fn replacements_made(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns the larger of the lines added and the lines removed.
    pub fn lines_changed(&self) -> u64 {
        self.diff.additions.max(self.diff.deletions)
    }

    /// Returns the report of the change, such as `Added 1 line at line 1 in
    /// workspace/src/utils.py`.
    pub fn message(&self, file: FileName<'_>) -> String {
        format!("{} in {file}", self.change(DONE))
    }

    /// Returns the report for a caller who may not read the file, such as `Added 1 line in
    /// workspace/src/utils.py`: counts, and nothing of what was there or where.
    pub fn message_of_counts(&self, file: FileName<'_>) -> String {
        let places = self.replacements_made();
        let places = if places > 1 { format!(" at {places} places") } else { String::new() };
        format!("{}{places} in {file}", self.lines(DONE))
    }

    /// Returns the question for the change, such as `Edit workspace/src/utils.py: add 1 line at
    /// line 1`.
    pub fn description(&self, file: FileName<'_>) -> String {
        format!("Edit {file}: {}", self.change(["add", "remove", "replace"]))
    }

    fn lines(&self, [add, remove, replace]: [&str; 3]) -> String {
        let (added, removed) =
            (counted(self.diff.additions, "line"), counted(self.diff.deletions, "line"));
        match (self.diff.deletions, self.diff.additions) {
            (0, _) => format!("{add} {added}"),
            (_, 0) => format!("{remove} {removed}"),
            (old, new) if old == new => format!("{replace} {removed}"),
            (_, new) => format!("{replace} {removed} with {new}"),
        }
    }

    fn change(&self, verbs: [&str; 3]) -> String {
        let (what, line) = (self.lines(verbs), self.match_line);
        match self.replacements_made().saturating_sub(1) {
            0 => format!("{what} at line {line}"),
            others => format!("{what} at line {line} and {}", counted(others, "other place")),
        }
    }
}

/// Refuses a file whose version differs from the expected one; both are git blob ids.
///
/// # Errors
/// `stale` when they differ, `invalid_args` when `expected` is not an id.
pub fn check_base(file: FileName<'_>, expected: &str, actual: &str) -> Result<()> {
    if expected.eq_ignore_ascii_case(actual) {
        return Ok(());
    }
    if expected.len() != actual.len() || !expected.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::invalid_args(format!("base_oid {} is not a blob id", quoted(expected)))
            .with_hint(format!("Give all {} hexadecimal digits of the id", actual.len())));
    }
    Err(Error::stale(format!("base_oid is {expected}, but {file} is now {actual}"))
        .with_hint("Read the file again and base the edit on its current content"))
}

/// New content that stays within its limit while it is built.
pub(crate) struct Content<'a> {
    pub bytes: Vec<u8>,
    pub file: FileName<'a>,
    pub max_bytes: u64,
}

impl Content<'_> {
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if (self.bytes.len() + bytes.len()) as u64 > self.max_bytes {
            let Self { file, max_bytes, .. } = self;
            return Err(Error::too_large(format!(
                "the edit would make {file} larger than {max_bytes} bytes"
            ))
            .with_hint("The host sets redline_max_read_bytes and the sandbox's max_file_bytes"));
        }
        Ok(append(&mut self.bytes, bytes)?)
    }
}

/// Refuses a file that is not text.
pub(crate) fn check_text(file: FileName<'_>, base: &[u8]) -> Result<()> {
    if is_binary(base) {
        return Err(Error::invalid_args(format!("{file} is a binary file"))
            .with_hint("Only text can be edited"));
    }
    Ok(())
}

/// Refuses edits that are wrong for any content.
fn check(file: FileName<'_>, base: &[u8], edits: &[Edit<'_>]) -> Result<()> {
    if edits.is_empty() {
        return Err(Error::invalid_args("there are no edits").with_hint("Give at least one"));
    }
    check_text(file, base)?;
    for (index, edit) in edits.iter().enumerate() {
        let which = which(index, edits.len());
        if edit.old_string == edit.new_string {
            return Err(Error::invalid_args(format!("{which}old_string and new_string are equal"))
                .with_hint("Give the replacement"));
        }
        if edit.old_string.is_empty() && !base.is_empty() {
            return Err(Error::invalid_args(format!(
                "{which}old_string is empty, and {file} is not"
            ))
            .with_hint(
                "Give text next to the new text as old_string, and repeat it in new_string",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
