"""The server of redline-mcp, asked by the official client with today's protocol and the earlier one: in memory, and over stdio where that is the subject."""

import codecs
import functools
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading

import pytest
from repositories import ROOT

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import in_memory
import mcp_types as types
from mcp import Client, StdioServerParameters
from person import WITH_TERMINAL, Person, with_terminal
from tool_calls import GOOD, MODES, WRONG

from duckdb_redline.server import approver, forms


async def accept(context, params):
    return types.ElicitResult(action="accept", content={"approve": True})


def text(result: types.CallToolResult) -> str:
    return result.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_tools_are_listed_as_in_the_registry(con, drive, mode):
    columns = ["name", "title", "description", "input_schema", "output_schema", "annotations"]
    rows = [
        dict(zip(columns, row))
        for row in con.execute(f"SELECT {', '.join(columns)} FROM redline_tools()").fetchall()
    ]
    registry = {
        row["name"]: row | {name: json.loads(row[name]) for name in columns[3:]} for row in rows
    }

    async def listed(client):
        return (await client.list_tools()).tools

    # A client that shows no forms is offered nothing that a person must approve.
    for write, asks in ((True, accept), (False, accept), (True, None)):
        tools = {
            tool.name: tool
            for tool in drive(listed, mode=mode, write=write, elicitation_callback=asks)
        }
        assert set(tools) == set(registry) - (
            {"write_file", "edit_file", "apply_patch", "undo", "GitStage", "GitCommit"}
            if not (write and asks)
            else set()
        )
        for name, tool in tools.items():
            said = registry[name]
            assert (tool.title, tool.description) == (said["title"], said["description"])
            assert (tool.input_schema, tool.output_schema) == (said["input_schema"], None)
            assert (
                tool.annotations.model_dump(by_alias=True, exclude_none=True) == said["annotations"]
            )


@pytest.mark.parametrize("mode", MODES)
def test_answers_name_only_tools_that_the_client_has(drive, mode):
    writing = {"write_file", "edit_file", "apply_patch", "undo", "GitStage", "GitCommit"}

    async def conversation(client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        said = [
            text(await client.call_tool(tool, arguments))
            for tool, arguments in [
                ("redline_capabilities", {}), ("nothing_like_it", {}), ("Edit", {"file_path": "a.txt"}), ("sql", {"query": "SELECT 1"}),
                ("Grep", {"pattern": "x"}), ("Bash", {"command": "rm a.txt"}),
            ]
        ]  # fmt: skip
        return names, said

    for options, asks, has in [
        (("--query",), accept, {"query"} | writing),
        ((), accept, writing),
        (("--query",), None, {"query"}),
        ((), None, set()),
    ]:
        names, said = drive(conversation, mode=mode, options=options, elicitation_callback=asks)
        assert names & (writing | {"query"}) == has
        capabilities, *errors = said
        listed = capabilities.rpartition("Tools: ")[2].split(", ")
        assert set(listed) == names
        assert ("a person approves: write_file, edit_file, apply_patch, undo" in capabilities) == (
            asks is not None
        )
        for error in errors:
            words = set(re.findall(r"[A-Za-z_]+", error))
            assert not words & ((writing | {"query"}) - has) - {"query"}, error
        assert ("query runs one SELECT" in said[3]) == ("query" in has)
        assert "Call search with the same arguments" in said[4]
        assert ("apply_patch removes a file" in said[5]) == (asks is not None)


# In memory both protocols answer these calls in every run, below.
@pytest.mark.parametrize("mode", [MODES[0], pytest.param(MODES[1], marks=pytest.mark.slow)])
def test_right_calls_are_answered_and_wrong_ones_get_their_codes(drive_apart, folder, mode):
    async def conversation(client):
        assert {tool.name for tool in (await client.list_tools()).tools} == set(GOOD) == set(WRONG)
        for name, (arguments, code) in WRONG.items():
            result = await client.call_tool(name, arguments)
            assert result.is_error and text(result).startswith(f"{code}: "), (name, text(result))
        for name, (arguments, words) in GOOD.items():
            result = await client.call_tool(name, arguments)
            assert (
                result.structured_content is None and not result.is_error and words in text(result)
            ), (name, text(result))
        assert text(await client.call_tool("nothing", {})).startswith("not_found: ")

    drive_apart(conversation, mode=mode, elicitation_callback=accept)
    assert (folder / "a.txt").read_text() == "one\n2\n" and (
        folder / "new/c.txt"
    ).read_text() == "c\n"


# What the clients of large agents show their model of an answer: its values alone where there are any, or its texts.
SHOWN = {
    "values first": lambda result: (
        json.dumps(result.structured_content, ensure_ascii=False)
        if result.structured_content
        else text(result)
    ),
    "texts": text,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("client_kind", SHOWN)
def test_every_client_shows_its_model_the_answer(drive, mode, client_kind):
    shown = SHOWN[client_kind]

    async def conversation(client):
        for name, (arguments, words) in GOOD.items():
            assert words in shown(await client.call_tool(name, arguments)), name

    drive(conversation, mode=mode, elicitation_callback=accept)


@pytest.mark.parametrize("mode", MODES)
def test_a_program_gets_values_that_are_complete_and_match_their_schemas(con, drive, mode):
    schemas = {
        name: json.loads(schema)
        for name, schema in con.execute(
            "SELECT name, output_schema FROM redline_tools()"
        ).fetchall()
    }

    async def conversation(client):
        assert {
            tool.name: tool.output_schema for tool in (await client.list_tools()).tools
        } == schemas
        for name, (arguments, _words) in GOOD.items():
            # The client checks the answer against the tool's output schema.
            result = await client.call_tool(name, arguments)
            values = json.dumps(result.structured_content, ensure_ascii=False)
            assert not result.is_error and set(result.structured_content) >= set(
                schemas[name]["properties"]
            ), name
            assert "\n" not in text(result) and len(values) > len(text(result)), (name, values)
        wrong = await client.call_tool("GitFile", {"file": "absent"})
        assert (
            wrong.is_error
            and wrong.structured_content is None
            and text(wrong).startswith("not_found: ")
        )

    drive(conversation, mode=mode, options=["--structured"], elicitation_callback=accept)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "answer",
    [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
        types.ElicitResult(action="accept"),
        types.ElicitResult(action="accept", content={"approve": False}),
        types.ElicitResult(action="accept", content={"approve": "yes"}),
        None,
    ],
    ids=["decline", "cancel", "empty", "false", "text", "no elicitation"],
)
def test_no_change_is_made_without_a_yes(drive, folder, mode, answer):
    shown = []

    async def callback(context, params):
        shown.append(params.message)
        return answer

    async def conversation(client):
        return await client.call_tool("edit_file", GOOD["edit_file"][0])

    result = drive(conversation, mode=mode, elicitation_callback=callback if answer else None)
    assert (folder / "a.txt").read_text() == "one\ntwo\n"
    is_no = answer is not None and (
        answer.action == "decline" or answer.content == {"approve": False}
    )
    code = "permission_denied" if answer is None else "declined" if is_no else "approval_required"
    assert result.is_error and text(result).startswith(f"{code}: ")
    assert len(result.content) == 1  # Only the holder of the key gets the payload.
    assert len(shown) == (answer is not None)
    for message in shown:
        assert "Edit: workspace/a.txt" in message and "-two" in message and "+2" in message


def test_a_no_is_final_for_the_same_change_and_for_no_other(drive, folder):
    shown = []

    async def decline_then_accept(context, params):
        shown.append(params.message)
        return (
            await accept(context, params)
            if "two" not in params.message
            else types.ElicitResult(action="decline")
        )

    async def conversation(client):
        edit = GOOD["edit_file"][0]
        first, again = (
            await client.call_tool("edit_file", edit),
            await client.call_tool("edit_file", edit),
        )
        other = await client.call_tool(
            "edit_file", {"path": "workspace/b.txt", "old_string": "three", "new_string": "3"}
        )
        return text(first), text(again), len(shown), other.is_error

    for mode in MODES:
        shown.clear()
        (folder / "b.txt").write_text("one\nthree\n")
        first, again, asked, is_error = drive(
            conversation, mode=mode, elicitation_callback=decline_then_accept
        )
        assert (
            first.startswith("declined: a person has declined")
            and again == first
            and asked == 1 + (not is_error)
        )
    assert (folder / "a.txt").read_text() == "one\ntwo\n" and not is_error


def test_a_no_of_one_client_is_none_of_another(extension, folder):
    session = [""]

    async def answer(context, params):
        no = types.ElicitResult(action="decline")
        return no if session == ["first"] else await accept(context, params)

    server = in_memory.server(
        extension, str(folder), "--write", session_of=lambda context: session[0]
    )

    async def main():
        said = []
        with anyio.fail_after(180):
            async with Client(server, elicitation_callback=answer) as client:
                for session[0] in ["first", "first", "second"]:
                    said.append(text(await client.call_tool("edit_file", GOOD["edit_file"][0])))
        return said

    first, again, other = anyio.run(main)
    assert first.startswith("declined: ") and again == first
    assert not other.startswith("declined: ") and (folder / "a.txt").read_text() == "one\n2\n"


# Promise (approval): A no that no person can have given is none, and closes nothing; what one
# client asks voids no form of another. With `test_a_no_after_two_tenths_of_a_second_is_a_persons`,
# `test_what_one_client_asks_voids_no_form_of_another`.
@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        *itertools.product(
            MODES,
            [
                types.ElicitResult(action="decline"),
                types.ElicitResult(action="cancel"),
                types.ElicitResult(action="accept", content={"approve": False}),
            ],
        ),
        ("legacy", types.ErrorData(code=-32601, message="no forms")),
    ],
)
def test_an_answer_that_no_person_gave_closes_nothing(extension, folder, mode, answer):
    """A client without a person answers at once; under load it takes longer, which makes its next answers no person's."""
    clock, took = [0.0], []
    server = in_memory.server(extension, str(folder), "--write", now=lambda: clock[0])

    async def callback(context, params):
        clock[0] += took[-1]
        return answer if took[-1] < 2 else await accept(context, params)

    async def call(client):
        return await client.call_tool("edit_file", GOOD["edit_file"][0])

    async def main():
        said = []
        with anyio.fail_after(180):
            async with Client(server, mode=mode, elicitation_callback=callback) as client:
                for seconds in [0.0, 0.199, 1.9, 2.1]:
                    took.append(seconds)
                    said.append(await call(client))
        return said

    *refused, allowed = anyio.run(main)
    for result in refused:
        assert result.is_error and text(result).startswith(
            "permission_denied: this client answers questions by itself; "
        )
        assert "declined" not in text(result) and "--approve web or terminal" in text(result)
    assert not allowed.is_error and (folder / "a.txt").read_text() == "one\n2\n"


@pytest.mark.parametrize("mode", MODES)
def test_a_no_after_two_tenths_of_a_second_is_a_persons(extension, folder, mode):
    clock = [0.0]
    server = in_memory.server(extension, str(folder), "--write", now=lambda: clock[0])

    async def decline(context, params):
        clock[0] += 0.21
        return types.ElicitResult(action="decline")

    async def main():
        with anyio.fail_after(180):
            async with Client(server, mode=mode, elicitation_callback=decline) as client:
                return text(await client.call_tool("edit_file", GOOD["edit_file"][0]))

    assert anyio.run(main).startswith("declined: ")


def test_what_one_client_asks_voids_no_form_of_another():
    asked = forms.Asked(itertools.count().__next__)

    def page(number):
        return {"page": 1, "pages": 1, "text": "", "proof": f"proof {number}"}

    mine = approver.Call("edit_file", "{}", "mine", "payload")
    name = asked.ask(mine, page(0))
    other = approver.Call("edit_file", "{}", "other", "payload")
    assert len({asked.ask(other, page(0)) for _ in range(1_000)}) == 1
    assert len({asked.ask(other, page(number)) for number in range(1_000)}) == 1_000
    assert len(asked.questions["other"]) == forms.MAX_ASKED
    assert asked.answered(name, other, [page(0)]) is None
    found = asked.answered(name, mine, [page(0)])
    assert found is not None and found[0] == page(0)


def test_instructions_are_given_at_the_start(con, drive):
    async def conversation(client):
        return client.instructions

    (said,) = con.execute("SELECT instructions FROM redline_capabilities()").fetchone()
    assert len(said) < 1_500 and "max_bytes" in said
    assert drive(conversation) == drive(conversation, mode="legacy") == said


def test_a_yes_counts_only_for_what_was_shown(drive, folder):
    async def change_then_accept(context, params):
        asked.append(params.message)
        if len(asked) == 1:
            (folder / "a.txt").write_text("zero\none\ntwo\n")
        return await accept(context, params)

    async def conversation(client):
        return await client.call_tool("edit_file", GOOD["edit_file"][0])

    for mode in MODES:
        asked = []
        (folder / "a.txt").write_text("one\ntwo\n")
        result = drive(conversation, mode=mode, elicitation_callback=change_then_accept)
        written = (folder / "a.txt").read_text()
        # Today's protocol repeats the call, so the person is asked about the file as it is now.
        if mode == "auto":
            assert (
                len(asked) == 2
                and "zero" in asked[1]
                and written == "zero\none\n2\n"
                and not result.is_error
            )
        else:
            assert len(asked) == 1 and result.is_error and written == "zero\none\ntwo\n", text(
                result
            )


# Promise (approval): An answer of a client's form counts once.
def test_an_answer_of_the_client_counts_once(drive, folder):
    async def conversation(client):
        yes = {"approval": types.ElicitResult(action="accept", content={"approve": True})}
        call = lambda **more: client.session.call_tool(
            "edit_file", GOOD["edit_file"][0], allow_input_required=True, **more
        )
        questions = [await call() for _ in range(2)]
        result = await call(input_responses=yes, request_state=questions[0].request_state)
        assert not result.is_error and (folder / "a.txt").read_text() == "one\n2\n"
        # The file is as it was, the call is the same, and so is what it would do.
        (folder / "a.txt").write_text("one\ntwo\n")
        for question in questions:
            again = await call(input_responses=yes, request_state=question.request_state)
            assert isinstance(again, types.InputRequiredResult)
        assert (folder / "a.txt").read_text() == "one\ntwo\n"

    drive(conversation, elicitation_callback=accept)


def test_a_forged_answer_of_the_client_is_not_believed(drive, folder):
    async def conversation(client):
        forged = {"approval": types.ElicitResult(action="accept", content={"approve": True})}
        first = await client.session.call_tool(
            "edit_file", GOOD["edit_file"][0], allow_input_required=True
        )
        assert isinstance(first, types.InputRequiredResult)
        for state in (None, "", "forged", first.request_state[:-4]):
            try:
                result = await client.session.call_tool(
                    "edit_file",
                    GOOD["edit_file"][0],
                    input_responses=forged,
                    request_state=state,
                    allow_input_required=True,
                )
                assert isinstance(result, types.InputRequiredResult)
            except Exception as error:
                assert "requestState" in str(error)
        other = {"path": "workspace/b.txt", "old_string": "three", "new_string": "3"}
        with pytest.raises(Exception, match="requestState"):
            await client.session.call_tool(
                "edit_file",
                other,
                input_responses=forged,
                request_state=first.request_state,
                allow_input_required=True,
            )

    drive(conversation, elicitation_callback=accept)
    assert (folder / "a.txt").read_text() == "one\ntwo\n" and (
        folder / "b.txt"
    ).read_text() == "one\nthree\n"


LONG = {
    "path": "workspace/long.txt",
    "content": "".join(f"line {number} {'x' * 120} end{number}\n" for number in range(63)),
}


@pytest.mark.parametrize("most, code", [(None, "too_large"), (8 << 20, None), (1000, "too_large")])
def test_the_largest_file_is_what_the_host_says(drive, folder, most, code):
    (folder / "large.txt").write_text("one\n" + "x" * 99 + "\n" + "line\n" * 900_000)
    options = ["--query", *(["--max-file-bytes", str(most)] if most else [])]

    async def conversation(client):
        edited = await client.call_tool(
            "edit_file", {"path": "workspace/large.txt", "old_string": "one", "new_string": "1"}
        )
        counted = await client.call_tool(
            "query",
            {
                "sql": "SELECT max_file_bytes FROM (SELECT unnest(sandboxes, recursive := true) FROM redline_capabilities())"
            },
        )
        return edited, counted

    edited, counted = drive(conversation, options=options, elicitation_callback=accept)
    assert text(edited).startswith(f"{code}: " if code else "Replaced 1 line"), text(edited)
    assert text(counted).endswith(f"\n[{most or 4 << 20}]"), text(counted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("refused_at", [None, 1, 2, "last"])
def test_every_page_is_shown_before_a_yes(drive, folder, mode, refused_at):
    shown = []

    async def callback(context, params):
        shown.append(params.message)
        last = "approve" in params.requested_schema["properties"]
        if refused_at == len(shown) or (refused_at == "last" and last):
            return types.ElicitResult(
                action="accept", content={"approve" if last else "next": False}
            )
        return types.ElicitResult(action="accept", content={"approve" if last else "next": True})

    async def conversation(client):
        return await client.call_tool("write_file", LONG)

    result = drive(conversation, mode=mode, elicitation_callback=callback)
    if refused_at is None:
        text_of_all = "".join(shown)
        assert len(shown) > 1 and re.findall(r"end(\d+)", text_of_all) == [
            str(number) for number in range(63)
        ], shown
        assert not result.is_error and (folder / "long.txt").read_text() == LONG["content"]
    else:
        code = "declined" if refused_at == "last" else "approval_required"
        assert (
            result.is_error
            and text(result).startswith(f"{code}: ")
            and not (folder / "long.txt").exists()
        )


@pytest.mark.parametrize("mode", MODES)
def test_a_text_of_many_pages_fits_the_rounds_of_a_client(drive, folder, mode):
    shown = []

    async def approve(context, params):
        shown.append(params.message)
        name = "approve" if "approve" in params.requested_schema["properties"] else "next"
        return types.ElicitResult(action="accept", content={name: True})

    async def conversation(client):
        return await client.call_tool(
            "write_file",
            {
                "path": "workspace/many.txt",
                "content": "".join(f"line {number} end{number}\n" for number in range(900)),
            },
        )

    result = drive(conversation, mode=mode, elicitation_callback=approve)
    ends = re.findall(r"end(\d+)", "".join(shown))
    assert not result.is_error and ends == [str(number) for number in range(900)], text(result)
    assert len(shown) <= (10 if mode == "auto" else 20)


def test_a_change_of_many_pages_comes_with_its_diff_block_once(drive, folder):
    blocks = []

    async def approve(context, params):
        blocks.append((params.meta or {}).get("redline/diff"))
        name = "approve" if "approve" in params.requested_schema["properties"] else "next"
        return types.ElicitResult(action="accept", content={name: True})

    async def conversation(client):
        return await client.call_tool("write_file", LONG)

    result = drive(conversation, mode="legacy", elicitation_callback=approve)
    assert (
        not result.is_error
        and len(blocks) > 1
        and blocks[0]["newText"] == LONG["content"]
        and not any(blocks[1:])
    )


@pytest.mark.parametrize("mode", MODES)
def test_what_has_too_many_pages_is_refused_and_a_yes_to_a_page_is_none_to_all(drive, folder, mode):
    shown = []

    async def approve_at_once(context, params):
        shown.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async def conversation(client):
        large = {"path": "workspace/large.txt", "content": "x\n" * 5000}
        return (
            await client.call_tool("write_file", large),
            len(shown),
            await client.call_tool("write_file", LONG),
        )

    large, asked, long = drive(conversation, mode=mode, elicitation_callback=approve_at_once)
    # It waits for nobody: no person is ever asked about it.
    assert (
        large.is_error
        and asked == 0
        and text(large).startswith("too_large: a person would have to read too many pages")
    )
    assert long.is_error and len(shown) == 1 and not (folder / "long.txt").exists()


@pytest.mark.slow
def test_a_cancelled_call_does_not_hold_up_the_others(drive_apart, folder):
    # Many lines of two kinds in random order are hard to compare, which takes far longer than all else here.
    shuffled = random.Random(1)
    for name in "xy":
        (folder / name).write_text("".join(shuffled.choices(["a\n", "b\n"], k=2_000_000)))
    files = {"path_a": "workspace/x", "path_b": "workspace/y"}

    async def conversation(client):
        working, ended = [anyio.Event(), anyio.Event()], []

        async def work(number):
            async def sign(done, total, message):
                working[number].set()

            ended.append(await client.call_tool("Diff", files, progress_callback=sign))

        async with anyio.create_task_group() as kept:
            kept.start_soon(work, 0)
            async with anyio.create_task_group() as given_up:
                given_up.start_soon(work, 1)
                for one in working:
                    await one.wait()
                given_up.cancel_scope.cancel()
            answers = [
                text(await client.call_tool("read_file", GOOD["read_file"][0])) for _ in range(3)
            ]
            # They are answered while the one that was not given up still works.
            assert not ended
            kept.cancel_scope.cancel()
        return answers

    for mode in MODES:
        for answer in drive_apart(conversation, mode=mode, options=["--progress", "0.01"]):
            assert answer.endswith("```\none\ntwo\n```")


@pytest.mark.parametrize("mode", MODES)
def test_concurrent_calls_get_their_own_answers(drive, mode):
    async def conversation(client):
        answers = {}

        async def ask(number):
            result = await client.call_tool(
                "Diff", {"text_a": "", "text_b": f"{number}\n" * (number + 1)}
            )
            answers[number] = text(result).count(f"+{number}\n"), text(result).count("\n+")

        for _ in range(3):
            answers.clear()
            async with anyio.create_task_group() as group:
                for number in range(20):
                    group.start_soon(ask, number)
            assert answers == {number: (number + 1, number + 1 + 1) for number in range(20)}

    drive(conversation, mode=mode)


def resident(name: str) -> int:
    """Returns the resident bytes of the child process whose command line holds a name."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and name in (stat.parent / "cmdline").read_text():
                return int((stat.parent / "statm").read_text().split()[1]) * os.sysconf(
                    "SC_PAGESIZE"
                )
        except OSError:
            pass
    raise AssertionError(f"no child runs {name}")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
def test_calls_free_their_memory(drive_apart):
    async def conversation(client):
        calls = [GOOD[name] for name in ("Diff", "GitDiffFile", "read_file")]
        names = ("Diff", "GitDiffFile", "read_file")
        sizes = []
        for number in range(1000):
            if number in (200, 600):
                sizes.append(resident("mcp_server.py"))
            result = await client.call_tool(names[number % 3], calls[number % 3][0])
            assert not result.is_error
        return [*sizes, resident("mcp_server.py")]

    early, middle, late = drive_apart(conversation)
    assert late - early < 16 << 20 and late - middle < 8 << 20, (early, middle, late)


# Gives a server in a process of its own a terminal of its own, which is not the one of its client.
@pytest.mark.parametrize(
    "typed, code",
    [
        pytest.param("y\n", None, id="yes", marks=pytest.mark.slow),
        pytest.param("what\ny\n", None, id="after nonsense"),
        pytest.param("n\n", "declined", id="no"),
        pytest.param("", None, id="withdrawn", marks=pytest.mark.slow),
    ],
)
def test_a_person_decides_at_the_server_s_own_terminal(extension, folder, typed, code):
    ours, theirs = os.openpty()
    shown = []
    server = with_terminal(extension, folder)

    def answer():
        """Types when it is asked, and once."""
        waiting = typed
        characters = codecs.getincrementaldecoder("utf-8")()
        while True:
            try:
                shown.append(characters.decode(os.read(ours, 1 << 16)))
            except OSError:
                return
            if waiting and "[y/n] " in "".join(shown):
                os.write(ours, waiting.encode())
                waiting = ""

    async def main():
        command = StdioServerParameters(
            command=sys.executable, args=["-c", WITH_TERMINAL, os.ttyname(theirs), *server]
        )
        with anyio.fail_after(180):
            async with Client(command) as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert {"edit_file", "write_file"} <= names
                if typed:
                    return await client.call_tool("edit_file", GOOD["edit_file"][0])
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, "edit_file", GOOD["edit_file"][0])
                    while "[y/n] " not in "".join(shown):
                        await anyio.sleep(0.02)
                    group.cancel_scope.cancel()
                return await client.call_tool("read_file", GOOD["read_file"][0])

    threading.Thread(target=answer, daemon=True).start()
    result = anyio.run(main)
    said = "".join(shown)
    assert "Edit: workspace/a.txt" in said and "-two" in said and "+2" in said
    assert text(result).startswith(f"{code}: ") if code else not result.is_error
    assert (folder / "a.txt").read_text() == ("one\n2\n" if typed.endswith("y\n") else "one\ntwo\n")
    os.close(theirs)


# Promise (approval): Keys that were typed before a question answer nothing; an answer to a
# question that was withdrawn does not count for the next; the terminal says approved only of what
# is. With `test_a_yes_to_a_question_that_was_withdrawn_is_none_to_the_next`,
# `test_the_terminal_says_approved_only_of_what_is`.
def test_keys_that_were_typed_before_a_question_answer_nothing(extension, folder):
    person = Person()

    async def conversation(client):
        await client.list_tools()
        person.types("y\ny\ny")
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "edit_file", GOOD["edit_file"][0])
            await person.sees(r"\[y/n\] ")
            assert (folder / "a.txt").read_text() == "one\ntwo\n"
            person.types("n\n")
        await person.sees("Declined")

    person.drive(extension, folder, conversation)
    assert (folder / "a.txt").read_text() == "one\ntwo\n" and "Approved" not in person.said


def test_a_yes_to_a_question_that_was_withdrawn_is_none_to_the_next(extension, folder):
    person = Person()

    async def conversation(client):
        other = {"path": "workspace/new.txt", "content": "other\n"}
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "edit_file", GOOD["edit_file"][0])
            await person.sees(r"\[y/n\] ")
            group.cancel_scope.cancel()
        withdrawn = await person.sees("question was withdrawn")
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "write_file", other)
            asked = await person.sees(r"\[([a-z]{2})/n\] ", withdrawn.end())
            person.types("y\n")
            again = await person.sees(r"\[[a-z]{2}/n\] ", asked.end())
            assert not (folder / "new.txt").exists() and asked[0] == again[0]
            person.types(f"{asked[1]}\n")
        await person.sees("Approved")

    person.drive(extension, folder, conversation)
    assert (folder / "a.txt").read_text() == "one\ntwo\n" and (
        folder / "new.txt"
    ).read_text() == "other\n"


# Promise (approval): One agent keeps neither a person nor another agent waiting: questions,
# queries and rows have shares, and a cancelled call interrupts no other. With
# `test_neither_the_person_nor_another_agent_waits_for_an_agents_calls`,
# `test_a_cancelled_call_interrupts_no_other`, `test_a_change_is_drawn_within_a_budget_of_pieces`.
def test_calls_that_wait_for_the_terminal_keep_nobody_else_waiting(extension, folder):
    person = Person()
    answers = []

    async def conversation(client):
        async def write(number):
            result = await client.call_tool(
                "write_file", {"path": f"workspace/{number}.txt", "content": "x\n"}
            )
            answers.append(text(result))

        async with anyio.create_task_group() as group:
            for number in range(60):
                group.start_soon(write, number)
            asked = await person.sees(r"\[y/n\] ")
            while len(answers) < 60 - 16:
                await anyio.sleep(0.02)
            assert all(
                answer.startswith("too_large: 16 calls of this client wait") for answer in answers
            ), answers
            assert not (await client.call_tool("read_file", GOOD["read_file"][0])).is_error
            person.types("y\n")
            await person.sees("Approved", asked.end())
            while len(answers) < 60 - 15:
                await anyio.sleep(0.02)
            assert answers[-1].startswith("Created workspace/"), answers[-1]
            await person.sees(r"\[y/n\] ", asked.end())
            group.cancel_scope.cancel()

    person.drive(extension, folder, conversation)
    assert len(list(folder.glob("[0-9]*.txt"))) == 1


def test_the_terminal_says_approved_only_of_what_is(extension, folder):
    person = Person()

    async def conversation(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "edit_file", GOOD["edit_file"][0])
            asked = await person.sees(r"\[y/n\] ")
            (folder / "a.txt").write_text("one\ntwo\nthree\n")
            # Another call for the same is another proposal, and what was shown waits no longer.
            proposed = anyio.Event()

            async def sign(done, total, message):
                if message == "waits for a person":
                    proposed.set()

            again = functools.partial(client.call_tool, progress_callback=sign)
            group.start_soon(again, "edit_file", GOOD["edit_file"][0])
            await proposed.wait()
            person.types("y\n")
            await person.sees("Not approved: it no longer waits", asked.end())
            group.cancel_scope.cancel()

    person.drive(extension, folder, conversation, "--progress", "0.05")
    assert (folder / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_without_a_terminal_the_server_does_not_start(extension, folder):
    command = [
        sys.executable,
        ROOT / "examples/mcp_server.py",
        folder,
        "--extension",
        extension,
        "--write",
        "--approve",
        "terminal",
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    assert (
        done.returncode == 1 and done.stdout == "" and "this process has no terminal" in done.stderr
    )
