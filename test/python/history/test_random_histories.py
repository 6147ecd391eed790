"""Random histories (shape, ties, skewed clocks, several roots, octopus merges) against `git log`.

`REDLINE_HISTORIES` sets how many there are; `make torture` tries 3,000.
"""

import datetime
import os
import pathlib
import random
import types
from collections.abc import Mapping

import duckdb
import pytest
import repositories

pytestmark = pytest.mark.slow

HISTORIES = int(os.environ.get("REDLINE_HISTORIES", "120"))
# Of histories in which reading a parent too many leaves out a commit too many.
MERGES_SEED = 11
SEED = 20_240_607

MERGES = {
    "skip": ["--no-merges"],
    "first_parent": ["--diff-merges=first-parent"],
    "all_parents": ["-m"],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> tuple[pathlib.Path, list[list[str]]]:
    """A repository with all histories, and the branches of each."""
    repo = tmp_path_factory.mktemp("histories") / "repo"
    repo.mkdir()
    repositories.git(repo, "init", "--quiet", "--bare", ".")
    dice = random.Random(SEED)
    stream, branches, mark = [], [], 0
    for history in range(HISTORIES):
        clock = dice.choice(["same", "ties", "skewed", "ordered", "ordered"])
        marks, names = [], []
        for number in range(dice.randrange(3, 16)):
            mark += 1
            date = (
                START
                + {"same": 0, "ties": number // 3, "skewed": dice.randrange(30), "ordered": number}[
                    clock
                ]
            )
            name = f"h{history}-{number}"
            stream.append(
                f"commit refs/heads/{name}\nmark :{mark}\ncommitter A <a@b> {date} +0000\ndata 1\nx\n"
            )
            count = 0 if not marks or dice.random() < 0.08 else dice.choice([1, 1, 1, 2, 2, 3, 4])
            parents = dice.sample(marks[-6:], min(count, len(marks[-6:])))
            for place, parent in enumerate(parents):
                stream.append(f"{'merge' if place else 'from'} :{parent}\n")
            if not parents:
                stream.append("deleteall\n")
            for _ in range(dice.randrange(0, 3)):
                file = dice.choice(["a", "b", "d/c", "d/e"])
                stream.append(f"M 644 inline {file}\ndata 2\n{dice.randrange(10)}\n\n")
            stream.append("\n")
            marks.append(mark)
            names.append(name)
        branches.append(names)
    repositories.git(repo, "fast-import", "--quiet", stdin="".join(stream).encode())
    repositories.git(repo, "pack-refs", "--all")
    return repo, branches


START = 1_700_000_000
NO_TIMES: Mapping[str, int] = types.MappingProxyType({})


def by_git(
    repo: pathlib.Path,
    range: list[str],
    merges: str,
    paths: list[str],
    times: Mapping[str, int] = NO_TIMES,
) -> list[tuple[str, str]]:
    """Returns commit and path of each row of `git log`."""
    command = [
        "log",
        *(f"--{name}=@{seconds}" for name, seconds in times.items()),
        *MERGES[merges],
        "--full-history",
        "--no-renames",
        "--raw",
        "--no-abbrev",
        "--format=%x00%H%x09%P",
        *range,
        "--",
        *paths,
    ]
    rows = []
    for record in repositories.git(repo, *command).decode().split("\0")[1:]:
        head, *body = record.strip("\n").split("\n")
        commit, parents = head.split("\t")
        rows += [(commit, line.split("\t")[1]) for line in body if line.startswith(":")]
    return rows


def by_redline(
    con,
    repo: pathlib.Path,
    range: str,
    merges: str,
    paths: list[str],
    times: Mapping[str, int] = NO_TIMES,
) -> list[tuple[str, str]]:
    named = {"merges": merges} | ({"paths": paths} if paths else {})
    named |= {
        name: f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%F %T}+00"
        for name, seconds in times.items()
    }
    query = f"SELECT commit_id, file_path FROM commit_changes($range, $repo{''.join(f', {name} := ${name}' for name in named)})"
    return con.execute(query, named | {"range": range, "repo": str(repo)}).fetchall()


def is_named(file: str, paths: list[str]) -> bool:
    """Returns whether pathspecs of the kinds used here name a file."""
    included = [path for path in paths if not path.startswith(":!")]
    excluded = [path.removeprefix(":!") for path in paths if path.startswith(":!")]
    below = lambda path: file == path or file.startswith(f"{path}/")
    return (not included or any(map(below, included))) and not any(map(below, excluded))


def test_each_range_has_the_rows_of_git_log_in_its_order(con, world):
    repo, branches = world
    dice = random.Random(SEED + 1)
    failed = []
    for names in branches:
        one, two = (dice.choice(names[-4:]) for _ in "ab")
        range = dice.choice(
            [f"{one}..{two}", f"{one}...{two}", one, f"{one}^!", f"{two}..{one}", f"{two}...{one}"]
        )
        merges = dice.choice(list(MERGES))
        paths = dice.choice([[], [], ["a"], ["d"], ["a", "d/c"], [":!a"]])
        times = {
            name: START + dice.randrange(-2, 18)
            for name in ("since", "until")
            if dice.random() < 0.3
        }
        # With each parent, `paths` is a filter; git also drops merges that differ from excluded parents alone.
        wanted = by_git(repo, [range], merges, [] if merges == "all_parents" else paths, times)
        wanted = [row for row in wanted if is_named(row[1], paths)]
        got = by_redline(con, repo, range, merges, paths, times)
        if wanted != got:
            failed.append(
                f"{range} {merges} {paths} {times}: git {len(wanted)} rows, redline {len(got)}; {set(got) ^ set(wanted)}"
            )
    assert not failed, f"{len(failed)} of {len(branches)}\n" + "\n".join(failed[:20])


def merge_heavy(repo: pathlib.Path, dice: random.Random, count: int) -> list[list[str]]:
    """Writes long histories of merges with few changes and clocks that are wrong; returns the branches of each."""
    stream, branches, mark = [], [], 0
    for history in range(count):
        size = dice.randrange(40, 140)
        clock = dice.choice(["skewed", "skewed", "ordered", "wild", "same"])
        window = dice.choice([6, 12, 25])
        marks, names = [], []
        for number in range(size):
            mark += 1
            after = {
                "skewed": number + dice.randrange(-8, 8),
                "ordered": number,
                "same": 0,
                "wild": dice.randrange(60),
            }
            name = f"h{history}-{number}"
            stream.append(
                f"commit refs/heads/{name}\nmark :{mark}\ncommitter A <a@b> {START + after[clock]} +0000\ndata 1\nx\n"
            )
            known = marks[-window:]
            parents = dice.sample(known, min(dice.choice([1, 2, 2, 2, 3, 4]), len(known)))
            for place, parent in enumerate(parents):
                stream.append(f"{'merge' if place else 'from'} :{parent}\n")
            if dice.random() < 0.25:
                stream.append(f"M 644 inline {dice.choice('ab')}\ndata 2\n{dice.randrange(3)}\n\n")
            stream.append("\n")
            marks.append(mark)
            names.append(name)
        branches.append(names)
    repositories.git(repo, "fast-import", "--quiet", stdin="".join(stream).encode())
    repositories.git(repo, "pack-refs", "--all")
    return branches


def test_commits_with_paths_are_those_of_git_log_in_its_order(con, tmp_path):
    """Which commits are left out depends on the order in which git reads parents, and on what is hidden by then."""
    dice = random.Random(MERGES_SEED)
    repositories.git(tmp_path, "init", "--quiet", "--bare", ".")
    failed, tried = [], 0
    for names in merge_heavy(tmp_path, dice, max(HISTORIES, 100)):
        for _ in range(8):
            one, two = dice.sample(names[-len(names) * 2 // 3 :], 2)
            asked = f"{one}{dice.choice(['..', '..', '..', '...'])}{two}"
            options = {"paths": dice.choice("ab"), "first_parent": dice.random() < 0.1}
            first_parent = ["--first-parent"] * options["first_parent"]
            wanted = repositories.git_text(
                tmp_path, "log", "--format=%H", *first_parent, asked, "--", options["paths"]
            ).split()
            rows = con.execute(
                "SELECT commit_id FROM commits($range, $repo, paths := $paths, first_parent := $first_parent)",
                options | {"range": asked, "repo": str(tmp_path)},
            ).fetchall()
            tried += 1
            if [commit for (commit,) in rows] != wanted:
                failed.append(f"{asked} {options}: git {len(wanted)}, redline {len(rows)}")
    assert not failed, f"{len(failed)} of {tried}\n" + "\n".join(failed[:20])


def test_all_references_have_the_rows_of_git_log(con, tmp_path):
    """Each repository has a linked work tree with a detached HEAD, and references to tags, trees and blobs."""
    dice = random.Random(SEED + 2)
    for number in range(8):
        repo = tmp_path / str(number)
        repo.mkdir()
        repositories.git(repo, "init", "--quiet", "--initial-branch=main", ".")
        stream = []
        for mark in range(1, 12):
            branch = dice.choice(["main", "x/y", "z"])
            stream.append(
                f"commit refs/heads/{branch}\nmark :{mark}\ncommitter A <a@b> {START + dice.randrange(8)} +0000\ndata 1\nx\n"
            )
            if mark > 1 and dice.random() < 0.8:
                stream.append(f"from :{dice.randrange(1, mark)}\n")
            stream.append(f"M 644 inline f\ndata 2\n{mark:2}\n\n")
        stream.append("tag t\nfrom :1\ntagger A <a@b> 1 +0000\ndata 1\nx\n")
        repositories.git(repo, "fast-import", "--quiet", "--force", stdin="".join(stream).encode())
        head = repositories.git_text(
            repo, "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/heads"
        )
        repositories.git(
            repo, "symbolic-ref", "HEAD", f"refs/heads/{dice.choice(['main', 'nosuch', head])}"
        )
        repositories.git(repo, "update-ref", "refs/x/blob", f"{head}:f")
        repositories.git(repo, "update-ref", "refs/x/tree", f"{head}^{{tree}}")
        repositories.git(
            repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone"
        )
        repositories.git(
            repo,
            "worktree",
            "add",
            "--quiet",
            "--detach",
            os.fspath(tmp_path / f"linked{number}"),
            head,
        )
        linked = tmp_path / f"linked{number}"
        who = {
            f"GIT_{role}_{part}": "a@b"
            for role in ("AUTHOR", "COMMITTER")
            for part in ("NAME", "EMAIL")
        }
        environment = repositories.environment(**who)
        repositories.git(linked, "commit", "--quiet", "--allow-empty", "-m", "x", env=environment)
        (linked / "g").write_text("g\n")
        repositories.git(linked, "add", ".")
        repositories.git(linked, "commit", "--quiet", "-m", "x", env=environment)
        repositories.git(linked, "update-ref", "refs/worktree/own", "HEAD~1")
        repositories.git(linked, "update-ref", "refs/bisect/bad", "HEAD")
        for place in (repo, linked):
            assert by_redline(con, place, "ALL", "all_parents", []) == by_git(
                place, ["--all"], "all_parents", []
            )


DAMAGE = {
    "an empty file": (lambda git: (git / "refs/heads/x").write_text(""), "refs/heads/x"),
    "garbage": (lambda git: (git / "refs/heads/x").write_text("garbage\n"), "refs/heads/x"),
    "an id that was cut": (lambda git: (git / "refs/heads/x").write_text("1234567\n"), "refs/heads/x"),
    "a missing object": (lambda git: (git / "refs/heads/x").write_text("1" * 40 + "\n"), "refs/heads/x"),
    "the null id": (lambda git: (git / "refs/heads/x").write_text("0" * 40 + "\n"), "refs/heads/x"),
    "a name with a space": (lambda git: (git / "refs/heads/x y").write_text((git / "refs/heads/main").read_text()), "refs/heads/x y"),
    "packed-refs that was cut": (lambda git: (git / "packed-refs").write_text("1" * 40 + " refs/tags/v1\n" + "1" * 20), "line 2 of its packed-refs"),
    "packed-refs with garbage": (lambda git: (git / "packed-refs").write_text("# pack-refs with: peeled\ngarbage\n"), "line 2 of its packed-refs"),
    "a packed reference to nothing": (lambda git: (git / "packed-refs").write_text("1" * 40 + " refs/tags/v1\n"), "refs/tags/v1"),
    "a HEAD to nothing": (lambda git: (git / "HEAD").write_text("1" * 40 + "\n"), "HEAD"),
}  # fmt: skip


def by_hand(repo: pathlib.Path) -> None:
    """Makes a repository whose references are files, into which a test writes."""
    environment = repositories.environment(**repositories.SHA1_AND_FILES)
    repositories.git(repo, "init", "--quiet", "--initial-branch=main", ".", env=environment)


@pytest.mark.parametrize("kind", DAMAGE)
def test_all_names_the_reference_that_cannot_be_read(con, tmp_path, kind):
    by_hand(tmp_path)
    stream = f"commit refs/heads/main\ncommitter A <a@b> {START} +0000\ndata 1\nx\nM 644 inline f\ndata 2\nx\n\n"
    repositories.git(tmp_path, "fast-import", "--quiet", stdin=stream.encode())
    assert len(by_redline(con, tmp_path, "ALL", "skip", [])) == 1
    damage, named = DAMAGE[kind]
    damage(tmp_path / ".git")
    with pytest.raises(repositories.GitFailed):
        by_git(tmp_path, ["--all"], "skip", [])
    with pytest.raises(duckdb.Error, match=f"tool_failed: .* is damaged: .*{named}"):
        by_redline(con, tmp_path, "ALL", "skip", [])


def test_all_passes_over_symbolic_references_to_nothing(con, tmp_path):
    by_hand(tmp_path)
    stream = f"commit refs/heads/main\ncommitter A <a@b> {START} +0000\ndata 1\nx\nM 644 inline f\ndata 2\nx\n\n"
    repositories.git(tmp_path, "fast-import", "--quiet", stdin=stream.encode())
    for name, target in [
        ("refs/remotes/origin/HEAD", "refs/remotes/origin/main"),
        ("refs/heads/a", "refs/heads/b"),
        ("refs/heads/b", "refs/heads/a"),
    ]:
        repositories.git(tmp_path, "symbolic-ref", name, target)
    (tmp_path / ".git/refs/heads/x.lock").write_text("")
    (tmp_path / ".git/refs/heads/.hidden").write_text("")
    os.mkfifo(tmp_path / ".git/refs/heads/fifo")
    (tmp_path / ".git/refs/heads/away").symlink_to("nowhere")
    (tmp_path / ".git/refs/heads/link").symlink_to("refs/heads/main")
    assert (
        by_redline(con, tmp_path, "ALL", "skip", [])
        == by_git(tmp_path, ["--all"], "skip", [])
        != []
    )
    assert con.execute("SELECT resolve_revision('link', ?)", [str(tmp_path)]).fetchone()[
        0
    ] == repositories.git_text(tmp_path, "rev-parse", "link")
