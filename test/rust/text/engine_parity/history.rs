//! Compares the commits of a real repository.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;

use redline_text::engine::Engine;

use super::git::{Case, git, hunks_by_name, unified};

/// Holds each modified file of the last `commits` commits against git, and panics where hunks
/// differ.
pub fn compare(repository: &Path, commits: u64, case: &Case) {
    let mut log = git(repository);
    log.args([
        "log",
        "--no-merges",
        "--format=commit %H",
        &format!("-{commits}"),
        "-p",
        "--full-index",
        "--diff-filter=M",
    ]);
    log.args(["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"])
        .args(case.arguments());
    let log = log.output().unwrap();
    assert!(log.status.success());
    let mut blobs = Blobs::open(repository);
    let mut engine = Engine::default();
    let (mut files, mut differing) = (0, Vec::new());
    for file in split_before(&log.stdout, b"diff --git ") {
        let Some((old, new)) = blob_names(file) else { continue };
        // The next commit's name follows the hunks of this one's last file.
        let end =
            file.windows(8).position(|eight| eight == b"\ncommit ").map_or(file.len(), |at| at + 1);
        let theirs = hunks_by_name(&file[..end]).into_values().next().unwrap_or_default();
        let theirs =
            theirs.strip_suffix(b"\n\n").map_or(&theirs[..], |text| &theirs[..text.len() + 1]);
        if theirs.is_empty() {
            continue;
        }
        files += 1;
        let (old, new) = (blobs.read(&old), blobs.read(&new));
        if unified(&mut engine, &old, &new, case) != theirs {
            differing.push(String::from_utf8_lossy(&file[..file.len().min(200)]).into_owned());
        }
    }
    eprintln!("{files} files of {commits} commits, {} differ: {case:?}", differing.len());
    assert!(differing.is_empty(), "{case:?}: hunks differ from git's for {differing:#?}");
}

fn split_before<'a>(text: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut starts: Vec<usize> = vec![];
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(mark) {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    starts.windows(2).map(|two| &text[two[0]..two[1]]).collect()
}

/// Returns the names on the `index old..new` line.
fn blob_names(file: &[u8]) -> Option<(String, String)> {
    let line =
        file.split(|&byte| byte == b'\n').take(4).find_map(|line| line.strip_prefix(b"index "))?;
    let line = String::from_utf8_lossy(line);
    let (old, new) = line.split(' ').next()?.split_once("..")?;
    Some((old.to_owned(), new.to_owned()))
}

/// One `git cat-file --batch` and what it said.
struct Blobs {
    child: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
    known: HashMap<String, Vec<u8>>,
}

impl Blobs {
    fn open(repository: &Path) -> Self {
        let mut child = git(repository)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers, known: HashMap::new() }
    }

    fn read(&mut self, name: &str) -> Vec<u8> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        writeln!(self.child.stdin.as_mut().unwrap(), "{name}").unwrap();
        let mut header = String::new();
        self.answers.read_line(&mut header).unwrap();
        let size: usize = header.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes).unwrap();
        bytes.pop();
        self.known.insert(name.to_owned(), bytes.clone());
        bytes
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
