//! The same work on many files, shared out to several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, scope};

/// The number of files that are worth another thread.
const THREAD_FILES: usize = 8;

/// Does the work of the numbers from 0 to `count` on a thread for each worker, and returns the
/// results in order.
///
/// # Errors
/// That of the least number whose work has one.
pub fn share<W: Send, T: Send, E: Send>(
    workers: &mut [W],
    count: usize,
    work: impl Fn(&mut W, usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    share_while(workers, count, || true, work)
}

/// Does the same while `goes_on`, and returns the results up to there, without a gap; the first
/// number is always done.
///
/// # Errors
/// That of the least number whose work has one.
pub fn share_while<W: Send, T: Send, E: Send>(
    workers: &mut [W],
    count: usize,
    goes_on: impl Fn() -> bool + Sync,
    work: impl Fn(&mut W, usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = |worker: &mut W| {
        let mut done = Vec::new();
        while !has_failed.load(Relaxed) && (next.load(Relaxed) == 0 || goes_on()) {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                break;
            }
            let result = work(worker, number);
            has_failed.fetch_or(result.is_err(), Relaxed);
            done.push((number, result));
        }
        done
    };
    let threads = workers.len().min(count / THREAD_FILES).max(1);
    let (own, others) = workers[..threads].split_first_mut().expect("there is a worker");
    let mut results = scope(|scope| {
        let start = |worker| {
            // Without another thread those that run do all of it.
            Builder::new().name("redline".to_owned()).spawn_scoped(scope, || run(worker)).ok()
        };
        let started: Vec<_> = others.iter_mut().filter_map(start).collect();
        let mut results = run(own);
        for thread in started {
            results.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    // Numbers are taken in order and completed, so nothing is missing before the first error.
    results.sort_unstable_by_key(|&(number, _)| number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_thread_they_are_from() {
        for workers in [1, 2, 5] {
            let mut workers = vec![(); workers];
            let squares = share(&mut workers, 100, |(), number| Ok::<_, ()>(number * number));
            assert_eq!(squares, Ok((0..100).map(|number| number * number).collect()));
            assert_eq!(share(&mut workers, 0, |(), _| Ok::<_, ()>(())), Ok(Vec::new()));
        }
    }

    #[test]
    fn the_first_error_is_returned_and_ends_the_work() {
        let mut workers = [0; 3];
        let error = share(&mut workers, 100_000, |done, number| {
            *done += 1;
            if number < 40 { Ok(()) } else { Err(number) }
        });
        assert_eq!(error, Err(40));
        assert!(workers.iter().sum::<usize>() < 100_000);
    }

    #[test]
    fn work_that_does_not_go_on_leaves_no_gap() {
        let left = AtomicUsize::new(50);
        let goes_on = || left.load(Relaxed) > 0;
        let numbers = share_while(&mut [(); 4], 1000, goes_on, |(), number| {
            _ = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
            Ok::<_, ()>(number)
        });
        let numbers = numbers.unwrap();
        assert!((50..54).contains(&numbers.len()), "{}", numbers.len());
        assert!(numbers.iter().copied().eq(0..numbers.len()));
        let first = share_while(&mut [(); 4], 1000, || false, |(), number| Ok::<_, ()>(number));
        assert!((1..=4).contains(&first.unwrap().len()), "one that is begun is finished");
    }

    #[test]
    #[should_panic = "of a file"]
    fn a_panic_is_passed_on() {
        let work =
            |(): &mut (), number| if number == 90 { panic!("of a file") } else { Ok::<_, ()>(()) };
        drop(share(&mut [(); 3], 100, work));
    }
}
