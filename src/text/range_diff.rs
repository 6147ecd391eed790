//! Compares two versions of a series of patches: pairs the patches, and shows the changes of each
//! pair.
//!
//! Source: the output of `git range-diff`, described in its manual under "Algorithm". Patches that
//! are equal except for their messages are paired first. The rest is an assignment whose costs are
//! the sizes of the differences; dropping or adding a patch costs a share of its size.

use std::collections::HashMap;

use super::assignment::assign;
use super::cancel_token::CancelToken;
use super::diff::{Diff, DiffOptions};
use super::engine::{Change, Engine, NumberedEngine, Numbers};
use super::hunk::hunks;
use super::lines::Lines;
use super::section::{Finder, Sections};
use super::unified::write_line;
use redline_base::budget::{Charge, Gather, Grow, GrowMap, Joined, TryGather, filled};
use redline_base::error::Result;

/// The cost of a forbidden pair: one of its patches is paired already.
const FORBIDDEN: i64 = 1 << 16;

/// The indentation of each line of a difference.
const INDENT: &[u8] = b"    ";

/// A patch as a text that is compared.
#[derive(Debug, Default)]
pub struct PatchText {
    /// The author, the message, notes, and then the changed files.
    pub text: Vec<u8>,
    /// The start of the changed files; 0 if there are none.
    pub files_start: usize,
    /// The number of lines about the files.
    pub file_lines: usize,
}

impl PatchText {
    /// Returns the part that is paired: the files, or the whole text without files.
    fn files(&self) -> &[u8] {
        &self.text[self.files_start..]
    }
}

/// The pairs of equal patches.
#[derive(Debug)]
pub struct Matches {
    /// The new patch of each old one.
    pub old: Vec<Option<usize>>,
    /// The old patch of each new one.
    pub new: Vec<Option<usize>>,
}

/// Pairs patches with equal changes.
pub fn exact_matches(old: &[&PatchText], new: &[&PatchText]) -> Matches {
    let mut matches = Matches { old: filled(None, old.len()), new: filled(None, new.len()) };
    let mut equal = EqualPatches::default();
    for (at, patch) in old.iter().enumerate() {
        equal.add(patch.files(), at);
    }
    for (at, patch) in new.iter().enumerate() {
        if let Some(other) = equal.remove(patch.files()) {
            matches.old[other] = Some(at);
            matches.new[at] = Some(other);
        }
    }
    matches
}

/// Equal patches. git takes the one that was added last first; its table reverses their order when
/// it grows or shrinks.
#[derive(Default)]
struct EqualPatches<'a> {
    stacks: HashMap<&'a [u8], Vec<usize>>,
    count: usize,
    table: usize,
}

impl<'a> EqualPatches<'a> {
    const SMALLEST: usize = 64;

    /// Returns the number of entries at which the table grows.
    fn grows_at(&self) -> usize {
        self.table * 80 / 100
    }

    fn add(&mut self, files: &'a [u8], at: usize) {
        self.table = self.table.max(Self::SMALLEST);
        self.stacks.slot(files).or_default().add(at);
        self.count += 1;
        if self.count > self.grows_at() {
            self.resize(4 * self.table);
        }
    }

    fn remove(&mut self, files: &[u8]) -> Option<usize> {
        let found = self.stacks.get_mut(files)?.pop()?;
        self.count -= 1;
        if self.table > Self::SMALLEST && self.count < self.grows_at() / 5 {
            self.resize(self.table / 4);
        }
        Some(found)
    }

    fn resize(&mut self, table: usize) {
        self.table = table;
        self.stacks.values_mut().for_each(|stack| stack.reverse());
    }
}

/// The lines of patches by numbers, so that each is compared with each other without its bytes.
#[derive(Debug)]
pub struct NumberedPatches {
    /// The lines of the files of each old and of each new patch; none of one that is paired.
    sides: [Vec<Vec<u32>>; 2],
    /// How many different lines there are.
    classes: usize,
    _charge: Charge,
}

impl NumberedPatches {
    /// Numbers the lines of all patches that are not paired.
    ///
    /// # Errors
    /// `too_large` for a patch that cannot be compared; why the query ended.
    pub fn new(
        old: &[&PatchText],
        new: &[&PatchText],
        matches: &Matches,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let (mut numbers, mut charge) = (Numbers::default(), Charge::free());
        let mut sides = [Vec::new(), Vec::new()];
        for (side, (patches, matched)) in
            [(old, &matches.old), (new, &matches.new)].into_iter().enumerate()
        {
            for (patch, matched) in patches.iter().zip(matched) {
                let files = if matched.is_some() { &[][..] } else { patch.files() };
                let ids = numbers.of(&Lines::split(files, cancel)?, cancel)?;
                charge.join(cancel.charge_all(size_of_val(&ids[..]))?);
                sides[side].add(ids);
            }
        }
        Ok(Self { sides, classes: numbers.len(), _charge: charge })
    }
}

/// Compares one old patch with new ones, for one thread.
#[derive(Debug, Default)]
pub struct Costs(NumberedEngine);

impl Costs {
    /// Returns how much an old patch differs from each new one that `is_asked`, by their places:
    /// the lines and the hunks of the difference of their files; 0 for the others.
    ///
    /// # Errors
    /// Why the query ended.
    pub fn of(
        &mut self,
        patches: &NumberedPatches,
        old: usize,
        is_asked: impl Fn(usize) -> bool,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<i64>> {
        let [olds, news] = &patches.sides;
        let old = &olds[old];
        self.0.set_old(old, patches.classes, cancel)?;
        let costs = news.iter().enumerate().map(|(at, new)| match is_asked(at) {
            true => cost(&self.0.changes(old, new, cancel)?, [old.len(), new.len()], cancel),
            false => Ok(0),
        });
        costs.try_gather()
    }
}

/// Returns the lines and the hunks of a difference.
fn cost(changes: &[Change], lines: [usize; 2], cancel: &CancelToken<'_>) -> Result<i64> {
    let context = Some(DiffOptions::CONTEXT);
    let hunks = hunks(changes, lines[0] as u32, lines[1] as u32, context, 0, cancel)?;
    let lines = hunks.iter().map(|hunk| {
        let removed = changes[hunk.changes.clone()]
            .iter()
            .map(|change| i64::from(change.old.end - change.old.start));
        1 + i64::from(hunk.new.end - hunk.new.start) + removed.sum::<i64>()
    });
    Ok(lines.sum())
}

/// Pairs the remaining patches, by the costs of each old patch with each new one; `creation_factor`
/// is the cost of a dropped or added patch, in percent of its size.
///
/// # Errors
/// Why the query ended.
pub fn assign_rest(
    matches: &mut Matches,
    old: &[&PatchText],
    new: &[&PatchText],
    costs: &[Vec<i64>],
    creation_factor: i64,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    let alone = |(patch, matched): (&&PatchText, &Option<usize>)| match matched {
        None => (patch.file_lines as i64).saturating_mul(creation_factor) / 100,
        Some(_) => FORBIDDEN,
    };
    let dropped: Vec<i64> = old.iter().zip(&matches.old).map(alone).gather();
    let added: Vec<i64> = new.iter().zip(&matches.new).map(alone).gather();
    let cost = |column: usize, row: usize| match (dropped.get(column), added.get(row)) {
        (Some(_), Some(_)) => match (matches.old[column], matches.new[row]) {
            (Some(matched), _) if matched == row => 0,
            (None, None) => costs[column][row],
            _ => FORBIDDEN,
        },
        (Some(&dropped), None) => dropped,
        (None, Some(&added)) => added,
        (None, None) => 0,
    };
    let row_of = assign(old.len() + new.len(), cost, cancel)?;
    for (at, &row) in row_of[..old.len()].iter().enumerate() {
        if row < new.len() {
            matches.old[at] = Some(row);
            matches.new[row] = Some(at);
        }
    }
    Ok(())
}

/// Returns the pairs in the order of the new patches; an old patch without a partner follows when
/// all old patches before it are in the list.
pub fn in_order(matches: &Matches) -> Vec<(Option<usize>, Option<usize>)> {
    let (mut pairs, mut is_shown) = (Vec::new(), filled(false, matches.old.len()));
    let (mut old, mut new) = (0, 0);
    while old < matches.old.len() || new < matches.new.len() {
        while is_shown.get(old) == Some(&true) {
            old += 1;
        }
        let is_alone = new == matches.new.len() || matches.old.get(old) == Some(&None);
        if is_alone && old < matches.old.len() {
            pairs.add((Some(old), None));
            old += 1;
            continue;
        }
        while matches.new.get(new) == Some(&None) {
            pairs.add((None, Some(new)));
            new += 1;
        }
        if let Some(&Some(partner)) = matches.new.get(new) {
            pairs.add((Some(partner), Some(new)));
            is_shown[partner] = true;
            new += 1;
        }
    }
    pairs
}

/// Returns the changes from one version of a patch to the other, as git prints them.
///
/// # Errors
/// `too_large` for a patch that cannot be compared; why the query ended.
pub fn changes(
    engine: &mut Engine,
    old: &PatchText,
    new: &PatchText,
    cancel: &CancelToken<'_>,
) -> Result<(Vec<u8>, Charge)> {
    let diff = Diff::new(engine, &old.text, &new.text, &DiffOptions::default(), cancel)?;
    let mut headings = Finder::new(Sections::of_patches(), diff.old_lines(), cancel);
    let (mut out, mut charge, mut pace) = (Vec::new(), Charge::free(), cancel.pace());
    cancel.room(&mut charge, &mut out, 2 * diff.written_bytes())?;
    for hunk in diff.hunks() {
        let heading = headings.heading(hunk)?;
        out.extend_from_slice(&[INDENT, b"@@"].chained());
        if let Some(heading) = heading {
            out.extend_from_slice(&[b" ", heading].chained());
        }
        out.push(b'\n');
        for line in diff.lines(hunk) {
            cancel.room(&mut charge, &mut out, INDENT.len() + line.content.len() + 32)?;
            out.extend_from_slice(INDENT);
            write_line(&mut out, &line, &mut pace)?;
        }
    }
    Ok((out, charge))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(text: &str) -> PatchText {
        PatchText {
            text: text.as_bytes().to_vec(),
            files_start: 0,
            file_lines: text.lines().count(),
        }
    }

    fn pairs(old: &[&str], new: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
        let (old, new): (Vec<_>, Vec<_>) = (
            old.iter().map(|text| patch(text)).collect(),
            new.iter().map(|text| patch(text)).collect(),
        );
        let (old, new): (Vec<_>, Vec<_>) = (old.iter().collect(), new.iter().collect());
        let mut matches = exact_matches(&old, &new);
        let (cancel, mut costs) = (CancelToken::never(), Costs::default());
        let patches = NumberedPatches::new(&old, &new, &matches, &cancel).unwrap();
        let costs: Vec<Vec<i64>> =
            (0..old.len()).map(|at| costs.of(&patches, at, |_| true, &cancel).unwrap()).collect();
        assign_rest(&mut matches, &old, &new, &costs, 60, &cancel).unwrap();
        in_order(&matches)
    }

    const LONG: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

    #[test]
    fn patches_are_paired_dropped_and_added_in_the_order_of_the_new_ones() {
        let edited = LONG.replace("20", "x");
        assert_eq!(pairs(&[], &[]), []);
        assert_eq!(pairs(&["a\n"], &[]), [(Some(0), None)]);
        assert_eq!(
            pairs(&["a\n", "b\n"], &["b\n", "a\n"]),
            [(Some(1), Some(0)), (Some(0), Some(1))]
        );
        assert_eq!(
            pairs(&["a\n", LONG], &[&edited, "n\n"]),
            [(Some(0), None), (Some(1), Some(0)), (None, Some(1))]
        );
    }

    #[test]
    fn of_equal_patches_the_last_is_taken_first() {
        assert_eq!(pairs(&["a\n", "a\n"], &["a\n"]), [(Some(0), None), (Some(1), Some(0))]);
    }
}
