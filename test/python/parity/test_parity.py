"""file_changes and file_diff give what git gives, row for row, over whole histories.

The oracle is the machine's git (its version is in the header of the run). Histories: this checkout's own,
the fixture of one file per case, the same with SHA-256 ids, and every commit of ripgrep when
REDLINE_TEST_REPOS names the directory of ripgrep.bundle; of its twin with SHA-256 ids every fourth.
"""

import itertools
import pathlib
import random
from typing import NamedTuple

import pytest
import repositories
from repositories import EMPTY, Change, Line

pytestmark = pytest.mark.slow

SEED = 20_000_101
CONTEXTS = [0, 1, 10, -1]


class History(NamedTuple):
    """A repository and the pairs of revisions to compare in it."""

    repo: pathlib.Path
    pairs: list[tuple[str, str]]

    def sample(self, count: int) -> list[tuple[str, str]]:
        """Returns up to `count` of the pairs, the same ones in every run."""
        return random.Random(SEED).sample(self.pairs, min(count, len(self.pairs)))


def checkout(_) -> History:
    if not (repositories.ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    try:
        return History(repositories.ROOT, repositories.history(repositories.ROOT))
    except repositories.GitFailed:
        pytest.skip("this checkout has no commit yet")


def one_of_each_case(_) -> History:
    repo = repositories.fixture("basic")
    ends = ["before", "after", "main", "other-root", "nested", EMPTY]
    both_ways = list(itertools.product(ends, ends))
    return History(repo, both_ways + repositories.history(repo, "--all"))


def one_of_each_case_sha256(_) -> History:
    repo = repositories.fixture("sha256")
    return History(
        repo, [*repositories.history(repo), ("main", "main~1"), ("main", EMPTY), (EMPTY, "main")]
    )


def ripgrep(folder: pathlib.Path) -> History:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of ripgrep.bundle")
    repo = repositories.clone_bundle("ripgrep.bundle", folder / "ripgrep")
    pairs = repositories.history(repo)
    chosen = random.Random(SEED)
    commits = [commit for _, commit in pairs]
    backwards = [(new, old) for old, new in chosen.sample(pairs, 100)]
    far_apart = [tuple(chosen.sample(commits, 2)) for _ in range(20)]
    return History(repo, pairs + backwards + far_apart)


def ripgrep_sha256(folder: pathlib.Path) -> History:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set: it names the folder of ripgrep.bundle")
    twin = repositories.sha256_twin(
        repositories.clone_bundle("ripgrep.bundle", folder / "ripgrep"), folder / "twin"
    )
    pairs = repositories.history(twin)
    chosen = random.Random(SEED)
    return History(
        twin,
        pairs[::4] + [tuple(chosen.sample([commit for _, commit in pairs], 2)) for _ in range(20)],
    )


@pytest.fixture(
    scope="module",
    params=[checkout, one_of_each_case, one_of_each_case_sha256, ripgrep, ripgrep_sha256],
    ids=lambda f: f.__name__,
)
def history(request, tmp_path_factory) -> History:
    return request.param(tmp_path_factory.mktemp("history"))


# -- asking redline ---------------------------------------------------------------------------


def listed_changes(con, repo, pairs) -> list[list[Change]]:
    """Returns the rows of file_changes_list for every pair, asked in one query with columns as arguments."""
    rows = con.execute(
        """
        SELECT * EXCLUDE (seq) FROM (
            SELECT id, unnest(file_changes_list(old, new, $repo), recursive := true)
            FROM (SELECT unnest($id) AS id, unnest($old) AS old, unnest($new) AS new)
        ) ORDER BY id, seq
        """,
        {
            "repo": str(repo),
            "id": list(range(len(pairs))),
            "old": [p[0] for p in pairs],
            "new": [p[1] for p in pairs],
        },
    ).fetchall()
    answers = [[] for _ in pairs]
    for id, *values in rows:
        answers[id].append(Change(*values))
    return answers


def listed_lines(con, repo, files, context) -> list[list[Line]]:
    """Returns the rows of file_diff_list for every (file, old, new)."""
    rows = con.execute(
        """
        SELECT * FROM (
            SELECT id, unnest(file_diff_list(file, old, new, $repo, {'context': $context}), recursive := true)
            FROM (SELECT unnest($id) AS id, unnest($file) AS file, unnest($old) AS old, unnest($new) AS new)
        ) ORDER BY id, seq
        """,
        {
            "repo": str(repo),
            "context": context,
            "id": list(range(len(files))),
            "file": [f[0] for f in files],
            "old": [f[1] for f in files],
            "new": [f[2] for f in files],
        },
    ).fetchall()
    answers = [[] for _ in files]
    for id, *values in rows:
        answers[id].append(Line(*values))
    return answers


def assert_same(cases, got, wanted) -> None:
    """Fails with the first rows that differ, of the first cases that differ."""
    wrong = [
        f"{case}: {difference}"
        for case, ours, theirs in zip(cases, got, wanted, strict=True)
        if (difference := repositories.first_differences(ours, theirs))
    ]
    assert not wrong, (
        f"{len(wrong)} of {len(cases)} differ from {repositories.git_version()}\n"
        + "\n\n".join(wrong[:5])
    )


def changed_files(pairs, wanted) -> list[tuple[str, str, str]]:
    """Returns (file, old, new) for every path that is valid UTF-8, and its lines."""
    files, lines = [], []
    for (old, new), by_path in zip(pairs, wanted, strict=True):
        for path, rows in by_path.items():
            try:
                files.append((path.decode(), old, new))
            except UnicodeDecodeError:
                continue  # such a path cannot be written in SQL: docs/limitations.md
            lines.append(rows)
    return files, lines


# -- the oracle itself ------------------------------------------------------------------------


def test_the_oracle_agrees_with_itself():
    """The counts of --numstat, the patches of -p and `git diff`, which users know, must agree."""
    repo = repositories.fixture("basic")
    pairs = [("before", "after"), ("after", "before"), (EMPTY, "after")]
    for pair, rows, patches in zip(
        pairs, repositories.changes(repo, pairs), repositories.diffs(repo, pairs), strict=True
    ):
        old, new = repositories.trees(repo, pair)
        printed = repositories.git(
            repo,
            "diff",
            "--numstat",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            old,
            new,
        )
        by_git_diff = [record.split(b"\t", 2) for record in printed.split(b"\0")[:-1]]
        shown = [
            ("-" if row.additions is None else str(row.additions), row.file_path) for row in rows
        ]
        assert [
            (added.decode(), repositories.lossy(path)) for added, _, path in by_git_diff
        ] == shown
        for row, (path, lines) in zip(rows, patches.items(), strict=True):
            assert repositories.lossy(path) == row.file_path
            kinds = [line.line_type for line in lines]
            if row.status == "type_changed":
                continue  # counted as one change, printed as a deletion and a creation
            if row.is_binary:
                assert kinds == ([] if row.old_oid == row.new_oid else ["BINARY"]), row
            else:
                assert (kinds.count("ADDED"), kinds.count("REMOVED")) == (
                    row.additions,
                    row.deletions,
                ), row


# -- file_changes -----------------------------------------------------------------------------


def test_rows_of_the_list_equal_those_of_git(con, history):
    got = listed_changes(con, history.repo, history.pairs)
    assert_same(history.pairs, got, repositories.changes(history.repo, history.pairs))


def test_rows_of_the_table_function_equal_those_of_git(con, history):
    pairs = history.sample(100)
    query = "SELECT * FROM file_changes(?, ?, ?)"
    got = [
        [Change(*row) for row in con.execute(query, [*pair, str(history.repo)]).fetchall()]
        for pair in pairs
    ]
    assert_same(pairs, got, repositories.changes(history.repo, pairs))


SUBSETS = [
    ["file_path"],
    ["status"],
    ["file_path", "status"],
    ["status", "new_mode", "old_mode"],
    ["new_oid", "old_oid", "file_path"],
    ["old_size"],
    ["new_size", "file_path"],
    ["additions"],
    ["deletions", "file_path"],
    ["is_binary"],
    ["is_binary", "old_size", "status"],
    ["similarity", "old_path"],
]


@pytest.mark.parametrize("columns", SUBSETS, ids="+".join)
def test_asking_for_fewer_columns_changes_no_value(con, history, columns):
    pairs = history.sample(25)
    query = f"SELECT {', '.join(columns)} FROM file_changes(?, ?, ?)"
    got = [con.execute(query, [*pair, str(history.repo)]).fetchall() for pair in pairs]
    wanted = [
        [tuple(getattr(row, name) for name in columns) for row in rows]
        for rows in repositories.changes(history.repo, pairs)
    ]
    assert_same(pairs, got, wanted)


def test_counting_and_filtering_lose_no_rows(con, history):
    pairs = history.sample(25)
    repo = str(history.repo)
    for pair, rows in zip(pairs, repositories.changes(history.repo, pairs), strict=True):
        asked = [*pair, repo]
        assert con.execute("SELECT count(*) FROM file_changes(?, ?, ?)", asked).fetchone() == (
            len(rows),
        )
        totals = con.execute(
            "SELECT sum(additions)::BIGINT, max(new_size) FROM file_changes(?, ?, ?)", asked
        ).fetchone()
        sizes = [row.new_size for row in rows if row.new_size is not None]
        counted = [row.additions for row in rows if row.additions is not None]
        assert totals == (sum(counted) if counted else None, max(sizes, default=None)), pair
        modified = con.execute(
            "SELECT file_path FROM file_changes(?, ?, ?) WHERE status = 'modified'", asked
        ).fetchall()
        assert modified == [(row.file_path,) for row in rows if row.status == "modified"], pair


def test_a_lateral_join_gives_the_rows_of_git(con, history):
    """The table functions refuse columns as arguments, so the list functions must work in a LATERAL join too."""
    pairs = history.sample(25)
    rows = con.execute(
        """
        SELECT p.id, c.* EXCLUDE (seq)
        FROM (SELECT unnest($id) AS id, unnest($old) AS old, unnest($new) AS new) p,
             LATERAL (SELECT unnest(file_changes_list(p.old, p.new, $repo), recursive := true)) c
        ORDER BY p.id, c.seq
        """,
        {
            "repo": str(history.repo),
            "id": list(range(len(pairs))),
            "old": [p[0] for p in pairs],
            "new": [p[1] for p in pairs],
        },
    ).fetchall()
    got = [[Change(*row[1:]) for row in rows if row[0] == id] for id in range(len(pairs))]
    assert_same(pairs, got, repositories.changes(history.repo, pairs))


# -- file_diff --------------------------------------------------------------------------------


def test_lines_of_the_list_equal_those_of_git(con, history):
    files, wanted = changed_files(history.pairs, repositories.diffs(history.repo, history.pairs))
    assert_same(files, listed_lines(con, history.repo, files, 3), wanted)


@pytest.mark.parametrize("context", CONTEXTS)
def test_lines_with_other_context_equal_those_of_git(con, history, context):
    pairs = history.sample(150)
    files, wanted = changed_files(pairs, repositories.diffs(history.repo, pairs, context))
    assert_same(files, listed_lines(con, history.repo, files, context), wanted)


@pytest.mark.parametrize("context", [None, 3, *CONTEXTS])
def test_lines_of_the_table_function_equal_those_of_git(con, history, context):
    pairs = history.sample(30)
    files, wanted = changed_files(
        pairs, repositories.diffs(history.repo, pairs, 3 if context is None else context)
    )
    chosen = random.Random(SEED).sample(range(len(files)), min(60, len(files)))
    option = "" if context is None else f", context := {context}"
    query = f"SELECT * FROM file_diff(?, ?, ?, ?{option})"
    got = [
        [Line(*row) for row in con.execute(query, [*files[i], str(history.repo)]).fetchall()]
        for i in chosen
    ]
    assert_same([files[i] for i in chosen], got, [wanted[i] for i in chosen])


def test_an_unchanged_file_has_no_lines(con):
    repo = str(repositories.fixture("basic"))
    for context in (0, 3, -1):
        query = f"SELECT count(*) FROM file_diff('unchanged.txt', 'before', 'after', ?, context := {context})"
        assert con.execute(query, [repo]).fetchone() == (0,)


def test_a_path_that_is_not_utf8_keeps_its_row(con):
    """The path is decoded with U+FFFD."""
    repo = repositories.fixture("basic")
    paths = con.execute(
        "SELECT file_path FROM file_changes('before', 'after', ?)", [str(repo)]
    ).fetchall()
    assert ("paths/latin\ufffd.txt",) in paths
    assert ("paths/bad\ufffd\ufffd/in.txt",) in paths
