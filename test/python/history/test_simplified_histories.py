"""Random histories of many merges, simplified to paths, against `git log -- paths`: with clocks that agree, are equal or are wrong.

`REDLINE_SIMPLIFIED` sets how many queries there are.
"""

import os
import pathlib
import random
import subprocess

import pytest
import repositories

QUERIES = int(os.environ.get("REDLINE_SIMPLIFIED", "10000"))
COMMITS = 14
SEED = 20_261_124
START = 1_700_000_000
FILES = ["a", "b", "d/c"]
PATHS = [["a"], ["b"], ["d"], ["a", "b"], ["a", "d"], ["a", "b", "d"], [":!a"]]


def history(dice: random.Random, name: str, first_mark: int) -> tuple[str, list[str]]:
    """Returns a history as `git fast-import` reads it, and its branches: half of the commits are merges, many of which keep one side."""
    clock = dice.choice(["ordered", "ordered", "equal", "ties", "wrong"])
    stream, marks, states, names = [], [], [], []
    for number in range(COMMITS):
        mark = first_mark + number
        date = (
            START
            + {
                "ordered": number,
                "equal": 0,
                "ties": number // 3,
                "wrong": dice.randrange(COMMITS),
            }[clock]
        )
        names.append(f"{name}-{number}")
        stream.append(
            f"commit refs/heads/{names[-1]}\nmark :{mark}\ncommitter A <a@b> {date} +0000\ndata 1\nx\n"
        )
        parents = (
            dice.sample(
                range(max(0, number - 5), number), min(dice.choice([1, 1, 2, 2, 2, 3]), number, 5)
            )
            if number and dice.random() > 0.05
            else []
        )
        for place, parent in enumerate(parents):
            stream.append(f"{'merge' if place else 'from'} :{marks[parent]}\n")
        # A merge takes each file from one of its sides, or all of them from one.
        whole = dice.choice(parents) if parents else None
        state = {
            file: states[dice.choice(parents) if dice.random() < 0.5 else whole][file]
            if parents
            else None
            for file in FILES
        }
        for file in dice.sample(
            FILES, dice.choice([0, 0, 1, 1, 2]) if len(parents) < 2 else dice.choice([0, 0, 0, 1])
        ):
            state[file] = None if dice.random() < 0.1 else dice.randrange(4)
        stream.append("deleteall\n")
        stream += [
            f"M 644 inline {file}\ndata 2\n{value}\n\n"
            for file, value in state.items()
            if value is not None
        ]
        stream.append("\n")
        marks.append(mark)
        states.append(state)
    return "".join(stream), names


@pytest.fixture(scope="module", params=["without a commit-graph", "with one"])
def world(request, tmp_path_factory) -> tuple[pathlib.Path, list[list[str]]]:
    """A repository with all histories, and the ids of each."""
    repo = tmp_path_factory.mktemp("simplified") / "repo"
    repo.mkdir()
    repositories.git(repo, "init", "--quiet", "--bare", ".")
    dice = random.Random(SEED)
    made = [
        history(dice, f"h{number}", number * COMMITS + 1) for number in range(max(4, QUERIES // 60))
    ]
    repositories.git(
        repo, "fast-import", "--quiet", stdin="".join(stream for stream, _ in made).encode()
    )
    repositories.git(repo, "pack-refs", "--all")
    if request.param == "with one":
        repositories.git(repo, "commit-graph", "write", "--reachable")
    ids = dict(
        line.split()
        for line in repositories.git_text(
            repo, "for-each-ref", "--format=%(refname:short) %(objectname)"
        ).splitlines()
    )
    return repo, [[ids[name] for name in names] for _, names in made]


@pytest.mark.slow
def test_a_simplified_history_is_git_s(con, world):
    repo, histories = world
    dice = random.Random(SEED + 1)
    shown = 0
    for query in range(QUERIES // 2):
        ids = dice.choice(histories)
        one, two = dice.sample(ids, 2)
        range_ = dice.choice([f"{one}..{two}", f"{one}..{two}", f"{one}...{two}", f"{two}^!", two])
        paths = dice.choice(PATHS)
        first_parent = dice.random() < 0.25
        options = ["--first-parent"] * first_parent
        theirs = repositories.git_text(
            repo, "log", *options, "--format=%H", range_, "--", *paths
        ).split()
        found = con.execute(
            "SELECT commit_id FROM commits($range, $repo, paths := $paths, first_parent := $first_parent)",
            {"range": range_, "repo": str(repo), "paths": paths, "first_parent": first_parent},
        ).fetchall()
        assert [commit for (commit,) in found] == theirs, (query, range_, paths, first_parent)
        shown += len(theirs)
    assert shown > QUERIES // 5


@pytest.mark.slow
def test_merge_bases_and_distances_are_git_s(con, world):
    repo, histories = world
    dice = random.Random(SEED + 2)
    for _ in range(QUERIES // 10):
        one, two = dice.sample(dice.choice(histories), 2)
        base = subprocess.run(
            ["git", "-C", repo, "merge-base", one, two],
            capture_output=True,
            text=True,
            env=repositories.environment(),
        )
        ours = (
            con.execute("SELECT merge_base(?, ?, ?)", [one, two, str(repo)]).fetchone()[0]
            if base.returncode == 0
            else ""
        )
        assert ours == base.stdout.strip(), (one, two)
        count = repositories.git_text(
            repo, "rev-list", "--left-right", "--count", f"{one}...{two}"
        ).split()
        distance = con.execute("SELECT ahead_behind(?, ?, ?)", [one, two, str(repo)]).fetchone()[0]
        assert [str(distance["ahead"]), str(distance["behind"])] == count, (one, two)


def test_of_two_merge_bases_of_one_second_a_commit_graph_names_the_one_of_the_later_generation(
    con, tmp_path
):
    repositories.git(tmp_path, "init", "--quiet", "--bare", ".")
    commits = {
        "root": [],
        "a": ["root"],
        "b1": ["root"],
        "b": ["b1"],
        "one": ["a", "b"],
        "two": ["a", "b"],
    }
    marks = {name: mark for mark, name in enumerate(commits, 1)}
    stream = ""
    for name, parents in commits.items():
        stream += f"commit refs/heads/{name}\nmark :{marks[name]}\ncommitter A <a@b> {START} +0000\ndata {len(name)}\n{name}\n"
        for place, parent in enumerate(parents):
            stream += f"{'merge' if place else 'from'} :{marks[parent]}\n"
        stream += "\n"
    repositories.git(tmp_path, "fast-import", "--quiet", stdin=stream.encode())
    answers = []
    for _ in range(2):
        for ends in (["one", "two"], ["two", "one"]):
            answers.append(repositories.git_text(tmp_path, "merge-base", *ends))
            found = con.execute("SELECT merge_base(?, ?, ?)", [*ends, str(tmp_path)]).fetchone()[0]
            assert found == answers[-1]
        repositories.git(tmp_path, "commit-graph", "write", "--reachable")
    assert len(set(answers)) == 2
