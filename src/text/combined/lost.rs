//! Lines that several parents have and the result lacks, merged into one list.

use std::collections::HashMap;

use crate::cancel_token::{CancelToken, Stopped};
use crate::engine::{Whitespace, is_space, without_trailing_space};
use redline_base::budget::{Charge, Gather, GrowMap};

/// A set of parents, one bit each.
pub(super) type Parents = u64;

/// A lost line: parents have it, the result lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LostLine<'a> {
    /// Its bytes without the newline.
    pub content: &'a [u8],
    /// The parents that have it.
    pub parents: Parents,
}

/// The last step of the best alignment of two prefixes, one cell of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alignment {
    /// The last lines of both match.
    Both = 0,
    /// The last line of the list is not matched.
    Listed = 1,
    /// The last line of the parent is not matched.
    Own = 2,
}

/// Merges the lines of a further parent into a list; lines of a longest common subsequence appear
/// once.
///
/// Among several such subsequences it chooses git's, so the time is that of git's table: the
/// product of both lengths.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it, or if the table does not fit in memory.
pub(super) fn merged<'a>(
    listed: Vec<LostLine<'a>>,
    own: Vec<LostLine<'a>>,
    whitespace: Whitespace,
    cancel: &CancelToken<'_>,
) -> Result<Vec<LostLine<'a>>, Stopped> {
    if listed.is_empty() {
        return Ok(own);
    }
    let (mut rows, mut columns) = (listed.len(), own.len());
    let (mut merged, mut charge) = (Vec::new(), Charge::free());
    cancel.room(&mut charge, &mut merged, rows + columns)?;
    let is_same = matcher(&listed, &own, whitespace);
    let both = |row: usize, column: usize| LostLine {
        content: listed[row].content,
        parents: listed[row].parents | own[column].parents,
    };
    // At the end, equal lines always match.
    while rows > 0 && columns > 0 && is_same(rows - 1, columns - 1) {
        (rows, columns) = (rows - 1, columns - 1);
        merged.push(both(rows, columns));
    }
    let table = Table::new(rows, columns, &is_same, cancel)?;
    while (rows, columns) != (0, 0) {
        match table.alignment(rows, columns) {
            Alignment::Both => {
                (rows, columns) = (rows - 1, columns - 1);
                merged.push(both(rows, columns));
            }
            Alignment::Listed => {
                rows -= 1;
                merged.push(listed[rows]);
            }
            Alignment::Own => {
                columns -= 1;
                merged.push(own[columns]);
            }
        }
    }
    merged.reverse();
    Ok(merged)
}

/// The steps of all pairs of prefixes, four in a byte.
struct Table {
    steps: Vec<u8>,
    row_bytes: usize,
    _charge: Charge,
}

impl Table {
    fn new(
        rows: usize,
        columns: usize,
        is_same: impl Fn(usize, usize) -> bool,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, Stopped> {
        let row_bytes = columns.div_ceil(4);
        let (mut steps, mut charge) = (Vec::new(), Charge::free());
        cancel.room(&mut charge, &mut steps, rows.saturating_mul(row_bytes))?;
        let mut above: Vec<u32> = Vec::new();
        cancel.room(&mut charge, &mut above, columns + 1)?;
        above.resize(columns + 1, 0);
        let mut pace = cancel.pace();
        for row in 0..rows {
            steps.resize(steps.len() + row_bytes, 0);
            let at = steps.len() - row_bytes;
            let (mut left, mut diagonal) = (0, above[0]);
            for column in 0..columns {
                let up = above[column + 1];
                let (length, step) = if is_same(row, column) {
                    (diagonal + 1, Alignment::Both)
                } else if left >= up {
                    (left, Alignment::Own)
                } else {
                    (up, Alignment::Listed)
                };
                steps[at + column / 4] |= (step as u8) << (column % 4 * 2);
                (diagonal, left) = (up, length);
                above[column + 1] = length;
            }
            pace.spend(1 + columns)?;
        }
        Ok(Self { steps, row_bytes, _charge: charge })
    }

    /// Returns the step of the prefixes of `rows` and `columns` lines.
    fn alignment(&self, rows: usize, columns: usize) -> Alignment {
        if rows == 0 {
            return Alignment::Own;
        }
        if columns == 0 {
            return Alignment::Listed;
        }
        let (row, column) = (rows - 1, columns - 1);
        match self.steps[row * self.row_bytes + column / 4] >> (column % 4 * 2) & 3 {
            0 => Alignment::Both,
            1 => Alignment::Listed,
            _ => Alignment::Own,
        }
    }
}

/// Returns a function that compares two lines, given by their indices.
fn matcher<'l>(
    listed: &'l [LostLine<'_>],
    own: &'l [LostLine<'_>],
    whitespace: Whitespace,
) -> Box<dyn Fn(usize, usize) -> bool + 'l> {
    if whitespace != Whitespace::Exact {
        return Box::new(move |row, column| {
            is_same_line(listed[row].content, own[column].content, whitespace)
        });
    }
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut number = |line: &LostLine<'l>| -> usize {
        let next = numbers.len();
        *numbers.slot(line.content).or_insert(next)
    };
    let listed: Vec<usize> = listed.iter().map(&mut number).gather();
    let own: Vec<usize> = own.iter().map(&mut number).gather();
    Box::new(move |row, column| listed[row] == own[column])
}

/// Tells whether two lines are equal if whitespace is ignored. This differs from the engine's
/// comparison: trailing space never counts, but a single leading space does.
fn is_same_line(one: &[u8], two: &[u8], whitespace: Whitespace) -> bool {
    let (one, two) = (without_trailing_space(one), without_trailing_space(two));
    if !matches!(whitespace, Whitespace::All | Whitespace::Change) {
        return one == two;
    }
    let (mut at, mut other) = (one.len(), two.len());
    while at > 0 && other > 0 {
        (at, other) = (at - 1, other - 1);
        let spaces = [is_space(one[at]), is_space(two[other])];
        if spaces.contains(&true) {
            if whitespace == Whitespace::Change && spaces.contains(&false) {
                return false;
            }
            at = pass_spaces(one, at);
            other = pass_spaces(two, other);
        }
        if one[at] != two[other] {
            return false;
        }
    }
    if whitespace == Whitespace::All {
        at = without_trailing_space(&one[..at]).len();
        other = without_trailing_space(&two[..other]).len();
    }
    at == 0 && other == 0
}

/// Returns the index of the nearest byte at or before `at` that is not a space; 0 if there is none.
fn pass_spaces(line: &[u8], mut at: usize) -> usize {
    while at > 0 && is_space(line[at]) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost<'a>(lines: &[&'a str], parents: Parents) -> Vec<LostLine<'a>> {
        lines.iter().map(|line| LostLine { content: line.as_bytes(), parents }).collect()
    }

    fn shown(listed: &[&str], own: &[&str]) -> String {
        let lines = merged(lost(listed, 1), lost(own, 2), Whitespace::Exact, &CancelToken::never());
        let shown = |line: &LostLine<'_>| {
            format!("{}{}", line.parents, String::from_utf8_lossy(line.content))
        };
        lines.unwrap().iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_of_both_are_listed_once_in_an_order_that_both_have() {
        assert_eq!(shown(&["a", "b"], &["a", "b"]), "3a 3b");
        assert_eq!(shown(&["a", "b", "c"], &["b"]), "1a 3b 1c");
        assert_eq!(shown(&["x"], &["y"]), "1x 2y");
        assert_eq!(shown(&["a", "b"], &["b", "a"]), "1a 3b 2a");
        assert_eq!(shown(&["p", "x"], &["p", "y", "p", "z"]), "3p 1x 2y 2p 2z");
        assert_eq!(shown(&[], &["a"]), "2a");
    }

    #[test]
    fn a_table_that_nobody_waits_for_is_not_filled() {
        let budget = redline_base::budget::Budget::default();
        budget.cancel();
        let lines: Vec<String> = (0..2000).map(|line| line.to_string()).collect();
        let listed: Vec<&str> = lines.iter().map(String::as_str).collect();
        let own: Vec<&str> = lines.iter().rev().map(String::as_str).collect();
        let cancel = CancelToken::of(&budget);
        assert!(merged(lost(&listed, 1), lost(&own, 2), Whitespace::Exact, &cancel).is_err());
    }

    #[test]
    fn white_space_counts_as_far_as_git_lets_it_count_here() {
        use Whitespace::{All, Change, CrAtEol, Eol};
        for (one, two, whitespace, is_same) in [
            ("a b", "ab", All, true),
            ("a b", "ab", Change, false),
            ("a  b", "a b", Change, true),
            ("a \t", "a", Eol, true),
            ("a \t", "a", CrAtEol, true),
            (" a", "a", All, true),
            ("\ta", " a", All, false),
            ("\ta", "\t\ta", All, true),
            ("", " ", All, true),
            ("a", "b", All, false),
        ] {
            let found = is_same_line(one.as_bytes(), two.as_bytes(), whitespace);
            assert_eq!(found, is_same, "{one:?} {two:?} {whitespace:?}");
        }
    }
}
