"""The waiting change, as a resource that clients with MCP Apps draw next to the call. It is a view: nobody decides in it.

A page inside a client speaks through that client, so a yes of it could not be told from a call of the agent. The person
answers where the host asks: in the client's form, at the terminal, or on the page of --approve web.
"""

from __future__ import annotations

import importlib.resources
import json
from typing import TYPE_CHECKING

import duckdb
import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps

from . import web
from .approver import Call
from .host import Host
from .web.elements import document, node, style_of, table, visible
from .web.pages import PART_ROWS, warnings
from .web.question import View, Waiting, view, waiting

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from .approver import Context

__all__ = ["EXTENSION_ID", "Apps", "client_supports_apps"]

URI = "ui://redline/change.html"
# The calls of one session whose changes may be shown.
MAX_CALLS = 8


class Apps:
    """The view of the waiting changes, for the session that asks."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.calls: dict[str, list[Call]] = {}
        self.views: dict[Waiting, View] = {}

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
        left = {question.approval_id for question in await waiting(self.host)}
        parts: list[Element] = []
        calls = [
            call
            for call in self.calls.get(session, [])
            if json.loads(call.payload)["approval_id"] in left
        ]
        self.calls[session] = calls
        for call in reversed(calls):
            parts += await self.shown(call)
        title = "Waits for a person" if parts else "Nothing waits"
        note = "This is a view. The person decides where the host asks: in a form of the client, or beside it."
        status = node("p", role="status")
        return document(
            title,
            node("h1", title),
            status,
            *parts,
            node("p", note),
            inline=(style_of(web.__name__), asset("app.js")),
        )

    async def shown(self, call: Call) -> list[Element]:
        try:
            asked = call.tool, call.arguments, call.session
            seen = await self.host.called(
                call.session, "SELECT system.main.needs_approval(?, ?, ?)", *asked
            )
        except duckdb.Error:
            return []
        fields = json.loads(str(seen)) if seen is not None else {}
        if "description" not in fields:
            return []
        heading = node("h2", visible(fields["description"]))
        if fields["type"] == "hidden":
            return [heading, node("p", "What the file holds is shown to the person alone.")]
        question = Waiting(fields["approval_id"], fields["description"], call.session, str(seen))
        change = await self.view(question)
        rows = list(change.rows)
        more = f"Only the first {PART_ROWS} rows are shown." if change.is_cut else None
        drawn = [table(rows, "The change", change.has_old)] if rows else []
        return [
            heading,
            *warnings(question, change),
            *drawn,
            *([node("p", more, class_="warning")] if more else []),
        ]

    async def view(self, question: Waiting) -> View:
        """Returns the first rows of a change; the last few views are kept."""
        if question not in self.views:
            self.views = dict(list(self.views.items())[1 - MAX_CALLS :])
            self.views[question] = await view(self.host, question, whole=False, most=PART_ROWS)
        return self.views[question]


def asset(name: str) -> str:
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
