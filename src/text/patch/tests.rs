//! Properties of parse, apply and reverse, with a small differ of their own.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{LineKind, apply, parse, reverse};

/// One line of an edit script.
#[derive(Clone, Debug)]
struct Step {
    kind: LineKind,
    text: String,
    newline: bool,
}

/// Prints an edit script as `git diff -U<context>` prints hunks.
fn print(steps: &[Step], context: usize) -> String {
    let changed: Vec<usize> =
        (0..steps.len()).filter(|&at| steps[at].kind != LineKind::Context).collect();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (start, end) = (at.saturating_sub(context), (at + context + 1).min(steps.len()));
        match spans.last_mut() {
            Some(span) if start <= span.1 => span.1 = end,
            _ => spans.push((start, end)),
        }
    }
    let count = |steps: &[Step], not: LineKind| steps.iter().filter(|s| s.kind != not).count();
    let mut out = String::new();
    if !spans.is_empty() {
        out += "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n";
    }
    for (start, end) in spans {
        let (before, hunk) = (&steps[..start], &steps[start..end]);
        let range = |not| match (count(before, not), count(hunk, not)) {
            (before, 0) => format!("{before},0"),
            (before, 1) => format!("{}", before + 1),
            (before, lines) => format!("{},{lines}", before + 1),
        };
        let (old, new) = (range(LineKind::Added), range(LineKind::Removed));
        writeln!(out, "@@ -{old} +{new} @@").expect("a String");
        let mut rest = hunk;
        while let Some(first) = rest.first() {
            let is_context = first.kind == LineKind::Context;
            let run = rest.iter().take_while(|s| (s.kind == LineKind::Context) == is_context);
            let (run, after) = rest.split_at(run.count());
            for (kind, mark) in
                [(LineKind::Context, ' '), (LineKind::Removed, '-'), (LineKind::Added, '+')]
            {
                for step in run.iter().filter(|s| s.kind == kind) {
                    writeln!(out, "{mark}{}", step.text).expect("a String");
                    if !step.newline {
                        out += "\\ No newline at end of file\n";
                    }
                }
            }
            rest = after;
        }
    }
    out
}

fn side(steps: &[Step], not: LineKind) -> String {
    let lines = steps.iter().filter(|s| s.kind != not);
    lines.map(|s| format!("{}{}", s.text, if s.newline { "\n" } else { "" })).collect()
}

/// Edit scripts whose lines look like parts of a patch, and whose files may lack the last newline.
fn scripts() -> impl Strategy<Value = Vec<Step>> {
    let text = prop::sample::select(vec![
        "",
        "a",
        "b",
        "\r",
        "x\r",
        " ",
        "-- ",
        "--- a",
        "++ b/x",
        "@@ -1 +1 @@",
        "\\ No",
        "é",
        "\t",
        "diff --git a/x b/x",
        "-- a/x",
        "+",
    ]);
    let kind = prop::sample::select(vec![
        LineKind::Context,
        LineKind::Context,
        LineKind::Context,
        LineKind::Removed,
        LineKind::Added,
    ]);
    let steps = prop::collection::vec((kind, text), 0..40);
    (steps, any::<(bool, bool)>()).prop_map(|(steps, (old_ends, new_ends))| {
        let mut steps: Vec<Step> = steps
            .into_iter()
            .map(|(kind, text)| Step { kind, text: text.to_owned(), newline: true })
            .collect();
        // A last line that both files share lacks its newline in both or in neither.
        let last = |not| steps.iter().rposition(|s| s.kind != not);
        let ends = [
            last(LineKind::Added).filter(|_| !old_ends),
            last(LineKind::Removed).filter(|_| !new_ends),
        ];
        for at in ends.into_iter().flatten() {
            let shared = steps[at].kind == LineKind::Context;
            // A line without content and newline does not exist.
            if !steps[at].text.is_empty() && (!shared || ends[0] == ends[1]) {
                steps[at].newline = false;
            }
        }
        steps
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn apply_and_reverse_are_inverse(steps in scripts(), context in 0_usize..5) {
        let (old, new) = (side(&steps, LineKind::Added), side(&steps, LineKind::Removed));
        let patch = print(&steps, context);
        let undo = reverse(patch.as_bytes()).expect("a reversible patch");
        prop_assert_eq!(reverse(&undo).expect("a reversible patch"), patch.as_bytes());
        let (there, back) = (parse(patch.as_bytes()).expect("a patch"), parse(&undo).expect("a patch"));
        prop_assert_eq!(there.len(), usize::from(!patch.is_empty()));
        if let ([there], [back]) = (there.as_slice(), back.as_slice()) {
            prop_assert_eq!(apply(old.as_bytes(), there), Ok(new.clone().into_bytes()), "{}", patch);
            prop_assert_eq!(apply(new.as_bytes(), back), Ok(old.into_bytes()), "{}", patch);
        }
    }

    #[test]
    fn a_damaged_patch_never_panics_and_never_invents(
        steps in scripts(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..6),
    ) {
        let mut patch = print(&steps, 3).into_bytes();
        for (at, byte, how) in damage {
            if patch.is_empty() {
                break;
            }
            let at = at.index(patch.len());
            match how {
                0 => patch[at] = byte,
                1 => patch.truncate(at),
                _ => drop(patch.drain(at..(at + usize::from(byte)).min(patch.len()))),
            }
        }
        let old = side(&steps, LineKind::Added);
        for file in parse(&patch).unwrap_or_default() {
            let lines: usize = file.hunks.iter().map(|h| h.lines.len()).sum();
            prop_assert!(lines <= patch.len());
            let _ = apply(old.as_bytes(), &file);
        }
        if let Ok(undo) = reverse(&patch) {
            // Text that reads as a patch is reversed into one with the same lines.
            let (there, back) = (parse(&patch).expect("read before"), parse(&undo));
            let back = back.unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&undo)));
            let lines = |files: &[super::FilePatch<'_>]| -> usize {
                files.iter().flat_map(|f| &f.hunks).map(|h| h.lines.len()).sum()
            };
            prop_assert_eq!(lines(&there), lines(&back));
        }
    }
}
