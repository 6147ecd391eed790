//! Writes HTML: our markup, and texts in which nothing is markup and nothing is hidden.

use crate::line::{Line, Tone};
use crate::visible::Kind;
use redline_base::budget::{Charge, text_of};
use redline_base::error::Result;
use redline_edit::payload::NotUtf8;
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

    /// Appends the pieces of a line, and its end: words that differ are marked, and what is shown by a mark or a
    /// number says so by its class.
    pub fn line(&mut self, line: &Line<'_>) -> Result<()> {
        self.markup(line.mark)?;
        for piece in line.shown() {
            let (class, end) = match piece.kind {
                Kind::Plain => ("", ""),
                Kind::Mark => ("<span class=\"mark\">", "</span>"),
                Kind::Hidden => ("<span class=\"number\">", "</span>"),
            };
            let (mark, unmark) = if piece.is_changed { ("<mark>", "</mark>") } else { ("", "") };
            self.markup(mark)?;
            self.markup(class)?;
            self.escaped(&piece.text)?;
            self.markup(end)?;
            self.markup(unmark)?;
        }
        self.markup("\n")
    }

    /// Appends a text of one line, such as a path, without elements; also for an attribute.
    pub fn name(&mut self, name: &[u8]) -> Result<()> {
        let (text, not_utf8) = (text_of(name), NotUtf8::of(name));
        let line = Line { not_utf8: (&not_utf8, 0), ..Line::name(Tone::Title, &text) };
        line.shown().try_for_each(|piece| self.escaped(&piece.text))
    }

    /// Appends a text in which nothing becomes markup.
    fn escaped(&mut self, text: &str) -> Result<()> {
        let mut pace = self.cancel.pace();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let escape = match first {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                _ => {
                    let plain = rest.find(['&', '<', '>', '"', '\'']).unwrap_or(rest.len());
                    let (before, other) = rest.split_at(plain);
                    pace.pass(before.len())?;
                    self.markup(before)?;
                    rest = other;
                    continue;
                }
            };
            self.markup(escape)?;
            rest = &rest[1..];
        }
        Ok(())
    }
}
