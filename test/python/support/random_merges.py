"""Merges and conflicts that no person would make: octopuses, modes, deletions, binary files, submodules, odd names and line ends."""

import hashlib
import os
import pathlib
import random
import shutil

import repositories

NAMES = ["a.txt", "b b.txt", "d/c.rs", "d/tab\t.txt", "é.txt", 'd/"q".txt', "e/f/g", "zz"]
LINES = [
    "",
    "int main()",
    "_under  ",
    "$dollar line that is longer than forty bytes of a heading",
    "  indent",
    "\tindent",
    "a",
    "b",
    "}",
    "x y",
    "x  y",
    "\x0c",
]


def text(dice: random.Random, lines: list[str]) -> bytes:
    """Returns a content of these lines: with CRLF, without a last newline, cut by NULs or binary now and then."""
    end = dice.choice(["\n", "\n", "\n", "\r\n"])
    content = "".join(line + end for line in lines).encode()
    if dice.random() < 0.2:
        content = content.removesuffix(b"\n")
    if dice.random() < 0.03:
        content = b"\0" + content
    return content


def edited(dice: random.Random, lines: list[str]) -> list[str]:
    """Returns the lines with some gone, new or moved."""
    lines = list(lines)
    for _ in range(dice.choice([0, 1, 1, 2, 4])):
        at = dice.randrange(len(lines) + 1)
        count = dice.choice([0, 0, 1, 1, 2, 5])
        lines[at : at + count] = [dice.choice(LINES) for _ in range(dice.choice([0, 1, 1, 2, 4]))]
    return lines


def version(dice: random.Random, lines: list[str]) -> tuple[str, bytes]:
    """Returns the mode and the content of a file that began as these lines."""
    kind = dice.random()
    if kind < 0.03:
        return "160000", b"%0*x" % (
            2 * hashlib.new(repositories.HASH).digest_size,
            dice.randrange(1, 4),
        )
    if kind < 0.06:
        return "120000", dice.choice([b"a", b"b/c"])
    return dice.choice(["100644"] * 6 + ["100755"]), text(dice, edited(dice, lines))


def merges(folder: pathlib.Path, seed: int, count: int) -> list[str]:
    """Makes a bare repository of so many merges, and returns their ids."""
    dice = random.Random(seed)
    repositories.git(".", "init", "--quiet", "--bare", str(folder))
    stream, marks = [], []

    def commit(files: dict, parents: list[int]) -> int:
        marks.append(len(marks) + 1)
        head = f"commit refs/heads/m{marks[-1]}\nmark :{marks[-1]}\ncommitter T <t@example.com> {1_700_000_000 + marks[-1]} +0000\ndata 1\nm\n"
        stream.append(head.encode())
        stream.extend(
            f"{'merge' if at else 'from'} :{parent}\n".encode() for at, parent in enumerate(parents)
        )
        stream.append(b"deleteall\n")
        for path, (mode, content) in files.items():
            if mode == "160000":
                stream.append(b"M 160000 %s %s\n" % (content, repositories.quoted(path)))
            else:
                stream.append(
                    b"M %s inline %s\ndata %d\n%s\n"
                    % (mode.encode(), repositories.quoted(path), len(content), content)
                )
        return marks[-1]

    made = []
    for _ in range(count):
        base = {
            path: [dice.choice(LINES) for _ in range(dice.choice([0, 3, 12, 40]))] for path in NAMES
        }
        sides = []
        for _ in range(dice.choice([2, 2, 2, 3, 5])):
            files = {
                path: version(dice, lines) for path, lines in base.items() if dice.random() < 0.9
            }
            sides.append(
                dict(dice.choice(sides)) | dict(list(files.items())[:4])
                if sides and dice.random() < 0.3
                else files
            )
        result = {}
        for path in NAMES:
            having = [side[path] for side in sides if path in side]
            chance = dice.random()
            if chance < 0.15 or not having:
                if chance < 0.1:
                    result[path] = version(dice, base[path])
            elif chance < 0.35:
                result[path] = dice.choice(having)
            else:
                mode, content = dice.choice(having)
                lines = (
                    content.decode().removesuffix("\n").split("\n")
                    if mode.startswith("100")
                    else base[path]
                )
                result[path] = (
                    (mode, content) if mode == "160000" else (mode, text(dice, edited(dice, lines)))
                )
        made.append(commit(result, [commit(side, []) for side in sides]))
    repositories.git(folder, "fast-import", "--quiet", stdin=b"".join(stream))
    return [repositories.git_text(folder, "rev-parse", f"m{mark}") for mark in made]


def conflicts(folder: pathlib.Path, seed: int) -> None:
    """Makes a repository whose index has conflicts, and files of each in the work tree."""
    dice = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    repositories.git(folder, "init", "--quiet", ".")
    staged = []
    for path in NAMES:
        lines = [dice.choice(LINES) for _ in range(dice.choice([0, 3, 12, 40]))]
        stages = dice.choice([[0], [1, 2, 3], [1, 2, 3], [2, 3], [1, 2], [1, 3], [2], [1]])
        for stage in stages:
            mode, content = version(dice, lines)
            if mode == "160000":
                mode = "100644"
            oid = (
                repositories.git(folder, "hash-object", "-w", "--stdin", stdin=content)
                .decode()
                .strip()
            )
            staged.append(f"{mode} {oid} {stage}\t{path}\0".encode())
        if dice.random() < 0.85:
            mode, content = version(dice, lines)
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if mode == "120000":
                os.symlink(content, place)
            else:
                place.write_bytes(content)
                place.chmod(0o755 if mode == "100755" else 0o644)
    repositories.git(folder, "update-index", "-z", "--index-info", stdin=b"".join(staged))


def emptied(folder: pathlib.Path) -> pathlib.Path:
    """Returns a directory that does not exist any more."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder
