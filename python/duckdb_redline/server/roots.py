"""The directories that a client names (MCP's roots), where the host lets it choose."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
import sys
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

# No client gives a request such an id, so the answer to this one is known by it.
ID = "redline: the roots"
REQUEST = json.dumps({"jsonrpc": "2.0", "id": ID, "method": "roots/list"}).encode() + b"\n"
# The names that a sandbox may have (docs/sandboxes.md), with room for a number.
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,59}")


def is_answer(line: bytes) -> bool:
    """Tells whether a line is the answer to the request for the roots."""
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("id") == ID and "method" not in message


def roots_of(line: bytes) -> dict[str, pathlib.Path]:
    """Returns the directories of an answer by the names of their sandboxes; what is no directory here is told on stderr."""
    result = json.loads(line).get("result")
    listed = result.get("roots") if isinstance(result, dict) else None
    found: list[pathlib.Path] = []
    for root in listed if isinstance(listed, list) else []:
        path = directory_of(root)
        if path is None:
            print(f"redline-mcp: the client's root {root!r} is no directory here", file=sys.stderr)
        elif path not in found:
            found.append(path)
    if len(found) == 1:
        return {"workspace": found[0]}
    named: dict[str, pathlib.Path] = {}
    for path in found:
        name = path.name if NAME.fullmatch(path.name) else "root"
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        named[next(free for free in itertools.chain([name], numbered) if free not in named)] = path
    return named


def directory_of(root: Any) -> pathlib.Path | None:
    """Returns the directory of a root, without links; None if it is none."""
    try:
        url = urlsplit(str(root["uri"]))
        if url.scheme != "file" or url.netloc not in ("", "localhost"):
            return None
        path = pathlib.Path(url2pathname(url.path))
        return path.resolve() if path.is_absolute() and path.is_dir() else None
    except (KeyError, TypeError, ValueError, OSError, RuntimeError):
        return None
