//! Overlays the changes of both sides: changes of one side are taken, overlapping ones are a
//! conflict.

use std::ops::Range;

use super::{Kind, Level, Merge, Region, slice};
use crate::cancel_token::{CancelToken, Stopped};
use crate::engine::Change;
use redline_base::budget::Charge;

/// A change from the base to one side, in signed 64-bit numbers.
#[derive(Clone)]
struct SideChange {
    base: Range<i64>,
    side: Range<i64>,
}

impl SideChange {
    fn of(change: &Change) -> Self {
        let wide = |range: &Range<u32>| i64::from(range.start)..i64::from(range.end);
        Self { base: wide(&change.old), side: wide(&change.new) }
    }

    /// Returns the offset from base to side of the unchanged lines before this change.
    fn shift(&self) -> i64 {
        self.side.start - self.base.start
    }

    /// Returns the side's lines for a range of the base that contains this change.
    fn spread(&self, base: &Range<i64>) -> Range<i64> {
        self.side.start - (self.base.start - base.start)..self.side.end + (base.end - self.base.end)
    }

    /// Returns the region of a change of ours alone; `shift` is the offset of its lines in theirs.
    fn of_ours(self, shift: i64) -> Region {
        let theirs = self.base.start + shift..self.base.end + shift;
        Region { kind: Kind::Ours, base: self.base, ours: self.side, theirs }
    }

    /// Returns the region of a change of theirs alone; `shift` is the offset of its lines in ours.
    fn of_theirs(self, shift: i64) -> Region {
        let ours = self.base.start + shift..self.base.end + shift;
        Region { kind: Kind::Theirs, base: self.base, ours, theirs: self.side }
    }
}

impl Merge<'_> {
    /// Returns the regions of the sides' changes `ours` and `theirs`.
    pub(super) fn overlay(
        &self,
        ours: &[Change],
        theirs: &[Change],
        level: Level,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Region>, Stopped> {
        let mut pace = cancel.pace();
        let mut regions = Regions::default();
        let (mut ours, mut theirs) = (ours, theirs);
        while let (Some(our), Some(their)) = (ours.first(), theirs.first()) {
            pace.spend(1)?;
            let (our, their) = (SideChange::of(our), SideChange::of(their));
            if our.base.end < their.base.start {
                regions.add(our.of_ours(their.shift()), cancel)?;
                ours = &ours[1..];
                continue;
            }
            if their.base.end < our.base.start {
                regions.add(their.of_theirs(our.shift()), cancel)?;
                theirs = &theirs[1..];
                continue;
            }
            if level == Level::Minimal || !self.is_same(&our, &their) {
                let base = our.base.start.min(their.base.start)..our.base.end.max(their.base.end);
                let (ours, theirs) = (our.spread(&base), their.spread(&base));
                regions.add(Region { kind: Kind::Conflict, base, ours, theirs }, cancel)?;
            }
            let (our_end, their_end) = (our.base.end, their.base.end);
            if our_end >= their_end {
                theirs = &theirs[1..];
            }
            if their_end >= our_end {
                ours = &ours[1..];
            }
        }
        let longer = |side: usize| side as i64 - self.base.len() as i64;
        for our in ours {
            regions.add(SideChange::of(our).of_ours(longer(self.theirs.len())), cancel)?;
            pace.spend(1)?;
        }
        for their in theirs {
            regions.add(SideChange::of(their).of_theirs(longer(self.ours.len())), cancel)?;
            pace.spend(1)?;
        }
        Ok(regions.all)
    }

    /// Tells whether both sides changed the same lines to the same content.
    fn is_same(&self, our: &SideChange, their: &SideChange) -> bool {
        our.base == their.base && slice(&self.ours, &our.side) == slice(&self.theirs, &their.side)
    }
}

/// The regions so far.
#[derive(Default)]
struct Regions {
    all: Vec<Region>,
    charge: Charge,
}

impl Regions {
    /// Appends a region, or joins it with the last one if they touch on either side.
    fn add(&mut self, region: Region, cancel: &CancelToken<'_>) -> Result<(), Stopped> {
        if let Some(last) = self.all.last_mut()
            && (region.ours.start <= last.ours.end || region.theirs.start <= last.theirs.end)
        {
            if region.kind != last.kind {
                last.kind = Kind::Conflict;
            }
            last.extend_to(&region);
            return Ok(());
        }
        cancel.room(&mut self.charge, &mut self.all, 1)?;
        self.all.push(region);
        Ok(())
    }
}
