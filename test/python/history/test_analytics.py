"""sql/analytics.sql: what each macro measures, held against git, against published figures and against rows counted by hand."""

import collections
import datetime
import pathlib
import re
import shutil
import sys

import duckdb
import pytest
import repositories
from histories import Clock, write

ROOT = repositories.ROOT
sys.path.insert(0, str(ROOT / "python"))

import duckdb_redline

SCRIPT = (ROOT / "sql/analytics.sql").read_text()
MACROS = re.findall(r"^CREATE OR REPLACE MACRO (\w+)\(", SCRIPT, re.MULTILINE)
PAGE = (ROOT / "docs/analytics.md").read_text()
EXAMPLE = re.compile(r"```sql\n([^`]*)```\n\n((?:^\|[^\n]*\n)+)", re.MULTILINE)
# The variables of the examples: those of any repository, then ripgrep's.
VARIABLES = re.findall(r"```sql\n(SET VARIABLE [^`]*)```", PAGE)
COLUMNS = re.compile(r"^\| column \| type \| meaning \|\n\|[-|]+\n((?:^\|[^\n]*\n)+)", re.MULTILINE)
ANN, BOB, EVE = ("Ann <ann@example.com>", "Bob <bob@example.com>", "Eve <eve@example.com>")


@pytest.fixture
def con(con):
    con.execute("SET TimeZone = 'UTC'")
    con.execute(SCRIPT)
    return con


def rows(con, query: str, *arguments) -> list[tuple]:
    return con.execute(query, list(arguments)).fetchall()


def start(folder: pathlib.Path) -> Clock:
    folder.mkdir(exist_ok=True)
    write(folder, "init --quiet --initial-branch=main .")
    return Clock(folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with renames, a merge, a bulk commit, a binary file and a .mailmap."""
    repo = tmp_path_factory.mktemp("analytics") / "project"
    clock = start(repo)
    text = "".join(f"line {number}\n" for number in range(20))
    clock.commit(
        "start",
        files={"src/a.rs": text, "src/b.rs": "b\n", "README.md": "read\n", "logo.bin": b"\0\1"},
        author=ANN,
    )
    clock.commit(
        "both",
        files={"src/a.rs": text + "more\n", "src/b.rs": "b\nc\n"},
        author="Robert <bob@old.example.com>",
    )
    write(repo, "branch side")
    clock.now += 40 * 86400
    repositories.git(repo, "mv", "src/a.rs", "core.rs")
    clock.commit("move", files={"core.rs": text + "more\nand more\n"}, author=BOB)
    clock.commit("an image", files={"logo.bin": b"\0\2"}, author=EVE)
    write(repo, "checkout --quiet side")
    clock.commit(
        "on the side",
        files={"src/a.rs": "first\n" + text + "more\n", "src/b.rs": "b\nc\nside\n"},
        author=EVE,
    )
    write(repo, "checkout --quiet main")
    clock.now += 3600
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (
            ("NAME", "Ann"),
            ("EMAIL", "ann@example.com"),
            ("DATE", f"{clock.now} +0000"),
        )
    }
    write(repo, "merge --quiet --no-edit side", **who)
    clock.commit(
        "bulk",
        files={f"many/{number}.txt": f"{number}\n" for number in range(40)}
        | {"src/b.rs": "b\n", "README.md": "read me\n"},
        author=ANN,
    )
    clock.commit(
        "names",
        files={".mailmap": "Bob <bob@example.com> Robert <bob@old.example.com>\n"},
        author=ANN,
    )
    clock.commit("again", files={"src/a.rs": "another file\n"}, author=BOB)
    return repo


class Change:
    """A changed file of a commit, as `git log --numstat -M` prints it."""

    def __init__(self, commit, author, day, path, added, removed):
        self.commit, self.author, self.day, self.path = commit, author, day, path
        self.added, self.removed = (
            0 if number == "-" else int(number) for number in (added, removed)
        )


def numstat(repo: pathlib.Path, revision: str = "HEAD") -> list[Change]:
    options = [
        "--no-merges",
        "-M",
        "-l0",
        "--use-mailmap",
        "--numstat",
        "-z",
        "--format=%x01%H%x02%aN%x02%ad%x02",
        "--date=format-local:%Y-%m-%d",
    ]
    changes = []
    for record in (
        repositories.git(repo, "log", *options, revision).decode(errors="replace").split("\1")[1:]
    ):
        commit, author, day, rest = record.split("\2")
        fields = rest.lstrip("\0\n").split("\0")
        while fields and fields[0].strip("\n"):
            added, removed, path = fields.pop(0).strip("\n").split("\t")
            if not path:
                path = fields[1]
                del fields[:2]
            changes.append(Change(commit, author, day, path, added, removed))
    return changes


def summed(changes: list[Change], key, counted: tuple[str, ...]) -> dict:
    """Returns for each key how many different values each of some fields has, and the lines."""
    groups = collections.defaultdict(list)
    for change in changes:
        groups[key(change)].append(change)
    return {
        name: tuple(len({getattr(change, field) for change in group}) for field in counted)
        + (
            sum(change.added for change in group),
            sum(change.removed for change in group),
            sum(change.added + change.removed for change in group),
        )
        for name, group in groups.items()
    }


def check_churn(con, repo: pathlib.Path, revision: str) -> None:
    changes = numstat(repo, revision)
    ask = lambda columns, macro: {
        row[0]: row[1:]
        for row in rows(
            con, f"SELECT {columns}, additions, deletions, churn FROM {macro}", revision, str(repo)
        )
    }
    assert ask("file_path, commits, authors", "file_churn(?, ?)") == summed(
        changes, lambda change: change.path, ("commit", "author")
    )
    for depth in (0, 1, 2, None):
        key = lambda change: "/".join(change.path.split("/")[:-1][:depth]) or "."
        macro = f"directory_churn(?, ?, depth := {'NULL' if depth is None else depth})"
        assert ask("directory, files, commits, authors", macro) == summed(
            changes, key, ("path", "commit", "author")
        )
    assert ask("author_name, commits, files", "author_churn(?, ?)") == summed(
        changes, lambda change: change.author, ("commit", "path")
    )
    both = "(directory, strftime(period, '%Y-%m'))"
    assert ask(
        f"{both}, files, commits, authors",
        "directory_period_churn(?, ?, depth := 1, per := 'month')",
    ) == summed(
        changes,
        lambda change: (change.path.rpartition("/")[0].partition("/")[0] or ".", change.day[:7]),
        ("path", "commit", "author"),
    )
    months = ask(
        "strftime(period, '%Y-%m-%d'), commits, authors, files",
        "period_churn(?, ?, per := 'month')",
    )
    assert months == summed(
        changes, lambda change: change.day[:7] + "-01", ("commit", "author", "path")
    )


def check_authors(con, repo: pathlib.Path, revision: str) -> None:
    shortlog = repositories.git_text(repo, "shortlog", "-sn", revision).splitlines()
    expected = {
        name: int(number) for number, name in (line.strip().split("\t") for line in shortlog)
    }
    assert (
        dict(rows(con, "SELECT author_name, commits FROM authors(?, ?)", revision, str(repo)))
        == expected
    )
    merges = repositories.git_text(repo, "shortlog", "-sn", "--merges", revision).splitlines()
    expected = {name: int(number) for number, name in (line.strip().split("\t") for line in merges)}
    assert (
        dict(
            rows(
                con,
                "SELECT author_name, merges FROM authors(?, ?) WHERE merges > 0",
                revision,
                str(repo),
            )
        )
        == expected
    )
    log = repositories.git_text(
        repo,
        "log",
        "--use-mailmap",
        "--format=%aN%x09%ad",
        "--date=format-local:%Y-%m-%d",
        revision,
    ).splitlines()
    commits, days = collections.Counter(), collections.defaultdict(set)
    for author, day in (line.split("\t") for line in log):
        date = datetime.date.fromisoformat(day)
        for per, first in (
            ("month", date.replace(day=1)),
            ("week", date - datetime.timedelta(date.weekday())),
        ):
            commits[per, first, author] += 1
            days[per, first, author].add(day)
    for per in ("month", "week"):
        found = rows(
            con,
            f"SELECT period, author_name, commits, active_days FROM author_activity(?, ?, per := '{per}')",
            revision,
            str(repo),
        )
        assert {(per, *row[:2]): row[2:] for row in found} == {
            key: (commits[key], len(days[key])) for key in commits if key[0] == per
        }


def check_owners(con, repo: pathlib.Path, revision: str, paths: list[str]) -> None:
    for path in paths:
        output = repositories.git(repo, "blame", "--line-porcelain", revision, "--", path).decode(
            errors="replace"
        )
        names = [
            line.removeprefix("author ")
            for line in output.splitlines()
            if line.startswith("author ")
        ]
        found = rows(
            con,
            "SELECT author_name, lines, share FROM file_owners(?, ?, paths := ?)",
            revision,
            str(repo),
            f":(literal){path}",
        )
        assert {name: lines for name, lines, _ in found} == collections.Counter(names), path
        assert sum(share for *_, share in found) == pytest.approx(1)


# -- a small repository, always ------------------------------------------------------------------


def test_churn_adds_up_what_git_log_prints(con, project):
    check_churn(con, project, "HEAD")
    check_churn(con, project, "HEAD~3")


def test_churn_of_a_range_a_time_or_some_paths_is_less(con, project):
    repo = str(project)
    assert rows(con, "SELECT file_path, churn FROM file_churn('HEAD~1..HEAD', ?)", repo) == [
        ("src/a.rs", 1)
    ]
    whole = dict(rows(con, "SELECT file_path, commits FROM file_churn(repo := ?)", repo))
    assert whole["src/b.rs"] == 4
    late = dict(
        rows(
            con, "SELECT file_path, commits FROM file_churn(repo := ?, since := '2017-08-01')", repo
        )
    )
    early = dict(
        rows(
            con, "SELECT file_path, commits FROM file_churn(repo := ?, until := '2017-08-01')", repo
        )
    )
    assert (
        early["src/b.rs"] == 2
        and {path: late.get(path, 0) + early.get(path, 0) for path in late | early} == whole
    )
    assert {
        row[0]
        for row in rows(con, "SELECT file_path FROM file_churn(repo := ?, paths := 'src')", repo)
    } == {"src/a.rs", "src/b.rs"}
    # Without renames, the move is a file that goes and one that comes.
    moved = dict(
        rows(con, "SELECT file_path, churn FROM file_churn(repo := ?, renames := false)", repo)
    )
    assert (
        moved["core.rs"] == 22
        and dict(rows(con, "SELECT file_path, churn FROM file_churn(repo := ?)", repo))["core.rs"]
        == 1
    )


def test_authors_are_those_of_shortlog(con, project):
    check_authors(con, project, "HEAD")
    by_name = {
        row[0]: row[1:]
        for row in rows(
            con, "SELECT author_name, emails, merges FROM authors(repo := ?)", str(project)
        )
    }
    assert by_name == {
        "Ann": (["ann@example.com"], 1),
        "Bob": (["bob@example.com"], 0),
        "Eve": (["eve@example.com"], 0),
    }
    raw = {
        row[0]
        for row in rows(
            con, "SELECT author_name FROM authors(repo := ?, mailmap := false)", str(project)
        )
    }
    assert raw == {"Ann", "Bob", "Eve", "Robert"}
    first, last = rows(
        con,
        "SELECT epoch(first_commit)::BIGINT, epoch(last_commit)::BIGINT FROM authors(repo := ?) WHERE author_name = 'Bob'",
        str(project),
    )[0]
    times = [
        int(time)
        for time in repositories.git_text(
            project, "log", "--author=bob@", "--format=%at"
        ).splitlines()
    ]
    assert (first, last) == (min(times), max(times))


def test_changes_are_followed_to_the_last_name(con, project):
    found = rows(
        con,
        "SELECT file_path, subject FROM followed_changes(repo := ?) WHERE current_path = 'core.rs' ORDER BY author_date",
        str(project),
    )
    # The change on the side branch was made to the old name after the rename.
    assert found == [
        ("src/a.rs", "start"),
        ("src/a.rs", "both"),
        ("core.rs", "move"),
        ("src/a.rs", "on the side"),
    ]
    # A new file with the old name is another file.
    assert rows(
        con,
        "SELECT subject FROM followed_changes(repo := ?) WHERE current_path = 'src/a.rs'",
        str(project),
    ) == [("again",)]
    # Every change has its row, in the order of commit_changes.
    both = rows(con, "SELECT commit_id, file_path FROM followed_changes(repo := ?)", str(project))
    assert both == rows(
        con,
        "SELECT commit_id, file_path FROM commit_changes('HEAD', ?, renames := true)",
        str(project),
    )
    windowed = rows(
        con,
        "SELECT current_path FROM followed_changes(repo := ?, until := '2017-08-01') WHERE file_path = 'src/a.rs'",
        str(project),
    )
    assert windowed == [("core.rs",), ("core.rs",)], "renames after the window count"


def test_names_that_are_used_again_stay_apart(con, tmp_path):
    clock = start(tmp_path / "names")
    texts = {name: "".join(f"{name} {number}\n" for number in range(9)) for name in "abc"}
    clock.commit("one", files={"a": texts["a"], "b": texts["b"], "gone": texts["c"]})
    for number, (old, new) in enumerate([("a", "x"), ("b", "a"), ("x", "b")]):
        repositories.git(clock.repo, "mv", old, new)
        clock.commit(f"swap {number}")
    (clock.repo / "gone").unlink()
    repositories.git(clock.repo, "add", "-A")
    clock.commit("delete")
    clock.commit("another", files={"gone": "something else\n"})
    repositories.git(clock.repo, "mv", "gone", "kept")
    clock.commit("move the other")
    found = rows(
        con,
        "SELECT current_path, list(subject ORDER BY author_date) FROM followed_changes(repo := ?) GROUP BY 1 ORDER BY 1",
        str(clock.repo),
    )
    assert found == [
        ("a", ["one", "swap 1"]),
        ("b", ["one", "swap 0", "swap 2"]),
        ("gone", ["one", "delete"]),
        ("kept", ["another", "move the other"]),
    ]


def test_hotspots_are_often_changed_and_complicated(con, project):
    found = rows(
        con,
        "SELECT file_path, commits, authors, churn, lines, complexity, score FROM hotspots(repo := ?, paths := ['src', 'core.rs', 'logo.bin'])",
        str(project),
    )
    assert found == [
        ("core.rs", 4, 3, 23, 23, 23.0, 1.0),
        ("src/b.rs", 4, 3, 5, 1, 1.0, pytest.approx(1 / 23)),
        ("src/a.rs", 1, 1, 1, 1, 1.0, pytest.approx(1 / 4 / 23)),
    ]
    assert [
        row[0]
        for row in rows(
            con,
            "FROM hotspots(repo := ?, since := '2017-08-01', until := '2017-08-23 21:00:00')",
            str(project),
        )
    ][:1] == ["core.rs"]


def test_indentation_counts_steps_of_four_spaces_or_a_tab(con, tmp_path):
    clock = start(tmp_path / "indented")
    clock.commit(
        "one", files={"deep.py": "a\n    b\n        c\n\td\n   \n\n  e\n", "flat.py": "a\nb\n"}
    )
    found = rows(
        con,
        "SELECT file_path, lines, complexity FROM hotspots(repo := ?, complexity := 'indentation') ORDER BY ALL",
        str(clock.repo),
    )
    assert found == [("deep.py", 7, 4.5), ("flat.py", 2, 0.0)]
    with pytest.raises(duckdb.Error, match="invalid_args: complexity is lines or indentation"):
        rows(con, "FROM hotspots(repo := ?, complexity := 'words')", str(clock.repo))


def test_co_changes_have_support_and_confidence(con, project):
    asked = "SELECT file_path, with_file, support, commits, with_commits, confidence FROM co_changes(repo := ?, min_support := {}, min_confidence := {}, max_files := {})"
    # The bulk commit changes src/b.rs too, with 41 other files.
    found = rows(con, asked.format(3, 0, 30), str(project))
    assert found == [("src/b.rs", "core.rs", 3, 3, 4, 1.0), ("core.rs", "src/b.rs", 3, 4, 3, 0.75)]
    assert rows(con, asked.format(3, 0.8, 30), str(project)) == found[:1]
    assert rows(con, asked.format(4, 0, 30), str(project)) == []
    unbounded = rows(con, asked.format(1, 0, 100), str(project))
    assert ("src/b.rs", "many/0.txt", 1, 4, 1, 0.25) in unbounded and len(unbounded) > 40 * 41


def test_owners_are_those_of_blame(con, project):
    paths = [
        path
        for path in repositories.git_text(project, "ls-files").splitlines()
        if not path.startswith("many")
    ]
    check_owners(con, project, "HEAD", paths)
    first = rows(
        con,
        "SELECT author_name, lines, round(share, 3), place FROM file_owners(repo := ?, paths := 'core.rs')",
        str(project),
    )
    assert first == [("Ann", 20, 0.87, 1), ("Bob", 2, 0.087, 2), ("Eve", 1, 0.043, 3)]
    (reformat,) = rows(
        con, "SELECT commit_id FROM commits('HEAD', ?) WHERE subject = 'move'", str(project)
    )[0]
    passed = rows(
        con,
        "SELECT author_name, lines FROM file_owners(repo := ?, paths := 'core.rs', ignore_revs := [?])",
        str(project),
        reformat,
    )
    assert passed == rows(
        con,
        "SELECT author_name, sum(lines) AS n FROM tree_blame('HEAD', ?, paths := 'core.rs', ignore_revs := [?]) GROUP BY 1 ORDER BY n DESC, 1",
        str(project),
        reformat,
    )


def test_the_bus_factor_is_that_of_the_published_example(con, tmp_path):
    """Eight people with 1000, 202, 90, 33, 332, 343, 42 and 433 contributions: two of them made half (CHAOSS)."""
    clock = start(tmp_path / "bus")
    for number, lines in enumerate((1000, 202, 90, 33, 332, 343, 42, 433)):
        text = "".join(f"{number} {line}\n" for line in range(lines))
        clock.commit(
            "part",
            files={f"{'a' if number < 4 else 'b'}/{number}.txt": text},
            author=f"Person {number} <{number}@example.com>",
        )
    repo = str(clock.repo)
    assert rows(con, "FROM bus_factor(repo := ?)", repo) == [
        (".", 8, 2475, 8, 2, ["Person 0", "Person 7"])
    ]
    assert rows(con, "FROM bus_factor(repo := ?, depth := 1)", repo) == [
        ("a", 4, 1325, 4, 1, ["Person 0"]),
        ("b", 4, 1150, 4, 2, ["Person 7", "Person 5"]),
    ]
    assert rows(con, "SELECT bus_factor FROM bus_factor(repo := ?, threshold := 1)", repo) == [(8,)]


def test_ages_are_days_before_the_revision(con, tmp_path):
    clock = start(tmp_path / "ages")
    clock.commit("old", files={"a.txt": "1\n2\n3\n"})
    clock.now += 10 * 86400 - 3600
    clock.commit("newer", files={"a.txt": "1\n2\n3\n4\n"})
    clock.now += 400 * 86400 - 3600
    clock.commit("newest", files={"b.txt": "1\n"})
    repo = str(clock.repo)
    found = rows(
        con,
        "SELECT file_path, lines, mean_days, median_days, epoch(newest)::BIGINT - epoch(oldest)::BIGINT FROM code_age(repo := ?)",
        repo,
    )
    assert found == [("a.txt", 4, 407.5, 410, 10 * 86400), ("b.txt", 1, 0.0, 0, 0)]
    assert rows(
        con,
        "SELECT median_days FROM code_age(repo := ?, as_of := '2020-01-01', paths := 'b.txt')",
        repo,
    ) == [(490,)]
    assert rows(
        con,
        "SELECT period::VARCHAR, files, authors, lines, share FROM code_cohorts(repo := ?)",
        repo,
    ) == [("2017-01-01", 1, 1, 4, 0.8), ("2018-01-01", 1, 1, 1, 0.2)]
    (clock.repo / "b.txt").write_text("1\n2\n")
    assert rows(
        con, "SELECT lines, median_days FROM code_age('WORKTREE', ?, paths := 'b.txt')", repo
    ) == [(1, 0)], "what is not committed has no age"


# -- the script and its page -----------------------------------------------------------------------


def test_releases_come_in_the_order_in_which_git_sorts_tags_by_date(con, tmp_path):
    repo = tmp_path / "tagged"
    clock = start(repo)
    year = 365 * 86_400
    clock.now = 1_583_064_000  # 2020-03-01
    clock.commit("one", files={"a.txt": "1\n2\n"})
    write(repo, "tag v10")
    clock.now += year
    clock.commit("two", files={"a.txt": "1\n2\n3\n"})
    who = {"GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.com"}
    write(repo, "tag -a -m late v2", **who, GIT_COMMITTER_DATE=f"{clock.now + 2 * year} +0000")
    clock.now += year
    clock.commit("three", files={"a.txt": "3\n"})
    write(repo, "tag v1")
    names = repositories.git_text(
        repo, "for-each-ref", "--sort=creatordate", "--format=%(refname:short)", "refs/tags"
    ).split()
    assert names == ["v10", "v1", "v2"]
    assert rows(con, "SELECT name, previous FROM releases(?)", str(repo)) == [
        ("v10", None), ("v1", "v10"), ("v2", "v1"),
    ]  # fmt: skip
    assert rows(con, "SELECT name FROM releases(?, 'v1*')", str(repo)) == [("v10",), ("v1",)]
    survived = "SELECT release, year(period), lines, share FROM code_survival(?)"
    assert rows(con, survived, str(repo)) == [
        ("v10", 2020, 2, 1.0), ("v1", 2021, 1, 1.0), ("v2", 2020, 2, 2 / 3), ("v2", 2021, 1, 1 / 3),
    ]  # fmt: skip


def test_every_macro_has_its_columns_and_an_example_on_the_page(con):
    examples = "\n".join(query for query, _ in EXAMPLE.findall(PAGE))
    assert len(MACROS) == len(set(MACROS)) == 16
    for macro in MACROS:
        assert f"{macro}(" in examples, macro
        signature = re.search(rf"`{macro}\(([\w, ]*)\)`", PAGE)
        assert signature, macro
        parameters = re.search(rf"MACRO {macro}\((.*?)\) AS TABLE", SCRIPT)[1]
        assert signature[1].split(", ") == re.findall(r"(\w+) :=", parameters), macro
        columns = []
        for line in COLUMNS.search(PAGE, signature.end())[1].splitlines():
            names, kind, _ = (cell.strip() for cell in line.strip("|").split("|"))
            columns += [(name, kind) for name in re.findall(r"`(\w+)`", names)]
        kinds = {"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}
        assert rows(con, f"SELECT column_name, column_type FROM (DESCRIBE FROM {macro}())") == [
            (name, kinds.get(kind, kind)) for name, kind in columns
        ], macro


def test_the_macros_that_follow_renames_have_the_same_query_for_it():
    blocks = [
        re.search(r"    endings AS MATERIALIZED \(.*?<= until\)", text, re.DOTALL)[0]
        for text in re.split(r"^CREATE ", SCRIPT, flags=re.MULTILINE)
        if "finals AS" in text
    ]
    assert len(blocks) == 3 and len({re.sub(r"\s*--.*", "", block) for block in blocks}) == 1


def test_a_macro_of_another_does_not_reach_into_a_measure(con, project):
    query = "SELECT * EXCLUDE (first_change, last_change) FROM directory_churn(repo := ?)"
    before = rows(con, query, str(project))
    con.execute(
        'CREATE MACRO "+"(a, b) AS 42; CREATE MACRO sum(a) AS 42; CREATE MACRO commit_changes(a, b) AS TABLE SELECT 1'
    )
    assert rows(con, query, str(project)) == before


def test_a_connection_of_the_package_has_the_macros(extension, project):
    with duckdb_redline.connect(extension=extension) as con:
        assert {
            name
            for (name,) in rows(
                con,
                "SELECT function_name FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal",
            )
        } >= set(MACROS)
        assert rows(
            con, "SELECT commits FROM authors(repo := ?) WHERE author_name = 'Bob'", str(project)
        ) == [(3,)]


def test_the_examples_of_the_page_run_in_any_repository(con, tmp_path, monkeypatch):
    clock = start(tmp_path / "any")
    for number in range(24):
        clock.now += 20 * 86400
        names = ["a.py", "lib/b.py"] if number % 3 else ["lib/b.py", "c.txt"]
        clock.commit("work", files=dict.fromkeys(names, f"{number}\n" * (number + 1)), author=[ANN, BOB][number % 2])  # fmt: skip
        if number % 8 == 7:
            write(tmp_path / "any", f"tag v{number // 8}")
    monkeypatch.chdir(tmp_path / "any")
    con.execute(VARIABLES[0])
    examples = [query for query, _ in EXAMPLE.findall(PAGE)]
    assert len(examples) > 15
    # One that shows nothing where it is copied to teaches nothing.
    assert [query for query in examples if not rows(con, query)] == []


# -- ripgrep ---------------------------------------------------------------------------------------

TAG = "14.1.1"


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    folder = tmp_path_factory.mktemp("ripgrep")
    yield repositories.clone_bundle("ripgrep.bundle", folder / "ripgrep")
    shutil.rmtree(folder)


# They read every change or every line of the history; a test above runs each of them in a small repository.
LONG = ("bus_factor", "code_age", "code_cohorts", "code_survival", "file_churn", "file_owners")
SHOWN = [
    pytest.param(query, output, id=name, marks=pytest.mark.slow if name in LONG else ())
    for query, output in EXAMPLE.findall(PAGE)
    for name in re.findall(rf"\b({'|'.join(MACROS)})\(", query)[:1]
]


@pytest.mark.parametrize("query, output", SHOWN)
def test_an_example_of_the_page_answers_as_shown(con, ripgrep, monkeypatch, query, output):
    monkeypatch.chdir(ripgrep)
    con.execute(VARIABLES[1])
    result = con.execute(query)
    head, _, *body = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines()
    )
    assert [column[0] for column in result.description] == head
    assert [
        ["NULL" if value is None else str(value) for value in row] for row in result.fetchall()
    ] == body


def test_churn_and_authors_of_ripgrep_are_those_of_git(con, ripgrep):
    check_churn(con, ripgrep, TAG)
    check_authors(con, ripgrep, TAG)


def test_owners_of_ripgrep_are_those_of_blame(con, ripgrep):
    check_owners(
        con,
        ripgrep,
        TAG,
        [
            "README.md",
            "Cargo.toml",
            "crates/ignore/src/types.rs",
            "crates/ignore/src/walk.rs",
            "crates/globset/src/lib.rs",
            "tests/feature.rs",
        ],
    )


def test_files_of_ripgrep_are_followed_as_git_follows_them(con, ripgrep):
    """Files that are not copies and whose names had no other file before, where `git log --follow` goes further."""
    paths = [
        "crates/ignore/src/walk.rs",
        "crates/globset/src/lib.rs",
        "crates/core/main.rs",
        "crates/printer/src/standard.rs",
        "crates/cli/src/lib.rs",
        "crates/searcher/src/searcher/mod.rs",
    ]
    for path in paths:
        output = repositories.git_text(
            ripgrep, "log", "--follow", "--no-merges", "--numstat", "--format=", TAG, "--", path
        )
        counts = [
            [int(number) for number in line.split("\t")[:2]] for line in output.splitlines() if line
        ]
        found = rows(
            con,
            "SELECT count(*), sum(additions), sum(deletions) FROM followed_changes(?, ?) WHERE current_path = ?",
            TAG,
            str(ripgrep),
            path,
        )
        assert found == [
            (len(counts), sum(added for added, _ in counts), sum(removed for _, removed in counts))
        ], path
