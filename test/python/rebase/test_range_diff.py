"""range_diff compared with `git range-diff`, byte for byte.

`REDLINE_REBASES` sets how many random rebases the slow test tries, 500 by default; `make torture` tries 1,000.
"""

import json
import os
import re

import pytest
import repositories
from answers import answer, assert_refused
from rebases import Series, clone_of_ripgrep, empty_world

IDENTITY = ["-c", "user.name=A U Thor", "-c", "user.email=a@b"]
SIGNS = {"equal": "=", "changed": "!", "dropped": "<", "added": ">"}


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory):
    return clone_of_ripgrep(tmp_path_factory)


def printed(con, repo, old: str, new: str, named="") -> bytes:
    """Returns the rows as git prints them."""
    rows = con.execute(
        f"SELECT old_number, old_commit_id, new_number, new_commit_id, status, encode(subject), encode(patch)"
        f" FROM range_diff(?, ?, ?{named})",
        [old, new, str(repo)],
    ).fetchall()
    ids = sorted({id_ for row in rows for id_ in (row[1], row[3]) if id_})
    cut = (
        repositories.git_text(
            repo, "rev-list", "--no-walk=unsorted", "--abbrev-commit", *ids
        ).split()
        if ids
        else []
    )
    short = dict(zip(ids, cut))
    count = lambda range_: int(
        repositories.git_text(repo, "rev-list", "--count", "--no-merges", range_)
    )
    width = len(str(1 + max(count(old), count(new))))
    dashes, out = None, []
    for old_number, old_id, new_number, new_id, status, subject, patch in rows:
        dashes = dashes or "-" * len(short[old_id or new_id])
        side = lambda number, id_: f"{number or '-':>{width}}:  {short[id_] if id_ else dashes}"
        header = f"{side(old_number, old_id)} {SIGNS[status]} {side(new_number, new_id)} "
        out.append(header.encode() + subject + b"\n" + (patch or b""))
    return b"".join(out)


def git_prints(repo, old: str, new: str, *options: str) -> bytes:
    return repositories.git(repo, "range-diff", "--no-color", *options, old, new)


def assert_same(con, repo, old, new, what="", options=(), named=""):
    ours, theirs = printed(con, repo, old, new, named=named), git_prints(repo, old, new, *options)
    if ours != theirs:
        pairs = list(zip(ours.split(b"\n"), theirs.split(b"\n")))
        at = next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))
        near = lambda text: b"\n".join(text.split(b"\n")[max(0, at - 4) : at + 4]).decode(
            "utf-8", "replace"
        )
        pytest.fail(
            f"{what} {old} {new}: line {at}:\n{near(ours)}\nwhere git prints\n{near(theirs)}"
        )


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return empty_world(tmp_path_factory)


def test_random_rebases_are_shown_as_git_shows_them(con, world):
    series = Series(world, 7)
    for number in range(40):
        assert_same(con, world, *series.ranges(), what=f"rebase {number}:")


@pytest.mark.slow
def test_many_random_rebases_are_shown_as_git_shows_them(con, world):
    series = Series(world, 11)
    for number in range(int(os.environ.get("REDLINE_REBASES", "500"))):
        factor = series.dice.choice([60, 60, 20, 100, 999])
        options, named = [f"--creation-factor={factor}"], f", creation_factor := {factor}"
        assert_same(con, world, *series.ranges(), f"rebase {number}:", options, named)


def test_ranges_of_ripgrep_are_shown_as_git_shows_them(con, ripgrep):
    for old, new in [
        ("HEAD~30..HEAD~2", "HEAD~25..HEAD"),
        ("HEAD~300..HEAD~270", "HEAD~290..HEAD~265"),
        ("0.10.0~20..0.10.0", "0.10.0~12..11.0.0~300"),
    ]:
        assert_same(con, ripgrep, old, new)


@pytest.mark.slow
def test_series_of_cargo_are_shown_as_git_shows_them(con, tmp_path_factory):
    """Ranges that overlap, ranges that do not, and backports beside what they were made from."""
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    cargo = repositories.clone_bundle(
        "cargo.bundle", tmp_path_factory.mktemp("cargo") / "cargo.git", "--bare"
    )
    repositories.git(cargo, "config", "core.abbrev", "10")
    text = lambda *command: repositories.git_text(cargo, *command).strip()
    line = text("rev-list", "--first-parent", "master").split()
    for start in range(0, len(line) - 60, len(line) // 40):
        ends = [line[start + by] for by in (50, 10, 40, 0)]
        for factor in (60, 999):
            options, named = [f"--creation-factor={factor}"], f", creation_factor := {factor}"
            assert_same(con, cargo, f"{ends[0]}..{ends[1]}", f"{ends[2]}..{ends[3]}", str(start), options, named)  # fmt: skip
    places, backports = {commit: at for at, commit in enumerate(line)}, 0
    for tag in text("tag", "--no-merged", "master", "--list", "0.*").split():
        base = text("merge-base", tag, "master")
        if places.get(base, 0) > 80:
            assert_same(con, cargo, f"{base}..{tag}", f"{base}..{line[places[base] - 80]}", tag)
            backports += 1
    assert backports > 5


def test_notes_and_mailmap_take_part_as_in_git(con, tmp_path):
    repositories.git(tmp_path, "init", "--quiet", "--bare", ".")
    series = Series(tmp_path, 3)
    old, new = series.ranges()
    for range_, note in ((old, "checked"), (new, "checked\ntwice \n\n")):
        repositories.git(
            tmp_path, *IDENTITY, "notes", "add", "-f", "-m", note, range_.split("..")[1]
        )
    assert_same(con, tmp_path, old, new)


def test_an_argument_that_is_not_a_range_is_refused_as_by_git(con, world):
    old, new = Series(world, 5).ranges()
    for given in (old.split("..")[1], "ALL"):
        for pair in ((given, new), (new, given)):
            got = answer(con, "SELECT * FROM range_diff(?, ?, ?)", *pair, world)
            assert "is not a range of commits" in assert_refused(got, "invalid_args")


def test_ranges_beyond_the_limit_are_refused(con, ripgrep):
    query = "SELECT * FROM range_diff('HEAD~1500..HEAD', 'HEAD~1..HEAD', ?)"
    assert "commits" in assert_refused(answer(con, query, ripgrep), "too_large")


@pytest.fixture
def series(tmp_path):
    """Returns a repository with two versions of a series."""
    repositories.git(tmp_path, "init", "--quiet", "--bare", ".")
    for seed in range(11, 60):
        old, new = Series(tmp_path, seed).ranges()
        if int(repositories.git_text(tmp_path, "rev-list", "--count", new)) > 6:
            return tmp_path, old, new
    raise AssertionError("no series is long enough")


def ask(con, repo, **arguments):
    given = json.dumps({"repo": str(repo)} | arguments)
    return con.execute("SELECT redline_call_text('GitRangeDiff', ?)", [given]).fetchone()[0]


LINE = re.compile(rb" *(\d+|-):  ([0-9a-f]+|-+) ([=!<>]) +(\d+|-):  ([0-9a-f]+|-+) (.*)")


def test_the_tool_says_what_git_range_diff_prints(con, series):
    world, old, new = series
    printed = repositories.git(world, "range-diff", "--no-color", "--abbrev=12", old, new)
    numbered = lambda number, oid: (number, oid[:12] if number != b"-" else b"-" * 12)
    wanted = []
    for line in printed.splitlines():
        if found := LINE.fullmatch(line):
            wanted.append(
                b"%s:  %s %s %s:  %s %s"
                % (*numbered(found[1], found[2]), found[3], *numbered(found[4], found[5]), found[6])
            )
        else:
            wanted.append(line)
    text = ask(con, world, old_range=old, new_range=new, max_bytes=1_000_000)
    head, _, rest = text.partition("\n")
    assert [line.rstrip() for line in rest.encode().splitlines() if line] == [
        line.rstrip() for line in wanted if line
    ]
    assert head.endswith(", ".join(f"{count} {status}" for status in ["equal", "changed", "dropped", "added"]
                                   if (count := sum(f" {SIGNS[status]} " in line.decode() for line in wanted if LINE.fullmatch(line)))))  # fmt: skip


def test_the_tool_answers_in_pages_that_hold_each_commit_once(con, series):
    world, old, new = series
    whole = json.loads(
        ask(con, world, old_range=old, new_range=new, format="json", max_bytes=1_000_000)
    )
    rows = con.execute(
        "SELECT old_commit_id, new_commit_id, status, patch FROM range_diff(?, ?, ?)",
        [old, new, str(world)],
    ).fetchall()
    assert [
        (row["old_commit_id"], row["new_commit_id"], row["status"], row["patch"])
        for row in whole["commits"]
    ] == rows
    found, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        more = {"cursor": cursor} if cursor else {}
        page = json.loads(
            ask(con, world, old_range=old, new_range=new, format="json", max_bytes=2_000, **more)
        )
        found += [(row["old_commit_id"], row["new_commit_id"]) for row in page["commits"]]
        assert len(json.dumps(page, separators=(",", ":"), ensure_ascii=False).encode()) <= 2_000
        cursor, pages = page["next_cursor"], pages + 1
    assert found == [row[:2] for row in rows] and pages > 1
    assert ask(con, world, old_range=old, new_range=old, cursor="x").startswith("invalid_args: ")


def test_the_tool_refuses_an_argument_that_is_not_a_range(con, series):
    world, old, _ = series
    tip = old.split("..")[1]
    assert ask(con, world, old_range=tip, new_range=tip).startswith(
        f"invalid_args: '{tip}' is not a range"
    )
    assert ask(con, "/nowhere", old_range="a..b", new_range="a..b").startswith("not_found: ")
