//! `edit::patches` against real commits: each patch gives the files that git has, in every format,
//! and damage changes nothing or lands where only one place fits.
//!
//! `REDLINE_TEST_REPOS` names the directory that holds `ripgrep.bundle`; without it this checkout's
//! history is taken. `REDLINE_PATCH_COMMITS` says how many commits [60].

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use redline_base::error::{ErrorKind, Result};
use redline_edit::FileName;
use redline_edit::patches::{
    ChangeKind, Decision, FileChange, FitOptions, Fitted, Hunk, decide, fit, read,
};
use redline_text::{CancelToken, LineKind};

const FILE: FileName<'static> = FileName { sandbox: "ws", relative: "file" };
const OPTIONS: FitOptions = FitOptions { fuzz: false, unidiff_zero: false, max_bytes: 1 << 26 };

fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// `git cat-file --batch`, asked for one file of a revision at a time.
struct Files {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Files {
    fn open(dir: &Path) -> Self {
        let mut command = git(dir);
        let piped =
            command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    /// Returns a file; `None` where there is none.
    fn read(&mut self, revision: &str, path: &str) -> Option<Vec<u8>> {
        writeln!(self.child.stdin.as_mut().unwrap(), "{revision}:{path}").unwrap();
        let mut head = String::new();
        self.answers.read_line(&mut head).unwrap();
        let size: usize = head.trim_end().rsplit(' ').next()?.parse().ok()?;
        let mut content = vec![0; size + 1];
        self.answers.read_exact(&mut content).unwrap();
        content.pop();
        Some(content)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A change with the file before and after it.
struct Case {
    what: String,
    change: FileChange,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

fn fitted(change: &FileChange, now: Option<&[u8]>, target: Option<&[u8]>) -> Result<Fitted> {
    fit(FILE, change, now, target, &OPTIONS, &CancelToken::never())
}

impl Case {
    fn forth(&self, change: &FileChange) -> Result<Fitted> {
        fitted(change, self.before.as_deref(), None)
    }

    /// Fits the change into the file that has it.
    fn again(&self) -> Result<Fitted> {
        let is_moved = matches!(&self.change.kind, ChangeKind::Update { moves_to: Some(_), .. });
        let (now, target) =
            if is_moved { (None, self.after.as_deref()) } else { (self.after.as_deref(), None) };
        fitted(&self.change, now, target)
    }
}

fn changes(patch: &str, what: &str) -> Vec<FileChange> {
    read(patch, &CancelToken::never()).unwrap_or_else(|error| panic!("{what}: {error}"))
}

fn cases(dir: &Path) -> Vec<Case> {
    let commits = std::env::var("REDLINE_PATCH_COMMITS").unwrap_or_else(|_| "60".to_owned());
    let log = git(dir)
        .args(["log", "--no-merges", "--min-parents=1", "--format=%H", "-n", &commits])
        .output()
        .unwrap();
    let mut files = Files::open(dir);
    let mut cases = Vec::new();
    for commit in String::from_utf8(log.stdout).unwrap().lines() {
        let parent = format!("{commit}~1");
        let patch =
            git(dir).args(["diff", "-M", "--full-index", &parent, commit]).output().unwrap();
        // Binary files and texts that are not UTF-8 are refused, which has its own tests.
        let Ok(patch) = String::from_utf8(patch.stdout) else { continue };
        if patch.is_empty() || patch.contains("\nBinary files ") || patch.contains(" 120000") {
            continue;
        }
        for change in changes(&patch, commit) {
            let before = files
                .read(&parent, &change.path)
                .filter(|_| !matches!(change.kind, ChangeKind::Create(_)));
            let after = change.new_path().and_then(|path| files.read(commit, path));
            cases.push(Case { what: format!("{commit} {}", change.path), change, before, after });
        }
    }
    cases
}

fn repository(keep: &Path) -> PathBuf {
    let Some(bundles) = std::env::var_os("REDLINE_TEST_REPOS") else {
        return Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    };
    let clone = keep.join("ripgrep.git");
    let bundle = Path::new(&bundles).join("ripgrep.bundle");
    let cloned = Command::new("git")
        .args(["-c", "init.defaultBranch=master", "clone", "-q", "--bare"])
        .args([&bundle, &clone])
        .status()
        .unwrap();
    assert!(cloned.success(), "{} cannot be cloned", bundle.display());
    clone
}

/// Returns the change in the format of OpenAI's models; `None` where it cannot say what the patch
/// says.
fn envelope(change: &FileChange) -> Option<String> {
    let ChangeKind::Update { hunks, moves_to } = &change.kind else { return None };
    let mut text = format!("*** Begin Patch\n*** Update File: {}\n", change.path);
    if let Some(path) = moves_to {
        text += &format!("*** Move to: {path}\n");
    }
    for hunk in hunks {
        text += "@@\n";
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            text += &format!("{}\n", line.text);
        }
    }
    Some(text + "*** End Patch\n")
}

fn blocks(change: &FileChange) -> Option<String> {
    let ChangeKind::Update { hunks, moves_to: None } = &change.kind else { return None };
    let side = |hunk: &Hunk, is_old: bool| -> String {
        let lines = hunk
            .lines
            .iter()
            .filter(|line| if is_old { line.kind.is_old() } else { line.kind.is_new() });
        lines.map(|line| format!("{}\n", line.text)).collect()
    };
    let block = |hunk: &Hunk| {
        format!(
            "<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
            side(hunk, true),
            side(hunk, false)
        )
    };
    let text = format!("{}\n{}", change.path, hunks.iter().map(block).collect::<String>());
    // A line of a file that is a mark is refused.
    (text.matches("\n=======\n").count() == hunks.len()).then_some(text)
}

/// Tells whether a hunk changes whether the file ends in a newline, which only unified diffs can
/// say.
fn changes_end(change: &FileChange) -> bool {
    let ChangeKind::Update { hunks, .. } = &change.kind else { return false };
    hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.lacks_newline)
}

#[test]
fn patches_of_real_commits_give_gits_files_in_every_format_and_are_known_when_they_are_made() {
    let keep = tempfile::tempdir().unwrap();
    let cases = cases(&repository(keep.path()));
    let (mut same, mut ambiguous, mut known, mut doubled) = (0, 0, 0, Vec::new());
    for case in &cases {
        let Case { what, change, after, .. } = case;
        let found = case.forth(change).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(found.content == *after, "{what}");
        let is_text_the_same = matches!(&change.kind, ChangeKind::Update { hunks, moves_to: None } if hunks.is_empty());
        let again = case.again().map(|fitted| decide(std::slice::from_ref(&fitted)));
        match again {
            Ok(Ok(Decision::AlreadyApplied)) => known += 1,
            Ok(Ok(Decision::Apply)) if !is_text_the_same => doubled.push(what),
            _ => {}
        }

        for text in [envelope(change), blocks(change)].into_iter().flatten() {
            if changes_end(change)
                || matches!(&change.kind, ChangeKind::Update { hunks, .. } if hunks.is_empty())
            {
                continue;
            }
            let [other] = &changes(&text, what)[..] else { panic!("{what}: {text}") };
            match case.forth(other) {
                Ok(found) => {
                    assert!(found.content == *after, "{what}: {text}");
                    same += 1;
                }
                Err(error) if error.kind() == ErrorKind::NotUnique => ambiguous += 1,
                Err(error) => panic!("{what}: {error}\n{text}"),
            }
        }
    }
    eprintln!(
        "{} files; {same} times the same without line numbers, {ambiguous} not unique; {known} known when made",
        cases.len()
    );
    assert!(cases.len() > 50 && same > 20 * ambiguous && 10 * known > 9 * cases.len());
    assert!(doubled.is_empty(), "made twice: {doubled:#?}");
}

/// Returns the patch of a change with other numbers in its headers.
fn unified(change: &FileChange, header: impl Fn(&Hunk) -> String) -> Option<String> {
    let ChangeKind::Update { hunks, moves_to: None } = &change.kind else { return None };
    let mut text = format!("--- a/{0}\n+++ b/{0}\n", change.path);
    for hunk in hunks {
        text += &header(hunk);
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            text += &format!("{}\n", line.text);
            text += if line.lacks_newline { "\\ No newline at end of file\n" } else { "" };
        }
    }
    Some(text).filter(|_| !hunks.is_empty())
}

#[test]
fn damaged_patches_of_real_commits_change_nothing_or_what_git_changes() {
    let keep = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for (number, case) in cases(&repository(keep.path())).iter().enumerate() {
        let start = |hunk: &Hunk| hunk.start.unwrap_or(0);
        let damaged = [
            unified(&case.change, |hunk| format!("@@ -{},1 +1,1 @@\n", start(hunk))),
            unified(&case.change, |hunk| format!("@@ -{},{number} +1,90 @@\n", start(hunk))),
            unified(&case.change, |_| "@@\n".to_owned()),
            unified(&case.change, |_| "@@ -90000,3 +1,3 @@ fn f()\n".to_owned()),
        ];
        for patch in damaged.into_iter().flatten() {
            tried += 1;
            let found = changes(&patch, &case.what);
            let [change] = &found[..] else { panic!("{}: {patch}", case.what) };
            match case.forth(change) {
                Ok(found) => assert!(found.content == case.after, "{}: {patch}", case.what),
                Err(error) => assert_eq!(
                    error.kind(),
                    ErrorKind::NotUnique,
                    "{}: {error}\n{patch}",
                    case.what
                ),
            }
        }
        // The wished state as context, and lines that somebody has changed since: nothing is made
        // of it.
        let Some(before) = case.before.as_deref().filter(
            |_| matches!(&case.change.kind, ChangeKind::Update { hunks, .. } if !hunks.is_empty()),
        ) else {
            continue;
        };
        tried += 1;
        let indented: Vec<u8> = before
            .split_inclusive(|&byte| byte == b'\n')
            .flat_map(|line| [b" ", line].concat())
            .collect();
        let found = fitted(&case.change, Some(&indented), None);
        let error = found.expect_err("no line is as it was");
        assert!(
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidArgs),
            "{}: {error}",
            case.what
        );
    }
    eprintln!("{tried} damaged patches");
    assert!(tried > 200);
}
