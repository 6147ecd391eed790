//! `git::index` against `git ls-files --stage --debug`, over indexes of every version and kind.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use redline_git::index;
use redline_git::store::Gate;
use redline_sandbox::Access;
use tempfile::TempDir;

pub fn git(dir: &Path, args: &[&str], input: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut child = Command::new("git")
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=N", "-c", "user.email=n@example.com"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Writes the entries as git's debugging output has them.
fn ours(repo: &Path, hash: gix::hash::Kind) -> String {
    let access = Arc::new(Access::new(true, &[]));
    let git_dir = Gate::new(&access, "repo")
        .open(&repo.join(".git"))
        .expect("access")
        .expect("a git directory");
    let file = index::open(&git_dir).expect("access");
    let read = file.map(|file| index::read(&git_dir, &file, hash, 2).expect("a sound index"));
    let read = read.unwrap_or_default();
    let mut text = String::new();
    for entry in read.entries {
        let index::Stat { changed, modified, device, inode, user, group, size } = entry.stat;
        let flags = u32::from(entry.flags.assume_valid) << 15
            | u32::from(entry.stage) << 12
            | u32::from(entry.flags.intent_to_add) << 29
            | u32::from(entry.flags.skip_worktree) << 30;
        let path = String::from_utf8_lossy(&entry.path);
        writeln!(text, "{} {} {} {path}", entry.entry.mode, entry.entry.oid, entry.stage).unwrap();
        writeln!(text, "{changed:?} {modified:?} {device} {inode} {user} {group} {size} {flags:x}")
            .unwrap();
    }
    text
}

fn theirs(repo: &Path) -> String {
    let out = git(repo, &["ls-files", "--stage", "--debug", "--sparse", "-z"], "");
    let mut text = String::new();
    let mut rest = out.as_slice();
    while let Some(end) = rest.iter().position(|&byte| byte == 0) {
        let entry = String::from_utf8_lossy(&rest[..end]).replace('\t', " ");
        rest = &rest[end + 1..];
        let mut numbers = Vec::new();
        for _ in 0..5 {
            let end = rest.iter().position(|&byte| byte == b'\n').expect("a line");
            let line = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            const NAMES: [&str; 8] =
                ["ctime", "mtime", "dev", "ino", "uid", "gid", "size", "flags"];
            let words = line
                .split([' ', '\t', ':'])
                .filter(|word| !word.is_empty() && !NAMES.contains(word));
            numbers.extend(words.map(str::to_owned));
        }
        let [c, cn, m, mn, dev, ino, uid, gid, size, flags] = &numbers[..] else {
            panic!("{numbers:?}")
        };
        // The others are about what git has in memory.
        let flags = u32::from_str_radix(flags, 16).expect("hexadecimal") & 0x6000_B000;
        writeln!(text, "{entry}").unwrap();
        writeln!(text, "({c}, {cn}) ({m}, {mn}) {dev} {ino} {uid} {gid} {size} {flags:x}").unwrap();
    }
    text
}

fn write(repo: &Path, name: &str, content: &str) {
    let path = repo.join(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, content).expect("a file");
}

fn repository(args: &[&str]) -> TempDir {
    let temp = tempfile::tempdir().expect("a directory");
    let repo = temp.path();
    git(repo, &[&["init", "--quiet"], args].concat(), "");
    for at in 0..300 {
        write(repo, &format!("d{}/e{}/file{at}", at % 7, at % 3), &format!("{at}\n"));
    }
    write(repo, "a.long.name.to.cut", "x");
    git(repo, &["add", "."], "");
    git(repo, &["commit", "--quiet", "-m", "c"], "");
    temp
}

#[test]
fn entries_of_every_version_are_those_of_git() {
    for hash in ["sha1", "sha256"] {
        for version in ["2", "4"] {
            let temp = repository(&["--object-format", hash]);
            let repo = temp.path();
            let kind = if hash == "sha1" { gix::hash::Kind::Sha1 } else { gix::hash::Kind::Sha256 };
            git(repo, &["update-index", "--index-version", version], "");
            let check =
                |what: &str| assert_eq!(ours(repo, kind), theirs(repo), "{hash} {version} {what}");
            check("plain");
            git(repo, &["update-index", "--assume-unchanged", "d0/e0/file0"], "");
            check("assumed");
            // From here on version 2 becomes 3.
            git(repo, &["update-index", "--skip-worktree", "d1/e1/file1"], "");
            write(repo, "intended", "x");
            git(repo, &["add", "--intent-to-add", "intended"], "");
            check("flags");
            let oid = String::from_utf8(git(repo, &["rev-parse", "HEAD:d2/e2/file2"], "")).unwrap();
            let stages: String = (1..=3)
                .map(|stage| format!("100644 {} {stage}\tin conflict\n", oid.trim()))
                .collect();
            git(repo, &["update-index", "--index-info"], &stages);
            check("conflict");
            git(
                repo,
                &[
                    "-c",
                    "index.threads=4",
                    "-c",
                    "index.skipHash=true",
                    "update-index",
                    "--force-write-index",
                ],
                "",
            );
            check("without a checksum");
            git(repo, &["update-index", "--index-version", version, "--untracked-cache"], "");
            git(repo, &["status"], "");
            check("with extensions");
        }
    }
}

#[test]
fn a_split_index_is_that_of_git() {
    for version in ["2", "4"] {
        let temp = repository(&[]);
        let repo = temp.path();
        let check = |what: &str| {
            assert_eq!(ours(repo, gix::hash::Kind::Sha1), theirs(repo), "{version} {what}");
            let index = fs::read(repo.join(".git/index")).expect("an index");
            assert!(index.windows(4).any(|name| name == b"link"), "{what}: the index is not split");
        };
        git(repo, &["config", "core.splitIndex", "true"], "");
        git(repo, &["config", "splitIndex.maxPercentChange", "100"], "");
        git(repo, &["update-index", "--index-version", version], "");
        git(repo, &["update-index", "--split-index"], "");
        check("nothing changed");
        for at in (0..300).step_by(7) {
            write(repo, &format!("d{}/e{}/file{at}", at % 7, at % 3), "changed\n");
        }
        git(repo, &["add", "--update"], "");
        check("replaced");
        git(repo, &["rm", "-r", "--quiet", "--cached", "d3/e1", "a.long.name.to.cut"], "");
        check("deleted");
        for name in ["0", "d3/e1/between", "d3/e1/file10", "z"] {
            write(repo, name, name);
        }
        git(repo, &["add", "."], "");
        git(repo, &["update-index", "--skip-worktree", "d1/e1/file1"], "");
        check("added");
        let oid = String::from_utf8(git(repo, &["rev-parse", "HEAD:d2/e2/file2"], "")).unwrap();
        let zeros = "0".repeat(40);
        let stages: String =
            (1..=3).map(|stage| format!("100644 {} {stage}\td2/e2/file2\n", oid.trim())).collect();
        git(repo, &["update-index", "--index-info"], &format!("0 {zeros}\td2/e2/file2\n{stages}"));
        check("conflict");
        git(repo, &["add", "d2/e2/file2"], "");
        check("resolved");
    }
}

#[test]
fn a_sparse_index_is_that_of_git() {
    for version in ["2", "4"] {
        let temp = repository(&[]);
        let repo = temp.path();
        git(repo, &["update-index", "--index-version", version], "");
        git(repo, &["sparse-checkout", "set", "--cone", "--sparse-index", "d1/e2", "d4"], "");
        let found = ours(repo, gix::hash::Kind::Sha1);
        assert!(found.contains("040000"), "no directory was tried");
        assert_eq!(found, theirs(repo), "{version}");
    }
}
