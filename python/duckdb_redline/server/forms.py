"""What a person is asked through the client's forms: page by page, and all of it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .approver import TOO_LONG, Call, Instead, Page, refusal, refused, without_answers
from .change import BLOCK_KEY, diff_block
from .host import MAX_PAGES, Host

if TYPE_CHECKING:
    from .approver import Context

FORM: dict[str, object] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Approve"}},
    "required": ["approve"],
}
NEXT: dict[str, object] = {
    "type": "object",
    "properties": {"next": {"type": "boolean", "title": "I have read this page"}},
    "required": ["next"],
}
# Clients indent a form by two columns and wrap what is wider than they are: no row is padded, and none needs more than 74.
WIDTH, HEIGHT = 72, 60
# Forms that clients of today's protocol answer for one call, by their default.
MAX_ROUNDS = 10
# Open questions of one client; beyond, its oldest are asked again.
MAX_ASKED = 64
# Seconds in which nobody reads a form; and, of a client that has answered one in that time and none later, the next ones.
UNREAD, UNREAD_AGAIN = 0.2, 2.0
BY_ITSELF = (
    "permission_denied: this client answers questions by itself; start redline-mcp with --approve web or terminal. No person has "
    "decided on this change: tell the person."
)


@dataclass(frozen=True)
class Question:
    """A form that is open: the call and the page that it is about, and when it was asked."""

    payload: str
    proof: str
    since: float


class Asked:
    """The questions that were asked: each is answered once, and all about a call are void once a person has decided on it."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        # By session: no client voids a question of another.
        self.questions: dict[str, dict[str, Question]] = {}

    def ask(self, call: Call, page: Page) -> str:
        """Returns the value that the answer to a page must return; a call that is repeated has the same."""
        questions = self.questions.setdefault(call.session, {})
        about = (call.payload, page["proof"])
        same = (name for name, one in questions.items() if (one.payload, one.proof) == about)
        name = next(same, None) or secrets.token_urlsafe(16)
        questions[name] = Question(*about, self.now())
        while len(questions) > MAX_ASKED:
            questions.pop(next(iter(questions)))
        return name

    def answered(
        self, state: str | None, call: Call, pages: list[Page]
    ) -> tuple[Page, float] | None:
        """Returns the page that an answer is to, and after how many seconds it came; None where it was answered, or asked about another call."""
        asked = self.questions.get(call.session, {}).pop(state or "", None)
        if asked is None or asked.payload != call.payload:
            return None
        page = next((page for page in pages if page["proof"] == asked.proof), None)
        return None if page is None else (page, self.now() - asked.since)

    def void(self, call: Call) -> None:
        """Forgets all questions about a call."""
        questions = self.questions.get(call.session, {})
        left = {name: one for name, one in questions.items() if one.payload != call.payload}
        self.questions[call.session] = left


class Readers:
    """Which answers a person may have given. Clients without one decline or cancel by themselves, most within milliseconds.

    A yes is not asked when it came: a client that gives it by itself was told to, and is trusted (docs/approving.md).
    """

    def __init__(self) -> None:
        self.without: set[str] = set()

    def is_unread(self, session: str, seconds: float) -> bool:
        """Notes an answer; tells whether it came before anybody can have read the form."""
        is_unread = seconds < (UNREAD_AGAIN if session in self.without else UNREAD)
        (self.without.add if is_unread else self.without.discard)(session)
        return is_unread


class Forms:
    """Asks through the client, which shows forms to its person; `now` is a clock in seconds."""

    def __init__(self, host: Host, now: Callable[[], float] = time.monotonic) -> None:
        self.host, self.now = host, now
        self.asked, self.readers = Asked(now), Readers()

    def can_ask(self, context: Context) -> bool:
        return getattr(context.session.client_capabilities, "elicitation", None) is not None

    async def ask(
        self, context: Context, params: types.CallToolRequestParams, call: Call
    ) -> Instead:
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            # Each form is a round: of a long text they are twice as high.
            pages = await self.pages(call, HEIGHT, MAX_ROUNDS) or await self.pages(
                call, 2 * HEIGHT, MAX_ROUNDS
            )
        else:
            pages = await self.pages(call, HEIGHT, MAX_PAGES)
        if pages is None:
            return await refused(self.host, call, TOO_LONG)
        answer = await self.answer(context, params, pages, call)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        self.asked.void(call)
        if isinstance(answer, types.CallToolResult):
            return answer
        if answer:
            await self.host.approve(call.payload, "once", pages[-1]["proof"])
        elif answer is False:
            await self.host.decline(call.payload)
        return None

    async def pages(self, call: Call, height: int, most: int) -> list[Page] | None:
        return await self.host.pages(
            call.payload, WIDTH, height, most, frame=False, session=call.session
        )

    async def answer(
        self, context: Context, params: types.CallToolRequestParams, pages: list[Page], call: Call
    ) -> bool | Instead:
        """Shows one page after the other: True approves everything that was shown, False declines, None neither."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            block = await diff_block(self.host, call)
            for page in pages:
                metadata = ServerMessageMetadata(related_request_id=context.request_id)
                since = self.now()
                try:
                    answer = await context.session.send_request(
                        question(page, block if page is pages[0] else None),
                        types.ElicitResult,
                        metadata=metadata,
                    )
                except MCPError:  # It has shown nothing.
                    return refusal(BY_ITSELF)
                decision = self.decision(answer, page, call, self.now() - since)
                if decision is not True:
                    return decision
            return True
        # Today's protocol returns the question, and the client repeats the call with the answer.
        answered = self.asked.answered(params.request_state, call, pages)
        asked = answered[0] if answered else None
        if answered is not None and asked is not None:
            given = (params.input_responses or {}).get("approval")
            decision = self.decision(given, asked, call, answered[1])
            if decision is not True or asked["page"] == asked["pages"]:
                return decision
        page = pages[asked["page"] if asked else 0]
        # It comes once, with the first page.
        block = await diff_block(self.host, call) if page is pages[0] else None
        # Today's protocol has no `_meta` in a form: its data is next to it.
        beside = None if block is None else {BLOCK_KEY: block}
        return types.InputRequiredResult(
            input_requests={"approval": question(page, None)},
            request_state=self.asked.ask(call, page),
            _meta=beside,
        )

    def decision(self, answer: object, page: Page, call: Call, seconds: float) -> bool | Instead:
        """Returns what an answer to a page means: True to go on, False for a no, None for neither, a refusal where no person gave it."""
        is_unread = self.readers.is_unread(call.session, seconds)
        if is_yes(answer, page):
            return True
        if is_unread:
            return refusal(BY_ITSELF)
        return False if is_no(answer) else None


def question(page: Page, block: dict[str, object] | None) -> types.ElicitRequest:
    """Returns the form of a page; a client that draws diffs finds the change next to it."""
    params = types.ElicitRequestFormParams(
        message=without_answers(page["text"]), requested_schema=form(page)
    )
    if block is not None:
        params.meta = cast(types.RequestParamsMeta, {BLOCK_KEY: block})
    return types.ElicitRequest(params=params)


def is_no(answer: object) -> bool:
    """Tells whether a person has decided against it; closing a form, or another answer, does not count."""
    if not isinstance(answer, types.ElicitResult):
        return False
    return answer.action == "decline" or (
        answer.action == "accept" and answer.content == {"approve": False}
    )


def form(page: Page) -> dict[str, object]:
    return FORM if page["page"] == page["pages"] else NEXT


def is_yes(answer: object, page: Page) -> bool:
    wanted = {"approve": True} if page["page"] == page["pages"] else {"next": True}
    return (
        isinstance(answer, types.ElicitResult)
        and answer.action == "accept"
        and answer.content == wanted
    )
