//! Properties of the unified diff: what it says, applied to the old text, is the new text.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use redline_text::unified::unified_diff;
use redline_text::{CancelToken, Diff, DiffOptions, Engine};

fn diff(old: &[u8], new: &[u8], context: Option<u32>) -> Vec<u8> {
    let options = DiffOptions { context, ..DiffOptions::default() };
    let diff = Diff::new(&mut Engine::default(), old, new, &options, &CancelToken::never())
        .expect("small texts");
    unified_diff(&diff, b"a/file", b"b/file", &CancelToken::never()).expect("no limit")
}

/// Texts of few different lines, so that they share many: with and without final newlines, with
/// CRLF, blank lines and characters beyond ASCII.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        "[ab]{0,2}",
        Just("é".to_owned()),
        Just("\t x".to_owned()),
        Just("-- a".to_owned())
    ];
    let end = prop_oneof![9 => Just("\n"), 1 => Just("\r\n")];
    (prop::collection::vec((line, end), 0..30), any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if !is_ended {
            text = text.trim_end_matches(['\r', '\n']).to_owned();
        }
        text.into_bytes()
    })
}

/// Applies a unified diff with nothing but its own numbers: a check that shares no code with the
/// writer.
fn apply(old: &[u8], patch: &[u8]) -> Vec<u8> {
    let old_lines: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    let patch_lines: Vec<&[u8]> = patch.split_inclusive(|&byte| byte == b'\n').collect();
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    let mut index = 2.min(patch_lines.len());
    while index < patch_lines.len() {
        let line = patch_lines[index];
        let next_is_unended =
            patch_lines.get(index + 1).is_some_and(|next| next.starts_with(b"\\"));
        let content = if next_is_unended { &line[1..line.len() - 1] } else { &line[1..] };
        match line[0] {
            b'@' => {
                let header = String::from_utf8_lossy(line);
                let range = header[4..].split(' ').next().expect("a range");
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().expect("a number");
                let first = if count == "0" { start } else { start - 1 };
                out.extend(old_lines[at..first].concat());
                at = first;
            }
            b' ' | b'-' => {
                assert_eq!(
                    old_lines[at], content,
                    "what is kept or removed must be in the old text"
                );
                if line[0] == b' ' {
                    out.extend(content);
                }
                at += 1;
            }
            b'+' => out.extend(content),
            b'\\' => {}
            other => panic!("a line of the diff starts with {other}"),
        }
        index += 1;
    }
    out.extend(old_lines[at..].concat());
    out
}

proptest! {
    #[test]
    fn applying_the_diff_to_the_old_text_gives_the_new_one(old in text(), new in text(), context in 0u32..12) {
        for context in [Some(context), None] {
            let patch = diff(&old, &new, context);
            prop_assert_eq!(patch.is_empty(), old == new);
            prop_assert_eq!(apply(&old, &patch), new.clone());
        }
    }
}

#[test]
fn git_apply_takes_the_output_back_to_the_exact_bytes() {
    let cases: &[(&[u8], &[u8])] = &[
        (b"one\ntwo\n", b"one\n2\n"),
        (b"no newline", b"a newline\n"),
        (b"a newline\n", b"no newline"),
        (b"one\r\ntwo\r\n", b"one\r\n2\r\n"),
        (b"x\n", b""),
        ("caf\u{e9}\n".as_bytes(), "\u{2192}\ncaf\u{e9}".as_bytes()),
        (b"a\nb\nc\nd\ne\nf\ng\nh\n", b"a\nB\nc\nd\ne\nf\nG\nh\n"),
    ];
    for (old, new) in cases {
        for context in [Some(0), Some(1), Some(3), None] {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("file");
            std::fs::write(&file, old).expect("a file");
            let mut git = Command::new("git")
                .args(["apply", "--unidiff-zero", "--whitespace=nowarn", "-"])
                .current_dir(directory.path())
                .env("GIT_CEILING_DIRECTORIES", directory.path().parent().expect("a parent"))
                .stdin(Stdio::piped())
                .spawn()
                .expect("git");
            git.stdin
                .take()
                .expect("a pipe")
                .write_all(&diff(old, new, context))
                .expect("git reads");
            assert!(git.wait().expect("git ends").success(), "{old:?} {new:?} {context:?}");
            // git removes a file that a patch without `diff --git` empties.
            assert_eq!(std::fs::read(&file).unwrap_or_default(), *new, "{context:?}");
        }
    }
}
