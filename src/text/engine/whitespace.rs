//! Rewrites lines to the form that is compared when whitespace is ignored.
//!
//! git describes the modes in git-diff(1); two lines are equal in a mode exactly if their rewritten
//! forms are equal bytes. Whitespace is the space, TAB, LF and CR, never VT or FF. The terminator
//! is not part of the form in any mode, so a last line with and without `\n` are equal in all of
//! them.

use super::options::Whitespace;
use crate::cancel_token::{CancelToken, PacedToken, Stopped, append};
use crate::lines::{View, without_terminator};
use redline_base::budget::{Grow, reserve};

/// Bytes of one line that are read between two steps of the pace.
const PART: usize = 1 << 12;

/// Tells whether git counts `byte` as whitespace.
#[inline]
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns a text without whitespace at its end.
pub(crate) fn without_trailing_space(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// Tells whether `--ignore-blank-lines` counts a changed `line` as blank.
///
/// Without a white-space mode git checks for at most one byte, not for a newline, so a last line of
/// one byte without a terminator counts as blank whatever the byte is.
pub(super) fn is_blank(
    line: &[u8],
    whitespace: Whitespace,
    pace: &mut PacedToken<'_>,
) -> Result<bool, Stopped> {
    pace.spend(1)?;
    if whitespace == Whitespace::Exact {
        return Ok(line.len() <= 1);
    }
    for part in line.chunks(PART) {
        if !part.iter().all(|&byte| is_space(byte)) {
            return Ok(false);
        }
        pace.spend(PART / 16)?;
    }
    Ok(true)
}

/// The rewritten lines of one side.
#[derive(Debug, Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    bounds: Vec<u32>,
}

impl Keys {
    /// Replaces the content by the rewritten lines of `text`.
    pub(super) fn fill(
        &mut self,
        text: &View<'_>,
        whitespace: Whitespace,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = cancel.pace();
        self.bytes.clear();
        self.bounds.clear();
        // No line gets longer.
        reserve(&mut self.bytes, text.bytes().len())?;
        reserve(&mut self.bounds, text.len() + 1)?;
        self.bounds.push(0);
        for index in 0..text.len() {
            let line = text.get(index);
            match whitespace {
                Whitespace::Exact => append(&mut self.bytes, line, &mut pace)?,
                Whitespace::All => self.push_without_space(line, &mut pace)?,
                Whitespace::Change => self.push_collapsed(line, &mut pace)?,
                Whitespace::Eol => {
                    let kept = without_trailing_space_paced(line, &mut pace)?;
                    append(&mut self.bytes, kept, &mut pace)?;
                }
                Whitespace::CrAtEol => {
                    append(&mut self.bytes, without_terminator(line), &mut pace)?;
                }
            }
            self.bounds.push(self.bytes.len() as u32);
            pace.spend(1)?;
        }
        Ok(())
    }

    pub(super) fn view(&self) -> View<'_> {
        View::new(&self.bytes, &self.bounds)
    }

    fn push_without_space(
        &mut self,
        line: &[u8],
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        for part in line.chunks(PART) {
            self.bytes.add_all(part.iter().copied().filter(|&byte| !is_space(byte)));
            pace.spend(part.len() / 16)?;
        }
        Ok(())
    }

    /// Writes one space for each run of whitespace and none for the run at the end.
    fn push_collapsed(&mut self, line: &[u8], pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        let mut pending = false;
        for part in line.chunks(PART) {
            for &byte in part {
                if is_space(byte) {
                    pending = true;
                    continue;
                }
                if pending {
                    self.bytes.add(b' ');
                    pending = false;
                }
                self.bytes.add(byte);
            }
            pace.spend(part.len() / 16)?;
        }
        Ok(())
    }
}

/// Does the same as [`without_trailing_space`] in cancellable steps.
fn without_trailing_space_paced<'l>(
    line: &'l [u8],
    pace: &mut PacedToken<'_>,
) -> Result<&'l [u8], Stopped> {
    let mut kept = line.len();
    for part in line.rchunks(PART) {
        if let Some(last) = part.iter().rposition(|&byte| !is_space(byte)) {
            return Ok(&line[..kept - part.len() + last + 1]);
        }
        kept -= part.len();
        pace.spend(PART / 16)?;
    }
    Ok(&[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Lines;

    fn keys(text: &[u8], whitespace: Whitespace) -> Vec<Vec<u8>> {
        let cancel = CancelToken::never();
        let lines = Lines::split(text, &cancel).unwrap();
        let mut keys = Keys::default();
        keys.fill(&lines.view(), whitespace, &cancel).unwrap();
        (0..lines.len()).map(|i| keys.view().get(i).to_vec()).collect()
    }

    fn equal(a: &[u8], b: &[u8], whitespace: Whitespace) -> bool {
        keys(a, whitespace) == keys(b, whitespace)
    }

    #[test]
    fn change_mode_distinguishes_leading_space_from_none() {
        assert!(!equal(b" a\n", b"a\n", Whitespace::Change));
        assert!(equal(b" a \t b\r\n", b"\ta b", Whitespace::Change));
        assert!(equal(b" a\n", b"a\n", Whitespace::All));
    }

    #[test]
    fn eol_mode_compares_inner_space() {
        assert!(equal(b"a  b \t\r\n", b"a  b", Whitespace::Eol));
        assert!(!equal(b"a  b\n", b"a b\n", Whitespace::Eol));
    }

    #[test]
    fn cr_mode_drops_one_cr_before_lf_only() {
        assert!(equal(b"x\r\n", b"x\n", Whitespace::CrAtEol));
        assert!(equal(b"x\r\n", b"x", Whitespace::CrAtEol));
        assert!(!equal(b"x\r", b"x", Whitespace::CrAtEol));
        assert!(!equal(b"x\r\r\n", b"x\r\n", Whitespace::CrAtEol));
    }

    #[test]
    fn vertical_tab_and_form_feed_are_not_space() {
        assert!(!equal(b"a\x0b\n", b"a\n", Whitespace::All));
        assert!(!equal(b"a\x0c\n", b"a\n", Whitespace::All));
    }

    #[test]
    fn a_one_byte_last_line_is_blank_as_git_has_it() {
        let blank = |line: &[u8], whitespace| {
            is_blank(line, whitespace, &mut CancelToken::never().pace()).unwrap()
        };
        assert!(blank(b"\n", Whitespace::Exact));
        assert!(blank(b"x", Whitespace::Exact));
        assert!(!blank(b" \n", Whitespace::Exact));
        assert!(blank(b" \n", Whitespace::Eol));
        assert!(!blank(b"x", Whitespace::Eol));
    }
}
