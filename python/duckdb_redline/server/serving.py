"""Serves until the last client has gone: the protocol on its transport, and the page of approvals."""

from __future__ import annotations

import argparse
import functools
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from mcp.server.lowlevel import Server

from .approver import Approver
from .forms import Forms
from .host import Host
from .opening import Opening
from .protocol import make_server, one_session, serve_stdio
from .query import Queries

# A server, which runs until it is cancelled, or the last client has gone.
Runner = Callable[[], Coroutine[Any, Any, None]]


class Refused(Exception):
    """The request cannot be served; the text is the reason."""


def make_runner(
    host: Host, queries: Queries | None, given: argparse.Namespace, opening: Opening | None = None
) -> Runner:
    """Returns the server, with everything open that it needs; raises Refused if that is not possible.

    Over stdio it goes on where the opening of its client has ended.
    """
    page_runner: Runner | None = None
    approver: Approver = Forms(host)
    if given.approve == "terminal":
        from .terminal import Terminal

        try:
            approver = Terminal(host)
        except OSError as error:
            raise Refused(f"--approve terminal: this process has no terminal ({error})") from error
    elif given.approve == "web":
        from .web.browser import Browser

        approver = page = Browser(host)

        async def run_page() -> None:
            await page.serve(given.open)

        page_runner = run_page
    make = functools.partial(
        make_server,
        host,
        approver,
        structured=given.structured,
        queries=queries,
        progress_seconds=given.progress,
        max_bytes=given.max_bytes,
    )
    protocol = over_http(make, given) if given.http is not None else on_stdio(make, opening)

    async def run() -> None:
        async with anyio.create_task_group() as group:
            if page_runner is not None:
                group.start_soon(page_runner)
            group.start_soon(until_terminated, group.cancel_scope)
            if queries is not None:
                group.start_soon(queries.open)
            try:
                await protocol()
            finally:
                if queries is not None:
                    await queries.close()
            group.cancel_scope.cancel()

    return run


async def until_terminated(scope: anyio.CancelScope) -> None:
    """Ends the server on SIGTERM, as when the last client has gone."""
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


def on_stdio(make: Callable[..., Server[Any]], opening: Opening | None) -> Runner:
    server = make(one_session())

    async def run() -> None:
        await serve_stdio(server, opening)

    return run


def over_http(make: Callable[..., Server[Any]], given: argparse.Namespace) -> Runner:
    from .listening import bound
    from .over_http import place, serve_http, tokens_of

    if (given.write or given.commit) and given.approve == "client":
        print(
            "redline-mcp: any holder of a token can answer for the person: only the client asks for approvals",
            file=sys.stderr,
            flush=True,
        )
    try:
        address, port = place(given.http)
        tokens = tokens_of(given.token_file)
        listening = bound(address, port)
    except (OSError, ValueError) as error:
        raise Refused(f"--http: {error}") from error
    server = make(tokens.session_of)

    async def run() -> None:
        await serve_http(server, tokens, listening)

    return run
