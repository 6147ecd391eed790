"""Progress of a call: a client that gave a token for it hears every few seconds that its call still waits or works."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from .approver import Context

Answer = TypeVar("Answer")
# Seconds between two notifications, where the command names no others.
SECONDS = 10.0


class Progress:
    """The state of one call, as reported to its client."""

    def __init__(self, context: Context, seconds: float) -> None:
        self.context, self.seconds, self.message = context, seconds, "works"

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Says meanwhile that the call waits for a person."""
        self.message = "waits for a person"
        try:
            yield
        finally:
            self.message = "works"

    async def during(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """Makes a call, and reports until it is answered."""
        failed: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self.report)
            try:
                answer = await call()
            except Exception as error:  # As it is, and not in a group of errors.
                failed = error
            group.cancel_scope.cancel()
        if failed is not None:
            raise failed
        return answer

    async def report(self) -> None:
        """Reports for as long as the client listens; without its token nothing is sent."""
        start = anyio.current_time()
        with contextlib.suppress(Exception):
            while True:
                await anyio.sleep(self.seconds)
                await self.context.session.report_progress(
                    anyio.current_time() - start, message=self.message
                )
