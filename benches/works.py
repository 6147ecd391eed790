"""The works that are measured: who answers, what must agree, and the figures to reach."""

import json

import contestants
import data
import inputs
import reviews
from work import AGAIN, OWN, OWN_THREAD, Work, asked

# The columns that make redline read contents, and those that do not.
COUNTS = "file_path, additions, deletions"
NAMES = "file_path, status"


def wide_range(con, cargo, name: str, old: str, new: str) -> list[Work]:
    flat, renamed = ["diff", "--no-renames", old, new], ["diff", "-M", "-l0", old, new]
    names = f"SELECT {NAMES} FROM file_changes('{old}', '{new}', '{cargo}')"
    patches = f"SELECT file_path, patch_bytes FROM file_patches('{old}', '{new}', '{cargo}')"
    return [
        Work(
            f"names and statuses, {name}",
            {
                **asked(con, lambda asked: contestants.added_up(asked, names)),
                "fetchall": lambda: contestants.first(lambda con: con.execute(names).fetchall()),
                "git": lambda: inputs.git_bytes(cargo, *flat, "--raw", "-z", *contestants.PLAIN),
                "libgit2": lambda: contestants.libgit2_names(cargo, old, new),
                "GitPython": lambda: contestants.gitpython_names(cargo, old, new),
            },
            {"git": 3.5, "libgit2": 1.2},
            {
                "fetchall": contestants.sizes,
                "git": lambda printed: contestants.sizes(contestants.read_raw(printed)),
                "libgit2": contestants.sizes,
                "GitPython": contestants.sizes,
            },
        ),
        Work(
            f"line counts, {name}",
            {
                **asked(con, lambda asked: contestants.changed(asked, COUNTS, old, new, cargo)),
                OWN_THREAD: lambda: contestants.first(
                    lambda new_con: contestants.changed(new_con, COUNTS, old, new, cargo), **OWN
                ),
                "git": lambda: inputs.git_bytes(
                    cargo, *flat, "--numstat", "-z", *contestants.PLAIN
                ),
                "libgit2": lambda: contestants.libgit2_counts(cargo, old, new),
            },
            {"git": 4.0, f"{AGAIN}, git": 8.0},
            {"git": contestants.read_counts},
        ),
        Work(
            f"renames, {name}",
            {
                **asked(
                    con,
                    lambda asked: contestants.changed(
                        asked, NAMES, old, new, cargo, ", renames := true, rename_limit := 0"
                    ),
                ),
                "git": lambda: inputs.git_bytes(cargo, *renamed, "--raw", "-z", *contestants.PLAIN),
                "libgit2": lambda: contestants.libgit2_names(cargo, old, new, renames=True),
            },
            {"git": 4.0},
            {"git": contestants.read_raw},
        ),
        Work(
            f"patches, {name}",
            {
                **asked(con, lambda asked: asked.execute(patches).fetchall()),
                OWN_THREAD: lambda: contestants.first(
                    lambda new_con: new_con.execute(patches).fetchall(), **OWN
                ),
                "git": lambda: inputs.git_bytes(cargo, *flat, *contestants.PLAIN[:3]),
                "libgit2": lambda: contestants.libgit2_diff(cargo, old, new).patch,
            },
            {"git": 4.0},
            {
                "redline": lambda rows: b"".join(patch for _, patch in rows),
                AGAIN: lambda rows: b"".join(patch for _, patch in rows),
                "git": bytes,
            },
        ),
    ]


def one_file(con, cargo, path: str, size: str, least: float, old: str, new: str) -> Work:
    query = f"SELECT line_type, content FROM file_diff('{path}', '{old}', '{new}', '{cargo}')"
    kinds = {" ": "CONTEXT", "+": "ADDED", "-": "REMOVED"}

    def read(printed: bytes):
        text = printed.decode()
        body = text[text.index("\n@@ ") + 1 :].split("\n")[:-1]
        return [(kinds[line[0]], line[1:]) for line in body if line[0] in kinds]

    git = lambda: inputs.git_bytes(
        cargo, "diff", "--no-renames", *contestants.PLAIN, old, new, "--", path
    )
    fetched = lambda: contestants.first(lambda con: con.execute(query).fetchall())
    added_up = asked(con, lambda asked: contestants.added_up(asked, query))
    sizes = {"fetchall": contestants.sizes, "git": lambda printed: contestants.sizes(read(printed))}
    answers = {**added_up, "fetchall": fetched, "git": git}
    return Work(f"one file's diff, {size}", answers, {"git": least}, sizes)


def histories(con, cargo, tip: str, name: str, counts: float) -> list[Work]:
    return [
        Work(
            f"history with line counts, {name}",
            {
                **asked(con, lambda asked: contestants.history(asked, COUNTS, tip, cargo)),
                OWN_THREAD: lambda: contestants.first(
                    lambda new_con: contestants.history(new_con, COUNTS, tip, cargo), **OWN
                ),
                "git": lambda: contestants.git_history(cargo, "--no-merges", "--numstat", tip),
                "libgit2": lambda: contestants.libgit2_history(cargo, tip, counts=True),
            },
            {"git": counts},
            {"git": int},
            apart=("libgit2",),
        ),
        Work(
            f"history, names only, {name}",
            {
                **asked(con, lambda asked: contestants.history(asked, NAMES, tip, cargo)),
                OWN_THREAD: lambda: contestants.first(
                    lambda new_con: contestants.history(new_con, NAMES, tip, cargo), **OWN
                ),
                "git": lambda: contestants.git_history(cargo, "--no-merges", "--raw", tip),
                "libgit2": lambda: contestants.libgit2_history(cargo, tip, counts=False),
            },
            {"git": 3.0},
            {"git": int},
            apart=("libgit2",),
        ),
    ]


def with_graph(con, tip: str, name: str) -> Work:
    graph = inputs.cargo_with_graph()
    return Work(
        f"history, names only, commit-graph, {name}",
        {
            **asked(con, lambda asked: contestants.history(asked, NAMES, tip, graph)),
            "git": lambda: contestants.git_history(graph, "--no-merges", "--raw", tip),
        },
        {"git": 2.0},
        {"git": int},
    )


def texts(con) -> list[Work]:
    path = inputs.BENCH / "pairs.json"

    def prepare(count: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(inputs.pairs(count)))
        contestants.with_pairs(con, path)

    total = lambda function: con.execute(
        f"SELECT sum(strlen({function}(a, b))) FROM pairs"
    ).fetchone()[0]

    def on(threads: int) -> int:
        con.execute(f"SET threads = {threads}")
        found = int(total("unified_diff"))
        con.execute("RESET threads")
        return found

    plain = {
        f"plain {name}": lambda name=name: contestants.plain_pairs(name, path)
        for name in ("similar", "imara")
    }
    plain = {"plain engine": lambda: contestants.plain_pairs("redline", path)} | plain
    found = []
    for count in (4_000, 10_000):
        before = lambda count=count: prepare(count)
        found += [
            Work(
                f"{count:,} pairs of texts",
                {
                    "redline": lambda: int(total("unified_diff")),
                    "1 thread": lambda: on(1),
                    "4 threads": lambda: on(4),
                    "difflib": lambda: int(total("difflib_diff")),
                },
                {"difflib": 35.0},
                {"1 thread": int, "4 threads": int},
                before,
            ),
            # A loop may be 1.3 times as fast as DuckDB's query.
            Work(
                f"{count:,} pairs of texts, 1 thread",
                {"redline": lambda: on(1)} | plain,
                {"plain imara": 1.2, "plain engine": 1 / 1.3},
                {"plain engine": int},
                before,
            ),
        ]
    return found


def hosts(con) -> Work:
    """Returns ways of a million rows out of DuckDB; the others' time is divided by that of fetchall."""
    query = f"SELECT file_path, status, new_oid FROM file_changes('EMPTY', 'main', '{inputs.wide(1_000_000)}')"
    parquet = inputs.BENCH / "rows.parquet"
    return Work(
        "1,000,000 rows of file_changes, fetchall",
        {
            "redline": lambda: len(con.execute(query).fetchall()),
            "Arrow": lambda: con.execute(query).fetch_arrow_table().num_rows,
            "Parquet": lambda: con.execute(
                f"COPY ({query}) TO '{parquet}' (FORMAT parquet)"
            ).fetchone()[0],
        },
        {},
        {"Arrow": int, "Parquet": int},
    )


def wide_tree(con) -> Work:
    wide = inputs.wide(1_000_000)
    return Work(
        "a tree of 1,000,000 files, 10 changed",
        {
            **asked(con, lambda asked: contestants.changed(asked, COUNTS, "main~1", "main", wide)),
            "git": lambda: inputs.git_bytes(
                wide,
                "diff",
                "--no-renames",
                "--numstat",
                "-z",
                *contestants.PLAIN,
                "main~1",
                "main",
            ),
            "libgit2": lambda: contestants.libgit2_counts(wide, "main~1", "main"),
        },
        {"seconds": 0.020},
        {"git": contestants.read_counts},
    )


def lengths(con) -> list[Work]:
    found = []
    for commits in (1_000, 10_000, 100_000):
        long = inputs.long(commits)
        found += [
            Work(
                f"history with line counts, {commits:,} small commits",
                {
                    **asked(
                        con,
                        lambda asked, long=long: contestants.history(asked, COUNTS, "main", long),
                    ),
                    "git": lambda long=long: contestants.git_history(
                        long, "--no-merges", "--numstat", "main"
                    ),
                },
                {"git": 5.0},
                {"git": int},
            )
        ]
    return found


def small_answers(con, cargo, middle: str) -> list[Work]:
    """Returns questions of which the answer is small beside what is looked through."""
    scattered = inputs.scattered(8_500)
    text = "HEAD^{/^Initial commit}"
    newest = "SELECT commit_id, file_path, status FROM commit_changes('HEAD', '{}') LIMIT 5"
    listed = lambda printed: [(path[3:], "added") for path in printed.decode().split("\0") if path]
    return [
        Work(
            "8,500 untracked files, names",
            {
                **asked(
                    con,
                    lambda asked: contestants.changed(
                        asked, NAMES, "HEAD", "WORKTREE", scattered, ", untracked := true"
                    ),
                ),
                "git": lambda: inputs.git_bytes(scattered, "status", "--porcelain", "-uall", "-z"),
            },
            {"git": 1.0},
            {"git": listed},
        ),
        Work(
            "the newest commit whose message matches, the first of cargo",
            {
                **asked(
                    con,
                    lambda asked: asked.execute(
                        f"SELECT resolve_revision('{text}', '{cargo}')"
                    ).fetchone()[0],
                ),
                "git": lambda: inputs.git_bytes(cargo, "rev-parse", text),
            },
            {"git": 1.0},
            {"git": lambda printed: printed.decode().strip()},
        ),
        Work(
            "history, names only, LIMIT 5",
            {
                **asked(con, lambda asked: asked.execute(newest.format(cargo)).fetchall()),
                "git": lambda: inputs.git_bytes(
                    cargo,
                    "log",
                    "-5",
                    "--format=%x01%H",
                    "--no-merges",
                    "--raw",
                    "-z",
                    *contestants.PLAIN,
                ),
            },
            {"git": 1.0},
            {"git": contestants.read_newest},
        ),
        Work(
            f"history, names only, 0.40.0...{middle}",
            {
                **asked(
                    con,
                    lambda asked: contestants.history(asked, NAMES, f"0.40.0...{middle}", cargo),
                ),
                "git": lambda: contestants.git_history(
                    cargo, "--no-merges", "--raw", f"0.40.0...{middle}"
                ),
            },
            {"git": 1.0},
            {"git": int},
        ),
    ]


def tables(con, cargo, recent: str) -> list[Work]:
    """Returns questions about commits, files and lines; git's answer is read as far as its rows are counted."""
    ripgrep, unchanged, flat = inputs.ripgrep(), inputs.unchanged(100_000), inputs.flat(30_000)
    oldest = "src/compiler/mod.rs"
    fields = "%x00%H%n%P%n%T%n%an%n%ae%n%at%n%cn%n%ce%n%ct%n%B"
    columns = "commit_id, parent_ids, tree_id, author_name, author_email, author_date, committer_name, committer_email, committer_date, subject, body"
    blamed = "content, commit_id, original_line, author_name, subject"

    def work(title, least, columns, table, repository, *arguments, **read):
        return Work(
            title,
            {
                **asked(con, lambda asked: contestants.counted(asked, columns, table)),
                "git": lambda: contestants.git_lines(repository, *arguments, **read),
            },
            {"git": least},
            {"git": int},
        )

    def blame_all() -> int:
        files = inputs.git(ripgrep, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")[:-1]
        return sum(
            contestants.git_lines(
                ripgrep, "blame", "--porcelain", "HEAD", "--", file, starting=b"\t"
            )
            for file in files
        )

    changed = f"commit_changes('{recent}..HEAD', '{cargo}', "
    pickaxe = ["log", "--format=", "--no-merges", "--no-renames", "--raw", "-z", f"{recent}..HEAD"]
    return [
        work(
            "commits, all of cargo",
            3.0,
            columns,
            f"commits('HEAD', '{cargo}')",
            cargo,
            "log",
            f"--format={fields}",
            "HEAD",
            starting=b"\0",
        ),
        work(
            "files of a tree with sizes, cargo",
            1.5,
            "file_path, oid, size",
            f"tree_files('HEAD', '{cargo}')",
            cargo,
            "ls-tree",
            "-r",
            "-l",
            "HEAD",
        ),
        work(
            "status of 100,000 unchanged files",
            1.0,
            "file_path",
            f"file_status('{unchanged}')",
            unchanged,
            "status",
            "--porcelain=v2",
            "--untracked-files=all",
        ),
        *[
            work(
                f"{old} to {new}, 100,000 unchanged files",
                1.1,
                "file_path",
                f"file_changes('{old}', '{new}', '{unchanged}')",
                unchanged,
                "diff",
                "--raw",
                *named,
            )
            for old, new, *named in (
                ("HEAD", "INDEX", "--cached", "HEAD"),
                ("INDEX", "WORKTREE"),
                ("HEAD", "WORKTREE", "HEAD"),
            )
        ],
        work(
            "blame of a long-lived file",
            2.5,
            blamed,
            f"file_blame('{oldest}', 'HEAD', '{cargo}')",
            cargo,
            "blame",
            "--porcelain",
            "HEAD",
            "--",
            oldest,
            starting=b"\t",
        ),
        Work(
            "blame of all files of ripgrep",
            {
                **asked(
                    con,
                    lambda asked: asked.execute(
                        f"SELECT sum(lines)::BIGINT FROM tree_blame('HEAD', '{ripgrep}')"
                    ).fetchone()[0],
                ),
                "git": blame_all,
            },
            {"git": 6.0},
            {"git": int},
        ),
        work(
            "history of one file through renames",
            3.0,
            "commit_id, additions",
            f"file_history('{oldest}', 'HEAD', '{cargo}')",
            cargo,
            "log",
            "--follow",
            "--format=%x00%H",
            "--numstat",
            "HEAD",
            "--",
            oldest,
            starting=b"\0",
        ),
        *[
            work(
                f"history of a file {where}, 30,000 commits",
                3.0,
                "commit_id",
                f"file_history('{file}', 'HEAD', '{flat}')",
                flat,
                "log",
                "--follow",
                "--format=%x00%H",
                "HEAD",
                "--",
                file,
                starting=b"\0",
            )
            for where, file in (
                ("in a root of 600 files", "file-0007.txt"),
                ("below a root of 600 files", "dir-07/file-007.txt"),
            )
        ],
        *[
            work(
                f"{what} 80 lines of a file",
                3.0,
                "commit_id",
                f"(FROM line_history('{oldest}', 1, 80, 'HEAD', '{cargo}'){limit})",
                cargo,
                "log",
                f"-L1,80:{oldest}",
                "--format=%x00%H",
                *newest,
                "HEAD",
                starting=b"\0",
            )
            for what, limit, newest in (
                ("history of", "", []),
                ("the newest commit that changed", " LIMIT 1", ["-1"]),
            )
        ],
        work(
            "changes that add or remove a text, 5,000 commits",
            3.5,
            "commit_id",
            changed + "contains := 'resolve')",
            cargo,
            *pickaxe,
            "-Sresolve",
            starting=b":",
            end=b"\0",
        ),
    ]


def small(con, cargo) -> list[Work]:
    """Returns questions that git answers in milliseconds, held against its processor time alone: what a process and its
    threads cost counts here."""
    ripgrep, checkout = inputs.ripgrep(), inputs.checkout("ripgrep")
    references = inputs.referenced(17_888)
    ends = "0.60.0", "HEAD"

    def work(title, columns, table, repository, *arguments, **read):
        return Work(
            title,
            {
                **asked(con, lambda asked: contestants.counted(asked, columns, table)),
                "git": lambda: contestants.git_lines(repository, *arguments, **read),
            },
            {"processor, git": 1 / 1.1},
            {"git": int},
        )

    return [
        work(
            "17,888 references",
            "name, object_id",
            f"refs('{references}') WHERE name <> 'HEAD'",
            references,
            "for-each-ref",
            "--format=%(refname) %(objectname)",
        ),
        work(
            "17,888 references, short names",
            "short_name",
            f"refs('{references}') WHERE name <> 'HEAD'",
            references,
            "for-each-ref",
            "--format=%(refname:short)",
        ),
        work(
            "files of a tree, cargo",
            "file_path, mode",
            f"tree_files('HEAD', '{cargo}')",
            cargo,
            *("ls-tree", "-r", "HEAD"),
        ),
        Work(
            "commits ahead and behind, 0.60.0 and HEAD of cargo",
            {
                **asked(
                    con,
                    lambda asked: list(
                        asked.execute(f"SELECT ahead_behind('{ends[0]}', '{ends[1]}', '{cargo}')")
                        .fetchone()[0]
                        .values()
                    ),
                ),
                "git": lambda: inputs.git_bytes(
                    cargo, "rev-list", "--left-right", "--count", "...".join(ends)
                ),
            },
            {"processor, git": 1 / 1.1},
            {"git": lambda printed: [int(number) for number in printed.split()]},
        ),
        work(
            "status of a clean work tree, ripgrep",
            "file_path",
            f"file_status('{checkout}')",
            checkout,
            *("status", "--porcelain"),
        ),
        work(
            "blame of a small file, ripgrep",
            "content, commit_id",
            f"file_blame('build.rs', 'HEAD', '{ripgrep}')",
            ripgrep,
            *("blame", "--porcelain", "HEAD", "--", "build.rs"),
            starting=b"\t",
        ),
        work(
            "history of a small file through renames, ripgrep",
            "commit_id",
            f"file_history('build.rs', 'HEAD', '{ripgrep}')",
            ripgrep,
            *("log", "--follow", "--format=%x00%H", "--numstat", "HEAD", "--", "build.rs"),
            starting=b"\0",
        ),
    ]


def package() -> list[Work]:
    """Returns what the Python package answers from the start of a process to its end: it imports, loads and asks once."""
    checkout = inputs.checkout("ripgrep")
    return [
        Work(
            "the command: redline stat HEAD~1 in ripgrep",
            {
                "redline": lambda: contestants.command(checkout, "stat", "--no-renames", "HEAD~1"),
                "git": lambda: inputs.git_bytes(
                    checkout,
                    "diff",
                    "--no-renames",
                    "--numstat",
                    "-z",
                    *contestants.PLAIN,
                    "HEAD~1",
                ),
            },
            {"processor, git": 1 / 15},
            {"redline": contestants.read_stat, "git": contestants.read_counts},
        ),
        Work(
            "a server's first call: start, GitDiffSummary of HEAD~1 in ripgrep, end",
            {
                "redline": lambda: contestants.server_call(
                    checkout, "GitDiffSummary", **{"from": "HEAD~1"}
                )
            },
            {},
        ),
    ]


def processors(cargo, tip: str) -> list[Work]:
    """Returns the same work on one thread and on two; neither is held against another contestant."""
    answer = lambda threads: (
        lambda: contestants.first(
            lambda con: contestants.history(con, COUNTS, tip, cargo), threads=threads
        )
    )
    title = "history with line counts, 5,000 commits, {} of DuckDB"
    return [
        Work(title.format(f"{n} thread{'s' * (n > 1)}"), {"redline": answer(n)}, {}) for n in (1, 2)
    ]


def larger(con) -> list[Work]:
    """Returns questions about repositories that are larger than cargo, where there are any."""
    found = []
    for name in inputs.larger():
        repository, title = inputs.cloned(name), f"all of {name}"
        first = inputs.first_commit(repository)
        found += wide_range(con, repository, title, first, "HEAD")
        found += histories(con, repository, "HEAD", title, 4.0)
    return found


def all_works() -> list[Work]:
    cargo, con = inputs.cargo(), contestants.connect()
    first, middle, recent = inputs.revisions()
    # The first 5,000 of the walk, as a range that both understand.
    tip = f"{recent}..HEAD"
    return [
        *wide_range(con, cargo, "all of cargo", first, "HEAD"),
        *wide_range(con, cargo, f"{middle} .. HEAD", middle, "HEAD"),
        *reviews.hunk_ids(con, cargo, "all of cargo", first, "HEAD"),
        *reviews.hunk_ids(con, cargo, f"{middle} .. HEAD", middle, "HEAD"),
        *reviews.rebases(con, cargo, recent),
        one_file(con, cargo, "crates/mdman/src/util.rs", "8 changed lines", 3.0, middle, "HEAD"),
        one_file(
            con, cargo, "tests/testsuite/metadata.rs", "7,172 changed lines", 2.5, middle, "HEAD"
        ),
        *histories(con, cargo, tip, "about 5,000 commits", 5.0),
        *histories(con, cargo, "HEAD", "all of cargo", 4.0),
        with_graph(con, tip, "about 5,000 commits"),
        with_graph(con, "HEAD", "all of cargo"),
        *lengths(con),
        *small_answers(con, cargo, middle),
        *tables(con, cargo, recent),
        *small(con, cargo),
        *texts(con),
        *data.works(),
        wide_tree(con),
        hosts(con),
        *package(),
        *processors(cargo, tip),
        *larger(con),
    ]
