"""A real browser without a window, driven by the DevTools protocol over a pipe; nothing but the browser itself is needed."""

import contextlib
import http.server
import itertools
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import waiting

BROWSER = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome", "chrome"])),
    None,
)
# `evil.example` is this machine, as a name server of an attacker would say.
OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", "--window-size=1200,900",
    "--host-resolver-rules=MAP evil.example 127.0.0.1", "--no-proxy-server",
]  # fmt: skip


@contextlib.contextmanager
def site(pages: dict[str, object]) -> Iterator[str]:
    """Serves pages by their paths, and yields the address; what is asked for is listed under `asked`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(str(pages.get(self.path, "")).encode())

        def log_message(self, *arguments):
            pages.setdefault("asked", []).append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


class Chromium:
    """A browser with one page."""

    def __init__(self, profile: pathlib.Path):
        to_browser, self.to = os.pipe()
        self.source, from_browser = os.pipe()
        # The browser reads its orders on 3 and answers on 4.
        shell = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        command = [
            "sh",
            "-c",
            shell,
            BROWSER,
            *OPTIONS,
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        quiet = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        # Dash knows descriptors of one digit alone, so bash where there is one.
        command[0] = shutil.which("bash") or "sh"
        self.process = subprocess.Popen(
            command, pass_fds=(to_browser, from_browser), start_new_session=True, **quiet
        )
        os.close(to_browser)
        os.close(from_browser)
        self.numbers, self.buffer, self.events, self.session = itertools.count(1), b"", [], None
        target = next(
            one for one in self.do("Target.getTargets")["targetInfos"] if one["type"] == "page"
        )
        self.session = self.do("Target.attachToTarget", targetId=target["targetId"], flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.do(f"{domain}.enable")

    def close(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(waiting.SECONDS)
        os.close(self.to)
        os.close(self.source)

    def do(self, method: str, **params) -> dict:
        """Gives an order and returns its answer."""
        number = next(self.numbers)
        order = {"id": number, "method": method, "params": params} | (
            {"sessionId": self.session} if self.session else {}
        )
        os.write(self.to, json.dumps(order).encode() + b"\0")
        deadline = time.monotonic() + waiting.SECONDS
        while time.monotonic() < deadline:
            message = self.message(deadline - time.monotonic())
            if message is None:
                continue
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)
        raise AssertionError(f"the browser does not answer {method}")

    def message(self, seconds: float) -> dict | None:
        while b"\0" not in self.buffer:
            if not select.select([self.source], [], [], max(seconds, 0))[0]:
                return None
            read = os.read(self.source, 1 << 16)
            assert read, "the browser has ended"
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def value(self, expression: str):
        """Returns what an expression gives in the page, as its own console would."""
        result = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def go(self, address: str) -> None:
        """Opens an address and returns when its page is there."""
        self.events.clear()
        self.do("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def until(self, expression: str, seconds: float = waiting.SECONDS) -> None:
        """Waits until an expression is true; a page that is being replaced has none."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if self.value(expression):
                    return
            except AssertionError:
                pass
            time.sleep(0.05)
        raise AssertionError(
            f"{expression} does not come true: {self.value('document.documentElement.outerHTML')[:3000]}"
        )

    def wider_than(self, columns: int) -> int:
        """Returns by how many pixels a page is wider than a window of so many columns of text."""
        size = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.do("Emulation.setDeviceMetricsOverride", width=60 + 8 * columns, **size)
        try:
            return self.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        finally:
            self.do("Emulation.clearDeviceMetricsOverride")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Presses a key."""
        given = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": code,
            "nativeVirtualKeyCode": code,
        }
        self.do(
            "Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **given
        )
        self.do("Input.dispatchKeyEvent", type="keyUp", **given)

    def focus(self, text: str) -> list[str]:
        """Presses Tab until what has the focus shows a text; returns what had it on the way."""
        way = []
        for _ in range(40):
            self.press("Tab", 9)
            here = (
                self.value(
                    "(e => e.tagName === 'INPUT' ? e.labels[0].innerText.trim() : e.innerText)(document.activeElement)"
                )
                or ""
            )
            way.append(here)
            if text in here:
                return way
        raise AssertionError(f"no Tab leads to {text!r}: {way}")

    def spoken(self) -> list[tuple[str, str]]:
        """Returns the role and the name of everything that a screen reader reads."""
        nodes = self.do("Accessibility.getFullAXTree")["nodes"]
        return [
            (one["role"]["value"], one.get("name", {}).get("value", ""))
            for one in nodes
            if not one["ignored"]
        ]

    def requested(self) -> list[str]:
        """Returns the addresses that were asked for since the page was opened."""
        self.value("1")
        return [
            one["params"]["request"]["url"]
            for one in self.events
            if one["method"] == "Network.requestWillBeSent"
        ]
