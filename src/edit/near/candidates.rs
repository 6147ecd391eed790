//! Finds the parts of a text that share most with a string, in one pass.

use redline_base::budget::{Gather, Grow, Ordered, filled, reserve};
use std::cmp::Reverse;
use std::ops::Range;

use redline_text::CancelToken;
use redline_text::cancel_token::Stopped;

/// Returns the parts of `text` that share most with `wanted`, at most about as long as it, the best
/// first.
///
/// Runs of three characters are compared; the rarer a run is in the text, the more it weighs.
///
/// # Errors
/// Those of the token.
pub fn candidates(
    text: &[char],
    wanted: &[char],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Range<usize>>, Stopped> {
    let mut pace = cancel.pace();
    /// The number of bits that runs are hashed to; runs with the same hash count as equal.
    const BITS: u32 = 18;
    /// The number of candidates that are searched for.
    const WINDOWS: usize = 6;
    let number = |run: &[char]| {
        let run = run
            .iter()
            .fold(0u64, |number, &c| (number ^ u64::from(c)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (run >> (u64::BITS - BITS)) as usize
    };
    // For the runs of `wanted`, first their occurrences in the text, then their weights; 0 for
    // others.
    let mut weights = filled(0u32, 1 << BITS);
    wanted.windows(3).for_each(|run| weights[number(run)] = 1);
    for run in text.windows(3) {
        pace.spend(1)?;
        let count = &mut weights[number(run)];
        *count += u32::from(*count > 0);
    }
    let rarest = 1 + text.len().checked_ilog2().unwrap_or(0);
    weights
        .iter_mut()
        .filter(|count| **count > 0)
        .for_each(|count| *count = (rarest + 1).saturating_sub(count.ilog2()));
    // The weight of all runs before each place.
    let mut sums = vec![0u64];
    let mut sum = 0;
    reserve(&mut sums, text.len())?;
    for run in text.windows(3) {
        pace.spend(1)?;
        sum += u64::from(weights[number(run)]);
        sums.push(sum);
    }
    // The passage that was meant may be a little longer.
    let length = (wanted.len().saturating_sub(2) * 9 / 8 + 1).min(sums.len() - 1);
    if length == 0 {
        return Ok(Vec::new());
    }
    let enough = wanted.windows(3).map(|run| u64::from(weights[number(run)])).sum::<u64>() / 3;
    let score = |at: &usize| sums[at + length] - sums[*at];
    // Takes the best of each stretch, so that the result is not one window many times.
    let starts = sums.len() - length;
    let stretch = (length / 2).max(starts >> 16).max(1);
    let best = |first: usize| (first..starts.min(first + stretch)).rev().max_by_key(score);
    let mut places: Vec<usize> =
        (0..starts).step_by(stretch).filter_map(best).filter(|at| score(at) > enough).gather();
    places.order_by_key(|at| Reverse(score(at)));
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in places {
        if found.len() < WINDOWS && found.iter().all(|taken| at.abs_diff(taken.start) > length / 2)
        {
            found.add(at..at + length);
        }
    }
    // From the first shared run to the last.
    let tight = |window: Range<usize>| {
        let is_shared = |at: &usize| sums[at + 1] > sums[*at];
        let first = window.clone().find(is_shared).unwrap_or(window.start);
        first..window.rev().find(is_shared).unwrap_or(first) + 3
    };
    Ok(found.into_iter().map(tight).gather())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_runs_weigh_more_than_common_ones() {
        let text: Vec<char> =
            format!("{}return unusual;{}", "return x;".repeat(50), "return y;".repeat(50))
                .chars()
                .collect();
        let wanted: Vec<char> = "return unusaul;".chars().collect();
        let found = candidates(&text, &wanted, &CancelToken::never()).unwrap();
        assert!(found[0].contains(&(50 * 9 + 8)), "{found:?}");
    }

    #[test]
    fn a_text_or_string_too_short_has_no_window() {
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        let found = |text: &str, wanted: &str| {
            candidates(&chars(text), &chars(wanted), &CancelToken::never()).unwrap()
        };
        for (text, wanted) in
            [("", "abc"), ("ab", "abc"), ("abc", ""), ("abc", "ab"), ("abcabc", "xyz")]
        {
            assert!(found(text, wanted).is_empty(), "{text} {wanted}");
        }
        assert_eq!(found("abc", "abc").len(), 1);
        assert_eq!(found("abc", "xabcdef").len(), 0);
    }
}
