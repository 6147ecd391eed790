"""What a client hears while its call waits or works: both transports, both generations of the client, and one that gives up."""

# Promise (approval): A client hears that its call waits, and what it gave up is answered when it
# calls again; who asked for no sign gets none.

import random
import re

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import anyio.to_thread
import waiting
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from served import COMMAND, OLD_CLIENT, Served, by_old_client, words

CLIENTS = [
    "auto",
    "legacy",
    pytest.param(
        "1.30.0",
        marks=pytest.mark.skipif(
            not OLD_CLIENT.is_dir(), reason="`make test` installs the older client"
        ),
    ),
]
# Seconds between two signs of progress, and those for which a client waits for one: ten and sixty outside of tests.
OFTEN, PATIENCE = 0.2, 4
OPTIONS = ["--write", "--approve", "web", "--progress", str(OFTEN)]


@pytest.fixture
def served(extension, tmp_path):
    """Returns a server over HTTP whose person answers on the page."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/a.txt").write_text("one\ntwo\n")
    made = Served(tmp_path / "workspace", extension, tmp_path, *OPTIONS)
    yield made
    made.close()


EDIT = "edit_file", {"path": "workspace/a.txt", "old_string": "two", "new_string": "2"}


async def patient(client, call, progress: list, patience: float = PATIENCE):
    """Makes a call that waits for so long for an answer or a sign of progress; None where it was given up."""
    with anyio.move_on_after(patience) as scope:

        async def sign(done, total, message):
            progress.append([done, message])
            scope.deadline = anyio.current_time() + patience

        return await client.call_tool(*call, progress_callback=sign)


def old(reached: dict, calls: list) -> dict:
    """Runs the client of the generation before."""
    return by_old_client(reached | {"calls": calls, "patience": PATIENCE})


def assert_heard(progress: list, words: set):
    """Fails where signs are not in order, or say something else; before and after it waits, a call works."""
    assert len(progress) >= 3 and [done for done, _ in progress] == sorted(
        {done for done, _ in progress}
    ), progress
    assert words <= {message for _, message in progress} <= words | {"works"}, progress


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_that_waits_for_progress_gets_the_answer_of_a_slow_person(served, client):
    progress = []

    def ask():
        if client == "1.30.0":
            told = old(
                {
                    "url": served.address("serving"),
                    "headers": {"Authorization": f"Bearer {served.tokens[0]}"},
                },
                [EDIT],
            )
            progress.extend(told["progress"])
            return told["results"][0][2]
        return words(served.run(lambda one: patient(one, EDIT, progress), mode=client))

    call = served.calls.submit(ask)
    (link,) = served.waiting()
    # The page says for how long the call has waited.
    waited = lambda: re.search(r"Asked\s*(\d+) seconds? ago", served.shown(link).text)
    waiting.until(lambda: int(waited()[1]) > PATIENCE, lambda: served.shown(link).text)
    assert served.answer(served.shown(link).form("yes")).status == 303
    assert call.result(120).startswith("Replaced 1 line"), call.result()
    assert_heard(progress, {"waits for a person"})


def test_a_client_that_gives_up_gets_the_answer_when_it_calls_again(served):
    async def impatient(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, *EDIT)
            await anyio.to_thread.run_sync(served.waiting)
            group.cancel_scope.cancel()

    served.run(impatient)
    (link,) = served.waiting()
    assert served.answer(served.shown(link).form("yes")).status == 303
    again = served.run(lambda client: client.call_tool(*EDIT))
    assert (
        words(again).startswith("Replaced 1 line")
        and (served.folder / "a.txt").read_text() == "one\n2\n"
    )


# Many lines of two kinds in random order are hard to compare, which takes far longer than a sign of progress.
SHUFFLED = random.Random(1)
WORK = (
    "Diff",
    {
        side: "".join(SHUFFLED.choice(["a\n", "b\n"]) for _ in range(50_000))
        for side in ("text_a", "text_b")
    },
)


# The older client speaks the earlier protocol, too.
@pytest.mark.parametrize(
    "client", [CLIENTS[0], pytest.param(CLIENTS[1], marks=pytest.mark.slow), CLIENTS[2]]
)
def test_progress_comes_on_stdin_and_stdout_too_if_requested(extension, tmp_path, client):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "text_a").write_text(WORK[1]["text_a"])
    (tmp_path / "text_b").write_text(WORK[1]["text_b"])
    work = "Diff", {"path_a": "workspace/text_a", "path_b": "workspace/text_b"}
    command = [
        *COMMAND,
        str(tmp_path),
        "--extension",
        str(extension),
        *OPTIONS,
        "--progress",
        "0.01",
    ]
    if client == "1.30.0":
        progress = old({"command": command}, [work])["progress"]
    else:
        progress, quiet = [], []

        async def main():
            with anyio.fail_after(180):
                async with Client(
                    StdioServerParameters(command=command[0], args=command[1:]), mode=client
                ) as one:
                    assert not (await patient(one, work, progress)).is_error
                    # Who gave no token hears nothing: the client would say that it does not know it.
                    quiet.append(await one.call_tool(*work))

        anyio.run(main)
        assert not quiet[0].is_error
    assert_heard(progress, {"works"})


def test_a_call_that_waits_on_stdin_and_stdout_says_so(extension, tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    command = [*COMMAND, str(tmp_path), "--extension", str(extension), *OPTIONS]
    progress = []

    async def main():
        with anyio.fail_after(180), (tmp_path / "said").open("w") as said:
            async with Client(
                stdio_client(
                    StdioServerParameters(command=command[0], args=command[1:]), errlog=said
                )
            ) as client:
                async with anyio.create_task_group() as group:
                    group.start_soon(patient, client, EDIT, progress)
                    while len(progress) < 5:
                        await anyio.sleep(0.02)
                    group.cancel_scope.cancel()

    anyio.run(main)
    assert_heard(progress, {"waits for a person"})
    assert re.search("approve at http://127.0.0.1", (tmp_path / "said").read_text())
