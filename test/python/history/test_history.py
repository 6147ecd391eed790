"""commit_changes gives what `git log` gives, row for row, with each of its options.

The oracle is the machine's git. Histories: a fixture of one case each, and, when REDLINE_TEST_REPOS names the
directory of the bundles, the whole of ripgrep and the last 3,000 commits of cargo.
"""

import pathlib
import random
import threading
import time
from typing import NamedTuple

import duckdb
import process_threads
import pytest
import repositories
from histories import moment, write

pytestmark = pytest.mark.slow

COLUMNS = """
    commit_id, parent_id, author_name, author_email, epoch(author_date)::BIGINT, author_offset, epoch(committer_date)::BIGINT, subject,
    file_path, status, old_path, similarity, additions, deletions, is_binary, old_mode, new_mode, old_oid, new_oid
"""
SEED = 20_000_107
STATUS = repositories.STATUS | {"R": "renamed", "C": "copied"}


class Row(NamedTuple):
    """A row without the sizes, which `git log` does not print."""

    commit_id: str
    parent_id: str | None
    author_name: str
    author_email: str
    author_date: int
    author_offset: int
    committer_date: int
    subject: str
    file_path: str
    status: str
    old_path: str | None
    similarity: int | None
    additions: int | None
    deletions: int | None
    is_binary: bool
    old_mode: str | None
    new_mode: str | None
    old_oid: str | None
    new_oid: str | None


# -- the oracle -------------------------------------------------------------------------------


def git_log(
    repo,
    *options: str,
    renames: str = "--no-renames",
    merges: str = "--no-merges",
    mailmap: bool = True,
) -> list[Row]:
    """Returns the rows of `git log --raw --numstat`."""
    who = "%aN%x00%aE" if mailmap else "%an%x00%ae"
    printed = repositories.git(
        repo, "log", "-z", "--raw", "--numstat", "--no-abbrev", "--encoding=UTF-8", "--no-ext-diff", "--no-textconv", "--date=raw",
        f"--format=%x01%x01%H%x00%P%x00{who}%x00%ad%x00%ct%x00%s%x00%x02%x02", renames, merges, *options,
    )  # fmt: skip
    rows = []
    for entry in printed.split(b"\x01\x01")[1:]:
        head, _, body = entry.partition(b"\0\x02\x02")
        commit, parents, name, email, authored, committed, subject = (
            field.decode(errors="replace") for field in head.split(b"\0")
        )
        fields = [
            field.removeprefix(b"\n").removeprefix(b"\0")
            for field in body.split(b"\0")
            if field.strip(b"\n")
        ]
        if not fields:
            continue

        parent = (parents.split() or [None])[0]
        of_commit = (commit, parent, name, email, *moment(authored), int(committed), subject)
        rows += [Row(*of_commit, *of_file) for of_file in _files(fields)]
    return rows


def _files(fields: list[bytes]) -> list[tuple]:
    """Reads the raw records of one commit, then its numbers."""
    raw, at = [], 0
    while at < len(fields) and fields[at].startswith(b":"):
        old_mode, new_mode, old_oid, new_oid, status = fields[at][1:].decode().split()
        is_paired = status[0] in "RC"
        raw.append(
            (
                status,
                old_mode,
                new_mode,
                old_oid,
                new_oid,
                [repositories.lossy(path) for path in fields[at + 1 : at + 2 + is_paired]],
            )
        )
        at += 2 + is_paired
    files = []
    for status, old_mode, new_mode, old_oid, new_oid, paths in raw:
        added, deleted, path = fields[at].split(b"\t", 2)
        at += 1 if path else 3
        is_binary = added == b"-"
        files.append((
            paths[-1], STATUS[status[0]], paths[0] if len(paths) == 2 else None, int(status[1:]) if len(paths) == 2 else None,
            None if is_binary else int(added), None if is_binary else int(deleted), is_binary,
            *(None if mode == "000000" else mode for mode in (old_mode, new_mode)),
            *(None if set(oid) == {"0"} else oid for oid in (old_oid, new_oid)),
        ))  # fmt: skip
    assert at == len(fields), fields[at:]
    return files


def ours(con, repo, range="HEAD", columns=COLUMNS, **options) -> list[Row]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    query = f"SELECT {columns} FROM commit_changes($range, $repo{arguments})"
    return [
        Row(*row)
        for row in con.execute(query, {"range": range, "repo": str(repo), **options}).fetchall()
    ]


def assert_same(got, wanted):
    difference = repositories.first_differences(got, wanted)
    assert not difference, f"against {repositories.git_version()}\n{difference}"


# -- histories --------------------------------------------------------------------------------


class History(NamedTuple):
    repo: pathlib.Path
    range: str
    """A revision or range that both understand."""
    older: str
    """A commit in the middle of it."""
    folder: str
    """A directory that many commits change."""


def one_of_each_case(cases, _) -> History:
    return History(cases, "main", "middle", "a")


def bundle(name: str, folder: pathlib.Path) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip(f"REDLINE_TEST_REPOS is not set: it names the directory of {name}")
    return repositories.clone_bundle(name, folder / "clone", "--bare")


def ripgrep(_, folder) -> History:
    return History(bundle("ripgrep.bundle", folder), "HEAD", "HEAD~700", "crates/ignore")


def cargo(_, folder) -> History:
    repo = bundle("cargo.bundle", folder)
    first = repositories.git_text(repo, "rev-list", "--first-parent", "--skip=900", "-n1", "HEAD")
    return History(repo, f"{first}..HEAD", "HEAD~300", "src/cargo/core")


@pytest.fixture(scope="module", params=[one_of_each_case, ripgrep, cargo], ids=lambda f: f.__name__)
def history(request, cases, tmp_path_factory) -> History:
    return request.param(cases, tmp_path_factory.mktemp("history"))


# -- parity -----------------------------------------------------------------------------------


def test_rows_equal_those_of_git_log(con, history):
    assert_same(ours(con, history.repo, history.range), git_log(history.repo, history.range))


def test_names_alone_come_in_the_order_of_git_log(con, history):
    query = "SELECT commit_id, file_path, status FROM commit_changes(?, ?)"
    got = con.execute(query, [history.range, str(history.repo)]).fetchall()
    assert_same(
        got,
        [
            (row.commit_id, row.file_path, row.status)
            for row in git_log(history.repo, history.range)
        ],
    )


@pytest.mark.parametrize(
    "options, flag",
    [
        ({"renames": True}, "-M"),
        ({"copies": True}, "-C"),
        ({"renames": True, "similarity": 90}, "-M90%"),
    ],
    ids=str,
)
def test_renames_and_copies_equal_those_of_git_log(con, history, options, flag):
    range = f"{history.older}..HEAD" if history.range == "HEAD" and flag == "-C" else history.range
    assert_same(
        ours(con, history.repo, range, **options), git_log(history.repo, range, renames=flag)
    )


def test_a_merge_is_compared_with_its_first_parent(con, history):
    wanted = git_log(history.repo, history.range, merges="--diff-merges=first-parent")
    assert_same(ours(con, history.repo, history.range, merges="first_parent"), wanted)


def test_a_merge_is_compared_with_each_parent(con, history):
    order = repositories.git_text(history.repo, "log", "--format=%H %P", history.range).splitlines()
    pairs = [
        (parent, commit)
        for commit, *parents in map(str.split, order)
        for parent in parents or [repositories.EMPTY]
    ]
    wanted = [
        (commit, None if parent == repositories.EMPTY else parent, *change)
        for (parent, commit), changes in zip(
            pairs, repositories.changes(history.repo, pairs), strict=True
        )
        for change in changes
    ]
    query = "SELECT commit_id, parent_id, COLUMNS(* EXCLUDE (commit_id, parent_id, author_name, author_email, author_date, author_offset, committer_date, subject, matched)) FROM commit_changes(?, ?, merges := 'all_parents')"
    assert_same(con.execute(query, [history.range, str(history.repo)]).fetchall(), wanted)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("hides", [False, True], ids=["streamed", "limited"])
def test_since_and_until_choose_the_commits_of_git_log(con, history, fraction, hides):
    range = f"{history.older}..HEAD" if hides else "HEAD"
    times = sorted(
        {
            int(time)
            for time in repositories.git_text(
                history.repo, "log", "-n3000", "--format=%ct", range
            ).split()
        }
    )
    since, until = times[int(fraction * len(times))], times[int((1 + fraction) / 2 * len(times))]
    moment = "make_timestamptz({}000000::BIGINT)"
    for options, flags in (
        (f"since := {moment.format(since)}", [f"--since=@{since}"]),
        (
            f"until := {moment.format(until)}, since := {moment.format(since - 1)}",
            [f"--until=@{until}", f"--since=@{since - 1}"],
        ),
    ):
        got = con.execute(
            f"SELECT {COLUMNS} FROM commit_changes(?, ?, {options})", [range, str(history.repo)]
        ).fetchall()
        assert_same([Row(*row) for row in got], git_log(history.repo, range, *flags))


def test_paths_choose_the_commits_of_git_log(con, history):
    for paths in ([history.folder], ["*.toml", f":!{history.folder}"], ["no such path"]):
        wanted = git_log(history.repo, "--full-history", history.range, "--", *paths)
        assert_same(ours(con, history.repo, history.range, paths=paths), wanted)


@pytest.mark.parametrize(
    "range", ["{older}..HEAD", "HEAD..{older}", "{older}...HEAD", "{older}", "HEAD^!", "HEAD~3^@"]
)
def test_a_range_names_the_commits_of_git_log(con, history, range):
    range = range.format(older=history.older)
    if ".." in history.range and ".." not in range and "!" not in range:
        pytest.skip("the whole of a long history takes long with git")
    columns = COLUMNS.replace("additions, deletions, is_binary", "NULL, NULL, NULL")
    wanted = [
        row._replace(additions=None, deletions=None, is_binary=None)
        for row in git_log(history.repo, range)
    ]
    assert_same(ours(con, history.repo, range, columns), wanted)


def test_any_two_commits_name_the_range_of_git_log(con, history):
    chosen = random.Random(SEED)
    commits = repositories.git_text(history.repo, "rev-list", "-n3000", "HEAD").splitlines()
    for dots in ("..", "...") * 8:
        range = dots.join(chosen.sample(commits, 2))
        got = con.execute(
            "SELECT DISTINCT ON (commit_id) commit_id FROM commit_changes(?, ?, merges := 'all_parents')",
            [range, str(history.repo)],
        )
        wanted = repositories.git_text(
            history.repo, "log", "-m", "--format=%x00%H", "--raw", range
        ).split("\0")[1:]
        wanted = {commit.split()[0] for commit in wanted if "\n" in commit.strip()}
        assert {commit for (commit,) in got.fetchall()} == wanted, range


@pytest.mark.own_database
def test_a_commit_that_a_slow_clock_excludes_late_is_not_shown(con, tmp_path):
    """If a clock was years late, the walk meets the excluded commits last: by then it has found them and
    compared some, though their objects may be missing."""
    write(tmp_path, "init --quiet --initial-branch=main .")
    who = "<a@example.com> {} +0000"
    stream = []
    for number in range(1, 301):
        branch, date, parent = (
            ("slow", 1_000_000_000, 290)
            if number == 300
            else ("main", 1_500_000_000 + number, number - 1)
        )
        stream.append(
            f"commit refs/heads/{branch}\nmark :{number}\ncommitter A {who.format(date)}\ndata 0\n"
        )
        stream.append(f"from :{parent}\n" if parent else "")
        stream.append(f"M 644 inline {number % 7}.txt\ndata <<END\n{number}\nEND\n\n")
    repositories.git(tmp_path, "fast-import", "--quiet", stdin="".join(stream).encode())
    wanted = git_log(tmp_path, "slow..main")
    assert len(wanted) == 9
    (pack,) = (tmp_path / ".git/objects/pack").glob("*.pack")
    objects = pack.read_bytes()
    for file in pack.parent.iterdir():
        file.unlink()
    repositories.git(tmp_path, "unpack-objects", "-q", stdin=objects)
    tree = repositories.git_text(tmp_path, "rev-parse", "main~14^{tree}")
    (tmp_path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for threads in (1, 2, 8):
        process_threads.let_work(con, threads)
        assert_same(ours(con, tmp_path, "slow..main"), wanted)
        with pytest.raises(
            duckdb.Error, match=f"^Invalid Input Error: tool_failed: object {tree} is missing"
        ):
            ours(con, tmp_path, "main")


def test_all_is_every_reference(con, history):
    if ".." in history.range:
        pytest.skip("the whole of a long history takes long with git")
    columns = COLUMNS.replace("additions, deletions, is_binary", "NULL, NULL, NULL")
    wanted = [
        row._replace(additions=None, deletions=None, is_binary=None)
        for row in git_log(history.repo, "--all")
    ]
    assert_same(ours(con, history.repo, "all", columns), wanted)


def test_without_the_mailmap_an_author_is_the_one_of_the_commit(con, history):
    wanted = git_log(history.repo, history.range, mailmap=False)
    assert_same(ours(con, history.repo, history.range, mailmap=False), wanted)
    if (history.repo / ".mailmap").exists():
        assert {row.author_email for row in wanted} != {
            row.author_email for row in ours(con, history.repo, history.range)
        }


@pytest.mark.parametrize(
    "options, flag",
    [
        ({"ignore_whitespace": "all"}, "-w"),
        ({"algorithm": "histogram"}, "--histogram"),
        ({"ignore_blank_lines": True}, "--ignore-blank-lines"),
    ],
    ids=str,
)
def test_lines_are_counted_as_by_git_log(con, history, options, flag):
    counted = {
        (row.commit_id, row.file_path): (row.additions, row.deletions)
        for row in git_log_numstat(history.repo, flag, history.range)
    }
    # `--numstat -w` leaves out files without a changed line; redline gives a row for each.
    got = {
        (row.commit_id, row.file_path): (row.additions, row.deletions)
        for row in ours(con, history.repo, history.range, **options)
    }
    assert_same([(key, got[key]) for key in counted], list(counted.items()))


def git_log_numstat(repo, *options: str) -> list[Row]:
    """Returns rows with only the commit, the path and the numbers."""
    printed = repositories.git(
        repo,
        "log",
        "-z",
        "--numstat",
        "--no-renames",
        "--no-merges",
        "--format=%x01%H%x00",
        *options,
    )
    rows = []
    for entry in printed.split(b"\x01")[1:]:
        commit, *fields = [field.strip(b"\n") for field in entry.split(b"\0")]
        for added, deleted, path in (field.split(b"\t", 2) for field in fields if field):
            numbers = (None, None) if added == b"-" else (int(added), int(deleted))
            rows.append(
                Row(
                    commit.decode(),
                    *[None] * 7,
                    repositories.lossy(path),
                    *[None] * 3,
                    *numbers,
                    *[None] * 5,
                )
            )
    return rows


# -- without git's answer ---------------------------------------------------------------------


def test_a_commit_graph_changes_no_row(con, cases, tmp_path):
    repositories.git(tmp_path, "clone", "--quiet", "--mirror", str(cases), "graph")
    repo = tmp_path / "graph"
    before = [ours(con, repo, range) for range in ("ALL", "middle..main", "main")]
    repositories.git(repo, "commit-graph", "write", "--reachable")
    assert [ours(con, repo, range) for range in ("ALL", "middle..main", "main")] == before
    (repo / "objects/info/commit-graph").chmod(0o644)
    (repo / "objects/info/commit-graph").write_bytes(b"CGPH torn")
    assert [ours(con, repo, range) for range in ("ALL", "middle..main", "main")] == before


def test_a_shallow_history_ends_where_git_s_does(con, cases, tmp_path):
    repositories.git(tmp_path, "clone", "--quiet", "--depth=3", f"file://{cases}", "shallow")
    assert_same(ours(con, tmp_path / "shallow"), git_log(tmp_path / "shallow"))


def test_attributes_of_the_work_tree_count(con, cases, tmp_path):
    repositories.git(tmp_path, "clone", "--quiet", str(cases), "clone")
    (tmp_path / "clone/.gitattributes").write_text("*.txt -diff\n")
    (tmp_path / "clone/a/.gitattributes").write_text("two.txt diff\n")
    assert_same(ours(con, tmp_path / "clone"), git_log(tmp_path / "clone"))


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> pathlib.Path:
    return bundle("cargo.bundle", tmp_path_factory.mktemp("long"))


@pytest.mark.own_database
def test_a_limit_ends_a_query_soon_and_leaves_no_threads(con, long):
    process_threads.let_work(con, 2).execute("SELECT 1").fetchall()
    # Of processor time: a busy machine takes no more.
    before, started = process_threads.count(), time.process_time()
    assert (
        len(
            con.execute(
                "SELECT * EXCLUDE (author_date, committer_date) FROM commit_changes('HEAD', ?) LIMIT 1",
                [str(long)],
            ).fetchall()
        )
        == 1
    )
    process_threads.assert_ended(before)
    assert (
        time.process_time() - started < 5
    )  # the whole takes longer still; an idle machine needs under half a second


@pytest.mark.own_database
def test_a_cancelled_query_ends_soon_and_leaves_no_threads(con, long):
    process_threads.let_work(con, 2).execute("SELECT 1").fetchall()
    before, most = process_threads.count(), 0

    def cancel():
        nonlocal most
        until = time.monotonic() + 60
        while (most := process_threads.count()) <= before + 1 and time.monotonic() < until:
            time.sleep(0.01)
        con.interrupt()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    started = time.process_time()
    with pytest.raises(duckdb.InterruptException):
        con.execute(
            "SELECT sum(additions) FROM commit_changes('HEAD', ?, renames := true)", [str(long)]
        ).fetchall()
    canceller.join()
    assert time.process_time() - started < 5
    assert most <= before + 1 + 2, "a thread of the test, and two workers"
    process_threads.assert_ended(before)


def test_eight_connections_see_one_history(con, cases):
    wanted, answers = ours(con, cases, "ALL"), [None] * 8

    def ask(place):
        answers[place] = ours(con.cursor(), cases, "ALL")

    asking = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    [thread.start() for thread in asking]
    [thread.join() for thread in asking]
    assert answers == [wanted] * 8


@pytest.mark.own_database
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_number_of_threads_changes_no_row(con, cases, count):
    process_threads.let_work(con, count)
    assert_same(ours(con, cases, "ALL"), git_log(cases, "--all"))
