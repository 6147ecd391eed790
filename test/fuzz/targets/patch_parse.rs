//! Any bytes as a patch: reading never panics, and what was read can be printed, turned round and applied.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redline_text::LineKind;
use redline_text::patch::{FilePatch, PatchHunk, apply, hunk_text, parse, reverse};

/// Lines that are put before a hunk at most, so that its place exists.
const PADDING: usize = 1000;

fuzz_target!(|data: &[u8]| {
    let lines =
        |file: &FilePatch<'_>| file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>();
    for file in parse(data).unwrap_or_default() {
        assert!(lines(&file) <= data.len(), "lines out of nothing");
        let _ = apply(data, &file);
        print_again(&file);
    }
    let Ok(there) = parse(data) else { return };
    let Ok(undo) = reverse(data) else { return };
    let back = parse(&undo).expect("the way back is a patch");
    let count = |files: &[FilePatch<'_>]| files.iter().map(lines).sum::<usize>();
    assert_eq!(count(&there), count(&back), "lines were lost on the way back");
    let redo = reverse(&undo).expect("the way back can be undone");
    // `Binary files a and b and c differ` can be read in two ways, and a CR at the end of a name as the line's.
    if !data.contains(&b'\r') && there.iter().all(|file| !file.is_binary) {
        assert_eq!(reverse(&redo).expect("and again"), undo, "there and back again is elsewhere");
    }
    if let ([there], [back]) = (&there[..], &back[..])
        && let Some(old) = old_text(there)
        && let Ok(new) = apply(&old, there)
    {
        assert_eq!(apply(&new, back).as_ref(), Ok(&old), "what was applied cannot be undone");
    }
});

/// Hunks that are printed and read again are the same.
fn print_again(file: &FilePatch<'_>) {
    let printed: Vec<u8> = file.hunks.iter().flat_map(hunk_text).collect();
    let again = parse(&printed).expect("printed hunks are a patch");
    let shape = |hunk: &PatchHunk<'_>| {
        let ranges = [hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines];
        let lines: Vec<_> = hunk
            .lines
            .iter()
            .map(|line| (line.kind, line.content.to_vec(), line.newline))
            .collect();
        (ranges, hunk.section.to_vec(), lines)
    };
    let before: Vec<_> = file.hunks.iter().map(shape).collect();
    let after: Vec<_> = again.iter().flat_map(|file| &file.hunks).map(shape).collect();
    assert_eq!(before, after);
}

/// Makes a text that the hunks fit, or nothing where they stand too far down, one above the other, or elsewhere on the
/// new side than the hunks before them leave them: such a patch can be applied but not undone.
fn old_text(file: &FilePatch<'_>) -> Option<Vec<u8>> {
    let line_before = |start: u32, lines: u32| (start as usize).checked_sub(usize::from(lines > 0));
    let (mut text, mut at, mut new_at) = (Vec::new(), 0, 0);
    for hunk in &file.hunks {
        let before = line_before(hunk.old_start, hunk.old_lines)?;
        let gap = before.checked_sub(at).filter(|&gap| gap <= PADDING)?;
        line_before(hunk.new_start, hunk.new_lines).filter(|&new| new == new_at + gap)?;
        text.extend(b"~\n".repeat(gap));
        for line in hunk.lines.iter().filter(|line| line.kind != LineKind::Added) {
            text.extend_from_slice(line.content);
            text.extend(line.newline.then_some(b'\n'));
        }
        at = before + hunk.old_lines as usize;
        new_at += gap + hunk.new_lines as usize;
    }
    Some(text)
}
