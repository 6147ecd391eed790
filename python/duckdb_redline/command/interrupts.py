"""Ctrl-C and its like: the command ends within a second, with one line, also while DuckDB waits for a function that it cannot interrupt."""

import contextlib
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

# What ends a command, each with the word for it; the exit code is 128 and the number.
WORDS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}
if hasattr(signal, "SIGHUP"):  # Windows has none.
    WORDS[signal.SIGHUP] = "hung up"
# Seconds in which Python ends the command itself: it does so between two steps of DuckDB.
GRACE_SECONDS = 0.4
# The same where redline is asked to end its work, which takes it up to a second; and at a prompt, which is not ended
# as long as it may go on.
STOPPING_SECONDS, PROMPT_SECONDS = 0.8, 5.0
# What DuckDB raises where Python has raised KeyboardInterrupt.
WORDS_OF_DUCKDB = "Query interrupted"


class Interrupts:
    """The signals that end the program, as far as it heeds them."""

    def __init__(self) -> None:
        # Where main is called by another program, signals are that program's.
        self.is_program = False
        # The first signal that has come and is not done with.
        self.told: int | None = None
        # Set where a prompt goes on after it.
        self.heeded = threading.Event()
        self.is_over = self.paging = False
        # Ends what a connection does.
        self.stop: Callable[[], None] | None = None
        self.grace = GRACE_SECONDS
        # Directories that do not outlive the program.
        self.made: set[str] = set()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Ends the program where a signal is not heeded; a thread looks, since a signal only sets a flag of Python's."""
        if not self.is_program:
            yield
            return
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        handle(self.raises)
        watcher = threading.Thread(target=self.watch, args=(reading,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            handle(at_once)
            self.is_over = True
            signal.set_wakeup_fd(-1)
            os.close(writing)
            self.heeded.set()
            watcher.join()
            os.close(reading)

    def raises(self, number: int, _: FrameType | None) -> None:
        """Handles a signal in Python: once the program ends, further ones change nothing."""
        if not ENDING.locked():
            self.told = self.told or number
            raise KeyboardInterrupt

    def watch(self, reading: int) -> None:
        while numbers := os.read(reading, 64):
            told = next((number for number in numbers if number in WORDS), None)
            if told is None:
                continue
            if self.paging:
                # Until the person leaves the pager, it has the terminal.
                with contextlib.suppress(ChildProcessError):
                    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            self.told = self.told or told
            if self.stop is not None:
                threading.Thread(target=self.stop, daemon=True).start()
            if not self.heeded.wait(self.grace):
                self.end()
            if self.is_over:
                return
            self.told = None
            self.heeded.clear()

    def stop_by(self, stop: Callable[[], None]) -> None:
        """Lets a signal end what a connection does, and the program only where that takes too long."""
        self.stop, self.grace = stop, STOPPING_SECONDS

    def is_cause(self, error: BaseException) -> bool:
        """Tells whether an error is the end of the command because of a signal."""
        return self.told is not None or is_interrupt(error)

    def end(self) -> NoReturn:
        """Ends the program at once, with a line and the terminal as it was; nothing that is open is closed, which may take long.

        In another program, lets that program handle its signal.
        """
        if not self.is_program:
            raise KeyboardInterrupt
        for path in self.made:
            shutil.rmtree(path, ignore_errors=True)
        end(self.told or signal.SIGINT)

    @contextlib.contextmanager
    def in_pager(self) -> Iterator[None]:
        self.paging = True
        try:
            yield
        finally:
            self.paging = False

    @contextlib.contextmanager
    def temporary_directory(self) -> Iterator[pathlib.Path]:
        """Yields a directory that is removed, also where a signal ends the program."""
        with tempfile.TemporaryDirectory() as made:
            self.made.add(made)
            yield pathlib.Path(made)
        self.made.discard(made)


INTERRUPTS = Interrupts()
# One of two threads ends the program.
ENDING = threading.Lock()


def is_interrupt(error: BaseException) -> bool:
    """Tells whether a person has interrupted the work: Python says so, or DuckDB or click in its place."""
    return (
        isinstance(error, KeyboardInterrupt)
        or isinstance(error.__context__, KeyboardInterrupt)
        or (isinstance(error, RuntimeError) and WORDS_OF_DUCKDB in str(error))
    )


def end(number: int) -> NoReturn:
    ENDING.acquire()
    # What a progress line has left, and colours.
    restored = b"\r\x1b[K\x1b[0m" if os.isatty(2) else b""
    with contextlib.suppress(OSError):
        os.write(2, restored + f"redline: {WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def handle(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Sets the handler of each signal; what the caller lets us ignore, as nohup does, stays ignored."""
    for number in WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def at_once(number: int, _: FrameType | None) -> None:
    """Handles a signal before the command begins, and after its end."""
    if not ENDING.locked():
        end(number)


def run() -> None:
    """Runs the command redline as a program."""
    INTERRUPTS.is_program = True
    handle(at_once)
    for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
        if stream is None:
            # Closed by the caller: what is opened next would have its place.
            with contextlib.suppress(OSError):
                os.write(2, f"redline: {name} is closed\n".encode())
            os._exit(1)
    from .main import main

    try:
        main(prog_name="redline")
    finally:
        # The command is over. The interpreter gives a signal of ours back to the system when it ends, which would end
        # the program by it; what is ignored stays so.
        handle(signal.SIG_IGN)
