"""Waits for what a test names, on a machine however busy."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

# Far longer than anything takes that comes at all.
SECONDS = 120.0


def until(is_so: Callable[[], Found], otherwise: Callable[[], str] = lambda: "") -> Found:
    """Waits until something is found or so, and returns it; fails where it never comes."""
    deadline = time.monotonic() + SECONDS
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"it never came: {otherwise()}"
        time.sleep(0.02)
    return found


def until_worked(seconds: float) -> None:
    """Waits until the threads of this process have worked for so long, which they do while the query of one runs."""
    wanted = time.process_time() + seconds
    until(lambda: time.process_time() >= wanted)
