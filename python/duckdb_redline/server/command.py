"""The command redline-mcp: its arguments, and the reasons why they cannot be served."""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import __version__
from ..extension import ExtensionError, extension_path
from .answers import MAX_BYTES
from .relied import problem
from .roots import roots_of

if TYPE_CHECKING:
    from .listed import Listed

INSTALL = "pip install 'duckdb-redline[mcp]'"
EPILOG = """\
One directory is the sandbox `workspace`; of several, each has its own name (`NAME=DIRECTORY`, or the last part of its
path). Agents name a file as SANDBOX/relative/path.

exit codes: 0 the client has closed the connection, 1 the server cannot start, 2 a wrong argument
"""


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="redline-mcp",
        description="Serves redline's tools to agents over the Model Context Protocol, on stdin and stdout or over HTTP.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "directories",
        metavar="DIRECTORY",
        nargs="*",
        help="what agents may read (default: the current directory)",
    )
    command.add_argument(
        "--roots", action="store_true",
        help="serve the directories that the client names when it connects (MCP roots), in place of the current one",
    )  # fmt: skip
    command.add_argument(
        "--write",
        action="store_true",
        help="let agents change files, each change after a person's approval",
    )
    command.add_argument(
        "--commit",
        action="store_true",
        help="let agents stage and commit in git, each time after a person's approval",
    )
    command.add_argument(
        "--commit-branches", metavar="PATTERN", action="append",
        help="a branch that --commit may commit to, such as 'agents/*'; may be given several times (default: any)",
    )  # fmt: skip
    command.add_argument(
        "--commit-hooks", choices=["refuse", "skip"],
        help="whether --commit refuses where git would run a hook or sign (default), or commits without, and says so",
    )  # fmt: skip
    command.add_argument(
        "--commit-trailer",
        metavar="TRAILER",
        help="a line that --commit adds to each message, such as 'Assisted-by: an agent'",
    )
    command.add_argument(
        "--approve", choices=["client", "terminal", "web"],
        help="who asks the person: the client, by its forms (default but with --http and --write or --commit), or this server, on the terminal that it runs in or on a "
        "page in a browser, whose address it prints on stderr",
    )  # fmt: skip
    command.add_argument(
        "--open", action="store_true", help="open the page of --approve web in a browser"
    )
    command.add_argument(
        "--http", metavar="[ADDRESS:]PORT",
        help="serve clients over HTTP instead of stdin and stdout, at http://127.0.0.1:PORT/mcp (0: a free port)",
    )  # fmt: skip
    command.add_argument(
        "--token-file",
        type=pathlib.Path,
        metavar="FILE",
        help="the bearer tokens of --http, one a line: each is a client",
    )
    command.add_argument(
        "--structured", action="store_true",
        help="for programs: answer with values in structuredContent and a line of text, and list the schemas of answers (default: text alone, which every "
        "client shows its model)",
    )  # fmt: skip
    command.add_argument(
        "--query", metavar="SECONDS", nargs="?", type=number(1, 600), const=30,
        help="offer the tool `query`: any SELECT in SQL over redline's functions, read-only, each for so many seconds at most (default: 30)",
    )  # fmt: skip
    command.add_argument(
        "--max-file-bytes",
        metavar="BYTES",
        type=number(1, 1023 << 20),
        help="the largest file that agents may read or change (default: 4194304)",
    )
    command.add_argument(
        "--max-bytes", metavar="BYTES", type=number(*MAX_BYTES),
        help="the bytes of an answer where a call gives no max_bytes (default: 18000, and 11000 for Codex, which cuts longer ones)",
    )  # fmt: skip
    command.add_argument(
        "--progress", metavar="SECONDS", type=number(0.01, 600, float), default=10.0,
        help="how often a client that asks for progress is told that its call waits or works (default: 10)",
    )  # fmt: skip
    command.add_argument(
        "--extension",
        type=pathlib.Path,
        help="the extension to load (default: the one of this package)",
    )
    command.add_argument("--version", action="version", version=f"redline-mcp {__version__}")
    return command


def number(least: float, most: float, kind: Callable[[str], float] = int) -> Callable[[str], float]:
    """Returns a parser for a number within a range."""

    def read(text: str) -> float:
        try:
            found = kind(text)
        except ValueError:
            found = most + 1
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"{text!r} must be a number from {least} to {most}")
        return found

    return read


def git_of(given: argparse.Namespace) -> dict[str, object]:
    """Returns the fields of a sandbox about commits; none where agents do not commit."""
    fields = {
        "git": "commit", "git_branches": given.commit_branches, "git_hooks": given.commit_hooks, "git_trailer": given.commit_trailer,
    }  # fmt: skip
    return {name: value for name, value in fields.items() if given.commit and value is not None}


def sandboxes(directories: list[str]) -> dict[str, pathlib.Path]:
    """Returns the roots by the names of their sandboxes; a ValueError describes a wrong directory."""
    roots: dict[str, pathlib.Path] = {}
    for given in directories:
        name, separator, path = given.partition("=")
        if not separator or pathlib.Path(given).is_dir():
            name, path = "", given
        root = pathlib.Path(path).expanduser().resolve()
        if not root.is_dir():
            raise ValueError(f"{path!r} is {'not a directory' if root.exists() else 'not there'}")
        name = name or ("workspace" if len(directories) == 1 else root.name)
        if name in roots:
            raise ValueError(
                f"two directories have the name {name!r}: name one, as in other={path}"
            )
        roots[name] = root
    return roots


class Served:
    """The directories that are served, and the database that is locked to them."""

    def __init__(self, given: argparse.Namespace, roots: dict[str, pathlib.Path]) -> None:
        self.given = given
        self.extension = (given.extension or extension_path()).resolve()
        # Whether the client has named the directories.
        self.is_chosen = False
        self.open(roots)

    def open(self, roots: dict[str, pathlib.Path]) -> None:
        from .host import open_database

        self.roots = roots
        given = self.given
        self.host = open_database(
            roots, given.write, self.extension, given.max_file_bytes, git_of(given)
        )

    def listed(self) -> Listed:
        from .listed import Listed

        return Listed(self.host, self.given.structured, self.given.query is not None)

    def choose(self, answer: bytes) -> Listed:
        """Serves the directories that a client names in its answer, if it names any, and returns what it is told then."""
        roots = roots_of(answer)
        if roots:
            self.is_chosen = True
            if (reason := problem(self.given, roots)) is not None:
                sys.exit(f"redline-mcp: {reason}")
            self.open(roots)
        return self.listed()


def main(arguments: list[str] | None = None) -> int:
    command = parser()
    given = command.parse_args(arguments)
    try:
        roots = sandboxes(given.directories or ["."])
    except ValueError as error:
        command.error(str(error))
    if (given.http is None) != (given.token_file is None):
        command.error("--http and --token-file belong together")
    if given.open and given.approve != "web":
        command.error("--open belongs to --approve web")
    of_commits = (given.commit_branches, given.commit_hooks, given.commit_trailer)
    if any(option is not None for option in of_commits) and not given.commit:
        command.error("--commit-branches, --commit-hooks and --commit-trailer belong to --commit")
    if given.http is not None and (given.write or given.commit) and given.approve is None:
        command.error(
            f"--http and {'--write' if given.write else '--commit'} need --approve: web or terminal, where a person answers beside this server, or client, which trusts "
            "whoever holds a token with the answer"
        )
    if given.roots and (given.directories or given.http is not None):
        command.error("--roots stands alone: without directories, and without --http")
    given.approve = given.approve or "client"
    if not given.roots and (reason := problem(given, roots)) is not None:
        command.error(reason)
    if importlib.util.find_spec("mcp") is None:
        print(f"redline-mcp: No module named 'mcp': {INSTALL}", file=sys.stderr)
        return 1
    import anyio
    import duckdb

    from .opening import Opening

    try:
        served = Served(given, roots)
        opening = None
        # Another approver is there from the start, but for a client that chooses what is served.
        if given.roots or (given.http is None and given.approve == "client"):
            opening = Opening(
                served.listed(),
                given.max_bytes,
                served.choose if given.roots else None,
                only_roots=given.approve != "client",
            )
            if not opening.run(0, 1):
                return 0
        # Nothing was answered yet but what is told of any directory.
        if given.roots and not served.is_chosen and (reason := problem(given, roots)) is not None:
            command.error(reason)
        from . import serving
        from .query import Queries

        queries = (
            Queries(served.roots, served.extension, given.query, given.max_file_bytes)
            if given.query is not None
            else None
        )
        try:
            runner = serving.make_runner(served.host, queries, given, opening)
        except serving.Refused as error:
            print(f"redline-mcp: {error}", file=sys.stderr)
            return 1
        anyio.run(runner)
    except (ExtensionError, duckdb.Error) as error:
        print(f"redline-mcp: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"redline-mcp: {error}: {INSTALL}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
