//! Runs git over two directories and prints our hunks the way it does.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use redline_text::engine::{Algorithm, CancelToken, Engine, Options, Whitespace};
use redline_text::hunk::hunks;
use redline_text::lines::Lines;

/// What git is asked for.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub algorithm: Algorithm,
    pub whitespace: Whitespace,
    pub context: u32,
    pub inter_hunk_context: u32,
    pub ignore_blank_lines: bool,
}

impl Case {
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("-U{}", self.context),
            format!("--inter-hunk-context={}", self.inter_hunk_context),
        ];
        arguments
            .push(format!("--diff-algorithm={}", format!("{:?}", self.algorithm).to_lowercase()));
        let whitespace = match self.whitespace {
            Whitespace::Exact => None,
            Whitespace::All => Some("-w"),
            Whitespace::Change => Some("-b"),
            Whitespace::Eol => Some("--ignore-space-at-eol"),
            Whitespace::CrAtEol => Some("--ignore-cr-at-eol"),
        };
        arguments.extend(whitespace.map(str::to_owned));
        if self.ignore_blank_lines {
            arguments.push("--ignore-blank-lines".to_owned());
        }
        arguments
    }

    pub fn options(&self) -> Options {
        Options {
            algorithm: self.algorithm,
            whitespace: self.whitespace,
            ignore_blank_lines: self.ignore_blank_lines,
            trim_tail: self.context == 0,
            is_lowest: false,
        }
    }
}

/// Returns a git that no configuration of the machine or the user reaches.
pub fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Compares the files of the same name below `a` and `b`; returns their number and the names that
/// differ.
pub fn compare_trees(dir: &Path, case: &Case) -> (usize, Vec<String>) {
    let output = git(dir)
        .args([
            "diff",
            "--no-index",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-renames",
            "--text",
        ])
        .args(case.arguments())
        .args(["a", "b"])
        .output()
        .unwrap();
    assert!(output.status.code() < Some(2), "git: {}", String::from_utf8_lossy(&output.stderr));
    let theirs = hunks_by_name(&output.stdout);
    let mut engine = Engine::default();
    let mut differing = Vec::new();
    let mut pairs = 0;
    for entry in fs::read_dir(dir.join("a")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let [old, new] = ["a", "b"].map(|side| fs::read(dir.join(side).join(&name)).unwrap());
        let ours = unified(&mut engine, &old, &new, case);
        if theirs.get(&name).map_or(&[][..], Vec::as_slice) != ours {
            differing.push(name);
        }
        pairs += 1;
    }
    differing.sort();
    (pairs, differing)
}

/// Cuts git's output into the hunks of each file, without the headings behind the second `@@`.
pub fn hunks_by_name(output: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut name = String::new();
    let mut in_hunk = false;
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        if let Some(header) = line.strip_prefix(b"diff --git ") {
            let header = String::from_utf8_lossy(header);
            name = header.trim_end().rsplit(" b/").next().unwrap().to_owned();
            name = name.strip_prefix("b/").unwrap_or(&name).to_owned();
            in_hunk = false;
        }
        let file: &mut Vec<u8> = files.entry(name.clone()).or_default();
        if line.starts_with(b"@@ ") {
            in_hunk = true;
            let end = line.windows(3).skip(1).position(|three| three == b" @@").unwrap() + 4;
            file.extend_from_slice(&line[..end]);
            file.push(b'\n');
        } else if in_hunk {
            file.extend_from_slice(line);
        }
    }
    files
}

/// Prints the engine's hunks the way git does, without headings.
pub fn unified(engine: &mut Engine, old: &[u8], new: &[u8], case: &Case) -> Vec<u8> {
    let cancel = CancelToken::never();
    let (old, new) = (Lines::split(old, &cancel).unwrap(), Lines::split(new, &cancel).unwrap());
    let changes = engine.diff(&old, &new, &case.options(), &cancel).unwrap();
    let mut text = Vec::new();
    let (old_len, new_len) = (old.len() as u32, new.len() as u32);
    for hunk in
        hunks(&changes, old_len, new_len, Some(case.context), case.inter_hunk_context, &cancel)
            .unwrap()
    {
        writeln!(text, "@@ -{} +{} @@", numbers(&hunk.old), numbers(&hunk.new)).unwrap();
        let mut at = hunk.new.start;
        for change in &changes[hunk.changes] {
            print(&mut text, b' ', &new, at..change.new.start);
            print(&mut text, b'-', &old, change.old.clone());
            print(&mut text, b'+', &new, change.new.clone());
            at = change.new.end;
        }
        print(&mut text, b' ', &new, at..hunk.new.end);
    }
    text
}

fn print(text: &mut Vec<u8>, sign: u8, lines: &Lines<'_>, range: Range<u32>) {
    for line in range {
        let line = lines.get(line as usize);
        text.push(sign);
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

fn numbers(range: &Range<u32>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    match range.len() {
        1 => format!("{start}"),
        lines => format!("{start},{lines}"),
    }
}
