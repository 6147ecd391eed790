"""Loose objects that git would not write."""

import hashlib
import pathlib
import zlib


def loose(repo: pathlib.Path, kind: str, data: bytes, oid: str | None = None) -> str:
    """Writes a loose object, under its own id or the one given."""
    raw = f"{kind} {len(data)}\0".encode() + data
    oid = oid or hashlib.sha1(raw).hexdigest()
    path = repo / ".git/objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(raw, 6))
    return oid


def commit(repo: pathlib.Path, name: str, tree: str, *parents: str, oid: str | None = None) -> str:
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        "author a <b> 1700000000 +0000",
        "committer a <b> 1700000000 +0000",
        "",
        name,
    ]
    oid = loose(repo, "commit", "\n".join(lines).encode() + b"\n", oid)
    (repo / ".git/refs/heads" / name).write_text(oid + "\n")
    return oid


def tree(repo: pathlib.Path, *entries: tuple[str, str, str], oid: str | None = None) -> str:
    return loose(
        repo,
        "tree",
        b"".join(
            f"{mode} {name}\0".encode() + bytes.fromhex(child) for mode, name, child in entries
        ),
        oid,
    )
