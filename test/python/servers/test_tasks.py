"""Twenty tasks of agents, as they would do them: no dead end, no wrong answer, and no more calls than they are worth.

Each task is a session with a new server, and git says what is right.
"""

import re

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import in_memory
import mcp_types as types
from histories import Clock, write
from mcp import Client
from repositories import GitFailed, git, git_text

pytestmark = pytest.mark.slow
CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
MANY = 600


def make(folder) -> None:
    """Makes a repository with what the tasks are about."""
    root = folder / "workspace"
    root.mkdir()
    write(root, "init --quiet --initial-branch=main .", "config user.name Ann")
    write(root, "config user.email ann@example.com")
    clock = Clock(root)
    texts = {f"src/m{number}.py": f"import old_name\nnumber = {number}\n" for number in range(6)}
    clock.commit("First", files={"src/app.py": CODE, "notes.txt": "a\nb\nc\n"} | texts)
    write(root, "tag v1.0")
    clock.commit("Know in_eval", files={"src/eval.py": "in_eval = True\nkept = 1\n"})
    clock.commit("Count better", files={"src/app.py": CODE.replace("return 1", "return 11")})
    write(root, "tag v1.1")
    clock.commit("Forget in_eval", files={"src/eval.py": "kept = 1\n"})
    clock.commit(
        "Two more",
        files={"src/app.py": CODE.replace("1", "111"), "notes.txt": "a\nb\nc\nd\n"},
        author="Bob <bob@example.com>",
    )
    write(root, "tag v1.2", "checkout -q -b topic v1.1")
    long = "".join(f"line {number}\n" for number in range(60))
    clock.commit("A module", files={"src/new.py": "x = 1\n", "long.txt": long})
    clock.commit("More of it", files={"src/new.py": "x = 1\ny = 2\n"})
    clock.commit("A lock file", files={"uv.lock": "".join(f"lock {n}\n" for n in range(4_000))})
    write(root, "checkout -q -b rebased v1.2", "cherry-pick topic~2 topic~1")
    write(root, "checkout -q -b many main")
    clock.commit("Many", files={f"d{n % 7}/f{n}.txt": f"{n} {'x' * 80}\n" * 4 for n in range(MANY)})
    write(root, "checkout -q main", "branch other v1.2")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    make(folder)
    return folder / "workspace"


class Agent:
    """A client with a person who says yes; counts its calls, its bytes and the questions to the person."""

    def __init__(self, client):
        self.client, self.calls, self.bytes, self.asked = client, 0, 0, []

    async def __call__(self, tool: str, fails: bool = False, **arguments) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        self.calls, self.bytes = self.calls + 1, self.bytes + len(text.encode())
        assert bool(result.is_error) == fails, text
        return text


async def pages(agent: Agent, tool: str, **arguments) -> str:
    """Returns all pages of an answer, each after the first by its cursor alone."""
    found = [await agent(tool, **arguments)]
    while cursor := re.search(r"\[more: call again with cursor (\w+)\]", found[-1]):
        found.append(await agent(tool, cursor=cursor[1]))
    return "".join(found)


async def review_a_branch(agent, root):
    text = await pages(agent, "GitDiff", **{"from": "main...topic"})
    wanted = git_text(root, "diff", "main...topic")
    added = lambda text: re.findall(r"^\+(?!\+\+)(.*)$", text, re.MULTILINE)
    assert sorted(added(text)) == sorted(added(wanted))
    # Written by a program: after all that a person has written.
    assert text.index("+lock 1\n") > text.index("+y = 2") and text.index("+lock 1\n") > text.index(
        "+line 59"
    )


async def totals_of_a_large_range(agent, root):
    text = await agent("GitDiff", **{"from": "main..many"})
    assert f"{MANY} files changed, {4 * MANY} insertions(+)" in text
    for number in range(7):
        assert re.search(rf"d{number}/.*{len(range(number, MANY, 7))} files", text), text[:800]


async def who_changed_a_function(agent, root):
    text = await agent("GitLog", file="src/app.py", function="one")
    found = re.findall(r"^(\w{7,40}) ", text, re.MULTILINE)
    wanted = git_text(root, "log", "--format=%h", "-L:one:src/app.py", "-s").split()
    assert len(found) == len(wanted) == 3 and all(
        a[:7] == b[:7] for a, b in zip(found, wanted, strict=True)
    )


async def when_a_text_went(agent, root):
    text = await agent("GitLog", contains="in_eval")
    first = re.search(r"^(\w{7,40}) .*", text, re.MULTILINE)
    assert "Forget in_eval" in first[0]


async def what_is_not_committed(agent, root):
    (root / "notes.txt").write_text("a\nB\nc\nd\n")
    (root / "loose.txt").write_text("x\n")
    status, diff = await agent("GitStatus"), await agent("GitDiff", **{"from": "HEAD"})
    assert " M notes.txt" in status and "?? loose.txt" in status
    assert "-b\n+B\n" in diff and "1 untracked file is not shown" in diff


async def two_files(agent, root):
    text = await agent("GitDiff", **{"from": "v1.0..v1.2"}, paths=["src/app.py", "notes.txt"])
    assert text.startswith("2 files changed") and "+d\n" in text


async def eight_edits(agent, root):
    (root / "eight.txt").write_text("".join(f"value {number}\n" for number in range(8)))
    edits = [{"old_string": f"value {n}\n", "new_string": f"VALUE {n}\n"} for n in range(8)]
    await agent("edit_file", path="workspace/eight.txt", edits=edits)
    assert (root / "eight.txt").read_text() == "".join(f"VALUE {n}\n" for n in range(8))
    assert len(agent.asked) == 1


async def find_a_symbol(agent, root):
    text = await agent("search", pattern="def two", glob="*.py")
    path, line = re.search(r"^(workspace/\S+)\n(\d+):def two", text, re.MULTILINE).groups()
    assert "return 2" in await agent("read_file", path=path, first_line=int(line))


async def a_rename(agent, root):
    git(root, "mv", "notes.txt", "words.txt")
    status = await agent("GitStatus")
    assert "R  notes.txt => words.txt\n" in status
    assert "Two more" in await agent("GitLog", file="notes.txt")


async def a_cursor_when_head_moves(agent, root):
    range = {"from": "v1.0", "to": "HEAD"}
    git(root, "checkout", "-q", "many")
    first = await agent("GitDiff", **range)
    ends = re.search(r"\((\w+)\.\.(\w+)\)", first)
    cursor = re.search(r"with cursor (\w+)\]", first)[1]
    git(root, *AUTHOR, "commit", "-q", "--allow-empty", "-m", "Empty")
    (root / "moved.txt").write_text("x\n")
    git(root, "add", "moved.txt")
    git(root, *AUTHOR, "commit", "-q", "-m", "Moved")
    stale = await agent("GitDiff", fails=True, cursor=cursor)
    assert stale.startswith("stale: ") and "ids of the answer" in stale
    pinned = await agent("GitDiff", **{"from": ends[1], "to": ends[2]})
    again = re.search(r"with cursor (\w+)\]", pinned)[1]
    assert "f1" in await agent("GitDiff", cursor=again)


async def hundreds_of_files(agent, root):
    text = await pages(agent, "GitDiffSummary", **{"from": "main..many"})
    assert {int(n) for n in re.findall(r"\bf(\d+)\.txt", text)} == set(range(MANY))


async def the_first_release_with_a_text(agent, root):
    log = await agent("GitLog", contains="in_eval")
    commit = re.findall(r"^(\w{7,40}) ", log, re.MULTILINE)[-1]
    refs = await agent("GitRefs", contains=commit, glob="refs/tags/*")
    assert "the first tag by its commit's date is v1.1" in refs
    assert sorted(re.findall(r"^(v\S+) ", refs, re.MULTILINE)) == ["v1.1", "v1.2"]


async def take_back_a_hunk(agent, root):
    git(root, "checkout", "-q", "topic")
    old = (root / "long.txt").read_text()
    (root / "long.txt").write_text(old.replace("line 3\n", "LINE 3\n").replace("line 50\n", "L\n"))
    text = await agent("GitDiff", **{"from": "HEAD"}, paths=["long.txt"])
    hunk = re.search(r"^@@ -1,.*?(?=^@@)", text, re.MULTILINE | re.DOTALL)[0]
    head, *lines = hunk.splitlines(keepends=True)
    swap = {"+": "-", "-": "+"}
    back = "".join(swap.get(line[0], line[0]) + line[1:] for line in lines)
    await agent("apply_patch", patch=f"--- a/long.txt\n+++ b/long.txt\n{head}{back}")
    assert (root / "long.txt").read_text() == old.replace("line 50\n", "L\n")


async def nine_files_and_back(agent, root):
    before = {path: path.read_bytes() for path in (root / "src").iterdir()}
    parts = [f"*** Add File: new{n}.txt\n+new\n" for n in range(3)]
    parts += [f"*** Update File: src/m{n}.py\n-number = {n}\n+number = {n}0\n" for n in range(6)]
    patch = f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"
    await agent("apply_patch", patch=patch, dry_run=True)
    assert agent.asked == []
    await agent("apply_patch", patch=patch)
    assert (root / "src/m5.py").read_text().endswith("= 50\n") and len(agent.asked) == 1
    await agent("undo")
    assert {path: path.read_bytes() for path in (root / "src").iterdir()} == before
    assert len(agent.asked) == 2 and not (root / "new0.txt").exists()


async def a_conflict(agent, root):
    git(root, "checkout", "-q", "-b", "left", "v1.0")
    (root / "notes.txt").write_text("a\nleft\nc\n")
    git(root, "commit", "-q", "-a", "-m", "Left")
    git(root, "checkout", "-q", "-b", "right", "v1.0")
    (root / "notes.txt").write_text("a\nright\nc\n")
    git(root, "commit", "-q", "-a", "-m", "Right")
    with pytest.raises(GitFailed):
        git(root, "merge", "-q", "left")
    assert "UU notes.txt" in await agent("GitStatus")
    ours = await agent("GitFile", file="notes.txt", rev="ours")
    theirs = await agent("GitFile", file="notes.txt", rev="theirs")
    assert "\nright\n" in ours and "\nleft\n" in theirs
    await agent("write_file", path="workspace/notes.txt", content="a\nleft and right\nc\n")
    await agent("GitStage", what=["notes.txt"])
    assert git_text(root, "status", "--porcelain") == "M  notes.txt"


async def a_name_in_six_files(agent, root):
    text = await agent("search", pattern="old_name", path="workspace/src")
    files = re.findall(r"^workspace/(src/\S+)$", text, re.MULTILINE)
    assert len(files) == 6
    parts = "".join(f"*** Update File: {f}\n-import old_name\n+import new_name\n" for f in files)
    await agent("apply_patch", patch=f"*** Begin Patch\n{parts}*** End Patch\n")
    assert not [f for f in files if "old_name" in (root / f).read_text()] and len(agent.asked) == 1


async def staged_and_not(agent, root):
    (root / "src/app.py").write_text(CODE + "# staged\n")
    git(root, "add", "src/app.py")
    (root / "src/app.py").write_text(CODE + "# staged\n# not staged\n")
    (root / "loose.txt").write_text("x\n")
    assert "MM src/app.py" in await agent("GitStatus")
    staged = await agent("GitDiff", **{"from": "HEAD", "to": "INDEX"})
    rest = await agent("GitDiff", **{"from": "INDEX"})
    assert "+# staged\n" in staged and "# not staged" not in staged
    assert "+# not staged\n" in rest and "+# staged" not in rest


async def what_was_picked(agent, root):
    text = await agent("GitRangeDiff", old_range="v1.1..topic", new_range="v1.2..rebased")
    assert "2 equal, 1 dropped" in text and "A lock file" in text


async def a_changelog(agent, root):
    text = await agent("GitLog", range="v1.0..v1.2")
    wanted = git_text(root, "log", "--format=%s", "v1.0..v1.2").splitlines()
    assert [line for line in wanted if line not in text] == [] and text.count("Bob") >= 1


async def what_changes_together(agent, root):
    text = await agent(
        "query", sql="SELECT * FROM co_changes(repo := 'workspace', min_support := 1) LIMIT 50"
    )
    assert "src/app.py" in text


# Task -> the most calls: those of the former trial, or fewer where it had ended in none.
TASKS = {
    review_a_branch: 3, totals_of_a_large_range: 1, who_changed_a_function: 2, when_a_text_went: 1, what_is_not_committed: 2, two_files: 1,
    eight_edits: 1, find_a_symbol: 2, a_rename: 2, a_cursor_when_head_moves: 4, hundreds_of_files: 5, the_first_release_with_a_text: 2,
    take_back_a_hunk: 2, nine_files_and_back: 3, a_conflict: 5, a_name_in_six_files: 2, staged_and_not: 3, what_was_picked: 1,
    a_changelog: 1, what_changes_together: 1,
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_task_ends_right_within_its_calls(extension, made, tmp_path, task, record_property):
    root = tmp_path / "workspace"
    git(made, "clone", "-q", "--mirror", str(made), str(root / ".git"))
    write(root, "config core.bare false", "config user.name Ann")
    write(root, "config user.email ann@example.com", "checkout -q main")
    asked = []

    async def yes(context, params):
        asked.append(params.message)
        name = "next" if "next" in params.requested_schema["properties"] else "approve"
        return types.ElicitResult(action="accept", content={name: True})

    async def main():
        server = in_memory.server(extension, str(root), "--write", "--commit", "--query")
        with anyio.fail_after(180):
            async with Client(server, elicitation_callback=yes) as client:
                agent = Agent(client)
                agent.asked = asked
                await task(agent, root)
                return agent

    agent = anyio.run(main)
    record_property("calls", agent.calls)
    record_property("bytes", agent.bytes)
    assert agent.calls <= TASKS[task], agent.calls


def test_the_tasks_are_twenty():
    assert len(TASKS) == 20
