//! Finds the parent's lines from which an ignored commit made its lines.
//!
//! Source: git-blame(1), `--ignore-rev`, and the results of git 2.47.3. The similarity of lines is
//! the number of letter pairs that they have in common, ignoring case and treating whitespace as
//! one. Within a change the most certain pair of lines is matched first, and splits the rest in
//! two, so that the order of lines is kept; matched pairs are removed from the old line. A line
//! without a match in the change is searched for in the whole parent.

use std::ops::Range;

use redline_base::budget::{Charge, Grow, filled, reserve};
use redline_base::error::Result;
use redline_text::{CancelToken, LineChange};

use super::entries::Run;

/// The distance from its proportional place within which a line is searched for.
const DISTANCE: i64 = 10;
/// The least number of common pairs with a line elsewhere in the parent.
const FILE_THRESHOLD: u32 = 10;
/// The similarity of a line is not computed yet.
const UNKNOWN: i64 = -1;
/// A line has no similar one.
const NOTHING: i64 = -2;

/// The letter pairs of a line with their counts, sorted.
type Pairs = Vec<(u16, u32)>;

/// The lines of a text as letter pairs.
pub struct Fingerprints {
    lines: Vec<Pairs>,
    _charge: Charge,
}

impl Fingerprints {
    /// Computes the letter pairs of a text's lines.
    pub fn new(text: &[u8], cancel: &CancelToken<'_>) -> Result<Self> {
        let (mut lines, mut charge) = (Vec::new(), Charge::free());
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            cancel.room(&mut charge, &mut lines, 1)?;
            let pairs = pairs(line, cancel)?;
            charge.join(cancel.charge_all(pairs.len() * size_of::<(u16, u32)>())?);
            lines.push(pairs);
        }
        Ok(Self { lines, _charge: charge })
    }
}

/// Returns the letter pairs of a line.
fn pairs(line: &[u8], cancel: &CancelToken<'_>) -> Result<Pairs> {
    let (mut all, mut charge) = (Vec::<u16>::new(), Charge::free());
    cancel.room(&mut charge, &mut all, line.len() + 1)?;
    let mut before = 0;
    for byte in line.iter().copied().chain([b' ']) {
        let letter = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => 0,
            byte => byte.to_ascii_lowercase(),
        };
        if (before, letter) != (0, 0) {
            all.push(u16::from_le_bytes([before, letter]));
        }
        before = letter;
    }
    all.sort_unstable();
    let mut pairs = Pairs::new();
    for pair in all {
        match pairs.last_mut() {
            Some((last, count)) if *last == pair => *count += 1,
            _ => pairs.add((pair, 1)),
        }
    }
    Ok(pairs)
}

/// Returns the number of pairs that two lines have in common.
fn common(one: &Pairs, other: &Pairs) -> u32 {
    let (mut count, mut rest) = (0, other.as_slice());
    for (pair, times) in one {
        let at = rest.partition_point(|(other, _)| other < pair);
        rest = &rest[at..];
        if let Some((other, others)) = rest.first()
            && other == pair
        {
            count += times.min(others);
        }
    }
    count
}

/// Removes the pairs of a line from another.
fn subtract(from: &mut Pairs, taken: &Pairs) {
    from.retain_mut(|(pair, count)| match taken.binary_search_by_key(pair, |(pair, _)| *pair) {
        Ok(at) if *count <= taken[at].1 => false,
        Ok(at) => {
            *count -= taken[at].1;
            true
        }
        Err(_) => true,
    });
}

/// Returns for each new line of a change the parent's line from which it was made, if there is one.
pub fn guess(
    parent: &mut Fingerprints,
    target: &Fingerprints,
    change: &LineChange,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Option<u32>>> {
    let lines = change.new.len();
    let mut matches = Matches::new(change, cancel)?;
    if !change.old.is_empty() {
        let new = change.new.start as usize..change.new.end as usize;
        matches.find(&mut parent.lines, &target.lines[new], cancel)?;
    }
    let mut found = Vec::new();
    reserve(&mut found, lines)?;
    for (local, line) in change.new.clone().enumerate() {
        let matched = u32::try_from(matches.best[local]).ok();
        found.push(match matched {
            Some(matched) => Some(matched),
            None => anywhere(&parent.lines, &target.lines[line as usize], line, cancel)?,
        });
    }
    Ok(found)
}

/// Returns the most similar line of the whole parent, of several the one nearest to line `number`.
fn anywhere(
    parent: &[Pairs],
    line: &Pairs,
    number: u32,
    cancel: &CancelToken<'_>,
) -> Result<Option<u32>> {
    let (mut most, mut best) = (FILE_THRESHOLD, None);
    let mut pace = cancel.pace();
    for (at, other) in (0u32..).zip(parent) {
        pace.spend(1 + line.len())?;
        let count = common(line, other);
        let is_farther = |best: u32| best.abs_diff(number) < at.abs_diff(number);
        if count < most || (count == most && best.is_some_and(is_farther)) {
            continue;
        }
        (most, best) = (count, Some(at));
    }
    Ok(best)
}

/// Divides a run by the lines from which it was made: the parent's part, and the rest.
pub fn carve(
    run: &Run,
    change: &LineChange,
    guesses: &[Option<u32>],
    parent: &mut Vec<Run>,
    kept: &mut Vec<Run>,
) {
    let origin = |line: u32| {
        let guess = guesses[(line - change.new.start) as usize];
        (guess.is_some(), guess.unwrap_or(line))
    };
    let end = run.source + run.lines;
    let mut start = run.source;
    for line in run.source..end {
        let (is_parent, source) = origin(line);
        if line + 1 < end && origin(line + 1) == (is_parent, source + 1) {
            continue;
        }
        let part = run.part(start, line + 1);
        if is_parent {
            parent.add(Run { source: source + 1 - part.lines, ..part });
        } else {
            kept.add(part);
        }
        start = line + 1;
    }
}

/// The unmatched lines of a change: of the parent, and of the change's new lines.
struct Part {
    old: Range<i64>,
    new: Range<usize>,
}

/// The results for the new lines of a change so far.
struct Matches {
    /// The parent's lines of the change.
    old: Range<i64>,
    lines: usize,
    /// The search distance, in the parent and from there back in the change.
    distance: i64,
    distance_back: i64,
    /// The similarity of each new line to nearby old lines; negative if unknown.
    alike: Vec<i64>,
    /// The certainty of each new line's match.
    certain: Vec<i64>,
    /// The most similar line of the parent, and the second most similar one; negative for none.
    best: Vec<i64>,
    second: Vec<i64>,
    _charge: Charge,
}

impl Matches {
    fn new(change: &LineChange, cancel: &CancelToken<'_>) -> Result<Self> {
        let lines = change.new.len();
        let count = change.old.len() as i64;
        let distance = if DISTANCE >= count { (count - 1).max(0) } else { DISTANCE };
        let width = (2 * distance + 1) as usize;
        let charge = cancel.charge_all(lines * (width + 3) * size_of::<i64>())?;
        Ok(Self {
            old: i64::from(change.old.start)..i64::from(change.old.end),
            lines,
            distance,
            distance_back: ((2 * distance + 1) * lines as i64 - 1) / count.max(1),
            alike: filled(UNKNOWN, lines * width),
            certain: filled(UNKNOWN, lines),
            best: filled(-1, lines),
            second: filled(-1, lines),
            _charge: charge,
        })
    }

    /// Matches lines, the most certain ones first.
    fn find(
        &mut self,
        parent: &mut [Pairs],
        target: &[Pairs],
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        // The depth can be the number of lines, so this does not recurse; parts before a match come
        // before those after it.
        let mut parts = vec![Part { old: self.old.clone(), new: 0..self.lines }];
        while let Some(part) = parts.pop() {
            cancel.check()?;
            let Some(new) = self.most_certain(&part, parent, target, cancel)? else { continue };
            let old = self.best[new];
            subtract(&mut parent[old as usize], &target[new]);
            self.forget(&part, old, new);
            if new + 1 < part.new.end {
                parts.add(Part { old: old..part.old.end, new: new + 1..part.new.end });
            }
            if new > part.new.start {
                parts.add(Part { old: part.old.start..old + 1, new: part.new.start..new });
            }
        }
        Ok(())
    }

    /// Returns the new line with the most certain match.
    fn most_certain(
        &mut self,
        part: &Part,
        parent: &[Pairs],
        target: &[Pairs],
        cancel: &CancelToken<'_>,
    ) -> Result<Option<usize>> {
        let (mut most, mut found) = (-1, None);
        let mut pace = cancel.pace();
        for new in part.new.clone() {
            pace.spend(1)?;
            if self.certain[new] == UNKNOWN {
                pace.spend(target[new].len() * (2 * self.distance + 1) as usize)?;
                self.compare(part, new, parent, &target[new]);
            }
            if self.certain[new] > most {
                (most, found) = (self.certain[new], Some(new));
            }
        }
        Ok(found)
    }

    /// Compares a new line with those near its place in the parent.
    fn compare(&mut self, part: &Part, new: usize, parent: &[Pairs], line: &Pairs) {
        let place = self.place(new);
        let (mut best, mut best_at) = (0, part.old.start);
        let (mut second, mut second_at) = (0, part.old.start);
        let from = (place - self.distance).max(part.old.start);
        let to = (place + self.distance + 1).min(part.old.end);
        for old in from..to {
            let at = self.position(old, new, place);
            if self.alike[at] == UNKNOWN {
                let count = i64::from(common(line, &parent[old as usize]));
                self.alike[at] = count * (1000 - (old - place).abs());
            }
            let alike = self.alike[at];
            if alike > best {
                (second, second_at) = (best, best_at);
                (best, best_at) = (alike, old);
            } else if alike > second {
                (second, second_at) = (alike, old);
            }
        }
        if best == 0 {
            self.certain[new] = NOTHING;
            self.best[new] = -1;
        } else {
            self.certain[new] = 2 * best - second;
            self.best[new] = best_at;
            self.second[new] = second_at;
        }
    }

    /// Resets results that a match may have changed.
    fn forget(&mut self, part: &Part, old: i64, new: usize) {
        let back = usize::try_from(self.distance_back).unwrap_or(usize::MAX);
        let from = new.saturating_sub(back).max(part.new.start);
        let to = new.saturating_add(back).saturating_add(1).min(part.new.end);
        for line in from..to {
            let place = self.place(line);
            if (old - place).abs() <= self.distance {
                let at = self.position(old, line, place);
                self.alike[at] = UNKNOWN;
            }
        }
        for line in from..to {
            let (best, second) = (self.best[line], self.second[line]);
            let contradicts = if line < new {
                best >= old || second >= old
            } else {
                line > new && (best <= old || second <= old)
            };
            if self.certain[line] >= 0 && contradicts {
                self.certain[line] = UNKNOWN;
            }
        }
    }

    /// Returns the parent's line at the proportional place of a new line.
    fn place(&self, new: usize) -> i64 {
        let count = self.old.end - self.old.start;
        (2 * new as i64 + 1) * count / (2 * self.lines as i64) + self.old.start
    }

    fn position(&self, old: i64, new: usize, place: i64) -> usize {
        (old - place + self.distance) as usize + new * (2 * self.distance + 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_were_reformatted_are_matched_in_order() {
        let cancel = CancelToken::never();
        let old = b"a\nint first = 1;\nint second = 2;\nz\n";
        let new = b"a\nint\tfirst=1;\n\n  int second = 2 ;\nz\n";
        let mut parent = Fingerprints::new(old, &cancel).unwrap();
        let target = Fingerprints::new(new, &cancel).unwrap();
        let change = LineChange { old: 1..3, new: 1..4, ignorable: false };
        let guesses = guess(&mut parent, &target, &change, &cancel).unwrap();
        assert_eq!(guesses, [Some(1), None, Some(2)]);
        let (mut passed, mut kept) = (Vec::new(), Vec::new());
        let run = Run { line: 11, lines: 3, source: 1 };
        carve(&run, &change, &guesses, &mut passed, &mut kept);
        assert_eq!(
            passed,
            [Run { line: 11, lines: 1, source: 1 }, Run { line: 13, lines: 1, source: 2 }]
        );
        assert_eq!(kept, [Run { line: 12, lines: 1, source: 2 }]);
    }
}
