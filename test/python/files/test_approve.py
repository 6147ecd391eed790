"""redline approve, the reference host: its output, and that only an approval applies anything."""

import io
import json
import os
import re
import subprocess
import sys
import types

import pytest
from repositories import ROOT

REDLINE = [sys.executable, "-m", "duckdb_redline"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "python")}
CASES = ROOT / "test" / "fixtures" / "approvals"
sys.path.insert(0, str(ROOT / "python"))

import duckdb_redline.approving as host

FILE = "import os\nimport sys\n\n# 1\n# 2\n# 3\n\ndef helper():\n    pass\n"


class Tools:
    """A connection that replaces the functions that touch files and records their calls."""

    def __init__(self, con, payloads):
        self.con, self.payloads, self.calls = con, payloads, []

    def execute(self, query, arguments):
        name = re.match(r"SELECT system\.main\.(\w+)\(", query)[1]
        if name in (
            "approval_display",
            "approval_complete",
            "apply_patch",
            "unified_diff",
            "approval_pages",
        ):
            return self.con.execute(query, arguments)
        if name == "redline_call":
            name = arguments[0]
        self.calls.append(name)
        edited = {
            "path": "p",
            "replacements_made": 1,
            "lines_changed": 1,
            "message": "Added 1 line",
        }
        answers = {
            "needs_approval": lambda: self.payloads[json.loads(arguments[1])["path"]],
            "approve": lambda: "id",
            "decline": lambda: "id",
            "edit_file": lambda: json.dumps({"isError": False, "structuredContent": edited}),
            "approval_file": lambda: FILE,
        }
        return types.SimpleNamespace(fetchone=lambda: (answers[name](),))


def payload(name):
    return (CASES / f"{name}.json").read_text()


@pytest.fixture
def answer(con, monkeypatch, capsys):
    """Returns a function that runs the host with answers and returns what it printed and what it called."""

    def run(payloads, typed, lines=40):
        monkeypatch.setenv("COLUMNS", "60")
        monkeypatch.setenv("LINES", str(lines))
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        tools = Tools(con, payloads)
        host.run(
            host.TerminalHost(tools, "key"),
            tools,
            [{"tool": "edit_file", "args": {"path": path}} for path in payloads],
        )
        return capsys.readouterr().out, [call for call in tools.calls if call != "needs_approval"]

    return run


BOX = """\
┌─ Edit: workspace/src/utils.py (line 1) ──────────────────┐
│                                                          │
│  @@ -1,2 +1,3 @@                                         │
│   import os                                              │
│   import sys                                             │
│  +import json                                            │
│                                                          │
└──────────────────────────────────────────────────────────┘
Apply this edit? [y/n/v(iew full file)] """


@pytest.mark.parametrize(
    "typed, calls, end",
    [
        (
            "y\n",
            ["approve", "edit_file"],
            "EditResult(path='p', replacements_made=1, lines_changed=1, message='Added 1 line')\n",
        ),
        ("YES\n", ["approve", "edit_file"], None),
        ("n\n", ["decline"], "Not applied.\n"),
        ("\n", ["decline"], "Not applied.\n"),
        ("", [], "Not applied.\n"),
        ("what?\nn\n", ["decline"], "Not applied.\n"),
        ("v\nn\n", ["approval_file", "decline"], "Not applied.\n"),
        ("v\ny\n", ["approval_file", "approve", "edit_file"], None),
    ],
)
def test_only_a_yes_applies_an_edit(answer, typed, calls, end):
    out, called = answer({"workspace/src/utils.py": payload("edit_of_the_specification")}, typed)
    assert called == calls
    assert out.startswith(
        "1 of 1 proposals wait for an answer:\n  1. Edit workspace/src/utils.py: add 1 line at line 1\n\n"
        + BOX
    )
    assert out.endswith(end or ")\n")


def test_v_shows_the_whole_file_with_the_change(con, answer):
    edit = json.loads(payload("edit_of_the_specification"))
    new = FILE.replace("sys\n", "sys\nimport json\n")
    (edit["unified_diff"],) = con.execute("SELECT unified_diff(?, ?)", [FILE, new]).fetchone()
    out, _ = answer({"a": json.dumps(edit)}, "v\nn\n")
    # The whole file with the change in it; the question is before and after it.
    assert out.count("Apply this edit? [y/n/v(iew full file)] ") == 2
    assert out.count("def helper") == 1 and re.search(
        r"│  \+import json +│\n│ +│\n│   # 1 +│[^+-]*│   def helper\(\): +│\n│       pass +│", out
    )


def test_a_proposal_that_needs_no_approval_is_not_asked_about(answer):
    out, called = answer({"a": None, "b": payload("read")}, "n\n")
    assert out.startswith(
        "1 of 2 proposals wait for an answer:\n  1. edit_file needs no approval\n  2. Read workspace"
    )
    assert called == ["edit_file", "decline"] and out.endswith(
        "Allow this read? [y/n] Not applied.\n"
    )


def test_a_long_content_leaves_its_question_on_the_screen(answer):
    out, _ = answer({"a": payload("write_of_a_new_file")}, "n\n", lines=20)
    box = out[out.index("┌") : out.index("Not applied")]
    assert "... (showing 11 of 150 lines, 1 cut at the edge)" in box and len(box.splitlines()) == 19


def test_control_characters_of_a_description_are_escaped(answer):
    out, _ = answer({"a": json.dumps({"type": "new", "description": "a\nb\x1b[2J\u202e"})}, "n\n")
    assert "  1. a<U+000A>b<U+001B>[2J<U+202E>\n" in out
    assert '"a<U+000A>b<U+001B>[2J<U+202E>" - Approve? [y/n] Not applied.' in out


def test_a_large_payload_is_viewed_whole(con, monkeypatch):
    chunks = [
        "".join(f"{n},{n * 7},{'x' * (n % 50)}\n" for n in range(60)) + "60,4",
        "20,xx\nlast\n",
    ]
    large = json.loads(payload("write_large")) | {"total_chunks": 2}

    class Chunks(Tools):
        def execute(self, query, arguments):
            if "approval_chunk" in query:
                return types.SimpleNamespace(fetchone=lambda: (chunks[arguments[1] - 1],))
            return super().execute(query, arguments)

    shown = host.whole_view(host.TerminalHost(Chunks(con, {}), "key"), json.dumps(large), 80, False)
    assert "│  60,420,xx " in shown and "│  last " in shown and "showing" not in shown


def test_the_demonstration_applies_approved_changes(extension):
    done = subprocess.run(
        [*REDLINE, "--extension", extension, "approve", "--demo"],
        env=ENVIRONMENT,
        input="y\ny\nn\ny\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 of 3 proposals wait for an answer:\n")
    assert "message='Added 1 line in workspace/src/utils.py')\n" in done.stdout
    assert done.stdout.count("Not applied.") == 1
    assert re.search(r"Allow this read\? \[y/n\] ReadResult\(.*lines=1, bytes=13", done.stdout)


def test_the_screens_in_the_documentation_are_those_printed(extension):
    """The screens are those of a real terminal, with what was typed; here the answers come from a pipe."""
    screens = re.findall(
        r"^```\n(.*?)^```$", (ROOT / "docs" / "approving.md").read_text(), re.MULTILINE | re.DOTALL
    )
    done = subprocess.run(
        [*REDLINE, "--extension", extension, "approve", "--demo"],
        input="v\ny\nn\ny\n", capture_output=True, text=True, timeout=120, env=ENVIRONMENT | {"COLUMNS": "72", "LINES": "24"},
    )  # fmt: skip
    assert done.returncode == 0 and len(screens) == 4, done.stderr
    for screen in screens:
        shown = re.sub(
            r"^(.*\)?\]) [yn]\n",
            r"\1 ",
            screen.removeprefix("$ redline approve --demo\n"),
            flags=re.MULTILINE,
        )
        # A pager shows the start of what is printed here.
        shown = shown.removesuffix(":\n")
        first, _, question = shown.partition("Apply this edit? [y/n/v(iew full file)] ")
        assert first in done.stdout and question in done.stdout, shown
