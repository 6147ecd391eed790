//! The line ends of replacements in files that use CRLF, or both CRLF and LF.

use std::collections::VecDeque;

use crate::plan::matching::Haystack;
use redline_base::budget::{Grow, GrowBy, Joined, room_for};
use redline_base::error::Result;
use redline_text::lines::Lines;
use redline_text::{CancelToken, Diff, DiffOptions, Engine};

/// For each line of a new string, the line of the old string whose line end it takes.
#[derive(Debug)]
pub struct LineEnds(Vec<usize>);

impl LineEnds {
    /// Pairs the lines of two strings; `None` if the new string is used as it is: when it has no
    /// line end, when the file has LF only, and when the old string has a CR and so names its line
    /// ends itself.
    ///
    /// A line in both strings keeps its line end. Of lines that replace others, the first takes the
    /// line end of the first, and so on; an added line takes that of the line before it, or at the
    /// very start that of the line after it.
    pub fn pair(
        engine: &mut Engine,
        file: &Haystack<'_>,
        old: &str,
        new: &str,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<Self>> {
        if !file.has_crlf() || old.contains('\r') || !new.contains('\n') {
            return Ok(None);
        }
        // With a line end added, a last line equals the same line elsewhere.
        let [old, new] = [old, new].map(|text| [text, "\n"].joined(""));
        let options = DiffOptions { context: None, ..DiffOptions::default() };
        let diff = Diff::new(engine, old.as_bytes(), new.as_bytes(), &options, cancel)?;
        let mut from: Vec<usize> = Vec::new();
        let mut removed = VecDeque::new();
        for line in diff.hunks().iter().flat_map(|hunk| diff.lines(hunk)) {
            match (line.old, line.new) {
                (Some(old), None) => removed.add(old as usize - 1),
                (Some(old), Some(_)) => {
                    removed.clear();
                    from.add(old as usize - 1);
                }
                (None, _) => from.add(removed.pop_front().or(from.last().copied()).unwrap_or(0)),
            }
        }
        Ok(Some(Self(from)))
    }

    /// Returns the new string with its line ends, for an old string that starts in line `first`
    /// (0-based) of the file. CRLF in the new string stays.
    pub fn apply(&self, file: &Lines<'_>, first: usize, new: &str) -> Vec<u8> {
        let mut out = room_for(new.len() + self.0.len());
        for (line, from) in new.split_inclusive('\n').zip(&self.0) {
            match line.strip_suffix('\n') {
                Some(text) if !text.ends_with('\r') => {
                    out.add_slice(text.as_bytes());
                    out.add_slice(end_of_line(file, first + from));
                }
                _ => out.add_slice(line.as_bytes()),
            }
        }
        out
    }
}

/// Returns the line end of a line, which a last one may lack.
pub(crate) fn line_end(line: &[u8]) -> Option<&'static [u8]> {
    match line {
        [.., b'\r', b'\n'] => Some(b"\r\n"),
        [.., b'\n'] => Some(b"\n"),
        _ => None,
    }
}

/// Returns the line end of a line; for a last one without newline, that of the line before it.
pub(crate) fn end_of_line(file: &Lines<'_>, line: usize) -> &'static [u8] {
    let end = |line: usize| line_end(file.get(line));
    end(line).or_else(|| end(line.checked_sub(1)?)).unwrap_or(b"\n")
}
