"""The sub-commands log and show: commits, and the changes of each."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from .changes import FORMS, Row, coloured_patch
from .errors import call_it, said
from .screen import Screen, cell, cut, harmless, padded, width_of
from .sides import Sides

if TYPE_CHECKING:
    import duckdb

# Dates as numbers: for a time with a zone, DuckDB's client needs a package more.
CHANGES = (
    "commit_id, epoch(author_date)::BIGINT, author_offset, author_name, subject, "
    "status, additions, deletions, encode(old_path), encode(file_path)"
)
COMMITS = (
    "commit_id, epoch(author_date)::BIGINT, author_offset, author_name, subject, "
    "author_email, parent_ids, refs, body"
)


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

    def conditions(self, con: "duckdb.DuckDBPyConnection") -> tuple[str, list[object]]:
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
        counts = [sum(file[at] or 0 for file in self.files) for at in (1, 2)]  # type: ignore[misc]
        texts = [
            self.id[:10],
            self.date().strftime("%Y-%m-%d"),
            self.author,
            *map(str, [len(self.files), *counts]),
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
    options = {"merges": "first_parent", "renames": True} | wanted.options()
    named = "".join(f", {name} := ?" for name in options)
    condition, arguments = wanted.conditions(con)
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
        commit.files.append(row[5:])
    if commit is not None:
        yield commit


def show_log(
    con: "duckdb.DuckDBPyConnection", screen: Screen, wanted: Wanted, repo: str, form: str
) -> None:
    """Prints a line per commit: columns on a terminal, cells between tabs in a pipe; or each commit with its files or patch."""
    with screen.working("reading commits"):
        found = list(changed(con, wanted, repo))
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
    names = [
        ref.removeprefix("refs/heads/").removeprefix("refs/remotes/").replace("refs/tags/", "tag: ")
        for ref in refs
    ]
    decorations = f" ({', '.join(map(cell, names))})" if names else ""
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
        yield f"    {harmless(line)}".rstrip() + "\n"


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
    result = con.cursor().execute(
        f"SELECT patch FROM system.main.file_patches(?, ?, ?, renames := true{options})", given
    )
    while row := result.fetchone():
        yield from (
            coloured_patch(row[0], screen.colour)
            if screen.is_terminal or screen.colour
            else [row[0]]
        )


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
    if form != "patch":
        for found in changed(con, Wanted(Sides(f"{commit.id}^!", None, paths)), repo):
            commit.files = found.files

    def printed() -> Iterator[str]:
        yield from header(commit, row[5:], screen)
        yield "\n"
        if form == "patch":
            yield from patches(con, screen, commit.id, row[6], paths, repo)
        else:
            yield from FORMS[form](commit.files, screen) if commit.files else []

    screen.show(printed())
