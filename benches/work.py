"""What a work of the bench is, and who asks redline."""

import os
from collections.abc import Callable
from typing import NamedTuple

import contestants

# redline on a connection that leaves DuckDB's threads out: a query is run by the thread that asks. With the usual
# setting Python's DuckDB may run it in a thread of its own, and the one that asks takes a processor while it waits.
OWN_THREAD = "own thread"
OWN = {"external_threads": os.cpu_count()}
# redline on a connection that has answered the same before, where "redline" is a new connection each time, of which nothing
# is kept in the process; the disk's cache is warm.
AGAIN = "asked again"


class Work(NamedTuple):
    """One question. A contestant is a function that answers it; the figures say how often as fast as another one
    redline is to be (`git`: 3.0), or in how many seconds it is to be done (`seconds`: 0.02)."""

    title: str
    answers: dict[str, Callable]
    figures: dict[str, float]
    # Makes of an answer what must be redline's, to the last value. It is not measured: a user of git reads what it
    # prints, one of DuckDB rows.
    reads: dict[str, Callable] = {}
    # What the answers need to be there, and is not measured.
    prepare: Callable = lambda: None
    # Who has a run of its own, as what it leaves in the processor's caches slows the others, or as it takes minutes.
    apart: tuple[str, ...] = ("GitPython",)


def asked(con, question: Callable) -> dict[str, Callable]:
    """Returns redline's answers to a question of a connection: the first one of a new connection, and a later one."""
    return {"redline": lambda: contestants.first(question), AGAIN: lambda: question(con)}
