//! Cancels loops that may run for seconds.

pub use redline_base::budget::Stopped;
use redline_base::budget::{Budget, Charge, Pace, reserve};

#[cfg(test)]
pub(super) use looks::CheckCount;

/// The steps between two checks of the budget.
pub(super) const QUANTUM: usize = Pace::QUANTUM;

/// How many bytes one step processes.
const STEP_BYTES: usize = 256;

/// Bytes from which a buffer is charged to the budget.
const COUNTED_BYTES: usize = 64 << 10;

/// How many bytes of one line are processed between two checks.
pub(super) const STRIDE: usize = 1 << 20;

/// Tells a long computation whether its result is still wanted: a borrowed [`Budget`], or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelToken<'a> {
    budget: Option<&'a Budget>,
    /// The counter of checks, for tests.
    #[cfg(test)]
    looks: Option<&'a CheckCount>,
}

impl<'a> CancelToken<'a> {
    /// Returns a token that never asks to stop.
    #[must_use]
    pub const fn never() -> Self {
        Self {
            budget: None,
            #[cfg(test)]
            looks: None,
        }
    }

    /// Returns a token that asks to stop once `budget` is cancelled or its time is over.
    #[must_use]
    pub const fn of(budget: &'a Budget) -> Self {
        Self {
            budget: Some(budget),
            #[cfg(test)]
            looks: None,
        }
    }

    /// Returns a token that counts its checks.
    #[cfg(test)]
    pub(super) const fn counting(looks: &'a CheckCount) -> Self {
        Self { looks: Some(looks), ..Self::never() }
    }

    /// Checks whether to stop. This reads the clock: short steps use [`CancelToken::pace`].
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        #[cfg(test)]
        if let Some(looks) = self.looks {
            looks.count()?;
        }
        self.budget.map_or(Ok(()), Budget::check)
    }

    /// Charges bytes to the budget before they are allocated; ignores small amounts.
    ///
    /// # Errors
    /// [`Stopped::Memory`].
    #[inline]
    pub fn charge(&self, bytes: usize) -> Result<Charge, Stopped> {
        match self.budget {
            Some(budget) if bytes >= COUNTED_BYTES => budget.charge(bytes),
            _ => Ok(Charge::free()),
        }
    }

    /// Charges bytes however few they are, for items of which there are many.
    ///
    /// # Errors
    /// [`Stopped::Memory`].
    pub fn charge_all(&self, bytes: usize) -> Result<Charge, Stopped> {
        self.budget.map_or(Ok(Charge::free()), |budget| budget.charge(bytes))
    }

    /// Makes room for `more` items in a growing buffer, and first charges the growth.
    ///
    /// # Errors
    /// [`Stopped::Memory`] and [`Stopped::Allocation`].
    #[inline]
    pub fn room<T>(
        &self,
        charge: &mut Charge,
        buffer: &mut Vec<T>,
        more: usize,
    ) -> Result<(), Stopped> {
        if buffer.capacity() - buffer.len() >= more {
            Ok(())
        } else {
            self.enlarge(charge, buffer, more)
        }
    }

    #[cold]
    fn enlarge<T>(
        &self,
        charge: &mut Charge,
        buffer: &mut Vec<T>,
        more: usize,
    ) -> Result<(), Stopped> {
        let needed = buffer.len().checked_add(more).ok_or(Stopped::Allocation)?;
        let capacity = needed.max(2 * buffer.capacity()).max(4);
        charge.join(self.charge((capacity - buffer.capacity()).saturating_mul(size_of::<T>()))?);
        buffer.try_reserve_exact(capacity - buffer.len()).map_err(|_| Stopped::Allocation)
    }

    /// Returns a counter that checks the budget regularly, for loops whose steps are too cheap to
    /// check it at each of them.
    #[must_use]
    pub const fn pace(&self) -> PacedToken<'a> {
        PacedToken { cancel: *self, pace: Pace::new() }
    }
}

/// Spreads the checks of a [`CancelToken`] over many small steps.
#[derive(Debug)]
pub struct PacedToken<'a> {
    cancel: CancelToken<'a>,
    pace: Pace,
}

impl<'a> PacedToken<'a> {
    /// Returns the token.
    pub const fn cancel(&self) -> CancelToken<'a> {
        self.cancel
    }

    /// Counts `work` steps and checks the budget when that is due.
    #[inline]
    pub fn spend(&mut self, work: usize) -> Result<(), Stopped> {
        if self.pace.is_due(work) { self.cancel.check() } else { Ok(()) }
    }

    /// Counts a line of `bytes` bytes, or one stride of a longer line.
    #[inline]
    pub fn pass(&mut self, bytes: usize) -> Result<(), Stopped> {
        self.spend(1 + bytes / STEP_BYTES)
    }
}

/// Appends `bytes` in cancellable steps.
#[inline]
pub(super) fn append(
    out: &mut Vec<u8>,
    bytes: &[u8],
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    reserve(out, bytes.len())?;
    // Nearly all are lines, for which the loop below would take longer than the copy.
    if bytes.len() <= STRIDE {
        out.extend_from_slice(bytes);
        return pace.pass(bytes.len());
    }
    for part in bytes.chunks(STRIDE) {
        out.extend_from_slice(part);
        pace.pass(part.len())?;
    }
    Ok(())
}

/// Replaces the items of a reused buffer by `count` times `item`.
pub(super) fn refill<T: Clone>(buffer: &mut Vec<T>, count: usize, item: T) -> Result<(), Stopped> {
    buffer.clear();
    reserve(buffer, count)?;
    buffer.resize(count, item);
    Ok(())
}

#[cfg(test)]
mod looks {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::Stopped;

    /// Counts the checks of a [`super::CancelToken`], and asks to stop at one of them.
    #[derive(Debug)]
    pub struct CheckCount {
        made: AtomicU64,
        last: u64,
    }

    impl CheckCount {
        /// Returns a counter that never asks to stop.
        pub const fn all() -> Self {
            Self::up_to(u64::MAX)
        }

        /// Returns a counter that asks to stop at check `last`.
        pub const fn up_to(last: u64) -> Self {
            Self { made: AtomicU64::new(0), last }
        }

        /// Returns the number of checks.
        pub fn made(&self) -> u64 {
            self.made.load(Relaxed)
        }

        pub(super) fn count(&self) -> Result<(), Stopped> {
            let made = self.made.fetch_add(1, Relaxed) + 1;
            if made >= self.last { Err(Stopped::Cancelled) } else { Ok(()) }
        }
    }
}
