//! A text within a limit of bytes.

use super::answer::Reply;
use super::tool::Output;
use redline_base::budget::{Stopped, lossy};
use redline_base::error::Result;
use redline_base::form::Form;

/// The limits of a text.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of the text itself.
    pub bytes: usize,
    /// How the answer contains it.
    pub form: Form,
    /// The most bytes that it may take there.
    pub room: usize,
}

impl Bounds {
    /// Returns a limit for the bytes of the text itself.
    pub const fn bytes(bytes: usize) -> Self {
        Self { bytes, form: Form::Text, room: usize::MAX }
    }

    /// Returns a limit for the bytes of the text in an answer.
    pub const fn room(form: Form, room: usize) -> Self {
        Self { bytes: usize::MAX, form, room }
    }
}

/// Collects lines until the next one would exceed the limit; then the text ends in a line that says
/// so.
#[derive(Debug)]
pub struct Bounded {
    text: String,
    cost: usize,
    bounds: Bounds,
    is_cut: bool,
}

impl Bounded {
    /// Creates an empty text. The last line of a cut text counts, but is added even if the limit
    /// leaves no room for it.
    pub fn new(bounds: Bounds) -> Self {
        Self { text: String::new(), cost: 0, bounds, is_cut: false }
    }

    /// Appends whole lines, or none of them, with U+FFFD for bytes that are not UTF-8; returns
    /// false if the text is full and nothing more may be appended.
    ///
    /// # Errors
    /// [`Stopped::Allocation`].
    pub fn push(&mut self, lines: &[u8]) -> std::result::Result<bool, Stopped> {
        let bytes = self.bounds.bytes - self.text.len();
        let room = self.bounds.room - self.cost;
        // Bytes that do not fit do not fit as text either, and are not converted.
        self.is_cut |= lines.len() > bytes || lines.len() > room;
        if self.is_cut {
            return Ok(false);
        }
        let lines = lossy(lines)?;
        let cost = self.bounds.form.cost(&lines);
        self.is_cut |= lines.len() > bytes || cost > room;
        if !self.is_cut {
            self.cost += cost;
            self.text.try_reserve(lines.len()).map_err(|_| Stopped::Allocation)?;
            self.text.push_str(&lines);
        }
        Ok(!self.is_cut)
    }

    /// Returns the text and whether it was cut: then whole lines are removed until `[diff truncated
    /// at N bytes]` fits after the N remaining bytes.
    pub fn finish(mut self) -> (String, bool) {
        if self.is_cut {
            loop {
                let mark = format!("[diff truncated at {} bytes]", self.text.len());
                let fits = self.text.len() + mark.len() <= self.bounds.bytes
                    && self.cost + self.bounds.form.cost(&mark) <= self.bounds.room;
                if self.text.is_empty() || fits {
                    self.text.push_str(&mark);
                    break;
                }
                let last =
                    self.text[..self.text.len() - 1].rfind('\n').map_or(0, |newline| newline + 1);
                self.cost -= self.bounds.form.cost(&self.text[last..]);
                self.text.truncate(last);
            }
        }
        (self.text, self.is_cut)
    }
}

/// Returns the lines of a diff for which a reply has room beside an output without them, and
/// whether the diff is cut.
pub fn fitting<'a>(
    reply: &Reply,
    empty: &impl Output,
    lines: impl Iterator<Item = &'a str>,
) -> Result<(String, bool)> {
    let mut diff = Bounded::new(Bounds::room(reply.body(), reply.room(empty)));
    for line in lines {
        if !diff.push(line.as_bytes())? {
            break;
        }
    }
    Ok(diff.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(lines: &[&[u8]], limit: usize) -> (String, bool) {
        let mut text = Bounded::new(Bounds::bytes(limit));
        let _ = lines.iter().all(|line| text.push(line).unwrap());
        text.finish()
    }

    #[test]
    fn a_text_of_exactly_the_limit_is_not_cut() {
        assert_eq!(collect(&[b"one\n", b"two\n"], 8), ("one\ntwo\n".to_owned(), false));
        assert_eq!(collect(&[], 0), (String::new(), false));
    }

    #[test]
    fn a_cut_text_is_within_the_limit_and_ends_with_a_line() {
        let lines: Vec<Vec<u8>> =
            (0..40).map(|n| format!("line {n} \u{e4}\u{1f600}\n").into_bytes()).collect();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let whole = collect(&lines, usize::MAX).0;
        for limit in 0..whole.len() {
            let (text, is_cut) = collect(&lines, limit);
            assert!(is_cut, "{limit}");
            let (kept, mark) = text.split_at(text.rfind('[').unwrap());
            assert_eq!(mark, format!("[diff truncated at {} bytes]", kept.len()));
            assert!(text.len() <= limit || kept.is_empty(), "{limit}: {}", text.len());
            assert!(
                whole.starts_with(kept) && (kept.is_empty() || kept.ends_with('\n')),
                "{limit}"
            );
        }
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_counted_as_they_are_shown() {
        let (text, is_cut) = collect(&[b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\n"], 30);
        assert_eq!((text.as_str(), is_cut), ("[diff truncated at 0 bytes]", true));
    }

    #[test]
    fn a_line_after_one_that_was_too_long_is_left_out() {
        let mut text = Bounded::new(Bounds::bytes(40));
        assert!(text.push(b"a\n").unwrap());
        assert!(!text.push(&[b'x'; 50]).unwrap());
        assert!(!text.push(b"b\n").unwrap());
        assert_eq!(text.finish().0, "a\n[diff truncated at 2 bytes]");
    }

    #[test]
    fn a_text_within_json_keeps_its_room_there() {
        for room in 30..200 {
            let mut text = Bounded::new(Bounds::room(Form::Json, room));
            while text.push("\"\u{1}\u{e4}\"\n".as_bytes()).unwrap() {}
            let (text, is_cut) = text.finish();
            assert!(is_cut && Form::Json.cost(&text) <= room, "{room}: {text:?}");
        }
    }
}
