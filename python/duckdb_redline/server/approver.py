"""How a person is asked: the parts shared by the forms of a client, the terminal and the web page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

import mcp_types as types

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from .host import Host

    Context = ServerRequestContext[Any, Any]

# A question, with whose answer the client repeats the call, or a refusal; None where the call itself answers.
Instead = types.InputRequiredResult | types.CallToolResult | None
# What a sentence of redline ends with where it can be typed; a form and a web page have buttons instead.
TYPED_ANSWERS = "[y/n]"
TOO_LONG = (
    "too_large: a person would have to read too many pages to approve this. Propose it in smaller changes, or tell the person "
    "to start the server with --approve web."
)


class Page(TypedDict):
    """A page of a payload, as approval_pages returns it: its proof carries on from the page before."""

    page: int
    pages: int
    text: str
    proof: str


@dataclass(frozen=True)
class Call:
    """A call of an agent that a person must decide on, and the payload that describes it."""

    tool: str
    arguments: str
    session: str
    payload: str


class Approver(Protocol):
    """Asks a person about a call, and tells redline the decision."""

    def can_ask(self, context: Context) -> bool:
        """Tells whether a person can be asked about a call of this client."""
        ...

    async def ask(
        self, context: Context, params: types.CallToolRequestParams, call: Call
    ) -> Instead:
        """Returns when a person has decided, or will not; a result replaces the call's own."""
        ...


def refusal(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


async def refused(host: Host, call: Call, text: str) -> types.CallToolResult:
    """Refuses a call that cannot be shown to a person, and drops it: no person is ever asked about it."""
    await host.withdraw(json.loads(call.payload)["approval_id"])
    return refusal(text)


def without_answers(text: str) -> str:
    """Returns the text of a page without the answers that only a terminal takes."""
    return text.rstrip().removesuffix(TYPED_ANSWERS).rstrip()
