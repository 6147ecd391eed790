//! Decides which operations a journal keeps: the newest, within its limits of bytes and age.

use std::collections::HashSet;

use super::record::{Record, line_of};
use redline_base::budget::{Grow, GrowSet};
use redline_base::limits;

/// The limits of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The bytes of contents and lines.
    pub bytes: u64,
    /// The time, in microseconds since 1970, before which operations are removed.
    pub since: i64,
}

impl Bounds {
    /// Returns how many of the oldest operations to remove; the last always stays. If the bytes are
    /// exceeded, a quarter more is removed, so that this is not done for each operation.
    pub fn surplus(&self, records: &[&Record]) -> usize {
        let sizes = sizes(records);
        let mut left = Size {
            all: sizes.iter().map(|size| size.all).sum(),
            line: sizes.iter().map(|size| size.line).sum(),
        };
        let most = |left: u64, most: u64| if left > most { most - most / 4 } else { left };
        let (bytes, lines) =
            (most(left.all, self.bytes), most(left.line, limits::JOURNAL_LINES_BYTES));
        let mut surplus = 0;
        for (record, size) in records.iter().zip(&sizes) {
            if left.all <= bytes && left.line <= lines && record.at >= self.since {
                break;
            }
            left = Size { all: left.all - size.all, line: left.line - size.line };
            surplus += 1;
        }
        surplus.min(records.len().saturating_sub(1))
    }
}

/// The bytes that are freed with an operation.
struct Size {
    /// With the contents that no newer operation uses.
    all: u64,
    line: u64,
}

fn sizes(records: &[&Record]) -> Vec<Size> {
    let mut known = HashSet::new();
    let mut sizes = Vec::new();
    for record in records.iter().rev() {
        let contents = record.versions().filter(|version| known.put(version.sha256.as_str()));
        let line = line_of(record).len() as u64;
        sizes.add(Size { all: line + contents.map(|version| version.bytes).sum::<u64>(), line });
    }
    sizes.reverse();
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::reading::tests::record;
    use super::*;

    #[test]
    fn the_oldest_go_until_the_rest_fits_and_is_young_enough() {
        let text = "x".repeat(1000);
        let records: Vec<Record> = (0..8)
            .map(|at| Record {
                at,
                ..record(&at.to_string(), Some("a"), Some(&format!("{at}{text}")))
            })
            .collect();
        let records: Vec<&Record> = records.iter().collect();
        // The newest operation counts the content that all share.
        let one = sizes(&records)[7].all;
        for (bytes, since, surplus) in [
            (one * 9, 0, 0),
            (one * 9, 3, 3),
            (one * 9, 100, 7),
            (one * 4, 0, 5),
            (one * 4, 6, 6),
            (0, 0, 7),
        ] {
            assert_eq!(Bounds { bytes, since }.surplus(&records), surplus, "{bytes} {since}");
        }
        assert_eq!(Bounds { bytes: 0, since: 9 }.surplus(&[]), 0);
    }
}
