"""The sub-command blame: the commit that each line of a file is from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..visible import harmless
from .commits import Commit
from .screen import Screen, cell, cut, padded, width_of

if TYPE_CHECKING:
    import duckdb

COLUMNS = (
    "commit_id, epoch(author_date)::BIGINT, author_offset, author_name, subject, line, content"
)
MAX_AUTHOR = 20


def show_blame(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    file: str,
    revision: str,
    repo: str,
    lines: tuple[int, int] | None,
    whitespace: bool,
) -> None:
    """Prints each line with the commit, the date and the author that it is from, in columns on a terminal."""
    options: dict[str, object] = {"ignore_whitespace": "all"} if whitespace else {}
    if lines is not None:
        options["lines"] = list(lines)
    named = "".join(f", {name} := ?" for name in options)
    with screen.working("reading the history of the file"):
        query = f"SELECT {COLUMNS} FROM system.main.file_blame(?, ?, ?{named})"
        rows = con.execute(query, [file, revision, repo, *options.values()]).fetchall()
    if not rows:
        screen.note(f"{harmless(file)} has no lines.")
        return
    screen.show(blamed(rows, screen))


def blamed(rows: list[tuple[Any, ...]], screen: Screen) -> Iterator[str]:
    commits = [
        ("0" * 10, "not committed", "") if row[0] is None else origin(Commit(*row[:5]))
        for row in rows
    ]
    author_width = min(MAX_AUTHOR, max(width_of(author) for _, author, _ in commits))
    digits = len(str(rows[-1][5]))
    for (commit, author, date), row in zip(commits, rows):
        line, content = row[5:]
        if not screen.is_terminal:
            yield "\t".join([commit, author, date, str(line), content]) + "\n"
            continue
        who = padded(cut(author, author_width), author_width)
        shown = [
            screen.styled(commit, fg="yellow"),
            screen.styled(who, fg="cyan"),
            padded(date, 10),
        ]
        yield f"{'  '.join(shown)}  {line:>{digits}}  {harmless(content)}\n"


def origin(commit: Commit) -> tuple[str, str, str]:
    return commit.id[:10], cell(commit.author), commit.date().strftime("%Y-%m-%d")
