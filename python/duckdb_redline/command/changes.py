"""The sub-commands diff and stat: what changed between two sides."""

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from ..visible import harmless
from .names import Exact, is_replaced, print_ended, quoted
from .painting import Drawing, Moved
from .screen import Screen, cut, padded, width_of
from .sides import Chosen, Sides
from .status import OF_CHANGES

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
COLUMNS = "status, additions, deletions, similarity, encode(old_path), encode(file_path)"
# git's own colours for lines that were moved, and for a block next to another one.
MOVED_COLOURS = {"-": ("magenta", "blue"), "+": ("cyan", "yellow")}
# A bar is never narrower, however long the names are.
MIN_BAR = 10


class Row(NamedTuple):
    """A changed file."""

    status: str
    additions: int | None  # None: a binary file
    deletions: int | None
    similarity: int | None  # in percent, of a file that was renamed or copied
    old_path: bytes | None  # before that
    file_path: bytes

    @property
    def paths(self) -> list[bytes]:
        """The path before a rename, if there was one, and the path."""
        return [path for path in (self.old_path, self.file_path) if path is not None]

    @property
    def letter(self) -> str:
        """The status as git writes it: R086."""
        similarity = "" if self.similarity is None else f"{self.similarity:03}"
        return OF_CHANGES[self.status] + similarity


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
    color_moved: str,
    drawing: Drawing,
    chosen: Chosen,
    **options: object,
) -> bool:
    """Prints the patches: as they are in a pipe, drawn on a terminal. Tells whether there is one."""
    source, arguments = call("file_patches", sides, repo, **options)
    with screen.working("comparing"):
        if screen.colour:
            drawing.moved = moved_lines(con, sides, repo, color_moved, options)
        query = f"SELECT patch_bytes, file_path FROM {source} WHERE {chosen.condition()}"
        rows = patches_of(con.execute(query, arguments), chosen.reverse)
        # The first row is fetched before a pager opens, so that an error is not shown within it.
        first = next(rows, None)
    if not (screen.is_terminal or screen.colour or drawing.in_columns):
        print_bytes(first, rows)
    elif first is None:
        screen.note(f"Nothing differs {sides}.")
    else:
        lines = (
            drawing.of(con, patch, path, screen) for patch, path in itertools.chain([first], rows)
        )
        screen.show(itertools.chain.from_iterable(lines), is_patch=True)
    return first is not None


def patches_of(rows: "duckdb.DuckDBPyConnection", reverse: bool) -> Iterator[tuple[bytes, str]]:
    """Yields patches with the paths of their files; of a reversed comparison with the sides named as git names them."""
    while row := rows.fetchone():
        yield (reversed_names(row[0]) if reverse else row[0]), row[1]


def reversed_names(patch: bytes) -> bytes:
    """Returns a patch whose header has b/ for its old side and a/ for its new one."""
    header, hunks, rest = patch.partition(b"\n@@")
    moved = re.search(rb"^(?:rename|copy) to (.*)$", header, re.MULTILINE)
    lines = []
    for line in header.split(b"\n"):
        for begin, between, end in SIDES_OF_HEADER:
            if not line.startswith((begin + b"a/", begin + b'"a/')):
                continue
            names = line[len(begin) : len(line) - len(end)]
            # Both have the same length, unless the file was moved or one side is nothing.
            quote = (
                len(moved[1]) + (2 if moved else 0) if moved else (len(names) - len(between)) // 2
            )
            split = len(names) - quote - len(between) if between else len(names)
            old, new = names[:split], names[split + len(between) :]
            if between and names[split : split + len(between)] != between:
                old, _, new = names.partition(between)
            line = begin + swapped(old) + (between + swapped(new) if between else b"") + end
            break
        else:
            if line.startswith((b"+++ b/", b'+++ "b/')):
                line = line[:4] + swapped(line[4:])
            elif line.startswith(b"Binary files /dev/null and "):
                line = line[:27] + swapped(line[27:])
        lines.append(line)
    return b"\n".join(lines) + hunks + rest


# What stands before, between and after two names in a line of a header.
SIDES_OF_HEADER = [
    (b"diff --git ", b" ", b""),
    (b"Binary files ", b" and ", b" differ"),
    (b"--- ", b"", b""),
]


def swapped(name: bytes) -> bytes:
    """Returns a name of a header with the other side's letter."""
    at = 1 if name.startswith(b'"') else 0
    other = {b"a/": b"b/", b"b/": b"a/"}.get(name[at : at + 2])
    return name if other is None else name[:at] + other + name[at + 2 :]


def statuses_of(letters: str) -> list[str]:
    """Returns the statuses of git's --diff-filter."""
    known = {letter: word for word, letter in OF_CHANGES.items()}
    wrong = [letter for letter in letters if letter.upper() not in known]
    if wrong or not letters:
        raise click.UsageError(f"--diff-filter takes letters of {''.join(known)}, not {letters!r}")
    wanted = {known[letter] for letter in letters if letter in known} or set(known.values())
    return sorted(wanted - {known[letter.upper()] for letter in letters if letter.islower()})


def differs(
    con: "duckdb.DuckDBPyConnection", sides: Sides, repo: str, chosen: Chosen, **options: object
) -> bool:
    """Tells whether anything differs."""
    source, arguments = call("file_patches", sides, repo, **options)
    query = f"SELECT 1 FROM {source} WHERE {chosen.condition()} LIMIT 1"
    return con.execute(query, arguments).fetchone() is not None


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


def print_bytes(first: tuple[bytes, str] | None, rest: Iterator[tuple[bytes, str]]) -> None:
    for patch, _ in itertools.chain([first] if first else [], rest):
        sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()


def show_files(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    form: str,
    ends_by_nul: bool,
    chosen: Chosen,
    has_data: bool = False,
    **options: object,
) -> bool:
    """Prints a line per changed file in one of the forms of `FORMS`, and what changed in the rows of each file of data if it `has_data`.

    Tells whether there is a changed file.
    """
    if has_data and (ends_by_nul or form != "stat"):
        raise click.UsageError(
            f"--data is for lines of files: leave out {'-z' if ends_by_nul else f'--{form}'}"
        )
    if ends_by_nul and form not in CELLS:
        raise click.UsageError(
            f"-z ends names by NUL, which --{form} cannot: leave out one of both"
        )
    source, arguments = call("file_changes", sides, repo, **options)
    with screen.working("comparing"):
        query = f"SELECT {COLUMNS} FROM {source} WHERE {chosen.condition()}"
        rows = [Row(*row) for row in con.execute(query, arguments).fetchall()]
        if is_replaced(name for row in rows for name in row.paths):
            exact = Exact()
            exact.look(con, *call("file_patches", sides, repo, **options))
            rows = [
                row._replace(
                    old_path=exact.of(row.old_path),
                    file_path=exact.of(row.file_path) or row.file_path,
                )
                for row in rows
            ]
    if not rows:
        screen.note(f"Nothing differs {sides}.")
        return False
    if ends_by_nul:
        print_ended(cell for row in rows for cell in CELLS[form](row))
    else:
        lines = FORMS[form](rows, screen)
        if has_data:
            from .data import words_of

            lines = with_words(rows, lines, words_of(con, sides, repo, source, arguments), screen)
        screen.show(lines)
    return True


def with_words(
    rows: list[Row], lines: Iterator[str], words: dict[bytes, str], screen: Screen
) -> Iterator[str]:
    """Yields the lines of files with what changed in their rows: below on a terminal, as a last cell in a pipe."""
    for row, line in zip(rows, lines):
        told = words.get(row.file_path, "")
        if not screen.is_terminal:
            yield f"{line[:-1]}\t{told}\n"
            continue
        yield line
        if told:
            yield f"   {harmless(told)}\n"
    yield from lines


def stat_lines(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields bars as `git diff --stat` on a terminal, and cells between tabs in a pipe."""
    return bars(rows, screen) if screen.is_terminal else map(tab_separated, rows)


def tab_separated(row: Row) -> str:
    return "\t".join([*counted(row), path_of(row, False)]) + "\n"


def counted(row: Row) -> list[str]:
    return [row.status, count(row.additions), count(row.deletions)]


def bars(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields a line per file with a bar of its added and removed lines, the largest as wide as there is room, then the totals."""
    names = [path_of(row, True) for row in rows]
    totals = [(row.additions or 0) + (row.deletions or 0) for row in rows]
    digits = max(3, len(str(max(totals))))
    # " name | total bar"
    room = screen.width - digits - len("  | ") - 1
    name_width = min(max(map(width_of, names)), max(room - MIN_BAR, MIN_BAR))
    longest, bar_width = max(1, *totals), max(MIN_BAR, room - name_width)
    for name, row in zip(names, rows):
        shown = screen.styled(padded(cut(name, name_width), name_width), fg=COLOURS.get(row.status))
        if row.additions is None or row.deletions is None:
            yield f" {shown} | {padded('Bin', digits, right=True)}\n"
            continue
        plus, minus = bar(row.additions, row.deletions, longest, bar_width)
        drawn = screen.styled("+" * plus, fg="green") + screen.styled("-" * minus, fg="red")
        yield f" {shown} | {row.additions + row.deletions:>{digits}} {drawn}".rstrip() + "\n"
    yield summary(rows) + "\n"


def bar(additions: int, deletions: int, longest: int, width: int) -> tuple[int, int]:
    """Returns how many signs of each kind a bar has; a number above 0 has at least one."""
    if longest <= width:
        return additions, deletions
    scaled = [max(1, value * width // longest) if value else 0 for value in (additions, deletions)]
    return scaled[0], min(scaled[1], max(width - scaled[0], 1 if deletions else 0))


def lines_of(rows: list[Row]) -> tuple[int, int]:
    """Returns how many lines were added and removed."""
    return sum(row.additions or 0 for row in rows), sum(row.deletions or 0 for row in rows)


def summary(rows: list[Row]) -> str:
    """Returns the totals in git's words."""
    added, removed = lines_of(rows)
    parts = [f" {plural(len(rows), 'file')} changed"]
    if added or not removed:
        parts.append(f"{plural(added, 'insertion')}(+)")
    if removed or not added:
        parts.append(f"{plural(removed, 'deletion')}(-)")
    return ", ".join(parts)


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def names_only(rows: list[Row], screen: Screen) -> Iterator[str]:
    for row in rows:
        yield quoted(row.file_path, readable=screen.is_terminal) + "\n"


def names_and_statuses(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields the lines of `git diff --name-status`."""
    for row in rows:
        names = [quoted(path, readable=screen.is_terminal) for path in row.paths]
        yield "\t".join([screen.styled(row.letter, fg=COLOURS.get(row.status)), *names]) + "\n"


def markdown(rows: list[Row], screen: Screen) -> Iterator[str]:
    yield "| file | status | + | - |\n|---|---|---:|---:|\n"
    for row in rows:
        name = path_of(row, True).replace("|", "\\|")
        yield f"| {name} | {row.status} | {count(row.additions)} | {count(row.deletions)} |\n"


def numbers_of_lines(rows: list[Row], screen: Screen) -> Iterator[str]:
    """Yields the lines of `git diff --numstat`."""
    for row in rows:
        yield "\t".join([*counted(row)[1:], moved_name(row, screen.is_terminal)]) + "\n"


def moved_name(row: Row, readable: bool) -> str:
    """Returns the names of a row as git's lists of counts have them: what a moved file's share is outside of braces."""
    names = [quoted(path, readable=readable) for path in row.paths]
    if row.old_path is None or any(name.startswith('"') for name in names):
        return " => ".join(names)
    old_name, new_name = names
    shared = os.path.commonprefix(names)
    head = shared.rfind("/") + 1
    tail, at = 0, 0
    # The slash before the shared end may be that after the shared beginning.
    least = min(len(old_name), len(new_name)) - head + (1 if head else 0)
    while at < least and old_name[len(old_name) - 1 - at] == new_name[len(new_name) - 1 - at]:
        at += 1
        if old_name[len(old_name) - at] == "/":
            tail = at
    if not head and not tail:
        return " => ".join(names)
    old_part = old_name[head : max(len(old_name) - tail, head)]
    new_part = new_name[head : max(len(new_name) - tail, head)]
    end = old_name[len(old_name) - tail :] if tail else ""
    return f"{old_name[:head]}{{{old_part} => {new_part}}}{end}"


FORMS: dict[str, Callable[[list[Row], Screen], Iterator[str]]] = {
    "stat": stat_lines,
    "numstat": numbers_of_lines,
    "shortstat": lambda rows, _: iter([summary(rows) + "\n"]),
    "name-only": names_only,
    "name-status": names_and_statuses,
    "markdown": markdown,
}


def count(lines: int | None) -> str:
    """Returns a count of lines; a binary file has none."""
    return "-" if lines is None else str(lines)


def path_of(row: Row, readable: bool) -> str:
    """Returns the name of a row's file, after the one that it had before a rename."""
    return " => ".join(quoted(path, readable=readable) for path in row.paths)


def ended_counts(row: Row) -> list[bytes]:
    """Returns the cells of `git diff --numstat -z`, with the status before the counts."""
    first, *names = exact_counts(row)
    return [f"{row.status}\t".encode() + first, *names]


def exact_counts(row: Row) -> list[bytes]:
    """Returns the cells of `git diff --numstat -z`."""
    counts = "".join(f"{cell}\t" for cell in counted(row)[1:]).encode()
    return [counts + row.file_path] if row.old_path is None else [counts, *row.paths]


# The forms that -z has.
CELLS: dict[str, Callable[[Row], list[bytes]]] = {
    "stat": ended_counts,
    "numstat": exact_counts,
    "name-only": lambda row: [row.file_path],
    "name-status": lambda row: [row.letter.encode(), *row.paths],
}
