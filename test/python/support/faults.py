"""The process of test_boundary.py: queries whose memory, settings or time fail them, and which must go on answering.

`faults.py EXTENSION ROOT METHOD` runs a method of `Child` with a sandbox on ROOT.
"""

import json
import os
import pathlib
import random
import resource
import sys
import threading
import time

import duckdb

SECONDS = 60 if "REDLINE_TORTURE" in os.environ else 3
TEXT = "".join(f"line {number} of the text\n" for number in range(8_000))

# Queries that use memory in large and in many small pieces, and so need room for them before they start; over a table, as DuckDB
# evaluates constants twice.
TOOLS = [
    "SELECT unified_diff(a, b) FROM texts",
    "SELECT unified_diff(a, b, 20) FROM texts",
    "SELECT diff_stats(a, b) FROM texts",
    "SELECT diff_texts(a, b) FROM texts",
    "SELECT read_file('ws/a') FROM texts",
    "SELECT read_file('ws/bad') FROM texts",
    "SELECT write_file('ws/w', a) FROM texts",
    "SELECT edit_file('ws/b', 'line 7999 of', 'line X of')",
    "SELECT edit_file('ws/a', 'line 7999 off', 'line X of')",
    """SELECT redline_call('read_file', '{"path": "ws/a"}')""",
    """SELECT redline_call('Diff', '{"path_a": "ws/a", "path_b": "ws/b"}')""",
    """SELECT redline_call('GitDiff', '{"from_rev": "HEAD~1", "to_rev": "HEAD", "path": "ws"}')""",
    "SELECT count(*) FROM file_changes('HEAD~1', 'HEAD', 'ws')",
    "SELECT count(content) FROM file_diff('a', 'HEAD~1', 'HEAD', 'ws')",
]


class Child:
    """The process: redline loaded, a sandbox `ws`, a table `texts`."""

    def __init__(self, extension: str, root: str) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.con = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 2})
        self.con.execute(f"LOAD '{extension}'")
        sandbox = {
            "name": "ws",
            "root": root,
            "mode": "rw",
            "write_approval": False,
            "edit_approval": False,
        }
        self.con.execute("SET GLOBAL redline_sandboxes = '" + json.dumps([sandbox]) + "'")
        self.con.execute(
            "CREATE TABLE texts AS SELECT ? AS a, ? AS b", [TEXT, TEXT.replace("5", "6")]
        )

    def ask(self, sql: str) -> str:
        """Returns `rows`, or the start of the error."""
        try:
            self.con.execute(sql).fetchall()
            said = "rows"
        except MemoryError:
            said = "memory"
        except duckdb.Error as error:
            said = str(error).removeprefix("Invalid Input Error: ").split(":")[0]
        return said

    def squeeze(self) -> None:
        """Limits the memory of the process to what it has and some more, anew for each query."""
        free, most = resource.getrlimit(resource.RLIMIT_AS)
        said = {}
        for sql in TOOLS:
            self.ask(sql)
            for margin in (16, 40, 63, 66, 80, 128, 256):
                pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
                resource.setrlimit(
                    resource.RLIMIT_AS, (pages * resource.getpagesize() + (margin << 20), most)
                )
                got = self.ask(sql)
                resource.setrlimit(resource.RLIMIT_AS, (free, most))
                said.setdefault(margin, set()).add(got)
                assert self.ask("SELECT 42") == "rows"
        print(said)
        assert "too_large" in said[16] and said[256] <= {"rows", "not_found"}, said

    def race(self) -> None:
        """One connection changes allowed_directories, which has no effect here, while others run queries."""
        end, wrong = time.monotonic() + SECONDS, []

        def change(con):
            while time.monotonic() < end:
                con.execute(
                    f"SET GLOBAL allowed_directories = {[f'/tmp/{random.random()}' for _ in range(random.randrange(1, 30))]}"
                )

        def ask(con):
            while time.monotonic() < end:
                for sql in (
                    "SELECT read_file('ws/a', 0, 1)",
                    "SELECT count(*) FROM file_changes('HEAD~1', 'HEAD', 'ws')",
                    "SELECT redline_call('read_file', '{}')",
                ):
                    try:
                        con.execute(sql).fetchall()
                    except duckdb.Error as error:
                        wrong.append(str(error))

        run([(change, self.con.cursor()), *((ask, self.con.cursor()) for _ in range(3))])
        assert not wrong, wrong[:3]

    def interrupt(self) -> None:
        """Interrupts queries at random moments, and leaves results half read."""
        end = time.monotonic() + SECONDS
        ended = {"rows": 0, "interrupted": 0}
        while time.monotonic() < end or not all(ended.values()):
            con = self.con.cursor()
            sql = random.choice(TOOLS[:4] + TOOLS[-5:])
            timer = threading.Timer(
                random.choice((0, 0.01, random.random() * 0.2, 20)), con.interrupt
            )
            timer.start()
            try:
                con.execute(sql).fetchone()
                ended["rows"] += 1
            except duckdb.InterruptException:
                ended["interrupted"] += 1
            except duckdb.Error as error:
                assert "timeout:" in str(error) or "cancel" in str(error), error
            timer.cancel()
            timer.join()
            con.close()
            assert self.ask("SELECT 42") == "rows"
        print(ended)


def run(work) -> None:
    threads = [threading.Thread(target=do, args=(con,)) for do, con in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    getattr(Child(sys.argv[1], sys.argv[2]), sys.argv[3])()
    print("ended well")
