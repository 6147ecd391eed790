//! Carries the wish to cancel into loops that may run for seconds.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The unit of work between two looks at the flag; small enough for a look every few microseconds to
/// milliseconds, large enough to cost nothing.
const QUANTUM: u32 = 1 << 14;

/// Tells a long computation whether its result is still wanted.
///
/// The flag belongs to the caller (DuckDB's interrupt state, a Ctrl-C handler, a test), who may set it from any
/// thread at any time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop<'a> {
    flag: Option<&'a AtomicBool>,
}

impl<'a> Stop<'a> {
    /// Returns a handle that never asks to stop.
    #[must_use]
    pub const fn never() -> Self {
        Self { flag: None }
    }

    /// Returns a handle that asks to stop once `flag` is true.
    #[must_use]
    pub const fn when(flag: &'a AtomicBool) -> Self {
        Self { flag: Some(flag) }
    }

    /// Returns `Err(Stopped)` when the caller asked to stop.
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        match self.flag {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Stopped),
            _ => Ok(()),
        }
    }

    /// Returns a counter that looks at the flag once in a while, for loops whose steps are too cheap to look at
    /// it each time.
    #[must_use]
    pub const fn pace(&self) -> Pace<'a> {
        Pace { stop: *self, left: QUANTUM }
    }
}

/// Spreads the looks at a [`Stop`] over many small steps.
#[derive(Debug)]
pub struct Pace<'a> {
    stop: Stop<'a>,
    left: u32,
}

impl Pace<'_> {
    /// Accounts for `work` steps and returns `Err(Stopped)` when it was time to look and the caller asked to stop.
    #[inline]
    pub fn spend(&mut self, work: usize) -> Result<(), Stopped> {
        if work < self.left as usize {
            self.left -= work as u32;
            return Ok(());
        }
        self.left = QUANTUM;
        self.stop.check()
    }
}

/// The computation was cancelled; there is no partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped at the caller's request")
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for crate::error::Error {
    fn from(_: Stopped) -> Self {
        Self::tool_failed("the comparison was stopped")
    }
}
