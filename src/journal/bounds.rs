//! Decides which operations a journal keeps: the newest, within its limits of bytes and age.

use std::collections::HashSet;

use super::record::{Outcome, Record, lines_of};
use redline_base::budget::{Gather, GrowSet, filled};
use redline_base::limits;

/// The limits of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The bytes of contents and lines.
    pub bytes: u64,
    /// The time, in microseconds since 1970, before which operations are removed.
    pub since: i64,
}

/// The bytes for operations that were done, or for those that were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    /// With contents.
    pub all: u64,
    /// The lines alone.
    pub lines: u64,
}

impl Share {
    const NONE: Self = Self { all: 0, lines: 0 };

    /// Returns both together, or the most there can be: a log may state any size.
    const fn plus(self, more: Self) -> Self {
        Self {
            all: self.all.saturating_add(more.all),
            lines: self.lines.saturating_add(more.lines),
        }
    }
}

impl Bounds {
    /// Returns the share of the operations that were done or have begun.
    pub(super) const fn done(self) -> Share {
        let refused = self.refused();
        let lines = limits::JOURNAL_LINES_BYTES - refused.lines;
        Share { all: self.bytes - refused.all, lines }
    }

    /// Returns the share of those that were not done, of which no contents are kept.
    pub(super) const fn refused(self) -> Share {
        let part = limits::JOURNAL_REFUSED_PART;
        Share { all: self.bytes / part, lines: limits::JOURNAL_LINES_BYTES / part }
    }

    /// Tells of each operation whether it stays: those that were done and those that were not have
    /// shares of their own, and the newest that was done always stays. Unless the journal
    /// `is_idle`, what has begun stays until it ends. If a share is exceeded, a quarter more is
    /// removed, so that this is not done for each operation.
    pub(super) fn keep(self, records: &[&Record], is_idle: bool) -> Vec<bool> {
        let mut kept = filled(false, records.len());
        for (share, is_refused) in [(self.done(), false), (self.refused(), true)] {
            let mut known = HashSet::new();
            let sizes: Vec<(usize, Share)> = (0..records.len())
                .rev()
                .filter(|place| records[*place].outcome.is_refused() == is_refused)
                .map(|place| (place, size(records[place], &mut known)))
                .gather();
            let sum = sizes.iter().fold(Share::NONE, |sum, (_, size)| sum.plus(*size));
            let most = |held: u64, most: u64| if held > most { most - most / 4 } else { held };
            let most = Share { all: most(sum.all, share.all), lines: most(sum.lines, share.lines) };
            let (mut held, mut is_full) = (Share::NONE, false);
            for (number, (place, size)) in sizes.iter().enumerate() {
                let record = records[*place];
                held = held.plus(*size);
                is_full |= held.all > most.all || held.lines > most.lines;
                // By itself: where a clock was wrong, what stands before is not older.
                let is_old = record.at < self.since;
                let is_last = number == 0 && !is_refused;
                let is_in_flight = record.outcome == Outcome::Begun && !is_idle;
                kept[*place] = !(is_full || is_old) || is_last || is_in_flight;
            }
        }
        kept
    }
}

/// Returns the bytes of an operation, with the contents that no newer one has.
fn size<'r>(record: &'r Record, known: &mut HashSet<&'r str>) -> Share {
    let lines = lines_of(record).iter().map(|line| line.len() as u64 + 1).sum();
    let contents = named(record).filter(|(sha256, _)| known.put(sha256));
    Share { all: contents.map(|(_, bytes)| bytes).fold(lines, u64::saturating_add), lines }
}

/// Returns the contents that an operation needs to be taken back, by SHA-256 with their bytes: none
/// if it was not done.
pub(super) fn named(record: &Record) -> impl Iterator<Item = (&str, u64)> {
    let versions = record.versions().filter(|_| !record.outcome.is_refused());
    versions.map(|version| (version.sha256.as_str(), version.bytes))
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::record;
    use super::*;

    fn records(outcome: Outcome) -> Vec<Record> {
        let text = "x".repeat(1000);
        let each = (0..8).map(|at| Record {
            at,
            outcome,
            ..record(&at.to_string(), Some("a"), Some(&format!("{at}{text}")))
        });
        each.collect()
    }

    fn kept(bounds: Bounds, records: &[Record], is_idle: bool) -> Vec<i64> {
        let records: Vec<&Record> = records.iter().collect();
        let kept = bounds.keep(&records, is_idle);
        records.iter().zip(kept).filter(|(_, kept)| *kept).map(|(record, _)| record.at).collect()
    }

    #[test]
    fn the_oldest_go_until_the_rest_fits_and_is_young_enough() {
        let records = records(Outcome::Done);
        // The newest operation counts the content that all share.
        let one = size(&records[7], &mut HashSet::new()).all;
        for (share, since, first) in
            [(9, 0, 0), (9, 3, 3), (9, 100, 7), (4, 0, 5), (4, 6, 6), (0, 0, 7)]
        {
            let bytes = (one * share).div_ceil(7) * 8;
            let kept = kept(Bounds { bytes, since }, &records, true);
            assert_eq!(kept, (first..8).collect::<Vec<_>>(), "{share} {since}");
        }
        assert!(Bounds { bytes: 0, since: 9 }.keep(&[], true).is_empty());
    }

    #[test]
    fn sizes_and_times_that_a_log_states_do_not_overflow_or_take_others_along() {
        let mut records = records(Outcome::Done);
        records[3].at = i64::MIN;
        let bounds = Bounds { bytes: u64::MAX, since: 0 };
        assert_eq!(kept(bounds, &records, true), [0, 1, 2, 4, 5, 6, 7]);
        for (at, bytes) in [(1, u64::MAX), (2, 1 << 63), (4, 1 << 63)] {
            for change in &mut records[at].files {
                change.result.as_mut().expect("a result").bytes = bytes;
            }
        }
        assert_eq!(kept(Bounds { bytes: 1 << 30, since: 0 }, &records, true), [5, 6, 7]);
    }

    #[test]
    fn what_was_not_done_goes_from_a_share_of_its_own() {
        let (done, failed) = (records(Outcome::Done), records(Outcome::Failed));
        let (done, failed) = (done[..2].to_vec(), failed[2..].to_vec());
        let line = size(&failed[0], &mut HashSet::new());
        assert_eq!(line.all, line.lines);
        // Room for four lines of which none was done, and the others stay.
        let bounds = Bounds { bytes: line.lines * 4 * 8, since: 0 };
        assert_eq!(kept(bounds, &[done, failed].concat(), true), [0, 1, 5, 6, 7]);
    }

    #[test]
    fn what_has_begun_stays_until_it_ends() {
        let mut records = records(Outcome::Done);
        records[1].outcome = Outcome::Begun;
        let bounds = Bounds { bytes: 0, since: 100 };
        assert_eq!(kept(bounds, &records, false), [1, 7]);
        assert_eq!(kept(bounds, &records, true), [7]);
    }
}
