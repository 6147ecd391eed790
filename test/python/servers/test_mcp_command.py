"""The command redline-mcp before it serves: its directories, its help and the reasons why it does not start."""

import json
import subprocess
import sys
import tempfile

import pytest
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import command, relied
from duckdb_redline.server.command import sandboxes


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, ROOT / "examples/mcp_server.py", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_one_directory_is_the_workspace_and_several_have_their_own_names(tmp_path):
    for name in ("a", "b", "a=b"):
        (tmp_path / name).mkdir()
    a, b, odd = (tmp_path / name for name in ("a", "b", "a=b"))
    assert sandboxes([str(a)]) == {"workspace": a}
    assert sandboxes([f"code={a}"]) == {"code": a}
    assert sandboxes([str(a), str(b)]) == {"a": a, "b": b}
    assert sandboxes([str(a), f"other={a}"]) == {"a": a, "other": a}
    # A directory that is there is meant, even where its name has the sign.
    assert sandboxes([str(odd)]) == {"workspace": odd}
    with pytest.raises(ValueError, match="two directories have the name 'a'"):
        sandboxes([str(a), f"a={b}"])


def test_a_wrong_argument_is_exit_code_2_and_names_what_is_wrong(tmp_path):
    (tmp_path / "file").write_text("")
    for arguments, words in [
        ([str(tmp_path / "nowhere")], "nowhere' is not there"),
        ([str(tmp_path / "file")], "file' is not a directory"),
        (["--nothing"], "unrecognized arguments: --nothing"),
        ([str(tmp_path), "--query", "0"], "'0' must be a number from 1 to 600"),
        ([str(tmp_path), "--query", "x"], "'x' must be a number from 1 to 600"),
        (
            [str(tmp_path), "--max-file-bytes", "9999999999"],
            "'9999999999' must be a number from 1 to",
        ),
        ([str(tmp_path), "--progress", "nan"], "'nan' must be a number from 0.01 to 600"),
    ]:
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "") and words in done.stderr, done.stderr


def test_a_failing_load_is_exit_code_1(tmp_path):
    pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")
    done = run(str(tmp_path), "--extension", str(tmp_path / "none.duckdb_extension"))
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith("redline-mcp: ")


def test_help_names_the_arguments_and_exit_codes():
    done = run("--help")
    assert done.returncode == 0 and all(
        word in done.stdout for word in ("DIRECTORY", "--write", "NAME=DIRECTORY", "exit codes")
    )
    assert run("--version").stdout.startswith("redline-mcp 0.")


# Promise (http): What the server relies on lies where no agent changes or reads it: its program,
# environment, scripts, modules, token file and page. With
# `test_an_environment_is_not_written_whatever_its_name`.
def test_what_the_server_relies_on_is_out_of_the_agents_reach(tmp_path, monkeypatch):
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside, root / "env/bin", root / "lib", root / "scripts"):
        folder.mkdir(parents=True)
    script = root / "scripts/start.py"
    script.touch()

    def problem(*arguments, **settings):
        with monkeypatch.context() as patch:
            changed = {"prefix": sys.base_prefix, "argv": [str(outside)], "path": [str(outside)]}
            for name, given in (changed | settings).items():
                patch.setattr(sys, name, given)
            patch.setattr(tempfile, "tempdir", str(outside))
            if "tempdir" in arguments:
                patch.setattr(tempfile, "tempdir", str(root))
            given = command.parser().parse_args(
                [str(root), *(one for one in arguments if one != "tempdir")]
            )
            return relied.problem(given, {"workspace": root})

    web = ("--approve", "web", "--open")
    assert problem("--write") is None and problem(*web) is None
    for what, said in [
        ((("--write",), {"path": [str(root / "lib")]}), "of Python's modules lies beneath"),
        ((("--write",), {"argv": [str(script)]}), "that starts it lies beneath"),
        ((("--write",), {"prefix": str(root / "env")}), "the environment"),
        (((*web, "tempdir"), {}), "to which --open writes the address of the page"),
        ((("--token-file", str(root / "tokens")), {}), "the token file"),
    ]:
        arguments, settings = what
        found = problem(*arguments, **settings)
        assert found is not None and said in found, (what, found)
    # Without --write nobody changes a program, and an environment is reserved whole, whatever its name.
    assert problem(path=[str(root / "lib")]) is None
    (root / "env/pyvenv.cfg").touch()
    assert problem("--write", prefix=str(root / "env"), path=[str(root / "env/lib")]) is None


def test_an_environment_is_not_written_whatever_its_name(connect, tmp_path):
    con = connect()
    sandbox = {"name": "w", "root": str(tmp_path), "mode": "rw", "write_approval": False}
    con.execute(f"SET GLOBAL redline_sandboxes = '{json.dumps([sandbox])}'")
    (tmp_path / "env/bin").mkdir(parents=True)
    write = "SELECT write_file('w/env/bin/activate', 'x')"
    assert con.execute(write).fetchall()
    (tmp_path / "env/pyvenv.cfg").touch()
    with pytest.raises(Exception, match="fs_denied: .*environment of Python"):
        con.execute(write).fetchall()
    assert con.execute("SELECT write_file('w/other.txt', 'x')").fetchall()
