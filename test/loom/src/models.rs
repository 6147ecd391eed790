//! The models: two workers, a window of one or two jobs, three jobs.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::budget::Weigh;
use crate::budget::{Budget, Permits};
use crate::error::{Error, Result};
use crate::pipeline::{Ordered, Poll, Source, Window};

/// Switches of threads at places where none is forced; two or three find nearly all faults there are.
const PREEMPTIONS: usize = 2;

const JOBS: u64 = 3;

impl Weigh for u64 {
    fn bytes(&self) -> usize {
        1
    }
}

/// Searches the orders of the threads of `model` for each window.
fn search(model: impl Fn(Window) + Send + Sync + Clone + 'static) {
    for (jobs, bytes) in [(1, 100), (2, 100), (2, 1)] {
        let model = model.clone();
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(PREEMPTIONS);
        builder.check(move || model(Window { jobs, bytes }));
    }
}

fn start<I>(source: Source<I>, work: fn(u64) -> Result<u64>, window: Window) -> Ordered<u64>
where
    I: Iterator<Item = Result<u64>> + Send + 'static,
{
    // A counter of its own, as models run side by side.
    let permits = Permits::take_from(Box::leak(Box::new(AtomicUsize::new(0))), 2);
    let budget = Arc::new(Budget::default());
    Ordered::start(source, vec![work; 2], window, budget, permits).expect("two threads")
}

/// Returns the results up to the end, the error last.
fn read(ordered: &mut Ordered<u64>) -> (Vec<u64>, Option<Error>) {
    let mut results = Vec::new();
    loop {
        match ordered.poll(None) {
            Poll::Ready(Ok(result)) => results.push(result),
            Poll::Ready(Err(error)) => return (results, Some(error)),
            Poll::Pending => unreachable!("no time was given"),
            Poll::End => return (results, None),
        }
    }
}

fn numbers(upto: u64) -> Vec<u64> {
    (0..upto).collect()
}

/// Panics where that is wanted, without a message.
fn fault() -> ! {
    std::panic::resume_unwind(Box::new(()))
}

/// Numbers of which it is known only at the end whether they are withdrawn.
struct Open {
    next: u64,
    walked: u64,
}

impl Open {
    fn source() -> Source<Self> {
        Source::new(Self { next: 0, walked: 0 })
            .open_while(|jobs| jobs.walked <= JOBS, |jobs| jobs.walked += 1)
    }
}

impl Iterator for Open {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        let job = self.next;
        self.next += 1;
        self.walked = self.walked.max(self.next);
        (job < JOBS).then_some(Ok(job))
    }
}

#[test]
fn all_results_come_in_order_and_then_the_end() {
    search(|window| {
        let mut ordered = start(Source::new((0..JOBS).map(Ok)), Ok, window);
        let (results, error) = read(&mut ordered);
        assert!(error.is_none() && results == numbers(JOBS), "{results:?}");
        assert!(matches!(ordered.poll(None), Poll::End));
    });
}

// Promise (answers): A query whose workers, source or order of rows fail ends in an error: the
// end of the rows is signalled, never inferred, in every order of threads. With
// `a_panicking_worker_is_an_error_at_its_place`, `an_error_of_the_source_is_its_last_word`.
#[test]
fn a_panicking_source_is_an_error_and_never_the_end() {
    search(|window| {
        let jobs = (0..JOBS).map(|job| if job == 2 { fault() } else { Ok(job) });
        let (results, error) = read(&mut start(Source::new(jobs), Ok, window));
        assert!(error.is_some() && results == numbers(2), "{results:?}");
    });
}

#[test]
fn a_panicking_worker_is_an_error_at_its_place() {
    search(|window| {
        let work = |job| if job == 1 { fault() } else { Ok(job) };
        let (results, error) = read(&mut start(Source::new((0..JOBS).map(Ok)), work, window));
        assert!(error.is_some() && results == numbers(1), "{results:?}");
    });
}

#[test]
fn an_error_of_the_source_is_its_last_word() {
    search(|window| {
        let jobs =
            (0..).map(|job| if job == 2 { Err(Error::tool_failed("torn")) } else { Ok(job) });
        let (results, error) = read(&mut start(Source::new(jobs), Ok, window));
        assert!(
            error.is_some_and(|error| error.to_string().contains("torn")) && results == numbers(2),
            "{results:?}"
        );
    });
}

#[test]
fn a_reader_that_leaves_in_the_middle_ends_the_workers() {
    for read in [0, 2] {
        search(move |window| {
            let mut ordered = start(Source::new((0..).map(Ok)), Ok, window);
            for job in 0..read {
                assert!(matches!(ordered.poll(None), Poll::Ready(Ok(result)) if result == job));
            }
        });
    }
}

#[test]
fn a_full_window_never_waits_for_a_reader_that_waits_for_the_walk() {
    search(|window| {
        let (results, error) = read(&mut start(Open::source(), Ok, window));
        assert!(error.is_none() && results == numbers(JOBS), "{results:?}");
    });
}

#[test]
fn a_reader_leaves_while_the_walk_goes_on() {
    search(|window| drop(start(Open::source(), Ok, window)));
}

#[test]
fn a_walk_that_panics_or_a_job_that_fails_before_its_word_is_an_error() {
    search(|window| {
        let walk = Source::new((0..).map(Ok)).open_while(|_| true, |_| fault());
        assert!(read(&mut start(walk, Ok, window)).1.is_some());
        let failing = |_| Err(Error::tool_failed("no"));
        assert!(read(&mut start(Open::source(), failing, window)).1.is_some());
    });
}
