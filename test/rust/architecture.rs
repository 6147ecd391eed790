//! Reads `src/**` and fails, with the line, where an arrow between modules runs the wrong way.

use super::sources::{circles, sources};

/// Each module and the modules of the crate it may name.
const MAY_USE: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("limits", &[]),
    ("form", &[]),
    // Compiled for tests only.
    ("growth", &[]),
    ("find", &["error", "limits", "budget", "pattern", "git"]),
    ("strict_json", &[]),
    ("suggest", &["error"]),
    ("budget", &["error", "limits"]),
    ("pattern", &["limits", "budget"]),
    ("pipeline", &["error", "limits", "budget"]),
    ("text", &["error", "limits", "budget"]),
    ("sandbox", &["error", "limits", "budget", "strict_json", "suggest"]),
    ("review", &["error", "limits", "budget", "form"]),
    ("tools", &["error", "limits", "budget", "form", "strict_json", "suggest", "text", "edit"]),
    ("git", &["error", "limits", "budget", "pattern", "suggest", "text", "sandbox"]),
    ("edit", &["error", "limits", "budget", "strict_json", "text", "growth"]),
    ("render", &["error", "limits", "text", "edit"]),
    ("ffi", &["error", "limits", "budget"]),
    (
        "functions",
        &[
            "error", "limits", "budget", "suggest", "find", "form", "pipeline", "text", "sandbox",
            "git", "edit", "render", "review", "tools", "ffi",
        ],
    ),
];

/// The entry point is where the layers meet: it registers the functions.
const EXCEPTIONS: &[(&str, &str)] = &[("src/ffi/entry.rs", "crate::functions::register")];

/// What only one module may name: a crate, a part of std or a word of the language.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("gix::", &["git"]),
    // Its tables hash the first eight bytes of an id alone, which a repository chooses.
    ("gix::hashtable", &[]),
    // Room is made where it may fail, and be charged.
    ("with_capacity", &["edit", "functions", "pipeline", "text"]),
    ("libduckdb_sys", &["ffi"]),
    ("duckdb::", &["ffi"]),
    ("unsafe {", &["ffi"]),
    ("unsafe fn", &["ffi"]),
    ("std::fs", &["git", "sandbox"]),
    ("rustix::", &["sandbox"]),
    ("grep_", &["find"]),
    ("regex_automata::", &["pattern"]),
    ("std::process", &[]),
    ("Command::new", &[]),
];

/// Returns `git` for `src/git/walk.rs` and `error` for `src/error.rs`.
fn module(name: &str) -> &str {
    let below = name.trim_start_matches("src/");
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

#[test]
fn no_module_uses_one_above_it() {
    let mut wrong = Vec::new();
    for source in sources() {
        let name = &source.name;
        let own = module(name);
        if own == "lib" {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(of, _)| *of == own)
            .unwrap_or_else(|| panic!("{name} is in no layer"));
        for (number, line) in source.code() {
            for used in line.split("crate::").skip(1) {
                let used = used
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default();
                let excepted =
                    EXCEPTIONS.iter().any(|(file, what)| file == name && line.contains(what));
                if used != own && !excepted && !used.is_empty() && !allowed.contains(&used) {
                    wrong.push(format!(
                        "{name}:{number}: {own} may not use {used}: {}",
                        line.trim()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_module_names_what_belongs_to_another() {
    let mut wrong = Vec::new();
    for source in sources() {
        let name = &source.name;
        let own = module(name);
        for (number, line) in source.code() {
            for (what, homes) in ONLY_IN {
                let is_use = line.contains(what) && !line.contains(&format!("lib{what}"));
                if is_use && !homes.contains(&own) {
                    wrong.push(format!(
                        "{name}:{number}: {what} belongs to {homes:?}: {}",
                        line.trim()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `Outside::enter` is a promise that C++ called; what is contained has no way to one but this.
#[test]
fn only_a_callback_of_duckdb_enters_the_outside_and_each_does_so_once() {
    let mut wrong = Vec::new();
    for source in sources() {
        let name = &source.name;
        let (mut entered, mut is_callback) = (0, false);
        for (number, line) in source.code() {
            if line.contains("fn ") {
                (entered, is_callback) = (0, line.contains("extern \"C-unwind\" fn"));
            }
            if !line.contains("Outside::enter()") {
                continue;
            }
            entered += 1;
            if !is_callback || entered > 1 {
                wrong.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_outgrows_its_concept() {
    let sizes = sources().into_iter().map(|source| (source.code().count(), source.name));
    let long: Vec<_> = sizes.filter(|(lines, _)| *lines > 600).collect();
    assert!(long.is_empty(), "over 600 lines of code without their tests: {long:?}");
}

#[test]
fn no_two_files_import_each_other() {
    let sources = sources();
    let circles = circles(&sources);
    assert!(circles.is_empty(), "files that import each other:\n{circles:#?}");
}

/// Calls that read nothing, so that what they could not do is no failure of the system: parsers, conversions, and what
/// looks in memory.
const PURE: &[&str] = &[
    "boolean",
    "boolean_by",
    "downcast",
    "filter",
    "from_hex",
    "from_second",
    "from_utf8",
    "get",
    "get_mut",
    "index",
    "integer",
    "last",
    "new",
    "next",
    "or",
    "parse",
    "set",
    "strip_prefix",
    "to_str",
    "try_finalize",
    "try_from",
    "try_into",
    "value",
];

/// A file, a call, and why what the call could not do ends in the right rows all the same.
const DROPPED: &[(&str, &str, &str)] = &[
    (
        "src/git/history/mailmap.rs",
        "work_tree",
        "a repository is bare, or has a work tree: nothing is read",
    ),
    ("src/git/revision/range.rs", "commits", "the hint of an error, which is given without it"),
    ("src/git/revision/search.rs", "build", "a pattern that is none"),
    ("src/git/revision/upstream.rs", "recv", "another thread has ended"),
    ("src/git/store/gate.rs", "open", "the wording of an error"),
    ("src/git/store/graph.rs", "read_all", "the commits themselves are read"),
    ("src/git/store/index/tests.rs", "paths", "a test"),
    ("src/git/store/kept.rs", "duration_since", "a clock before 1970 keeps nothing"),
    (
        "src/git/worktree/look_ahead.rs",
        "spawn_scoped",
        "the files are looked at when they are compared",
    ),
    (
        "src/git/worktree/look_ahead.rs",
        "work_tree_root",
        "the files are looked at when they are compared",
    ),
];

/// A failure is no absence: where a read of a repository fails, the query does.
#[test]
fn no_failure_of_a_read_becomes_an_absence() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.name.starts_with("src/git/")) {
        for (line, call) in source.dropped_failures(PURE) {
            if !DROPPED.iter().any(|(file, known, _)| source.name == *file && call == *known) {
                wrong.push(format!("{}:{line}: {call}", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "what these could not do is passed over:\n{}", wrong.join("\n"));
}
