"""Memory that is refused: whichever large allocation of a function the system refuses, it answers `too_large:` or right rows.

Each call is made in a process of its own, again and again, with its first allocation over 64 KiB refused, its second, and so on
until it asks for no more.
"""

import os
import subprocess
import sys

import pytest
import refusals

pytestmark = pytest.mark.slow

CALLS = refusals.calls()


@pytest.fixture(scope="module")
def root(tmp_path_factory, extension):
    """A world of large files, where the build can refuse memory: builds with debug assertions can."""
    if not refusals.can_refuse(extension):
        pytest.skip("a release build: the system alone refuses memory")
    root = tmp_path_factory.mktemp("refusals") / "ws"
    refusals.world(root)
    return root


def deaths(extension, root, name: str) -> list[str]:
    """Returns the numbers of the allocations whose refusal ended the process, or gave something else than an error of memory."""
    found, first = [], 1
    while True:
        done = subprocess.run(
            [sys.executable, "-B", refusals.__file__, extension, root, CALLS[name], str(first)],
            capture_output=True, text=True, env={**os.environ, "XDG_STATE_HOME": str(root.parent / "state")},
        )  # fmt: skip
        printed = done.stdout.split()
        if done.returncode == 0 and done.stdout.endswith("ended well\n"):
            return found
        numbers = [word for word in printed if word.isdigit()]
        found.append(f"{numbers[-1:]} {done.returncode} {done.stdout[-100:]} {done.stderr[-3000:]}")
        if not numbers:
            return found
        first = int(numbers[-1]) + 1


# Promise (survival): No process ends because the system refuses a large allocation: functions and
# tools of repositories, texts, data, files, changes of several files, commits and approvals are
# called with their first allocation over 64 KiB refused, their second, and so on, and give
# `too_large:` or the right rows. Not `inline_diff`, which may end it, with texts of at most 1 MiB,
# nor `table_changes_sql`, with names of tables of more than 64 KiB.
@pytest.mark.parametrize("name", CALLS)
def test_memory_that_is_refused_is_an_error_of_the_call(extension, root, name):
    found = deaths(extension, root, name)
    assert not found, "\n".join(found)
