"""What a server relies on, out of the agents' reach: one check for all of it.

Whoever changes a file that the server runs controls it, and whoever reads its secrets answers for the person.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

PROGRAM = pathlib.Path(__file__).resolve().parent.parent
# Names beneath a root in which redline writes nothing (docs/sandboxes.md), and the file that makes a directory such a one.
RESERVED = {".venv", "venv", "site-packages", "dist-packages"}
ENVIRONMENT = "pyvenv.cfg"


class Relied(NamedTuple):
    """A file or a directory that the server relies on, how it is called, whether it is a secret, and what to do instead."""

    what: str
    path: pathlib.Path
    is_secret: bool
    instead: str


def relied_on(given: argparse.Namespace) -> Iterator[Relied]:
    """Yields all that a server with these arguments relies on."""
    if given.token_file is not None:
        what = f"the token file {str(given.token_file)!r}"
        yield Relied(what, given.token_file, True, "move it elsewhere")
    if given.open:
        where = pathlib.Path(tempfile.gettempdir())
        what = f"the directory {str(where)!r}, to which --open writes the address of the page,"
        yield Relied(what, where, True, "set TMPDIR to another one")
    if given.extension is not None:
        what = f"the extension {str(given.extension)!r}"
        yield Relied(what, given.extension, False, "put it elsewhere")
    yield Relied("this program", PROGRAM, False, "install it elsewhere")
    if sys.prefix != sys.base_prefix:
        what = f"the environment {sys.prefix!r} of this program"
        yield Relied(what, pathlib.Path(sys.prefix), False, "install it elsewhere")
    script = pathlib.Path(sys.argv[0])
    if script.is_file():
        what = f"the script {str(script)!r} that starts it"
        yield Relied(what, script, False, "start another one")
    for entry in sys.path:
        what = f"the directory {entry or '.'!r} of Python's modules"
        yield Relied(what, pathlib.Path(entry), False, "start redline-mcp, or python with -P")


def around(path: pathlib.Path, roots: dict[str, pathlib.Path]) -> pathlib.Path | None:
    """Returns the served directory that a file lies beneath, by its own place or by that of a link to it."""
    absolute = path.absolute()
    places = [absolute.resolve(), absolute.parent.resolve() / absolute.name]
    return next(
        (root for root in roots.values() if any(place.is_relative_to(root) for place in places)),
        None,
    )


def is_reserved(path: pathlib.Path, root: pathlib.Path) -> bool:
    """Tells whether redline writes nothing there: by the name of a directory, or since it is one of an environment."""
    inside = path.resolve()
    if not inside.is_relative_to(root):
        return False
    names = inside.relative_to(root)
    above = [root, *(root / part for part in [names, *names.parents])]
    return not RESERVED.isdisjoint(names.parts) or any(
        (place / ENVIRONMENT).is_file() for place in above
    )


def problem(given: argparse.Namespace, roots: dict[str, pathlib.Path]) -> str | None:
    """Returns why a server does not start: it would rely on what agents read or change; None where it does not."""
    for one in relied_on(given):
        root = around(one.path, roots)
        if root is None:
            continue
        if one.is_secret:
            return f"{one.what} lies beneath {str(root)!r}, which agents read: {one.instead}"
        if given.write and not is_reserved(one.path, root):
            return f"{one.what} lies beneath {str(root)!r}, which agents change: {one.instead}"
    return None
