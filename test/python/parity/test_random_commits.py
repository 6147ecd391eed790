"""Random commits beside `git add`, `git apply --cached`, `git reset` and `git commit` with the same clock: ids, index, logs and status."""

import codecs
import os
import pathlib
import random
import re
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
# What a layout sets in the configuration of both repositories.
SETTINGS = {
    "version 4": {"index.version": "4"},
    "split": {"core.splitIndex": "true"},
    "crlf": {"core.autocrlf": "input"},
    "autocrlf": {"core.autocrlf": "true"},
    "no modes": {"core.fileMode": "false"},
}
LAYOUTS = [
    *SETTINGS,
    "plain",
    "sha256",
    "reftable",
    "linked",
    "unborn",
    "detached",
    "packed",
    "attributes",
    "sparse",
    "sparse index",
    "intent",
    "flags",
    "merges",
]
# Those that need a first commit.
BORN = ("detached", "packed", "linked", "sparse", "sparse index", "flags", "merges")
ATTRIBUTES = """* text=auto
*.txt text eol=crlf
dir/a.b text working-tree-encoding=UTF-16LE-BOM
z/* -text
dir-x text eol=lf ident
"""
# Of those that `git ls-files --debug` shows the ones in the file: assume-unchanged, stages, intent-to-add, skip-worktree.
STORED_FLAGS = 0x6000_B000
# What is said of paths that git add leaves in a sparse checkout.
OUTSIDE = "outside of the sparse checkout"
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# Cases of the slow test: steps that end in a commit or in what is staged for one.
CASES = int(os.environ.get("REDLINE_COMMITS", "1000"))
STEPS = 12


def literal(name):
    return f":(literal){name}"


class Twins:
    """A repository for git and one for redline, which are changed alike."""

    def __init__(self, connect, folder, seed, layout):
        self.random, self.clock = random.Random(seed), 1_700_000_000
        self.layout, self.merged, self.steps = set(layout), 0, []
        self.theirs, self.ours = folder / "theirs", folder / "ours"
        for repo in (self.theirs, self.ours):
            hash_name = "sha256" if "sha256" in layout else "sha1"
            ref_format = "reftable" if "reftable" in layout else "files"
            options = ["--object-format", hash_name, "--ref-format", ref_format]
            git(folder, "init", "-q", "-b", "main", *options, repo.name)
            settings = {"user.name": "A. U. Thor", "user.email": "a@example.com"}
            for word in layout:
                settings |= SETTINGS.get(word, {})
            for name, setting in settings.items():
                git(repo, "config", name, setting)
        self.con = configure(connect(), writable(folder, git="commit"))
        if "attributes" in layout:
            self.write(".gitattributes", ATTRIBUTES)
        if "unborn" not in layout:
            for name in NAMES[:4]:
                self.write(name, "".join(f"{line}\n" for line in range(30)))
            self.both("add", "-A")
            self.both("commit", "-q", "-m", "first")
        if "packed" in layout:
            self.both("gc", "-q")
        if "linked" in layout:
            self.both("branch", "topic")
            for repo, name in ((self.theirs, "theirs-linked"), (self.ours, "ours-linked")):
                git(repo, "worktree", "add", "-q", f"../{name}", "topic", env=self.env())
            self.theirs, self.ours = folder / "theirs-linked", folder / "ours-linked"
        if "detached" in layout:
            self.both("checkout", "-q", "--detach")
        if "sparse index" in layout:
            self.both("sparse-checkout", "set", "--cone", "--sparse-index", "dir/sub")
        elif "sparse" in layout:
            self.both("sparse-checkout", "set", "--cone", "dir/sub")
        if "flags" in layout:
            self.both("update-index", "--assume-unchanged", "dir/a")

    def env(self):
        when = f"{self.clock} +0130"
        return environment(GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)

    def git(self, *arguments, stdin=b""):
        return git(self.theirs, *arguments, stdin=stdin, env=self.env())

    def both(self, *arguments):
        for repo in (self.theirs, self.ours):
            git(repo, *arguments, env=self.env())

    def write(self, name, text):
        wide = name == "dir/a.b" and "attributes" in self.layout
        for repo in (self.theirs, self.ours):
            path = repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                path.unlink()
            path.write_bytes(
                codecs.BOM_UTF16_LE + text.encode("utf-16-le") if wide else text.encode()
            )

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
                is_wide = is_file and path.read_bytes().startswith(codecs.BOM_UTF16_LE)
                text = path.read_text("utf-16" if is_wide else "utf-8") if is_file else "\n" * 30
                lines = text.splitlines()
                for _ in range(self.random.randint(1, 4)):
                    lines[self.random.randrange(len(lines))] = f"line {self.random.random()}"
                is_mixed = self.layout & {"crlf", "autocrlf", "attributes"}
                end = "\r\n" if is_mixed and self.random.random() < 0.5 else "\n"
                last = "" if self.random.random() < 0.1 else end
                self.write(name, end.join(lines) + last)

    def options(self):
        return f"{{'date': '{self.clock} +0130'}}"

    def done(self, query, *arguments, why_not="nothing would change"):
        got = answer(self.con, f"SELECT (r).outcome FROM (SELECT {query} AS r)", *arguments)
        assert got.error is None or why_not in got.error, got.error
        return got.error is None

    def takes(self, *arguments):
        """Tells whether `git add` takes all of the paths; outside of a sparse checkout it leaves some, and fails."""
        try:
            self.git("add", "-n", *arguments)
        except repositories.GitFailed:
            return False
        return True

    def changed(self):
        listed = self.git("ls-files", "-z", "-m", "-o", "--exclude-standard").decode().split("\0")
        # A new file that is staged and gone has no version that git commit could name.
        first = self.git("ls-tree", "-r", "-z", "--name-only", "HEAD") if self.has_head() else b""
        known = set(first.decode().split("\0"))
        is_there = lambda name: name in known or os.path.lexists(self.ours / name)
        return sorted({name for name in listed if name and is_there(name)})

    def commit_theirs(self, *arguments):
        """Commits as git does; tells whether there was anything."""
        try:
            self.git("commit", "-q", *arguments)
        except repositories.GitFailed as error:
            self.said = str(error)
            return False
        return True

    def step(self, repo):
        self.clock += 60
        message = self.random.choice(["one", "two \n\n\n body\t\n", "ünï: a  b\n\n* c\n"])
        kinds = ["paths", "paths", "staged", "hunks", "stage", "unstage", "all"]
        what = self.random.choice(kinds + ["merge", "pick"] * 4 * ("merges" in self.layout))
        self.steps.append(what)
        if "intent" in self.layout:
            names = [name for name in self.changed() if self.takes("-N", "--", literal(name))]
            self.both("add", "-N", "--", literal(self.random.choice(names))) if names else None
        names = self.changed()
        some = [literal(one) for one in self.random.sample(names, min(len(names), 2))]
        if what in ("merge", "pick"):
            self.ended(repo, what, message)
        elif what in ("all", "stage"):
            self.stage(repo, ["."] if what == "all" else some)
        elif what == "paths" and some:
            query = f"git_commit(?, ?, ?, {self.options()})"
            if self.takes("--", *some):
                self.git("add", "--", *some)
                is_made = self.commit_theirs("-m", message, "--", *some)
                assert self.done(query, repo, message, some) == is_made
            else:
                assert not self.done(query, repo, message, some, why_not=OUTSIDE)
        elif what == "staged":
            self.both("add", "--", *some) if some and self.takes("--", *some) else None
            is_made = self.commit_theirs("-m", message)
            assert (
                self.done(f"git_commit(?, ?, 'staged', {self.options()})", repo, message) == is_made
            )
        elif what == "hunks":
            self.hunks(repo, message)
        elif what == "unstage" and git_text(self.theirs, "ls-files"):
            self.git("reset", "-q", "--", ".")
            self.done("git_unstage(?, '.')", repo)

    def stage(self, repo, what):
        if not what:
            return
        if self.takes("--", *what):
            self.git("add", "--", *what)
            self.done("git_stage(?, ?)", repo, what)
        else:
            assert not self.done("git_stage(?, ?)", repo, what, why_not=OUTSIDE)

    def ended(self, repo, what, message):
        """Begins a merge or a pick of a commit aside with git, and ends it, with conflicts or without."""
        self.both("add", "--sparse", "-A")
        self.both("commit", "-q", "--allow-empty", "-m", "all")
        here = git_text(self.ours, "rev-parse", "--abbrev-ref", "HEAD")
        self.merged += 1
        side = f"side/{self.merged}"
        self.both("checkout", "-q", "-b", side)
        self.write(self.random.choice(NAMES[:4]), f"theirs {self.random.random()}\n" * 30)
        self.write(f"aside/{self.merged}", "theirs\n")
        self.both("add", "--sparse", "-A")
        self.both("-c", "user.name=Other", "commit", "-q", "-m", "aside")
        self.both("checkout", "-q", here)
        if self.random.random() < 0.7:
            self.write(self.random.choice(NAMES[:4]), f"ours {self.random.random()}\n" * 30)
            self.both("commit", "-q", "--allow-empty", "-a", "-m", "ours")
        begin = (
            ["merge", "--no-ff", "--no-commit", side] if what == "merge" else ["cherry-pick", side]
        )
        conflicted = []
        for one in (self.theirs, self.ours):
            try:
                git(one, *begin, env=self.env())
            except repositories.GitFailed:
                conflicted = git_text(one, "diff", "--name-only", "--diff-filter=U", "-z")
                conflicted = [name for name in conflicted.split("\0") if name]
        for name in conflicted:
            self.write(name, f"both {self.random.random()}\n")
        if conflicted and self.takes("--", *conflicted):
            self.git("add", "--", *conflicted)
            assert self.done("git_stage(?, ?)", repo, conflicted)
        elif conflicted:
            assert not self.done("git_stage(?, ?)", repo, conflicted, why_not=OUTSIDE)
            self.both("add", "--sparse", "--", *conflicted)
        git_dir = pathlib.Path(git_text(self.ours, "rev-parse", "--absolute-git-dir"))
        if any((git_dir / name).exists() for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD")):
            is_made = self.commit_theirs("-m", message)
            query = f"git_commit(?, ?, 'staged', {self.options()})"
            assert self.done(query, repo, message) == is_made, self.said
            if not is_made:
                # A pick that changes nothing any more.
                self.both("cherry-pick", "--skip")

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
        for path in dict.fromkeys(row[1] for row in chosen):
            text += patches[path].split("\n@@ ")[0] + "\n"
            # Lines that hunks which are left out would add; git places the others by these numbers.
            skipped = 0
            for row in (row for row in rows if row[1] == path):
                numbers = HUNK.match(row[2])
                old, old_count, new, new_count = (int(one or 1) for one in numbers.groups())
                if row in chosen:
                    header = f"@@ -{old},{old_count} +{new - skipped},{new_count} @@"
                    text += header + row[2][numbers.end() :]
                else:
                    skipped += new_count - old_count
        self.git("apply", "--cached", "-", stdin=text.encode())
        assert self.commit_theirs("-m", message), self.said
        query = f"git_commit(?, ?, ?, {self.options()})"
        assert self.done(query, repo, message, [row[0] for row in chosen])

    def has_head(self):
        try:
            return bool(git_text(self.theirs, "rev-parse", "--verify", "-q", "HEAD"))
        except repositories.GitFailed:
            return False

    def state(self, repo):
        """Returns all that must be alike."""
        logs = {}
        for name in ("HEAD", "main", "topic"):
            try:
                form = "--format=%H %gd %gn <%ge>%x09%gs"
                logs[name] = git_text(repo, "reflog", "show", "--date=raw", form, name, "--")
            except repositories.GitFailed:
                logs[name] = None
        return {
            "index": git_text(repo, "ls-files", "--stage", "-z"),
            "flags": [git_text(repo, "ls-files", "-v", "-z"), self.flags(repo)],
            "status": git_text(repo, "status", "--porcelain=v2", "--branch", "-z"),
            "refs": git_text(repo, "for-each-ref"),
            "logs": logs,
        }

    def flags(self, repo):
        """Returns the flags that git stores of each entry."""
        said = git_text(repo, "ls-files", "--stage", "--debug", "-z").split("\0")
        found = [line.split("flags: ")[1].split("\n")[0] for line in said if "flags: " in line]
        return [hex(int(flags, 16) & STORED_FLAGS) for flags in found]

    def check(self):
        theirs, ours = self.state(self.theirs), self.state(self.ours)
        differing = {
            what: (theirs[what], ours[what]) for what in ours if theirs[what] != ours[what]
        }
        assert not differing, (self.layout, self.steps)
        strict = subprocess.run(
            ["git", "-C", str(self.ours), "fsck", "--strict", "--no-dangling"],
            capture_output=True,
            text=True,
            env=environment(),
        )
        said = [
            line
            for line in strict.stderr.splitlines()
            if not line.startswith(("notice: ", "hint: "))
        ]
        assert (strict.returncode, said, strict.stdout) == (0, [], "")


def compare(connect, folder, seed, layout, steps):
    twins = Twins(connect, folder, seed, layout)
    repo = f"ws/{twins.ours.name}"
    for _ in range(steps):
        twins.change()
        twins.step(repo)
        twins.check()


# Promise (commits): Commits by paths, hunks, from the index and of merges and picks have git's ids, and leave git's index, flags,
# logs and status, in ordinary, sparse and linked work trees, with SHA-256, tables of references, a split index or one of
# version 4, line ends and encodings that are converted, on a branch, on none and before the first commit; `git fsck --strict`
# finds nothing. With `test_many_random_commits_are_those_of_git`.
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_commits_are_those_of_git(connect, tmp_path, layout):
    compare(connect, tmp_path, 1, {layout}, 4)


def combined(seed):
    """Returns four layouts that go together."""
    chosen = set(random.Random(seed).sample(LAYOUTS, 4))
    # git 2.47 alone writes indexes that it refuses where one is to be split and sparse, and with entries many times where
    # it makes one sparse that has an intent to add.
    chosen -= {"split", "intent"} if "sparse index" in chosen else set()
    return chosen - {"unborn"} if chosen.intersection(BORN) else chosen


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + CASES // STEPS + 1))
def test_many_random_commits_are_those_of_git(connect, tmp_path, seed):
    compare(connect, tmp_path, seed, combined(seed), STEPS)
