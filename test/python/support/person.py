"""A person at the terminal of a server in this process: reads what it says there, and types."""

import codecs
import fcntl
import os
import re
import struct
import sys
import termios
import threading

import anyio
import waiting
from mcp import Client
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import command
from duckdb_redline.server.host import open_database
from duckdb_redline.server.protocol import make_server, one_session
from duckdb_redline.server.terminal import Terminal

WITH_TERMINAL = """
import os, sys
try:
    os.setsid()
except PermissionError:
    pass  # The client has made it the leader of a session already.
os.open(sys.argv[1], os.O_RDWR)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


class Person:
    """Reads a server's terminal, and types on it."""

    def __init__(self, rows: int = 40):
        self.ours, self.theirs = os.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
        self.said = ""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        # A read may end within a character.
        characters = codecs.getincrementaldecoder("utf-8")()
        while True:
            try:
                self.said += characters.decode(os.read(self.ours, 1 << 16))
            except OSError:
                return

    def types(self, text):
        os.write(self.ours, text.encode())

    async def sees(self, words, after=0):
        """Returns the end of words that appear after a place."""
        with anyio.move_on_after(waiting.SECONDS):
            while True:
                found = re.compile(words).search(self.said, after)
                if found:
                    return found
                await anyio.sleep(0.02)
        raise AssertionError(f"not seen: {words} in {self.said[after:]}")

    def drive(self, extension, folder, conversation, *options):
        given = command.parser().parse_args([str(folder), "--write", *options])
        roots = command.sandboxes(given.directories)
        host = open_database(
            roots, given.write, extension.resolve(), given.max_file_bytes, command.git_of(given)
        )

        async def main():
            terminal = Terminal(host, os.ttyname(self.theirs))
            try:
                server = make_server(host, terminal, one_session(), progress_seconds=given.progress)
                with anyio.fail_after(2 * waiting.SECONDS):
                    async with Client(server) as client:
                        return await conversation(client)
            finally:
                os.close(terminal.file)

        return anyio.run(main)


def with_terminal(extension, folder) -> list[str]:
    """Returns the program and the arguments of a server whose person approves at its terminal."""
    server = [str(ROOT / "examples/mcp_server.py"), str(folder), "--extension", str(extension)]
    return [*server, "--write", "--approve", "terminal"]
