"""What is compared: revisions, ranges and paths, told apart as git does."""

import os
from dataclasses import dataclass, field

import click
import duckdb

UNCOMMITTED = {"index", "staged", "worktree", "workdir", "empty"}


@dataclass
class Sides:
    """Two sides of a comparison; without a new side, the old one is a range or is compared with the work tree."""

    old: str
    new: str | None
    paths: list[str] = field(default_factory=list)


class PathsBehindDashes(click.Command):
    """A command whose arguments behind `--` are paths, whatever they look like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            split = args.index("--")
            ctx.meta["paths"] = args[split + 1 :]
            args = args[:split]
        return super().parse_args(ctx, args)


def revisions_and_paths(con: duckdb.DuckDBPyConnection, repo: str, given: tuple[str, ...], most: int) -> tuple[list[str], list[str]]:
    """Splits arguments: revisions first, up to `most` of them, then paths.

    What is no revision must be a path that exists; otherwise the error of the revision says what is near it.
    """
    behind = click.get_current_context().meta.get("paths")
    for at, argument in enumerate(given):
        problem = None if at < most else ""
        if problem is None and not is_range(argument) and argument.lower() not in UNCOMMITTED:
            problem = why_no_revision(con, repo, argument)
        if problem is None:
            continue
        if behind is None and all(os.path.exists(os.path.join(repo, path)) for path in given[at:]):
            return list(given[:at]), list(given[at:])
        raise click.UsageError(problem or f"{argument!r} is one revision too many, and no path", click.get_current_context())
    return list(given), behind or []


def is_range(argument: str) -> bool:
    """Tells whether an argument is a range, and no path that leads upwards."""
    return ".." in argument and argument != ".." and not argument.startswith(("../", "./", "/"))


def why_no_revision(con: duckdb.DuckDBPyConnection, repo: str, argument: str) -> str | None:
    """Returns what redline says against a revision; None where it is one."""
    try:
        con.execute("SELECT system.main.resolve_revision(?, ?)", [argument, repo])
    except duckdb.Error as error:
        if "not_found: no revision" not in str(error):
            raise
        return str(error).partition(": ")[2]
    return None
