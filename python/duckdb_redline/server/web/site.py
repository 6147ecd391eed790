"""The site: its addresses, and the answer of each."""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qs

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..approver import Call
from ..host import Host
from . import pages
from .elements import style_of
from .question import View, Waiting, is_stale, view, waiting, waiting_ids, whole
from .seals import Seals, is_same

HEADERS = {
    # No script at all, nothing from elsewhere, forms to this site alone, and no frame around it.
    "content-security-policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    # To no other site. With no-referrer a browser would hide the origin of this site's own forms from it.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
# What a form may have at most, and how long it may take; how long `next` waits for something to decide on.
MAX_FORM_BYTES, MAX_FORM_SECONDS, MAX_WAIT_SECONDS = 4096, 10.0, 20.0
# How often it is looked whether the questions of calls that wait still do.
LOOK_SECONDS = 5
# Views that are kept.
MAX_VIEWS = 4
FORM = "application/x-www-form-urlencoded"

Answer = Callable[[Request], Awaitable[Response]]


class Site:
    """The pages of one host. Any holder of the token can decide."""

    def __init__(self, host: Host, token: str) -> None:
        self.host, self.token, self.seals = host, token, Seals()
        self.answered: dict[str, anyio.Event] = {}
        self.asked = anyio.Event()
        # One at a time: an older list that came later would void what a newer one has shown.
        self.listing, self.deciding = anyio.Lock(), anyio.Lock()
        self.views: dict[tuple[Waiting, bool], View] = {}
        # When each question was first seen to wait.
        self.since: dict[str, float] = {}
        # What is done when a browser first comes here.
        self.reached: Callable[[], object] = lambda: None

    def app(self) -> Starlette:
        answers = {
            "": self.overview,
            "next": self.next,
            "change": self.change,
            "style.css": self.style,
        }
        routes = [
            Route(f"/{{token}}/{name}", self.guarded(answer), methods=["GET"])
            for name, answer in answers.items()
        ]
        routes.append(Route("/{token}/decide", self.guarded(self.decide), methods=["POST"]))
        return Starlette(routes=routes)

    def guarded(self, answer: Answer) -> Answer:
        """Answers only requests with the token."""

        async def answered(request: Request) -> Response:
            is_known = is_same(request.path_params["token"], self.token)
            if is_known:
                self.reached()
            return (
                await answer(request)
                if is_known
                else PlainTextResponse("There is no such page.\n", 404)
            )

        return answered

    async def waiting(self) -> list[Waiting]:
        async with self.listing:
            found = await waiting(self.host)
            self.keep([one.approval_id for one in found])
        return self.aged(found)

    async def ids(self) -> list[str]:
        """Returns the ids of what waits, without the payloads."""
        async with self.listing:
            found = await waiting_ids(self.host)
            self.keep(found)
        return found

    def keep(self, ids: list[str]) -> None:
        """Forgets what no longer waits."""
        now = time.monotonic()
        self.seals.keep(ids)
        self.since = {name: self.since.get(name, now) for name in ids}

    def aged(self, found: list[Waiting]) -> list[Waiting]:
        now = time.monotonic()
        return [replace(one, age=now - self.since.get(one.approval_id, now)) for one in found]

    async def overview(self, request: Request) -> Response:
        found = await self.waiting()
        response = html(
            await anyio.to_thread.run_sync(pages.overview, found, request.query_params.get("said"))
        )
        if not found:
            response.headers["refresh"] = "1; url=next"
        return response

    async def next(self, request: Request) -> Response:
        """Answers as soon as something waits, or that nothing does after a while."""
        with anyio.move_on_after(MAX_WAIT_SECONDS):
            while (asked := self.asked) and not await self.ids():
                await asked.wait()
        return redirect("./")

    async def change(self, request: Request) -> Response:
        asked = request.query_params
        question = await self.find(asked.get("id", ""))
        if question is None or await is_stale(self.host, question):
            return await self.gone(question)
        whole = asked.get("view") == "whole"
        shown = await self.view(question, whole)
        text = asked.get("part", "1")
        part = int(text) if text.isdecimal() and len(text) < 9 else 1
        # A part is shown after all parts before it.
        is_next = 1 < part <= pages.count_parts(shown) and is_same(
            asked.get("after", ""), self.seals.part(question, shown, part - 1)
        )
        drawn = functools.partial(
            pages.change, question, shown, self.seals, part if is_next else 1, whole
        )
        return html(await anyio.to_thread.run_sync(drawn))

    async def problem_of(self, call: Call) -> str | None:
        """Returns why a change cannot be shown whole, and so not be approved; the agent's share pays for it."""
        question = Waiting("", "", call.session, call.payload)
        return (await view(functools.partial(self.host.called, call.session), question)).problem

    async def view(self, question: Waiting, is_whole: bool) -> View:
        """Returns a view; the last few are kept, since a change of many parts is asked for as often."""
        key = question, is_whole
        if key not in self.views:
            shown = await whole(self.host, question) if is_whole else question
            made = await view(self.host.value, shown)
            self.views = dict([*self.views.items(), (key, made)][-MAX_VIEWS:])
            return made
        return self.views[key]

    async def decide(self, request: Request) -> Response:
        sent = await form_of(request)
        if isinstance(sent, Response):
            return sent
        async with self.deciding:
            question = await self.find(sent.get("id", ""))
            answer, scope = sent.get("answer", ""), sent.get("scope", "once")
            if question is None:
                return await self.gone(None)
            if answer not in ("yes", "no") or scope not in pages.SCOPES:
                return PlainTextResponse("The form is not one of this page.\n", 400)
            # The seal is that of the shown payload, and permits a yes only if all of it was shown.
            if not is_same(sent.get("seal", ""), self.seals.answer(question, answer)):
                return await self.gone(None)
            if await is_stale(self.host, question):
                return await self.gone(question)
            is_done = await (
                self.approve(question, scope)
                if answer == "yes"
                else self.host.decline(question.payload)
            )
            if not is_done:
                return await self.gone(question)
            self.end(question)
        return redirect(f"./?said={'approved' if answer == 'yes' else 'declined'}")

    async def approve(self, question: Waiting, scope: str) -> bool:
        proven = await self.host.pages(question.payload, 80, 100_000, most=None)
        return proven is not None and await self.host.approve(
            question.payload, scope, proven[-1]["proof"]
        )

    async def find(self, approval_id: str) -> Waiting | None:
        found = self.aged(await waiting(self.host, approval_id))
        return found[0] if found else None

    async def gone(self, question: Waiting | None) -> Response:
        """Answers that a question is none any more, and drops one whose file has changed."""
        if question is not None:
            await self.host.withdraw(question.approval_id)
            self.end(question)
        found = await self.waiting()
        return html(await anyio.to_thread.run_sync(pages.overview, found, "gone"), 409)

    def end(self, question: Waiting) -> None:
        """Voids the forms of a question, and lets the calls that wait for it go on."""
        self.seals.void(question)
        self.answered.pop(question.approval_id, anyio.Event()).set()

    async def answer_to(self, approval_id: str) -> None:
        """Announces a question, and returns when it was answered, or waits no longer."""
        event = self.answered.setdefault(approval_id, anyio.Event())
        self.asked.set()
        self.asked = anyio.Event()
        await event.wait()

    async def watch(self) -> None:
        """Ends the waits for what waits no longer: what other sessions propose, its time or a withdrawal may end it without an answer."""
        while True:
            asked = self.asked
            if self.answered:
                left = set(await self.ids())
                for name in [name for name in self.answered if name not in left]:
                    self.answered.pop(name).set()
            with anyio.move_on_after(LOOK_SECONDS if self.answered else None):
                await asked.wait()

    async def style(self, request: Request) -> Response:
        return Response(style_of(__package__), media_type="text/css")


class WithHeaders:
    """Gives every answer, refusals too, the headers above."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, sending)


def html(text: bytes, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html")


def redirect(path: str) -> Response:
    return RedirectResponse(path, 303)


async def form_of(request: Request) -> dict[str, str] | Response:
    """Returns the fields of a form, each once; or the refusal of an invalid one."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return PlainTextResponse("This is no form.\n", 415)
    body = b""
    with anyio.move_on_after(MAX_FORM_SECONDS) as limit:
        try:
            async for part in request.stream():
                body += part
                if len(body) > MAX_FORM_BYTES:
                    return PlainTextResponse(
                        "The form is too large.\n", 413, {"connection": "close"}
                    )
        except ClientDisconnect:
            return PlainTextResponse("The form did not come to its end.\n", 400)
    if limit.cancelled_caught:
        return PlainTextResponse("The form took too long.\n", 408, {"connection": "close"})
    try:
        fields = parse_qs(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=8
        )
    except ValueError:
        return PlainTextResponse("This is no form.\n", 400)
    if any(len(given) != 1 for given in fields.values()):
        return PlainTextResponse("Duplicate field.\n", 400)
    return {name: given[0] for name, given in fields.items()}
