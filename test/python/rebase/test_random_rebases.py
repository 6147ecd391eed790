"""Ids of hunks over random rebases: what is equal keeps them, what changed does not.

`REDLINE_REBASES` sets how many there are; `make torture` tries 1,000.
"""

import os
import re
from collections import Counter

import pytest
import repositories
from rebases import Series, empty_world

REBASES = int(os.environ.get("REDLINE_REBASES", "60"))

HUNKS = """SELECT commit.id, hunk_id, context_id
    FROM (SELECT unnest(?::VARCHAR[]) AS id) commit,
        diff_hunks_each(commit.id || '^', commit.id, repo := ?, renames := true)
    ORDER BY commit.id, seq"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return empty_world(tmp_path_factory)


def of_git(repo, commits: list[str]) -> dict[str, tuple[list, list]]:
    """Returns what git prints of the hunks of each commit without numbers: with what is around, and the changed lines alone."""
    text = repositories.git(
        repo, "-c", "core.quotePath=false", "diff-tree", "--stdin", "-p", "-M", "--no-color", "--no-prefix",
        stdin="".join(f"{commit}\n" for commit in commits).encode(),
    ).decode()  # fmt: skip
    found: dict[str, tuple[list, list]] = {commit: ([], []) for commit in commits}
    for part in re.split(r"^(?=(?:[0-9a-f]{40}|[0-9a-f]{64})$)", text, flags=re.M)[1:]:
        commit, _, patch = part.partition("\n")
        around, changed = found[commit]
        for file in re.split(r"^(?=diff --git )", patch, flags=re.M)[1:]:
            head, *hunks = re.split(r"^@@ -\S+ \+\S+ @@", file, flags=re.M)
            sides = re.findall(r"^(?:\+\+\+|---) (.*?)\t?$", head, flags=re.M)
            path = next((side for side in reversed(sides) if side != "/dev/null"), None)
            facts = [
                line
                for line in head.splitlines()[1:]
                if not line.startswith(("index ", "similarity ", "--- ", "+++ "))
            ]
            for hunk in hunks:
                lines = hunk.split("\n")[1:]
                around.append((path, tuple(facts), hunk))
                changed.append((path, "\n".join(changed_of(lines))))
    return found


def changed_of(lines: list[str]) -> list[str]:
    """Returns the removed and added lines, each with the remark that it has no newline."""
    kept, is_changed = [], False
    for line in lines:
        is_changed = is_changed if line[:1] == "\\" else line[:1] in ("-", "+")
        kept += [line] * is_changed
    return kept


def test_equal_hunks_keep_their_ids_and_changed_ones_do_not(con, world):
    con.execute((repositories.ROOT / "sql/macros.sql").read_text())
    series, seen = Series(world, 17), Counter()
    for number in range(REBASES):
        old, new = series.ranges()
        pairs = con.execute(
            "SELECT old_commit_id, new_commit_id, status FROM range_diff(?, ?, ?)",
            [old, new, str(world)],
        ).fetchall()
        commits = sorted({commit for *pair, _ in pairs for commit in pair if commit})
        git = of_git(world, commits)
        ours: dict[str, tuple[list, list]] = {commit: ([], []) for commit in commits}
        for commit, hunk_id, context_id in con.execute(HUNKS, [commits, str(world)]).fetchall():
            ours[commit][0].append(context_id)
            ours[commit][1].append(hunk_id)
        for before, after, status in pairs:
            if not (before and after):
                continue
            what = f"rebase {number}: {before} {after}"
            for given, theirs in zip(ours[before], git[before]):
                assert len(given) == len(theirs) == len(set(given)), what
            for side, kind in enumerate(("around", "lines")):
                is_equal = git[before][side] == git[after][side]
                assert (ours[before][side] == ours[after][side]) == is_equal, (what, kind)
                # One by one: a hunk keeps its id where it is equal, and has another where it is not.
                own, other = (
                    dict(zip(numbered(git[commit][side]), ours[commit][side]))
                    for commit in (before, after)
                )
                for text, name in own.items():
                    assert (name in other.values()) == (text in other), (what, kind, text)
                    seen[kind, text in other] += 1
                if status == "equal":
                    assert is_equal, what
            seen[status] += 1
    # Each of these was tried often enough to say something.
    kinds = ["equal", "changed", *((kind, is_kept) for kind in ("around", "lines") for is_kept in (True, False))]  # fmt: skip
    assert all(seen[kind] > REBASES / 10 for kind in kinds), seen
    print(dict(seen))


def numbered(hunks: list) -> list[tuple]:
    """Returns the hunks, equal ones told apart by their order."""
    count: Counter = Counter()
    return [(hunk, count.update([hunk]) or count[hunk]) for hunk in hunks]
