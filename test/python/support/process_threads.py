"""The threads of this process, as Linux lists them; elsewhere none are listed."""

import glob
import pathlib
import time

# Seconds until threads that end have left the list: it still has one that was joined just now.
PROMPTLY = 3.0


def names() -> list[str]:
    """Returns the names of the threads; one that ends meanwhile has none."""
    found = []
    for path in glob.glob("/proc/self/task/*/comm"):
        try:
            found.append(pathlib.Path(path).read_text().strip())
        except OSError:
            pass
    return found


def count() -> int:
    return len(names())


def assert_ended(before: int) -> None:
    """Fails when threads outlive a query before which there were so many. DuckDB's own pool has its size by then."""
    deadline = time.monotonic() + PROMPTLY
    while (now := count()) > before:
        assert time.monotonic() < deadline, f"{now} threads, {before} before the query"
        time.sleep(0.01)


def assert_none_named(name: str) -> None:
    """Fails when a thread of that name stays."""
    deadline = time.monotonic() + PROMPTLY
    while name in names():
        assert time.monotonic() < deadline, f"there still is a thread '{name}'"
        time.sleep(0.01)
