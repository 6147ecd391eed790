"""Replays an agent's session through an MCP client, for redline and its peers, and counts calls and bytes on the wire.

    agent_session.py REPOSITORY FROM:TO [FROM:TO …] [--extension FILE] [--max-bytes 25000] [--git COMMAND] [--files COMMAND]

Tasks: the review of a change from its summary to its last hunk, eight edits of which four must be refused, changes of several files by
one call each and by one patch (alone with `--changes-only`), and nine questions
about the repository whose answers git has (`QUESTIONS`), of which calls, bytes and dead ends are counted: calls that fail, and
answers without what was asked. The peers
are mcp-server-git (`--git`, by default `python -m mcp_server_git`) and server-filesystem (`--files`, by default `npx -y
@modelcontextprotocol/server-filesystem`); one that does not start is left out. Bytes are those that the server writes to its
client. Needs the packages `mcp` and `duckdb`.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Count(NamedTuple):
    """What a task has cost."""

    calls: int
    sent: int
    failures: int
    wrong: int = 0
    given: int = 0


def relay(counter: str, command: list[str]) -> int:
    """Runs a server, passes on what it says, and writes how many bytes that were."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE)
    total = 0
    while chunk := server.stdout.read1(1 << 16):
        total += len(chunk)
        # A reader never finds it empty.
        written = pathlib.Path(f"{counter}.new")
        written.write_text(str(total))
        written.replace(counter)
        # Counted before the client knows of it.
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    return server.wait()


class Session:
    """A client of a server, whose answers are counted."""

    def __init__(self, client, counter: pathlib.Path):
        self.client, self.counter, self.calls, self.failures = client, counter, 0, 0
        self.given = 0
        self.before = self.total()

    def total(self) -> int:
        return int(self.counter.read_text() or 0) if self.counter.exists() else 0

    async def call(self, tool: str, **arguments):
        self.given += len(
            json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False).encode()
        )
        result = await self.client.call_tool(tool, arguments)
        self.calls += 1
        self.failures += bool(result.is_error)
        return result

    def count(self, wrong: int = 0) -> Count:
        return Count(self.calls, self.total() - self.before, self.failures, wrong, self.given)


async def approve(context, params):
    """Says yes to every page, as a person who reads fast."""
    import mcp_types as types

    return types.ElicitResult(
        action="accept", content=dict.fromkeys(params.requested_schema["properties"], True)
    )


def connect(command: list[str], counter: pathlib.Path):
    from mcp import Client, StdioServerParameters

    relayed = [str(pathlib.Path(__file__).resolve()), "--relay", str(counter), *command]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    }
    return Client(
        StdioServerParameters(command=sys.executable, args=relayed, env=environment),
        mode="legacy",
        elicitation_callback=approve,
    )


# -- a review ------------------------------------------------------------------------------------


async def review_with_redline(
    session: Session, repository: pathlib.Path, old: str, new: str, most: int
) -> str:
    given = {"from": old, "to": new, "repo": "workspace", "max_bytes": most}
    await session.call("GitDiffSummary", **given)
    seen, cursor = "", None
    while True:
        result = await session.call("GitDiff", **given, **({"cursor": cursor} if cursor else {}))
        seen += result.content[0].text
        cursors = re.findall(r"with cursor (\w+)", result.content[0].text)
        cursor = cursors[-1] if cursors else None
        if cursor is None:
            return seen


async def review_with_git(
    session: Session, repository: pathlib.Path, old: str, new: str, most: int
) -> str:
    # It compares one revision with the work tree, which holds the new one.
    result = await session.call("git_diff", repo_path=str(repository), target=old)
    return result.content[0].text


# -- questions -----------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A repository, and what git says of it."""

    root: pathlib.Path
    old: str
    new: str

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", self.root, *arguments], check=True, capture_output=True
        ).stdout.decode(errors="replace")

    def function(self) -> tuple[str, str]:
        """Returns a function, and the file that it is in."""
        path, line = (
            self.git("grep", "-E", "^(pub )?fn [a-z_]+", "--", "*.rs").splitlines()[0].split(":", 1)
        )
        return re.search(r"fn (\w+)", line)[1], path

    def gone(self) -> str:
        """Returns a line that a commit of the range has removed."""
        removed = re.findall(
            r"^-(\s*[a-z]\w+ [^\n]{20,60})$",
            self.git("diff", self.old, self.new, "--", "*.rs"),
            re.MULTILINE,
        )
        return removed[0].strip()

    def renamed(self) -> tuple[str, str]:
        """Returns the old and the new path of a file that was renamed."""
        names = self.git(
            "log", "--diff-filter=R", "-M", "--name-status", "--format=", "--", "*.rs"
        ).splitlines()
        return next(
            (old, new)
            for _, old, new in (name.split("\t") for name in names if name)
            if (self.root / new).exists()
        )


async def text_of(session: Session, tool: str, **arguments) -> str:
    return (await session.call(tool, **arguments)).content[0].text


async def review_without_lock_files(session, asked):
    await text_of(session, "GitLog", range=f"{asked.old}..{asked.new}", limit=10)
    text = await text_of(
        session, "GitDiff", **{"from": asked.old, "to": asked.new}, paths=[":!*.lock"]
    )
    return "Cargo.lock" not in text and "diff --git" in text


async def begin_a_large_review(session, asked):
    first = asked.git("rev-list", "--max-parents=0", asked.new).split()[-1]
    text = await text_of(session, "GitDiff", **{"from": first, "to": asked.new})
    return re.match(r"\d+ files changed", text) and "diff --git" in text


async def who_changed_a_function_last(session, asked):
    name, path = asked.function()
    wanted = asked.git("log", "-1", "-s", "--format=%H", "-L", f":{name}:{path}").strip()
    return wanted[:12] in await text_of(session, "GitLog", file=path, function=name, limit=1)


async def when_a_text_went(session, asked):
    text = asked.gone()
    wanted = asked.git("log", "-1", "-S", text, "--format=%H").strip()
    return wanted[:12] in (await text_of(session, "GitLog", contains=text, limit=1))


async def what_is_uncommitted(session, asked):
    (asked.root / "untracked.txt").write_text("new\n")
    status, diff = (
        await text_of(session, "GitStatus"),
        await text_of(session, "GitDiff", **{"from": "HEAD"}),
    )
    (asked.root / "untracked.txt").unlink()
    return "?? untracked.txt" in status and "1 untracked file" in diff


async def two_files(session, asked):
    text = await text_of(
        session, "Diff", path_a="workspace/Cargo.toml", path_b="workspace/README.md"
    )
    return text.startswith("--- workspace/Cargo.toml\n+++ workspace/README.md\n@@ ")


async def around_a_symbol(session, asked):
    name, _ = asked.function()
    found = await text_of(session, "search", pattern=f"fn {name}", glob="*.rs")
    path, line = re.search(r"^(workspace/\S+)\n(\d+):", found, re.MULTILINE).groups()
    return f"fn {name}" in await text_of(
        session, "read_file", path=path, first_line=int(line), last_line=int(line) + 40
    )


async def explain_a_rename(session, asked):
    old, new = asked.renamed()
    return f"{old} => {new}" in await text_of(session, "GitLog", file=new)


async def a_cursor_while_head_moves(session, asked):
    first = await text_of(
        session, "GitDiff", **{"from": asked.old, "to": asked.new}, max_bytes=4_000
    )
    ids = re.search(r"\(([0-9a-f]{12})\.\.([0-9a-f]{12})\)", first.splitlines()[0])
    given = {"from": ids[1], "to": ids[2], "max_bytes": 4_000}
    cursor = re.findall(r"with cursor (\w+)", await text_of(session, "GitDiff", **given))[-1]
    asked.git("checkout", "-q", f"{asked.new}~1")
    following = await text_of(session, "GitDiff", **given, cursor=cursor)
    asked.git("checkout", "-q", asked.new)
    return "(continued)" in following


QUESTIONS = [
    review_without_lock_files,
    begin_a_large_review,
    who_changed_a_function_last,
    when_a_text_went,
    what_is_uncommitted,
    two_files,
    around_a_symbol,
    explain_a_rename,
    a_cursor_while_head_moves,
]


async def answered(session: Session, asked: Asked, question) -> int:
    """Asks a question; returns whether it was answered wrongly."""
    return 0 if await question(session, asked) else 1


# -- edits ---------------------------------------------------------------------------------------

BINARY = b"\x7fELF\0\0value = 1\n"
# Name: the file before, the edit, and the file after; None where nothing may be changed.
EDITS = {
    "unique": ("a = 1\nb = 2\n", [("b = 2", "b = 3")], "a = 1\nb = 3\n"),
    "not unique": ("x = 1\nx = 1\n", [("x = 1", "x = 2")], None),
    "near miss": ("if a:\n\treturn 1\n", [("if a:\n    return 1", "if a:\n    return 2")], None),
    "look-alike": ("say(\u201chello\u201d)\n", [('say("hello")', 'say("bye")')], None),
    "multi": ("one\ntwo\nthree\n", [("one", "1"), ("three", "3")], "1\ntwo\n3\n"),
    "large": (
        "".join(f"line {n}\n" for n in range(20_000)) + "last = 1\n",
        [("last = 1", "last = 2")],
        "".join(f"line {n}\n" for n in range(20_000)) + "last = 2\n",
    ),
    "binary": (BINARY, [("value = 1", "value = 2")], None),
    "missing": (None, [("a", "b")], None),
}


async def edit_with_redline(session: Session, folder: pathlib.Path, name: str, edits: list) -> None:
    pairs = [{"old_string": old, "new_string": new} for old, new in edits]
    await session.call(
        "edit_file", path=f"workspace/{name}", **(pairs[0] if len(pairs) == 1 else {"edits": pairs})
    )


async def edit_with_files(session: Session, folder: pathlib.Path, name: str, edits: list) -> None:
    await session.call(
        "edit_file",
        path=str(folder / name),
        edits=[{"oldText": old, "newText": new} for old, new in edits],
    )


async def edited(session: Session, folder: pathlib.Path, edit) -> int:
    """Makes all edits; returns how many have left another content than they should."""
    wrong = 0
    for name, (before, edits, after) in EDITS.items():
        file = folder / name.replace(" ", "_")
        given = before.encode() if isinstance(before, str) else before
        if given is not None:
            file.write_bytes(given)
        await edit(session, folder, file.name, edits)
        wanted = given if after is None else after.encode()
        wrong += (file.read_bytes() if file.exists() else None) != wanted
    return wrong


# -- changes of several files ----------------------------------------------------------------------

# Name: the files before, and after. A function is renamed in eight files; a module is split into two; a line of each of three files.
CHANGES = {
    "a rename in eight files": (
        {f"m{n}.py": f"from lib import load\n\n\ndef use{n}():\n    return load({n})\n" for n in range(8)},
        {f"m{n}.py": f"from lib import read\n\n\ndef use{n}():\n    return read({n})\n" for n in range(8)},
    ),
    "a module in two": (
        {
            "lib.py": "import json\n\n\ndef load(text):\n    return json.loads(text)\n\n\ndef save(value):\n    return json.dumps(value)\n",
            "app.py": "from lib import load, save\n\nprint(save(load('1')))\n",
        },
        {
            "lib.py": "import json\n\n\ndef load(text):\n    return json.loads(text)\n",
            "out.py": "import json\n\n\ndef save(value):\n    return json.dumps(value)\n",
            "app.py": "from lib import load\nfrom out import save\n\nprint(save(load('1')))\n",
        },
    ),
    "a version in three files": (
        {f"{name}.toml": f"name = '{name}'\nversion = '1.0'\n" for name in "abc"},
        {f"{name}.toml": f"name = '{name}'\nversion = '1.1'\n" for name in "abc"},
    ),
}  # fmt: skip


async def by_edits(session: Session, old: dict, new: dict) -> None:
    """Makes a call for each file: `edit_file` with the lines that differ, `write_file` for a new one."""
    for name, text in new.items():
        if name not in old:
            await session.call("write_file", path=f"workspace/{name}", content=text)
            continue
        a, b = (side.splitlines(keepends=True) for side in (old[name], text))
        blocks = [
            {"old_string": "".join(a[i:j]), "new_string": "".join(b[k:end])}
            for tag, i, j, k, end in difflib.SequenceMatcher(None, a, b, False).get_opcodes()
            if tag != "equal"
        ]
        given = blocks[0] if len(blocks) == 1 else {"edits": blocks}
        await session.call("edit_file", path=f"workspace/{name}", **given)


async def by_patch(session: Session, old: dict, new: dict) -> None:
    """Makes one call of `apply_patch`."""
    patch = ""
    for name, text in new.items():
        sides = (
            old.get(name, "").splitlines(keepends=True),
            text.splitlines(keepends=True),
        )
        labels = f"a/workspace/{name}" if name in old else "/dev/null", f"b/workspace/{name}"
        patch += "".join(difflib.unified_diff(*sides, *labels))
    await session.call("apply_patch", patch=patch)


async def changed(session: Session, folder: pathlib.Path, old: dict, new: dict, make) -> int:
    """Makes a change of several files; returns how many are not as they should be."""
    for name, text in old.items():
        (folder / name).write_text(text)
    await make(session, old, new)
    return sum(
        not (folder / name).exists() or (folder / name).read_text() != text
        for name, text in new.items()
    )


# -- the report ----------------------------------------------------------------------------------


async def measured(name: str, command: list[str], task) -> Count | None:
    with tempfile.TemporaryDirectory() as scratch:
        try:
            async with connect(command, pathlib.Path(scratch) / "bytes") as client:
                listed = await client.list_tools()
                session = Session(client, pathlib.Path(scratch) / "bytes")
                print(
                    f"  {name}: {len(listed.tools)} tools, {session.before:,} bytes until the first call",
                    file=sys.stderr,
                )
                wrong = await task(session)
                return session.count(wrong)
        except Exception as error:
            print(
                f"  {name} is left out: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr
            )
            return None


async def several_files(redline) -> None:
    """Prints what changes of several files cost by one call each, and by one patch."""
    print(
        "\n| change | by | calls | bytes of the calls | bytes on the wire | failures | wrong files |"
    )
    print("|---|---|---|---|---|---|---|")
    for task, (before, after) in CHANGES.items():
        for tool, make in (("edit_file", by_edits), ("apply_patch", by_patch)):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch).resolve()
                count = await measured(
                    "redline",
                    redline(folder, "--write"),
                    lambda session, folder=folder, make=make, sides=(before, after): changed(
                        session, folder, *sides, make
                    ),
                )
            if count is not None:
                print(
                    f"| {task} | {tool} | {count.calls} | {count.given:,} | {count.sent:,} | {count.failures} | {count.wrong} |",
                    flush=True,
                )


async def main(given: argparse.Namespace) -> None:
    extension = given.extension or ROOT / "build/release/redline.duckdb_extension"
    redline = lambda folder, *more: [
        sys.executable,
        "-m",
        "duckdb_redline.server",
        str(folder),
        "--extension",
        str(extension),
        *more,
    ]
    if given.changes_only:
        return await several_files(redline)
    git = shlex.split(given.git or f"{sys.executable} -m mcp_server_git")
    files = shlex.split(given.files or "npx -y @modelcontextprotocol/server-filesystem")
    print(
        "| task | server | calls | bytes on the wire | bytes for each byte of diff | failures | wrong |\n|---|---|---|---|---|---|---|"
    )

    def row(task: str, server: str, count: Count | None, useful: int | None) -> None:
        if count is not None:
            each = f"{count.sent / useful:.2f}" if useful else ""
            print(
                f"| {task} | {server} | {count.calls} | {count.sent:,} | {each} | {count.failures} | {'' if useful else count.wrong} |",
                flush=True,
            )

    for change in given.ranges:
        old, new = change.split(":")
        with tempfile.TemporaryDirectory() as scratch:
            repository = pathlib.Path(scratch) / "repository"
            subprocess.run(["git", "clone", "-q", "-n", given.repository, repository], check=True)
            subprocess.run(["git", "-C", repository, "checkout", "-q", new], check=True)
            diff = subprocess.run(
                ["git", "-C", repository, "diff", "-M", old, new], check=True, capture_output=True
            ).stdout.decode(errors="replace")
            names = subprocess.run(
                ["git", "-C", repository, "diff", "-M", "--name-only", old, new],
                check=True,
                capture_output=True,
            ).stdout.splitlines()
            useful, task = (
                len(json.dumps(diff, ensure_ascii=False).encode()),
                f"review of {len(names)} files",
            )
            for server, command, reviewed in (
                ("redline", redline(repository), review_with_redline),
                ("mcp-server-git", [*git, "--repository", str(repository)], review_with_git),
            ):

                async def task_of(session, reviewed=reviewed):
                    seen = await reviewed(session, repository, old, new, given.max_bytes)
                    return 0 if seen else 1

                row(task, server, await measured(server, command, task_of), useful)
    old, new = given.ranges[-1].split(":")
    with tempfile.TemporaryDirectory() as scratch:
        repository = pathlib.Path(scratch) / "repository"
        subprocess.run(["git", "clone", "-q", given.repository, repository], check=True)
        subprocess.run(["git", "-C", repository, "checkout", "-q", new], check=True)
        asked = Asked(
            repository,
            *(
                subprocess.run(
                    ["git", "-C", repository, "rev-parse", one],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout.strip()
                for one in (old, new)
            ),
        )
        for question in QUESTIONS:
            count = await measured(
                "redline",
                redline(repository),
                lambda session, question=question: answered(session, asked, question),
            )
            row(question.__name__.replace("_", " "), "redline", count, None)
    for server, command, edit in (
        ("redline", lambda folder: redline(folder, "--write"), edit_with_redline),
        ("server-filesystem", lambda folder: [*files, str(folder)], edit_with_files),
    ):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch).resolve()
            row(
                "eight edits",
                server,
                await measured(
                    server, command(folder), lambda session: edited(session, folder, edit)
                ),
                None,
            )
    await several_files(redline)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--relay"]:
        sys.exit(relay(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository")
    parser.add_argument("ranges", nargs="*", metavar="FROM:TO")
    parser.add_argument(
        "--changes-only", action="store_true", help="measure changes of files alone"
    )
    parser.add_argument("--extension", type=pathlib.Path)
    parser.add_argument("--max-bytes", type=int, default=25_000)
    parser.add_argument("--git", help="the command of mcp-server-git")
    parser.add_argument("--files", help="the command of server-filesystem")
    import anyio

    anyio.run(main, parser.parse_args())
