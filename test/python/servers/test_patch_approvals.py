"""A patch of several files is shown whole before its approval: at the server's terminal, in the forms of a client, and on the page."""

import re

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import in_memory
import mcp_types as types
from mcp import Client
from person import Person
from served import Served

LINES = [f"line {number} end{number}." for number in range(300)]
PATCH = "\n".join(
    [
        "*** Begin Patch", "*** Update File: workspace/a.txt", " one", "-two", "+2", "*** Delete File: workspace/gone.txt",
        "*** Update File: workspace/old.txt", "*** Move to: workspace/new/name.txt", "-old", "+new", "*** Add File: workspace/long.txt",
        *(f"+{line}" for line in LINES), "*** End Patch", "",
    ]
)  # fmt: skip
# Each file, and what of it a person must see.
SEEN = [
    "a.txt", "two", "gone.txt", "deleted file", "farewell", "old.txt", "rename to new/name.txt", "long.txt", "new file",
    *(f"end{number}." for number in range(300)),
]  # fmt: skip


def fill(folder):
    for name, content in (("a", "one\ntwo\n"), ("gone", "farewell\n"), ("old", "old\n")):
        (folder / f"{name}.txt").write_text(content)
    return folder


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


BEFORE = {"a.txt": "one\ntwo\n", "gone.txt": "farewell\n", "old.txt": "old\n"}
AFTER = {
    "a.txt": "one\n2\n",
    "new/name.txt": "new\n",
    "long.txt": "".join(f"{line}\n" for line in LINES),
}


def check(folder, shown, yes, said):
    missing = [word for word in SEEN if word not in shown]
    assert not missing, missing
    assert files(folder) == (AFTER if yes else BEFORE), said


@pytest.mark.parametrize("yes", [True, False])
def test_the_forms_of_a_client_show_all_of_a_patch(extension, tmp_path, yes):
    folder, shown = fill(tmp_path), []

    async def callback(context, params):
        assert files(folder) == BEFORE
        shown.append(params.message)
        name = "approve" if "approve" in params.requested_schema["properties"] else "next"
        return types.ElicitResult(action="accept", content={name: yes or name == "next"})

    async def main():
        server = in_memory.server(extension, str(folder), "--write")
        with anyio.fail_after(180):
            async with Client(server, elicitation_callback=callback) as client:
                return await client.call_tool("apply_patch", {"patch": PATCH})

    result = anyio.run(main)
    assert bool(result.is_error) != yes and len(shown) > 1
    check(folder, "".join(shown), yes, result.content[0].text)


@pytest.mark.parametrize("yes", [True, False])
def test_the_terminal_shows_all_of_a_patch(extension, tmp_path, yes):
    folder, person = fill(tmp_path), Person(rows=150)

    async def conversation(client):
        results = []

        async def call():
            results.append(await client.call_tool("apply_patch", {"patch": PATCH}))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            seen = 0
            while True:
                found = await person.sees(r"Enter for the next, n for no: |\[(\w+)/n\] ", seen)
                seen = found.end()
                assert files(folder) == BEFORE
                if found[1]:
                    break
                person.types("\n")
            person.types(f"{found[1]}\n" if yes else "n\n")
        return results[0]

    result = person.drive(extension, folder, conversation)
    assert bool(result.is_error) != yes
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", person.said)
    check(folder, shown, yes, result.content[0].text)


def test_the_page_shows_all_of_a_patch(extension, tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    fill(folder)
    (tmp_path / "server").mkdir()
    served = Served(folder, extension, tmp_path / "server", "--write", "--approve", "web")
    try:
        # The no of one client is none of the other's.
        for client, yes in enumerate([False, True]):
            call = served.call("apply_patch", {"patch": PATCH}, client)
            (link,) = served.waiting()
            parts = [served.shown(link)]
            while onward := [link for link in parts[-1].links if "part=" in link]:
                assert parts[-1].form("yes") is None
                parts.append(served.shown(onward[0]))
            assert files(folder) == BEFORE
            assert served.answer(parts[-1].form("yes" if yes else "no")).status == 303
            result = call.result(120)
            assert bool(result.is_error) != yes
            check(folder, "".join(part.text for part in parts), yes, result.content[0].text)
    finally:
        served.close()
