"""Commits whose process is killed at a system call: what git calls sound is left, and the next commit works. REDLINE_KILLS says how many
kills the slow test tries."""

import json
import os
import random
import shutil
import subprocess
import sys

import apart
import pytest
import repositories
from answers import answer
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
import sys, _duckdb as duckdb
extension, sandboxes, call = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
con.execute(f"LOAD '{extension}'")
con.execute("SET GLOBAL redline_sandboxes = ?", [sandboxes])
if call:
    con.execute(f"SELECT {call}").fetchall()
"""
COMMIT = "git_commit('ws/repo', 'second', ['.'], {'date': '1700000000 +0000'})"


class Trials:
    """Commits in processes of their own beneath strace, each in a repository of its own."""

    def __init__(self, extension, folder):
        self.extension, self.folder, self.number = extension, folder, 0
        self.log = folder / "calls"
        before, whole = self.calls(""), self.calls(COMMIT)
        self.steps = [
            (call, number)
            for call in CALLS
            for number in range(before.get(call, 0) + 1, whole.get(call, 0) + 1)
        ]

    def run(self, call, *options):
        self.number += 1
        self.root = self.folder / str(self.number)
        self.repo = self.root / "repo"
        self.repo.mkdir(parents=True)
        git(self.repo, "init", "-q", "-b", "main", "--ref-format", "files")
        for name, setting in {"user.name": "A", "user.email": "a@b"}.items():
            git(self.repo, "config", name, setting)
        (self.repo / "a").write_text("a\n")
        git(self.repo, "add", ".")
        git(self.repo, "commit", "-q", "-m", "first")
        (self.repo / "a").write_text("A\n")
        (self.repo / "d").mkdir()
        (self.repo / "d" / "b").write_text("b\n")
        given = [str(self.extension), json.dumps([writable(self.root, git="commit")]), call]
        return subprocess.run(
            [*apart.STRACE, "-o", str(self.log), *options, sys.executable, "-c", PROGRAM, *given],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def calls(self, call):
        """Returns how often the main thread makes each call: strace counts those of each thread."""
        done = self.run(call, "-e", f"trace=execve,{','.join(CALLS)}")
        assert done.returncode == 0, done.stderr
        lines = [line.split(maxsplit=1) for line in self.log.read_text().splitlines()]
        made = [said.split("(")[0] for pid, said in lines if pid == lines[0][0]]
        return {name: made.count(name) for name in set(made)}

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
        lines = (self.repo / ".git/logs/HEAD").read_text().splitlines()
        assert count in ("1", "2") and len(lines) in (int(count), int(count) + 1)
        git_text(self.repo, "status", "--porcelain")
        for lock in (self.repo / ".git").rglob("*.lock"):
            lock.unlink()
        con = configure(connect(), writable(self.root, git="commit"))
        (self.repo / "a").write_text("again\n")
        got = answer(con, f"SELECT {COMMIT}")
        assert got.error is None, got.error
        assert git_text(self.repo, "status", "--porcelain") == ""
        assert (
            git_text(self.repo, "show", "HEAD:a") == "again"
            and git_text(self.repo, "show", "HEAD:d/b") == "b"
        )


# Promise (commits): A process that is killed at any system call leaves a repository that `git fsck` and `git status` call sound,
# with the branch before or after the commit, and locks at most.
@traced
@pytest.mark.slow
@pytest.mark.parametrize("count", [FEW, MANY], ids=["few", "many"])
def test_a_commit_that_is_killed_leaves_a_sound_repository(extension, connect, tmp_path, count):
    trials = Trials(extension, tmp_path)
    steps = random.Random(count).sample(trials.steps, len(trials.steps))
    assert len(steps) > 20
    for call, number in (steps * (count // len(steps) + 1))[:count]:
        done = trials.run(
            COMMIT, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"
        )
        assert done.returncode != 0, (call, number)
        trials.check(connect)


@traced
@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EACCES"])
def test_a_commit_of_which_a_call_fails_is_whole_or_none(extension, connect, tmp_path, error):
    trials = Trials(extension, tmp_path)
    steps = [step for step in trials.steps if step[0] not in ("openat", "openat2")]
    for call, number in random.Random(error).sample(steps, min(len(steps), FEW * 3)):
        trials.run(
            COMMIT, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}"
        )
        trials.check(connect)


def test_git_beside_it_loses_no_commit(connect, tmp_path):
    """Commits of git and of redline in turns, with packing in between."""
    repo = tmp_path / "repo"
    git(tmp_path, "init", "-q", "-b", "main", "--ref-format", "files", "repo")
    for name, setting in {"user.name": "A", "user.email": "a@b"}.items():
        git(repo, "config", name, setting)
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
    assert repositories.git_text(repo, "rev-list", "--count", "HEAD") == "12"
    git(repo, "fsck", "--strict")
