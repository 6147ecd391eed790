"""The repository as tables where it is hard: renames in circles, references without number or to no commit, and
queries that are cancelled in the middle of a history."""

import re
import subprocess
import threading
import time

import duckdb
import pytest
import repositories
import written_repositories

# A cancelled query may still finish the step it is in; on a loaded machine that takes a while.
PROMPTLY = 3.0
# Seconds; the fastest of the queries takes five times as long on a fast machine.
INTERRUPTED_AFTER = 0.1
TURNS, LINES = 400, 300
REFERENCES = 100_000


def turning_commits():
    """A file that changes a line with each commit and its name with each second one, back and forth."""
    lines = [f"line {number}\n" for number in range(LINES)]
    name = "a.txt"
    yield {name: "".join(lines).encode(), "still.txt": b"still\n"}
    for turn in range(1, TURNS):
        lines[turn * 37 % LINES] = f"line of turn {turn}\n"
        changes = {}
        if turn % 2 == 0:
            changes[name], name = None, {"a.txt": "b.txt", "b.txt": "a.txt"}[name]
        yield changes | {name: "".join(lines).encode()}


@pytest.fixture(scope="module")
def turning(tmp_path_factory):
    """Returns a repository whose file has been renamed 200 times between two names."""
    return written_repositories.write(
        tmp_path_factory.mktemp("turning") / "turning.git", turning_commits()
    )


def newest_name(repo) -> str:
    (name,) = [
        name
        for name in repositories.git_text(repo, "ls-tree", "--name-only", "main").split()
        if name != "still.txt"
    ]
    return name


def test_a_file_renamed_back_and_forth_is_followed_to_its_start(con, turning):
    name = newest_name(turning)
    rows = con.execute(
        "SELECT commit_id, file_path, status FROM file_history(?, 'main', ?)", [name, str(turning)]
    ).fetchall()
    words = {"A": "added", "M": "modified", "R": "renamed"}
    printed = repositories.git_text(
        turning, "log", "--follow", "--format=%x00%H", "--name-status", "main", "--", name
    )
    wanted = []
    for entry in printed.split("\0")[1:]:
        commit, change = entry.split("\n\n", 1)
        kind, *paths = change.strip().split("\t")
        wanted.append((commit, paths[-1], words[kind[0]]))
    assert rows == wanted
    assert (
        len(rows) == TURNS and sum(status == "renamed" for _, _, status in rows) == (TURNS - 1) // 2
    )


def test_lines_of_a_file_renamed_back_and_forth_are_blamed_as_git_does_it(con, turning):
    name = newest_name(turning)
    rows = con.execute(
        "SELECT commit_id, original_path, original_line FROM file_blame(?, 'main', ?)",
        [name, str(turning)],
    ).fetchall()
    printed = repositories.git_text(turning, "blame", "--line-porcelain", "main", "--", name)
    wanted, commit, line, path = [], "", 0, ""
    for text in printed.splitlines():
        if text.startswith("\t"):
            wanted.append((commit, path, line))
        elif text.startswith("filename "):
            path = text.removeprefix("filename ")
        elif re.fullmatch("[0-9a-f]{40,64}", text.split(" ")[0]):
            commit, line = text.split(" ")[0], int(text.split(" ")[1])
    assert rows == wanted and len(rows) == LINES


def test_lines_renamed_back_and_forth_are_followed_as_git_log_does_it(con, turning):
    name = newest_name(turning)
    rows = con.execute(
        "SELECT commit_id FROM line_history(?, 10, 40, 'main', ?)", [name, str(turning)]
    ).fetchall()
    wanted = repositories.git_text(
        turning, "log", "--format=%H", "--no-patch", f"-L10,40:{name}", "main"
    ).split()
    assert [commit for (commit,) in rows] == wanted
    assert len(rows) > 30


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """Returns a repository with 100,000 packed branches, and references that lead to no commit."""
    path = tmp_path_factory.mktemp("crowded") / "crowded.git"
    path.mkdir()
    by_hand = repositories.environment(**repositories.SHA1_AND_FILES)
    repositories.git(path, "init", "--quiet", "--bare", "--initial-branch=main", ".", env=by_hand)
    written_repositories.write(path, [{"a.txt": b"one\n"}, {"a.txt": b"two\n"}])
    old, new = (repositories.git_text(path, "rev-parse", name) for name in ("main~1", "main"))
    lines = [
        f"{(old, new)[number % 2]} refs/heads/many/{number:06}\n" for number in range(REFERENCES)
    ]
    (path / "packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n" + "".join(lines)
    )
    for name, target in {
        "tags/blob": "main:a.txt",
        "tags/tree": "main^{tree}",
        "heads/zz-blob": "main:a.txt",
    }.items():
        place = path / "refs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(repositories.git_text(path, "rev-parse", target) + "\n")
    repositories.git(path, "tag", "--annotate", "--message", "of a tree", "tag-of-tree", "main^{tree}", env=repositories.environment(
        GIT_COMMITTER_NAME="T", GIT_COMMITTER_EMAIL="t@example.com"))  # fmt: skip
    return path


def test_a_hundred_thousand_references_are_listed_as_git_lists_them(con, crowded):
    rows = con.execute(
        "SELECT name, object_id FROM refs(?) WHERE name <> 'HEAD'", [str(crowded)]
    ).fetchall()
    wanted = repositories.git_text(
        crowded, "for-each-ref", "--format=%(refname) %(objectname)"
    ).splitlines()
    assert [" ".join(row) for row in rows] == wanted
    assert len(rows) == REFERENCES + 5


def test_one_of_a_hundred_thousand_references_is_resolved_for_every_row(con, crowded):
    query = "SELECT count(DISTINCT resolve_revision('many/' || lpad(i::VARCHAR, 6, '0'), ?)) FROM range(0, ?, 97) t(i)"
    assert con.execute(query, [str(crowded), REFERENCES]).fetchone() == (2,)


def test_a_reference_that_leads_to_no_commit_has_an_object_and_no_commit(con, crowded):
    taggers = {
        "refs/heads/zz-blob": None,
        "refs/tags/blob": None,
        "refs/tags/tag-of-tree": "T",
        "refs/tags/tree": None,
    }
    query = "SELECT name, object_id, commit_id, tagger_name FROM refs(?) WHERE name IN (SELECT unnest(?)) ORDER BY name"
    assert con.execute(query, [str(crowded), [*taggers]]).fetchall() == [
        (name, repositories.git_text(crowded, "rev-parse", name), None, tagger)
        for name, tagger in taggers.items()
    ]


@pytest.mark.parametrize("query", [
    "commits('{name}', '{repo}')", "commit_changes('{name}', '{repo}')", "file_history('a.txt', '{name}', '{repo}')",
    "line_history('a.txt', 1, 1, '{name}', '{repo}')", "file_blame('a.txt', '{name}', '{repo}')", "tree_blame('{name}', '{repo}')",
    "(SELECT merge_base('main', '{name}', '{repo}'))", "(SELECT ahead_behind('main', '{name}', '{repo}'))",
])  # fmt: skip
@pytest.mark.parametrize("name", ["refs/tags/blob", "refs/tags/tag-of-tree"])
def test_other_objects_are_refused_in_place_of_a_commit(con, crowded, query, name):
    with pytest.raises(duckdb.Error, match="invalid_args:|not_found:") as raised:
        con.execute(f"SELECT * FROM {query.format(name=name, repo=crowded)}").fetchall()
    assert "internal error" not in str(raised.value)


def test_the_commits_of_all_references_leave_out_other_objects(con, crowded):
    subprocess.run(
        ["git", "-C", str(crowded), "update-ref", "-d", "refs/heads/zz-blob"],
        check=True,
        env=repositories.environment(),
    )
    got = [
        commit
        for (commit,) in con.execute(
            "SELECT commit_id FROM commits('ALL', ?)", [str(crowded)]
        ).fetchall()
    ]
    assert got == repositories.git_text(crowded, "log", "--all", "--format=%H").split()


# -- stopping early ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """Returns a repository whose history takes long: 12,000 commits of a file of 2,000 lines, which other files share lines with.

    Every second line is as old as the history, so that who looks for its commit reads all of it.
    """

    def commits():
        lines = [f"{number % 90} line\n" for number in range(2000)]
        yield {
            "long.txt": "".join(lines).encode(),
            **{f"d{number}/copy.txt": "".join(lines[number:]).encode() for number in range(30)},
        }
        for number in range(12_000):
            lines[number * 7919 % 1000 * 2] = f"{number % 90} line {number}\n"
            yield {
                "long.txt": "".join(lines).encode(),
                f"d{number % 30}/copy.txt": "".join(lines[number % 30 :][:300]).encode(),
            }

    return written_repositories.write(tmp_path_factory.mktemp("endless") / "endless.git", commits())


# Neither lists, which are made within one call, nor file_blame and line_history, which are done before their first row: DuckDB's
# C API cannot tell them that nobody waits any more (docs/limitations.md).
CANCELLED = {
    "tree_blame": "SELECT count(original_line) FROM tree_blame('main', 'REPO', copies := 3)",
    "file_history": "SELECT count(additions) FROM file_history('long.txt', 'main', 'REPO')",
    "contains": "SELECT count(*) FROM commit_changes('main', 'REPO', contains := ['11999', 'line 77'])",
    "changed_lines": "SELECT count(*) FROM commit_changes('main', 'REPO', changed_lines := '^[0-9]+ line .*9$')",
    "commits": "SELECT count(body) FROM range(5000) t(i), commits('main', 'REPO')",
}


@pytest.mark.slow
@pytest.mark.parametrize("query", CANCELLED.values(), ids=CANCELLED)
def test_a_query_of_a_long_history_is_cancelled_promptly(con, endless, query):
    asked, ended = [], threading.Event()

    def interrupt():
        # Again and again: an interrupt before the query has begun is lost.
        while not ended.wait(INTERRUPTED_AFTER):
            asked.append(time.process_time())
            con.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(duckdb.InterruptException):
            con.execute(query.replace("REPO", str(endless))).fetchall()
        took = time.process_time() - asked[0]
    finally:
        ended.set()
        thread.join()
    assert took < PROMPTLY, f"it took {took:.1f} s of processor time to stop"
    assert con.execute("SELECT 42").fetchone() == (42,)
