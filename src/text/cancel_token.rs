//! Carries the wish to cancel into loops that may run for seconds.

pub use crate::budget::Stopped;
use crate::budget::{Budget, Charge, Pace, reserve};

#[cfg(test)]
pub(super) use looks::CheckCount;

/// The steps between two looks at the budget.
pub(super) const QUANTUM: usize = Pace::QUANTUM;

/// How many bytes are passed over in the time of one step.
const STEP_BYTES: usize = 256;

/// Bytes from which a buffer is charged to the budget.
const COUNTED_BYTES: usize = 64 << 10;

/// How many bytes of one line are passed over between two looks.
pub(super) const STRIDE: usize = 1 << 20;

/// Tells a long computation whether its result is still wanted: a borrowed [`Budget`], or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelToken<'a> {
    budget: Option<&'a Budget>,
    /// What a test learns of the looks.
    #[cfg(test)]
    looks: Option<&'a CheckCount>,
}

impl<'a> CancelToken<'a> {
    /// Returns a handle that never asks to stop.
    #[must_use]
    pub const fn never() -> Self {
        Self {
            budget: None,
            #[cfg(test)]
            looks: None,
        }
    }

    /// Returns a handle that asks to stop once `budget` is cancelled or its time is over.
    #[must_use]
    pub const fn of(budget: &'a Budget) -> Self {
        Self {
            budget: Some(budget),
            #[cfg(test)]
            looks: None,
        }
    }

    /// Returns a handle that counts how often it is looked at.
    #[cfg(test)]
    pub(super) const fn counting(looks: &'a CheckCount) -> Self {
        Self { looks: Some(looks), ..Self::never() }
    }

    /// Returns why to stop, if there is a reason. This reads the clock: short steps use [`CancelToken::pace`].
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        #[cfg(test)]
        if let Some(looks) = self.looks {
            looks.count()?;
        }
        self.budget.map_or(Ok(()), Budget::check)
    }

    /// Charges bytes to the budget before they are allocated. Few bytes are not worth the counting.
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

    /// Charges bytes however few they are, as of something of which there are many.
    ///
    /// # Errors
    /// [`Stopped::Memory`].
    pub fn charge_all(&self, bytes: usize) -> Result<Charge, Stopped> {
        self.budget.map_or(Ok(Charge::free()), |budget| budget.charge(bytes))
    }

    /// Makes room for `more` items in a buffer that grows as it is filled, and charges what it grows by before it
    /// does.
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

    /// Returns a counter that looks at the flag once in a while, for loops whose steps are too cheap to look at
    /// it each time.
    #[must_use]
    pub const fn pace(&self) -> PacedToken<'a> {
        PacedToken { cancel: *self, pace: Pace::new() }
    }
}

/// Spreads the looks at a [`CancelToken`] over many small steps.
#[derive(Debug)]
pub struct PacedToken<'a> {
    cancel: CancelToken<'a>,
    pace: Pace,
}

impl<'a> PacedToken<'a> {
    /// Returns what it looks at.
    pub const fn cancel(&self) -> CancelToken<'a> {
        self.cancel
    }

    /// Accounts for `work` steps and returns why to stop when it was time to look and there is a reason.
    #[inline]
    pub fn spend(&mut self, work: usize) -> Result<(), Stopped> {
        if self.pace.is_due(work) { self.cancel.check() } else { Ok(()) }
    }

    /// Accounts for a line of which `bytes` are passed over at once; of a longer one than a stride, a part.
    #[inline]
    pub fn pass(&mut self, bytes: usize) -> Result<(), Stopped> {
        self.spend(1 + bytes / STEP_BYTES)
    }
}

/// Appends `bytes`, in steps a cancel can come between.
#[inline]
pub(super) fn append(
    out: &mut Vec<u8>,
    bytes: &[u8],
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    if bytes.len() <= STRIDE {
        reserve(out, bytes.len())?;
        out.extend_from_slice(bytes);
        return pace.pass(bytes.len());
    }
    reserve(out, bytes.len())?;
    for part in bytes.chunks(STRIDE) {
        out.extend_from_slice(part);
        pace.pass(part.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod looks {
    use std::cell::Cell;

    use super::Stopped;

    /// Counts the looks at a [`super::CancelToken`], and asks to stop at one of them.
    #[derive(Debug)]
    pub struct CheckCount {
        made: Cell<u64>,
        last: u64,
    }

    impl CheckCount {
        /// Never asks to stop.
        pub const fn all() -> Self {
            Self::up_to(u64::MAX)
        }

        /// Asks to stop at look `last`.
        pub const fn up_to(last: u64) -> Self {
            Self { made: Cell::new(0), last }
        }

        /// Returns how many looks there were.
        pub fn made(&self) -> u64 {
            self.made.get()
        }

        pub(super) fn count(&self) -> Result<(), Stopped> {
            self.made.set(self.made.get() + 1);
            if self.made.get() >= self.last { Err(Stopped::Cancelled) } else { Ok(()) }
        }
    }
}
