//! The line ends of replaced text, in files that end lines with CRLF, or with both.

use std::collections::VecDeque;

use super::matching::Haystack;
use crate::error::Result;
use crate::text::lines::Lines;
use crate::text::{CancelToken, Diff, DiffOptions, Engine};

/// For each line of a new string, the line of the old string whose end it takes.
#[derive(Debug)]
pub struct LineEnds(Vec<usize>);

impl LineEnds {
    /// Pairs the lines of two strings; `None` where the new string is taken as it is: when it has
    /// no line ending of its own to choose, when the file has LF only, and when the old string has
    /// a CR and so names its line ends itself.
    ///
    /// A line of both strings keeps its end. Of lines that take the place of others, the first
    /// takes the end of the first, and so on; a line that is only added takes the end of the one
    /// before, or at the very start of the one after.
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
        // With an end of its own, a last line is the same line wherever it stands.
        let (old, new) = (format!("{old}\n"), format!("{new}\n"));
        let options = DiffOptions { context: None, ..DiffOptions::default() };
        let diff = Diff::new(engine, old.as_bytes(), new.as_bytes(), &options, cancel)?;
        let mut from: Vec<usize> = Vec::new();
        let mut removed = VecDeque::new();
        for line in diff.hunks().iter().flat_map(|hunk| diff.lines(hunk)) {
            match (line.old, line.new) {
                (Some(old), None) => removed.push_back(old as usize - 1),
                (Some(old), Some(_)) => {
                    removed.clear();
                    from.push(old as usize - 1);
                }
                (None, _) => from.push(removed.pop_front().or(from.last().copied()).unwrap_or(0)),
            }
        }
        Ok(Some(Self(from)))
    }

    /// Returns the new string with its line ends, for an old string that starts in line `first`
    /// (0-based) of the file. CRLF in the new string stays.
    pub fn apply(&self, file: &Lines<'_>, first: usize, new: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(new.len() + self.0.len());
        for (line, from) in new.split_inclusive('\n').zip(&self.0) {
            match line.strip_suffix('\n') {
                Some(text) if !text.ends_with('\r') => {
                    out.extend_from_slice(text.as_bytes());
                    out.extend_from_slice(end_of_line(file, first + from));
                }
                _ => out.extend_from_slice(line.as_bytes()),
            }
        }
        out
    }
}

/// Returns how a line ends; a last one without newline as the line before it.
pub(super) fn end_of_line(file: &Lines<'_>, line: usize) -> &'static [u8] {
    let end = |line: usize| {
        let line = file.get(line);
        if line.ends_with(b"\r\n") {
            Some(&b"\r\n"[..])
        } else {
            line.ends_with(b"\n").then_some(&b"\n"[..])
        }
    };
    end(line).or_else(|| end(line.checked_sub(1)?)).unwrap_or(b"\n")
}
