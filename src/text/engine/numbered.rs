//! Compares texts whose lines have numbers: of many texts, each with each other, the lines are
//! numbered once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::classic::{Classic, Pair, Stretch};
use super::compact::{Content, compact};
use super::{Change, pair_up, runs_of};
use crate::cancel_token::{CancelToken, PacedToken, Stopped};
use crate::lines::{Lines, View};
use redline_base::budget::{Charge, Grow, reserve};

/// Gives the lines of several texts numbers: equal lines have equal ones.
#[derive(Debug, Default)]
pub(crate) struct Numbers<'a> {
    numbers: HashMap<&'a [u8], u32>,
    charge: Charge,
}

impl<'a> Numbers<'a> {
    /// Returns the numbers of the lines of a text.
    pub(crate) fn of(
        &mut self,
        text: &Lines<'a>,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<u32>, Stopped> {
        // About what a line takes in the table and in the result, were all different.
        const LINE_BYTES: usize = size_of::<(&[u8], u32)>() * 2 + size_of::<u32>();
        self.charge.join(cancel.charge(text.len() * LINE_BYTES)?);
        let mut pace = cancel.pace();
        let mut ids = Vec::new();
        reserve(&mut ids, text.len())?;
        for index in 0..text.len() {
            let line = text.get(index);
            pace.pass(line.len())?;
            let next = self.numbers.len() as u32;
            self.numbers.try_reserve(1).map_err(|_| Stopped::Allocation)?;
            ids.push(match self.numbers.entry(line) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert_entry(next).get(),
            });
        }
        Ok(ids)
    }

    /// Returns how many different lines there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Compares one text with others by the numbers of their lines, with git's Myers algorithm and
/// without the indent heuristic.
#[derive(Debug, Default)]
pub(crate) struct NumberedEngine {
    /// By the number of a line, its place among the different lines of the one text, from 1; 0 for
    /// other lines.
    own: Vec<u32>,
    /// How often the text and the other one have each of its lines, by these places.
    counts: Vec<[u32; 2]>,
    /// The lines of both texts by these places.
    ids: [Vec<u32>; 2],
    changed: [Vec<bool>; 2],
    classic: Classic,
    charge: Charge,
}

impl NumberedEngine {
    /// Sets the text that is compared with others; `classes` is how many numbers there are.
    pub(crate) fn set_old(
        &mut self,
        old: &[u32],
        classes: usize,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = cancel.pace();
        self.own.clear();
        cancel.room(&mut self.charge, &mut self.own, classes)?;
        self.own.resize(classes, 0);
        pace.spend(classes / 64)?;
        self.counts.clear();
        // Place 0 is that of all lines that the text does not have.
        self.counts.add([0, 0]);
        self.ids[0].clear();
        cancel.room(&mut self.charge, &mut self.ids[0], old.len())?;
        for &number in old {
            let place = &mut self.own[number as usize];
            if *place == 0 {
                *place = self.counts.len() as u32;
                cancel.room(&mut self.charge, &mut self.counts, 1)?;
                self.counts.push([0, 0]);
            }
            self.counts[*place as usize][0] += 1;
            self.ids[0].push(*place);
            pace.spend(1)?;
        }
        Ok(())
    }

    /// Returns the changes from the text that was set, whose numbers are `old`, to another one.
    pub(crate) fn changes(
        &mut self,
        old: &[u32],
        new: &[u32],
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Change>, Stopped> {
        cancel.check()?;
        let mut pace = cancel.pace();
        self.place_new(new, &mut pace)?;
        for (side, len) in [old.len(), new.len()].into_iter().enumerate() {
            self.changed[side].clear();
            cancel.room(&mut self.charge, &mut self.changed[side], len)?;
            self.changed[side].resize(len, false);
        }
        self.search([old.len(), new.len()], cancel)?;
        let [old_runs, new_runs] = [0, 1].map(|side| runs_of(&self.changed[side], 0, cancel));
        let (old_runs, new_runs) = (old_runs?, new_runs?);
        let old_runs = compact(&old_runs, &new_runs, &content(old), cancel)?;
        let new_runs = compact(&new_runs, &old_runs, &content(new), cancel)?;
        pair_up(&old_runs, &new_runs, cancel)
    }

    /// Counts the lines of the other text.
    fn place_new(&mut self, new: &[u32], pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        for &place in &self.ids[1] {
            if let Some(count) = self.counts.get_mut(place as usize) {
                count[1] = 0;
            }
        }
        pace.spend(self.ids[1].len() / 8)?;
        self.ids[1].clear();
        pace.cancel().room(&mut self.charge, &mut self.ids[1], new.len())?;
        for &number in new {
            let place = self.own[number as usize];
            self.counts[place as usize][1] += 1;
            self.ids[1].push(place);
        }
        pace.spend(new.len() / 8)
    }

    fn search(&mut self, lines: [usize; 2], cancel: &CancelToken<'_>) -> Result<(), Stopped> {
        let Self { ids, changed, counts, classic, .. } = self;
        let [changed_old, changed_new] = changed;
        let mut pair = Pair { ids: [&ids[0], &ids[1]], changed: [changed_old, changed_new] };
        let stretch = Stretch { old: 0..lines[0], new: 0..lines[1] };
        let count = |place: u32, side| counts[place as usize][side as usize];
        classic.run(&mut pair, stretch, lines, count, false, cancel)
    }
}

/// Returns what is needed of lines that all have numbers and are not slid by their indentation.
fn content(ids: &[u32]) -> Content<'_> {
    let nothing = View::new(&[], &[0]);
    Content { text: nothing, keys: nothing, lines: ids.len(), ids, first: 0, is_lowest: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Options};

    /// Returns a text of some lines of few kinds, by a generator of its own.
    fn text(state: &mut u64, kinds: u64) -> Vec<u8> {
        let mut next = |below: u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (*state >> 33) % below
        };
        let lines = next(400);
        (0..lines).flat_map(|_| format!("line {}\n", next(kinds)).into_bytes()).collect()
    }

    #[test]
    fn the_changes_are_those_of_lines_compared_by_their_bytes() {
        let (cancel, mut state) = (CancelToken::never(), 7);
        let options = Options { is_lowest: true, ..Options::default() };
        let (mut engine, mut numbered) = (Engine::default(), NumberedEngine::default());
        for kinds in [1, 2, 5, 40, 300, 5_000] {
            let texts: Vec<Vec<u8>> = (0..24).map(|_| text(&mut state, kinds)).collect();
            let lines: Vec<_> =
                texts.iter().map(|text| Lines::split(text, &cancel).unwrap()).collect();
            let mut numbers = Numbers::default();
            let ids: Vec<_> =
                lines.iter().map(|lines| numbers.of(lines, &cancel).unwrap()).collect();
            for (old, old_ids) in lines.iter().zip(&ids) {
                numbered.set_old(old_ids, numbers.len(), &cancel).unwrap();
                for (new, new_ids) in lines.iter().zip(&ids) {
                    let wanted = engine.diff(old, new, &options, &cancel).unwrap();
                    assert_eq!(numbered.changes(old_ids, new_ids, &cancel).unwrap(), wanted);
                }
            }
        }
    }
}
