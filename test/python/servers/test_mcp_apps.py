"""What a client is given to draw beside its form: the diff block of a question, and the view of MCP Apps."""

import base64
import contextlib
import hashlib
import json
import pathlib
import sys

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import mcp_types as types
from chromium import BROWSER, Chromium, site
from mcp import Client
from mcp.client.extension import advertise
from served import ROOT, Document

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.locked import Locked, tools_of
from duckdb_redline.server import change
from duckdb_redline.server.approver import Call
from duckdb_redline.server.apps import MAX_PIECES, URI, Apps
from duckdb_redline.server.forms import Forms
from duckdb_redline.server.host import Host, open_database
from duckdb_redline.server.protocol import make_server, one_session

APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
EDIT = {"path": "workspace/a.txt", "old_string": "two", "new_string": "<b>2</b>"}


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    return tmp_path


@pytest.fixture
def drive(extension, folder):
    """Runs a coroutine function with a client of a new server in this process; `answer` runs while a question is open."""

    def run(conversation, answer=None, mode="auto", extensions=(APPS,)):
        async def main():
            asked = []

            async def callback(context, params):
                asked.append((params, await answer(client) if answer else None))
                return types.ElicitResult(action="accept", content={"approve": True})

            host = open_database({"workspace": folder}, True, extension)
            server = make_server(host, Forms(host), one_session())
            with anyio.fail_after(180):
                async with Client(
                    server, mode=mode, extensions=list(extensions), elicitation_callback=callback
                ) as client:
                    return await conversation(client), asked

        return anyio.run(main)

    return run


async def view(client) -> str:
    ((contents),) = (await client.read_resource(URI)).contents
    assert contents.mime_type == "text/html;profile=mcp-app"
    return contents.text


# Promise (page): The view in a client has no answers, and neither it nor a diff block holds what
# the agent may not read. With `test_neither_shows_what_the_agent_may_not_read`,
# `test_the_view_runs_and_loads_nothing_but_its_own`.
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_draws_apps_is_given_a_view_without_any_answer(drive, folder, mode):
    async def conversation(client):
        tools = {tool.name: tool.meta for tool in (await client.list_tools()).tools}
        listed = [
            (str(one.uri), one.mime_type) for one in (await client.list_resources()).resources
        ]
        before = await view(client)
        result = await client.call_tool("edit_file", EDIT)
        return tools, listed, before, result, await view(client)

    (tools, listed, before, result, after), ((_, during),) = drive(conversation, view, mode)
    assert {
        name for name, meta in tools.items() if meta and meta.get("ui") == {"resourceUri": URI}
    } == {"edit_file", "write_file", "apply_patch", "undo"}
    assert listed == [(URI, "text/html;profile=mcp-app")] and not result.is_error
    assert "Nothing waits" in Document(before).text and "Nothing waits" in Document(after).text
    page = Document(during)
    assert (
        "Edit: workspace/a.txt" in page.text
        and "removed: two" in page.text
        and "added: <b>2</b>" in page.text
    )
    # Nothing in it answers: no form, no button, no link, and no word of the key.
    assert not {tag for tag, _ in page.elements} & {"form", "button", "input", "a", "b"}
    script = (ROOT / "python/duckdb_redline/server/app.js").read_text()
    assert "tools/call" not in script and "elicit" not in script


def test_other_clients_are_offered_no_view(drive):
    async def conversation(client):
        tools = (await client.list_tools()).tools
        return [tool.meta for tool in tools if tool.meta and "ui" in tool.meta], (
            await client.list_resources()
        ).resources

    for extensions in (
        (),
        (advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/plain"]}),),
    ):
        assert drive(conversation, extensions=extensions)[0] == ([], [])


def test_a_resource_that_is_none_is_refused(drive):
    async def conversation(client):
        for uri in ("ui://redline/other.html", "file:///etc/passwd", URI + "?x"):
            with pytest.raises(Exception, match="not_found"):
                await client.read_resource(uri)

    drive(conversation)


def test_the_view_runs_and_loads_nothing_but_its_own(drive):
    text, _ = drive(view)
    page = Document(text)
    policy = next(
        given["content"]
        for tag, given in page.elements
        if given.get("http-equiv") == "Content-Security-Policy"
    )
    script = text.partition('<script type="module">')[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert (
        policy.startswith("default-src 'none'; ")
        and f"script-src 'sha256-{digest}'" in policy
        and "unsafe" not in policy
    )
    assert (
        sum(tag == "script" for tag, _ in page.elements) == 1
        and "http://" not in text
        and "https://" not in text
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_question_has_the_diff_block_of_the_agent_client_protocol(drive, folder, mode):
    calls = [
        ("edit_file", EDIT), ("write_file", {"path": "workspace/new.txt", "content": "new\n"}),
        ("write_file", {"path": "workspace/large.txt", "content": "x" * 99 + "\n" + "y" * (64 << 10)}),
    ]  # fmt: skip

    async def conversation(client):
        if mode == "legacy":
            return [await client.call_tool(*call) for call in calls]
        return [await client.session.call_tool(*call, allow_input_required=True) for call in calls]

    results, asked = drive(conversation, mode=mode)
    # In today's protocol the question is the result of the call.
    metas = (
        [params.meta for params, _ in asked]
        if mode == "legacy"
        else [result.meta for result in results]
    )
    assert [dict(meta or {}).get("redline/diff") for meta in metas] == [
        {
            "type": "diff",
            "path": "workspace/a.txt",
            "oldText": "one\ntwo\n",
            "newText": "one\n<b>2</b>\n",
        },
        {"type": "diff", "path": "workspace/new.txt", "oldText": None, "newText": "new\n"},
        None,
    ]


def test_neither_shows_what_the_agent_may_not_read(connect, folder):
    """If reading needs approval, the agent's client gets no text of the file, though the host's page has it."""
    con = connect()
    host = Host(Locked(con, "key", tools_of(con)))
    sandbox = {
        "name": "workspace",
        "root": str(folder),
        "mode": "rw",
        "read_approval": True,
        "edit_approval": True,
        "write_approval": True,
    }
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    con.execute("SET GLOBAL redline_tool_grants = ['edit_file', 'read_file', 'write_file']")
    con.execute(f"SET GLOBAL redline_approver = '{hashlib.sha256(host.key.encode()).hexdigest()}'")
    (folder / "a.txt").write_text("secret one\ntwo\nsecret three\n")

    async def main():
        apps = Apps(host)
        pages, blocks = [], []
        for number, (tool, arguments) in enumerate(
            [
                ("edit_file", EDIT),
                ("write_file", {"path": "workspace/a.txt", "content": "two\n"}),
                ("read_file", {"path": "workspace/a.txt"}),
            ]
        ):
            call = (tool, json.dumps(arguments), f"agent {number}")
            payload = await host.value(
                "SELECT system.main.needs_approval(?, ?, ?, ?)", *call, host.key
            )
            asked = Call(*call, str(payload))
            apps.asked(asked)
            blocks.append(await change.diff_block(host, asked))
            pages.append((await apps.page(f"agent {number}")).decode())
            # Nor is it another session's.
            assert "Nothing waits" in (await apps.page("another")).decode()
        return pages, blocks, await change.sides(host, asked) or True

    pages, blocks, _ = anyio.run(main)
    assert blocks == [None, None, None]
    for page in pages:
        assert (
            "secret" not in page
            and "shown to the person alone" in page
            and "workspace/a.txt" in page
        )
    assert "28" not in Document(pages[2]).text  # Its size.


def test_the_view_is_drawn_within_a_budget_of_pieces(extension, folder):
    """Any client may ask for it, again and again: a line of a file can have as many pieces as the file has bytes."""
    host = open_database({"workspace": folder}, True, extension)
    short = "a\x01" * 4_000

    async def main():
        apps = Apps(host)
        long = short + "\n" + "a\x01" * 100_000 + "\n"
        for number, content in enumerate([long, *[short + "\n"] * 4]):
            arguments = json.dumps({"path": f"workspace/{number}.txt", "content": content})
            call = "write_file", arguments, "agent"
            payload = await host.value(
                "SELECT system.main.needs_approval(?, ?, ?, ?)", *call, host.key
            )
            apps.asked(Call(*call, str(payload)))
        return (await apps.page("agent")).decode()

    page = anyio.run(main)
    assert page.count("<h2>") == 5 and "The rest is not shown here." in page
    assert 4_000 <= page.count("<span") <= MAX_PIECES, page.count("<span")


HOST = """<!DOCTYPE html><title>host</title><iframe id=app sandbox="allow-scripts"></iframe><script>
const pages = PAGES, app = document.getElementById("app");
window.said = [];
let reads = 0;
addEventListener("message", ({source, data}) => {
  if (source !== app.contentWindow) return;
  said.push(data);
  const answer = result => source.postMessage({jsonrpc: "2.0", id: data.id, result}, "*");
  if (data.method === "ui/initialize") answer({protocolVersion: "2026-01-26", hostInfo: {name: "h", version: "1"}, hostCapabilities: {serverResources: {}}, hostContext: {}});
  if (data.method === "ui/notifications/initialized") source.postMessage({jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {arguments: {}}}, "*");
  if (data.method === "resources/read") answer({contents: [{uri: data.params.uri, text: pages[Math.min(reads++, 1)]}]});
});
app.srcdoc = pages[0];
</script>"""


@pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium (Debian: apt-get install chromium)"
)
def test_the_view_works_in_the_frame_of_a_host(drive, tmp_path_factory):
    async def conversation(client):
        before = await view(client)
        await client.call_tool("edit_file", EDIT | {"new_string": "<img src=x onerror=alert(1)>"})
        return before

    before, ((_, during),) = drive(conversation, view)
    pages = {
        "/": HOST.replace("PAGES", json.dumps([before, during]).replace("</", "<\\/")),
        "/app": during,
    }

    profile = tmp_path_factory.mktemp("profile")
    with site(pages) as address, contextlib.closing(Chromium(profile)) as browser:
        browser.go(f"{address}/")
        # It asks again until there is something to show, and then says how large it is.
        browser.until(
            "said.filter(one => one.method === 'ui/notifications/size-changed').length === 2"
        )
        methods = browser.value("said.map(one => one.method)")
        assert (
            methods[:2] == ["ui/initialize", "ui/notifications/initialized"]
            and methods.count("resources/read") == 2
        )
        assert set(methods) <= {
            "ui/initialize",
            "ui/notifications/initialized",
            "resources/read",
            "ui/notifications/size-changed",
        }
        browser.go(f"{address}/app")
        assert (
            browser.value("getComputedStyle(document.querySelector('td.del')).backgroundColor")
            != "rgba(0, 0, 0, 0)"
        )
        assert (
            browser.value(
                "document.querySelectorAll('img').length === 0 && document.querySelector('td.ins bdo').textContent"
            )
            == "<img src=x onerror=alert(1)>"
        )
        assert "Content Security Policy" not in json.dumps(browser.events)
