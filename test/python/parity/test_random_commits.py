"""Random commits beside `git add`, `git apply --cached`, `git reset` and `git commit` with the same clock: ids, index, logs and status."""

import os
import pathlib
import random
import subprocess

import pytest
import repositories
from answers import answer
from repositories import environment, git, git_text
from sandboxes import configure, writable

NAMES = [
    "a",
    "b.txt",
    "dir/a",
    "dir/a.b",
    "dir/sub/deep/c",
    "dir-x",
    "ünï",
    'q"uote',
    "new\nline",
    "z/1",
]
LAYOUTS = [
    "plain",
    "sha256",
    "version 4",
    "linked",
    "unborn",
    "detached",
    "split",
    "crlf",
    "packed",
]


class Twins:
    """A repository for git and one for redline, which are changed alike."""

    def __init__(self, connect, folder, seed, layout):
        self.random, self.layout, self.clock = random.Random(seed), layout, 1_700_000_000
        self.theirs, self.ours = folder / "theirs", folder / "ours"
        for repo in (self.theirs, self.ours):
            hash_name = "sha256" if layout == "sha256" else "sha1"
            options = ["--object-format", hash_name, "--ref-format", "files"]
            git(folder, "init", "-q", "-b", "main", *options, repo.name)
            settings = {"user.name": "A. U. Thor", "user.email": "a@example.com"}
            settings |= {
                "version 4": {"index.version": "4"},
                "split": {"core.splitIndex": "true"},
            }.get(layout, {})
            settings |= {"core.autocrlf": "input"} if layout == "crlf" else {}
            for name, setting in settings.items():
                git(repo, "config", name, setting)
        self.con = configure(connect(), writable(folder, git="commit"))
        if layout != "unborn":
            for name in NAMES[:4]:
                self.write(name, "".join(f"{line}\n" for line in range(30)))
            self.both("add", "-A")
            self.both("commit", "-q", "-m", "first")
        if layout == "detached":
            self.both("checkout", "-q", "--detach")
        if layout == "packed":
            self.both("gc", "-q")
        if layout == "linked":
            self.both("branch", "topic")
            for repo, name in ((self.theirs, "theirs-linked"), (self.ours, "ours-linked")):
                git(repo, "worktree", "add", "-q", f"../{name}", "topic", env=self.env())
            self.theirs, self.ours = folder / "theirs-linked", folder / "ours-linked"

    def env(self):
        when = f"{self.clock} +0130"
        return environment(GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)

    def git(self, *arguments, stdin=b""):
        return git(self.theirs, *arguments, stdin=stdin, env=self.env())

    def both(self, *arguments):
        for repo in (self.theirs, self.ours):
            git(repo, *arguments, env=self.env())

    def write(self, name, text):
        for repo in (self.theirs, self.ours):
            path = repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                path.unlink()
            path.write_bytes(text.encode())

    def change(self):
        """Changes a few files of both work trees."""
        for name in self.random.sample(NAMES, self.random.randint(1, 5)):
            path, what = self.ours / name, self.random.random()
            is_file = path.is_file() and not path.is_symlink()
            if is_file and what < 0.1:
                for repo in (self.theirs, self.ours):
                    (repo / name).unlink()
            elif is_file and what < 0.2:
                mode = path.stat().st_mode ^ 0o111
                for repo in (self.theirs, self.ours):
                    os.chmod(repo / name, mode)
            elif what < 0.27 and not path.exists():
                for repo in (self.theirs, self.ours):
                    (repo / name).parent.mkdir(parents=True, exist_ok=True)
                    if not (repo / name).is_symlink():
                        (repo / name).symlink_to(f"to/{self.clock}")
            else:
                lines = path.read_text().splitlines() if is_file else [""] * 30
                for _ in range(self.random.randint(1, 4)):
                    lines[self.random.randrange(len(lines))] = f"line {self.random.random()}"
                end = "\r\n" if self.layout == "crlf" and self.random.random() < 0.5 else "\n"
                last = "" if self.random.random() < 0.1 else end
                self.write(name, end.join(lines) + last)

    def options(self):
        return f"{{'date': '{self.clock} +0130'}}"

    def done(self, query, *arguments):
        got = answer(self.con, f"SELECT (r).outcome FROM (SELECT {query} AS r)", *arguments)
        assert got.error is None or "nothing would change" in got.error, got.error
        return got.error is None

    def changed(self):
        listed = self.git("ls-files", "-z", "-m", "-o", "--exclude-standard").decode().split("\0")
        return sorted({name for name in listed if name})

    def commit_theirs(self, *arguments):
        """Commits as git does; tells whether there was anything."""
        try:
            self.git("commit", "-q", *arguments)
        except repositories.GitFailed:
            return False
        return True

    def step(self, repo):
        self.clock += 60
        message = self.random.choice(["one", "two \n\n\n body\t\n", "ünï: a  b\n\n* c\n"])
        what = self.random.choice(["paths", "paths", "staged", "hunks", "stage", "unstage"])
        names = self.changed()
        some = [f":(literal){one}" for one in self.random.sample(names, min(len(names), 2))]
        if what == "paths" and some:
            self.git("add", "--", *some)
            is_made = self.commit_theirs("-m", message, "--", *some)
            query = f"git_commit(?, ?, ?, {self.options()})"
            assert self.done(query, repo, message, some) == is_made
        elif what == "staged":
            self.both("add", "--", *some) if some else None
            is_made = self.commit_theirs("-m", message)
            assert (
                self.done(f"git_commit(?, ?, 'staged', {self.options()})", repo, message) == is_made
            )
        elif what == "hunks":
            self.hunks(repo, message)
        elif what == "stage" and some:
            self.git("add", "--", *some)
            self.done("git_stage(?, ?)", repo, some)
        elif what == "unstage" and git_text(self.theirs, "ls-files"):
            self.git("reset", "-q", "--", ".")
            self.done("git_unstage(?, '.')", repo)

    def hunks(self, repo, message):
        """Commits some hunks, while the index has what HEAD has."""
        if not self.has_head():
            return
        self.both("reset", "-q")
        rows = self.con.execute(
            "SELECT hunk_id, file_path, patch FROM diff_hunks('HEAD', 'WORKTREE', ?)", [repo]
        ).fetchall()
        patches = dict(
            self.con.execute(
                "SELECT file_path, patch FROM file_patches('HEAD', 'WORKTREE', ?)", [repo]
            ).fetchall()
        )
        plain = lambda patch: "\nold mode" not in patch and "120000" not in patch
        rows = [row for row in rows if plain(patches[row[1]])]
        chosen = self.random.sample(rows, min(len(rows), self.random.randint(1, 4)))
        if not chosen:
            return
        text = ""
        for path in dict.fromkeys(row[1] for row in rows):
            hunks = [row[2] for row in rows if row[1] == path and row in chosen]
            if hunks:
                text += patches[path].split("\n@@ ")[0] + "\n" + "".join(hunks)
        self.git("apply", "--cached", "--recount", "-", stdin=text.encode())
        assert self.commit_theirs("-m", message)
        query = f"git_commit(?, ?, ?, {self.options()})"
        assert self.done(query, repo, message, [row[0] for row in chosen])

    def has_head(self):
        try:
            return bool(git_text(self.theirs, "rev-parse", "--verify", "-q", "HEAD"))
        except repositories.GitFailed:
            return False

    def state(self, repo):
        """Returns all that must be alike."""
        git_dir = git_text(repo, "rev-parse", "--absolute-git-dir")
        common = git_text(repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
        logs = {}
        for folder in {git_dir, common}:
            for name in ("HEAD", "refs/heads/main", "refs/heads/topic"):
                path = pathlib.Path(folder, "logs", name)
                if path.exists():
                    logs[os.path.relpath(folder, git_dir), name] = path.read_text()
        return {
            "index": git_text(repo, "ls-files", "--stage", "-z"),
            "flags": git_text(repo, "ls-files", "-v", "-z"),
            "status": git_text(repo, "status", "--porcelain=v2", "--branch", "-z"),
            "refs": git_text(repo, "for-each-ref"),
            "logs": logs,
        }

    def check(self):
        theirs, ours = self.state(self.theirs), self.state(self.ours)
        assert theirs == ours
        strict = subprocess.run(
            ["git", "-C", str(self.ours), "fsck", "--strict", "--no-dangling"],
            capture_output=True,
            text=True,
            env=environment(),
        )
        said = [line for line in strict.stderr.splitlines() if not line.startswith("notice: ")]
        assert (strict.returncode, said, strict.stdout) == (0, [], "")


def compare(connect, folder, seed, layout, steps):
    twins = Twins(connect, folder, seed, layout)
    repo = f"ws/{twins.ours.name}"
    for _ in range(steps):
        twins.change()
        twins.step(repo)
        twins.check()


# Promise (commits): Commits by paths, hunks and from the index have git's ids, and leave git's index, logs and status, in
# ordinary and linked work trees, with SHA-256, a split index or one of version 4, on a branch, on none and before the first
# commit; `git fsck --strict` finds nothing. With `test_many_random_commits_are_those_of_git`.
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_commits_are_those_of_git(connect, tmp_path, layout):
    compare(connect, tmp_path, 1, layout, 8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_many_random_commits_are_those_of_git(connect, tmp_path, layout, seed):
    compare(connect, tmp_path, seed, layout, 12)
