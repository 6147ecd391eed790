//! Two texts, each algorithm and each mode of white space: what the engine says is changed makes the one from the
//! other, and what it does not is equal.
#![no_main]

mod texts;

use libfuzzer_sys::fuzz_target;
use redline_text::engine::Options;
use redline_text::hunk::hunks;
use redline_text::lines::Lines;
use redline_text::{Algorithm, CancelToken, Engine, Whitespace};
use texts::{ALGORITHMS, Input, WHITESPACE};

fuzz_target!(|data: &[u8]| {
    let Some(input) = Input::new(data) else { return };
    let cancel = CancelToken::never();
    let [old, new] =
        [&input.old, &input.new].map(|text| Lines::split(text, &cancel).expect("a short text"));
    let all = |lines: &Lines<'_>| {
        (0..lines.len()).flat_map(|line| lines.get(line)).copied().collect::<Vec<u8>>()
    };
    assert!(all(&old) == input.old && all(&new) == input.new, "lines are not the text");

    let mut engine = Engine::default();
    for algorithm in ALGORITHMS {
        if algorithm != Algorithm::Myers && !input.is_short() {
            continue;
        }
        for whitespace in WHITESPACE {
            let options = Options {
                algorithm,
                whitespace,
                ignore_blank_lines: input.option(1) % 2 == 1,
                trim_tail: input.option(2) % 2 == 1,
                is_lowest: false,
            };
            check(&mut engine, &old, &new, &options, u32::from(input.option(3) % 5));
        }
    }
});

fn check(engine: &mut Engine, old: &Lines<'_>, new: &Lines<'_>, options: &Options, context: u32) {
    let changes = engine.diff(old, new, options, &CancelToken::never()).expect("nobody stops it");
    let (mut at_old, mut at_new) = (0, 0);
    let mut unchanged =
        |to_old: u32, to_new: u32, resume: (u32, u32), is_first: bool, is_last: bool| {
            let gap = to_old.checked_sub(at_old).expect("changes are in order");
            assert_eq!(
                Some(gap),
                to_new.checked_sub(at_new),
                "the sides do not keep step: {options:?}"
            );
            assert!(gap > 0 || is_first || is_last, "two changes are one: {options:?}");
            for line in 0..gap {
                let (a, b) = (old.get((at_old + line) as usize), new.get((at_new + line) as usize));
                assert!(
                    form(a, options.whitespace) == form(b, options.whitespace),
                    "{a:?} is not {b:?}: {options:?}"
                );
            }
            (at_old, at_new) = resume;
        };
    for (index, change) in changes.iter().enumerate() {
        assert!(
            change.old.start < change.old.end || change.new.start < change.new.end,
            "an empty change"
        );
        assert!(options.ignore_blank_lines || !change.ignorable);
        unchanged(
            change.old.start,
            change.new.start,
            (change.old.end, change.new.end),
            index == 0,
            false,
        );
    }
    let (old_len, new_len) = (old.len() as u32, new.len() as u32);
    unchanged(old_len, new_len, (old_len, new_len), changes.is_empty(), true);

    // Each change that cannot be ignored is shown once, with as much around it as there is.
    let hunks = hunks(&changes, old_len, new_len, Some(context), 0, &CancelToken::never())
        .expect("nobody stops it");
    let mut next = 0;
    for hunk in &hunks {
        assert!(
            changes[next..hunk.changes.start].iter().all(|change| change.ignorable),
            "a change is not shown"
        );
        assert!(hunk.old.end <= old_len && hunk.new.end <= new_len && !hunk.changes.is_empty());
        next = hunk.changes.end;
    }
    assert!(changes[next..].iter().all(|change| change.ignorable), "a last change is not shown");
}

/// Returns the bytes by which a line is compared, found in another way than the engine's.
fn form(line: &[u8], whitespace: Whitespace) -> Vec<u8> {
    let is_space = |byte: &u8| b" \t\r\n".contains(byte);
    let trimmed = || -> &[u8] {
        &line[..line.iter().rposition(|byte| !is_space(byte)).map_or(0, |at| at + 1)]
    };
    match whitespace {
        Whitespace::Exact => line.to_vec(),
        Whitespace::All => line.iter().copied().filter(|byte| !is_space(byte)).collect(),
        Whitespace::Eol => trimmed().to_vec(),
        Whitespace::Change => {
            let mut form: Vec<u8> =
                trimmed().iter().map(|byte| if is_space(byte) { b' ' } else { *byte }).collect();
            form.dedup_by(|next, kept| *next == b' ' && *kept == b' ');
            form
        }
        Whitespace::CrAtEol => {
            let ended = line.strip_suffix(b"\r\n").or(line.strip_suffix(b"\n"));
            ended.unwrap_or(line).to_vec()
        }
    }
}
