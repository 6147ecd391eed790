//! `text::merge` against `git merge-file`, byte by byte, and against the merges of commits, whose
//! level is another.
//!
//! `REDLINE_TRIPLES` says how many random triples each set of options has [50], and `REDLINE_SEED`
//! which is the first [0]: a failure names the seed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use redline_text::merge::{Favor, Level, Merge, MergeOptions, MergeStyle};
use redline_text::{Algorithm, CancelToken, Engine};

use crate::engine_parity::random::{Random, pair};

const NAMES: [&str; 3] = ["base", "ours", "theirs"];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Returns the three texts that a seed names: base, ours and theirs.
fn triple(seed: u64) -> [Vec<u8>; 3] {
    let r = &mut Random::new(seed + 77);
    let (base, ours) = pair(seed);
    let (base, ours) = (short(r, base), short(r, ours));
    let theirs = match seed % 3 {
        // What one seed makes of two texts has lines in common with both.
        0 => short(r, pair(seed + 1).1),
        1 => changed(r, &base),
        _ => changed(r, &ours),
    };
    let ours = if seed.is_multiple_of(2) { changed(r, &base) } else { ours };
    let mut texts = [base, ours, theirs];
    for text in &mut texts {
        end_lines(r, text);
    }
    texts
}

/// Cuts long texts: what is looked for are conflicts, not sizes.
fn short(r: &mut Random, mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(100 + r.below(1500));
    text
}

/// Changes some lines: few of them, or many that follow each other.
fn changed(r: &mut Random, text: &[u8]) -> Vec<u8> {
    let chance = *r.pick(&[2, 4, 10, 40]);
    let mut out = Vec::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match if r.one_in(chance) { r.below(5) } else { 9 } {
            0 => {}
            1 => out.extend_from_slice(b"}\n\n"),
            2 => out.extend([line, line].concat()),
            3 => out.extend([b"new\n", line].concat()),
            4 => out.extend_from_slice(["x\n", "y\n", "\n", "{\n"][r.below(4)].as_bytes()),
            _ => out.extend_from_slice(line),
        }
    }
    out
}

/// Mixes line endings, and lets the last line lack one.
fn end_lines(r: &mut Random, text: &mut Vec<u8>) {
    if r.one_in(3) {
        let chance = *r.pick(&[1, 1, 2, 5]);
        let mut out = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let plain = line.strip_suffix(b"\n").unwrap_or(line);
            out.extend_from_slice(plain);
            if plain.len() < line.len() {
                out.extend_from_slice(if r.one_in(chance) { b"\r\n" } else { b"\n" });
            }
        }
        *text = out;
    }
    if r.one_in(4) {
        text.pop();
    }
}

fn ours(texts: &[Vec<u8>; 3], options: &MergeOptions<'_>) -> (Vec<u8>, usize) {
    let cancel = CancelToken::never();
    let texts = texts.each_ref().map(Vec::as_slice);
    let merge = Merge::new(&mut Engine::default(), texts, options, &cancel).unwrap();
    (merge.text(options, &cancel).unwrap(), merge.conflicts().count())
}

/// Returns what `git merge-file -p` prints, and its number of conflicts.
fn gits(dir: &Path, options: &MergeOptions<'_>) -> (Vec<u8>, usize) {
    let [base, ours, theirs] = options.labels;
    let mut command = git(dir);
    command.args(["merge-file", "-p", "-L", ours, "-L", base, "-L", theirs]);
    command.arg(format!("--marker-size={}", options.marker_size));
    command.arg(format!("--diff-algorithm={:?}", options.algorithm).to_lowercase());
    command.args(match options.style {
        MergeStyle::Merge => None,
        MergeStyle::Diff3 => Some("--diff3"),
        MergeStyle::Zdiff3 => Some("--zdiff3"),
    });
    command.args(options.favor.map(|favor| format!("--{favor:?}").to_lowercase()));
    let output = command.args(["ours", "base", "theirs"]).output().unwrap();
    let code = output.status.code().unwrap();
    assert!(code <= 127, "{}", String::from_utf8_lossy(&output.stderr));
    (output.stdout, code as usize)
}

fn check(options: &MergeOptions<'_>, place: u64) {
    let triples = number("REDLINE_TRIPLES", 50);
    let first = number("REDLINE_SEED", 0) + if triples > 1 { place * triples } else { 0 };
    let dir = tempfile::tempdir().unwrap();
    let mut conflicted = 0;
    for seed in first..first + triples {
        let texts = triple(seed);
        for (name, text) in NAMES.iter().zip(&texts) {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let (found, conflicts) = ours(&texts, options);
        let (expected, expected_conflicts) = gits(dir.path(), options);
        let (found, expected) =
            (String::from_utf8_lossy(&found), String::from_utf8_lossy(&expected));
        assert!(found == expected, "seed {seed}, {options:?}:\n{found}\nis git's\n{expected}");
        assert_eq!(conflicts.min(127), expected_conflicts, "seed {seed}, {options:?}");
        conflicted += u64::from(conflicts > 0);
    }
    eprintln!("{triples} triples, {conflicted} with conflicts: {options:?}");
    assert!(options.favor.is_some() || triples < 50 || conflicted > triples / 4);
}

#[test]
fn random_triples_merge_as_in_git_with_each_style() {
    let styles = [MergeStyle::Merge, MergeStyle::Diff3, MergeStyle::Zdiff3];
    for (style, place) in styles.into_iter().zip(0..) {
        check(&MergeOptions { style, ..MergeOptions::default() }, place);
    }
}

#[test]
fn random_triples_merge_as_in_git_with_each_favor_and_algorithm() {
    let favors = [Favor::Ours, Favor::Theirs, Favor::Union];
    for (favor, place) in favors.into_iter().zip(3..) {
        check(&MergeOptions { favor: Some(favor), ..MergeOptions::default() }, place);
    }
    let algorithms = [Algorithm::Histogram, Algorithm::Patience, Algorithm::Minimal];
    for (algorithm, place) in algorithms.into_iter().zip(6..) {
        let labels = ["the base", "a b", "c"];
        let style = MergeStyle::Zdiff3;
        check(
            &MergeOptions { algorithm, marker_size: 12, labels, ..MergeOptions::default() },
            place,
        );
        check(&MergeOptions { algorithm, style, ..MergeOptions::default() }, place + 3);
    }
}

/// `git merge-tree` merges with histogram at the level of merges, which `git merge-file` cannot be
/// given.
#[test]
fn random_triples_merge_as_commits_do() {
    let triples = number("REDLINE_TRIPLES", 50);
    let dir = tempfile::tempdir().unwrap();
    assert!(git(dir.path()).args(["init", "-q", "--bare"]).status().unwrap().success());
    let first = number("REDLINE_SEED", 0) + 12 * triples;
    let all: Vec<_> = (first..first + triples).map(triple).collect();
    import(dir.path(), &all);
    let options = MergeOptions {
        level: Level::Zealous,
        algorithm: Algorithm::Histogram,
        labels: ["base", "ours", "theirs"],
        ..MergeOptions::default()
    };
    for (texts, seed) in all.iter().zip(first..) {
        let [base, ours_name, theirs_name] =
            ["base", "ours", "theirs"].map(|side| format!("{side}{seed}"));
        let output = git(dir.path())
            .args([
                "merge-tree",
                "--write-tree",
                &format!("--merge-base={base}"),
                &ours_name,
                &theirs_name,
            ])
            .output()
            .unwrap();
        let tree =
            String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        let file =
            git(dir.path()).args(["cat-file", "blob", &format!("{tree}:f")]).output().unwrap();
        assert!(file.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&output.stderr));
        let labels = [base.as_str(), &ours_name, &theirs_name];
        let (found, _) = ours(texts, &MergeOptions { labels, ..options });
        let (found, expected) =
            (String::from_utf8_lossy(&found), String::from_utf8_lossy(&file.stdout));
        assert!(found == expected, "seed {seed}:\n{found}\nis git's\n{expected}");
    }
}

/// Writes each text as a commit of its own.
fn import(dir: &Path, triples: &[[Vec<u8>; 3]]) {
    let mut stream = Vec::new();
    let first = number("REDLINE_SEED", 0) + 12 * number("REDLINE_TRIPLES", 50);
    for (texts, seed) in triples.iter().zip(first..) {
        for (name, text) in NAMES.iter().zip(texts) {
            let mut head = String::new();
            write!(head, "commit refs/heads/{name}{seed}\ncommitter N <n@example.com> 1 +0000\ndata 0\n\nM 644 inline f\ndata {}\n", text.len()).unwrap();
            stream.extend_from_slice(head.as_bytes());
            stream.extend_from_slice(text);
            stream.push(b'\n');
        }
    }
    let mut command = git(dir);
    let mut child = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&stream).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Without the base's part, the style diff3 is the level that it has.
#[test]
fn the_eager_level_has_the_conflicts_of_diff3() {
    for seed in 0..number("REDLINE_TRIPLES", 50) {
        let texts = triple(seed);
        let eager = MergeOptions { level: Level::Eager, ..MergeOptions::default() };
        let (found, conflicts) = ours(&texts, &eager);
        let (shown, shown_conflicts) =
            ours(&texts, &MergeOptions { style: MergeStyle::Diff3, ..MergeOptions::default() });
        let mut is_base = false;
        let without_base: Vec<u8> = shown
            .split_inclusive(|&byte| byte == b'\n')
            .filter(|line| {
                is_base =
                    (is_base && !line.starts_with(b"=======")) || line.starts_with(b"||||||| base");
                !is_base
            })
            .flatten()
            .copied()
            .collect();
        assert_eq!((found, conflicts), (without_base, shown_conflicts), "seed {seed}");
    }
}
