//! Finds the files of a patch, and combines headers and hunks.

use redline_base::budget::TryGather;
use std::borrow::Cow;

use super::super::cancel_token::{CancelToken, Stopped};
use super::binary::{binary_files, binary_patch};
use super::error::{PatchError, excerpt, excerpt_or_end};
use super::header::{self, GIT, Header, Side};
use super::lines::{Line, LineCursor};
use super::path::{self, Name};
use super::work::Work;
use super::{FilePatch, PatchHunk, PatchStatus, hunk, values};

/// Returns every file of a patch, in its order; the first error ends it.
///
/// Text around the files (mail headers, a diffstat, `Only in …`, a signature) is skipped. An empty
/// or blank input is a patch without files, as `git diff` prints for equal sides; any other input
/// without files is [`PatchError::NoPatch`].
///
/// # Errors
/// Returns the error in the first unreadable file, with its line.
pub fn parse(patch: &[u8]) -> Result<Vec<FilePatch<'_>>, PatchError> {
    parse_within(patch, CancelToken::never()).map(|read| read.files)
}

/// The files of a patch, charged to a budget until they are dropped.
#[derive(Debug)]
pub struct Read<'a> {
    /// The files, in the order of the patch.
    pub files: Vec<FilePatch<'a>>,
    _work: Work<'a>,
}

/// Returns the files as [`parse`] does, within a budget.
///
/// # Errors
/// Those of [`parse`], and [`PatchError::Stopped`].
pub fn parse_within<'a>(patch: &'a [u8], cancel: CancelToken<'a>) -> Result<Read<'a>, PatchError> {
    let mut parser = Parser::new(patch, cancel)?;
    let files = parser.by_ref().map(|parsed| parsed.map(|parsed| parsed.file)).try_gather()?;
    Ok(Read { files, _work: parser.work })
}

/// One file with the data needed to print its header again.
pub(super) struct Parsed<'a> {
    pub file: FilePatch<'a>,
    pub header: Header<'a>,
    /// Whether the header lines end in CR LF.
    pub crlf: bool,
}

/// Reads one file after the other.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    lines: LineCursor<'a>,
    /// The first line that is not blank, if no file starts there.
    first_text: Option<&'a [u8]>,
    found_any: bool,
    /// The time and memory used for the files so far.
    pub work: Work<'a>,
}

impl<'a> Iterator for Parser<'a> {
    type Item = Result<Parsed<'a>, PatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(line) = self.lines.peek() {
            if let Err(stopped) = self.work.line(line.text) {
                return Some(Err(stopped.into()));
            }
            if let Some(found) = self.file_at(&line) {
                let held = size_of::<Parsed<'_>>() + size_of::<header::GitHeader<'_>>();
                if let Err(stopped) = self.work.hold(held) {
                    return Some(Err(stopped.into()));
                }
                self.found_any = true;
                return Some(found);
            }
            if !line.header().is_empty() {
                self.first_text.get_or_insert(line.text);
            }
            self.lines.next();
        }
        let found = self.first_text.filter(|_| !self.found_any).map(excerpt)?;
        self.found_any = true;
        Some(Err(PatchError::NoPatch { found }))
    }
}

impl<'a> Parser<'a> {
    pub fn new(patch: &'a [u8], cancel: CancelToken<'a>) -> Result<Self, Stopped> {
        let lines = LineCursor::new(patch, cancel)?;
        Ok(Self { lines, first_text: None, found_any: false, work: Work::new(cancel) })
    }

    /// Reads the file that starts at the next line; if none does, takes nothing and returns `None`.
    fn file_at(&mut self, line: &Line<'a>) -> Option<Result<Parsed<'a>, PatchError>> {
        let text = line.header();
        let combined = [&b"diff --cc "[..], b"diff --combined "];
        if text.starts_with(GIT) {
            self.lines.next();
            return Some(self.git(line));
        }
        if combined.iter().any(|start| text.starts_with(start)) {
            self.lines.next();
            return Some(Err(PatchError::CombinedDiff { line: line.number, found: excerpt(text) }));
        }
        if hunk::is_plain_header(self.lines.clone()) {
            return Some(self.plain(line));
        }
        if let Some(names) = binary_files(text) {
            self.lines.next();
            return Some(plain_binary(line, names));
        }
        if !hunk::is_hunk(line) {
            return None;
        }
        if self.found_any || self.first_text.is_some() {
            self.lines.next();
            return Some(Err(PatchError::HunkWithoutFile { line: line.number }));
        }
        let mut file = header::empty_file(PatchStatus::Modified, line.number);
        Some(self.hunks(false).map(|hunks| {
            file.hunks = hunks;
            Parsed { file, header: Header::Bare, crlf: line.has_cr() }
        }))
    }

    fn git(&mut self, head: &Line<'a>) -> Result<Parsed<'a>, PatchError> {
        let (names, header) = header::git(head, &mut self.lines, &mut self.work)?;
        let mut file = header.file(&names, head.number)?;
        let next = self.lines.peek();
        let text = next.map_or(&b""[..], |line| line.header());
        if text == b"GIT binary patch" {
            self.lines.next();
            file.is_binary = true;
            file.binary_patch = Some(binary_patch(&mut self.lines, &mut self.work)?);
        } else if binary_files(text).is_some() {
            self.lines.next();
            file.is_binary = true;
        } else {
            file.hunks = self.hunks(false)?;
            if file.hunks.is_empty() && !header.states_change() {
                return Err(PatchError::NoChange {
                    line: head.number,
                    found: excerpt_or_end(next.map(|line| line.text)),
                });
            }
        }
        check_status(&file)?;
        Ok(Parsed { file, header: Header::Git(names, Box::new(header)), crlf: head.has_cr() })
    }

    fn plain(&mut self, head: &Line<'a>) -> Result<Parsed<'a>, PatchError> {
        self.lines.next();
        let blanks = self.lines.peek().is_some_and(|l| l.text.is_empty());
        let plus = hunk::next_after_blank(&mut self.lines).unwrap_or(*head);
        let (minus, plus) = (header::side(head, false)?, header::side(&plus, false)?);
        let hunks = self.hunks(blanks)?;
        let none = |side: &Side<'_>, count: fn(&PatchHunk<'_>) -> u32| {
            side.name.is_dev_null()
                || (values::is_epoch(side.rest) && hunks.iter().all(|hunk| count(hunk) == 0))
        };
        let status = status_without(none(&minus, |h| h.old_lines), none(&plus, |h| h.new_lines));
        let prefixes = plain_prefixes(&minus.name, &plus.name);
        let mut file = header::empty_file(status, head.number);
        file.hunks = hunks;
        let named = |name: &Name<'a>, prefix| Some(name.without_prefix(prefix));
        file.old_path = file.old_path.and_then(|_| named(&minus.name, prefixes.0));
        file.new_path = file.new_path.and_then(|_| named(&plus.name, prefixes.1));
        check_status(&file)?;
        Ok(Parsed { file, header: Header::Plain(minus, plus), crlf: head.has_cr() })
    }

    /// Reads all hunks that follow, with optional empty lines between them.
    fn hunks(&mut self, blank_after_header: bool) -> Result<Vec<PatchHunk<'a>>, PatchError> {
        let mut hunks = Vec::new();
        loop {
            let mut ahead = self.lines.clone();
            while ahead.peek().is_some_and(|line| line.header().is_empty()) {
                self.work.line(b"")?;
                ahead.next();
            }
            if !ahead.peek().is_some_and(|line| hunk::is_hunk(&line)) {
                return Ok(hunks);
            }
            self.lines = ahead;
            let hunk = hunk::parse(&mut self.lines, blank_after_header, &mut self.work)?;
            self.work.push(&mut hunks, hunk)?;
        }
    }
}

/// Returns the bytes of each name's prefix, outside a git diff.
///
/// Only git's own prefixes count as such: `diff -ru old new` prints directories.
pub(super) fn plain_prefixes(old: &Name<'_>, new: &Name<'_>) -> (usize, usize) {
    let has = |name: &Name<'_>, prefix: &[u8]| {
        name.path.starts_with(prefix) && name.path.len() > prefix.len()
    };
    if old.is_dev_null() {
        return (0, if has(new, b"b/") { 2 } else { 0 });
    }
    if new.is_dev_null() {
        return (if has(old, b"a/") { 2 } else { 0 }, 0);
    }
    if path::known_prefixes(&old.path, &new.path) { (2, 2) } else { (0, 0) }
}

fn plain_binary<'a>(line: &Line<'a>, names: &'a [u8]) -> Result<Parsed<'a>, PatchError> {
    let (old, new) = path::two_names(names, b" and ").ok_or_else(|| PatchError::Names {
        line: line.number,
        found: excerpt(line.text),
        reason: "it does not hold two names that end alike",
    })?;
    let (old_prefix, new_prefix) = plain_prefixes(&old, &new);
    let path = |name: &Name<'a>, prefix| -> Option<Cow<'a, [u8]>> {
        (!name.is_dev_null()).then(|| name.without_prefix(prefix))
    };
    let status = status_without(old.is_dev_null(), new.is_dev_null());
    let file = FilePatch {
        old_path: path(&old, old_prefix),
        new_path: path(&new, new_prefix),
        is_binary: true,
        ..header::empty_file(status, line.number)
    };
    Ok(Parsed { file, header: Header::PlainBinary(old, new), crlf: line.has_cr() })
}

/// Returns the status of a file that lacks its old side, its new one, or neither.
fn status_without(old: bool, new: bool) -> PatchStatus {
    match (old, new) {
        (true, false) => PatchStatus::Added,
        (false, true) => PatchStatus::Deleted,
        _ => PatchStatus::Modified,
    }
}

/// Rejects a created file with old lines and a deleted file with new ones.
fn check_status(file: &FilePatch<'_>) -> Result<(), PatchError> {
    for hunk in &file.hunks {
        let (side, lines) = match file.status {
            PatchStatus::Added => ("old", hunk.old_lines),
            PatchStatus::Deleted => ("new", hunk.new_lines),
            _ => return Ok(()),
        };
        if lines > 0 {
            return Err(PatchError::Contradiction {
                line: hunk.line,
                status: file.status.name(),
                side,
                lines,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
