"""Real git as the oracle: runs it isolated, makes the fixtures, and returns what git says as rows.

Every figure here comes from git's own output, never from a second implementation:
`changes` are the rows of `git diff-tree -r --raw --numstat --no-renames` with the sizes of
`git cat-file --batch-check`; `diffs` are the lines of `git diff-tree -p -U<n>`. A whole history is
read from one process each. `git diff` of two revisions is what redline follows; `git diff-tree` differs
from it in one thing, that it finds `.gitattributes` in the index too, so it is run without an index.
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
# With REDLINE_TEST_TWIN, each repository is made as git 3 makes it: SHA-256 ids, and references in tables.
IS_TWIN = bool(os.environ.get("REDLINE_TEST_TWIN"))
HASH = "sha256" if IS_TWIN else "sha1"
FORMATS = {"GIT_DEFAULT_HASH": "sha256", "GIT_DEFAULT_REF_FORMAT": "reftable"} if IS_TWIN else {}
# For a repository that a test writes by hand.
SHA1_AND_FILES = {"GIT_DEFAULT_HASH": "sha1", "GIT_DEFAULT_REF_FORMAT": "files"}
FIXTURES = ROOT / "build" / ("fixtures-sha256" if IS_TWIN else "fixtures")
SCRIPT = ROOT / "test" / "fixtures" / "make_repos.sh"

EMPTY = "EMPTY"
EMPTY_TREE = hashlib.new(HASH, b"tree 0\0").hexdigest()
WHOLE_FILE = 1_000_000_000  # git has no word for "all context"; no fixture has so many lines
STATUS = {"A": "added", "D": "deleted", "M": "modified", "T": "type_changed"}


# -- running git ------------------------------------------------------------------------------


def environment(**extra: str) -> dict[str, str]:
    """Returns an environment in which git sees the repository alone: no user, system or inherited settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return (
        kept
        | {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            # A broken fixture must not be answered by the checkout around it.
            "GIT_CEILING_DIRECTORIES": os.fspath(FIXTURES),
            "XDG_CONFIG_HOME": "/dev/null",
            "HOME": "/dev/null",
            "LC_ALL": "C",
            "TZ": "UTC",
            # The fixtures may belong to another user than the one who runs the tests.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        | FORMATS
        | extra
    )


def git(
    repo: os.PathLike | str, *arguments: str, stdin: bytes = b"", env: dict | None = None
) -> bytes:
    """Runs git in `repo` and returns its output; raises with git's own words when it fails."""
    done = subprocess.run(
        ["git", "-C", os.fspath(repo), *arguments],
        input=stdin,
        capture_output=True,
        env=environment() if env is None else env,
    )
    if done.returncode != 0:
        # Git tells some failures, as of a commit of nothing, on its other output.
        words = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise GitFailed(f"git {' '.join(arguments)} in {repo}: exit {done.returncode}: {words}")
    return done.stdout


def commit_nothing(repo, message: str) -> None:
    """Makes an empty commit."""
    who = "-c", "user.name=n", "-c", "user.email=e"
    git(repo, *who, "commit", "--quiet", "--allow-empty", "-m", message)


def quoted(path: str) -> bytes:
    """Returns a path as git reads it from its standard input: in quotes, with C's escapes."""
    for character, escape in {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"}.items():
        path = path.replace(character, escape)
    return f'"{path}"'.encode()


def git_text(repo: os.PathLike | str, *arguments: str) -> str:
    """Returns git's output as text, without the last newline."""
    return git(repo, *arguments).decode().rstrip("\n")


class GitFailed(Exception):
    """Git itself refused; the message holds its words."""


@functools.cache
def git_version() -> str:
    """Returns the version of the git that is the ground truth, as `git --version` prints it."""
    return git_text(ROOT, "--version")


# -- the repositories -------------------------------------------------------------------------


@functools.cache
def fixtures() -> pathlib.Path:
    """Returns the folder of the fixture repositories, made first when they are missing or old."""
    FIXTURES.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{FIXTURES}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two hosts may start their tests at once
        done = subprocess.run(
            ["sh", SCRIPT, FIXTURES, HASH], capture_output=True, text=True, env=environment()
        )
    if done.returncode != 0:
        raise AssertionError(f"make_repos.sh failed:\n{done.stdout}{done.stderr}")
    return FIXTURES


def fixture(name: str) -> pathlib.Path:
    """Returns the path of one fixture repository."""
    path = fixtures() / name
    if not os.path.lexists(path):
        raise AssertionError(f"make_repos.sh makes no repository named {name}")
    return path


@functools.cache
def _templates() -> pathlib.Path:
    folder = tempfile.mkdtemp(prefix="redline-templates-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


@functools.cache
def _template(make: Callable[..., object], *arguments: str) -> pathlib.Path:
    path = _templates() / str(len(list(_templates().iterdir()))) / "repository"
    path.mkdir(parents=True)
    make(path, *arguments)
    return path


def copied(target: pathlib.Path, make: Callable[..., object], *arguments: str) -> pathlib.Path:
    """Returns a new directory with a copy of what `make(directory, *arguments)` makes there once per run.

    To git the work tree is as new as one that was made there: its files are as old as the index, which knows them.
    """
    # Without the times of the files; the directory may be there.
    copy = {"symlinks": True, "copy_function": shutil.copy, "dirs_exist_ok": True}
    shutil.copytree(_template(make, *arguments), target, **copy)
    if (target / ".git/index").exists():
        git(target, "update-index", "-q", "--refresh")
    return target


def bundle_folder() -> pathlib.Path | None:
    """Returns the folder of the large bundles (REDLINE_TEST_REPOS), or None when it is not set."""
    folder = os.environ.get("REDLINE_TEST_REPOS")
    return pathlib.Path(folder) if folder else None


def clone_bundle(name: str, target: pathlib.Path, *options: str) -> pathlib.Path:
    """Clones a bundle of REDLINE_TEST_REPOS, with a work tree (its attributes count) unless the options say otherwise."""
    source = bundle_folder() / name
    git(
        target.parent,
        "clone",
        "--quiet",
        *options,
        os.fspath(_bundle_twin(source) if IS_TWIN else source),
        os.fspath(target),
    )
    if IS_TWIN:
        _write_tables(target)
    return target


def sha256_twin(repo: os.PathLike | str, target: pathlib.Path) -> pathlib.Path:
    """Makes the same history with SHA-256 ids, as git 3 would have it: references in tables, a commit-graph, a multi-pack-index."""
    target.mkdir(parents=True)
    git(target, "init", "--quiet", "--object-format=sha256", "--ref-format=reftable", ".")
    options = _renamed_submodules(repo, target / ".git")
    export = [
        "git",
        "-C",
        os.fspath(repo),
        "fast-export",
        "--all",
        "--signed-tags=strip",
        "--reencode=no",
    ]
    with subprocess.Popen(export, stdout=subprocess.PIPE, env=environment()) as stream:
        subprocess.run(
            ["git", "-C", os.fspath(target), "fast-import", "--quiet", *options],
            stdin=stream.stdout,
            check=True,
            env=environment(),
        )
    git(target, "symbolic-ref", "HEAD", git_text(repo, "symbolic-ref", "HEAD").strip())
    git(target, "repack", "-a", "-d", "-q")
    git(target, "reset", "--quiet", "--hard")
    _write_tables(target)
    return target


def _renamed_submodules(repo: os.PathLike | str, folder: pathlib.Path) -> list[str]:
    """Returns the options of `git fast-import` that give the commits of submodules ids of SHA-256."""
    log = git_text(repo, "log", "--all", "-m", "--format=", "--raw", "--no-abbrev", "--no-renames")
    found = {}
    for line in filter(None, log.splitlines()):
        old_mode, new_mode, old, new, rest = line[1:].split(" ", 4)
        for mode, oid in ((old_mode, old), (new_mode, new)):
            if mode == "160000":
                found.setdefault(rest.split("\t")[1], set()).add(oid)
    options = []
    for number, (path, oids) in enumerate(sorted(found.items())):
        for side, padding in (("from", ""), ("to", "0" * 24)):
            marks = folder / f"submodule-{number}-{side}"
            lines = (f":{mark} {oid}{padding}\n" for mark, oid in enumerate(sorted(oids), 1))
            marks.write_text("".join(lines))
            options.append(f"--rewrite-submodules-{side}={path}:{marks}")
    return options


def _write_tables(repo: pathlib.Path) -> None:
    git(repo, "commit-graph", "write", "--reachable")
    git(repo, "multi-pack-index", "write")


def _bundle_twin(bundle: pathlib.Path) -> pathlib.Path:
    """Returns the twin of a bundle, made once for all tests."""
    folder = ROOT / "build" / "twins"
    folder.mkdir(parents=True, exist_ok=True)
    twin = folder / f"{bundle.stem}-{bundle.stat().st_size}"
    with open(folder / "lock", "w") as lock, tempfile.TemporaryDirectory(dir=folder) as scratch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not twin.exists():
            plain = pathlib.Path(scratch) / "plain"
            git(
                scratch,
                "clone",
                "--quiet",
                "--mirror",
                os.fspath(bundle),
                "plain",
                env=environment(**SHA1_AND_FILES),
            )
            sha256_twin(plain, pathlib.Path(scratch) / "twin").rename(twin)
    return twin


# -- pairs of revisions -----------------------------------------------------------------------


def history(repo: os.PathLike | str, tip: str = "HEAD") -> list[tuple[str, str]]:
    """Returns (parent, commit) for every parent of every commit, oldest first; a root's parent is EMPTY."""
    pairs = []
    for line in git_text(
        repo, "rev-list", "--parents", "--topo-order", "--reverse", tip
    ).splitlines():
        commit, *parents = line.split()
        pairs += [(parent, commit) for parent in parents or [EMPTY]]
    return pairs


def trees(repo: os.PathLike | str, revisions: Sequence[str]) -> list[str]:
    """Returns the tree id of each revision, as git resolves it; `EMPTY` is the empty tree."""
    asked = [revision for revision in dict.fromkeys(revisions) if revision != EMPTY]
    found = {EMPTY: git(repo, "hash-object", "-t", "tree", "--stdin").decode().strip()}
    # Two steps, since `main:folder^{tree}` would be a folder of that name.
    oids = _objects(repo, asked)
    found |= dict(zip(asked, _objects(repo, [f"{oid}^{{tree}}" for oid in oids])))
    return [found[revision] for revision in revisions]


def _objects(repo: os.PathLike | str, names: Sequence[str]) -> list[str]:
    """Returns the id that each name resolves to."""
    if not names:
        return []
    answers = git(
        repo,
        "cat-file",
        "--batch-check=%(objectname)",
        stdin="".join(f"{name}\n" for name in names).encode(),
    )
    oids = answers.decode().splitlines()
    for name, oid in zip(names, oids, strict=True):
        if not re.fullmatch("[0-9a-f]{40,64}", oid):
            raise GitFailed(f"{name} in {repo}: {oid}")
    return oids


# `git diff` of two revisions reads attributes from the work tree and info/attributes, not from the index.
WITHOUT_INDEX = {"GIT_INDEX_FILE": "/nonexistent/index"}


# -- file_changes -----------------------------------------------------------------------------


class Change(NamedTuple):
    """One row of file_changes, in its column order."""

    file_path: str
    status: str
    old_size: int | None
    new_size: int | None
    old_path: str | None
    similarity: int | None
    additions: int | None
    deletions: int | None
    is_binary: bool
    old_mode: str | None
    new_mode: str | None
    old_oid: str | None
    new_oid: str | None


class RawChange(NamedTuple):
    """One record of `git diff-tree --raw`, the path as bytes."""

    path: bytes
    status: str
    old_mode: str | None
    new_mode: str | None
    old_oid: str | None
    new_oid: str | None


PATH_ARGUMENTS = ["--no-renames", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv"]


def raw_changes(repo: os.PathLike | str, pairs: Sequence[tuple[str, str]]) -> list[list[RawChange]]:
    """Returns git's raw records for every pair of revisions."""
    return [raw for raw, _ in _stream(repo, pairs, numstat=False)]


def changes(repo: os.PathLike | str, pairs: Sequence[tuple[str, str]]) -> list[list[Change]]:
    """Returns the rows that file_changes must give for every pair of revisions, in git's order."""
    answers = list(_stream(repo, pairs, numstat=True))
    wanted = {
        oid
        for raw, _ in answers
        for record in raw
        for oid, mode in ((record.old_oid, record.old_mode), (record.new_oid, record.new_mode))
        if oid and mode != "160000"
    }
    sizes = object_sizes(repo, wanted)
    return [
        [
            Change(
                file_path=lossy(record.path),
                status=STATUS[record.status],
                old_size=sizes.get(record.old_oid) if record.old_mode != "160000" else None,
                new_size=sizes.get(record.new_oid) if record.new_mode != "160000" else None,
                old_path=None,
                similarity=None,
                additions=counts[0],
                deletions=counts[1],
                is_binary=counts[0] is None,
                old_mode=record.old_mode,
                new_mode=record.new_mode,
                old_oid=record.old_oid,
                new_oid=record.new_oid,
            )
            for record, counts in zip(raw, numstat, strict=True)
        ]
        for raw, numstat in answers
    ]


def object_sizes(repo: os.PathLike | str, oids: set[str]) -> dict[str, int]:
    """Returns the size of each object in bytes; an object that git cannot find is left out."""
    ordered = sorted(oids)
    answers = git(
        repo,
        "cat-file",
        "--batch-check=%(objectsize)",
        stdin="".join(f"{oid}\n" for oid in ordered).encode(),
    )
    lines = answers.decode().splitlines()
    return {oid: int(line) for oid, line in zip(ordered, lines, strict=True) if line.isdigit()}


def _stream(
    repo, pairs, numstat: bool
) -> Iterator[tuple[list[RawChange], list[tuple[int | None, int | None]]]]:
    """Yields the raw records and line counts of every pair, from one `git diff-tree --stdin`."""
    asked = _tree_pairs(repo, pairs)
    what = ["--raw", "--numstat"] if numstat else ["--raw"]
    output = git(
        repo,
        "-c",
        "core.quotePath=off",
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        *what,
        *PATH_ARGUMENTS,
        stdin="".join(f"{old} {new}\n" for old, new in asked).encode(),
        env=environment(**WITHOUT_INDEX),
    )
    at = 0
    for old, new in asked:
        header = f"{old} {new}\n".encode()
        assert output.startswith(header, at), f"git's answer for {old} {new} is missing"
        at += len(header)
        raw, counts = [], []
        while output.startswith(b":", at):
            meta_end = output.index(b"\0", at)
            path_end = output.index(b"\0", meta_end + 1)
            old_mode, new_mode, old_oid, new_oid, status = (
                output[at + 1 : meta_end].decode().split(" ")
            )
            raw.append(
                RawChange(
                    output[meta_end + 1 : path_end],
                    status,
                    _present(old_mode),
                    _present(new_mode),
                    _present(old_oid),
                    _present(new_oid),
                )
            )
            at = path_end + 1
        for record in raw if numstat else []:
            added, removed, rest = output[at : output.index(b"\0", at)].split(b"\t", 2)
            assert rest == record.path, (
                f"--numstat names {rest!r} where --raw names {record.path!r}"
            )
            counts.append((None, None) if added == b"-" else (int(added), int(removed)))
            at = output.index(b"\0", at) + 1
        yield raw, counts
    assert at == len(output), f"git printed more than the {len(asked)} pairs that were asked for"


def _tree_pairs(repo, pairs) -> list[tuple[str, str]]:
    flat = trees(repo, [revision for pair in pairs for revision in pair])
    return list(zip(flat[::2], flat[1::2], strict=True))


def _present(text: str) -> str | None:
    """Returns None for git's all-zero mode or id of an absent side."""
    return text if text.strip("0") else None


# -- file_diff --------------------------------------------------------------------------------


class Line(NamedTuple):
    """One row of file_diff, in its column order."""

    seq: int
    line_type: str
    content: str
    old_line: int | None
    new_line: int | None
    hunk: int | None


HUNK_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LINE_TYPES = {b"+": "ADDED", b"-": "REMOVED", b" ": "CONTEXT"}


def diffs(
    repo: os.PathLike | str, pairs: Sequence[tuple[str, str]], context: int = 3
) -> list[dict[bytes, list[Line]]]:
    """Returns, for every pair, the rows that file_diff must give for each changed path (bytes); -1 is the whole file."""
    asked = _tree_pairs(repo, pairs)
    lines = git(
        repo,
        "diff-tree",
        "--stdin",
        "-r",
        "-p",
        f"-U{WHOLE_FILE if context < 0 else context}",
        *PATH_ARGUMENTS,
        stdin="".join(f"{old} {new}\n" for old, new in asked).encode(),
        env=environment(**WITHOUT_INDEX),
    ).split(b"\n")
    cursor = _Cursor(lines)
    answers = []
    for (old, new), raw in zip(asked, raw_changes(repo, pairs), strict=True):
        cursor.take(f"{old} {new}".encode())
        files = {}
        for record in raw:
            rows = []
            hunk = 0
            # A change of type is printed as a deletion and a creation: two patches, one file.
            for _ in range(2 if record.status == "T" else 1):
                hunk = _read_patch(cursor, rows, hunk)
            # Duplicate entries of a broken tree give several records of one path: the first one counts.
            files.setdefault(record.path, rows)
        answers.append(files)
    cursor.take(b"")
    assert cursor.at == len(lines), "git printed more patches than raw records"
    return answers


def _read_patch(cursor: _Cursor, rows: list[Line], hunk: int) -> int:
    """Appends the lines of one `diff --git` patch to `rows` and returns the number of its last hunk."""
    assert cursor.peek().startswith(b"diff --git "), f"not the start of a patch: {cursor.peek()!r}"
    cursor.next()
    while not cursor.peek().startswith((b"diff --git ", b"@@ ")) and not cursor.at_pair():
        header = cursor.next()
        if header.startswith(b"Binary files "):
            rows.append(Line(len(rows) + 1, "BINARY", lossy(header), None, None, None))
    while header := HUNK_HEADER.match(cursor.peek()):
        cursor.next()
        hunk += 1
        old, old_left, new, new_left = (
            1 if group is None else int(group) for group in header.groups()
        )
        while old_left or new_left:
            text = cursor.next()
            sign = text[:1]
            if sign == b"\\":
                continue
            in_old, in_new = sign in b"- ", sign in b"+ "
            rows.append(
                Line(
                    len(rows) + 1,
                    LINE_TYPES[sign],
                    lossy(text[1:]),
                    old if in_old else None,
                    new if in_new else None,
                    hunk,
                )
            )
            old, old_left = old + in_old, old_left - in_old
            new, new_left = new + in_new, new_left - in_new
        if cursor.peek().startswith(b"\\"):
            cursor.next()
    return hunk


class _Cursor:
    """Walks the lines of git's output."""

    PAIR = re.compile(rb"[0-9a-f]{40,64} [0-9a-f]{40,64}")

    def __init__(self, lines: list[bytes]):
        self.lines, self.at = lines, 0

    def peek(self) -> bytes:
        return self.lines[self.at] if self.at < len(self.lines) else b""

    def next(self) -> bytes:
        self.at += 1
        return self.lines[self.at - 1]

    def take(self, expected: bytes) -> None:
        assert self.peek() == expected and self.at < len(self.lines), (
            f"git printed {self.peek()!r} for {expected!r}"
        )
        self.at += 1

    def at_pair(self) -> bool:
        """Tells whether the next pair of trees, or the end of the output, is reached."""
        return self.at >= len(self.lines) - 1 or self.PAIR.fullmatch(self.peek()) is not None


def lossy(text: bytes) -> str:
    """Decodes as Rust's String::from_utf8_lossy does: one U+FFFD for each maximal broken part (Unicode's practice)."""
    return text.decode("utf-8", "replace")


# -- errors -----------------------------------------------------------------------------------

# DuckDB 1.5.6 puts words of its own before the error of a result that it was streaming.
CODE = re.compile(
    r"(?:Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\s+Error: )?(?:[A-Z]\w* )+Error: (invalid_args|not_found|not_unique|fs_denied|permission_denied|approval_required|too_large|stale|timeout|declined|tool_failed): (\S.*)",
    re.DOTALL,
)
# What no error may show: a panic, a library's own words, or the content of a file it was led to.
NEVER_SHOWN = [
    "panick",
    "RUST_BACKTRACE",
    "gix",
    "src/git",
    "a secret",
    "SECRET-",
    "root:x:",
    "os error",
    "called `",
]


def code_and_words(error: BaseException | str) -> tuple[str, str]:
    """Returns the code of a SQL error and the words after it; fails when it has none, or shows too much."""
    text = str(error)
    for secret in NEVER_SHOWN:
        assert secret not in text, f"the error shows {secret!r}: {text}"
    parts = CODE.match(text)
    assert parts, f"an error without a code: {text}"
    return parts[1], parts[2]


# -- comparing --------------------------------------------------------------------------------


def first_differences(got: Sequence, wanted: Sequence, shown: int = 5) -> str:
    """Returns a text that shows the first rows that differ, or '' when the two sequences are equal."""
    if list(got) == list(wanted):
        return ""
    lines = [f"redline gives {len(got)} rows, git {len(wanted)}"]
    for number in range(max(len(got), len(wanted))):
        ours = got[number] if number < len(got) else "(no row)"
        theirs = wanted[number] if number < len(wanted) else "(no row)"
        if ours != theirs:
            lines += [
                f"row {number + 1}",
                f"  redline {_short(ours)}",
                f"  git     {_short(theirs)}",
            ]
            shown -= 1
            if shown == 0:
                break
    return "\n".join(lines)


def _short(row) -> str:
    text = tuple(row).__repr__() if isinstance(row, tuple) else repr(row)
    return text if len(text) <= 600 else text[:600] + "…"
