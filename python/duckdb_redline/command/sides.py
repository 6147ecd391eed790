"""What is compared: revisions, ranges and paths, told apart as git does."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from .errors import said
from .names import is_utf8

if TYPE_CHECKING:
    import duckdb

UNCOMMITTED = {"index", "staged", "worktree", "workdir", "empty"}
UNCOMMITTED_NAMES = {"INDEX", "WORKTREE", "EMPTY"}


@dataclass
class Sides:
    """Two sides of a comparison; without a new side, the old one is a range or is compared with the work tree."""

    old: str
    new: str | None
    paths: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Returns the sides as a sentence names them."""
        return (
            f"between {self.old} and {self.new}"
            if self.new
            else f"in {self.old}"
            if ".." in self.old
            else f"between {self.old} and WORKTREE"
        )

    def reversed(self) -> "Sides":
        """Returns the same comparison from its end."""
        old, new = self.old, self.new
        if new is None and "..." in old:
            raise click.UsageError(f"-R takes two revisions, or a..b: {old} begins where both meet")
        if new is None and ".." in old:
            begin, _, end = old.partition("..")
            old, new = begin or "HEAD", end or "HEAD"
        return Sides(new or "WORKTREE", old, self.paths)


@dataclass
class Chosen:
    """Which files of a comparison are shown: those with one of these statuses; of one that is reversed, as git names its sides."""

    statuses: list[str] | None = None
    reverse: bool = False

    def condition(self) -> str:
        if self.statuses is None:
            return "true"
        return f"status IN ({', '.join(map(repr, self.statuses)) or 'NULL'})"


class PathsAfterDashes(click.Command):
    """A command whose arguments after `--` are paths, whatever they look like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            split = args.index("--")
            ctx.meta["paths"] = args[split + 1 :]
            args = args[:split]
        return super().parse_args(ctx, args)


def sides_of(
    con: "duckdb.DuckDBPyConnection", repo: str, given: tuple[str, ...], staged: bool
) -> Sides:
    """Returns the sides to compare: like git, the index and the work tree if none are given."""
    revisions, paths = revisions_and_paths(con, repo, given, 1 if staged else 2)
    if staged:
        if revisions and ".." in revisions[0]:
            raise click.UsageError("--staged compares one revision with the index, not a range")
        return Sides(revisions[0] if revisions else "HEAD", "INDEX", paths)
    if not revisions:
        return Sides("INDEX", "WORKTREE", paths)
    return Sides(revisions[0], revisions[1] if len(revisions) > 1 else None, paths)


def revisions_and_paths(
    con: "duckdb.DuckDBPyConnection", repo: str, given: tuple[str, ...], most: int
) -> tuple[list[str], list[str]]:
    """Splits arguments: revisions first, up to `most` of them, then paths.

    What is no revision must be a path that exists; otherwise the error of the revision says what is near it.
    """
    after = click.get_current_context().meta.get("paths")
    for at, argument in enumerate(given):
        problem = None if at < most else ""
        # HEAD may be of a branch without a commit: the comparison tells whether it may.
        is_named = argument == "HEAD" or argument.lower() in UNCOMMITTED
        if problem is None and not is_range(argument) and not is_named:
            problem = why_no_revision(con, repo, argument)
        if problem is None:
            continue
        if after is None and all(os.path.exists(os.path.join(repo, path)) for path in given[at:]):
            return list(given[:at]), list(given[at:])
        if problem and after is None and at > 0:
            problem += " A path that is not there goes after --"
        raise click.UsageError(
            problem or f"{argument!r} is one revision too many, and no path",
            click.get_current_context(),
        )
    return list(given), after or []


def is_range(argument: str) -> bool:
    """Tells whether an argument is a range, and no path that leads upwards."""
    return ".." in argument and argument != ".." and not argument.startswith(("../", "./", "/"))


def why_no_revision(con: "duckdb.DuckDBPyConnection", repo: str, argument: str) -> str | None:
    """Returns redline's error for a revision; None if it is valid."""
    from ..client import duckdb

    try:
        con.execute("SELECT system.main.resolve_revision(?, ?)", [argument, repo])
    except duckdb.Error as error:
        if "not_found: no revision" not in str(error):
            raise
        return said(error)
    return None


def complete(ctx: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Returns the revisions and then the paths that begin with the typed text."""
    return complete_revisions(ctx, begun) + complete_paths(ctx, _, begun)


def complete_revisions(ctx: click.Context, begun: str) -> list[CompletionItem]:
    """Returns branches and tags, also as the second end of a range."""
    ends, dots, last = begun.rpartition("..")
    repo = ctx.params.get("repo") or "."
    found = first_column(ctx, "SELECT short_name FROM system.main.refs(?)", [repo])
    names = sorted({*found, *UNCOMMITTED_NAMES}) if found is not None else []
    return [CompletionItem(ends + dots + name) for name in names if name.startswith(last)]


def complete_paths(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leaves paths to the shell."""
    return [CompletionItem(begun, type="file")]


def complete_directories(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leaves directories to the shell."""
    return [CompletionItem(begun, type="dir")]


def complete_functions(ctx: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Returns the functions and macros that begin with what was typed."""
    query = "SELECT DISTINCT name FROM system.main.redline_help() ORDER BY name"
    return [
        CompletionItem(name)
        for name in first_column(ctx, query, []) or []
        if name.startswith(begun)
    ]


def complete_formats(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Returns the formats of `redline sql` that begin with what was typed."""
    from .query import FORMATS, TEXTS

    return [CompletionItem(name) for name in (*FORMATS, *TEXTS) if name.startswith(begun)]


def first_column(ctx: click.Context, query: str, given: list[object]) -> list[str] | None:
    """Returns the first column of a query; None where it fails, as nobody sees an error while a word is completed."""
    from ..client import duckdb
    from ..connection import connect
    from ..extension import ExtensionError

    if not all(map(is_utf8, map(str, given))):
        return None
    try:
        extension = ctx.find_root().params.get("extension")
        rows = connect(macros=False, extension=extension).execute(query, given).fetchall()
    except (duckdb.Error, ExtensionError):
        return None
    return [str(row[0]) for row in rows]
