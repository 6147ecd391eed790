"""How a person is asked: the parts shared by the forms of a client, the terminal and the web page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

import anyio
import mcp_types as types

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from .host import Host

    Context = ServerRequestContext[Any, Any]

# A question, with whose answer the client repeats the call, or a refusal; None where the call itself answers.
Instead = types.InputRequiredResult | types.CallToolResult | None
# What a sentence of redline ends with where it can be typed; a form and a web page have buttons instead.
TYPED_ANSWERS = "[y/n]"
# Questions of one client that wait for the terminal, or on the page.
MAX_QUESTIONS = 16
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

    @property
    def approval_id(self) -> str:
        approval_id: str = json.loads(self.payload)["approval_id"]
        return approval_id


class Wait:
    """A question for which calls wait: whether it has ended, and with what the call is answered."""

    def __init__(self) -> None:
        self.ended, self.is_answered = anyio.Event(), False
        self.instead: Instead = None


class Shares:
    """The questions for which calls wait: equal calls share one wait, and each client has so many questions."""

    def __init__(self, where: str) -> None:
        self.too_many = f"too_large: {MAX_QUESTIONS} calls of this client wait for the person {where}. Call again when they are decided on."
        self.waits: dict[tuple[str, str], Wait] = {}

    async def once(self, call: Call, ask: Callable[[], Awaitable[Instead]]) -> Instead:
        """Asks, or waits for the answer to an equal call; asks in its place where that one was cancelled."""
        key = call.session, call.approval_id
        while (equal := self.waits.get(key)) is not None:
            await equal.ended.wait()
            if equal.is_answered:
                return equal.instead
        if sum(session == call.session for session, _ in self.waits) >= MAX_QUESTIONS:
            return refusal(self.too_many)
        wait = self.waits[key] = Wait()
        try:
            wait.instead = await ask()
            wait.is_answered = True
            return wait.instead
        finally:
            del self.waits[key]
            wait.ended.set()


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
    await host.withdraw(call.approval_id)
    return refusal(text)


def without_answers(text: str) -> str:
    """Returns the text of a page without the answers that only a terminal takes."""
    return text.rstrip().removesuffix(TYPED_ANSWERS).rstrip()
