"""What a person is asked before a change, through the client's forms: page by page, and all of it."""

import duckdb
import mcp_types as types
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .host import Host

FORM = {"type": "object", "properties": {"approve": {"type": "boolean", "title": "Approve"}}, "required": ["approve"]}
NEXT = {"type": "object", "properties": {"next": {"type": "boolean", "title": "I have read this page"}}, "required": ["next"]}
# The size of a page, and how many pages a person is asked to read; what is longer is refused.
WIDTH, HEIGHT, MAX_PAGES = 100, 60, 20


async def pages_of(host: Host, payload: str) -> list[dict] | None:
    """Returns the pages that a person must see; None where there are more than anybody reads."""
    try:
        pages = await host.value("SELECT system.main.approval_pages(?, ?, ?)", payload, WIDTH, HEIGHT)
    except duckdb.Error:
        return None
    return pages if len(pages) <= MAX_PAGES else None


async def ask(ctx, params, pages: list[dict]) -> bool | types.InputRequiredResult:
    """Shows a person one page after the other; True is a yes to all that was shown."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        for page in pages:
            if not is_yes(await ctx.session.elicit_form(page["text"], form(page), ctx.request_id), page):
                return False
        return True
    # Today's protocol returns the question, and the client repeats the call with the answer. What was asked last is
    # known by its proof, which no client can make: each carries on from the page before.
    asked = next((page for page in pages if page["proof"] == params.request_state), None)
    if asked is not None:
        if not is_yes((params.input_responses or {}).get("approval"), asked):
            return False
        if asked["page"] == asked["pages"]:
            return True
    page = pages[asked["page"] if asked else 0]
    question = types.ElicitRequest(params=types.ElicitRequestFormParams(message=page["text"], requested_schema=form(page)))
    return types.InputRequiredResult(input_requests={"approval": question}, request_state=page["proof"])


def form(page: dict) -> dict:
    return FORM if page["page"] == page["pages"] else NEXT


def is_yes(answer: object, page: dict) -> bool:
    wanted = {"approve": True} if page["page"] == page["pages"] else {"next": True}
    return isinstance(answer, types.ElicitResult) and answer.action == "accept" and answer.content == wanted
