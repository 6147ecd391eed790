"""Patches of a repository's history as plain values: read from `git diff`, damaged, written in every format that redline takes,
and applied by the simplest program that can: the oracle for what is said of each hunk."""

from __future__ import annotations

import copy
import dataclasses
import os
import pathlib
import random
import subprocess

import repositories

MARKS = ("<<<<", "====", ">>>>", "***", "@@", "---", "+++")


@dataclasses.dataclass
class Hunk:
    start: int
    """The first old line, from 1, of the header; without old lines that of the line before."""
    lines: list[tuple[str, str, bool]]
    """The sign, the text without its newline, and whether a newline follows."""

    def side(self, signs: str) -> list[str]:
        return [text for sign, text, _ in self.lines if sign in signs]


@dataclasses.dataclass
class FilePatch:
    old: str | None
    new: str | None
    old_mode: str | None
    new_mode: str | None
    hunks: list[Hunk]


@dataclasses.dataclass
class Change:
    """The difference of two revisions: the files before and after, each with its mode, and the patch of git."""

    files: tuple[dict[str, tuple[bytes, bool]], dict[str, tuple[bytes, bool]]]
    patch: str
    parts: list[FilePatch]


class Contents:
    """Reads blobs through one process of git."""

    def __init__(self, repo: pathlib.Path):
        self.repo = repo
        self.process = subprocess.Popen(
            ["git", "-C", os.fspath(repo), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=repositories.environment(),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def read(self, oid: str) -> bytes:
        self.process.stdin.write(f"{oid}\n".encode())
        self.process.stdin.flush()
        size = int(self.process.stdout.readline().split()[2])
        return self.process.stdout.read(size + 1)[:-1]


def changes(repo: pathlib.Path, seed: int, count: int):
    """Yields random changes of several text files: of one commit, or of some that follow each other."""
    commits = repositories.git_text(
        repo, "rev-list", "--no-merges", "--first-parent", "HEAD"
    ).split()
    commits += repositories.git_text(repo, "rev-list", "--no-merges", "HEAD").split()
    commits = list(dict.fromkeys(commits))
    chosen = random.Random(seed)
    with Contents(repo) as contents:
        found = 0
        while found < count:
            new, back = chosen.choice(commits), chosen.choice([1, 1, 1, 2, 4])
            change = between(repo, contents, f"{new}~{back}", new)
            if change is not None:
                found += 1
                yield change


def between(repo: pathlib.Path, contents: Contents, old: str, new: str) -> Change | None:
    try:
        raw = repositories.git(repo, "diff", "--raw", "-z", "--no-abbrev", "--no-renames", old, new)
    except repositories.GitFailed:
        return None  # a commit near the root
    fields = raw.decode(errors="surrogateescape").split("\0")
    entries = list(zip(fields[::2], fields[1::2], strict=False))[:40]
    sides: tuple[dict, dict] = ({}, {})
    for said, path in entries:
        modes, oids = said[1:].split()[:2], said.split()[2:4]
        parts = path.split("/")
        is_ours = (
            all(mode in ("000000", "100644", "100755") for mode in modes)
            and not any(part.startswith(".") for part in parts)
            and path.isascii()
            and not {"CLAUDE.md", "AGENTS.md"} & set(parts)
        )
        if not is_ours:
            continue
        texts = [
            contents.read(oid) if mode != "000000" else None
            for mode, oid in zip(modes, oids, strict=True)
        ]
        try:
            is_text = not any(b"\0" in text or text.decode() is None for text in texts if text)
        except UnicodeDecodeError:
            continue
        if not is_text or any(text is not None and len(text) > 1 << 20 for text in texts):
            continue
        for side, text, mode in zip(sides, texts, modes, strict=True):
            if text is not None:
                side[path] = (text, mode == "100755")
    paths = sorted(sides[0].keys() | sides[1].keys())
    if len(paths) < 2:
        return None
    literal = [f":(literal){path}" for path in paths]
    patch = repositories.git(repo, "diff", "-M", "--full-index", old, new, "--", *literal).decode()
    return Change(sides, patch, parse(patch))


def parse(patch: str) -> list[FilePatch]:
    """Reads what `git diff` has written."""
    parts: list[FilePatch] = []
    lines = patch.split("\n")[:-1]
    left = [0, 0]
    for line in lines:
        if left == [0, 0] and line.startswith("diff --git "):
            path = line.removeprefix("diff --git a/").split(" b/")
            parts.append(FilePatch(path[0], path[-1], None, None, []))
            continue
        part = parts[-1]
        if line.startswith("\\") and part.hunks and part.hunks[-1].lines:
            sign, text, _ = part.hunks[-1].lines[-1]
            part.hunks[-1].lines[-1] = (sign, text, False)
        elif left != [0, 0]:
            part.hunks[-1].lines.append((line[:1] or " ", line[1:], True))
            left[0] -= line[:1] in " -"
            left[1] -= line[:1] in " +"
        elif line.startswith("@@ "):
            old, new = (word[1:].split(",") for word in line.split()[1:3])
            left = [int((old[1:] or [1])[0]), int((new[1:] or [1])[0])]
            part.hunks.append(Hunk(int(old[0]), []))
        elif line.startswith("new file mode "):
            part.old, part.new_mode = None, line.split()[-1]
        elif line.startswith("deleted file mode "):
            part.new, part.old_mode = None, line.split()[-1]
        elif line.startswith("old mode "):
            part.old_mode = line.split()[-1]
        elif line.startswith("new mode "):
            part.new_mode = line.split()[-1]
    return parts


# -- the formats ---------------------------------------------------------------------------------


def unified(parts: list[FilePatch], counts=lambda hunk, old, new: (old, new)) -> str:
    """Writes a git diff; `counts` says what the headers of its hunks do."""
    out = []
    for part in parts:
        old, new = part.old or part.new, part.new or part.old
        out.append(f"diff --git a/{old} b/{new}")
        if part.old is None:
            out.append(f"new file mode {part.new_mode}")
        elif part.new is None:
            out.append(f"deleted file mode {part.old_mode}")
        elif part.new_mode:
            out += [f"old mode {part.old_mode}", f"new mode {part.new_mode}"]
        if part.old and part.new and part.old != part.new:
            out += [f"rename from {part.old}", f"rename to {part.new}"]
        if part.hunks:
            out.append(f"--- a/{part.old}" if part.old else "--- /dev/null")
            out.append(f"+++ b/{part.new}" if part.new else "+++ /dev/null")
        for hunk in part.hunks:
            old, new = counts(hunk, len(hunk.side(" -")), len(hunk.side(" +")))
            out.append(f"@@ -{hunk.start},{old} +{hunk.start},{new} @@")
            for sign, text, ends in hunk.lines:
                out.append(sign + text)
                if not ends:
                    out.append("\\ No newline at end of file")
    return "\n".join(out) + "\n"


def envelope(parts: list[FilePatch]) -> str:
    """Writes `*** Begin Patch`."""
    out = ["*** Begin Patch"]
    for part in parts:
        if part.old is None:
            out.append(f"*** Add File: {part.new}")
        elif part.new is None:
            out.append(f"*** Delete File: {part.old}")
            continue
        else:
            out.append(f"*** Update File: {part.old}")
            out += [f"*** Move to: {part.new}"] if part.new != part.old else []
        for hunk in part.hunks:
            out += ["@@"] if part.old is not None else []
            out += [sign + text for sign, text, _ in hunk.lines]
    return "\n".join([*out, "*** End Patch"]) + "\n"


def blocks(parts: list[FilePatch]) -> str:
    """Writes blocks of SEARCH and REPLACE."""
    out = []
    for part in parts:
        for hunk in part.hunks:
            search, replace = hunk.side(" -"), hunk.side(" +")
            out += [part.new, "<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]
    return "\n".join(out) + "\n"


def without_numbers(change: Change, repo_lines: int = 3) -> list[FilePatch] | None:
    """Returns the patch for formats without numbers: each hunk with as much context as makes it unique, and without what such
    formats cannot say; `None` where that leaves nothing."""
    parts = []
    for part in change.parts:
        old, new = (
            side.get(path, (b"", False))[0].decode() if path else ""
            for side, path in zip(change.files, (part.old, part.new), strict=True)
        )
        is_sayable = (
            part.new_mode in (None, "100644")
            and not (part.old and part.new and part.new_mode)
            and "\r" not in old + new
            and all(text == "" or text.endswith("\n") for text in (old, new))
        )
        if not is_sayable:
            continue
        part = copy.deepcopy(part)
        if part.old and part.new:
            lines = old.split("\n")[:-1]
            part.hunks = [widened(hunk, lines) for hunk in part.hunks]
            ends = [(hunk.start, hunk.start + len(hunk.side(" -"))) for hunk in part.hunks]
            if any(one[1] > two[0] for one, two in zip(ends, ends[1:], strict=False)):
                continue
        parts.append(part)
    return parts or None


def widened(hunk: Hunk, lines: list[str]) -> Hunk:
    """Returns a hunk with more lines around it, until its old and its new lines occur nowhere else."""
    first = hunk.start - 1 if hunk.side(" -") else hunk.start
    hunk = Hunk(first + 1, list(hunk.lines))
    while True:
        old = hunk.side(" -")
        start = hunk.start - 1
        # A format without numbers cannot start or end in an empty line of context: it counts as a gap.
        is_edge = hunk.lines[0][:2] == (" ", "") or hunk.lines[-1][:2] == (" ", "")
        if old and not is_edge and len(places(lines, old)) == 1:
            return hunk
        end = start + len(old)
        if start == 0 and end == len(lines):
            return hunk
        if start > 0:
            hunk.lines.insert(0, (" ", lines[start - 1], True))
            hunk.start -= 1
        if end < len(lines):
            hunk.lines.append((" ", lines[end], True))


def places(lines: list[str], wanted: list[str]) -> list[int]:
    """Returns the places of lines, from 0."""
    if not wanted:
        return []
    starts = [at for at, line in enumerate(lines) if line == wanted[0]]
    return [at for at in starts if lines[at : at + len(wanted)] == wanted]


# -- the simplest program that applies -------------------------------------------------------------

BLANK = " \t\n\r\f"
KEYS = {
    "exact": lambda line: line,
    "trimmed_end": lambda line: line.rstrip(BLANK),
    "trimmed": lambda line: line.strip(BLANK),
    "ascii": lambda line: line.strip(),
}


def applied(old: bytes, hunks: list[Hunk], said: list[dict]) -> bytes:
    """Returns the file with the hunks at the lines that are said of them, which must be their places: those that the headers name,
    or the only ones."""
    lines = old.decode().split("\n")
    newline = lines[-1] == ""
    if newline:
        lines.pop()
    is_crlf = bool(lines) and all(line.endswith("\r") for line in lines)
    made, done = [], 0
    for hunk, found in sorted(zip(hunks, said, strict=True), key=lambda pair: pair[1]["line"]):
        at, key = found["line"] - 1, KEYS[found["pass"]]
        has_cr = any(text.endswith("\r") for _, text, _ in hunk.lines)
        bare = lambda line, has_cr=has_cr: line if has_cr else line.removesuffix("\r")
        wanted = [key(bare(text)) for text in hunk.side(" -")]
        where = places([key(bare(line)) for line in lines], wanted)
        named = hunk.start - 1 if wanted else hunk.start
        is_named = at == named and (not wanted or at in where)
        assert is_named or where == [at], (found, hunk.start, where)
        made += lines[done:at]
        done = at
        for sign, text, _ in hunk.lines:
            if sign == "+":
                names_ends = has_cr and found["pass"] == "exact"
                end = "\r" if is_crlf and not names_ends else ""
                made.append((text if names_ends else text.removesuffix("\r")) + end)
                continue
            made += lines[done : done + 1] if sign == " " else []
            done += 1
        if any(not ended for _, _, ended in hunk.lines):
            newline = not any(sign in " +" and not ended for sign, _, ended in hunk.lines)
    made += lines[done:]
    text = "\n".join(made)
    return (text + ("\n" if made and (newline or not lines) else "")).encode()
