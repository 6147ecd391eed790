//! Where a page ends, as an opaque text that holds for one state of one comparison.

use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result, quoted};

/// Bytes of every cursor.
pub const CURSOR_BYTES: usize = VERSION.len() + 2 * BODY_BYTES;

/// What cursors of this form begin with.
const VERSION: &str = "r1";
/// Options, state, three numbers of the position, and the sum over them.
const BODY_BYTES: usize = 4 + 12 + 3 * 4 + 4;

/// How much the pages so far have shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// The files that were listed.
    pub listed: usize,
    /// The pieces that were shown whole, in the fair order.
    pub shown: usize,
    /// The bytes of the next piece that were shown.
    pub offset: usize,
}

/// What a cursor holds for: digests of the options, and of both sides and all that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    options: [u8; 4],
    state: [u8; 12],
}

impl Binding {
    /// Binds to options and a state, each given as any text that tells it from others.
    pub fn new(options: &[u8], state: &[u8]) -> Self {
        Self { options: digest(options), state: digest(state) }
    }

    /// Returns the cursor of a position; `None` where a number is beyond what a cursor holds.
    pub fn cursor(&self, position: Position) -> Option<String> {
        let mut body = [&self.options[..], &self.state].concat();
        for number in [position.listed, position.shown, position.offset] {
            body.extend(u32::try_from(number).ok()?.to_be_bytes());
        }
        body.extend(digest::<4>(&body));
        let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("{VERSION}{hex}"))
    }

    /// Returns the position of a cursor.
    ///
    /// # Errors
    /// `invalid_args` for a text that is not a cursor, and for one of other options; `stale` for one of
    /// another state.
    pub fn position(&self, cursor: &str) -> Result<Position> {
        let garbage = || {
            Error::invalid_args(format!("{} is not a cursor", quoted(cursor))).with_hint(
                "Pass next_cursor of the previous page unchanged, or no cursor for the first page",
            )
        };
        let hex = cursor
            .strip_prefix(VERSION)
            .filter(|hex| hex.len() == 2 * BODY_BYTES)
            .ok_or_else(garbage)?;
        let byte = |pair: &[u8]| {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)
        };
        let body: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(byte).collect();
        let body = body.ok_or_else(garbage)?;
        let (body, sum) = body.split_at(BODY_BYTES - 4);
        if digest::<4>(body) != sum {
            return Err(garbage());
        }
        let (options, rest) = body.split_at(self.options.len());
        let (state, numbers) = rest.split_at(self.state.len());
        if options != self.options {
            return Err(Error::invalid_args("this cursor belongs to a call with other options")
                .with_hint(
                    "Repeat the arguments of the previous page; only max_bytes may differ",
                ));
        }
        if state != self.state {
            return Err(Error::stale("this cursor belongs to a different or changed comparison").with_hint(
                "A revision or a file has changed since that page, or different ones were named; start again without a cursor",
            ));
        }
        let number = |at: usize| {
            u32::from_be_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]])
                as usize
        };
        Ok(Position { listed: number(0), shown: number(4), offset: number(8) })
    }
}

fn digest<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let whole = Sha256::digest(bytes);
    std::array::from_fn(|at| whole[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_cursor_leads_back_and_holds_for_nothing_else() {
        let binding = Binding::new(b"options", b"state");
        let position = Position { listed: 3, shown: 70_000, offset: 12 };
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
            ["", "r1", "x", &cursor[1..], &format!("{cursor}0"), &cursor.replace('r', "é")]
        {
            assert_eq!(kind(&binding, garbage), ErrorKind::InvalidArgs, "{garbage}");
        }
    }
}
