"""Names of files in lists: as git prints them in a pipe, readable on a terminal, or as they are, each ended by NUL."""

import sys
import unicodedata
from collections.abc import Iterable

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
