"""What a person is asked before a change, through the client's forms: page by page, and all of it."""

import duckdb
import mcp_types as types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .host import Host

FORM = {"type": "object", "properties": {"approve": {"type": "boolean", "title": "Approve"}}, "required": ["approve"]}
NEXT = {"type": "object", "properties": {"next": {"type": "boolean", "title": "I have read this page"}}, "required": ["next"]}
# The size of a page, and how many pages a person is asked to read; what is longer is refused.
WIDTH, HEIGHT, MAX_PAGES = 100, 60, 20


async def pages_of(host: Host, payload: str, size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[dict] | None:
    """Returns the pages that a person must see; None where there are more than anybody reads."""
    try:
        pages = await host.value("SELECT system.main.approval_pages(?, ?, ?)", payload, *size)
    except duckdb.Error:
        return None
    return pages if len(pages) <= MAX_PAGES else None


def can_ask(ctx) -> bool:
    """Tells whether the client shows questions to a person."""
    return getattr(ctx.session.client_capabilities, "elicitation", None) is not None


async def ask(ctx, params, pages: list[dict]) -> bool | None | types.InputRequiredResult:
    """Shows a person one page after the other: True is a yes to all that was shown, False a no, None neither."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        for page in pages:
            answer = await ctx.session.elicit_form(page["text"], form(page), ctx.request_id)
            if not is_yes(answer, page):
                return False if is_no(answer) else None
        return True
    # Today's protocol returns the question, and the client repeats the call with the answer. What was asked last is
    # known by its proof, which no client can make: each carries on from the page before.
    asked = next((page for page in pages if page["proof"] == params.request_state), None)
    if asked is not None:
        answer = (params.input_responses or {}).get("approval")
        if not is_yes(answer, asked):
            return False if is_no(answer) else None
        if asked["page"] == asked["pages"]:
            return True
    page = pages[asked["page"] if asked else 0]
    question = types.ElicitRequest(params=types.ElicitRequestFormParams(message=page["text"], requested_schema=form(page)))
    return types.InputRequiredResult(input_requests={"approval": question}, request_state=page["proof"])


def is_no(answer: object) -> bool:
    """Tells whether a person has decided against it; who closes a form, or answers something else, has not."""
    if not isinstance(answer, types.ElicitResult):
        return False
    return answer.action == "decline" or (answer.action == "accept" and answer.content == {"approve": False})


def form(page: dict) -> dict:
    return FORM if page["page"] == page["pages"] else NEXT


def is_yes(answer: object, page: dict) -> bool:
    wanted = {"approve": True} if page["page"] == page["pages"] else {"next": True}
    return isinstance(answer, types.ElicitResult) and answer.action == "accept" and answer.content == wanted
