//! The form in which lines are compared: exact, or without the differences that `fuzz` ignores.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Hunk, HunkLine, Pass};
use redline_base::budget::{Copied, Gather, Grow, GrowMap, Taken, text_of};
use redline_base::error::Result;
use redline_text::CancelToken;
use redline_text::lines::{Lines, without_cr};

/// The number of a line that occurs in no hunk.
const NONE: u32 = u32::MAX;

/// The lines of a file as numbers; equal numbers mean equal lines.
pub(super) struct Numbered {
    pass: Pass,
    has_cr: bool,
    numbers: HashMap<Vec<u8>, u32>,
    /// The lines of the file.
    pub(super) file: Vec<u32>,
}

impl Numbered {
    /// Numbers the lines of a file for hunks that are compared in one pass. For hunks with CRs
    /// (`has_cr`) the CR of a line counts; otherwise lines with either line end are equal.
    pub(super) fn new<'h>(
        lines: &Lines<'_>,
        hunks: impl Iterator<Item = &'h Hunk>,
        pass: Pass,
        has_cr: bool,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let mut pace = cancel.pace();
        let mut this = Self { pass, has_cr, numbers: HashMap::new(), file: Vec::new() };
        for line in hunks.flat_map(|hunk| &hunk.lines) {
            pace.pass(line.text.len())?;
            let key = this.key(line.text.as_bytes()).taken();
            let next = this.numbers.len() as u32;
            this.numbers.slot(key).or_insert(next);
        }
        for index in 0..lines.len() {
            let line = lines.get(index);
            pace.pass(line.len())?;
            let key = this.key(line.strip_suffix(b"\n").unwrap_or(line));
            let number = this.numbers.get(key.as_ref()).copied().unwrap_or(NONE);
            this.file.add(number);
        }
        Ok(this)
    }

    /// Tells whether the CR of a line counts.
    pub(super) fn has_cr(&self) -> bool {
        self.has_cr
    }

    /// Returns the numbers of lines of a hunk.
    pub(super) fn of<'h>(&self, lines: impl Iterator<Item = &'h HunkLine>) -> Vec<u32> {
        // The lines of a hunk that was not numbered match nowhere: no line of a file has the number
        // `NONE - 1`.
        let number = |line: &HunkLine| self.numbers.get(self.key(line.text.as_bytes()).as_ref());
        lines.map(|line| number(line).copied().unwrap_or(NONE - 1)).gather()
    }

    fn key<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let line = if self.has_cr { line } else { without_cr(line) };
        key(line, self.pass)
    }
}

/// Returns the part of a line that is compared in a pass.
fn key(line: &[u8], pass: Pass) -> Cow<'_, [u8]> {
    match pass {
        Pass::Exact => line.into(),
        Pass::TrimmedEnd => line.trim_ascii_end().into(),
        Pass::Trimmed => line.trim_ascii().into(),
        Pass::Ascii if line.is_ascii() => line.trim_ascii().into(),
        Pass::Ascii => {
            let text = text_of(line);
            let text: String = text.chars().map(plain).gather();
            text.trim().as_bytes().copied_vec().into()
        }
    }
}

/// Returns the ASCII equivalent of a Unicode dash, quote or blank.
fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        c => c,
    }
}
