//! Every pass over the lines checks the budget on its way, so that a cancel does not wait for its
//! end.
//!
//! The tests count checks, not time: a pass over many lines makes at least one every [`QUANTUM`]
//! steps.

use crate::cancel_token::{CheckCount, QUANTUM, STRIDE};
use crate::engine::prune::RetainedLines;
use crate::engine::sides::Buffers;
use crate::engine::*;
use crate::tests::{LINES, looks, split};

/// Returns an upper bound of the passes over [`LINES`] lines with the number of checks made.
fn passes(pass: impl Fn(&CancelToken<'_>) -> Result<(), Stopped>) -> usize {
    looks(pass) * QUANTUM / LINES
}

fn text(lines: impl Iterator<Item = usize>) -> Vec<u8> {
    lines.flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// Returns the numbers below [`LINES`], each once, in no order.
fn shuffled() -> Vec<u32> {
    (0..LINES).map(|line| (line * 40_503 % LINES) as u32).collect()
}

fn ordered() -> Vec<u32> {
    (0..LINES as u32).collect()
}

/// Runs `search` on two numbered sides.
fn searched(
    old: &[u32],
    new: &[u32],
    search: impl FnOnce(&mut Pair<'_>) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let mut changed = [vec![false; old.len()], vec![false; new.len()]];
    let [changed_old, changed_new] = &mut changed;
    search(&mut Pair { ids: [old, new], changed: [changed_old, changed_new] })
}

fn whole() -> Stretch {
    Stretch { old: 0..LINES, new: 0..LINES }
}

#[test]
fn every_pass_before_the_search_checks_the_budget() {
    let lines = text(0..LINES);
    let distinct = split(&lines);
    assert!(passes(|cancel| common_ends([distinct.view(); 2], cancel).map(drop)) >= 2);
    for whitespace in [Whitespace::All, Whitespace::Change, Whitespace::Eol, Whitespace::CrAtEol] {
        assert!(
            passes(|cancel| Keys::default().fill(&distinct.view(), whitespace, cancel)) >= 1,
            "{whitespace:?}"
        );
    }
    let intern = |cancel: &CancelToken<'_>| {
        let mut interner = Interner::default();
        interner.clear(LINES, cancel)?;
        let (mut ids, mut same) = (Vec::new(), Vec::new());
        interner.add_old([distinct.view(); 2], 0..LINES, &mut ids, &mut cancel.pace())?;
        interner.add_new(
            [distinct.view(); 2],
            0..LINES,
            (0, &ids),
            &mut same,
            &mut cancel.pace(),
        )?;
        assert_eq!(ids, same);
        interner.count_shared([distinct.view(); 2], 0..LINES, &mut cancel.pace())
    };
    // Hashed twice, compared twice. The table grows when it is half full, which moves a quarter of
    // the lines.
    assert!(looks(intern) >= 4 * LINES / QUANTUM + LINES / QUANTUM / 4 - 1);
}

#[test]
fn every_pass_of_the_search_checks_the_budget() {
    let (old, new) = (ordered(), shuffled());
    let unknown = vec![LINES as u32; LINES];
    let kept = |ids: &[u32], matches: u32, cancel: &CancelToken<'_>| {
        let mut changed = vec![false; ids.len()];
        RetainedLines::default().choose(ids, LINES, |_| matches, &mut changed, &mut cancel.pace())
    };
    // Once to assess the lines, once to choose among them.
    for matches in [0, 1, 5000] {
        assert!(passes(|cancel| kept(&old, matches, cancel)) >= 2, "{matches} matches");
    }
    assert!(passes(|cancel| Buffers::default().fill(&old, &new, |id| id, cancel)) >= 2);
    // Counting twice, choosing in two passes for each side, copying twice, and resetting the counts
    // twice.
    let alone = |new: &[u32], cancel: &CancelToken<'_>| {
        searched(&old, new, |pair| Classic::default().run_alone(pair, whole(), LINES + 1, cancel))
    };
    assert!(passes(|cancel| alone(&unknown, cancel)) >= 8);
    // Equal sides are removed as ends, and nothing is left to choose from.
    assert!(passes(|cancel| alone(&old, cancel)) >= 5);
}

#[test]
fn every_pass_of_patience_checks_the_budget() {
    let old = ordered();
    let run = |new: &[u32], cancel: &CancelToken<'_>| {
        searched(&old, new, |pair| {
            Patience::default().run(pair, LINES + 1, &mut Classic::default(), cancel)
        })
    };
    // Places of both sides, anchors, and resetting the places of both sides.
    let unknown = vec![LINES as u32; LINES];
    assert!(passes(|cancel| run(&unknown, cancel)) >= 5);
    // All lines are anchors: the chain is found, walked and split at.
    assert!(passes(|cancel| run(&old, cancel)) >= 11);
    // One anchor, at the start or at the end: the equal lines below and above it are skipped.
    let (mut first, mut last) = (vec![1; LINES], vec![1; LINES]);
    (first[0], last[LINES - 1]) = (0, 0);
    for side in [first, last] {
        let found = passes(|cancel| {
            searched(&side, &side, |pair| {
                Patience::default().run(pair, 2, &mut Classic::default(), cancel)
            })
        });
        assert!(found >= 6);
    }
}

#[test]
fn every_pass_of_histogram_checks_the_budget() {
    let old = ordered();
    let run = |new: &[u32], cancel: &CancelToken<'_>| {
        searched(&old, new, |pair| {
            Histogram::default().run(pair, LINES + 1, &mut Classic::default(), cancel)
        })
    };
    // The index is built, the other side is walked, and the index is reset.
    let unknown = vec![LINES as u32; LINES];
    assert!(passes(|cancel| run(&unknown, cancel)) >= 3);
    // There is only one match.
    assert!(passes(|cancel| run(&old, cancel)) >= 2);
    // After 32 matches the pairs of lines are learnt, in three passes, and the bounds in one more.
    let every_third: Vec<u32> =
        (0..LINES as u32).map(|line| if line % 3 == 0 { LINES as u32 } else { line }).collect();
    assert!(passes(|cancel| run(&every_third, cancel)) >= 7);
}

/// Returns the content of lines without numbers.
fn content<'a>(lines: &'a Lines<'_>) -> Content<'a> {
    let view = lines.view();
    Content { text: view, keys: view, lines: lines.len(), ids: &[], first: 0, is_lowest: false }
}

#[test]
fn every_pass_after_the_search_checks_the_budget() {
    let lines = text(0..4 * LINES);
    let lines = split(&lines);
    let every_second: Vec<bool> = (0..2 * LINES).map(|line| line % 2 == 0).collect();
    let runs = runs_of(&every_second, 0, &CancelToken::never()).expect("nobody stops it");
    assert_eq!(runs.len(), LINES);
    assert!(passes(|cancel| runs_of(&every_second, 0, cancel).map(drop)) >= 2);
    assert!(passes(|cancel| pair_up(&runs, &runs, cancel).map(drop)) >= 1);
    assert!(passes(|cancel| compact(&runs, &runs, &content(&lines), cancel).map(drop)) >= 1);
    // The places of runs that slide are rated as well.
    let same = text((0..4 * LINES).map(|_| 1));
    let same = split(&same);
    assert!(passes(|cancel| compact(&runs[..1], &[], &content(&same), cancel).map(drop)) >= 4);
    let changes = pair_up(&runs, &runs, &CancelToken::never()).expect("nobody stops it");
    assert!(
        passes(|cancel| mark_ignorable(
            &mut changes.clone(),
            [lines.view(); 2],
            Whitespace::Exact,
            cancel
        )) >= 1
    );
}

/// A long line is processed in parts.
#[test]
fn a_long_line_is_passed_over_in_parts() {
    const PARTS: usize = 8;
    let blank = vec![b'\r'; PARTS * STRIDE];
    let one = split(&blank);
    let none = Lines::split(b"", &CancelToken::never()).expect("a text");
    for whitespace in [Whitespace::All, Whitespace::Change, Whitespace::Eol, Whitespace::CrAtEol] {
        let fill = |cancel: &CancelToken<'_>| Keys::default().fill(&one.view(), whitespace, cancel);
        assert!(looks(fill) >= PARTS / 4, "{whitespace:?}");
        let mark = |cancel: &CancelToken<'_>| {
            let mut changes = [Change { old: 0..1, new: 0..0, ignorable: false }];
            mark_ignorable(&mut changes, [one.view(), none.view()], whitespace, cancel)
        };
        assert!(looks(mark) >= PARTS / 4, "{whitespace:?}");
    }
    let ends = |cancel: &CancelToken<'_>| common_ends([one.view(); 2], cancel).map(drop);
    assert!(looks(ends) >= PARTS / 4);
    assert!(looks(|cancel| common_tail(&blank, &blank, cancel).map(drop)) >= 2 * PARTS);
    let rate = |cancel: &CancelToken<'_>| {
        indent::Badness::of_run(&one.view(), 0, 1, &mut cancel.pace()).map(drop)
    };
    assert!(looks(rate) >= PARTS);
}

/// A stop at any check ends the diff there: no pass hides it, and none checks again.
#[test]
fn a_stop_is_seen_and_ends_the_diff() {
    // Has both kinds of lines: common and unique ones, and others.
    let side = |step: usize| {
        text((0..12_000).map(|line| if line % 3 == 0 { line % 7 } else { line * step % 11_987 }))
    };
    let (old, new) = (side(1), side(5));
    let (old, new) = (split(&old), split(&new));
    for algorithm in [Algorithm::Myers, Algorithm::Patience, Algorithm::Histogram] {
        for whitespace in [Whitespace::Exact, Whitespace::All] {
            let options = Options {
                algorithm,
                whitespace,
                ignore_blank_lines: true,
                trim_tail: true,
                is_lowest: false,
            };
            let all = CheckCount::all();
            let mut engine = Engine::default();
            let wanted = engine
                .diff(&old, &new, &options, &CancelToken::counting(&all))
                .expect("nobody stops it");
            assert!(all.made() > 12, "{options:?}");
            for last in (1..=all.made()).step_by(all.made() as usize / 12) {
                let looks = CheckCount::up_to(last);
                assert_eq!(
                    engine.diff(&old, &new, &options, &CancelToken::counting(&looks)),
                    Err(Stopped::Cancelled),
                    "{options:?}"
                );
                assert_eq!(looks.made(), last, "{options:?}");
            }
            assert_eq!(
                engine.diff(&old, &new, &options, &CancelToken::never()),
                Ok(wanted),
                "{options:?}"
            );
        }
    }
}
