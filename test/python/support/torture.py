"""Damages every file of repositories while a process reads them: right rows or an error, never fewer rows, never an end.

`make torture` runs all of it; test_torture.py a sample. A run is a seed: the same seed damages the same bytes. After
each damage the file is repaired, and the next answer must be the right one again, in the same process.

What is right: the answer of the undamaged repository, or git's answer to the damaged one. One exception stands in
docs/security.md: an object is not hashed again when it is read, as in git.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import apart
import repositories

IDENTITY = ["-c", "user.name=Some One", "-c", "user.email=a@b"]
DATES = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}


# -- what is asked -----------------------------------------------------------------------------


class Question(NamedTuple):
    """A query, and git's answer to it in the same columns."""

    sql: str
    git: Callable[[pathlib.Path], list[tuple]]


def git_changes(repo: pathlib.Path) -> list[tuple]:
    return [tuple(row) for row in repositories.changes(repo, [("first", "main")])[0]]


def git_log(which: str) -> Callable[[pathlib.Path], list[tuple]]:
    def answer(repo: pathlib.Path) -> list[tuple]:
        output = repositories.git(
            repo,
            "-c",
            "core.quotePath=off",
            "log",
            "--format=%x00%H %an",
            "--name-only",
            "--no-renames",
            which,
        ).decode(errors="replace")
        rows = []
        for part in output.split("\0")[1:]:
            head, *names = part.split("\n")
            rows += [(*head.split(" ", 1), name) for name in names if name]
        return sorted(rows)

    return answer


def git_raw(*arguments: str) -> Callable[[pathlib.Path], list[tuple]]:
    def answer(repo: pathlib.Path) -> list[tuple]:
        parts = (
            repositories.git(
                repo,
                *arguments,
                "--raw",
                "-z",
                "--no-renames",
                "--no-abbrev",
                env=repositories.environment(GIT_OPTIONAL_LOCKS="0"),
            )
            .decode(errors="replace")
            .split("\0")
        )
        return sorted(
            (path, repositories.STATUS.get(meta[-1], meta[-1]))
            for meta, path in zip(parts[:-1:2], parts[1::2])
        )

    return answer


def git_beside_head(*arguments: str) -> Callable[[pathlib.Path], list[tuple]]:
    """As `git diff --cached` does by itself: beside HEAD of an unborn branch, which a damage may name, is the empty tree."""

    def answer(repo: pathlib.Path) -> list[tuple]:
        # Git looks at a work tree from inside it, not from its own directory beside it.
        place = repo.parent if repo.name == ".git" else repo
        status = repositories.git(place, "status", "--porcelain=v2", "--branch", "-uno")
        is_unborn = b"# branch.oid (initial)\n" in status
        return git_raw("diff", *arguments, repositories.EMPTY_TREE if is_unborn else "HEAD")(place)

    return answer


QUESTIONS = {
    "changes": Question("SELECT * FROM file_changes('first', 'main', ?)", git_changes),
    "log": Question(
        "SELECT commit_id, author_name, file_path FROM commit_changes('main', ?, mailmap := false) ORDER BY ALL",
        git_log("main"),
    ),
    "all": Question(
        "SELECT commit_id, author_name, file_path FROM commit_changes('ALL', ?, mailmap := false) ORDER BY ALL",
        git_log("--all"),
    ),
    "index": Question(
        "SELECT file_path, status FROM file_changes('HEAD', 'INDEX', ?) ORDER BY ALL",
        git_beside_head("--cached"),
    ),
    "work tree": Question(
        "SELECT file_path, status FROM file_changes('HEAD', 'WORKTREE', ?) ORDER BY ALL",
        git_beside_head(),
    ),
}
# What else reads files, and has no answer of git's beside it: the undamaged answer or an error.
MORE = {
    "untracked": "SELECT file_path, patch FROM file_patches('HEAD', 'WORKTREE', ?, untracked := true) ORDER BY ALL",
    "mailmap": "SELECT commit_id, author_name, file_path, additions, deletions FROM commit_changes('main', ?)",
    "merge base": "SELECT file_path, additions FROM file_changes('side...main', NULL, ?)",
    "linked": "SELECT file_path FROM file_changes('worktrees/linked/HEAD', 'main@{1}', ?)",
}


# -- the repositories --------------------------------------------------------------------------


def make(repo: pathlib.Path, layout: str) -> pathlib.Path:
    """Makes a repository with a history, of loose objects or packs, and each file that git reads beside."""
    repo.mkdir(parents=True)
    env = repositories.environment(**DATES)
    git = lambda *arguments: repositories.git(repo, *IDENTITY, *arguments, env=env)
    git("init", "-q", "-b", "main")
    chance = random.Random(layout)
    for number in range(24):
        for name in ("a.txt", f"d{number % 3}/b{number % 5}.txt", "long.txt"):
            path = repo / name
            path.parent.mkdir(exist_ok=True)
            old = (
                path.read_text()
                if path.exists()
                else "".join(f"line {n} of {name}\n" for n in range(60))
            )
            path.write_text(
                old.replace(f"line {chance.randrange(60)} ", f"changed in {number} ")
                + f"end {number}\n"
            )
        if number == 0:
            (repo / ".gitattributes").write_text("*.bin binary\nlong.txt text\n")
            (repo / ".gitignore").write_text("*.log\nlinked/\n")
            (repo / ".mailmap").write_text("Another One <c@d> <a@b>\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"commit {number}")
        if number == 0:
            git("tag", "first")
        if number == 12:
            git("branch", "side")
            git("tag", "-a", "-m", "annotated", "middle")
        if number in (8, 16) and layout != "loose":
            git("repack", "-q", "-d")
    if layout != "loose":
        git("repack", "-q", "-d")
        git("pack-refs", "--all")
        git("commit-graph", "write", "--reachable", "--split")
        git("commit", "-q", "--allow-empty", "-m", "last")
        git("commit-graph", "write", "--reachable", "--split=no-merge")
    if layout == "indexed":
        git("repack", "-q", "-d")
        git("multi-pack-index", "write")
        git("update-index", "--split-index")
    (repo / "d0/new.txt").write_text("staged\n")
    git("add", "d0/new.txt")
    git("worktree", "add", "-q", "-b", "linked", "linked", "first")
    (repo / ".git/worktrees/linked/refs/bisect").mkdir(parents=True, exist_ok=True)
    (repo / "long.txt").write_text("changed in the work tree\n")
    (repo / "note.log").write_text("ignored\n")
    (repo / "new.txt").write_text("untracked\n")
    shutil.rmtree(repo / ".git/hooks", ignore_errors=True)
    (repo / ".git/description").unlink(missing_ok=True)
    return repo


LAYOUTS = ["loose", "packed", "indexed"]


def files(repo: pathlib.Path) -> list[pathlib.Path]:
    """Returns the files of a repository that are read, with each kind about as often as the others."""
    kinds = collections.defaultdict(list)
    for path in sorted(repo.rglob("*")):
        name = str(path.relative_to(repo))
        if (
            path.is_file()
            and not path.is_symlink()
            and not name.startswith("linked/")
            and "COMMIT_EDITMSG" not in name
        ):
            kinds[kind_of(name)].append(path)
    return [
        path
        for paths in kinds.values()
        for path in (paths * (8 // len(paths) + 1))[: max(8, len(paths))]
    ]


def kind_of(name: str) -> str:
    parts = name.split("/")
    if name.startswith(".git/objects/pack/"):
        return f"{parts[-1].rpartition('.')[2]} file" if "." in parts[-1] else parts[-1]
    if name.startswith(".git/objects/info/"):
        return "commit-graph" if parts[-1].endswith(".graph") else parts[-1]
    if name.startswith(".git/objects/"):
        return "loose object"
    for start, kind in ((".git/refs/", "loose reference"), (".git/logs/", "reflog"), (".git/worktrees/", "linked work tree"), (".git/sharedindex", "shared index")):  # fmt: skip
        if name.startswith(start):
            return kind
    return parts[-1] if name.startswith(".git") else "work tree"


# -- damage ------------------------------------------------------------------------------------


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def grow(data: bytes, chance: random.Random) -> bytes:
    return data + chance.randbytes(chance.choice([1, 20, 100, 5000]))


def flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 8])):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def overwrite(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    size = chance.choice([1, 4, 20, 400])
    return (
        data[:at]
        + chance.choice([bytes(size), b"\xff" * size, chance.randbytes(size)])
        + data[at + size :]
    )[: len(data)]


def number(data: bytes, chance: random.Random) -> bytes:
    """A number that is read as a count, a size or an offset."""
    at = chance.randrange(max(1, min(len(data), 2000)))
    value = chance.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, len(data)])
    return data[:at] + value.to_bytes(4, "big") + data[at + 4 :]


def swap(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[at:] + data[:at]


DAMAGES = [
    cut,
    grow,
    flip,
    flip,
    overwrite,
    number,
    swap,
    lambda data, chance: b"",
    lambda data, chance: None,
]
DAMAGES[-2].__name__, DAMAGES[-1].__name__ = "empty", "remove"


def put(path: pathlib.Path, data: bytes | None, in_place: bool) -> None:
    """Writes a file in place, or as another one in its place; None removes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        os.chmod(path, 0o644)
    if data is None:
        path.unlink(missing_ok=True)
    elif in_place and path.exists():
        with open(path, "r+b") as file:
            file.write(data)
            file.truncate(len(data))
    else:
        other = path.with_name(path.name + ".new")
        other.write_bytes(data)
        os.replace(other, path)


# -- one run -----------------------------------------------------------------------------------


class Torture:
    """A process, the repositories that it reads, and what was wrong."""

    def __init__(self, extension: pathlib.Path, directory: pathlib.Path, seed: int):
        self.extension, self.chance = extension, random.Random(seed)
        self.repos = {layout: make(directory / layout, layout) for layout in LAYOUTS}
        self.files = {layout: files(repo) for layout, repo in self.repos.items()}
        self.host = apart.Host(extension)
        self.counts: collections.Counter = collections.Counter()
        self.wrong: list[str] = []
        self.right = {
            (layout, name): self.ask(name, repo).rows
            for layout, repo in self.repos.items()
            for name in [*QUESTIONS, *MORE]
        }
        for (layout, name), rows in self.right.items():
            assert rows, (
                f"no rows to begin with: {layout}, {name}: {self.ask(name, self.repos[layout])}"
            )
            if name in QUESTIONS:
                theirs = QUESTIONS[name].git(self.repos[layout])
                assert rows == theirs, repositories.first_differences(rows, theirs)

    def ask(self, name: str, repo: pathlib.Path) -> apart.Answer:
        return self.host.ask(QUESTIONS[name].sql if name in QUESTIONS else MORE[name], repo)

    def mutate(self) -> None:
        """Damages one file, asks, repairs it, asks again."""
        layout = self.chance.choice(LAYOUTS)
        repo = self.repos[layout]
        path = self.chance.choice(self.files[layout])
        name = str(path.relative_to(repo))
        damage = self.chance.choice(DAMAGES)
        whole = path.read_bytes()
        damaged = damage(whole, self.chance)
        in_place, during = self.chance.random() < 0.5, self.chance.random() < 0.3
        delay = self.chance.random() * 0.02
        asked = self.chance.sample([*QUESTIONS, *MORE], 2)
        what = f"{layout}: {name}, {damage.__name__}{' in place' if in_place else ''}{' during the query' if during else ''}"
        self.counts[kind_of(name)] += 1
        try:
            if during:
                timer = threading.Timer(delay, put, (path, damaged, in_place))
                timer.start()
            else:
                put(path, damaged, in_place)
            for question in asked:
                got = self.ask(question, repo)
                if during:
                    timer.join()
                self.judge(what, layout, question, got)
            put(path, whole, self.chance.random() < 0.5)
            for question in asked:
                got = self.ask(question, repo)
                if got.rows != self.right[layout, question]:
                    self.wrong.append(
                        f"{what}: {question} after the repair: {got.error or differences(got.rows, self.right[layout, question])}"
                    )
                    self.restart()
        except apart.Ended as ended:
            self.wrong.append(f"{what}: {ended}")
            put(path, whole, False)
            self.restart()

    def judge(self, what: str, layout: str, question: str, got: apart.Answer) -> None:
        right = self.right[layout, question]
        if got.rows == right:
            self.counts["right rows"] += 1
            return
        if got.error is not None:
            try:
                repositories.code_and_words(got.error)
                self.counts["errors"] += 1
            except AssertionError as error:
                self.wrong.append(f"{what}: {question}: {error}")
            return
        theirs = None
        if question in QUESTIONS:
            try:
                theirs = QUESTIONS[question].git(self.repos[layout])
            except (
                repositories.GitFailed,
                AssertionError,
                ValueError,
                IndexError,
                UnicodeDecodeError,
            ) as error:
                theirs = f"git fails: {str(error)[-200:]}"
        elif any(kind in what for kind in OTHER_ANSWERS):
            self.counts["other rows"] += 1  # a name or a rule is another one now
            return
        if theirs == got.rows:
            self.counts["git's rows"] += 1
            return
        self.wrong.append(
            f"{what}: {question}: {differences(got.rows, right)}\n  git: {theirs if isinstance(theirs, str) else theirs and differences(theirs, right)}"
        )

    def limit(self) -> None:
        """Takes memory or files from the process while it reads, then gives them back."""
        layout = self.chance.choice(LAYOUTS)
        repo = self.repos[layout]
        question = self.chance.choice([*QUESTIONS, *MORE])
        pid = self.host.process.pid
        if self.chance.random() < 0.6:
            pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[0])
            spare = self.chance.choice([0, 64 << 10, 1 << 20, 3 << 20, 8 << 20, 30 << 20])
            kind, value, what = (
                resource.RLIMIT_AS,
                pages * 4096 + spare,
                f"{spare >> 10} KiB more memory",
            )
        else:
            value = self.chance.choice([3, 4, 5, 6, 8, 10, 12, 20])
            kind, what = resource.RLIMIT_NOFILE, f"{value} open files"
        what = f"{layout}: {question} with {what}"
        self.counts["limits"] += 1
        before = resource.prlimit(pid, kind)
        try:
            resource.prlimit(pid, kind, (value, before[1]))
            got = self.ask(question, repo)
            resource.prlimit(pid, kind, before)
            # DuckDB's own words where it is DuckDB that has no memory.
            if got.error is None or not any(
                words in got.error
                for words in ("Out of Memory", "bad_alloc", "llocate", "Resource temporarily")
            ):
                self.judge(what, layout, question, got)
            got = self.ask(question, repo)
            if got.rows != self.right[layout, question]:
                self.wrong.append(
                    f"{what}: afterwards: {got.error or differences(got.rows, self.right[layout, question])}"
                )
        except apart.Ended as ended:
            self.wrong.append(f"{what}: {ended}")
            self.restart()

    def restart(self) -> None:
        self.host.close()
        self.host = apart.Host(self.extension)
        for repo in self.repos.values():
            for name in QUESTIONS:
                self.ask(name, repo)

    def run(self, count: int, seconds: float = float("inf"), limits: bool = True) -> None:
        end = time.monotonic() + seconds
        for _ in range(count):
            if time.monotonic() > end or len(self.wrong) >= 40:
                break
            if limits and self.chance.random() < 0.08:
                self.limit()
            else:
                self.mutate()
        self.host.close()


# Of these a damage may change what is asked for, and git has no answer in the same columns.
OTHER_ANSWERS = [
    ".mailmap",
    ".gitignore",
    ".gitattributes",
    "config",
    "exclude",
    "HEAD",
    "refs",
    "logs/",
    "index",
    "shallow",
    "worktrees/",
    ": a.txt",
    ".txt,",
]


def differences(got: list | None, wanted: list) -> str:
    return repositories.first_differences(got or [], wanted, shown=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extension", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=15_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        torture = Torture(arguments.extension.resolve(), pathlib.Path(directory), arguments.seed)
        torture.run(arguments.count)
    print(
        f"{sum(torture.counts[kind] for kind in torture.counts if kind not in ('right rows', 'errors', 'other rows'))} cases: {dict(torture.counts)}"
    )
    for wrong in torture.wrong:
        print(f"WRONG {wrong}")
    return 1 if torture.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
