"""What one agent asks of a server never keeps a person or another agent waiting: each has queries, rows and a cursor of its own."""

import contextlib
import fcntl
import json
import os
import pty
import random
import select
import struct
import sys
import termios
import threading
import time
from types import SimpleNamespace

import duckdb
import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import anyio.to_thread
import repositories
import waiting
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from served import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import host as hosts
from duckdb_redline.server.approver import MAX_QUESTIONS, Call, Shares
from duckdb_redline.server.forms import Forms
from duckdb_redline.server.terminal import Terminal
from duckdb_redline.server.web import site
from duckdb_redline.server.web.browser import Browser

# Longer than any test waits.
ENDLESS = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def host(extension, tmp_path):
    return hosts.open_database({"workspace": tmp_path}, True, extension)


def test_neither_the_person_nor_another_agent_waits_for_an_agents_calls(host):
    async def main():
        with anyio.fail_after(180):
            async with anyio.create_task_group() as group:
                for _ in range(100):
                    group.start_soon(host.called, "greedy", ENDLESS)
                while host.calls.borrowed_tokens < hosts.MAX_CALLS_OF_SESSION:
                    await anyio.sleep(0.01)
                assert await host.value("SELECT 1") == 1
                assert await host.called("other", "SELECT 2") == 2
                assert await anyio.to_thread.run_sync(lambda: 3) == 3
                assert host.calls.borrowed_tokens == hosts.MAX_CALLS_OF_SESSION
                group.cancel_scope.cancel()

    anyio.run(main)


def test_a_cancelled_call_interrupts_no_other(host):
    done = []

    async def counted():
        done.append(await host.called("one", "SELECT sum(range) FROM range(300000000)"))

    async def main():
        with anyio.fail_after(180):
            async with anyio.create_task_group() as group:
                group.start_soon(counted)
                for _ in range(20):
                    with anyio.CancelScope() as scope:
                        async with anyio.create_task_group() as cancelled:
                            cancelled.start_soon(host.called, "one", ENDLESS)
                            await anyio.sleep(0.01)
                            scope.cancel()
                    assert await host.value("SELECT 1") == 1

    anyio.run(main)
    assert done == [300000000 * (300000000 - 1) // 2]


class Deaf:
    """A connection whose endless queries heed no interrupt, and how many of them run at once."""

    def __init__(self):
        self.running, self.most, self.lock = 0, 0, threading.Lock()
        self.may_end = threading.Event()

    def cursor(self):
        return self

    def interrupt(self):
        pass

    def execute(self, query, arguments=()):
        if query == ENDLESS:
            with self.lock:
                self.running += 1
                self.most = max(self.most, self.running)
            assert self.may_end.wait(60)
            with self.lock:
                self.running -= 1
        return self

    def fetchall(self):
        return [(1,)]


class Late(Deaf):
    """A connection that forgets an interrupt which comes before its query has begun, as DuckDB's does."""

    def __init__(self):
        super().__init__()
        self.called, self.may_begin = threading.Event(), threading.Event()
        self.begun, self.interrupted = threading.Event(), threading.Event()
        self.asked = 0

    def interrupt(self):
        self.asked += 1
        if self.begun.is_set():
            self.interrupted.set()

    def execute(self, query, arguments=()):
        if query != ENDLESS:
            return self
        self.called.set()
        assert self.may_begin.wait(60)
        self.begun.set()
        assert self.interrupted.wait(60)
        return self


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Returns a repository whose last commit has changed all lines of large files."""
    repo = tmp_path_factory.mktemp("changed")
    repositories.git(repo, "init", "-q", "-b", "main", ".")
    chosen = random.Random(1)
    for _ in range(2):
        for number in range(30):
            lines = (f"{chosen.random()} {chosen.randrange(50)}\n" for _ in range(15_000))
            (repo / f"file-{number}").write_text("".join(lines))
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
        repositories.git(repo, "add", ".")
        repositories.git(repo, *who, "commit", "-qm", "a commit")
    return repo


# Calls of tools, which are one value of one row, and tables that have no row for long.
LONG = {
    "GitDiff": "SELECT redline_call('GitDiff', '{\"repo\": \"w\", \"from\": \"HEAD~1\", \"to\": \"HEAD\"}')",
    "GitDiffSummary": "SELECT redline_call('GitDiffSummary', '{\"repo\": \"w\", \"from\": \"HEAD~1\", \"to\": \"HEAD\"}')",
    "diff_html": "SELECT length(diff_html('HEAD~1', 'HEAD', 'w'))",
    "file_patches_list": "SELECT len(file_patches_list('HEAD~1', 'HEAD', 'w'))",
    "diff_review": "SELECT count(*) FROM diff_review('HEAD~1', 'HEAD', 'w')",
    "moved_lines": "SELECT count(*) FROM moved_lines('HEAD~1', 'HEAD', 'w')",
    "range_diff": "SELECT count(*) FROM range_diff('HEAD~1..HEAD', 'HEAD~1..HEAD', 'w')",
    "tree_blame": "SELECT count(*) FROM tree_blame('HEAD', 'w')",
}  # fmt: skip


# Promise (approval): A call that is cancelled ends within a second, also within one value of one row, and leaves its place
# to the next.
@pytest.mark.parametrize("name", LONG)
def test_calls_that_are_cancelled_leave_their_places_soon(extension, changed, name):
    host = hosts.open_database({"w": changed}, False, extension)

    async def main():
        with anyio.fail_after(180):
            async with anyio.create_task_group() as group:
                for _ in range(hosts.MAX_CALLS_OF_SESSION):
                    group.start_soon(host.called, "one", LONG[name])
                await anyio.to_thread.run_sync(waiting.until_worked, 0.4)
                assert host.calls.borrowed_tokens, "the calls have ended before they were cancelled"
                before = time.process_time()
                group.cancel_scope.cancel()
            # The client's next call has a place as soon as they have ended.
            assert await host.called("one", "SELECT 2") == 2
            while host.calls.borrowed_tokens:
                await anyio.sleep(0.01)
            return time.process_time() - before

    # Of the machine's threads, all of which work.
    assert anyio.run(main) < 3.0


def test_a_call_that_is_cancelled_before_its_query_begins_is_interrupted_too(host):
    host.con = late = Late()

    async def main():
        with anyio.fail_after(180):
            async with anyio.create_task_group() as group:
                group.start_soon(host.called, "one", ENDLESS)
                await anyio.to_thread.run_sync(late.called.wait)
                group.cancel_scope.cancel()
            while not late.asked:
                await anyio.sleep(0.01)
            assert not late.begun.is_set()
            late.may_begin.set()
            assert await anyio.to_thread.run_sync(late.interrupted.wait, 30)

    anyio.run(main)


# Promise (approval): A client that cancels its calls and calls again has no more queries than one
# that waits; what nobody is shown takes no place, and one client has a hundred questions. With
# `test_what_nobody_is_shown_takes_no_place_and_one_client_has_a_hundred`,
# `test_what_no_page_can_show_is_refused_at_once`.
def test_a_client_that_cancels_and_calls_again_has_no_more_queries_than_one_that_waits(host):
    host.con = deaf = Deaf()

    async def main():
        with anyio.fail_after(180):
            for number in range(5):
                async with anyio.create_task_group() as group:
                    for _ in range(30):
                        group.start_soon(host.called, "greedy", ENDLESS)
                    # The first ones have all places, and keep them when they are cancelled.
                    queue = 30 if number else 30 - hosts.MAX_CALLS_OF_SESSION
                    while (
                        deaf.running < hosts.MAX_CALLS_OF_SESSION
                        or host.sessions["greedy"].statistics().tasks_waiting < queue
                    ):
                        await anyio.sleep(0.01)
                    group.cancel_scope.cancel()
            # Another client is answered meanwhile, and the places come back once the queries have ended.
            assert await host.called("other", "a query") == 1
            assert deaf.running == hosts.MAX_CALLS_OF_SESSION
            deaf.may_end.set()
            assert await host.called("greedy", "a query") == 1
            while host.calls.borrowed_tokens or host.sessions["greedy"].borrowed_tokens:
                await anyio.sleep(0.01)

    anyio.run(main)
    assert deaf.most == hosts.MAX_CALLS_OF_SESSION


def test_what_nobody_is_shown_takes_no_place_and_one_client_has_a_hundred(host):
    large = json.dumps({"path": "workspace/large.txt", "content": "line\n" * 5000})
    waiting = lambda: host.con.execute(
        "SELECT session FROM system.main.pending_approvals(?)", [host.key]
    ).fetchall()

    async def main():
        with anyio.fail_after(180):
            propose = "SELECT system.main.needs_approval('write_file', ?, ?, ?)"
            payload = await host.called("greedy", propose, large, "greedy", host.key)
            call = Call("write_file", large, "greedy", str(payload))
            refused = await Forms(host).ask(
                SimpleNamespace(protocol_version="2025-06-18"), None, call
            )
            assert refused.is_error and refused.content[0].text.startswith(
                "too_large: a person would have to read too many pages"
            )
            assert waiting() == []
            await host.called(
                "other",
                propose,
                '{"path": "workspace/other.txt", "content": "x"}',
                "other",
                host.key,
            )
            with contextlib.suppress(duckdb.Error):
                for number in range(hosts.MAX_PROPOSALS + 20):
                    await host.called(
                        "greedy",
                        propose,
                        json.dumps({"path": f"workspace/{number}.txt", "content": "x"}),
                        "greedy",
                        host.key,
                    )
            sessions = [session for (session,) in waiting()]
            assert (
                sessions.count("'greedy'") + sessions.count("greedy") == hosts.MAX_PROPOSALS
                and len(sessions) == hosts.MAX_PROPOSALS + 1
            )

    anyio.run(main)


class Counting:
    """A host of which queries are counted, and whose list of what waits is given."""

    def __init__(self, waiting=()):
        self.waiting, self.queries, self.layouts, self.key = list(waiting), [], [], "key"

    async def rows(self, query, *arguments):
        self.queries.append(query)
        return [(name,) for name in self.waiting]

    async def pages(self, payload, width, height):
        self.layouts.append((width, height))
        return [{"page": 1, "pages": 1, "text": "Edit this? [y/n]", "proof": "p"}]

    async def decline(self, payload):
        return True


def call_of(session: str, name: str) -> Call:
    return Call("edit_file", "{}", session, json.dumps({"approval_id": name}))


# Promise (approval): A thousand equal calls of one client share one question, and leave those of
# another alone. With `test_calls_that_wait_for_the_page_are_watched_by_one_query`.
def test_equal_calls_share_a_question_and_each_client_has_sixteen():
    async def main():
        asked, answered = [], anyio.Event()
        shares = Shares("here")
        said = []

        async def wait(session, name):
            async def ask():
                asked.append((session, name))
                await answered.wait()

            said.append(await shares.once(call_of(session, name), ask))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for _ in range(1_000):
                    group.start_soon(wait, "greedy", "same")
                for number in range(MAX_QUESTIONS + 4):
                    group.start_soon(wait, "greedy", str(number))
                group.start_soon(wait, "other", "same")
                await anyio.wait_all_tasks_blocked()
                assert asked.count(("greedy", "same")) == 1 and ("other", "same") in asked
                assert len(asked) == MAX_QUESTIONS + 1
                assert [one.content[0].text[:23] for one in said] == ["too_large: 16 calls of "] * 5
                answered.set()
        assert said.count(None) == 1_000 + MAX_QUESTIONS and not shares.waits

    anyio.run(main)


# Promise (approval): A loop over a thousand waiting calls of one client makes no piece for the person,
# few queries in the person's share, and leaves the page, the terminal and another client's form alone.
# With `test_what_one_client_asks_voids_no_form_of_another`.
@pytest.mark.parametrize("way", [pytest.param("client", marks=pytest.mark.slow), "terminal", "web"])
def test_a_thousand_waiting_calls_of_one_client_leave_the_person_alone(
    host, way, monkeypatch, tmp_path
):
    monkeypatch.setattr(site, "LOOK_SECONDS", 60)
    (tmp_path / "a.txt").write_text("one\n")
    propose = "SELECT system.main.needs_approval('write_file', ?, ?, ?)"
    asked = []
    in_share = type(host).rows

    async def rows(self, query, *arguments):
        asked.append(query)
        return await in_share(self, query, *arguments)

    async def proposed(session, name):
        arguments = json.dumps({"path": f"workspace/{name}.txt", "content": f"{name} \x01\n" * 5})
        payload = await host.called(session, propose, arguments, session, host.key)
        return Call("write_file", arguments, session, str(payload))

    async def main():
        person, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        approver = {"client": lambda: Forms(host), "web": lambda: Browser(host), "terminal": lambda: Terminal(host, os.ttyname(theirs))}[way]()  # fmt: skip
        context = SimpleNamespace(protocol_version=MODERN_PROTOCOL_VERSIONS[0])
        parameters = SimpleNamespace(request_state=None, input_responses=None)
        said = []

        async def ask(call):
            said.append(await approver.ask(context, parameters, call))

        with anyio.fail_after(180):
            # Another client's question is open, and the person reads it.
            other = await proposed("other", "a")
            calls = [await proposed("greedy", number) for number in range(50)]
            async with anyio.create_task_group() as group:
                if way == "web":
                    group.start_soon(approver.site.watch)
                group.start_soon(ask, other)
                while not (said if way == "client" else approver.shares.waits):
                    await anyio.sleep(0.01)
                if way == "terminal":
                    await anyio.to_thread.run_sync(lambda: until_read(person, b"/n] "))
                shown = pages_of(host, other)
                monkeypatch.setattr(type(host), "rows", rows)
                async with anyio.create_task_group() as loop:
                    for number in range(1_000):
                        loop.start_soon(ask, calls[number % len(calls)])
                    # Those over the client's share are refused; the others have a form, or wait.
                    least = (
                        1_000 if way == "client" else 1_000 - 1_000 // len(calls) * MAX_QUESTIONS
                    )
                    while len(said) < least:
                        await anyio.sleep(0.01)
                    assert [one for one in asked if "pieces" in one or "pages" in one] == []
                    assert len(asked) <= MAX_QUESTIONS + 2
                    # Nothing was drawn over what the person reads, and it is what was shown.
                    if way == "terminal":
                        assert not select.select([person], [], [], 0)[0]
                    assert pages_of(host, other) == shown
                    if way == "client":
                        (page,) = await approver.pages(other, 60, 10)
                        state = said[0].request_state
                        found = approver.asked.answered(state, other, [page])
                        assert found is not None and found[0]["proof"] == page["proof"]
                    else:
                        assert ("other", other.approval_id) in approver.shares.waits
                    loop.cancel_scope.cancel()
                group.cancel_scope.cancel()
        if way == "web":
            approver.socket.close()
        os.close(person)
        os.close(theirs)

    anyio.run(main)


def pages_of(host, call):
    return host.con.execute("SELECT approval_pages(?, 80, 40)", [call.payload]).fetchall()


def until_read(person, text):
    """Reads what a terminal shows until a text has come."""
    read = b""
    while text not in read:
        read += os.read(person, 1 << 16)


def test_where_a_call_is_cancelled_an_equal_one_asks_in_its_place():
    async def main():
        asked = []
        shares = Shares("here")

        async def ask():
            asked.append(None)
            if len(asked) == 1:
                await anyio.sleep_forever()

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                first = anyio.CancelScope()

                async def cancelled():
                    with first:
                        await shares.once(call_of("one", "a"), ask)

                group.start_soon(cancelled)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(shares.once, call_of("one", "a"), ask)
                await anyio.wait_all_tasks_blocked()
                assert len(asked) == 1
                first.cancel()
        assert len(asked) == 2

    anyio.run(main)


def test_calls_that_wait_for_the_page_are_watched_by_one_query(monkeypatch):
    """Whatever their number, one query looks whether they still wait, and it makes no payload."""
    monkeypatch.setattr(site, "LOOK_SECONDS", 60)
    names = [str(number) for number in range(200)]
    host = Counting(names)

    async def main():
        served = site.Site(host, "token")
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(served.watch)
                async with anyio.create_task_group() as waits:
                    for name in names:
                        waits.start_soon(served.answer_to, name)
                    await anyio.wait_all_tasks_blocked()
                    # One of them is withdrawn, and the next look ends its wait alone.
                    host.waiting.remove("7")
                    before = len(host.queries)
                    waits.start_soon(served.answer_to, "9")
                    await anyio.wait_all_tasks_blocked()
                    assert "7" not in served.answered and len(served.answered) == 199
                    assert len(host.queries) == before + 1
                    host.waiting.clear()
                    waits.start_soon(served.answer_to, "9")
                group.cancel_scope.cancel()

    anyio.run(main)
    assert len(host.queries) < 10
    assert all("payload" not in query for query in host.queries)


def test_pages_are_made_for_the_terminal_as_it_is_when_their_turn_comes():
    """Below the least size nothing is asked: what a page does not show cannot be approved."""
    person, theirs = pty.openpty()

    def resize(columns, lines):
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    async def main():
        host = Counting()
        terminal = Terminal(host, os.ttyname(theirs))
        answers = []
        terminal.answer = lambda *arguments: answers.append(arguments) or False
        with anyio.fail_after(60):
            for size in [(20, 24), (80, 14)]:
                resize(*size)
                refused = await terminal.ask(None, None, call_of("one", str(size)))
                assert refused.content[0].text.startswith(
                    f"permission_denied: the terminal of the server has {size[0]} columns and {size[1]} lines"
                )
            assert answers == [] and host.layouts == []
            resize(200, 60)
            async with anyio.create_task_group() as group:
                async with terminal.turn:
                    group.start_soon(terminal.ask, None, None, call_of("one", "a"))
                    await anyio.wait_all_tasks_blocked()
                    assert host.layouts == []
                    resize(60, 24)
        os.close(terminal.file)
        return host.layouts, answers

    layouts, answers = anyio.run(main)
    os.close(person)
    os.close(theirs)
    assert layouts == [(60, 19)] and len(answers) == 1
