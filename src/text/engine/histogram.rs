//! Matches the runs of lines that are rarest on the old side first.
//!
//! Histogram diff is Shawn Pearce's extension of patience diff, described in the documentation of
//! JGit's class `HistogramDiff`: of all common runs of lines, the one whose rarest line occurs
//! least often on the old side is matched, a longer one before a shorter, and the stretches above
//! and below are treated likewise. A stretch whose common lines are all frequent is left to the
//! classic search.

use super::classic::{Classic, Pair, Stretch};
use crate::cancel_token::{CancelToken, PacedToken, Stopped, refill};
use redline_base::budget::{Grow, GrowBy};

/// A line that occurs more often than this on the old side is not used as an anchor.
const MAX_OFTEN: u32 = 64;
/// Matches in a row after which it is worth computing bounds on the length of the next.
const MANY_MATCHES: usize = 32;
const NONE: u32 = u32::MAX;

/// Buffers that are reused from one diff to the next.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    stretches: Vec<Stretch>,
    /// For each distinct line, its number of occurrences in the old stretch, and the first.
    lines: Vec<Occurrences>,
    /// For each line of the old stretch, the next equal one.
    next: Vec<u32>,
    /// For each line of the new side, an upper bound of a common run through it; empty until
    /// computed.
    through: Vec<u32>,
    /// For each line of the new stretch, the maximum of these bounds from there on; empty until
    /// computed.
    longest: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Occurrences {
    count: u32,
    first: u32,
}

/// A common run of lines.
#[derive(Debug)]
struct Match {
    old: usize,
    new: usize,
    len: usize,
}

enum Anchor {
    Match(Match),
    /// The sides have lines in common, but all are frequent.
    OnlyFrequent,
    Nothing,
}

impl Histogram {
    /// Marks the changes of the whole pair.
    pub(super) fn run(
        &mut self,
        pair: &mut Pair<'_>,
        classes: usize,
        classic: &mut Classic,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let _charge = cancel.charge(
            classes * size_of::<Occurrences>()
                + (pair.ids[0].len() + pair.ids[1].len()) * size_of::<u32>(),
        )?;
        refill(&mut self.lines, classes, Occurrences { count: 0, first: NONE })?;
        refill(&mut self.next, pair.ids[0].len(), NONE)?;
        self.through.clear();
        self.stretches.clear();
        self.stretches.add(Stretch { old: 0..pair.ids[0].len(), new: 0..pair.ids[1].len() });
        let mut pace = cancel.pace();
        let mut matches = 0;
        while let Some(mut stretch) = self.stretches.pop() {
            self.index(pair, &stretch, &mut pace)?;
            self.bound(&stretch, &mut pace)?;
            // The stretch above a match is put on the stack; the one below it is next, with the
            // same index less the passed lines.
            while !stretch.old.is_empty() && !stretch.new.is_empty() {
                if matches == MANY_MATCHES {
                    self.learn(pair, &mut pace)?;
                    self.bound(&stretch, &mut pace)?;
                }
                matches += 1;
                match self.find(pair, &stretch, &mut pace)? {
                    Anchor::Match(found) => {
                        let above = Stretch {
                            old: stretch.old.start..found.old,
                            new: stretch.new.start..found.new,
                        };
                        let below = found.old + found.len;
                        self.forget(pair, stretch.old.start..below, &mut pace)?;
                        stretch.old.start = below;
                        stretch.new.start = found.new + found.len;
                        if above.old.is_empty() || above.new.is_empty() {
                            pair.mark(above);
                        } else {
                            self.stretches.add(above);
                        }
                    }
                    Anchor::OnlyFrequent => {
                        classic.run_alone(pair, stretch.clone(), classes, cancel)?;
                        self.forget(pair, stretch.old.clone(), &mut pace)?;
                        stretch.old.start = stretch.old.end;
                        stretch.new.start = stretch.new.end;
                    }
                    Anchor::Nothing => break,
                }
            }
            self.forget(pair, stretch.old.clone(), &mut pace)?;
            pair.mark(stretch);
        }
        Ok(())
    }

    fn index(
        &mut self,
        pair: &Pair<'_>,
        stretch: &Stretch,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        for line in stretch.old.clone().rev() {
            let known = &mut self.lines[pair.ids[0][line] as usize];
            self.next[line] = known.first;
            known.first = line as u32;
            known.count += 1;
            pace.spend(1)?;
        }
        Ok(())
    }

    /// Removes lines from the start of the index.
    fn forget(
        &mut self,
        pair: &Pair<'_>,
        old: std::ops::Range<usize>,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        for line in old {
            let known = &mut self.lines[pair.ids[0][line] as usize];
            known.first = self.next[line];
            known.count -= 1;
            pace.spend(1)?;
        }
        Ok(())
    }

    fn find(
        &self,
        pair: &Pair<'_>,
        stretch: &Stretch,
        pace: &mut PacedToken<'_>,
    ) -> Result<Anchor, Stopped> {
        let mut best = Match { old: 0, new: 0, len: 1 };
        let mut least = MAX_OFTEN + 1;
        let mut common = false;
        let mut line = stretch.new.start;
        // The bounds, if any, are those of the stretch before its first match; it has the same end
        // as this one.
        let from = stretch.new.end - self.longest.len().min(stretch.new.end);
        while line < stretch.new.end {
            if least == 1
                && self
                    .longest
                    .get(line.wrapping_sub(from))
                    .is_some_and(|&longest| longest as usize <= best.len)
            {
                break;
            }
            let mut after = line + 1;
            let known = self.lines[pair.ids[1][line] as usize];
            common |= known.count > 0;
            if known.count > 0 && known.count <= least {
                let mut place = known.first as usize;
                while place < stretch.old.end {
                    let (found, often) = self.grow(pair, stretch, place, line);
                    pace.spend(found.len)?;
                    let old_end = found.old + found.len;
                    after = after.max(found.new + found.len);
                    if found.len > best.len || often < least {
                        best = found;
                        least = often;
                    }
                    place = self.next[place] as usize;
                    while place < old_end {
                        place = self.next[place] as usize;
                    }
                }
            }
            pace.spend(1)?;
            line = after;
        }
        Ok(if least <= MAX_OFTEN {
            Anchor::Match(best)
        } else if common {
            Anchor::OnlyFrequent
        } else {
            Anchor::Nothing
        })
    }

    /// Returns the maximal run around two equal lines, and the count of its rarest line.
    fn grow(&self, pair: &Pair<'_>, stretch: &Stretch, old: usize, new: usize) -> (Match, u32) {
        let count = |line: usize| self.lines[pair.ids[0][line] as usize].count;
        let mut rarest = count(old);
        let above = (1..=(old - stretch.old.start).min(new - stretch.new.start))
            .take_while(|&up| pair.equal(old - up, new - up))
            .inspect(|&up| rarest = rarest.min(count(old - up)))
            .count();
        let below = (1..(stretch.old.end - old).min(stretch.new.end - new))
            .take_while(|&down| pair.equal(old + down, new + down))
            .inspect(|&down| rarest = rarest.min(count(old + down)))
            .count();
        let found = Match { old: old - above, new: new - above, len: above + 1 + below };
        (found, rarest)
    }

    /// Bounds the length of the common runs through each new line by the runs of line pairs that
    /// the old side has too. Without it, texts with many short matches would take quadratic time.
    fn learn(&mut self, pair: &Pair<'_>, pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        let joined = |two: &[u32]| u64::from(two[0]) << 32 | u64::from(two[1]);
        let _charge = pace.cancel().charge(4 * size_of::<u64>() * pair.ids[0].len())?;
        let mut known = Pairs::with_room(pair.ids[0].len())?;
        for two in pair.ids[0].windows(2) {
            known.note(joined(two));
            pace.spend(1)?;
        }
        let new = pair.ids[1];
        refill(&mut self.through, new.len(), 1)?;
        let mut from_here = 1;
        for (line, two) in new.windows(2).enumerate().rev() {
            from_here = if known.contains(joined(two)) { from_here + 1 } else { 1 };
            self.through[line] = from_here;
            pace.spend(1)?;
        }
        // A run that began above continues here, so each line gets the whole length of its run.
        let mut above = 1;
        for line in 1..new.len() {
            let own = self.through[line];
            if above > 1 {
                self.through[line] = self.through[line - 1];
            }
            above = own;
            pace.spend(1)?;
        }
        Ok(())
    }

    /// Computes, for each new line of a stretch, the maximum of the bounds from there on.
    fn bound(&mut self, stretch: &Stretch, pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        self.longest.clear();
        let Some(through) = self.through.get(stretch.new.clone()) else {
            return Ok(());
        };
        self.longest.add_slice(through);
        let mut longest = 0;
        for bound in self.longest.iter_mut().rev() {
            longest = longest.max(*bound);
            *bound = longest;
            pace.spend(1)?;
        }
        Ok(())
    }
}

/// A set of pairs of line numbers, with open addressing; 0 is a free slot.
struct Pairs {
    slots: Vec<u64>,
}

impl Pairs {
    fn with_room(pairs: usize) -> Result<Self, Stopped> {
        let room = (pairs * 2).next_power_of_two().max(16);
        let mut slots = Vec::new();
        refill(&mut slots, room, 0)?;
        Ok(Self { slots })
    }

    fn note(&mut self, pair: u64) {
        let slot = self.find(pair);
        self.slots[slot] = pair + 1;
    }

    fn contains(&self, pair: u64) -> bool {
        self.slots[self.find(pair)] != 0
    }

    /// Returns the slot of `pair`, or the free one where it belongs.
    fn find(&self, pair: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (pair ^ pair >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed ^ mixed >> 32) as usize & mask;
        while self.slots[at] != 0 && self.slots[at] != pair + 1 {
            at = (at + 1) & mask;
        }
        at
    }
}
