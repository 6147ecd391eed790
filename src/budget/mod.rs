//! What one query may use: time, memory and threads, and whether it is still wanted.
//!
//! There is one [`Budget`] per query, shared by its walks, workers and rows. Whoever works for the query asks
//! [`Budget::check`] once in a while and charges large buffers before allocating them.

mod current;
mod kept;
mod memory;
mod threads;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use current::{Current, check_current};
pub use kept::{KEPT, KeptBytes};
pub use memory::{Charge, LARGE_BYTES, append, copied, lossy, owned, reserve};
pub use threads::{Permits, RowThread};

use crate::error::Error;
use crate::limits;

/// The setting that the message of a deadline names.
pub const MAX_SECONDS: &str = "redline_max_seconds";

/// The time and memory of a query, and the flag that cancels a part of it.
#[derive(Debug)]
pub struct Budget {
    cancelled: AtomicBool,
    whole: Arc<Whole>,
}

/// What all parts of a query share.
#[derive(Debug)]
struct Whole {
    deadline: Option<Instant>,
    seconds: u64,
    /// Bytes that are charged now, and the most that may be.
    bytes: AtomicUsize,
    max_bytes: usize,
}

impl Default for Budget {
    /// Returns a budget without a deadline.
    fn default() -> Self {
        Self::new(None)
    }
}

impl Budget {
    /// Returns a budget of [`limits::QUERY_BYTES`] that ends `time` from now.
    #[must_use]
    pub fn new(time: Option<Duration>) -> Self {
        Self::of(time, limits::QUERY_BYTES)
    }

    /// Returns a budget of so many bytes that ends `time` from now; a time beyond what the clock counts is none.
    #[must_use]
    pub fn of(time: Option<Duration>, max_bytes: usize) -> Self {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let seconds = time.map_or(0, |time| time.as_secs());
        let whole = Whole { deadline, seconds, bytes: AtomicUsize::new(0), max_bytes };
        Self { cancelled: AtomicBool::new(false), whole: Arc::new(whole) }
    }

    /// Returns a budget that shares time and memory with this one and is cancelled alone, as one scan of several is.
    #[must_use]
    pub fn part(&self) -> Arc<Self> {
        Arc::new(Self {
            cancelled: AtomicBool::new(self.is_cancelled()),
            whole: Arc::clone(&self.whole),
        })
    }

    /// Ends the work of this part soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Tells whether this part was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns when the time is over.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.whole.deadline
    }

    /// Returns the bytes that are charged now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.whole.bytes.load(Ordering::Relaxed)
    }

    /// Tells whether to go on. Reading the clock takes about 30 ns, so this is for steps of a microsecond or more;
    /// shorter ones are counted first.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`] and [`Stopped::Timeout`].
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        match self.whole.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(Stopped::Timeout { seconds: self.whole.seconds })
            }
            _ => Ok(()),
        }
    }
}

/// Counts work that is too cheap to ask the budget at each of its steps.
#[derive(Debug)]
pub struct Pace {
    left: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self::new()
    }
}

impl Pace {
    /// The steps between two looks at the budget, each a line that is looked at: small enough for a look every few
    /// microseconds to milliseconds, large enough to cost nothing.
    pub const QUANTUM: usize = 1 << 14;

    /// What an entry of a tree or a directory, or a commit that is known, counts for.
    pub const ENTRY: usize = Self::QUANTUM / 64;

    /// Starts to count.
    #[must_use]
    pub const fn new() -> Self {
        Self { left: Self::QUANTUM }
    }

    /// Counts steps and tells whether it is time to look at the budget.
    #[inline]
    pub fn is_due(&mut self, steps: usize) -> bool {
        if steps < self.left {
            self.left -= steps;
            return false;
        }
        self.left = Self::QUANTUM;
        true
    }

    /// Counts an entry and tells whether to go on, when it is time to ask.
    ///
    /// # Errors
    /// Those of [`Budget::check`].
    #[inline]
    pub fn entry(&mut self, budget: &Budget) -> Result<(), Stopped> {
        if self.is_due(Self::ENTRY) { budget.check() } else { Ok(()) }
    }
}

/// Why work ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody wants the result any more.
    Cancelled,
    /// The deadline passed.
    Timeout {
        /// The time that there was.
        seconds: u64,
    },
    /// The query holds as much memory as it may.
    Memory {
        /// The most it may hold.
        limit: usize,
    },
    /// The system gave no memory.
    Allocation,
    /// One value would be longer than DuckDB can store.
    Value,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the query was cancelled"),
            Self::Timeout { seconds } => {
                write!(
                    f,
                    "the query took longer than the {seconds} seconds that {MAX_SECONDS} allows"
                )
            }
            Self::Memory { limit } => {
                write!(f, "the query needs more than {limit} bytes of memory")
            }
            Self::Allocation => f.write_str("the system has too little memory for the query"),
            Self::Value => {
                write!(f, "a value of the result has more than {} bytes", limits::VALUE_BYTES)
            }
        }
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        let message = stopped.to_string();
        match stopped {
            Stopped::Cancelled => Self::tool_failed(message),
            Stopped::Timeout { .. } => Self::timeout(message)
                .with_hint("Ask for less, with paths or a smaller range, or raise the setting"),
            Stopped::Memory { .. } | Stopped::Allocation | Stopped::Value => {
                Self::too_large(message)
                    .with_hint("Ask for less at once, with paths or a smaller range")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_without_a_deadline_ends_when_it_is_cancelled_alone() {
        let budget = Budget::default();
        let part = budget.part();
        assert_eq!((budget.check(), part.check()), (Ok(()), Ok(())));
        part.cancel();
        assert_eq!((budget.check(), part.check()), (Ok(()), Err(Stopped::Cancelled)));
    }

    #[test]
    fn a_deadline_ends_every_part_and_the_message_names_the_setting() {
        let budget = Budget::new(Some(Duration::ZERO));
        let stopped = budget.part().check().unwrap_err();
        assert_eq!(stopped, Stopped::Timeout { seconds: 0 });
        let message = Error::from(stopped).to_string();
        assert!(message.starts_with("timeout: ") && message.contains(MAX_SECONDS), "{message}");
        assert_eq!(Budget::new(Some(Duration::MAX)).check(), Ok(()));
    }
}
