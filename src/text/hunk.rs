//! Groups changes into hunks as git does.

use std::ops::Range;

use super::cancel_token::{CancelToken, Stopped};
use super::engine::Change;
use redline_base::budget::Charge;

/// Changes that are shown together: half-open ranges of 0-based line numbers of both sides, context
/// included, and of the indices of the changes.
///
/// With ignorable changes (`--ignore-blank-lines`) the lengths of the sides' context can differ, as
/// in git: the printed lines are those of the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old side.
    pub old: Range<u32>,
    /// The lines of the new side.
    pub new: Range<u32>,
    /// The shown changes; the others are ignored.
    pub changes: Range<usize>,
}

/// Groups `changes` as `git diff -U<context> --inter-hunk-context=<inter_hunk_context>` does;
/// without `context`, all in one hunk.
///
/// An ignorable change is shown only within `context` lines of one that is not ignorable.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it.
pub fn hunks(
    changes: &[Change],
    old_len: u32,
    new_len: u32,
    context: Option<u32>,
    inter_hunk_context: u32,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Hunk>, Stopped> {
    let mut pace = cancel.pace();
    // 64 bits, so that no sum of limits and line numbers can overflow.
    let context = context.map_or(i64::from(u32::MAX), i64::from);
    let reach = 2 * context + i64::from(inter_hunk_context);
    let mut hunks = Vec::new();
    let mut charge = Charge::free();
    let mut at = 0;
    while let Some(first) = first_shown(changes, at, context) {
        let last = last_shown(changes, first, context, reach);
        let (from, to) = (&changes[first], &changes[last]);
        let before = |line: u32| (i64::from(line) - context).max(0) as u32;
        let after = context
            .min(i64::from(old_len - to.old.end))
            .min(i64::from(new_len - to.new.end)) as u32;
        cancel.room(&mut charge, &mut hunks, 1)?;
        hunks.push(Hunk {
            old: before(from.old.start)..to.old.end + after,
            new: before(from.new.start)..to.new.end + after,
            changes: first..last + 1,
        });
        pace.spend(last + 1 - at)?;
        at = last + 1;
    }
    Ok(hunks)
}

/// Returns the number of unchanged lines between two changes.
fn gap(above: &Change, below: &Change) -> i64 {
    i64::from(below.old.start) - i64::from(above.old.end)
}

/// Returns the first shown change from `at` on: skips ignorable ones far above the next change.
fn first_shown(changes: &[Change], at: usize, context: i64) -> Option<usize> {
    let mut first = at;
    for (index, change) in changes.iter().enumerate().skip(at) {
        if !change.ignorable {
            break;
        }
        if changes.get(index + 1).is_none_or(|below| gap(change, below) >= context) {
            first = index + 1;
        }
    }
    (first < changes.len()).then_some(first)
}

/// Returns the last shown change of the hunk that begins with change `first`.
fn last_shown(changes: &[Change], first: usize, context: i64, reach: i64) -> usize {
    let mut last = first;
    // The new lines of the ignorable changes since `last`.
    let mut ignored = 0;
    for index in first + 1..changes.len() {
        let change = &changes[index];
        let gap_above = gap(&changes[index - 1], change);
        if gap_above > reach {
            break;
        }
        let follows_last = last == index - 1;
        let near = gap_above < context;
        let shown = if near {
            !change.ignorable || follows_last
        } else if !follows_last
            && i64::from(change.old.start) + ignored - i64::from(changes[last].old.end) > reach
        {
            break;
        } else {
            !change.ignorable
        };
        if shown {
            last = index;
            ignored = 0;
        } else {
            ignored += i64::from(change.new.end - change.new.start);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(old: Range<u32>, new: Range<u32>) -> Change {
        Change { old, new, ignorable: false }
    }

    fn ranges(
        changes: &[Change],
        context: Option<u32>,
        inter: u32,
    ) -> Vec<(Range<u32>, Range<u32>)> {
        let hunks = hunks(changes, 100, 100, context, inter, &CancelToken::never()).unwrap();
        hunks.into_iter().map(|hunk| (hunk.old, hunk.new)).collect()
    }

    #[test]
    fn hunks_join_at_twice_the_context_and_not_one_line_later() {
        let near = [change(10..11, 10..11), change(17..18, 17..18)];
        assert_eq!(ranges(&near, Some(3), 0), [(7..21, 7..21)]);
        let far = [change(10..11, 10..11), change(18..19, 18..19)];
        assert_eq!(ranges(&far, Some(3), 0), [(7..14, 7..14), (15..22, 15..22)]);
        assert_eq!(ranges(&far, Some(3), 1), [(7..22, 7..22)]);
    }

    #[test]
    fn the_largest_limits_do_not_wrap() {
        let all = [change(10..11, 10..11), change(90..91, 90..91)];
        assert_eq!(ranges(&all, Some(u32::MAX), u32::MAX), [(0..100, 0..100)]);
        assert_eq!(ranges(&all, None, 0), [(0..100, 0..100)]);
    }

    #[test]
    fn an_ignorable_change_alone_makes_no_hunk() {
        let mut lone = change(10..10, 10..11);
        lone.ignorable = true;
        assert_eq!(hunks(&[lone], 100, 101, Some(3), 0, &CancelToken::never()), Ok(vec![]));
    }
}
