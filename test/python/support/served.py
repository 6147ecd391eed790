"""A server of redline in a process of its own: its clients, its page of approvals and its addresses."""

import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import threading
import urllib.parse
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser

import anyio
import httpx2
import mcp_types as types
import waiting
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, str(ROOT / "examples/mcp_server.py")]
# The client of the generation before.
OLD_CLIENT = pathlib.Path(os.environ.get("REDLINE_TEST_OLD_MCP") or ROOT / "build/mcp-1.30.0")
FORM = "application/x-www-form-urlencoded"


@dataclass
class Answer:
    """What a server answered, each header by its name in small letters."""

    status: int
    headers: dict[str, str]
    text: str


class Document(HTMLParser):
    """The elements of a page, its links, its forms and its text."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.elements, self.forms, self.links, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.elements.append((tag, given))
        if tag == "a":
            self.links.append(given["href"])
        if tag == "form":
            self.forms.append({})
        if tag == "input" and (given["type"] != "radio" or "checked" in given):
            self.forms[-1][given["name"]] = given["value"]

    def handle_data(self, data):
        self.text += data

    def form(self, answer: str) -> dict[str, str] | None:
        """Returns the fields of the form that gives an answer; None where there is none."""
        return next((form for form in self.forms if form["answer"] == answer), None)


class Served:
    """A server over HTTP with two tokens; the tests of a module share one."""

    def __init__(
        self, folder: pathlib.Path, extension: pathlib.Path, scratch: pathlib.Path, *arguments: str
    ):
        self.numbers = itertools.count(1)
        self.folder, self.tokens = folder, [secrets.token_urlsafe(32) for _ in range(2)]
        file = scratch / "tokens"
        file.touch(mode=0o600)
        file.write_text("".join(f"{token}\n" for token in self.tokens))
        command = [
            *COMMAND,
            str(folder),
            "--extension",
            str(extension),
            "--http",
            "0",
            "--token-file",
            str(file),
            *arguments,
        ]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()
        self.calls = ThreadPoolExecutor(8)

    @classmethod
    def with_page(cls, extension: pathlib.Path, folders) -> "Served":
        """Returns a server whose person approves on a page, in new folders of the factory."""
        options = "--write", "--approve", "web"
        return cls(folders.mktemp("workspace"), extension, folders.mktemp("server"), *options)

    def new_file(self) -> pathlib.Path:
        """Returns a file of two lines that no other test has."""
        made = self.folder / f"file{next(self.numbers)}.txt"
        made.write_text("one\ntwo\n")
        return made

    def address(self, what: str) -> str:
        """Returns an address that the server has printed: `serving` or `approve`."""
        said = re.compile(rf"^redline-mcp: {what} at (\S+)$", re.MULTILINE)

        def found() -> str | None:
            if match := said.search("".join(self.said)):
                return match[1]
            assert self.process.poll() is None, f"the server says no address: {self.said}"
            return None

        return waiting.until(found, lambda: f"the server says no address: {self.said}")

    def close(self) -> str:
        """Ends the server and returns what it has written to stdout."""
        self.process.terminate()
        out = self.process.stdout.read()
        assert self.process.wait(waiting.SECONDS) == 0, "".join(self.said)
        self.calls.shutdown(cancel_futures=True)
        return out

    @contextlib.asynccontextmanager
    async def client(self, token: str | None = None, mode: str = "auto", **more):
        headers = {"Authorization": f"Bearer {self.tokens[0] if token is None else token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=waiting.SECONDS) as http_client:
            async with Client(
                streamable_http_client(self.address("serving"), http_client=http_client),
                mode=mode,
                **more,
            ) as client:
                yield client

    def run(self, conversation, **more):
        """Runs a coroutine function with a client."""

        async def main():
            with anyio.fail_after(waiting.SECONDS):
                async with self.client(**more) as client:
                    return await conversation(client)

        return anyio.run(main)

    def call(self, tool: str, arguments: dict, number: int = 0) -> Future:
        """Starts a call of one of the two clients; the result is a CallToolResult."""

        async def conversation(client):
            return await client.call_tool(tool, arguments)

        return self.calls.submit(lambda: self.run(conversation, token=self.tokens[number]))

    def request(
        self,
        path: str = "",
        method: str = "GET",
        body=None,
        address: str | None = None,
        **headers: str | None,
    ) -> Answer:
        """Asks the page of approvals as a browser does; a header that is None is left out, and `_` in names stands for `-`."""
        place = urllib.parse.urlsplit(self.address("approve") if address is None else address)
        sent = {"host": place.netloc}
        if method == "POST":
            sent |= {"origin": f"http://{place.netloc}", "content-type": FORM}
        sent |= {name.replace("_", "-"): given for name, given in headers.items()}
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body)
        data = (body or "").encode() if body is None or isinstance(body, str) else body
        target = urllib.parse.urljoin(place.path, path)
        return exchange(place, method, target, sent | {"content-length": str(len(data))}, data)

    def waiting(self, count: int = 1) -> list[str]:
        """Returns the links of what waits, as soon as there are so many."""

        def listed() -> tuple[list[str]] | None:
            all_links = Document(self.request().text).links
            links = [link for link in all_links if link.startswith("change?")]
            return (links,) if len(links) == count else None

        return waiting.until(listed, lambda: f"{count} should wait: {self.request().text}")[0]

    def shown(self, link: str) -> Document:
        answer = self.request(link)
        assert answer.status == 200, answer
        return Document(answer.text)

    def answer(self, form: dict[str, str], **more) -> Answer:
        return self.request("decide", "POST", form, **more)

    def decline_all(self) -> None:
        """Leaves nothing waiting for the next test."""
        for link in [
            link for link in Document(self.request().text).links if link.startswith("change?")
        ]:
            form = Document(self.request(link).text).form("no")
            if form:
                self.answer(form)


def exchange(
    place: urllib.parse.SplitResult, method: str, target: str, headers: dict, body: bytes
) -> Answer:
    """Sends one request in one piece, as it is given: a server that refuses it early has all of it by then."""
    lines = [
        f"{name}: {one}"
        for name, given in headers.items()
        for one in ([given] if isinstance(given, str) else given or [])
    ]
    head = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "connection: close", "", ""])
    with socket.create_connection(
        (place.hostname, place.port), timeout=waiting.SECONDS
    ) as connection:
        connection.sendall(head.encode("latin-1") + body)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        return Answer(
            response.status,
            {name.lower(): given for name, given in response.getheaders()},
            response.read().decode(),
        )


def words(result: types.CallToolResult) -> str:
    return result.content[0].text


def by_old_client(given: dict) -> dict:
    """Returns what the client of the generation before was told."""
    program = [sys.executable, str(ROOT / "test/python/support/old_client.py"), json.dumps(given)]
    done = subprocess.run(
        program,
        capture_output=True,
        text=True,
        timeout=waiting.SECONDS,
        env=os.environ | {"PYTHONPATH": str(OLD_CLIENT)},
    )
    assert done.returncode == 0, done.stderr
    told: dict = json.loads(done.stdout)
    return told
