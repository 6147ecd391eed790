//! Cursors: opaque strings that name the end of a page, for one state of one comparison.

use sha2::{Digest as _, Sha256};

use redline_base::budget::{Grow, Joined};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::{from_hex, hex};

/// Bytes of every cursor.
pub const CURSOR_BYTES: usize = VERSION.len() + 2 * BODY_BYTES;

/// The prefix of cursors of this version.
const VERSION: &str = "r2";
/// Options, state, four numbers of the position, and the sum over them.
const BODY_BYTES: usize = 4 + 8 + 4 * 4 + 4;

/// How much the pages so far have shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Number of listed files.
    pub listed: usize,
    /// Number of pieces on the first page, which has an order of its own.
    pub first: usize,
    /// Number of pieces shown completely, in the order of all pages.
    pub shown: usize,
    /// Number of bytes already shown of the next piece.
    pub offset: usize,
}

/// The state to which a cursor is bound: digests of the options, and of both sides and their
/// differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    options: [u8; 4],
    state: [u8; 8],
}

impl Binding {
    /// Binds to options and a state; each is any byte string that identifies it.
    pub fn new(options: &[u8], state: &[u8]) -> Self {
        Self { options: digest(options), state: digest(state) }
    }

    /// Returns the cursor of a position; `None` if a number does not fit in 32 bits.
    pub fn cursor(&self, position: Position) -> Option<String> {
        let mut body = [&self.options[..], &self.state].chained();
        for number in [position.listed, position.first, position.shown, position.offset] {
            body.add_all(u32::try_from(number).ok()?.to_be_bytes());
        }
        body.add_all(digest::<4>(&body));
        Some(format!("{VERSION}{}", hex(&body)))
    }

    /// Returns the position of a cursor with these options and any state.
    ///
    /// # Errors
    /// `invalid_args`, as [`Self::position`].
    pub fn peek(cursor: &str, options: &[u8]) -> Result<Position> {
        let (body, position) = parse(cursor)?;
        check_options(&body, digest(options))?;
        Ok(position)
    }

    /// Returns the position of a cursor.
    ///
    /// # Errors
    /// `invalid_args` for a malformed cursor or one with other options; `stale` for one of another
    /// state.
    pub fn position(&self, cursor: &str) -> Result<Position> {
        let (body, position) = parse(cursor)?;
        check_options(&body, self.options)?;
        if body[4..12] != self.state {
            return Err(Error::stale("this cursor belongs to a different or changed comparison").with_hint(
                "A revision or a file has changed since that page, or different ones were named; start again without a cursor, and with the ids of the answer instead of names that move",
            ));
        }
        Ok(position)
    }
}

fn check_options(body: &[u8], options: [u8; 4]) -> Result<()> {
    if body[..4] == options {
        return Ok(());
    }
    Err(Error::invalid_args("this cursor belongs to a call with other options").with_hint(
        "Repeat the arguments of the previous page; only max_bytes and format may differ. A tool takes the cursor alone, too",
    ))
}

/// Returns the bytes of a cursor and its position.
fn parse(cursor: &str) -> Result<([u8; BODY_BYTES], Position)> {
    let garbage = || {
        Error::invalid_args(format!("{} is not a cursor", quoted(cursor))).with_hint(
            "Pass next_cursor of the previous page unchanged, or no cursor for the first page",
        )
    };
    let body: [u8; BODY_BYTES] =
        cursor.strip_prefix(VERSION).and_then(from_hex).ok_or_else(garbage)?;
    let (held, sum) = body.split_at(BODY_BYTES - 4);
    if digest::<4>(held) != sum {
        return Err(garbage());
    }
    let number = |at: usize| {
        let at = 12 + 4 * at;
        u32::from_be_bytes([held[at], held[at + 1], held[at + 2], held[at + 3]]) as usize
    };
    let position =
        Position { listed: number(0), first: number(1), shown: number(2), offset: number(3) };
    Ok((body, position))
}

fn digest<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let whole = Sha256::digest(bytes);
    std::array::from_fn(|at| whole[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_base::error::ErrorKind;

    #[test]
    fn a_cursor_leads_back_and_holds_for_nothing_else() {
        let binding = Binding::new(b"options", b"state");
        let position = Position { listed: 3, first: 9, shown: 70_000, offset: 12 };
        let cursor = binding.cursor(position).unwrap();
        assert_eq!((cursor.len(), binding.position(&cursor).unwrap()), (CURSOR_BYTES, position));
        assert!(binding.cursor(Position { offset: 1 << 32, ..position }).is_none());
        let kind = |binding: &Binding, cursor: &str| binding.position(cursor).unwrap_err().kind();
        assert_eq!(kind(&Binding::new(b"options", b"other"), &cursor), ErrorKind::Stale);
        assert_eq!(kind(&Binding::new(b"other", b"other"), &cursor), ErrorKind::InvalidArgs);
        for at in 0..cursor.len() {
            let changed = if &cursor[at..=at] == "0" { "1" } else { "0" };
            let forged = [&cursor[..at], changed, &cursor[at + 1..]].concat();
            assert_eq!(kind(&binding, &forged), ErrorKind::InvalidArgs, "{at}");
        }
        for garbage in
            ["", "r2", "x", &cursor[1..], &format!("{cursor}0"), &cursor.replace('r', "é")]
        {
            assert_eq!(kind(&binding, garbage), ErrorKind::InvalidArgs, "{garbage}");
        }
    }
}
