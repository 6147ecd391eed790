//! Paths that an agent could give, against a sandbox with everything in it that leads out.
//!
//! What must not be read holds [`MARKER`]; the tables say with which code each path is answered.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redline_base::error::{Error, ErrorKind};
use redline_sandbox::{Access, OpenError, Sandboxes};

const MARKER: &str = "MARKER of what lies outside";
const DENIED: ErrorKind = ErrorKind::FsDenied;
const FAILED: ErrorKind = ErrorKind::ToolFailed;
const MISSING: ErrorKind = ErrorKind::NotFound;

/// A directory `root`, which is the sandbox `ws`, another of which `docs` has the *.md alone, and
/// their neighbours.
struct World {
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let world = Self { directory };
        world.file("root/a.txt", "inside");
        world.file("root/sub/b.txt", "inside");
        world.file("root/sub/deep/c.txt", "inside");
        world.file("root/a.md", "inside");
        world.file("documents/a.md", "inside");
        world.file("documents/a.txt", MARKER);
        world.file("documents/sub/marker", MARKER);
        world.file("root/large.txt", &MARKER.repeat(100));
        for outside in [
            "outside/marker",
            "outside/sub/marker",
            "root-evil/marker",
            "root.txt",
            "ws/a.txt",
            "marker",
        ] {
            world.file(outside, MARKER);
        }
        for (link, target) in [
            ("link", "../outside/marker"),
            ("link-directory", "../outside"),
            ("link-parent", ".."),
            ("link-evil", "../root-evil"),
            ("link-inside", "a.txt"),
            ("link-inside-directory", "sub"),
            ("link-here", "."),
            ("link-nowhere", "../outside/nothing"),
            ("link-link", "link-directory"),
            ("loop", "loop"),
            ("loop-a", "loop-b"),
            ("loop-b", "loop-a"),
            ("sub/deep/link", "../../../outside"),
            ("root-of-all", "/"),
            ("process", "/proc/self/root"),
        ] {
            symlink(target, world.path("root").join(link)).unwrap();
        }
        symlink(world.path("outside/marker"), world.path("root/link-absolute")).unwrap();
        symlink(world.path("root/a.txt"), world.path("root/link-absolute-inside")).unwrap();
        // Repositories by another name than .git, and the directory of a linked work tree.
        for file in ["bare.git", "plain", "sub/vendored"] {
            world.file(&format!("root/{file}/HEAD"), MARKER);
            world.file(&format!("root/{file}/config"), MARKER);
            world.file(&format!("root/{file}/hooks/post-commit"), MARKER);
            fs::create_dir(world.path(&format!("root/{file}/objects"))).unwrap();
            fs::create_dir(world.path(&format!("root/{file}/refs"))).unwrap();
        }
        world.file("root/linked/HEAD", MARKER);
        world.file("root/linked/commondir", MARKER);
        let made = std::process::Command::new("mkfifo").arg(world.path("root/fifo")).status();
        assert!(made.unwrap().success());
        std::os::unix::net::UnixListener::bind(world.path("root/socket")).unwrap();
        world
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    fn file(&self, relative: &str, content: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn sandboxes(&self) -> Sandboxes {
        let json = format!(
            r#"[{{"name":"ws","root":"{root}","mode":"rw"}},{{"name":"docs","root":"{documents}","suffixes":[".md"]}}]"#,
            root = self.path("root").display(),
            documents = self.path("documents").display()
        );
        Sandboxes::open(&json, 1000, |_| true).unwrap()
    }

    /// Reads by a path; whatever comes back tells nothing of what must not be read.
    fn read(&self, given: &str) -> Result<Vec<u8>, Error> {
        let sandboxes = self.sandboxes();
        let read = sandboxes.resolve(given).and_then(|place| place.read());
        let shown = match &read {
            Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Err(error) => error.to_string(),
        };
        assert!(!shown.contains("MARKER"), "{given:?}: {shown}");
        // Where the root lies is not told either, but what the path itself says.
        let root = self.directory.path().to_str().unwrap();
        assert!(given.contains(root) || !shown.contains(root), "{given:?}: {shown}");
        read
    }

    fn assert_refused(&self, given: &str, kind: ErrorKind) -> String {
        let error = self.read(given).expect_err(given);
        assert_eq!(error.kind(), kind, "{given:?}: {error}");
        if kind == DENIED {
            let allowed = "Readable beneath: ws/ (rw, up to 1000 bytes), docs/ (ro, only *.md, up to 1000 bytes).";
            let words = error.to_string();
            // Of a path that starts with no sandbox, the one that was perhaps meant: it may be
            // read.
            let (said, meant) = words.split_once(" Did you mean '").unwrap_or((&words, ""));
            assert!(said.ends_with(allowed), "{given:?}: {error}");
            assert!(meant.is_empty() || self.read(meant.trim_end_matches("'?")).is_ok(), "{words}");
        }
        error.to_string()
    }
}

#[test]
fn files_inside_are_read() {
    let world = World::new();
    for path in ["ws/a.txt", "ws/sub/b.txt", "ws/sub/deep/c.txt", "ws/a.md", "docs/a.md"] {
        assert_eq!(world.read(path).unwrap(), b"inside", "{path}");
    }
    // By an absolute path, and with a slash before the sandbox's name.
    let root = world.path("root").canonicalize().unwrap();
    for path in [format!("{}/sub/b.txt", root.display()), "/ws/sub/b.txt".to_owned()] {
        assert_eq!(world.read(&path).unwrap(), b"inside", "{path}");
    }
    let state = |path| world.sandboxes().resolve(path).unwrap().open().unwrap().state;
    let alone = state("ws/a.txt");
    assert_eq!((alone.size, alone.links), (6, 1));
    // A second name of a file is read, and told to whoever wants to write.
    fs::hard_link(world.path("root/a.txt"), world.path("root/second.txt")).unwrap();
    let both = [state("ws/a.txt"), state("ws/second.txt")];
    assert_eq!(both[0], both[1]);
    assert_eq!((both[0].inode, both[0].links), (alone.inode, 2));
}

/// Paths that need nothing on the disk to be refused, and what they would mean there.
fn impossible(world: &World) -> Vec<(String, ErrorKind)> {
    let root = world.path("root").display().to_string();
    let outside = world.path("outside").display().to_string();
    let rows: &[(&str, ErrorKind)] = &[
        // `..` in every position
        ("..", DENIED),
        ("../outside/marker", DENIED),
        ("ws/..", DENIED),
        ("ws/../outside/marker", DENIED),
        ("ws/../root-evil/marker", DENIED),
        ("ws/sub/../../outside/marker", DENIED),
        ("ws/sub/../a.txt", DENIED),
        ("ws/a.txt/..", DENIED),
        ("ws/a.txt/../a.txt", DENIED),
        ("ws/missing/../../outside/marker", DENIED),
        ("ws/link-directory/../root/a.txt", DENIED),
        ("../ws/a.txt", DENIED),
        ("ws/..\\outside\\marker", DENIED),
        // absolute, `//`, `.`, a slash at the end
        ("/", DENIED),
        ("/etc/hostname", DENIED),
        ("ROOT", DENIED),
        ("ROOT/", DENIED),
        ("ROOT/../outside/marker", DENIED),
        ("ROOT/sub/../../outside/marker", DENIED),
        ("ROOT/./a.txt", DENIED),
        ("ROOT/sub/../a.txt", DENIED),
        ("ROOT/../root/a.txt", DENIED),
        ("/ROOT/a.txt", DENIED),
        ("OUTSIDE/marker", DENIED),
        ("ROOT-evil/marker", DENIED),
        ("//etc/hostname", DENIED),
        ("//ws/a.txt", DENIED),
        ("/ws/../outside/marker", DENIED),
        ("/ws", DENIED),
        ("/WS/a.txt", DENIED),
        ("ws//a.txt", DENIED),
        ("ws//etc/hostname", DENIED),
        ("ws/OUTSIDE/marker", DENIED),
        ("ws/sub//b.txt", DENIED),
        (".", DENIED),
        ("./ws/a.txt", DENIED),
        ("./root/a.txt", DENIED),
        ("ws/.", DENIED),
        ("ws/./a.txt", DENIED),
        ("ws/sub/./b.txt", DENIED),
        ("ws/a.txt/.", DENIED),
        ("ws/a.txt/", DENIED),
        ("ws/sub/", DENIED),
        ("ws/", DENIED),
        ("ws", DENIED),
        // names of sandboxes that are none
        ("", ErrorKind::InvalidArgs),
        ("a.txt", DENIED),
        ("root/a.txt", DENIED),
        ("WS/a.txt", DENIED),
        ("ws2/a.txt", DENIED),
        (" ws/a.txt", DENIED),
        ("ws /a.txt", DENIED),
        ("ws:/a.txt", DENIED),
        ("w/s/a.txt", DENIED),
        ("ws-evil/marker", DENIED),
        ("~/a.txt", DENIED),
        ("file:ws/a.txt", DENIED),
        ("file:///etc/hostname", DENIED),
        ("s3://ws/a.txt", DENIED),
        ("\\\\server\\share", DENIED),
        ("C:/Windows/win.ini", DENIED),
        // NUL, and what is too long
        ("ws/a.txt\0", DENIED),
        ("ws/a\0.txt", DENIED),
        ("ws\0/a.txt", DENIED),
        ("ws/LONG", DENIED),
        ("ws/DEEP", DENIED),
    ];
    rows.iter()
        .map(|(path, kind)| {
            let path = path.replace("ROOT", &root).replace("OUTSIDE", &outside);
            (path.replace("LONG", &"x".repeat(300)).replace("DEEP", &"d/".repeat(3000)), *kind)
        })
        .collect()
}

/// Paths of links, special files and parts of repositories, which stand on the disk.
const PLANTED: &[(&str, ErrorKind)] = &[
    ("ws/link", DENIED),
    ("ws/link-absolute", DENIED),
    ("ws/link-absolute-inside", DENIED),
    ("ws/link-inside", DENIED),
    ("ws/link-nowhere", DENIED),
    ("ws/link-directory", DENIED),
    ("ws/link-directory/marker", DENIED),
    ("ws/link-directory/sub/marker", DENIED),
    ("ws/link-directory/missing", DENIED),
    ("ws/link-parent/outside/marker", DENIED),
    ("ws/link-parent/missing", DENIED),
    ("ws/link-evil/marker", DENIED),
    ("ws/link-inside-directory/b.txt", DENIED),
    ("ws/link-here/a.txt", DENIED),
    ("ws/link-link/marker", DENIED),
    ("ws/link/marker", DENIED),
    ("ws/loop", DENIED),
    ("ws/loop/a.txt", DENIED),
    ("ws/loop-a", DENIED),
    ("ws/sub/deep/link/marker", DENIED),
    ("ws/root-of-all/etc/hostname", DENIED),
    ("ws/process/etc/hostname", DENIED),
    ("ws/bare.git/config", DENIED),
    ("ws/bare.git/hooks/post-commit", DENIED),
    ("ws/plain/config", DENIED),
    ("ws/plain/HEAD", DENIED),
    ("ws/plain/hooks/post-commit", DENIED),
    ("ws/plain/missing", DENIED),
    ("ws/sub/vendored/config", DENIED),
    ("ws/linked/HEAD", DENIED),
    ("ws/sub", FAILED),
    ("ws/sub/deep", FAILED),
    ("ws/fifo", FAILED),
    ("ws/socket", FAILED),
    ("ws/large.txt", ErrorKind::TooLarge),
    ("ws/missing", MISSING),
    ("ws/missing/a.txt", MISSING),
    ("ws/a.txt/b", MISSING),
    ("ws/A.TXT", MISSING),
    ("docs/a.txt", DENIED),
    ("docs/sub", DENIED),
    ("docs/missing.md", MISSING),
];

/// Paths that are refused for their names, which a disk may hold.
const NAMED: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/HEAD",
    ".GIT/config",
    ".Git/config",
    "sub/.git/config",
    ".git./config",
    ".git /config",
    ".git..  /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    ".g\u{200c}it/config",
    ".git\u{feff}/config",
    "git~1/config",
    "GIT~1/config",
    "GI7EBA~1/config",
    ".gıt/config",
    ".gitconfig",
    ".gitmodules",
    ".husky/pre-commit",
    ".githooks/pre-commit",
    ".hg/hgrc",
    ".jj/repo/config",
    ".mcp.json",
    "sub/.mcp.json",
    ".MCP.json",
    ".mcp.jſon",
    "MCP~1.JSO",
    ".mcp.json.",
    ".claude/settings.json",
    ".Claude/settings.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".curſor/mcp.json",
    ".vscode/tasks.json",
    "a.txt::$DATA",
    "a.txt:stream",
    "sub\\b.txt",
    "new\nline.txt",
    "carriage\rreturn.txt",
    "tab\tulator.txt",
    "escape\u{1b}[31m.txt",
    "right\u{202e}txt.exe",
    "isolate\u{2066}.txt",
    "zero\u{200b}width.txt",
    "soft\u{ad}hyphen.txt",
    "mark\u{fe0f}.txt",
    "next\u{85}line.txt",
    "separator\u{2028}.txt",
    "filler\u{3164}.txt",
    "tag\u{e0041}.txt",
];

// Promise (sandbox): More than 140 paths (`..` in each position, absolute, `//`, `.`, a trailing
// slash, other names of the sandbox, links to files and directories, in the middle, in cycles, to
// nothing, into `/proc`, special files, NUL, line endings, invisible characters, short names,
// streams, too long, reserved) each have their error code, and nothing outside or reserved is
// revealed. With `test_a_file_outside_the_rules_is_refused`.
#[test]
fn no_path_leads_out_of_its_root() {
    let world = World::new();
    for (path, kind) in impossible(&world) {
        world.assert_refused(&path, kind);
    }
    for (path, kind) in PLANTED {
        world.assert_refused(path, *kind);
    }
    for path in NAMED {
        world.assert_refused(&format!("ws/{path}"), DENIED);
    }
}

/// The files are put there as if an attack had worked: the rules do not count on their absence.
// Promise (sandbox): A path is refused also when everything that an attack would create is on the
// disk: no rule relies on the absence of a file.
#[test]
fn a_file_that_an_attack_has_left_behind_is_refused() {
    let world = World::new();
    for path in NAMED {
        let absent = world.assert_refused(&format!("ws/{path}"), DENIED);
        world.file(&format!("root/{path}"), MARKER);
        let present = world.assert_refused(&format!("ws/{path}"), DENIED);
        assert_eq!(absent, present, "the answer tells whether {path:?} exists");
    }
    for (near, never) in
        [("ws/.gti", ".git'"), ("ws/.mcp.jsn", ".mcp.json'"), ("ws/.vscod", ".vscode'")]
    {
        assert!(!world.assert_refused(near, MISSING).contains(never));
    }
    // In a copy of what stands outside at the same paths, `..` and links still lead nowhere; another
    // spelling of one may be suggested, as it is inside.
    for path in ["marker", "outside/marker", "root-evil/marker", "etc/hostname"] {
        world.file(&format!("root/{path}"), "inside");
    }
    for (path, kind) in impossible(&world) {
        world.assert_refused(&path, kind);
    }
    for (path, kind) in PLANTED {
        world.assert_refused(path, *kind);
    }
}

// Promise (sandbox): A refusal has the same message whatever is outside, and names no path of the
// host that was not given. With `test_a_refusal_does_not_reveal_the_outside_of_the_sandboxes`.
#[test]
fn no_refusal_reveals_the_outside() {
    let world = World::new();
    let words = |path: &str, rest: &str| {
        world.read(&format!("{path}/{rest}")).unwrap_err().to_string().replace(rest, "x")
    };
    for link in ["ws/link-directory", "ws/link-parent", "ws/root-of-all", "ws/link-link", "ws/loop"]
    {
        assert_eq!(words(link, "marker"), words(link, "nothing"), "{link}");
        assert_eq!(words(link, "outside"), words(link, "nothing"), "{link}");
    }
    let link = |name: &str| world.read(name).unwrap_err().to_string().replace(name, "x");
    assert_eq!(link("ws/link"), link("ws/link-nowhere"));
}

#[test]
fn writing_is_refused_where_it_would_run_something() {
    let world = World::new();
    let sandboxes = world.sandboxes();
    let writable = |path: &str| sandboxes.resolve(path).and_then(|place| place.check_writable());
    for path in ["ws/a.txt", "ws/new/directory/file.txt", "ws/sub/hooks/use.ts", "ws/HEAD/file"] {
        writable(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in [
        "docs/a.md",
        "ws/new/HEAD",
        "ws/HEAD",
        "ws/head",
        "ws/bare.git/config",
        "ws/bare.git/hooks/new",
        "ws/plain/objects/x",
        "ws/sub/vendored/config",
        "ws/.git/hooks/new",
        "ws/.mcp.json",
    ] {
        let error = writable(path).expect_err(path);
        assert_eq!(error.kind(), DENIED, "{path}: {error}");
    }
    let words = writable("docs/a.md").unwrap_err().to_string();
    assert!(words.ends_with("Writable beneath: ws/ (rw, up to 1000 bytes)."), "{words}");
}

#[test]
fn a_mistyped_path_gets_a_hint() {
    let world = World::new();
    for (given, hint) in [
        ("ws/a.tx", "Did you mean 'a.txt' or 'large.txt', in 'ws'?"),
        ("ws/sub/c.txt", "Did you mean 'b.txt', in 'ws/sub'?"),
        ("ws/sbu/b.txt", "Did you mean 'sub', in 'ws'?"),
        ("ws/sub/dep/c.txt", "Did you mean 'deep', in 'ws/sub'?"),
        ("docs/b.md", "Did you mean 'a.md', in 'docs'?"),
        (
            "ws/zzzzzzzz",
            "Readable beneath: ws/ (rw, up to 1000 bytes), docs/ (ro, only *.md, up to 1000 bytes).",
        ),
    ] {
        let words = world.assert_refused(given, MISSING);
        assert!(words.ends_with(hint), "{words}");
    }
}

#[test]
fn a_file_over_the_limit_is_refused() {
    let world = World::new();
    world.file("root/limit.txt", &"x".repeat(1000));
    assert_eq!(world.read("ws/limit.txt").unwrap().len(), 1000);
    let words = world.assert_refused("ws/large.txt", ErrorKind::TooLarge);
    assert!(words.contains("has 2700 bytes, and its sandbox allows 1000"), "{words}");
    if cfg!(not(target_os = "linux")) {
        return;
    }
    // A file whose size says nothing: the kernel's own, which claim to be empty.
    let sandboxes =
        Sandboxes::open(r#"[{"name":"kernel","root":"/proc/self"}]"#, 10, |_| true).unwrap();
    let error = sandboxes.resolve("kernel/status").unwrap().read().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
}

/// A thread exchanges a file, and a directory on the way, for links out of the root while others
/// read.
#[test]
fn no_link_that_is_swapped_in_while_reading_leads_out() {
    let world = World::new();
    for directory in ["one", "two"] {
        world.file(&format!("root/{directory}/marker"), "inside");
    }
    let root = world.path("root");
    let swap = |real: &Path, link: &Path, spare: &Path| {
        for (from, to) in [(real, spare), (link, real), (real, link), (spare, real)] {
            fs::rename(from, to).unwrap();
        }
    };
    let reading = || {
        let sandboxes = world.sandboxes();
        let end = Instant::now() + Duration::from_secs(1);
        let mut read = [0, 0];
        while Instant::now() < end {
            for path in ["ws/one/marker", "ws/two/marker", "ws/link", "ws/link-directory/marker"] {
                let bytes = sandboxes.resolve(path).and_then(|place| place.read());
                read[usize::from(bytes.is_err())] += 1;
                match bytes {
                    Ok(bytes) => assert_eq!(bytes, b"inside", "{path}"),
                    Err(error) => assert!(!error.to_string().contains("MARKER"), "{error}"),
                }
            }
        }
        read
    };
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(reading);
        while !reader.is_finished() {
            swap(&root.join("one"), &root.join("link-directory"), &root.join("spare"));
            swap(&root.join("two/marker"), &root.join("link"), &root.join("two/spare"));
        }
        reader.join().unwrap()
    });
    assert!(
        read.iter().all(|&count| count > 100),
        "{read:?} read and refused: nothing was swapped"
    );
}

#[test]
fn a_repository_is_found_only_by_a_path_that_names_a_sandbox() {
    let world = World::new();
    let root = world.path("root").canonicalize().unwrap();
    let json = format!(
        r#"[{{"name":"ws","root":"{root}/sub"}},{{"name":"asked","root":"{root}/plain","read_approval":true}}]"#,
        root = root.display()
    );
    let access = Access::new(true, &[]).within(&json, 1000).unwrap();
    for (given, path) in [
        ("ws", "sub"),
        ("ws/", "sub"),
        ("ws/deep", "sub/deep"),
        ("ws/deep/", "sub/deep"),
        ("ws/.git", "sub/.git"),
    ] {
        assert_eq!(access.repository_path(given).unwrap(), root.join(path), "{given}");
    }
    for given in [
        "",
        ".",
        "..",
        "./ws",
        "ws/..",
        "ws/deep/..",
        "ws//deep",
        "ws/deep//",
        "other",
        "sub",
        "~",
        "C:",
        "ws/a\0",
        "ws/\u{202e}",
    ] {
        let error = access.repository_path(given).expect_err(given);
        assert_eq!(error.kind(), DENIED, "{given:?}: {error}");
    }
    let allowed =
        |path: &str| !matches!(access.open_directory(&root.join(path)), Err(OpenError::Outside));
    assert!(allowed("sub") && allowed("sub/deep") && allowed("sub/missing"));
    assert!(!allowed("") && !allowed("plain") && !allowed("sub-evil") && !allowed("sub/deep/link"));
    // DuckDB's own limit holds as well.
    let narrow =
        Access::new(false, &[root.join("sub/deep").to_str().unwrap()]).within(&json, 1000).unwrap();
    assert!(
        narrow
            .repository_path("ws/deep")
            .is_err_and(|error| error.to_string().contains("allowed_directories"))
    );
}
