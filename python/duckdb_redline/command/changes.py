"""The sub-commands diff and stat: what changed between two sides."""

import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from .names import Exact, is_replaced, print_ended, quoted
from .screen import Screen, cut, harmless, padded, width_of
from .sides import Sides

if TYPE_CHECKING:
    import duckdb

COLOURS = {
    "added": "green",
    "deleted": "red",
    "modified": "yellow",
    "renamed": "cyan",
    "copied": "cyan",
    "type_changed": "magenta",
}
COLUMNS = "status, additions, deletions, encode(old_path), encode(file_path)"
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
# git's own colours for lines that were moved, and for a block next to another one.
MOVED_COLOURS = {"-": ("magenta", "blue"), "+": ("cyan", "yellow")}
# The style of a moved line by its sign and its number.
Moved = dict[tuple[str, int], dict[str, Any]]
# Status, added and removed lines (None: a binary file), the path before a rename, the path.
Row = tuple[str, int | None, int | None, bytes | None, bytes]
# A bar is never narrower, however long the names are.
MIN_BAR = 10


def call(function: str, sides: Sides, repo: str, **options: object) -> tuple[str, list[object]]:
    """Returns a call of a table function as SQL, with its arguments; options that are None keep their defaults."""
    options |= {"paths": sides.paths or None}
    given = {name: value for name, value in options.items() if value is not None}
    named = "".join(f", {name} := ?" for name in given)
    return f"system.main.{function}(?, ?, ?{named})", [sides.old, sides.new, repo, *given.values()]


def show_diff(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    color_moved: str = "no",
    **options: object,
) -> None:
    """Prints the patches: as they are in a pipe, coloured and harmless on a terminal."""
    source, arguments = call("file_patches", sides, repo, **options)
    with screen.working("comparing"):
        moved = moved_lines(con, sides, repo, color_moved, options) if screen.colour else {}
        result = con.execute(f"SELECT patch, patch_bytes, file_path FROM {source}", arguments)
        # The first row is fetched before a pager opens, so that an error is not shown within it.
        first = result.fetchone()
    if not screen.is_terminal and not screen.colour:
        print_bytes(first, result)
    elif first is None:
        screen.note(f"Nothing differs {sides}.")
    else:
        screen.show(coloured(first, result, screen.colour, moved))


def moved_lines(
    con: "duckdb.DuckDBPyConnection",
    sides: Sides,
    repo: str,
    mode: str,
    options: dict[str, object],
) -> dict[str, Moved]:
    """Returns the style of each moved line by its file, its sign and its number."""
    if mode == "no":
        return {}
    source, arguments = call("moved_lines", sides, repo, mode=mode, renames=options.get("renames"))
    rows = con.execute(
        f"SELECT file_path, line_type, line, is_alternate, is_dimmed FROM {source}", arguments
    ).fetchall()
    found: dict[str, Moved] = {}
    for path, kind, line, is_alternate, is_dimmed in rows:
        sign = "+" if kind == "ADDED" else "-"
        colour = MOVED_COLOURS[sign][is_alternate]
        style = {"dim": True} if is_dimmed else {"fg": colour, "bold": True}
        found.setdefault(path, {})[sign, line] = style
    return found


def print_bytes(first: Any, rest: "duckdb.DuckDBPyConnection") -> None:
    row = first
    while row:
        sys.stdout.buffer.write(row[1])
        row = rest.fetchone()
    sys.stdout.buffer.flush()


def coloured(
    first: tuple[str, bytes, str],
    rest: "duckdb.DuckDBPyConnection",
    colour: bool,
    moved: dict[str, Moved],
) -> Iterator[str]:
    row: tuple[Any, ...] | None = first
    while row:
        yield from coloured_patch(row[0], colour, moved.get(row[2], {}))
        row = rest.fetchone()


def coloured_patch(patch: str, colour: bool, moved: Moved | None = None) -> Iterator[str]:
    """Yields the lines of one file's patch, harmless and, where there is colour, painted."""
    in_header, numbers = True, {"-": 0, "+": 0}
    for line in patch.removesuffix("\n").split("\n"):
        in_header = in_header and not line.startswith("@@ ")
        text = harmless(line)
        style = None
        if moved and not in_header:
            style = moved.get((line[:1], numbers.get(line[:1], 0)))
            follow(line, numbers)
        if style:
            yield click.style(text, **style) + "\n"
        else:
            yield (painted(text, in_header) if colour else text) + "\n"


def follow(line: str, numbers: dict[str, int]) -> None:
    """Counts a line of a hunk: `numbers` are those of the next line of each side."""
    if found := HUNK.match(line):
        numbers["-"], numbers["+"] = int(found[1]), int(found[2])
        return
    for sign in numbers:
        numbers[sign] += line[:1] in (sign, " ")


def painted(line: str, in_header: bool) -> str:
    if in_header:
        return click.style(line, bold=True)
    if line.startswith("@@ "):
        hunk, mark, section = line.partition(" @@")
        return click.style(hunk + mark, fg="cyan") + section
    return (
        click.style(line, fg={"+": "green", "-": "red"}[line[0]])
        if line[:1] in "+-" and line
        else line
    )


def show_files(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    form: str,
    ends_by_nul: bool,
    **options: object,
) -> None:
    """Prints a line per changed file in one of the forms `stat`, `name-only`, `name-status` and `markdown`."""
    if ends_by_nul and form not in CELLS:
        raise click.UsageError("-z ends names by NUL, which Markdown cannot: leave out one of both")
    source, arguments = call("file_changes", sides, repo, **options)
    with screen.working("comparing"):
        rows: list[Row] = con.execute(f"SELECT {COLUMNS} FROM {source}", arguments).fetchall()
        if is_replaced(name for row in rows for name in row[3:]):
            exact = Exact()
            exact.look(con, *call("file_patches", sides, repo, **options))
            rows = [(*row[:3], exact.of(row[3]), exact.of(row[4]) or row[4]) for row in rows]
    if not rows:
        screen.note(f"Nothing differs {sides}.")
        return
    if ends_by_nul:
        print_ended(cell for row in rows for cell in CELLS[form](row))
    else:
        screen.show(FORMS[form](rows, screen))


def stat_lines(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields bars as `git diff --stat` on a terminal, and cells between tabs in a pipe."""
    return bars(rows, screen) if screen.is_terminal else map(tab_separated, rows)


def tab_separated(row: Row) -> str:
    return "\t".join([*counted(row), path_of(row, False)]) + "\n"


def counted(row: Row) -> list[str]:
    status, additions, deletions, *_ = row
    return [status, count(additions), count(deletions)]


def bars(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields a line per file with a bar of its added and removed lines, the largest as wide as there is room, then the totals."""
    names = [path_of(row, True) for row in rows]
    totals = [(additions or 0) + (deletions or 0) for _, additions, deletions, *_ in rows]
    digits = max(3, len(str(max(totals))))
    # " name | total bar"
    room = screen.width - digits - len("  | ") - 1
    name_width = min(max(map(width_of, names)), max(room - MIN_BAR, MIN_BAR))
    longest, bar_width = max(1, *totals), max(MIN_BAR, room - name_width)
    for name, (status, additions, deletions, *_) in zip(names, rows):
        shown = screen.styled(padded(cut(name, name_width), name_width), fg=COLOURS.get(status))
        if additions is None or deletions is None:
            yield f" {shown} | {padded('Bin', digits, right=True)}\n"
            continue
        plus, minus = bar(additions, deletions, longest, bar_width)
        drawn = screen.styled("+" * plus, fg="green") + screen.styled("-" * minus, fg="red")
        yield f" {shown} | {additions + deletions:>{digits}} {drawn}".rstrip() + "\n"
    yield summary(rows) + "\n"


def bar(additions: int, deletions: int, longest: int, width: int) -> tuple[int, int]:
    """Returns how many signs of each kind a bar has; a number above 0 has at least one."""
    if longest <= width:
        return additions, deletions
    scaled = [max(1, value * width // longest) if value else 0 for value in (additions, deletions)]
    return scaled[0], min(scaled[1], max(width - scaled[0], 1 if deletions else 0))


def summary(rows: list[Row]) -> str:
    """Returns the totals in git's words."""
    added, removed = (sum(row[at] or 0 for row in rows) for at in (1, 2))  # type: ignore[misc]
    parts = [f" {plural(len(rows), 'file')} changed"]
    if added or not removed:
        parts.append(f"{plural(added, 'insertion')}(+)")
    if removed or not added:
        parts.append(f"{plural(removed, 'deletion')}(-)")
    return ", ".join(parts)


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def names_only(rows: list[Row], screen: Screen) -> Iterator[str]:
    for *_, file_path in rows:
        yield quoted(file_path, readable=screen.is_terminal) + "\n"


def names_and_statuses(rows: list[Row], screen: Screen) -> Iterator[str]:
    for row in rows:
        status = row[0]
        shown = (
            screen.styled(padded(status, 12), fg=COLOURS.get(status))
            if screen.is_terminal
            else f"{status}\t"
        )
        yield f"{shown}{path_of(row, screen.is_terminal)}\n"


def markdown(rows: list[Row], screen: Screen) -> Iterator[str]:
    yield "| file | status | + | - |\n|---|---|---:|---:|\n"
    for row in rows:
        status, additions, deletions, *_ = row
        name = path_of(row, True).replace("|", "\\|")
        yield f"| {name} | {status} | {count(additions)} | {count(deletions)} |\n"


FORMS: dict[str, Callable[[list[Row], Screen], Iterator[str]]] = {
    "stat": stat_lines,
    "name-only": names_only,
    "name-status": names_and_statuses,
    "markdown": markdown,
}


def count(lines: int | None) -> str:
    """Returns a count of lines; a binary file has none."""
    return "-" if lines is None else str(lines)


def path_of(row: Row, readable: bool) -> str:
    """Returns the name of a row's file, after the one that it had before a rename."""
    names = [quoted(name, readable=readable) for name in row[3:] if name is not None]
    return " => ".join(names)


def ended_counts(row: Row) -> list[bytes]:
    """Returns the cells of `git diff --numstat -z`, with the status before the counts."""
    *_, old_path, file_path = row
    counts = "".join(f"{cell}\t" for cell in counted(row)).encode()
    return [counts + file_path] if old_path is None else [counts, old_path, file_path]


def ended_statuses(row: Row) -> list[bytes]:
    """Returns the cells of `git diff --name-status -z`, with a word for the status."""
    *_, old_path, file_path = row
    return [row[0].encode(), *([] if old_path is None else [old_path]), file_path]


# The forms that -z has.
CELLS: dict[str, Callable[[Row], list[bytes]]] = {
    "stat": ended_counts,
    "name-only": lambda row: [row[4]],
    "name-status": ended_statuses,
}
