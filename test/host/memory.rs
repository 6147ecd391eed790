//! Memory safety: a C program that embeds DuckDB runs a script against the extension, under valgrind.
//!
//! `make test-memory` builds the extension, fetches libduckdb and runs this; plain `cargo test` does not.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the root of the checkout.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a file that `make test-memory` has put there, or what `name` in the environment says.
fn built(name: &str, default: &str) -> PathBuf {
    let path = env::var_os(name).map_or_else(|| root().join(default), PathBuf::from);
    assert!(path.exists(), "{default} is missing: run `make test-memory`");
    path
}

/// Runs a command to its end; its output goes into the panic when it cannot be started.
fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"))
}

/// Returns the triple that rustc builds for.
fn triple() -> String {
    let output = run(Command::new("rustc").arg("-vV"));
    let text = String::from_utf8(output.stdout).expect("rustc prints UTF-8");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("`rustc -vV` has a host line").to_owned()
}

/// Compiles host.c with warnings as errors, and returns the program.
fn host(directory: &Path) -> PathBuf {
    let library = built("REDLINE_LIBDUCKDB", "build/libduckdb");
    let program = directory.join("host");
    let triple = triple();
    // Everything a build script would get from cargo, said here.
    let compiler = cc::Build::new()
        .target(&triple)
        .host(&triple)
        .opt_level(1)
        .debug(true)
        .out_dir(directory)
        .cargo_metadata(false)
        .warnings_into_errors(true)
        .extra_warnings(true)
        .include(&library)
        .get_compiler();
    let output = run(compiler
        .to_command()
        .arg(root().join("test/host/host.c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&library)
        .args(["-lduckdb", "-lpthread"])
        .arg(format!("-Wl,-rpath,{}", library.display())));
    assert!(output.status.success(), "host.c:\n{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Writes the repository that script.sql asks about, two commits, with `git fast-import`.
///
/// Of its 124 files the second commit changes one line of 40, deletes 10, adds 5, changes a binary one
/// and makes one executable: 57 rows.
fn repository(directory: &Path) -> PathBuf {
    let text = |seed: usize| -> String {
        (0..30).map(|line| format!("line {line} of {seed}\n")).collect()
    };
    let name = |i: usize| format!("directory{}/file{i:03}.txt", i % 6);
    let mut stream = Vec::new();
    let mut put = |bytes: &[u8]| stream.extend_from_slice(bytes);
    let commit = |number: usize| {
        let from = if number > 1 { "from :1\n" } else { "" };
        format!(
            "commit refs/heads/main\nmark :{number}\ncommitter Test <test@example.com> 170000000{number} +0000\ndata 4\ntest\n{from}"
        )
    };
    let file = |mode: &str, name: &str, content: &[u8]| {
        let mut record = format!("M {mode} inline {name}\ndata {}\n", content.len()).into_bytes();
        record.extend_from_slice(content);
        record.push(b'\n');
        record
    };

    put(commit(1).as_bytes());
    for i in 0..120 {
        put(&file("100644", &name(i), text(i).as_bytes()));
    }
    let mut lines = String::new();
    for i in 0..20_000 {
        writeln!(lines, "line {i}").expect("a String takes everything");
    }
    put(&file("100644", "lines.txt", lines.as_bytes()));
    put(&file("100644", "one-line.txt", &vec![b'x'; 70_000_000]));
    put(&file("100644", "binary.bin", b"\0one"));
    put(&file("100644", "tool.sh", b"#!/bin/sh\n"));

    put(commit(2).as_bytes());
    for i in 0..40 {
        put(&file("100644", &name(i), text(i).replace("line 15 ", "another line ").as_bytes()));
    }
    for i in 40..50 {
        put(format!("D {}\n", name(i)).as_bytes());
    }
    for i in 200..205 {
        put(&file("100644", &name(i), text(i).as_bytes()));
    }
    put(&file("100644", "binary.bin", b"\0two"));
    put(&file("100755", "tool.sh", b"#!/bin/sh\n"));

    let repository = directory.join("repository.git");
    let git = |arguments: &[&OsStr]| {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
    };
    let init = ["init", "--quiet", "--bare", "--initial-branch=main"].map(OsStr::new);
    let output = run(git(&init).arg(&repository));
    assert!(output.status.success(), "git init: {}", String::from_utf8_lossy(&output.stderr));
    let import = [
        OsStr::new("-C"),
        repository.as_os_str(),
        OsStr::new("fast-import"),
        OsStr::new("--quiet"),
    ];
    let mut child = git(&import).stdin(Stdio::piped()).spawn().expect("git starts");
    child.stdin.take().expect("piped").write_all(&stream).expect("git reads");
    assert!(child.wait().expect("git ends").success(), "git fast-import failed");
    repository
}

/// Returns valgrind with every finding an error; `--leak-check` counts what nothing points to at the end.
fn valgrind() -> Command {
    let mut command = Command::new("valgrind");
    command
        .args([
            "--quiet",
            "--error-exitcode=99",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite,possible",
        ])
        .args([
            "--show-leak-kinds=definite,possible",
            "--num-callers=30",
            "--fair-sched=yes",
            "--gen-suppressions=all",
        ])
        .arg(format!("--suppressions={}", root().join("test/host/valgrind.supp").display()));
    command
}

/// Fails with all that a program printed unless it ended with `code`.
fn assert_exit(output: &Output, code: i32) {
    assert!(
        output.status.code() == Some(code),
        "{} instead of exit {code}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs `script` through `command`, which ends in the host, inside a repository.
fn script(
    mut command: Command,
    repository: &Path,
    script: &Path,
    threads: u32,
    rounds: u32,
) -> Output {
    let extension = built("REDLINE_EXTENSION", "build/debug/redline.duckdb_extension");
    run(command
        .arg(extension)
        .arg(script)
        .args([threads.to_string(), rounds.to_string()])
        .current_dir(repository))
}

#[test]
fn the_script_runs_in_many_threads() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let command = Command::new(host(directory.path()));
    let output =
        script(command, &repository(directory.path()), &root().join("test/host/script.sql"), 6, 5);
    assert_exit(&output, 0);
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn valgrind_finds_no_invalid_access_and_no_leak() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let mut command = valgrind();
    command.arg(host(directory.path()));
    let output =
        script(command, &repository(directory.path()), &root().join("test/host/script.sql"), 3, 1);
    assert_exit(&output, 0);
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn valgrind_would_see_a_leak_and_an_overrun() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let host = host(directory.path());
    for what in ["leak", "overrun"] {
        assert_exit(&run(valgrind().arg(&host).args(["self-check", what])), 99);
    }
}

#[test]
fn the_host_fails_when_a_statement_does_not_go_as_the_script_says() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let (host, repository) = (host(directory.path()), repository(directory.path()));
    for wrong in [
        "SELECT * FROM missing;",
        "--! error: invalid_args:\nSELECT 1;",
        "--! error: invalid_args:\nSELECT * FROM missing;",
        "--! rows: 2\nSELECT 1;",
        "--! partial\nSELECT 1 WHERE false;",
    ] {
        let path = directory.path().join("wrong.sql");
        std::fs::write(&path, wrong).expect("a script is written");
        let output = script(Command::new(&host), &repository, &path, 1, 1);
        assert_exit(&output, 1);
    }
}
