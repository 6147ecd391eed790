"""The waiting change, as a resource that clients with MCP Apps draw next to the call. It is a view: nobody decides in it.

A page inside a client speaks through that client, so a yes of it could not be told from a call of the agent. The person
answers where the host asks: in the client's form, at the terminal, or on the page of --approve web.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from typing import TYPE_CHECKING

import anyio.to_thread
import duckdb
import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps

from . import web
from .approver import Call
from .host import Host
from .web.elements import document, drawn, node, style_of, table
from .web.question import View, Waiting, view

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from .approver import Context

__all__ = ["EXTENSION_ID", "Apps", "client_supports_apps"]

URI = "ui://redline/change.html"
# The calls of one session whose changes may be shown.
MAX_CALLS = 8
# What is drawn of all of them.
MAX_PIECES = 20_000


class Apps:
    """The view of the waiting changes, for the session that asks."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.calls: dict[str, list[Call]] = {}
        self.views: dict[tuple[str, int], View] = {}

    def asked(self, call: Call) -> None:
        """Notes a call that waits for a person."""
        others = [one for one in self.calls.get(call.session, []) if one != call]
        self.calls[call.session] = [*others, call][-MAX_CALLS:]

    def tool(self, context: Context, tool: types.Tool) -> types.Tool:
        """Returns a tool with its view, for a client that draws it."""
        if client_supports_apps(context):
            tool.meta = {**(tool.meta or {}), "ui": {"resourceUri": URI}}
        return tool

    def listed(self, context: Context) -> list[types.Resource]:
        described = types.Resource(
            uri=URI, name="change", title="A change that waits", mime_type=APP_MIME_TYPE
        )
        return [described] if client_supports_apps(context) else []

    async def read(self, session: str) -> types.TextResourceContents:
        page = await self.page(session)
        return types.TextResourceContents(
            uri=URI,
            mime_type=APP_MIME_TYPE,
            text=page.decode(),
            _meta={"ui": {"prefersBorder": True}},
        )

    async def page(self, session: str) -> bytes:
        """Returns the parts of its waiting changes that this session may see: the agent's payload, never the host's."""
        query = "SELECT approval_id FROM system.main.pending_approvals(?)"
        left = {one for (one,) in await self.host.called_rows(session, query, self.host.key)}
        calls = [call for call in self.calls.get(session, []) if call.approval_id in left]
        self.calls[session] = calls
        shown: list[tuple[View, bool]] = []
        pieces = MAX_PIECES
        for call in reversed(calls):
            if (one := await self.shown(call, max(1, pieces))) is not None:
                shown.append(one)
                pieces -= sum(row.size for part in one[0].parts for row in part)
        # Nobody waits while it is drawn.
        return await anyio.to_thread.run_sync(drawn_page, shown)

    async def shown(self, call: Call, most: int) -> tuple[View, bool] | None:
        """Returns the view of a change, and whether it is hidden from its agent; None where it waits no longer."""
        ask = functools.partial(self.host.called, call.session)
        try:
            asked = call.tool, call.arguments, call.session
            seen = await ask("SELECT system.main.needs_approval(?, ?, ?)", *asked)
        except duckdb.Error:
            return None
        if seen is None or "description" not in (fields := json.loads(str(seen))):
            return None
        key = str(seen), most
        if key not in self.views:
            question = Waiting("", fields["description"], call.session, key[0])
            self.views = dict(list(self.views.items())[1 - MAX_CALLS :])
            self.views[key] = await view(ask, question, most)
        return self.views[key], fields["type"] == "hidden"


def drawn_page(shown: list[tuple[View, bool]]) -> bytes:
    title = "Waits for a person" if shown else "Nothing waits"
    note = "This is a view. The person decides where the host asks: in a form of the client, or beside it."
    parts = [element for change, is_hidden in shown for element in drawn_change(change, is_hidden)]
    return document(
        title,
        node("h1", title),
        node("p", role="status"),
        *parts,
        node("p", note),
        inline=(style_of(web.__name__), asset("app.js")),
    )


def drawn_change(change: View, is_hidden: bool) -> list[Element]:
    heading = node("h2", drawn(change.title))
    if is_hidden:
        return [heading, node("p", "What the file holds is shown to the person alone.")]
    rows = [row for part in change.parts for row in part]
    table_of = [table(rows, "The change", change.has_old)] if rows else []
    return [
        heading,
        *(node("p", drawn(text), class_="warning") for text in change.warnings),
        *table_of,
    ]


def asset(name: str) -> str:
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
