//! `text::patch` against what git, GNU diff and Python's difflib print.
//!
//! `REDLINE_TEST_REPOS` names the directory that holds `ripgrep.bundle`; without it the history
//! test says that it was not run. `REDLINE_PATCH_COMMITS` sets how many commits it takes.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use redline_text::patch::{
    ApplyError, Difference, FilePatch, PatchError, PatchStatus, apply, parse, reverse,
};
use tempfile::TempDir;

/// How many commits of ripgrep the history test takes; they cost a tenth of a second each.
const COMMITS: usize = 60;

fn isolated(program: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
    for (who, at) in [("AUTHOR", "1"), ("COMMITTER", "2")] {
        command.env(format!("GIT_{who}_NAME"), "N");
        command.env(format!("GIT_{who}_EMAIL"), "n@example.com");
        command.env(format!("GIT_{who}_DATE"), format!("170000000{at} +0000"));
    }
    command
}

/// Runs a program and returns its output; `ok` are the exit codes that are no failure.
fn run(mut command: Command, input: &[u8], ok: &[i32]) -> Vec<u8> {
    let shown = format!("{command:?}");
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    let _ = writer.join();
    let code = output.status.code().unwrap_or(-1);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(ok.contains(&code), "{shown}: {code}: {errors}");
    output.stdout
}

fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let mut command = isolated("git", dir);
    command.args(args);
    run(command, b"", &[0])
}

fn git_line(dir: &Path, args: &[&str]) -> String {
    let out = String::from_utf8(git(dir, args)).expect("UTF-8");
    out.trim_end().to_owned()
}

/// `git cat-file --batch`, asked for one blob at a time.
struct Blobs {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Blobs {
    fn open(dir: &Path) -> Self {
        let mut command = isolated("git", dir);
        let command = command.args(["cat-file", "--batch"]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("git starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    fn read(&mut self, oid: Option<&str>) -> Vec<u8> {
        let Some(oid) = oid else { return Vec::new() };
        writeln!(self.input, "{oid}").expect("git reads");
        let mut head = String::new();
        self.output.read_line(&mut head).expect("git answers");
        let size: Option<usize> = head.split(' ').nth(2).and_then(|s| s.trim().parse().ok());
        let mut content = vec![0; size.unwrap_or_else(|| panic!("{head}")) + 1];
        self.output.read_exact(&mut content).expect("git answers");
        content.pop();
        content
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the old and new contents of a file; a submodule's is the line git shows for it.
fn contents(blobs: &mut Blobs, file: &FilePatch<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut side = |oid: Option<&str>, mode: Option<u32>| match (oid, mode) {
        (Some(oid), Some(0o160_000)) => format!("Subproject commit {oid}\n").into_bytes(),
        _ => blobs.read(oid),
    };
    (side(file.old_oid, file.old_mode), side(file.new_oid, file.new_mode))
}

/// Applies every file of a `--full-index` patch forth, and its reverse back.
fn check_contents(blobs: &mut Blobs, patch: &[u8], what: &str) -> usize {
    let files = parse(patch).unwrap_or_else(|e| panic!("{what}: {e}"));
    let undo = reverse(patch).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(reverse(&undo).as_deref(), Ok(patch), "{what}: the reverse of the reverse");
    let back = parse(&undo).unwrap_or_else(|e| panic!("{what}: reversed: {e}"));
    assert_eq!(files.len(), back.len(), "{what}");
    for (file, from_new) in files.iter().map(|f| (f, false)).chain(back.iter().map(|f| (f, true))) {
        if file.is_binary {
            continue;
        }
        let (old, new) = match (file.old_oid, file.new_oid) {
            // Without an index line the contents stay.
            (None, None) => continue,
            _ => contents(blobs, file),
        };
        let found = apply(&old, file)
            .unwrap_or_else(|e| panic!("{what}: {:?} (reversed: {from_new}): {e}", file.new_path));
        assert!(found == new, "{what}: {:?} (reversed: {from_new})", file.new_path);
    }
    files.len()
}

/// One row of `git diff --raw -z`, changes of type split as the patch has them.
type Row = (PatchStatus, Option<u32>, Option<u32>, Option<Vec<u8>>, Option<Vec<u8>>, Option<u8>);

fn raw_rows(raw: &[u8]) -> Vec<Row> {
    let mut fields = raw.split(|&b| b == 0).filter(|f| !f.is_empty());
    let mut rows = Vec::new();
    while let Some(meta) = fields.next() {
        let meta = std::str::from_utf8(meta).expect("ASCII");
        let meta: Vec<&str> = meta.trim_start_matches(':').split(' ').collect();
        let mode = |at: usize| Some(u32::from_str_radix(meta[at], 8).expect("a mode"));
        let (old, new) = (mode(0), mode(1));
        let path = Some(fields.next().expect("a path").to_vec());
        let score = || meta[4][1..].parse().ok();
        match &meta[4][..1] {
            "A" => rows.push((PatchStatus::Added, None, new, None, path, None)),
            "D" => rows.push((PatchStatus::Deleted, old, None, path, None, None)),
            "T" => {
                rows.push((PatchStatus::Deleted, old, None, path.clone(), None, None));
                rows.push((PatchStatus::Added, None, new, None, path, None));
            }
            "M" => rows.push((PatchStatus::Modified, old, new, path.clone(), path, None)),
            "R" => {
                let to = Some(fields.next().expect("a path").to_vec());
                rows.push((PatchStatus::Renamed, old, new, path, to, score()));
            }
            "C" => {
                let to = Some(fields.next().expect("a path").to_vec());
                rows.push((PatchStatus::Copied, old, new, path, to, score()));
            }
            other => panic!("status {other}"),
        }
    }
    rows
}

fn patch_rows(files: &[FilePatch<'_>]) -> Vec<Row> {
    let path = |path: &Option<std::borrow::Cow<'_, [u8]>>| path.as_deref().map(<[u8]>::to_vec);
    let row = |f: &FilePatch<'_>| {
        let (old, new) = (path(&f.old_path), path(&f.new_path));
        (f.status, f.old_mode, f.new_mode, old, new, f.similarity)
    };
    files.iter().map(row).collect()
}

fn assert_same_rows(files: &[FilePatch<'_>], raw: &[u8], what: &str) {
    let (mut found, rows) = (patch_rows(files), raw_rows(raw));
    assert_eq!(found.len(), rows.len(), "{what}");
    for (found, row) in found.iter_mut().zip(&rows) {
        // What the patch does not say: the mode of a file that only moves. What `raw_rows` does not
        // read: the percentage of a rewrite.
        match found.0 {
            PatchStatus::Renamed if found.1.is_none() => (found.1, found.2) = (row.1, row.2),
            PatchStatus::Modified => found.5 = None,
            _ => {}
        }
        assert_eq!(found, row, "{what}");
    }
}

/// The files without what a reverse cannot know: line numbers of the patch, and the section text,
/// which git takes from the old file.
fn comparable<'a>(files: &[FilePatch<'a>]) -> Vec<FilePatch<'a>> {
    let mut files = files.to_vec();
    for file in &mut files {
        file.line = 0;
        for hunk in &mut file.hunks {
            (hunk.line, hunk.section) = (0, b"");
        }
    }
    files
}

#[test]
fn the_history_of_ripgrep_is_applied_and_undone() {
    let Some(directory) = std::env::var_os("REDLINE_TEST_REPOS") else {
        eprintln!("not run: REDLINE_TEST_REPOS, the directory of ripgrep.bundle, is not set");
        return;
    };
    let bundle = Path::new(&directory).join("ripgrep.bundle");
    let bundle = bundle.to_str().expect("a path in UTF-8");
    let wanted = std::env::var("REDLINE_PATCH_COMMITS").ok().and_then(|n| n.parse().ok());
    let wanted: usize = wanted.unwrap_or(COMMITS);
    let temp = TempDir::new().expect("a directory");
    git(temp.path(), &["clone", "-q", "--bare", bundle, "rg"]);
    let repo = temp.path().join("rg");
    let commits = git_line(&repo, &["rev-list", "--no-merges", "--min-parents=1", "--all"]);
    let commits: Vec<&str> = commits.lines().collect();
    // Evenly from the whole history.
    let step = (commits.len() / wanted).max(1);
    let commits: Vec<&str> = commits.iter().copied().step_by(step).take(wanted).collect();
    assert!(commits.len() >= wanted.min(300), "{} commits", commits.len());

    let mut blobs = Blobs::open(&repo);
    let mut count: HashMap<&str, usize> = HashMap::new();
    for commit in &commits {
        let parent = format!("{commit}^");
        let diff = |from: &str, to: &str, more: &[&str]| {
            let args = [&["diff", "--full-index", "--binary"][..], more, &[from, to]].concat();
            git(&repo, &args)
        };
        // The default has renames.
        let patch = diff(&parent, commit, &[]);
        *count.entry("files").or_default() += check_contents(&mut blobs, &patch, commit);
        *count.entry("bytes").or_default() += patch.len();
        let files = parse(&patch).expect("parsed above");
        *count.entry("hunks").or_default() += files.iter().map(|f| f.hunks.len()).sum::<usize>();
        let raw = git(&repo, &["diff", "--raw", "-z", &parent, commit]);
        assert_same_rows(&files, &raw, commit);

        for (renames, option) in [("with renames", "-M"), ("no renames", "--no-renames")] {
            let forth = diff(&parent, commit, &[option]);
            let back = diff(commit, &parent, &[option]);
            let undo = reverse(&forth).unwrap_or_else(|e| panic!("{commit}: {e}"));
            let (ours, gits) = (parse(&undo).expect("ours"), parse(&back).expect("git's"));
            let headers = |files: &[FilePatch<'_>]| {
                let mut files = comparable(files);
                files.iter_mut().for_each(|file| file.hunks.clear());
                format!("{files:?}")
            };
            let equal = comparable(&ours) == comparable(&gits);
            let kind = match () {
                () if undo == back => "bytes equal",
                () if equal => "equal but for section texts",
                () if headers(&ours) == headers(&gits) => "other hunks",
                () => "other files",
            };
            if option == "--no-renames" {
                assert_ne!(kind, "other files", "{commit}");
            }
            if !equal && std::env::var_os("REDLINE_SHOW").is_some() {
                eprintln!("{commit} {renames}: {kind}");
            }
            let name: &str = Box::leak(format!("reverse {renames}: {kind}").into_boxed_str());
            *count.entry(name).or_default() += 1;
        }

        // Git itself takes the reverse: the tree of the parent comes out.
        let index = temp.path().join("index");
        let with_index = |args: &[&str], input: &[u8]| {
            let mut command = isolated("git", &repo);
            command.args(args).env("GIT_INDEX_FILE", &index);
            run(command, input, &[0])
        };
        let undo = reverse(&patch).expect("reversed above");
        if !undo.is_empty() {
            with_index(&["read-tree", commit], b"");
            with_index(&["apply", "--cached", "--whitespace=nowarn"], &undo);
            let tree = String::from_utf8(with_index(&["write-tree"], b"")).expect("ASCII");
            let expected = git_line(&repo, &["rev-parse", &format!("{parent}^{{tree}}")]);
            assert_eq!(tree.trim(), expected, "{commit}: git applies the reverse");
        }

        let mail =
            git(&repo, &["format-patch", "--stdout", "--full-index", "--binary", "-1", commit]);
        match parse(&mail) {
            Ok(mailed) => {
                assert_eq!(comparable(&mailed), comparable(&files), "{commit}: format-patch");
                *count.entry("mails").or_default() += 1;
            }
            Err(PatchError::NoPatch { .. }) if files.is_empty() => {}
            // A message may quote a hunk or a diff; `git am` stumbles over it too.
            Err(error) => eprintln!("{commit}: format-patch: {error}"),
        }
    }
    let mut count: Vec<_> = count.into_iter().collect();
    count.sort_unstable();
    eprintln!("{} commits: {count:?}", commits.len());
}

/// Names that git quotes, or that a reader of headers could split in the wrong place.
#[cfg(unix)]
const ODD_NAMES: [&[u8]; 16] = [
    b"plain",
    b"with blank",
    b" lead",
    b"trail ",
    b"tab\there",
    b"new\nline",
    b"quote\"d",
    b"back\\slash",
    b"\xc3\xa9",
    b"\xff\xfe",
    b"a/x",
    b"b/x",
    b"dir and dir/x",
    b"-dash",
    b"a b/x b/x",
    b"\x01\x7f",
];

#[cfg(unix)]
fn odd_repository(repo: &Path) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let write = |name: &[u8], content: &[u8]| {
        let path = repo.join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, content).expect("a file");
    };
    let commit = |message: &str| {
        git(repo, &["add", "-A"]);
        git(repo, &["commit", "-q", "-m", message]);
    };
    git(repo, &["init", "-q", "-b", "main"]);
    git(repo, &["config", "core.autocrlf", "false"]);
    let body: String = (0..40).map(|n| format!("line {n}\n")).collect();
    for name in ODD_NAMES {
        write(name, body.as_bytes());
    }
    write(b"crlf", b"a\r\nb\r\nc\r\n");
    write(b"cr", b"a\rb\r\r\nc");
    write(b"none", b"a\nb");
    write(b"one", b"a\n");
    write(b"empty", b"");
    write(b"gone", b"x\n");
    write(b"gone empty", b"");
    write(b"bin", &(0..=255).collect::<Vec<u8>>());
    write(b"signature", b"-- \n2.47\n--- a\n+++ b\n@@ -1 +1 @@\n");
    write(b"mode", b"x\n");
    write(b"kind", b"x\n");
    write(b"rename me", body.as_bytes());
    commit("one");
    let changed = body.replace("line 20", "LINE 20").replace("line 35\n", "");
    for name in ODD_NAMES {
        write(name, changed.as_bytes());
    }
    write(b"crlf", b"a\r\nB\nc\r\n");
    write(b"cr", b"a\rb\r\r\nC");
    write(b"none", b"a\nb\n");
    write(b"one", b"a");
    write(b"empty", b"now\nnot");
    write(b"new empty", b"");
    write(b"new\tfile", b"\n\n");
    write(b"bin", &(0..=255).rev().collect::<Vec<u8>>());
    write(b"signature", b"2.47\n++ b\n--- a\n@@ -1 +1 @@\n-- \n");
    fs::remove_file(repo.join("gone")).expect("a file");
    fs::remove_file(repo.join("gone empty")).expect("a file");
    fs::set_permissions(repo.join("mode"), fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::remove_file(repo.join("kind")).expect("a file");
    symlink("plain", repo.join("kind")).expect("a link");
    fs::rename(repo.join("rename me"), repo.join("renamed \u{e9}")).expect("a file");
    write("renamed \u{e9}".as_bytes(), changed.as_bytes());
    git(repo, &["add", "-A"]);
    let cache = format!("160000,{},sub module", git_line(repo, &["rev-parse", "HEAD"]));
    git(repo, &["update-index", "--add", "--cacheinfo", &cache]);
    git(repo, &["commit", "-q", "-m", "two"]);
}

#[cfg(unix)]
#[test]
fn odd_paths_modes_and_endings_are_read_under_every_prefix_and_context() {
    let temp = TempDir::new().expect("a directory");
    let repo = temp.path();
    odd_repository(repo);
    let mut blobs = Blobs::open(repo);
    let mut checked = 0;
    for (from, to) in [("HEAD^", "HEAD"), ("HEAD", "HEAD^")] {
        for prefix in [
            "--default-prefix",
            "--no-prefix",
            "diff.mnemonicPrefix=true",
            "--src-prefix=old/",
            "core.quotePath=false",
        ] {
            for options in [
                &["-M"][..],
                &["--no-renames", "-U0"],
                &["-M20", "-U1", "--inter-hunk-context=9"],
                &["-B", "-M", "--patience"],
                &["-W", "-U50"],
                &["-R"],
                &["-U0", "--inter-hunk-context=30", "--binary"],
            ] {
                let set = if prefix.contains("=true") || prefix.contains("=false") {
                    prefix
                } else {
                    "x.y=z"
                };
                let mut args = vec!["-c", set, "diff", "--full-index"];
                match prefix {
                    "--src-prefix=old/" => args.extend([prefix, "--dst-prefix=newer/side/"]),
                    _ if prefix.starts_with("--") => args.push(prefix),
                    _ => {}
                }
                args.extend(options);
                let at = args.len();
                args.extend([from, to]);
                let patch = git(repo, &args);
                args.splice(at..at, ["--raw", "-z"]);
                // These ask for a patch, whatever else is asked for.
                args.retain(|arg| {
                    !["--bin", "-U", "-W"].iter().any(|start| arg.starts_with(start))
                });
                let what = format!("{args:?}");
                let files = parse(&patch).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_same_rows(&files, &git(repo, &args), &what);
                checked += check_contents(&mut blobs, &patch, &what);
            }
        }
    }
    eprintln!("{checked} odd files");
}

#[cfg(unix)]
#[test]
fn the_reverse_is_what_git_prints_for_the_sides_exchanged() {
    let temp = TempDir::new().expect("a directory");
    let repo = temp.path();
    odd_repository(repo);
    for options in [
        &["--no-renames"][..],
        &["-M", "--binary"],
        &["--no-prefix", "-M"],
        &["--src-prefix=x/", "--dst-prefix=y/z/", "-M"],
    ] {
        let diff = |sides: &[&str]| git(repo, &[&["diff"][..], options, sides].concat());
        let (forth, back) = (diff(&["HEAD^", "HEAD"]), diff(&["HEAD", "HEAD^"]));
        let undo = reverse(&forth).unwrap_or_else(|e| panic!("{options:?}: {e}"));
        let (undo, back) = (String::from_utf8_lossy(&undo), String::from_utf8_lossy(&back));
        // Where the text behind `@@` comes from differs, since git takes it from the old side.
        let plain = |text: &str| -> Vec<String> {
            let cut = |l: &str| match l.strip_prefix("@@ -").and_then(|l| l.split_once(" @@")) {
                Some((ranges, _)) => ranges.to_owned(),
                None => l.to_owned(),
            };
            text.lines().map(cut).collect()
        };
        for (ours, gits) in plain(&undo).iter().zip(&plain(&back)) {
            assert_eq!(ours, gits, "{options:?}");
        }
        assert_eq!(undo.lines().count(), back.lines().count());
    }
    // The index against the work tree has prefixes that name the sides.
    fs::write(repo.join("plain"), "x\n").expect("a file");
    let mnemonic = |more: &[&str]| {
        git(
            repo,
            &[&["-c", "diff.mnemonicPrefix=true", "diff"][..], more, &["--", "plain"]].concat(),
        )
    };
    assert_eq!(reverse(&mnemonic(&[])).as_deref(), Ok(&mnemonic(&["-R"])[..]));
}

#[cfg(unix)]
#[test]
fn mails_in_every_form_are_read() {
    let temp = TempDir::new().expect("a directory");
    let repo = temp.path();
    odd_repository(repo);
    let diff = git(repo, &["diff", "--full-index", "--binary", "HEAD^", "HEAD"]);
    let expected = comparable(&parse(&diff).expect("a diff"));
    for form in ["--stat", "--attach", "--inline", "--no-signature", "--signature=a\n-b\n c"] {
        let mail = git(repo, &["format-patch", "--stdout", "--full-index", "--binary", form, "-1"]);
        let files = parse(&mail).unwrap_or_else(|e| panic!("{form}: {e}"));
        assert_eq!(comparable(&files), expected, "{form}");
    }
    let log = git(repo, &["log", "-p", "--stat", "--full-index", "--binary", "--root"]);
    let root = git(repo, &["show", "--format=", "--full-index", "--binary", "HEAD^"]);
    let both = parse(&log).expect("a log").len();
    assert_eq!(both, expected.len() + parse(&root).expect("a root").len());
}

#[test]
fn gnu_diff_is_read_applied_and_undone() {
    let temp = TempDir::new().expect("a directory");
    let (old, new) = (temp.path().join("old"), temp.path().join("new"));
    let texts: &[(&str, &[u8], &[u8])] = &[
        ("x", b"a\nb\nc\nd\ne\nf\ng\nh\n", b"a\nB\nc\nd\ne\nf\ng\nh\ni\n"),
        ("crlf", b"a\r\nb\r\n", b"a\r\nc\r\n"),
        ("end", b"a\nb", b"a\nb\n"),
        ("end too", b"a\nb", b"c\nb"),
        ("sub/y", b"1\n", b"2\n"),
        ("\u{e9}\t", b"1\n", b"2\n"),
        ("bytes", b"\xff\n", b"\xfe\n"),
    ];
    for (name, a, b) in texts {
        for (root, content) in [(&old, a), (&new, b)] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, content).expect("a file");
        }
    }
    fs::write(old.join("gone"), "x\n").expect("a file");
    fs::write(new.join("come"), "x\n").expect("a file");
    fs::write(old.join("bin"), b"\0").expect("a file");
    fs::write(new.join("bin"), b"\0\0").expect("a file");
    let diff = |args: &[&str]| {
        let mut command = isolated("diff", temp.path());
        command.args(args);
        run(command, b"", &[1, 2])
    };
    for args in [
        &["-ru", "old", "new"][..],
        &["-rU0", "old", "new"],
        &["-ruNa", "old", "new"],
        &["-rup", "old", "new"],
    ] {
        let patch = diff(args);
        let files = parse(&patch).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        let text = files.iter().filter(|f| !f.is_binary).count();
        assert_eq!(text, texts.len() + if args[0] == "-ruNa" { 3 } else { 0 }, "{args:?}");
        assert_eq!(files.len() - text, usize::from(args[0] != "-ruNa"), "{args:?}");
        for (patch, reversed) in [(patch.clone(), false), (reverse(&patch).expect("an undo"), true)]
        {
            for file in parse(&patch).expect("a patch").iter().filter(|f| !f.is_binary) {
                let read = |path: &Option<std::borrow::Cow<'_, [u8]>>| match path {
                    None => Vec::new(),
                    Some(path) => {
                        let path = PathBuf::from(String::from_utf8_lossy(path).into_owned());
                        fs::read(temp.path().join(path)).expect("a file")
                    }
                };
                let (from, to) = (read(&file.old_path), read(&file.new_path));
                assert_eq!(apply(&from, file), Ok(to), "{args:?} {reversed} {:?}", file.old_path);
            }
        }
        assert_eq!(
            reverse(&reverse(&patch).expect("an undo")).map(|p| parse(&p).expect("a patch").len()),
            Ok(files.len())
        );
    }
}

#[test]
fn difflib_is_read_in_the_ways_people_print_it() {
    let temp = TempDir::new().expect("a directory");
    let script = r#"
import difflib, sys
a, b, how = sys.argv[1:]
if how == 'keepends':
    out = ''.join(difflib.unified_diff(a.splitlines(True), b.splitlines(True), 'a', 'b'))
elif how == 'nameless':
    out = ''.join(difflib.unified_diff(a.splitlines(True), b.splitlines(True)))
elif how == 'dated':
    out = ''.join(difflib.unified_diff(a.splitlines(True), b.splitlines(True), 'a/x', 'b/x', '2026-01-01', '2026-01-02', n=0))
elif how == 'lineterm':
    out = '\n'.join(difflib.unified_diff(a.splitlines(), b.splitlines(), 'a', 'b', lineterm=''))
else:
    out = '\n'.join(difflib.unified_diff(a.splitlines(), b.splitlines(), 'a', 'b'))
sys.stdout.buffer.write(out.encode())
"#;
    let many: String = (0..60).map(|n| format!("{n}\n")).collect();
    let changed = many.replace("\n7\n", "\n\n").replace("\n50\n", "\nx\ny\n");
    let blank = "\n\na\n\n".to_owned();
    for (a, b) in [
        ("a\nb\n".to_owned(), "a\nc\n".to_owned()),
        (many, changed),
        (blank.clone(), "\nb\n\n\n".to_owned()),
        (String::new(), blank),
        ("x\n".to_owned(), String::new()),
    ] {
        for how in ["keepends", "nameless", "dated", "lineterm", "joined"] {
            let mut command = isolated("python3", temp.path());
            command.args(["-c", script, &a, &b, how]);
            let patch = run(command, b"", &[0]);
            let files = parse(&patch).unwrap_or_else(|e| panic!("{how}: {e}"));
            let [file] = files.as_slice() else {
                panic!("{how}: {} files", files.len());
            };
            let new = apply(a.as_bytes(), file).unwrap_or_else(|e| panic!("{how}: {e}"));
            assert_eq!(String::from_utf8(new).as_deref(), Ok(b.as_str()), "{how}");
            let undo = reverse(&patch).unwrap_or_else(|e| panic!("{how}: {e}"));
            let old = apply(b.as_bytes(), &parse(&undo).expect("an undo")[0]);
            assert_eq!(old, Ok(a.clone().into_bytes()), "{how}");
        }
    }
}

/// A generator good enough to make edits from.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Damages patches that git printed, and compares the verdict with `git apply`.
#[test]
fn a_damaged_patch_is_judged_as_git_apply_judges_it() {
    let cases: usize =
        std::env::var("REDLINE_PATCH_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let temp = TempDir::new().expect("a directory");
    let dir = temp.path();
    git(dir, &["init", "-q", "-b", "main"]);
    let mut random = Random(7);
    let (mut both, mut neither, mut stricter, mut looser) = (0, 0, 0, 0);
    for case in 0..cases {
        let text = |random: &mut Random, from: &[String]| -> Vec<String> {
            let mut lines = from.to_vec();
            for _ in 0..1 + random.below(4) {
                let at = random.below(lines.len() + 1);
                match random.below(3) {
                    0 => lines.insert(at, format!("new {}", random.below(9))),
                    1 if at < lines.len() => drop(lines.remove(at)),
                    _ if at < lines.len() => lines[at] = "changed".to_owned(),
                    _ => {}
                }
            }
            lines
        };
        let join = |random: &mut Random, lines: &[String]| {
            let mut text: String = lines.iter().map(|l| format!("{l}\n")).collect();
            if random.below(4) == 0 {
                text.pop();
            }
            text
        };
        let old: Vec<String> = (0..random.below(30)).map(|n| format!("l{}", n % 11)).collect();
        let new = text(&mut random, &old);
        let (old, new) = (join(&mut random, &old), join(&mut random, &new));
        fs::write(dir.join("x"), &new).expect("a file");
        fs::write(dir.join("old"), &old).expect("a file");
        let mut command = isolated("git", dir);
        command.args(["diff", "--no-index", "--no-prefix", "old", "x"]);
        let patch = String::from_utf8(run(command, b"", &[0, 1])).expect("UTF-8");
        let mut lines: Vec<String> = patch.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            continue;
        }
        // Names and blobs are not what this is about.
        lines.drain(..lines.iter().position(|l| l.starts_with("--- ")).unwrap_or(0));
        if lines.len() < 3 {
            continue;
        }
        lines[0] = "--- a/x".to_owned();
        lines[1] = "+++ b/x".to_owned();
        for _ in 0..random.below(3) {
            let at = 2 + random.below(lines.len() - 2);
            match random.below(5) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, "\\ No newline at end of file".to_owned()),
                // Only counts: git looks for a hunk at its new start, redline at its old one.
                2 if lines[at].starts_with("@@") => lines[at] = lines[at].replace(",7", ",6"),
                2 => lines[at] = lines[at].replace(['1', '2'], "3"),
                3 => lines[at] = lines[at].replacen('+', " ", 1),
                _ => lines.swap(at, 2),
            }
            if lines.len() < 3 {
                break;
            }
        }
        let patch = lines.join("\n") + "\n";
        fs::write(dir.join("x"), &old).expect("a file");
        let mut command = isolated("git", dir);
        command.args(["apply", "--verbose", "--whitespace=nowarn", "-"]);
        let mut child =
            command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("git starts");
        child.stdin.take().expect("a pipe").write_all(patch.as_bytes()).expect("git reads");
        let output = child.wait_with_output().expect("git ends");
        let moved = String::from_utf8_lossy(&output.stderr).contains("offset");
        let git_result = (output.status.success() && !moved)
            .then(|| fs::read(dir.join("x")).unwrap_or_default());
        let mut choice = false;
        let ours = match parse(patch.as_bytes()) {
            Ok(files) => match files.as_slice() {
                [file] => apply(old.as_bytes(), file).map_err(|error| {
                    // Git compares bytes without looking for the end of the last line.
                    let newline = Difference::NewlineInText;
                    choice = matches!(&error, ApplyError::Mismatch { difference, .. } if *difference == newline);
                    error.to_string()
                }),
                _ => Err(format!("{} files", files.len())),
            },
            Err(error) => {
                // Where git reads on, drops lines or glues them: see `text::patch`.
                choice = matches!(error, PatchError::NoNewline { .. } | PatchError::HunkCounts { .. });
                Err(error.to_string())
            }
        };
        match (ours, git_result) {
            (Ok(ours), Some(gits)) => {
                assert_eq!(ours, gits, "case {case}:\n{old}\n{patch}");
                both += 1;
            }
            (Err(_), None) => neither += 1,
            (Err(error), Some(_)) => {
                if std::env::var_os("REDLINE_SHOW").is_some() {
                    eprintln!("stricter: {error}\n{old:?}\n{patch}");
                }
                assert!(choice, "case {case}: {error}\n{old}\n{patch}");
                stricter += 1;
            }
            (Ok(_), None) => {
                if std::env::var_os("REDLINE_SHOW").is_some() {
                    eprintln!(
                        "looser: {}\n{old:?}\n{patch}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                }
                looser += 1;
            }
        }
    }
    eprintln!("both {both}, neither {neither}, only git {stricter}, only redline {looser}");
    assert!(both > cases / 4);
}
