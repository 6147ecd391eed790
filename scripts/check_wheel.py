#!/usr/bin/env python3
"""Installs a wheel into fresh virtual environments, with each host, and uses it as its users do."""

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CONNECT = """
import sys, time
import duckdb
start = time.perf_counter()
import duckdb_redline
seconds = time.perf_counter() - start
assert not {"click", "pygments", "mcp", "anyio"} & set(sys.modules), "the library imports more than duckdb"
start = time.perf_counter()
con = duckdb_redline.connect()
opened = time.perf_counter() - start
(host,) = con.execute("SELECT version()").fetchone()
(files,) = con.execute("SELECT count(*) FROM file_changes('EMPTY', 'HEAD', ?)", [sys.argv[1]]).fetchone()
assert files == 1 and con.execute("FROM file_changes_each('EMPTY', 'HEAD', repo := ?)", [sys.argv[1]]).fetchall(), files
print(f"DuckDB {host}: import {seconds * 1000:.0f} ms beside duckdb's own, connect() {opened * 1000:.0f} ms")
"""
METADATA = """
import importlib.metadata, re
package = importlib.metadata.metadata("duckdb-redline")
text = package["Description"] or package.get_payload()
assert package["Author"] and "Typing :: Typed" in package.get_all("Classifier") and "# redline" in text
# Links are absolute where the address of the repository is known.
assert not package.get_all("Project-URL") or not re.search(r"\\]\\((?!https://|#)", text)
"""
CLIENT = """
import json, sys
import anyio
from mcp import Client, StdioServerParameters

async def main():
    with anyio.fail_after(60):
        async with Client(StdioServerParameters(command=sys.argv[1], args=[sys.argv[2]])) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            answer = await client.call_tool("GitDiffSummary", {"from": "EMPTY", "to": "HEAD", "repo": "workspace"})
            assert not answer.is_error and "a.txt" in answer.content[0].text, answer
            print(f"redline-mcp: {len(tools)} tools")

anyio.run(main)
"""
PAGE = """
import subprocess, sys, urllib.request

with subprocess.Popen([*sys.argv[1:], "--write", "--approve", "web"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
    address = server.stderr.readline().partition("approve at ")[2].strip()
    page = urllib.request.urlopen(address).read().decode()
    style = urllib.request.urlopen(address + "style.css").read().decode()
    server.stdin.close()
assert "Nothing waits for you" in page and ":focus-visible" in style, (page, style)
print("redline-mcp --approve web: its page is there")
"""


def run(*command: object, cwd: Path | None = None) -> str:
    """Returns what a program printed; ends with what it said where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(
            f"check_wheel: {command[0]} {command[1]} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def repository(folder: Path) -> Path:
    """Makes a repository of one commit."""
    git = lambda *words: run(
        "git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", *words
    )
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "Start")
    (folder / "a.txt").write_text("one\n2\n")
    return folder


def check(wheel: Path, host: str, made: Path, with_server: bool) -> None:
    """Uses the wheel in a virtual environment that has nothing but it, what it needs and one version of DuckDB."""
    environment = made / host
    venv.create(environment, with_pip=True)
    tool = lambda name: environment / "bin" / name
    extra = "[mcp]" if with_server else ""
    run(
        tool("python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        f"{wheel}{extra}",
        f"duckdb=={host}",
    )
    repo = repository(made / f"repository-{host}")
    # Not run in the checkout, whose own package must not be found.
    print(run(tool("python"), "-c", CONNECT, repo, cwd=made).strip())
    run(tool("python"), "-c", METADATA, cwd=made)
    assert run(tool("redline"), "diff", cwd=repo) == run("git", "diff", cwd=repo) != ""
    assert run(tool("redline"), "stat", "HEAD", cwd=repo) == "modified\t1\t1\ta.txt\n"
    rows = json.loads(
        run(
            tool("redline"),
            "sql",
            "-f",
            "json",
            "FROM commit_changes('HEAD', '.') SELECT subject",
            cwd=repo,
        )
    )
    assert rows == [{"subject": "Start"}], rows
    print("redline: diff, stat and sql as git has it")
    if with_server:
        print(run(tool("python"), "-c", CLIENT, tool("redline-mcp"), repo, cwd=made).strip())
        print(run(tool("python"), "-c", PAGE, tool("redline-mcp"), repo, cwd=made).strip())
        assert "--approve {client,terminal,web}" in run(tool("redline-mcp"), "--help", cwd=made)
    else:
        done = subprocess.run([tool("redline-mcp"), repo], capture_output=True, text=True)
        assert done.returncode == 1 and "pip install 'duckdb-redline[mcp]'" in done.stderr, done
        print("redline-mcp: without its packages it names them")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", type=Path, help="the directory of the wheel")
    parser.add_argument("hosts", nargs="+", help="versions of DuckDB")
    given = parser.parse_args()
    wheels = sorted(given.wheels.resolve().glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(
            f"check_wheel: {given.wheels} must have one wheel, and has {len(wheels)}: run `make wheel` first"
        )
    print(f"{wheels[0].name}  {wheels[0].stat().st_size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as made:
        for number, host in enumerate(given.hosts):
            check(wheels[0], host, Path(made).resolve(), with_server=number == 0)


if __name__ == "__main__":
    main()
