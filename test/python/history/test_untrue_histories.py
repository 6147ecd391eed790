"""Histories that are none: commits that are their own ancestors, commit-graphs that lie, clocks that ran backwards."""

# Promise (survival): A history that comes back to a commit is damage, in blame and for
# `~2000000000` too; a commit-graph is believed only if its checksum is right and, of a commit,
# only if each parent is of a lower generation.

import hashlib
import random
import struct

import apart
import pytest
from loose_objects import commit, loose, tree
from repositories import SHA1_AND_FILES, environment, git, git_text

OWN_ANCESTOR = "is its own ancestor"


def linear(path, commits: int = 20):
    """Makes a history in which each commit changes another line of one file."""
    path.mkdir(parents=True)
    by_hand = environment(**SHA1_AND_FILES)
    git(path, "init", "--quiet", "--initial-branch=main", env=by_hand)
    lines = [f"line {number}" for number in range(commits)]
    stream = []
    for number in range(commits):
        lines[number] = f"changed by {number}"
        text = "\n".join(lines) + "\n"
        stream.append(
            f"commit refs/heads/main\ncommitter n <e> {1700000000 + number} +0000\ndata 2\n{number % 10}\nM 644 inline f\ndata {len(text)}\n{text}"
        )
    git(path, "fast-import", "--quiet", stdin="\n".join(stream).encode())
    return path


def circle(path, length: int, is_same: bool):
    """Adds commits that lead to each other, with the same file or others."""
    ids = [f"{number:02x}" * 20 for number in range(0xA0, 0xA0 + length)]
    for number, own in enumerate(ids):
        blob = loose(path, "blob", b"one\ntwo\n" if is_same else f"one\n{number}\n".encode())
        name = "own" if number == 0 else f"own{number}"
        commit(path, name, tree(path, ("100644", "f", blob)), ids[(number + 1) % length], oid=own)


@pytest.mark.parametrize("is_same", [True, False], ids=["same", "changing"])
@pytest.mark.parametrize("length", [1, 2, 4])
def test_a_history_that_comes_back_to_a_commit_is_damage(extension, tmp_path, length, is_same):
    path = linear(tmp_path / "repository", commits=2)
    circle(path, length, is_same)
    queries = (
        "FROM file_blame('f', 'own', ?)",
        "FROM file_blame('f', 'own', ?, moves := true, copies := 2)",
        "FROM file_blame('f', 'own', ?, ignore_revs := ['own'])",
        "FROM tree_blame('own', ?)",
        "SELECT resolve_revision('own~2000000000', ?)",
    )
    answers = apart.run(
        extension,
        [(query, [str(path)]) for query in queries],
        settings=["SET redline_max_seconds = 0"],
    )
    for query, answer in zip(queries, answers, strict=True):
        assert answer.error is not None and OWN_ANCESTOR in answer.error, query


def edges(path, *, change, mend: bool):
    """Changes the data of commits in a commit-graph: `change` gets the bytes, where those of commits begin, and how many there are."""
    file = path / ".git/objects/info/commit-graph"
    file.chmod(0o644)
    data = bytearray(file.read_bytes())
    chunks = {
        bytes(data[at : at + 4]): struct.unpack(">Q", data[at + 4 : at + 12])[0]
        for at in range(8, 8 + 12 * data[6], 12)
    }
    count = struct.unpack(">I", data[chunks[b"OIDF"] + 1020 : chunks[b"OIDF"] + 1024])[0]
    change(data, chunks[b"CDAT"], count)
    if mend:
        data[-20:] = hashlib.sha1(data[:-20]).digest()
    file.write_bytes(data)


def lead_back(data, start, count):
    """Makes each commit the child of the one after it in the order of ids, and the last one of the first."""
    for at in range(count):
        data[start + at * 36 + 20 : start + at * 36 + 24] = struct.pack(">I", (at + 1) % count)


def zero_block(data, start, count):
    data[start + 36 : start + 36 * (count // 2)] = bytes(36 * (count // 2) - 36)


def flip_bit(data, start, count):
    data[start + 36 * (count // 2) + 23] ^= 1


def questions(path):
    return [
        ("SELECT line, commit_id FROM file_blame('f', 'main', ?)", [str(path)]),
        ("SELECT commit_id FROM commits('main', ?)", [str(path)]),
        ("SELECT commit_id FROM commits('main', ?, paths := ['f'])", [str(path)]),
        *(
            (f"SELECT resolve_revision('main~{number}', ?)", [str(path)])
            for number in (1, 7, 19, 30)
        ),
        (
            "SELECT ahead_behind('main', 'main~9', ?), merge_base('main', 'main~9', ?)",
            [str(path)] * 2,
        ),
    ]


def alike(data, start, count):
    """Gives each commit the parent that leads back, and all of them one generation."""
    lead_back(data, start, count)
    for at in range(count):
        data[start + at * 36 + 28 : start + at * 36 + 32] = struct.pack(">I", 7 << 2)


@pytest.mark.parametrize(
    ("change", "mend"), [(alike, True), (lead_back, False), (zero_block, False), (flip_bit, False)]
)
def test_a_commit_graph_that_is_damaged_or_leads_back_changes_no_answer(
    extension, tmp_path, change, mend
):
    path = linear(tmp_path / "repository")
    queries = questions(path)
    right = [(answer.rows, answer.error) for answer in apart.run(extension, queries)]
    git(path, "commit-graph", "write", "--reachable")
    assert [(answer.rows, answer.error) for answer in apart.run(extension, queries)] == right
    edges(path, change=change, mend=mend)
    assert [(answer.rows, answer.error) for answer in apart.run(extension, queries)] == right


def test_a_commit_graph_that_lies_within_its_rules_ends_no_query_but_in_an_answer(
    extension, tmp_path
):
    path = linear(tmp_path / "repository")
    git(path, "commit-graph", "write", "--reachable")
    edges(path, change=lead_back, mend=True)
    for answer in apart.run(extension, questions(path)):
        assert (
            answer.rows is not None
            or "not_found: " in answer.error
            or "tool_failed: " in answer.error
        )


def skewed(path, seed: int, commits: int):
    """Makes a random history of merges whose dates say nothing; returns the parents of each commit."""
    chance = random.Random(seed)
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    stream, parents = [], []
    for number in range(commits):
        chosen = (
            chance.sample(range(number), min(number, chance.choice((1, 1, 1, 2, 3))))
            if number
            else []
        )
        if chosen and chance.random() < 0.6:
            chosen[0] = number - 1
            chosen = list(dict.fromkeys(chosen))
        parents.append(chosen)
        links = "".join(
            f"{'merge' if place else 'from'} :{parent + 1}\n" for place, parent in enumerate(chosen)
        )
        reset = "" if chosen else f"reset refs/heads/c{number}\n"
        stream.append(
            f"{reset}commit refs/heads/c{number}\nmark :{number + 1}\ncommitter n <e> {1700000000 + chance.randrange(commits)} +0000\ndata 1\n{number % 10}\n{links}"
        )
    git(path, "fast-import", "--quiet", stdin="".join(f"{part}\n" for part in stream).encode())
    return parents


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("has_graph", [False, True], ids=["commits", "graph"])
def test_distances_are_true_whatever_the_clocks_said(con, tmp_path, seed, has_graph):
    path = tmp_path / "repository"
    parents = skewed(path, seed, 40)
    if has_graph:
        git(path, "commit-graph", "write", "--reachable")
    ancestors = []
    for number, own in enumerate(parents):
        ancestors.append({number}.union(*(ancestors[parent] for parent in own)))
    chance = random.Random(seed)
    pairs = [(chance.randrange(40), chance.randrange(40)) for _ in range(80)]
    rows = con.execute(
        "SELECT ahead_behind('c' || a, 'c' || b, $repo) FROM (SELECT unnest($pairs, recursive := true))",
        {"repo": str(path), "pairs": [{"a": str(a), "b": str(b)} for a, b in pairs]},
    ).fetchall()
    for (a, b), (found,) in zip(pairs, rows, strict=True):
        assert found == {
            "ahead": len(ancestors[a] - ancestors[b]),
            "behind": len(ancestors[b] - ancestors[a]),
        }, (a, b)
    for (a, b), (found,) in zip(pairs[:8], rows):
        asked = git_text(path, "rev-list", "--left-right", "--count", f"c{a}...c{b}").split()
        assert found == dict(zip(("ahead", "behind"), map(int, asked))), (a, b)


def test_a_history_each_of_whose_commits_is_older_than_its_parent_has_true_distances(con, tmp_path):
    path = tmp_path / "repository"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    stream = [
        f"commit refs/heads/main\ncommitter n <e> {1700000000 - number * 100} +0000\ndata 1\n{number % 10}\n"
        for number in range(20)
    ]
    git(path, "fast-import", "--quiet", stdin="\n".join(stream).encode())
    git(path, "branch", "old", "main~9")
    git(path, "config", "branch.old.remote", ".")
    git(path, "config", "branch.old.merge", "refs/heads/main")
    found = con.execute("SELECT ahead_behind('old', 'main', ?)", [str(path)]).fetchone()[0]
    assert found == {"ahead": 0, "behind": 9}
    assert con.execute(
        "SELECT ahead, behind FROM refs(?) WHERE name = 'refs/heads/old'", [str(path)]
    ).fetchall() == [(0, 9)]
