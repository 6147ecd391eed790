//! The pipeline with real threads.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of jobs that two workers begin before anything is read.
const FIRST: usize = 4;

const WINDOW: Window = Window { jobs: 8, bytes: 100 };

impl Weigh for u64 {
    fn bytes(&self) -> usize {
        1
    }
}

/// Returns permits for some workers, independent of other tests.
fn permits(threads: usize) -> Permits {
    Permits::take_from(Box::leak(Box::default()), threads)
}

fn start<R: Weigh + Send + 'static>(
    jobs: impl Iterator<Item = Result<u64>> + Send + 'static,
    threads: usize,
    work: impl Fn(u64) -> Result<R> + Send + Sync + Clone + 'static,
) -> Ordered<R> {
    begin(Source::new(jobs), vec![work; threads], WINDOW, Arc::default())
}

/// Starts a thread for each worker.
fn begin<R: Weigh + Send + 'static>(
    source: Source<impl Iterator<Item = Result<u64>> + Send + 'static>,
    workers: Vec<impl FnMut(u64) -> Result<R> + Send + 'static>,
    window: Window,
    budget: Arc<Budget>,
) -> Ordered<R> {
    let permits = permits(workers.len());
    Ordered::start(source, workers, window, budget, permits).unwrap()
}

fn all<R: Weigh + Send + 'static>(mut ordered: Ordered<R>) -> Vec<Result<R>> {
    std::iter::from_fn(|| ready(&mut ordered)).collect()
}

fn ready<R: Weigh + Send + 'static>(ordered: &mut Ordered<R>) -> Option<Result<R>> {
    match ordered.poll(None) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => unreachable!("no deadline"),
        Poll::End => None,
    }
}

/// Waits until `count` is `wanted`, and yields to the other threads for some turns.
fn reaches(count: &AtomicUsize, wanted: usize) {
    while count.load(Ordering::SeqCst) < wanted {
        std::thread::yield_now();
    }
    for _ in 0..1000 {
        std::thread::yield_now();
    }
}

#[test]
fn a_slow_job_never_lets_a_later_one_out_first() {
    for threads in [1, 2, 7] {
        let slow = |job: u64| {
            if job.is_multiple_of(5) {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(job)
        };
        let results = all(start((0..100).map(Ok), threads, slow));
        assert_eq!(
            results.into_iter().map(Result::unwrap).collect::<Vec<_>>(),
            (0..100).collect::<Vec<_>>()
        );
    }
}

#[test]
fn an_error_keeps_its_place_and_ends_the_work() {
    let results = all(start((0..).map(Ok), 3, |job| {
        if job == 20 { Err(Error::tool_failed("twenty")) } else { Ok(job) }
    }));
    assert!(results.len() >= 21, "{}", results.len());
    assert!(results[..20].iter().all(Result::is_ok) && results[20].is_err());
}

#[test]
fn an_error_of_the_slowest_job_arrives_while_the_others_wait_for_room() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let mut ordered = start((0..).map(Ok), 2, move |job| {
        count.fetch_add(1, Ordering::SeqCst);
        if job > 0 {
            return Ok(job);
        }
        reaches(&count, FIRST);
        Err(Error::tool_failed("the first"))
    });
    assert!(matches!(
        ordered.poll(Some(Instant::now() + Duration::from_secs(20))),
        Poll::Ready(Err(_))
    ));
}

#[test]
fn an_error_of_the_source_is_the_last_result() {
    let jobs = (0..3).map(Ok).chain([Err(Error::tool_failed("torn"))]);
    let results = all(start(jobs, 2, Ok));
    assert_eq!(results.len(), 4);
    assert!(results[3].is_err());
}

#[test]
fn an_unread_result_never_grows_past_the_window() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let ordered = start((0..).map(Ok), 2, move |job| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(job)
    });
    reaches(&started, FIRST);
    // Ends the workers: started jobs are counted.
    drop(ordered);
    assert_eq!(started.load(Ordering::SeqCst), FIRST);
}

#[test]
fn heavy_results_do_not_pile_up_while_nobody_reads() {
    struct Heavy;
    impl Weigh for Heavy {
        fn bytes(&self) -> usize {
            60
        }
    }
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let mut ordered = start((0..100).map(Ok), 2, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(Heavy)
    });
    reaches(&begun, 2);
    // Two fill the window of 100 bytes; the other worker may have begun a third.
    assert!(begun.load(Ordering::SeqCst) <= 3);
    assert!(matches!(ordered.poll(None), Poll::Ready(Ok(Heavy))));
    assert_eq!(all(ordered).len(), 99);
}

/// A source of numbers that are final only when all of them were walked.
struct Open {
    next: u64,
    walked: u64,
    last: u64,
}

impl Iterator for Open {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Result<u64>> {
        self.next += 1;
        self.walked = self.walked.max(self.next);
        (self.next <= self.last).then_some(Ok(self.next))
    }
}

#[test]
fn results_wait_for_the_word_of_their_source_and_the_source_for_no_room() {
    for last in [1, 3, 20, 500] {
        let jobs = Open { next: 0, walked: 0, last };
        let source =
            Source::new(jobs).open_while(|jobs| jobs.walked < jobs.last, |jobs| jobs.walked += 1);
        let mut ordered = begin(source, vec![Ok; 2], WINDOW, Arc::default());
        assert_eq!(std::iter::from_fn(|| ready(&mut ordered)).count() as u64, last);
    }
}

#[test]
fn a_source_that_never_decides_ends_at_the_deadline() {
    let budget = Arc::new(Budget::new(Some(Duration::from_millis(50))));
    let source = Source::new((0..).map(Ok))
        .open_while(|_| true, |_| std::thread::sleep(Duration::from_millis(1)));
    let mut ordered = begin(source, vec![Ok; 2], WINDOW, budget);
    let Poll::Ready(Err(error)) = ordered.poll(None) else { panic!("a result") };
    assert_eq!(error.kind(), crate::error::ErrorKind::Timeout);
    assert!(matches!(ordered.poll(None), Poll::End));
}

#[test]
fn a_panicking_source_is_an_error_after_its_results() {
    for threads in [1, 3] {
        let jobs = (0..10).map(|job| {
            assert_ne!(job, 5, "a deliberate panic");
            Ok(job)
        });
        let results = all(start(jobs, threads, Ok));
        assert_eq!(results.len(), 6);
        assert!(results[..5].iter().all(Result::is_ok) && results[5].is_err());
    }
}

#[test]
fn a_source_that_panics_as_it_walks_on_is_an_error() {
    let source = Source::new((0..).map(Ok)).open_while(|_| true, |_| panic!("a deliberate panic"));
    let mut ordered = begin(source, vec![Ok; 2], WINDOW, Arc::default());
    assert!(matches!(ordered.poll(None), Poll::Ready(Err(_))));
}

#[test]
fn few_jobs_are_begun_before_anything_is_read() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let window = Window { jobs: 1000, bytes: 1000 };
    let worker = move |job: u64| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(job)
    };
    let mut ordered = begin(Source::new((0..).map(Ok)), vec![worker; 2], window, Arc::default());
    reaches(&begun, FIRST);
    for read in 1..100 {
        assert!(ready(&mut ordered).is_some());
        assert!(begun.load(Ordering::SeqCst) <= FIRST + 2 * read);
    }
}

#[test]
fn a_panicking_worker_is_an_error_and_not_a_hang() {
    let results = all(start((0..).map(Ok), 2, |job| {
        assert_ne!(job, 4, "a deliberate panic");
        Ok(job)
    }));
    assert!(results.iter().any(Result::is_err));
}

#[test]
fn a_deadline_passes_while_the_first_job_runs() {
    let passed = Arc::new(AtomicUsize::new(0));
    let deadline = Arc::clone(&passed);
    let mut ordered = start((0..1).map(Ok), 1, move |job| {
        reaches(&deadline, 1);
        Ok(job)
    });
    assert!(matches!(ordered.poll(Some(Instant::now() + Duration::from_millis(5))), Poll::Pending));
    passed.store(1, Ordering::SeqCst);
    assert!(matches!(ordered.poll(None), Poll::Ready(Ok(0))));
    assert!(matches!(ordered.poll(None), Poll::End));
}

fn batches<T, I: Iterator<Item = Result<T>>>(
    items: I,
    doubles_after: u32,
    most: usize,
) -> Batches<I> {
    Batches::new(items, Growth { doubles_after, most })
}

#[test]
fn batches_hold_all_items_in_order_and_an_error_comes_after_those_before_it() {
    let items = (0..200).map(|n| if n == 150 { Err(Error::stale("150")) } else { Ok(n) });
    let mut found = batches(items, 1, 64);
    let lengths: Vec<usize> = (0..8).map(|_| found.next().unwrap().unwrap().len()).collect();
    assert_eq!(lengths, [1, 2, 4, 8, 16, 32, 64, 23]);
    assert!(found.next().unwrap().is_err());
    let all: Vec<i32> = batches((0..200).map(Ok), 1, 64).flat_map(Result::unwrap).collect();
    assert_eq!(all, (0..200).collect::<Vec<_>>());
    assert!(batches(std::iter::empty::<Result<i32>>(), 1, 64).next().is_none());
}

#[test]
fn batches_grow_as_slowly_as_they_are_told() {
    let lengths = batches((0..40).map(Ok), 3, 4).map(|batch| batch.unwrap().len());
    assert_eq!(lengths.collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 3]);
}
