//! Sets of lines, and their places in the version before a change.
//!
//! git's behaviour at the edges of a range is known only from its output: lines touched by a change
//! are followed as a whole, also where the change extends beyond the range.

use std::ops::Range;

use redline_base::budget::{Gather, Grow, Ordered};
use redline_text::LineChange as Change;

/// Lines of a file, as sorted, disjoint ranges.
pub type LineRanges = Vec<Range<u32>>;

/// Returns the changes that touch lines of the new version: those that overlap them, and removals
/// inside them.
pub fn touched(lines: &LineRanges, changes: &[Change]) -> Vec<Change> {
    let mut found = Vec::new();
    let mut at = 0;
    for change in changes {
        while at < lines.len() && change.new.start > lines[at].end {
            at += 1;
        }
        let Some(range) = lines.get(at) else { break };
        if change.new.start < range.end && range.start < change.new.end {
            found.add(change.clone());
        }
    }
    found
}

/// Returns the places of lines of the new version in the old one; `touched` is the result of
/// [`touched`].
pub fn before(lines: &LineRanges, changes: &[Change], touched: &[Change]) -> LineRanges {
    let kept = shifted(&without(lines, touched), changes);
    union(&kept, &touched.iter().map(|change| change.old.clone()).gather())
}

/// Returns lines without those that changes added.
fn without(lines: &LineRanges, changes: &[Change]) -> LineRanges {
    let mut rest = LineRanges::new();
    let mut at = 0;
    for range in lines {
        let (mut start, end) = (range.start, range.end);
        while start < end {
            while at < changes.len() && start >= changes[at].new.end {
                at += 1;
            }
            let Some(change) = changes.get(at).filter(|change| end > change.new.start) else {
                rest.add(start..end);
                break;
            };
            if start < change.new.start {
                rest.add(start..change.new.start);
            }
            start = change.new.end;
        }
    }
    rest
}

/// Moves lines by the lines added and removed above them.
fn shifted(lines: &LineRanges, changes: &[Change]) -> LineRanges {
    let mut moved = LineRanges::new();
    let (mut at, mut offset) = (0, 0i64);
    for range in lines {
        while let Some(change) = changes.get(at).filter(|change| range.start >= change.new.start) {
            offset += change.old.len() as i64 - change.new.len() as i64;
            at += 1;
        }
        let by = |line: u32| u32::try_from(i64::from(line) + offset).unwrap_or(0);
        moved.add(by(range.start)..by(range.end));
    }
    moved
}

/// Returns the union of both sets; adjacent ranges are joined.
pub fn union(one: &LineRanges, other: &LineRanges) -> LineRanges {
    let mut all: Vec<&Range<u32>> =
        one.iter().chain(other).filter(|range| !range.is_empty()).gather();
    all.order_by_key(|range| (range.start, range.end));
    let mut joined = LineRanges::new();
    for range in all {
        match joined.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => joined.add(range.clone()),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(ranges: &[(u32, u32)]) -> LineRanges {
        ranges.iter().map(|&(start, end)| start..end).collect()
    }

    /// Returns the number of changes that touch lines, and their former places; a change is its old
    /// and its new range.
    fn followed(given: &[(u32, u32)], changes: &[[u32; 4]]) -> (usize, LineRanges) {
        let changes: Vec<Change> = changes
            .iter()
            .map(|&[old, old_end, new, new_end]| Change {
                old: old..old_end,
                new: new..new_end,
                ignorable: false,
            })
            .collect();
        let touched = touched(&lines(given), &changes);
        (touched.len(), before(&lines(given), &changes, &touched))
    }

    #[test]
    fn lines_move_with_what_is_above_them() {
        for (change, moved) in [
            ([0, 0, 0, 3], (7, 17)),
            ([0, 3, 0, 0], (13, 23)),
            ([30, 31, 30, 32], (10, 20)),
            // An addition directly above, and a removal directly below, are not part of the range.
            ([5, 5, 5, 10], (5, 15)),
            ([20, 25, 20, 20], (10, 20)),
        ] {
            assert_eq!(followed(&[(10, 20)], &[change]), (0, lines(&[moved])), "{change:?}");
        }
    }

    #[test]
    fn a_change_that_touches_lines_is_followed_whole() {
        for (change, followed_to) in
            [([8, 12, 8, 12], (8, 20)), ([15, 17, 15, 15], (10, 22)), ([12, 12, 12, 14], (10, 18))]
        {
            assert_eq!(followed(&[(10, 20)], &[change]), (1, lines(&[followed_to])), "{change:?}");
        }
        assert_eq!(followed(&[(0, 5)], &[[0, 0, 0, 5]]), (1, LineRanges::new()));
        // Two ranges that one change touches become one.
        assert_eq!(followed(&[(0, 5), (8, 12)], &[[3, 10, 3, 10]]).1, lines(&[(0, 12)]));
    }

    #[test]
    fn sets_are_joined_in_order() {
        let joined = union(&lines(&[(0, 2), (8, 9)]), &lines(&[(2, 3), (5, 6), (6, 6)]));
        assert_eq!(joined, lines(&[(0, 3), (5, 6), (8, 9)]));
        assert_eq!(union(&LineRanges::new(), &LineRanges::new()), LineRanges::new());
    }
}
