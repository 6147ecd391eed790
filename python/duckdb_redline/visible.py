"""Texts that do not come through the extension, such as errors: what is not seen in them is shown by its number.

The rule is that of the box in a terminal (docs/functions/approval_display.md).
"""

from __future__ import annotations

import re
import unicodedata

# Characters with nothing to see of which Unicode says that they are letters, marks or symbols.
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u2d7f\u3164\ufe00-\ufe0f\uffa0\ufdd0-\ufdef\ufff0-\ufffc\U00016fe4\U0001d159]"
    "|[\U000e0000-\U0010ffff]"
)


def is_unseen(c: str) -> bool:
    """Tells whether a character shows nothing, or changes how its neighbours are shown, or is unassigned."""
    if " " <= c <= "~":
        return False
    category = unicodedata.category(c)
    return category[0] == "C" or category in ("Zs", "Zl", "Zp") or UNSEEN.match(c) is not None


def harmless(text: str) -> str:
    """Returns a line without characters that move the cursor or hide text; a tab stays.

    What Python has for a byte that is not UTF-8 (`surrogateescape`) is shown by the byte.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(shown, text))


def shown(c: str) -> str:
    if c == "\t" or not is_unseen(c):
        return c
    return f"<{ord(c) - 0xDC00:02X}>" if "\udc80" <= c <= "\udcff" else f"<U+{ord(c):04X}>"
