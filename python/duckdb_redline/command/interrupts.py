"""Ctrl-C: the command ends within a second, with one line, also while DuckDB waits for a function that it cannot interrupt."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

EXIT_CODE = 128 + signal.SIGINT
# Seconds in which Python ends the command itself: it does so between two steps of DuckDB.
GRACE_SECONDS = 0.4
# What DuckDB raises where Python has raised KeyboardInterrupt.
WORDS_OF_DUCKDB = "Query interrupted"


class Interrupts:
    """The signal SIGINT, as far as this process heeds it."""

    def __init__(self) -> None:
        # Set while the command runs a step of Python's that ends it, or a pager that has the terminal.
        self.heeded = threading.Event()
        self.paging = False

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Ends the process where an interrupt is not heeded; a thread looks, since the signal only sets a flag of Python's."""
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        ):
            yield
            return
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        watcher = threading.Thread(target=self.watch, args=(reading,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            os.close(writing)
            self.heeded.set()
            watcher.join()
            os.close(reading)

    def watch(self, reading: int) -> None:
        while numbers := os.read(reading, 64):
            if signal.SIGINT not in numbers:
                continue
            if self.paging:
                # Until the person leaves the pager, it has the terminal.
                with contextlib.suppress(ChildProcessError):
                    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            if not self.heeded.wait(GRACE_SECONDS):
                end()
            self.heeded.clear()

    @contextlib.contextmanager
    def in_pager(self) -> Iterator[None]:
        self.paging = True
        try:
            yield
        finally:
            self.paging = False


INTERRUPTS = Interrupts()


def is_interrupt(error: BaseException) -> bool:
    """Tells whether a person has interrupted the work: Python says so, or DuckDB or click in its place."""
    return (
        isinstance(error, KeyboardInterrupt)
        or isinstance(error.__context__, KeyboardInterrupt)
        or (isinstance(error, RuntimeError) and WORDS_OF_DUCKDB in str(error))
    )


def end() -> None:
    """Ends the process at once, with the line of an interrupt and the terminal as it was."""
    # What a progress line has left, and colours.
    restored = b"\r\x1b[K\x1b[0m" if sys.stderr.isatty() else b""
    os.write(2, restored + b"redline: interrupted\n")
    os._exit(EXIT_CODE)
