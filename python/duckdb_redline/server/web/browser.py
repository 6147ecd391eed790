"""Asks on a page in the person's browser."""

from __future__ import annotations

import functools
import pathlib
import secrets
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import anyio
import mcp_types as types

from ..approver import Call, Instead, Shares, refused
from ..host import Host
from ..listening import Guard, Listener, authorities, bound, origin
from .elements import leading_to
from .question import TOO_LARGE
from .site import Site, WithHeaders

if TYPE_CHECKING:
    from ..approver import Context

# How long a call waits for its answer: as long as a proposal does by default. The question stays on the page.
MAX_CALL_SECONDS = 900


class Browser:
    """The page of approvals, at an address that only the person knows."""

    def __init__(self, host: Host) -> None:
        """Takes a port of its own; an OSError says why there is none."""
        token = secrets.token_urlsafe(32)
        self.socket = bound("127.0.0.1", 0)
        self.address = f"{origin(self.socket)}/{token}/"
        self.site = Site(host, token)
        self.shares = Shares("on the page of approvals")

    def can_ask(self, context: Context) -> bool:
        return True

    async def ask(
        self, context: Context, params: types.CallToolRequestParams, call: Call
    ) -> Instead:
        """Waits for the person. A call that is cancelled leaves its question: an answer counts when the call is repeated."""
        return await self.shares.once(call, lambda: self.answered(call))

    async def answered(self, call: Call) -> Instead:
        problem = await self.site.problem_of(call)
        if problem is not None:
            code = "too_large" if problem == TOO_LARGE else "permission_denied"
            return await refused(
                self.site.host, call, f"{code}: {problem} Propose it in smaller changes."
            )
        with anyio.move_on_after(MAX_CALL_SECONDS):
            await self.site.answer_to(call.approval_id)
        return None

    async def serve(self, opens: bool = False) -> None:
        """Serves the page; opens it in the person's browser where that is wanted."""
        print(f"redline-mcp: approve at {self.address}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            if opens:
                leading = open_in_browser(self.address, pathlib.Path(folder))
                # The browser has read it once it has come here.
                self.site.reached = functools.partial(leading.unlink, missing_ok=True)
            app = WithHeaders(Guard(self.site.app(), authorities(self.socket), needs_origin=True))
            async with anyio.create_task_group() as group:
                group.start_soon(self.site.watch)
                await Listener(app).serve([self.socket])
                group.cancel_scope.cancel()


def open_in_browser(address: str, folder: pathlib.Path) -> pathlib.Path:
    """Opens a page through a file that leads to it, so that no list of processes shows the token; returns the file."""
    leading = folder / "redline.html"
    leading.touch(mode=0o600)
    leading.write_bytes(leading_to(address))
    # What a browser prints is not the protocol's.
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-m", "webbrowser", "-t", leading.as_uri()]
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    return leading
