//! Memory that is charged before it is allocated, and buffers that grow without aborting the
//! process.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Budget, Stopped, Whole};

/// Size in bytes of an object or a file from which it is charged; a thread may hold smaller ones
/// uncharged.
pub const LARGE_BYTES: usize = 1 << 20;

/// Bytes charged to a budget until this is dropped.
#[derive(Debug, Default)]
pub struct Charge {
    whole: Option<Arc<Whole>>,
    bytes: usize,
}

impl Budget {
    /// Charges bytes before they are allocated.
    ///
    /// # Errors
    /// [`Stopped::Memory`] if the query would hold more than its limit.
    pub fn charge(&self, bytes: usize) -> Result<Charge, Stopped> {
        let mut charge = Charge { whole: Some(Arc::clone(&self.whole)), bytes: 0 };
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Charges the bytes of an object or a file before they are read, if they are [`LARGE_BYTES`]
    /// or more.
    ///
    /// # Errors
    /// [`Stopped::Memory`].
    pub fn charge_large(&self, bytes: u64) -> Result<Charge, Stopped> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes >= LARGE_BYTES { self.charge(bytes) } else { Ok(Charge::free()) }
    }
}

impl Charge {
    /// Returns a charge to no budget.
    #[must_use]
    pub const fn free() -> Self {
        Self { whole: None, bytes: 0 }
    }

    /// Charges more bytes.
    ///
    /// # Errors
    /// [`Stopped::Memory`]; the earlier charge stays.
    pub fn grow(&mut self, more: usize) -> Result<(), Stopped> {
        let Some(whole) = &self.whole else { return Ok(()) };
        let limit = whole.max_bytes;
        let fits = |used: usize| used.checked_add(more).filter(|all| *all <= limit);
        match whole.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => {
                self.bytes += more;
                Ok(())
            }
            Err(_) => Err(Stopped::Memory { limit }),
        }
    }

    /// Merges another charge to the same budget into this one.
    pub fn join(&mut self, mut other: Self) {
        if self.whole.is_none() {
            *self = other;
        } else {
            self.bytes += std::mem::take(&mut other.bytes);
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(whole) = &self.whole {
            whole.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Makes room for `more` items in a growing buffer.
///
/// # Errors
/// [`Stopped::Allocation`] where `Vec` would abort the process.
#[inline]
pub fn reserve<T>(buffer: &mut Vec<T>, more: usize) -> Result<(), Stopped> {
    buffer.try_reserve(more).map_err(|_| Stopped::Allocation)
}

/// Appends bytes to a buffer.
///
/// # Errors
/// [`Stopped::Allocation`].
#[inline]
pub fn append(buffer: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Stopped> {
    reserve(buffer, bytes.len())?;
    buffer.extend_from_slice(bytes);
    Ok(())
}

/// Returns a copy of a string.
///
/// # Errors
/// [`Stopped::Allocation`].
pub fn owned(text: &str) -> Result<String, Stopped> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| Stopped::Allocation)?;
    copy.push_str(text);
    Ok(copy)
}

/// Returns a copy of bytes.
///
/// # Errors
/// [`Stopped::Allocation`].
pub fn copied(bytes: &[u8]) -> Result<Vec<u8>, Stopped> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| Stopped::Allocation)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Returns bytes as text: invalid UTF-8 becomes U+FFFD, so one byte may become three.
///
/// # Errors
/// [`Stopped::Allocation`].
pub fn lossy(bytes: &[u8]) -> Result<Cow<'_, str>, Stopped> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        let mark = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
        for part in [chunk.valid(), mark] {
            text.try_reserve(part.len()).map_err(|_| Stopped::Allocation)?;
            text.push_str(part);
        }
    }
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_over_the_limit_is_refused_and_a_dropped_one_given_back() {
        let budget = Budget::of(None, 100);
        let mut first = budget.charge(60).unwrap();
        assert_eq!(budget.part().charge(41).unwrap_err(), Stopped::Memory { limit: 100 });
        first.grow(40).unwrap();
        assert_eq!(
            (first.grow(usize::MAX), budget.bytes()),
            (Err(Stopped::Memory { limit: 100 }), 100)
        );
        drop(first);
        assert_eq!(budget.bytes(), 0);
    }

    #[test]
    fn bytes_become_the_text_that_the_standard_library_makes_of_them() {
        for bytes in
            [&b"plain"[..], b"", b"\xff", b"a\xf0\x9f\x98b\xe2\x82", "\u{fffd}\u{20ac}".as_bytes()]
        {
            assert_eq!(lossy(bytes).unwrap(), String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_buffer_that_the_system_cannot_give_is_an_error() {
        assert_eq!(reserve(&mut Vec::<u8>::new(), isize::MAX as usize), Err(Stopped::Allocation));
        assert_eq!(reserve(&mut Vec::<u64>::new(), usize::MAX), Err(Stopped::Allocation));
    }
}
