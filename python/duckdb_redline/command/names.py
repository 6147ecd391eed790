"""Names of files in lists: as git prints them in a pipe, readable on a terminal, or as they are, each ended by NUL."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

ESCAPES = {
    0x07: "\\a",
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x22: '\\"',
    0x5C: "\\\\",
}


# Replaces bytes that are not UTF-8.
REPLACED = "\ufffd"
# Lines of a patch's header before a name, and what stands before the name itself.
NAMED = re.compile(
    rb'(?:(?:rename|copy) (?:from|to) |(?:---|\+\+\+) (?="?[ab]/)|diff --git )("(?:[^"\\]|\\.)*"|[^\t]*)'
)
ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


class Exact:
    """The names, byte for byte, of files whose names are not UTF-8: a column of texts cannot have them, a patch has."""

    def __init__(self) -> None:
        self.found: dict[bytes, set[bytes]] = {}

    def look(self, con: "duckdb.DuckDBPyConnection", source: str, arguments: list[object]) -> None:
        """Reads the names in the patches of a call of `file_patches`."""
        is_replaced = "contains(concat(file_path, old_path), ?)"
        rows = con.execute(
            f"SELECT patch_bytes FROM {source} WHERE {is_replaced}", [*arguments, REPLACED]
        )
        while row := rows.fetchone():
            for name in names_in(row[0]):
                text = name.decode(errors="replace").encode()
                self.found.setdefault(text, set()).add(name)

    def of(self, name: bytes | None) -> bytes | None:
        """Returns the name that is meant by a text; the text where several names have it."""
        meant = self.found.get(name or b"", ())
        return next(iter(meant)) if len(meant) == 1 else name


def names_in(patch: bytes) -> Iterator[bytes]:
    """Yields the names in the header of a patch."""
    header, _, _ = patch.partition(b"\n@@")
    for line in header.split(b"\n"):
        if found := NAMED.match(line):
            name = unquoted(found[1])
            is_moved = line.startswith((b"rename", b"copy"))
            yield name if is_moved else name[2:]


def unquoted(name: bytes) -> bytes:
    """Returns a name that git has written in double quotes."""
    if not name.startswith(b'"'):
        return name

    def byte(escape: re.Match[bytes]) -> bytes:
        letter = escape[1]
        if len(letter) == 3:
            return bytes([int(letter, 8)])
        known = {text[1:].encode(): bytes([value]) for value, text in ESCAPES.items()}
        return known.get(letter, letter)

    return ESCAPED.sub(byte, name[1:-1])


def is_replaced(names: Iterable[bytes | None]) -> bool:
    """Tells whether a name may have had bytes that are not UTF-8."""
    return any(name is not None and REPLACED.encode() in name for name in names)


def quoted(name: bytes, *, readable: bool = False, blanks: bool = False) -> str:
    """Returns a name as git prints it in a list: in double quotes, with C escapes, where a byte needs one.

    Bytes from 0x80 need one, as with git's default core.quotePath; if `readable`, characters that hide and move nothing
    stay. If `blanks`, a name with a space is in double quotes, too.
    """
    text = name.decode("utf-8", "surrogateescape") if readable else name.decode("latin-1")
    escaped = "".join(shown(c, readable) for c in text)
    return f'"{escaped}"' if escaped != text or (blanks and " " in text) else text


def shown(c: str, readable: bool) -> str:
    """Returns a character, or the escapes of its bytes."""
    if " " <= c <= "~" and c not in '"\\':
        return c
    if readable and c > "~" and unicodedata.category(c)[0] != "C":
        return c
    escaped = c.encode("utf-8", "surrogateescape") if readable else c.encode("latin-1")
    return "".join(ESCAPES.get(byte, f"\\{byte:03o}") for byte in escaped)


def is_utf8(argument: str) -> bool:
    """Tells whether an argument was UTF-8; Python keeps each other byte as a surrogate."""
    return not any("\ud800" <= c <= "\udfff" for c in argument)


def in_bytes(argument: str) -> str:
    """Returns an argument in quotes, with each byte that is not UTF-8 as a number."""
    shown = (f"\\x{ord(c) - 0xDC00:02x}" if "\udc80" <= c <= "\udcff" else c for c in argument)
    return f"'{''.join(shown)}'"


def print_ended(cells: Iterable[bytes]) -> None:
    """Prints cells as they are, each ended by NUL."""
    sys.stdout.flush()
    for cell in cells:
        sys.stdout.buffer.write(cell + b"\0")
    sys.stdout.buffer.flush()
