"""What a person is asked through the client's forms: page by page, and all of it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, cast

import mcp_types as types
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .approver import TOO_LONG, Call, Instead, Page, refused, without_answers
from .change import BLOCK_KEY, diff_block
from .host import Host

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
WIDTH, HEIGHT = 100, 60
# Forms that clients of today's protocol answer for one call, by their default.
MAX_ROUNDS = 10


# Open questions of all clients; beyond, the oldest are asked again.
MAX_ASKED = 1024


class Asked:
    """The questions that were asked: each is answered once, and all about a call are void once a person has decided on it."""

    def __init__(self) -> None:
        self.questions: dict[str, tuple[str, str, str]] = {}

    def ask(self, call: Call, page: Page) -> str:
        """Returns the value that the answer to a page must return."""
        name = secrets.token_urlsafe(16)
        self.questions[name] = (call.session, call.payload, page["proof"])
        while len(self.questions) > MAX_ASKED:
            self.questions.pop(next(iter(self.questions)))
        return name

    def answered(self, state: str | None, call: Call, pages: list[Page]) -> Page | None:
        """Returns the page that an answer is to; None where it was answered, or asked about another call."""
        session, payload, proof = self.questions.pop(state or "", ("", "", ""))
        if (session, payload) != (call.session, call.payload):
            return None
        return next((page for page in pages if page["proof"] == proof), None)

    def void(self, call: Call) -> None:
        """Forgets all questions about a call."""
        about = (call.session, call.payload)
        self.questions = {
            name: asked for name, asked in self.questions.items() if asked[:2] != about
        }


class Forms:
    """Asks through the client, which shows forms to its person."""

    def __init__(self, host: Host) -> None:
        self.host, self.asked = host, Asked()

    def can_ask(self, context: Context) -> bool:
        return getattr(context.session.client_capabilities, "elicitation", None) is not None

    async def ask(
        self, context: Context, params: types.CallToolRequestParams, call: Call
    ) -> Instead:
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            # Each form is a round: of a long text they are twice as high.
            pages = await self.host.pages(
                call.payload, WIDTH, HEIGHT, MAX_ROUNDS
            ) or await self.host.pages(call.payload, WIDTH, 2 * HEIGHT, MAX_ROUNDS)
        else:
            pages = await self.host.pages(call.payload, WIDTH, HEIGHT)
        if pages is None:
            return await refused(self.host, call, TOO_LONG)
        answer = await self.answer(context, params, pages, call)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        self.asked.void(call)
        if answer:
            await self.host.approve(call.payload, "once", pages[-1]["proof"])
        elif answer is False:
            await self.host.decline(call.payload)
        return None

    async def answer(
        self, context: Context, params: types.CallToolRequestParams, pages: list[Page], call: Call
    ) -> bool | None | types.InputRequiredResult:
        """Shows one page after the other: True approves everything that was shown, False declines, None neither."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            block = await diff_block(self.host, call)
            for page in pages:
                metadata = ServerMessageMetadata(related_request_id=context.request_id)
                answer = await context.session.send_request(
                    question(page, block if page is pages[0] else None),
                    types.ElicitResult,
                    metadata=metadata,
                )
                if not is_yes(answer, page):
                    return False if is_no(answer) else None
            return True
        # Today's protocol returns the question, and the client repeats the call with the answer.
        asked = self.asked.answered(params.request_state, call, pages)
        if asked is not None:
            given = (params.input_responses or {}).get("approval")
            if not is_yes(given, asked):
                return False if is_no(given) else None
            if asked["page"] == asked["pages"]:
                return True
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
