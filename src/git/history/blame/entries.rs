//! Runs of lines that are passed back through a history: split between a version and its parent.

use redline_base::budget::{Grow, Ordered};
use redline_text::LineChange;

/// A run of lines that is attributed to a version of a file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first line in the blamed text, from 0.
    pub line: u32,
    /// The number of lines.
    pub lines: u32,
    /// The first line in the version, from 0.
    pub source: u32,
}

impl Run {
    /// Returns the part of the run between two lines of its version.
    pub fn part(&self, from: u32, to: u32) -> Self {
        Self { line: self.line + (from - self.source), lines: to - from, source: from }
    }
}

/// Splits runs at the changes from a parent's version: returns the lines that the parent has too,
/// with its line numbers, and the lines that it lacks. Both are sorted by line.
pub fn divide(runs: &[Run], changes: &[LineChange]) -> (Vec<Run>, Vec<Run>) {
    let (mut same, mut differing) = (Vec::new(), Vec::new());
    for run in runs {
        let end = run.source + run.lines;
        let mut at = run.source;
        let mut next = changes.partition_point(|change| change.new.end <= at);
        // The offset of the parent's lines after the changes passed so far.
        let mut offset = next.checked_sub(1).map_or(0, |before| shift(&changes[before]));
        while at < end {
            match changes.get(next) {
                Some(change) if change.new.start <= at => {
                    let stop = change.new.end.min(end);
                    if stop > at {
                        differing.add(run.part(at, stop));
                        at = stop;
                    }
                    if change.new.end <= at {
                        offset = shift(change);
                        next += 1;
                    }
                }
                change => {
                    let stop = change.map_or(end, |change| change.new.start.min(end));
                    let part = run.part(at, stop);
                    let source = i64::from(part.source) + offset;
                    same.add(Run { source: u32::try_from(source).unwrap_or(0), ..part });
                    at = stop;
                }
            }
        }
    }
    same.order_by_key(|run| run.source);
    differing.order_by_key(|run| run.source);
    (same, differing)
}

/// Returns the offset of the parent's lines after a change.
fn shift(change: &LineChange) -> i64 {
    i64::from(change.old.end) - i64::from(change.new.end)
}

/// A part of a run that was found in a parent, with the rest before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The part before it, which was not found.
    pub before: Option<Run>,
    /// The found part, with the line numbers of the parent's file.
    pub found: Run,
    /// The part after it, which was not found.
    pub after: Option<Run>,
}

/// Returns the parts of a run that a file has too, as splits of the run; `changes` are those from
/// the file to the lines of the run.
pub fn splits(run: &Run, changes: &[LineChange]) -> Vec<Split> {
    let mut found = Vec::new();
    let (mut theirs, mut ours) = (0, 0);
    let ends = changes.iter().map(|change| change.new.start).chain([run.lines]);
    let nexts = changes.iter().map(|change| (change.old.end, change.new.end)).chain([(0, 0)]);
    for (end, next) in ends.zip(nexts) {
        if ours < end {
            let (from, to) = (run.source + ours, run.source + end);
            let all = run.source + run.lines;
            let part = run.part(from, to);
            found.add(Split {
                before: (ours > 0).then(|| run.part(run.source, from)),
                found: Run { source: theirs, ..part },
                after: (to < all).then(|| run.part(to, all)),
            });
        }
        (theirs, ours) = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn change(old: Range<u32>, new: Range<u32>) -> LineChange {
        LineChange { old, new, ignorable: false }
    }

    fn run(line: u32, lines: u32, source: u32) -> Run {
        Run { line, lines, source }
    }

    #[test]
    fn a_run_is_divided_at_every_change() {
        let changes = [change(0..1, 0..0), change(3..3, 2..4), change(8..10, 9..10)];
        let (same, differing) = divide(&[run(100, 12, 0)], &changes);
        assert_eq!(same, [run(100, 2, 1), run(104, 5, 3), run(110, 2, 10)]);
        assert_eq!(differing, [run(102, 2, 2), run(109, 1, 9)]);
        let (same, differing) = divide(&[run(0, 2, 3), run(2, 1, 9)], &changes);
        assert_eq!(same, [run(1, 1, 3)]);
        assert_eq!(differing, [run(0, 1, 3), run(2, 1, 9)]);
        assert_eq!(divide(&[run(5, 3, 7)], &[]), (vec![run(5, 3, 7)], vec![]));
    }

    #[test]
    fn no_line_is_lost_or_made() {
        let changes = [change(0..2, 0..3), change(5..5, 6..7), change(9..12, 11..11)];
        for start in 0..14 {
            for lines in 1..14 {
                let (same, differing) = divide(&[run(start, lines, start)], &changes);
                let mut seen: Vec<u32> = same
                    .iter()
                    .chain(&differing)
                    .flat_map(|run| run.line..run.line + run.lines)
                    .collect();
                seen.sort_unstable();
                assert_eq!(seen, (start..start + lines).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_another_file_has_too_splits_a_run() {
        let found = splits(&run(10, 6, 20), &[change(0..4, 0..1), change(6..6, 3..4)]);
        assert_eq!(
            found,
            [
                Split {
                    before: Some(run(10, 1, 20)),
                    found: run(11, 2, 4),
                    after: Some(run(13, 3, 23))
                },
                Split { before: Some(run(10, 4, 20)), found: run(14, 2, 6), after: None },
            ]
        );
        assert_eq!(splits(&run(0, 2, 0), &[change(0..5, 0..2)]), []);
    }
}
