//! The time, memory and threads of one query, and whether it is cancelled.
//!
//! There is one [`Budget`] per query, shared by its walks, workers and rows. Code that works for
//! the query calls [`Budget::check`] regularly and charges large buffers before allocating them.
//!
//! Who may stop this? The budget of the repository that the work was opened with: everything
//! opened from the repository has it. A scan takes a part of the query's budget, opens the
//! repository with it and gives it to its pipeline; the part is cancelled when the scan ends.
//! Code without a repository receives a `CancelToken`, which borrows a budget. Both count cheap
//! steps with a [`Pace`] and ask the budget when it says so. Code too deep to receive one asks
//! that of the thread ([`check_current`]). The reason why work stopped ([`Stopped`]) becomes the
//! error: `timeout:`, `too_large:`, or the cancellation.
//!
//! Large buffers are charged and then allocated with `try_reserve`, so that no failed allocation
//! aborts the host; an object of 1 MiB or more is charged for as long as it is held. Rust has no
//! stable way to contain the other, small allocations: `ffi::contain` asks for 64 MiB before a
//! call begins.

mod current;
mod grow;
mod kept;
mod memory;
mod threads;
mod weigh;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use current::{Current, check_current, check_every};
pub use grow::{
    AsParts, Copied, CopiedText, Gather, GatherSome, Gathered, Grow, GrowBy, GrowMap, GrowSet,
    Joined, Ordered, Taken, TryGather, filled, room_for, stop, stopped_by, text_of,
};
pub use kept::KEPT;
pub use memory::{Charge, LARGE_BYTES, append, copied, lossy, owned, reserve};
pub use threads::{Permits, RowThread};
pub use weigh::Weigh;

use crate::error::Error;
use crate::limits;

/// The time and memory of a query, and the flag that cancels one part of it.
#[derive(Debug)]
pub struct Budget {
    cancelled: AtomicBool,
    whole: Arc<Whole>,
}

/// The state that all parts of a query share.
#[derive(Debug)]
struct Whole {
    /// Set once all parts are to end.
    has_ended: AtomicBool,
    deadline: Option<Instant>,
    seconds: u64,
    /// Bytes charged now, and their limit.
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

    /// Returns a budget of `max_bytes` that ends `time` from now; without a deadline if the clock
    /// cannot represent it.
    #[must_use]
    pub fn of(time: Option<Duration>, max_bytes: usize) -> Self {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let seconds = time.map_or(0, |time| time.as_secs());
        let has_ended = AtomicBool::new(false);
        let whole = Whole { has_ended, deadline, seconds, bytes: AtomicUsize::new(0), max_bytes };
        Self { cancelled: AtomicBool::new(false), whole: Arc::new(whole) }
    }

    /// Returns a budget that shares time and memory with this one but is cancelled separately, for
    /// one scan of several.
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

    /// Ends the work of all parts soon, also of those that are made later.
    pub fn end(&self) {
        self.whole.has_ended.store(true, Ordering::Relaxed);
    }

    /// Tells whether this part, or the whole, was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.whole.has_ended.load(Ordering::Relaxed)
    }

    /// Returns the deadline.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.whole.deadline
    }

    /// Returns the bytes charged now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.whole.bytes.load(Ordering::Relaxed)
    }

    /// Tells whether to go on. Reading the clock takes about 30 ns, so call this for steps of a
    /// microsecond or more; count shorter ones with [`Pace`].
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

/// Counts steps that are too cheap to check the budget at each of them.
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
    /// Steps between two checks of the budget, where a step is about one compared line: a check
    /// every few microseconds to milliseconds, at no measurable cost.
    pub const QUANTUM: usize = 1 << 14;

    /// Steps of one entry of a tree or a directory, or of one known commit.
    pub const ENTRY: usize = Self::QUANTUM / 64;

    /// Starts counting.
    #[must_use]
    pub const fn new() -> Self {
        Self { left: Self::QUANTUM }
    }

    /// Counts steps and tells whether a check of the budget is due.
    #[inline]
    pub fn is_due(&mut self, steps: usize) -> bool {
        if steps < self.left {
            self.left -= steps;
            return false;
        }
        self.left = Self::QUANTUM;
        true
    }

    /// Counts an entry and checks the budget when that is due.
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
    /// The result is no longer wanted.
    Cancelled,
    /// The deadline passed.
    Timeout {
        /// The time limit.
        seconds: u64,
    },
    /// The query holds as much memory as its limit allows.
    Memory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The system could not allocate memory.
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
                    "the query took longer than the {seconds} seconds that {} allows",
                    limits::HOST_LIMITS.max_seconds.name
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

impl Stopped {
    /// Returns [`Stopped::Allocation`] for a read or write that failed for want of memory alone.
    #[must_use]
    pub fn of_io(error: &io::Error) -> Option<Self> {
        (error.kind() == io::ErrorKind::OutOfMemory).then_some(Self::Allocation)
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
        assert!(
            message.starts_with("timeout: ") && message.contains("redline_max_seconds"),
            "{message}"
        );
        assert_eq!(Budget::new(Some(Duration::MAX)).check(), Ok(()));
    }
}
