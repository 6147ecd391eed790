//! Passes over the engine's changes check the budget on their way; the engine's own passes are
//! tested beside them.

use super::cancel_token::{CheckCount, QUANTUM, STRIDE, Stopped};
use super::hunk::{Hunk, hunks};
use super::lines::Lines;
use super::section::{Finder, Sections};
use super::unified::write_hunk;
use super::{CancelToken, Diff, DiffOptions, Engine};

/// Lines of a text: many times [`QUANTUM`].
pub(super) const LINES: usize = 1 << 18;

/// Returns the number of checks that `pass` makes.
pub(super) fn looks(pass: impl FnOnce(&CancelToken<'_>) -> Result<(), Stopped>) -> usize {
    let looks = CheckCount::all();
    pass(&CancelToken::counting(&looks)).expect("nobody stops it");
    looks.made() as usize
}

pub(super) fn split(text: &[u8]) -> Lines<'_> {
    Lines::split(text, &CancelToken::never()).expect("a text")
}

#[test]
fn splitting_a_text_checks_the_budget() {
    let text = b"a\n".repeat(LINES);
    let pass = |cancel: &CancelToken<'_>| {
        Lines::split(&text, cancel).map(drop).map_err(|_| Stopped::Cancelled)
    };
    assert!(looks(pass) >= text.len() / STRIDE);
}

#[test]
fn making_hunks_checks_the_budget() {
    let change = |line: u32| super::engine::Change {
        old: line..line + 1,
        new: line..line + 1,
        ignorable: false,
    };
    let changes: Vec<_> = (0..LINES as u32).map(|line| change(100 * line)).collect();
    let lines = 100 * LINES as u32;
    // Each in a hunk of its own, and all in one.
    for context in [Some(3), None] {
        assert!(looks(|cancel| hunks(&changes, lines, lines, context, 0, cancel).map(drop)) >= 1);
        assert!(
            looks(|cancel| hunks(&changes, lines, lines, Some(3), 0, cancel).map(drop))
                >= LINES / QUANTUM
        );
    }
}

#[test]
fn searching_a_heading_checks_the_budget() {
    let text = b" not a heading\n".repeat(LINES);
    let lines = split(&text);
    let end = LINES as u32;
    let default_rule = Sections::default_rule();
    for sections in [&default_rule, Sections::driver(b"rust").expect("a driver")] {
        let found = looks(|cancel| {
            let mut finder = Finder::new(sections, &lines, cancel);
            let found = finder.heading(&Hunk { old: end..end, new: 0..0, changes: 0..0 });
            found.map(|heading| assert_eq!(heading, None))
        });
        assert!(found >= LINES / QUANTUM, "{sections:?}");
    }
}

#[test]
fn writing_a_hunk_checks_the_budget() {
    let cancel = CancelToken::never();
    let options = DiffOptions { context: None, ..DiffOptions::default() };
    let many = b"a\n".repeat(LINES);
    let long = vec![b'a'; 8 * STRIDE];
    for (old, least) in [(&many, LINES / QUANTUM), (&long, 2)] {
        let new = [&old[..], b"b\n"].concat();
        let diff =
            Diff::new(&mut Engine::default(), old, &new, &options, &cancel).expect("two texts");
        let written = looks(|cancel| {
            write_hunk(&mut Vec::new(), &diff, &diff.hunks()[0], None, &mut cancel.pace())
        });
        assert!(written >= least, "{written} looks");
    }
}
