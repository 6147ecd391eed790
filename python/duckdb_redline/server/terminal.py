"""Approvals at the server's own terminal, for clients that cannot ask: the person answers on /dev/tty, which no client reaches."""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING

import anyio.to_thread
import mcp_types as types

from .approver import Call, Instead, Page, too_long, without_answers
from .host import Host

if TYPE_CHECKING:
    from .approver import Context

# What a page may have at least, and what a question needs below it.
LEAST_WIDTH, LEAST_HEIGHT, BELOW = 40, 10, 3


class Terminal:
    """The terminal that controls the server's process."""

    def __init__(self, host: Host, path: str = "/dev/tty") -> None:
        """Opens it; an OSError says that the process has none."""
        self.host = host
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self.asking = threading.Lock()

    def can_ask(self, context: Context) -> bool:
        return True

    async def ask(self, context: Context, params: types.CallToolRequestParams, call: Call) -> Instead:
        """Asks in a thread; a call that is cancelled withdraws its question."""
        pages = await self.host.pages(call.payload, *self.size())
        if pages is None:
            return too_long()
        stop = threading.Event()
        try:
            answer = await anyio.to_thread.run_sync(self.answer, pages, stop, abandon_on_cancel=True)
        finally:
            stop.set()
        if answer:
            await self.host.approve(call.payload, "once", pages[-1]["proof"])
        elif answer is False:
            await self.host.decline(call.payload)
        return None

    def size(self) -> tuple[int, int]:
        """Returns the columns and lines that a page may have."""
        columns, lines = os.get_terminal_size(self.file)
        return min(max(columns, LEAST_WIDTH), 200), max(lines - BELOW, LEAST_HEIGHT)

    def answer(self, pages: list[Page], stop: threading.Event) -> bool | None:
        """Shows all pages, one question at a time: True is a yes to all that was shown, False a no, None neither."""
        with self.asking:
            for page in pages:
                self.write(f"\n{without_answers(page['text'])}")
                while True:
                    is_last = page["page"] == page["pages"]
                    self.write("\n[y/n] " if is_last else f"\nPage {page['page']} of {page['pages']}: Enter for the next, n for no: ")
                    answer = self.line(stop)
                    if answer is None:
                        self.write("\n(The question was withdrawn.)\n")
                        return None
                    if answer in ("n", "no"):
                        self.write("Declined.\n")
                        return False
                    if is_last and answer in ("y", "yes"):
                        self.write("Approved.\n")
                        return True
                    if not is_last and answer == "":
                        break
        return None

    def write(self, text: str) -> None:
        rest = text.encode()
        while rest:
            rest = rest[os.write(self.file, rest) :]

    def line(self, stop: threading.Event) -> str | None:
        """Returns what a person types; None when nobody waits for it any more, or the terminal is gone."""
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
