"""What one agent asks of a server never keeps a person or another agent waiting: each has queries, rows and a cursor of its own."""

import random
import sys

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import anyio.to_thread
from served import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import host as hosts
from duckdb_redline.server.web import rows

# Longer than any test waits.
ENDLESS = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def host(extension, tmp_path):
    return hosts.open_database({"workspace": tmp_path}, True, extension)


def test_neither_the_person_nor_another_agent_waits_behind_an_agents_calls(host):
    async def main():
        with anyio.fail_after(60):
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
        with anyio.fail_after(120):
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


def test_rows_are_made_as_far_as_they_are_shown(con):
    assert len(rows.of_text("\n" * 1_000_000, 500)) <= 502
    added = "--- a/f\n+++ b/f\n@@ -0,0 +1,1000000 @@\n" + "+\n" * 1_000_000
    assert 500 < len(rows.of_diff(added, 500)) < 1100
    for seed in range(200):
        rng = random.Random(seed)
        old = [rng.choice("abcd") for _ in range(rng.randrange(60))]
        new = [line for line in old if rng.random() < 0.8] + ["e"] * rng.randrange(3)
        texts = ["".join(f"{line}\n" for line in lines) + "last" * rng.randrange(2) for lines in (old, new)]
        diff = con.execute("SELECT unified_diff(?, ?, ?)", [*texts, rng.randrange(4)]).fetchone()[0]
        for most in (1, 5, 17):
            part, whole = rows.of_diff(diff, most), rows.of_diff(diff)
            assert len(part) >= min(most, len(whole)) and part[:most] == whole[:most], (seed, most)
            assert rows.of_text(texts[1], most)[:most] == rows.of_text(texts[1])[:most]
