"""Sandboxes of a host, and the repositories of the fixtures that lie inside and outside of an allowed directory."""

import hashlib
import json
import os
import pathlib

import repositories
from answers import answer
from repositories import EMPTY

# With `sandbox/inside` allowed: files that may be read there, and files that must not, as they are outside or lead there.
INSIDE = ["plain", "plain/folder", "plain/.git", "alternates-inside", "attributes-link"]
OUTSIDE = [
    "sandbox/outside/secret", "sandbox/outside/secret/.git", "sandbox/outside/secret.git", "sandbox/outside", "sandbox/inside_evil/plain",
    "basic", "sandbox/inside/../outside/secret", "sandbox/inside/plain/../../outside/secret", "sandbox/inside/repository-link",
    "sandbox/inside/gitfile-absolute", "sandbox/inside/gitfile-relative", "sandbox/inside/git-link", "sandbox/inside/linked",
    "sandbox/inside/commondir-absolute", "sandbox/inside/commondir-relative", "sandbox/inside/alternates-absolute",
    "sandbox/inside/alternates-relative", "sandbox/inside/alternates-quoted", "sandbox/inside/alternates-hop",
    "sandbox/inside/alternates-folder-link", "sandbox/inside/objects-link", "sandbox/inside/refs-link", "sandbox/inside/head-link",
    "sandbox/inside/ref-link", "sandbox/inside/packed-refs-link", "sandbox/inside/config-link", "sandbox/inside/pack-link",
    "sandbox/inside/fan-out-link", "sandbox/inside/object-link", "sandbox/inside/worktree-etc",
]  # fmt: skip

# The part of these that leads outside is opened only for comparisons that need it; the others are answered from inside.
SELDOM_READ = {
    "sandbox/inside/head-link": [EMPTY, "HEAD"],
    "sandbox/inside/index-link": ["main", "INDEX"],
    "sandbox/inside/fan-out-link": [EMPTY, "(the secret)"],
    "sandbox/inside/object-link": [EMPTY, "(the secret)"],
}  # fmt: skip


def seldom_read(place: str) -> list[str]:
    """Returns the two sides of a comparison that needs the part which leads outside."""
    secret = repositories.git_text(
        repositories.fixture("sandbox/outside/secret"), "rev-parse", "main"
    )
    return [secret if side == "(the secret)" else side for side in SELDOM_READ[place]]


def configure(con, *sandboxes: dict, scope: str = "GLOBAL"):
    """Sets redline_sandboxes, and returns the connection."""
    text = json.dumps(
        [
            {key: str(value) if key == "root" else value for key, value in one.items()}
            for one in sandboxes
        ]
    )
    con.execute(f"SET {scope} redline_sandboxes = '{text}'")
    return con


def snapshot(folder: pathlib.Path) -> dict:
    """Returns everything below a directory: links by their target, files by content and mode."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode)
        else:
            found[name] = path.stat().st_mode
    return found


def writable(root: pathlib.Path, **fields) -> dict:
    """Returns the sandbox `ws`, in which nobody has to approve a change unless a field says so."""
    free = {"write_approval": False, "edit_approval": False}
    return {"name": "ws", "root": str(root), "mode": "rw"} | free | fields


def patched(con, patch, **options):
    """Returns the answer of edit_files in the sandbox `ws`."""
    given = ", ".join(f"'{name}': {value!r}" for name, value in options.items())
    query = f"SELECT edit_files('ws', ?{', {' + given + '}' if given else ''})"
    return answer(con, query, patch)
