"""The command redline and its sub-commands."""

import errno
import functools
import os
import pathlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..extension import ExtensionError, extension_path, version
from .interrupts import EXIT_CODE, INTERRUPTS, is_interrupt
from .names import in_bytes, is_utf8
from .screen import Screen, cut, harmless
from .sides import (
    PathsAfterDashes,
    Sides,
    complete,
    complete_directories,
    complete_formats,
    complete_functions,
    complete_paths,
    revisions_and_paths,
    sides_of,
)

if TYPE_CHECKING:
    import duckdb

LINES = re.compile("([0-9]{1,18}),([0-9]{1,18})")
# Of an argument that an error names.
MAX_SHOWN = 100
EPILOG = "Exit codes: 0 done, 1 the query failed (the reason is on stderr), 2 a wrong argument, 130 interrupted."
REPO = click.option(
    "-C",
    "--repo",
    default=".",
    show_default=True,
    metavar="DIRECTORY",
    shell_complete=complete_directories,
    help="The repository, or a directory in it.",
)
SIDES = click.argument(
    "revisions_and_paths",
    nargs=-1,
    metavar="[REVISION [REVISION]] [--] [PATH]...",
    shell_complete=complete,
)
STAGED = click.option(
    "--staged", "--cached", is_flag=True, help="Compare the last commit with the index."
)
NO_RENAMES = click.option(
    "--no-renames", is_flag=True, help="Show a moved file as one deleted and one added."
)
WHITESPACE = click.option(
    "-w", "--ignore-whitespace", is_flag=True, help="Ignore whitespace when lines are compared."
)
STAT = click.option(
    "--stat", "form", flag_value="stat", help="Show the files with bars of their changed lines."
)
NAME_ONLY = click.option(
    "--name-only", "form", flag_value="name-only", help="Show the names of the files."
)
NAME_STATUS = click.option(
    "--name-status", "form", flag_value="name-status", help="Show the names and how each changed."
)
MARKDOWN = click.option(
    "--markdown", "form", flag_value="markdown", help="Show a table in Markdown."
)
ENDED = click.option(
    "-z", "ends_by_nul", is_flag=True, help="End names by NUL, and do not quote them."
)
PATCH = click.option("-p", "--patch", "form", flag_value="patch", help="Show the patch.")


@dataclass
class Given:
    """The options of the command itself."""

    extension: pathlib.Path | None
    screen: Screen

    def database(self, path: str = ":memory:", macros: bool = False) -> "duckdb.DuckDBPyConnection":
        from ..connection import connect

        con = connect(path, extension=self.extension, macros=macros, by_caller=True)
        if macros:
            # With the macros come queries of people, whose joins and aggregates DuckDB shares out.
            con.execute("RESET external_threads")
        return con


class Command(click.Group):
    """Turns errors of DuckDB, redline and the system into an exit code and a line on stderr."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses what is not UTF-8, in whatever argument: DuckDB takes texts alone."""
        wrong = next((argument for argument in args if not is_utf8(argument)), None)
        if wrong is not None and not ctx.resilient_parsing:
            fail(
                ctx,
                f"{cut(harmless(in_bytes(wrong)), MAX_SHOWN)} is not UTF-8, as arguments must be: for such a byte write ? in a path "
                "after --, give a revision by its id, and enter such a directory instead of naming it",
                code=2,
            )
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        with INTERRUPTS.watched():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return self.answered(ctx)
        except BaseException as error:
            if not is_interrupt(error):
                raise
            INTERRUPTS.heeded.set()
            fail(ctx, "interrupted", code=EXIT_CODE)

    def answered(self, ctx: click.Context) -> object:
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except ExtensionError as error:
            fail(ctx, str(error))
        except BrokenPipeError:
            # Whoever read has enough. The interpreter would report it once more when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            fail(ctx, f"{error.strerror}{f': {error.filename}' if error.filename else ''}")
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from ..client import duckdb

            if not isinstance(error, duckdb.Error):
                raise
            fail(ctx, str(error))


def fail(ctx: click.Context, reason: str, code: int = 1) -> NoReturn:
    click.echo("\n".join(map(harmless, f"redline: {reason}".split("\n"))), err=True)
    ctx.exit(code)


def print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Prints the version, which is looked up only here: the metadata of packages take long to import."""
    if wanted and not ctx.resilient_parsing:
        click.echo(f"redline, version {version()}")
        ctx.exit()


@click.group(cls=Command, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
@click.option(
    "--extension",
    type=click.Path(path_type=pathlib.Path),
    help="The extension to load, in place of the package's own.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to colour: on a terminal by default.",
)
@click.option("--no-pager", is_flag=True, help="Print at once on a terminal, too.")
@click.pass_context
def main(ctx: click.Context, extension: pathlib.Path | None, color: str, no_pager: bool) -> None:
    """Asks what changed in git repositories, by SQL over the DuckDB extension redline."""
    ctx.obj = Given(extension, Screen(color, not no_pager))


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """Declares the sides of a sub-command and how they are compared, and opens the database for it."""

    @SIDES
    @REPO
    @STAGED
    @NO_RENAMES
    @WHITESPACE
    @functools.wraps(command)
    @click.pass_obj
    def compare(
        given: Given,
        /,
        revisions_and_paths: tuple[str, ...],
        repo: str,
        staged: bool,
        no_renames: bool,
        ignore_whitespace: bool,
        **own: object,
    ) -> None:
        con = given.database()
        sides = sides_of(con, repo, revisions_and_paths, staged)
        whitespace = "all" if ignore_whitespace else None
        options = {"renames": not no_renames, "ignore_whitespace": whitespace}
        command(con, given.screen, sides, repo, options, **own)

    return compare


@main.command(cls=PathsAfterDashes)
@comparing
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@click.option(
    "-U",
    "--context",
    type=click.IntRange(min=-1),
    help="Unchanged lines around a change; -1 is the whole file.",
)
@click.option(
    "--color-moved",
    type=click.Choice(["no", "plain", "blocks", "zebra", "dimmed-zebra"]),
    default="zebra",
    show_default=True,
    help="How lines that were moved are coloured, where there is colour.",
)
@ENDED
def diff(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    options: dict[str, object],
    form: str | None,
    context: int | None,
    color_moved: str,
    ends_by_nul: bool,
) -> None:
    """Shows what changed, as git diff prints it.

    Without a revision the index is compared with the work tree; with one, that revision; a range is a..b or a...b. INDEX,
    WORKTREE and EMPTY are sides, too.
    """
    from .changes import show_diff, show_files

    if form is not None:
        return show_files(con, screen, sides, repo, form, ends_by_nul, **options)
    if ends_by_nul:
        raise click.UsageError("-z is for lists: give --name-only, --name-status or --stat, too")
    show_diff(con, screen, sides, repo, color_moved, context=context, **options)


@main.command(cls=PathsAfterDashes, short_help="Lists the changed files with bars of their lines.")
@comparing
@MARKDOWN
@ENDED
def stat(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    options: dict[str, object],
    form: str | None,
    ends_by_nul: bool,
) -> None:
    """Lists the changed files with their counts of lines, on a terminal as bars.

    Sides are named as for diff. In a pipe each line has the status, added lines, removed lines and the path, between tabs.
    """
    from .changes import show_files

    show_files(con, screen, sides, repo, form or "stat", ends_by_nul, **options)


@main.command(cls=PathsAfterDashes, short_help="Shows the changed rows and cells of a file.")
@SIDES
@STAGED
@REPO
@click.option(
    "-k",
    "--key",
    multiple=True,
    help="A column that names a row; several together. Default: id, or the only one that can.",
)
@click.option(
    "-f",
    "--format",
    "form",
    shell_complete=complete_formats,
    help="table, csv, html, json, jsonl, markdown or parquet. Default: the output file's ending; drawn on a terminal, csv in a pipe.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write to a file.",
)
@click.pass_obj
def data(
    given: Given,
    revisions_and_paths: tuple[str, ...],
    staged: bool,
    repo: str,
    key: tuple[str, ...],
    form: str | None,
    output: pathlib.Path | None,
) -> None:
    """Shows which rows and cells of a CSV, JSON or Parquet file changed, by a key.

    Sides are named as for diff.

    Example: redline data HEAD~1 HEAD -- prices.csv
    """
    from .data import show_data

    con = given.database()
    sides = sides_of(con, repo, revisions_and_paths, staged)
    show_data(con, given.screen, sides, repo, key, form, output)


@main.command(cls=PathsAfterDashes, short_help="Writes a page to review a change, and opens it.")
@comparing
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write the page to this file; by default to one in the temporary directory.",
)
@click.option("--open/--no-open", "opens", default=None, help="Open it in a browser, or do not.")
def review(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    options: dict[str, object],
    output: pathlib.Path | None,
    opens: bool | None,
) -> None:
    """Writes a page to review a change in a browser, and opens it.

    Sides are named as for diff. The page remembers what was viewed by the ids of hunks, so that it survives a rebase. In a
    pipe, and with -o, it is opened only with --open; in a pipe without -o, the page itself is printed.
    """
    from .review import show_page

    show_page(con, screen, sides, repo, output, opens, **options)


@main.command(cls=PathsAfterDashes, short_help="Lists the commits of a range that changed a file.")
@click.argument(
    "range_and_paths", nargs=-1, metavar="[RANGE] [--] [PATH]...", shell_complete=complete
)
@REPO
@click.option(
    "-n",
    "--max-count",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many commits to show.",
)
@click.option(
    "--author", metavar="PATTERN", help="Only commits whose 'name <address>' the pattern matches."
)
@click.option(
    "--grep", "message", metavar="PATTERN", help="Only commits whose message the pattern matches."
)
@click.option("--since", "--after", metavar="DATE", help="Only commits of this time or later.")
@click.option("--until", "--before", metavar="DATE", help="Only commits of this time or earlier.")
@click.option("-S", "contains", metavar="TEXT", help="Only commits that add or remove this text.")
@click.option(
    "-G",
    "changed_lines",
    metavar="PATTERN",
    help="Only commits with a changed line that the pattern matches.",
)
@PATCH
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@click.pass_obj
def log(
    given: Given,
    /,
    range_and_paths: tuple[str, ...],
    repo: str,
    max_count: int,
    form: str | None,
    **only: str | None,
) -> None:
    """Lists the commits of a range that changed a file, newest first, with what each changed.

    A range is a..b, a...b or one tip, by default HEAD. A merge counts as what it changed of its first parent. Patterns are
    regular expressions.
    """
    from .commits import Wanted, show_log

    con = given.database()
    revisions, paths = revisions_and_paths(con, repo, range_and_paths, 1)
    sides = Sides(revisions[0] if revisions else "HEAD", None, paths)
    show_log(con, given.screen, Wanted(sides, most=max_count, **only), repo, form or "oneline")


@main.command(cls=PathsAfterDashes, short_help="Shows one commit: its message and its patch.")
@click.argument(
    "revision_and_paths", nargs=-1, metavar="[REVISION] [--] [PATH]...", shell_complete=complete
)
@REPO
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@click.pass_obj
def show(given: Given, revision_and_paths: tuple[str, ...], repo: str, form: str | None) -> None:
    """Shows one commit, by default HEAD: its message and its patch, of a merge that against its first parent."""
    from .commits import show_commit

    con = given.database()
    revisions, paths = revisions_and_paths(con, repo, revision_and_paths, 1)
    show_commit(
        con, given.screen, revisions[0] if revisions else "HEAD", paths, repo, form or "patch"
    )


@main.command(short_help="Shows the commit that each line of a file is from.")
@click.argument("file", shell_complete=complete_paths)
@click.argument("revision", default="WORKTREE", shell_complete=complete)
@REPO
@click.option("-L", "lines", metavar="FIRST,LAST", help="Only these lines.")
@WHITESPACE
@click.pass_obj
def blame(
    given: Given, file: str, revision: str, repo: str, lines: str | None, ignore_whitespace: bool
) -> None:
    """Shows the commit, the author and the day of each line of a file, of the work tree or of a revision."""
    from .blame import show_blame

    chosen = None
    if lines is not None:
        numbers = LINES.fullmatch(lines)
        if numbers is None:
            raise click.UsageError(f"-L takes FIRST,LAST, two numbers of lines, not {lines!r}")
        chosen = int(numbers[1]), int(numbers[2])
    show_blame(given.database(), given.screen, file, revision, repo, chosen, ignore_whitespace)


@main.command(short_help="Lists what is not committed.")
@click.argument("paths", nargs=-1, shell_complete=complete_paths)
@REPO
@click.option("--ignored", is_flag=True, help="List ignored files, too.")
@ENDED
@click.pass_obj
def status(
    given: Given, paths: tuple[str, ...], repo: str, ignored: bool, ends_by_nul: bool
) -> None:
    """Lists what is not committed: a letter for the index and one for the work tree.

    As git status --short --untracked-files=all, with names from the repository's root.
    """
    from .status import show_status

    show_status(given.database(), given.screen, list(paths), repo, ignored, ends_by_nul)


@main.command(
    cls=PathsAfterDashes, short_help="Writes a page of pictures about a repository's history."
)
@click.argument(
    "revision_and_paths", nargs=-1, metavar="[REVISION] [--] [PATH]...", shell_complete=complete
)
@REPO
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    default="report.html",
    show_default=True,
    help="The page that is written.",
)
@click.option("--since", "--after", metavar="DATE", help="Only changes of this time or later.")
@click.option(
    "--snapshots",
    type=click.IntRange(1, 60),
    default=8,
    show_default=True,
    help="At how many points of the history the age of the code is measured; each blames all files, "
    "which takes minutes in a large repository.",
)
@click.pass_obj
def report(
    given: Given,
    revision_and_paths: tuple[str, ...],
    repo: str,
    out: pathlib.Path,
    since: str | None,
    snapshots: int,
) -> None:
    """Writes a page of pictures about the history of a repository, each with its rows and its SQL.

    Churn, busiest directories, hotspots, files that change together, owners and the age of the code. The page needs no other
    file and no connection. Paths are git's pathspecs: redline report -- '*' ':!*.lock' leaves lock files out. Wants the
    package matplotlib: pip install matplotlib
    """
    from .report import write_report

    con = given.database(macros=True)
    revisions, paths = revisions_and_paths(con, repo, revision_and_paths, 1)
    revision = revisions[0] if revisions else "HEAD"
    write_report(con, given.screen, repo, revision, since, snapshots, paths, out)


@main.command(short_help="Runs a query with redline and its macros loaded.")
@click.argument("query", required=False)
@click.option(
    "-f",
    "--format",
    "form",
    shell_complete=complete_formats,
    help="table, csv, html, json, jsonl, markdown or parquet. Default: the output file's ending; a table on a terminal, csv in a pipe.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write to a file.",
)
@click.option(
    "--database", default=":memory:", help="A DuckDB database to open; in memory by default."
)
@click.pass_obj
def sql(
    given: Given, query: str | None, form: str | None, output: pathlib.Path | None, database: str
) -> None:
    """Runs a query with redline and its macros loaded; - or nothing reads it from stdin, and a terminal gets a prompt.

    Of several statements, separated by semicolons, the rows of the last are printed.

    Example: redline sql "FROM changes('HEAD~1', 'HEAD')"
    """
    from .query import run_query

    con = given.database(database, macros=True)
    if query is None and sys.stdin.isatty():
        from .setup import prompt

        return prompt(con, given.screen)
    run_query(
        con, given.screen, sys.stdin.read() if query in ("-", None) else str(query), form, output
    )


@main.command(short_help="Opens a DuckDB shell with redline and its macros.")
@click.argument("database", default=":memory:")
@click.pass_obj
def shell(given: Given, database: str) -> None:
    """Opens a DuckDB shell with redline and its macros: the program duckdb, or a prompt where there is none."""
    from .setup import run_shell

    extension = (given.extension or extension_path()).resolve()
    run_shell(given.database(macros=True), given.screen, extension, database)


@main.command(short_help="Makes DuckDB's command line load redline.")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    help="Complete commands, revisions and paths in this shell.",
)
@click.pass_obj
def setup(given: Given, completion: str | None) -> None:
    """Makes DuckDB's command line load redline and its macros, by lines in ~/.duckdbrc; or completes this command in a shell."""
    from .setup import set_up_completion, set_up_duckdb

    if completion is not None:
        return set_up_completion(completion)
    set_up_duckdb(given.database(), (given.extension or extension_path()).resolve())


@main.command(name="help", short_help="Lists the functions and macros, or tells of one.")
@click.argument("name", required=False, shell_complete=complete_functions)
@click.pass_obj
def help_(given: Given, name: str | None) -> None:
    """Lists the functions and macros of redline, or tells all about one."""
    from .setup import show_help

    show_help(given.database(), given.screen, name)


@main.command(short_help="Asks about proposals of an agent, and applies some.")
@click.argument(
    "directory",
    required=False,
    type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path),
)
@click.argument(
    "proposals",
    required=False,
    type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path),
)
@click.option("--demo", is_flag=True, help="Ask about made-up proposals in a temporary directory.")
@click.pass_obj
def approve(
    given: Given, directory: pathlib.Path | None, proposals: pathlib.Path | None, demo: bool
) -> None:
    """Asks about proposals of an agent, one after the other, and applies those that get a yes.

    Each line of PROPOSALS is JSON: {"tool": "edit_file", "args": {"path": "workspace/a.txt", …}}. Paths start with the
    sandbox `workspace`, which is DIRECTORY.
    """
    import json

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
