"""Commits, and what is staged or taken back, whose process is killed at a system call, whose disk is full, or with git beside: what
git calls sound is left, and the next commit works. REDLINE_KILLS says how many kills the slow test tries, REDLINE_ROUNDS how often git runs."""

import collections
import concurrent.futures
import itertools
import json
import os
import random
import shutil
import subprocess
import sys

import apart
import pytest
import repositories
from answers import answer, assert_refused
from repositories import environment, git, git_text
from sandboxes import configure, writable

FEW = 6
MANY = int(os.environ.get("REDLINE_KILLS", "60"))
traced = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
# What changes something on the disk, or makes it durable.
CALLS = (
    "openat",
    "openat2",
    "write",
    "fsync",
    "renameat",
    "renameat2",
    "unlinkat",
    "mkdirat",
    "fchmod",
)
PROGRAM = """
import json, sys, _duckdb as duckdb
extension, sandboxes, calls = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{extension}'")
con.execute("SET GLOBAL redline_sandboxes = ?", [sandboxes])
con.execute("SET GLOBAL redline_journal = ''")
made = None
for call in json.loads(calls):
    made = con.execute(f"SELECT {call}", [made["id"]] if "?" in call else []).fetchone()[0]
"""
COMMIT = "git_commit('ws/repo', 'second', ['.'], {'date': '1700000000 +0000'})"
STAGE = "git_stage('ws/repo', ['.'])"
# What is done, the last of it under test: the calls before are not disturbed.
ACTIONS = {
    "commit": [COMMIT],
    "stage": [STAGE],
    "unstage": [STAGE, "git_unstage('ws/repo', 'staged')"],
    "undo": [COMMIT, "revert_edit(?)"],
    "undo of stage": [STAGE, "revert_edit(?)"],
    "commit in tables": [COMMIT],
    "undo in tables": [COMMIT, "revert_edit(?)"],
}


class Trials:
    """Calls in processes of their own beneath strace, each in a repository of its own."""

    def __init__(self, extension, folder, action):
        self.extension, self.folder, self.number = extension, folder, 0
        self.log, self.action = folder / "calls", action
        before, whole = self.calls(ACTIONS[action][:-1]), self.calls(ACTIONS[action])
        self.steps = [
            (call, number)
            for call in CALLS
            for number in range(before.get(call, 0) + 1, whole.get(call, 0) + 1)
        ]
        # What git lists of the index at the moments at which it may be seen.
        self.indexes = {
            self.listed(ACTIONS[action][:end]) for end in range(len(ACTIONS[action]) + 1)
        }

    def prepare(self):
        """Makes a repository with two changes."""
        self.number += 1
        self.root = self.folder / str(self.number)
        self.repo = self.root / "repo"
        self.repo.mkdir(parents=True)
        ref_format = "reftable" if "tables" in self.action else "files"
        git(self.repo, "init", "-q", "-b", "main", "--ref-format", ref_format)
        for name, setting in {"user.name": "A", "user.email": "a@b"}.items():
            git(self.repo, "config", name, setting)
        (self.repo / "a").write_text("a\n")
        git(self.repo, "add", ".")
        git(self.repo, "commit", "-q", "-m", "first")
        (self.repo / "a").write_text("A\n")
        (self.repo / "d").mkdir()
        (self.repo / "d" / "b").write_text("b\n")

    def run(self, calls, *options):
        self.prepare()
        return self.make(calls, *apart.STRACE, "-o", str(self.log), *options)

    def make(self, calls, *before):
        """Makes the calls in a process, which the arguments before its own may trace."""
        sandboxes = json.dumps([writable(self.root, git="commit")])
        given = [str(self.extension), sandboxes, json.dumps(calls)]
        return subprocess.run(
            [*before, sys.executable, "-c", PROGRAM, *given],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def disturbed(self, call, what):
        """Makes the action while a call of the system is disturbed."""
        return self.run(ACTIONS[self.action], "-e", f"trace={call}", "-e", f"inject={call}:{what}")

    def calls(self, calls):
        """Returns how often the main thread makes each call: strace counts those of each thread."""
        done = self.run(calls, "-e", f"trace=execve,{','.join(CALLS)}")
        assert done.returncode == 0, done.stderr
        lines = [line.split(maxsplit=1) for line in self.log.read_text().splitlines()]
        made = [said.split("(")[0] for pid, said in lines if pid == lines[0][0]]
        return {name: made.count(name) for name in set(made)}

    def listed(self, calls):
        self.run(calls, "-e", "trace=execve")
        return git_text(self.repo, "ls-files", "-s")

    def check(self, connect):
        """Checks what is left, and commits once more; a person has removed the locks."""
        strict = subprocess.run(
            ["git", "-C", str(self.repo), "fsck", "--strict", "--no-dangling"],
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert (strict.returncode, strict.stderr, strict.stdout) == (0, "", "")
        count = git_text(self.repo, "rev-list", "--count", "HEAD")
        lines = git_text(self.repo, "reflog", "show", "--format=%H", "HEAD").splitlines()
        moves = {"1", "2"} if COMMIT in ACTIONS[self.action] else {"1"}
        # A line of the log may be there before the branch has moved, as in git.
        assert count in moves and len(lines) <= len(ACTIONS[self.action]) + 1
        assert git_text(self.repo, "ls-files", "-s") in self.indexes
        git_text(self.repo, "status", "--porcelain")
        assert (self.repo / "a").read_text() == "A\n"
        for lock in (self.repo / ".git").rglob("*.lock"):
            lock.unlink()
        con = configure(connect(), writable(self.root, git="commit"))
        con.execute("SET GLOBAL redline_journal = ''")
        (self.repo / "a").write_text("again\n")
        got = answer(con, f"SELECT {COMMIT}")
        assert got.error is None, got.error
        assert git_text(self.repo, "status", "--porcelain") == ""
        assert git_text(self.repo, "show", "HEAD:a") == "again"
        assert git_text(self.repo, "show", "HEAD:d/b") == "b"
        shutil.rmtree(self.root)


# Promise (commits): A commit, what is staged, and an undo of either, whose process is killed at any system call or of which
# a call fails once or from then on, and on a disk that is full, leaves a repository that `git fsck` and `git status` call
# sound, with the branch before or after it, the index before or after it, and locks at most; the next commit loses nothing.
# With `test_an_action_of_which_a_call_fails_is_whole_or_none`, `test_an_action_on_a_full_disk_is_whole_or_none`,
# `test_git_beside_it_in_loops_loses_no_commit`, `test_a_lock_that_is_left_behind_is_named`.
@traced
@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_that_is_killed_leaves_a_sound_repository(extension, connect, tmp_path, action):
    trials = Trials(extension, tmp_path, action)
    count = max(FEW, MANY // len(ACTIONS))
    steps = random.Random(action).sample(trials.steps, len(trials.steps))
    assert len(steps) > 6, steps
    killed = 0
    for call, number in (steps * (count // len(steps) + 1))[:count]:
        done = trials.disturbed(call, f"signal=KILL:when={number}")
        # Of a few calls the process makes one more or less each time.
        killed += done.returncode != 0
        trials.check(connect)
    assert killed >= count * 9 // 10


@traced
@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EACCES"])
def test_an_action_of_which_a_call_fails_is_whole_or_none(
    extension, connect, tmp_path, error, action
):
    trials = Trials(extension, tmp_path, action)
    steps = [step for step in trials.steps if step[0] not in ("openat", "openat2")]
    count = max(FEW, MANY // 30)
    for call, number in random.Random(error).sample(steps, min(len(steps), count)):
        for when in (f"{number}", f"{number}+"):
            trials.disturbed(call, f"error={error}:when={when}")
            trials.check(connect)


@pytest.fixture
def disk(tmp_path):
    """A file system in memory of 4 MiB and 1,000 files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=1000", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder, left, unit):
    """Fills a disk until so many blocks or files are left."""
    filler = folder / "filler"
    filler.mkdir()
    state = os.statvfs(folder)
    if unit == "blocks":
        (filler / "0").write_bytes(b"\n" * ((state.f_bfree - left) * state.f_bsize))
    else:
        for number in range(state.f_ffree - left):
            (filler / str(number)).touch()
    return filler


@traced
@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("unit", ["blocks", "files"])
def test_an_action_on_a_full_disk_is_whole_or_none(extension, connect, disk, unit, action):
    trials = Trials(extension, disk, action)
    said = []
    for left in range(100):
        trials.prepare()
        filler = fill(disk, left, unit)
        said.append(trials.make(ACTIONS[action]))
        shutil.rmtree(filler)
        trials.check(connect)
        if said[-1].returncode == 0:
            break
    *failed, done = said
    assert failed and done.returncode == 0, done.stderr
    full = "cannot be written: the disk is full"
    assert all(full in one.stderr for one in failed), [one.stderr for one in failed]


@pytest.mark.parametrize("name", ["index", "HEAD", "refs/heads/main", "reftable/tables.list"])
def test_a_lock_that_is_left_behind_is_named(connect, tmp_path, name):
    repo = busy(tmp_path, "reftable" if "tables" in name else "files")
    con = configure(connect(), writable(tmp_path, git="commit"))
    con.execute("SET GLOBAL redline_journal = ''")
    (repo / "ours").write_text("ours\n")
    lock = repo / ".git" / f"{name}.lock"
    lock.write_text("")
    got = answer(con, "SELECT git_commit('ws/repo', 'ours', ['ours'])")
    assert f"{name}.lock" in assert_refused(got, "stale") and lock.exists()
    assert git_text(repo, "rev-list", "--count", "HEAD") == "1"
    lock.unlink()
    assert answer(con, "SELECT git_commit('ws/repo', 'ours', ['ours'])").error is None
    git(repo, "fsck", "--strict")


def busy(folder, ref_format="files"):
    """Returns a repository with a first commit."""
    repo = folder / "repo"
    git(folder, "init", "-q", "-b", "main", "--ref-format", ref_format, "repo")
    for name, setting in {"user.name": "A", "user.email": "a@b"}.items():
        git(repo, "config", name, setting)
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    return repo


def until(work, running=(), tries=500):
    """Tries until there is no error: while others run, and so many times more."""
    said = collections.Counter()
    while said.total() < tries:
        if not (error := work()):
            return
        if all(one.done() for one in running):
            said[error] += 1
    # What stopped the others may be why.
    for one in running:
        one.result()
    raise AssertionError(said)


def failed(repo, *arguments):
    """Returns what git says, if it fails."""
    try:
        git(repo, *arguments)
    except repositories.GitFailed as error:
        return str(error)
    return None


def committed(repo, message):
    """Commits; git may fail once it has committed, where it merges tables that are locked."""
    said = failed(repo, "commit", "-q", "-m", message, "--", "theirs")
    return said if said and message not in git_text(repo, "log", "--format=%s") else None


def beside(repo, what, count):
    """Runs git commands so many times, each until it is done; an event of its own ends nothing. No two contents are equal, as
    `git add` writes no object that there is, which `git repack -a -d` may be about to remove; and no two of a file have one
    size, as of those that are written within a second most builds of git take the second for the first."""
    for number in range(count):
        content = f"{what}\n" * (number + 1)
        if what == "commit":
            (repo / "theirs").write_text(content)
            until(lambda: failed(repo, "add", "theirs"))
            until(lambda: committed(repo, f"theirs {number}"))
        elif what == "stage":
            (repo / "staged").write_text(content)
            until(lambda: failed(repo, "add", "staged"))
        elif what == "rebase":
            # It is refused while files have changed; what it could not end is taken back, to the commit from which it began:
            # git moves the branch there without a look at where it is.
            failed(repo, "rebase", "-q", "--force-rebase", "HEAD~1")
            begun = repo / ".git" / "rebase-merge"
            until(lambda: failed(repo, "rebase", "--abort") if begun.exists() else None)
        else:
            # Of two commands that pack side by side git alone loses objects (one of 36 runs without redline).
            commands = what.split(", ")
            failed(repo, *commands[number % len(commands)].split())


BEFORE = ("first", "second", "third")
BESIDE = ["commit", "stage", "gc -q, repack -q -a -d", "pack-refs --all"]
ROUNDS = int(os.environ.get("REDLINE_ROUNDS", "8"))


@pytest.mark.slow
@pytest.mark.parametrize("ref_format", ["files", "reftable"])
@pytest.mark.parametrize("loops", [BESIDE, ["rebase"]], ids=["all", "rebase"])
def test_git_beside_it_in_loops_loses_no_commit(connect, tmp_path, loops, ref_format):
    """Each commit is in the history once, and changes its own file and no other."""
    repo = busy(tmp_path, ref_format)
    # A file that nobody tracks would keep a rebase from being taken back.
    (repo / "ours").write_text("first\n")
    git(repo, "add", "ours")
    git(repo, "commit", "-q", "-m", "second")
    git(repo, "commit", "-q", "--allow-empty", "-m", "third")
    con = configure(connect(), writable(tmp_path, git="commit"))
    con.execute("SET GLOBAL redline_journal = ''")
    with concurrent.futures.ThreadPoolExecutor(len(loops)) as threads:
        running = [threads.submit(beside, repo, what, ROUNDS) for what in loops]

        def ours(number):
            (repo / "ours").write_text(f"{number}\n")
            got = answer(con, "SELECT git_commit('ws/repo', ?, ['ours'])", f"ours {number}")
            assert got.error is None or got.error.split(": ")[1] in ALLOWED, got.error
            return got.error

        for number in range(ROUNDS):
            until(lambda number=number: ours(number), running)
        for one in running:
            one.result()
    said = git_text(repo, "log", "--format=%x00%s", "--name-only").split("\0")[1:]
    found = dict(part.split("\n", 1) for part in said if not part.startswith(BEFORE))
    wanted = {f"ours {number}": "ours" for number in range(ROUNDS)}
    if "commit" in loops:
        wanted |= {f"theirs {number}": "theirs" for number in range(ROUNDS)}
    log = con.execute(
        "SELECT old_oid, new_oid, message FROM reflog('main', 'ws/repo') ORDER BY position DESC"
    ).fetchall()
    aborts = [at for at, (_, _, what) in enumerate(log) if "rebase (abort)" in what]
    gone = {
        what.removeprefix("commit: ")
        for at, (_, _, what) in enumerate(log)
        if aborts and at < aborts[-1] and what.removeprefix("commit: ") not in found
    }
    wanted = {message: name for message, name in wanted.items() if message not in gone}
    assert {name: files.strip() for name, files in found.items()} == wanted, log
    assert len(said) == len(wanted) + len(BEFORE)
    # No move of ours begins anywhere but where the one before it ended.
    for (_, end, _), (start, _, what) in itertools.pairwise(log):
        assert start == end or "ours" not in what, log
    assert git_text(repo, "status", "--porcelain") == ("A  staged" if "stage" in loops else "")
    git(repo, "fsck", "--strict")


# What a commit may say while git writes there, too.
ALLOWED = ("stale", "tool_failed", "invalid_args")


def test_git_beside_it_loses_no_commit(connect, tmp_path):
    """Commits of git and of redline in turns, with packing in between."""
    repo = busy(tmp_path)
    con = configure(connect(), writable(tmp_path, git="commit"))
    for number in range(6):
        (repo / "ours").write_text(f"{number}\n")
        assert answer(con, "SELECT git_commit('ws/repo', 'ours', ['ours'])").error is None
        (repo / "theirs").write_text(f"{number}\n")
        git(repo, "add", "theirs")
        git(repo, "commit", "-q", "-m", "theirs")
        git(
            repo,
            *(["gc", "-q", "--prune=now"], ["pack-refs", "--all"], ["repack", "-q"])[number % 3],
        )
    assert repositories.git_text(repo, "rev-list", "--count", "HEAD") == "13"
    git(repo, "fsck", "--strict")
