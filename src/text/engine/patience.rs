//! Matches the lines that occur once on each side first.
//!
//! Patience diff is Bram Cohen's (2003; see <https://bramcohen.livejournal.com/73318.html>): of the
//! lines that are unique on both sides, the longest sequence in the same order is matched, by
//! patience sorting (C. L. Mallows 1963; the number of piles is the length of the longest rising
//! sequence). The stretches between are treated likewise; one with common lines but no unique ones
//! is left to the classic search.

use super::classic::{Classic, Pair, Stretch};
use crate::cancel_token::{CancelToken, PacedToken, Stopped, refill};
use redline_base::budget::Grow;

/// The mark of a line that occurs more than once.
const MANY: u32 = u32::MAX;

/// Buffers that are reused from one diff to the next.
#[derive(Debug, Default)]
pub(super) struct Patience {
    stretches: Vec<Stretch>,
    /// For each distinct line, its indices on both sides plus one; 0 for none, or [`MANY`].
    places: Vec<[u32; 2]>,
    /// The candidates, each with the index of its predecessor in a longest sequence.
    anchors: Vec<Anchor>,
    /// The last anchor of the best sequence of each length: its new line and its index.
    piles: Vec<(u32, u32)>,
    chain: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Anchor {
    old: u32,
    new: u32,
    before: u32,
}

impl Patience {
    /// Marks the changes of the whole pair.
    pub(super) fn run(
        &mut self,
        pair: &mut Pair<'_>,
        classes: usize,
        classic: &mut Classic,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let _charge = cancel.charge(classes * size_of::<[u32; 2]>())?;
        refill(&mut self.places, classes, [0; 2])?;
        self.stretches.clear();
        self.stretches.add(Stretch { old: 0..pair.ids[0].len(), new: 0..pair.ids[1].len() });
        let mut pace = cancel.pace();
        while let Some(stretch) = self.stretches.pop() {
            pace.spend(1)?;
            let is_one_sided = stretch.old.is_empty() || stretch.new.is_empty();
            if is_one_sided || !self.find_anchors(pair, &stretch, &mut pace)? {
                pair.mark(stretch);
            } else if self.anchors.is_empty() {
                classic.run_alone(pair, stretch, classes, cancel)?;
            } else {
                self.find_chain(&mut pace)?;
                self.split(pair, &stretch, &mut pace)?;
            }
        }
        Ok(())
    }

    /// Collects the lines that are unique on both sides, in the old side's order, and returns
    /// whether the sides have any line in common.
    fn find_anchors(
        &mut self,
        pair: &Pair<'_>,
        stretch: &Stretch,
        pace: &mut PacedToken<'_>,
    ) -> Result<bool, Stopped> {
        let (old, new) = (&pair.ids[0][stretch.old.clone()], &pair.ids[1][stretch.new.clone()]);
        for (&id, place) in old.iter().zip(1..) {
            let known = &mut self.places[id as usize][0];
            *known = if *known == 0 { place } else { MANY };
            pace.spend(1)?;
        }
        let mut common = false;
        for (&id, place) in new.iter().zip(1..) {
            let [in_old, known] = &mut self.places[id as usize];
            common |= *in_old != 0;
            *known = if *known == 0 { place } else { MANY };
            pace.spend(1)?;
        }
        self.anchors.clear();
        for &id in old {
            let [old, new] = self.places[id as usize];
            if old != MANY && new != MANY && new != 0 {
                let before = MANY;
                self.anchors.add(Anchor { old: old - 1, new: new - 1, before });
            }
            pace.spend(1)?;
        }
        for &id in old.iter().chain(new) {
            self.places[id as usize] = [0; 2];
            pace.spend(1)?;
        }
        Ok(common)
    }

    /// Finds the longest sequence of anchors that is in order on both sides.
    fn find_chain(&mut self, pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        self.piles.clear();
        for index in 0..self.anchors.len() {
            let new = self.anchors[index].new;
            let pile = self.piles.partition_point(|&(top, _)| top < new);
            if pile > 0 {
                self.anchors[index].before = self.piles[pile - 1].1;
            }
            match self.piles.get_mut(pile) {
                Some(top) => *top = (new, index as u32),
                None => self.piles.add((new, index as u32)),
            }
            pace.spend(4)?;
        }
        self.chain.clear();
        let mut next = self.piles.last().map(|&(_, index)| index);
        while let Some(anchor) = next.and_then(|index| self.anchors.get(index as usize)) {
            self.chain.add((anchor.old as usize, anchor.new as usize));
            next = Some(anchor.before);
            pace.spend(1)?;
        }
        self.chain.reverse();
        Ok(())
    }

    /// Puts the stretches between the anchors on the stack, without equal lines next to the
    /// anchors.
    fn split(
        &mut self,
        pair: &Pair<'_>,
        stretch: &Stretch,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        let (mut old, mut new) = (stretch.old.start, stretch.new.start);
        for &(anchor_old, anchor_new) in &self.chain {
            let (to_old, to_new) = (stretch.old.start + anchor_old, stretch.new.start + anchor_new);
            let (mut old_end, mut new_end) = (to_old, to_new);
            while old_end > old && new_end > new && pair.equal(old_end - 1, new_end - 1) {
                old_end -= 1;
                new_end -= 1;
                pace.spend(1)?;
            }
            self.stretches.add_all(rest_between(pair, old..old_end, new..new_end, pace)?);
            (old, new) = (to_old + 1, to_new + 1);
            pace.spend(1)?;
        }
        self.stretches.add_all(rest_between(
            pair,
            old..stretch.old.end,
            new..stretch.new.end,
            pace,
        )?);
        Ok(())
    }
}

/// Removes equal lines from the start of a stretch; returns the rest, or `None` if it is empty.
fn rest_between(
    pair: &Pair<'_>,
    mut old: std::ops::Range<usize>,
    mut new: std::ops::Range<usize>,
    pace: &mut PacedToken<'_>,
) -> Result<Option<Stretch>, Stopped> {
    while !old.is_empty() && !new.is_empty() && pair.equal(old.start, new.start) {
        old.start += 1;
        new.start += 1;
        pace.spend(1)?;
    }
    Ok((!old.is_empty() || !new.is_empty()).then_some(Stretch { old, new }))
}
