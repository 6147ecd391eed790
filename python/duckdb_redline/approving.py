"""The reference host for approvals: an agent proposes, a person sees exactly what would change and decides.

Each line of a file of proposals is what an agent asked for: {"tool": "edit_file", "args": {"path": "workspace/a.txt",
"old_string": "x", "new_string": "y"}}. The directory is the sandbox `workspace`. The answers come from stdin: y
applies, n does not, v shows all of it (in $PAGER, or less). What needs no approval is applied at once.

Two connections share the database, so the agent could run SQL beside the host. What keeps it from approving:
the host alone knows the key, of which redline is given the SHA-256; every function is called as system.main.…, which no
macro shadows, and arguments are bound, never written into a statement. docs/approving.md has the rules.
"""

import json
import os
import pathlib
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from typing import Any

import duckdb

from .locked import open_locked
from .visible import harmless

# A tool call of an agent; also the Python form of the extension's JSON.
Proposal = dict[str, Any]

TOOLS = ["edit_file", "write_file", "read_file"]
# Seconds after a box is drawn in which keys are dropped.
PAUSE = 0.7


class TerminalHost:
    """The host's connection, the key that no other has, and the session for which it asks."""

    def __init__(self, con: duckdb.DuckDBPyConnection, key: str) -> None:
        self.con, self.key, self.session = con, key, secrets.token_urlsafe(16)

    def value(self, query: str, *arguments: object) -> Any:
        return only(self.con.execute(query, list(arguments)))


def only(result: duckdb.DuckDBPyConnection) -> Any:
    """Returns the one value of a query that has one row."""
    row = result.fetchone()
    assert row is not None
    return row[0]


def connect(
    folder: pathlib.Path, extension: pathlib.Path
) -> tuple[TerminalHost, duckdb.DuckDBPyConnection]:
    """Returns the host and the agent's connection to a new database, locked."""
    sandbox = {
        "name": "workspace",
        "root": str(folder),
        "mode": "rw",
        "read_approval": True,
        "write_approval": True,
        "edit_approval": True,
    }
    locked = open_locked(extension, [sandbox], TOOLS)
    host = TerminalHost(locked.con, locked.key)
    return host, host.con.cursor()


def waiting(host: TerminalHost, proposals: list[Proposal]) -> list[tuple[Proposal, str | None]]:
    """Returns each proposal with its payload; None if it needs no approval, or can only fail."""
    found: list[tuple[Proposal, str | None]] = []
    for proposal in proposals:
        call = proposal["tool"], json.dumps(proposal["args"]), host.session, host.key
        try:
            payload = host.value("SELECT system.main.needs_approval(?, ?, ?, ?)", *call)
        except duckdb.Error:
            payload = None  # The answer to the call has the error; the others are asked about.
        found.append((proposal, payload))
    return found


def decide(host: TerminalHost, payload: str) -> bool | None:
    """Shows a payload and returns the answer; the end of the input is None. Nobody is asked before all was shown."""
    size = shutil.get_terminal_size()
    width, height, color = min(max(size.columns, 20), 1000), max(size.lines, 8), has_colour()
    shown = "SELECT system.main.approval_complete(?, ?, ?)", payload, width, height - 1
    box = host.value(
        "SELECT system.main.approval_display(?, ?, ?, ?)", payload, width, height - 1, color
    )
    # An incomplete box is followed by the whole payload; if that is too large, the box shows its start.
    is_seen = host.value(*shown)
    if not is_seen and sys.stdin.isatty():
        page(whole_view(host, payload, width, color))
        is_seen = True
    while True:
        drawn, _, question = box.rpartition("\n")
        print(drawn, flush=True)
        drop_keys()
        print(question, end=" ", flush=True)
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if answer in ("y", "yes") and is_seen:
            return True
        if answer in ("n", "no", ""):
            return False if line else None
        if answer in ("v", "view"):
            page(whole_view(host, payload, width, color))
            if not is_seen:
                is_seen, box = True, "All of it was shown. Apply it? [y/n/v(iew all)]"


def drop_keys() -> None:
    """Drops keys that were typed before the question could be read: they were meant for another one."""
    if sys.stdin.isatty():
        time.sleep(PAUSE)
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def approve(host: TerminalHost, payload: str) -> None:
    """Approves the payload that `decide` has shown, with the proof of its last page, or as unread if it is too large for pages."""
    if json.loads(payload).get("content_truncated"):
        host.value("SELECT system.main.approve(?, ?, ?)", payload, "unread", host.key)
        return
    proof = pages(host, payload)[-1]["proof"]
    host.value("SELECT system.main.approve(?, ?, ?, ?)", payload, "once", host.key, proof)


def pages(host: TerminalHost, payload: str, width: int = 80) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = host.value(
        "SELECT system.main.approval_pages(?, ?, ?)", payload, width, 100_000
    )
    return found


def has_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def whole_view(host: TerminalHost, payload: str, width: int, color: bool) -> str:
    """Returns everything of a payload; of a file that is changed all of it, with the change in it. Showing it approves nothing."""
    shown = json.loads(payload)
    if shown.get("content_truncated"):
        chunks = range(1, shown["total_chunks"] + 1)
        text = "".join(
            host.value("SELECT system.main.approval_chunk(?, ?, ?)", payload, chunk, host.key)
            for chunk in chunks
        )
        if shown["type"] == "patch_large":
            shown |= {"type": "patch", "unified_diff": text}
        elif shown["type"] == "commit_large":
            shown |= {"type": "commit", "unified_diff": text}
        elif shown["type"] == "write_large":
            shown |= {"type": "write", "content": text, "preview": "", "preview_truncated": True}
        else:
            empty = dict.fromkeys(
                ["old_string", "new_string", "context_before", "context_after"], ""
            )
            shown |= {"type": "edit", "unified_diff": text, **empty}
    elif shown.get("unified_diff") and shown["type"] not in ("patch", "commit"):
        try:
            old = host.value("SELECT system.main.approval_file(?, ?)", payload, host.key)
            new = (
                shown["content"]
                if shown["type"] == "write"
                else host.value("SELECT system.main.apply_patch(?, ?)", old, shown["unified_diff"])
            )
            shown["unified_diff"] = host.value(
                "SELECT system.main.unified_diff(?, ?, ?)", old, new, -1
            )
        except duckdb.Error:
            pass  # The file is gone, or not text: the diff as it is.
    view: str = host.value(
        "SELECT system.main.approval_display(?, ?, ?, ?)", json.dumps(shown), width, -1, color
    )
    return view


def page(text: str) -> None:
    """Shows a text in the pager; prints it without a terminal, or a working pager."""
    if sys.stdout.isatty() and sys.stdin.isatty():
        try:
            pager = shlex.split(os.environ.get("PAGER") or "less")
            # One that fails has shown nothing.
            if (
                subprocess.run(
                    pager, input=text, text=True, env={"LESS": "-R", **os.environ}
                ).returncode
                == 0
            ):
                return
        except (OSError, ValueError):
            pass
    print(text)


# The fields to report of a call, in this order.
REPORTED = [
    "path",
    "replacements_made",
    "lines_changed",
    "bytes_written",
    "lines_written",
    "created",
    "lines",
    "bytes",
    "message",
]


def apply(host: TerminalHost, agent: duckdb.DuckDBPyConnection, proposal: Proposal) -> str:
    """Runs a proposal as the agent would and returns a report."""
    tool, call = proposal["tool"], "SELECT system.main.redline_call(?, ?, ?)"
    args = json.dumps(proposal["args"] | {"format": "json"})
    answer = json.loads(only(agent.execute(call, [tool, args, host.session])))
    if answer["isError"]:
        return harmless(answer["content"][0]["text"])
    # Numbers and messages; contents are not printed again.
    result = answer["structuredContent"]
    shown = {name: result[name] for name in REPORTED if name in result}
    return f"{tool.split('_')[0].title()}Result({', '.join(f'{name}={given!r}' for name, given in shown.items())})"


def run(host: TerminalHost, agent: duckdb.DuckDBPyConnection, proposals: list[Proposal]) -> None:
    """Lists the waiting proposals, asks about each and reports the result."""
    asked = waiting(host, proposals)
    print(
        f"{sum(payload is not None for _, payload in asked)} of {len(asked)} proposals wait for an answer:"
    )
    for number, (proposal, payload) in enumerate(asked, 1):
        description = (
            json.loads(payload)["description"]
            if payload
            else f"{proposal['tool']} needs no approval"
        )
        print(f"  {number}. {harmless(description)}")
    for proposal, payload in asked:
        print()
        if payload is not None:
            answer = decide(host, payload)
            if answer is False:
                host.value("SELECT system.main.decline(?, ?)", payload, host.key)
            if not answer:
                print("Not applied.")
                continue
            approve(host, payload)
        print(apply(host, agent, proposal))


def demonstration(folder: pathlib.Path) -> list[Proposal]:
    """Fills a directory and returns proposals for it: an edit, a new file that is long, a read."""
    (folder / "src").mkdir()
    helper = "\n".join(f"\n\ndef helper_{number}():\n    pass" for number in range(12))
    (folder / "src/utils.py").write_text(f"import os\nimport sys\n{helper}\n")
    (folder / "config.yaml").write_text("user: nobody\n")
    report = "# Analysis Report\n\n" + "".join(
        f"- figure {number}: {number * number}\n" for number in range(150)
    )
    edit = {
        "path": "workspace/src/utils.py",
        "old_string": "import os\nimport sys",
        "new_string": "import os\nimport sys\nimport json",
    }
    return [
        {"tool": "edit_file", "args": edit},
        {"tool": "write_file", "args": {"path": "workspace/output/report.md", "content": report}},
        {"tool": "read_file", "args": {"path": "workspace/config.yaml"}},
    ]


def decide_on(proposals: list[Proposal], folder: pathlib.Path, extension: pathlib.Path) -> None:
    """Asks about proposals for the files below a directory."""
    run(*connect(folder.resolve(), extension), proposals)


def demonstrate(extension: pathlib.Path) -> None:
    """Asks about made-up proposals in a directory of its own."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made).resolve()
        decide_on(demonstration(folder), folder, extension)
