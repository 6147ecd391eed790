//! The id of a patch: a digest that stays the same when line numbers and whitespace change.
//!
//! Source: the output of `git patch-id --stable`, described in its manual. A file's lines are
//! hashed together, and the sum of the files' digests is the id. A file without a hunk is hashed
//! with the file after it, as in git.

use gix::hash::{Hasher, Kind, hasher};

use crate::model::space::{is_space, up_to_nul};
use redline_base::error::{Error, Result};
use redline_text::CancelToken;
use redline_text::cancel_token::PacedToken;

/// The digits of an id in the `index` line of a binary file that are hashed.
const INDEX_DIGITS: usize = 64;

/// A remark such as `\ No newline at end of file` is longer than this many bytes, with its line
/// end.
const REMARK_BYTES: usize = 12;

/// Returns the id of the first patch in a text, with SHA-1 as outside a repository; `None` if the
/// text has no patch.
///
/// # Errors
/// `tool_failed` for a text crafted to share its digest with another; why the query ended.
pub fn patch_id(text: &[u8], cancel: &CancelToken<'_>) -> Result<Option<String>> {
    let mut id = PatchId::new(Kind::Sha1, cancel);
    id.add(text)?;
    id.finish()
}

/// Computes the id of a patch that comes in parts, each of whole lines.
pub(crate) struct PatchId<'a> {
    kind: Kind,
    /// The sum of the digests of the files so far.
    sum: Vec<u8>,
    /// The lines since the last digest.
    hasher: Hasher,
    /// Whether a line was hashed: lines before the first file are not.
    has_begun: bool,
    has_ended: bool,
    place: PatchPart,
    /// Both ids of the last `index` line, as they are printed.
    index: [Vec<u8>; 2],
    /// The line without whitespace.
    line: Vec<u8>,
    pace: PacedToken<'a>,
}

/// The place of a line in a patch.
enum PatchPart {
    /// In the header of a file.
    Header,
    /// In a hunk with this many lines left on each side, or between hunks.
    Hunk { old: i64, new: i64 },
    /// After the header of a binary file.
    Binary,
}

impl<'a> PatchId<'a> {
    /// Begins a patch of a repository whose ids are of this kind.
    pub(crate) fn new(kind: Kind, cancel: &CancelToken<'a>) -> Self {
        Self {
            kind,
            sum: vec![0; kind.len_in_bytes()],
            hasher: hasher(kind),
            has_begun: false,
            has_ended: false,
            place: PatchPart::Header,
            index: [Vec::new(), Vec::new()],
            line: Vec::new(),
            pace: cancel.pace(),
        }
    }

    /// Takes the next lines.
    pub(crate) fn add(&mut self, text: &[u8]) -> Result<()> {
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if self.has_ended {
                break;
            }
            self.pace.pass(line.len())?;
            // A NUL ends a line, as it ends a text in C.
            self.take(up_to_nul(line))?;
        }
        Ok(())
    }

    /// Returns the id; `None` if no line was hashed.
    pub(crate) fn finish(mut self) -> Result<Option<String>> {
        self.close_file()?;
        let digits = self.sum.iter().map(|byte| format!("{byte:02x}"));
        Ok(self.has_begun.then(|| digits.collect()))
    }

    fn take(&mut self, line: &[u8]) -> Result<()> {
        if line.starts_with(b"\\ ") && line.len() > REMARK_BYTES {
            return Ok(());
        }
        if self.names_a_commit(line) {
            self.has_ended = self.has_begun;
            return Ok(());
        }
        let begins_file = line.starts_with(b"diff ");
        if !self.has_begun && !begins_file {
            return Ok(());
        }
        if matches!(self.place, PatchPart::Header) && self.is_header_done(line)? {
            return Ok(());
        }
        match self.place {
            PatchPart::Binary => {
                // git does not hash the first line of the file after a binary one.
                if begins_file {
                    self.place = PatchPart::Header;
                }
                return Ok(());
            }
            PatchPart::Hunk { old: 0, new: 0 } => {
                if let Some(header) = line.strip_prefix(b"@@ -") {
                    let (old, new) = counts(header);
                    self.enter_hunk(old, new);
                    return Ok(());
                }
                if !begins_file {
                    self.has_ended = true;
                    return Ok(());
                }
                self.close_file()?;
                self.place = PatchPart::Header;
            }
            PatchPart::Hunk { old, new } => {
                let mark = line.first();
                let has = |marks: &[u8]| i64::from(mark.is_some_and(|mark| marks.contains(mark)));
                self.enter_hunk(old - has(b"- "), new - has(b"+ "));
            }
            PatchPart::Header => {}
        }
        self.hash(line);
        Ok(())
    }

    /// Tells whether a line names the commit of the patch that follows.
    fn names_a_commit(&self, line: &[u8]) -> bool {
        let id = line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"From "));
        let digits = id.unwrap_or(line).iter().take_while(|byte| byte.is_ascii_hexdigit());
        digits.take(self.kind.len_in_hex()).count() == self.kind.len_in_hex()
    }

    /// Reads a line of a header that is not hashed, or is the last one that is; tells whether the
    /// line is done.
    fn is_header_done(&mut self, line: &[u8]) -> Result<bool> {
        if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files") {
            self.index.iter().for_each(|id| self.hasher.update(id));
            self.close_file()?;
            self.place = PatchPart::Binary;
            return Ok(true);
        }
        if let Some(ids) = line.strip_prefix(b"index ") {
            self.read_index(ids);
            return Ok(true);
        }
        if line.starts_with(b"--- ") {
            // Both names count as lines of a hunk of one line on each side.
            self.place = PatchPart::Hunk { old: 1, new: 1 };
            return Ok(false);
        }
        self.has_ended = !line.first().is_some_and(u8::is_ascii_alphabetic);
        Ok(self.has_ended)
    }

    /// Keeps both ids of an `index` line.
    fn read_index(&mut self, ids: &[u8]) {
        let Some(dots) = memchr::memmem::find(ids, b"..") else { return };
        let end = memchr::memchr(b' ', &ids[dots..]).map_or(ids.len() - 1, |at| dots + at);
        let new = ids.get(dots + 2..end).unwrap_or_default();
        self.index = [&ids[..dots], new].map(|id| id[..id.len().min(INDEX_DIGITS)].to_vec());
    }

    /// Continues in a hunk with this many lines left; one with more old lines than its header says
    /// is over.
    fn enter_hunk(&mut self, old: i64, new: i64) {
        self.place = if old == -1 { PatchPart::Header } else { PatchPart::Hunk { old, new } };
    }

    /// Hashes a line without its whitespace.
    fn hash(&mut self, line: &[u8]) {
        self.line.clear();
        self.line.extend(line.iter().filter(|&&byte| !is_space(byte)));
        self.has_begun |= !self.line.is_empty();
        self.hasher.update(&self.line);
    }

    /// Adds the digest of the lines since the last one to the sum, starting with the lowest byte.
    fn close_file(&mut self) -> Result<()> {
        let hasher = std::mem::replace(&mut self.hasher, hasher(self.kind));
        let digest = hasher.try_finalize().map_err(|error| {
            Error::tool_failed("the patch was crafted to share its id with another")
                .with_source(error)
        })?;
        let mut carry = 0;
        for (byte, more) in self.sum.iter_mut().zip(digest.as_bytes()) {
            let sum = u16::from(*byte) + u16::from(*more) + carry;
            *byte = sum as u8;
            carry = sum >> 8;
        }
        Ok(())
    }
}

/// Returns the numbers of old and new lines of a hunk, from the part of its header after `@@ -`;
/// zeros if it cannot be read.
fn counts(header: &[u8]) -> (i64, i64) {
    let (old, rest) = count(header);
    match (old, rest.strip_prefix(b" +")) {
        (Some(old), Some(rest)) => (old, count(rest).0.unwrap_or(0)),
        _ => (old.unwrap_or(0), 0),
    }
}

/// Reads `start,count`, whose count is 1 if it is left out; returns it and the rest.
fn count(range: &[u8]) -> (Option<i64>, &[u8]) {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (start, rest) = range.split_at(digits(range));
    let Some(rest) = rest.strip_prefix(b",") else {
        return ((!start.is_empty()).then_some(1), rest);
    };
    let (count, rest) = rest.split_at(digits(rest));
    let number = count.iter().fold(0i64, |number, digit| {
        number.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    ((!count.is_empty()).then_some(number), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        patch_id(text.as_bytes(), &CancelToken::never()).unwrap()
    }

    const PATCH: &str =
        "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";

    #[test]
    fn a_text_without_a_patch_has_no_id() {
        for text in ["", "\n", "words\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"] {
            assert_eq!(id(text), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_headings_white_space_and_remarks_do_not_count() {
        for same in [
            PATCH.replace("@@ -1,2 +1,2 @@", "@@ -9,2 +8,2 @@ fn main()"),
            PATCH.replace("-b", "- \tb\r"),
            PATCH.replace("1..2", "3..4"),
            format!("{PATCH}\\ No newline at end of file\n"),
            format!("commit {:040}\n\n    words\n\n{PATCH}", 1),
            format!("{PATCH}-- \n2.47.3\n{PATCH}"),
        ] {
            assert_eq!(id(&same), id(PATCH), "{same}");
        }
    }

    #[test]
    fn context_lines_and_paths_count() {
        for other in [PATCH.replace(" a\n", " x\n"), PATCH.replace("b/f", "b/g")] {
            assert_ne!(id(&other), id(PATCH), "{other}");
        }
    }

    #[test]
    fn the_order_of_files_does_not_count() {
        let other = PATCH.replace("/f", "/g");
        assert_eq!(id(&format!("{PATCH}{other}")), id(&format!("{other}{PATCH}")));
    }

    #[test]
    fn no_text_makes_it_panic() {
        let texts =
            ["index ..", "index a..", "@@ -", "@@ -1,", "@@ -1 +", "--- ", "-\n-\n-\n", "\0"];
        for a in texts {
            for b in texts {
                let _ = id(&format!("diff x\n{a}\n{b}\nGIT binary patch\n"));
                let _ = id(&format!("{PATCH}{a}\n{b}"));
                let _ = id(&format!("diff x\n{a}"));
            }
        }
    }
}
