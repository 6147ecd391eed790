//! Removes lines from the search that cannot, or hardly can, be matched.
//!
//! A line that the other side lacks is a change in any case. git also treats a line as a change if
//! it is very frequent on the other side and is among lines that the other side lacks: matching it
//! would only tie unrelated text together.

use crate::cancel_token::{PacedToken, QUANTUM, Stopped};
use redline_base::budget::reserve;

/// A line is frequent if the other side has it about as often as the square root of the line count,
/// or this often.
const MAX_FREQUENT: u32 = 1024;
/// Lines above and below a frequent line that count as its neighbourhood.
const WINDOW: usize = 100;
/// A frequent line is noise if fewer than one in this many lines around it is frequent too.
const NOISE: usize = 4;

/// Returns a power of two between the square root of `n` and twice it.
pub(super) const fn root_above(n: usize) -> u32 {
    1 << (usize::BITS - n.leading_zeros()).div_ceil(2)
}

/// How often the other side has a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Missing,
    Rare,
    Frequent,
}

/// The lines of one side that are searched.
#[derive(Debug, Default)]
pub(super) struct RetainedLines {
    /// Their class numbers.
    pub(super) ids: Vec<u32>,
    /// Their indices among all lines.
    pub(super) at: Vec<u32>,
    standing: Vec<Standing>,
    /// The number of missing lines before each line.
    missing: Vec<u32>,
}

/// Bytes that are held for each line.
pub(super) const LINE_BYTES: usize = size_of::<Standing>() + 3 * size_of::<u32>();

impl RetainedLines {
    /// Keeps those of `ids` that are worth a search and marks the others in `changed`.
    ///
    /// `matches` returns how often the other side has a class; `lines` is the number of lines of
    /// this side.
    pub(super) fn choose(
        &mut self,
        ids: &[u32],
        lines: usize,
        matches: impl Fn(u32) -> u32,
        changed: &mut [bool],
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        self.assess(ids, lines, matches, pace)?;
        self.ids.clear();
        self.at.clear();
        reserve(&mut self.ids, ids.len())?;
        reserve(&mut self.at, ids.len())?;
        // The run of lines around the current one that are not rare.
        let mut run = 0..0;
        for (at, &id) in ids.iter().enumerate() {
            if at % QUANTUM == 0 {
                pace.spend(QUANTUM)?;
            }
            let keep = match self.standing[at] {
                Standing::Missing => false,
                Standing::Rare => true,
                Standing::Frequent => {
                    if run.end <= at {
                        run = self.run_around(at, run.end);
                    }
                    !self.is_noise(at, &run)
                }
            };
            if keep {
                self.ids.push(id);
                self.at.push(at as u32);
            } else {
                changed[at] = true;
            }
        }
        Ok(())
    }

    fn assess(
        &mut self,
        ids: &[u32],
        lines: usize,
        matches: impl Fn(u32) -> u32,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        let frequent = root_above(lines).min(MAX_FREQUENT);
        self.standing.clear();
        self.missing.clear();
        reserve(&mut self.standing, ids.len())?;
        reserve(&mut self.missing, ids.len() + 1)?;
        let mut missing = 0;
        self.missing.push(0);
        for part in ids.chunks(QUANTUM) {
            pace.spend(part.len())?;
            for &id in part {
                let standing = match matches(id) {
                    0 => Standing::Missing,
                    count if count >= frequent => Standing::Frequent,
                    _ => Standing::Rare,
                };
                missing += u32::from(standing == Standing::Missing);
                self.standing.push(standing);
                self.missing.push(missing);
            }
        }
        Ok(())
    }

    /// Returns the run around `at`; it begins at `from` or later.
    fn run_around(&self, at: usize, from: usize) -> std::ops::Range<usize> {
        let rare = |standing: &Standing| *standing == Standing::Rare;
        let start =
            self.standing[from..at].iter().rposition(rare).map_or(from, |place| from + place + 1);
        let end = self.standing[at..]
            .iter()
            .position(rare)
            .map_or(self.standing.len(), |place| at + place);
        start..end
    }

    /// Tells whether the frequent line `at` has missing lines on both sides, and they outnumber
    /// frequent ones.
    fn is_noise(&self, at: usize, run: &std::ops::Range<usize>) -> bool {
        let above = run.start.max(at.saturating_sub(WINDOW));
        let below = run.end.min(at + 1 + WINDOW);
        let missing_above = self.missing[at] - self.missing[above];
        let missing_below = self.missing[below] - self.missing[at + 1];
        if missing_above == 0 || missing_below == 0 {
            return false;
        }
        let missing = (missing_above + missing_below) as usize;
        // The line itself counts twice, once for each direction.
        let frequent = below - above + 1 - missing;
        frequent * NOISE < frequent + missing
    }
}
