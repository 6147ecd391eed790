"""The sub-commands log and show: commits, and the changes of each."""

import datetime
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ..visible import harmless
from . import formats
from .changes import COLUMNS, FORMS, Row, lines_of
from .errors import call_it, said
from .habits import leave_to_git
from .painting import Drawing
from .screen import Screen, cell, cut, padded, width_of
from .sides import Sides

if TYPE_CHECKING:
    import duckdb

# Dates as numbers: for a time with a zone, DuckDB's client needs a package more.
OF_COMMIT = "commit_id, epoch(author_date)::BIGINT, author_offset, author_name, subject"
CHANGES = f"{OF_COMMIT}, {COLUMNS}"
COMMITS = f"{OF_COMMIT}, author_email, parent_ids, refs, body"


@dataclass
class Wanted:
    """Which commits of a range are asked for; None and an empty list ask for all."""

    sides: Sides
    author: str | None = None
    message: str | None = None
    since: str | None = None
    until: str | None = None
    contains: str | None = None
    changed_lines: str | None = None
    most: int | None = None
    reverse: bool = False
    # One parent or many; None takes both.
    parents: str | None = None
    first_parent: bool = False
    follow: bool = False

    def options(self) -> dict[str, object]:
        """Returns the named parameters of commit_changes."""
        given = {
            "since": self.since,
            "until": self.until,
            "contains": self.contains,
            "changed_lines": self.changed_lines,
            "paths": self.sides.paths or None,
        }
        return {name: value for name, value in given.items() if value is not None}

    def conditions(self, con: "duckdb.DuckDBPyConnection", repo: str) -> tuple[str, list[object]]:
        """Returns a condition on the columns of a commit, with its arguments."""
        for option, pattern in (("--author", self.author), ("--grep", self.message)):
            check_pattern(con, option, pattern)
        tests: list[str] = []
        arguments: list[object] = []
        if self.author is not None:
            tests.append("regexp_matches(concat(author_name, ' <', author_email, '>'), ?)")
            arguments.append(self.author)
        if self.message is not None:
            tests.append("regexp_matches(concat(subject, chr(10), body), ?)")
            arguments.append(self.message)
        if self.parents == "many" or self.first_parent:
            # What commit_changes does not know of a commit.
            is_merge = "len(parent_ids) > 1" if self.parents == "many" else "true"
            tests.append(
                f"commit_id IN (SELECT commit_id FROM system.main.commits(?, ?, first_parent := ?) WHERE {is_merge})"
            )
            arguments += [self.sides.old, repo, self.first_parent]
        return (" AND ".join(tests) or "true"), arguments


def check_pattern(con: "duckdb.DuckDBPyConnection", option: str, pattern: str | None) -> None:
    """Refuses what is no regular expression."""
    from ..client import duckdb

    try:
        con.execute("SELECT regexp_matches('', ?)", [pattern])
    except duckdb.Error as error:
        raise click.UsageError(
            f"{option} takes a regular expression, which {pattern!r} is not: {said(error)}"
        ) from None


@dataclass
class Commit:
    """A commit and the files that it changed."""

    id: str
    seconds: int | None
    offset: int | None
    author: str
    subject: str
    files: list[Row] = field(default_factory=list)

    def cells(self) -> list[str]:
        texts = [
            self.id[:10],
            self.date().strftime("%Y-%m-%d"),
            self.author,
            *map(str, [len(self.files), *lines_of(self.files)]),
            self.subject,
        ]
        return [cell(text) for text in texts]

    def date(self) -> datetime.datetime:
        """Returns when it was written, by the author's clock, as git prints it."""
        return author_date(self.seconds, self.offset)


def author_date(seconds: int | None, offset: int | None) -> datetime.datetime:
    """Returns a time by a clock that is so many minutes east of UTC; where there is no such time the first, as git does."""
    utc = datetime.timezone.utc
    try:
        zone = datetime.timezone(datetime.timedelta(minutes=offset or 0))
        return datetime.datetime.fromtimestamp(seconds or 0, zone)
    except (ValueError, OverflowError, OSError):
        return datetime.datetime.fromtimestamp(0, utc)


def changed(con: "duckdb.DuckDBPyConnection", wanted: Wanted, repo: str) -> Iterator[Commit]:
    """Yields the newest commits that changed a file, as git orders them; reading ends with the last one wanted."""
    if wanted.most == 0:
        return
    merges = "skip" if wanted.parents == "one" else "first_parent"
    options = {"merges": merges, "renames": True} | wanted.options()
    named = "".join(f", {name} := ?" for name in options)
    condition, arguments = wanted.conditions(con, repo)
    source = f"system.main.commit_changes(?, ?{named})"
    if wanted.message is not None:
        # The message's body is a column of commits alone.
        source = f"(SELECT c.*, m.body FROM {source} c JOIN system.main.commits(?, ?) m USING (commit_id))"
    places = [wanted.sides.old, repo]
    given = [
        *places,
        *options.values(),
        *(places if wanted.message is not None else []),
        *arguments,
    ]
    result = con.execute(f"SELECT {CHANGES} FROM {source} WHERE {condition}", given)
    commit: Commit | None = None
    found = 0
    while row := result.fetchone():
        if commit is None or commit.id != row[0]:
            if commit is not None:
                yield commit
            if found == wanted.most:
                return
            commit = Commit(*row[:5])
            found += 1
        commit.files.append(Row(*row[5:]))
    if commit is not None:
        yield commit


def show_log(
    con: "duckdb.DuckDBPyConnection", screen: Screen, wanted: Wanted, repo: str, form: str
) -> None:
    """Prints a line per commit: columns on a terminal, cells between tabs in a pipe; or each commit with its files or patch."""
    with screen.working("reading commits"):
        found = list(changed(con, wanted, repo))
    if wanted.reverse:
        found.reverse()
    if not found:
        screen.note("No commit in the range matches.")
        return
    if form == "oneline":
        screen.show(
            in_columns(found, screen)
            if screen.is_terminal
            else ("\t".join(commit.cells()) + "\n" for commit in found)
        )
    elif form == "markdown":
        screen.show(markdown(found))
    else:
        screen.show(whole(con, screen, found, wanted.sides.paths, repo, form))


def in_columns(found: list[Commit], screen: Screen) -> Iterator[str]:
    """Yields a line per commit within the width of the terminal."""
    rows = [
        ("commit", "date", "author", "files", "+", "-", "subject"),
        *(commit.cells() for commit in found),
    ]
    widths = [max(width_of(row[at]) for row in rows) for at in range(6)]
    widths[2] = min(widths[2], max(8, screen.width // 5))
    styles = ["yellow", None, "cyan", None, "green", "red"]
    for number, row in enumerate(rows):
        cells = [
            padded(cut(text, width), width, right=at > 2)
            for at, (text, width) in enumerate(zip(row, widths))
        ]
        if number:
            cells = [screen.styled(text, fg=style) for text, style in zip(cells, styles)]
        left = screen.width - sum(widths) - 2 * len(widths)
        line = "  ".join([*cells, cut(row[6], max(left, 8))])
        yield (line if number else screen.styled(line, bold=True)) + "\n"


def markdown(found: list[Commit]) -> Iterator[str]:
    yield "| commit | date | author | files | + | - | subject |\n|---|---|---|---:|---:|---:|---|\n"
    for commit in found:
        yield "| " + " | ".join(text.replace("|", "\\|") for text in commit.cells()) + " |\n"


def whole(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    found: list[Commit],
    paths: list[str],
    repo: str,
    form: str,
) -> Iterator[str]:
    """Yields commits as `git log` prints them, each followed by its files in a form, or by its patch."""
    for number, commit in enumerate(found):
        (row,) = con.execute(
            f"SELECT {COMMITS} FROM system.main.commits(?, ?)", [f"{commit.id}^!", repo]
        ).fetchall()
        if number:
            yield "\n"
        yield from header(commit, row[5:], screen)
        yield "\n"
        if form == "patch":
            yield from patches(con, screen, commit.id, row[6], paths, repo)
        else:
            yield from FORMS[form](commit.files, screen)


def header(commit: Commit, said: tuple[Any, ...], screen: Screen) -> Iterator[str]:
    """Yields the header that git prints before a commit's changes; `said` is the rest of its row."""
    email, parents, refs, body = said
    # As git's log.decorate, which is for people.
    named = cell(formats.decorations(refs)) if screen.is_terminal else ""
    decorations = f" ({named})" if named else ""
    yield (
        screen.styled(f"commit {commit.id}", fg="yellow")
        + screen.styled(decorations, fg="cyan")
        + "\n"
    )
    if len(parents) > 1:
        yield f"Merge: {' '.join(parent[:10] for parent in parents)}\n"
    yield f"Author: {cell(commit.author)} <{cell(email)}>\n"
    date = commit.date()
    yield f"Date:   {date:%a %b} {date.day} {date:%H:%M:%S %Y %z}\n\n"
    for line in [commit.subject, *([""] if body else []), *body.removesuffix("\n").split("\n")][
        : None if body else 1
    ]:
        yield f"    {harmless(line).rstrip()}\n"


def patches(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    commit: str,
    parents: list[str],
    paths: list[str],
    repo: str,
) -> Iterator[str]:
    """Yields the patch of a commit against its first parent."""
    options = ", paths := ?" if paths else ""
    old = parents[0] if parents else "EMPTY"
    given = [old, commit, repo, *([paths] if paths else [])]
    is_drawn = screen.is_terminal or screen.colour
    column = "patch_bytes" if is_drawn else "patch"
    result = con.cursor().execute(
        f"SELECT {column}, file_path FROM system.main.file_patches(?, ?, ?, renames := true{options})",
        given,
    )
    drawing = Drawing(has_syntax=screen.is_terminal)
    while row := result.fetchone():
        yield from drawing.of(con, row[0], row[1], screen) if is_drawn else [row[0]]


def show_commit(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    revision: str,
    paths: list[str],
    repo: str,
    form: str,
) -> None:
    """Prints one commit: its header, then its patch or its files."""
    row = con.execute(
        f"SELECT {COMMITS} FROM system.main.commits(?, ?)",
        [call_it(f"{revision}^!", revision), repo],
    ).fetchone()
    if row is None:
        # An annotated tag or a range gives no row of its own.
        screen.note(f"{revision} names no commit.")
        return
    commit = Commit(*row[:5])
    if form not in ("patch", "none"):
        for found in changed(con, Wanted(Sides(f"{commit.id}^!", None, paths)), repo):
            commit.files = found.files

    def printed() -> Iterator[str]:
        yield from header(commit, row[5:], screen)
        if form == "none":
            return
        yield "\n"
        if form == "patch":
            yield from patches(con, screen, commit.id, row[6], paths, repo)
        else:
            yield from FORMS[form](commit.files, screen) if commit.files else []

    screen.show(printed())


def show_file(con: "duckdb.DuckDBPyConnection", name: str, repo: str) -> bool:
    """Prints a file that is named as REVISION:PATH, byte for byte; tells whether there is one."""
    revision, _, path = name.partition(":")
    query = "SELECT system.main.file_bytes(?, ?, ?)"
    row = con.execute(query, [path, revision, repo]).fetchone()
    if row is None or row[0] is None:
        return False
    sys.stdout.flush()
    sys.stdout.buffer.write(row[0])
    sys.stdout.buffer.flush()
    return True


def show_formatted(
    ctx: click.Context,
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    wanted: Wanted,
    repo: str,
    pretty: str,
) -> None:
    """Prints commits in one of git's formats, all that git log lists."""
    form = formats.NAMED.get(pretty, pretty)
    between = form.startswith("format:")
    form = form.removeprefix("t").removeprefix("format:") if "format:" in form[:8] else form
    if not formats.is_known(form) or "%" not in form:
        leave_to_git(ctx)
    with screen.working("reading commits"):
        found = list(listed(con, wanted, repo))
        length = formats.length_of_ids(con, found[0]["commit_id"], repo) if found else 0
    if wanted.reverse:
        found.reverse()
    screen.show(formats.formatted(found, form, length, screen, between=between))


def listed(con: "duckdb.DuckDBPyConnection", wanted: Wanted, repo: str) -> Iterator[formats.Listed]:
    """Yields the commits of a range in git's order, also those that changed no file."""
    sides = wanted.sides
    options: dict[str, object] = {
        "since": wanted.since,
        "until": wanted.until,
        "first_parent": wanted.first_parent,
    }
    source, refs, first = "commits(?, ?", "refs", []
    if wanted.follow:
        source, refs, first = "file_history(?, ?, ?", "[] AS refs", sides.paths
    elif sides.paths:
        options["paths"] = sides.paths
    given = {name: value for name, value in options.items() if value is not None}
    named = "".join(f", {name} := ?" for name in given)
    condition, arguments = "true", []
    for option, pattern, text in (
        ("--author", wanted.author, "concat(author_name, ' <', author_email, '>')"),
        ("--grep", wanted.message, "concat(subject, chr(10), body)"),
    ):
        if pattern is not None:
            check_pattern(con, option, pattern)
            condition += f" AND regexp_matches({text}, ?)"
            arguments.append(pattern)
    if wanted.parents is not None:
        condition += f" AND len(parent_ids) {'<' if wanted.parents == 'one' else '>='} 2"
    changing = None
    if wanted.contains is not None or wanted.changed_lines is not None:
        only = Wanted(sides, contains=wanted.contains, changed_lines=wanted.changed_lines)
        # As git's, which shows no merge here.
        only.parents = "one"
        changing = {commit.id for commit in changed(con, only, repo)}
    query = f"SELECT {formats.COLUMNS}, {refs} FROM system.main.{source}{named}) WHERE {condition}"
    result = con.execute(query, [*first, sides.old, repo, *given.values(), *arguments])
    names = [column[0] for column in result.description or []]
    found = 0
    while found != wanted.most and (row := result.fetchone()):
        cells = dict(zip(names, row))
        if changing is not None and cells["commit_id"] not in changing:
            continue
        found += 1
        date = author_date(cells["author_seconds"], cells["author_offset"])
        yield formats.Listed(cells, cells["refs"], date)
