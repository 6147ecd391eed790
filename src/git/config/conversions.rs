//! Converts line endings and `$Id$` of a file for git, as `convert_to_git` of git's convert.c does.
//!
//! A file may be a gibibyte, so the thread's budget is checked regularly and allocations may fail.

use crate::model::bytes::Bytes;
use redline_base::budget::{Stopped, append, check_current};

/// Bytes that are converted between two checks of the budget.
pub const PIECE: usize = 1 << 20;

/// How the line endings of a file are converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndings {
    /// Unchanged.
    Keep,
    /// CR LF becomes LF.
    Text,
    /// CR LF becomes LF if the file looks like text, unless the version in the index has CR LF.
    Auto,
}

/// The numbers of different bytes in a file.
#[derive(Debug, Default)]
struct Statistics {
    crlf: usize,
    lone_cr: usize,
    nul: usize,
    printable: usize,
    other: usize,
}

impl Statistics {
    fn of(bytes: &[u8]) -> Result<Self, Stopped> {
        let mut found = Self::default();
        let mut after_cr = false;
        for piece in bytes.chunks(PIECE) {
            check_current()?;
            for &byte in piece {
                match byte {
                    b'\n' if after_cr => {
                        found.crlf += 1;
                        found.lone_cr -= 1;
                    }
                    b'\n' => {}
                    b'\r' => found.lone_cr += 1,
                    0 => {
                        found.nul += 1;
                        found.other += 1;
                    }
                    0x08 | b'\t' | 0x0c | 0x1b => found.printable += 1,
                    ..0x20 | 0x7f => found.other += 1,
                    _ => found.printable += 1,
                }
                after_cr = byte == b'\r';
            }
        }
        // The end-of-file mark of DOS.
        if bytes.last() == Some(&0x1a) {
            found.other -= 1;
        }
        Ok(found)
    }

    fn is_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || self.printable >> 7 < self.other
    }
}

/// Returns a file with the line endings that git stores, `None` if they do not change; `staged`
/// returns its version in the index.
///
/// # Errors
/// Those of `staged`, and the reason why the query ended.
pub fn to_git_line_endings<E: From<Stopped>>(
    bytes: &[u8],
    endings: LineEndings,
    staged: impl FnOnce() -> Result<Option<Bytes>, E>,
) -> Result<Option<Vec<u8>>, E> {
    if endings == LineEndings::Keep || memchr::memchr(b'\r', bytes).is_none() {
        return Ok(None);
    }
    let found = Statistics::of(bytes)?;
    if found.crlf == 0 || (endings == LineEndings::Auto && found.is_binary()) {
        return Ok(None);
    }
    if endings == LineEndings::Auto
        && let Some(staged) = staged()?
        && memchr::memchr(b'\r', &staged).is_some()
    {
        let in_index = Statistics::of(&staged)?;
        if in_index.crlf > 0 && !in_index.is_binary() {
            return Ok(None);
        }
    }
    let mut converted = Vec::new();
    converted.try_reserve_exact(bytes.len() - found.crlf).map_err(|_| Stopped::Allocation)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        check_current()?;
        // A CR at the end of a piece is handled with the byte after it.
        let end = if rest.len() > PIECE {
            PIECE - usize::from(rest[PIECE - 1] == b'\r')
        } else {
            rest.len()
        };
        let (mut piece, after) = rest.split_at(end);
        while let Some(cr) = memchr::memchr(b'\r', piece) {
            let is_ending = piece.get(cr + 1) == Some(&b'\n');
            converted.extend_from_slice(&piece[..cr + usize::from(!is_ending)]);
            piece = &piece[cr + 1..];
        }
        converted.extend_from_slice(piece);
        rest = after;
    }
    Ok(Some(converted))
}

/// Returns a file with `$Id$` instead of each one-line `$Id: …$`, `None` if there is none.
///
/// # Errors
/// The reason why the query ended.
pub fn without_ids(bytes: &[u8]) -> Result<Option<Vec<u8>>, Stopped> {
    const START: &[u8] = b"$Id:";
    let mut converted = Vec::new();
    let (mut kept, mut at, mut looked) = (0, 0, 0);
    let finder = memchr::memmem::Finder::new(START);
    while let Some(found) = finder.find(&bytes[at..]) {
        if at - looked >= PIECE {
            looked = at;
            check_current()?;
        }
        let inside = at + found + START.len();
        let Some(length) = memchr::memchr2(b'$', b'\n', &bytes[inside..]) else { break };
        let end = inside + length;
        at = end + 1;
        if bytes[end] == b'$' {
            append(&mut converted, &bytes[kept..inside - 1])?;
            append(&mut converted, b"$")?;
            kept = at;
        }
    }
    if kept == 0 {
        return Ok(None);
    }
    append(&mut converted, &bytes[kept..])?;
    Ok(Some(converted))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use redline_base::budget::{Budget, Current};

    fn converted(bytes: &[u8], endings: LineEndings, staged: Option<&[u8]>) -> Option<Vec<u8>> {
        let staged = || Ok::<_, Stopped>(staged.map(|staged| Bytes::from(staged.to_vec())));
        to_git_line_endings(bytes, endings, staged).unwrap()
    }

    #[test]
    fn line_endings_are_those_that_git_stores() {
        use LineEndings::{Auto, Keep, Text};
        let long = b"a\r\n".repeat(PIECE);
        type Case<'a> = (&'a [u8], LineEndings, Option<&'a [u8]>, Option<&'a [u8]>);
        let cases: [Case<'_>; 13] = [
            (b"a\r\nb\r\n", Text, None, Some(b"a\nb\n")),
            (b"a\r\nb\r\n", Keep, None, None),
            (b"a\nb\n", Text, None, None),
            (b"a\rb\r\n\r", Text, None, Some(b"a\rb\n\r")),
            (b"a\r\r\n", Text, None, Some(b"a\r\n")),
            (b"a\rb\r\n", Auto, None, None),
            (b"a\0\r\n", Auto, None, None),
            (b"a\x1a\r\n", Auto, None, None),
            (b"a\r\n\x1a", Auto, None, Some(b"a\n\x1a")),
            (b"a\r\n", Auto, Some(b"a\r\n"), None),
            (b"a\r\n", Auto, Some(b"a\r\n\0"), Some(b"a\n")),
            (b"a\r\n", Auto, Some(b"a\n"), Some(b"a\n")),
            (&long, Text, None, Some(&b"a\n".repeat(PIECE))),
        ];
        for (bytes, endings, staged, wanted) in cases {
            assert_eq!(
                converted(bytes, endings, staged).as_deref(),
                wanted,
                "{endings:?} {:?}",
                &bytes[..6.min(bytes.len())]
            );
        }
    }

    #[test]
    fn an_id_is_taken_out_of_one_line() {
        for (bytes, wanted) in [
            (&b"a $Id: 12 $ b\n"[..], Some(&b"a $Id$ b\n"[..])),
            (b"$Id:$", Some(b"$Id$")),
            (b"$Id: 1\n$ $Id: 2$", Some(b"$Id: 1\n$ $Id$")),
            (b"$Id$ $Id: no end", None),
            (b"$Id:$Id:$Id:$", Some(b"$Id$Id:$Id$")),
        ] {
            assert_eq!(
                without_ids(bytes).unwrap().as_deref(),
                wanted,
                "{}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    #[test]
    fn a_query_that_was_cancelled_converts_no_more() {
        let budget = Arc::new(Budget::default());
        budget.cancel();
        let _current = Current::enter(&budget);
        let staged = || Ok::<_, Stopped>(None);
        assert_eq!(
            to_git_line_endings(b"a\r\n", LineEndings::Text, staged),
            Err(Stopped::Cancelled)
        );
        assert_eq!(without_ids(&b"$Id: $\n".repeat(PIECE)), Err(Stopped::Cancelled));
    }
}
