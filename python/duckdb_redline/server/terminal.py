"""Approvals at the server's own terminal, for clients that cannot ask: the person answers on /dev/tty, which no client reaches."""

from __future__ import annotations

import os
import secrets
import select
import termios
import threading
import time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import mcp_types as types

from .approver import TOO_LONG, Call, Instead, Page, Shares, refusal, refused, without_answers
from .host import Host

if TYPE_CHECKING:
    from .approver import Context

# The smallest size of a page, and the lines that a question needs below it.
LEAST_WIDTH, LEAST_HEIGHT, BELOW = 40, 10, 5
# Columns beyond which a page grows no wider.
MOST_WIDTH = 200
TOO_SMALL = (
    "permission_denied: the terminal of the server has {} columns and {} lines, and a question needs "
    f"{LEAST_WIDTH} and {LEAST_HEIGHT + BELOW}. Tell the person to enlarge it, and call again."
)
# Seconds after a page is drawn in which keys are dropped: they were meant for the previous content.
PAUSE = 0.7
# Seconds after a question was withdrawn in which the next one asks for a word: a person may be about to answer the other.
RECENT = 10
# Letters of that word; neither of them answers another question.
LETTERS = "abcdefghjkmpqrstvwxz"


class Terminal:
    """The terminal that controls the server's process."""

    def __init__(self, host: Host, path: str = "/dev/tty") -> None:
        """Opens it; an OSError says that the process has none."""
        self.host = host
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        # Questions wait here for their turn, and in no thread; the one that is asked has a thread of its own.
        self.turn = anyio.Lock()
        self.thread = anyio.CapacityLimiter(1)
        self.shares = Shares("at the terminal")
        # A thread whose call was cancelled notices it a little later.
        self.asking = threading.Lock()
        self.withdrawn = -float(RECENT)

    def can_ask(self, context: Context) -> bool:
        return True

    async def ask(
        self, context: Context, params: types.CallToolRequestParams, call: Call
    ) -> Instead:
        """Asks in a thread; a call that is cancelled withdraws its question."""
        return await self.shares.once(call, lambda: self.in_turn(call))

    async def in_turn(self, call: Call) -> Instead:
        """Asks when the questions before it are decided on, on the terminal as it is then."""
        async with self.turn:
            columns, lines = self.size()
            if columns < LEAST_WIDTH or lines < LEAST_HEIGHT + BELOW:
                self.write(
                    f"\nA question waits, and needs {LEAST_WIDTH} columns and {LEAST_HEIGHT + BELOW} lines.\n"
                )
                return refusal(TOO_SMALL.format(columns, lines))
            pages = await self.host.pages(call.payload, min(columns, MOST_WIDTH), lines - BELOW)
            if pages is None:
                return await refused(self.host, call, TOO_LONG)
            await self.decide(call, pages)
        return None

    async def decide(self, call: Call, pages: list[Page]) -> None:
        """Asks, and reports the result before anything else is drawn."""
        stop = threading.Event()
        try:
            answer = await anyio.to_thread.run_sync(
                self.answer,
                pages,
                client_of(call),
                stop,
                abandon_on_cancel=True,
                limiter=self.thread,
            )
        finally:
            stop.set()
        if answer is None:
            return
        if answer:
            counts = await self.host.approve(call.payload, "once", pages[-1]["proof"])
            self.write(
                "Approved.\n"
                if counts
                else "Not approved: it no longer waits, or the file has changed. The agent may ask again.\n"
            )
        else:
            await self.host.decline(call.payload)
            self.write("Declined.\n")

    def size(self) -> tuple[int, int]:
        """Returns the columns and lines of the terminal; one that does not know them is taken for a classic one."""
        columns, lines = os.get_terminal_size(self.file)
        return columns or 80, lines or 24

    def answer(self, pages: list[Page], client: str, stop: threading.Event) -> bool | None:
        """Shows all pages, one question at a time: True approves everything that was shown, False declines, None neither."""
        with self.asking:
            yes = self.words()
            for page in pages:
                self.write(f"\n{client}{without_answers(page['text'])}\n")
                self.drop_keys(stop)
                is_last = page["page"] == page["pages"]
                answer: str | None = None
                while answer != "" or is_last:
                    self.write(
                        f"[{yes[0]}/n] "
                        if is_last
                        else f"Page {page['page']} of {page['pages']}: Enter for the next, n for no: "
                    )
                    answer = self.line(stop)
                    if answer is None:
                        self.write("\n(The question was withdrawn.)\n")
                        self.withdrawn = time.monotonic()
                        return None
                    if answer in ("n", "no"):
                        return False
                    if is_last and answer in yes:
                        return True
        return None

    def words(self) -> tuple[str, ...]:
        """Returns the text that approves. After a question that was withdrawn it is a word that nobody can have typed for that one."""
        if time.monotonic() - self.withdrawn < RECENT:
            self.write(
                "\nThe question above was withdrawn. This is another one, and its yes is another word.\n"
            )
            return ("".join(secrets.choice(LETTERS) for _ in range(2)),)
        return ("y", "yes")

    def write(self, text: str) -> None:
        rest = text.encode()
        while rest:
            rest = rest[os.write(self.file, rest) :]

    def drop_keys(self, stop: threading.Event) -> None:
        """Drops keys that were typed before a page could be read."""
        stop.wait(PAUSE)
        # Also of a line that was begun.
        termios.tcflush(self.file, termios.TCIFLUSH)

    def line(self, stop: threading.Event) -> str | None:
        """Returns the line that a person types; None when the answer is no longer needed, or the terminal is gone."""
        typed = b""
        while not typed.endswith(b"\n"):
            if stop.is_set():
                return None
            if select.select([self.file], [], [], 0.2)[0]:
                try:
                    read = os.read(self.file, 1024)
                except OSError:
                    return None
                if not read:
                    return None
                typed += read
        return typed.decode(errors="replace").strip().lower()


def client_of(call: Call) -> str:
    """Returns a line that says which client asks, where there are several."""
    client, _, _ = call.session.partition(":")
    return f"{client} asks:\n" if client != "client" else ""
