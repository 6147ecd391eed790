"""Clients of registries in front of redline-mcp: programs with a model that follows a script on 127.0.0.1, and libraries.

REDLINE_TEST_AGENTS names the directory in which `scripts/install_agents.sh` has installed them. Their telemetry and updates are off,
and their homes are empty.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from repositories import ROOT, git
from scripted_model import LAST_WORDS, Call, Script, ScriptedModel, calls

pytestmark = pytest.mark.slow
AGENTS = pathlib.Path(os.environ.get("REDLINE_TEST_AGENTS", "/nonexistent"))
SECONDS = 300
Values = dict[str, object]


class Program:
    """How a program is told its model and its server: files of its home, variables, and its command."""

    def __init__(self, home: pathlib.Path, model: str, server: list[str]) -> None:
        self.home, self.model, self.server = home, model, server
        self.environment: dict[str, str] = {}

    def file(self, name: str, values: Values) -> pathlib.Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
        return path

    @property
    def as_server(self) -> Values:
        return {"command": self.server[0], "args": self.server[1:]}


def claude(program: Program) -> list[str]:
    program.environment = {
        "ANTHROPIC_BASE_URL": program.model, "ANTHROPIC_API_KEY": "scripted", "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "ENABLE_TOOL_SEARCH": "false", "MCP_CONNECTION_NONBLOCKING": "false",
    }  # fmt: skip
    servers = program.file(
        "mcp.json", {"mcpServers": {"redline": {"type": "stdio", **program.as_server}}}
    )
    return [
        "claude",
        "-p",
        "Go on.",
        "--mcp-config",
        str(servers),
        "--strict-mcp-config",
        "--allowedTools",
        "mcp__redline",
    ]


def codex(program: Program) -> list[str]:
    program.environment = {"CODEX_HOME": str(program.home)}
    (program.home / "config.toml").write_text(
        'model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{program.model}/v1"\nwire_api = "responses"\n'
        f"[mcp_servers.redline]\ncommand = {json.dumps(program.server[0])}\nargs = {json.dumps(program.server[1:])}\n"
        'startup_timeout_sec = 120\ndefault_tools_approval_mode = "approve"\n[analytics]\nenabled = false\n'
    )
    return [
        "codex",
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "Go on.",
    ]


def copilot(program: Program) -> list[str]:
    program.environment = {
        "COPILOT_PROVIDER_BASE_URL": f"{program.model}/v1", "COPILOT_MODEL": "scripted", "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_OFFLINE": "true",
    }  # fmt: skip
    servers = program.file(
        "mcp.json",
        {"mcpServers": {"redline": {"type": "local", "tools": ["*"], **program.as_server}}},
    )
    return [
        "copilot",
        "-p",
        "Go on.",
        "--allow-all-tools",
        "--disable-builtin-mcps",
        "--additional-mcp-config",
        f"@{servers}",
    ]


def gemini(program: Program) -> list[str]:
    program.environment = {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": program.model,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    program.file(
        ".gemini/settings.json",
        {
            "mcpServers": {"redline": {**program.as_server, "trust": True, "timeout": 120_000}},
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False},
        },
    )  # fmt: skip
    return ["gemini", "-p", "Go on.", "--yolo", "-m", "gemini-2.5-pro"]


def qwen(program: Program) -> list[str]:
    program.environment = {
        "OPENAI_API_KEY": "scripted",
        "OPENAI_BASE_URL": f"{program.model}/v1",
        "OPENAI_MODEL": "scripted",
    }
    program.file(
        ".qwen/settings.json",
        {
            "mcpServers": {"redline": {**program.as_server, "trust": True, "timeout": 120_000}},
            "security": {"auth": {"selectedType": "openai"}}, "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True},
        },
    )  # fmt: skip
    return ["qwen", "-p", "Go on.", "--yolo"]


def opencode(program: Program) -> list[str]:
    program.environment = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    program.file(
        ".config/opencode/opencode.json",
        {
            "autoupdate": False, "share": "disabled", "model": "scripted/scripted", "small_model": "scripted/scripted",
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": f"{program.model}/v1", "apiKey": "scripted"},
                "models": {"scripted": {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}},
            }},
            "mcp": {"redline": {"type": "local", "enabled": True, "timeout": 120_000, "command": program.server}},
        },
    )  # fmt: skip
    return ["opencode", "run", "Go on."]


PROGRAMS: list[Callable[[Program], list[str]]] = [claude, codex, copilot, gemini, qwen, opencode]
# Programs that answer a form, if only by themselves; to the others no tool is offered that asks a person.
WITH_FORMS = {"claude", "codex", "copilot"}
ROWS = 3000


@pytest.fixture
def served(tmp_path: pathlib.Path) -> pathlib.Path:
    """A work tree in which one file has many new lines."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    (repo / "a.txt").write_text("one\n")
    git(repo, "add", ".")
    git(repo, "add", ".")
    git(repo, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first")
    (repo / "a.txt").write_text(
        "".join(f"line {row} of a text that is long enough\n" for row in range(ROWS))
    )
    return repo


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.__name__)
def run(
    request: pytest.FixtureRequest, served: pathlib.Path, tmp_path: pathlib.Path
) -> Callable[[Script], ScriptedModel]:
    """Runs a program until it ends, and returns its model with what it has seen."""
    name = request.param.__name__
    binaries = AGENTS / "node_modules" / ".bin"
    if not (binaries / name).exists():
        pytest.skip(f"{name} is not installed in REDLINE_TEST_AGENTS")

    def run(script: Script) -> ScriptedModel:
        home = tmp_path / "home"
        home.mkdir()
        with ScriptedModel(searching(script) if name == "qwen" else script) as model:
            program = Program(home, model.address, server_of(home, served))
            command = request.param(program)
            kept = {
                "PATH": f"{binaries}:{os.environ['PATH']}",
                "HOME": str(home),
                "LANG": "C.UTF-8",
                "TERM": "dumb",
            }
            done = subprocess.run(
                command, cwd=served, env=kept | program.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )  # fmt: skip
            said = done.stdout.decode()
            assert done.returncode == 0, said[-2000:] + done.stderr.decode()[-2000:]
            assert LAST_WORDS in said
        if name == "qwen":
            del model.results[0]
        return model

    return run


def test_a_program_shows_its_model_every_row_of_every_page(run):
    def script(results: list[str]) -> Call | None:
        cursor = (
            re.search(r"\[more: call again with cursor (\w+)\]", results[-1]) if results else None
        )
        if results and not cursor:
            return None
        return "GitDiff", {"from": "HEAD", "to": "WORKTREE"} | (
            {"cursor": cursor[1]} if cursor else {}
        )

    model = run(script)
    seen = [int(row) for row in re.findall(r"\+line (\d+) of a text", "".join(model.results))]
    assert seen == list(range(ROWS))
    assert all("truncated" not in result for result in model.results)


def test_a_program_shows_its_model_the_errors_and_who_answers_a_form(run, request, served):
    before = (served / "a.txt").read_bytes()
    edit = {"path": "workspace/a.txt", "old_string": "line 5 of", "new_string": "LINE 5 of"}
    model = run(calls(("GitBlame", {"file": "nothere.txt"}), ("edit_file", edit)))
    assert "not_found: there is no file 'nothere.txt' in 'HEAD'" in model.results[0]
    if request.node.callspec.params["run"].__name__ in WITH_FORMS:
        assert "permission_denied: this client answers questions by itself" in model.results[1]
    else:
        assert len(model.results) == 1
        assert not [
            name
            for name in model.tools
            if name.endswith(("edit_file", "write_file")) and "redline" in name
        ]
    assert (served / "a.txt").read_bytes() == before


def searching(script: Script) -> Script:
    """Returns a script for a program that offers its model a search for tools, first of all."""
    wanted = "select:" + ",".join(f"mcp__redline__{name}" for name in ("GitDiff", "GitBlame"))
    return lambda results: script(results[1:]) if results else ("tool_search", {"query": wanted})


def server_of(home: pathlib.Path, served: pathlib.Path) -> list[str]:
    """Returns the command of a server that also writes."""
    launcher = home / "redline-mcp"
    package = ROOT / "python"
    # Programs start a server in the directory that it serves, from which Python must import nothing.
    launcher.write_text(
        f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -P -B -m duckdb_redline.server "$@"\n'
    )
    launcher.chmod(0o755)
    return [str(launcher), "--write", "--extension", os.environ["REDLINE_EXTENSION"], str(served)]


LIBRARIES = {
    # Name -> whether a person's yes goes through it, and whether it tells a server that a call is cancelled.
    "fastmcp_client.py": (True, False),
    "pydantic_ai_agent.py": (True, False),
    "langchain_tools.py": (False, False),
    "mcp_use_client.py": (True, False),
    "openai_agent.py": (False, False),
    "sdk_client.mjs": (True, True),
    "ai_sdk_tools.mjs": (False, False),
    "openai_agent.mjs": (False, False),
}
CALLS: dict[str, Call] = {
    "page": ("GitDiff", {"from": "HEAD", "to": "WORKTREE"}),
    "error": ("GitBlame", {"file": "nothere.txt"}),
    "edit": (
        "edit_file",
        {"path": "workspace/a.txt", "old_string": "line 5 of", "new_string": "LINE 5 of"},
    ),
    "cancelled": (
        "edit_file",
        {"path": "workspace/a.txt", "old_string": "line 6 of", "new_string": "LINE 6 of"},
    ),
    "after": ("read_file", {"path": "workspace/a.txt", "limit": 8}),
}
HERE = pathlib.Path(__file__).parent / "libraries"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_hands_over_tools_pages_errors_forms_and_cancels(library, served, tmp_path):
    runner = {".py": AGENTS / "venv" / "bin" / "python", ".mjs": shutil.which("node")}[
        pathlib.Path(library).suffix
    ]
    if not runner or not AGENTS.exists():
        pytest.skip("REDLINE_TEST_AGENTS names no directory")
    # Modules of node are found from where a script stands.
    script = tmp_path / library
    shutil.copy(HERE / library, script)
    (tmp_path / "node_modules").symlink_to(AGENTS / "node_modules")
    with ScriptedModel(calls(CALLS["page"], CALLS["error"]), is_strict=True) as model:
        told = {
            "SERVER": json.dumps(server_of(tmp_path, served)),
            "CALLS": json.dumps(CALLS),
            "MODEL": model.address,
        }
        kept = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(HERE),
        }
        done = subprocess.run(
            [runner, script], cwd=tmp_path, env=kept | told, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    has_form, has_cancel = LIBRARIES[library]
    page, error = said.get("results") or model.results
    assert {"GitDiff", "GitBlame", "read_file"} <= set(said["tools"])
    assert ("edit_file" in said["tools"]) == has_form
    assert (
        page.startswith("1 file changed, 3000 insertions(+), 1 deletion(-)")
        and "call again with cursor" in page
    )
    assert "not_found: there is no file 'nothere.txt' in 'HEAD'" in error
    text = (served / "a.txt").read_text()
    if has_form:
        assert "LINE 5 of" in text and "Replaced 1 line" in said["form"]
    if has_cancel:
        assert "line 6 of" in text and "LINE 5 of" in said["cancelled"]


def test_the_inspector_lists_and_calls_tools(served, tmp_path):
    inspector = AGENTS / "node_modules" / ".bin" / "mcp-inspector"
    if not inspector.exists():
        pytest.skip("mcp-inspector is not installed in REDLINE_TEST_AGENTS")

    def ask(*arguments: str) -> dict[str, Any]:
        command = [inspector, "--cli", *server_of(tmp_path, served), *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr.decode()[-3000:]
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    assert "GitStatus" in [tool["name"] for tool in ask("--method", "tools/list")["tools"]]
    answer = ask("--method", "tools/call", "--tool-name", "GitStatus")
    assert "a.txt" in answer["content"][0]["text"]
