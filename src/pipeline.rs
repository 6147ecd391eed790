//! Ordered parallel work with a bounded window.
//!
//! Workers share one source behind a lock: each takes the next job and its place in the order,
//! works on it unlocked, and puts the result into its slot. The reader takes slots from the front,
//! so results come out in the source's order; workers that are a whole window ahead of the reader
//! wait. There are exactly as many threads as workers were given, and dropping the reader stops
//! and joins them.
//!
//! Waking a thread costs more than many a job, so it is done for several results at once: the reader
//! is woken for a batch of them or at the end, and looks by itself meanwhile; workers are woken when
//! half of the window has been read.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::error::{Error, Result};

/// Results for which a waiting reader is woken.
const BATCH: usize = 32;

/// The reader looks by itself so often, as a batch of long jobs may take for ever.
const LOOK: Duration = Duration::from_millis(2);

/// What a poll of the reader found.
#[derive(Debug)]
pub enum Poll<R> {
    /// The next result in order.
    Ready(Result<R>),
    /// The deadline passed first.
    Pending,
    /// All results were read.
    End,
}

/// How far workers may be ahead of the reader.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Jobs in work or done.
    pub jobs: usize,
    /// Bytes of results; the jobs in work go beyond it.
    pub bytes: usize,
}

/// A result that knows what it takes in memory, about.
pub trait Weigh {
    /// Returns the bytes.
    fn bytes(&self) -> usize;
}

/// Where jobs come from, one after the other.
pub struct Source<I> {
    jobs: I,
    work_ahead: fn(&mut I),
    /// How many jobs it has given.
    next: u64,
    ended: bool,
}

impl<I> Source<I> {
    /// Takes the jobs from an iterator.
    pub fn new(jobs: I) -> Self {
        Self { jobs, work_ahead: |_| (), next: 0, ended: false }
    }

    /// Has `work_ahead` called each time before a worker waits for room.
    pub fn working_ahead(self, work_ahead: fn(&mut I)) -> Self {
        Self { work_ahead, ..self }
    }
}

/// Reads the results of parallel work in the order of its source.
pub struct Ordered<R> {
    shared: Arc<Shared<R>>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<Budget>,
}

struct Shared<R> {
    slots: Mutex<Slots<R>>,
    /// Told when there is enough to read, or the work ended.
    filled: Condvar,
    /// Told when the reader has made room, or the work must stop.
    taken: Condvar,
    window: Window,
}

struct Slots<R> {
    /// Results by place, from the reader's next one on; `None` is being worked on.
    ring: VecDeque<Option<Result<R>>>,
    /// The place of the front slot.
    front: u64,
    /// Results in the ring, and their bytes.
    filled: usize,
    bytes: usize,
    /// Workers that have not ended.
    running: usize,
    /// Whether there was an error, after which no job is begun.
    failed: bool,
    reader_waits: bool,
    /// Whether a worker waits for room; the others wait for its turn at the source.
    worker_waits: bool,
}

fn weight<R: Weigh>(result: &Result<R>) -> usize {
    result.as_ref().map_or(0, Weigh::bytes)
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, Slots<R>> {
        // A worker that panicked holds no lock while it works; the slots are always whole.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Weigh> Shared<R> {
    /// Tells whether a worker may take the job of a place.
    fn has_room(&self, slots: &Slots<R>, place: u64) -> bool {
        place < slots.front + self.window.jobs as u64 && slots.bytes < self.window.bytes
    }

    /// Waits as a worker until there is room; tells whether to go on.
    fn wait_for_room(&self, place: u64, stop: &Budget) -> bool {
        let mut slots = self.lock();
        loop {
            if slots.failed || stop.is_cancelled() {
                return false;
            }
            if self.has_room(&slots, place) {
                return true;
            }
            slots.worker_waits = true;
            slots = self.taken.wait(slots).unwrap_or_else(PoisonError::into_inner);
            slots.worker_waits = false;
        }
    }

    /// Puts a result into its slot.
    fn put(&self, place: u64, result: Result<R>) {
        let mut slots = self.lock();
        let index = usize::try_from(place - slots.front).expect("a place within the window");
        if result.is_err() {
            slots.failed = true;
            self.taken.notify_one();
        }
        slots.bytes += weight(&result);
        slots.ring[index] = Some(result);
        slots.filled += 1;
        let is_enough = slots.filled >= BATCH.min(self.window.jobs) || slots.bytes >= self.window.bytes;
        if slots.reader_waits && is_enough && matches!(slots.ring.front(), Some(Some(_))) {
            self.filled.notify_one();
        }
    }
}

/// Counts a worker as ended when it returns or unwinds, so that the reader never waits for it.
struct Running<R> {
    shared: Arc<Shared<R>>,
    stop: Arc<Budget>,
}

impl<R> Drop for Running<R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Its slot stays empty, so the others would fill the window and wait for ever.
            self.stop.cancel();
        }
        self.shared.lock().running -= 1;
        self.shared.filled.notify_all();
        self.shared.taken.notify_all();
    }
}

impl<R: Weigh + Send + 'static> Ordered<R> {
    /// Starts one thread per worker.
    ///
    /// After an error, of the source or of a worker, the source is not asked again. `stop` is shared
    /// with the work itself: it is set when the reader is dropped, and long jobs should look at it.
    pub fn start<J, I, W>(source: Source<I>, workers: Vec<W>, window: Window, stop: Arc<Budget>) -> Result<Self>
    where
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        W: FnMut(J) -> Result<R> + Send + 'static,
    {
        let shared = Arc::new(Shared {
            slots: Mutex::new(Slots {
                ring: VecDeque::new(),
                front: 0,
                filled: 0,
                bytes: 0,
                running: workers.len(),
                failed: false,
                reader_waits: false,
                worker_waits: false,
            }),
            filled: Condvar::new(),
            taken: Condvar::new(),
            window,
        });
        let source = Arc::new(Mutex::new(source));
        let mut ordered = Self { shared, threads: Vec::new(), stop };
        for worker in workers {
            let running = Running { shared: Arc::clone(&ordered.shared), stop: Arc::clone(&ordered.stop) };
            let source = Arc::clone(&source);
            let thread = std::thread::Builder::new()
                .name("redline".to_owned())
                .spawn(move || work(&source, worker, &running.shared, &running.stop))
                .map_err(|error| {
                    Error::tool_failed("a worker thread could not be started")
                        .with_hint("Lower DuckDB's threads setting or the load of the machine")
                        .with_source(error)
                })?;
            ordered.threads.push(thread);
        }
        Ok(ordered)
    }

    /// Waits for the next result, at most until `deadline` where one is given.
    pub fn poll(&mut self, deadline: Option<Instant>) -> Poll<R> {
        let mut slots = self.shared.lock();
        loop {
            if let Some(Some(_)) = slots.ring.front() {
                let result = slots.ring.pop_front().flatten().expect("looked at above");
                slots.front += 1;
                slots.filled -= 1;
                slots.bytes -= weight(&result);
                let Window { jobs, bytes } = self.shared.window;
                if slots.worker_waits && slots.ring.len() <= jobs / 2 && slots.bytes <= bytes / 2 {
                    self.shared.taken.notify_one();
                }
                return Poll::Ready(result);
            }
            if slots.running == 0 {
                return match slots.ring.pop_front() {
                    None => Poll::End,
                    // A slot that nobody will fill: its worker panicked.
                    Some(_) => {
                        slots.ring.clear();
                        Poll::Ready(Err(Error::tool_failed("a worker thread met an internal error")
                            .with_hint("Please report this message with the query")))
                    }
                };
            }
            let left = deadline.map_or(LOOK, |deadline| deadline.saturating_duration_since(Instant::now()).min(LOOK));
            if left.is_zero() {
                return Poll::Pending;
            }
            if slots.worker_waits {
                self.shared.taken.notify_one();
            }
            slots.reader_waits = true;
            slots = self.shared.filled.wait_timeout(slots, left).unwrap_or_else(PoisonError::into_inner).0;
            slots.reader_waits = false;
        }
    }
}

impl<R> Drop for Ordered<R> {
    fn drop(&mut self) {
        self.stop.cancel();
        // Under the lock, so that no worker misses the call between its look and its wait.
        drop(self.shared.lock());
        self.shared.taken.notify_all();
        for thread in self.threads.drain(..) {
            // A panic was reported through its slot.
            let _ = thread.join();
        }
    }
}

fn work<J, I, W, R>(source: &Mutex<Source<I>>, mut worker: W, shared: &Shared<R>, stop: &Budget)
where
    I: Iterator<Item = Result<J>>,
    W: FnMut(J) -> Result<R>,
    R: Weigh,
{
    loop {
        let (job, place) = {
            // A source that panicked is not asked again.
            let Ok(mut source) = source.lock() else { return };
            if !shared.has_room(&shared.lock(), source.next) {
                (source.work_ahead)(&mut source.jobs);
            }
            if source.ended || !shared.wait_for_room(source.next, stop) {
                return;
            }
            let Some(job) = source.jobs.next() else {
                source.ended = true;
                return;
            };
            source.ended |= job.is_err();
            let place = source.next;
            source.next += 1;
            // Slots are made in order, as the source is still locked.
            shared.lock().ring.push_back(None);
            (job, place)
        };
        shared.put(place, job.and_then(&mut worker));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    const WINDOW: Window = Window { jobs: 8, bytes: 100 };

    impl Weigh for u64 {
        fn bytes(&self) -> usize {
            1
        }
    }

    fn start<R: Weigh + Send + 'static>(
        jobs: impl Iterator<Item = Result<u64>> + Send + 'static,
        threads: usize,
        work: impl Fn(u64) -> Result<R> + Send + Sync + Clone + 'static,
    ) -> Ordered<R> {
        Ordered::start(Source::new(jobs), vec![work; threads], WINDOW, Arc::default()).unwrap()
    }

    fn all<R: Weigh + Send + 'static>(mut ordered: Ordered<R>) -> Vec<Result<R>> {
        std::iter::from_fn(|| match ordered.poll(None) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => unreachable!("no deadline"),
            Poll::End => None,
        })
        .collect()
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
            assert_eq!(results.into_iter().map(Result::unwrap).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_keeps_its_place_and_ends_the_work() {
        let results =
            all(start((0..).map(Ok), 3, |job| if job == 20 { Err(Error::tool_failed("twenty")) } else { Ok(job) }));
        assert!(results.len() >= 21, "{}", results.len());
        assert!(results[..20].iter().all(Result::is_ok) && results[20].is_err());
    }

    #[test]
    fn an_error_of_the_slowest_job_hangs_while_the_others_wait_for_room() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begun);
        let mut ordered = start((0..).map(Ok), 2, move |job| {
            count.fetch_add(1, Ordering::SeqCst);
            if job > 0 {
                return Ok(job);
            }
            while count.load(Ordering::SeqCst) < WINDOW.jobs {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(20));
            Err(Error::tool_failed("the first"))
        });
        assert!(matches!(ordered.poll(Some(Instant::now() + Duration::from_secs(20))), Poll::Ready(Err(_))));
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
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(started.load(Ordering::SeqCst), 8);
        drop(ordered);
    }

    #[test]
    fn heavy_results_pile_up_while_nobody_reads() {
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
        while begun.load(Ordering::SeqCst) < 2 {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(20));
        // Two fill the window of 100 bytes; the other worker may have begun a third.
        assert!(begun.load(Ordering::SeqCst) <= 3);
        assert!(matches!(ordered.poll(None), Poll::Ready(Ok(Heavy))));
        assert_eq!(all(ordered).len(), 99);
    }

    #[test]
    fn a_source_is_idle_while_there_is_no_room() {
        struct Ahead(u64, Arc<AtomicUsize>);
        impl Iterator for Ahead {
            type Item = Result<u64>;
            fn next(&mut self) -> Option<Result<u64>> {
                self.0 += 1;
                (self.0 <= 100).then_some(Ok(self.0))
            }
        }
        let ahead = Arc::new(AtomicUsize::new(0));
        let source = Source::new(Ahead(0, Arc::clone(&ahead))).working_ahead(|jobs| {
            jobs.1.fetch_add(1, Ordering::SeqCst);
        });
        let ordered = Ordered::start(source, vec![Ok; 2], WINDOW, Arc::default()).unwrap();
        while ahead.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(all(ordered).len(), 100);
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
        let mut ordered = start((0..1).map(Ok), 1, |job| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(job)
        });
        assert!(matches!(ordered.poll(Some(Instant::now() + Duration::from_millis(5))), Poll::Pending));
        assert!(matches!(ordered.poll(None), Poll::Ready(Ok(0))));
        assert!(matches!(ordered.poll(None), Poll::End));
    }
}
