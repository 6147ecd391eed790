//! Writes HTML: our markup, and texts in which nothing is markup and nothing is hidden.

use crate::visible::{NUMBER, RETURN_MARK, is_unseen};
use redline_base::budget::Charge;
use redline_base::error::Result;
use redline_text::CancelToken;
use redline_text::cancel_token::PacedToken;

/// A page that grows.
pub(super) struct Html<'c> {
    out: Vec<u8>,
    charge: Charge,
    cancel: &'c CancelToken<'c>,
}

impl<'c> Html<'c> {
    /// Returns an empty page.
    pub fn new(cancel: &'c CancelToken<'c>) -> Self {
        Self { out: Vec::new(), charge: Charge::free(), cancel }
    }

    /// Returns the page.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Returns a counter of the query's steps.
    pub fn pace(&self) -> PacedToken<'c> {
        self.cancel.pace()
    }

    /// Appends markup as it is.
    pub fn markup(&mut self, markup: &str) -> Result<()> {
        self.cancel.room(&mut self.charge, &mut self.out, markup.len())?;
        self.out.extend_from_slice(markup.as_bytes());
        Ok(())
    }

    /// Appends lines of text.
    pub fn text(&mut self, text: &[u8]) -> Result<()> {
        self.escaped(text, true)
    }

    /// Appends a text of one line, such as a path; also for an attribute.
    pub fn name(&mut self, name: &[u8]) -> Result<()> {
        self.escaped(name, false)
    }

    fn escaped(&mut self, bytes: &[u8], has_lines: bool) -> Result<()> {
        let mut pace = self.cancel.pace();
        for chunk in bytes.utf8_chunks() {
            let mut rest = chunk.valid();
            while !rest.is_empty() {
                let plain = rest.bytes().position(|byte| !is_plain(byte, has_lines));
                let (before, other) = rest.split_at(plain.unwrap_or(rest.len()));
                pace.pass(before.len() + 1)?;
                self.markup(before)?;
                rest = self.first(other)?;
            }
            if !chunk.invalid().is_empty() {
                self.markup("\u{fffd}")?;
            }
        }
        Ok(())
    }

    /// Appends the first character of a text, escaped, and returns the rest.
    fn first<'t>(&mut self, text: &'t str) -> Result<&'t str> {
        let Some(first) = text.chars().next() else { return Ok(text) };
        let rest = &text[first.len_utf8()..];
        match first {
            '&' => self.markup("&amp;")?,
            '<' if text.starts_with(NUMBER) => self.number(first)?,
            '<' => self.markup("&lt;")?,
            '>' => self.markup("&gt;")?,
            '"' => self.markup("&quot;")?,
            '\'' => self.markup("&#39;")?,
            '\r' if rest.starts_with('\n') => self.markup(RETURN_MARK.encode_utf8(&mut [0; 4]))?,
            RETURN_MARK => self.number(first)?,
            hidden if is_unseen(hidden) => self.number(hidden)?,
            shown => self.markup(shown.encode_utf8(&mut [0; 4]))?,
        }
        Ok(rest)
    }

    /// Appends the number of a character that is invisible, or would be markup.
    fn number(&mut self, c: char) -> Result<()> {
        self.markup(&format!("&lt;U+{:04X}&gt;", u32::from(c)))
    }
}

/// Tells whether a byte needs no escape: neither markup nor invisible.
fn is_plain(byte: u8, has_lines: bool) -> bool {
    match byte {
        b'&' | b'<' | b'>' | b'"' | b'\'' => false,
        b'\n' | b'\t' => has_lines,
        byte => matches!(byte, b' '..=b'~'),
    }
}
