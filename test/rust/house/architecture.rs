//! Reads `src/**` and fails, with the line, where an arrow between modules runs the wrong way.

use std::path::Path;

use super::sources::{Arrow, Source, arrows, circles, sources};

/// What cargo cannot say: the modules of crates that have floors of their own, and the modules and
/// crates that each may use, which stand before it. A file or folder of `base` is a module by its
/// own name. What a crate may use is in its `Cargo.toml`. The tables of `docs/architecture.md` say
/// the same of both.
const MAY_USE: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("limits", &[]),
    ("form", &[]),
    ("os_path", &[]),
    // For tests only.
    ("growth", &[]),
    ("suggest", &["error"]),
    ("budget", &["error", "limits"]),
    ("strict_json", &["budget"]),
    ("pattern", &["limits", "budget"]),
    ("pipeline", &["error", "limits", "budget"]),
    ("git/encoding", &["budget"]),
    ("git/model", &["limits", "budget", "text", "git/encoding"]),
    ("git/pathspec", &["error", "git/model"]),
    ("git/store", &["error", "limits", "os_path", "budget", "text", "sandbox", "git/model"]),
    ("git/refs", &["error", "limits", "budget", "sandbox", "git/model", "git/store"]),
    ("git/config", &["budget", "git/model"]),
    ("git/objects", &["error", "limits", "budget", "text", "git/model", "git/store"]),
    (
        "git/repository",
        &[
            "error",
            "limits",
            "os_path",
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
        &[
            "error",
            "limits",
            "budget",
            "sandbox",
            "git/model",
            "git/store",
            "git/repository",
            "git/tree",
        ],
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
            "os_path",
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
            "os_path",
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
        "git/commit",
        &[
            "error",
            "form",
            "limits",
            "budget",
            "text",
            "sandbox",
            "git/model",
            "git/pathspec",
            "git/store",
            "git/refs",
            "git/objects",
            "git/repository",
            "git/tree",
            "git/index",
            "git/attributes",
            "git/revision",
            "git/worktree",
            "git/change",
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
    ("ffi", &["error", "limits", "budget", "rows"]),
    (
        "functions",
        &[
            "error",
            "limits",
            "budget",
            "strict_json",
            "rows",
            "suggest",
            "find",
            "form",
            "pipeline",
            "text",
            "sandbox",
            "git",
            "edit",
            "journal",
            "query",
            "render",
            "review",
            "tools",
            "ffi",
        ],
    ),
];

/// The crates of the workspace below the extension, by their directories.
fn crates() -> Vec<(String, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = |directory: &str| {
        let path = root.join(directory).join("Cargo.toml");
        std::fs::read_to_string(path).expect("a manifest")
    };
    let own = manifest("");
    let members = own.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let names = members.expect("the members").split('"').filter_map(|one| one.strip_prefix("src/"));
    let used = |name: &str| {
        let manifest = manifest(&format!("src/{name}"));
        let ours = manifest.lines().filter_map(|line| line.strip_prefix("redline-"));
        ours.filter_map(|line| Some(line.split_once('.')?.0.to_owned())).collect()
    };
    names.map(|name| (name.to_owned(), used(name))).collect()
}

/// Crates of which each folder is a module.
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
    ("rustix::", &["growth", "sandbox"]),
    ("grep_", &["find"]),
    ("regex_automata::", &["pattern"]),
    ("std::process", &[]),
    ("Command::new", &[]),
];

/// Returns `text` for `src/text/words.rs` and `error` for `src/base/error.rs`.
fn top(name: &str) -> &str {
    let below = name.trim_start_matches("src/").trim_start_matches("base/");
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// Returns the same, and `git/tree` for `src/git/tree/walk.rs`.
fn module(name: &str) -> &str {
    let below = name.trim_start_matches("src/").trim_start_matches("base/");
    let below = below.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
    let parts = if DIVIDED.contains(&top(name)) { 2 } else { 1 };
    let end = below.match_indices('/').nth(parts - 1).map_or(below.len(), |(at, _)| at);
    &below[..end]
}

/// Returns what modules use that they may not.
fn wrong_arrows(sources: &[Source]) -> Vec<String> {
    let crates = crates();
    let mut wrong = Vec::new();
    for Arrow { from, line, path, to } in arrows(sources) {
        let (own, used) = (module(from), module(to));
        let is_excepted = EXCEPTIONS.contains(&(from, to));
        // The root shows all modules.
        if own == used || own == "lib" || is_excepted {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(of, _)| *of == own) else {
            // Of a crate without floors, cargo knows what it may use.
            assert!(crates.iter().any(|(of, _)| of == own), "{from} is in no row of MAY_USE");
            continue;
        };
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
    let wrong = wrong_arrows(sources());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_uses_only_earlier_modules() {
    let crates = crates();
    for (at, (module, used)) in MAY_USE.iter().enumerate() {
        let before = &MAY_USE[..at];
        for used in *used {
            assert!(
                before.iter().any(|(name, _)| name == used)
                    || crates.iter().any(|(name, _)| name == used),
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
            file("src/lib.rs", "mod functions;"),
            file("src/functions/mod.rs", "pub fn register() {}"),
            file("src/git/lib.rs", "pub use index::Index; pub use model::Oid;"),
            file("src/git/model/mod.rs", "pub struct Oid;"),
            file("src/git/index/mod.rs", "pub struct Index; pub use crate::model::Oid;"),
            file("src/git/repository.rs", "use crate::Oid;"),
            file("src/base/limits.rs", "pub const MAX: usize = 1;"),
            file("src/text/lib.rs", "pub struct Engine; pub fn is_text() {}"),
            file(name, text),
        ];
        wrong_arrows(&sources)
    };
    for (name, text) in [
        ("src/git/tree/walk.rs", "use crate::index::Index;"),
        ("src/git/tree/walk.rs", "use crate::Index;"),
        ("src/git/tree/walk.rs", "use super::super::{Oid, Index as Other};"),
        ("src/git/tree/walk.rs", "fn f(_: crate::Index) {}"),
        ("src/git/tree/walk.rs", "pub use crate::Index;"),
        ("src/git/tree/walk.rs", "fn f() { assert!(crate::Index::new()); }"),
        ("src/git/tree/walk.rs", "use crate::index::Oid; use crate::Absent;"),
        ("src/base/error.rs", "use crate::limits::MAX;"),
        ("src/git/pathspec/glob.rs", "use redline_text::Engine;"),
        ("src/git/pathspec/glob.rs", "fn f() { assert!(redline_text::is_text()); }"),
        ("src/ffi/rows.rs", "use redline_git::Oid;"),
    ] {
        assert_eq!(planted(name, text).len(), 1, "{text}: {:?}", planted(name, text));
    }
    for (name, text) in [
        ("src/git/change/patch.rs", "use crate::Index;"),
        ("src/git/tree/walk.rs", "use crate::index::Oid;"),
        ("src/git/tree/walk.rs", "#[cfg(test)] mod tests { use crate::Index; }"),
        ("src/functions/params/texts.rs", "use redline_git::{Index, Oid};"),
        ("src/base/budget/mod.rs", "use crate::limits::MAX;"),
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
    let mut wanted: Vec<(String, String)> =
        MAY_USE.iter().map(|(module, used)| ((*module).to_owned(), named(used))).collect();
    for (name, used) in crates() {
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        wanted.push((name, named(&used)));
    }
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

/// A change of files has one way, whatever tool makes it: each step of it stands once.
#[test]
fn one_place_asks_a_person_about_a_change_and_one_writes_it() {
    const CHANGE: &str = "src/query/files/change.rs";
    const STEPS: &[(&str, &str, usize)] = &[
        ("approvals.consume(", "src/query/files/approval_check.rs", 1),
        ("approvals.propose(", "src/query/files/approval_check.rs", 1),
        ("Recorded::new(", CHANGE, 1),
        // Before the write, and again where the plan is made under the writer's lock.
        ("recorded.begin(", CHANGE, 2),
        ("sandbox::apply(", CHANGE, 1),
        ("git.plan.write(", CHANGE, 1),
        (".rewrite(", CHANGE, 1),
        (".write_then(", "", 0),
    ];
    let above = |source: &&Source| {
        source.name.starts_with("src/query/") || source.name.starts_with("src/functions/")
    };
    for (step, home, times) in STEPS {
        let mut found = Vec::new();
        for source in sources().iter().filter(above) {
            let lines = source.code().filter(|(_, line)| line.contains(step));
            found.extend(lines.map(|_| source.name.as_str()));
        }
        assert_eq!(found, vec![*home; *times], "{step}");
    }
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
    let sizes = sources().iter().map(|source| (source.code().count(), &source.name));
    let long: Vec<_> = sizes.filter(|(lines, _)| *lines > 600).collect();
    assert!(long.is_empty(), "over 600 lines of code without their tests: {long:?}");
}

#[test]
fn no_two_files_import_each_other() {
    let circles = circles(sources());
    assert!(circles.is_empty(), "files that import each other:\n{circles:#?}");
}

/// Calls that read nothing, so that what they could not do is no failure of the system: parsers,
/// conversions, and what looks in memory.
const PURE: &[&str] = &[
    "decode",
    "downcast",
    "filter",
    "from_hex",
    "from_second",
    "from_str_radix",
    "from_utf8",
    "get",
    "get_mut",
    "index",
    "last",
    "new",
    "next",
    "or",
    "parse",
    "person",
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
    ("src/git/store/pack/spliced.rs", "sizes", "the tree is made, which reads its delta again"),
    ("src/git/store/pack/spliced.rs", "try_reserve", "the tree is made"),
    ("src/git/store/pack/spliced.rs", "try_reserve_exact", "the tree is made"),
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
