"""Others work in a repository while it is read: clones, commits, packing. What is asked of fixed revisions stays the same."""

# Promise (survival): Work beside a query ends none and changes no row: clones, commits, `git add`
# of known contents, stash, repack, gc, fetch, pack-refs, worktrees (`make torture`: a thousand
# steps of others).

import itertools
import os
import shutil
import threading

import process_threads
import pytest
from answers import as_text
from repositories import commit_nothing, git
from written_repositories import grown

# Rows of fixed revisions, which no work beside changes.
QUERIES = (
    "SELECT * EXCLUDE (refs) FROM commits('one..two', $repo)",
    "SELECT * EXCLUDE (refs) FROM commits('two', $repo, paths := ['long.txt'])",
    "SELECT * FROM commit_changes('two', $repo)",
    "SELECT * FROM file_changes('one', 'two', $repo)",
    "SELECT * FROM file_patches('one', 'two', $repo)",
    "SELECT * FROM diff_lines('one', 'two', $repo)",
    "SELECT * FROM file_history('long.txt', 'two', $repo)",
    "SELECT * FROM file_blame('long.txt', 'two', $repo)",
    "SELECT * FROM tree_blame('two', $repo)",
    "SELECT * FROM line_history('long.txt', 1, 2, 'two', $repo)",
    "SELECT * FROM tree_files('two', $repo)",
    "SELECT file_content(file_path, 'two', $repo) FROM tree_files('two', $repo)",
    "SELECT name, object_id FROM refs($repo) WHERE name IN ('refs/tags/one', 'refs/tags/two')",
    "SELECT merge_base('one', 'two', $repo), ahead_behind('one', 'two', $repo), resolve_revision('two~3', $repo)",
    "FROM commit_changes('two', $repo, contains := 'changed by 7')",
)


class Beside:
    """Somebody who works in a repository, one step after the other, until the work is done."""

    def __init__(self, path, elsewhere, steps: int):
        self.path, self.elsewhere, self.steps = path, elsewhere, steps
        self.error, self.done = None, False
        self.thread = threading.Thread(target=self._run)

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "gc.autoDetach=false")
        git(self.path, *identity, *arguments)

    def clone(self, number: int) -> None:
        git(self.elsewhere, "clone", "--quiet", "--bare", str(self.path), f"clone{number}")
        shutil.rmtree(self.elsewhere / f"clone{number}")

    def add_again(self, number: int) -> None:
        # A content that a pack has: git renews the time of that pack.
        (self.path / "again.txt").write_bytes(git(self.path, "cat-file", "blob", "one:long.txt"))
        self.git("add", "again.txt")

    def commit(self, number: int) -> None:
        (self.path / "more.txt").write_text(f"{number}\n" * 100)
        self.git("add", "more.txt")
        self.git("commit", "--quiet", "-m", f"beside {number}")

    def stash(self, number: int) -> None:
        (self.path / "more.txt").write_text(f"stash {number}\n")
        self.git("add", "more.txt")
        self.git("stash", "--quiet")

    def fetch(self, number: int) -> None:
        other = self.elsewhere / f"other{number}"
        git(self.elsewhere, "clone", "--quiet", str(self.path), other.name)
        commit_nothing(other, f"fetched {number}")
        self.git("fetch", "--quiet", str(other), f"HEAD:refs/heads/fetched{number}")
        shutil.rmtree(other)

    def work_tree(self, number: int) -> None:
        self.git("worktree", "add", "--quiet", "--detach", str(self.elsewhere / f"tree{number}"))
        self.git("worktree", "remove", "--force", str(self.elsewhere / f"tree{number}"))

    def _run(self) -> None:
        steps = (
            self.clone,
            self.add_again,
            self.commit,
            lambda _: self.git("repack", "-a", "-d", "-q"),
            self.stash,
            lambda _: self.git("pack-refs", "--all"),
            self.fetch,
            lambda _: self.git("gc", "--quiet", "--prune=now"),
            self.work_tree,
            lambda number: self.git("branch", "--force", f"side{number % 5}"),
            lambda _: self.git("repack", "-d", "-q"),
            lambda _: self.git("commit-graph", "write", "--reachable"),
        )
        try:
            for number, step in zip(range(self.steps), itertools.cycle(steps)):
                if self.done:
                    return
                step(number)
        except BaseException as error:  # the test tells it
            self.error = error


def read_beside(connect, tmp_path, steps: int, commits: int) -> None:
    path = grown(tmp_path / "repository", commits=commits)
    git(path, "tag", "one", f"HEAD~{commits // 2}")
    git(path, "tag", "two", "HEAD")
    (tmp_path / "elsewhere").mkdir()
    queries = [(as_text(query), {"repo": str(path)}) for query in QUERIES]
    con = connect()
    rows = [con.execute(*query).fetchall() for query in queries]
    assert all(rows), [query for (query, _), found in zip(queries, rows) if not found]
    beside = Beside(path, tmp_path / "elsewhere", steps)
    beside.thread.start()
    asked = 0
    try:
        while beside.thread.is_alive() or asked < len(queries):
            # Half of the questions come from a database that has kept nothing.
            reader = con if asked % 2 else connect()
            for query, wanted in zip(queries, rows):
                assert reader.execute(*query).fetchall() == wanted, query
                asked += 1
            if reader is not con:
                reader.close()
    finally:
        beside.done = True
        beside.thread.join()
    assert beside.error is None, beside.error


def test_queries_over_fixed_revisions_answer_the_same_beside_all_that_git_does(connect, tmp_path):
    read_beside(connect, tmp_path, steps=24, commits=40)


@pytest.mark.slow
def test_many_steps_of_others_change_no_answer(connect, tmp_path):
    read_beside(connect, tmp_path, steps=int(os.environ.get("REDLINE_STEPS", "200")), commits=120)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    return grown(tmp_path_factory.mktemp("history") / "repository", commits=120)


def test_a_pack_that_was_replaced_after_a_query_began_is_found_again(connect, history, tmp_path):
    path = tmp_path / "repository"
    shutil.copytree(history, path)
    con = connect()
    process_threads.let_work(con, 1).execute("SET redline_cache_bytes = 0")
    query = "SELECT commit_id, file_path, additions FROM commit_changes('HEAD', ?)"
    whole = con.execute(query, [str(path)]).fetchall()
    # Loose objects become packed ones, then those of another pack.
    for change in (
        ["repack", "-a", "-d", "-q"],
        ["repack", "-a", "-d", "-q", "-f", "--depth=5"],
        ["gc", "--quiet", "--prune=now"],
    ):
        reader = con.cursor()
        rows = reader.execute(query, [str(path)]).fetchmany(1)
        git(path, *change)
        assert rows + reader.fetchall() == whole
        reader.close()


def test_times_and_links_of_a_pack_end_no_query(connect, history, tmp_path):
    path = tmp_path / "repository"
    shutil.copytree(history, path)
    git(path, "repack", "-a", "-d", "-q")
    con = connect()
    process_threads.let_work(con, 1).execute("SET redline_cache_bytes = 0")
    query = "SELECT commit_id, file_path, additions FROM commit_changes('HEAD', ?)"
    whole = con.execute(query, [str(path)]).fetchall()
    (tmp_path / "links").mkdir()
    for number in range(3):
        reader = con.cursor()
        rows = reader.execute(query, [str(path)]).fetchmany(1)
        for file in (path / ".git/objects/pack").iterdir():
            (tmp_path / "links" / f"{number}{file.name}").hardlink_to(file)
            file.touch()
        assert rows + reader.fetchall() == whole
        reader.close()
