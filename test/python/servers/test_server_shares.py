"""What one agent asks of a server never keeps a person or another agent waiting: each has queries, rows and a cursor of its own."""

import contextlib
import json
import random
import sys
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
from served import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import host as hosts
from duckdb_redline.server.approver import Call
from duckdb_redline.server.forms import Forms
from duckdb_redline.server.web import rows

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
                await anyio.to_thread.run_sync(waiting.until_worked, 1.0)
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


def test_rows_are_made_as_far_as_they_are_shown(con):
    assert len(rows.of_text("\n" * 1_000_000, 500)) <= 502
    added = "--- a/f\n+++ b/f\n@@ -0,0 +1,1000000 @@\n" + "+\n" * 1_000_000
    assert 500 < len(rows.of_diff(added, 500)) < 1100
    for seed in range(200):
        rng = random.Random(seed)
        old = [rng.choice("abcd") for _ in range(rng.randrange(60))]
        new = [line for line in old if rng.random() < 0.8] + ["e"] * rng.randrange(3)
        texts = [
            "".join(f"{line}\n" for line in lines) + "last" * rng.randrange(2)
            for lines in (old, new)
        ]
        diff = con.execute("SELECT unified_diff(?, ?, ?)", [*texts, rng.randrange(4)]).fetchone()[0]
        for most in (1, 5, 17):
            part, whole = rows.of_diff(diff, most), rows.of_diff(diff)
            assert len(part) >= min(most, len(whole)) and part[:most] == whole[:most], (seed, most)
            assert rows.of_text(texts[1], most)[:most] == rows.of_text(texts[1])[:most]
