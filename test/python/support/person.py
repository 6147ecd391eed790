"""A person at the terminal of a server: reads what it says there, and types."""

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
from mcp import Client, StdioServerParameters
from repositories import ROOT

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
        server = [*with_terminal(extension, folder), *options]
        command = StdioServerParameters(
            command=sys.executable, args=["-c", WITH_TERMINAL, os.ttyname(self.theirs), *server]
        )

        async def main():
            with anyio.fail_after(2 * waiting.SECONDS):
                async with Client(command) as client:
                    return await conversation(client)

        return anyio.run(main)


def with_terminal(extension, folder) -> list[str]:
    """Returns the program and the arguments of a server whose person approves at its terminal."""
    server = [str(ROOT / "examples/mcp_server.py"), str(folder), "--extension", str(extension)]
    return [*server, "--write", "--approve", "terminal"]
