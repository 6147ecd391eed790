"""The bytes of an answer that a client shows its model whole, where a call does not say how many it wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .approver import Context

# The default of `redline_max_answer_bytes`, and the range of max_bytes that the command takes.
ANSWER_BYTES, MAX_BYTES = 18_000, (2_000, 1_000_000)
# The beginning of a client's name -> bytes. Where a client is not named, the default fits: Copilot CLI puts an answer of more
# than 20,000 bytes into a file and shows 917 bytes of it, Claude Code warns from 10,000 tokens (both seen in November 2026).
CLIENTS = {
    # Codex 0.171 cuts the middle out of an answer over 12 KB for a model that its catalogue does not name; the cursor at the
    # end stays, so that what was cut would never be seen. For the models that it names it is 10,000 tokens, about 40,000
    # bytes, and the protocol does not tell which model reads.
    "codex": 11_000,
}


def bytes_of(client: str) -> int:
    """Returns the bytes of an answer to a client of this name."""
    name = client.lower()
    return next((most for start, most in CLIENTS.items() if name.startswith(start)), ANSWER_BYTES)


def client_of(context: Context) -> str:
    """Returns the name of the client that sent a request; clients of today's protocol may have none."""
    told = context.session.client_params
    return told.client_info.name if told is not None else ""


def is_empty(value: object) -> bool:
    """Tells whether a value of an optional argument means that it is left out: clients that make every argument required send such."""
    return value is None or value == 0 and not isinstance(value, bool) or value in ("", [], {})
