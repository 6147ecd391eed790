"""What the command redline writes outside of repositories, and what it gives a shell to read."""

import os
import pathlib
import pty
import re
import resource
import select
import shutil
import stat
import subprocess
import sys

import pytest
import repositories
import waiting
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

# A pattern of each shell's that runs what it is given, and that git takes as the name of a branch.
EVIL = "evil$(touch${IFS}ran)END"
NAMES = [EVIL, "evil`touch${IFS}ran`END", "evil;touch${IFS}ran;END", "evil&touch${IFS}ran&END", "evil|touch${IFS}ran|END",
         "evil'$(touch${IFS}ran)'END", 'evil"$(touch${IFS}ran)"END', "evil(touch${IFS}ran)END", "evil<(touch${IFS}ran)END",
         "evil>ran,END", "evil$HOME{a,b}END", "evil!!#END", "evilü\u00a0END"]  # fmt: skip


@pytest.fixture
def home(tmp_path) -> pathlib.Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    repo = tmp_path / "repo"
    repositories.git(tmp_path, "init", "-q", "-b", "main", str(repo))
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    repositories.git(repo, *who, "commit", "-q", "--allow-empty", "-m", "first")
    return repo


def environment(home: pathlib.Path) -> dict[str, str]:
    return {
        "PYTHONPATH": str(ROOT / "python"),
        "PATH": f"{home}/bin:{os.environ['PATH']}",
        "HOME": str(home),
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
        # Where a shell that is not installed keeps its libraries and functions.
        **{
            name: value
            for name, value in os.environ.items()
            if name in ("LD_LIBRARY_PATH", "FPATH")
        },
    }


def run(extension, home, repo, *arguments: object, code: int = 0, **more) -> str:
    command = [sys.executable, "-m", "duckdb_redline", "--extension", extension, *arguments]
    done = subprocess.run(
        list(map(str, command)),
        cwd=repo,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=60,
        **more,
    )
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


# Each command with the file that it writes below the home directory.
WRITING = {
    "bash": (["setup", "--completion", "bash"], ".local/share/bash-completion/completions/redline"),
    "zsh": (["setup", "--completion", "zsh"], ".zfunc/_redline"),
    "fish": (["setup", "--completion", "fish"], ".config/fish/completions/redline.fish"),
    "review": (["review", "main", "main", "-o", "page.html"], "page.html"),
    "sql": (["sql", "SELECT 1 AS a", "-o", "page.md", "-f", "markdown"], "page.md"),
    "report": (["report", "-o", "page.html"], "page.html"),
}


# Promise (command): A file that the command writes (completions, `-o`) is replaced whole, where a link
# leads and with its permissions; the old one stays if the new one cannot be written. With
# `test_setup_keeps_bytes_that_are_not_text` and `test_an_output_that_is_no_file_is_written_to`.
@pytest.mark.parametrize(
    # What draws the pictures of a report takes long to load; its page is written as that of a review.
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name == "report")) for name in WRITING],
)
def test_a_file_is_replaced_whole_where_a_link_leads_and_keeps_its_permissions(
    extension, home, repo, name
):
    if name == "report":
        pytest.importorskip("matplotlib", reason="report draws by matplotlib")
    words, written = WRITING[name]
    arguments = [home / word if "page" in word else word for word in words]
    run(extension, home, repo, *arguments)
    path, kept = home / written, home / "kept"
    whole = path.read_bytes()
    assert len(whole) > 3
    path.rename(kept)
    path.symlink_to(kept)
    kept.write_bytes(b"old\n" * 50_000)
    kept.chmod(0o640)
    before = kept.stat().st_ino

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))

    # The file cannot be written to its end: the old one stays, and nothing else is left.
    run(extension, home, repo, *arguments, code=1, preexec_fn=limited)
    assert kept.read_bytes() == b"old\n" * 50_000 and kept.stat().st_ino == before
    run(extension, home, repo, *arguments)
    if name != "report":  # which has the time
        assert kept.read_bytes() == whole
    assert path.is_symlink() and kept.stat().st_ino != before
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert not list(home.rglob(".redline-*"))


def test_setup_keeps_bytes_that_are_not_text(extension, home, repo):
    own = b".prompt '\xff\xfe \x80'\r\n-- \xc3\n"
    ours = b"-- redline: begin\nLOAD '\xff';\n-- redline: end\n"
    (home / ".duckdbrc").write_bytes(own + ours + b"-- redline: begin\n-- no end")
    for _ in range(2):
        run(extension, home, repo, "setup", "--undo")
        assert (home / ".duckdbrc").read_bytes() == own + b"-- redline: begin\n-- no end"


def test_an_output_that_is_no_file_is_written_to(extension, home, repo):
    os.mkfifo(home / "pipe")
    reading = subprocess.Popen(["cat", home / "pipe"], stdout=subprocess.PIPE)
    run(extension, home, repo, "review", "main", "main", "-o", home / "pipe")
    assert reading.communicate(timeout=60)[0].startswith(b"<!DOCTYPE html>")
    assert stat.S_ISFIFO((home / "pipe").stat().st_mode)


def installed(extension, home, repo, shell: str) -> None:
    """Installs the completion of a shell, and a command that completes and otherwise only writes down its arguments."""
    (home / "bin").mkdir(exist_ok=True)
    (home / "bin/redline").write_text(
        f'#!/bin/sh\n[ -n "$_REDLINE_COMPLETE" ] || {{ printf \'%s\\0\' "$@" > "$HOME/given"; exit; }}\n'
        f'exec "{sys.executable}" -c "from duckdb_redline.command.main import main; main(prog_name=\'redline\')" "$@"\n'
    )
    (home / "bin/redline").chmod(0o755)
    run(extension, home, repo, "setup", "--completion", shell)


# Promise (command): A name of a branch, tag or file that bash, zsh or fish completes is that name on Enter, and nothing of
# it is run. With `test_a_shell_runs_nothing_when_a_completed_line_is_entered`.
@pytest.mark.parametrize("kind", ["branch", "tag", "path"])
def test_bash_runs_nothing_of_a_name_that_it_completes(extension, home, repo, kind):
    installed(extension, home, repo, "bash")
    for number, name in enumerate(NAMES):
        if kind == "path":
            (repo / f"n{number}{name}").touch()
            (repo / f"~{number}{name}").touch()
        else:
            repositories.git(repo, kind, f"n{number}{name}", "HEAD")
    # Each offered word is read as the shell reads it on Enter.
    script = """
        source ~/.local/share/bash-completion/completions/redline
        for begun in "$@"; do
            COMP_WORDS=(redline --extension "$EXTENSION" stat "$begun"); COMP_CWORD=4
            _redline_completion redline
            for word in "${COMPREPLY[@]}"; do eval "printf '%s\\0' $word"; done
        done
    """
    begun = ["n", "~"] if kind == "path" else ["n"]
    done = subprocess.run(
        ["bash", "-c", script, "bash", *begun],
        cwd=repo,
        env=environment(home) | {"EXTENSION": str(extension)},
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == b""
    offered = set(done.stdout.decode().split("\0")) - {""}
    expected = {f"{first}{number}{name}" for first in begun for number, name in enumerate(NAMES)}
    assert offered == expected
    assert not (repo / "ran").exists()


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command: list[str], home: pathlib.Path, repo: pathlib.Path):
        self.said = ""
        self.child, self.ours = pty.fork()
        if self.child == 0:
            os.chdir(repo)
            os.execvpe(command[0], command, environment(home))

    def types(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def sees(self, words: str) -> None:
        """Waits until the terminal shows what matches, and forgets it."""
        while not (found := re.search(words, self.said)):
            assert select.select([self.ours], [], [], waiting.SECONDS)[0], self.said
            self.said += os.read(self.ours, 1 << 16).decode(errors="replace")
        self.said = self.said[found.end() :]

    def ends(self) -> None:
        self.types("exit\n")
        try:
            while os.read(self.ours, 1 << 16):
                pass
        except OSError:
            pass  # Linux says so when the other end is closed.
        os.close(self.ours)
        os.waitpid(self.child, 0)


SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        "source ~/.local/share/bash-completion/completions/redline",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "unsetopt prompt_cr prompt_sp; fpath=($fpath ~/.zfunc); autoload -Uz compinit; compinit -u; compdef _redline redline",
    ),
    "fish": (["fish", "--private", "-i"], "function fish_prompt; echo '> '; end"),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_runs_nothing_when_a_completed_line_is_entered(extension, home, repo, shell):
    command, start = SHELLS[shell]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{shell} is not installed")
    installed(extension, home, repo, shell)
    repositories.git(repo, "branch", f"b-{EVIL}")
    repositories.git(repo, "tag", f"t,{EVIL}")
    (repo / f"p-{EVIL}").touch()
    running = Shell(command, home, repo)
    running.types(f"{start}\n")
    running.types("echo rea''dy\n")
    running.sees("ready")
    for begun, whole in (("b-e", f"b-{EVIL}"), ("t,e", f"t,{EVIL}"), ("p-e", f"p-{EVIL}")):
        (home / "given").unlink(missing_ok=True)
        running.types(f"redline --extension {extension} stat {begun}")
        running.types("\t")
        running.sees("END")
        running.types("\n")
        running.types("echo do''ne\n")
        running.sees("done")
        given = (home / "given").read_bytes().decode().split("\0")[:-1]
        assert given == ["--extension", str(extension), "stat", whole], (shell, given)
    running.ends()
    assert not (repo / "ran").exists() and not (home / "ran").exists()
