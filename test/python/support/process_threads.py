"""The threads of this process, as Linux lists them; elsewhere none are listed."""

import glob
import pathlib
import threading
from collections.abc import Callable

import duckdb
import waiting


def let_work(con: duckdb.DuckDBPyConnection, count: int) -> duckdb.DuckDBPyConnection:
    """Has so many threads of DuckDB work on queries: the one that asks, and its own."""
    return con.execute(f"SET external_threads = 1; SET threads = {count}")


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
    # The list still has a thread that was joined just now.
    waiting.until(
        lambda: count() <= before, lambda: f"{count()} threads, {before} before the query"
    )


def assert_none_named(name: str) -> None:
    """Fails when a thread of that name stays."""
    waiting.until(lambda: name not in names(), lambda: f"there still is a thread '{name}'")


def named_during(work: Callable[[], object]) -> set[str]:
    """Returns the names of the threads that there are while another thread does the work."""
    seen, running = set(), threading.Thread(target=work)
    running.start()
    while running.is_alive():
        seen.update(names())
        # The work needs the processor, too.
        running.join(0.001)
    return seen
