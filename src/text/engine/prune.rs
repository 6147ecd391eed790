//! Leaves out of the search the lines that cannot, or hardly can, be matched.
//!
//! A line that the other side does not have is a change, whatever the search would find. git also takes a line that
//! the other side has very often for a change when it stands among lines that the other side does not have: it would
//! only tie unrelated text together.

use crate::budget::reserve;
use crate::text::cancel_token::{PacedToken, QUANTUM, Stopped};

/// A line is frequent when the other side has it about as often as the square root of the line count, or this often.
const MAX_FREQUENT: u32 = 1024;
/// How many lines up, and how many down, the neighbourhood of a frequent line reaches at most.
const WINDOW: usize = 100;
/// A frequent line is noise when fewer than one in this many lines around it is frequent too.
const NOISE: usize = 4;

/// Returns a power of two between the square root of `n` and twice it.
pub(super) const fn root_above(n: usize) -> u32 {
    1 << (usize::BITS - n.leading_zeros()).div_ceil(2)
}

/// What the other side says of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Missing,
    Rare,
    Frequent,
}

/// The lines of one side that take part in the search.
#[derive(Debug, Default)]
pub(super) struct RetainedLines {
    /// Their classes.
    pub(super) ids: Vec<u32>,
    /// Where each stands among the lines that were looked at.
    pub(super) at: Vec<u32>,
    standing: Vec<Standing>,
    /// How many missing lines stand before each line.
    missing: Vec<u32>,
}

/// Bytes that are kept of a line.
pub(super) const LINE_BYTES: usize = size_of::<Standing>() + 3 * size_of::<u32>();

impl RetainedLines {
    /// Keeps those of `ids` that deserve a search and marks the others in `changed`.
    ///
    /// `matches` says how often the other side has a class, `lines` how many lines this side has in all.
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
        // The run of lines that are not rare around the current one.
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

    /// Returns the run that holds `at`; it begins at `from` or later.
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

    /// Returns whether missing lines stand on both sides of the frequent line `at` and prevail over frequent ones.
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
