"""Which characters are not seen in a text: the rule of the box in a terminal (docs/functions/approval_display.md)."""

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
