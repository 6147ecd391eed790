#!/usr/bin/env python3
"""Runs what docs/clients.md prints, each block with its client from PyPI or npm, in a repository of two commits.

Usage: try_clients.py EXTENSION; environments are made below build/clients, and a client that cannot be installed fails the run.
"""

import contextlib
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build/clients"
DUCKDB = "1.5.6"
PACKAGES = {
    "duckdb-cli": [f"duckdb-cli=={DUCKDB}", "click"],
    "duckdb-cli 1.4": ["duckdb-cli==1.4.4.post2"],
    "harlequin": ["harlequin", "pytz"],
    "sqlalchemy": ["duckdb_engine", "pytz"],
    "dbt": ["dbt-core==1.10.*", "dbt-duckdb==1.10.*"],
}
NODE = f"@duckdb/node-api@{DUCKDB}-r.1"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SUBJECT = "The second"
# A sequence that moves or colours on a terminal, and for how long a client may be silent.
SEQUENCE = re.compile(r"\x1b(\[[0-9;?<>=]*[a-zA-Z]|\][^\x07]*\x07)")
SECONDS = 120


def run(*command: object, cwd: Path, **more: str) -> str:
    """Returns what a program printed; ends with what it said where it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")} | more
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"try_clients: {command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def blocks(extension: Path) -> dict[str, str]:
    """Returns the blocks of the page by their languages, with the real file."""
    text = (ROOT / "docs/clients.md").read_text()
    text = text.replace("/path/to/redline.duckdb_extension", str(extension))
    found = BLOCK.findall(text)
    assert len(found) == len(dict(found)), "two blocks are in one language"
    return dict(found)


def repository(folder: Path) -> Path:
    """Makes a repository of two commits."""
    git = lambda *words: run(
        "git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words, cwd=folder
    )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    git("init", "-q", "-b", "main")
    for subject in ("A first", SUBJECT):
        git("commit", "-q", "--allow-empty", "-m", subject)
    return folder


def python_with(client: str) -> Path:
    """Returns the Python of an environment that has a client."""
    folder = HOME / client
    if not (folder / "bin/python").exists():
        venv.create(folder, with_pip=True)
        run(folder / "bin/pip", "install", "-q", f"duckdb=={DUCKDB}", *PACKAGES[client], cwd=ROOT)
    return folder / "bin/python"


def home_after_setup(folder: Path, extension: Path) -> dict[str, str]:
    """Returns the environment of a person who has `redline` and has run its setup."""
    python, home = python_with("duckdb-cli"), folder.parent / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    start = f'#!/bin/sh\nexec "{python}" -m duckdb_redline --extension "{extension}" "$@"\n'
    (home / "redline").write_text(start)
    (home / "redline").chmod(0o755)
    path = f"{home}:{python.parent}:{os.environ['PATH']}"
    environment = {"HOME": str(home), "XDG_DATA_HOME": "", "PATH": path}
    for shell in ("bash", "zsh", "fish"):
        run(home / "redline", "setup", "--completion", shell, cwd=folder, **environment)
    return environment


def command_line(block: str, folder: Path, extension: Path) -> str:
    environment = home_after_setup(folder, extension)
    (folder / "start.sql").write_text("SET threads = 2;\n")
    for client in ("duckdb-cli", "duckdb-cli 1.4"):
        for options in ([], ["-unsigned"], ["-init", "start.sql"]):
            command = [python_with(client).parent / "duckdb", *options, "-csv", "-noheader"]
            said = run(*command, "-c", "SELECT 40 + 2", cwd=folder, **environment)
            assert said == "42\n", (client, options, said)
    return run("sh", "-e", "-c", block, cwd=folder, **environment)


def harlequin(block: str, folder: Path, extension: Path) -> str:
    """Runs Harlequin without options, then as the page says, each with a query on a terminal."""
    script, start = block.strip().split("\n")
    plain, named = (
        "SELECT 40 + 2 || ' is even'",
        "SELECT 'It is ' || subject FROM git_log() LIMIT 1",
    )
    for line, query, answer in (
        ("harlequin", plain, "42 is even"),
        (start, named, f"It is {SUBJECT}"),
    ):
        # It would show the query of the last time again.
        environment = home_after_setup(folder, extension)
        environment["PATH"] = f"{python_with('harlequin').parent}:{environment['PATH']}"
        run("sh", "-e", "-c", script, cwd=folder, **environment)
        asked_of_harlequin(line, query, answer, folder, environment)
    return answer


def asked_of_harlequin(
    start: str, query: str, answer: str, folder: Path, environment: dict[str, str]
) -> None:
    """Starts Harlequin on a terminal, types a query, and leaves when the answer is shown."""
    ours, its = pty.openpty()
    given = os.environ | environment | {"TERM": "xterm-256color"}
    command = ["sh", "-c", f"stty rows 40 cols 140; exec {start}"]
    running = subprocess.Popen(command, cwd=folder, env=given, stdin=its, stdout=its, stderr=its)
    os.close(its)
    # What the screen says before each thing that is typed: Ctrl-J runs the query, Ctrl-Q leaves.
    for wanted, typed in (("Query Editor", query), (query[-8:], "\n"), (answer, "\x11")):
        shown = ""
        while wanted not in SEQUENCE.sub("", shown):
            if not select.select([ours], [], [], SECONDS)[0] or running.poll() is not None:
                running.kill()
                sys.exit(f"try_clients: {start} does not show {wanted!r}:\n{shown[-2000:]}")
            shown += os.read(ours, 1 << 16).decode(errors="replace")
        os.write(ours, typed.encode())
    with contextlib.suppress(OSError):  # The end of a terminal.
        while os.read(ours, 1 << 16):
            pass
    assert running.wait(SECONDS) == 0, (start, running.returncode)


def node(block: str, folder: Path, _: Path) -> str:
    home = HOME / "node"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules").exists():
        (home / "package.json").write_text("{}")
        run("npm", "install", "--no-audit", "--no-fund", NODE, cwd=home)
    (home / "client.mjs").write_text(block)
    return run("node", home / "client.mjs", cwd=folder)


def sqlalchemy(block: str, folder: Path, extension: Path) -> str:
    # The package is that of the checkout, which has no extension of its own.
    given = (
        f"import duckdb_redline.connection as c; c.extension_path = lambda: {str(extension)!r}\n"
    )
    return run(python_with("sqlalchemy"), "-c", given + block, cwd=folder)


def dbt(profile: str, model: str, folder: Path, extension: Path) -> str:
    python = python_with("dbt")
    profile += f"          config: {{extension: {str(extension)!r}}}\n"
    (folder / "profiles.yml").write_text(profile)
    (folder / "dbt_project.yml").write_text("name: history\nprofile: redline\nversion: 1.0.0\n")
    (folder / "models").mkdir()
    (folder / "models/commit_log.sql").write_text(model)
    count = "import duckdb; print(duckdb.connect('history.duckdb').sql('SELECT count(*), max(subject) FROM commit_log').fetchone())"
    said = []
    for _ in range(2):
        run(python.parent / "dbt", "run", "--quiet", "--profiles-dir", ".", cwd=folder)
        said.append(run(python, "-c", count, cwd=folder))
    # The second run finds nothing new.
    assert said[0] == said[1] and said[0].startswith("(2, "), said
    return said[0]


def main() -> None:
    extension = Path(sys.argv[1]).resolve()
    page, folder = blocks(extension), HOME / "repository"
    tries = {
        "DuckDB's command line": lambda: command_line(page["sh"], folder, extension),
        "Harlequin": lambda: harlequin(page["bash"], folder, extension),
        "Node": lambda: node(page["js"], folder, extension),
        "SQLAlchemy": lambda: sqlalchemy(page["python"], folder, extension),
        "dbt": lambda: dbt(page["yaml"], page["jinja"], folder, extension),
    }
    for client, attempt in tries.items():
        repository(folder)
        said = attempt()
        if SUBJECT not in said:
            sys.exit(f"try_clients: {client} said\n{said}")
        print(f"{client}: {said.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
