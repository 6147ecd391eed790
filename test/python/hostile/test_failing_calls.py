"""A system call that fails while a repository is read ends in an error or in the right rows: a failure is not an absence."""

# Promise (survival): A system call that fails while a repository is read (EIO, EMFILE, ENOMEM,
# EACCES, once or from then on) ends in an error or in the right rows, by fault injection of
# `strace` (`make torture`: every call).

import os
import random
import shutil

import apart
import pytest
from answers import as_text
from repositories import code_and_words, git

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

CALLS = ("openat2", "openat", "pread64", "newfstatat", "statx", "fstat", "getdents64", "readlinkat")
ERRORS = ("EIO", "EMFILE", "ENOMEM", "EACCES")
QUERIES = (
    "FROM commits('HEAD', $repo)",
    "FROM commits('HEAD', $repo, paths := ['f'])",
    "FROM commit_changes('HEAD', $repo)",
    "FROM file_changes('HEAD~1', 'HEAD', $repo)",
    "FROM file_changes('HEAD', 'INDEX', $repo)",
    "FROM file_changes('HEAD', 'WORKTREE', $repo, untracked := true)",
    "FROM file_patches('EMPTY', 'HEAD', $repo)",
    "FROM file_status($repo)",
    "FROM refs($repo)",
    "FROM tree_files('HEAD', $repo)",
    "FROM tree_files('INDEX', $repo)",
    "FROM file_blame('f', 'WORKTREE', $repo)",
    "FROM tree_blame('HEAD', $repo)",
    "FROM file_history('f', 'HEAD', $repo)",
    "FROM line_history('f', 1, 2, 'HEAD', $repo)",
    "SELECT file_content('f', 'WORKTREE', $repo), file_content('f', 'HEAD', $repo)",
    "SELECT merge_base('HEAD~1', 'side', $repo), ahead_behind('side', 'main', $repo), resolve_revision('v1', $repo)",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository with files of every kind that is read: a pack, loose objects, packed and loose references, a graph."""
    path = tmp_path_factory.mktemp("failing") / "repository"
    path.mkdir()
    work = lambda *arguments: git(path, "-c", "user.name=n", "-c", "user.email=e", *arguments)
    work("init", "--quiet", "--initial-branch=main")
    (path / ".gitattributes").write_text("*.bin -diff\nf text\n")
    (path / ".gitignore").write_text("*.o\n")
    (path / ".mailmap").write_text("Other <o@example.com> <e>\n")
    (path / "dir").mkdir()
    for number in range(6):
        (path / "f").write_text(
            "".join(f"line {line} {number if line == number else ''}\n" for line in range(20))
        )
        (path / "dir/g.bin").write_text(f"{number}\n")
        work("add", "--all")
        work("commit", "--quiet", "-m", f"commit {number}")
        if number == 3:
            work("branch", "side")
            work("tag", "-a", "-m", "first", "v1")
            work("repack", "-a", "-d", "-q")
            work("commit-graph", "write", "--reachable")
            work("pack-refs", "--all")
    (path / "f").write_text("changed\n")
    (path / "new.txt").write_text("new\n")
    (path / "ignored.o").write_text("ignored\n")
    (path / "staged").write_text("staged\n")
    work("add", "staged")
    return path


class Trials:
    """Runs one query in a process of its own beneath strace, which lets a call of the repository's files fail."""

    def __init__(self, extension, path, folder):
        self.extension, self.path, self.log = extension, path, folder / "calls"
        paths = [path, *path.rglob("*")]
        self.under = [
            *apart.STRACE,
            "-o",
            str(self.log),
            *(part for each in paths for part in ("-P", str(each))),
        ]

    def ask(self, query: str, *options: str) -> apart.Answer:
        sql = as_text(query).replace("$repo", f"'{self.path}'")
        (answer,) = apart.run(self.extension, [(sql, [])], under=[*self.under, *options])
        return answer

    def calls(self, query: str) -> dict[str, int]:
        """Returns how often the query makes each call."""
        self.right = self.ask(query, "-e", f"trace={','.join(CALLS)}")
        assert self.right.error is None, self.right.error
        made = [
            line.split(maxsplit=1)[1].split("(")[0] for line in self.log.read_text().splitlines()
        ]
        return {call: made.count(call) for call in CALLS if call in made}

    def check(self, query: str, call: str, number: int, error: str, onwards: bool) -> str:
        when = f"{number}+" if onwards else str(number)
        answer = self.ask(
            query, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"
        )
        if answer.error is None:
            assert answer.rows == self.right.rows, (
                f"{query}: other rows where {call} {when} gives {error}"
            )
            return "rows"
        code_and_words(answer.error)
        return "error"


def trials_of(calls: dict[str, int]):
    return [
        (call, number, error, onwards)
        for call, count in calls.items()
        for number in range(1, count + 1)
        for error in ERRORS
        for onwards in (False, True)
        if (call != "pread64" or error != "EMFILE")
    ]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_call_that_fails_gives_an_error_or_the_right_rows(extension, repository, tmp_path, query):
    trials = Trials(extension, repository, tmp_path)
    every = trials_of(trials.calls(query))
    chosen = random.Random(query).sample(every, 2)
    assert [trials.check(query, *each) for each in chosen]


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_any_call_that_fails_gives_an_error_or_the_right_rows(
    extension, repository, tmp_path, query
):
    trials = Trials(extension, repository, tmp_path)
    every = trials_of(trials.calls(query))
    chosen = random.Random(query).sample(
        every, min(len(every), int(os.environ.get("REDLINE_FAILURES", "20")))
    )
    outcomes = [trials.check(query, *each) for each in chosen]
    assert "error" in outcomes


@pytest.mark.parametrize(
    "text", ["", "ref: refs/heads/../x\n", "garbage\n", "ref: HEAD\n", "0123\n"]
)
def test_a_head_that_is_damaged_is_not_one_before_the_first_commit(con, repository, tmp_path, text):
    path = tmp_path / "repository"
    shutil.copytree(repository, path)
    (path / ".git/HEAD").write_text(text)
    with pytest.raises(Exception, match="(tool_failed|not_found): "):
        con.execute("FROM file_status(?)", [str(path)]).fetchall()


def test_a_branch_without_a_commit_has_its_files_added(con, repository, tmp_path):
    path = tmp_path / "repository"
    shutil.copytree(repository, path)
    git(path, "symbolic-ref", "HEAD", "refs/heads/unborn")
    rows = con.execute(
        "SELECT file_path, index_status FROM file_status(?) WHERE file_path = 'f'", [str(path)]
    ).fetchall()
    assert rows == [("f", "added")]


@pytest.mark.parametrize("damage", ["cut", "socket"])
def test_packed_references_that_cannot_be_read_are_an_error(con, repository, tmp_path, damage):
    path = tmp_path / "repository"
    shutil.copytree(repository, path)
    git(path, "pack-refs", "--all")
    packed = path / ".git/packed-refs"
    if damage == "cut":
        packed.write_bytes(packed.read_bytes()[:-5])
    else:
        packed.unlink()
        os.mkfifo(packed)
    with pytest.raises(Exception, match="tool_failed: "):
        con.execute("FROM file_status(?)", [str(path)]).fetchall()
