//! Finds the moved lines of a diff, and their origin.
//!
//! Source: the output of `git diff --color-moved`, described in its manual. A block is a run of
//! lines on one side with the same text as a run on the other side; a block with few letters and
//! digits does not count. git processes the lines once, in the order in which it prints them, and
//! so does [`mark`].

mod blocks;
mod equal_lines;
mod item;
mod text_ids;

use super::LineKind;
use super::cancel_token::{CancelToken, Stopped};
pub use equal_lines::EqualLines;
pub use item::{DiffItem, Mark, MovedMode};
pub use text_ids::{MovedWhitespace, TextIds};

/// Marks the lines of a whole diff.
///
/// # Errors
/// [`Stopped`] when `cancel` requests it or memory is short.
pub fn mark(
    items: &[DiffItem],
    equal: &EqualLines,
    mode: MovedMode,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Mark>, Stopped> {
    let mut marks = blocks::mark(items, equal, mode, cancel)?;
    if mode == MovedMode::DimmedZebra {
        dim(items, &mut marks);
    }
    Ok(marks)
}

/// Dims lines within a block, and at a border where no other moved block begins: those that need
/// no attention.
fn dim(items: &[DiffItem], marks: &mut [Mark]) {
    let is_line = |at: usize| items.get(at).is_some_and(|item| item.kind != LineKind::Context);
    for at in 0..items.len() {
        if !is_line(at) || !marks[at].is_moved {
            continue;
        }
        let own = marks[at];
        let above = at.checked_sub(1).filter(|&above| is_line(above)).map(|above| marks[above]);
        let below = Some(at + 1).filter(|&below| is_line(below)).map(|below| marks[below]);
        let is_same = |other: Option<Mark>| {
            other.is_some_and(|other| {
                other.is_moved == own.is_moved && other.is_alternate == own.is_alternate
            })
        };
        let is_border = |other: Option<Mark>| {
            other.is_some_and(|other| other.is_moved && other.is_alternate != own.is_alternate)
        };
        marks[at].is_dimmed =
            is_same(above) && is_same(below) || !is_border(above) && !is_border(below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks a diff of lines with signs: `M` for one moved, `A` for the second colour, `d` for
    /// dimmed, `.` for others.
    fn shown(diff: &str, mode: MovedMode, whitespace: MovedWhitespace) -> String {
        let mut texts = TextIds::new(whitespace);
        let items: Vec<DiffItem> = diff
            .lines()
            .map(|line| match line.split_at(1) {
                ("+", rest) => texts.item(LineKind::Added, rest.as_bytes()),
                ("-", rest) => texts.item(LineKind::Removed, rest.as_bytes()),
                _ => DiffItem::OTHER,
            })
            .collect();
        let cancel = CancelToken::never();
        let equal = EqualLines::new(&items, texts.count(), &cancel).unwrap();
        let marks = mark(&items, &equal, mode, &cancel).unwrap();
        marks
            .iter()
            .map(|mark| match (mark.is_moved, mark.is_alternate, mark.is_dimmed) {
                (false, ..) => '.',
                (_, _, true) => 'd',
                (_, true, _) => 'A',
                _ => 'M',
            })
            .collect()
    }

    const BLOCK: &str =
        "-let first = the_first_line();\n-}\n let between;\n+let first = the_first_line();\n+}\n";

    #[test]
    fn a_block_is_moved_and_a_short_line_alone_is_not() {
        let exact = MovedWhitespace::Exact;
        assert_eq!(shown(BLOCK, MovedMode::Zebra, exact), "MM.MM");
        assert_eq!(shown("-}\n x\n+}\n", MovedMode::Zebra, exact), "...");
        assert_eq!(shown("-}\n x\n+}\n", MovedMode::Plain, exact), "M.M");
        assert_eq!(shown(BLOCK, MovedMode::DimmedZebra, exact), "dd.dd");
    }

    #[test]
    fn neighbouring_blocks_alternate() {
        let (a, b) = ("let first = the_first_line();", "let second = the_second_line();");
        let diff = format!("-{a}\n x\n-{b}\n x\n+{b}\n+{a}\n");
        assert_eq!(shown(&diff, MovedMode::Zebra, MovedWhitespace::Exact), "M.M.MA");
        assert_eq!(shown(&diff, MovedMode::Blocks, MovedWhitespace::Exact), "M.M.MM");
    }

    #[test]
    fn white_space_counts_as_it_is_asked_for() {
        let diff = "-let first = the_first_line();\n-  other_line_of_it();\n x\n+  let first = the_first_line();\n+    other_line_of_it();\n";
        assert_eq!(shown(diff, MovedMode::Zebra, MovedWhitespace::Exact), ".....");
        assert_eq!(shown(diff, MovedMode::Zebra, MovedWhitespace::All), "MM.MM");
        assert_eq!(shown(diff, MovedMode::Zebra, MovedWhitespace::Indentation), "MM.MM");
        let uneven = diff.replace("+    other", "+  other");
        assert_eq!(shown(&uneven, MovedMode::Zebra, MovedWhitespace::Indentation), "M..M.");
    }
}
