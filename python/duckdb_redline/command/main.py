"""The command redline and its sub-commands."""

import contextlib
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
from ..visible import harmless
from .errors import call_it, said
from .habits import GitCommand, leave_to_git
from .interrupts import INTERRUPTS
from .names import in_bytes, is_utf8
from .screen import Screen, cut
from .sides import (
    Chosen,
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

LINES = re.compile("([0-9]{1,18})?(?:(,)([+-]?[0-9]{1,18})?)?")
# More than a file has.
LAST_LINE = 2**31 - 1
# Of an argument that an error names.
MAX_SHOWN = 100
EPILOG = "Exit codes: 0 done, 1 the query failed (the reason is on stderr), 2 a wrong argument, 130 interrupted."


def beneath(ctx: click.Context, _: click.Parameter, directory: str | None) -> str:
    """Returns a directory that starts at that of `redline -C`, as git's do."""
    first = ctx.find_root().params.get("directory")
    return os.path.join(*(part for part in (first, directory) if part is not None)) if first else directory or "."  # fmt: skip


REPO = click.option(
    "-C",
    "--repo",
    callback=beneath,
    metavar="DIRECTORY",
    shell_complete=complete_directories,
    help="The repository, or a directory in it; by default the current one.",
)
TO_FILE = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write to a file.",
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
    "-w",
    "--ignore-whitespace",
    "--ignore-all-space",
    is_flag=True,
    help="Ignore whitespace when lines are compared.",
)
SPACE_CHANGE = click.option(
    "-b",
    "--ignore-space-change",
    is_flag=True,
    help="Ignore how much whitespace there is.",
)
BLANK_LINES = click.option(
    "--ignore-blank-lines", is_flag=True, help="Ignore changes whose lines are all blank."
)
RENAMES = click.option(
    "-M",
    "--find-renames",
    "similarity",
    metavar="[PERCENT]",
    help="Show a moved file as such from this similarity on; by default from 50%.",
)
COLOURED = click.option(
    "--color",
    "when",
    type=click.Choice(["auto", "always", "never"]),
    help="As before the command.",
)
UNCOLOURED = click.option("--no-color", "when", flag_value="never", hidden=True)
ALGORITHM = click.option(
    "--diff-algorithm",
    "algorithm",
    type=click.Choice(["myers", "minimal", "patience", "histogram"]),
    help="How lines are compared.",
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
ONELINE = click.option(
    "--oneline", "pretty", flag_value="oneline", help="As git prints a commit in a line."
)
FORMAT = click.option(
    "--format",
    "--pretty",
    "pretty",
    metavar="FORMAT",
    help="As git's --format, such as '%h %an %s'.",
)
NUMSTAT = click.option(
    "--numstat", "form", flag_value="numstat", help="Show counts of lines between tabs."
)
SHORTSTAT = click.option(
    "--shortstat", "form", flag_value="shortstat", help="Show the totals alone."
)
CONTEXT = click.option(
    "-U",
    "--context",
    "--unified",
    type=click.IntRange(min=-1),
    help="Unchanged lines around a change; -1 is the whole file.",
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
            INTERRUPTS.stop_by(stopping(con))
        return con


def format_option(on_terminal: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns the option for the format of rows, which are drawn so on a terminal."""
    return click.option(
        "-f",
        "--format",
        "form",
        shell_complete=complete_formats,
        help="table, csv, html, json, jsonl, markdown or parquet. Default: the output file's ending; "
        f"{on_terminal} on a terminal, csv in a pipe.",
    )


def stopping(con: "duckdb.DuckDBPyConnection") -> Callable[[], None]:
    """Returns what ends the work of a connection: DuckDB's, and that of functions, which DuckDB does not interrupt."""
    import hashlib
    import secrets

    from ..client import duckdb

    key, host = secrets.token_urlsafe(16), con.cursor()
    digest = hashlib.sha256(key.encode()).hexdigest()
    host.execute(f"SET GLOBAL redline_approver = '{digest}'")
    (number,) = con.execute("SELECT system.main.current_connection_id()").fetchall()[0]

    def stop() -> None:
        con.interrupt()
        # A query that has named an approver of its own is ended with the process.
        with contextlib.suppress(duckdb.Error):
            host.execute("SELECT system.main.end_work(?, ?)", [number, key])

    return stop


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
        try:
            return super().main(*args, **kwargs)
        finally:
            # What --help and --version have printed; the interpreter would report a failure in its own words.
            try:
                sys.stdout.flush()
            except OSError as error:
                give_up_output()
                if not isinstance(error, BrokenPipeError):
                    click.echo(f"redline: {error.strerror}", err=True)
                    sys.exit(1)

    def invoke(self, ctx: click.Context) -> object:
        try:
            try:
                with INTERRUPTS.watched():
                    return self.answered(ctx)
            except BaseException as error:
                if isinstance(error, click.exceptions.Exit) or not INTERRUPTS.is_cause(error):
                    raise
                INTERRUPTS.end()
        except KeyboardInterrupt:
            # A second one, before the first was heeded.
            INTERRUPTS.end()

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
            give_up_output()
            ctx.exit(0)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
                give_up_output()
            fail(ctx, f"{error.strerror}{f': {error.filename}' if error.filename else ''}")
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from ..client import duckdb

            if not isinstance(error, duckdb.Error) or INTERRUPTS.is_cause(error):
                raise
            fail(ctx, said(error))


def give_up_output() -> None:
    """Drops what is not printed yet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
@click.option(
    "-C",
    "directory",
    metavar="DIRECTORY",
    shell_complete=complete_directories,
    help="The repository, or a directory in it, for any command.",
)
@click.pass_context
def main(
    ctx: click.Context,
    extension: pathlib.Path | None,
    color: str,
    no_pager: bool,
    directory: str | None,
) -> None:
    """Asks what changed in git repositories, by SQL over the DuckDB extension redline."""
    ctx.obj = Given(extension, Screen(color, not no_pager))


def percentage(text: str) -> int:
    """Returns a similarity in percent, of git's forms: 90%, or a fraction without its point, such as 9 for 0.9."""
    if not text.rstrip("%").isdecimal() or not text.isascii():
        raise click.UsageError(f"-M takes a percentage, such as -M90%, not {text!r}")
    percent = int(text[:-1]) if text.endswith("%") else int(text[:4]) * 100 // 10 ** len(text[:4])
    return min(percent, 100)


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """Declares the sides of a sub-command and how they are compared, and opens the database for it."""

    @SIDES
    @REPO
    @STAGED
    @NO_RENAMES
    @RENAMES
    @WHITESPACE
    @SPACE_CHANGE
    @BLANK_LINES
    @ALGORITHM
    @click.option("--minimal", "algorithm", flag_value="minimal", hidden=True)
    @click.option("--patience", "algorithm", flag_value="patience", hidden=True)
    @click.option("--histogram", "algorithm", flag_value="histogram", hidden=True)
    @COLOURED
    @UNCOLOURED
    @functools.wraps(command)
    @click.pass_obj
    def compare(
        given: Given,
        /,
        revisions_and_paths: tuple[str, ...],
        repo: str,
        staged: bool,
        no_renames: bool,
        similarity: str | None,
        ignore_whitespace: bool,
        ignore_space_change: bool,
        ignore_blank_lines: bool,
        algorithm: str | None,
        when: str | None,
        **own: object,
    ) -> None:
        least = None if similarity is None else percentage(similarity)
        screen = given.screen if when is None else Screen(when, given.screen.pager)
        con = given.database()
        sides = sides_of(con, repo, revisions_and_paths, staged)
        whitespace = "all" if ignore_whitespace else "change" if ignore_space_change else None
        options = {
            "renames": not no_renames,
            "similarity": least,
            "ignore_whitespace": whitespace,
            "ignore_blank_lines": ignore_blank_lines or None,
            "algorithm": algorithm,
        }
        command(con, screen, sides, repo, options, **own)

    return compare


@main.command(cls=GitCommand)
@comparing
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@CONTEXT
@click.option(
    "--color-moved",
    type=click.Choice(["no", "plain", "blocks", "zebra", "dimmed-zebra"]),
    default="zebra",
    show_default=True,
    help="How lines that were moved are coloured, where there is colour.",
)
@click.option(
    "-y",
    "--side-by-side",
    is_flag=True,
    help="Show old lines to the left and new ones to the right.",
)
@click.option(
    "--syntax/--no-syntax",
    default=None,
    help="Colour the languages of the files; by default on a terminal with colour.",
)
@NUMSTAT
@SHORTSTAT
@click.option("-p", "-u", "--patch", is_flag=True, hidden=True)
@click.option("-R", "reverse", is_flag=True, help="Swap the two sides.")
@click.option(
    "--diff-filter",
    "kinds",
    metavar="LETTERS",
    help="Only files that were Added, Copied, Deleted, Modified, Renamed, Type-changed or Unmerged; a small letter leaves them out.",
)
@click.option(
    "--exit-code", is_flag=True, help="Exit with 1 where something differs, as diff does."
)
@click.option("--quiet", is_flag=True, help="Print nothing, and exit so.")
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
    side_by_side: bool,
    syntax: bool | None,
    patch: bool,
    reverse: bool,
    kinds: str | None,
    exit_code: bool,
    quiet: bool,
    ends_by_nul: bool,
) -> None:
    """Shows what changed, as git diff prints it.

    Without a revision the index is compared with the work tree; with one, that revision; a range is a..b or a...b. INDEX,
    WORKTREE and EMPTY are sides, too.
    """
    from .changes import differs, show_diff, show_files, statuses_of
    from .painting import Drawing

    statuses = None if kinds is None else statuses_of(kinds)
    chosen = Chosen(statuses, reverse)
    if reverse:
        sides = sides.reversed()
    if quiet:
        is_found = differs(con, sides, repo, chosen, **options)
    elif form is not None:
        is_found = show_files(con, screen, sides, repo, form, ends_by_nul, chosen, False, **options)
    elif ends_by_nul:
        raise click.UsageError("-z is for lists: give --name-only, --name-status or --stat, too")
    else:
        drawing = Drawing(screen.is_terminal if syntax is None else syntax, side_by_side)
        is_found = show_diff(
            con, screen, sides, repo, color_moved, drawing, chosen, context=context, **options
        )
    if (quiet or exit_code) and is_found:
        click.get_current_context().exit(1)


@main.command(cls=GitCommand, short_help="Lists the changed files with bars of their lines.")
@comparing
@MARKDOWN
@ENDED
@click.option(
    "--data", "has_data", is_flag=True, help="Count the changed rows of CSV and JSON files, too."
)
def stat(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    options: dict[str, object],
    form: str | None,
    ends_by_nul: bool,
    has_data: bool,
) -> None:
    """Lists the changed files with their counts of lines, on a terminal as bars.

    Sides are named as for diff. In a pipe each line has the status, added lines, removed lines and the path, between tabs; with
    --data also what changed in the rows of a file of data.
    """
    from .changes import show_files

    show_files(con, screen, sides, repo, form or "stat", ends_by_nul, Chosen(), has_data, **options)


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
@format_option("drawn")
@TO_FILE
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


@main.command(cls=GitCommand, short_help="Writes a page to review a change, and opens it.")
@comparing
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write the page to this file; by default to one in the temporary directory.",
)
@CONTEXT
@click.option("--open/--no-open", "opens", default=None, help="Open it in a browser, or do not.")
def review(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    options: dict[str, object],
    output: pathlib.Path | None,
    context: int | None,
    opens: bool | None,
) -> None:
    """Writes a page to review a change in a browser, and opens it.

    Sides are named as for diff. The page remembers what was viewed by the ids of hunks, so that it survives a rebase. In a
    pipe, and with -o, it is opened only with --open; in a pipe without -o, the page itself is printed.
    """
    from .review import show_page

    show_page(con, screen, sides, repo, output, opens, context=context, **options)


@main.command(cls=GitCommand, short_help="Lists the commits of a range that changed a file.")
@click.argument(
    "range_and_paths", nargs=-1, metavar="[RANGE] [--] [PATH]...", shell_complete=complete
)
@REPO
@click.option(
    "-n",
    "--max-count",
    type=click.IntRange(min=0),
    help="How many commits to show: 20 in the table, and all in git's formats.",
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
@click.option("--all", "all_refs", is_flag=True, help="Of all references.")
@click.option("--reverse", is_flag=True, help="The oldest first.")
@click.option("--no-merges", "parents", flag_value="one", help="Without merges.")
@click.option("--merges", "parents", flag_value="many", help="Merges alone.")
@click.option("--first-parent", is_flag=True, help="Follow only the first parent of a merge.")
@click.option("--follow", is_flag=True, help="Of one file, also before it was moved.")
@ONELINE
@FORMAT
@PATCH
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@click.pass_context
def log(
    ctx: click.Context,
    /,
    range_and_paths: tuple[str, ...],
    repo: str,
    max_count: int | None,
    form: str | None,
    all_refs: bool,
    pretty: str | None,
    **only: Any,
) -> None:
    """Lists the commits of a range that changed a file, newest first, with what each changed.

    A range is a..b, a...b or one tip, by default HEAD. A merge counts as what it changed of its first parent. Patterns are
    regular expressions.
    """
    from .commits import Wanted, show_formatted, show_log

    given: Given = ctx.obj
    con = given.database()
    revisions, paths = revisions_and_paths(con, repo, range_and_paths, 0 if all_refs else 1)
    sides = Sides("ALL" if all_refs else revisions[0] if revisions else "HEAD", None, paths)
    wanted = Wanted(sides, most=max_count, **only)
    if wanted.follow and len(paths) != 1:
        raise click.UsageError("--follow takes one path")
    if pretty is None and not wanted.follow:
        wanted.most = 20 if max_count is None else max_count
        return show_log(con, given.screen, wanted, repo, form or "oneline")
    if form is not None:
        leave_to_git(ctx)
    show_formatted(ctx, con, given.screen, wanted, repo, pretty or "oneline")


@main.command(cls=GitCommand, short_help="Shows one commit: its message and its patch.")
@click.argument(
    "revision_and_paths", nargs=-1, metavar="[REVISION] [--] [PATH]...", shell_complete=complete
)
@REPO
@STAT
@NAME_ONLY
@NAME_STATUS
@MARKDOWN
@click.option("-s", "--no-patch", "form", flag_value="none", help="Show no patch.")
@ONELINE
@FORMAT
@click.pass_context
def show(
    ctx: click.Context,
    revision_and_paths: tuple[str, ...],
    repo: str,
    form: str | None,
    pretty: str | None,
) -> None:
    """Shows one commit, by default HEAD: its message and its patch, of a merge that against its first parent.

    REVISION:PATH shows that file.
    """
    from .commits import Wanted, show_commit, show_file, show_formatted

    given: Given = ctx.obj
    con = given.database()
    revisions, paths = revisions_and_paths(con, repo, revision_and_paths, 1)
    revision = revisions[0] if revisions else "HEAD"
    if pretty is not None:
        if form != "none":
            leave_to_git(ctx)
        wanted = Wanted(Sides(call_it(f"{revision}^!", revision), None, paths), most=1)
        return show_formatted(ctx, con, given.screen, wanted, repo, pretty)
    if ":" in revision and not revision.startswith(":") and show_file(con, revision, repo):
        return None
    show_commit(con, given.screen, revision, paths, repo, form or "patch")


@main.command(cls=GitCommand, short_help="Shows the commit that each line of a file is from.")
@click.argument("file", shell_complete=complete_paths)
@click.argument("revision", default="WORKTREE", shell_complete=complete)
@REPO
@click.option("-L", "lines", metavar="FIRST,LAST", help="Only these lines; also FIRST,+COUNT.")
@WHITESPACE
@click.pass_obj
def blame(
    given: Given, file: str, revision: str, repo: str, lines: str | None, ignore_whitespace: bool
) -> None:
    """Shows the commit, the author and the day of each line of a file, of the work tree or of a revision."""
    from .blame import show_blame

    chosen = None if lines is None else lines_of(lines)
    show_blame(given.database(), given.screen, file, revision, repo, chosen, ignore_whitespace)


def lines_of(text: str) -> tuple[int, int]:
    """Returns the first and the last line of git's forms 10,20 and 10,+5 and 20,-5 and 10 (to the end) and ,20."""
    found = LINES.fullmatch(text)
    if found is None or not text.strip(","):
        raise click.UsageError(
            f"-L takes FIRST,LAST or FIRST,+COUNT, numbers of lines, not {text!r}; for a pattern or a function use git blame"
        )
    first, last = int(found[1] or 1), found[3]
    if last is None:
        return first, LAST_LINE
    if last[0] == "+":
        return first, first + max(int(last), 1) - 1
    if last[0] == "-":
        return max(first + min(int(last), -1) + 1, 1), first
    return (first, int(last)) if first <= int(last) else (int(last), first)


@main.command(cls=GitCommand, short_help="Lists what is not committed.")
@click.argument("paths", nargs=-1, shell_complete=complete_paths)
@REPO
@click.option("--ignored", is_flag=True, help="List ignored files, too.")
@click.option(
    "--porcelain",
    "porcelain",
    type=click.Choice(["v1"]),
    help="As git's: a directory without a tracked file in a line; -s and --short are the same.",
)
@click.option("-s", "--short", "porcelain", flag_value="v1", hidden=True)
@click.option(
    "-u",
    "--untracked-files",
    "untracked",
    type=click.Choice(["no", "normal", "all"]),
    help="List untracked files, their directories, or none.",
)
@ENDED
@click.pass_obj
def status(
    given: Given,
    paths: tuple[str, ...],
    repo: str,
    ignored: bool,
    porcelain: str | None,
    untracked: str | None,
    ends_by_nul: bool,
) -> None:
    """Lists what is not committed: a letter for the index and one for the work tree.

    As git status --short --untracked-files=all, with names from the repository's root.
    """
    from .status import show_status

    mode = untracked or ("normal" if porcelain else "all")
    show_status(given.database(), given.screen, list(paths), repo, ignored, mode, ends_by_nul)


@main.command(
    cls=PathsAfterDashes, short_help="Writes a page of pictures about a repository's history."
)
@click.argument(
    "revision_and_paths", nargs=-1, metavar="[REVISION] [--] [PATH]...", shell_complete=complete
)
@REPO
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write the page to this file; by default to one in the temporary directory.",
)
@click.option(
    "--max-seconds",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="The processor time of a picture; one that takes more says so in its place.",
)
@click.option("--since", "--after", metavar="DATE", help="Only changes of this time or later.")
@click.option(
    "--snapshots",
    type=click.IntRange(1, 60),
    default=8,
    show_default=True,
    help="At how many points of the history the age of the code is measured; the more there are, the smaller "
    "is the sample of files of each in a large repository.",
)
@click.pass_obj
def report(
    given: Given,
    revision_and_paths: tuple[str, ...],
    repo: str,
    output: pathlib.Path | None,
    since: str | None,
    snapshots: int,
    max_seconds: int,
) -> None:
    """Writes a page of pictures about the history of a repository, each with its rows and its SQL.

    Churn, people, hours, busiest directories, hotspots, files that change together, owners and the age of the code. The page needs no other
    file and no connection. Paths are git's pathspecs: redline report -- '*' ':!*.lock' leaves lock files out. Wants the
    package matplotlib: pip install matplotlib
    """
    from .report import write_report

    con = given.database(macros=True)
    revisions, paths = revisions_and_paths(con, repo, revision_and_paths, 1)
    revision = revisions[0] if revisions else "HEAD"
    write_report(con, given.screen, repo, revision, since, snapshots, paths, max_seconds, output)


@main.command(short_help="Runs a query with redline and its macros loaded.")
@click.argument("query", required=False)
@format_option("a table")
@TO_FILE
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
    text = sys.stdin.read() if query in ("-", None) else str(query)
    click.get_current_context().meta["query"] = text
    run_query(con, given.screen, text, form, output)


@main.command(cls=PathsAfterDashes, short_help="Opens a DuckDB shell with redline and its macros.")
@click.argument("database", default=":memory:", metavar="[DATABASE] [-- OPTION...]")
@click.option(
    "--script",
    is_flag=True,
    help="Print the statements that load redline and make its macros, for another client of DuckDB.",
)
@click.pass_context
def shell(ctx: click.Context, database: str, script: bool) -> None:
    """Opens a DuckDB shell with redline and its macros: the program duckdb, or a prompt where there is none.

    What follows -- are options of duckdb: redline shell -- -csv -c "FROM git_log()"
    """
    from .setup import run_shell, start_statements

    given: Given = ctx.obj
    extension = (given.extension or extension_path()).resolve()
    if script:
        click.echo("\n".join(start_statements(given.database(macros=True), extension)), nl=False)
        return
    options = ctx.meta.get("paths", [])
    run_shell(given.database(macros=True), given.screen, extension, database, options)


@main.command(short_help="Completes this command in your shell.")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    help="The shell; by default that of $SHELL.",
)
@click.option("--undo", is_flag=True, help="Remove what setup has written.")
@click.option("-y", "--yes", "agreed", is_flag=True, help="Write without a question.")
def setup(completion: str | None, undo: bool, agreed: bool) -> None:
    """Completes commands, revisions and paths of redline in your shell, by one file in your home directory.

    On a terminal the file is shown first, and written after a yes. For redline in DuckDB's own command line, which setup does
    not touch, there is redline shell.
    """
    from . import setup as written

    if undo:
        return written.undo()
    written.set_up(completion, agreed)


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
