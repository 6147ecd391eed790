//! How the time of a function grows with its input, for tests with hostile inputs.

use std::time::Duration;

/// The ratio of the larger input to the smaller.
const LARGER: usize = 32;

/// The allowed ratio of their times: five times as much as in linear time, as memory is slower than
/// the processor's caches, and a sixth of the square.
const LONGER: u32 = 160;

/// Attempts before the test fails; the shortest times of all attempts are compared. Together they
/// outlast the tests beside it, which compete for memory.
const ATTEMPTS: usize = 100;

/// Fails if the time of the processor grows with the square of the input's size. The speed and load
/// of the machine matter little: two inputs are compared, and the comparison is repeated if it
/// fails. Only the calling thread counts.
pub fn assert_linear<T>(
    what: &str,
    size: usize,
    input: impl Fn(usize) -> T,
    mut run: impl FnMut(&T),
) {
    let (small, large) = (input(size), input(size * LARGER));
    let mut shortest = [Duration::MAX; 2];
    let mut time = |input: &T, shortest: &mut Duration| {
        let start = processor_time();
        run(input);
        *shortest = (processor_time() - start).min(*shortest);
    };
    for _ in 0..ATTEMPTS {
        // As often as makes both equally long, so that the caches suffer equally from other threads.
        (0..LARGER).for_each(|_| time(&small, &mut shortest[0]));
        time(&large, &mut shortest[1]);
        if is_linear(shortest) {
            return;
        }
    }
    panic!("{what}: {shortest:?} for {size} and {LARGER} times as much");
}

/// Returns the processor time of this thread: on a busy machine, a long run waits for others and a
/// short one does not.
#[cfg(unix)]
fn processor_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("the time of a processor is positive")
}

/// Returns the time since the first call: this thread's own is not told by the standard library.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Tells whether the time for the larger input has grown in proportion.
fn is_linear([small, large]: [Duration; 2]) -> bool {
    large <= small * LONGER
}

#[test]
fn linear_time_is_told_from_that_of_a_square() {
    let millis = Duration::from_millis;
    assert!(is_linear([millis(1), millis(32)]) && is_linear([millis(2), millis(3)]));
    assert!(!is_linear([millis(1), millis(1024)]));
    assert_linear(
        "a sum",
        10_000,
        |size| vec![1_u64; size],
        |ones| {
            assert_eq!(ones.iter().sum::<u64>(), ones.len() as u64);
        },
    );
}
