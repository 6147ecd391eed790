//! Reads `src/**` and fails, with the line, where an arrow between modules runs the wrong way.

use super::sources::{Arrow, Source, arrows, circles, sources};

/// Each module and the modules that it may use, which stand before it; the folders of `git` are
/// modules. The tables of `docs/architecture.md` say the same.
const MAY_USE: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("limits", &[]),
    ("form", &[]),
    // Compiled for tests only.
    ("growth", &[]),
    ("strict_json", &[]),
    ("suggest", &["error"]),
    ("budget", &["error", "limits"]),
    ("pattern", &["limits", "budget"]),
    ("pipeline", &["error", "limits", "budget"]),
    ("text", &["error", "limits", "budget", "form"]),
    ("sandbox", &["error", "limits", "budget", "strict_json", "suggest"]),
    ("git/encoding", &["budget"]),
    ("git/model", &["limits", "budget", "text", "git/encoding"]),
    ("git/pathspec", &["error", "git/model"]),
    ("git/store", &["error", "limits", "budget", "text", "sandbox", "git/model"]),
    ("git/refs", &["error", "limits", "budget", "sandbox", "git/model", "git/store"]),
    ("git/config", &["budget", "git/model"]),
    ("git/objects", &["error", "limits", "budget", "text", "git/model", "git/store"]),
    (
        "git/repository",
        &[
            "error",
            "limits",
            "budget",
            "text",
            "sandbox",
            "git/model",
            "git/pathspec",
            "git/store",
            "git/refs",
            "git/config",
            "git/objects",
        ],
    ),
    (
        "git/tree",
        &["error", "limits", "budget", "text", "git/model", "git/pathspec", "git/objects"],
    ),
    (
        "git/index",
        &["error", "limits", "sandbox", "git/model", "git/store", "git/repository", "git/tree"],
    ),
    (
        "git/attributes",
        &[
            "error",
            "limits",
            "budget",
            "text",
            "sandbox",
            "git/model",
            "git/pathspec",
            "git/config",
            "git/objects",
            "git/repository",
            "git/index",
        ],
    ),
    (
        "git/graph",
        &[
            "error",
            "budget",
            "text",
            "git/model",
            "git/pathspec",
            "git/store",
            "git/objects",
            "git/repository",
            "git/tree",
        ],
    ),
    (
        "git/revision",
        &[
            "error",
            "limits",
            "budget",
            "pattern",
            "suggest",
            "text",
            "git/model",
            "git/refs",
            "git/objects",
            "git/repository",
            "git/tree",
            "git/index",
            "git/graph",
        ],
    ),
    (
        "git/worktree",
        &[
            "error",
            "limits",
            "budget",
            "sandbox",
            "git/encoding",
            "git/model",
            "git/pathspec",
            "git/config",
            "git/objects",
            "git/repository",
            "git/index",
            "git/attributes",
        ],
    ),
    (
        "git/change",
        &[
            "error",
            "limits",
            "budget",
            "pattern",
            "suggest",
            "text",
            "sandbox",
            "git/model",
            "git/pathspec",
            "git/store",
            "git/objects",
            "git/repository",
            "git/tree",
            "git/index",
            "git/attributes",
            "git/revision",
            "git/worktree",
        ],
    ),
    (
        "git/history",
        &[
            "error",
            "limits",
            "budget",
            "pattern",
            "text",
            "git/model",
            "git/pathspec",
            "git/objects",
            "git/repository",
            "git/tree",
            "git/attributes",
            "git/graph",
            "git/revision",
            "git/change",
        ],
    ),
    (
        "git",
        &[
            "git/model",
            "git/pathspec",
            "git/store",
            "git/objects",
            "git/repository",
            "git/tree",
            "git/index",
            "git/attributes",
            "git/graph",
            "git/revision",
            "git/change",
            "git/history",
        ],
    ),
    ("review", &["error", "limits", "budget", "form"]),
    ("find", &["error", "limits", "budget", "pattern", "git"]),
    ("edit", &["error", "limits", "budget", "form", "strict_json", "text", "growth"]),
    ("journal", &["error", "limits", "text", "sandbox", "edit"]),
    ("tools", &["error", "limits", "budget", "form", "strict_json", "suggest", "text", "edit"]),
    ("render", &["error", "limits", "budget", "form", "text", "edit"]),
    (
        "query",
        &[
            "error", "limits", "budget", "find", "form", "pipeline", "text", "sandbox", "git",
            "edit", "journal", "review", "tools",
        ],
    ),
    ("ffi", &["error", "limits", "budget"]),
    (
        "functions",
        &[
            "error", "limits", "budget", "suggest", "find", "form", "pipeline", "text", "sandbox",
            "git", "edit", "journal", "query", "render", "review", "tools", "ffi",
        ],
    ),
];

/// Modules of which each folder is one.
const DIVIDED: [&str; 1] = ["git"];

/// The entry point is where the layers meet: it registers the functions.
const EXCEPTIONS: &[(&str, &str)] = &[("src/ffi/entry.rs", "src/functions/mod.rs")];

/// What only one module may name: a crate, a part of std or a word of the language.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("gix::", &["git"]),
    // Its tables hash the first eight bytes of an id alone, which a repository chooses.
    ("gix::hashtable", &[]),
    // Room is made where it may fail, and be charged.
    ("with_capacity", &["edit", "functions", "pipeline", "query", "text"]),
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

/// Returns `text` for `src/text/words.rs` and `error` for `src/error.rs`.
fn top(name: &str) -> &str {
    let below = name.trim_start_matches("src/");
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// Returns the same, and `git/tree` for `src/git/tree/walk.rs`.
fn module(name: &str) -> &str {
    let below = name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    let parts = if DIVIDED.contains(&top(name)) { 2 } else { 1 };
    let end = below.match_indices('/').nth(parts - 1).map_or(below.len(), |(at, _)| at);
    &below[..end]
}

/// Returns what modules use that they may not.
fn wrong_arrows(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Arrow { from, line, path, to } in arrows(sources) {
        let (own, used) = (module(from), module(to));
        let is_excepted = EXCEPTIONS.contains(&(from, to));
        // The root shows all modules.
        if own == used || own == "lib" || is_excepted {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(of, _)| *of == own)
            .unwrap_or_else(|| panic!("{from} is in no row of MAY_USE"));
        // A module of another one is used as a whole.
        let shown = if top(from) == top(to) { used } else { top(to) };
        if !allowed.contains(&shown) {
            wrong.push(format!("{from}:{line}: {own} may not use {shown}: {path}"));
        }
    }
    wrong
}

#[test]
fn no_module_uses_one_above_it() {
    let wrong = wrong_arrows(&sources());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_uses_only_earlier_modules() {
    for (at, (module, used)) in MAY_USE.iter().enumerate() {
        let before = &MAY_USE[..at];
        for used in *used {
            assert!(
                before.iter().any(|(name, _)| name == used),
                "{module} uses {used}, which does not stand before it"
            );
        }
    }
}

#[test]
fn a_planted_import_upwards_is_found() {
    let file = |name: &str, text: &str| Source::parse(name, text.to_owned());
    let planted = |name: &str, text: &str| {
        let sources = [
            file("src/lib.rs", "pub mod git; mod functions; pub use git::Index;"),
            file("src/functions/mod.rs", "pub fn register() {}"),
            file("src/git/mod.rs", "pub use index::Index; pub use model::Oid;"),
            file("src/git/model/mod.rs", "pub struct Oid;"),
            file("src/git/index/mod.rs", "pub struct Index; pub use crate::git::model::Oid;"),
            file("src/git/repository.rs", "use crate::git::Oid;"),
            file(name, text),
        ];
        wrong_arrows(&sources)
    };
    for (name, text) in [
        ("src/git/tree/walk.rs", "use crate::git::index::Index;"),
        ("src/git/tree/walk.rs", "use crate::git::Index;"),
        ("src/git/tree/walk.rs", "use super::super::{Oid, Index as Other};"),
        ("src/git/tree/walk.rs", "fn f(_: crate::git::Index) {}"),
        ("src/git/tree/walk.rs", "pub use crate::git::Index;"),
        ("src/git/tree/walk.rs", "fn f() { assert!(crate::git::Index::new()); }"),
        ("src/git/tree/walk.rs", "use crate::git::index::Oid; use crate::git::Absent;"),
        ("src/git/tree/walk.rs", "use crate::functions::register;"),
        ("src/text/words.rs", "use crate::git::Oid;"),
    ] {
        assert_eq!(planted(name, text).len(), 1, "{text}: {:?}", planted(name, text));
    }
    for (name, text) in [
        ("src/git/change/patch.rs", "use crate::git::Index;"),
        ("src/git/tree/walk.rs", "use crate::git::index::Oid;"),
        ("src/git/tree/walk.rs", "#[cfg(test)] mod tests { use crate::git::Index; }"),
        ("src/functions/params/texts.rs", "use crate::git::{Index, Oid};"),
        ("src/ffi/entry.rs", "use crate::functions::register;"),
    ] {
        assert_eq!(planted(name, text), [""; 0], "{text}");
    }
}

/// Returns the rows of a page's tables whose last column says what a module may use: the modules,
/// and what it says.
fn rows_of_page(page: &str) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut is_meant = false;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < 4 {
            is_meant = false;
            continue;
        }
        let last = cells[cells.len() - 2];
        if is_meant && !last.starts_with("---") {
            for module in cells[1].split(", ") {
                rows.push((module.trim_matches('`').to_owned(), last.to_owned()));
            }
        }
        is_meant |= last == "may use";
    }
    rows
}

#[test]
fn the_tables_of_the_page_say_what_each_module_may_use() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/architecture.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    let wanted: Vec<(String, String)> =
        MAY_USE.iter().map(|(module, used)| ((*module).to_owned(), named(used))).collect();
    let mut rows = rows_of_page(&page);
    for row in &wanted {
        let at = rows.iter().position(|found| found == row);
        rows.swap_remove(
            at.unwrap_or_else(|| panic!("the page wants | `{}` | … | {} |", row.0, row.1)),
        );
    }
    assert!(rows.is_empty(), "the page has rows of no module: {rows:?}");
}

#[test]
fn no_module_names_what_belongs_to_another() {
    let mut wrong = Vec::new();
    for source in sources() {
        let name = &source.name;
        let own = top(name);
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

/// Calls that read nothing, so that what they could not do is no failure of the system: parsers,
/// conversions, and what looks in memory.
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
    ("src/git/change/renames/shared_work.rs", "spawn_scoped", "the threads that run do all of it"),
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
    ("src/git/store/pack/table.rs", "try_reserve_exact", "the bytes are read, and not kept"),
    ("src/git/index/cached_tree.rs", "read_all", "the trees themselves are read"),
    ("src/git/index/file/tests.rs", "paths", "a test"),
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
