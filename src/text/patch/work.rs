//! The time and memory of reading and applying a patch: checks of a [`CancelToken`], and a charge.

use super::super::cancel_token::{self, CancelToken, PacedToken, Stopped};
use redline_base::budget::{Charge, reserve};

/// Bytes that are charged at once: the budget is shared by threads, and most pieces are small.
const CHARGED_BYTES: usize = 64 << 10;

/// The checks and the charge of one patch.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pace: PacedToken<'a>,
    charge: Charge,
    /// Bytes that are used and not charged yet.
    owed: usize,
}

impl<'a> Work<'a> {
    pub fn new(cancel: CancelToken<'a>) -> Self {
        Self { pace: cancel.pace(), charge: Charge::free(), owed: 0 }
    }

    /// Returns the token that is checked.
    pub fn cancel(&self) -> CancelToken<'a> {
        self.pace.cancel()
    }

    /// Counts a line.
    #[inline]
    pub fn line(&mut self, text: &[u8]) -> Result<(), Stopped> {
        self.pace.pass(text.len())
    }

    /// Charges bytes that are held until this is dropped.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> Result<(), Stopped> {
        self.owed += bytes;
        if self.owed < CHARGED_BYTES {
            return Ok(());
        }
        let more = self.cancel().charge_all(std::mem::take(&mut self.owed))?;
        self.charge.join(more);
        Ok(())
    }

    /// Appends an item to a buffer and charges the added capacity.
    #[inline]
    pub fn push<T>(&mut self, buffer: &mut Vec<T>, item: T) -> Result<(), Stopped> {
        if buffer.len() == buffer.capacity() {
            // The capacity doubles, from four.
            self.hold(buffer.capacity().max(4).saturating_mul(size_of::<T>()))?;
            reserve(buffer, 1)?;
        }
        buffer.push(item);
        Ok(())
    }

    /// Appends bytes to a buffer and charges the added capacity.
    pub fn append(&mut self, out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Stopped> {
        if out.capacity() - out.len() < bytes.len() {
            self.hold(bytes.len().max(out.capacity()))?;
        }
        cancel_token::append(out, bytes, &mut self.pace)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{ApplyError, PatchError, apply_within, parse, parse_within, reverse_within};
    use super::*;
    use redline_base::budget::Budget;

    /// Returns a patch of `count` hunks, each with its own line of a text.
    fn patch(count: usize) -> (String, String) {
        let hunks: String = (1..=count).map(|at| format!("@@ -{at} +{at} @@\n-a\n+b\n")).collect();
        (format!("--- x\n+++ x\n{hunks}"), "a\n".repeat(count))
    }

    #[test]
    fn reading_applying_and_turning_round_end_at_the_deadline() {
        let (patch, text) = patch(20_000);
        let files = parse(patch.as_bytes()).unwrap();
        let budget = Budget::new(Some(Duration::ZERO));
        let stopped = Stopped::Timeout { seconds: 0 };
        let cancel = CancelToken::of(&budget);
        assert_eq!(
            parse_within(patch.as_bytes(), cancel).map(|read| read.files.len()),
            Err(stopped.into())
        );
        assert_eq!(reverse_within(patch.as_bytes(), cancel), Err(PatchError::Stopped(stopped)));
        assert_eq!(
            apply_within(text.as_bytes(), &files[0], cancel),
            Err(ApplyError::Stopped(stopped))
        );
    }

    #[test]
    fn what_is_read_is_charged_until_it_is_dropped() {
        let (patch, text) = patch(20_000);
        let budget = Budget::of(None, 16 << 20);
        let cancel = CancelToken::of(&budget);
        let read = parse_within(patch.as_bytes(), cancel).unwrap();
        // Two lines of a hunk, and the hunk itself.
        assert!(budget.bytes() > 20_000 * 150, "{}", budget.bytes());
        assert_eq!(
            apply_within(text.as_bytes(), &read.files[0], cancel).unwrap(),
            "b\n".repeat(20_000).as_bytes()
        );
        drop(read);
        assert_eq!(budget.bytes(), 0);
        let small = Budget::of(None, 1 << 20);
        let refused = PatchError::Stopped(Stopped::Memory { limit: 1 << 20 });
        assert_eq!(parse_within(patch.as_bytes(), CancelToken::of(&small)).err(), Some(refused));
    }
}
