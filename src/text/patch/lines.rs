//! Splits bytes into lines at LF, with line numbers and look-ahead.

use super::super::cancel_token::{CancelToken, Stopped};
use super::super::lines::{line_count_until, without_cr};

/// One line of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The bytes before the LF.
    pub text: &'a [u8],
    /// Whether an LF follows; false only for the last line.
    pub newline: bool,
    /// 1-based.
    pub number: u32,
}

impl<'a> Line<'a> {
    /// Returns the line without one trailing CR, for lines that are not file contents.
    pub fn header(&self) -> &'a [u8] {
        without_cr(self.text)
    }

    pub fn has_cr(&self) -> bool {
        self.text.ends_with(b"\r")
    }
}

/// A cursor over the lines; a copy of it looks ahead without moving it.
#[derive(Clone, Debug)]
pub(super) struct LineCursor<'a> {
    data: &'a [u8],
    start: usize,
    number: u32,
    remaining: usize,
}

impl<'a> LineCursor<'a> {
    /// Creates a cursor, after counting the lines.
    pub fn new(data: &'a [u8], cancel: CancelToken<'_>) -> Result<Self, Stopped> {
        let remaining = line_count_until(data, &cancel)? as usize;
        Ok(Self { data, start: 0, number: 1, remaining })
    }

    /// Returns the next line without advancing.
    pub fn peek(&self) -> Option<Line<'a>> {
        self.clone().next()
    }

    /// Returns the number of remaining lines.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// Returns the number of the next line, also at the end.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the bytes between the cursor's earlier copy `from` and the cursor.
    pub fn since(&self, from: &Self) -> &'a [u8] {
        self.data.get(from.start..self.start).unwrap_or_default()
    }
}

impl<'a> Iterator for LineCursor<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.data.get(self.start..).filter(|r| !r.is_empty())?;
        let end = memchr::memchr(b'\n', rest);
        let text = &rest[..end.unwrap_or(rest.len())];
        let line = Line { text, newline: end.is_some(), number: self.number };
        self.start += text.len() + usize::from(line.newline);
        self.number = self.number.saturating_add(1);
        self.remaining = self.remaining.saturating_sub(1);
        Some(line)
    }
}
