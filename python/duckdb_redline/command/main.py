"""The command redline and its sub-commands."""

import json
import pathlib
import sys
from dataclasses import dataclass

import click
import duckdb

from ..connection import connect
from ..extension import ExtensionError, extension_path, version
from .screen import Screen, harmless
from .sides import PathsBehindDashes, Sides, revisions_and_paths

EPILOG = "Exit codes: 0 done, 1 the query failed (the reason is on stderr), 2 a wrong argument."
REPO = click.option("--repo", default=".", show_default=True, metavar="DIRECTORY", help="The repository, or a directory in it.")
SIDES = click.argument("revisions_and_paths", nargs=-1, metavar="[REVISION [REVISION]] [--] [PATH]...")
STAGED = click.option("--staged", is_flag=True, help="Compare the last commit with the index.")
NO_RENAMES = click.option("--no-renames", is_flag=True, help="Show a moved file as one deleted and one added.")


@dataclass
class Given:
    """The options of the command itself."""

    extension: pathlib.Path | None
    screen: Screen

    def database(self, path: str = ":memory:") -> duckdb.DuckDBPyConnection:
        return connect(path, extension=self.extension)


class Command(click.Group):
    """Turns what DuckDB and redline say into an exit code and a line on stderr."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (duckdb.Error, ExtensionError) as error:
            click.echo("\n".join(map(harmless, f"redline: {error}".split("\n"))), err=True)
            ctx.exit(1)


@click.group(cls=Command, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), "--version", prog_name="redline")
@click.option("--extension", type=click.Path(path_type=pathlib.Path), help="The extension to load, in place of the package's own.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to colour: on a terminal by default.")
@click.option("--no-pager", is_flag=True, help="Print at once on a terminal, too.")
@click.pass_context
def main(ctx: click.Context, extension: pathlib.Path | None, color: str, no_pager: bool) -> None:
    """Asks what changed in git repositories, by SQL over the DuckDB extension redline."""
    ctx.obj = Given(extension, Screen(color, not no_pager))


@main.command(cls=PathsBehindDashes)
@SIDES
@REPO
@STAGED
@NO_RENAMES
@click.option("-U", "--context", type=click.IntRange(min=-1), help="Unchanged lines around a change; -1 is the whole file.")
@click.option("-w", "--ignore-whitespace", is_flag=True, help="Ignore whitespace when lines are compared.")
@click.pass_obj
def diff(given: Given, revisions_and_paths: tuple[str, ...], repo: str, staged: bool, no_renames: bool, context: int | None, ignore_whitespace: bool) -> None:
    """Shows what changed, as git diff prints it.

    Without a revision the index is compared with the work tree; with one, that revision; a range is a..b or a...b. INDEX,
    WORKTREE and EMPTY are sides, too.
    """
    from .changes import show_diff, sides_of

    con = given.database()
    whitespace = "all" if ignore_whitespace else None
    sides = sides_of(con, repo, revisions_and_paths, staged)
    show_diff(con, given.screen, sides, repo, renames=not no_renames, context=context, ignore_whitespace=whitespace)


@main.command(cls=PathsBehindDashes)
@SIDES
@REPO
@STAGED
@NO_RENAMES
@click.pass_obj
def stat(given: Given, revisions_and_paths: tuple[str, ...], repo: str, staged: bool, no_renames: bool) -> None:
    """Lists the changed files with their counts of lines.

    Sides are named as for diff. In a pipe each line has the status, added lines, removed lines and the path, between tabs.
    """
    from .changes import show_stat, sides_of

    con = given.database()
    show_stat(con, given.screen, sides_of(con, repo, revisions_and_paths, staged), repo, renames=not no_renames)


@main.command(cls=PathsBehindDashes)
@click.argument("range_and_paths", nargs=-1, metavar="[RANGE] [--] [PATH]...")
@REPO
@click.option("-n", "--max-count", type=click.IntRange(min=1), default=20, show_default=True, help="How many commits to show.")
@click.pass_obj
def log(given: Given, range_and_paths: tuple[str, ...], repo: str, max_count: int) -> None:
    """Lists the commits of a range that changed a file, newest first, with what each changed.

    A range is a..b, a...b or one tip, by default HEAD. A merge counts as what it changed of its first parent.
    """
    from .history import show_log

    con = given.database()
    revisions, paths = revisions_and_paths(con, repo, range_and_paths, 1)
    show_log(con, given.screen, Sides(revisions[0] if revisions else "HEAD", None, paths), repo, max_count)


@main.command()
@click.argument("query")
@click.option("-f", "--format", "form", help="table, csv, json, jsonl or parquet. Default: the output file's ending; a table on a terminal, csv in a pipe.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), help="Write to a file.")
@click.option("--database", default=":memory:", help="A DuckDB database to open; in memory by default.")
@click.pass_obj
def sql(given: Given, query: str, form: str | None, output: pathlib.Path | None, database: str) -> None:
    """Runs a query with redline and its macros loaded; - reads it from stdin.

    Example: redline sql "FROM file_changes('HEAD~1', 'HEAD', '.')"
    """
    from .query import run_query

    run_query(given.database(database), given.screen, sys.stdin.read() if query == "-" else query, form, output)


@main.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path))
@click.argument("proposals", required=False, type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.option("--demo", is_flag=True, help="Ask about made-up proposals in a temporary directory.")
@click.pass_obj
def approve(given: Given, directory: pathlib.Path | None, proposals: pathlib.Path | None, demo: bool) -> None:
    """Asks about proposals of an agent, one after the other, and applies those that get a yes.

    Each line of PROPOSALS is JSON: {"tool": "edit_file", "args": {"path": "workspace/a.txt", …}}. Paths start with the
    sandbox `workspace`, which is DIRECTORY.
    """
    from ..approving import decide_on, demonstrate

    extension = (given.extension or extension_path()).resolve()
    if demo and directory is None:
        return demonstrate(extension)
    if demo or directory is None or proposals is None:
        raise click.UsageError("give a directory and a file of proposals, or --demo alone")
    try:
        lines = [json.loads(line) for line in proposals.read_text().split("\n") if line.strip()]
    except ValueError as error:
        raise click.UsageError(f"{proposals}: {error}") from None
    decide_on(lines, directory, extension)
