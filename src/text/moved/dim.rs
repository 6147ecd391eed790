//! Dims moved lines that need no attention: those that are not at the border of two blocks.

use super::item::{DiffItem, Mark, Printed};

/// Dims lines within a block, and at a border where no other moved block begins.
pub(super) fn dim(items: &[DiffItem], marks: &mut [Mark]) {
    let is_line = |at: usize| items.get(at).is_some_and(|item| item.printed != Printed::Other);
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
