//! How the time of a function grows with its input, for tests of inputs that a stranger chooses.

use std::time::{Duration, Instant};

/// How many times as large the larger input is.
const LARGER: usize = 8;

/// How many times as long it may take: far from 8, as memory is slower than a processor's caches, and from 64.
const LONGER: u32 = 24;

/// Attempts before the growth is called too fast; the shortest times of all of them are compared.
const ATTEMPTS: usize = 10;

/// Fails where the time grows with the square of the input's size. How fast the machine is and what else it does matters
/// little: two inputs are compared, and tried again where that fails.
pub fn assert_linear<T>(
    what: &str,
    size: usize,
    input: impl Fn(usize) -> T,
    mut run: impl FnMut(&T),
) {
    let (small, large) = (input(size), input(size * LARGER));
    let mut shortest = [Duration::MAX; 2];
    let mut time = |input: &T, shortest: &mut Duration| {
        let start = Instant::now();
        run(input);
        *shortest = start.elapsed().min(*shortest);
    };
    for _ in 0..ATTEMPTS {
        // As often as makes both equally long, so that one is interrupted as likely as the other.
        (0..LARGER).for_each(|_| time(&small, &mut shortest[0]));
        time(&large, &mut shortest[1]);
        if is_linear(shortest) {
            return;
        }
    }
    panic!("{what}: {shortest:?} for {size} and {LARGER} times as much");
}

/// Tells whether the time for the larger input has grown with its size.
fn is_linear([small, large]: [Duration; 2]) -> bool {
    large <= small * LONGER
}

#[test]
fn linear_time_is_told_from_that_of_a_square() {
    let millis = Duration::from_millis;
    assert!(is_linear([millis(1), millis(8)]) && is_linear([millis(2), millis(3)]));
    assert!(!is_linear([millis(1), millis(64)]));
    assert_linear(
        "a sum",
        10_000,
        |size| vec![1_u64; size],
        |ones| {
            assert_eq!(ones.iter().sum::<u64>(), ones.len() as u64);
        },
    );
}
