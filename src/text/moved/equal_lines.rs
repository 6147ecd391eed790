//! The lines of a diff by their text and their side.

use redline_base::budget::Charge;

use super::item::DiffItem;
use crate::LineKind;
use crate::cancel_token::{CancelToken, Stopped};

/// No item.
const NONE: u32 = u32::MAX;

/// The items with each text on either side.
#[derive(Debug)]
pub struct EqualLines {
    /// Those with each text: removed, added.
    sides: [Vec<Items>; 2],
    /// The previous item with the same text and sign.
    before: Vec<u32>,
    _charge: Charge,
}

/// The items with a text on one side.
#[derive(Debug, Clone, Copy)]
struct Items {
    first: u32,
    last: u32,
    count: u32,
}

impl EqualLines {
    /// Finds the items with each of `texts` texts.
    ///
    /// # Errors
    /// [`Stopped`] when `cancel` requests it or memory is short.
    pub fn new(
        items: &[DiffItem],
        texts: usize,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, Stopped> {
        let mut charge = Charge::free();
        let mut sides = [Vec::new(), Vec::new()];
        for side in &mut sides {
            cancel.room(&mut charge, side, texts)?;
            side.resize(texts, Items { first: NONE, last: NONE, count: 0 });
        }
        let mut before = Vec::new();
        cancel.room(&mut charge, &mut before, items.len())?;
        let mut pace = cancel.pace();
        for (at, item) in (0..).zip(items) {
            pace.spend(1)?;
            let Some(side) = side_of(item.kind) else {
                before.push(NONE);
                continue;
            };
            let found = &mut sides[side][item.text as usize];
            before.push(found.last);
            if found.count == 0 {
                found.first = at;
            }
            found.last = at;
            found.count += 1;
        }
        Ok(Self { sides, before, _charge: charge })
    }

    /// Returns the number of pairs of a removed and an added line with the same text: the steps of
    /// [`mark`](super::mark) grow with it.
    pub fn pairs(&self) -> u64 {
        let [removed, added] = &self.sides;
        let pairs = removed.iter().zip(added);
        pairs.map(|(removed, added)| u64::from(removed.count) * u64::from(added.count)).sum()
    }

    /// Returns the items with the same text on the other side, the last first; `None` if there are
    /// none.
    pub(super) fn others(&self, item: &DiffItem) -> Option<impl Iterator<Item = u32>> {
        let last = self.opposite(item).map(|items| items.last)?;
        Some(std::iter::successors(Some(last), |&at| {
            Some(self.before[at as usize]).filter(|&before| before != NONE)
        }))
    }

    /// Returns the first of them, and their number.
    pub(super) fn first_of_others(&self, item: &DiffItem) -> (u32, u32) {
        self.opposite(item).map_or((0, 0), |items| (items.first, items.count))
    }

    fn opposite(&self, item: &DiffItem) -> Option<Items> {
        let side = side_of(item.kind)?;
        Some(self.sides[1 - side][item.text as usize]).filter(|items| items.count > 0)
    }
}

fn side_of(kind: LineKind) -> Option<usize> {
    match kind {
        LineKind::Removed => Some(0),
        LineKind::Added => Some(1),
        LineKind::Context => None,
    }
}
