"""The command redline-mcp before it serves: its directories, its help and the reasons why it does not start."""

import subprocess
import sys

import pytest
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

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
