"""Hostile and odd changes: characters of every category of Unicode, bytes that are not UTF-8, names, modes, long lines, many files, commits, and what takes back."""

import contextlib
import json
import random
import shutil
import unicodedata

from approving import KEY, approvable, approve, value
from repositories import git

# Characters of each category of Unicode, but for surrogates, which no text holds.
CATEGORIES: dict[str, list[str]] = {}
for point in [
    *range(0x3100),
    *range(0xA000, 0xAC80),
    *range(0xE000, 0x1F700),
    0xE0041,
    0xF0000,
    0x10FFFF,
]:
    if not 0xD800 <= point < 0xE000 and point != 10:
        CATEGORIES.setdefault(unicodedata.category(chr(point)), []).append(chr(point))
ODD = [
    " ", "  ", "\t", "\r", "⇥", "␣", "␍", "<U+", "<U+202E>", "<E9>", "\ufffd", "│", "├─", "…", "─ ", "@@ -1 +1 @@", "+", "-", " new file mode 100755",
    "diff --git a/x b/x", "\\ No newline at end of file", "Apply this edit?", "Page 1 of 1", "</pre><b>", "&lt;", "word ", "other ", "x" * 90, "漢" * 50,
]  # fmt: skip
NAMES = [
    "a.txt",
    "a  b.txt",
    " a.txt",
    "Makefile",
    "deploy prod.sh",
    "deploy  prod.sh",
    "é漢.py",
    "x" * 100 + ".md",
    "d/e  f/package.json",
]


def line(chance: random.Random) -> str:
    parts = []
    for _ in range(chance.randrange(5)):
        if chance.random() < 0.5:
            parts.append(chance.choice(CATEGORIES[chance.choice([*CATEGORIES])]))
        else:
            parts.append(chance.choice(ODD))
    return "".join(parts)


def content(chance: random.Random, most: int = 8) -> str:
    text = "\n".join(line(chance) for _ in range(chance.randrange(most)))
    return text + "\n" * (chance.random() < 0.7)


def changed(chance: random.Random, text: str) -> str:
    kept = text.split("\n")
    for _ in range(1 + chance.randrange(3)):
        at = chance.randrange(len(kept) + 1)
        kept[at : at + chance.randrange(2)] = [chance.choice([line(chance), "", *kept[:1]])]
    return "\n".join(kept)


def odd_bytes(chance: random.Random) -> bytes:
    """Returns bytes of which some are not UTF-8."""
    parts = [b"caf\xe9", b"\xff\xfe", b"\xe2\x82", b" one ", b"\n", b"\r\n"]
    return b"".join(chance.choice(parts) for _ in range(6))


def odd_name(chance: random.Random) -> str:
    """Returns a name of a file; most characters may stand in one."""
    if chance.random() < 0.7:
        return chance.choice(NAMES)
    name = "".join(c for c in line(chance) if c not in "/\0")[:40]
    return name if name.strip(". ") else "a.txt"


def put(chance: random.Random, folder, name: str) -> bytes:
    """Writes an odd file, most of them small, and returns its bytes."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    size = chance.random()
    text = content(chance) if size > 0.03 else content(chance, 300)
    if size < 0.01:
        text += chance.choice(ODD) * 3000
    data = text.encode() + (odd_bytes(chance) if chance.random() < 0.4 else b"")
    file.write_bytes(data)
    file.chmod(chance.choice([0o644, 0o644, 0o755]))
    return data


def proposed(chance: random.Random, folder) -> tuple[str, dict]:
    """Returns a call of an agent on files that it has put there."""
    kind = chance.random()
    if kind < 0.3:
        name = odd_name(chance)
        data = put(chance, folder, name)
        if chance.random() < 0.3:
            (folder / name).unlink()
        shown = data.decode(errors="replace")
        new = chance.choice([content(chance), changed(chance, shown), ""])
        return "write_file", {"path": f"workspace/{name}", "content": new}
    if kind < 0.6:
        name = odd_name(chance)
        (folder / name).write_bytes(put(chance, folder, name) + b"the anchor\n")
        new = content(chance) + "!"
        return "edit_file", {
            "path": f"workspace/{name}",
            "old_string": "the anchor",
            "new_string": new,
        }
    added = "".join(f"+{line(chance)}\n" for _ in range(1 + chance.randrange(4))).replace("\r", "")
    if kind < 0.601:
        place = f"many{chance.randrange(10**9)}"
        parts = [f"*** Add File: {place}/{number}.txt\n{added}" for number in range(1000)]
    elif kind < 0.8:
        name = chance.choice(NAMES)
        put(chance, folder, name)
        parts = [
            f"*** Add File: new  {chance.randrange(10**9)}.txt\n{added}",
            f"*** Delete File: {name}\n",
        ]
    else:
        first, second = chance.sample(NAMES, 2)
        (folder / first).write_bytes(put(chance, folder, first) + b"\nthe anchor\n")
        put(chance, folder, second)
        return "apply_patch", {"patch": git_patch(chance, folder, first, second)}
    return "apply_patch", {"patch": f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"}


def commit(chance: random.Random, folder) -> tuple[str, dict]:
    """Returns a call that commits or stages what an agent has made of the files of a repository."""
    repo = folder / "repo"
    for entry in repo.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for name in {chance.choice(NAMES) for _ in range(1 + chance.randrange(3))}:
        put(chance, repo, name)
    call = {"repo": "workspace/repo", "what": ["."]}
    if chance.random() < 0.3:
        return "GitStage", call
    message = line(chance).replace("\0", "") + " said\n\n" + content(chance).replace("\0", "")
    return "GitCommit", call | {"message": message, "author": "É. ‮ Ann <ann@example.com>"}


def repository(folder) -> None:
    """Makes the repository of commits, with one."""
    repo = folder / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    git(repo, "config", "user.name", "A U Thor")
    git(repo, "config", "user.email", "a@example.com")
    (repo / "a.txt").write_text("one\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "First")


def git_patch(chance: random.Random, folder, first: str, second: str) -> str:
    """Returns a git diff that edits one file and gives another other permissions, or renames it."""
    quoted = [f'"{side}/{name}"' for name in (first, second) for side in "ab"]
    number = (folder / first).read_bytes().count(b"\n")
    edit = f"diff --git {quoted[0]} {quoted[1]}\n--- {quoted[0]}\n+++ {quoted[1]}\n@@ -{number} +{number} @@\n-the anchor\n+{line(chance)}\n"
    if chance.random() < 0.5:
        modes = ["100755", "100644"]
        if not (folder / second).stat().st_mode & 0o100:
            modes.reverse()
        return (
            f"{edit}diff --git {quoted[2]} {quoted[3]}\nold mode {modes[0]}\nnew mode {modes[1]}\n"
        )
    moved = f"b/moved  {chance.randrange(10**9)}"
    return f"{edit}diff --git {quoted[2]} {moved}\nsimilarity index 100%\nrename from {second}\nrename to {moved[2:]}\n"


def changes(con, folder, seed: int, count: int):
    """Yields payloads of calls, each with what the extension tells of it."""
    approvable(con)
    sandbox = {"name": "workspace", "root": str(folder), "mode": "rw", "git": "commit"}
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    repository(folder)
    chance, made = random.Random(seed), 0
    for number in range(20 * count):
        tool, arguments = (commit if chance.random() < 0.1 else proposed)(chance, folder)
        ask = lambda tool, arguments, session=f"s{number}": value(
            con,
            "SELECT system.main.needs_approval(?, ?, ?, ?)",
            tool,
            json.dumps(arguments),
            session,
            KEY,
        )
        with contextlib.suppress(Exception):  # Some calls are refused, or change nothing.
            payload = ask(tool, arguments)
            if payload is None:
                continue
            if chance.random() < 0.1:
                # What is done is taken back.
                approve(con, payload)
                call = "SELECT system.main.redline_call_text(?, ?, ?, true)"
                value(con, call, tool, json.dumps(arguments), f"s{number}")
                payload = ask("undo", {})
            yield payload, value(con, "SELECT system.main.approval_pieces(?)", payload)
            value(con, "SELECT system.main.withdraw(?, ?)", json.loads(payload)["approval_id"], KEY)
            made += 1
            if made == count:
                return
    raise AssertionError(f"only {made} changes were proposed")
