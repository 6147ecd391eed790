//! A walk on a thread of its own, ahead of its consumer.
//!
//! It is for a source that is the bottleneck itself: a pipeline of one worker, whose results the
//! source reads. `file_history` has the links between commits read that way, while another thread
//! looks the path up in their trees. The thread is one of the permits of the scan: with one
//! permit, all runs on one thread. It is started by the first thread that asks the source, so it
//! has that one's restrictions, and it ends with the source.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use std::{mem, vec};

use redline_base::budget::{Budget, Permits};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_base::pipeline::{Batches, Growth, Ordered, Poll, Source, Unweighed, Window};

/// How often a waiting reader checks whether the query is still wanted.
const LOOK: Duration = Duration::from_millis(2);

/// Iterates over the items of a walk; after an error it ends.
///
/// The walk gets its thread at the first request, started by the calling thread with that one's
/// restrictions. If no thread may or can be started, it runs on the calling thread.
pub struct ReadAhead<I, T> {
    walk: Walk<I, T>,
    batch: vec::IntoIter<T>,
    budget: Arc<Budget>,
}

/// Where a walk runs.
enum Walk<I, T> {
    /// Not started; it has a permit for a thread.
    Nowhere(I, Permits),
    /// On the calling thread.
    Here(I),
    /// On its own thread.
    Ahead(Ordered<Unweighed<Vec<T>>>),
    /// It has ended.
    Over,
}

impl<I, T> ReadAhead<I, T>
where
    T: Send + 'static,
    I: Iterator<Item = Result<T>> + Send + 'static,
{
    /// Takes a walk, and a permit for its thread. `budget` is the caller's; the walk must check it,
    /// too.
    pub fn new(walk: I, permit: Option<Permits>, budget: Arc<Budget>) -> Self {
        let walk = match permit {
            Some(permit) => Walk::Nowhere(walk, permit),
            None => Walk::Here(walk),
        };
        Self { walk, batch: Vec::new().into_iter(), budget }
    }

    fn start(walk: I, permit: Permits, budget: &Budget) -> Walk<I, T> {
        // The walk is sent to its thread once that runs.
        let (hand_over, walks) = channel::<I>();
        let growth = Growth { doubles_after: 2, most: limits::AHEAD_ITEMS };
        let batches = Source::new(Batches::new(walks.into_iter().flatten(), growth));
        let window = Window::unweighed(limits::AHEAD_BATCHES);
        let work = |batch| Ok::<_, Error>(Unweighed(batch));
        match Ordered::start(batches, vec![work], window, budget.part(), permit) {
            Err(_) => Walk::Here(walk),
            Ok(ahead) => match hand_over.send(walk) {
                Ok(()) => Walk::Ahead(ahead),
                Err(returned) => Walk::Here(returned.0),
            },
        }
    }

    fn step(&mut self) -> Result<Option<T>> {
        if let Walk::Nowhere(..) = self.walk
            && let Walk::Nowhere(walk, permit) = mem::replace(&mut self.walk, Walk::Over)
        {
            self.walk = Self::start(walk, permit, &self.budget);
        }
        let ahead = match &mut self.walk {
            Walk::Here(walk) => return walk.next().transpose(),
            Walk::Ahead(ahead) => ahead,
            Walk::Nowhere(..) | Walk::Over => return Ok(None),
        };
        loop {
            if let Some(item) = self.batch.next() {
                return Ok(Some(item));
            }
            match ahead.poll(Some(Instant::now() + LOOK)) {
                Poll::Ready(batch) => self.batch = batch?.0.into_iter(),
                Poll::Pending => self.budget.check()?,
                Poll::End => return Ok(None),
            }
        }
    }
}

impl<I, T> Iterator for ReadAhead<I, T>
where
    T: Send + 'static,
    I: Iterator<Item = Result<T>> + Send + 'static,
{
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if !matches!(step, Ok(Some(_))) {
            self.walk = Walk::Over;
        }
        step.transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{self, ThreadId};

    use super::*;

    /// Returns a permit for a thread, independent of other tests.
    fn permit() -> Option<Permits> {
        Some(Permits::take_from(Box::leak(Box::default()), 1))
    }

    fn over<T: Send + 'static>(
        walk: impl Iterator<Item = Result<T>> + Send + 'static,
        permit: Option<Permits>,
    ) -> impl Iterator<Item = Result<T>> {
        ReadAhead::new(walk, permit, Arc::default())
    }

    #[test]
    fn results_of_a_walk_keep_their_order_and_an_error_ends_it() {
        for has_thread in [false, true] {
            let permit = || has_thread.then(permit).flatten();
            for count in [0, 1, 2, 7, 5_000] {
                let found: Vec<u64> =
                    over((0..count).map(Ok), permit()).map(Result::unwrap).collect();
                assert_eq!(found, (0..count).collect::<Vec<_>>(), "{has_thread}");
                let failing = (0..).map(move |at| match at {
                    at if at < count => Ok(at),
                    _ => Err(Error::tool_failed("at the end")),
                });
                let found: Vec<_> = over(failing, permit()).take(10_000).collect();
                assert_eq!(found.len() as u64, count + 1, "{has_thread}");
                assert!(found.last().is_some_and(Result::is_err));
                assert_eq!(
                    found.iter().flatten().copied().collect::<Vec<_>>(),
                    (0..count).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn a_walk_has_a_thread_of_its_own_only_with_a_permit() {
        let threads = |permit| -> Vec<ThreadId> {
            let walk = (0..100).map(|_| Ok(thread::current().id()));
            let mut threads: Vec<_> = over(walk, permit).map(Result::unwrap).collect();
            threads.dedup();
            threads
        };
        assert_eq!(threads(None), [thread::current().id()]);
        let own = threads(permit());
        assert!(own.len() == 1 && own[0] != thread::current().id());
    }

    #[test]
    fn a_walk_is_ahead_within_bounds_and_ends_with_who_asks() {
        let walked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&walked);
        let walk = (0..).map(move |at: u64| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(at)
        });
        let mut ahead = over(walk, permit());
        assert_eq!(walked.load(Ordering::SeqCst), 0, "nothing was asked for");
        assert_eq!(ahead.next().unwrap().unwrap(), 0);
        thread::sleep(Duration::from_millis(20));
        assert!(walked.load(Ordering::SeqCst) < 20, "a query may want no more");
        ahead.by_ref().take(10_000).for_each(drop);
        thread::sleep(Duration::from_millis(20));
        let most = 10_001 + limits::AHEAD_ITEMS * (limits::AHEAD_BATCHES + 2);
        assert!(walked.load(Ordering::SeqCst) <= most);
        drop(ahead);
        assert_eq!(Arc::strong_count(&walked), 1, "the walk was dropped with its thread");
    }

    #[test]
    fn who_waits_for_a_walk_sees_that_nobody_wants_it_any_more() {
        let budget = Arc::new(Budget::default());
        let of_walk = Arc::clone(&budget);
        // Like a walk without results: it checks the budget by itself.
        let walk = std::iter::from_fn(move || {
            loop {
                if let Err(stopped) = of_walk.check() {
                    return Some(Err::<(), _>(Error::from(stopped)));
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        let mut ahead = ReadAhead::new(walk, permit(), Arc::clone(&budget));
        let canceller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            budget.cancel();
        });
        assert!(ahead.next().is_some_and(|found| found.is_err()) && ahead.next().is_none());
        canceller.join().unwrap();
    }

    #[test]
    fn a_panic_of_a_walk_is_an_error() {
        let walk = (0..10).map(|at| if at < 5 { Ok(at) } else { panic!("inside") });
        let found: Vec<Result<u64>> = over(walk, permit()).collect();
        assert!(found.last().is_some_and(Result::is_err), "{found:?}");
    }
}
